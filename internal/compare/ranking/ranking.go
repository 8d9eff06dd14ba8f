// Package ranking says why one catalog answers a rank request differently than
// another: who moved, which criterion made them move, and whether it was their own
// value or those of others.
//
// An [Answer] is a request of any version, answered by one catalog; [Ask] makes one. [Compare]
// compares two answers to one request.
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
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// Answer is a rank request, answered by one catalog.
type Answer struct {
	request    record.VersionedRequest
	criteria   []v3.Criterion
	candidates []v3.Outcome // by id
	ranked     []string     // candidate ids in order of rank
	chosen     string       // a candidate id, or ""
}

// Side is a catalog and what it answers to requests.
type Side struct {
	catalog *catalog.Catalog
	answers []*Answer
}

// NewSide returns a catalog with its answers to requests. It fails if the context ends
// or the catalog cannot be indexed.
func NewSide(ctx context.Context, c *catalog.Catalog, requests ...*v3.Request) (*Side, error) {
	if len(requests) == 0 {
		return &Side{catalog: c}, nil
	}
	ranker, err := v3.New(c)
	if err != nil {
		return nil, err
	}
	return NewRankedSide(ctx, c, ranker, requests...)
}

// NewRankedSide is [NewSide] for a catalog that has a ranker already.
func NewRankedSide(ctx context.Context, c *catalog.Catalog, ranker *v3.Ranker, requests ...*v3.Request) (*Side, error) {
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

// Ask answers a request. It fails if the context ends.
func Ask(ctx context.Context, ranker *v3.Ranker, request *v3.Request) (*Answer, error) {
	r, err := ranker.Rank(ctx, request, 0)
	if err != nil {
		return nil, err
	}
	a := &Answer{request.Identity(), r.Criteria(), r.Outcomes(), []string{}, r.Chosen()}
	for i := range a.candidates {
		if c := &a.candidates[i]; c.Rank != nil {
			a.ranked = append(a.ranked, c.CandidateID)
		}
	}
	slices.SortFunc(a.candidates, func(a, b v3.Outcome) int { return canonical.CompareText(a.CandidateID, b.CandidateID) })
	return a, nil
}

// Compare compares what two catalogs answer to one request. It looks up in them which
// of the observations that the answers rest on they have, and which hold.
func Compare(old, new *Answer, oldCatalog, newCatalog *catalog.Catalog) record.RankingChange {
	used := map[string]bool{}
	for _, a := range []*Answer{old, new} {
		for _, c := range a.candidates {
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
		Request: old.request, Changed: !slices.Equal(old.ranked, new.ranked), Old: old.ranked, New: new.ranked,
		OldChoice: record.Text(old.chosen), NewChoice: record.Text(new.chosen),
		Scales: []record.ScaleChange{}, Candidates: []record.CandidateChange{},
	}
	for i := range old.criteria {
		if c := &old.criteria[i]; c.Role == compare.Preference {
			if a, b := old.scale(i), new.scale(i); !reflect.DeepEqual(a, b) {
				r.Scales = append(r.Scales, record.ScaleChange{
					Criterion: record.Text(c.ID), MeasurementKey: record.Text(c.MeasurementKey),
					Aggregation: record.Text(c.Aggregation),
					Direction:   c.Direction, Old: a, New: b,
				})
			}
		}
	}
	for i := range old.candidates {
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
	c := &a.criteria[criterion]
	s := record.ScaleEnds{Lowest: c.Lowest, Highest: c.Highest, LowestAt: []string{}, HighestAt: []string{}}
	for _, candidate := range a.candidates {
		number := scored(candidate.Cells[criterion])
		if number.Known && number == c.Lowest {
			s.LowestAt = append(s.LowestAt, candidate.CandidateID)
		}
		if number.Known && number == c.Highest {
			s.HighestAt = append(s.HighestAt, candidate.CandidateID)
		}
	}
	return s
}

// scored returns the value of a preference that is scored, which is a number.
func scored(c *v3.Cell) record.Float {
	if c == nil || !c.Contribution.Known {
		return record.Float{}
	}
	return record.NewFloat(c.Value.Float())
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
	old, new := &p.old.candidates[i], &p.new.candidates[i]
	out = record.CandidateChange{CandidateID: old.CandidateID, Old: old.CandidateOutcome, New: new.CandidateOutcome,
		Criteria: []record.CriterionChange{}}
	if old.Rank != nil && new.Rank != nil {
		out.Move = record.NewFloat(float64(*old.Rank - *new.Rank))
	}
	more = !reflect.DeepEqual(old.CandidateOutcome, new.CandidateOutcome)
	for k := range old.Cells {
		before, after := old.Cells[k], new.Cells[k]
		if before == nil && after == nil {
			continue
		}
		same := before != nil && after != nil && says(before, after)
		more = more || !same
		if !same || !slices.Equal(before.ObservationIDs, after.ObservationIDs) {
			out.Criteria = append(out.Criteria, p.criterion(k, before, after))
		}
	}
	return out, more
}

// says reports whether another cell says the same, on whatever observations.
func says(c, other *v3.Cell) bool {
	return c.Status == other.Status && c.Code == other.Code && c.Value == other.Value && c.Unit == other.Unit &&
		c.Contribution == other.Contribution
}

// criterion returns a criterion that differs for a candidate, and why.
func (p *pair) criterion(k int, before, after *v3.Cell) record.CriterionChange {
	was, is := &p.old.criteria[k], &p.new.criteria[k]
	out := record.CriterionChange{
		Role: was.Role, Criterion: record.Text(was.ID), MeasurementKey: record.Text(was.MeasurementKey),
		Aggregation: record.Text(was.Aggregation),
		Causes:      []string{}, Old: recordOf(before), New: recordOf(after),
	}
	note := func(cause string, applies bool) {
		if applies {
			out.Causes = append(out.Causes, cause)
		}
	}
	both := before != nil && after != nil
	scored := both && before.Contribution.Known && after.Contribution.Known
	note(compare.CauseValue, both && before.Value.Kind != 0 && after.Value.Kind != 0 &&
		(before.Value != after.Value || before.Unit != after.Unit))
	note(compare.CauseStatus, both && before.Status != after.Status)
	note(compare.CauseRequirement, both && before.Met != after.Met)
	note(compare.CauseCame, slices.ContainsFunc(idsOf(after), func(id string) bool {
		_,
			has := p.oldHas[id]
		return !has
	}))
	note(compare.CauseWent, slices.ContainsFunc(idsOf(before), func(id string) bool {
		_,
			has := p.newHas[id]
		return !has
	}))
	note(compare.CauseAgedOut, slices.ContainsFunc(idsOf(before), func(id string) bool {
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
func split(old *v3.Criterion, before, after, value float64) *record.ContributionChange {
	out := &record.ContributionChange{Old: before, New: after}
	onOld := before
	if old.Lowest != old.Highest {
		if c := old.Contribution(value); !math.IsInf(c, 0) && !math.IsNaN(c) {
			onOld = c
		}
	}
	out.OfValue, out.OfScale = onOld-before, after-onOld
	return out
}

func idsOf(c *v3.Cell) []string {
	if c == nil {
		return nil
	}
	return c.ObservationIDs
}

// recordOf returns a cell as the record has it.
func recordOf(c *v3.Cell) *record.CriterionValue {
	if c == nil {
		return nil
	}
	out := &record.CriterionValue{
		Status: c.Status, Code: record.Text(c.Code), Unit: record.Text(c.Unit), Contribution: c.Contribution,
		ObservationIDs:   append([]string{}, c.ObservationIDs[:min(len(c.ObservationIDs), compare.MostObservationIDs)]...),
		ObservationCount: len(c.ObservationIDs),
	}
	if c.Value.Kind != 0 {
		out.Value = &c.Value
	}
	return out
}
