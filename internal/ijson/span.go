package ijson

import (
	"iter"
	"strings"

	"github.com/model-catalog-service/svc/internal/problem"
)

// IsLinesName reports whether a file is called like one that has a document
// on each line.
func IsLinesName(name string) bool {
	return strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".ndjson")
}

// Documents yields the documents of a text, each with the place where it begins: the
// whole text or, if there is a document on each line, each line that is not blank. It
// does by the text's name, or if the first line that is not blank is a whole value
// and others follow.
func Documents(source problem.Source) iter.Seq2[string, problem.Place] {
	mark := LenByteOrderMark(source.Text)
	text, at := source.Text[mark:], problem.Start(source.Name).After(source.Text[:mark])
	return func(yield func(string, problem.Place) bool) {
		if !isLines(source.Name, text) {
			yield(text, at)
			return
		}
		for line := range strings.Lines(text) {
			if doc := strings.TrimRight(line, Whitespace); doc != "" && !yield(doc, at) {
				return
			}
			at = at.After(line)
		}
	}
}

func isLines(name, text string) bool {
	if IsLinesName(name) {
		return strings.Trim(text, Whitespace) != ""
	}
	first, rest, _ := strings.Cut(strings.TrimLeft(text, Whitespace), "\n")
	r := NewReader(first, "")
	r.Span()
	return r.End() == nil && strings.Trim(rest, Whitespace) != ""
}

// Span skips one value and returns its text, having looked no further into it
// than to find its end: strings, and brackets that open and close. Whoever
// takes the text must read it. It is how a document of many records is cut
// into parts that are read side by side: if a part reads as one value, it was
// cut in the right place.
func (r *Reader) Span() string {
	start := r.Offset()
	if start == len(r.src) {
		r.syntax("a value")
		return ""
	}
	end := SpanEnd(r.src, start)
	if end == start {
		r.syntax("a value")
		return ""
	}
	if end < 0 {
		r.Broken(len(r.src), "unexpected end of text in a value")
		return ""
	}
	r.pos = end
	return r.src[start:end]
}

// SpanLike is Span where an object or a list is likely to be one that was read before:
// whatever begins with all of that is that.
func (r *Reader) SpanLike(before string) string {
	start := r.Offset()
	if before == "" || before[0] != '{' && before[0] != '[' || !strings.HasPrefix(r.src[start:], before) {
		return r.Span()
	}
	r.pos = start + len(before)
	return before
}

// SpanEnd returns the offset after the value at i, i if none begins there, or
// -1 if the text ends within it.
func SpanEnd(s string, i int) int {
	depth := 0
	for i < len(s) {
		switch c := s[i]; {
		case c == '"':
			if i = stringEnd(s, i+1); i < 0 {
				return -1
			}
			if depth == 0 {
				return i
			}
			continue
		case c < 'A': // neither a bracket nor a brace
			if depth == 0 && (c == ',' || IsSpace(c)) {
				return i
			}
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth <= 0 {
				return i + max(0, depth+1) // a stray bracket is not part of the value
			}
		}
		i++
	}
	if depth > 0 {
		return -1
	}
	return len(s)
}

// Whitespace is the white space of JSON (RFC 8259 section 2).
const Whitespace = " \t\n\r"

// IsSpace reports whether c is white space of JSON.
func IsSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// Compact drops the white space between the tokens of a JSON text. It returns
// the text itself if there is none.
func Compact(s string) string {
	var b []byte
	kept := 0 // up to here s is in b
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\':
			i++ // outside of strings there is none
		case !quoted && IsSpace(c):
			b = append(b, s[kept:i]...)
			kept = i + 1
		}
	}
	if kept == 0 {
		return s
	}
	return string(append(b, s[kept:]...))
}

// stringEnd returns the offset after the quote that ends the string whose
// content begins at i, or -1.
func stringEnd(s string, i int) int {
	for i = plainUntil(s, i); i < len(s); i = plainUntil(s, i) {
		switch s[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
		i++
	}
	return -1
}
