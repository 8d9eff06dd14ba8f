package problem

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Source is a text with a name, as a rule a file.
type Source struct {
	Name string
	Text string
}

// Place is a character in a file.
type Place struct {
	File   string
	Line   int // from 1, zero for no place; lines end with a line feed
	Column int // from 1, in code points
}

// Start is the first character of a file.
func Start(file string) Place { return Place{File: file, Line: 1, Column: 1} }

// After returns the place after text, which begins at p.
func (p Place) After(text string) Place {
	if lines := strings.Count(text, "\n"); lines > 0 {
		p.Line += lines
		p.Column = 1
		text = text[strings.LastIndexByte(text, '\n')+1:]
	}
	p.Column += utf8.RuneCountInString(text)
	return p
}

// Locate gives every fault of the list the place of its offset in text, which
// begins at start. It returns the list. However the faults are ordered, the text
// is gone through once.
func (l List) Locate(text string, start Place) List {
	byOffset := slices.Clone(l)
	slices.SortFunc(byOffset, func(a, b *Error) int { return cmp.Compare(a.Offset, b.Offset) })
	at, offset := start, 0
	for _, e := range byOffset {
		if e.Offset < 0 {
			continue
		}
		at = at.After(text[offset:e.Offset])
		offset = e.Offset
		e.Place = at
	}
	return l
}
