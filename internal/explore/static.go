package explore

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/quantity"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

// This file writes the answers of a report as a document, for who runs no script: the question, the
// answer in sentences, whom nobody beats in score and cost, as a table and drawn, and the sources.

// answered is a request with its ranking.
type answered struct {
	name    string
	ranking *v3.Ranking
}

// writeAnswer writes a request and its answer.
func writeAnswer(b *bytes.Buffer, a *answered) {
	fmt.Fprintf(b, "<h2><bdi>%s</bdi></h2>\n", plainHTML(a.name))
	if a.ranking.IsEarlier() {
		return
	}
	answer := a.ranking.Answer()
	writeSentences(b, answer.Choice)
	outcomes := a.ranking.Outcomes()
	outcomes = outcomes[:len(outcomes)-countExcluded(outcomes)]
	steps := a.ranking.Frontier()
	costs := map[string]float64{}
	for _, s := range steps {
		costs[s.CandidateID] = s.Cost
	}
	const few = 10
	if shown := slices.DeleteFunc(slices.Clone(outcomes), func(o v3.Outcome) bool {
		_, isStep := costs[o.CandidateID]
		return len(steps) > 1 && !isStep
	}); len(shown) > 0 {
		writeTable(b, a.ranking.Criteria(), shown[:min(few, len(shown))], costs)
	}
	writeFrontier(b, steps)
	writeSentences(b, append(slices.Clone(answer.Changes), string(answer.Next)))
	writeSentences(b, answer.Notes)
}

func countExcluded(outcomes []v3.Outcome) (n int) {
	for i := range outcomes {
		if outcomes[i].Rank == nil {
			n++
		}
	}
	return n
}

func writeSentences(b *bytes.Buffer, list []string) {
	if text := strings.TrimSpace(strings.Join(list, " ")); text != "" {
		fmt.Fprintf(b, "<p>%s</p>\n", plainHTML(text))
	}
}

// writeTable writes candidates with the ranks that the evidence allows, their values with
// intervals, and what a task costs.
func writeTable(b *bytes.Buffer, criteria []v3.Criterion, outcomes []v3.Outcome, costs map[string]float64) {
	b.WriteString("<table>\n<tr><th>Candidate</th><th>Rank</th>")
	for i := range criteria {
		if criteria[i].MeasurementKey != "" {
			fmt.Fprintf(b, "<th><bdi>%s</bdi></th>", plainHTML(criteria[i].MeasurementKey))
		}
	}
	b.WriteString("<th>A task</th></tr>\n")
	for _, o := range outcomes {
		rank := strconv.Itoa(*o.Rank)
		if i := o.RankInterval; i != nil {
			rank += fmt.Sprintf(" (%d to %d)", i.Low, i.High)
		}
		fmt.Fprintf(b, "<tr><th scope=\"row\"><bdi>%s</bdi></th><td>%s</td>", plainHTML(o.CandidateID), rank)
		for i, cell := range o.Cells {
			if criteria[i].MeasurementKey != "" {
				fmt.Fprintf(b, "<td>%s</td>", plainHTML(cellText(cell)))
			}
		}
		cost := "–"
		if usd, isKnown := costs[o.CandidateID]; isKnown {
			cost = quantity.RoundedPhrase(usd, "USD", 3)
		}
		fmt.Fprintf(b, "<td>%s</td></tr>\n", cost)
	}
	b.WriteString("</table>\n")
}

// cellText is a value and its interval.
func cellText(c *v3.Cell) string {
	if c == nil || c.Value.Kind != '0' {
		return "–"
	}
	text := quantity.Phrase(c.Value.Float(), c.Unit)
	if e := c.Estimate; e != nil && e.Low != nil && e.High != nil && *e.Low < *e.High {
		text += " (" + quantity.Rounded(*e.Low, 3) + " to " + quantity.Rounded(*e.High, 3) + ")"
	}
	return text
}

// writeFrontier draws the steps from the cheapest to the best: cost to the right, in powers of ten,
// and score up.
func writeFrontier(b *bytes.Buffer, steps []v3.FrontierStep) {
	steps = slices.DeleteFunc(slices.Clone(steps), func(s v3.FrontierStep) bool { return s.Cost <= 0 })
	if len(steps) < 2 {
		return
	}
	const width, height, edge, label = 640.0, 260.0, 24.0, 150.0
	best, worst := steps[0], steps[len(steps)-1]
	x := func(s v3.FrontierStep) float64 {
		return edge + (width-edge-label)*math.Log(s.Cost/worst.Cost)/math.Log(best.Cost/worst.Cost)
	}
	y := func(s v3.FrontierStep) float64 {
		return height - edge - (height-2*edge)*(s.Score-worst.Score)/(best.Score-worst.Score)
	}
	fmt.Fprintf(b, "<svg viewBox=\"0 0 %g %g\" width=\"%[1]g\" height=\"%[2]g\" role=\"img\" aria-label=\"Score against "+
		"cost of a task\">\n<path fill=\"none\" stroke=\"#d98a00\" d=\"M%.1f %.1f", width, height, x(worst), y(worst))
	for _, s := range slices.Backward(steps[:len(steps)-1]) {
		fmt.Fprintf(b, "H%.1fV%.1f", x(s), y(s))
	}
	b.WriteString("\"/>\n")
	for _, s := range steps {
		fmt.Fprintf(b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"#d98a00\"/>"+
			"<text x=\"%.1f\" y=\"%.1f\">%s, %s</text>\n",
			x(s), y(s), x(s)+7, y(s)+4, plainHTML(s.CandidateID), quantity.RoundedPhrase(s.Cost, "USD", 3))
	}
	b.WriteString("</svg>\n")
}

// writeSources writes where the numbers come from.
func writeSources(b *bytes.Buffer, x *index, extras *Extras) {
	b.WriteString("<h2>Sources</h2>\n<table>\n<tr><th>Source</th><th>Seen</th><th>Licence</th><th>Rows</th>" +
		"<th>Observations</th></tr>\n")
	for _, s := range x.Sources {
		licence, rows := "", s.Rows
		if extras.Build != nil {
			for i := range extras.Build.Sources {
				if built := &extras.Build.Sources[i]; built.ID == s.ID {
					licence, rows = string(built.License), built.Rows
				}
			}
		}
		day, _, _ := strings.Cut(s.Seen, "T")
		fmt.Fprintf(b, "<tr><th scope=\"row\"><bdi>%s</bdi></th><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>\n",
			plainHTML(s.ID), day, plainHTML(licence), quantity.Number(float64(rows)), quantity.Number(float64(s.Observations)))
	}
	b.WriteString("</table>\n")
}
