package ijson

import (
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
)

// memberSpan is a member of an object whose canonical text is in a buffer.
type memberSpan struct {
	name       string
	start, end int // of the name, colon and value in the buffer
	at         int // of the name in the source
}

// AppendCanonical reads the next value, whatever it is, and appends it as
// canonical JSON (RFC 8785). It is Value and its AppendCanonical in one step,
// without the tree: it allocates nothing but for escaped strings.
func (r *Reader) AppendCanonical(dst []byte) []byte {
	switch r.peek() {
	case '{':
		return r.appendObject(dst)
	case '[':
		dst = append(dst, '[')
		for l := r.List(); l.Next(); {
			if l.Index() > 0 {
				dst = append(dst, ',')
			}
			dst = r.AppendCanonical(dst)
		}
		return append(dst, ']')
	case '"':
		dst, _, _ = r.appendString(dst)
		return dst
	case 't', 'f', 'n':
		at := r.pos
		r.literal()
		return append(dst, r.src[at:r.pos]...)
	}
	return append(dst, r.Number()...)
}

// appendString appends the string at pos, as it is there if it has no
// escape, and returns its value and whether it is without a fault.
func (r *Reader) appendString(dst []byte) (out []byte, s string, sound bool) {
	at := r.pos
	s, sound = r.str()
	if len(s)+len(`""`) == r.pos-at { // an escape is longer than what it stands for
		return append(dst, r.src[at:r.pos]...), s, sound
	}
	return canonical.AppendString(dst, s), s, sound
}

// appendObject appends the members as they come, and puts them into canonical
// order at the end if they were not in it.
func (r *Reader) appendObject(dst []byte) []byte {
	dst = append(dst, '{')
	if !r.enter() {
		return dst
	}
	first, base, ordered := len(r.spans), len(dst), true
	for begun := false; r.nextMember(&begun); {
		if len(r.spans) > first {
			dst = append(dst, ',')
		}
		span := memberSpan{start: len(dst), at: r.pos}
		mark := len(r.faults)
		var sound bool
		if dst, span.name, sound = r.appendString(dst); r.peek() != ':' {
			r.syntax("':'")
			break
		}
		r.pos++
		dst = r.AppendCanonical(append(dst, ':'))
		if len(r.faults) > mark {
			r.prefix(mark, "."+span.name, 0)
		}
		if !sound {
			continue // nobody takes the text of a value with a fault
		}
		span.end = len(dst)
		if n := len(r.spans); n > first && canonical.CompareText(r.spans[n-1].name, span.name) >= 0 {
			ordered = false
		}
		r.spans = append(r.spans, span)
	}
	if !ordered && !r.broken {
		dst = r.arrangeMembers(dst, base, r.spans[first:])
	}
	r.spans = r.spans[:first]
	return append(dst, '}')
}

// arrangeMembers sorts the members that are in dst from base on.
func (r *Reader) arrangeMembers(dst []byte, base int, members []memberSpan) []byte {
	slices.SortStableFunc(members, func(a, b memberSpan) int { return canonical.CompareText(a.name, b.name) })
	from := len(r.unordered)
	r.unordered = append(r.unordered, dst[base:]...)
	dst = dst[:base]
	for i, m := range members {
		if i > 0 {
			dst = append(dst, ',')
			if m.name == members[i-1].name {
				mark := len(r.faults)
				r.Fail(m.at, "", "duplicate field")
				r.prefix(mark, "."+m.name, 0)
			}
		}
		dst = append(dst, r.unordered[from+m.start-base:from+m.end-base]...)
	}
	r.unordered = r.unordered[:from]
	return dst
}
