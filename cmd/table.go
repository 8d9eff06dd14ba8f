package cmd

import (
	"strings"
	"unicode"

	"github.com/fatih/color"
	"golang.org/x/text/width"
)

// table is text in columns. A cell may have several lines; a row is as high as
// its highest cell.
type table struct {
	rows [][]tableCell
}

type tableCell struct {
	lines []string
	paint *color.Color // nil for none
}

func cell(paint *color.Color, lines ...string) tableCell { return tableCell{lines, paint} }

func (t *table) add(row ...tableCell) { t.rows = append(t.rows, row) }

// String lays the table out. Cells are padded first and painted then, as colour
// codes have no width.
func (t *table) String() string {
	var widths []int
	for _, row := range t.rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			for _, line := range c.lines {
				widths[i] = max(widths[i], columns(line))
			}
		}
	}
	var b strings.Builder
	for _, row := range t.rows {
		height := 0
		for _, c := range row {
			height = max(height, len(c.lines))
		}
		for n := range height {
			writeLine(&b, row, n, widths)
		}
	}
	return b.String()
}

// writeLine writes the nth line of a row, without white space at its end.
func writeLine(b *strings.Builder, row []tableCell, n int, widths []int) {
	const gap = 2
	pad := 0
	for i, c := range row {
		line := ""
		if n < len(c.lines) {
			line = c.lines[n]
		}
		if line != "" {
			b.WriteString(strings.Repeat(" ", pad))
			pad = 0
		}
		pad += widths[i] - columns(line) + gap
		if c.paint != nil && line != "" {
			line = c.paint.Sprint(line)
		}
		b.WriteString(line)
	}
	b.WriteString("\n")
}

// clip makes a text fit into a column. A letter keeps its accents.
func clip(s string) string {
	const widest = 40
	s = printable(s)
	if columns(s) <= widest {
		return s
	}
	used := 0
	for i, r := range s {
		if used += runeColumns(r); used > widest-1 {
			return s[:i] + "…"
		}
	}
	return s
}

// columns is how many columns of a terminal a printable text takes.
func columns(s string) (n int) {
	for _, r := range s {
		n += runeColumns(r)
	}
	return n
}

// runeColumns is how many columns a character takes: two if it is wide, as
// Unicode has it for most of East Asia and for emoji, none if it is drawn onto
// the one before it.
func runeColumns(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me) || isJoiningJamo(r) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// isJoiningJamo reports whether a Hangul letter is drawn into the syllable that
// the one before it began.
func isJoiningJamo(r rune) bool { return r >= '\u1160' && r <= '\u11FF' }
