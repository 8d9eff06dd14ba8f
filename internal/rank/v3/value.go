package v3

import (
	"math"
	"reflect"
	"slices"

	"github.com/model-catalog-service/svc/internal/rank/index"
	"github.com/model-catalog-service/svc/internal/rank/statistics"
	"github.com/model-catalog-service/svc/service/record"
)

// status is what came of a criterion for a candidate. Of a sum, the first status
// that one of its terms has stands for all.
type status uint8

const (
	missing status = iota
	stale
	incomparable
	ambiguous
	conflict
	ok
)

var statusNames = []string{"missing", "stale", "incomparable", "ambiguous", "conflict", "ok"}

// cell is a criterion, or a term of one, for a candidate: what its value is, on
// which evidence, and what the ranking made of it.
//
// A cell holds numbers of observations and no texts, so that all cells together
// take some bytes for each id that the result lists.
type cell struct {
	index.Value // if ok
	status      status
	unit        string        // of the value, "" for none
	lowest      float64       // that lists state, of a number that they contradict each other about
	isContested bool          // they do
	scope       applicability // over the diagnostic observations
	estimate    estimate      // if the value is a number

	// Observations of the candidate's model, in order: the diagnostic ones, which
	// are those used if any is fresh, and those that were overruled.
	observations, overruled []int32
	tasks                   []taskMean // of a mean or a success rate, by key, later by number
	terms                   []cell     // of a sum
	price                   int        // of a part of the cost of a task: which of the prices, from 0

	// What the ranking makes of it.
	met          bool    // of a requirement
	scored       bool    // of a preference
	mixedUnits   bool    // other candidates' values have another unit
	normalized   float64 // from 0 to 1, if scored
	contribution float64
}

// numeric reports whether the cell holds a number.
func (c *cell) numeric() bool { return c.status == ok && c.Kind == '0' }

func (c *cell) setNumber(f float64) { c.status, c.Value = ok, index.Value{Kind: '0', Number: f} }

// applicability tells how far evidence and a candidate agree.
type applicability struct {
	matched     scopeKinds // of what matches
	asserted    dimensions // that the scopes speak of
	wildcarded  dimensions // that they leave open
	mismatched  dimensions // in which what does not match differs, and must not
	transferred dimensions // in which what matches differs
}

func (a *applicability) add(b *applicability) {
	a.matched |= b.matched
	a.asserted |= b.asserted
	a.wildcarded |= b.wildcarded
	a.mismatched |= b.mismatched
	a.transferred |= b.transferred
}

// evaluation evaluates the criteria of a request, candidate by candidate.
//
// A preference for the mean of a key, with transfer ["execution"] and resolve ["newest"],
// finds seven samples of a candidate's model. One is of another task: it is not scoped.
// One is of another revision of the model, which transfer does not cover: it does not
// match. One has expired. Of the four that are fresh none is direct, since all were made
// by a harness that the candidate does not have. Two are of January and two, with more
// effort, of March: two groups. So newest is applied, and keeps the group of March. Its two
// samples are used, the two of January overruled, and the value is the mean of two.
type evaluation struct {
	ranker    *Ranker
	mixes     bool // by the rules of versions 1 and 2
	target    target
	quantiles *quantiles // of the confidence

	// The candidate.
	candidate *record.CandidateV2
	model     *model
	turn      int32 // from 1

	// The measure: what it reads, and positions in that.
	measure *measure
	covered dimensions // by its transfer
	series  []index.Measurement
	found   []int32 // the diagnostic or, if any is fresh, the fresh ones
	used    []int32 // the diagnostic ones
	tallied bool    // tallies are those of the measure
	lowest  float64 // of contradictory facts, before one was chosen
	contest bool    // there were such facts
	joined  []int32 // by group, the first that counts as the same; nil: all differ

	// Room that is used again, by numbers of the model.
	groups  []groupMatch
	tallies []tally
	touched []int32 // clusters that were met
	byTask  []int32 // the measurements in use, task by task
	values  []float64
	means   []float64
	single  tally
	scratch match

	list      string          // that is right wherever lists contradict each other; "" for none
	contested map[string]bool // lists that contradict another one

	lists     room[int32] // what cells keep
	taskLists room[taskMean]
	ids       int // how many observations the cells list, those of terms apart
}

// room is where lists of a known length are laid one after the other.
type room[T any] struct {
	free  []T
	chunk int
}

// reserve returns an empty list with room for n elements.
func (r *room[T]) reserve(n int) []T {
	const least, most = 32, 4096
	if n > len(r.free) {
		r.chunk = min(max(2*r.chunk, least), most)
		r.free = make([]T, max(n, r.chunk))
	}
	list := r.free[:0:n]
	r.free = r.free[n:]
	return list
}

// groupMatch is a group held against the candidate whose turn it was.
type groupMatch struct {
	turn int32
	match
}

func newEvaluation(k *Ranker, q *Request) *evaluation {
	return &evaluation{ranker: k, mixes: q.IsEarlier(), target: q.target, quantiles: newQuantiles(q.confidence)}
}

// begin turns to a candidate.
func (v *evaluation) begin(c *record.CandidateV2) {
	v.candidate = c
	v.model = v.ranker.models[c.Model.ID]
	if v.model == nil {
		v.model = v.ranker.none
	}
	v.turn++
	v.groups = grow(v.groups, len(v.model.groups))
	v.tallies = grow(v.tallies, len(v.model.groups))
}

// grow returns a slice of at least n elements.
func grow[T any](s []T, n int) []T {
	if n > len(s) {
		return slices.Grow(s, n-len(s))[:n]
	}
	return s
}

// match returns how far the measurement at a position and the candidate agree. Each
// group of the model is held against the candidate once.
func (v *evaluation) match(i int32) *match {
	number := v.observation(i).group
	m := v.matchGroup(number)
	if v.mixes {
		return m
	}
	scope, own := &v.model.groups[number].scope.Workflow, &v.candidate.Execution.Workflow
	switch {
	case own.ID == "" && joinedCondition(scope.Condition, v.joins()) != "",
		m.kind == exactScope && scope.ID == "" && joinedCondition(own.Condition, v.joins()) != "":
		v.scratch = *m // a condition is no part of having a workflow
		v.scratch.differing |= dimWorkflowCondition
		return &v.scratch
	case m.differing&dimWorkflowCondition != 0 && joinedCondition(scope.Condition,
		v.joins()) == joinedCondition(own.Condition, v.joins()):
		v.scratch = *m
		v.scratch.differing &^= dimWorkflowCondition
		return &v.scratch
	}
	return m
}

// matchGroup holds a group of the model against the candidate, once.
func (v *evaluation) matchGroup(number int32) *match {
	m := &v.groups[number]
	if m.turn != v.turn {
		g := &v.model.groups[number]
		*m = groupMatch{v.turn, newMatch(&g.model, g.scope, v.candidate, v.mixes)}
	}
	return &m.match
}

// joins returns the parts of conditions that tell no variants apart under the key of the measure.
func (v *evaluation) joins() []string {
	if v.measure.about == nil {
		return nil
	}
	return v.measure.about.Joins
}

// group returns the number of the group of a measurement. Groups that differ in nothing but what
// the key joins count as the first of them, and so do those of own runs in a mean that differ in
// their suites: own tasks count together, as they do with public ones.
func (v *evaluation) group(i int32) int32 {
	number := v.observation(i).group
	if v.joined == nil {
		return number
	}
	return v.joined[number]
}

// joinGroups finds out which groups of the model count as one.
func (v *evaluation) joinGroups() {
	v.joined = nil
	joins, isMean := v.joins(), v.isAveraged()
	pools := func(g group) bool { return isMean && g.party == firstParty }
	if len(joins) == 0 && !(isMean && v.model.hasOwnSuites) {
		return
	}
	v.joined = make([]int32, len(v.model.groups))
	for i, one := range v.model.groups {
		v.joined[i] = int32(slices.IndexFunc(v.model.groups[:i+1], func(g group) bool {
			if pools(g) && pools(one) {
				g.suite = one.suite
			}
			return g.isSame(&one, joins)
		}))
	}
}

// isSame reports whether two groups differ in nothing but parts of the workflow condition.
func (g group) isSame(other *group, joins []string) bool {
	if g.party != other.party || g.suite != other.suite {
		return false
	}
	a, b := *g.scope, *other.scope
	hasSameTools := slices.Equal(a.ToolSurface, b.ToolSurface) && (a.ToolSurface == nil) == (b.ToolSurface == nil)
	a.ToolSurface, b.ToolSurface = nil, nil
	a.Workflow.Condition, b.Workflow.Condition = joinedCondition(a.Workflow.Condition, joins),
		joinedCondition(b.Workflow.Condition, joins)
	return hasSameTools && reflect.DeepEqual(a, b) && g.model == other.model && g.family == other.family &&
		g.evaluator == other.evaluator
}

func (v *evaluation) observation(i int32) *observation {
	return &v.model.observations[v.series[i].Observation]
}

// evaluate evaluates a criterion for the candidate into an empty cell.
func (v *evaluation) evaluate(c *criterion, out *cell) {
	if c.sum == nil {
		v.read(&c.measure, out)
		return
	}
	out.terms = make([]cell, len(c.sum))
	for i := range c.sum {
		v.readTerm(&c.sum[i], &out.terms[i])
		out.scope.add(&out.terms[i].scope)
	}
	v.unite(out.terms, out)
	v.add(c, out)
}

// readTerm evaluates a term. That of a price is the first of its prices of which anything is known.
func (v *evaluation) readTerm(t *term, out *cell) {
	if t.prices == nil {
		v.read(&t.measure, out)
		return
	}
	for i := range t.prices {
		m := t.measure
		m.key = t.prices[i]
		*out = cell{price: i}
		v.read(&m, out)
		if out.status != missing && out.status != incomparable || i == len(t.prices)-1 {
			return
		}
		v.ids -= len(out.observations) + len(out.overruled)
	}
}

// unite makes the observations of a sum from those of its terms.
func (v *evaluation) unite(terms []cell, out *cell) {
	var used, overruled []int32
	for i := range terms {
		v.ids -= len(terms[i].observations) + len(terms[i].overruled)
		used = append(used, terms[i].observations...)
		overruled = append(overruled, terms[i].overruled...)
	}
	slices.Sort(used)
	slices.Sort(overruled)
	out.observations, out.overruled = slices.Compact(used), slices.Compact(overruled)
	out.isContested = slices.ContainsFunc(terms, func(t cell) bool { return t.isContested })
	v.ids += len(out.observations) + len(out.overruled)
}

// add adds up the values of the terms.
func (v *evaluation) add(c *criterion, out *cell) {
	out.status = ok
	parts, lowest := make([]float64, len(c.sum)), make([]float64, len(c.sum))
	for i := range c.sum {
		t := &out.terms[i]
		s := t.status
		if s == ok && t.Kind != '0' {
			s = incomparable
		}
		out.status = min(out.status, s)
		parts[i] = c.sum[i].factor * t.Number
		if lowest[i] = parts[i]; t.isContested {
			lowest[i] = c.sum[i].factor * t.lowest
		}
	}
	total := statistics.Sum(parts)
	switch {
	case out.status != ok:
	case math.IsInf(total, 0) || math.IsNaN(total):
		out.status = incomparable
	default:
		out.setNumber(total)
		out.lowest = statistics.Sum(lowest)
		out.unit = unitOfSum(out.terms)
		v.estimateSum(c, out)
	}
}

// unitOfSum is that of a sum of so many tokens at a price each: dollars. Other sums have none.
func unitOfSum(terms []cell) string {
	if slices.ContainsFunc(terms, func(t cell) bool { return t.unit != tokenPrice }) {
		return ""
	}
	return "USD"
}

// turnTo turns to a measure.
func (v *evaluation) turnTo(m *measure) {
	v.measure, v.covered, v.contest = m, m.transfer, false
	v.joinGroups()
	v.series, _ = v.model.Find(index.SeriesKey{Key: m.key, Fact: m.aggregation == aggregateFact})
}

// read evaluates a measure.
func (v *evaluation) read(m *measure, out *cell) {
	v.turnTo(m)
	v.settle(v.gather(), out)
}

// settle makes a value of the measurements that were found, which are of a tier.
func (v *evaluation) settle(t tier, out *cell) {
	v.used = append(v.used[:0], v.found...)
	switch t {
	case unscoped:
		out.status = missing
	case scoped:
		out.status = incomparable
	case matching:
		out.status = stale
	case fresh:
		isOne := v.mixes || v.choose()
		v.reduce(out, isOne)
		out.lowest, out.isContested = v.lowest, v.contest && out.numeric()
		out.overruled = v.overruled()
	}
	out.observations = v.observations()
	for _, i := range v.used {
		a := v.match(i)
		out.scope.asserted |= a.asserted
		out.scope.wildcarded |= a.wildcarded
		if t > scoped {
			out.scope.matched |= a.kind
			out.scope.transferred |= a.differing
		} else {
			out.scope.mismatched |= a.differing &^ v.covered
		}
	}
}

// use is what becomes of a measurement: the last of these that holds, since whoever
// wants it used has to begin there.
type use uint8

const (
	used       use = iota
	overruled      // by a step, or because others differ in nothing from the candidate
	expired        // at the catalog's asOf
	otherScope     // it differs from the candidate in what is not transferred
	otherSource
	otherTask
	invalid   // nothing was measured
	otherUnit // so that it is not about the criterion
)

var useNames = []string{"used", "overruled", "expired", "other-scope", "other-source", "other-task", "invalid"}

// use returns that of a measurement if none is overruled.
func (v *evaluation) use(i int32) use {
	m, o := v.measure, v.observation(i)
	switch {
	case m.unit != "" && m.unit != v.series[i].Unit:
		return otherUnit
	case o.invalid:
		return invalid
	case !admits(&m.task, &v.model.tasks[o.task]):
		return otherTask
	case m.sources&o.party == 0:
		return otherSource
	case v.match(i).differing&^v.covered != 0:
		return otherScope
	case !o.fresh:
		return expired
	}
	return used
}

// tier tells how much of what a measure asks a measurement fulfils.
type tier uint8

const (
	unscoped tier = iota // not all of the following
	scoped               // model id, task, unit, source class, and an outcome that is valid
	matching             // it differs from the candidate in nothing that is not transferred
	fresh                // and it still holds
)

// tier returns that of a measurement.
func (v *evaluation) tier(i int32) tier {
	switch v.use(i) {
	case used:
		return fresh
	case expired:
		return matching
	case otherScope:
		if !v.mixes || v.match(i).differing&wholeModel == 0 {
			return scoped
		}
	}
	return unscoped
}

// gather finds the measurements of the highest tier that any of the series has.
func (v *evaluation) gather() tier {
	v.found = v.found[:0]
	best := scoped
	for i := range int32(len(v.series)) {
		best = v.pick(i, best)
	}
	if len(v.found) == 0 {
		return unscoped
	}
	return best
}

// pick adds a measurement to those that were found, if its tier is as good as theirs, and takes it
// instead of them if it is better. It returns the best tier.
func (v *evaluation) pick(i int32, best tier) tier {
	t := v.tier(i)
	if t < best {
		return best
	}
	if t > best {
		v.found = v.found[:0]
	}
	v.found = append(v.found, i)
	return t
}

// choose drops what is not used of the fresh measurements, and reports whether the rest makes one
// value. What differs in nothing from the candidate goes before all else. In a mean that is so task
// by task, and of the rest own runs go before public ones, unless a step says what becomes of them.
// The steps of the measure choose among what is left of each of these by itself.
func (v *evaluation) choose() (isOne bool) {
	isDirect := func(i int32) bool { return v.match(i).differing == 0 }
	if !v.isAveraged() {
		if slices.ContainsFunc(v.used, isDirect) {
			v.filter(isDirect)
		}
		return v.resolve()
	}
	isOwn := func(i int32) bool {
		return v.observation(i).party == firstParty && !slices.Contains(v.measure.resolve, ownParty)
	}
	rest, chosen := slices.Clone(v.used), []int32(nil)
	v.touched, isOne = v.touched[:0], true
	for _, goes := range []func(int32) bool{isDirect, isOwn, func(int32) bool { return true }} {
		v.used = v.used[:0]
		rest = slices.DeleteFunc(rest, func(i int32) bool {
			isNext := goes(i)
			if _, isTouched := slices.BinarySearch(v.touched, v.observation(i).cluster); isNext && !isTouched {
				v.used = append(v.used, i)
			}
			return isNext
		})
		for _, i := range v.used {
			v.touched = append(v.touched, v.observation(i).cluster)
		}
		slices.Sort(v.touched)
		v.touched = slices.Compact(v.touched)
		if len(v.used) > 0 {
			isOne = v.resolve() && isOne
			chosen = append(chosen, v.used...)
		}
	}
	v.used = append(v.used[:0], chosen...)
	slices.Sort(v.used)
	return isOne
}

// isAveraged reports whether the value is taken task by task.
func (v *evaluation) isAveraged() bool {
	a := v.measure.aggregation
	return !v.mixes && (a == aggregateMean || a == aggregateSuccessRate)
}

// resolve applies the steps of the measure until what is in use makes one value, and reports
// whether it does.
func (v *evaluation) resolve() bool {
	v.tallied = false
	for _, s := range v.measure.resolve {
		if v.agreed() {
			return true
		}
		v.apply(s)
	}
	return v.agreed()
}

// filter drops measurements in use.
func (v *evaluation) filter(keep func(int32) bool) {
	v.used = slices.DeleteFunc(v.used, func(i int32) bool { return !keep(i) })
}

// agreed reports whether the measurements in use make one value: facts that have
// one value and unit, samples that are of one group.
func (v *evaluation) agreed() bool {
	first := v.used[0]
	for _, i := range v.used {
		if v.measure.aggregation != aggregateFact {
			if v.group(i) != v.group(first) {
				return false
			}
		} else if a, b := &v.series[i], &v.series[first]; a.JSON != b.JSON || a.Unit != b.Unit {
			return false
		}
	}
	return true
}

// apply applies a step: to facts one by one, to samples by their groups.
func (v *evaluation) apply(s step) {
	switch s {
	case mostSpecific:
		least := math.MaxInt
		for _, i := range v.used {
			least = min(least, v.match(i).specificity())
		}
		v.filter(func(i int32) bool { return v.match(i).specificity() == least })
	case ownParty:
		own := func(i int32) bool { return v.observation(i).party == firstParty }
		if slices.ContainsFunc(v.used, own) {
			v.filter(own)
		}
	case newest:
		latest := ""
		for _, i := range v.used {
			latest = max(latest, v.tally(i).latest)
		}
		v.filter(func(i int32) bool { return v.tally(i).latest == latest })
	case highest:
		v.keepHighest()
	}
}

// tally returns that of the fact at a position, or of the whole group that the
// sample there is of.
func (v *evaluation) tally(i int32) *tally {
	if v.measure.aggregation == aggregateFact {
		v.single = tally{}
		v.single.add(&v.series[i])
		v.single.latest = v.observation(i).observedAt
		return &v.single
	}
	if !v.tallied { // groups are dropped as a whole, so that this is done once
		v.tallied = true
		for _, i := range v.used {
			v.tallies[v.group(i)] = tally{}
		}
		for _, i := range v.used {
			t := &v.tallies[v.group(i)]
			t.add(&v.series[i])
			t.latest = max(t.latest, v.observation(i).observedAt)
		}
	}
	return &v.tallies[v.group(i)]
}

// reduce makes one value of the measurements in use, if they make one.
func (v *evaluation) reduce(out *cell, isOne bool) {
	if v.measure.aggregation != aggregateFact && !v.mixes && !isOne {
		out.status = ambiguous
		return
	}
	if v.isAveraged() {
		v.averageTasks(out)
		return
	}
	var all tally
	for _, i := range v.used {
		all.add(&v.series[i])
	}
	all.reduce(v.measure.aggregation, out)
	if !out.numeric() {
		return
	}
	switch v.measure.aggregation {
	case aggregateFact, aggregateCount:
		out.estimate = estimate{basis: exact, low: out.Number, high: out.Number}
	default:
		out.estimate.basis = unknownBasis
	}
}

// tally gathers what aggregations ask of measurements, one by one. Sums are taken
// from left to right, so that every machine comes to the same bits.
type tally struct {
	first                    *index.Measurement
	n, numbers, bools, trues int
	sum, low, high           float64
	latest                   string // timestamp
	moreValues, moreUnits    bool   // than one
}

func (t *tally) add(m *index.Measurement) {
	if t.n == 0 {
		t.first, t.low, t.high = m, m.Number, m.Number
	}
	t.n++
	t.moreValues = t.moreValues || m.JSON != t.first.JSON
	t.moreUnits = t.moreUnits || m.Unit != t.first.Unit
	switch m.Kind {
	case '0':
		t.numbers++
		t.sum += m.Number
		t.low, t.high = min(t.low, m.Number), max(t.high, m.Number)
	case 't':
		t.trues++
		t.bools++
	case 'f':
		t.bools++
	}
}

// reduce makes one value of what was added.
func (t *tally) reduce(a aggregation, out *cell) {
	switch a {
	case aggregateCount:
		out.setNumber(float64(t.n))
		return
	case aggregateSuccessRate:
		if out.status = incomparable; t.bools == t.n {
			out.setNumber(float64(t.trues) / float64(t.n))
		}
		return
	}
	out.unit = t.first.Unit
	switch {
	case t.moreUnits, a != aggregateFact && t.numbers < t.n:
		out.status = incomparable
	case a != aggregateFact:
		out.setNumber(t.number(a))
		if math.IsInf(out.Number, 0) {
			out.status = incomparable
		}
	case t.moreValues:
		out.status = conflict
	default:
		out.status, out.Value = ok, t.first.Value
	}
}

// number is the mean, the smallest or the largest of numbers.
func (t *tally) number(a aggregation) float64 {
	switch a {
	case aggregateMin:
		return t.low
	case aggregateMax:
		return t.high
	}
	return t.sum / float64(t.n)
}

// observations returns those of the measurements in use.
func (v *evaluation) observations() []int32 {
	v.ids += len(v.used)
	list := v.lists.reserve(len(v.used))
	for _, i := range v.used {
		list = append(list, v.series[i].Observation)
	}
	return list
}

// overruled returns the observations of the measurements that are fresh and not in
// use.
func (v *evaluation) overruled() []int32 {
	n := len(v.found) - len(v.used)
	v.ids += n
	list := v.lists.reserve(n)
	rest := v.used
	for _, i := range v.found {
		if len(rest) > 0 && rest[0] == i {
			rest = rest[1:]
			continue
		}
		list = append(list, v.series[i].Observation)
	}
	return list
}
