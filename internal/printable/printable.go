// Package printable shows texts from outside as what they are.
//
//   - [Text] escapes the characters that nobody sees, or that command a terminal.
//   - [Line] escapes what a CI runner takes for a command at the beginning of a line.
//   - [Doubt] says why a name may not be the one that it looks like.
//   - [Names] finds the names in a JSON text that are doubtful.
package printable

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text escapes what could break a line or command a terminal: control and format
// characters, white space other than the space, and bytes that are not UTF-8.
func Text(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case unicode.IsPrint(r):
			b.WriteString(s[i : i+size])
		default:
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		i += size
	}
	return b.String()
}

// Line escapes the first character of a line that a CI runner would take for a command,
// such as ::add-mask::x or ##[error]x, wherever the line has blanks before it.
func Line(line string) string {
	rest := strings.TrimLeft(line, " \t")
	for _, command := range []string{"::", "##[", "##vso[", "##teamcity["} {
		if strings.HasPrefix(rest, command) {
			return line[:len(line)-len(rest)] + fmt.Sprintf(`\u%04x`, rest[0]) + rest[1:]
		}
	}
	return line
}

// Doubt says why a name may not be the one that it looks like, or "": it has characters
// that nobody sees, that stand for others, or that look like letters of another script.
func Doubt(name string) string {
	first, other := rune(0), "" // the first letter of another script than Latin
	isLatin := false
	for _, r := range name {
		switch {
		case unicode.Is(unicode.Bidi_Control, r):
			return fmt.Sprintf("has U+%04X, which turns the direction of text", r)
		case unicode.IsControl(r):
			return fmt.Sprintf("has the control character U+%04X", r)
		case !unicode.IsPrint(r):
			return fmt.Sprintf("has U+%04X, which nobody sees", r)
		case isVariant(r):
			return fmt.Sprintf("has U+%04X, which looks like another letter", r)
		case unicode.Is(unicode.Latin, r):
			isLatin = true
		}
		for _, script := range []string{"Cyrillic", "Greek", "Armenian", "Cherokee", "Coptic"} {
			if first == 0 && unicode.Is(unicode.Scripts[script], r) {
				first, other = r, script
			}
		}
	}
	if isLatin && first != 0 {
		return fmt.Sprintf("mixes Latin letters with %s ones, such as U+%04X", other, first)
	}
	return ""
}

// isVariant reports whether a character is a letter or sign once more, in another form: in
// full width, mathematical, or joined with its neighbour.
func isVariant(r rune) bool {
	return r >= '\uff01' && r <= '\uff5e' || r >= '\U0001d400' && r <= '\U0001d7ff' || r >= '\ufb00' && r <= '\ufb06'
}

// Names calls found with each value of a member of a JSON text that names something (id,
// key, revision, quantization, suite) and is doubtful, and with its offset. The text may be
// any run of whole documents; one that is not JSON is left to those who read it. It looks
// only at what is around characters beyond ASCII and escapes by number.
func Names(text string, found func(name string, offset int)) {
	for i := 0; i < len(text); i++ {
		isOdd := text[i] >= 0x7f || text[i] == '\\' && i+1 < len(text) && text[i+1] == 'u'
		if !isOdd {
			continue
		}
		begin, end := quoteBefore(text, i), i
		for end < len(text) && text[end] != '"' {
			if text[end] == '\\' {
				end++
			}
			end++
		}
		if begin < 0 || end >= len(text) {
			return
		}
		i = end
		switch memberBefore(text, begin) {
		case "id", "key", "revision", "quantization", "suite":
			var name string
			if json.Unmarshal([]byte(text[begin:end+1]), &name) == nil && Doubt(name) != "" {
				found(name, begin)
			}
		}
	}
}

// quoteBefore returns where the last quotation mark before an offset is that nothing escapes,
// -1 if there is none.
func quoteBefore(text string, offset int) int {
	for {
		at := strings.LastIndexByte(text[:offset], '"')
		before := strings.TrimRight(text[:max(at, 0)], `\`)
		if at < 0 || (at-len(before))%2 == 0 {
			return at
		}
		offset = at
	}
}

// memberBefore returns the name of the member whose value begins at an offset, "" if none does.
func memberBefore(text string, offset int) string {
	const space = " \t\r\n"
	rest, isValue := strings.CutSuffix(strings.TrimRight(text[:offset], space), ":")
	rest, isName := strings.CutSuffix(strings.TrimRight(rest, space), `"`)
	if !isValue || !isName {
		return ""
	}
	return rest[quoteBefore(rest, len(rest))+1:]
}
