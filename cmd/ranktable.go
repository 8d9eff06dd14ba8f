package cmd

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fatih/color"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/rank"
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
				widths[i] = max(widths[i], utf8.RuneCountInString(line))
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
		pad += widths[i] - utf8.RuneCountInString(line) + gap
		if c.paint != nil && line != "" {
			line = c.paint.Sprint(line)
		}
		b.WriteString(line)
	}
	b.WriteString("\n")
}

// printTable prints a result for people: the ranked candidates with their
// scores and why, and below them the excluded ones and why not.
func (p *program) printTable(request string, r *rank.Result) {
	paint := p.screen.onStdout
	cell := func(paint *color.Color, lines ...string) tableCell { return tableCell{lines, paint} }
	const shortDigest = 12
	fmt.Fprintf(p.stdout, "%s  catalog %s as of %s\n\n",
		paint.heading.Sprint(printable(request)), r.Digest()[:shortDigest], r.AsOf())
	var t table
	t.add(cell(paint.heading, "RANK"), cell(paint.heading, "CANDIDATE"), cell(paint.heading, "MODEL"),
		cell(paint.heading, "SCORE"), cell(nil), cell(paint.heading, "WHY"), cell(paint.heading, "MISSING"))
	for _, c := range r.Ranked() {
		t.add(cell(nil, strconv.Itoa(c.Rank)), cell(nil, clip(c.CandidateID)), cell(nil, clip(modelName(c.Model))),
			cell(nil, shortNumber(c.Score)), cell(paint.bar, bar(c.Score, r.Maximum())),
			cell(nil, contributions(c.Reasons)...), cell(paint.faint, gaps(c.Reasons)...))
	}
	if len(r.Ranked()) == 0 {
		t = table{}
		t.add(cell(nil, "No candidate meets the requirements."))
		if len(r.Excluded()) == 0 {
			t = table{}
			t.add(cell(nil, "The request has no candidates."))
		}
	}
	p.stdout.WriteString(t.String())
	if len(r.Excluded()) > 0 {
		t = table{}
		t.add(cell(paint.heading, "EXCLUDED"), cell(paint.heading, "MODEL"), cell(paint.heading, "BECAUSE"))
		for _, c := range r.Excluded() {
			t.add(cell(nil, clip(c.CandidateID)), cell(nil, clip(modelName(c.Model))), cell(nil, gaps(c.Reasons)...))
		}
		p.stdout.WriteString("\n" + t.String())
	}
}

// contributions says what each preference added to the score.
func contributions(reasons []rank.Reason) (lines []string) {
	for _, r := range reasons {
		if r.Code == rank.PreferenceScore {
			lines = append(lines, fmt.Sprintf("+%s %s = %s", shortNumber(r.Contribution), clip(r.MeasurementKey), scalarText(r.Actual)))
		}
	}
	return lines
}

// gaps says in words what is wrong or missing.
func gaps(reasons []rank.Reason) (lines []string) {
	for _, r := range reasons {
		key := clip(r.MeasurementKey)
		switch r.Code {
		case rank.RequirementMet, rank.PreferenceScore:
		case rank.MissingEvidence, rank.PreferenceEvidenceMissing:
			lines = append(lines, key+": no evidence")
		case rank.StaleEvidence:
			lines = append(lines, key+": the evidence is out of date")
		case rank.ConflictingEvidence:
			lines = append(lines, key+": the evidence contradicts itself")
		case rank.IncomparableEvidence:
			lines = append(lines, key+": the evidence cannot be compared")
		case rank.RequirementNotMet:
			lines = append(lines, fmt.Sprintf("%s %s: it is %s", printable(r.Summary), scalarText(r.Expected), scalarText(r.Actual)))
		}
	}
	return lines
}

func modelName(m catalog.Model) string {
	name := m.ID
	if m.Revision != "" {
		name += "@" + m.Revision
	}
	if m.Quantization != "" {
		name += " " + m.Quantization
	}
	return name
}

func scalarText(v catalog.Scalar) string {
	var e canonical.Encoder
	catalog.EncodeScalar(&e, v)
	return clip(string(e.Buf))
}

// clip makes a text fit into a column.
func clip(s string) string {
	const widest = 40
	s = printable(s)
	if utf8.RuneCountInString(s) <= widest {
		return s
	}
	return string([]rune(s)[:widest-1]) + "…"
}

func shortNumber(f float64) string {
	const digits = 4
	return strconv.FormatFloat(f, 'g', digits, 64)
}

// bar shows a score as a part of the highest that there could be.
func bar(score, maximum float64) string {
	const width = 12
	full := 0
	if maximum > 0 {
		full = min(width, int(score/maximum*width+0.5))
	}
	return strings.Repeat("█", full) + strings.Repeat("░", width-full)
}
