package service_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/model-catalog-service/svc/service"
)

// A request of version 3 leaves out what does not matter. Its result says how far the
// evidence tells candidates apart.
func ExampleDocumentRanker() {
	ctx := context.Background()
	c, err := service.CompileCatalog(ctx, exampleRuns(), service.CompileOptions{AsOf: november})
	if err != nil {
		log.Fatal(err)
	}
	ranker, err := service.NewDocumentRanker(c)
	if err != nil {
		log.Fatal(err)
	}
	text, err := ranker.Rank(ctx, []byte(`{
		"schemaVersion": "service.rank.request/v3",
		"inventory": [
			{"id": "atlas", "model": {"id": "acme/atlas-70b", "revision": "2026-08-14"}},
			{"id": "borealis", "model": {"id": "northwind/borealis-1"}}
		],
		"preferences": [{"measurementKey": "repair.fixed", "aggregation": "success-rate", "transfer": ["execution"],
			"direction": "maximize", "weight": 1, "scale": {"low": 0, "high": 1}}]
	}`))
	if err != nil {
		log.Fatal(err)
	}
	var result struct {
		Ranked []struct {
			CandidateID     string
			Rank, TieGroup  int
			Score, Coverage float64
		}
	}
	if err := json.Unmarshal(text, &result); err != nil {
		log.Fatal(err)
	}
	for _, c := range result.Ranked {
		fmt.Printf("%d. %s %g, tie group %d\n", c.Rank, c.CandidateID, c.Score, c.TieGroup)
	}
	// Output:
	// 1. borealis 1, tie group 1
	// 2. atlas 0.75, tie group 1
}
