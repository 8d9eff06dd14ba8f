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
	below, above float64   // squares of how far the contribution may be lower or higher
	known        bool      // it has an interval
	canPair      bool      // its tasks can be compared with those of another candidate
	deviations   []float64 // of the task means from the value, in points of the score, where their spread decides
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

	tasksA, tasksB []taskMean // that both candidates of the current comparison have

	// Of the current comparison, by part.
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
		if isShared && p.canPair && q.canPair {
			if d := x.pair(k, p.cell, q.cell); d.shared >= 2 {
				c.shared += d.shared
				if !d.isWhole {
					x.add(d.difference, d.square, d.squareOther)
					continue
				}
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

// pairing is a comparison of two cells on the tasks that both have, in points of the score.
type pairing struct {
	difference          float64
	square, squareOther float64 // of the margin if the first is better, and if the other is
	shared              int
	isWhole             bool // the intervals of the cells decide: neither has other tasks
}

// pair compares two cells on the tasks that both have.
func (x *comparer) pair(k int, p, q *cell) (d pairing) {
	x.tasksA, x.tasksB = x.tasksA[:0], x.tasksB[:0]
	eachShared(p.tasks, q.tasks, func(s, t *taskMean) { x.tasksA, x.tasksB = append(x.tasksA, *s), append(x.tasksB, *t) })
	d.shared = len(x.tasksA)
	hasTrials := p.estimate.basis == benchmarkBasis && q.estimate.basis == benchmarkBasis
	switch {
	case d.shared < 2:
	case hasTrials && d.shared == len(p.tasks) && d.shared == len(q.tasks):
		d.isWhole = true
	case hasTrials:
		x.pairBenchmark(k, &d)
	default:
		x.pairTasks(k, &d)
	}
	return d
}

// eachShared hands out the tasks that two lists have in common.
func eachShared(p, q []taskMean, hand func(s, t *taskMean)) {
	for i, j := 0, 0; i < len(p) && j < len(q); {
		s, t := &p[i], &q[j]
		if s.number <= t.number {
			i++
		}
		if t.number <= s.number {
			j++
		}
		if s.number == t.number && s.number >= 0 {
			hand(s, t)
		}
	}
}

// pairTasks decides by the differences of the means of the shared tasks.
func (x *comparer) pairTasks(k int, d *pairing) {
	x.room = x.room[:0]
	for i := range x.tasksA {
		x.room = append(x.room, x.tasksA[i].mean-x.tasksB[i].mean)
	}
	margin, known := statistics.SharedMargin(x.room, x.quantiles.t(d.shared-1))
	if !known && x.room[0] != 0 {
		d.isWhole = true // the intervals decide where all differences are the same
		return
	}
	margin = float64(margin * x.slopes[k])
	d.difference = statistics.Mean(x.room) * x.slopes[k]
	d.square, d.squareOther = margin*margin, margin*margin
}

// pairBenchmark decides by the intervals that the shared tasks alone give.
func (x *comparer) pairBenchmark(k int, d *pairing) {
	p := &x.request.criteria[preference][x.counted[k]]
	var values, below, above [2]float64
	for side, tasks := range [][]taskMean{x.tasksA, x.tasksB} {
		x.room = x.room[:0]
		for i := range tasks {
			x.room = append(x.room, tasks[i].mean)
		}
		c := cell{tasks: tasks, estimate: estimate{basis: benchmarkBasis}}
		c.setNumber(statistics.Mean(x.room))
		i := p.measure.interval(&c, x.quantiles)
		down, up := float64((c.Number-i.Low)*x.slopes[k]), float64((i.High-c.Number)*x.slopes[k])
		if x.slopes[k] < 0 {
			down, up = up, down
		}
		values[side], below[side], above[side] = c.Number*x.slopes[k], down*down, up*up
	}
	d.difference = values[0] - values[1]
	d.square, d.squareOther = below[0]+above[1], below[1]+above[0]
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
