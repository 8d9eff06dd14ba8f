package service_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/record"
)

// The observations of the repository's examples, one a line.
func exampleRuns() []string {
	lines, err := os.ReadFile("../examples/observations/runs.jsonl")
	if err != nil {
		log.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(lines)), "\n")
}

var november = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

// A candidate is ranked by a catalog of the repository's examples.
func Example() {
	ctx := context.Background()
	c, err := service.CompileCatalog(ctx, exampleRuns(), service.CompileOptions{AsOf: november})
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
	request, err := service.ValidateRankRequest(doc)
	if err != nil {
		log.Fatal(err)
	}
	result, err := service.RankCatalog(ctx, c, request)
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

// A vendor's statement about its model is built, compiled and written.
func ExampleCompileCatalog() {
	page := record.NewTimestamp(time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC))
	observation, err := json.Marshal(record.Observation{
		SchemaVersion: record.ObservationSchema,
		Kind:          "declaration",
		Model:         record.Model{ID: "acme/atlas-70b"},
		Measurements: []record.Measurement{
			{Key: "context.window", Kind: "fact", Value: record.Number(131072), Unit: "tokens"},
		},
		SourceClass: "external",
		Evidence: []record.Evidence{
			{ID: "acme-atlas-page", Kind: "vendor-page", URI: "https://acme.example/atlas", ObservedAt: page},
		},
		Freshness:   record.Freshness{ObservedAt: page},
		Uncertainty: record.Uncertainty{Level: "low", Basis: []string{"the vendor says so"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	c, err := service.CompileCatalog(context.Background(), [][]byte{observation}, service.CompileOptions{AsOf: november})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.AsOf(), c.Digest()[:8], c.Size(), "bytes")
	for m := range c.Models() {
		for _, o := range m.Observations {
			fmt.Println(m.Identity.ID, o.Measurements[0].Key, o.Measurements[0].Value.Value())
		}
	}
	// Output:
	// 2026-11-01 00:00:00 +0000 UTC ced174da 1001 bytes
	// acme/atlas-70b context.window 131072
}

func ExampleNewCatalogRanker() {
	ctx := context.Background()
	text, err := os.ReadFile("../examples/catalog.json")
	if err != nil {
		log.Fatal(err)
	}
	c, err := service.ParseCatalog(ctx, text)
	if err != nil {
		log.Fatal(err)
	}
	ranker, err := service.NewCatalogRanker(c)
	if err != nil {
		log.Fatal(err)
	}
	doc, err := os.ReadFile("../examples/fix-issues.json")
	if err != nil {
		log.Fatal(err)
	}
	request, err := service.ValidateRankRequest(doc)
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

// Code and path tell a program what is wrong, the message a person.
func ExampleError() {
	_, err := service.NormalizeObservation(strings.Replace(exampleRuns()[0], `"kind":"sample"`, `"kind":"guess"`, 1))
	if e, ok := errors.AsType[*service.Error](err); ok {
		fmt.Println(e.Code == service.InvalidObservation, e.Path)
		fmt.Println(e)
	}
	// Output:
	// true $.measurements[0].kind
	// $.measurements[0].kind: must be fact or sample
}

// All faults of a document are listed.
func ExampleFaults() {
	_, err := service.ValidateModelIdentity(`{"id": "", "revision": 3, "quantization": null}`)
	for _, e := range service.Faults(err) {
		fmt.Println(e.Path, e.Reason)
	}
	// Output:
	// $.id must be a non-empty string without white space at its ends
	// $.revision must be null or a non-empty string without white space at its ends
}

func ExampleNormalizeObservation() {
	o, err := service.NormalizeObservation(exampleRuns()[0])
	if err != nil {
		log.Fatal(err)
	}
	seen := o.Record()
	fmt.Printf("%.8s %s %s\n", o.ID(), seen.Model.ID, seen.Model.Revision)
	for _, m := range seen.Measurements {
		fmt.Printf("%s: %s %v %q\n", m.Key, m.Kind, m.Value.Value(), m.Unit)
	}
	// Output:
	// 9d6ff133 acme/atlas-70b 2026-08-14
	// repair.cost: sample 0.31 "USD"
	// repair.fixed: sample true ""
	// repair.seconds: sample 212.4 "seconds"
}

func ExampleCanonicalJSON() {
	c, err := service.CanonicalJSON(`{ "price": 1.50e-6, "id": "\u0061cme" }`)
	fmt.Printf("%s %v\n", c, err)
	_, err = service.CanonicalJSON(`{"price": 1, "price": 2}`)
	fmt.Println(err)
	// Output:
	// {"id":"acme","price":0.0000015} <nil>
	// $.price: duplicate field
}

// readFile reads one of the repository's examples.
func readFile(name string) []byte {
	text, err := os.ReadFile("../examples/" + name)
	if err != nil {
		log.Fatal(err)
	}
	return text
}
