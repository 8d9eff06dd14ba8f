package v3

import (
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/service/record"
)

// This file gives a ranking as values, in the terms that all versions share, for whoever
// compares rankings or draws them.

// Advisory is the role of a criterion that tells what is known, without any effect, before version
// 3.
const Advisory = "advisory"

// Criterion is one criterion of a request. What it does not have is empty.
type Criterion struct {
	Role            string
	ID              string // from version 3 on
	MeasurementKey  string // empty for a sum
	Aggregation     string // empty for a sum
	Operator        string
	Expected        record.Scalar // of a requirement
	Direction       string
	Lowest, Highest record.Float // the ends of the scale of a preference

	of   *criterion
	ends scale
}

// Contribution is what a value would add to the score on the scale of the preference. The value may
// be outside of it, unless the request has the scale: what is beyond the ends of that counts as the
// ends.
func (c *Criterion) Contribution(value float64) float64 {
	n := c.ends.position(value, c.of.direction)
	if c.of.scale != nil {
		n = min(max(n, 0), 1)
	}
	return float64(n * c.of.weight)
}

// Identity is what tells the request from others.
func (q *Request) Identity() record.VersionedRequest {
	version := RequestSchema
	if q.IsEarlier() {
		version = q.earlier.SchemaVersion
	}
	return record.VersionedRequest{SHA256: canonical.Sum([]byte(q.JSON())), SchemaVersion: version}
}

// IsEarlier reports whether the request is of version 1 or 2.
func (r *Ranking) IsEarlier() bool { return r.request.IsEarlier() }

// Criteria returns the criteria in normal order: requirements, preferences, tie breakers, of which
// the cost of a task may be the last, advisories.
func (r *Ranking) Criteria() (list []Criterion) {
	r.eachCriterion(func(role role, i int, isAdvisory bool) {
		c := &r.request.criteria[role][i]
		out := Criterion{Role: roleNames[role], ID: c.id, MeasurementKey: c.key, Expected: c.value, of: c}
		if c.aggregation != 0 {
			out.Aggregation = c.aggregation.String()
		}
		if c.operator != 0 {
			out.Operator = c.operator.String()
		}
		if c.direction != 0 {
			out.Direction = c.direction.String()
		}
		if role == preference && r.ends[i].known {
			out.ends = r.ends[i].scale
			out.Lowest, out.Highest = record.NewFloat(out.ends.low), record.NewFloat(out.ends.high)
		}
		if r.IsEarlier() {
			out.ID = ""
		}
		if isAdvisory {
			out.Role, out.Direction = Advisory, ""
		}
		list = append(list, out)
	})
	return list
}

// eachCriterion calls do for every criterion in normal order: role by role, advisories last.
func (r *Ranking) eachCriterion(do func(role role, i int, isAdvisory bool)) {
	for _, wantsAdvisories := range [...]bool{false, true} {
		for _, criteria := range r.request.criteria {
			for i := range criteria {
				if isAdvisory := r.IsEarlier() && criteria[i].isShown(); isAdvisory == wantsAdvisories {
					do(criteria[i].role, i, isAdvisory)
				}
			}
		}
	}
}

// Outcome is how a candidate came out.
type Outcome struct {
	CandidateID string
	Model       record.Model
	record.CandidateOutcome
	Cells      []*Cell  // in the order of [Ranking.Criteria], nil where a criterion was not evaluated
	Shortfalls []string // why it is excluded: codes and summaries of reasons
}

// Cell is what came of one criterion for one candidate.
type Cell struct {
	Status string // ok, missing, stale, conflict, incomparable or, from version 3 on, ambiguous
	// of the reason; empty for an advisory and for what a candidate without enough evidence has
	Code           string
	Value          record.Scalar // its Kind is 0 if there is none
	Unit           string
	Met            bool         // of a requirement
	Contribution   record.Float // of a preference that is scored
	Estimate       *Estimate    // of a number
	ObservationIDs []string     // the diagnostic ones, sorted
}

// Outcomes returns how the candidates came out: the best first, then those that are excluded, by
// id.
func (r *Ranking) Outcomes() (list []Outcome) {
	w := &writer{Ranking: r}
	for _, number := range slices.Concat(r.ranked, r.excluded) {
		c := &r.request.candidates[number]
		out := Outcome{CandidateID: c.ID, Model: c.Model, CandidateOutcome: record.CandidateOutcome{Outcome: "excluded"}}
		if p := r.placement(number); p.Rank != nil {
			out.CandidateOutcome = record.CandidateOutcome{Outcome: "ranked", Rank: new(int(*p.Rank)),
				Score: record.NewFloat(*p.Score), RankInterval: p.RankInterval, ScoreInterval: p.ScoreInterval}
		} else {
			out.Shortfalls = w.shortfalls(number)
		}
		r.eachCriterion(func(role role, i int, isAdvisory bool) {
			if !isAdvisory && !r.isEvaluated(number, role) {
				out.Cells = append(out.Cells, nil)
				return
			}
			out.Cells = append(out.Cells, r.exportCell(number, &r.request.criteria[role][i], &r.cellsOf(number, role)[i],
				isAdvisory))
		})
		list = append(list, out)
	}
	return list
}

// exportCell returns a cell as a value.
func (r *Ranking) exportCell(candidate int, k *criterion, c *cell, isAdvisory bool) *Cell {
	out := &Cell{Status: statusNames[c.status], Met: c.met, Estimate: c.exportEstimate(), ObservationIDs: []string{}}
	isUnscored := k.role == preference && c.numeric() && !c.scored && !k.isShown() // excluded by coverage
	if !isUnscored && !isAdvisory {
		out.Code = noteNames[k.code(c)]
	}
	if c.status == ok {
		out.Value, out.Unit = c.Scalar(), c.unit
	}
	if c.scored {
		out.Contribution = record.NewFloat(c.contribution)
	}
	for _, number := range c.observations {
		out.ObservationIDs = append(out.ObservationIDs, r.models[candidate].observations[number].source.ID())
	}
	slices.Sort(out.ObservationIDs)
	return out
}

// First returns the id of the candidate that comes first, "" if none is ranked.
func (r *Ranking) First() string {
	if len(r.ranked) == 0 {
		return ""
	}
	return r.request.candidates[r.ranked[0]].ID
}

// Ranked returns the ids of those that are ranked, the best first.
func (r *Ranking) Ranked() (ids []string) {
	for _, number := range r.ranked {
		ids = append(ids, r.request.candidates[number].ID)
	}
	return ids
}

// Chosen returns the id of the candidate to take, "" for none.
func (r *Ranking) Chosen() string {
	if r.decision == nil {
		return ""
	}
	return r.request.candidates[r.decision.chosen].ID
}

// Digest is that of the catalog.
func (r *Ranking) Digest() string { return r.ranker.digest }

// AsOf is the instant that the catalog speaks for.
func (r *Ranking) AsOf() string { return r.ranker.asOf }

// Maximum is the highest score that a candidate can have: the sum of the weights.
func (r *Ranking) Maximum() float64 { return r.request.maximum }
