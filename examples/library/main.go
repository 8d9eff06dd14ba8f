// Command library ranks four models by the observations of a directory, and prints a table.
package main

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/local"
)

func main() {
	ctx, noon := context.Background(), time.Date(2025, 12, 2, 12, 0, 0, 0, time.UTC)
	catalog, err := local.CompileFiles(ctx, service.CompileOptions{AsOf: noon}, "examples/leaderboards/observations")
	if err != nil {
		log.Fatal(err)
	}
	request := service.RankRequestRecord{SchemaVersion: service.RankRequestSchemaV3, Preferences: []service.Preference{{
		Measure: service.Measure{MeasurementKey: "aider.polyglot.pass_rate_2", Aggregation: "mean", Transfer: []service.Dimension{"execution"},
			Trials: &service.Trials{MeasurementKey: "aider.polyglot.test_cases", Scale: 100}},
		Direction: "maximize", Weight: 1, Scale: &service.Scale{Low: 0, High: 100},
	}}}
	for _, model := range []string{"moonshotai/kimi-k2", "openai/gpt-5", "x-ai/grok-3-beta", "x-ai/grok-4"} {
		request.Inventory = append(request.Inventory, service.Candidate{ID: model, Model: service.ModelIdentity{ID: model}})
	}
	ranker, err := service.NewCatalogRanker(catalog)
	if err != nil {
		log.Fatal(err)
	}
	result, err := ranker.RankRecord(ctx, request)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range result.Ranked {
		score := c.Reasons[0].Estimate
		fmt.Printf("%d  group %d  %-18s  %.1f%% (%.1f to %.1f)\n", c.Rank, c.TieGroup, c.CandidateID, score.Value, *score.Low, *score.High)
	}
}
