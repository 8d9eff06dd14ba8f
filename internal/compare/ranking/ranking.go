// Package ranking says why one catalog answers a rank request differently than
// another: who moved, which criterion made them move, and whether it was their own
// value or those of others.
//
// An [Answer] is a request of any version, answered by one catalog, in the terms that
// all versions share; [Ask] makes one. [Compare] compares two
// answers to one request.
//
// # What moves a candidate
//
// A preference adds to a score its weight times the place of the candidate's value
// on a scale from the lowest to the highest value of all candidates. So a candidate's
// contribution changes when its value does, and when somebody else's does who makes
// the scale. The change is split: ofValue is what it would have been on the old scale,
//
//	weight × normalized(new value on the old scale) − old contribution
//
// and ofScale the rest. Three models cost 1, 3 and 5 dollars, and less is better with
// weight 2: the second contributes 1. The next day it costs 2, which is 1.5 on the old
// scale: ofValue is 0.5. The last one costs 3 that day, so that the scale ends there,
// and 2 is in the middle of it: the contribution is 1 as before, ofScale −0.5.
package ranking

import (
	"context"
	"math"
	"reflect"
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/rank"
	"github.com/model-catalog-service/svc/internal/rank/dispatch"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// Answer is a rank request, answered by one catalog.
type Answer struct {
	Request    record.VersionedRequest
	Criteria   []Criterion // in normal order: requirements, preferences, tie breakers, advisories
	Candidates []Candidate // by id
	Ranked     []string    // candidate ids in order of rank
}

// Criterion is a criterion of a request. What it does not have is empty.
type Criterion struct {
	Role           string
	ID             string // from version 3 on
	MeasurementKey string
	Aggregation    string
	Direction      string
	// Scale is the ends of the scale of a preference: those that the request gives or
	// the lowest and highest number that a candidate has.
	Lowest, Highest record.Float
	isFixed         bool // the request gives the scale
	// Contribution is what a value would contribute to the score on a scale, which it
	// may be outside of. Preferences have it.
	Contribution func(value, low, high float64) float64
}

// Candidate is how a candidate came out.
type Candidate struct {
	ID        string
	Placement record.CandidateOutcome
	Cells     []*Cell // by criterion, nil where it was not evaluated
}

// Cell is what came of a criterion for a candidate.
type Cell struct {
	Status         string
	Code           string        // of the reason, "" of an advisory
	Value          record.Scalar // its Kind is 0 if there is none
	Unit           string
	Met            bool           // of a requirement
	Contribution   record.Float   // of a preference that is scored
	Interval       *rank.Interval // that the value lies in, nil where that is not known
	ObservationIDs []string       // those that it rests on, sorted
}

// scored returns the value of a preference that is scored, which is a number.
func (c *Cell) scored() record.Float {
	if c == nil || !c.Contribution.Known {
		return record.Float{}
	}
	return record.NewFloat(c.Value.Float())
}

// Side is a catalog and what it answers to requests.
type Side struct {
	catalog *catalog.Catalog
	answers []*Answer
}

// NewSide returns a catalog with its answers to requests. It fails if the context ends
// or the catalog cannot be indexed.
func NewSide(ctx context.Context, c *catalog.Catalog, requests ...*dispatch.Request) (*Side, error) {
	return NewRankedSide(ctx, c, dispatch.New(c), requests...)
}

// NewRankedSide is [NewSide] for a catalog that has a ranker already.
func NewRankedSide(ctx context.Context, c *catalog.Catalog, ranker *dispatch.Ranker, requests ...*dispatch.Request) (*Side, error) {
	s := &Side{catalog: c}
	for _, request := range requests {
		answer, err := Ask(ctx, ranker, request)
		if err != nil {
			return nil, err
		}
		s.answers = append(s.answers, answer)
	}
	return s, nil
}

// Diff compares two catalogs as [compare.Catalogs] does, and their answers to the same
// requests.
func Diff(ctx context.Context, old, new *Side, opts compare.Options) (*record.CatalogDiff, error) {
	d, err := compare.Catalogs(ctx, old.catalog, new.catalog, opts)
	if err != nil {
		return nil, err
	}
	for i := range old.answers {
		r := Compare(old.answers[i], new.answers[i], old.catalog, new.catalog)
		if r.Changed {
			d.Summary.Rankings++
		}
		if slices.Contains(d.Only, record.DiffRankings) {
			d.Rankings = append(d.Rankings, r)
		}
	}
	return d, nil
}

// Ask answers a request. It fails if the context ends or the catalog cannot be indexed.
func Ask(ctx context.Context, ranker *dispatch.Ranker, request *dispatch.Request) (*Answer, error) {
	result, err := ranker.Rank(ctx, request, 0)
	if err != nil {
		return nil, err
	}
	return NewAnswer(request, result), nil
}

// NewAnswer returns the result of a request in the terms that all versions share.
func NewAnswer(request *dispatch.Request, result *dispatch.Result) *Answer {
	a := &Answer{Request: record.VersionedRequest{SHA256: canonical.Sum([]byte(request.JSON()))}, Ranked: []string{}}
	if request.Earlier != nil {
		a.Request.SchemaVersion = request.Earlier.SchemaVersion()
		a.take(request.Earlier.Criteria(), earlierPlacements(result.Earlier), result.Earlier.Cells())
	} else {
		a.Request.SchemaVersion = v3.RequestSchema
		a.take(result.Current.Criteria(), currentPlacements(result.Current), result.Current.Cells())
	}
	return a
}

// place is where a candidate ended.
type place struct {
	id string
	record.CandidateOutcome
}

func earlierPlacements(result *rank.Result) (list []place) {
	for _, p := range append(result.Ranked(), result.Excluded()...) {
		out := place{p.CandidateID, record.CandidateOutcome{Outcome: compare.Excluded}}
		if p.Rank > 0 {
			out.CandidateOutcome = record.CandidateOutcome{Outcome: compare.Ranked, Rank: &p.Rank, Score: record.NewFloat(p.Score)}
		}
		list = append(list, out)
	}
	return list
}

func currentPlacements(result *v3.Ranking) (list []place) {
	for _, p := range result.Placements() {
		out := place{p.ID, record.CandidateOutcome{Outcome: compare.Excluded}}
		if p.Rank != nil {
			out.CandidateOutcome = record.CandidateOutcome{Outcome: compare.Ranked, Rank: new(int(*p.Rank)), Score: record.NewFloat(*p.Score)}
			out.RankInterval = p.RankInterval
		}
		list = append(list, out)
	}
	return list
}

// take fills an answer. The places are in order of rank, the cells by candidate id.
func (a *Answer) take(criteria []rank.Criterion, places []place, cells map[string][]rank.Cell) {
	for _, c := range criteria {
		out := Criterion{
			Role: string(c.Role), ID: c.ID, MeasurementKey: c.MeasurementKey, Aggregation: c.Aggregation, Direction: c.Direction, Contribution: c.Contribution,
		}
		if c.Scale != nil {
			out.isFixed, out.Lowest, out.Highest = true, record.NewFloat(c.Scale.Low), record.NewFloat(c.Scale.High)
		}
		a.Criteria = append(a.Criteria, out)
	}
	for _, p := range places {
		c := Candidate{ID: p.id, Placement: p.CandidateOutcome}
		if p.Rank != nil {
			a.Ranked = append(a.Ranked, c.ID)
		}
		for i, cell := range cells[c.ID] {
			c.Cells = append(c.Cells, export(&cell))
			if number := c.Cells[i].scored(); number.Known && !a.Criteria[i].isFixed {
				a.Criteria[i].widen(number.Value)
			}
		}
		a.Candidates = append(a.Candidates, c)
	}
	slices.SortFunc(a.Candidates, func(a, b Candidate) int { return canonical.CompareText(a.ID, b.ID) })
}

func export(c *rank.Cell) *Cell {
	if !c.Evaluated {
		return nil
	}
	out := &Cell{
		Status: string(c.Status), Code: string(c.Code), Value: c.Value, Unit: c.Unit, Met: c.Met, Interval: c.Interval, ObservationIDs: c.ObservationIDs,
	}
	if c.Scored {
		out.Contribution = record.NewFloat(c.Contribution)
	}
	return out
}

// widen makes the scale reach a number.
func (c *Criterion) widen(f float64) {
	if !c.Lowest.Known {
		c.Lowest, c.Highest = record.NewFloat(f), record.NewFloat(f)
	}
	c.Lowest.Value, c.Highest.Value = min(c.Lowest.Value, f), max(c.Highest.Value, f)
}

// Compare compares what two catalogs answer to one request. It looks up in them which
// of the observations that the answers rest on they have, and which hold.
func Compare(old, new *Answer, oldCatalog, newCatalog *catalog.Catalog) record.RankingChange {
	used := map[string]bool{}
	for _, a := range []*Answer{old, new} {
		for _, c := range a.Candidates {
			for _, cell := range c.Cells {
				if cell != nil {
					for _, id := range cell.ObservationIDs {
						used[id] = true
					}
				}
			}
		}
	}
	p := &pair{old: old, new: new, oldHas: find(oldCatalog, used), newHas: find(newCatalog, used)}
	r := record.RankingChange{
		Request: old.Request, Changed: !slices.Equal(old.Ranked, new.Ranked), Old: old.Ranked, New: new.Ranked,
		Scales: []record.ScaleChange{}, Candidates: []record.CandidateChange{},
	}
	for i := range old.Criteria {
		if c := &old.Criteria[i]; c.Role == compare.Preference {
			if a, b := old.scale(i), new.scale(i); !reflect.DeepEqual(a, b) {
				r.Scales = append(r.Scales, record.ScaleChange{
					Criterion: record.Text(c.ID), MeasurementKey: record.Text(c.MeasurementKey), Aggregation: record.Text(c.Aggregation),
					Direction: c.Direction, Old: a, New: b,
				})
			}
		}
	}
	for i := range old.Candidates {
		c, more := p.candidate(i)
		r.Changed = r.Changed || more
		if more || len(c.Criteria) > 0 {
			r.Candidates = append(r.Candidates, c)
		}
	}
	return r
}

// find returns for those of the observations that a catalog has whether they hold.
func find(c *catalog.Catalog, ids map[string]bool) map[string]bool {
	found := map[string]bool{}
	for _, m := range c.Models() {
		for _, o := range m.Observations {
			if ids[o.ID()] {
				rec := o.Record()
				found[o.ID()] = rec.Freshness.HoldsAt(record.Timestamp(c.AsOf()))
			}
		}
	}
	return found
}

// scale returns the ends of the scale of a preference, and who is there.
func (a *Answer) scale(criterion int) record.ScaleEnds {
	c := &a.Criteria[criterion]
	s := record.ScaleEnds{Lowest: c.Lowest, Highest: c.Highest, LowestAt: []string{}, HighestAt: []string{}}
	for _, candidate := range a.Candidates {
		number := candidate.Cells[criterion].scored()
		if number.Known && number == c.Lowest {
			s.LowestAt = append(s.LowestAt, candidate.ID)
		}
		if number.Known && number == c.Highest {
			s.HighestAt = append(s.HighestAt, candidate.ID)
		}
	}
	return s
}

// pair is two answers, and which of the observations that they rest on the two
// catalogs have, and whether these hold.
type pair struct {
	old, new       *Answer
	oldHas, newHas map[string]bool
}

// candidate compares how a candidate came out. It reports whether more differs than
// which observations are used.
func (p *pair) candidate(i int) (out record.CandidateChange, more bool) {
	old, new := &p.old.Candidates[i], &p.new.Candidates[i]
	out = record.CandidateChange{CandidateID: old.ID, Old: old.Placement, New: new.Placement, Criteria: []record.CriterionChange{}}
	if old.Placement.Rank != nil && new.Placement.Rank != nil {
		out.Move = record.NewFloat(float64(*old.Placement.Rank - *new.Placement.Rank))
	}
	more = !reflect.DeepEqual(old.Placement, new.Placement)
	for k := range old.Cells {
		before, after := old.Cells[k], new.Cells[k]
		if before == nil && after == nil {
			continue
		}
		same := before != nil && after != nil && before.says(after)
		more = more || !same
		if !same || !slices.Equal(before.ObservationIDs, after.ObservationIDs) {
			out.Criteria = append(out.Criteria, p.criterion(k, before, after))
		}
	}
	return out, more
}

// says reports whether another cell says the same, on whatever observations.
func (c *Cell) says(other *Cell) bool {
	return c.Status == other.Status && c.Code == other.Code && c.Value == other.Value && c.Unit == other.Unit && c.Contribution == other.Contribution
}

// criterion returns a criterion that differs for a candidate, and why.
func (p *pair) criterion(k int, before, after *Cell) record.CriterionChange {
	was, is := &p.old.Criteria[k], &p.new.Criteria[k]
	out := record.CriterionChange{
		Role: was.Role, Criterion: record.Text(was.ID), MeasurementKey: record.Text(was.MeasurementKey), Aggregation: record.Text(was.Aggregation),
		Causes: []string{}, Old: before.record(), New: after.record(),
	}
	note := func(cause string, applies bool) {
		if applies {
			out.Causes = append(out.Causes, cause)
		}
	}
	both := before != nil && after != nil
	scored := both && before.Contribution.Known && after.Contribution.Known
	note(compare.CauseValue, both && before.Value.Kind != 0 && after.Value.Kind != 0 && (before.Value != after.Value || before.Unit != after.Unit))
	note(compare.CauseStatus, both && before.Status != after.Status)
	note(compare.CauseRequirement, both && before.Met != after.Met)
	note(compare.CauseCame, slices.ContainsFunc(after.ids(), func(id string) bool { _, has := p.oldHas[id]; return !has }))
	note(compare.CauseWent, slices.ContainsFunc(before.ids(), func(id string) bool { _, has := p.newHas[id]; return !has }))
	note(compare.CauseAgedOut, slices.ContainsFunc(before.ids(), func(id string) bool {
		holds, has := p.newHas[id]
		return has && !holds && p.oldHas[id]
	}))
	note(compare.CauseScale, scored && (was.Lowest != is.Lowest || was.Highest != is.Highest))
	if scored {
		out.Contribution = split(was, before.Contribution.Value, after.Contribution.Value, after.Value.Float())
	}
	return out
}

// split splits the change of a contribution. On an old scale so narrow that nothing
// finite comes of it, or of no width at all, the value has no part in the change.
func split(old *Criterion, before, after, value float64) *record.ContributionChange {
	out := &record.ContributionChange{Old: before, New: after}
	onOld := before
	if old.Lowest != old.Highest {
		if c := old.Contribution(value, old.Lowest.Value, old.Highest.Value); !math.IsInf(c, 0) && !math.IsNaN(c) {
			onOld = c
		}
	}
	out.OfValue, out.OfScale = onOld-before, after-onOld
	return out
}

func (c *Cell) ids() []string {
	if c == nil {
		return nil
	}
	return c.ObservationIDs
}

// record returns the cell as the record has it.
func (c *Cell) record() *record.CriterionValue {
	if c == nil {
		return nil
	}
	out := &record.CriterionValue{
		Status: c.Status, Code: record.Text(c.Code), Unit: record.Text(c.Unit), Contribution: c.Contribution,
		ObservationIDs: append([]string{}, c.ObservationIDs[:min(len(c.ObservationIDs), compare.MostObservationIDs)]...), ObservationCount: len(c.ObservationIDs),
	}
	if c.Value.Kind != 0 {
		value := record.Scalar(c.Value)
		out.Value = &value
	}
	return out
}
