package console

import (
	"strings"

	"github.com/fatih/color"
)

// Table is text in columns. A cell may have several lines; a row is as high as its
// highest cell. The first row has the names of the columns, where there is [Table.Head].
//
// A table is laid out for the width of a terminal: [Table.Fit] leaves out what can be
// spared until it fits, and if it cannot be made to fit makes a block of lines of each
// row:
//
//	RANK  CANDIDATE  SCORE                   RANK 1
//	1     gpt-5      2.5 of 3  ██████████░░    CANDIDATE  gpt-5
//	                                           SCORE      2.5 of 3
type Table struct {
	rows   [][]Cell
	headed bool
}

// Cell is a cell of a table.
type Cell struct {
	Paint *color.Color // nil for none
	Lines []string     // printable
	Short []string     // in place of the lines where there is little room; nil for none
	Spare bool         // its column is left out where there is little room
}

// Text is a cell without colour.
func Text(lines ...string) Cell { return Cell{Lines: lines} }

// Head adds a row with the names of the columns.
func (t *Table) Head(style Style, names ...string) {
	var row []Cell
	for _, name := range names {
		row = append(row, Cell{Paint: style.Heading, Lines: []string{name}})
	}
	t.Add(row...)
	t.headed = true
}

// Add adds a row.
func (t *Table) Add(row ...Cell) { t.rows = append(t.rows, row) }

// String lays the table out, however wide it gets. Columns that are empty everywhere are
// left out.
func (t *Table) String() string { return t.layOut(t.without(t.isEmpty)) }

// Fit lays the table out in at most width columns; zero is no limit. What is too wide
// loses first the columns that can be spared, the last one first, then long numbers for
// short ones, then its columns.
func (t *Table) Fit(width int) string {
	if text, ok := t.Fitting(width); ok {
		return text
	}
	return t.Blocks(width)
}

// Fitting is Fit for a table that must keep its columns. It reports whether it could.
func (t *Table) Fitting(width int) (text string, ok bool) {
	rows := t.without(t.isEmpty)
	for column := len(t.head()) - 1; width > 0 && totalWidth(rows) > width && column >= 0; column-- {
		if t.isSpare(column) {
			rows = t.without(func(c int) bool { return t.isEmpty(c) || c >= column && t.isSpare(c) })
		}
	}
	if width > 0 && totalWidth(rows) > width {
		rows = shortened(rows)
	}
	if width > 0 && totalWidth(rows) > width {
		return "", false
	}
	return t.layOut(rows), true
}

// head is the first row, if there is one.
func (t *Table) head() []Cell {
	if len(t.rows) == 0 {
		return nil
	}
	return t.rows[0]
}

// Blocks lays each row out as lines of a name and a value, without the columns that are
// empty or can be spared. Marks, in a first column without a name, precede their row. Lines that
// are longer than width are broken between words.
func (t *Table) Blocks(width int) string {
	rows := t.without(func(column int) bool { return t.isEmpty(column) || t.isSpare(column) })
	if !t.headed || len(rows) == 0 {
		var b strings.Builder
		for _, row := range rows {
			var words []string
			for _, c := range row {
				words = append(words, c.Lines...)
			}
			writeWrapped(&b, nil, strings.Join(words, "  "), "", "  ", width)
		}
		return b.String()
	}
	const margin, gap = "  ", 2
	first, widest := 0, 0
	if rows[0][0].Lines[0] == "" && len(rows[0]) > 1 {
		first = 1 // after a column of marks
	}
	for i, c := range rows[0] {
		if i > first {
			widest = max(widest, Columns(c.Lines[0]))
		}
	}
	var b strings.Builder
	for n, row := range rows[1:] {
		if n > 0 {
			b.WriteString("\n")
		}
		for i, c := range row {
			heading := rows[0][i]
			name := strings.TrimSpace(heading.Lines[0])
			if i < first {
				if mark := strings.Join(c.Lines, " "); mark != "" {
					b.WriteString(paint(c.Paint, mark) + " ")
				}
				continue
			}
			if i == first {
				b.WriteString(paint(heading.Paint, name) + " ")
				text := strings.TrimSpace(strings.Join(c.Lines, " "))
				writeWrapped(&b, c.Paint, text, "", margin, width-Columns(name)-len(margin)-1)
				continue
			}
			pad := strings.Repeat(" ", widest-Columns(name)+gap)
			indent := strings.Repeat(" ", len(margin)+widest+gap)
			if strings.Join(c.Lines, "") == "" {
				continue
			}
			for k, line := range c.Lines {
				if k == 0 {
					b.WriteString(margin + paint(heading.Paint, name) + pad)
				} else {
					b.WriteString(indent)
				}
				writeWrapped(&b, c.Paint, line, "", indent, width-len(indent))
			}
		}
	}
	return b.String()
}

// writeWrapped writes a text whose first line continues what is written already. Each
// of its lines takes at most room columns after its margin.
func writeWrapped(b *strings.Builder, p *color.Color, text, first, margin string, room int) {
	for i, line := range Wrap(text, room) {
		if i == 0 {
			b.WriteString(first + paint(p, line) + "\n")
		} else {
			b.WriteString(margin + paint(p, line) + "\n")
		}
	}
}

func paint(p *color.Color, text string) string {
	if p == nil || text == "" {
		return text
	}
	return p.Sprint(text)
}

// without returns the rows without some columns.
func (t *Table) without(leaveOut func(column int) bool) (rows [][]Cell) {
	columns := 0
	for _, row := range t.rows {
		columns = max(columns, len(row))
	}
	gone := make([]bool, columns)
	for i := range gone {
		gone[i] = leaveOut(i)
	}
	for _, row := range t.rows {
		var kept []Cell
		for i, c := range row {
			if !gone[i] {
				kept = append(kept, c)
			}
		}
		rows = append(rows, kept)
	}
	return rows
}

// isEmpty reports whether no row but the head has anything in a column.
func (t *Table) isEmpty(column int) bool {
	if !t.headed || len(t.rows) < 2 {
		return false
	}
	for _, row := range t.rows[1:] {
		if column < len(row) && strings.Join(row[column].Lines, "") != "" {
			return false
		}
	}
	return true
}

func (t *Table) isSpare(column int) bool {
	for _, row := range t.rows {
		if column < len(row) && row[column].Spare {
			return true
		}
	}
	return false
}

// shortened returns the rows with the short lines of their cells.
func shortened(rows [][]Cell) (list [][]Cell) {
	for _, row := range rows {
		var cells []Cell
		for _, c := range row {
			if c.Short != nil {
				c.Lines = c.Short
			}
			cells = append(cells, c)
		}
		list = append(list, cells)
	}
	return list
}

const columnGap = 2

func columnWidths(rows [][]Cell) (widths []int) {
	for _, row := range rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			for _, line := range c.Lines {
				widths[i] = max(widths[i], Columns(line))
			}
		}
	}
	return widths
}

func totalWidth(rows [][]Cell) (total int) {
	for i, width := range columnWidths(rows) {
		if i > 0 {
			total += columnGap
		}
		total += width
	}
	return total
}

// layOut pads cells first and paints them afterwards, as the codes of colours have no
// width.
func (t *Table) layOut(rows [][]Cell) string {
	widths := columnWidths(rows)
	var b strings.Builder
	for _, row := range rows {
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
		pad += widths[i] - Columns(line) + columnGap
		b.WriteString(paint(c.Paint, line))
	}
	b.WriteString("\n")
}
