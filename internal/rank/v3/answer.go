package v3

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/quantity"
	"github.com/model-catalog-service/svc/service/record"
)

// This file is the answer of a ranking in sentences, made here once for everybody who shows it:
//
//	Take glm-5.2: at $0.0276 a task it is the cheapest of 7 candidates within 3 points of the best score.
//	It scores 79.65% for livebench.coding.score (95% confidence interval 71.3% to 86.1%, 117 questions).
//	That is 2.88 points below the best, gpt-5.5@effort=high, and saves $0.162 a task (85%).
//	The evidence does not tell the two apart.
//
// Every sentence can be checked against the result, and a test does.

// Answer returns the answer in sentences.
func (r *Ranking) Answer() Answer {
	a := Answer{Choice: []string{}, Notes: []string{}, Changes: []string{}}
	s := speaker{r}
	if len(r.ranked) == 0 {
		a.Choice = append(append(a.Choice, s.nobody()), s.cause()...)
		if text := s.disagreement(); text != "" {
			a.Choice = append(a.Choice, text)
		}
		return a
	}
	a.Choice = s.choice()
	a.Notes = append(a.Notes, s.notes()...)
	for _, f := range r.decision.flips {
		a.Changes = append(a.Changes, s.change(f))
	}
	a.Next = record.Text(s.next())
	return a
}

// speaker makes the sentences of a ranking.
type speaker struct{ *Ranking }

func (s *speaker) id(candidate int) string { return s.request.candidates[candidate].ID }

func (s *speaker) nobody() string {
	if len(s.excluded) == 0 {
		return "The request has no candidates."
	}
	return "No candidate is ranked: " + areExcluded(len(s.excluded)) + "."
}

func areExcluded(n int) string {
	if n == 1 {
		return "1 is excluded"
	}
	return quantity.Number(float64(n)) + " are excluded"
}

// counted returns the preferences that score.
func (s *speaker) counted() (list []int) {
	for k := range s.request.criteria[preference] {
		if s.request.criteria[preference][k].weight > 0 {
			list = append(list, k)
		}
	}
	return list
}

// name is what a criterion is about: its key, or its id.
func (c *criterion) name() string {
	if c.sum == nil {
		return c.key
	}
	return c.id
}

// choice says whom to take and why.
func (s *speaker) choice() (list []string) {
	d := s.decision
	if len(s.counted()) == 0 {
		return append(append(s.unscored(), s.span(d.chosen)...), s.offers()...)
	}
	isNothingKnown := !slices.ContainsFunc(s.ranked, func(i int) bool { return s.coverage[i] > 0 })
	if isNothingKnown {
		return []string{"No candidate has evidence for what is preferred."}
	}
	list = append(list, s.take())
	list = append(list, s.span(d.chosen)...)
	if text := s.value(d.chosen); text != "" {
		list = append(list, text)
	}
	if text := s.tieBreak(); text != "" {
		list = append(list, text)
	}
	switch {
	case len(s.ranked) == 1:
	case d.chosen == d.best:
		list = append(list, s.lead())
	default:
		list = append(list, s.price(), s.difference())
	}
	if c := s.coverage[d.chosen]; c < 1 {
		list = append(list, fmt.Sprintf("It has evidence for %s of the weight.", quantity.Phrase(100*c, "percent")))
	}
	return append(list, s.offers()...)
}

// tieBreak says what the choice has by the tie breaker that it was chosen by, other than the cost
// of a task, and what the best has.
func (s *speaker) tieBreak() string {
	d := s.decision
	for k := range s.request.criteria[tieBreaker] {
		c := &s.request.criteria[tieBreaker][k]
		cell, best := &s.cellsOf(d.chosen, tieBreaker)[k], &s.cellsOf(d.best, tieBreaker)[k]
		if s.request.choice == nil || s.request.choice.by != c.id || c.id == CostID || !cell.numeric() {
			continue
		}
		text := "Its " + c.name() + " is " + s.amount(c, cell.Number, cell)
		if d.chosen != d.best && best.numeric() {
			text += "; that of " + s.id(d.best) + " is " + s.amount(c, best.Number, best)
		}
		return text + "."
	}
	return ""
}

// offers says what else there is to know of where the choice is sold.
func (s *speaker) offers() (list []string) {
	for _, text := range []string{s.disagreement(), s.majorText(), s.call(s.decision.chosen)} {
		if text != "" {
			list = append(list, text)
		}
	}
	return list
}

// unscored says how candidates are ordered that no preference scores.
func (s *speaker) unscored() []string {
	first := s.ranked[0]
	meet := quantity.Count(len(s.ranked), "candidate") + " meet the requirements."
	if len(s.ranked) == 1 {
		meet = s.id(first) + " is the only candidate that meets the requirements."
	}
	for k := range s.request.criteria[tieBreaker] {
		c := &s.request.criteria[tieBreaker][k]
		if cell := &s.cellsOf(first, tieBreaker)[k]; cell.numeric() && len(s.ranked) > 1 {
			return []string{meet, fmt.Sprintf("You gave no preference, so candidates are sorted by %s: %s comes first, with %s.",
				c.name(), s.id(first), s.amount(c, cell.Number, cell))}
		}
	}
	if len(s.ranked) == 1 {
		return []string{meet}
	}
	return []string{meet, "You gave no preference, so candidates are sorted by id."}
}

// take says whom to take.
func (s *speaker) take() string {
	d := s.decision
	id := s.id(d.chosen)
	usd, isPriced := s.costOf(d.chosen)
	switch q := s.request.choice; {
	case len(s.ranked) == 1:
		return "Take " + id + ": it is the only candidate that is ranked."
	case q == nil && s.scores[s.ranked[1]] == s.scores[d.chosen]:
		return "Take " + id + ": it has the best score, as " + s.equals() + "."
	case q == nil:
		return "Take " + id + ": it has the " + s.superlative() + " of " + quantity.Count(len(s.ranked), "candidate") + "."
	case q.by == CostID && isPriced:
		return s.takeCheapest(id, usd)
	default:
		by := "the tie breakers"
		if q.by != "" {
			by = s.tieBreakerName(q.by)
		}
		n, _ := s.within()
		return fmt.Sprintf("Take %s: it is the first by %s of %s within %s of the best score.", id, by,
			quantity.Count(n, "candidate"), s.points(q.within))
	}
}

// superlative says what the first has the best of: the score, or the exact value that makes it.
func (s *speaker) superlative() string {
	list := s.counted()
	if len(list) > 1 {
		return "best score"
	}
	p := &s.request.criteria[preference][list[0]]
	for _, i := range s.ranked {
		if s.cellsOf(i, preference)[list[0]].estimate.basis != exact {
			return "best score"
		}
	}
	if p.direction == minimize {
		return "lowest " + p.name()
	}
	return "highest " + p.name()
}

// takeCheapest says that the choice costs least, with the task that this is the cost of.
func (s *speaker) takeCheapest(id string, usd float64) string {
	points, cost := s.points(s.request.choice.within), s.dollars(usd)+" a task"
	if c := s.request.cost; c != nil {
		cost += fmt.Sprintf(" of %s + %s tokens", number(int(c.input.N)), number(int(c.output.N)))
	}
	n, priced := s.within()
	switch {
	case n == 1:
		return fmt.Sprintf("Take %s: it has the best score, and no other candidate is within %s of it. It costs %s.", id,
			points, cost)
	case priced < n:
		return fmt.Sprintf("Take %s: at %s it costs least of the %d candidates within %s of the best score whose cost is "+
			"known.", id, cost, priced, points)
	}
	return fmt.Sprintf("Take %s: at %s it costs least of %d candidates within %s of the best score.", id, cost, n, points)
}

func (s *speaker) tieBreakerName(id string) string {
	for k := range s.request.criteria[tieBreaker] {
		if c := &s.request.criteria[tieBreaker][k]; c.id == id {
			return c.name()
		}
	}
	return id
}

// equals names those with the score of the first.
func (s *speaker) equals() string {
	var names []string
	for _, i := range s.ranked[1:] {
		if s.scores[i] == s.scores[s.ranked[0]] {
			names = append(names, s.id(i))
		}
	}
	const most = 3
	if len(names) > most {
		return "have " + quantity.Number(float64(len(names))) + " others"
	}
	if len(names) == 1 {
		return "has " + names[0]
	}
	return "have " + listed(names)
}

func listed(names []string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}

// within counts those whose score is close enough to the best, and those of them whose cost is
// known.
func (s *speaker) within() (n, priced int) {
	for _, i := range s.ranked {
		if s.scores[i] < s.scores[s.decision.best]-s.request.choice.within {
			break
		}
		n++
		if _, isKnown := s.costOf(i); isKnown {
			priced++
		}
	}
	return n, priced
}

// sole returns the only preference that scores, if its scale turns points of the score into points
// of its value.
func (s *speaker) sole() (k int, perPoint float64, unit string, ok bool) {
	list := s.counted()
	if len(list) != 1 {
		return 0, 0, "", false
	}
	k = list[0]
	e := &s.ends[k]
	p := &s.request.criteria[preference][k]
	if !e.known || e.log || e.low == e.high {
		return k, 0, "", false
	}
	return k, (e.high - e.low) / p.weight, s.cellsOf(s.decision.best, preference)[k].unit, true
}

// points says a difference of scores: in the unit of the value where that makes the score.
func (s *speaker) points(difference float64) string {
	const digits = 3
	_, perPoint, unit, ok := s.sole()
	switch {
	case ok && unit == "percent":
		return pointsText(quantity.Rounded(difference*perPoint, digits))
	case ok:
		return quantity.RoundedPhrase(difference*perPoint, unit, digits)
	}
	return pointsText(quantity.Rounded(difference, digits))
}

func pointsText(n string) string {
	if n == "1" {
		return "1 point"
	}
	return n + " points"
}

func (s *speaker) dollars(usd float64) string { return quantity.RoundedPhrase(usd, "USD", 3) }

// amount is a number of a criterion in its unit.
func (s *speaker) amount(c *criterion, f float64, cell *cell) string {
	if c.id == CostID {
		return s.dollars(f) + " a task"
	}
	return quantity.Phrase(f, cell.unit)
}

// value says what the chosen candidate has by the only preference, or its score.
func (s *speaker) value(candidate int) string {
	list := s.counted()
	if len(list) != 1 {
		text := "It scores " + quantity.Rounded(s.scores[candidate], 3) + " of " + quantity.Number(s.request.maximum)
		if i := s.scoreInterval(candidate); i.Known && i.Low < i.High {
			text += fmt.Sprintf(" (%s confidence interval %s to %s)", s.level(), quantity.Rounded(i.Low, 3),
				quantity.Rounded(i.High, 3))
		}
		return text + ", by " + s.preferences() + "."
	}
	c := &s.request.criteria[preference][list[0]]
	cell := &s.cellsOf(candidate, preference)[list[0]]
	if !cell.numeric() {
		return ""
	}
	text := "It has " + s.amount(c, cell.Number, cell) + " for " + c.name()
	if sure := s.sureness(cell); sure != "" {
		text += " (" + sure + ")"
	}
	return text + "."
}

// preferences names those that score.
func (s *speaker) preferences() string {
	var names []string
	for _, k := range s.counted() {
		names = append(names, s.request.criteria[preference][k].name())
	}
	const most = 4
	if len(names) > most {
		return quantity.Count(len(names), "preference")
	}
	return listed(names)
}

func (s *speaker) level() string { return quantity.Phrase(100*s.request.confidence, "percent") }

// sureness says the interval of a value and what it rests on.
func (s *speaker) sureness(c *cell) string {
	e := &c.estimate
	switch {
	case e.basis == exact:
		return ""
	case !e.isKnown() && e.tasks == 1:
		return "one task, so nothing is known of how sure that is"
	case !e.isKnown():
		return "how sure that is is not known"
	}
	const digits = 3
	text := fmt.Sprintf("%s confidence interval %s to %s", s.level(), quantity.RoundedPhrase(e.low, c.unit, digits),
		quantity.RoundedPhrase(e.high, c.unit, digits))
	switch e.basis {
	case benchmarkBasis:
		text += ", " + quantity.Number(e.trials) + " questions"
	case tasksBasis:
		text += " for other tasks of the kind, from " + quantity.Count(e.tasks, "task")
	case publishedBasis:
		text += ", as the source publishes"
	}
	return text
}

// lead says who cannot be told apart from the best.
func (s *speaker) lead() string {
	best, n := s.decision.best, len(s.ranked)-1
	if text := s.runnerUp(); text != "" {
		return text
	}
	switch known, alike := s.compared[best], n-s.worse[best]; {
	case !known:
		return "Nothing is known of how sure the scores are, so nobody is shown to be better."
	case s.better[best] > 0:
		are := "are"
		if s.better[best] == 1 {
			are = "is"
		}
		return fmt.Sprintf("On the tasks that both have, the evidence shows that %d of the %d others %s better.",
			s.better[best], n, are)
	case alike == 0:
		return "The evidence shows that it is better than " + everyOther(n) + "."
	case alike == n:
		return "The evidence does not tell it apart from " + everyOther(n) + "."
	default:
		return fmt.Sprintf("The evidence shows that it is better than %d of the %d others, and does not tell it apart from "+
			"%d.", n-alike, n, alike)
	}
}

// runnerUp names the second where exact numbers order the candidates, of which nothing is to be
// shown.
func (s *speaker) runnerUp() string {
	list := s.counted()
	if len(list) != 1 {
		return ""
	}
	c, second := &s.request.criteria[preference][list[0]], s.ranked[1]
	cell := &s.cellsOf(second, preference)[list[0]]
	if cell.estimate.basis != exact || s.cellsOf(s.decision.best, preference)[list[0]].estimate.basis != exact {
		return ""
	}
	return "Next is " + s.id(second) + ", with " + s.amount(c, cell.Number, cell) + "."
}

func everyOther(n int) string {
	if n == 1 {
		return "the other candidate"
	}
	return "any of the " + strconv.Itoa(n) + " others"
}

// price says what the choice gives up, and what it saves.
func (s *speaker) price() string {
	d := s.decision
	below := s.scores[d.best] - s.scores[d.chosen]
	text := "It has the score of the best, " + s.id(d.best)
	if below > 0 {
		text = "That is " + s.points(below) + " below the best, " + s.id(d.best)
	}
	dear, isKnown := s.costOf(d.best)
	cheap, isKnownToo := s.costOf(d.chosen)
	if !isKnown || !isKnownToo || cheap >= dear {
		return text + "."
	}
	return fmt.Sprintf("%s, and saves %s a task (%s).", text, s.dollars(dear-cheap),
		quantity.RoundedPhrase(100*(dear-cheap)/dear, "percent", 2))
}

// difference says whether the evidence tells the choice from the best.
func (s *speaker) difference() string {
	c := &s.decision.comparison
	switch {
	case !c.known:
		return "Too little is known to tell the two apart."
	case c.isShown() && c.difference > 0:
		return "The evidence shows that the best is better."
	case c.isShown():
		return "On the " + quantity.Count(c.shared, "task") + " that both have, the evidence shows that the choice is better."
	}
	return "The evidence does not tell the two apart."
}

// notes says what the answer takes as given.
func (s *speaker) notes() (list []string) {
	if c := s.request.cost; c != nil {
		list = append(list, s.task(c))
	}
	list = append(list, s.evidenceNotes()...)
	if n := len(s.excluded); n > 0 {
		list = append(list, quantity.Count(n, "candidate")+map[bool]string{true: " is", false: " are"}[n == 1]+" excluded.")
	}
	for _, note := range s.request.notes {
		list = append(list, note+".")
	}
	return list
}

// evidenceNotes says what the evidence of the ranked candidates is not sure of.
func (s *speaker) evidenceNotes() (list []string) {
	var inferred []string
	isLent := false
	for _, k := range s.counted() {
		p := &s.request.criteria[preference][k]
		for _, i := range s.ranked {
			cell := &s.cellsOf(i, preference)[k]
			if cell.estimate.size == inferredSize && !slices.Contains(inferred, p.name()) {
				inferred = append(inferred, p.name())
			}
			isLent = isLent || cell.scored && cell.scope.transferred&wholeExecution != 0
		}
	}
	if inferred != nil {
		list = append(list, "The number of questions of "+listed(inferred)+" is inferred from the scores; nobody publishes "+
			"it.")
	}
	if note := s.revisionNote(); note != "" {
		list = append(list, note)
	}
	if isLent {
		list = append(list, "The benchmark ran these models in its own harness, not as the candidates run.")
	}
	if s.hasEfforts() {
		list = append(list, "Prices do not count the extra tokens that more effort takes.")
	}
	return list
}

// task says what a task takes.
func (s *speaker) task(c *taskCost) string {
	text := "A task is " + TaskText(c.tokens())
	if usd, ok := s.costOf(s.decision.chosen); ok && c.requests.Known {
		text += fmt.Sprintf("; %s cost %s", countOf(c.requests.N, "task"), s.dollars(usd*float64(c.requests.N)))
	}
	return text + "."
}

// countOf is [quantity.Count] of a count that may be large.
func countOf(n uint64, noun string) string {
	if n == 1 {
		return quantity.Count(1, noun)
	}
	return quantity.Number(float64(n)) + " " + noun + "s"
}

// TaskText says what a task takes, such as 3,000 input tokens and 500 output tokens.
func TaskText(t *TaskTokens) string {
	parts := []string{quantity.Number(float64(t.Input)) + " input tokens", quantity.Number(float64(t.Output)) +
		" output tokens"}
	if t.CachedInput > 0 {
		parts = append(parts, quantity.Number(float64(t.CachedInput))+" cached tokens")
	}
	if t.CacheWrite > 0 {
		parts = append(parts, quantity.Number(float64(t.CacheWrite))+" tokens written to the cache")
	}
	return listed(parts)
}

// hasEfforts reports whether a model is priced that is ranked under several conditions, wherever it
// runs.
func (s *speaker) hasEfforts() bool {
	seen := map[string]record.Text{}
	for _, i := range s.ranked {
		c := &s.request.candidates[i]
		at := c.Model.ID
		condition, known := seen[at]
		if _, isPriced := s.costOf(i); isPriced && known && condition != c.Execution.Workflow.Condition {
			return true
		}
		seen[at] = c.Execution.Workflow.Condition
	}
	return false
}

// change says what would change the choice.
func (s *speaker) change(f flip) string {
	who := s.id(f.candidate)
	switch f.kind {
	case flipWeight:
		word := "above"
		if f.to < f.from {
			word = "below"
		}
		return fmt.Sprintf("With a weight %s %s for %s, not %s, the choice is %s.", word, quantity.Rounded(f.to, 3),
			s.criterionName(f.criterion), quantity.Number(f.from), who)
	case flipPrice:
		return fmt.Sprintf("If a task at %s cost less than %s, not %s, the choice would be %s.", who, s.dollars(f.to),
			s.dollars(f.from), who)
	case flipTolerance:
		if f.to < f.from {
			return fmt.Sprintf("With a tolerance below %s, not %s, the choice is %s.", s.points(f.to), s.points(f.from), who)
		}
		return fmt.Sprintf("With a tolerance of %s, not %s, the choice is %s.", s.points(f.to), s.points(f.from), who)
	}
	c := s.request.criteria[requirement][0]
	for _, q := range s.request.criteria[requirement] {
		if q.id == f.criterion {
			c = q
		}
	}
	unit := ""
	for k := range s.request.criteria[requirement] {
		if s.request.criteria[requirement][k].id == f.criterion {
			unit = s.cellsOf(f.candidate, requirement)[k].unit
		}
	}
	bound := "at least"
	if c.operator == atMost {
		bound = "at most"
	}
	return fmt.Sprintf("With %s of %s %s, not %s, the best is %s.", c.name(), bound, quantity.Phrase(f.to, unit),
		quantity.Phrase(f.from, unit), who)
}

// criterionName is the name of the criterion with an id.
func (s *speaker) criterionName(id string) string {
	for _, list := range s.request.criteria {
		for k := range list {
			if list[k].id == id {
				return list[k].name()
			}
		}
	}
	return id
}

// next says what would tell the two best apart.
func (s *speaker) next() string {
	n := s.decision.next
	if n == nil {
		return ""
	}
	of := "question"
	if n.isTasks {
		of = "task"
	}
	a, b := s.id(n.candidates[0]), s.id(n.candidates[1])
	const many = 100_000
	if n.questions > many {
		return fmt.Sprintf("No benchmark of a usual size tells %s and %s apart: it takes more than %s.", a, b,
			quantity.Count(many, of))
	}
	return fmt.Sprintf("About %s of %s for each would tell %s and %s apart.",
		quantity.Count(roundUp(n.questions), "more "+of), s.criterionName(n.criterion), a, b)
}

// roundUp rounds up to two digits, as an estimate deserves.
func roundUp(n int) int {
	step := 1
	for n/step >= 100 {
		step *= 10
	}
	return (n + step - 1) / step * step
}
