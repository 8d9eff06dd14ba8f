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

import "context"

// Rank evaluates a request. The only error is that of the context, which is
// looked at between candidates.
func (k *Ranker) Rank(ctx context.Context, q *Request) (*Result, error) {
	r := newResult(k, q)
	v := newEvaluation(k, q)
	for i := range q.candidates {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v.begin(&q.candidates[i])
		r.evaluate(v, i)
	}
	for i := range q.preferences {
		r.score(i)
	}
	r.order()
	return r, nil
}

// evaluate fills the cells of the candidate whose turn it is. The preferences
// of one that is excluded are left out.
func (r *Result) evaluate(v *evaluation, candidate int) {
	q, cells := r.request, r.cellsOf(candidate)
	for i := range q.requirements {
		c := &cells.requirements[i]
		*c = v.evaluate(&q.requirements[i].criterion)
		c.met = c.status == ok && q.requirements[i].meets(&c.value)
		if !c.met {
			r.excludes[candidate] = true
		}
	}
	if !r.excludes[candidate] {
		for i := range q.preferences {
			cells.preferences[i] = v.evaluate(&q.preferences[i].criterion)
		}
	}
	for i := range q.advisories {
		cells.advisories[i] = v.evaluate(&q.advisories[i].criterion)
	}
}
