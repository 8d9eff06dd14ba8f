package service_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/model-catalog-service/svc/service"
)

// The observations of the repository's examples, one a line.
func exampleRuns() []string {
	lines, err := os.ReadFile("../examples/observations/runs.jsonl")
	if err != nil {
		log.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(lines)), "\n")
}

func Example() {
	ctx := context.Background()
	c, err := service.CompileCatalog(ctx, exampleRuns(), service.CompileOptions{AsOf: "2026-11-01T00:00:00.000Z"})
	if err != nil {
		log.Fatal(err)
	}
	request, err := service.ValidateRankRequest(`{
		"schemaVersion": "service.rank.request/v1",
		"task": {"family": "software-engineering", "suite": "house-repairs"},
		"inventory": [
			{"id": "full", "model": {"id": "acme/atlas-70b", "revision": "2026-08-14", "quantization": null}, "execution": {
				"runtime": {"id": "vllm", "version": "0.11.0"}, "adapter": {"id": "patchwork", "version": "3.2.0"},
				"effectiveContextTokens": 131072, "toolSurface": ["edit-file", "run-tests", "search-code"],
				"hardware": {"class": "server", "accelerator": "2x h100-80gb", "memoryBytes": 171798691840},
				"workflow": {"id": "patchwork.fix-issue", "version": "3", "condition": null}}},
			{"id": "elsewhere", "model": {"id": "acme/atlas-70b", "revision": "2026-08-14", "quantization": null}, "execution": {
				"runtime": {"id": "vllm", "version": "0.12.0"}, "adapter": null,
				"effectiveContextTokens": null, "toolSurface": [], "hardware": null, "workflow": null}}
		],
		"requirements": [],
		"preferences": [{"measurementKey": "repair.fixed", "aggregation": "success-rate", "direction": "maximize", "weight": 2}]
	}`)
	if err != nil {
		log.Fatal(err)
	}
	result, err := service.RankCatalog(ctx, c, request)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range result.Ranked() {
		for _, why := range p.Reasons {
			fmt.Printf("%d. %s %g: %s\n", p.Rank, p.CandidateID, p.Score, why.Summary)
		}
	}
	// Output:
	// 1. full 2: maximize contributed 2
	// 2. elsewhere 0: incomparable evidence for repair.fixed
}

func ExampleNormalizeObservation() {
	_, err := service.NormalizeObservation(strings.Replace(exampleRuns()[0], `"kind":"sample"`, `"kind":"guess"`, 1))
	if e, ok := errors.AsType[*service.Error](err); ok {
		fmt.Println(e.Code, e.Path)
		fmt.Println(e)
	}
	// Output:
	// INVALID_OBSERVATION $.measurements[0].kind
	// $.measurements[0].kind: must be fact or sample
}

func ExampleCanonicalJSON() {
	c, err := service.CanonicalJSON(`{ "price": 1.50e-6, "id": "\u0061cme" }`)
	fmt.Printf("%s %v\n", c, err)
	_, err = service.CanonicalJSON(`{"price": 1, "price": 2}`)
	fmt.Println(err)
	// Output:
	// {"id":"acme","price":0.0000015} <nil>
	// $.price: duplicate member
}
