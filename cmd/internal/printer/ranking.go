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
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
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

// Ranking prints a result for people: the answer in a sentence, the ranked candidates, at
// most top of them, with their scores and why, and below them the excluded ones and why not.
func (p *Printer) Ranking(request string, r *v3.Ranking, top int) {
	before := p.Lines()
	p.printOrigin(request, r.Digest(), r.AsOf())
	ranked, excluded := earlierOutcomes(r)
	answer := earlierAnswer(ranked, len(excluded))
	p.printProse(answer)
	faint := func(lines []string) console.Cell { return console.Cell{Paint: p.Out.Faint, Lines: lines} }
	var table console.Table
	table.Head(p.Out, "RANK", "CANDIDATE", "MODEL", "SCORE", "", "WHY", "MISSING")
	shown := ranked[:min(top, len(ranked))]
	for i := range shown {
		c := &shown[i]
		table.Add(console.Text(strconv.Itoa(*c.Rank)), console.Text(console.Clip(c.CandidateID)),
			console.Text(console.Clip(c.Model.Name())),
			scoreCell(c.Score.Value, r.Maximum()), console.Cell{Paint: p.Out.Bar,
				Lines: []string{scoreBar(c.Score.Value, r.Maximum())}, Spare: true},
			console.Cell{Lines: contributions(c.judgements, quantity.Digits), Short: contributions(c.judgements, twoDigits)},
			faint(shortfalls(r, c)))
	}
	var gone []exclusion
	for i, o := range r.Excluded() {
		gone = append(gone, newExclusion(&o, console.Clip(excluded[i].Model.Name())))
	}
	if len(shown) > 0 {
		p.Print("\n" + p.candidateTable(&table))
		p.printRest(len(shown), len(ranked))
	}
	p.printExcluded(gone, top, len(ranked) == 0)
	p.repeat(answer, before)
}

// outcome is how a candidate came out, with what each criterion that it is judged by says.
type outcome struct {
	v3.Outcome
	judgements []judgement
}

// judgement is what a criterion says of a candidate.
type judgement struct {
	of   *v3.Criterion
	cell *v3.Cell
}

func earlierOutcomes(r *v3.Ranking) (ranked, excluded []outcome) {
	criteria := r.Criteria()
	for _, c := range r.Outcomes() {
		out := outcome{Outcome: c}
		for i, cell := range c.Cells {
			if cell != nil && cell.Code != "" {
				out.judgements = append(out.judgements, judgement{&criteria[i], cell})
			}
		}
		if c.Rank != nil {
			ranked = append(ranked, out)
		} else {
			excluded = append(excluded, out)
		}
	}
	return ranked, excluded
}

// earlierAnswer is answerText for a result of versions 1 and 2, which say nothing of how
// sure they are.
func earlierAnswer(ranked []outcome, excluded int) string {
	if len(ranked) == 0 {
		return nobodyText(excluded)
	}
	text := placeText(console.Clip(ranked[0].CandidateID), len(ranked), excluded)
	if len(ranked) > 1 && ranked[0].Score == ranked[1].Score {
		text += " Its score is the same as that of " + console.Clip(ranked[1].CandidateID) + ": their ids alone order them."
	}
	return text
}

// placeText says who comes first of how many.
func placeText(id string, ranked, excluded int) string {
	if ranked == 1 {
		return id + " is the only candidate that is ranked" + excludedSuffix(excluded)
	}
	return id + " comes first of " + quantity.Count(ranked, "candidate") + excludedSuffix(excluded)
}

// scoreCell is a score beside the highest that there could be, empty where nothing is
// preferred and so nothing is scored.
func scoreCell(score, maximum float64) console.Cell {
	if maximum == 0 {
		return console.Cell{}
	}
	text := func(digits int) []string {
		return []string{quantity.Rounded(score, digits) + " of " + quantity.Rounded(maximum, digits)}
	}
	return console.Cell{Lines: text(quantity.Digits), Short: text(twoDigits)}
}

// contributions says what each preference added to the score, with so many digits.
func contributions(list []judgement, digits int) (lines []string) {
	for i := range list {
		if j := &list[i]; j.cell.Contribution.Known {
			lines = append(lines, fmt.Sprintf("+%s %s = %s", quantity.Rounded(j.cell.Contribution.Value, digits),
				console.Clip(j.of.MeasurementKey), actualText(j, digits)))
		}
	}
	return lines
}

// actualText is a value as people read it, with its unit and what it was made of:
//
//	0.75 (3 of 4)
//	61.5% (mean of 12)
//	$1.90 per million tokens
func actualText(j *judgement, digits int) string {
	aggregation, actual, unit, n := j.of.Aggregation, j.cell.Value, j.cell.Unit, len(j.cell.ObservationIDs)
	switch {
	case actual.Kind != '0':
		return scalarText(actual)
	case aggregation == "success-rate" && n > 0:
		return fmt.Sprintf("%s (%s of %s)", quantity.Rounded(actual.Float(), digits),
			quantity.Number(math.Round(actual.Float()*float64(n))), number(n))
	case aggregation == "count" || aggregation == "fact" || n < 2:
		return roundedAmount(actual.Float(), unit, digits)
	}
	return fmt.Sprintf("%s (%s of %s)", roundedAmount(actual.Float(), unit, digits), aggregation, number(n))
}

// shortfalls says what is missing of a ranked candidate, and of how many preferences.
func shortfalls(r *v3.Ranking, c *outcome) []string {
	all, known := 0, 0
	for _, j := range c.judgements {
		if !j.cell.Met {
			all++
		}
		if j.cell.Contribution.Known {
			known++
		}
	}
	lines := printable(r.Obstacles(c.CandidateID).Lines)
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

func scalarText(v record.Scalar) string {
	var e canonical.Encoder
	catalog.EncodeScalar(&e, v)
	return console.Clip(string(e.Buf))
}

// scoreBar shows a score as a part of the highest that there could be, if there is any.
func scoreBar(score, maximum float64) string {
	if maximum == 0 {
		return ""
	}
	const width = 12
	full := min(width, int(score/maximum*width+0.5))
	return strings.Repeat("█", full) + strings.Repeat("░", width-full)
}

// excludedSuffix ends a sentence with how many candidates are excluded, if any is.
func excludedSuffix(n int) string {
	if n == 0 {
		return "."
	}
	return "; " + excludedText(n)
}

// nobodyText says that no candidate is ranked.
func nobodyText(excluded int) string {
	if excluded == 0 {
		return "The request has no candidates."
	}
	return "No candidate is ranked; " + excludedText(excluded)
}

// excludedText says how many candidates are excluded, at the end of a sentence.
func excludedText(n int) string {
	if n == 1 {
		return "1 is excluded."
	}
	return number(n) + " are excluded."
}
