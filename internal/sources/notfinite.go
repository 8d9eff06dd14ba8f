package sources

import "strings"

// ReplaceNotFinite puts strings of the same length in the place of the bare
// tokens NaN, Infinity and -Infinity, which Python writes and JSON does not know.
// It returns the tokens by offset. Texts without any are returned as they are.
func ReplaceNotFinite(text string) (string, map[int]string) {
	var out []byte
	tokens := map[int]string{}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = skipString(text, i)
		case 'N', 'I', '-':
			for _, token := range []string{"NaN", "Infinity", "-Infinity"} {
				if strings.HasPrefix(text[i:], token) {
					if out == nil {
						out = []byte(text)
					}
					copy(out[i:], `"`+strings.Repeat("~", len(token)-2)+`"`)
					tokens[i] = token
					i += len(token) - 1
					break
				}
			}
		}
	}
	if out == nil {
		return text, nil
	}
	return string(out), tokens
}

// skipString returns the offset of the quote that ends the string at i, or of the
// last byte.
func skipString(text string, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(text) - 1
}
