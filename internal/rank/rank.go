// Package rank answers which of the models that a caller can launch should do
// a job, and on what evidence.
//
// A [Request] names the job, the candidates and the criteria; [ReadRequest]
// reads it strictly. A [Ranker] holds the index of one catalog. Its Rank
// evaluates every criterion for every candidate and returns a [Result]: the
// candidates that meet all requirements, by score, and those that do not, each
// with the reasons and the evidence.
//
// A result is a function of the catalog's content and the normalized request
// alone. The same bytes come out on every machine and architecture, whatever
// the order of observations, inventory and criteria was: texts are ordered by
// UTF-16 code units, numbers are added from left to right in the catalog's
// order, and no product is fused with a sum.
package rank

import (
	"context"
	"slices"
)

// Rank evaluates a request. The only error is that of the context.
func (k *Ranker) Rank(ctx context.Context, q *Request) (*Result, error) {
	r := newResult(k, q)
	v := newEvaluation(k, q)
	for i := range q.candidates {
		v.begin(&q.candidates[i])
		if err := r.evaluate(ctx, v, i); err != nil {
			return nil, err
		}
	}
	for i := range q.preferences {
		r.score(i)
	}
	r.order()
	return r, nil
}

// evaluate fills the cells of a candidate. The preferences of one that is
// excluded are left out.
func (r *Result) evaluate(ctx context.Context, v *evaluation, i int) error {
	q, cells := r.request, r.cellsOf(i)
	r.excludes[i] = false
	for n := range q.requirements {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := &cells.requirements[n]
		*c = v.evaluate(&q.requirements[n].criterion)
		c.met = c.status == ok && q.requirements[n].meets(&c.value)
		if !c.met {
			r.excludes[i] = true
		}
	}
	for n := range q.preferences {
		if r.excludes[i] {
			break
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		cells.preferences[n] = v.evaluate(&q.preferences[n].criterion)
	}
	for n := range q.advisories {
		if err := ctx.Err(); err != nil {
			return err
		}
		cells.advisories[n] = v.evaluate(&q.advisories[n].criterion)
	}
	return nil
}

// score adds what a preference contributes to the scores. The best of the
// candidates that have a number gets the whole weight, the worst nothing.
func (r *Result) score(preference int) {
	var scored []int
	low, high := 0.0, 0.0
	for i := range r.request.candidates {
		c := &r.cellsOf(i).preferences[preference]
		if r.excludes[i] || !c.numeric() {
			continue
		}
		if len(scored) == 0 {
			low, high = c.number, c.number
		}
		low, high = min(low, c.number), max(high, c.number)
		scored = append(scored, i)
	}
	p := &r.request.preferences[preference]
	for _, i := range scored {
		c := &r.cellsOf(i).preferences[preference]
		c.scored = true
		// The conversion keeps the product from being fused with the sum.
		c.contribution = float64(normalize(c.number, low, high, p.direction) * p.weight)
		r.scores[i] += c.contribution
	}
}

// order sorts the candidates, which stand by id: by score those that are
// ranked, by id those that are excluded.
func (r *Result) order() {
	for i := range r.request.candidates {
		if r.excludes[i] {
			r.excluded = append(r.excluded, i)
		} else {
			r.ranked = append(r.ranked, i)
		}
	}
	slices.SortStableFunc(r.ranked, func(a, b int) int {
		switch {
		case r.scores[a] > r.scores[b]:
			return -1
		case r.scores[a] < r.scores[b]:
			return 1
		}
		return 0
	})
}
