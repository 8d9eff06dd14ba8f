package rank

import (
	"math"
	"math/bits"

	"github.com/model-catalog-service/svc/internal/rank/index"
	"github.com/model-catalog-service/svc/service/record"
)

// This file evaluates one criterion for one candidate: it selects the measurements
// that may speak, and makes one value of them.

// status is what came of evaluating a criterion for a candidate.
type status uint8

const (
	missing status = iota
	stale
	incomparable
	conflict
	ok
)

// cell is one criterion evaluated for one candidate.
type cell struct {
	index.Value                // if ok
	unit         string        // of the value, "" for none
	contribution float64       // of a preference, if scored
	diagnostic   selection     // measurements behind the status
	scope        applicability // over these
	status       status
	met          bool // of a requirement
	scored       bool // of a preference
}

// isNumber reports whether the cell holds a number.
func (c *cell) isNumber() bool { return c.status == ok && c.Kind == '0' }

func (c *cell) setNumber(f float64) { c.Value = index.Value{Kind: '0', Number: f} }

// selection is a set of measurements of one series of a model.
type selection struct {
	first int32  // measurement of the series
	bits  bitset // from that one on
}

// tier is how much of what a criterion asks a measurement fulfils.
type tier uint8

const (
	unscoped tier = iota // none of it
	scoped               // everything but the execution scope
	matching             // the execution scope, too
	fresh                // and it still holds
)

// evaluator evaluates the criteria of a request for one candidate after the other.
type evaluator struct {
	ranker *Ranker
	task   task // of the request

	// The candidate whose turn it is.
	model   *model
	profile *record.Profile
	turn    int32 // from 1
	// What the model's scopes and tasks are to the candidate.
	scopes []scopeMatch
	tasks  []taskMatch

	selected []*index.Measurement // last, in the model's order
	numbers  []int                // of these, in their series
	room     bitset               // for selections
}

// scopeMatch is a scope held against the profile of the candidate whose turn it
// was.
type scopeMatch struct {
	turn int32
	applicability
}

// taskMatch is a task held against that of the request.
type taskMatch struct {
	turn int32
	fits bool
}

func newEvaluator(k *Ranker, q *Request) *evaluator {
	return &evaluator{ranker: k, task: task{q.task.Family, string(q.task.Suite)}}
}

// turnTo makes it the turn of a candidate.
func (e *evaluator) turnTo(c *record.CandidateV2) {
	e.model = e.ranker.find(c.Model)
	e.profile = &c.Execution
	e.turn++
	if n := len(e.model.scopes); n > len(e.scopes) {
		e.scopes = make([]scopeMatch, n)
	}
	if n := len(e.model.tasks); n > len(e.tasks) {
		e.tasks = make([]taskMatch, n)
	}
}

// scope holds a scope of the model against the candidate's profile, once.
func (e *evaluator) scope(number int32) *applicability {
	m := &e.scopes[number]
	if m.turn != e.turn {
		*m = scopeMatch{e.turn, match(e.model.scopes[number], e.profile)}
	}
	return &m.applicability
}

// taskFits reports whether the request is about a task of the model: no task at
// all is one of every family, and a request without suite is about all suites.
func (e *evaluator) taskFits(number int32) bool {
	m := &e.tasks[number]
	if m.turn != e.turn {
		t := &e.model.tasks[number]
		*m = taskMatch{e.turn, t.family == "" ||
			t.family == e.task.family && (e.task.suite == "" || t.suite == e.task.suite)}
	}
	return m.fits
}

// tier returns what an observation is to a criterion with these source classes.
func (e *evaluator) tier(o *observation, sources sourceClasses) tier {
	switch {
	case !sources.admits(o.source), !e.taskFits(o.task):
		return unscoped
	case !e.scope(o.scope).matches():
		return scoped
	case !o.fresh:
		return matching
	}
	return fresh
}

// diagnose selects the diagnostic measurements of a criterion: the fresh ones if
// there are any, else the matching, else the scoped. It returns their tier.
func (e *evaluator) diagnose(c *criterion, out *cell) tier {
	series, first := e.model.Find(index.SeriesKey{Key: c.key, Fact: c.aggregation == aggregateFact})
	e.selected, e.numbers = e.selected[:0], e.numbers[:0]
	best := scoped
	for i := range series {
		best = e.choose(c, series, i, best)
	}
	if len(e.selected) == 0 {
		return unscoped
	}
	out.diagnostic = selection{first, e.takeBits(len(series))}
	for i, m := range e.selected {
		out.diagnostic.bits.add(e.numbers[i])
		out.scope.add(*e.scope(e.model.observations[m.Observation].scope))
	}
	return best
}

// choose selects a measurement of a series, if its tier is as good as that of those that
// are selected, and instead of them if it is better. It returns the best tier.
func (e *evaluator) choose(c *criterion, series []index.Measurement, i int, best tier) tier {
	m := &series[i]
	t := e.tier(&e.model.observations[m.Observation], c.sources)
	if t < best {
		return best
	}
	if t > best {
		e.selected, e.numbers = e.selected[:0], e.numbers[:0]
	}
	e.selected = append(e.selected, m)
	e.numbers = append(e.numbers, i)
	return t
}

// takeBits returns room for numbers below n.
func (e *evaluator) takeBits(n int) bitset {
	const piece = 128
	words := wordsFor(n)
	if words > len(e.room) {
		e.room = make(bitset, max(piece, words))
	}
	taken := e.room[:words:words]
	e.room = e.room[words:]
	return taken
}

// evaluate evaluates a criterion for the candidate.
func (e *evaluator) evaluate(c *criterion) (out cell) {
	switch e.diagnose(c, &out) {
	case unscoped:
		out.status = missing
	case scoped:
		out.status = incomparable
	case matching:
		out.status = stale
	case fresh:
		out.aggregate(c.aggregation, e.selected)
	}
	return out
}

// aggregate makes one value of the fresh measurements.
func (c *cell) aggregate(aggregation string, list []*index.Measurement) {
	c.status = ok
	switch aggregation {
	case aggregateCount:
		c.setNumber(float64(len(list)))
		return
	case aggregateSuccessRate:
		c.successRate(list)
		return
	}
	c.unit = list[0].Unit
	for _, m := range list {
		if m.Unit != c.unit {
			c.status = incomparable
			return
		}
	}
	if aggregation == aggregateFact {
		c.fact(list)
		return
	}
	c.reduce(aggregation, list)
}

// fact is the value that all share.
func (c *cell) fact(list []*index.Measurement) {
	c.Value = list[0].Value
	for _, m := range list {
		if m.JSON != c.JSON {
			c.status = conflict
			return
		}
	}
}

// successRate is the share of true ones.
func (c *cell) successRate(list []*index.Measurement) {
	trues := 0
	for _, m := range list {
		switch m.Kind {
		case 't':
			trues++
		case 'f':
		default:
			c.status = incomparable
			return
		}
	}
	c.setNumber(float64(trues) / float64(len(list)))
}

// reduce is the mean, the smallest or the largest of numbers. A sum is taken
// from left to right, so that every machine comes to the same bits.
func (c *cell) reduce(aggregation string, list []*index.Measurement) {
	result := list[0].Value
	sum := 0.0
	for _, m := range list {
		if m.Kind != '0' {
			c.status = incomparable
			return
		}
		sum += m.Number
		if aggregation == aggregateMin && m.Number < result.Number || aggregation == aggregateMax && m.Number > result.Number {
			result = m.Value
		}
	}
	if aggregation == aggregateMean {
		if math.IsInf(sum, 0) { // and stays so, whatever is added
			c.status = incomparable
			return
		}
		result = index.Value{Kind: '0', Number: sum / float64(len(list))}
	}
	c.Value = result
}

// meets reports whether the value of a cell fulfils the requirement. Only
// numbers compare as more or less.
func (q *requirement) meets(v *index.Value) bool {
	switch {
	case q.operator == equal && v.Kind == '0':
		return q.value.Kind == '0' && v.Number == q.number
	case q.operator == equal:
		return v.JSON == q.valueJSON
	case v.Kind != '0':
		return false
	case q.operator == atLeast:
		return v.Number >= q.number
	}
	return v.Number <= q.number
}

// bitset is a set of numbers, 64 to a word.
type bitset []uint64

// wordsFor is how many words numbers below n take.
func wordsFor(n int) int { return (n + 63) / 64 }

// add adds a number and returns its word.
func (b bitset) add(n int) (word int) {
	word = n / 64
	b[word] |= 1 << (n % 64)
	return word
}

// len is how many numbers are in the set.
func (b bitset) len() (n int) {
	for _, word := range b {
		n += bits.OnesCount64(word)
	}
	return n
}

// appendNumbers appends every number plus first, in order.
func (b bitset) appendNumbers(list []int32, first int32) []int32 {
	for i, word := range b {
		for ; word != 0; word &= word - 1 {
			list = append(list, first+int32(i*64+bits.TrailingZeros64(word)))
		}
	}
	return list
}
