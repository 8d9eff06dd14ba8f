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
	strict   bool
	declared int // version, zero until it was read
	latest   []latestMember
}

// latestMember is a member of evidence that came with the latest version of the schema.
type latestMember struct {
	index    int // of the evidence in its list
	evidence spots
	name     string
}

// decode reads a text by a shape. So many arrays and objects are open around it.
func decode[T any](text string, outerDepth int, strict bool, shape *ijson.Shape[*decoder, T]) (*T, *decoder,
	problem.List) {
	d := &decoder{Reader: ijson.NewPartReader(problem.InvalidTrustBundle), strict: strict}
	d.OuterDepth = outerDepth
	d.Reset(text)
	into := new(T)
	shape.Read(d, into)
	return into, d, d.End()
}

// cutMark returns a text without its byte order mark and the place where it begins.
func cutMark(source problem.Source) (text string, start problem.Place) {
	mark := ijson.LenByteOrderMark(source.Text)
	return source.Text[mark:], problem.Start(source.Name).After(source.Text[:mark])
}

// readEach reads the records of a list, each into what next returns, and calls done
// after each. Rules tie the members of a record together.
func readEach[T any, E interface {
	*T
	entry
}](d *decoder, shape *ijson.Shape[*decoder, T], next func() E, done func(E), rules ...func(E, *decoder, int)) {
	l := d.List()
	for l.Next() {
		record := next()
		e := record.base()
		e.at.start = d.spot()
		shape.Read(d, record)
		e.at.end = d.end(e.at.start)
		for _, rule := range rules {
			rule(record, d, l.Index())
		}
		done(record)
	}
}

// readList reads a list of records and keeps all of them.
func readList[T any, E interface {
	*T
	entry
}](d *decoder, shape *ijson.Shape[*decoder, T], rules ...func(E, *decoder, int)) []E {
	list := []E{}
	readEach(d, shape, func() E { return new(T) }, func(record E) {
		e := record.base()
		if e.JSON = d.TextSince(int(e.at.start)); d.strict {
			e.JSON = ijson.Compact(e.JSON)
		}
		list = append(list, record)
	}, rules...)
	return list
}

// readSpots reads a list of records and keeps where they are.
func readSpots[T any, E interface {
	*T
	entry
}](d *decoder, shape *ijson.Shape[*decoder, T], rules ...func(E, *decoder, int)) (list spotList) {
	record, empty := E(new(T)), *new(T)
	readEach(d, shape, func() E { *record = empty; return record }, func(E) {
		list.add(record.base().at)
	}, rules...)
	return list
}

// spot is where a value begins in the text of a bundle, in as many bytes as 700,000
// records can afford. It is zero for a value that is not there: a bundle begins there.
type spot uint32

// mostText is how many bytes the text of a bundle may have, so that a spot can be
// anywhere in it.
const mostText = math.MaxUint32

// spots are where a record is in the text of its bundle, and those of its values by
// which others find it or by which it finds others.
type spots struct {
	start, end spot // of the record

	id          spot
	ref, anchor spot // texts that name it: integrityRef, the value of its integrityAnchor
	parent      spot // id of the claim of evidence and events, of the policy of a claim; claimIds of a trace
	actor       spot // of events and traces
	named       spot // list of ids: derivedFrom of claims, evidenceIds of events and traces
	confidence  spot // conclusionConfidence of claims
}

// spotList is the spots of the records of a list, in blocks: a list that grows as a whole
// would leave as much garbage as it has.
type spotList struct{ blocks [][]spots }

const spotsPerBlock = 4096

func (l *spotList) add(s spots) {
	last := len(l.blocks) - 1
	switch {
	case last < 0:
		l.blocks, last = [][]spots{nil}, 0
	case len(l.blocks[last]) == spotsPerBlock:
		l.blocks = append(l.blocks, make([]spots, 0, spotsPerBlock))
		last++
	}
	l.blocks[last] = append(l.blocks[last], s)
}

func (l *spotList) at(i int) *spots { return &l.blocks[i/spotsPerBlock][i%spotsPerBlock] }

func (l *spotList) len() int {
	last := len(l.blocks) - 1
	if last < 0 {
		return 0
	}
	return last*spotsPerBlock + len(l.blocks[last])
}

// spot returns where the next value begins.
func (d *decoder) spot() spot { return spot(d.Offset()) }

// end returns where the value ends that began at start and was just read.
func (d *decoder) end(start spot) spot { return start + spot(len(d.TextSince(int(start)))) }

// stringAt reads a string and notes where it is.
func (d *decoder) stringAt(at *spot) string {
	*at = d.spot()
	return d.String()
}

// listAt reads a list of strings and notes where it is.
func (d *decoder) listAt(at *spot) ijson.TextList {
	*at = d.spot()
	return d.TextList()
}

// The functions below read members that nothing hangs on: they check and keep
// nothing.

// emptyRecord is what an object becomes that is only checked.
type emptyRecord struct{}

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
func listOf[T any](item func(*decoder, *emptyRecord)) func(*decoder, *T) {
	return func(d *decoder, _ *T) {
		for l := d.List(); l.Next(); {
			item(d, nil)
		}
	}
}

// part reads an object.
func part[T any](shape *ijson.Shape[*decoder, emptyRecord]) func(*decoder, *T) {
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
func fullText(d *decoder, _ *emptyRecord) {
	const rule = "must be a string that is not empty"
	if s, at, ok := d.StringOr(rule); ok && s == "" {
		d.Fail(at, "", rule)
	}
}

func anyFloat(float64) bool    { return true }
func isShare(f float64) bool   { return f >= 0 && f <= 1 }
func isInteger(f float64) bool { return f == math.Trunc(f) }

// pointer returns a pointer to a value, for members whose absence means something
// else than an empty value.
func pointer[T any](v T) *T { return &v }
