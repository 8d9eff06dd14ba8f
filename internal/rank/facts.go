package rank

import (
	"fmt"
	"math"

	"github.com/model-catalog-service/svc/internal/catalog"
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
	Value          catalog.Scalar // if OK
	Unit           string         // of the value, "" for none
	ObservationIDs []string       // what the status comes from, in order
}

// Facts evaluates the facts of one model. It is not for concurrent use.
type Facts struct{ evaluator }

// NewFacts indexes a model, with what holds at an instant, which is the catalog's asOf
// or later. It fails as [New] does.
func NewFacts(entry *catalog.ModelEntry, instant string, reader *catalog.RecordReader) (*Facts, error) {
	m := newModel(entry, instant, reader, math.MaxInt32)
	if m == nil {
		return nil, fmt.Errorf("model %s has too many observations to evaluate", entry.IdentityJSON)
	}
	// No task has an empty family: what fits is facts without a task.
	return &Facts{evaluator{model: m, scopes: make([]scopeMatch, len(m.scopes)), tasks: make([]taskMatch, len(m.tasks))}}, nil
}

// TurnTo makes a profile the one that facts are evaluated for.
func (f *Facts) TurnTo(profile *catalog.Profile) {
	f.profile = profile
	f.turn++
}

// Evaluate evaluates the facts without a task under a key for the profile.
func (f *Facts) Evaluate(key string) Fact {
	f.room = nil // what was selected before is not needed any more
	c := f.evaluate(&criterion{key: key, aggregation: aggregateFact})
	fact := Fact{Status: map[status]FactStatus{
		missing: FactMissing, stale: FactStale, incomparable: FactIncomparable, conflict: FactConflict, ok: FactOK,
	}[c.status]}
	for _, m := range f.selected {
		fact.ObservationIDs = append(fact.ObservationIDs, f.model.observations[m.observation].id)
	}
	if c.status == ok {
		fact.Value, fact.Unit = c.scalar(), c.unit
	}
	return fact
}

// Holds reports whether any observation speaks of the profile, and whether one that
// does holds.
func (f *Facts) Holds() (speaks, holds bool) {
	for i := range f.model.observations {
		switch f.tier(&f.model.observations[i], 0) {
		case matching:
			speaks = true
		case fresh:
			return true, true
		}
	}
	return speaks, false
}

// Keys returns the keys of facts that the model has, in no order.
func (f *Facts) Keys() (keys []string) {
	for series := range f.model.seriesNumbers {
		if series.fact {
			keys = append(keys, series.key)
		}
	}
	return keys
}
