package printer

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/internal/quantity"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

// Explanation prints how a candidate came out, then each criterion with the
// measurements that it looked at.
func (p *Printer) Explanation(request string, x *v3.Explanation) {
	p.printOrigin(request, x.Catalog.Digest, x.Catalog.AsOf)
	id := console.Clip(x.Candidate.ID)
	p.Print(p.Out.Heading.Sprint(id) + "  ")
	p.PrintAfter(console.Columns(id)+2, modelText(&x.Candidate.Model, &x.Candidate.Execution))
	for _, line := range placementLines(&x.Placement) {
		p.PrintWrapped("", line)
	}
	for i := range x.Criteria {
		p.printCriterion(&x.Criteria[i])
	}
}

func placementLines(l *v3.Placement) (lines []string) {
	if l.Excluded != nil {
		lines = append(lines, "excluded by "+*l.Excluded)
	} else {
		line := "rank " + strconv.FormatUint(*l.Rank, 10)
		if l.TieGroup != nil {
			line += " in tie group " + strconv.FormatUint(*l.TieGroup, 10)
		}
		lines = append(lines, line+", score "+quantity.Number(*l.Score))
	}
	if l.Coverage != nil && *l.Coverage < 1 {
		lines = append(lines, "evidence for "+percent(*l.Coverage)+" of the weight")
	}
	if l.Comparison != nil {
		lines = append(lines, comparisonLines(l.Comparison)...)
		if remark := pairsRemark(l.Comparison); remark != "" {
			lines = append(lines, remark)
		}
	}
	return lines
}

// roleWords are what people call the roles of criteria.
var roleWords = map[string]string{"requirement": "Requirement", "preference": "Preference", "tieBreaker": "Tie breaker", "advisory": "Advisory"}

func (p *Printer) printCriterion(c *v3.ExplainedCriterion) {
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
	var t console.Table
	t.Head(p.Out, "  USE", "VALUE", "OBSERVED", "UNTIL", "SOURCE", "DIFFERS IN", "OBSERVATION", "EVIDENCE")
	for i := range c.Entries {
		t.Add(entryCells(&c.Entries[i])...)
	}
	p.Print(t.Fit(p.Width()))
	if more := c.EntryCount - uint64(len(c.Entries)); more > 0 {
		p.Printf("  and %s more\n", quantity.Number(float64(more)))
	}
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
		parts = append(parts, gapWords[c.Status])
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
	"other-scope":  "run otherwise",
	"other-source": "source not admitted",
	"other-task":   "another task",
	"invalid":      "invalid",
}

func entryCells(e *v3.Entry) []console.Cell {
	const shortID, day = 12, len("2006-01-02")
	value := scalarText(e.Value.Scalar)
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
	return []console.Cell{console.Text("  " + useWords[e.Use]), console.Text(value), console.Text(e.ObservedAt[:day]), console.Text(until),
		console.Text(e.SourceClass), console.Text(e.Differing...), console.Text(e.ObservationID[:shortID]), console.Text(evidence...)}
}
