package ijson

import (
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/problem"
)

// Value is any JSON value, for documents whose shape is not known beforehand.
type Value struct {
	Kind    byte     // one of { [ " t f n 0, the last for every number
	Text    string   // of a string, or the canonical text of a number
	Items   []Value  // of an array
	Members []Member // of an object, in the order of the text
}

// Member is one member of an object.
type Member struct {
	Name  string
	Value Value
}

// ReadValue reads a whole document of any shape. Faults carry code.
func ReadValue(src string, code problem.Code) (Value, error) {
	r := NewReader(src, code)
	v := r.Value()
	if list := r.End(); list != nil {
		return Value{}, list.Err()
	}
	return v, nil
}

// Value reads the next value, whatever it is.
func (r *Reader) Value() Value {
	switch c := r.peek(); c {
	case '{':
		return r.objectValue()
	case '[':
		v := Value{Kind: c, Items: []Value{}}
		for l := r.List(); l.Next(); {
			v.Items = append(v.Items, r.Value())
		}
		return v
	case '"':
		s, _ := r.str()
		return Value{Kind: c, Text: s}
	case 't', 'f', 'n':
		r.literal()
		return Value{Kind: c}
	}
	return Value{Kind: '0', Text: r.Number()}
}

// objectValue reads an object with members of any name, each once.
func (r *Reader) objectValue() Value {
	v := Value{Kind: '{', Members: []Member{}}
	r.Members(func(name string) { v.Members = append(v.Members, Member{name, r.Value()}) })
	return v
}

// AppendCanonical appends the value as canonical JSON (RFC 8785).
func (v Value) AppendCanonical(dst []byte) []byte {
	switch v.Kind {
	case '{':
		return v.appendObject(dst)
	case '[':
		dst = append(dst, '[')
		for i, item := range v.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.AppendCanonical(dst)
		}
		return append(dst, ']')
	case '"':
		return canonical.AppendString(dst, v.Text)
	case 't':
		return append(dst, "true"...)
	case 'f':
		return append(dst, "false"...)
	case 'n':
		return append(dst, "null"...)
	}
	return append(dst, v.Text...)
}

func (v Value) appendObject(dst []byte) []byte {
	members := slices.Clone(v.Members)
	slices.SortFunc(members, func(a, b Member) int { return canonical.CompareText(a.Name, b.Name) })
	dst = append(dst, '{')
	for i, m := range members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = canonical.AppendString(dst, m.Name)
		dst = append(dst, ':')
		dst = m.Value.AppendCanonical(dst)
	}
	return append(dst, '}')
}

// Get returns the member with the name; ok is false if there is none.
func (v Value) Get(name string) (member Value, ok bool) {
	for _, m := range v.Members {
		if m.Name == name {
			return m.Value, true
		}
	}
	return Value{}, false
}
