package printer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/internal/quantity"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// This file is a result of version 3 for people: the answer, which the result has in sentences, and
// a small table: of those that nobody beats in score and cost at once or, if there is no cost, of
// the first by score.
//
//	Take glm-5.2: at $0.0276 a task it costs least of 7 candidates within 3 points of the best score. ...
//
//	   RANK       CANDIDATE     SCORE   95% INTERVAL      A TASK   MODEL
//	   1 (1-45)   gpt-5.5       82.53%  74.6% to 88.4%    $0.19    openai/gpt-5.5 on openai
//	>  7 (1-48)   glm-5.2       79.65%  71.3% to 86.1%    $0.0276  z-ai/glm-5.2 on openrouter
//
// The rank is that by score; in parentheses is where the evidence allows it to be.

// ResultOptions say how much of a result to print.
type ResultOptions struct {
	Top   int  // how many candidates, by score; 0: the frontier, or a few
	IsWhy bool // also what each got its score for, and what would change the choice
}

// Result prints a result.
func (p *Printer) Result(request string, r *v3.Result, ranking *v3.Ranking, opts ResultOptions) {
	before := p.Lines()
	p.printOrigin(request, r.Catalog.Digest, string(r.Catalog.AsOf))
	answer := console.Printable(strings.Join(r.Answer.Choice, " "))
	p.printProse(answer)
	few := opts.Top
	if len(r.Ranked) > 0 {
		shown := chooseShown(r, opts.Top)
		few = max(few, len(shown))
		p.Print("\n")
		p.printCandidates(r, ranking, shown, opts.IsWhy)
		p.printRest(len(shown), len(r.Ranked))
		p.printSentences(r.Answer.Notes)
	}
	if opts.IsWhy {
		p.printSentences(append(slices.Clone(r.Answer.Changes), string(r.Answer.Next)))
	}
	var excluded []exclusion
	for i, o := range ranking.Excluded() {
		excluded = append(excluded, newExclusion(&o, modelText(&r.Excluded[i].Model, &r.Excluded[i].Execution)))
	}
	p.printExcluded(excluded, few, len(r.Ranked) == 0)
	p.repeat(answer, before)
}

// printSentences prints sentences as a paragraph, if there are any.
func (p *Printer) printSentences(list []string) {
	if text := strings.TrimSpace(strings.Join(list, " ")); text != "" {
		p.Print("\n")
		p.printProse(console.Printable(text))
	}
}

// chooseShown returns the candidates that a table shows: the first by score if so many are asked
// for; else the steps of the frontier around the choice, or the first few by score.
func chooseShown(r *v3.Result, top int) (list []*v3.Candidate) {
	const few = 6
	if top > 0 || len(r.Frontier) < 2 {
		if top == 0 {
			top = few
		}
		for i := range r.Ranked[:min(top, len(r.Ranked))] {
			list = append(list, &r.Ranked[i])
		}
		return list
	}
	steps := r.Frontier
	at := slices.IndexFunc(steps, func(s v3.FrontierStep) bool { return s.CandidateID == r.Choice.CandidateID })
	start := max(0, min(at-few/2, len(steps)-few))
	wanted := map[string]bool{r.Choice.Best: true, r.Choice.CandidateID: true}
	for _, s := range steps[start:min(start+few, len(steps))] {
		wanted[s.CandidateID] = true
	}
	for i := range r.Ranked {
		if wanted[r.Ranked[i].CandidateID] {
			list = append(list, &r.Ranked[i])
		}
	}
	return list
}

// printCandidates prints a table of candidates, with what each got its score for below if that is
// asked for.
func (p *Printer) printCandidates(r *v3.Result, ranking *v3.Ranking, shown []*v3.Candidate, isWhy bool) {
	var t console.Table
	t.Head(p.Out, append([]string{"", "RANK", "CANDIDATE", "SCORE", percent(r.Statistics.Confidence) + " INTERVAL",
		"A TASK", "MODEL"}, speedColumns...)...)
	for _, c := range shown {
		mark := ""
		if c.CandidateID == r.Choice.CandidateID && len(r.Ranked) > 1 {
			mark = ">"
		}
		score, interval := scoreTexts(r, c)
		cost := ""
		if c.Cost != nil {
			cost = quantity.RoundedPhrase(c.Cost.USDPerTask, "USD", 3)
		}
		speed := &record.OfferSpeed{}
		if c.Offer != nil {
			speed = c.Offer.Speed
		}
		t.Add(append([]console.Cell{console.Text(mark), console.Text(rankText(c, len(r.Ranked))),
			console.Text(console.Clip(c.CandidateID)), console.Text(score), console.Text(interval), console.Text(cost),
			console.Text(runText(c.CandidateID, &c.Model, &c.Execution))}, speedCells(speed)...)...)
	}
	p.Print(p.candidateTable(&t))
	if !isWhy {
		return
	}
	for _, c := range shown {
		p.Print("\n" + p.Out.Heading.Sprint(console.Clip(c.CandidateID)) + "\n")
		for _, line := range whyLines(r, ranking, c) {
			p.PrintWrapped("  ", line)
		}
	}
}

// rankText is a rank, and where the evidence allows it to be.
func rankText(c *v3.Candidate, ranked int) string {
	text := strconv.FormatUint(c.Rank, 10)
	if i := c.RankInterval; c.AmongBest != nil && ranked > 1 {
		return text + " (" + strconv.Itoa(i.Low) + "-" + strconv.Itoa(i.High) + ")"
	}
	return text
}

// scoreTexts are the score and its interval: the value of the only preference, or points of the
// score.
func scoreTexts(r *v3.Result, c *v3.Candidate) (score, interval string) {
	if r.ScoreScale.Maximum == 0 {
		return "", ""
	}
	for _, reason := range scored(c.Reasons) {
		if reason.Contribution != nil && isSole(r, c) {
			score, interval, _ = estimateText(reason.Actual, reason.Estimate)
			return score, interval
		}
	}
	const digits = 3
	score = quantity.Rounded(c.Score, digits) + " of " + quantity.Number(r.ScoreScale.Maximum)
	if c.ScoreInterval != nil && c.ScoreInterval.Low < c.ScoreInterval.High {
		interval = quantity.Rounded(c.ScoreInterval.Low, digits) + " to " + quantity.Rounded(c.ScoreInterval.High, digits)
	}
	return score, interval
}

// isSole reports whether one preference alone makes the score.
func isSole(r *v3.Result, c *v3.Candidate) bool {
	n := 0
	for _, reason := range scored(c.Reasons) {
		if reason.Contribution != nil && (*reason.Contribution > 0 || c.Score == 0) {
			n++
		}
	}
	return n == 1 && len(r.ScoreScale.Scales) == 1
}

// whyLines say what a candidate got its score for, what it has of what was required, and what else
// there is to know.
func whyLines(r *v3.Result, ranking *v3.Ranking, c *v3.Candidate) (lines []string) {
	for i := range c.Reasons {
		reason := &c.Reasons[i]
		if reason.RankFinding == nil {
			continue
		}
		value, interval, basis := estimateText(reason.Actual, reason.Estimate)
		text := strings.TrimPrefix(contributionText(r, reason)+" "+criterionText(reason)+" = "+value, " ")
		for _, more := range []string{interval, basis} {
			if more != "" {
				text += ", " + more
			}
		}
		lines = append(lines, text)
	}
	lines = append(lines, printable(ranking.Obstacles(c.CandidateID).Lines)...)
	if remark := transferRemark(c); remark != "" {
		lines = append(lines, remark)
	}
	for i := range c.Evidence {
		if n := len(c.Evidence[i].Overruled); n > 0 {
			lines = append(lines, fmt.Sprintf("%s superseded for %s", quantity.Count(n, "observation"),
				criterionName(c.Evidence[i].Criterion)))
		}
	}
	return lines
}

// scored returns the reasons with numbers: of preferences, and of tie breakers.
func scored(reasons []v3.Reason) (list []*v3.Reason) {
	for i := range reasons {
		if reasons[i].RankFinding != nil && reasons[i].Expected == nil {
			list = append(list, &reasons[i])
		}
	}
	return list
}

// contributionText is what a reason added to the score; nothing if there is one preference,
// which is the score.
func contributionText(r *v3.Result, reason *v3.Reason) string {
	if reason.Contribution == nil || len(r.ScoreScale.Scales) == 1 {
		return ""
	}
	return "+" + quantity.Number(*reason.Contribution)
}

// criterionText names what a criterion is about: the measurement or, of a sum, its id.
func criterionText(r *v3.Reason) string {
	if r.MeasurementKey != "" {
		return console.Clip(string(r.MeasurementKey))
	}
	return criterionName(string(r.Criterion))
}

// criterionName is the id of a criterion as people read it, without the role that an id
// begins with which nobody chose.
func criterionName(id string) string {
	if role, key, found := strings.Cut(id, ":"); found && roleWords[role] != "" {
		id = key
	}
	return console.Clip(id)
}

// estimateText says a value, its interval and what that rests on in words.
func estimateText(v record.Scalar, e *v3.Estimate) (value, interval, basis string) {
	if e == nil {
		return scalarText(v), "", ""
	}
	const digits = 3
	unit := string(e.Unit)
	value = amount(e.Value, unit)
	if e.Low != nil && e.High != nil && e.Basis != "exact" {
		interval = roundedAmount(*e.Low, unit, digits) + " to " + roundedAmount(*e.High, unit, digits)
	}
	switch {
	case e.Basis == "exact", e.Basis == "sum":
	case e.Trials != nil:
		basis = quantity.Number(*e.Trials) + " questions"
	case e.Basis == "published":
		basis = "error as published"
	case e.Tasks > 0:
		basis = quantity.Count(int(e.Tasks), "task")
	}
	return value, interval, basis
}

// transferRemark says what was carried over from other executions; nothing if nothing was.
func transferRemark(c *v3.Candidate) string {
	if transferred := transferredDimensions(c.Reasons); len(transferred) > 0 {
		return "measured with another " + enumeration(v3.DimensionWords(transferred))
	}
	return ""
}

// transferredDimensions unites those of all reasons, sorted.
func transferredDimensions(reasons []v3.Reason) (names []string) {
	for i := range reasons {
		names = append(names, reasons[i].ExecutionApplicability.TransferredDimensions...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// modelText names the model of a candidate, with its revision and quantization, and where
// it runs.
func modelText(m *record.Model, e *record.Profile) string {
	name := console.Clip(m.Name())
	if !e.Runtime.IsZero() {
		name += " on " + console.Clip(e.Runtime.ID)
	}
	return name
}

// runText is modelText and the condition under which the model is run, unless the id of the
// candidate ends with it:
//
//	moonshotai/kimi-k2.6 on vultr with thinking=on
func runText(id string, m *record.Model, e *record.Profile) string {
	if e.Workflow.Condition == "" || strings.HasSuffix(id, "@"+string(e.Workflow.Condition)) {
		return modelText(m, e)
	}
	return modelText(m, e) + " with " + console.Clip(string(e.Workflow.Condition))
}
