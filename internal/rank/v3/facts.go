package v3

import (
	"fmt"
	"math"
	"slices"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/rank/index"
	"github.com/model-catalog-service/svc/service/record"
)

// This file evaluates facts without a request: what ranking would use as the value of
// a key for one model and one execution profile. Whoever exports facts, or relies on
// some, sees what a request would.

// FactStatus says what came of evaluating a fact.
type FactStatus string

// The statuses of a fact.
const (
	FactOK           FactStatus = "ok"           // all that holds says one value
	FactMissing      FactStatus = "missing"      // nobody says anything
	FactStale        FactStatus = "stale"        // all that was said has expired
	FactConflict     FactStatus = "conflict"     // what holds contradicts itself
	FactIncomparable FactStatus = "incomparable" // it is about other executions, or in several units
)

// Fact is what ranking makes of the facts under one key.
type Fact struct {
	Status         FactStatus
	Value          record.Scalar // if OK
	Unit           string        // of the value, "" for none
	ObservationIDs []string      // what the status comes from, in order
}

// Facts evaluates the facts of one model. It is not for concurrent use.
type Facts struct {
	evaluation
	byKey     map[runtimeSeries][]int32 // numbers of measurements in their series; nil for the first profile
	byRuntime map[string][]int32        // numbers of observations, by runtime
	unmatched map[string]Fact           // by key: of a profile that nothing matches
}

// runtimeSeries is what speaks of a key at a runtime, empty for what names none. Of a
// model that a thousand runtimes offer, a profile is compared with what names its own.
type runtimeSeries struct{ key, runtime string }

// withoutTask selects what is said without a task: no family of tasks is white space.
var withoutTask = Task{Family: " "}

// NewFacts indexes a model, with what holds at an instant, which is the catalog's asOf
// or later. It fails as [New] does.
func NewFacts(entry *catalog.ModelEntry, instant string, reader *catalog.RecordReader) (*Facts, error) {
	m := newModel([]*catalog.ModelEntry{entry}, instant, reader, math.MaxInt32)
	if m == nil {
		return nil, fmt.Errorf("model %s has too many observations to evaluate", entry.IdentityJSON)
	}
	f := &Facts{evaluation: evaluation{mixes: true, model: m, candidate: &record.CandidateV2{Model: entry.Identity}}}
	f.groups = grow(f.groups, len(m.groups))
	return f, nil
}

// TurnTo makes a profile the one that facts are evaluated for.
func (f *Facts) TurnTo(profile *record.Profile) {
	f.candidate.Execution = *profile
	f.turn++
	if f.turn == 2 {
		f.group()
		f.unmatched = map[string]Fact{}
	}
}

// group finds what names each runtime.
func (f *Facts) group() {
	f.byKey, f.byRuntime = map[runtimeSeries][]int32{}, map[string][]int32{}
	runtime := func(o int32) string { return f.model.groups[f.model.observations[o].group].scope.Runtime.ID }
	for i := range f.model.observations {
		name := runtime(int32(i))
		f.byRuntime[name] = append(f.byRuntime[name], int32(i))
	}
	for _, key := range f.model.Keys() {
		series, _ := f.model.Find(index.SeriesKey{Key: key, Fact: true})
		for i := range series {
			name := runtimeSeries{key, runtime(series[i].Observation)}
			f.byKey[name] = append(f.byKey[name], int32(i))
		}
	}
}

// Evaluate evaluates the facts without a task under a key for the profile.
func (f *Facts) Evaluate(key string) Fact {
	f.turnTo(&measure{key: key, aggregation: aggregateFact, task: withoutTask, sources: anySource})
	if t := f.gatherNear(); t > scoped {
		return f.fact(t)
	}
	// What is said of other runtimes matters too. It matches no profile that what names its
	// own runtime does not, so it comes to the same for all of them.
	fact, known := f.unmatched[key]
	if !known {
		fact = f.fact(f.gather())
		if f.unmatched != nil {
			f.unmatched[key] = fact
		}
	}
	return fact
}

var factStatuses = [...]FactStatus{missing: FactMissing, stale: FactStale, incomparable: FactIncomparable,
	conflict: FactConflict, ok: FactOK}

// fact is what the measurements that were found say, which are of a tier.
func (f *Facts) fact(t tier) Fact {
	var c cell
	f.settle(t, &c)
	fact := Fact{Status: factStatuses[c.status]}
	for _, observation := range c.observations {
		fact.ObservationIDs = append(fact.ObservationIDs, f.model.observations[observation].source.ID())
	}
	if c.status == ok {
		fact.Value, fact.Unit = c.Scalar(), c.unit
	}
	return fact
}

// gatherNear gathers what names the profile's runtime or none.
func (f *Facts) gatherNear() tier {
	f.found = f.found[:0]
	best := scoped
	numbers := slices.Concat(f.byKey[runtimeSeries{f.measure.key, ""}],
		f.byKey[runtimeSeries{f.measure.key, f.candidate.Execution.Runtime.ID}])
	slices.Sort(numbers)
	for _, i := range slices.Compact(numbers) {
		best = f.pick(i, best)
	}
	return best
}

// Holds reports whether any observation speaks of the profile, and whether one that
// does holds.
func (f *Facts) Holds() (speaks, holds bool) {
	check := func(o *observation) {
		isMatch := !o.invalid && admits(&withoutTask, &f.model.tasks[o.task]) && f.matchGroup(o.group).differing == 0
		speaks, holds = speaks || isMatch, holds || isMatch && o.fresh
	}
	if f.byRuntime == nil {
		for i := range f.model.observations {
			check(&f.model.observations[i])
		}
		return speaks, holds
	}
	for _, runtime := range []string{"", f.candidate.Execution.Runtime.ID} {
		for _, i := range f.byRuntime[runtime] {
			check(&f.model.observations[i])
		}
	}
	return speaks, holds
}

// Keys returns the keys of facts that the model has, in no order.
func (f *Facts) Keys() (keys []string) { return f.model.Keys() }
