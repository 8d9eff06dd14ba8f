package contents_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/contents"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service/record"
)

// priceText is an observation of a list that states the price of a model at a provider.
func priceText(list, runtime, key string, value float64, until any) string {
	scope := any(nil)
	if runtime != "" {
		scope = map[string]any{"kind": "partial", "runtime": map[string]any{"id": runtime, "version": nil}, "adapter": nil,
			"effectiveContextTokens": nil, "toolSurface": nil, "hardware": nil, "workflow": nil}
	}
	text, err := json.Marshal(map[string]any{
		"schemaVersion": "service.observation/v2", "kind": "declaration", "model": map[string]any{"id": "acme/atlas", "revision": nil, "quantization": nil},
		"execution": scope, "task": nil, "outcome": nil, "usage": nil, "sourceClass": "external",
		"measurements": []any{map[string]any{"key": key, "kind": "fact", "unit": "USD/token", "value": value}},
		"evidence":     []any{map[string]any{"id": list + ":row", "kind": "page", "uri": nil, "digest": nil, "observedAt": "2026-07-01T00:00:00.000Z"}},
		"freshness":    map[string]any{"observedAt": "2026-07-01T00:00:00.000Z", "validUntil": until},
		"uncertainty":  map[string]any{"level": "low", "basis": []string{"b"}, "gaps": []string{}},
	})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// The cost at a provider is the one that a ranking has for a candidate there. Where price lists
// contradict each other, a ranking has none, and the table a range; where a price has expired or is
// missing, neither has a cost.
func TestCostsAgainstRankings(t *testing.T) {
	vectortest.SkipRace(t)
	random := rand.New(rand.NewPCG(26, 1))
	keys := []string{"price.input", "price.output", "price.cache_read", "price.input@context>1000", "price.output@context>1000", "price.input@context>9000"}
	seen := map[string]int{}
	for range 400 {
		var texts []string
		for _, runtime := range []string{"", "dear", "cheap"} {
			for _, list := range []string{"first", "second"} {
				for _, key := range keys {
					if random.IntN(3) == 0 || runtime == "" && random.IntN(8) > 0 {
						continue
					}
					until := any(nil)
					if random.IntN(10) == 0 {
						until = "2026-07-02T00:00:00.000Z"
					}
					texts = append(texts, priceText(list, runtime, key, float64(1+random.IntN(3)/2)/1e6, until))
				}
			}
		}
		c, _, err := catalog.Compile(t.Context(), texts, catalog.Options{AsOf: asOf, Dedupe: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Models()) == 0 {
			continue
		}
		task := &record.TaskTokens{Input: uint64(1 + random.IntN(12000)), Output: 500, CachedInput: uint64(random.IntN(2) * 300), Requests: 10}
		models, err := contents.FindModels(c, "atlas")
		if err != nil {
			t.Fatal(err)
		}
		table, err := contents.Costs(t.Context(), c, models, contents.CostOptions{Task: task})
		if err != nil {
			t.Fatal(err)
		}
		for _, runtime := range []string{"dear", "cheap"} {
			seen[compareCost(t, c, table, task, runtime)]++
		}
	}
	for _, what := range []string{"equal", "contradicted", "expired", "missing"} {
		if seen[what] < 10 {
			t.Errorf("%d of the costs are %s", seen[what], what)
		}
	}
}

// compareCost holds the cost at a provider against a ranking, and says what came of it.
func compareCost(t *testing.T, c *catalog.Catalog, table *record.CostTable, task *record.TaskTokens, runtime string) string {
	t.Helper()
	q, err := v3.ReadRequest(problem.Source{Text: fmt.Sprintf(`{"schemaVersion":"service.rank.request/v3",
		"inventory":[{"id":"a","model":{"id":"acme/atlas"},"execution":{"runtime":{"id":"%s"}}}],
		"cost":{"inputTokens":%d,"outputTokens":%d,"cachedInputTokens":%d}}`, runtime, task.Input, task.Output, task.CachedInput)})
	if err != nil {
		t.Fatal(err)
	}
	ranker, err := v3.New(c)
	if err != nil {
		t.Fatal(err)
	}
	ranking, err := ranker.Rank(t.Context(), q, 0)
	if err != nil {
		t.Fatal(err)
	}
	text, err := ranking.AppendJSON(nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var result record.RankResult
	if err := json.Unmarshal(text, &result); err != nil {
		t.Fatal(err)
	}
	want := result.Ranked[0].Cost
	for _, offer := range table.Offers {
		if string(offer.Runtime) != runtime {
			continue
		}
		low, high := offer.USDPerTask.Low, offer.USDPerTask.High
		if math.Abs(offer.USDTotal.Low-10*low) > 1e-12 {
			t.Errorf("ten tasks at %v cost %v", low, offer.USDTotal.Low)
		}
		switch {
		case low < high && want == nil:
			return "contradicted"
		case low < high || want == nil || math.Abs(want.USDPerTask-low) > 1e-12*low:
			t.Errorf("%s: %v to %v, a ranking has %+v", runtime, low, high, want)
		}
		return "equal"
	}
	if want != nil {
		t.Errorf("%s has no cost, a ranking has %v", runtime, want.USDPerTask)
	}
	for _, offer := range table.Unpriced {
		if string(offer.Runtime) == runtime {
			return offer.Reason
		}
	}
	return "absent"
}

// Costs and rankings say how fast an offer answers, by what is still valid. Who states a speed and
// no price is no seller.
func TestSpeeds(t *testing.T) {
	const expired = "2026-07-02T00:00:00.000Z"
	docs := []string{priceText("l", "fast", "price.input", 1e-6, nil), priceText("l", "fast", "price.output", 1e-6, nil),
		priceText("s", "fast", record.SpeedTTFT, 0.5, nil), priceText("s", "fast", record.SpeedThroughput, 80, nil),
		priceText("l", "once", "price.input", 2e-6, nil), priceText("l", "once", "price.output", 1e-6, nil),
		priceText("s", "once", record.SpeedTTFT, 0.1, expired), priceText("s", "free", record.SpeedTTFT, 0.2, nil)}
	c, _, err := catalog.Compile(t.Context(), docs, catalog.Options{AsOf: "2026-07-03T00:00:00.000Z"})
	if err != nil {
		t.Fatal(err)
	}
	ranker, err := v3.New(c)
	if err != nil {
		t.Fatal(err)
	}
	q, err := v3.ReadRequest(problem.Source{Text: `{"schemaVersion":"service.rank.request/v3","inventory":[
		{"id":"fast","model":{"id":"acme/atlas"},"execution":{"runtime":{"id":"fast"}}},
		{"id":"once","model":{"id":"acme/atlas"},"execution":{"runtime":{"id":"once"}}}]}`})
	if err != nil {
		t.Fatal(err)
	}
	ranking, err := ranker.Rank(t.Context(), q, 0)
	if err != nil {
		t.Fatal(err)
	}
	text, err := ranking.AppendJSON(nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var result record.RankResult
	if err := json.Unmarshal(text, &result); err != nil {
		t.Fatal(err)
	}
	want := record.OfferSpeed{TTFT: record.NewFloat(0.5), Throughput: record.NewFloat(80)}
	table, err := contents.Costs(t.Context(), c, []*catalog.ModelEntry{&c.Models()[0]}, contents.CostOptions{})
	if err != nil || len(table.Offers) != 2 || len(table.Unpriced) != 0 || *table.Offers[0].Speed != want || table.Offers[1].Speed != nil {
		t.Errorf("%+v, %+v", table.Offers, table.Unpriced)
	}
	if o := result.Ranked[0].Offer; o == nil || *o.Speed != want || result.Ranked[1].Offer != nil {
		t.Errorf("%+v, %+v", o, result.Ranked[1].Offer)
	}
}
