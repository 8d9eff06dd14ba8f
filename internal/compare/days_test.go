package compare_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/ijson"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	. "github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/internal/compare/ranking"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/sources/openrouter"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service/record"
)

func compileDocs(t testing.TB, asOf string, docs []string) *catalog.Catalog {
	t.Helper()
	c, _, err := catalog.Compile(context.Background(), docs, catalog.Options{AsOf: asOf})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// checkDays holds the diff of two catalogs of real days against the oracle.
func checkDays(t *testing.T, old, new *catalog.Catalog) *record.CatalogDiff {
	t.Helper()
	d := compared(t, old, new, compare.Options{})
	if got, want := string(ijson.MustWriteTagged(d)), text(oracleDiff(t, old, new)); got != want {
		t.Errorf("%.2000s\nwant %.2000s", got, want)
	}
	return d
}

// The leaderboards, of which half have expired two days later.
func TestLeaderboards(t *testing.T) {
	files, err := filepath.Glob("../../examples/leaderboards/observations/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var docs []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, strings.Split(strings.TrimSpace(string(text)), "\n")...)
	}
	d := checkDays(t, compileDocs(t, "2025-12-02T12:00:00.000Z", docs), compileDocs(t, "2025-12-04T00:00:00.000Z", docs))
	if d.Summary.Facts[compare.Expired] == 0 || d.Summary.Observations[compare.AgedOut] == 0 || d.Summary.Facts[compare.Changed] > 0 {
		t.Errorf("%+v", d.Summary)
	}
}

// capture returns the observations of a day's list of OpenRouter, each row mapped to its id.
func capture(t testing.TB, file, at string) (docs []string) {
	t.Helper()
	const url, entry = "https://openrouter.ai/api/v1/models", `{"model":{"id":"%ROW%","revision":null,"quantization":null},"validUntil":"2027-01-01T00:00:00.000Z"}`
	body := `{"data":` + vectortest.DataText(t, "data", "openrouter", file) + `}` // a collector kept the bare list
	result, err := sourcetest.ImportAll(t, openrouter.New(), entry, sourcetest.Pin(t, openrouter.Source, url, at, body))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range result.Observations {
		docs = append(docs, o.Input())
	}
	return docs
}

// Captures of real days: each by itself, and the later one with the earlier.
func TestCapturesOfRealDays(t *testing.T) {
	vectortest.SkipLong(t)
	const first, second = "2026-07-17T12:00:00.000Z", "2026-07-31T12:00:00.000Z"
	old, new := capture(t, "models.2026-07-17.sui414.json", first), capture(t, "models.2026-07-31.sui414.json", second)
	d := checkDays(t, compileDocs(t, first, old), compileDocs(t, second, append(old[:len(old):len(old)], new...)))
	s := d.Summary
	if s.Models[compare.Added] == 0 || s.Models[compare.Silenced] == 0 || s.Facts[compare.Changed] == 0 || s.Facts[compare.Reaffirmed] == 0 || s.Samples[compare.Changed] == 0 {
		t.Errorf("%+v", s)
	}
	if s.Models[compare.Removed] != 0 || s.Observations[compare.Removed] != 0 {
		t.Errorf("something is gone from a catalog that has all of the other: %+v", s)
	}
	apart := checkDays(t, compileDocs(t, first, old), compileDocs(t, second, new))
	if apart.Summary.Models[compare.Removed] != s.Models[compare.Silenced] || apart.Summary.Facts[compare.Changed] != s.Facts[compare.Changed] {
		t.Errorf("%+v\nbut by itself %+v", s, apart.Summary)
	}
}

// days are captures of a list, in order.
var days = []struct{ file, at string }{
	{"models.2026-07-17.sui414.json", "2026-07-17T12:00:00.000Z"},
	{"models.2026-07-19.sui414.json", "2026-07-19T12:00:00.000Z"},
	{"models.2026-07-31.sui414.json", "2026-07-31T12:00:00.000Z"},
}

// question asks for the best coders that are cheap, in a version of rank requests.
func question(t testing.TB, version int, catalogs ...*catalog.Catalog) *v3.Request {
	t.Helper()
	const score, price = "openrouter.artificial_analysis.coding_index", "price.output"
	inventory, seen := []any{}, map[string]bool{}
	for _, c := range catalogs {
		for _, found := range compare.Candidates(c, []string{score}) {
			measured := strings.Contains(found.Model.ID, "/") && !seen[found.Model.ID] && len(inventory) < 100
			if seen[found.Model.ID] = true; measured {
				inventory = append(inventory, Object{"id": found.Model.ID, "model": Object{"id": found.Model.ID, "revision": nil, "quantization": nil}, "execution": Object{
					"runtime": Component("openrouter"), "adapter": nil, "effectiveContextTokens": nil, "toolSurface": []any{}, "hardware": nil, "workflow": nil}})
			}
		}
	}
	doc := Object{
		"schemaVersion": fmt.Sprint("service.rank.request/v", version), "task": Object{"family": "any", "suite": nil}, "inventory": inventory,
		"requirements": []any{Object{"measurementKey": "limits.context", "aggregation": "fact", "operator": "gte", "value": 100000}},
		"preferences": []any{
			Object{"measurementKey": score, "aggregation": "mean", "direction": "maximize", "weight": 2},
			Object{"measurementKey": price, "aggregation": "fact", "direction": "minimize", "weight": 1},
		},
	}
	if version == 2 {
		doc["advisories"] = []any{}
	}
	if version >= 3 {
		doc["task"] = Object{}
		for _, c := range doc["preferences"].([]any) {
			maps.Copy(c.(Object), Object{"transfer": []any{"execution"}, "resolve": []any{"newest"}})
		}
		maps.Copy(doc["requirements"].([]any)[0].(Object), Object{"resolve": []any{"newest"}})
	}
	q, err := v3.ReadRequest(problem.Source{Text: string(canonical.MustMarshal(doc))})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// From each day to the next the diff is that of a comparison written differently, and what
// it says of every move in a ranking adds up, in version 2 and 3.
func TestEachDayToTheNext(t *testing.T) {
	vectortest.SkipRace(t)
	var before *catalog.Catalog
	moved := map[int]int{}
	for _, day := range days {
		now := compileDocs(t, day.at, capture(t, day.file, day.at))
		if before != nil {
			checkDays(t, before, now)
			for _, version := range []int{2, 3} {
				moved[version] += checkMoves(t, before, now, question(t, version, before, now))
			}
		}
		before = now
	}
	if moved[2] < 10 || moved[3] < 10 {
		t.Errorf("%v moved", moved)
	}
}

// checkMoves demands that the score of every candidate changed by what its criteria say,
// and returns how many moved.
func checkMoves(t *testing.T, old, new *catalog.Catalog, q *v3.Request) (moved int) {
	t.Helper()
	var sides []*ranking.Side
	for _, c := range []*catalog.Catalog{old, new} {
		side, err := ranking.NewSide(t.Context(), c, q)
		if err != nil {
			t.Fatal(err)
		}
		sides = append(sides, side)
	}
	d, err := ranking.Diff(t.Context(), sides[0], sides[1], compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range d.Rankings[0].Candidates {
		if c.Old.Rank == nil || c.New.Rank == nil {
			if len(c.Criteria) == 0 {
				t.Errorf("%s came or went, and nothing says why", c.CandidateID)
			}
			continue
		}
		if *c.Old.Rank != *c.New.Rank {
			moved++
		}
		sum := 0.0
		for _, k := range c.Criteria {
			if len(k.Causes) == 0 {
				t.Errorf("%s: %s has no cause", c.CandidateID, k.MeasurementKey)
			}
			if k.Role != compare.Preference {
				continue
			}
			change := k.New.Contribution.Value - k.Old.Contribution.Value // of one that is not scored 0
			if s := k.Contribution; s != nil {
				change = s.OfValue + s.OfScale
			}
			sum += change
		}
		const tolerance = 1e-12
		if got := c.New.Score.Value - c.Old.Score.Value; math.Abs(got-sum) > tolerance {
			t.Errorf("the score of %s changed by %g, its criteria by %g", c.CandidateID, got, sum)
		}
	}
	return moved
}
