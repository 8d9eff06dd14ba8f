package v3

import (
	"math"
	"slices"

	"github.com/model-catalog-service/svc/internal/rank/statistics"
)

// This file compares candidates: whether the evidence shows that one is better than another.
//
// Every candidate is compared with every other, at a level at which all comparisons of one of them
// hold together: 1 - (1 - confidence) / (n - 1). Its rank interval reaches from one more than the
// number of candidates that are shown to be better, to as many as it is not shown to be better
// than. So a candidate that leaves never changes the order of the others.
//
// Where two candidates ran the same tasks, two or more, these alone are compared. If the number of
// their questions is known and the target is the benchmark, the two intervals decide by Newcombe's
// rule: the distance of the values against sqrt((a - low of a)^2 + (high of b - b)^2). Otherwise
// the differences of the task means decide, by Student's t. Candidates that share fewer than two
// tasks are compared by their intervals.
//
// Two candidates have 44 and 30 of the same 60 questions right. The intervals at 0.95 are 0.610 to
// 0.829 and 0.377 to 0.623, so that the margin is 0.176, and the difference of 0.233 is shown. By
// the spread of three task means nothing could be: t with two degrees of freedom is 4.3 standard
// errors.

// part is what a preference gives one candidate, at the level of comparisons.
type part struct {
	cell         *cell
	contribution float64
	below, above float64 // squares of how far the contribution may be lower or higher
	known        bool    // it has an interval
	canPair      bool    // its tasks can be compared with those of another candidate
}

// comparer compares the ranked candidates of a ranking.
type comparer struct {
	*Ranking
	quantiles *quantiles // of the level of comparisons
	parts     [][]part   // by candidate, of the preferences that count
	slopes    []float64  // of these: what one unit of the value contributes, more where more is better
	counted   []int      // numbers of these
	room      []float64

	kinds    []*kind // by candidate
	allKinds []*kind
	points   []point // by candidate

	// Of the current comparison.
	shared sharedTasks
	// by part
	differences, squares, squaresOther []float64
}

// comparison is whether one candidate is better than another.
type comparison struct {
	difference float64 // of the scores, on shared tasks where there are some
	margin     float64 // up to which it shows nothing
	known      bool    // or else nothing is known of the margin
	shared     int     // tasks that both have, if they decided
}

// isShown reports whether the difference is more than the margin.
func (c comparison) isShown() bool { return c.known && math.Abs(c.difference) > c.margin }

// comparisonLevel is that of each of n-1 comparisons that hold together.
func comparisonLevel(confidence float64, n int) float64 {
	return 1 - (1-confidence)/float64(max(1, n-1))
}

// newComparer prepares the comparisons of the ranked candidates.
func (r *Ranking) newComparer() *comparer {
	r.numberTasks()
	x := &comparer{Ranking: r, quantiles: newQuantiles(comparisonLevel(r.request.confidence, len(r.ranked))),
		parts: make([][]part, len(r.request.candidates))}
	if x.quantiles.level == r.quantiles.level {
		x.quantiles = r.quantiles
	}
	preferences := r.request.criteria[preference]
	for k := range preferences {
		e := &r.ends[k]
		if preferences[k].weight == 0 || !e.known || e.low == e.high {
			continue
		}
		slope := preferences[k].weight / (e.high - e.low)
		if preferences[k].direction == minimize {
			slope = -slope
		}
		x.counted, x.slopes = append(x.counted, k), append(x.slopes, slope)
	}
	for _, i := range r.ranked {
		cells := r.cellsOf(i, preference)
		for _, k := range x.counted {
			x.parts[i] = append(x.parts[i], x.part(k, &cells[k]))
		}
	}
	return x
}

// part returns what a preference gives a candidate.
func (x *comparer) part(k int, c *cell) part {
	p, e := &x.request.criteria[preference][k], &x.ends[k]
	out := part{cell: c, contribution: c.contribution}
	if !c.scored {
		return out
	}
	isInside := c.Number >= e.low && c.Number <= e.high
	out.canPair = isInside && !e.log && len(c.tasks) >= 2
	i := p.interval(c, x.quantiles)
	if !i.Known {
		return out
	}
	out.known = true
	if i.Low == c.Number && i.High == c.Number {
		return out
	}
	low, high := float64(e.normalize(i.Low, p.direction)*p.weight), float64(e.normalize(i.High, p.direction)*p.weight)
	if p.direction == minimize {
		low, high = high, low
	}
	out.below, out.above = (c.contribution-low)*(c.contribution-low), (high-c.contribution)*(high-c.contribution)
	return out
}

// compare compares candidate a with candidate b.
func (x *comparer) compare(a, b int) comparison { return x.compareBy(a, b, true) }

// compareIntervals compares candidates by their intervals, whatever they share.
func (x *comparer) compareIntervals(a, b int) comparison { return x.compareBy(a, b, false) }

// compareBy compares candidates by their intervals and, perhaps, by what they share.
func (x *comparer) compareBy(a, b int, isShared bool) (c comparison) {
	c.known = len(x.counted) > 0
	partsA, partsB := x.parts[a], x.parts[b]
	// Squares of the margins of the parts if a is better, and if b is.
	x.differences, x.squares, x.squaresOther = x.differences[:0], x.squares[:0], x.squaresOther[:0]
	for k := range partsA {
		p, q := &partsA[k], &partsB[k]
		if p.cell.scored != q.cell.scored {
			c.known = false
			continue
		}
		if !p.cell.scored || isShared && x.isSameEvidence(a, b, p.cell, q.cell) {
			continue
		}
		if isShared {
			by, shared := comparedParts(p, q, x.shared)
			x.shared = shared
			if n := len(shared[0]); n >= 2 {
				c.shared += n
			}
			if x.addShared(k, by, p.cell.tasks, q.cell.tasks) {
				continue
			}
		}
		c.known = c.known && p.known && q.known
		x.add(p.contribution-q.contribution, p.below+q.above, q.below+p.above)
	}
	c.difference = sum(x.differences)
	if c.difference < 0 {
		x.squares, x.squaresOther = x.squaresOther, x.squares
	}
	c.margin = math.Sqrt(sum(x.squares))
	c.known = c.known && !math.IsNaN(c.margin) && !math.IsInf(c.margin, 0)
	return c
}

// add adds a part of a comparison.
func (x *comparer) add(difference, square, squareOther float64) {
	x.differences, x.squares, x.squaresOther = append(x.differences, difference), append(x.squares, square),
		append(x.squaresOther, squareOther)
}

// sum is [statistics.Sum], in short for what has one order.
func sum(values []float64) float64 {
	switch len(values) {
	case 0:
		return 0
	case 1:
		return values[0]
	case 2:
		return values[0] + values[1]
	}
	return statistics.Sum(values)
}

// isSameEvidence reports whether two cells rest on the same observations.
func (x *comparer) isSameEvidence(a, b int, p, q *cell) bool {
	return x.models[a] == x.models[b] && len(p.observations) > 0 && slices.Equal(p.observations, q.observations)
}

// comparedBy is how a preference is compared.
type comparedBy uint8

const (
	byNothing   comparedBy = iota // there is no value
	byIntervals                   // of all that each has
	byQuestions                   // by intervals of the shared tasks, of which the number of questions is known
	byTasks                       // by the differences of the means of the shared tasks
)

// sharedTasks is where each of two candidates has the tasks that both have among its own.
type sharedTasks [2][]int

// comparedParts says how two parts are compared, and which tasks they share, in room that is used
// again.
func comparedParts(p, q *part, room sharedTasks) (by comparedBy, shared sharedTasks) {
	shared = sharedTasks{room[0][:0], room[1][:0]}
	if !p.cell.scored {
		return byNothing, shared
	}
	if !p.canPair || !q.canPair {
		return byIntervals, shared
	}
	a, b := p.cell.tasks, q.cell.tasks
	eachShared(a, b, func(i, j int) { shared[0], shared[1] = append(shared[0], i), append(shared[1], j) })
	n := len(shared[0])
	hasTrials := p.cell.estimate.basis == benchmarkBasis && q.cell.estimate.basis == benchmarkBasis
	switch {
	case n < 2 || hasTrials && n == len(a) && n == len(b):
		return byIntervals, shared
	case hasTrials:
		return byQuestions, shared
	}
	return byTasks, shared
}

// eachShared hands out where two lists have the tasks that they have in common.
func eachShared(p, q []taskMean, hand func(i, j int)) {
	for i, j := 0, 0; i < len(p) && j < len(q); {
		s, t := p[i].number, q[j].number
		if s == t && s >= 0 {
			hand(i, j)
		}
		if s <= t {
			i++
		}
		if t <= s {
			j++
		}
	}
}

// addShared adds a part that is compared on the tasks that two lists share. It fails where the
// intervals decide, as they do where all differences are the same.
func (x *comparer) addShared(k int, by comparedBy, p, q []taskMean) bool {
	switch by {
	case byQuestions:
		a, belowA, aboveA := x.onQuestions(k, tasksAt(p, x.shared[0]))
		b, belowB, aboveB := x.onQuestions(k, tasksAt(q, x.shared[1]))
		x.add(a-b, belowA+aboveB, belowB+aboveA)
		return true
	case byTasks:
		x.room = x.room[:0]
		for n, i := range x.shared[0] {
			x.room = append(x.room, p[i].mean-q[x.shared[1][n]].mean)
		}
		margin, known := statistics.SharedMargin(x.room, x.quantiles.t(len(x.room)-1))
		if !known && x.room[0] != 0 {
			return false
		}
		margin = float64(margin * x.slopes[k])
		x.add(statistics.Mean(x.room)*x.slopes[k], margin*margin, margin*margin)
		return true
	}
	return false
}

// tasksAt returns some tasks of a list.
func tasksAt(list []taskMean, at []int) []taskMean {
	tasks := make([]taskMean, len(at))
	for n, i := range at {
		tasks[n] = list[i]
	}
	return tasks
}

// onQuestions returns what some tasks give to the score of which the number of questions is known,
// and the squares of how far that may be lower or higher.
func (x *comparer) onQuestions(k int, tasks []taskMean) (value, below, above float64) {
	x.room = meansOf(x.room[:0], tasks)
	c := cell{tasks: tasks, estimate: estimate{basis: benchmarkBasis}}
	c.setNumber(statistics.Mean(x.room))
	i := x.request.criteria[preference][x.counted[k]].measure.interval(&c, x.quantiles)
	down, up := float64((c.Number-i.Low)*x.slopes[k]), float64((i.High-c.Number)*x.slopes[k])
	if x.slopes[k] < 0 {
		down, up = up, down
	}
	return float64(c.Number * x.slopes[k]), down * down, up * up
}

// meansOf appends the means of tasks.
func meansOf(dst []float64, tasks []taskMean) []float64 {
	for i := range tasks {
		dst = append(dst, tasks[i].mean)
	}
	return dst
}

// rankInterval returns the best and the worst rank that a candidate may have.
func (r *Ranking) rankInterval(candidate int) (low, high int) {
	return 1 + r.better[candidate], len(r.ranked) - r.worse[candidate]
}

// scoreInterval returns that of the score of a ranked candidate, from the intervals of its
// contributions.
func (r *Ranking) scoreInterval(candidate int) statistics.Interval {
	cells := r.cellsOf(candidate, preference)
	var below, above []float64
	for k := range cells {
		c, p, e := &cells[k], &r.request.criteria[preference][k], &r.ends[k]
		if p.weight == 0 || !c.scored {
			continue
		}
		if !c.estimate.isKnown() {
			return statistics.Interval{}
		}
		low, high := float64(e.normalize(c.estimate.low, p.direction)*p.weight),
			float64(e.normalize(c.estimate.high, p.direction)*p.weight)
		if p.direction == minimize {
			low, high = high, low
		}
		below = append(below, (c.contribution-low)*(c.contribution-low))
		above = append(above, (high-c.contribution)*(high-c.contribution))
	}
	if below == nil {
		return statistics.Interval{}
	}
	s := r.scores[candidate]
	return statistics.Interval{Low: max(0, s-math.Sqrt(statistics.Sum(below))),
		High: min(r.request.maximum, s+math.Sqrt(statistics.Sum(above))), Known: true}
}
