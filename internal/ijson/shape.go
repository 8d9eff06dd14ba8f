package ijson

import (
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/timestamp"
)

// Shape is what an object looks like that becomes a record T: each member with
// its name and with what reads its value, in the order in which faults are
// reported. R is what reads: a [Reader], or something around one.
//
//	var modelShape = ijson.NewShape(
//		ijson.Required("id", func(r *ijson.Reader, m *Model) { m.ID = r.Text() }),
//		ijson.Required("revision", func(r *ijson.Reader, m *Model) { m.Revision = r.TextOrNull() }),
//		ijson.Optional("note", func(r *ijson.Reader, m *Model) { m.Note = r.String() }),
//	)
//
//	var m Model
//	modelShape.Read(r, &m)
//
// A Shape is made once and may be used by many readers at the same time.
type Shape[R Walker, T any] struct {
	fields *fields
	read   []func(R, *T)
	zero   []func(*T) // makes a member null, of a shape by tags
	sparse bool       // null is the same as left out
	plan   *plan      // of a shape by tags alone, which is read faster
}

// Walker is a [Reader], or embeds one.
type Walker interface{ reader() *Reader }

func (r *Reader) reader() *Reader { return r }

// ShapeMember is a member that an object may have.
type ShapeMember[R Walker, T any] struct {
	name  string
	read  func(R, *T)
	other string // the member whose presence decides whether this one is required, if any
	with  bool   // it is required if the other one is there, or else unless it is
}

// Required is a member that the object must have.
func Required[R Walker, T any](name string, read func(r R, into *T)) ShapeMember[R, T] {
	return ShapeMember[R, T]{name: name, read: read}
}

// RequiredWith is a member that the object must have if it has another one.
func RequiredWith[R Walker, T any](other, name string, read func(r R, into *T)) ShapeMember[R, T] {
	return ShapeMember[R, T]{name + "?", read, other, true}
}

// RequiredWithout is a member that the object must have unless it has another one.
func RequiredWithout[R Walker, T any](other, name string, read func(r R, into *T)) ShapeMember[R, T] {
	return ShapeMember[R, T]{name + "?", read, other, false}
}

// Optional is a member that the object may have.
func Optional[R Walker, T any](name string, read func(r R, into *T)) ShapeMember[R, T] {
	return ShapeMember[R, T]{name: name + "?", read: read}
}

// NewShape returns the shape of an object that has no other members than these,
// at most 64.
func NewShape[R Walker, T any](list ...ShapeMember[R, T]) *Shape[R, T] {
	s := &Shape[R, T]{}
	names := make([]string, len(list))
	for i, m := range list {
		names[i] = m.name
		s.read = append(s.read, m.read)
	}
	s.fields = newFields(names...)
	for i, m := range list {
		if m.other != "" {
			s.fields.ties = append(s.fields.ties, tie{i, s.fields.index(m.other), m.with})
		}
	}
	return s
}

// NewSparseShape is NewShape for objects in which a member that is null is the
// same as one that is left out: it is not read, and if it is required, it is
// missing.
func NewSparseShape[R Walker, T any](list ...ShapeMember[R, T]) *Shape[R, T] {
	s := NewShape(list...)
	s.sparse = true
	s.fields.nullable = ^uint64(0)
	return s
}

// NewOpenShape is NewShape for objects that may have other members, too. These
// must be I-JSON, each once, and are dropped.
func NewOpenShape[R Walker, T any](list ...ShapeMember[R, T]) *Shape[R, T] {
	s := NewShape(list...)
	s.fields.open = true
	return s
}

// Read reads an object into a record. Of what is missing the record keeps what
// it had. The walk that it returns tells whether there was an object and where
// it begins, for rules that tie members together.
func (s *Shape[R, T]) Read(r R, into *T) Object {
	if s.plan != nil {
		return s.plan.readObject(r.reader(), unsafe.Pointer(into))
	}
	o := r.reader().object(s.fields)
	o.sparse = s.sparse
	for o.skim() || o.advance() {
		switch {
		case !o.readsNull():
			s.read[o.field](r, into)
		case !s.sparse:
			s.zero[o.field](into)
		}
	}
	return o
}

// Has reports whether the object had the member.
func (s *Shape[R, T]) Has(o Object, name string) bool {
	i := s.fields.index(name)
	return i >= 0 && o.present()>>i&1 == 1
}

// IsNull reports whether the object had the member, and it was null, as its tag allows.
func (s *Shape[R, T]) IsNull(o Object, name string) bool {
	i := s.fields.index(name)
	return i >= 0 && o.null>>i&1 == 1
}

// FailMember notes a fault of a member that was read before. start is the offset of its
// object, and member its name; execution.kind is a member of a member. The fault points at
// the member's value, or at the object if it has no such member. The object is searched
// once more for it, so that nobody has to remember where members were.
func (r *Reader) FailMember(start int, member, format string, args ...any) {
	var path []any
	for name := range strings.SplitSeq(member, ".") {
		path = append(path, name)
	}
	r.Fail(start+max(0, Locate(r.src[start:], path...)), "."+member, format, args...)
}

// Locate returns the offset in a text of the value to which a path of member
// names and positions in lists leads, or -1. The text begins with a value that
// is JSON.
func Locate(text string, path ...any) int {
	end := SpanEnd(text, 0)
	if end < 0 {
		return -1
	}
	r := NewPartReader("")
	r.IsUTF8 = true
	r.Reset(text[:end])
	for _, step := range path {
		if !r.descend(step) {
			return -1
		}
	}
	return r.Offset()
}

// descend goes to a member or an item of the next value.
func (r *Reader) descend(step any) bool {
	if index, ok := step.(int); ok {
		for l := r.List(); l.Next(); r.Skip() {
			if l.Index() == index {
				return true
			}
		}
		return false
	}
	for n := r.Names(); n.Next(); r.Skip() {
		if n.Name() == step {
			return true
		}
	}
	return false
}

// PathOf writes a path of member names and positions as a JSON path without its
// beginning: .claims[3].id
func PathOf(path ...any) string {
	var b []byte
	for _, step := range path {
		if index, ok := step.(int); ok {
			b = append(strconv.AppendInt(append(b, '['), int64(index), 10), ']')
		} else {
			b = append(append(b, '.'), step.(string)...)
		}
	}
	return string(b)
}

// Hash reads a lower-case hexadecimal SHA-256.
func (r *Reader) Hash() string {
	const rule = "must be 64 lower-case hexadecimal digits"
	s, at, ok := r.StringOr(rule)
	if ok && !canonical.IsHash(s) {
		r.Fail(at, "", rule)
	}
	return s
}

// Timestamp reads a timestamp of a record.
func (r *Reader) Timestamp() string {
	s, at, ok := r.StringOr(timestamp.Rule)
	if ok && !timestamp.Valid(s) {
		r.Fail(at, "", timestamp.Rule)
		return ""
	}
	return s
}

// TimestampOrNull is Timestamp that may also be null, which it returns as "".
func (r *Reader) TimestampOrNull() string {
	if r.Null() {
		return ""
	}
	return r.Timestamp()
}

// Strings reads a list of any strings.
func (r *Reader) Strings() []string {
	list := []string{}
	for l := r.List(); l.Next(); {
		list = append(list, r.String())
	}
	return list
}

// Texts reads a list of texts.
func (r *Reader) Texts() []string {
	list := []string{}
	for l := r.List(); l.Next(); {
		list = append(list, r.Text())
	}
	return list
}

// Repeated returns the first of a sorted list's texts that occurs twice, "" if
// none does. Empty ones do not count: they have a fault of their own.
func Repeated(sorted []string) string {
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] && sorted[i] != "" {
			return sorted[i]
		}
	}
	return ""
}

// TextSet reads a list of texts without repetition into the room of another list, and sorts it.
func (r *Reader) TextSet(room []string) []string {
	set := room[:0]
	if set == nil {
		set = []string{}
	}
	l := r.List()
	for l.Next() {
		set = append(set, r.Text())
	}
	r.sortTexts(set, l.Start())
	return set
}

// sortTexts sorts the texts of a list that begins at an offset and may have each once.
func (r *Reader) sortTexts(texts []string, start int) {
	if !slices.IsSortedFunc(texts, canonical.CompareText) {
		r.reordered = true
		slices.SortFunc(texts, canonical.CompareText)
	}
	if again := Repeated(texts); again != "" {
		r.Fail(start, "", "must hold each text once: %q is repeated", again)
	}
}

// UniqueTexts is TextSet into new room.
func (r *Reader) UniqueTexts() []string { return r.TextSet(nil) }
