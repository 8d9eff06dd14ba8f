package export

import (
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/service/record"
)

// This file changes a JSON file in place: a member gets another value where it stands,
// a new member comes at the end of its object, a new item at the end of its list. All
// other bytes stay. What is new is spaced as its neighbour is:
//
//	{                        {
//	  "gpt-5": {               "gpt-5": {
//	    "input": 1.25            "input": 1.0,
//	  }                          "output": 10
//	}                          }
//	                         }

// base is a JSON file that is changed.
type base struct {
	text  string
	root  *offer.Value
	edits []edit
	// ends are the bytes that were added at the ends of objects and lists, by where they
	// begin.
	ends map[*offer.Value]*edit
}

// edit puts a text in the place of another.
type edit struct {
	start, end int
	text       strings.Builder
}

// readBase reads a file. Faults have no code.
func readBase(source problem.Source) (*base, error) {
	r := ijson.NewReader(source.Text, "")
	root := offer.ReadJSON(r)
	if faults := r.End(); faults != nil {
		return nil, faults.Locate(source.Text, problem.Start(source.Name)).Err()
	}
	return &base{text: source.Text, root: root, ends: map[*offer.Value]*edit{}}, nil
}

// refuse is a fault of the file as one of its format.
func (b *base) refuse(source problem.Source, v *offer.Value, path, rule string) error {
	e := problem.New("", path, "%s", rule)
	e.Offset = v.Offset
	return problem.List{e}.Locate(source.Text, problem.Start(source.Name)).Err()
}

// literal is a value as it is written.
func (b *base) literal(v *offer.Value) string {
	return b.text[v.Offset:ijson.SpanEnd(b.text, v.Offset)]
}

// replace puts another value in the place of one.
func (b *base) replace(v *offer.Value, json string) {
	e := edit{start: v.Offset, end: ijson.SpanEnd(b.text, v.Offset)}
	e.text.WriteString(json)
	b.edits = append(b.edits, e)
}

// add adds a member at the end of an object.
func (b *base) add(object *offer.Value, name, json string) {
	lead, colon := b.memberSpace(object)
	b.append(object, len(object.Members) > 0, lead, canonical.Quote(name), ":", colon, json)
}

// addItem adds an item at the end of a list.
func (b *base) addItem(list *offer.Value, json string) {
	lead := ""
	if len(list.Items) > 0 {
		lead = b.space(list.Offset + 1)
	}
	b.append(list, len(list.Items) > 0, lead, json)
}

// append puts a text before the white space that ends an object or a list.
func (b *base) append(v *offer.Value, hasMore bool, parts ...string) {
	e := b.ends[v]
	if e == nil {
		at := ijson.SpanEnd(b.text, v.Offset) - 1
		for ijson.IsSpace(b.text[at-1]) {
			at--
		}
		e = &edit{start: at, end: at}
		b.ends[v] = e
	} else {
		hasMore = true
	}
	if hasMore {
		e.text.WriteByte(',')
	}
	for _, part := range parts {
		e.text.WriteString(part)
	}
}

// space is the white space from an offset on.
func (b *base) space(at int) string {
	end := at
	for end < len(b.text) && ijson.IsSpace(b.text[end]) {
		end++
	}
	return b.text[at:end]
}

// memberSpace is the white space before the name of the first member of an object, and
// that before its value.
func (b *base) memberSpace(object *offer.Value) (lead, colon string) {
	if len(object.Members) == 0 {
		return "", ""
	}
	lead = b.space(object.Offset + 1)
	value := object.Members[0].Value.Offset
	start := value
	for ijson.IsSpace(b.text[start-1]) {
		start--
	}
	return lead, b.text[start:value]
}

// layout is how rows are spaced.
type layout struct{ inner, colon, end string }

// layoutOf returns how the last row of an object or list is spaced, for the next.
func (b *base) layoutOf(row *offer.Value) layout {
	if row == nil || row.Kind != offer.Table || len(row.Members) == 0 {
		return layout{}
	}
	inner, colon := b.memberSpace(row)
	end := ijson.SpanEnd(b.text, row.Offset) - 1
	start := end
	for ijson.IsSpace(b.text[start-1]) {
		start--
	}
	return layout{inner: inner, colon: colon, end: b.text[start:end]}
}

// member is a member of a new row.
type member struct{ name, json string }

// object is a new row with this layout.
func (l layout) object(members []member) string {
	e := canonical.Encoder{Buf: make([]byte, 0, 512)}
	e.Raw("{")
	for i, m := range members {
		if i > 0 {
			e.Raw(",")
		}
		e.Member(l.inner, m.name)
		e.Raws(":", l.colon, m.json)
	}
	e.Raws(l.end, "}")
	return string(e.Buf)
}

// String is the file with all changes.
func (b *base) String() string {
	edits := make([]*edit, 0, len(b.edits)+len(b.ends))
	for i := range b.edits {
		edits = append(edits, &b.edits[i])
	}
	for _, e := range b.ends {
		edits = append(edits, e)
	}
	// At one place, what replaces a value ends where what follows it begins; of two that
	// add, the inner one comes first, but those never are at one place: a bracket is
	// between them.
	slices.SortFunc(edits, func(a, b *edit) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
	var s strings.Builder
	at := 0
	for _, e := range edits {
		s.WriteString(b.text[at:e.start])
		s.WriteString(e.text.String())
		at = e.end
	}
	s.WriteString(b.text[at:])
	return s.String()
}

// row is a row of the base that the catalog may know better. It notes what changes.
type row struct {
	*base
	name    string
	report  *record.ExportReport
	object  *offer.Value
	says    map[string]record.Scalar // the facts that importing the row gives, where that is known
	changed bool
	// isNew tells that there is nothing to change: members are collected for the text.
	isNew   bool
	members []member
	text    string
}

// set gives a member of the row its value, unless it has it.
func (r *row) set(name, json string, has func(old *offer.Value) bool) {
	r.setIn(r.object, "", name, json, has)
}

// setIn gives a member of an object in the row its value, unless it has it. The path is
// what comes before the name where the change is told.
func (r *row) setIn(object *offer.Value, path, name, json string, has func(old *offer.Value) bool) {
	if r.isNew {
		r.members = append(r.members, member{name, json})
		return
	}
	old := object.Get(name)
	if old != nil && has(old) {
		return
	}
	r.changed = true
	change := record.ExportedChange{Row: r.name, Member: path + name, New: record.JSON(json)}
	if old == nil {
		r.add(object, name, json)
	} else {
		text, err := ijson.Canonical(r.literal(old), "")
		if err != nil { // the whole was read before
			text = []byte("null")
		}
		change.Old = record.JSON(text)
		r.replace(old, json)
	}
	r.report.Changed = append(r.report.Changed, change)
}

// What a member may have to be to say what it should.

func isNumber(want string, shift int) func(*offer.Value) bool {
	return func(old *offer.Value) bool {
		if old.Kind != offer.Number {
			return false
		}
		a, _ := offer.ParseDecimal(old.Text)
		b, _ := offer.ParseDecimal(want)
		return a.Shift(shift).Float() == b.Float()
	}
}

func isFlag(want bool) func(*offer.Value) bool {
	return func(old *offer.Value) bool {
		return want && old.Kind == offer.True || !want && old.Kind == offer.False
	}
}

func isText(want string) func(*offer.Value) bool {
	return func(old *offer.Value) bool { return old.Kind == offer.String && old.Text == want }
}

func flagJSON(is bool) string {
	if is {
		return "true"
	}
	return "false"
}
