package rank

import (
	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// Result is what a request was answered. It is immutable and safe for
// concurrent use.
//
// It holds what was decided, not the evidence itself, which is looked up when
// the result is written: a result takes some hundred bytes for each cell of
// candidates and criteria, however many observations are behind it.
type Result struct {
	ranker  *Ranker
	request *Request
	cells   []cell // of the first candidate, of the second, and so on
	// By number of the candidate.
	excludes []bool
	scores   []float64
	// Numbers of candidates, in order.
	ranked, excluded []int
}

func newResult(k *Ranker, q *Request) *Result {
	n := len(q.candidates)
	return &Result{
		ranker:   k,
		request:  q,
		cells:    make([]cell, n*q.criteria()),
		excludes: make([]bool, n),
		scores:   make([]float64, n),
	}
}

// criteria is the number of criteria of all three kinds.
func (q *Request) criteria() int {
	return len(q.requirements) + len(q.preferences) + len(q.advisories)
}

// candidateCells are the cells of one candidate, in the order of the request.
type candidateCells struct{ requirements, preferences, advisories []cell }

func (r *Result) cellsOf(candidate int) candidateCells {
	n := r.request.criteria()
	all := r.cells[candidate*n:][:n]
	requirements, preferences := len(r.request.requirements), len(r.request.preferences)
	return candidateCells{all[:requirements], all[requirements:][:preferences], all[requirements+preferences:]}
}

// Digest is that of the catalog.
func (r *Result) Digest() string { return r.ranker.digest }

// AsOf is the instant that the catalog speaks for.
func (r *Result) AsOf() string { return r.ranker.asOf }

// Maximum is the highest score that a candidate can have: the sum of the weights.
func (r *Result) Maximum() float64 { return r.request.maximum }

// Placement is how a candidate came out.
type Placement struct {
	CandidateID string
	Model       catalog.Model
	Rank        int     // from 1, or 0 if it is excluded
	Score       float64 // 0 if it is excluded
	Reasons     []Reason
}

// Ranked returns the candidates that meet all requirements, the best first.
func (r *Result) Ranked() []Placement {
	list := make([]Placement, len(r.ranked))
	for i, candidate := range r.ranked {
		list[i] = r.placement(candidate)
		list[i].Rank = i + 1
	}
	return list
}

// Excluded returns the candidates that do not meet all requirements, by id.
func (r *Result) Excluded() []Placement {
	list := make([]Placement, len(r.excluded))
	for i, candidate := range r.excluded {
		list[i] = r.placement(candidate)
	}
	return list
}

func (r *Result) placement(candidate int) Placement {
	c := &r.request.candidates[candidate]
	p := Placement{CandidateID: c.id, Model: c.model, Score: r.scores[candidate]}
	for _, reason := range r.appendReasons(nil, candidate) {
		p.Reasons = append(p.Reasons, reason.export())
	}
	return p
}

// scalar returns the value in its public form.
func (v *value) scalar() catalog.Scalar {
	switch v.kind {
	case '0':
		return catalog.Scalar{Kind: '0', Text: string(v.appendJSON(nil))}
	case '"':
		return catalog.Scalar{Kind: '"', Text: ijson.NewReader(v.json, problem.InvalidCatalog).String()}
	}
	return catalog.Scalar{Kind: v.kind}
}

// appendJSON appends the value as canonical JSON.
func (v *value) appendJSON(dst []byte) []byte {
	if v.json == "" {
		return canonical.AppendNumber(dst, v.number)
	}
	return append(dst, v.json...)
}
