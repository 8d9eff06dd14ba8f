package rank_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/model-catalog-service/svc/service/catalog"
	"github.com/model-catalog-service/svc/service/internal/servicetest"
	"github.com/model-catalog-service/svc/service/rank"
	"github.com/model-catalog-service/svc/service/record"
)

// leaderboards returns a catalog of real leaderboards and prices.
func leaderboards() *catalog.Catalog {
	asOf := time.Date(2025, 12, 2, 12, 0, 0, 0, time.UTC)
	const folder = "../../examples/leaderboards/observations/"
	files, err := os.ReadDir(folder)
	if err != nil {
		log.Fatal(err)
	}
	var sources []catalog.Source
	for _, f := range files {
		sources = append(sources, catalog.Source{Name: f.Name(), Open: func() (io.ReadCloser, error) { return os.Open(folder + f.Name()) }})
	}
	c, err := catalog.CompileSources(context.Background(), sources, catalog.CompileOptions{AsOf: asOf})
	if err != nil {
		log.Fatal(err)
	}
	return c
}

// codingRequest asks for a model for coding: by Aider's pass rate, whatever it was run
// with, and where that does not tell two apart, by the price of a task of 20,000 tokens in
// and 3,000 out.
func codingRequest() rank.RequestRecord {
	price := func(key string, factor float64) rank.Term {
		return rank.Term{Measure: rank.Measure{MeasurementKey: key, Aggregation: "fact"}, Factor: factor}
	}
	request := rank.RequestRecord{
		SchemaVersion: rank.RequestSchemaV3,
		Preferences: []rank.Preference{{
			Measure: rank.Measure{
				MeasurementKey: "aider.polyglot.pass_rate_2", Aggregation: "mean", Transfer: []rank.Dimension{"execution"},
			},
			Direction: "maximize", Weight: 1, Scale: &rank.Scale{Low: 0, High: 100},
		}},
		Keys: []record.Key{{
			Key: "aider.polyglot.pass_rate_2", Bounds: &record.KeyBounds{Low: 0, High: 100}, Size: &record.KeySize{Trials: "aider.polyglot.test_cases"},
			Joins: []string{"edit_format"},
		}},
		TieBreakers: []rank.TieBreaker{{
			ID:        "usd-per-task",
			Sum:       []rank.Term{price("price.input", 20_000), price("price.output", 3_000)},
			Direction: "minimize",
		}},
	}
	for _, model := range []string{"openai/gpt-5", "x-ai/grok-4", "moonshotai/kimi-k2", "x-ai/grok-3-beta"} {
		request.Inventory = append(request.Inventory, rank.Candidate{
			ID: model, Model: record.Model{ID: model},
			Execution: &rank.Execution{Runtime: &record.Component{ID: "openrouter"}},
		})
	}
	return request
}

// Each candidate has the ranks that the evidence allows it.
func ExampleRanker_RankRecord() {
	ranker, err := rank.New(leaderboards())
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
	ranker, err := rank.New(leaderboards())
	if err != nil {
		log.Fatal(err)
	}
	request, err := rank.NewRequest(codingRequest())
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
func ExampleRank() {
	c, err := catalog.Parse(context.Background(), servicetest.Read("catalog.json"))
	if err != nil {
		log.Fatal(err)
	}
	request, err := rank.ParseRequest(servicetest.Read("fix-issues.json"))
	if err != nil {
		log.Fatal(err)
	}
	result, err := rank.Rank(context.Background(), c, request)
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

// Why a request is answered differently.
func ExampleDiff() {
	d, err := rank.Diff(context.Background(), servicetest.FirstDay(), servicetest.SecondDay(), catalog.DiffOptions{}, servicetest.Cheapest())
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range d.Rankings[0].Candidates {
		for _, why := range c.Criteria {
			fmt.Println(c.CandidateID, why.Role, why.MeasurementKey, why.Causes, why.Old.Status, why.New.Status)
		}
	}
	// Output:
	// moonshotai/kimi-k2 preference price.output [value came went] ok ok
	// openai/o1 preference price.output [status went] ok missing
	// x-ai/grok-4 preference price.output [value came went] ok ok
}

// A candidate is ranked by a catalog of the repository's examples.
func Example() {
	ctx := context.Background()
	c, err := catalog.Compile(ctx, servicetest.Runs(), catalog.CompileOptions{AsOf: servicetest.November})
	if err != nil {
		log.Fatal(err)
	}
	atlas := record.Model{ID: "acme/atlas-70b", Revision: "2026-08-14"}
	doc, err := json.Marshal(record.RankRequestV2{
		SchemaVersion: record.RankRequestSchemaV1,
		Task:          record.RankTaskV2{Family: "software-engineering", Suite: "house-repairs"},
		Inventory: []record.CandidateV2{
			{ID: "full", Model: atlas, Execution: record.Profile{
				Runtime:                record.Component{ID: "vllm", Version: "0.11.0"},
				Adapter:                record.Component{ID: "patchwork", Version: "3.2.0"},
				EffectiveContextTokens: record.NewCount(131072),
				ToolSurface:            []string{"edit-file", "run-tests", "search-code"},
				Hardware: record.Hardware{
					Class: "server", Accelerator: "2x h100-80gb", MemoryBytes: record.NewCount(160 << 30),
				},
				Workflow: record.Workflow{ID: "patchwork.fix-issue", Version: "3"},
			}},
			{ID: "elsewhere", Model: atlas, Execution: record.Profile{
				Runtime: record.Component{ID: "vllm", Version: "0.12.0"}, ToolSurface: []string{},
			}},
		},
		Preferences: []record.PreferenceV2{
			{CriterionV2: record.CriterionV2{MeasurementKey: "repair.fixed", Aggregation: "success-rate"}, Direction: "maximize", Weight: 2},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	request, err := rank.ParseRequest(doc)
	if err != nil {
		log.Fatal(err)
	}
	result, err := rank.Rank(ctx, c, request)
	if err != nil {
		log.Fatal(err)
	}
	record, err := result.RecordV2()
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range record.Ranked {
		for _, why := range p.Reasons {
			fmt.Printf("%d. %s %g: %s\n", p.Rank, p.CandidateID, p.Score, why.Summary)
		}
	}
	// Output:
	// 1. full 2: maximize contributed 2
	// 2. elsewhere 0: incomparable evidence for repair.fixed
}

func ExampleNew() {
	ctx := context.Background()
	text, err := os.ReadFile("../../examples/catalog.json")
	if err != nil {
		log.Fatal(err)
	}
	c, err := catalog.Parse(ctx, text)
	if err != nil {
		log.Fatal(err)
	}
	ranker, err := rank.New(c)
	if err != nil {
		log.Fatal(err)
	}
	doc, err := os.ReadFile("../../examples/fix-issues.json")
	if err != nil {
		log.Fatal(err)
	}
	request, err := rank.ParseRequest(doc)
	if err != nil {
		log.Fatal(err)
	}
	result, err := ranker.Rank(ctx, request)
	if err != nil {
		log.Fatal(err)
	}
	record, err := result.RecordV2()
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range record.Ranked {
		fmt.Printf("%d. %s %.3f, uncertainty %s\n", p.Rank, p.CandidateID, p.Score, p.Uncertainty.Level)
	}
	for _, p := range record.Excluded {
		fmt.Println(p.CandidateID, p.Reasons[0].Code)
	}
	// Output:
	// 1. borealis 3.500, uncertainty moderate
	// 2. atlas-server 2.849, uncertainty moderate
	// 3. atlas-workstation 1.000, uncertainty high
	// cirrus CONFLICTING_EVIDENCE
	// dune REQUIREMENT_NOT_MET
}

// A question names keys of the catalog. The request that is made of it has the candidates,
// units and scales.
func ExampleDraft() {
	c := models()
	request, err := rank.Draft(c, record.RankQuestion{
		AtLeast:  map[string]string{"limits.context": "200k"},
		AtMost:   map[string]string{"price.output": "5/M"},
		Maximize: []string{"livebench.agentic-coding.score"},
		Cheapest: true,
	})
	if err != nil {
		log.Fatal(err)
	}
	result, err := rank.Rank(context.Background(), c, request)
	if err != nil {
		log.Fatal(err)
	}
	answer, err := result.Record()
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range answer.Ranked[:3] {
		fmt.Println(m.Rank, m.RankInterval, m.Model.ID, "at", m.Execution.Runtime.ID)
	}
	fmt.Println(len(answer.Ranked), "ranked,", len(answer.Excluded), "excluded")
	// Output:
	// 1 {1 17} zhipuai/glm-5.2 at openrouter
	// 2 {1 19} moonshotai/kimi-k2.7-code at deepinfra
	// 3 {1 27} minimax/MiniMax-M3 at minimax
	// 29 ranked, 19 excluded
}
