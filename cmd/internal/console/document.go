package console

import (
	"fmt"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Document is standard output for JSON. On a terminal the characters that could command
// it are escaped, which changes no value: JSON leaves DEL, the control characters from
// U+0080 on, and those that turn the direction of text, as they are. Anywhere else the
// bytes go out as they come.
type Document struct {
	*Console
	cut []byte // the beginning of a character whose end is still to come
}

// Document returns standard output for JSON.
func (c *Console) Document() *Document { return &Document{Console: c} }

// Write writes a part of a document.
func (d *Document) Write(b []byte) (int, error) {
	if !d.outTerminal {
		return d.stdout.Write(b)
	}
	text := append(d.cut, b...)
	for len(text) > 0 && utf8.FullRune(text) {
		r, size := utf8.DecodeRune(text)
		switch high, low := utf16.EncodeRune(r); {
		case r < 0x7f || unicode.IsPrint(r):
			d.stdout.Write(text[:size])
		case high == unicode.ReplacementChar:
			fmt.Fprintf(d.stdout, `\u%04x`, r)
		default:
			fmt.Fprintf(d.stdout, `\u%04x\u%04x`, high, low)
		}
		text = text[size:]
	}
	d.cut = append([]byte(nil), text...)
	return len(b), nil // an error stays with the buffer
}

// PrintJSON writes a JSON text as a line.
func (c *Console) PrintJSON(text []byte) {
	c.Document().Write(append(text, '\n'))
}
