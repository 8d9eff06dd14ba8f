package ijson

import (
	"math/bits"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/model-catalog-service/svc/internal/spelling"
)

// Text reads a string that is not empty and has no white space at either end.
func (r *Reader) Text() string {
	return r.text("must be a non-empty string without white space at its ends")
}

// TextOrNull is Text that may also be null, which it returns as "".
func (r *Reader) TextOrNull() string {
	if r.Null() {
		return ""
	}
	return r.text("must be null or a non-empty string without white space at its ends")
}

func (r *Reader) text(rule string) string {
	if s := r.plainText(); s != "" {
		return s
	}
	s, at, ok := r.StringOr(rule)
	if !ok {
		return ""
	}
	if !IsText(s) {
		r.Fail(at, "", "%s", rule)
		return ""
	}
	return s
}

// plainText reads the text at pos, without an escape, and with ASCII at
// both ends. It returns "" if there is none.
func (r *Reader) plainText() string {
	src, start := r.src, r.pos+1
	if start >= len(src) || src[start-1] != '"' {
		return ""
	}
	end := plainUntil(src, start)
	if end == len(src) || src[end] != '"' || r.TextLimit > 0 && end-start > r.TextLimit || !asciiEnds(src[start:end]) {
		return ""
	}
	r.pos = end + 1
	return src[start:end]
}

// String reads any string.
func (r *Reader) String() string {
	s, _, _ := r.StringOr("must be a string")
	return s
}

// Enum reads one of the given strings.
func (r *Reader) Enum(allowed ...string) string {
	rule := func() string { return "must be " + Alternatives(allowed) }
	if r.peek() != '"' {
		r.mismatch(rule())
		return ""
	}
	at := r.pos
	s, ok := r.str()
	if !ok {
		return ""
	}
	for _, a := range allowed {
		if s == a {
			return a
		}
	}
	reason := rule()
	if question := r.didYouMean(s, allowed); question != "" && !slices.Contains(withoutDigits(allowed...),
		withoutDigits(s)[0]) {
		reason += ", " + question
	}
	r.Fail(at, "", "%s", reason)
	return ""
}

// didYouMean offers the closest name for the first faults of a text: a flood of them is
// not worth the comparing.
func (r *Reader) didYouMean(word string, names []string) string {
	const most = 100
	if r.quiet || r.Mark() >= most {
		return ""
	}
	return spelling.DidYouMean(word, names)
}

// withoutDigits takes the digits out of words: another version is no slip of the hand.
func withoutDigits(words ...string) (list []string) {
	for _, word := range words {
		list = append(list, strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return -1
			}
			return r
		}, word))
	}
	return list
}

// Alternatives joins values as a sentence lists them: a, b or c.
func Alternatives(values []string) string {
	if len(values) < 2 {
		return strings.Join(values, "")
	}
	last := len(values) - 1
	return strings.Join(values[:last], ", ") + " or " + values[last]
}

// StringOr reads any string within TextLimit and returns where it is. If it
// is no string, rule is the fault. ok is false after any fault.
func (r *Reader) StringOr(rule string) (s string, at int, ok bool) {
	if r.peek() != '"' {
		r.mismatch(rule)
		return "", r.pos, false
	}
	at = r.pos
	if s, ok = r.str(); !ok {
		return "", at, false
	}
	if r.TextLimit > 0 && len(s) > r.TextLimit {
		r.Fail(at, "", "must be at most %d bytes of UTF-8, has %d", r.TextLimit, len(s))
		return "", at, false
	}
	return s, at, true
}

// IsText reports whether s is a text: not empty, and neither beginning nor
// ending with white space as ECMAScript's String.prototype.trim knows it.
func IsText(s string) bool {
	if s == "" || asciiEnds(s) {
		return s != ""
	}
	a, _ := utf8.DecodeRuneInString(s)
	b, _ := utf8.DecodeLastRuneInString(s)
	return !isSpace(a) && !isSpace(b)
}

// Trim returns a text without the white space at its ends that texts must not have.
func Trim(s string) string { return strings.TrimFunc(s, isSpace) }

// IsBlank reports whether s has nothing but white space as ECMAScript knows it.
func IsBlank(s string) bool { return strings.TrimFunc(s, isSpace) == "" }

// asciiEnds reports whether s begins and ends with visible ASCII.
func asciiEnds(s string) bool {
	if s == "" {
		return false
	}
	first, last := s[0], s[len(s)-1]
	return first > ' ' && first < utf8.RuneSelf && last > ' ' && last < utf8.RuneSelf
}

// isSpace is WhiteSpace or LineTerminator of ECMA-262 sections 12.2 and 12.3.
// It differs from unicode.IsSpace: U+0085 is no white space, U+FEFF is.
func isSpace(c rune) bool {
	switch {
	case c >= '\t' && c <= '\r', c == ' ', c == 0xA0, c == 0x1680, c >= 0x2000 && c <= 0x200A,
		c == 0x2028, c == 0x2029, c == 0x202F, c == 0x205F, c == 0x3000, c == 0xFEFF:
		return true
	}
	return false
}

// str reads the string that begins at pos. It reports false if the text is
// broken or the string holds a lone surrogate, which it has then reported.
func (r *Reader) str() (string, bool) {
	start := r.pos + 1
	i := plainUntil(r.src, start)
	if i < len(r.src) && r.src[i] == '"' {
		r.pos = i + 1
		return r.src[start:i], true
	}
	return r.escapedString(start, i)
}

// plainUntil returns the offset of the first byte from i on that may not be
// in a string as it is: a quote, a backslash or a control character.
func plainUntil(s string, i int) int {
	// Eight bytes at a time. Of the bytes that a mask marks, the lowest is right
	// (a borrow can only mark bytes above it).
	const ones, high = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(s); i += 8 {
		b := s[i : i+8]
		w := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		quote, backslash := w^ones*'"', w^ones*'\\'
		if mask := ((w-ones*' ')&^w | (quote-ones)&^quote | (backslash-ones)&^backslash) & high; mask != 0 {
			return i + bits.TrailingZeros64(mask)/8
		}
	}
	for ; i < len(s); i++ {
		if c := s[i]; c == '"' || c == '\\' || c < ' ' {
			break
		}
	}
	return i
}

// escapedString goes on with a string at its first escape.
func (r *Reader) escapedString(start, i int) (string, bool) {
	r.escaped = true
	var buf []byte
	whole := true
	for {
		buf = append(buf, r.src[start:i]...)
		if r.pos = i; i >= len(r.src) {
			r.Broken(i, "unexpected end of text in a string")
			return "", false
		}
		switch r.src[i] {
		case '"':
			r.pos++
			return string(buf), whole
		case '\\':
			var ok bool
			if buf, ok = r.escape(buf); !ok {
				whole = false
			}
			if r.stopped {
				return "", false
			}
		default:
			r.syntax("an escape for a control character")
			return "", false
		}
		start = r.pos
		i = plainUntil(r.src, start)
	}
}

// escape reads the escape at pos. It reports false for a lone surrogate.
func (r *Reader) escape(buf []byte) ([]byte, bool) {
	at := r.pos
	r.pos++
	var c byte
	if r.pos < len(r.src) {
		c = r.src[r.pos]
	}
	switch c {
	case '"', '\\', '/':
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		r.pos++
		return r.unicodeEscape(buf, at)
	default:
		r.syntax(`one of " \ / b f n r t u after the backslash`)
		return buf, false
	}
	r.pos++
	return append(buf, c), true
}

// unicodeEscape reads four hexadecimal digits, and the second half of a
// surrogate pair.
func (r *Reader) unicodeEscape(buf []byte, at int) ([]byte, bool) {
	c, ok := r.hex4()
	if !ok {
		return buf, false
	}
	if !utf16.IsSurrogate(c) {
		return utf8.AppendRune(buf, c), true
	}
	if strings.HasPrefix(r.src[r.pos:], `\u`) {
		back := r.pos
		r.pos += len(`\u`)
		second, ok := r.hex4()
		if !ok {
			return buf, false
		}
		if pair := utf16.DecodeRune(c, second); pair != utf8.RuneError {
			return utf8.AppendRune(buf, pair), true
		}
		r.pos = back
	}
	r.Fail(at, "", "lone surrogate in a string")
	return buf, false
}

func (r *Reader) hex4() (rune, bool) {
	var c rune
	for range 4 {
		var d byte
		if r.pos < len(r.src) {
			d = r.src[r.pos]
		}
		switch {
		case d >= '0' && d <= '9':
			d -= '0'
		case d|' ' >= 'a' && d|' ' <= 'f':
			d = d | ' ' - 'a' + 10
		default:
			r.syntax("four hexadecimal digits")
			return 0, false
		}
		c = c<<4 | rune(d)
		r.pos++
	}
	return c, true
}
