package canonical

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
