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
func (p *Printer) Ranking(request string, r *rank.Result, top int) {
	before := p.Lines()
	p.printOrigin(request, r.Digest(), r.AsOf())
	answer := earlierAnswer(r)
	p.printProse(answer)
	faint := func(lines []string) console.Cell { return console.Cell{Paint: p.Out.Faint, Lines: lines} }
	var ranked console.Table
	ranked.Head(p.Out, "RANK", "CANDIDATE", "MODEL", "SCORE", "", "WHY", "MISSING")
	shown := r.Ranked()[:min(top, len(r.Ranked()))]
	for _, c := range shown {
		ranked.Add(console.Text(strconv.Itoa(c.Rank)), console.Text(console.Clip(c.CandidateID)), console.Text(console.Clip(c.Model.Name())),
			scoreCell(c.Score, r.Maximum()), console.Cell{Paint: p.Out.Bar, Lines: []string{scoreBar(c.Score, r.Maximum())}, Spare: true},
			console.Cell{Lines: contributions(c.Reasons, quantity.Digits), Short: contributions(c.Reasons, twoDigits)}, faint(shortfalls(c.Reasons)))
	}
	var excluded []exclusion
	for _, c := range r.Excluded() {
		because, shared := gaps(c.Reasons)
		excluded = append(excluded, exclusion{console.Clip(c.CandidateID), console.Clip(c.Model.Name()), because, shared})
	}
	if len(shown) > 0 {
		p.Print("\n" + p.candidateTable(&ranked))
		p.printRest(len(shown), len(r.Ranked()))
	}
	p.printExcluded(excluded, top, len(r.Ranked()) == 0)
	p.repeat(answer, before)
}

// earlierAnswer is answerText for a result of versions 1 and 2, which say nothing of how
// sure they are.
func earlierAnswer(r *rank.Result) string {
	ranked := r.Ranked()
	if len(ranked) == 0 {
		return nobodyText(len(r.Excluded()))
	}
	text := placeText(console.Clip(ranked[0].CandidateID), len(ranked), len(r.Excluded()))
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
	lines, _ := gaps(reasons)
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

// gaps says in words what is wrong or missing, and the same without the values of the
// candidate.
func gaps(reasons []rank.Reason) (lines, shared []string) {
	for i := range reasons {
		r := &reasons[i]
		key := console.Clip(r.MeasurementKey)
		if r.Code == rank.RequirementNotMet {
			expected := scalarText(r.Expected)
			if r.Expected.Kind == '0' && r.Actual.Kind == '0' {
				expected = amount(r.Expected.Float(), r.Unit)
			}
			miss := missText(r.Operator, r.Actual.Kind == '0') + expected
			lines = append(lines, key+" is "+actualText(r, quantity.Digits)+","+miss)
			shared = append(shared, key+" is"+miss)
		} else if gap, ok := gapWords[gapStatuses[string(r.Code)]]; ok {
			lines = append(lines, key+": "+gap)
			shared = append(shared, key+": "+gap)
		}
	}
	return lines, shared
}

// missText leads from a value to what was required of it.
func missText(operator string, isNumber bool) string {
	switch {
	case operator == "gte" && isNumber:
		return " less than "
	case operator == "lte" && isNumber:
		return " more than "
	case operator == "gte":
		return " not at least "
	case operator == "lte":
		return " not at most "
	}
	return " not "
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
