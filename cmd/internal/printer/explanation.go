package printer

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/quantity"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

// Explanation prints how a candidate came out, then each criterion with the
// measurements that it looked at. The catalog has what these do not say: where each was run.
func (p *Printer) Explanation(request string, x *v3.Explanation, c *catalog.Catalog) {
	p.printOrigin(request, x.Catalog.Digest, string(x.Catalog.AsOf))
	id, model := console.Printable(x.Candidate.ID), runText(x.Candidate.ID, &x.Candidate.Model, &x.Candidate.Execution)
	if width := p.Width(); width > 0 && console.Columns(id+"  "+model) > width {
		p.Print(p.Out.Heading.Sprint(id) + "\n")
		p.PrintWrapped("  ", model)
	} else {
		p.Print(p.Out.Heading.Sprint(id) + "  " + model + "\n")
	}
	for _, line := range placementLines(&x.Placement) {
		p.PrintWrapped("", line)
	}
	runtimes := runtimesOf(c, x)
	isDated := false
	for i := range x.Criteria {
		p.printCriterion(&x.Criteria[i], runtimes)
		isDated = isDated || len(x.Criteria[i].Entries) > 0
	}
	if isDated {
		p.Print("\n")
		p.printProse("Dates are those that the source gives: of a benchmark, often the day of its release; of a list of " +
			"prices, the day on which it was fetched.")
	}
}

// runtimesOf returns where the measurements of an explanation were run, by observation.
func runtimesOf(c *catalog.Catalog, x *v3.Explanation) map[string]string {
	runtimes := map[string]string{}
	for i := range x.Criteria {
		for k := range x.Criteria[i].Entries {
			runtimes[x.Criteria[i].Entries[k].ObservationID] = ""
		}
	}
	for i := range c.Models() {
		for _, o := range c.Models()[i].Observations {
			if _, wanted := runtimes[o.ID()]; wanted {
				runtimes[o.ID()] = o.Record().Execution.Runtime.ID
			}
		}
	}
	return runtimes
}

func placementLines(l *v3.Placement) (lines []string) {
	if l.Excluded != nil {
		lines = append(lines, "excluded: "+excludedWords[*l.Excluded])
	} else {
		line := "rank " + strconv.FormatUint(*l.Rank, 10)
		if i := l.RankInterval; i != nil && l.AmongBest != nil {
			line += fmt.Sprintf(", by the evidence from %d to %d", i.Low, i.High)
		}
		line += ", score " + quantity.Number(*l.Score)
		if i := l.ScoreInterval; i != nil {
			line += ", " + quantity.Number(i.Low) + " to " + quantity.Number(i.High)
		}
		lines = append(lines, line)
	}
	if l.Coverage != nil && *l.Coverage < 1 {
		lines = append(lines, "evidence for "+percent(*l.Coverage)+" of the weight")
	}
	return lines
}

// excludedWords say by what a candidate is excluded.
var excludedWords = map[string]string{"requirement": "a requirement is not met",
	"no-evidence": "evidence is missing for what is preferred"}

// roleWords are what people call the roles of criteria.
var roleWords = map[string]string{"requirement": "Requirement", "preference": "Preference", "tieBreaker": "Tie breaker"}

func (p *Printer) printCriterion(c *v3.ExplainedCriterion, runtimes map[string]string) {
	name := criterionName(c.Criterion)
	if c.MeasurementKey != "" && !strings.HasSuffix(c.Criterion, string(c.MeasurementKey)) {
		name += ", " + console.Clip(string(c.MeasurementKey))
	}
	aggregation := "sum"
	if c.Aggregation != "" {
		aggregation = string(c.Aggregation)
	}
	role := roleWords[c.Role]
	p.Print("\n" + p.Out.Heading.Sprint(role) + " ")
	p.PrintAfter(len(role)+1, name+" ("+aggregation+")")
	p.PrintWrapped("  ", strings.Join(criterionParts(c), "; "))
	if len(c.Entries) == 0 {
		return
	}
	t, common := p.entryTable(c, runtimes)
	for _, line := range common {
		p.PrintWrapped("  ", line)
	}
	p.Print(t.Fit(p.Width()))
	if more := c.EntryCount - uint64(len(c.Entries)); more > 0 {
		p.Printf("  and %s more\n", quantity.Number(float64(more)))
	}
}

// entryTable lays out the measurements of a criterion. What they all have in common is said in
// lines of its own, so that the table has room for what differs.
func (p *Printer) entryTable(c *v3.ExplainedCriterion, runtimes map[string]string) (t console.Table, common []string) {
	columns := []struct{ head, common string }{{"  USE", ""}, {"VALUE", ""}, {"TASK", ""}, {"DATED", "dated "},
		{"UNTIL", "valid until "}, {"SOURCE", "source "}, {"RUNTIME", "runtime "},
		{"DIFFERS IN", "run with another "}, {"OBSERVATION", ""}, {"EVIDENCE", ""}}
	var rows [][]console.Cell
	for i := range c.Entries {
		rows = append(rows, entryCells(&c.Entries[i], runtimes[c.Entries[i].ObservationID]))
	}
	var heads, said []string
	var kept []int
	for n, column := range columns {
		value := strings.Join(rows[0][n].Lines, ", ")
		isCommon := (column.common != "" || column.head == "EVIDENCE") &&
			!slices.ContainsFunc(rows, func(row []console.Cell) bool { return strings.Join(row[n].Lines, ", ") != value })
		switch {
		case !isCommon:
			heads, kept = append(heads, column.head), append(kept, n)
		case column.head == "EVIDENCE":
			for _, line := range rows[0][n].Lines {
				if !strings.Contains(line, "://") {
					line = "evidence " + line
				}
				common = append(common, line)
			}
		case column.head == "DIFFERS IN":
			if value != "" {
				said = append(said, column.common+enumeration(v3.DimensionWords(rows[0][n].Lines)))
			}
		case value != "":
			said = append(said, column.common+value)
		}
	}
	if len(said) > 0 {
		common = append([]string{strings.Join(said, ", ")}, common...)
	}
	t.Head(p.Out, heads...)
	for _, row := range rows {
		var cells []console.Cell
		for _, n := range kept {
			cells = append(cells, row[n])
		}
		t.Add(cells...)
	}
	return t, common
}

// criterionParts says what came of a criterion.
func criterionParts(c *v3.ExplainedCriterion) (parts []string) {
	if c.Value != nil {
		value, interval, basis := estimateText(*c.Value, c.Estimate)
		if interval != "" {
			value += ", " + interval
		}
		if basis != "" {
			value += ", " + basis
		}
		parts = append(parts, value)
	} else {
		parts = append(parts, v3.GapText(c.Status))
	}
	if c.Code != "" {
		parts = append(parts, string(c.Code))
	}
	unit := string(c.Unit)
	if c.Normalized != nil && c.Contribution != nil && c.Weight != nil {
		parts = append(parts, fmt.Sprintf("%s on the scale from %s to %s, times %s = +%s", quantity.Number(*c.Normalized),
			amount(*c.Lowest, unit), amount(*c.Highest, unit), quantity.Number(*c.Weight), quantity.Number(*c.Contribution)))
	}
	return parts
}

// useWords says what became of a measurement.
var useWords = map[string]string{
	"used":         "used",
	"overruled":    "overruled",
	"expired":      "expired",
	"other-scope":  "another execution",
	"other-source": "source not admitted",
	"other-task":   "another task",
	"invalid":      "invalid",
}

func entryCells(e *v3.Entry, runtime string) []console.Cell {
	const shortID, day = 12, len("2006-01-02")
	value, task := scalarText(e.Value), ""
	if e.Task != nil {
		task = console.Clip(cmp.Or(string(e.Task.TaskID), string(e.Task.Suite), string(e.Task.Family)))
	}
	if e.Value.Kind == '0' {
		value = amount(e.Value.Float(), string(e.Unit))
	}
	until := ""
	if e.ValidUntil != "" {
		until = string(e.ValidUntil)[:day]
	}
	var evidence []string
	for _, s := range e.Evidence {
		text := string(s.URI)
		if text == "" {
			text = s.ID
		}
		evidence = append(evidence, console.Printable(text))
	}
	short := strings.TrimSuffix(value, " per million tokens")
	if short != value {
		short += "/M"
	}
	return []console.Cell{console.Text("  " + useWords[e.Use]), {Lines: []string{value}, Short: []string{short}},
		console.Text(task), console.Text(e.ObservedAt[:day]), console.Text(until),
		console.Text(e.SourceClass), console.Text(console.Clip(runtime)),
		{Lines: e.Differing, Short: v3.DimensionWords(e.Differing)}, console.Text(e.ObservationID[:shortID]),
		console.Text(evidence...)}
}
