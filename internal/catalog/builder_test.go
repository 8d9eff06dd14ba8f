package catalog_test

import (
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

// A Builder makes of a record what Normalize makes of its JSON, one after the
// other.
func TestBuilder(t *testing.T) {
	b := catalog.NewBuilder()
	for _, doc := range append(manyObservations(t), evaluation, declaration) {
		want, err := catalog.Normalize(doc)
		if err != nil {
			t.Fatal(err)
		}
		rec := want.Record()
		if got, err := b.Build(&rec); err != nil || got != want {
			t.Fatalf("built %s (%v)\nwant %s", got.JSON(), err, want.JSON())
		}
	}
}

// A record proves nothing: what is wrong with it is found.
func TestBuilderRefuses(t *testing.T) {
	_, err := catalog.NewBuilder().Build(&record.Observation{Kind: "guess"})
	faults := problem.All(err)
	if len(faults) == 0 || faults[0].Code != problem.InvalidObservation || faults[0].Path != "$.kind" {
		t.Errorf("%v", err)
	}
}

// What JSON could not say, or would say in other words, is refused at its path, not mended in silence.
func TestBuilderRefusesHalfValues(t *testing.T) {
	for path, change := range map[string]func(*record.Observation){
		"$.schemaVersion":                func(o *record.Observation) { o.SchemaVersion = "service.observation/v1" },
		"$.measurements[0].value":        func(o *record.Observation) { o.Measurements[0].Value = record.Scalar{Kind: '0', Text: `1,"unit":"ms"`} },
		"$.measurements[1].value":        func(o *record.Observation) { o.Measurements[1].Value = record.Scalar{} },
		"$.measurements[0].kind":         func(o *record.Observation) { o.Measurements[0].Kind = `sample","kind":"fact` },
		"$.execution.kind":               func(o *record.Observation) { o.Execution.Kind = "" },
		"$.evidence[0].digest.algorithm": func(o *record.Observation) { o.Evidence[0].Digest.Algorithm = "md5" },
		"$.freshness.observedAt":         func(o *record.Observation) { o.Freshness.ObservedAt = `2026-07-16T15:00:57.682Z","x":"` },
		"$.usage.inputTokens":            func(o *record.Observation) { o.Usage.InputTokens = record.NewCount(1 << 53) },
		"$.outcome.status":               func(o *record.Observation) { o.Outcome.Status = "" },
	} {
		rec := accepted(t, path, evaluation).Record()
		change(&rec)
		_, err := catalog.NewBuilder().Build(&rec)
		if faults := problem.All(err); len(faults) == 0 || faults[0].Path != path {
			t.Errorf("%s: %v", path, err)
		}
	}
}
