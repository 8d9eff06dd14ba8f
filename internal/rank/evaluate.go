package rank

import (
	"math"

	"github.com/model-catalog-service/svc/internal/catalog"
)

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
	value                      // if ok
	unit         string        // of the value, "" for none
	contribution float64       // of a preference, if scored
	scope        applicability // over the diagnostic measurements
	status       status
	met          bool // of a requirement
	scored       bool // of a preference
}

// numeric reports whether the cell holds a number.
func (c *cell) numeric() bool { return c.status == ok && c.kind == '0' }

// tier tells how much of what a criterion asks a measurement fulfils.
type tier uint8

const (
	unscoped tier = iota // none of it
	scoped               // everything but the execution scope
	matching             // the execution scope, too
	fresh                // and it still holds
)

// evaluation evaluates the criteria of a request, candidate by candidate.
type evaluation struct {
	ranker *Ranker
	task   task // of the request

	// The candidate.
	model   *model
	profile *catalog.Profile
	turn    int32 // from 1
	// What the model's scopes and tasks are to the candidate.
	scopes []scopeMatch
	tasks  []taskMatch

	// What gather found, in the model's order: measurements of the highest
	// tier that any of the series has.
	series     []measurement
	diagnostic []int32
}

// scopeMatch is a scope held against the profile of the candidate whose turn it
// was.
type scopeMatch struct {
	turn int32
	applicability
}

// taskMatch is a task held against that of the request.
type taskMatch struct {
	turn  int32
	match bool
}

func newEvaluation(k *Ranker, q *Request) *evaluation {
	return &evaluation{ranker: k, task: task{q.family, q.suite}}
}

// begin turns to a candidate.
func (v *evaluation) begin(c *candidate) {
	v.model = v.ranker.models[c.model]
	if v.model == nil {
		v.model = v.ranker.none
	}
	v.profile = &c.execution
	v.turn++
	if n := len(v.model.scopes); n > len(v.scopes) {
		v.scopes = make([]scopeMatch, n)
	}
	if n := len(v.model.tasks); n > len(v.tasks) {
		v.tasks = make([]taskMatch, n)
	}
}

// scope holds a scope of the model against the candidate's profile, once.
func (v *evaluation) scope(number int32) *applicability {
	m := &v.scopes[number]
	if m.turn != v.turn {
		*m = scopeMatch{v.turn, match(&v.model.scopes[number], v.profile)}
	}
	return &m.applicability
}

// asked reports whether the request is about a task of the model: no task at
// all is one of every family, and a request without suite is about all suites.
func (v *evaluation) asked(number int32) bool {
	m := &v.tasks[number]
	if m.turn != v.turn {
		t := &v.model.tasks[number]
		*m = taskMatch{v.turn, t.family == "" ||
			t.family == v.task.family && (v.task.suite == "" || t.suite == v.task.suite)}
	}
	return m.match
}

// tier returns what an observation is to a criterion with these source classes.
func (v *evaluation) tier(o *observation, sources sourceClasses) tier {
	switch {
	case !sources.admits(o.source), !v.asked(o.task):
		return unscoped
	case !v.scope(o.scope).matches():
		return scoped
	case !o.fresh:
		return matching
	}
	return fresh
}

// gather finds the diagnostic measurements of a criterion: the fresh ones if
// there are any, else the matching, else the scoped. It returns their tier.
func (v *evaluation) gather(c *criterion) tier {
	v.series = v.model.find(seriesKey{c.key, c.aggregation == aggregateFact})
	v.diagnostic = v.diagnostic[:0]
	best := scoped
	for i := range v.series {
		t := v.tier(&v.model.observations[v.series[i].observation], c.sources)
		if t < best {
			continue
		}
		if t > best {
			best = t
			v.diagnostic = v.diagnostic[:0]
		}
		v.diagnostic = append(v.diagnostic, int32(i))
	}
	if len(v.diagnostic) == 0 {
		return unscoped
	}
	return best
}

// evaluate evaluates a criterion for the candidate.
func (v *evaluation) evaluate(c *criterion) (out cell) {
	t := v.gather(c)
	for _, i := range v.diagnostic {
		out.scope.add(*v.scope(v.model.observations[v.series[i].observation].scope))
	}
	switch t {
	case unscoped:
		out.status = missing
	case scoped:
		out.status = incomparable
	case matching:
		out.status = stale
	case fresh:
		v.aggregate(c.aggregation, &out)
	}
	return out
}

// aggregate makes one value of the fresh measurements.
func (v *evaluation) aggregate(a aggregation, out *cell) {
	out.status = ok
	switch a {
	case aggregateCount:
		out.setNumber(float64(len(v.diagnostic)))
		return
	case aggregateSuccessRate:
		v.successRate(out)
		return
	}
	out.unit = v.series[v.diagnostic[0]].unit
	for _, i := range v.diagnostic {
		if v.series[i].unit != out.unit {
			out.status = incomparable
			return
		}
	}
	if a == aggregateFact {
		v.fact(out)
		return
	}
	v.reduce(a, out)
}

func (c *cell) setNumber(f float64) { c.value = value{kind: '0', number: f} }

// fact is the value that all share.
func (v *evaluation) fact(out *cell) {
	out.value = v.series[v.diagnostic[0]].value
	for _, i := range v.diagnostic {
		if v.series[i].json != out.json {
			out.status = conflict
			return
		}
	}
}

// successRate is the share of true ones.
func (v *evaluation) successRate(out *cell) {
	trues := 0
	for _, i := range v.diagnostic {
		switch v.series[i].kind {
		case 't':
			trues++
		case 'f':
		default:
			out.status = incomparable
			return
		}
	}
	out.setNumber(float64(trues) / float64(len(v.diagnostic)))
}

// reduce is the mean, the smallest or the largest of numbers. A sum is taken
// from left to right, so that every machine comes to the same bits.
func (v *evaluation) reduce(a aggregation, out *cell) {
	first := &v.series[v.diagnostic[0]]
	result := first.value
	sum := 0.0
	for _, i := range v.diagnostic {
		m := &v.series[i]
		if m.kind != '0' {
			out.status = incomparable
			return
		}
		sum += m.number
		if a == aggregateMin && m.number < result.number || a == aggregateMax && m.number > result.number {
			result = m.value
		}
	}
	if a == aggregateMean {
		if math.IsInf(sum, 0) { // and stays so, whatever is added
			out.status = incomparable
			return
		}
		result = value{kind: '0', number: sum / float64(len(v.diagnostic))}
	}
	out.value = result
}

// meets reports whether the value of a cell fulfils the requirement. Only
// numbers compare as more or less.
func (q *requirement) meets(v *value) bool {
	switch {
	case q.operator == equal && v.kind == '0':
		return q.value.Kind == '0' && v.number == q.number
	case q.operator == equal:
		return v.json == q.valueJSON
	case v.kind != '0':
		return false
	case q.operator == atLeast:
		return v.number >= q.number
	}
	return v.number <= q.number
}
