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
// any run of whole documents; one that is not JSON is left to those who read it.
func Names(text string, found func(name string, offset int)) {
	if isPlain(text) {
		return
	}
	member := ""
	for i := 0; i < len(text); {
		begin := strings.IndexByte(text[i:], '"')
		if begin < 0 {
			return
		}
		begin += i
		end := begin + 1
		for end < len(text) && text[end] != '"' {
			if text[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(text) {
			return
		}
		i = end + 1
		value := text[begin+1 : end]
		if strings.HasPrefix(strings.TrimLeft(text[i:min(len(text), i+64)], " \t\r\n"), ":") {
			member = value
			continue
		}
		switch member {
		case "id", "key", "revision", "quantization", "suite":
			var name string
			if json.Unmarshal([]byte(text[begin:end+1]), &name) == nil && Doubt(name) != "" {
				found(name, begin)
			}
		}
	}
}

// isPlain reports whether a text has neither characters beyond ASCII nor escapes by number,
// and so no doubtful name.
func isPlain(text string) bool {
	var all byte
	for i := range len(text) {
		all |= text[i]
	}
	return all < utf8.RuneSelf && !strings.Contains(text, `\u`) && strings.IndexByte(text, 0x7f) < 0
}
