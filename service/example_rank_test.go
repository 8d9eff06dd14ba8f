package service_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/local"
	"github.com/model-catalog-service/svc/service/record"
)

// leaderboards returns a catalog of real leaderboards and prices.
func leaderboards() *service.Catalog {
	asOf := time.Date(2025, 12, 2, 12, 0, 0, 0, time.UTC)
	c, err := local.CompileFiles(context.Background(), service.CompileOptions{AsOf: asOf}, "../examples/leaderboards/observations")
	if err != nil {
		log.Fatal(err)
	}
	return c
}

// codingRequest asks for a model for coding: by Aider's pass rate, whatever it was run
// with, and where that does not tell two apart, by the price of a task of 20,000 tokens in
// and 3,000 out.
func codingRequest() service.RankRequestRecord {
	price := func(key string, factor float64) service.Term {
		return service.Term{Measure: service.Measure{MeasurementKey: key, Aggregation: "fact"}, Factor: factor}
	}
	request := service.RankRequestRecord{
		SchemaVersion: service.RankRequestSchemaV3,
		Preferences: []service.Preference{{
			Measure: service.Measure{
				MeasurementKey: "aider.polyglot.pass_rate_2", Aggregation: "mean", Transfer: []service.Dimension{"execution"},
			},
			Direction: "maximize", Weight: 1, Scale: &service.Scale{Low: 0, High: 100},
		}},
		Keys: []record.Key{{
			Key: "aider.polyglot.pass_rate_2", Bounds: &record.KeyBounds{Low: 0, High: 100}, Size: &record.KeySize{Trials: "aider.polyglot.test_cases"},
			Joins: []string{"edit_format"},
		}},
		TieBreakers: []service.TieBreaker{{
			ID:        "usd-per-task",
			Sum:       []service.Term{price("price.input", 20_000), price("price.output", 3_000)},
			Direction: "minimize",
		}},
	}
	for _, model := range []string{"openai/gpt-5", "x-ai/grok-4", "moonshotai/kimi-k2", "x-ai/grok-3-beta"} {
		request.Inventory = append(request.Inventory, service.Candidate{
			ID: model, Model: record.Model{ID: model},
			Execution: &service.Execution{Runtime: &record.Component{ID: "openrouter"}},
		})
	}
	return request
}

// Each candidate has the ranks that the evidence allows it.
func ExampleRanker_RankRecord() {
	ranker, err := service.NewCatalogRanker(leaderboards())
	if err != nil {
		log.Fatal(err)
	}
	result, err := ranker.RankRecord(context.Background(), codingRequest())
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range result.Ranked {
		fmt.Printf("%d (%d to %d), score %.3f: %s\n", c.Rank, c.RankInterval.Low, c.RankInterval.High, c.Score, c.CandidateID)
		for _, why := range c.Reasons {
			if e := why.Estimate; why.Code == record.PreferenceScore {
				fmt.Printf("   %.1f (%.1f to %.1f, %g questions)\n", e.Value, *e.Low, *e.High, *e.Trials)
			} else {
				fmt.Printf("   $%.4f\n", why.Actual.Float())
			}
		}
	}
	// Output:
	// 1 (1 to 1), score 0.880: openai/gpt-5
	//    88.0 (83.1 to 91.6, 225 questions)
	//    $0.0550
	// 2 (2 to 2), score 0.796: x-ai/grok-4
	//    79.6 (73.9 to 84.3, 225 questions)
	//    $0.1050
	// 3 (3 to 4), score 0.591: moonshotai/kimi-k2
	//    59.1 (52.6 to 65.3, 225 questions)
	//    $0.0146
	// 4 (3 to 4), score 0.533: x-ai/grok-3-beta
	//    53.3 (46.8 to 59.7, 225 questions)
	//    $0.1050
}

// An explanation goes down to the observations, and their evidence.
func ExampleRanker_Explain() {
	ctx := context.Background()
	ranker, err := service.NewCatalogRanker(leaderboards())
	if err != nil {
		log.Fatal(err)
	}
	request, err := service.NewRankRequest(codingRequest())
	if err != nil {
		log.Fatal(err)
	}
	x, err := ranker.Explain(ctx, request, "moonshotai/kimi-k2")
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range x.Criteria {
		fmt.Println(c.Role, c.Criterion, c.Status, *c.Value)
		for _, entry := range c.Entries {
			fmt.Println("  ", entry.Use, entry.Value, entry.ObservedAt, entry.Evidence[0].ID)
		}
	}
	// Output:
	// preference preference:aider.polyglot.pass_rate_2 ok 59.1
	//    used 59.1 2025-07-17T00:00:00.000Z aider-polyglot:2025-07-17-17-41-54--kimi-k2-diff-or-pricing
	// tieBreaker usd-per-task ok 0.01464
	// tieBreaker usd-per-task ok 4.56e-7
	//    used 4.56e-7 2025-12-02T00:00:00.000Z openrouter-models:moonshotai/kimi-k2#price.input@2025-12-02T00:00:00.000Z
	// tieBreaker usd-per-task ok 0.00000184
	//    used 0.00000184 2025-12-02T00:00:00.000Z openrouter-models:moonshotai/kimi-k2#price.output@2025-12-02T00:00:00.000Z
}

// A request is read from a file, of whatever version, and its result handed on as it is.
func ExampleRankCatalog() {
	c, err := service.ParseCatalog(context.Background(), readFile("catalog.json"))
	if err != nil {
		log.Fatal(err)
	}
	request, err := service.ValidateRankRequest(readFile("fix-issues.json"))
	if err != nil {
		log.Fatal(err)
	}
	result, err := service.RankCatalog(context.Background(), c, request)
	if err != nil {
		log.Fatal(err)
	}
	text, err := result.AppendJSON(nil, 1<<20)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %.77s...\n", request.SchemaVersion(), text)
	// Output:
	// service.rank.request/v2: {"catalog":{"asOf":"2026-11-01T00:00:00.000Z","digest":"d7bb49a702875f029914a...
}
