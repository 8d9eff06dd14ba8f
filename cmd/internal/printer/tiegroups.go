package printer

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/quantity"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

// This file is a result of version 3 for people. A candidate is a line, and below it is
// what it got its score for. Brackets hold those that the evidence cannot tell apart:
//
//	   RANK  CANDIDATE  SCORE                     MODEL
//	╭  1     gpt-5      1.313 of 2  ████████░░░░  openai/gpt-5 on openai
//	│    +0.88    aider.polyglot.pass_rate_2      88%     83.1% to 91.62%   198 of 225 trials
//	│    +0.4333  livebench.agentic-coding.score  43.33%  7.745% to 78.92%  n 3
//	│    evidence of another adapter and workflow
//	╰  2     grok-4     1.029 of 2  ██████░░░░░░  x-ai/grok-4 on xai
//	     ...
//	     tied with gpt-5: 0.284 behind, within the margin of 0.3165

// TieGroups prints a result: the ranked candidates, and below them the excluded ones
// and why.
func (p *Printer) TieGroups(request string, r *v3.Result) {
	p.printOrigin(request, r.Catalog.Digest, r.Catalog.AsOf)
	if len(r.Ranked) > 0 {
		p.printRanked(r)
	} else if len(r.Excluded) > 0 {
		p.Print("No candidate is ranked.\n")
	} else {
		p.Print("The request has no candidates.\n")
	}
	var excluded []exclusion
	for i := range r.Excluded {
		c := &r.Excluded[i]
		excluded = append(excluded, exclusion{console.Clip(c.CandidateID), modelText(&c.Model, &c.Execution), obstacles(c.Reasons)})
	}
	p.printExcluded(excluded)
}

func (p *Printer) printRanked(r *v3.Result) {
	shared := sharedRemarks(r)
	candidates, ok := p.candidateRows(r, shared)
	if !ok {
		candidates = p.candidateBlocks(r, shared)
	}
	for i, lines := range candidates {
		isFirst := i == 0 || r.Ranked[i-1].TieGroup != r.Ranked[i].TieGroup
		isLast := i+1 == len(r.Ranked) || r.Ranked[i+1].TieGroup != r.Ranked[i].TieGroup
		for n, line := range lines {
			p.Print(bracket(isFirst, isLast, n == 0, n+1 == len(lines)) + "  " + line + "\n")
		}
	}
	const lineWidth = 80
	width := p.Width()
	if width == 0 || width > lineWidth {
		width = lineWidth
	}
	if len(shared) > 0 {
		p.Print("\n")
		for _, line := range console.Wrap("All ranked candidates: "+strings.Join(shared, "; ")+".", width) {
			p.Print(line + "\n")
		}
	}
	if len(r.Ranked) > 1 {
		p.Print("\n")
		for _, line := range console.Wrap(certaintyText(r), width) {
			p.Print(line + "\n")
		}
	}
}

// certaintyText says what the brackets mean, and at which confidence candidates were
// compared.
func certaintyText(r *v3.Result) string {
	if len(r.ScoreScale.Scales) == 0 {
		return "The request has no preferences: nothing but its tie breakers and the ids order the candidates."
	}
	confidence := quantity.Number(r.Statistics.Confidence) + " for each comparison"
	if r.Statistics.Correction != "none" {
		confidence = quantity.Number(r.Statistics.Confidence) + " for all " + strconv.FormatUint(r.Statistics.Comparisons, 10) + " comparisons together"
	}
	if r.Ranked[len(r.Ranked)-1].TieGroup == uint64(len(r.Ranked)) {
		return "No two candidates are tied, at a confidence of " + confidence + "."
	}
	return "A bracket holds candidates that this evidence cannot tell apart, at a confidence of " + confidence + "."
}

// besideBracket is how many columns a bracket and the space after it take.
const besideBracket = 3

// candidateRows returns the lines of each candidate where the terminal has room for
// them: its row of a table, what it got its score for, and remarks. It prints the names
// of the columns.
func (p *Printer) candidateRows(r *v3.Result, shared []string) (candidates [][]string, ok bool) {
	const margin = "  "
	width := p.Width()
	if width > 0 && width < widthOfTables {
		return nil, false
	}
	var summaries, scores console.Table
	summaries.Head(p.Out, "RANK", "CANDIDATE", "SCORE", "", "MODEL")
	for i := range r.Ranked {
		c := &r.Ranked[i]
		summaries.Add(console.Text(strconv.FormatUint(c.Rank, 10)), console.Text(console.Clip(c.CandidateID)),
			scoreCell(c.Score, r.ScoreScale.Maximum),
			console.Cell{Paint: p.Out.Bar, Lines: []string{scoreBar(c.Score, r.ScoreScale.Maximum)}, Spare: true}, console.Text(modelText(&c.Model, &c.Execution)))
		for _, reason := range scored(c.Reasons) {
			scores.Add(scoreCells(reason)...)
		}
	}
	room := 0
	if width > 0 {
		room = width - besideBracket
	}
	rows, ok := summaries.Fitting(room)
	details, fit := scores.Fitting(max(0, room-len(margin)))
	if !ok || !fit {
		return nil, false
	}
	head, rows, _ := strings.Cut(rows, "\n")
	p.Print(strings.Repeat(" ", besideBracket) + head + "\n")
	nextRow, nextScore := lineReader(rows), lineReader(details)
	for i := range r.Ranked {
		c := &r.Ranked[i]
		lines := []string{nextRow()}
		for range scored(c.Reasons) {
			lines = append(lines, margin+nextScore())
		}
		candidates = append(candidates, append(lines, p.remarkLines(r, c, shared, margin, room)...))
	}
	return candidates, true
}

// candidateBlocks returns the lines of each candidate where the terminal has little room.
func (p *Printer) candidateBlocks(r *v3.Result, shared []string) (candidates [][]string) {
	const margin, deeper = "  ", "    "
	room := p.Width() - besideBracket
	for i := range r.Ranked {
		c := &r.Ranked[i]
		lines := []string{strconv.FormatUint(c.Rank, 10) + "  " + p.Out.Heading.Sprint(console.Clip(c.CandidateID))}
		add := func(margin, text string) {
			for n, line := range console.Wrap(text, room-len(deeper)) {
				if n > 0 {
					margin = deeper
				}
				lines = append(lines, margin+line)
			}
		}
		add(margin, modelText(&c.Model, &c.Execution))
		add(margin, quantity.Number(c.Score)+" of "+quantity.Number(r.ScoreScale.Maximum))
		for _, reason := range scored(c.Reasons) {
			value, interval, basis := estimateText(reason.Actual, reason.Estimate)
			contribution := ""
			if reason.Contribution != nil {
				contribution = "+" + quantity.Number(*reason.Contribution) + " "
			}
			text := contribution + criterionText(reason) + " = " + value
			for _, more := range []string{interval, basis} {
				if more != "" {
					text += ", " + more
				}
			}
			add(margin, text)
		}
		candidates = append(candidates, append(lines, p.remarkLines(r, c, shared, margin, room)...))
	}
	return candidates
}

// sharedRemarks are the remarks that all ranked candidates have, which are said once: what
// was compared task by task, and what was carried over. Of two candidates each has its own.
func sharedRemarks(r *v3.Result) (shared []string) {
	const few = 2
	if len(r.Ranked) <= few {
		return nil
	}
	var pairs, transfers []string
	for i := range r.Ranked {
		c := &r.Ranked[i]
		transfers = append(transfers, transferRemark(c))
		if c.Comparison != nil { // the one with the highest score is compared with nobody
			pairs = append(pairs, pairsRemark(c.Comparison))
		}
	}
	for _, each := range [][]string{pairs, transfers} {
		slices.Sort(each)
		if each = slices.Compact(each); len(each) == 1 && each[0] != "" {
			shared = append(shared, each[0])
		}
	}
	return shared
}

// remarkLines are the remarks on a candidate, without those that all share, in lines of at
// most so many columns, any number if that is zero.
func (p *Printer) remarkLines(r *v3.Result, c *v3.Candidate, shared []string, margin string, room int) (lines []string) {
	for _, remark := range remarks(r, c) {
		if slices.Contains(shared, remark) {
			continue
		}
		parts := []string{remark}
		if room > 0 {
			parts = console.Wrap(remark, room-2*len(margin))
		}
		for n, part := range parts {
			if n > 0 {
				part = margin + part
			}
			lines = append(lines, margin+p.Out.Faint.Sprint(part))
		}
	}
	return lines
}

// bracket is the part of a bracket around a tie group that comes before a line: the first
// or the last one, or another, of its first or last candidate, or another.
func bracket(firstCandidate, lastCandidate, firstLine, lastLine bool) string {
	switch {
	case firstCandidate && lastCandidate:
		return " "
	case firstCandidate && firstLine:
		return "╭"
	case lastCandidate && lastLine:
		return "╰"
	}
	return "│"
}

// lineReader returns what reads a text line by line.
func lineReader(text string) func() string {
	return func() (line string) {
		line, text, _ = strings.Cut(text, "\n")
		return line
	}
}

// scored returns the reasons with numbers: of preferences, and of tie breakers.
func scored(reasons []v3.Reason) (list []*v3.Reason) {
	for i := range reasons {
		if reasons[i].Finding != nil && reasons[i].Expected == nil {
			list = append(list, &reasons[i])
		}
	}
	return list
}

// scoreCells are the cells of a reason with a number: what it contributed, what was
// measured, the value, its interval, and what that rests on.
func scoreCells(r *v3.Reason) []console.Cell {
	contribution := ""
	if r.Contribution != nil {
		contribution = "+" + quantity.Number(*r.Contribution)
	}
	value, interval, basis := estimateText(r.Actual, r.Estimate)
	return []console.Cell{console.Text(contribution), console.Text(criterionText(r)), console.Text(value), console.Text(interval), console.Text(basis)}
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

func criterionNames(ids []string) (names []string) {
	for _, id := range ids {
		names = append(names, criterionName(id))
	}
	return names
}

// estimateText says a value, its interval and what that rests on in words.
func estimateText(v v3.Value, e *v3.Estimate) (value, interval, basis string) {
	if e == nil {
		return scalarText(v.Scalar), "", ""
	}
	unit := string(e.Unit)
	n := quantity.Number(e.N)
	switch {
	case e.Method == "exact":
		basis = "exact"
	case e.Low == nil || e.High == nil:
		basis = "n " + n + ", no interval"
	case e.Method == "trials":
		basis = trialsText(e, unit)
	case e.Clusters != nil && float64(*e.Clusters) != e.N:
		basis = fmt.Sprintf("n %s in %d clusters", n, *e.Clusters)
	default:
		basis = "n " + n
	}
	if e.Low != nil && e.High != nil && e.Method != "exact" {
		interval = amount(*e.Low, unit) + " to " + amount(*e.High, unit)
	}
	return amount(e.Value, unit), interval, basis
}

// trialsText says how many of how many trials succeeded, or how many there were where that
// is no whole number.
func trialsText(e *v3.Estimate, unit string) string {
	const percentScale, close = 100, 1e-6
	successes := e.Value * e.N
	if unit == "percent" {
		successes /= percentScale
	}
	trials := quantity.Number(e.N) + " trials"
	if math.Abs(successes-math.Round(successes)) > close*e.N || successes > e.N {
		return trials
	}
	return quantity.Number(math.Round(successes)) + " of " + trials
}

// remarks says in words what else there is to know of a ranked candidate: what has no
// evidence, how it compares, what was carried over and what was overruled.
func remarks(r *v3.Result, c *v3.Candidate) (lines []string) {
	lines = obstacles(c.Reasons)
	if c.Coverage < 1 {
		all, known := len(r.ScoreScale.Scales), 0
		for i := range c.Reasons {
			if c.Reasons[i].Contribution != nil {
				known++
			}
		}
		lines = append(lines, evidenceText(known, all)+", for "+percent(c.Coverage)+" of the weight")
	}
	if c.Comparison != nil && len(r.ScoreScale.Scales) > 0 {
		lines = append(lines, comparisonLines(c.Comparison)...)
	}
	for _, remark := range []string{pairsRemark(c.Comparison), transferRemark(c)} {
		if remark != "" {
			lines = append(lines, remark)
		}
	}
	for i := range c.Evidence {
		if n := len(c.Evidence[i].Overruled); n > 0 {
			lines = append(lines, fmt.Sprintf("%s overruled for %s", quantity.Count(n, "observation"), criterionName(c.Evidence[i].Criterion)))
		}
	}
	return lines
}

// transferRemark says what was carried over from other executions; nothing if nothing was.
func transferRemark(c *v3.Candidate) string {
	if transferred := transferredDimensions(c.Reasons); len(transferred) > 0 {
		return "evidence of another " + enumeration(transferred)
	}
	return ""
}

// pairsRemark says what was compared task by task; nothing if nothing was.
func pairsRemark(c *v3.Comparison) string {
	if c != nil && len(c.Paired) > 0 {
		return "compared task by task: " + enumeration(criterionNames(c.Paired))
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

// comparisonLines say how a candidate compares with the leader of the tie group before
// it.
func comparisonLines(c *v3.Comparison) (lines []string) {
	leader := console.Clip(c.Leader)
	switch {
	case c.Margin == nil:
		lines = []string{"cannot be compared with " + leader}
		if len(c.Unknown) > 0 {
			lines = append(lines, "too little is known of "+enumeration(criterionNames(c.Unknown)))
		}
	case c.Outcome == "tied":
		lines = []string{fmt.Sprintf("tied with %s: %s behind, within the margin of %s", leader, quantity.Number(c.Difference), quantity.Number(*c.Margin))}
	default:
		lines = []string{fmt.Sprintf("told apart from %s: %s behind, beyond the margin of %s", leader, quantity.Number(c.Difference), quantity.Number(*c.Margin))}
	}
	return lines
}

// gapWords say what is wrong with evidence, by the status of a criterion.
var gapWords = map[string]string{
	"missing":      "no evidence",
	"stale":        "the evidence has expired",
	"conflict":     "the evidence contradicts itself",
	"incomparable": "the evidence cannot be compared",
	"ambiguous":    "the evidence is of several kinds",
}

// gapStatuses are the statuses that the codes of reasons stand for.
var gapStatuses = map[string]string{
	"MISSING_EVIDENCE":             "missing",
	"PREFERENCE_EVIDENCE_MISSING":  "missing",
	"TIE_BREAKER_EVIDENCE_MISSING": "missing",
	"STALE_EVIDENCE":               "stale",
	"CONFLICTING_EVIDENCE":         "conflict",
	"INCOMPARABLE_EVIDENCE":        "incomparable",
	"AMBIGUOUS_EVIDENCE":           "ambiguous",
}

// obstacles says in words what is wrong or missing.
func obstacles(reasons []v3.Reason) (lines []string) {
	for i := range reasons {
		r := &reasons[i]
		word, isGap := gapWords[gapStatuses[r.Code]]
		switch {
		case r.Code == "REQUIREMENT_NOT_MET":
			value, _, _ := estimateText(r.Actual, r.Estimate)
			expected := scalarText(r.Expected.Scalar)
			if r.Estimate != nil && r.Expected.Kind == '0' {
				expected = amount(r.Expected.Float(), string(r.Estimate.Unit))
			}
			lines = append(lines, criterionText(r)+" is "+value+missText(r.Summary, r.Actual.Kind == '0')+expected)
		case r.Code == "COVERAGE_TOO_LOW":
			lines = append(lines, fmt.Sprintf("there is evidence for %s of the weight, not for %s", percent(r.Actual.Float()), percent(r.Expected.Float())))
		case strings.HasSuffix(r.Summary, "more than one unit"):
			lines = append(lines, criterionText(r)+": the candidates have values in more than one unit")
		case strings.HasSuffix(r.Summary, "not numeric"):
			lines = append(lines, criterionText(r)+": the value is not a number")
		case isGap:
			line := criterionText(r) + ": " + word
			for _, a := range r.Ambiguity {
				line += ", by " + a.Dimension + " (" + ambiguousValues(a) + ")"
			}
			if r.Code == "INCOMPARABLE_EVIDENCE" && len(r.ExecutionApplicability.MismatchedDimensions) > 0 && len(r.ExecutionApplicability.MatchedKinds) == 0 {
				line += ": it is from another " + enumeration(r.ExecutionApplicability.MismatchedDimensions)
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// ambiguousValues lists the values of a dimension, at most a few.
func ambiguousValues(a v3.Ambiguity) string {
	const most = 5
	var list []string
	for _, v := range a.Values {
		text := string(v)
		if text == "null" {
			text = "none"
		}
		r := ijson.NewReader(text, "")
		if r.Kind() == '"' {
			text = r.String()
		}
		list = append(list, console.Clip(text))
	}
	if len(list) > most {
		list = append(list[:most], "and others")
	}
	return strings.Join(list, ", ")
}

// modelText names the model of a candidate, with its revision and quantization, and where
// it runs.
func modelText(m *v3.Model, e *v3.Execution) string {
	name := console.Clip(catalog.Model{ID: m.ID, Revision: string(m.Revision), Quantization: string(m.Quantization)}.Name())
	if e.Runtime != nil {
		name += " on " + console.Clip(e.Runtime.ID)
	}
	return name
}
