package compare

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/service/record"
)

// Slot is what one model is said to have under one measurement key, in one
// execution scope and one task.
type Slot struct {
	MeasurementKey string
	Execution      int // in the model's executions
	Task           int // in the model's tasks
	Facts          []Entry
}

// The states of a slot at an instant. Only a [View] of two catalogs at once can find one absent:
// in a catalog of its own a slot has facts.
const (
	StateAbsent   = "absent"   // there is no such fact
	StateExpired  = "expired"  // none of its facts holds
	StateValue    = "value"    // those that hold have one value and one unit, or are names
	StateConflict = "conflict" // those that hold have several
)

// State returns the state of a slot.
func (v *View) State(s *Slot) string {
	state, first := StateAbsent, -1
	for i := range s.Facts {
		f := &s.Facts[i]
		switch {
		case !v.Has[f.Observation]:
		case !v.Holds[f.Observation]:
			if state == StateAbsent {
				state = StateExpired
			}
		case first < 0:
			state, first = StateValue, i
		case !f.equal(&s.Facts[first]) && !record.NamesOffer(s.MeasurementKey):
			return StateConflict
		}
	}
	return state
}

// equal reports whether two entries say the same. Scalars are equal if their
// canonical JSON is.
func (e *Entry) equal(other *Entry) bool { return e.Value == other.Value && e.Unit == other.Unit }

// isAbout reports whether another entry says the same, or a number that is one with its own.
func (e *Entry) isAbout(other *Entry) bool {
	return e.equal(other) || e.Value.Kind == '0' && other.Value.Kind == '0' && e.Unit == other.Unit &&
		IsOneNumber(e.Value.Float(), other.Value.Float())
}

// IsOneNumber reports whether two numbers are one: lists that convert prices differ in the last
// digits.
func IsOneNumber(a, b float64) bool {
	const relative = 1e-9
	return math.Abs(a-b) <= relative*max(math.Abs(a), math.Abs(b))
}

// Facts returns the facts that make the state of a slot: those that hold or, if
// none does, those with the latest observedAt.
func (v *View) Facts(s *Slot) (facts []Entry) {
	if !slices.ContainsFunc(s.Facts, func(f Entry) bool { return !v.Holds[f.Observation] }) {
		return s.Facts
	}
	latest := ""
	for _, f := range s.Facts {
		if v.Holds[f.Observation] {
			facts = append(facts, f)
		}
		if at := v.Observations[f.Observation].Freshness.ObservedAt; v.Has[f.Observation] && string(at) > latest {
			latest = string(at)
		}
	}
	if facts != nil {
		return facts
	}
	for _, f := range s.Facts {
		if v.Has[f.Observation] && string(v.Observations[f.Observation].Freshness.ObservedAt) == latest {
			facts = append(facts, f)
		}
	}
	return facts
}

// Hash returns the name of the slot: the key that a conflict of it has, which is
// the SHA-256 of { execution, measurementKey, model, task }. The identity is that
// of the model as canonical JSON.
func (m *Model) Hash(s *Slot, identity string) string {
	var e canonical.Encoder
	e.Raw(`{"execution":` + m.Executions[s.Execution].JSON + `,"measurementKey":`)
	e.Text(s.MeasurementKey)
	e.Raw(`,"model":` + identity + `,"task":` + m.Tasks[s.Task].JSON + `}`)
	return canonical.Sum(e.Buf)
}

// DistinctValues returns the distinct values of entries in the order that conflicts have:
// booleans, numbers, strings, each ascending; of one value by unit, none first.
func DistinctValues(entries []Entry) []record.StatedValue {
	values := make([]record.StatedValue, len(entries))
	for i := range entries {
		values[i] = record.StatedValue{Value: entries[i].Value, Unit: record.Text(entries[i].Unit)}
	}
	slices.SortFunc(values, compareValues)
	return slices.Compact(values)
}

func compareValues(a, b record.StatedValue) int {
	return cmp.Or(cmp.Compare(class(a.Value), class(b.Value)),
		cmp.Compare(a.Value.Float(), b.Value.Float()),
		canonical.CompareText(a.Value.Text, b.Value.Text),
		canonical.CompareText(string(a.Unit), string(b.Unit)))
}

// class is the place of the scalar's kind among the others.
func class(s record.Scalar) int { return strings.IndexByte(`ft0"`, s.Kind) }
