package v3

import (
	"slices"

	"github.com/model-catalog-service/svc/internal/rank"
)

// This file gives a ranking as values, in the terms that all versions share, for whoever
// compares rankings or draws them.

// Criteria returns the criteria in normal order: requirements, preferences, tie breakers, of which the
// cost of a task may be the last.
func (r *Ranking) Criteria() (list []rank.Criterion) {
	for _, criteria := range r.request.criteria {
		for i := range criteria {
			c := &criteria[i]
			out := rank.Criterion{Role: roleNames[c.role], ID: c.id, MeasurementKey: c.key, Weight: c.weight}
			if c.aggregation != 0 {
				out.Aggregation = c.aggregation.String()
			}
			if c.direction != 0 {
				out.Direction = c.direction.String()
			}
			if c.scale != nil {
				out.Scale = &rank.Scale{Low: c.scale.low, High: c.scale.high}
			}
			list = append(list, out)
		}
	}
	return list
}

// CandidatePlacement is where a candidate ended.
type CandidatePlacement struct {
	ID string
	Placement
}

// Placements returns where each candidate ended: the best first, then those that are
// excluded, by id.
func (r *Ranking) Placements() (list []CandidatePlacement) {
	for _, number := range slices.Concat(r.ranked, r.excluded) {
		list = append(list, CandidatePlacement{r.request.candidates[number].id, r.placement(number)})
	}
	return list
}

// Cells returns what came of every criterion, in the order of [Ranking.Criteria], for
// every candidate, by id.
func (r *Ranking) Cells() map[string][]rank.Cell {
	out := make(map[string][]rank.Cell, len(r.request.candidates))
	for i := range r.request.candidates {
		list := make([]rank.Cell, 0, r.width)
		for role := range roles {
			cells := r.cellsOf(i, role)
			for k := range cells {
				if !r.isEvaluated(i, role) {
					list = append(list, rank.Cell{})
					continue
				}
				list = append(list, r.exportCell(i, &r.request.criteria[role][k], &cells[k]))
			}
		}
		out[r.request.candidates[i].id] = list
	}
	return out
}

// exportCell returns a cell in its public form.
func (r *Ranking) exportCell(candidate int, k *criterion, c *cell) rank.Cell {
	out := rank.Cell{Evaluated: true, Status: statusNames[c.status], Met: c.met, Scored: c.scored, Contribution: c.contribution, ObservationIDs: []string{}}
	isUnscored := k.role == preference && c.numeric() && !c.scored && !k.isShown() // excluded by coverage
	if !isUnscored {
		out.Code = rank.ReasonCode(noteNames[k.code(c)])
	}
	if c.status == ok {
		out.Value, out.Unit = c.Scalar(), c.unit
		if c.numeric() && c.estimate.isKnown() {
			out.Interval = &rank.Interval{Low: c.estimate.low, High: c.estimate.high}
		}
	}
	for _, number := range c.observations {
		out.ObservationIDs = append(out.ObservationIDs, r.models[candidate].observations[number].source.ID())
	}
	slices.Sort(out.ObservationIDs)
	return out
}

// Estimates returns the estimates of the preferences of a request, in its normal order, by
// candidate id. It is nil where there is none.
func (r *Ranking) Estimates() map[string][]*Estimate {
	out := make(map[string][]*Estimate, len(r.request.candidates))
	for i := range r.request.candidates {
		cells := r.cellsOf(i, preference)
		list := make([]*Estimate, len(cells))
		for k := range cells {
			if cells[k].status == ok {
				list[k] = cells[k].exportEstimate()
			}
		}
		out[r.request.candidates[i].id] = list
	}
	return out
}
