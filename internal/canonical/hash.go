package canonical

import (
	"crypto/sha256"
	"encoding/hex"
)

// HashSize is the length of a hash as text: 64 lower-case hexadecimal digits.
const HashSize = 2 * sha256.Size

// Sum returns the lower-case hexadecimal SHA-256 of canonical bytes.
func Sum(canonical []byte) string {
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
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
