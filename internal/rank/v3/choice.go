package v3

import (
	"cmp"
	"math"
	"slices"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/rank/statistics"
)

// This file chooses whom to take, and says what the choice hangs on.
//
// Without a choice in the request the best score is taken. With
//
//	"choice": { "within": 0.03, "by": "usd-per-task" }
//
// it is the cheapest of all whose score is at most 0.03 below the best. With scores of 0.73, 0.71
// and 0.69 and costs of 4, 1 and 0.5 dollars that is the second. It hangs on the tolerance: above
// 0.04 the third is taken, below 0.02 the first. And on the price: the first is taken once it costs
// less than 1.

// choice is how a request chooses.
type choice struct {
	within float64 // points of the score
	by     string  // id of a tie breaker, or "" for all of them
}

var choiceShape = ijson.NewSparseShape(
	ijson.Required("within", func(r requestReader, c *choice) {
		c.within = readNumber(r, "must be zero or more", func(f float64) bool { return f >= 0 })
	}),
	ijson.Optional("by", func(r requestReader, c *choice) { c.by = r.Text() }),
)

// costTerms is the most terms that the cost of a task has.
const costTerms = 4

// checkChoice holds a choice and a cost against the tie breakers. The request begins at start.
func (q *Request) checkChoice(r requestReader, start int) {
	hasID := func(id string) bool {
		return slices.ContainsFunc(q.criteria[tieBreaker], func(c criterion) bool { return c.id == id })
	}
	if q.cost != nil {
		for _, list := range q.criteria {
			if slices.ContainsFunc(list, func(c criterion) bool { return c.id == CostID }) {
				r.FailMember(start, "cost", "must be left out beside a criterion with the id %s, which it is", CostID)
			}
		}
	}
	switch {
	case q.choice == nil:
	case q.choice.by == "" && q.cost == nil && len(q.criteria[tieBreaker]) == 0:
		r.FailMember(start, "choice", "needs a tie breaker or a cost to choose by")
	case q.choice.by != "" && !hasID(q.choice.by) && (q.choice.by != CostID || q.cost == nil):
		r.FailMember(start, "choice", "must be by the id of a tie breaker, or by %s beside cost: %q is none", CostID,
			q.choice.by)
	}
}

// decision is whom to take, and what the choice hangs on.
type decision struct {
	best, chosen int        // numbers of candidates
	comparison   comparison // of the two, if they differ
	frontier     []frontierStep
	flips        []flip
	next         *nextMeasurement
}

// frontierStep is a candidate that no other beats in score and cost at once. The step up to it,
// from the next cheaper one, is shown or not.
type frontierStep struct {
	candidate  int
	isShown    bool
	isCompared bool // or else nothing is known, or there is no cheaper one
}

// flip is what would change the choice.
type flip struct {
	kind      flipKind
	criterion string // id, or ""
	candidate int    // who would be chosen
	from, to  float64
	distance  float64 // how far that is, as a share
}

type flipKind uint8

const (
	flipWeight flipKind = iota
	flipPrice
	flipTolerance
	flipRequirement
)

var flipNames = []string{"weight", "price", "tolerance", "requirement"}

// nextMeasurement is what would tell the two best apart.
type nextMeasurement struct {
	criterion  string
	candidates [2]int
	questions  int  // how many more for each, about
	isTasks    bool // whole tasks, where the number of questions is not known
}

// MaxFlips is how many flips a result names.
const MaxFlips = 5

// decide chooses among the ranked candidates.
func (r *Ranking) decide(x *comparer) {
	if len(r.ranked) == 0 {
		return
	}
	d := &decision{best: r.ranked[0], chosen: r.ranked[0]}
	r.decision = d
	if r.request.choice != nil {
		d.chosen = r.chooseWithin(r.request.choice.within)
	}
	if d.chosen != d.best {
		d.comparison = x.compare(d.best, d.chosen)
	}
	d.frontier = r.findFrontier(x)
	d.flips = r.findFlips(d)
	d.next = r.findNext(x)
}

// chooseWithin returns the first by the tie breakers of those whose score is at most so much below
// the best.
func (r *Ranking) chooseWithin(within float64) int {
	chosen := r.ranked[0]
	least := r.scores[chosen] - within
	for _, i := range r.ranked[1:] {
		if r.scores[i] < least {
			break
		}
		if r.compareBy(i, chosen) < 0 {
			chosen = i
		}
	}
	return chosen
}

// compareBy orders two candidates by the tie breaker that the choice names, or by all.
func (r *Ranking) compareBy(a, b int) int {
	by := ""
	if r.request.choice != nil {
		by = r.request.choice.by
	}
	return r.compareTieBreakers(a, b, by)
}

// costOf returns what a task costs at a candidate.
func (r *Ranking) costOf(candidate int) (usd float64, ok bool) {
	for k, cells := 0, r.cellsOf(candidate, tieBreaker); k < len(cells); k++ {
		if r.request.criteria[tieBreaker][k].id == CostID && cells[k].numeric() {
			return cells[k].Number, true
		}
	}
	return 0, false
}

// findFrontier returns who is not beaten on score and cost at once, the best score first.
func (r *Ranking) findFrontier(x *comparer) (list []frontierStep) {
	least := math.Inf(1)
	for i := 0; i < len(r.ranked); {
		// Of equal scores only the cheapest counts.
		cheapest, cost := -1, least
		j := i
		for ; j < len(r.ranked) && r.scores[r.ranked[j]] == r.scores[r.ranked[i]]; j++ {
			if usd, ok := r.costOf(r.ranked[j]); ok && usd < cost {
				cheapest, cost = r.ranked[j], usd
			}
		}
		if cheapest >= 0 {
			list = append(list, frontierStep{candidate: cheapest})
			least = cost
		}
		i = j
	}
	for i := range list[:max(0, len(list)-1)] {
		c := x.compare(list[i].candidate, list[i+1].candidate)
		list[i].isCompared, list[i].isShown = c.known, c.isShown() && c.difference > 0
	}
	return list
}

// findFlips returns what would change the choice, the nearest first.
func (r *Ranking) findFlips(d *decision) []flip {
	var list []flip
	if r.request.choice == nil {
		list = r.weightFlips(d.chosen)
	} else {
		list = append(r.toleranceFlips(d), r.priceFlip(d)...)
	}
	list = append(list, r.requirementFlips...)
	for i := range list {
		f := &list[i]
		f.distance = math.Abs(f.to-f.from) / max(math.Abs(f.from), math.Abs(f.to))
	}
	slices.SortStableFunc(list, func(a, b flip) int { return cmp.Compare(a.distance, b.distance) })
	return list[:min(len(list), MaxFlips)]
}

// weightFlips returns, for each preference, the nearest weights above and below its own at which
// another candidate has the score of the best.
func (r *Ranking) weightFlips(best int) (list []flip) {
	preferences := r.request.criteria[preference]
	if len(preferences) < 2 {
		return nil
	}
	for k := range preferences {
		p := &preferences[k]
		up, down := flip{to: math.Inf(1)}, flip{to: math.Inf(-1)}
		for _, i := range r.ranked {
			gain := r.cellsOf(i, preference)[k].normalized - r.cellsOf(best, preference)[k].normalized
			if i == best || gain == 0 {
				continue
			}
			to := p.weight + (r.scores[best]-r.scores[i])/gain
			f := flip{kind: flipWeight, criterion: p.id, candidate: i, from: p.weight, to: to}
			if gain > 0 && to > p.weight && to < up.to {
				up = f
			}
			if gain < 0 && to < p.weight && to >= 0 && to > down.to {
				down = f
			}
		}
		for _, f := range []flip{up, down} {
			if !math.IsInf(f.to, 0) {
				list = append(list, f)
			}
		}
	}
	return list
}

// toleranceFlips returns the nearest tolerances at which another candidate is chosen.
func (r *Ranking) toleranceFlips(d *decision) (list []flip) {
	within, best := r.request.choice.within, r.scores[d.best]
	for _, i := range r.ranked {
		if best-r.scores[i] > within && r.compareBy(i, d.chosen) < 0 {
			list = append(list, flip{kind: flipTolerance, candidate: i, from: within, to: best - r.scores[i]})
			break
		}
	}
	if below := best - r.scores[d.chosen]; below > 0 {
		other := d.best
		for _, i := range r.ranked {
			if r.scores[i] <= r.scores[d.chosen] {
				break
			}
			if r.compareBy(i, other) < 0 {
				other = i
			}
		}
		list = append(list, flip{kind: flipTolerance, candidate: other, from: within, to: below})
	}
	return list
}

// priceFlip returns the candidate within the tolerance whose cost is nearest above that of the
// chosen one.
func (r *Ranking) priceFlip(d *decision) (list []flip) {
	usd, ok := r.costOf(d.chosen)
	by := r.request.choice.by
	if tie := r.request.criteria[tieBreaker]; !ok || by != CostID && (by != "" || tie[0].id != CostID) {
		return nil
	}
	nearest := flip{from: math.Inf(1)}
	for _, i := range r.ranked {
		cost, ok := r.costOf(i)
		if i != d.chosen && ok && cost > usd && cost < nearest.from &&
			r.scores[i] >= r.scores[d.best]-r.request.choice.within {
			nearest = flip{kind: flipPrice, criterion: CostID, candidate: i, from: cost, to: usd}
		}
	}
	if !math.IsInf(nearest.from, 0) {
		list = append(list, nearest)
	}
	return list
}

// excludedScore returns the score of a candidate that one requirement by a number excludes, and
// that requirement, if the preferences have scales of their own. It may find none.
func (r *Ranking) excludedScore(v *evaluation, candidate int) (score float64, failed int, ok bool) {
	failed = -1
	for k, cells := 0, r.cellsOf(candidate, requirement); k < len(cells); k++ {
		if cells[k].met {
			continue
		}
		if failed >= 0 || !cells[k].numeric() || r.request.criteria[requirement][k].operator == equal {
			return 0, 0, false
		}
		failed = k
	}
	var contributions []float64
	for k := range r.request.criteria[preference] {
		p := &r.request.criteria[preference][k]
		if p.weight == 0 {
			continue
		}
		if p.scale == nil {
			return 0, 0, false
		}
		var c cell
		before := v.ids
		v.evaluate(p, &c)
		v.ids = before
		if !c.numeric() {
			return 0, 0, false
		}
		contributions = append(contributions, float64(p.scale.normalize(c.Number, p.direction)*p.weight))
	}
	return statistics.Sum(contributions), failed, failed >= 0 && contributions != nil
}

// findRequirementFlips returns, for each requirement, the candidate that it alone excludes and that
// would be the best by the most.
func (r *Ranking) findRequirementFlips(v *evaluation) {
	if len(r.ranked) == 0 {
		return
	}
	best := make(map[int]flip)
	scores := make(map[int]float64)
	for _, i := range r.excluded {
		if r.exclusions[i] != byRequirement {
			continue
		}
		v.begin(&r.request.candidates[i])
		score, k, ok := r.excludedScore(v, i)
		if known, is := scores[k]; !ok || score <= r.scores[r.ranked[0]] || is && score <= known {
			continue
		}
		c := &r.request.criteria[requirement][k]
		scores[k] = score
		best[k] = flip{kind: flipRequirement, criterion: c.id, candidate: i, from: c.number,
			to: r.cellsOf(i, requirement)[k].Number}
	}
	for k := range r.request.criteria[requirement] {
		if f, is := best[k]; is {
			r.requirementFlips = append(r.requirementFlips, f)
		}
	}
}

// findNext returns what would tell the two best apart, nil if they are or nothing is known: the
// preference whose margin is the widest, and about how many more questions or tasks, so that z
// standard errors are less than the difference of the scores.
func (r *Ranking) findNext(x *comparer) *nextMeasurement {
	if len(r.ranked) < 2 {
		return nil
	}
	a, b := r.ranked[0], r.ranked[1]
	difference := r.scores[a] - r.scores[b]
	if c := x.compare(a, b); !c.known || c.isShown() || difference == 0 {
		return nil
	}
	var next *nextMeasurement
	widest := 0.0
	for k := range x.counted {
		p, q := &x.parts[a][k], &x.parts[b][k]
		if !p.cell.scored || !q.cell.scored || p.cell.estimate.basis != q.cell.estimate.basis {
			continue
		}
		variance, atHand, ok := x.variance(k, p.cell, q.cell)
		width := max(p.below+q.above, q.below+p.above)
		if !ok || width <= widest {
			continue
		}
		z := x.quantiles.z()
		needed := math.Ceil(z*z*variance/(difference*difference)) - atHand
		if needed < 1 || needed > 1e9 {
			continue
		}
		widest = width
		next = &nextMeasurement{x.request.criteria[preference][x.counted[k]].id, [2]int{a, b}, int(needed),
			p.cell.estimate.basis == tasksBasis}
	}
	return next
}

// variance returns that of the difference of two contributions if each rested on one question or,
// if their number is not known, on one task; and how many there are.
func (x *comparer) variance(k int, p, q *cell) (variance, atHand float64, ok bool) {
	m := &x.request.criteria[preference][x.counted[k]].measure
	slope := x.slopes[k]
	switch p.estimate.basis {
	case benchmarkBasis:
		b, _ := m.bounds(p)
		width := b.High - b.Low
		for _, c := range []*cell{p, q} {
			share := (c.Number - b.Low) / width
			variance += float64(share * (1 - share) * width * width * slope * slope)
		}
		return variance, min(p.estimate.trials, q.estimate.trials), true
	case tasksBasis:
		for _, c := range []*cell{p, q} {
			means := make([]float64, len(c.tasks))
			for i := range c.tasks {
				means[i] = c.tasks[i].mean
			}
			variance += float64(statistics.MeanVariance(means) * float64(len(means)) * slope * slope)
		}
		return variance, float64(min(p.estimate.tasks, q.estimate.tasks)), true
	}
	return 0, 0, false
}
