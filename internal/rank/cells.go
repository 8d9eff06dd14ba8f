package rank

import (
	"slices"

	"github.com/model-catalog-service/svc/service/record"
)

// The roles of criteria.
const (
	RoleRequirement = "requirement"
	RolePreference  = "preference"
	RoleAdvisory    = "advisory"
)

// Criterion is one criterion of a request.
type Criterion struct {
	Role           string
	ID             string  // from version 3 on
	MeasurementKey string  // empty for a sum
	Aggregation    string  // empty for a sum
	Direction      string  // of a preference or a tie breaker: maximize or minimize
	Weight         float64 // of a preference
	Scale          *Scale  // of a preference that has its own
}

// Scale is the ends of the scale of a preference.
type Scale struct{ Low, High float64 }

// Contribution is what a value adds to the score on a scale from low to high. The value
// may be outside of it, unless the preference has a scale of its own: what is beyond the
// ends of that counts as the ends.
func (c *Criterion) Contribution(value, low, high float64) float64 {
	n := normalize(value, low, high, c.Direction)
	if c.Scale != nil {
		n = min(max(n, 0), 1)
	}
	return float64(n * c.Weight)
}

// Criteria returns the criteria: requirements, preferences, advisories, each in
// normal order.
func (q *Request) Criteria() (list []Criterion) {
	add := func(role string, c *criterion, direction string, weight float64) {
		list = append(list, Criterion{Role: role, MeasurementKey: c.key, Aggregation: c.aggregation, Direction: direction, Weight: weight})
	}
	for i := range q.requirements {
		add(RoleRequirement, &q.requirements[i].criterion, "", 0)
	}
	for i := range q.preferences {
		p := &q.preferences[i]
		add(RolePreference, &p.criterion, p.direction, p.weight)
	}
	for i := range q.advisories {
		add(RoleAdvisory, &q.advisories[i].criterion, "", 0)
	}
	return list
}

// Cell is what came of one criterion for one candidate.
type Cell struct {
	Evaluated      bool   // false for the preferences of a candidate that is excluded
	Status         string // ok, missing, stale, conflict, incomparable or, from version 3 on, ambiguous
	Code           ReasonCode
	Value          record.Scalar // its Kind is 0 if there is none
	Unit           string
	Met            bool // of a requirement
	Scored         bool // of a preference
	Contribution   float64
	Interval       *Interval // that the value lies in, where that is known: from version 3 on
	ObservationIDs []string  // the diagnostic ones, sorted
}

// Interval is the ends of a confidence interval.
type Interval struct{ Low, High float64 }

// Cells returns what came of every criterion, in the order of [Request.Criteria],
// for every candidate, by id.
func (r *Result) Cells() map[string][]Cell {
	out := make(map[string][]Cell, len(r.request.candidates))
	for i := range r.request.candidates {
		c := &r.request.candidates[i]
		m, cells, list := r.ranker.find(c.Model), r.cellsOf(i), make([]Cell, 0, r.request.criteria())
		for k := range cells.requirements {
			list = append(list, cells.requirements[k].export(m, requirementCode(&cells.requirements[k])))
		}
		for k := range cells.preferences {
			if r.excludes[i] {
				list = append(list, Cell{})
				continue
			}
			list = append(list, cells.preferences[k].export(m, preferenceCode(&cells.preferences[k])))
		}
		for k := range cells.advisories {
			list = append(list, cells.advisories[k].export(m, ""))
		}
		out[c.ID] = list
	}
	return out
}

var statusNames = [...]string{missing: "missing", stale: "stale", incomparable: "incomparable", conflict: "conflict", ok: "ok"}

// export returns a cell of a candidate of this model in its public form.
func (c *cell) export(m *model, code ReasonCode) Cell {
	out := Cell{Evaluated: true, Status: statusNames[c.status], Code: code, Met: c.met, Scored: c.scored, Contribution: c.contribution}
	if c.status == ok {
		out.Value, out.Unit = c.Scalar(), c.unit
	}
	for _, i := range c.diagnostic.bits.appendNumbers(nil, c.diagnostic.first) {
		out.ObservationIDs = append(out.ObservationIDs, m.observations[m.Measurements[i].Observation].id)
	}
	slices.Sort(out.ObservationIDs)
	return out
}
