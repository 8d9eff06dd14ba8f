package verify

import (
	"math"
	"strconv"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/timestamp"
)

// decoder reads records as the JSON Schemas of the format say, and keeps of
// each what is looked at later: its text, its refs and what its status may hang
// on.
type decoder struct {
	*ijson.Reader
	src string
	// strictTimes demands of date-times what JSON Schema leaves to its users:
	// that they are RFC 3339.
	strictTimes bool
	scratch     []byte
}

// newDecoder reads a text without a byte order mark, around which so many
// arrays and objects are open.
func newDecoder(src string, around int) *decoder {
	r := ijson.NewPartReader(problem.InvalidTrustBundle)
	r.Around = around
	r.Reset(src)
	return &decoder{Reader: r, src: src}
}

// placed is a record and where it begins in the text that it was read from.
type placed struct {
	Record
	at int
}

// text returns what was read since start, without insignificant white space.
func (d *decoder) text(start int) string {
	end := d.Offset()
	if d.IsBroken() {
		return ""
	}
	return compact(d.src[start:end])
}

// compact drops the white space between the tokens of a JSON text.
func compact(s string) string {
	var b []byte
	kept := 0 // up to here s is in b
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\':
			i++ // outside of strings there is none
		case !quoted && (c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			b = append(b, s[kept:i]...)
			kept = i + 1
		}
	}
	if kept == 0 {
		return s
	}
	return string(append(b, s[kept:]...))
}

// anyString reads a string that nothing hangs on.
func (d *decoder) anyString() { _ = d.String() }

// free reads any value and checks that it can be told as canonical JSON.
func (d *decoder) free() { d.scratch = d.AppendCanonical(d.scratch[:0]) }

// freeObject reads an object with members of any name.
func (d *decoder) freeObject() {
	if d.Kind() != '{' {
		d.mismatch("must be an object")
		return
	}
	d.free()
}

// mismatch notes that another kind of value should stand here.
func (d *decoder) mismatch(rule string) {
	at := d.Offset()
	d.Skip()
	d.Fail(at, "", "%s", rule)
}

// instant reads a date-time.
func (d *decoder) instant() string {
	const rule = "must be an RFC 3339 date-time like 2026-07-18T06:00:00Z"
	s, at, ok := d.StringOr(rule)
	if ok && d.strictTimes {
		if _, ok := timestamp.Parse(s); !ok {
			d.Fail(at, "", rule)
		}
	}
	return s
}

// number reads a number. Its text has no other faults than those of numbers.
func (d *decoder) number(rule string, allowed func(f float64) bool) float64 {
	at := d.Offset()
	text := d.Number()
	if text == "" {
		return 0
	}
	f, _ := strconv.ParseFloat(text, 64)
	if !allowed(f) {
		d.Fail(at, "", "%s", rule)
		return 0
	}
	return f
}

func anyNumber(float64) bool { return true }

func isInteger(f float64) bool { return f == math.Trunc(f) }

// strings reads a list of strings.
func (d *decoder) strings() []string {
	var list []string
	for l := d.List(); l.Next(); {
		list = append(list, d.String())
	}
	return list
}

// words reads a list of words of a vocabulary.
func (d *decoder) words(allowed []string) []string {
	var list []string
	for l := d.List(); l.Next(); {
		list = append(list, d.Enum(allowed...))
	}
	return list
}

func ptr(s string) *string { return &s }

// deref returns the string, empty if there is none.
func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
