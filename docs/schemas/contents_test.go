package schemas_test

import (
	"os"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/contents"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// contentsOf is every list of a catalog.
func contentsOf(t *testing.T, c *catalog.Catalog, opts contents.Options) (docs []doc) {
	t.Helper()
	var all []*catalog.ModelEntry
	for i := range c.Models() {
		all = append(all, &c.Models()[i])
	}
	models, err := contents.Models(c, opts)
	if err != nil {
		t.Fatal(err)
	}
	measurements, err := contents.Measurements(t.Context(), c, all, opts)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := contents.Keys(c, opts)
	if err != nil {
		t.Fatal(err)
	}
	return []doc{{"models", string(ijson.MustWriteTagged(models))}, {"measurements", string(ijson.MustWriteTagged(measurements))}, {"keys", string(ijson.MustWriteTagged(keys))}}
}

func contentsDocuments(t *testing.T) []doc {
	var texts []string
	for _, line := range linesOf(t, "examples/leaderboards/observations/*.jsonl") {
		texts = append(texts, line.text)
	}
	c := compiled(t, "2025-12-02T12:00:00.000Z", texts...)
	docs := contentsOf(t, c, contents.Options{})
	docs = append(docs, contentsOf(t, c, contents.Options{AsOf: "2026-02-02T12:00:00.000Z", Model: "GPT", Key: " pric", Source: "external", Stale: true})...)
	docs = append(docs, contentsOf(t, shared(t, true), contents.Options{Conflicts: true})...)
	docs = append(docs, contentsOf(t, compiled(t, "2026-01-15T00:00:00.000Z"), contents.Options{})...)
	text := docs[0].text
	return append(docs, doc{"a longer filter", strings.Replace(text, `"model":null`, `"model":"a b"`, 1)},
		doc{"a filter with a space at its end", strings.Replace(text, `"model":null`, `"model":"a "`, 1)})
}

// questions are questions with every member there is.
func questions(*testing.T) []doc {
	return []doc{
		{"short", `{"schemaVersion":"service.rank.question/v1","maximize":["a"]}`},
		{"whole", `{"schemaVersion":"service.rank.question/v1","models":["m"],"all":false,"runtimes":["r"],"services":["free"],"sellerPolicy":"major",
			"atLeast":{"k":200000},"atMost":{"p":"5/M"},"require":{"t":true,"w":"word"},"maximize":["a"],"minimize":["b"],"weights":{"a":2},"trials":{"a":"n"},
			"keys":["c"],"cheapest":true,"within":0.05,"cost":{"inputTokens":1,"outputTokens":2,"cachedInputTokens":3,"cacheWriteTokens":4,"requests":5},
			"confidence":"95%","target":"tasks"}`},
		{"measured", `{"schemaVersion":"service.rank.question/v1","maximize":["a"],"cheapest":true,"measuredCost":"b"}`},
		{"null", `{"schemaVersion":"service.rank.question/v1","models":null,"atLeast":null,"within":null,"cost":null,"target":null}`},
	}
}

// costTables are tables of costs with every member there is.
func costTables(t *testing.T) []doc {
	c := sample(t)
	models, err := contents.FindModels(c, "zhipuai/glm-5")
	if err != nil {
		t.Fatal(err)
	}
	whole, wholeErr := contents.Costs(t.Context(), c, models, contents.CostOptions{Task: &record.TaskTokens{Input: 3000, Output: 500, CachedInput: 2000, CacheWrite: 1, Requests: 5}})
	later, laterErr := contents.Costs(t.Context(), c, models, contents.CostOptions{AsOf: "2027-01-01T00:00:00.000Z"})
	if wholeErr != nil || laterErr != nil || len(whole.Offers) == 0 || len(later.Unpriced) == 0 {
		t.Fatal("nothing is priced, or nothing has expired: ", wholeErr, laterErr)
	}
	return []doc{{"costs", string(ijson.MustWriteTagged(whole))}, {"expired", string(ijson.MustWriteTagged(later))}}
}

// comparisons are comparisons with every member there is.
func comparisons(t *testing.T) []doc {
	c := sample(t)
	ranker, err := v3.New(c)
	if err != nil {
		t.Fatal(err)
	}
	compared, err := v3.Compare(t.Context(), c, ranker, v3.HeadToHead{Models: []string{"zhipuai/glm-5", "zhipuai/glm-5.2", "openai/gpt-5@effort=high"}})
	if err != nil {
		t.Fatal(err)
	}
	low := 0.5
	compared.Measured[0].Values[0].Estimate = &record.RankEstimate{Value: 0.75, Low: &low, High: &low, Basis: "tasks", Trials: &low, Size: "stated"}
	return []doc{{"comparison", string(ijson.MustWriteTagged(compared))}}
}

// sample returns the catalog of the example of the models.
func sample(t *testing.T) *catalog.Catalog {
	t.Helper()
	text, err := os.ReadFile("../../examples/models/catalog.json")
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Parse(t.Context(), problem.Source{Text: string(text)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// fullScope is a scope in which nothing is null.
var fullScope = record.Scope{Kind: "partial", Profile: record.Profile{
	Runtime: record.Component{ID: "r", Version: "1"}, Adapter: record.Component{ID: "a", Version: "1"}, EffectiveContextTokens: record.NewCount(8192),
	ToolSurface: []string{"edit"}, Hardware: record.Hardware{Class: "c", Accelerator: "h", MemoryBytes: record.NewCount(1)},
	Workflow: record.Workflow{ID: "w", Version: "1", Condition: "c"}}}

// contentsSeeds are contents in which nothing is null that need not be.
func contentsSeeds(t *testing.T) []doc {
	const digest, at = "8b2f9e1d4c6a0537f1e2d3c4b5a69788796a5b4c3d2e1f0012233445566778ff", "2026-01-15T00:00:00.000Z"
	number, value := record.NewFloat(1.5), record.StatedValue{Value: record.Scalar{Kind: '0', Text: "1.5"}, Unit: "s"}
	measurement := record.MeasurementSummary{
		MeasurementKey: "k", Kind: record.Sample, State: record.SummaryValue, Values: []record.StatedValue{value}, ValueCount: 1,
		Aggregate: &record.SampleSummary{N: 1, Unit: "s", Mean: number, Min: number, Max: number, SuccessRate: number},
		Execution: fullScope,
		Task:      record.SummaryTask{Family: "f", Suite: "s", TaskID: "t"}, Conflict: digest, Sources: []string{"aider"},
		Observations:     []record.Witness{{ID: digest, ObservedAt: at, ValidUntil: at, SourceClass: "external", Evidence: []record.EvidenceLink{{ID: "e", URI: "u"}}}},
		ObservationCount: 1,
	}
	c := &record.CatalogContents{
		SchemaVersion: record.CatalogContentsSchema, Catalog: record.CatalogReference{Digest: digest, AsOf: at}, AsOf: at, Only: record.ContentsSelection{Model: "m", Key: "k", Source: "s"},
		Models: []record.ModelContents{{Key: digest, Identity: record.Model{ID: "m", Revision: "1", Quantization: "int4"}, Observations: 1, Samples: 1,
			Oldest: at, Newest: at, Measurements: []record.MeasurementSummary{measurement}}},
		Keys: []record.KeyContents{{MeasurementKey: "k", Kinds: []string{"sample"}, Models: 1, Observations: 1,
			Ranges: []record.ValueRange{{Unit: "s", Count: 1, Low: 1.5, High: 1.5}}, Values: []record.StatedValue{value}, ValueCount: 1}},
	}
	return []doc{{"contents", string(ijson.MustWriteTagged(c))}}
}
