package ijson

import (
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
)

// Check reads the next value, whatever it is, and notes what cannot be written as
// canonical JSON. It is AppendCanonical for whoever keeps the text as it is: of a
// value it remembers no more than where the names of open objects begin.
func (r *Reader) Check() {
	switch r.peek() {
	case '{':
		r.Members(func(string) { r.Check() })
	case '[':
		for l := r.List(); l.Next(); {
			r.Check()
		}
	case '"':
		r.str()
	case 't', 'f', 'n':
		r.literal()
	default:
		r.Number()
	}
}

// Members goes through the members of an object that may have any name, each once, and
// calls value with each name to read its value. Unlike [Names] it notes repeated names at
// the end, with their values' faults, and takes no more than a number for each name.
func (r *Reader) Members(value func(name string)) {
	m := r.members()
	if m.ended {
		return
	}
	first, last, ordered := len(r.names), "", true
	for begun := false; r.nextMember(&begun); {
		mark := len(r.faults)
		name, at, sound := m.name()
		if r.broken {
			return
		}
		if value(name); len(r.faults) > mark {
			r.prefix(mark, "."+name, 0)
		}
		if !sound {
			continue
		}
		ordered = ordered && (len(r.names) == first || canonical.CompareText(last, name) < 0)
		last = name
		r.names = append(r.names, at)
	}
	if !ordered && !r.broken {
		r.refuseRepeated(r.names[first:])
	}
	r.names = r.names[:first]
}

// refuseRepeated notes the names that occur more than once. It gets their offsets.
func (r *Reader) refuseRepeated(names []int) {
	slices.SortFunc(names, func(a, b int) int {
		if order := canonical.CompareText(r.nameAt(a), r.nameAt(b)); order != 0 {
			return order
		}
		return a - b
	})
	for i := 1; i < len(names); i++ {
		if name := r.nameAt(names[i]); name == r.nameAt(names[i-1]) {
			mark := len(r.faults)
			r.Fail(names[i], "", "duplicate field")
			r.prefix(mark, "."+name, 0)
		}
	}
}

// nameAt reads a name once more.
func (r *Reader) nameAt(at int) string {
	return Unquote(r.src[at:SpanEnd(r.src, at)])
}
