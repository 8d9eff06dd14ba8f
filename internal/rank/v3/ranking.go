package v3

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/model-catalog-service/svc/internal/rank"
	"github.com/model-catalog-service/svc/internal/rank/index"
)

// Ranking is what a request was answered. It is immutable and safe for concurrent
// use. [Ranking.AppendJSON] writes it, and [ReadResult] makes a [Result] of that.
type Ranking struct {
	ranker  *Ranker
	request *Request
	cells   []cell     // of the first candidate, of the second, and so on
	start   [roles]int // of the criteria of a role among the cells of a candidate
	width   int        // number of cells of a candidate

	// By number of the candidate.
	models      []*model
	exclusions  []exclusion
	coverage    []float64
	scores      []float64
	comparisons []comparison
	tieGroups   []int

	ends     []ends  // by preference
	pairs    int     // of candidates that are ranked
	quantile float64 // z of comparisons

	// Numbers of candidates.
	ranked   []int // the best first
	excluded []int // by id
}

// exclusion is why a candidate is excluded, if it is.
type exclusion uint8

const (
	notExcluded exclusion = iota
	byRequirement
	byCoverage
)

var exclusionNames = []string{"", "requirement", "coverage"}

// ends are those of the scale that a preference had, if it had any.
type ends struct {
	scale
	known bool
}

// shortestID is the fewest bytes that an observation takes in a result: its id in
// quotes.
const shortestID = 66

// Rank evaluates a request. If limit is above zero and the result would surely be
// longer, the evaluation ends early with a *rank.TooLargeError, so that it never holds
// much more than such a result lists. The only other error is that of the context,
// which is looked at between criteria and between comparisons.
func (k *Ranker) Rank(ctx context.Context, q *Request, limit int) (*Ranking, error) {
	n := len(q.candidates)
	r := &Ranking{
		ranker: k, request: q,
		models: make([]*model, n), exclusions: make([]exclusion, n), coverage: make([]float64, n),
		scores: make([]float64, n), comparisons: make([]comparison, n), tieGroups: make([]int, n),
		ends: make([]ends, len(q.criteria[preference])),
	}
	for role, list := range q.criteria {
		r.start[role] = r.width
		r.width += len(list)
	}
	r.cells = make([]cell, n*r.width)
	if err := r.evaluate(ctx, limit); err != nil {
		return nil, err
	}
	if err := r.place(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

// cellsOf returns the cells of a candidate in the criteria of a role.
func (r *Ranking) cellsOf(candidate int, role role) []cell {
	start := candidate*r.width + r.start[role]
	return r.cells[start:][:len(r.request.criteria[role])]
}

// isEvaluated reports whether the criteria of a role are evaluated for a candidate.
func (r *Ranking) isEvaluated(candidate int, role role) bool {
	switch r.exclusions[candidate] {
	case byRequirement:
		return role == requirement || role == advisory
	case byCoverage:
		return role != tieBreaker
	}
	return true
}

// evaluate fills the cells, and decides who is excluded and who scores what.
func (r *Ranking) evaluate(ctx context.Context, limit int) error {
	v := newEvaluation(r.ranker, r.request)
	fill := func(candidate int, role role) error {
		cells := r.cellsOf(candidate, role)
		for i := range cells {
			if err := ctx.Err(); err != nil {
				return err
			}
			v.evaluate(&r.request.criteria[role][i], &cells[i])
			if limit > 0 && v.ids > limit/shortestID {
				return &rank.TooLargeError{Limit: limit}
			}
		}
		return nil
	}
	for i := range r.request.candidates {
		v.begin(&r.request.candidates[i])
		r.models[i] = v.model
		if err := fill(i, requirement); err != nil {
			return err
		}
		if !r.meets(i) {
			r.exclusions[i] = byRequirement
		} else if err := fill(i, preference); err != nil {
			return err
		}
		if err := fill(i, advisory); err != nil {
			return err
		}
	}
	if !v.mixes {
		r.settleUnits(preference)
	}
	r.cover()
	for i := range r.request.criteria[preference] {
		r.score(i)
	}
	for i := range r.request.candidates {
		if r.exclusions[i] != notExcluded {
			r.excluded = append(r.excluded, i)
			continue
		}
		r.ranked = append(r.ranked, i)
		v.begin(&r.request.candidates[i])
		if err := fill(i, tieBreaker); err != nil {
			return err
		}
	}
	r.settleUnits(tieBreaker)
	return nil
}

// meets holds a candidate against the requirements and reports whether all are met.
func (r *Ranking) meets(candidate int) bool {
	all := true
	for i, cells := 0, r.cellsOf(candidate, requirement); i < len(cells); i++ {
		c := &cells[i]
		c.met = c.status == ok && r.request.criteria[requirement][i].meets(&c.Value)
		all = all && c.met
	}
	return all
}

// meets reports whether a value fulfils the requirement. Only numbers compare as
// more or less.
func (c *criterion) meets(v *index.Value) bool {
	switch {
	case c.operator == equal && v.Kind == '0':
		return c.value.Kind == '0' && v.Number == c.number
	case c.operator == equal:
		return v.JSON == c.valueJSON
	case v.Kind != '0':
		return false
	case c.operator == atLeast:
		return v.Number >= c.number
	}
	return v.Number <= c.number
}

// settleUnits makes the numbers of a criterion incomparable that have more than one
// unit across candidates.
func (r *Ranking) settleUnits(role role) {
	for i := range r.request.criteria[role] {
		var numeric []*cell
		mixed := false
		for candidate := range r.request.candidates {
			if c := &r.cellsOf(candidate, role)[i]; c.numeric() {
				numeric = append(numeric, c)
				mixed = mixed || !c.sameUnits(numeric[0])
			}
		}
		if mixed {
			for _, c := range numeric {
				c.status, c.mixedUnits = incomparable, true
			}
		}
	}
}

// sameUnits reports whether two values of a criterion have one unit or, as sums, one
// list of units.
func (c *cell) sameUnits(other *cell) bool {
	return c.unit == other.unit && slices.EqualFunc(c.terms, other.terms, func(a, b cell) bool { return a.unit == b.unit })
}

// cover computes for how much of the weight there is evidence, and excludes who has
// too little.
func (r *Ranking) cover() {
	preferences := r.request.criteria[preference]
	for i := range r.request.candidates {
		if r.exclusions[i] != notExcluded {
			continue
		}
		covered := 0.0
		for j := range preferences {
			if r.cellsOf(i, preference)[j].numeric() {
				covered += preferences[j].weight
			}
		}
		r.coverage[i] = 1
		if len(preferences) > 0 {
			r.coverage[i] = covered / r.request.maximum
		}
		if r.coverage[i] < r.request.minimumCoverage {
			r.exclusions[i] = byCoverage
		}
	}
}

// score adds what a preference contributes to the scores. Without a scale of its
// own, the best of the candidates that have a number gets the whole weight, the
// worst nothing.
func (r *Ranking) score(number int) {
	p, e := &r.request.criteria[preference][number], &r.ends[number]
	var scored []int
	for i := range r.request.candidates {
		c := &r.cellsOf(i, preference)[number]
		if r.exclusions[i] != notExcluded || !c.numeric() {
			continue
		}
		if len(scored) == 0 {
			*e = ends{scale{c.Number, c.Number}, true}
		}
		e.low, e.high = min(e.low, c.Number), max(e.high, c.Number)
		scored = append(scored, i)
	}
	if p.scale != nil {
		*e = ends{*p.scale, true}
	}
	for _, i := range scored {
		c := &r.cellsOf(i, preference)[number]
		c.scored = true
		c.normalized = e.normalize(c.Number, p.direction)
		c.contribution = float64(c.normalized * p.weight)
		r.scores[i] += c.contribution
	}
}

// normalize places v on a scale: 1 at and beyond the better end, 0 at and beyond the
// worse, 1 if they are one.
func (s scale) normalize(v float64, d direction) float64 {
	low, high := s.low, s.high
	if low == high {
		return 1
	}
	if math.IsInf(high-low, 1) {
		v, low, high = float64(v/2), float64(low/2), float64(high/2)
	}
	n := (v - low) / (high - low)
	if d == minimize {
		n = (high - v) / (high - low)
	}
	return min(max(n, 0), 1)
}

// place walks the ranked candidates by score and puts them into tie groups and
// ranks.
func (r *Ranking) place(ctx context.Context) error {
	n := len(r.ranked)
	r.pairs = n * (n - 1) / 2
	halved := 0
	if r.request.correction == bonferroni && r.pairs > 0 {
		halved = bits.Len(uint(r.pairs - 1))
	}
	r.quantile = normalQuantile(r.request.confidence, halved)
	byScore := func(a, b int) int { return cmp.Or(cmp.Compare(r.scores[b], r.scores[a]), a-b) } // candidates stand by id
	slices.SortFunc(r.ranked, byScore)
	if r.request.mixes {
		return nil
	}
	for i, b := range r.ranked {
		if err := ctx.Err(); err != nil {
			return err
		}
		if i == 0 {
			r.tieGroups[b] = 1
			continue
		}
		last := r.ranked[i-1]
		leader := last
		if c := &r.comparisons[last]; c.outcome == tied {
			leader = c.leader
		}
		r.comparisons[b] = r.compare(leader, b)
		r.tieGroups[b] = r.tieGroups[last]
		if r.comparisons[b].outcome != tied {
			r.tieGroups[b]++
		}
	}
	slices.SortFunc(r.ranked, func(a, b int) int {
		return cmp.Or(r.tieGroups[a]-r.tieGroups[b], r.compareTieBreakers(a, b), byScore(a, b))
	})
	return nil
}

// compareTieBreakers orders two candidates by the tie breakers in turn. A number
// comes before none.
func (r *Ranking) compareTieBreakers(a, b int) int {
	cellsA, cellsB := r.cellsOf(a, tieBreaker), r.cellsOf(b, tieBreaker)
	for i := range cellsA {
		x, y := &cellsA[i], &cellsB[i]
		switch {
		case !x.numeric() && !y.numeric():
			continue
		case !y.numeric():
			return -1
		case !x.numeric():
			return 1
		}
		order := cmp.Compare(x.Number, y.Number)
		if r.request.criteria[tieBreaker][i].direction == maximize {
			order = -order
		}
		if order != 0 {
			return order
		}
	}
	return 0
}
