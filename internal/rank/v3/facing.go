package v3

import (
	"context"
	"math"

	"github.com/model-catalog-service/svc/internal/rank/statistics"
)

// This file compares candidates that share tasks, thousands with thousands. What tasks two
// candidates share, and how these are compared, depends on their kinds alone, so it is worked out
// once for two kinds. Each candidate then is a row of numbers, and of two rows
//
//	difference    score of a - score of b
//	margin^2      below of a + above of b + the squares of differences of their deviations
//
// where the deviations are those of the task means from the mean of the shared tasks, each times
// t / sqrt(n (n - 1)), so that their squares add up to the square of the margin.

// facing is candidates of two kinds, or twice of one, that share tasks.
type facing struct {
	*comparer
	kinds   [2]*kind
	rows    [2][]row
	parts   []facingPart
	spreads []spread
}

// spread is where the deviations of a preference end in a row.
type spread struct {
	end   int
	least float64 // what the sum of the squares of their differences is at least, if it is not rounding alone
}

// facingPart is how a preference is compared.
type facingPart struct {
	by     comparedBy
	shared sharedTasks
}

// row is what a candidate is compared by.
type row struct {
	candidate           int
	model               *model
	score, below, above float64
	deviations          []float64
	known               bool // each interval is
}

// tooFar is how many times the scale a score may be for rounding to be less than the slack.
const tooFar = 1e3

// shares reports whether tasks that both have, and not the intervals alone, decide between a
// candidate of one kind and another of the other.
func (x *comparer) shares(k, other *kind) bool {
	if k.scored != other.scored {
		return false
	}
	by := byNothing
	for i := range k.parts {
		if by, x.shared = comparedParts(&k.parts[i], &other.parts[i], x.shared); by > byIntervals {
			return true
		}
	}
	return false
}

// face returns how the candidates of two kinds are compared, nil if they share no tasks.
func (x *comparer) face(k, other *kind) *facing {
	if !x.shares(k, other) {
		return nil
	}
	f := &facing{comparer: x, kinds: [2]*kind{k, other}, parts: make([]facingPart, len(k.parts))}
	end := 0
	for i := range f.parts {
		p := &f.parts[i]
		if p.by, p.shared = comparedParts(&k.parts[i], &other.parts[i], sharedTasks{}); p.by == byTasks {
			n := len(p.shared[0])
			end += n + n%2
			f.spreads = append(f.spreads, spread{end, f.squareSlack() * x.spreadFactor(n)})
		}
	}
	f.rows[0] = f.rowsOf(0)
	if f.rows[1] = f.rows[0]; k != other {
		f.rows[1] = f.rowsOf(1)
	}
	return f
}

// spreadFactor is by how much the square of the margin of n tasks is more than the squares of their
// deviations.
func (x *comparer) spreadFactor(n int) float64 {
	t := x.quantiles.t(n - 1)
	return t * t / float64(n*(n-1))
}

// rowsOf returns the rows of one of the two kinds.
func (f *facing) rowsOf(side int) []row {
	candidates := f.kinds[side].candidates
	rows := make([]row, len(candidates))
	for i, candidate := range candidates {
		r := &rows[i]
		*r = row{candidate: candidate, model: f.models[candidate], known: true}
		for k := range f.parts {
			f.addPart(r, k, f.parts[k].shared[side])
		}
		if math.Abs(r.score) > tooFar*f.request.maximum {
			r.score = math.NaN() // so that sums decide nothing
		}
	}
	return rows
}

// addPart adds to a row what a preference gives it.
func (f *facing) addPart(r *row, k int, shared []int) {
	p := &f.comparer.parts[r.candidate][k]
	switch by := f.parts[k].by; by {
	case byIntervals:
		r.score += p.contribution
		r.below += p.below
		r.above += p.above
		r.known = r.known && p.known
	case byQuestions, byTasks:
		zero := f.ends[f.counted[k]].low * f.slopes[k]
		tasks := tasksAt(p.cell.tasks, shared)
		if by == byQuestions {
			value, below, above := f.onQuestions(k, tasks)
			r.score += value - zero
			r.below += below
			r.above += above
			return
		}
		f.room = meansOf(f.room[:0], tasks)
		mean := statistics.Mean(f.room)
		r.score += mean*f.slopes[k] - zero
		factor := math.Sqrt(f.spreadFactor(len(tasks))) * f.slopes[k]
		for i := range tasks {
			r.deviations = append(r.deviations, (tasks[i].mean-mean)*factor)
		}
		if len(tasks)%2 == 1 {
			r.deviations = append(r.deviations, 0) // see squareDistance
		}
	}
}

// compare compares all candidates of one kind with all of the other, in place of their intervals.
func (f *facing) compare(ctx context.Context) error {
	points := f.pointsOf(f.kinds[0].candidates...)
	isSame := f.kinds[0] == f.kinds[1]
	if others := points; isSame {
		f.sweep(points, others, -1)
	} else {
		others = f.pointsOf(f.kinds[1].candidates...)
		f.sweep(points, others, -1)
		f.sweep(others, points, -1)
	}
	for i := range f.rows[0] {
		if err := ctx.Err(); err != nil {
			return err
		}
		rest := f.rows[1]
		if isSame {
			rest = rest[i+1:]
		}
		f.compareRow(&f.rows[0][i], rest)
	}
	return nil
}

// compareRow compares a candidate with others.
func (f *facing) compareRow(a *row, others []row) {
	for i := range others {
		b := &others[i]
		if a.model == b.model {
			f.count(a.candidate, b.candidate, f.comparer.compare(a.candidate, b.candidate))
			continue
		}
		if !a.known || !b.known {
			continue
		}
		switch order, isDecided := f.decide(a, b); {
		case !isDecided:
			f.count(a.candidate, b.candidate, f.comparer.compare(a.candidate, b.candidate))
			continue
		case order > 0:
			f.worse[a.candidate]++
			f.better[b.candidate]++
		case order < 0:
			f.worse[b.candidate]++
			f.better[a.candidate]++
		}
		f.compared[a.candidate], f.compared[b.candidate] = true, true
	}
}

// squareSlack is the slack of squares.
func (x *comparer) squareSlack() float64 { return slack * x.request.maximum * x.request.maximum }

// decide returns 1 if a is shown to be better than b, -1 if b is, and 0 if neither is. It fails
// where rounding might decide.
func (f *facing) decide(a, b *row) (order int, isDecided bool) {
	difference, square, order := a.score-b.score, a.below+b.above, 1
	if difference < 0 {
		difference, square, order = -difference, b.below+a.above, -1
	}
	start := 0
	for _, s := range f.spreads {
		sum := squareDistance(a.deviations[start:s.end], b.deviations[start:s.end])
		if sum < s.least { // perhaps there is no spread
			return 0, false
		}
		square += sum
		start = s.end
	}
	const coarse = 1e-6 // more than what spreads are off
	off, squareOff := slack*f.request.maximum, f.squareSlack()
	switch least, most := difference-off, difference+off; {
	case least > 0 && least*least > square*(1+coarse)+squareOff:
		return order, true
	case least > 0 && most*most < square*(1-coarse)-squareOff:
		return 0, true
	}
	return 0, false
}

// squareDistance adds up the squares of differences, in two sums, for which a processor need not
// wait for each other. The lists have even lengths.
func squareDistance(p, q []float64) float64 {
	even, odd := 0.0, 0.0
	for len(p) >= 2 && len(q) >= 2 {
		d, e := p[0]-q[0], p[1]-q[1]
		even += d * d
		odd += e * e
		p, q = p[2:], q[2:]
	}
	return even + odd
}
