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
