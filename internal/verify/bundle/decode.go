package bundle

import (
	"math"
	"strconv"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/timestamp"
)

// decoder reads records as the JSON Schemas of the format say.
type decoder struct {
	*ijson.Reader
	// strict is for bundles that are stored: date-times are RFC 3339, which JSON Schema
	// leaves to its users, and records lose their white space.
	strict bool
}

// decode reads a text by a shape. Around it so many arrays and objects are open.
func decode[T any](text string, around int, strict bool, shape *ijson.Shape[*decoder, T]) (*T, problem.List) {
	d := &decoder{Reader: ijson.NewPartReader(problem.InvalidTrustBundle), strict: strict}
	d.Around = around
	d.Reset(text)
	into := new(T)
	shape.Read(d, into)
	return into, d.End()
}

// cutMark returns a text without its byte order mark and the place where it begins.
func cutMark(source problem.Source) (text string, start problem.Place) {
	mark := ijson.LenByteOrderMark(source.Text)
	return source.Text[mark:], problem.Start(source.Name).After(source.Text[:mark])
}

// readList reads a list of records. Rules tie the members of a record together.
func readList[T any, E interface {
	*T
	entry
}](d *decoder, shape *ijson.Shape[*decoder, T], rules ...func(E, *decoder)) []E {
	list := []E{}
	for l := d.List(); l.Next(); {
		record := E(new(T))
		list = append(list, record)
		e := record.base()
		e.Offset = d.Offset()
		shape.Read(d, record)
		for _, rule := range rules {
			rule(record, d)
		}
		if e.JSON = d.Since(e.Offset); d.strict {
			e.JSON = ijson.Compact(e.JSON)
		}
	}
	return list
}

// The functions below read members that nothing hangs on: they check and keep
// nothing.

// nothing is what an object becomes that is only checked.
type nothing struct{}

func anyText[T any](d *decoder, _ *T)    { _ = d.String() }
func anyTexts[T any](d *decoder, _ *T)   { d.TextList() }
func anyInstant[T any](d *decoder, _ *T) { d.instant() }
func anyNumber[T any](d *decoder, _ *T)  { d.Number() }
func anyBool[T any](d *decoder, _ *T)    { d.Bool() }
func anyObject[T any](d *decoder, _ *T)  { d.object() }

// anyValue reads any value that can be written as canonical JSON.
func anyValue[T any](d *decoder, _ *T) { d.Check() }

// oneOf reads a word of a vocabulary.
func oneOf[T any](words []string) func(*decoder, *T) {
	return func(d *decoder, _ *T) { d.Enum(words...) }
}

// listOf reads a list.
func listOf[T any](item func(*decoder, *nothing)) func(*decoder, *T) {
	return func(d *decoder, _ *T) {
		for l := d.List(); l.Next(); {
			item(d, nil)
		}
	}
}

// part reads an object.
func part[T any](shape *ijson.Shape[*decoder, nothing]) func(*decoder, *T) {
	return func(d *decoder, _ *T) { shape.Read(d, nil) }
}

// object reads an object with members of any name.
func (d *decoder) object() {
	if d.Kind() != '{' {
		d.Refuse("must be an object")
		return
	}
	d.Check()
}

// instant reads a date-time.
func (d *decoder) instant() string {
	const rule = "must be an RFC 3339 date-time like 2026-07-18T06:00:00Z"
	s, at, ok := d.StringOr(rule)
	if ok && d.strict {
		if _, ok := timestamp.Parse(s); !ok {
			d.Fail(at, "", rule)
		}
	}
	return s
}

// number reads a number that a rule allows.
func (d *decoder) number(rule string, allowed func(f float64) bool) float64 {
	at := d.Offset()
	text := d.Number()
	f, _ := strconv.ParseFloat(text, 64) // it was read as a number
	if text != "" && !allowed(f) {
		d.Fail(at, "", "%s", rule)
	}
	return f
}

// fullText reads a string that is not empty.
func fullText(d *decoder, _ *nothing) {
	const rule = "must be a string that is not empty"
	if s, at, ok := d.StringOr(rule); ok && s == "" {
		d.Fail(at, "", rule)
	}
}

func anyFloat(float64) bool    { return true }
func isShare(f float64) bool   { return f >= 0 && f <= 1 }
func isInteger(f float64) bool { return f == math.Trunc(f) }

// textOf returns a text that may not be there.
func textOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// pointer returns a pointer to a value, for members whose absence means something
// else than an empty value.
func pointer[T any](v T) *T { return &v }
