package ranking_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	. "github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/internal/compare/ranking"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// request writes a request for models m1, m2 and so on at a runtime. A criterion is
// its members without aggregation, which is fact unless it is given.
func request(t testing.TB, version int, models int, requirements, preferences, advisories []Object) *v3.Request {
	t.Helper()
	list := func(criteria []Object) []any {
		out := []any{}
		for _, c := range criteria {
			c = maps.Clone(c)
			if c["aggregation"] == nil {
				c["aggregation"] = "fact"
			}
			if version >= 3 && c["id"] == nil {
				c["id"] = fmt.Sprint(c["measurementKey"], " ", c["aggregation"])
			}
			out = append(out, c)
		}
		return out
	}
	inventory := []any{}
	for i := range models {
		id := fmt.Sprint("m", i+1)
		execution := Ran("r")
		delete(execution, "kind")
		inventory = append(inventory, Object{"id": id, "model": Object{"id": id, "revision": nil, "quantization": nil}, "execution": execution})
	}
	doc := Object{"schemaVersion": fmt.Sprint("service.rank.request/v", version), "task": Object{"family": "f", "suite": nil}, "inventory": inventory,
		"requirements": list(requirements), "preferences": list(preferences)}
	if version == 2 {
		doc["advisories"] = list(advisories)
	}
	if version >= 3 {
		doc["task"], doc["minimumCoverage"] = Object{"family": "f"}, 0
	}
	q, err := v3.ReadRequest(problem.Source{Text: string(canonical.MustMarshal(doc))})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func ask(t testing.TB, c *catalog.Catalog, q *v3.Request) *ranking.Answer {
	t.Helper()
	a, err := ranking.Ask(context.Background(), Index(t, c), q)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func changed(t testing.TB, old, new *catalog.Catalog, q *v3.Request) record.RankingChange {
	t.Helper()
	return ranking.Compare(ask(t, old, q), ask(t, new, q), old, new)
}

func price(model string, value any, from, until string) Statement {
	return Statement{ID: model, Measurements: []any{Fact("price", value, "USD")}, From: from, Until: until}
}

var cheap = []Object{{"measurementKey": "price", "direction": "minimize", "weight": 2}}

// The example of the package comment.
func TestSplit(t *testing.T) {
	old := Compile(t, May2, price("m1", 1, May1, May31), price("m2", 3, May1, May31), price("m3", 5, May1, May31))
	new := Compile(t, June2, price("m1", 1, June1, ""), price("m2", 2, June1, ""), price("m3", 3, June1, ""))
	r := changed(t, old, new, request(t, 1, 3, nil, cheap, nil))
	c := r.Candidates[1]
	if c.CandidateID != "m2" || *c.Criteria[0].Contribution != (record.ContributionChange{Old: 1, New: 1, OfValue: 0.5, OfScale: -0.5}) {
		t.Errorf("%+v", *c.Criteria[0].Contribution)
	}
	if !slices.Equal(c.Criteria[0].Causes, []string{compare.CauseValue, compare.CauseCame, compare.CauseWent, compare.CauseScale}) {
		t.Errorf("causes %v", c.Criteria[0].Causes)
	}
	want := []record.ScaleChange{{MeasurementKey: "price", Aggregation: "fact", Direction: "minimize",
		Old: record.ScaleEnds{Lowest: record.NewFloat(1), Highest: record.NewFloat(5), LowestAt: []string{"m1"}, HighestAt: []string{"m3"}},
		New: record.ScaleEnds{Lowest: record.NewFloat(1), Highest: record.NewFloat(3), LowestAt: []string{"m1"}, HighestAt: []string{"m3"}}}}
	if !reflect.DeepEqual([]record.ScaleChange(r.Scales), want) {
		t.Errorf("scales %+v", r.Scales)
	}
}

// Each cause, where it applies and alone where it can.
func TestCauses(t *testing.T) {
	atMost := []Object{{"measurementKey": "price", "operator": "lte", "value": 3}}
	about := []Object{{"measurementKey": "price", "id": "p"}}
	for name, tt := range map[string]struct {
		old, new                              []Statement
		requirements, preferences, advisories []Object
		causes                                string
		changed                               bool
	}{
		"nothing":              {[]Statement{price("m1", 1, May1, "")}, []Statement{price("m1", 1, May1, "")}, atMost, cheap, about, "", false},
		"another observation":  {[]Statement{price("m1", 1, May1, "")}, []Statement{price("m1", 1, May2, "")}, nil, nil, about, "came went", false},
		"one more":             {[]Statement{price("m1", 1, May1, "")}, []Statement{price("m1", 1, May1, ""), price("m1", 1, May2, "")}, nil, nil, about, "came", false},
		"one less":             {[]Statement{price("m1", 1, May1, ""), price("m1", 1, May2, "")}, []Statement{price("m1", 1, May1, "")}, nil, nil, about, "went", false},
		"one expired":          {[]Statement{price("m1", 1, May1, ""), price("m1", 1, May1, May31)}, []Statement{price("m1", 1, May1, ""), price("m1", 1, May1, May31)}, nil, nil, about, "aged-out", false},
		"all expired":          {[]Statement{price("m1", 1, May1, May31)}, []Statement{price("m1", 1, May1, May31)}, nil, nil, about, "status aged-out", true},
		"expired all along":    {[]Statement{price("m1", 1, May1, May2)}, []Statement{price("m1", 1, May1, May2)}, nil, nil, about, "", false},
		"renewed":              {[]Statement{price("m1", 1, May1, May2)}, []Statement{price("m1", 1, May1, May2), price("m1", 1, May31, "")}, nil, nil, about, "status came", true},
		"gone":                 {[]Statement{price("m1", 1, May1, "")}, nil, nil, nil, about, "status went", true},
		"a conflict":           {[]Statement{price("m1", 1, May1, "")}, []Statement{price("m1", 1, May1, ""), price("m1", 2, May1, "")}, nil, nil, about, "status came", true},
		"another value":        {[]Statement{price("m1", 1, May1, "")}, []Statement{price("m1", 2, May1, "")}, nil, nil, about, "value came went", true},
		"a requirement is met": {[]Statement{price("m1", 4, May1, "")}, []Statement{price("m1", 2, May1, "")}, atMost, nil, nil, "value requirement came went", true},
		"another unit":         {[]Statement{price("m1", 4, May1, "")}, []Statement{{ID: "m1", Measurements: []any{Fact("price", 4, "EUR")}}}, nil, nil, about, "value came went", true},
		"the scale alone":      {[]Statement{price("m1", 2, May1, ""), price("m2", 1, May1, ""), price("m3", 4, May1, "")}, []Statement{price("m1", 2, May1, ""), price("m2", 0, May1, ""), price("m3", 4, May1, "")}, nil, cheap, nil, "scale", true},
	} {
		r := changed(t, Compile(t, May2, tt.old...), Compile(t, June2, tt.new...), request(t, 2, 3, tt.requirements, tt.preferences, tt.advisories))
		got := ""
		for _, c := range r.Candidates {
			if c.CandidateID == "m1" {
				for _, cause := range c.Criteria[0].Causes {
					got += " " + string(cause)
				}
			}
		}
		if got = strings.TrimSpace(got); got != tt.causes || r.Changed != tt.changed {
			t.Errorf("%s: causes %q, changed %v", name, got, r.Changed)
		}
	}
}

// Of many observations sixteen are named, in order, and all are counted.
func TestManyObservations(t *testing.T) {
	var list []Statement
	for i := range 20 {
		s := price("m1", 1, May1, "")
		s.Evidence = []string{fmt.Sprint(i)}
		list = append(list, s)
	}
	old, new := Compile(t, May2, list...), Compile(t, June2, list[1:]...)
	c := changed(t, old, new, request(t, 1, 1, nil, cheap, nil)).Candidates[0].Criteria[0]
	if len(c.Old.ObservationIDs) != 16 || c.Old.ObservationCount != 20 || c.New.ObservationCount != 19 || !slices.IsSorted(c.Old.ObservationIDs) {
		t.Errorf("%+v, %+v", c.Old, c.New)
	}
}

// On a scale of no width, or of one that no finite number comes of, the value has no
// part in a change.
func TestNarrowScales(t *testing.T) {
	for name, tt := range map[string][4]json.Number{ // m1 and m2 in OLD and in NEW
		"no width":      {"3", "3", "1", "3"},
		"next to none":  {"1e-320", "0", "1e300", "0"},
		"beyond floats": {"-1.7e308", "1.7e308", "1.7e308", "-1"},
	} {
		old := Compile(t, May2, price("m1", tt[0], May1, ""), price("m2", tt[1], May1, ""))
		new := Compile(t, June2, price("m1", tt[2], May1, ""), price("m2", tt[3], May1, ""))
		for _, c := range changed(t, old, new, request(t, 1, 2, nil, cheap, nil)).Candidates {
			s := c.Criteria[0].Contribution
			if math.IsInf(s.OfValue, 0) || math.IsNaN(s.OfValue) || s.OfValue+s.OfScale != s.New-s.Old {
				t.Errorf("%s: %+v", name, s)
			}
			if name != "beyond floats" && c.CandidateID == "m1" && s.OfValue != 0 {
				t.Errorf("%s: %+v", name, s)
			}
		}
	}
}

// ulp is the distance between floats of this size.
func ulp(f float64) float64 { return math.Nextafter(math.Abs(f), math.Inf(1)) - math.Abs(f) }

// Random catalogs and requests: what is said of rankings follows from the results
// themselves, and causes and contributions add up.
func TestRankingsAddUp(t *testing.T) {
	rnd := rand.New(rand.NewPCG(30, 4))
	seen := map[string]int{}
	for range 120 {
		var all []Statement
		for i := range 40 {
			s := price(fmt.Sprint("m", 1+rnd.IntN(5)), Pick(rnd, []any{1, 2, json.Number("0.3"), json.Number("7.7"), true, "x"}...), fmt.Sprintf("2026-05-%02dT00:00:00.000Z", 1+rnd.IntN(9)), Pick(rnd, "", "2026-05-15T00:00:00.000Z", "2026-05-25T00:00:00.000Z"))
			s.Evidence = []string{fmt.Sprint(i)}
			s.Measurements = append(s.Measurements, Sample("score", Pick(rnd, true, false, true), Pick(rnd, "", "", "", "u")), Sample("time", rnd.Float64()*10))
			if rnd.IntN(2) == 0 {
				s.Execution = Ran(Pick(rnd, "r", "r", "q"))
			}
			if rnd.IntN(3) == 0 {
				s.Measurements = s.Measurements[1:]
			}
			all = append(all, s)
		}
		old, new := Compile(t, "2026-05-20T00:00:00.000Z", Some(rnd, all)...), Compile(t, "2026-05-28T00:00:00.000Z", Some(rnd, all)...)
		q := request(t, 1+rnd.IntN(3), 5,
			[]Object{{"measurementKey": "time", "aggregation": "count", "operator": "gte", "value": rnd.IntN(3)}},
			[]Object{
				{"measurementKey": "time", "aggregation": "mean", "direction": "minimize", "weight": 1 + rnd.Float64()},
				{"measurementKey": "time", "aggregation": "max", "direction": "maximize", "weight": 1},
				{"measurementKey": "score", "aggregation": "success-rate", "direction": "maximize", "weight": 3},
				{"measurementKey": "price", "direction": "minimize", "weight": rnd.Float64()},
			},
			[]Object{{"measurementKey": "price", "id": "p"}, {"measurementKey": "score", "aggregation": "count", "id": "n"}})
		answers := []*ranking.Answer{ask(t, old, q), ask(t, new, q)}
		r := ranking.Compare(answers[0], answers[1], old, new)
		checkOutcomes(t, q, old, new)
		for _, c := range r.Candidates {
			score, terms := 0.0, 0.0
			both := c.Old.Outcome == compare.Ranked && c.New.Outcome == compare.Ranked
			for _, k := range c.Criteria {
				for _, cause := range k.Causes {
					seen[cause]++
				}
				if k.Role == compare.Preference && both {
					score += k.New.Contribution.Value - k.Old.Contribution.Value
					terms = max(terms, math.Abs(k.New.Contribution.Value), math.Abs(k.Old.Contribution.Value))
				}
				s := k.Contribution
				if (s != nil) != (k.Role == compare.Preference && k.Old != nil && k.New != nil && k.Old.Contribution.Known && k.New.Contribution.Known) {
					t.Fatalf("%+v", k)
				}
				if s == nil {
					continue
				}
				if s.Old != k.Old.Contribution.Value || s.New != k.New.Contribution.Value ||
					math.Abs(s.OfValue+s.OfScale-(s.New-s.Old)) > 4*ulp(max(math.Abs(s.OfValue), math.Abs(s.OfScale), math.Abs(s.Old), math.Abs(s.New))) {
					t.Fatalf("%+v does not add up", s)
				}
				if !slices.Contains(k.Causes, compare.CauseScale) && math.Abs(s.OfScale) > 4*ulp(s.New) {
					t.Fatalf("%+v, but the scale is no cause: %v", s, k.Causes)
				}
				if !slices.Contains(k.Causes, compare.CauseValue) && math.Abs(s.OfValue) > 4*ulp(s.Old) {
					t.Fatalf("%+v, but the value is no cause: %v", s, k.Causes)
				}
			}
			if both && math.Abs(score-(c.New.Score.Value-c.Old.Score.Value)) > 16*ulp(max(terms, c.Old.Score.Value, c.New.Score.Value)) {
				t.Fatalf("the score of %s changed by %g, its contributions by %g", c.CandidateID, c.New.Score.Value-c.Old.Score.Value, score)
			}
			if c.Move.Known != both || both && c.Move.Value != float64(*c.Old.Rank-*c.New.Rank) {
				t.Fatalf("move %+v from %+v to %+v", c.Move, c.Old, c.New)
			}
		}
		// The other way round all of it is mirrored.
		back := ranking.Compare(answers[1], answers[0], new, old)
		if len(back.Candidates) != len(r.Candidates) || len(back.Scales) != len(r.Scales) || back.Changed != r.Changed || !slices.Equal(back.Old, r.New) {
			t.Fatalf("%+v\n%+v", r, back)
		}
		same := ranking.Compare(answers[0], answers[0], old, old)
		if len(same.Candidates)+len(same.Scales) > 0 || same.Changed {
			t.Fatalf("compared with itself: %+v", same)
		}
	}
	for _, cause := range []string{compare.CauseValue, compare.CauseStatus, compare.CauseRequirement, compare.CauseCame, compare.CauseWent, compare.CauseAgedOut, compare.CauseScale} {
		if seen[cause] < 20 {
			t.Errorf("%s came up %d times", cause, seen[cause])
		}
	}
}

// checkOutcomes holds the outcomes of rankings against the results as they are written.
func checkOutcomes(t *testing.T, q *v3.Request, catalogs ...*catalog.Catalog) {
	t.Helper()
	for _, c := range catalogs {
		result, err := Index(t, c).Rank(t.Context(), q, 0)
		if err != nil {
			t.Fatal(err)
		}
		text, err := result.AppendJSON(nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		var doc struct {
			Ranked, Excluded []struct {
				CandidateID string
				Rank        int
				Score       float64
				Reasons     []struct {
					Code, MeasurementKey string
					Contribution         float64
					Actual               any
				}
				Evidence   []struct{ ObservationIDs []string }
				Advisories []struct {
					Status, Unit string
					Value        any
					Evidence     struct{ ObservationIDs []string }
				}
			}
		}
		if err := json.Unmarshal(text, &doc); err != nil {
			t.Fatal(err)
		}
		byID := map[string]v3.Outcome{}
		for _, c := range result.Outcomes() {
			byID[c.CandidateID] = c
		}
		criteria := result.Criteria()
		for n, c := range append(doc.Ranked, doc.Excluded...) {
			got := byID[c.CandidateID]
			if ranked := n < len(doc.Ranked); ranked {
				if got.Outcome != compare.Ranked || *got.Rank != c.Rank || got.Score.Value != c.Score {
					t.Fatalf("%+v, want %+v", got.CandidateOutcome, c)
				}
			} else if got.CandidateOutcome != (record.CandidateOutcome{Outcome: compare.Excluded}) {
				t.Fatalf("%+v is excluded", got.CandidateOutcome)
			}
			var codes, wantCodes []string
			var ids, wantIDs [][]string
			advisory := 0
			for k, cell := range got.Cells {
				role := criteria[k].Role
				if cell == nil {
					if role != compare.Preference || n < len(doc.Ranked) {
						t.Fatalf("a %s was not evaluated", role)
					}
					continue
				}
				if role == compare.Advisory {
					want := c.Advisories[advisory]
					status := strings.Replace(strings.Replace(want.Status, "present", "ok", 1), "conflicting", "conflict", 1)
					if string(cell.Status) != status || cell.Unit != want.Unit || (cell.Value.Kind != 0) != (want.Value != nil) || !slices.Equal(cell.ObservationIDs, want.Evidence.ObservationIDs) {
						t.Fatalf("%+v, want %+v", cell, want)
					}
					advisory++
					continue
				}
				codes = append(codes, fmt.Sprint(cell.Code, criteria[k].MeasurementKey, cell.Contribution.Value))
				ids = append(ids, append([]string{}, cell.ObservationIDs...))
			}
			for _, r := range c.Reasons {
				wantCodes = append(wantCodes, fmt.Sprint(r.Code, r.MeasurementKey, r.Contribution))
			}
			for _, e := range c.Evidence {
				wantIDs = append(wantIDs, e.ObservationIDs)
			}
			slices.Sort(codes)
			slices.Sort(wantCodes)
			if !slices.Equal(codes, wantCodes) || !reflect.DeepEqual(ids, wantIDs) {
				t.Fatalf("%v %v\nwant %v %v", codes, ids, wantCodes, wantIDs)
			}
		}
	}
}

// The aggregates of a sample group are what ranking makes of the same samples.
func TestAggregatesAreRankings(t *testing.T) {
	rnd := rand.New(rand.NewPCG(40, 4))
	var about []Object
	for i, name := range []string{"count", "mean", "min", "max", "success-rate"} {
		about = append(about, Object{"measurementKey": "k", "aggregation": name, "id": fmt.Sprint(i)})
	}
	q := request(t, 2, 1, nil, nil, about)
	numbers := []any{json.Number("0.1"), json.Number("0.7"), json.Number("-1e-9"), json.Number("1e308"), 3}
	for range 300 {
		kinds := Pick(rnd, numbers, numbers[:4], []any{true, false}, append([]any{true, "x"}, numbers...))
		var list []Statement
		for i := range 1 + rnd.IntN(9) {
			list = append(list, Statement{ID: "m1", Execution: Ran("r"), Task: Job("f", nil, nil), Outcome: Pick(rnd, "accepted", "accepted", "rejected", "invalid"),
				Evidence: []string{fmt.Sprint(i)}, Until: Pick(rnd, "", "", May31), Measurements: []any{Sample("k", Pick(rnd, kinds...), Pick(rnd, "", "", "", "", "", "s"))}})
		}
		c := Compile(t, June2, list...)
		v := compare.NewReader().Read(c.Models()[0].Observations).At(June2)
		got := v.Aggregate(&v.Groups[0])
		result, err := Index(t, c).Rank(t.Context(), q, 0)
		if err != nil {
			t.Fatal(err)
		}
		cells := result.Outcomes()[0].Cells
		want := record.SampleSummary{}
		for i, number := range []*record.Float{nil, &want.Mean, &want.Min, &want.Max, &want.SuccessRate} {
			switch cell := cells[i]; {
			case cell.Status != compare.StatusOK:
			case number == nil:
				want.N = int(cell.Value.Float())
			default:
				*number = record.NewFloat(cell.Value.Float())
			}
		}
		if want.Unit = got.Unit; cells[2].Status == compare.StatusOK {
			want.Unit = record.Text(cells[2].Unit)
		}
		// Requests of version 2 add from left to right, which may differ in the last digits.
		if m := &want.Mean; got.Mean.Known && m.Known && math.Abs(got.Mean.Value-m.Value) <= 1e-15*math.Abs(m.Value) {
			*m = got.Mean
		}
		if got != want {
			t.Fatalf("%+v, want %+v", got, want)
		}
	}
}

// A record of rankings reads back as it is, and asking ends with its context.
func TestRankingRecord(t *testing.T) {
	old := Compile(t, May2, price("m1", 1, May1, May31), price("m2", 3, May1, May31))
	new := Compile(t, June2, price("m1", 1, June1, ""), price("m2", "dear", June1, ""))
	q := request(t, 2, 3, []Object{{"measurementKey": "price", "operator": "gte", "value": 0}}, cheap, []Object{{"measurementKey": "price", "id": "p"}})
	d, err := compare.Catalogs(t.Context(), old, new, compare.Options{Limit: 5})
	if err != nil {
		t.Fatal(err)
	}
	d.Rankings = append(d.Rankings, changed(t, old, new, q))
	again, err := compare.ReadDiffs(problem.Source{Text: string(ijson.MustWriteTagged(d))})
	if err != nil || !reflect.DeepEqual(again[0].Rankings, d.Rankings) {
		t.Errorf("%v: %+v\nwant %+v", err, again, d)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ranking.Ask(ctx, Index(t, old), q); err != context.Canceled {
		t.Errorf("after its context has ended: %v", err)
	}
}
