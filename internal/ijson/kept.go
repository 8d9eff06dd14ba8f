package ijson

import (
	"iter"
	"strings"

	"github.com/model-catalog-service/svc/internal/problem"
)

// TextSince returns the text from an offset to where the reader is now: a value that was
// just read, for whoever keeps it as it was written. It is empty if the text turned
// out not to be JSON.
func (r *Reader) TextSince(start int) string {
	if r.broken {
		return ""
	}
	return r.src[start:r.pos]
}

// SkipText skips one value and returns its text.
func (r *Reader) SkipText() string {
	start := r.Offset()
	r.Skip()
	return r.TextSince(start)
}

// Refuse skips a value of a kind that may not be there and notes the rule that it
// breaks.
func (r *Reader) Refuse(rule string) { r.mismatch(rule) }

// Canonical returns a JSON text as canonical JSON (RFC 8785). Faults carry code.
func Canonical(text string, code problem.Code) ([]byte, error) {
	r := NewReader(text, code)
	canonical := r.AppendCanonical(make([]byte, 0, len(text)))
	return canonical, r.End().Err()
}

// TextList is a list of strings as its JSON text. A document of nothing but short
// strings takes no more memory so than its text does.
type TextList string

// TextList reads a list of any strings.
func (r *Reader) TextList() TextList { return r.list(func() { _ = r.String() }) }

// EnumList reads a list of some of the given strings.
func (r *Reader) EnumList(allowed ...string) TextList {
	return r.list(func() { r.Enum(allowed...) })
}

func (r *Reader) list(item func()) TextList {
	start := r.Offset()
	for l := r.List(); l.Next(); {
		item()
	}
	return TextList(r.TextSince(start))
}

// All goes through the strings, with their positions.
func (t TextList) All() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		rest := string(t)
		for i := 0; ; i++ {
			start := strings.IndexByte(rest, '"')
			if start < 0 {
				return
			}
			end := SpanEnd(rest, start)
			if end < 0 || !yield(i, Unquote(rest[start:end])) {
				return
			}
			rest = rest[end:]
		}
	}
}

// Equal reports whether these are the strings.
func (t TextList) Equal(list []string) bool {
	n := 0
	for i, s := range t.All() {
		if i >= len(list) || s != list[i] {
			return false
		}
		n++
	}
	return n == len(list)
}

// Unquote returns the string that a JSON text is.
func Unquote(text string) string {
	if !strings.Contains(text, `\`) {
		return text[1 : len(text)-1]
	}
	r := NewPartReader("")
	r.IsUTF8 = true
	r.Reset(text)
	s, _ := r.str()
	return s
}
