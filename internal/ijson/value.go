package ijson

import (
	"math"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
)

// Null reads null, if that is the next value.
func (r *Reader) Null() bool {
	if r.peek() == 'n' && strings.HasPrefix(r.src[r.pos:], "null") {
		r.pos += len("null")
		return true
	}
	return false
}

// Kind returns the first byte of the next value: one of { [ " t f n, or for a
// number a digit or minus sign; 0 at the end of the text.
func (r *Reader) Kind() byte { return r.peek() }

// Bool reads true or false.
func (r *Reader) Bool() bool {
	switch r.peek() {
	case 't', 'f':
		is := r.src[r.pos] == 't'
		r.literal()
		return is
	}
	r.mismatch("must be true or false")
	return false
}

// Number reads a number and returns its canonical text. A literal above the
// largest binary64 number is a fault, and so is an integer literal (no
// fraction, no exponent) that is neither the exact value of the number it
// reads as nor that number's canonical text. Fractions round to nearest.
// On a fault it returns "".
func (r *Reader) Number() string {
	if !r.atNumber() {
		r.mismatch("must be a number")
		return ""
	}
	at := r.pos
	text, reason := r.number()
	if reason != "" {
		r.Fail(at, "", "%s", reason)
	}
	return text
}

func (r *Reader) atNumber() bool {
	c := r.peek()
	return c == '-' || c >= '0' && c <= '9'
}

// MaxCount is the largest count: 2^53-1.
const MaxCount = 1<<53 - 1

// Count reads an integral number from 0 to MaxCount, in any spelling.
func (r *Reader) Count() uint64 {
	n, _ := r.count("must be an integral number from 0 to 9007199254740991")
	return n
}

// CountOrNull is Count that may also be null, for which known is false.
func (r *Reader) CountOrNull() (n uint64, known bool) {
	if r.Null() {
		return 0, false
	}
	return r.count("must be null or an integral number from 0 to 9007199254740991")
}

func (r *Reader) count(rule string) (uint64, bool) {
	if n, end := plainCount(r.src, r.pos); end > r.pos {
		r.pos = end
		return n, true
	}
	if !r.atNumber() {
		r.mismatch(rule)
		return 0, false
	}
	at := r.pos
	text, reason := r.number()
	if reason != "" {
		r.Fail(at, "", "%s", reason)
		return 0, false
	}
	// The canonical text of an integral number below 1e21 is plain digits.
	n, err := strconv.ParseUint(text, 10, 64)
	if r.broken || err != nil || n > MaxCount {
		r.Fail(at, "", "%s", rule)
		return 0, false
	}
	return n, true
}

// plainCount reads a count at i that has up to 15 digits and nothing else,
// and returns the offset after it, i if there is none.
func plainCount(s string, i int) (n uint64, end int) {
	const most = 15 // so few are below MaxCount
	for end = i; end < len(s) && s[end]-'0' < 10; end++ {
		n = n*10 + uint64(s[end]-'0')
	}
	digits := end - i
	if digits > most || digits > 1 && s[i] == '0' || end < len(s) && (s[end] == '.' || s[end]|' ' == 'e') {
		return 0, i
	}
	return n, end
}

// number reads the number at pos. A number that cannot be held is returned as
// the reason why not.
func (r *Reader) number() (text, reason string) {
	start := r.pos
	if r.src[r.pos] == '-' {
		r.pos++
	}
	whole := r.pos
	n := r.digits()
	if n > 1 && r.src[whole] == '0' {
		r.pos = whole + 1
		n = 0
	}
	if n == 0 {
		r.syntax("a number without leading zeros")
		return "", ""
	}
	fraction, exponent := 0, false
	if r.pos < len(r.src) && r.src[r.pos] == '.' {
		r.pos++
		if fraction = r.digits(); fraction == 0 {
			r.syntax("a digit")
			return "", ""
		}
	}
	if r.pos < len(r.src) && r.src[r.pos]|' ' == 'e' {
		exponent = true
		r.pos++
		if r.pos < len(r.src) && (r.src[r.pos] == '+' || r.src[r.pos] == '-') {
			r.pos++
		}
		if r.digits() == 0 {
			r.syntax("a digit")
			return "", ""
		}
	}
	literal := r.src[start:r.pos]
	if !exponent && isCanonical(literal, r.src[whole:whole+n], fraction) {
		return literal, ""
	}
	return canonicalNumber(literal, !exponent && fraction == 0)
}

// digits skips digits and returns how many there were.
func (r *Reader) digits() int {
	from := r.pos
	for r.pos < len(r.src) && r.src[r.pos]-'0' < 10 {
		r.pos++
	}
	return r.pos - from
}

// isCanonical reports that a literal without exponent is surely its own
// canonical text. Decimals of up to 15 significant digits survive binary64, so
// no shorter text reads as the same number.
func isCanonical(literal, whole string, fraction int) bool {
	const exactDigits, leadingZeros = 15, 6
	if len(whole)+fraction > exactDigits {
		return false
	}
	if fraction == 0 {
		return literal != "-0"
	}
	if literal[len(literal)-1] == '0' {
		return false
	}
	if whole != "0" {
		return true
	}
	decimals := literal[len(literal)-fraction:]
	return strings.Trim(decimals[:min(leadingZeros, fraction)], "0") != "" // at least 1e-6
}

// canonicalNumber rounds a literal to binary64, or says why it may not.
func canonicalNumber(literal string, integer bool) (text, reason string) {
	f, err := strconv.ParseFloat(literal, 64)
	if err != nil || math.IsInf(f, 0) {
		return "", "number too large: at most 1.7976931348623157e+308"
	}
	text = string(canonical.AppendNumber(nil, f))
	if integer && literal != text && literal != strconv.FormatFloat(f, 'f', 0, 64) {
		return "", "integer that binary64 cannot hold: the nearest is " + text
	}
	return text, ""
}

// Skip reads one value of any kind and drops it. It looks at the grammar alone.
func (r *Reader) Skip() {
	// Open arrays and objects are on this stack, so that hostile depth costs
	// a byte each and no recursion.
	var open [MaxDepth + 1]byte
	base := r.depth
	for {
		switch c := r.peek(); c {
		case '{', '[':
			if !r.enter() {
				return
			}
			open[r.depth-base] = c
			if r.skipOpened(c) {
				continue
			}
		case '"':
			r.str()
		case 't', 'f', 'n':
			r.literal()
		default:
			if !r.atNumber() {
				r.syntax("a value")
				return
			}
			r.number()
		}
		for {
			if r.stopped || r.depth == base {
				return
			}
			if r.skipAfter(open[r.depth-base]) {
				break
			}
		}
	}
}

// skipOpened goes on after an opening bracket. It reports whether a value
// follows; else the bracket was closed at once.
func (r *Reader) skipOpened(open byte) bool {
	if r.peek() == open+2 { // the closing one, in ASCII
		r.leave()
		return false
	}
	return open == '[' || r.skipName()
}

// skipAfter goes on after a value in an array or object. It reports whether
// another value follows; else the array or object was closed.
func (r *Reader) skipAfter(open byte) bool {
	switch c := r.peek(); {
	case c == open+2:
		r.leave()
		return false
	case c == ',':
		r.pos++
		return open == '[' || r.skipName()
	}
	r.syntax("',' or '" + string(open+2) + "'")
	return false
}

func (r *Reader) skipName() bool {
	if r.peek() != '"' {
		r.syntax("a field name in quotes")
		return false
	}
	r.str()
	if r.peek() != ':' {
		r.syntax("':'")
		return false
	}
	r.pos++
	return true
}

// literal reads true, false or null.
func (r *Reader) literal() {
	for _, word := range [...]string{"true", "false", "null"} {
		if r.src[r.pos] != word[0] {
			continue
		}
		for i := range len(word) {
			if r.pos == len(r.src) || r.src[r.pos] != word[i] {
				r.syntax(word)
				return
			}
			r.pos++
		}
		return
	}
	r.syntax("a value")
}

// mismatch reports a value of the wrong kind and skips it.
func (r *Reader) mismatch(rule string) {
	at := r.Offset()
	r.skipQuietly()
	r.Fail(at, "", "%s", rule)
}
