package offer

import (
	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
)

// Value is what stands in a row, as its source printed it. Numbers keep their
// literals and everything its place, which no reader into Go's types keeps.
type Value struct {
	Kind    Kind
	Text    string // the literal of a number or date, the characters of a string
	Offset  int    // in the body
	Items   []*Value
	Members []Member

	index map[string]int // of the members, once there are many
}

// Member is a member of a table.
type Member struct {
	Name string
	*Value
}

// Kind is the kind of a Value.
type Kind byte

// The kinds of values. What JSON calls an object, TOML calls a table.
const (
	String Kind = '"'
	Number Kind = '0'
	True   Kind = 't'
	False  Kind = 'f'
	Null   Kind = 'n' // JSON alone
	Date   Kind = 'd' // TOML alone: a date, a time or both, without quotes
	List   Kind = '['
	Table  Kind = '{'
)

// ReadJSON reads the next value of a text. Numbers are literals of any size, since a number
// that no double holds makes its own value invalid, and not the whole list.
func ReadJSON(r *ijson.Reader) *Value { return readJSON(r, (*ijson.Reader).Names) }

// ReadRow reads a row, an object that must have a text as its id.
func ReadRow(r *ijson.Reader) *Value {
	v := ReadJSON(r)
	switch id := v.Get("id"); {
	case v.Kind != Table:
		r.Fail(v.Offset, "", "must be an object")
	case id == nil:
		r.Fail(v.Offset, ".id", "missing field")
	case id.Kind != String || !ijson.IsText(id.Text):
		r.Fail(id.Offset, ".id", "must be a text")
	}
	return v
}

// ReadRepeatedJSON is ReadJSON of a text whose objects may repeat names: each is a
// member.
func ReadRepeatedJSON(r *ijson.Reader) *Value {
	return readJSON(r, (*ijson.Reader).RepeatedNames)
}

func readJSON(r *ijson.Reader, names func(*ijson.Reader) ijson.Names) *Value {
	v := &Value{Kind: Kind(r.Kind()), Offset: r.Offset()}
	switch v.Kind {
	case Table:
		for n := names(r); n.Next(); {
			v.Members = append(v.Members, Member{n.Name(), readJSON(r, names)})
		}
	case List:
		for l := r.List(); l.Next(); {
			v.Items = append(v.Items, readJSON(r, names))
		}
	case String:
		v.Text = r.String()
	case True, False:
		r.Bool()
	case Null:
		r.Null()
	default:
		v.Kind, v.Text = Number, r.SkipText()
	}
	return v
}

// Get returns the member with the name, the first of them, nil if there is none or no
// value at all.
func (v *Value) Get(name string) *Value {
	if v == nil {
		return nil
	}
	if v.index != nil {
		if i, ok := v.index[name]; ok {
			return v.Members[i].Value
		}
		return nil
	}
	for i := range v.Members {
		if v.Members[i].Name == name {
			return v.Members[i].Value
		}
	}
	return nil
}

// Add adds a member, of which there is none yet.
func (v *Value) Add(name string, member *Value) {
	const few = 16 // members that are found soon enough by going through them
	v.Members = append(v.Members, Member{name, member})
	switch {
	case v.index != nil:
		v.index[name] = len(v.Members) - 1
	case len(v.Members) > few:
		v.index = make(map[string]int, 2*few)
		for i := range v.Members {
			v.index[v.Members[i].Name] = i
		}
	}
}

// Characters returns the characters of a string, "" if the value is anything else or there is none.
func (v *Value) Characters() string {
	if v == nil || v.Kind != String {
		return ""
	}
	return v.Text
}

// Lacks reports whether there is no value: it is nil, or null.
func (v *Value) Lacks() bool { return v == nil || v.Kind == Null }

// Bool returns whether the value is true; ok is false if it is no boolean.
func (v *Value) Bool() (is, ok bool) { return v.Kind == True, v.Kind == True || v.Kind == False }

// Count returns the value as a count; ok is false if it is none.
func (v *Value) Count() (n uint64, ok bool) {
	if v.Kind != Number {
		return 0, false
	}
	d, ok := ParseDecimal(v.Text)
	if !ok {
		return 0, false
	}
	return d.Count()
}

// Strings returns the items of a list of strings; ok is false if the value is
// anything else.
func (v *Value) Strings() (list []string, ok bool) {
	if v.Kind != List {
		return nil, false
	}
	list = make([]string, len(v.Items))
	for i, item := range v.Items {
		if item.Kind != String {
			return nil, false
		}
		list[i] = item.Text
	}
	return list, true
}

// String returns the value for messages, cut off where it is long.
func (v *Value) String() string {
	const most = 60 // characters
	text := v.Text
	if len(text) > most {
		cut := most
		for cut > 0 && text[cut]&0xc0 == 0x80 { // within a character
			cut--
		}
		text = text[:cut] + "..."
	}
	switch v.Kind {
	case String:
		return canonical.Quote(text)
	case True:
		return "true"
	case False:
		return "false"
	case Null:
		return "null"
	case List:
		return "a list"
	case Table:
		return "a table"
	}
	return text
}

// appendJSON appends the value as canonical JSON in which numbers are the text of
// their literals, so that 5.0 and 5 are two texts.
func (v *Value) appendJSON(dst []byte) []byte {
	switch v.Kind {
	case List:
		dst = append(dst, '[')
		for i, item := range v.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.appendJSON(dst)
		}
		return append(dst, ']')
	case Number, String, Date:
		return canonical.AppendString(dst, v.Text)
	case True, False, Null:
		return append(dst, v.String()...)
	}
	return append(dst, "{}"...) // tables are read member by member
}
