package v3

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank"
	"github.com/model-catalog-service/svc/internal/rank/index"
	"github.com/model-catalog-service/svc/internal/rank/statistics"
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
	models        []*model
	exclusions    []exclusion
	coverage      []float64
	scores        []float64
	compared      []bool // some comparison of a ranked candidate came to something
	better, worse []int  // how many candidates are shown to be better and worse

	ends      []ends // by preference
	quantiles *quantiles
	decision  *decision    // nil if no candidate is ranked
	lists     []listChoice // whom lists choose that contradict each other, if that matters
	major     *majorOffer  // of the chosen model, if it is not sold by one

	requirementFlips []flip

	// Numbers of candidates.
	ranked   []int // the best first
	excluded []int // by id
}

// exclusion is why a candidate is excluded, if it is.
type exclusion uint8

const (
	notExcluded exclusion = iota
	byRequirement
	byEvidence
)

var exclusionNames = []string{"", "requirement", "no-evidence"}

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
	r := newRanking(k, q.withCost(k.bands))
	v := newEvaluation(k, r.request)
	v.contested = map[string]bool{}
	if err := r.evaluate(ctx, v, limit); err != nil {
		return nil, err
	}
	if err := r.place(ctx); err != nil {
		return nil, err
	}
	var err error
	if len(v.contested) > 1 {
		if r.lists, err = r.askLists(ctx, v.contested); err != nil {
			return nil, err
		}
	}
	r.major = r.findMajor()
	return r, nil
}

// newRanking returns a ranking of nothing yet, of a request with its cost.
func newRanking(k *Ranker, q *Request) *Ranking {
	n := len(q.candidates)
	r := &Ranking{
		ranker: k, request: q,
		models: make([]*model, n), exclusions: make([]exclusion, n), coverage: make([]float64, n), scores: make([]float64, n),
		compared: make([]bool, n), better: make([]int, n), worse: make([]int, n),
		ends: make([]ends, len(q.criteria[preference])),
	}
	for role, list := range q.criteria {
		r.start[role] = r.width
		r.width += len(list)
	}
	r.cells = make([]cell, n*r.width)
	return r
}

// Read reads a request of any version, or a question, of which it makes a request by what the
// catalog has. Faults are as of [ReadRequest]; a name that the catalog does not have has the path
// of the member that names it.
func (k *Ranker) Read(source problem.Source) (*Request, error) {
	if !IsQuestion(source.Text) {
		return ReadRequest(source)
	}
	document, err := ReadQuestion(source)
	if err != nil {
		return nil, err
	}
	question, err := NewQuestion(document)
	if err != nil {
		return nil, question.FaultOf(err, "$").Err()
	}
	draft, err := k.Draft(question)
	if err != nil {
		return nil, question.FaultOf(err, "$").Err()
	}
	return draft.Request, nil
}

// RankText answers the text of a request or a question with the text of its result, canonical JSON,
// which is appended to dst. The limit is as for [Ranking.AppendJSON].
func (k *Ranker) RankText(ctx context.Context, dst []byte, request string, limit int) ([]byte, error) {
	q, err := k.Read(problem.Source{Text: request})
	if err != nil {
		return dst, err
	}
	r, err := k.Rank(ctx, q, limit)
	if err != nil {
		return dst, err
	}
	return r.AppendJSON(dst, limit)
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
		return role == requirement
	case byEvidence:
		return role != tieBreaker
	}
	return true
}

// evaluate fills the cells, and decides who is excluded and who scores what.
func (r *Ranking) evaluate(ctx context.Context, v *evaluation, limit int) error {
	r.quantiles = v.quantiles
	fill := func(candidate int, role role) error {
		cells := r.cellsOf(candidate, role)
		for i := range cells {
			c := &r.request.criteria[role][i]
			if err := ctx.Err(); err != nil {
				return err
			}
			if r.exclusions[candidate] == byRequirement && !(v.mixes && c.isShown()) {
				continue
			}
			v.evaluate(c, &cells[i])
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
		}
		if err := fill(i, preference); err != nil {
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
	r.addScores()
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
	r.sortByScore()
	if !v.mixes {
		r.findRequirementFlips(v)
	}
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
		if r.request.criteria[role][i].isShown() {
			continue
		}
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
// too little. A preference of weight 0 is shown, and asks for nothing.
func (r *Ranking) cover() {
	preferences := r.request.criteria[preference]
	for i := range r.request.candidates {
		if r.exclusions[i] != notExcluded {
			continue
		}
		covered, isWhole := 0.0, true
		for j := range preferences {
			isKnown := r.cellsOf(i, preference)[j].numeric()
			isWhole = isWhole && (isKnown || preferences[j].weight == 0)
			if isKnown {
				covered += preferences[j].weight
			}
		}
		r.coverage[i] = 1
		if !isWhole {
			r.coverage[i] = covered / r.request.maximum
		}
		if r.coverage[i] < r.request.minimumCoverage {
			r.exclusions[i] = byEvidence
		}
	}
}

// score adds what a preference contributes to the scores. Without a scale of its
// own, the best of the candidates that have a number gets the whole weight, the
// worst nothing.
func (r *Ranking) score(number int) {
	p, e := &r.request.criteria[preference][number], &r.ends[number]
	if p.isShown() {
		return
	}
	var scored []int
	for i := range r.request.candidates {
		c := &r.cellsOf(i, preference)[number]
		if r.exclusions[i] != notExcluded || !c.numeric() {
			continue
		}
		if len(scored) == 0 {
			*e = ends{scale{low: c.Number, high: c.Number}, true}
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
		c.contribution = c.normalized * p.weight
	}
}

// addScores adds up the contributions. Those of versions 1 and 2 are added from left to right.
func (r *Ranking) addScores() {
	contributions := make([]float64, 0, len(r.request.criteria[preference]))
	for i := range r.request.candidates {
		contributions = contributions[:0]
		for k, cells := 0, r.cellsOf(i, preference); k < len(cells); k++ {
			if cells[k].scored {
				contributions = append(contributions, cells[k].contribution)
				r.scores[i] += cells[k].contribution
			}
		}
		if !r.request.IsEarlier() {
			r.scores[i] = statistics.Sum(contributions)
		}
	}
}

// normalize places v on a scale: 1 at and beyond the better end, 0 at and beyond the
// worse, 1 if they are one.
func (s scale) normalize(v float64, d direction) float64 { return min(max(s.position(v, d), 0), 1) }

// position is normalize for a value that may be beyond the ends.
func (s scale) position(v float64, d direction) float64 {
	low, high := s.low, s.high
	if low == high {
		return 1
	}
	if s.log {
		v, low, high = logarithm(max(v, low)/low), 0, logarithm(high/low)
	}
	if math.IsInf(high-low, 1) {
		v, low, high = float64(v/2), float64(low/2), float64(high/2)
	}
	n := (v - low) / (high - low)
	if d == minimize {
		n = (high - v) / (high - low)
	}
	return n
}

// logarithm returns the binary logarithm of x, which is at least 1: its whole part by halving, the
// rest by squaring, digit by digit. So every machine comes to the same bits.
func logarithm(x float64) float64 {
	if math.IsInf(x, 1) {
		return x
	}
	whole, bit := 0.0, 1.0
	for x >= 2 {
		x /= 2
		whole++
	}
	for range 52 {
		bit /= 2
		if x *= x; x >= 2 {
			x /= 2
			whole += bit
		}
	}
	return whole
}

// sortByScore orders the ranked candidates: by score, then by tie breakers, then by id, by which
// candidates stand.
func (r *Ranking) sortByScore() {
	slices.SortStableFunc(r.ranked, func(a, b int) int {
		byScore := cmp.Compare(r.scores[b], r.scores[a])
		if byScore == 0 && !r.request.IsEarlier() {
			byScore = r.compareTieBreakers(a, b, "")
		}
		return byScore
	})
}

// place compares the ranked candidates and chooses among them.
func (r *Ranking) place(ctx context.Context) error {
	if r.request.IsEarlier() {
		return nil
	}
	x := r.newComparer()
	if err := x.compareAll(ctx); err != nil {
		return err
	}
	r.decide(x)
	return nil
}

// compareTieBreakers orders two candidates by one of the tie breakers or, if none is named, by all
// in turn. A number comes before none.
func (r *Ranking) compareTieBreakers(a, b int, by string) int {
	cellsA, cellsB := r.cellsOf(a, tieBreaker), r.cellsOf(b, tieBreaker)
	for i := range cellsA {
		x, y := &cellsA[i], &cellsB[i]
		switch {
		case by != "" && r.request.criteria[tieBreaker][i].id != by:
			continue
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
