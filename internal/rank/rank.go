// Package rank answers which of the models that a caller can launch should do a job,
// and on what evidence.
//
// A [Request] names the job, the candidates and the criteria; [ReadRequest] reads it
// strictly. A [Ranker] holds the index of one catalog. Its Rank evaluates every
// criterion for every candidate, once, and returns a [Result]: the candidates that meet
// all requirements, by score, and those that do not, each with reasons and evidence.
//
// # Evaluation
//
// A criterion asks for a measurement under a task and an execution. What a catalog has
// on it makes one value, or says why there is none: nothing is known, what is known has
// expired, facts contradict each other, or the values cannot be compared. A requirement
// without a value excludes its candidate. A preference gives each candidate that has a
// value its weight times the place of that value between the worst and the best one:
// with prices of 0.5, 2 and 12 and weight 2 the contributions are 2, 1.739... and 0.
// Where all values are equal each gets the whole weight. The score is the sum.
//
// # The same bytes everywhere
//
// A result is a function of the catalog's content and the normalized request alone. The
// same bytes come out on every machine and architecture, whatever the order of
// observations, inventory and criteria was: texts are ordered by UTF-16 code units,
// numbers are added from left to right in the catalog's order, and no product is fused
// with a sum.
package rank

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// Rank evaluates a request. The only error is that of the context, which is
// looked at between candidates.
func (k *Ranker) Rank(ctx context.Context, q *Request) (*Result, error) {
	r := newResult(k, q)
	e := newEvaluator(k, q)
	for i := range q.candidates {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e.turnTo(&q.candidates[i])
		r.evaluate(e, i)
	}
	for i := range q.preferences {
		r.score(i)
	}
	r.order()
	return r, nil
}

// evaluate fills the cells of the candidate whose turn it is. The preferences
// of one that is excluded are left out.
func (r *Result) evaluate(e *evaluator, candidate int) {
	q, cells := r.request, r.cellsOf(candidate)
	for i := range q.requirements {
		c := &cells.requirements[i]
		*c = e.evaluate(&q.requirements[i].criterion)
		c.met = c.status == ok && q.requirements[i].meets(&c.Value)
		if !c.met {
			r.excludes[candidate] = true
		}
	}
	if !r.excludes[candidate] {
		for i := range q.preferences {
			cells.preferences[i] = e.evaluate(&q.preferences[i].criterion)
		}
	}
	for i := range q.advisories {
		cells.advisories[i] = e.evaluate(&q.advisories[i].criterion)
	}
}

// score adds what a preference contributes to the scores. The best of the
// candidates that have a number gets the whole weight, the worst nothing.
func (r *Result) score(preference int) {
	var scored []int
	low, high := 0.0, 0.0
	for i := range r.request.candidates {
		c := &r.cellsOf(i).preferences[preference]
		if !c.isNumber() { // as is that of a candidate that is excluded
			continue
		}
		if len(scored) == 0 {
			low, high = c.Number, c.Number
		}
		low, high = min(low, c.Number), max(high, c.Number)
		scored = append(scored, i)
	}
	p := &r.request.preferences[preference]
	for _, i := range scored {
		c := &r.cellsOf(i).preferences[preference]
		c.scored = true
		// The conversion keeps the product from being fused with the sum.
		c.contribution = float64(normalize(c.Number, low, high, p.direction) * p.weight)
		r.scores[i] += c.contribution
	}
}

// normalize places v between low and high: 1 at the better end, 0 at the worse,
// 1 if they are one.
func normalize(v, low, high float64, direction string) float64 {
	if low == high {
		return 1
	}
	if math.IsInf(high-low, 1) {
		v, low, high = v/2, low/2, high/2
	}
	if direction == minimize {
		return (high - v) / (high - low)
	}
	return (v - low) / (high - low)
}

// order sorts the candidates, which come by id: by score those that are ranked,
// by id those that are excluded.
func (r *Result) order() {
	for i := range r.request.candidates {
		if r.excludes[i] {
			r.excluded = append(r.excluded, i)
		} else {
			r.ranked = append(r.ranked, i)
		}
	}
	slices.SortStableFunc(r.ranked, func(a, b int) int { return cmp.Compare(r.scores[b], r.scores[a]) })
}
