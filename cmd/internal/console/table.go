package console

import (
	"strings"

	"github.com/fatih/color"
)

// Table is text in columns. A cell may have several lines; a row is as high as its
// highest cell.
type Table struct{ rows [][]Cell }

// Cell is a cell of a table.
type Cell struct {
	Paint *color.Color // nil for none
	Lines []string     // printable
}

// Text is a cell without colour.
func Text(lines ...string) Cell { return Cell{nil, lines} }

// Head adds a row with the names of the columns.
func (t *Table) Head(style Style, names ...string) {
	var row []Cell
	for _, name := range names {
		row = append(row, Cell{style.Heading, []string{name}})
	}
	t.Add(row...)
}

// Add adds a row.
func (t *Table) Add(row ...Cell) { t.rows = append(t.rows, row) }

// String lays the table out. Cells are padded first and painted afterwards, as the
// codes of colours have no width.
func (t *Table) String() string {
	var widths []int
	for _, row := range t.rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			for _, line := range c.Lines {
				widths[i] = max(widths[i], columns(line))
			}
		}
	}
	var b strings.Builder
	for _, row := range t.rows {
		height := 0
		for _, c := range row {
			height = max(height, len(c.Lines))
		}
		for n := range height {
			writeLine(&b, row, n, widths)
		}
	}
	return b.String()
}

// writeLine writes the nth line of a row, without white space at its end.
func writeLine(b *strings.Builder, row []Cell, n int, widths []int) {
	const gap = 2
	pad := 0
	for i, c := range row {
		line := ""
		if n < len(c.Lines) {
			line = c.Lines[n]
		}
		if line != "" {
			b.WriteString(strings.Repeat(" ", pad))
			pad = 0
		}
		pad += widths[i] - columns(line) + gap
		if c.Paint != nil && line != "" {
			line = c.Paint.Sprint(line)
		}
		b.WriteString(line)
	}
	b.WriteString("\n")
}
