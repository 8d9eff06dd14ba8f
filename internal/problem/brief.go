package problem

import "strings"

// maxValue is the most characters of a value that a message repeats. Values come from
// files of any size.
const maxValue = 200

// Clip shortens a value to the 200 characters that a message may repeat of it.
func Clip(value string) string {
	n := 0
	for i := range value {
		if n == maxValue {
			return value[:i] + "…"
		}
		n++
	}
	return value
}

// Brief shortens the values in a message: each text between quotation marks, and each
// word outside of them.
func Brief(message string) string {
	if len(message) <= maxValue {
		return message
	}
	var b strings.Builder
	n, isQuoted, isEscaped := 0, false, false
	for _, c := range message {
		ends := c == '"' && !isEscaped
		isEscaped = c == '\\' && !isEscaped
		switch {
		case ends:
			isQuoted, n = !isQuoted, 0
		case c == ' ' && !isQuoted:
			n = 0
		default:
			n++
		}
		switch {
		case n <= maxValue:
			b.WriteRune(c)
		case n == maxValue+1:
			b.WriteString("…")
		}
	}
	return b.String()
}
