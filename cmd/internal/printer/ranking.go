package printer

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/quantity"
	"github.com/model-catalog-service/svc/internal/rank"
)

// This file is a result of versions 1 and 2 for people. Below the ranked candidates are the
// excluded ones, with what they lack:
//
//	RANK  CANDIDATE  MODEL         SCORE                   WHY                              MISSING
//	1     gpt-5      openai/gpt-5  2.5 of 3  ██████████░░  +1.5 repair.fixed = 0.75 (3 of 4)
//
//	EXCLUDED  MODEL       BECAUSE
//	atlas     acme/atlas  price.output: no evidence

// widthOfTables is how many columns a terminal has at least where candidates are rows of
// a table; where it has less, each is a block of lines.
const widthOfTables = 100

// candidateTable lays out a table of candidates for the terminal.
func (p *Printer) candidateTable(t *console.Table) string {
	if width := p.Width(); width > 0 && width < widthOfTables {
		return t.Blocks(width)
	}
	return t.Fit(p.Width())
}

// Ranking prints a result for people: the ranked candidates with their scores and
// why, and below them the excluded ones and why not.
func (p *Printer) Ranking(request string, r *rank.Result) {
	p.printOrigin(request, r.Digest(), r.AsOf())
	faint := func(lines []string) console.Cell { return console.Cell{Paint: p.Out.Faint, Lines: lines} }
	var ranked console.Table
	ranked.Head(p.Out, "RANK", "CANDIDATE", "MODEL", "SCORE", "", "WHY", "MISSING")
	for _, c := range r.Ranked() {
		ranked.Add(console.Text(strconv.Itoa(c.Rank)), console.Text(console.Clip(c.CandidateID)), console.Text(console.Clip(c.Model.Name())),
			scoreCell(c.Score, r.Maximum()), console.Cell{Paint: p.Out.Bar, Lines: []string{scoreBar(c.Score, r.Maximum())}, Spare: true},
			console.Cell{Lines: contributions(c.Reasons, quantity.Digits), Short: contributions(c.Reasons, twoDigits)}, faint(shortfalls(c.Reasons)))
	}
	var excluded []exclusion
	for _, c := range r.Excluded() {
		excluded = append(excluded, exclusion{console.Clip(c.CandidateID), console.Clip(c.Model.Name()), gaps(c.Reasons)})
	}
	switch {
	case len(r.Ranked()) > 0:
		p.Print(p.candidateTable(&ranked))
	case len(r.Excluded()) > 0:
		p.Print("No candidate meets the requirements.\n")
	default:
		p.Print("The request has no candidates.\n")
	}
	p.printExcluded(excluded)
}

// exclusion is an excluded candidate, its model, and why it is excluded.
type exclusion struct {
	candidate, model string
	because          []string
}

// printExcluded prints the excluded candidates. They may be many more than the ranked
// ones, so that a narrow terminal has as few lines for each as there can be.
func (p *Printer) printExcluded(list []exclusion) {
	if len(list) == 0 {
		return
	}
	p.Print("\n")
	width := p.Width()
	if width > 0 && width < widthOfTables {
		p.Print("EXCLUDED\n")
		for _, e := range list {
			gap := "  "
			if console.Columns(e.candidate+gap+e.model) > width {
				gap = "\n  "
			}
			p.Print(p.Out.Heading.Sprint(e.candidate) + gap + e.model + "\n")
			for _, line := range e.because {
				p.PrintWrapped("  ", line)
			}
		}
		return
	}
	var t console.Table
	t.Head(p.Out, "EXCLUDED", "MODEL", "BECAUSE")
	for _, e := range list {
		t.Add(console.Text(e.candidate), console.Text(e.model), console.Text(e.because...))
	}
	p.Print(t.Fit(width))
}

// scoreCell is a score beside the highest that there could be.
func scoreCell(score, maximum float64) console.Cell {
	text := func(digits int) []string {
		return []string{quantity.Rounded(score, digits) + " of " + quantity.Rounded(maximum, digits)}
	}
	return console.Cell{Lines: text(quantity.Digits), Short: text(twoDigits)}
}

// contributions says what each preference added to the score, with so many digits.
func contributions(reasons []rank.Reason, digits int) (lines []string) {
	for i := range reasons {
		if r := &reasons[i]; r.Code == rank.PreferenceScore {
			lines = append(lines, fmt.Sprintf("+%s %s = %s", quantity.Rounded(r.Contribution, digits), console.Clip(r.MeasurementKey), actualText(r, digits)))
		}
	}
	return lines
}

// actualText is a value as people read it, with its unit and what it was made of:
//
//	0.75 (3 of 4)
//	61.5% (mean of 12)
//	$1.90 per million tokens
func actualText(r *rank.Reason, digits int) string {
	n := r.Measurements
	switch {
	case r.Actual.Kind != '0':
		return scalarText(r.Actual)
	case r.Aggregation == "success-rate" && n > 0:
		return fmt.Sprintf("%s (%s of %s)", quantity.Rounded(r.Actual.Float(), digits), quantity.Number(math.Round(r.Actual.Float()*float64(n))), number(n))
	case r.Aggregation == "count" || r.Aggregation == "fact" || n < 2:
		return roundedAmount(r.Actual.Float(), r.Unit, digits)
	}
	return fmt.Sprintf("%s (%s of %s)", roundedAmount(r.Actual.Float(), r.Unit, digits), r.Aggregation, number(n))
}

// shortfalls says what is missing of a ranked candidate, and of how many preferences.
func shortfalls(reasons []rank.Reason) []string {
	all, known := 0, 0
	for i := range reasons {
		switch reasons[i].Code {
		case rank.PreferenceScore:
			all, known = all+1, known+1
		case rank.RequirementMet:
		default:
			all++
		}
	}
	lines := gaps(reasons)
	if known < all {
		lines = append(lines, evidenceText(known, all))
	}
	return lines
}

// evidenceText says of how many preferences there is evidence. One without counts like
// its worst value.
func evidenceText(known, all int) string {
	if all == 1 {
		return fmt.Sprintf("%d of 1 preference has evidence", known)
	}
	return fmt.Sprintf("%d of %d preferences have evidence", known, all)
}

// gaps says in words what is wrong or missing.
func gaps(reasons []rank.Reason) (lines []string) {
	for i := range reasons {
		r := &reasons[i]
		key := console.Clip(r.MeasurementKey)
		if r.Code == rank.RequirementNotMet {
			expected := scalarText(r.Expected)
			if r.Expected.Kind == '0' && r.Actual.Kind == '0' {
				expected = amount(r.Expected.Float(), r.Unit)
			}
			lines = append(lines, key+" is "+actualText(r, quantity.Digits)+missText(r.Summary, r.Actual.Kind == '0')+expected)
		} else if gap, ok := gapWords[gapStatuses[string(r.Code)]]; ok {
			lines = append(lines, key+": "+gap)
		}
	}
	return lines
}

// missText leads from a value to what was required of it. The summary of the reason ends in
// the operator.
func missText(summary string, isNumber bool) string {
	switch operator := summary[strings.LastIndexByte(summary, ' ')+1:]; {
	case operator == "gte" && isNumber:
		return ", less than "
	case operator == "lte" && isNumber:
		return ", more than "
	case operator == "gte":
		return ", not at least "
	case operator == "lte":
		return ", not at most "
	}
	return ", not "
}

func scalarText(v catalog.Scalar) string {
	var e canonical.Encoder
	catalog.EncodeScalar(&e, v)
	return console.Clip(string(e.Buf))
}

// scoreBar shows a score as a part of the highest that there could be.
func scoreBar(score, maximum float64) string {
	const width = 12
	full := 0
	if maximum > 0 {
		full = min(width, int(score/maximum*width+0.5))
	}
	return strings.Repeat("█", full) + strings.Repeat("░", width-full)
}
