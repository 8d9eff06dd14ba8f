package schemas_test

import (
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/contents"
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
	measurements, err := contents.Measurements(c, all, opts)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := contents.Keys(c, opts)
	if err != nil {
		t.Fatal(err)
	}
	return []doc{{"models", string(models.JSON())}, {"measurements", string(measurements.JSON())}, {"keys", string(keys.JSON())}}
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

// contentsSeeds are contents in which nothing is null that need not be.
func contentsSeeds(t *testing.T) []doc {
	const digest, at = "8b2f9e1d4c6a0537f1e2d3c4b5a69788796a5b4c3d2e1f0012233445566778ff", "2026-01-15T00:00:00.000Z"
	number, value := record.NewFloat(1.5), compare.Value{Value: record.Scalar{Kind: '0', Text: "1.5"}, Unit: "s"}
	measurement := contents.Measurement{
		MeasurementKey: "k", Kind: record.Sample, State: contents.StateValue, Values: []compare.Value{value}, ValueCount: 1,
		Aggregate: &compare.Aggregate{N: 1, Unit: "s", Mean: number, Min: number, Max: number, SuccessRate: number},
		Execution: `{"adapter":{"id":"a","version":"1"},"effectiveContextTokens":8192,"hardware":{"accelerator":"h","class":"c","memoryBytes":1},` +
			`"kind":"partial","runtime":{"id":"r","version":"1"},"toolSurface":["edit"],"workflow":{"condition":"c","id":"w","version":"1"}}`,
		Task: &contents.Task{Family: "f", Suite: "s", TaskID: "t"}, Conflict: digest, Sources: []string{"aider"},
		Observations:     []compare.Witness{{ID: digest, ObservedAt: at, ValidUntil: at, SourceClass: "external", Evidence: []compare.Evidence{{ID: "e", URI: "u"}}}},
		ObservationCount: 1,
	}
	c := &contents.Contents{
		SchemaVersion: contents.Schema, Catalog: contents.Catalog{Digest: digest, AsOf: at}, AsOf: at, Only: contents.Only{Model: "m", Key: "k", Source: "s"},
		Models: &[]contents.Model{{Key: digest, Identity: compare.Identity{ID: "m", Revision: "1", Quantization: "int4"}, Observations: 1, Samples: 1,
			Oldest: at, Newest: at, Measurements: &[]contents.Measurement{measurement}}},
		Keys: &[]contents.Key{{MeasurementKey: "k", Kinds: []string{"sample"}, Models: 1, Observations: 1,
			Ranges: []contents.Range{{Unit: "s", Count: 1, Low: 1.5, High: 1.5}}, Values: []compare.Value{value}, ValueCount: 1}},
	}
	return []doc{{"contents", string(c.JSON())}}
}
