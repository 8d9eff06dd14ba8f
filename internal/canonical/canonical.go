// Package canonical writes canonical JSON (RFC 8785, the JSON Canonicalization
// Scheme) and hashes it. One value has one text, on every machine, so that a hash
// of the text names the value.
//
// The text of a value is UTF-8 without a byte order mark and without white space:
//
//   - null, true and false as they are;
//   - a number as ECMAScript writes it: the shortest digits that read back as the
//     same binary64 number, with an exponent below 1e-6 and from 1e21 on; -0 is 0.
//     What binary64 does not have (NaN, infinities, 2^53+1) has no text;
//   - a string in quotes, escaped no more than JSON demands: \" \\ \b \t \n \f \r,
//     and \u00xx in lower case for the other control characters below U+0020. A lone
//     surrogate has no text, nor have bytes that are not UTF-8. Nothing is
//     normalized: é in one code point and in two are two strings;
//   - an array as its items, in order, with a comma between them;
//   - an object as its members, in the order of their names' UTF-16 code units (not
//     of bytes: U+1F600 comes before U+FB33), with a comma between them. A name
//     occurs once.
//
// The hash of a value is the SHA-256 of these bytes as 64 lower-case hexadecimal
// digits. So the value
//
//	{ "b": [1.0, 2e-7], "a": "x\u000ay" }
//
// has the canonical text and the hash
//
//	{"a":"x\ny","b":[1,2e-7]}
//	edb7120e74aff813ec60f07e5fcd58db09e881fd4077305055646e98b7d1ab2e
//
// which, for a text that is canonical already, any shell computes:
//
//	printf '%s' '{"a":"x\ny","b":[1,2e-7]}' | sha256sum
//
// Records that are written by the thousand are appended piece by piece, with an
// [Encoder]; all others are structs, which [Marshal] writes. Package ijson reads
// any JSON text and writes it as canonical JSON.
package canonical

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"strconv"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string with only the escapes that JSON
// demands (RFC 8785 section 3.2.2.2). s must be valid UTF-8.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	done := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[done:i]...)
		done = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\r':
			dst = append(dst, '\\', 'r')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xF])
		}
	}
	dst = append(dst, s[done:]...)
	return append(dst, '"')
}

// Quote returns s as AppendString writes it, for messages and single members.
func Quote(s string) string { return string(AppendString(nil, s)) }

// AppendNumber appends f as ECMAScript's Number::toString writes it (RFC 8785
// section 3.2.2.3): the shortest digits that read back as f, without exponent
// from 1e-6 up to below 1e21. f must be finite; minus zero is written 0.
func AppendNumber(dst []byte, f float64) []byte {
	if f == 0 {
		return append(dst, '0')
	}
	if abs := math.Abs(f); abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	// ECMAScript writes the exponent without a leading zero: 1e-7, not 1e-07.
	if n := len(dst); dst[n-2] == '0' && dst[n-3] == '-' {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}

// ValidString reports whether canonical JSON can hold s: it is UTF-8.
func ValidString(s string) bool { return utf8.ValidString(s) }

// CompareText orders strings by their UTF-16 code units, as RFC 8785 section
// 3.2.3 orders member names: negative if a sorts before b, zero if they are
// equal, positive otherwise. Both must be valid UTF-8.
//
// UTF-8 bytes and UTF-16 units order alike but for one case: a character from
// U+10000 on starts with a surrogate unit (D800 to DBFF), which sorts before
// the characters from U+E000 to U+FFFF, although its bytes sort after theirs.
func CompareText(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		x, y := a[i], b[i]
		if x == y {
			continue
		}
		const firstAfterSurrogates, firstSupplementary = 0xEE, 0xF0 // lead bytes of U+E000 and U+10000
		if x >= firstAfterSurrogates && y >= firstAfterSurrogates &&
			(x >= firstSupplementary) != (y >= firstSupplementary) {
			return int(y) - int(x)
		}
		return int(x) - int(y)
	}
	return len(a) - len(b)
}

// HashSize is the length of a hash as text: 64 lower-case hexadecimal digits.
const HashSize = 2 * sha256.Size

// Sum returns the lower-case hexadecimal SHA-256 of canonical bytes.
func Sum(canonical []byte) string {
	sum := sha256.Sum256(canonical)
	var text [HashSize]byte
	hex.Encode(text[:], sum[:])
	return string(text[:])
}

// SumText is Sum of a long text, of which it makes no copy.
func SumText(text string) string {
	h := sha256.New()
	var room [8 << 10]byte
	for text != "" {
		n := copy(room[:], text)
		h.Write(room[:n])
		text = text[n:]
	}
	return hex.EncodeToString(h.Sum(room[:0]))
}

// IsHash reports whether s is 64 lower-case hexadecimal digits.
func IsHash(s string) bool {
	if len(s) != HashSize {
		return false
	}
	// Without branches: which digits come is anybody's guess.
	bad := byte(0)
	for i := range len(s) {
		bad |= notHexDigit[s[i]]
	}
	return bad == 0
}

// notHexDigit is zero for the lower-case hexadecimal digits.
var notHexDigit = func() (table [256]byte) {
	for c := range table {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			table[c] = 1
		}
	}
	return table
}()
