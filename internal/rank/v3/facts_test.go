package v3_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// statedFact is a declaration of one fact, or of none but a sample.
func statedFact(rnd *rand.Rand) string {
	pick := func(list ...string) string { return list[rnd.IntN(len(list))] }
	partial := func(runtime string) string {
		return `{"kind":"partial","runtime":{"id":"` + runtime + `","version":null},"adapter":null,"effectiveContextTokens":null,"toolSurface":null,"hardware":null,"workflow":null}`
	}
	exact := func(runtime, tools string) string {
		return `{"kind":"exact","runtime":{"id":"` + runtime + `","version":null},"adapter":null,"effectiveContextTokens":null,"toolSurface":` + tools + `,"hardware":null,"workflow":null}`
	}
	return fmt.Sprintf(`{"schemaVersion":"service.observation/v2","kind":"declaration","model":{"id":%q,"revision":null,"quantization":null},"execution":%s,"task":%s,
"measurements":[{"key":%q,"kind":"fact","value":%s%s}],"outcome":null,"usage":null,"sourceClass":"external",
"evidence":[{"id":"e%d","kind":"page","uri":null,"digest":null,"observedAt":"2026-05-01T00:00:00.000Z"}],
"freshness":{"observedAt":"2026-05-01T00:00:00.000Z","validUntil":%s},"uncertainty":{"level":"low","basis":["a list"],"gaps":[]}}`,
		pick("a", "b"), pick("null", partial("r"), partial("q"), exact("r", "[]"), exact("r", `["edit"]`)),
		pick("null", "null", `{"family":"f","suite":null,"taskId":null,"evaluator":{"id":"x","version":null}}`),
		pick("k", "l"), pick("1", "1", "2", "true", `"x"`), pick("", "", `,"unit":"ms"`), rnd.Int(), pick("null", "null", `"2026-05-10T00:00:00.000Z"`, `"2026-06-10T00:00:00.000Z"`))
}

// A fact is what a request would be told that asks for it without a task: status, value,
// unit, and the observations that it comes from.
func TestFactsAreWhatRankingUses(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 1))
	seen := map[v3.FactStatus]int{}
	for range 60 {
		var docs []string
		for range 12 {
			docs = append(docs, statedFact(rnd))
		}
		c, _, err := catalog.Compile(t.Context(), docs, catalog.Options{AsOf: "2026-05-31T00:00:00.000Z", Dedupe: true})
		if err != nil {
			t.Fatal(err)
		}
		ranker, err := v3.New(c)
		if err != nil {
			t.Fatal(err)
		}
		records := catalog.NewRecordReader()
		for i, list := 0, c.Models(); i < len(list); i++ {
			facts, err := v3.NewFacts(&list[i], c.AsOf(), records)
			if err != nil {
				t.Fatal(err)
			}
			for _, runtime := range []string{"r", "q"} {
				profile := record.Profile{Runtime: record.Component{ID: runtime}, ToolSurface: []string{}}
				facts.TurnTo(&profile)
				_, holds := facts.Holds()
				for _, key := range []string{"k", "l", "none"} {
					got := facts.Evaluate(key)
					seen[got.Status]++
					want := askedFact(t, ranker, list[i].Identity.ID, runtime, key)
					ids := slices.Sorted(slices.Values(got.ObservationIDs))
					if string(got.Status) != want.Status || got.Value != want.Value || got.Unit != want.Unit || len(ids)+len(want.ObservationIDs) > 0 && !reflect.DeepEqual(ids, want.ObservationIDs) {
						t.Errorf("%s of %s at %s: %+v, a request is told %+v", key, list[i].Identity.ID, runtime, got, want)
					}
					if got.Status == v3.FactOK && !holds {
						t.Errorf("%s of %s at %s holds, but nothing does", key, list[i].Identity.ID, runtime)
					}
					if slices.Contains(facts.Keys(), key) != (key != "none" && hasFact(&list[i], key)) {
						t.Errorf("keys are %v", facts.Keys())
					}
					// Once more gives the same.
					if again := facts.Evaluate(key); !reflect.DeepEqual(again, got) {
						t.Errorf("%+v, then %+v", got, again)
					}
				}
			}
			// At a later instant, what has expired by then is stale.
			later, err := v3.NewFacts(&list[i], "2026-07-01T00:00:00.000Z", records)
			if err != nil {
				t.Fatal(err)
			}
			profile := record.Profile{Runtime: record.Component{ID: "r"}, ToolSurface: []string{}}
			later.TurnTo(&profile)
			for _, key := range []string{"k", "l"} {
				f := later.Evaluate(key)
				for _, id := range f.ObservationIDs {
					o, _ := list[i].Find(id)
					if until := o.Record().Freshness.ValidUntil; f.Status == v3.FactOK && until != "" {
						t.Errorf("%s holds in July, by what holds until %s", key, until)
					}
				}
			}
		}
	}
	for _, status := range []v3.FactStatus{v3.FactOK, v3.FactMissing, v3.FactStale, v3.FactConflict, v3.FactIncomparable} {
		if seen[status] < 10 {
			t.Errorf("%s was met %d times", status, seen[status])
		}
	}
}

func hasFact(entry *catalog.ModelEntry, key string) bool {
	return slices.ContainsFunc(entry.Observations, func(o catalog.Observation) bool {
		return o.Record().Measurements[0].Key == key
	})
}

// askedFact asks for a fact with a request of version 1, for a task that nothing is about.
func askedFact(t *testing.T, ranker *v3.Ranker, model, runtime, key string) v3.Cell {
	t.Helper()
	text, err := json.Marshal(map[string]any{
		"schemaVersion": record.RankRequestSchemaV1, "task": map[string]any{"family": "another", "suite": nil},
		"inventory": []any{map[string]any{"id": "c", "model": map[string]any{"id": model, "revision": nil, "quantization": nil},
			"execution": map[string]any{"runtime": map[string]any{"id": runtime, "version": nil}, "adapter": nil, "effectiveContextTokens": nil, "toolSurface": []any{}, "hardware": nil, "workflow": nil}}},
		"requirements": []any{}, "preferences": []any{map[string]any{"measurementKey": key, "aggregation": "fact", "direction": "maximize", "weight": 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	q, err := v3.ReadRequest(problem.Source{Text: string(text)})
	if err != nil {
		t.Fatal(err)
	}
	result, err := ranker.Rank(t.Context(), q, 0)
	if err != nil {
		t.Fatal(err)
	}
	return *result.Outcomes()[0].Cells[0]
}
