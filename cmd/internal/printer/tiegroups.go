package printer

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/quantity"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// This file is a result of version 3 for people. A candidate is a line, and below it is
// what it got its score for, and what was required. Brackets hold those that are too close to
// call. If there is one preference, what differs in score has the unit of its values:
//
//	   RANK  CANDIDATE  SCORE                     MODEL
//	╭  1     gpt-5      1.313 of 2  ████████░░░░  openai/gpt-5 on openai
//	│    +0.88    aider.polyglot.pass_rate_2      88%     83.1% to 91.62%   198 of 225 trials
//	│    +0.4333  livebench.agentic-coding.score  43.33%  7.745% to 78.92%  n 3
//	│    limits.context 400,000 tokens; price.output $10.00 per million tokens
//	│    measured with another adapter and workflow
//	╰  2     grok-4     1.029 of 2  ██████░░░░░░  x-ai/grok-4 on xai
//	     ...
//	     tied with gpt-5: 0.284 worse, within the margin of error of 0.3165

// TieGroups prints a result: the answer in a sentence, the ranked candidates, at most top
// of them, and below them the excluded ones and why.
func (p *Printer) TieGroups(request string, r *v3.Result, b *Background, top int) {
	before := p.Lines()
	p.printOrigin(request, r.Catalog.Digest, string(r.Catalog.AsOf))
	answer := b.answerText(r)
	if len(r.Ranked) == 0 {
		answer = strings.TrimSpace(answer + " " + b.causeText(r))
	}
	p.printProse(answer)
	if len(r.Ranked) > 0 {
		p.Print("\n")
		p.printRanked(r, b, top)
	}
	var excluded []exclusion
	for i := range r.Excluded {
		c := &r.Excluded[i]
		because, shared := b.obstacles(c.Reasons)
		excluded = append(excluded, exclusion{console.Printable(c.CandidateID), modelText(&c.Model, &c.Execution), because, shared})
	}
	p.printExcluded(excluded, top, len(r.Ranked) == 0)
	p.repeat(answer, before)
}

func (p *Printer) printRanked(r *v3.Result, b *Background, top int) {
	shared := b.sharedRemarks(r)
	shown := *r
	shown.Ranked = r.Ranked[:min(top, len(r.Ranked))]
	candidates, ok := p.candidateRows(&shown, b, shared.each)
	if !ok {
		candidates = p.candidateBlocks(&shown, b, shared.each)
	}
	for i, lines := range candidates {
		isFirst := i == 0 || r.Ranked[i-1].TieGroup != r.Ranked[i].TieGroup
		isLast := i+1 == len(r.Ranked) || r.Ranked[i+1].TieGroup != r.Ranked[i].TieGroup
		for n, line := range lines {
			p.Print(bracket(isFirst, isLast, n == 0, n+1 == len(lines)) + "  " + line + "\n")
		}
	}
	p.printRest(len(shown.Ranked), len(r.Ranked))
	sentences := slices.Concat(b.legends(&shown), shared.sentences)
	if text := b.expiryText(); text != "" && !isUnknown(r) {
		sentences = append(sentences, text)
	}
	if len(sentences) > 0 {
		p.Print("\n")
		p.printProse(strings.Join(sentences, " "))
	}
	if text := strings.TrimSpace(certaintyText(r, len(shown.Ranked)) + rangeText(&shown)); text != "" && len(r.Ranked) > 1 {
		p.Print("\n")
		p.printProse(text)
	}
}

// rangeText says what the ranges and counts beside values mean, if any has one.
func rangeText(r *v3.Result) string {
	isAny, isCounted, isBeyond, isSingle := false, false, false, false
	for i := range r.Ranked {
		for _, reason := range scored(r.Ranked[i].Reasons) {
			e := reason.Estimate
			if e == nil || e.Method == "exact" {
				continue
			}
			if e.Low == nil || e.High == nil {
				isSingle = isSingle || e.N == 1
				continue
			}
			isAny, isCounted = true, isCounted || e.Method != "trials"
			isBeyond = isBeyond || e.Unit == "percent" && (*e.Low < 0 || *e.High > 100)
		}
	}
	text := ""
	if isAny {
		text = " The range after a value is its confidence interval."
	}
	if isCounted {
		text += " n is the number of measurements."
	}
	if isBeyond {
		text += " Where a range goes beyond 0% or 100%, there are too few measurements to estimate it."
	}
	if isSingle {
		text += " A single measurement has no range, unless --trials names the key that counts its trials."
	}
	return text
}

// certaintyText says what the brackets mean, and at which confidence candidates were
// compared. There is none between exact numbers, and no bracket among the candidates shown
// if each is in a tie group of its own.
func certaintyText(r *v3.Result, shown int) string {
	if len(r.ScoreScale.Scales) == 0 {
		return "You gave no preference, so candidates are sorted by tie breakers and id."
	}
	isAnyTied := r.Ranked[len(r.Ranked)-1].TieGroup < uint64(len(r.Ranked))
	isCompared, isExact := false, true
	for i := range r.Ranked {
		if c := r.Ranked[i].Comparison; c != nil && c.Margin != nil {
			isCompared, isExact = true, isExact && *c.Margin == 0
		}
	}
	switch {
	case !isCompared || isUnknown(r):
		return ""
	case isExact && isAnyTied:
		if !isBracketed(r.Ranked, shown) {
			return ""
		}
		return "A bracket holds candidates with the same score."
	case isExact:
		return "No two candidates are tied: the numbers are exact."
	}
	confidence := percent(r.Statistics.Confidence) + " for each comparison"
	if r.Statistics.Correction != "none" {
		confidence = percent(r.Statistics.Confidence) + " for all " + strconv.FormatUint(r.Statistics.Comparisons, 10) + " comparisons together"
	}
	if !isAnyTied {
		return "No two candidates are tied, at a confidence of " + confidence + "."
	}
	return "Candidates in a bracket cannot be told apart from the best in it, at a confidence of " + confidence +
		". Candidates of different brackets may not differ, either."
}

// isBracketed reports whether any of the first candidates shares a tie group.
func isBracketed(ranked []v3.Candidate, shown int) bool {
	for i := range ranked[:min(shown, len(ranked)-1)] {
		if ranked[i].TieGroup == ranked[i+1].TieGroup {
			return true
		}
	}
	return false
}

// besideBracket is how many columns a bracket and the space after it take.
const besideBracket = 3

// candidateRows returns the lines of each candidate where the terminal has room for
// them: its row of a table, what it got its score for, and remarks. It prints the names
// of the columns.
func (p *Printer) candidateRows(r *v3.Result, b *Background, shared []string) (candidates [][]string, ok bool) {
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
			b.scoreCell(r, c),
			console.Cell{Paint: p.Out.Bar, Lines: []string{choose(c.Coverage == 0, "", scoreBar(c.Score, r.ScoreScale.Maximum))}, Spare: true}, console.Text(runText(c.CandidateID, &c.Model, &c.Execution)))
		for _, reason := range scored(c.Reasons) {
			scores.Add(b.scoreCells(r, reason)...)
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
		lines = append(lines, wrapped(b.factText(c), margin, room)...)
		candidates = append(candidates, append(lines, p.remarkLines(r, c, b, shared, margin, room)...))
	}
	return candidates, true
}

// candidateBlocks returns the lines of each candidate where the terminal has little room.
func (p *Printer) candidateBlocks(r *v3.Result, b *Background, shared []string) (candidates [][]string) {
	const margin = "  "
	room := p.Width() - besideBracket
	for i := range r.Ranked {
		c := &r.Ranked[i]
		head := strconv.FormatUint(c.Rank, 10) + "  " + p.Out.Heading.Sprint(console.Clip(c.CandidateID))
		if score := b.scoreCell(r, c).Lines; len(score) > 0 {
			head += "  " + score[0]
		}
		lines := []string{head}
		add := func(margin, text string) { lines = append(lines, wrapped(text, margin, room)...) }
		add(margin, runText(c.CandidateID, &c.Model, &c.Execution))
		for _, reason := range scored(c.Reasons) {
			value, interval, basis := b.estimate(reason)
			text := strings.TrimPrefix(contributionText(r, reason)+" "+criterionText(reason)+" = "+value, " ")
			for _, more := range []string{interval, basis} {
				if more != "" {
					text += ", " + more
				}
			}
			add(margin, text)
		}
		add(margin, b.factText(c))
		candidates = append(candidates, append(lines, p.remarkLines(r, c, b, shared, margin, room)...))
	}
	return candidates
}

// wrapped breaks a text into lines of at most so many columns, any number if that is zero, with
// a margin that is deeper from the second on. An empty text has none.
func wrapped(text, margin string, room int) (lines []string) {
	if text == "" {
		return nil
	}
	parts := []string{text}
	if room > 0 {
		parts = console.Wrap(text, room-2*len(margin))
	}
	for n, part := range parts {
		if n > 0 {
			part = margin + part
		}
		lines = append(lines, margin+part)
	}
	return lines
}

// scoreCell is the score of a candidate: in the unit of what was measured, if that alone makes
// it, otherwise beside the highest that there could be.
func (b *Background) scoreCell(r *v3.Result, c *v3.Candidate) console.Cell {
	if !b.score.isAlone && (c.Coverage > 0 || len(r.ScoreScale.Scales) != 1) {
		return scoreCell(c.Score, r.ScoreScale.Maximum)
	}
	for _, reason := range scored(c.Reasons) {
		if reason.Contribution != nil {
			value, _, _ := b.estimate(reason)
			return console.Text(value)
		}
	}
	return console.Text("unknown")
}

// factText says what a candidate has of what was required, in numbers, and is not shown anyhow,
// and what it costs in long requests:
//
//	limits.context 262,144 tokens; price.output $3.50 per million tokens
func (b *Background) factText(c *v3.Candidate) string {
	var parts []string
	seen := map[string]bool{}
	for _, reason := range scored(c.Reasons) {
		seen[criterionText(reason)] = true
	}
	for i := range c.Reasons {
		r := &c.Reasons[i]
		if r.Code != "REQUIREMENT_MET" || r.Actual.Kind != '0' || seen[criterionText(r)] {
			continue
		}
		seen[criterionText(r)] = true
		value, _, _ := b.estimate(r)
		parts = append(parts, criterionText(r)+" "+value)
	}
	if text := b.longPriceText(c); text != "" {
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

// remarksOfAll are the remarks that all ranked candidates have, and the sentences that say
// them once.
type remarksOfAll struct{ each, sentences []string }

// sharedRemarks are what was compared task by task, and what was carried over, where that
// holds for all ranked candidates. Of two candidates each has its own.
func (b *Background) sharedRemarks(r *v3.Result) (shared remarksOfAll) {
	const few = 2
	if len(r.Ranked) <= few {
		return shared
	}
	var pairs, transfers []string
	for i := range r.Ranked {
		c := &r.Ranked[i]
		transfers = append(transfers, transferRemark(c))
		if c.Comparison != nil { // the one with the highest score is compared with nobody
			pairs = append(pairs, pairsRemark(c.Comparison, keysOfPreferences(r, c)))
		}
	}
	for i, each := range [][]string{pairs, transfers} {
		slices.Sort(each)
		if each = slices.Compact(each); len(each) == 1 && each[0] != "" {
			shared.each = append(shared.each, each[0])
			begin, end := "All candidates were ", "."
			if i > 0 {
				begin = "All scores were "
				end = " than these candidates have. Your own runs will give other numbers. --explain ID shows the evidence."
			}
			shared.sentences = append(shared.sentences, begin+each[0]+end)
		}
	}
	return shared
}

// remarkLines are the remarks on a candidate, without those that all share, in lines of at
// most so many columns, any number if that is zero.
func (p *Printer) remarkLines(r *v3.Result, c *v3.Candidate, b *Background, shared []string, margin string, room int) (lines []string) {
	for _, remark := range b.remarks(r, c) {
		if slices.Contains(shared, remark) {
			continue
		}
		for _, line := range wrapped(remark, margin, room) {
			lines = append(lines, margin+p.Out.Faint.Sprint(line[len(margin):]))
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
func (b *Background) scoreCells(r *v3.Result, reason *v3.Reason) (cells []console.Cell) {
	if len(r.ScoreScale.Scales) > 1 {
		cells = append(cells, console.Text(contributionText(r, reason)))
	}
	value, interval, basis := b.estimate(reason)
	return append(cells, console.Text(criterionText(reason)), console.Text(value), console.Text(interval), console.Text(basis))
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

// preferenceKeys are the measurements of preferences by their ids, for those that are not
// sums. A translated request has ids like preference-001, which say nothing to people.
type preferenceKeys map[string]string

func keysOfPreferences(r *v3.Result, c *v3.Candidate) preferenceKeys {
	keys := preferenceKeys{}
	for _, s := range r.ScoreScale.Scales {
		for i := range c.Reasons {
			if reason := &c.Reasons[i]; string(reason.Criterion) == s.Criterion && reason.MeasurementKey != "" {
				keys[s.Criterion] = string(reason.MeasurementKey)
			}
		}
	}
	return keys
}

// names are preferences as people know them: by their measurements, or by their ids where
// several have the same.
func (k preferenceKeys) names(ids []string) (names []string) {
	count := map[string]int{}
	for _, key := range k {
		count[key]++
	}
	for _, id := range ids {
		name := criterionName(id)
		if key := k[id]; count[key] == 1 {
			name = console.Clip(key)
		}
		names = append(names, name)
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
func (b *Background) remarks(r *v3.Result, c *v3.Candidate) (lines []string) {
	lines, _ = b.obstacles(c.Reasons)
	if c.Coverage < 1 {
		all, known := len(r.ScoreScale.Scales), 0
		for i := range c.Reasons {
			if c.Reasons[i].Contribution != nil {
				known++
			}
		}
		lines = append(lines, evidenceText(known, all)+", for "+percent(c.Coverage)+" of the weight")
	}
	if c.Comparison != nil && len(r.ScoreScale.Scales) > 0 && c.Coverage > 0 {
		lines = append(lines, comparisonLines(c.Comparison, &b.score, keysOfPreferences(r, c))...)
	}
	for _, remark := range []string{pairsRemark(c.Comparison, keysOfPreferences(r, c)), transferRemark(c)} {
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
		return "measured with another " + enumeration(dimensionWords(transferred))
	}
	return ""
}

// dimensionWords are dimensions as people read them, each once, in order.
func dimensionWords(dimensions []string) (words []string) {
	for _, name := range dimensions {
		word, member, _ := strings.Cut(name, ".")
		switch word {
		case "model":
			word = member
		case "effectiveContextTokens":
			word = "length of context"
		case "toolSurface":
			word = "set of tools"
		}
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}

// pairsRemark says what was compared task by task; nothing if nothing was.
func pairsRemark(c *v3.Comparison, keys preferenceKeys) string {
	if c != nil && len(c.Paired) > 0 {
		return "compared task by task for " + enumeration(keys.names(c.Paired))
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
func comparisonLines(c *v3.Comparison, s *scale, keys preferenceKeys) (lines []string) {
	leader := console.Clip(c.Leader)
	switch {
	case c.Margin == nil:
		lines = []string{"cannot be compared with " + leader}
		if len(c.Unknown) > 0 {
			lines = append(lines, "too little is known of "+enumeration(keys.names(c.Unknown)))
		}
	case *c.Margin == 0 && c.Outcome == "tied":
		lines = []string{"the same score as " + leader}
	case *c.Margin == 0 && s.isAlone: // their values show it
	case *c.Margin == 0:
		lines = []string{fmt.Sprintf("%s worse than %s", s.distance(c.Difference), leader)}
	case c.Outcome == "tied":
		lines = []string{fmt.Sprintf("tied with %s: %s worse, within the margin of error of %s", leader, s.distance(c.Difference), s.distance(*c.Margin))}
	default:
		lines = []string{fmt.Sprintf("%s worse than %s, beyond the margin of error of %s", s.distance(c.Difference), leader, s.distance(*c.Margin))}
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

// obstacles says in words what is wrong or missing, and the same without the values of the
// candidate, each once: two bounds of one key lack the same evidence.
func (b *Background) obstacles(reasons []v3.Reason) (lines, shared []string) {
	for i := range reasons {
		r := &reasons[i]
		word, isGap := gapWords[gapStatuses[r.Code]]
		switch {
		case r.Code == "REQUIREMENT_NOT_MET":
			value, _, _ := b.estimate(r)
			expected := scalarText(r.Expected.Scalar)
			if r.Estimate != nil && r.Expected.Kind == '0' {
				expected = amount(r.Expected.Float(), b.unit(r.Criterion, r.Estimate))
			}
			miss := missText(b.criterion(r.Criterion).Operator, r.Actual.Kind == '0') + expected
			lines = append(lines, criterionText(r)+" is "+value+","+miss)
			shared = append(shared, criterionText(r)+" is"+miss)
			continue
		case r.Code == "COVERAGE_TOO_LOW":
			need := percent(r.Expected.Float())
			lines = append(lines, fmt.Sprintf("there is evidence for %s of the weight, not for %s", percent(r.Actual.Float()), need))
			shared = append(shared, "there is not evidence for "+need+" of the weight")
			continue
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
				line += ": it was measured with another " + enumeration(dimensionWords(r.ExecutionApplicability.MismatchedDimensions))
			}
			lines = append(lines, line)
		default:
			continue
		}
		shared = append(shared, lines[len(lines)-1])
	}
	return distinct(lines), distinct(shared)
}

// distinct leaves out what was said before.
func distinct(texts []string) (list []string) {
	for _, text := range texts {
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
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
