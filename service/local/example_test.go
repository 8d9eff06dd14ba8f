package local_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	"github.com/model-catalog-service/svc/service/catalog"
	"github.com/model-catalog-service/svc/service/local"
	"github.com/model-catalog-service/svc/service/rank"
	"github.com/model-catalog-service/svc/service/serve"
	"github.com/model-catalog-service/svc/service/verify"
)

// A catalog file is verified and served on a free port of the loopback interface.
func ExampleStartCatalogServer() {
	ctx := context.Background()
	c, err := local.ReadCatalogFile(ctx, "../../examples/catalog.json")
	if err != nil {
		log.Fatal(err)
	}
	server, err := local.StartCatalogServer(ctx, c, local.ServerOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close(ctx)
	response, err := http.Get(server.URL() + "/v1/models")
	if err != nil {
		log.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s %.62s\n", response.Status, body)
	// Output:
	// 200 OK {"catalog":{"asOf":"2026-11-01T00:00:00.000Z","digest":"d7bb49
}

// Bundle files are a store for trying the verification endpoint. Databases have
// addresses like sqlite:records.db.
func ExampleOpenStore() {
	ctx := context.Background()
	store, closeStore, err := local.OpenStore(ctx, "file:../../examples/claims.json")
	if err != nil {
		log.Fatal(err)
	}
	defer closeStore()
	records, err := store.LookupByIntegrityRef(ctx, "claim.atlas-70b.repairs")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(records.Claims), "claim,", len(records.Evidence), "pieces of evidence,", len(records.Events), "events")
	_, err = serve.NewResponder(store, serve.ResponderOptions{
		Source: "bench.example.org", StatusFunctionVersion: verify.StatusFunctionVersion,
	})
	fmt.Println(err)
	// Output:
	// 1 claim, 2 pieces of evidence, 2 events
	// <nil>
}

// Whoever holds claims of a producer asks what became of them, as svc verify does. One was
// verified, and has been revoked since.
func ExampleAskEndpoint() {
	ctx := context.Background()
	text, err := os.ReadFile("../../examples/claims-held.json")
	if err != nil {
		log.Fatal(err)
	}
	held, err := verify.ParseBundle(text)
	if err != nil {
		log.Fatal(err)
	}
	producer := exampleProducer() // in your program: "https://producer.example"
	defer producer.Close()
	answers, err := local.AskEndpoint(ctx, producer.URL, held, local.EndpointOptions{})
	if err != nil {
		log.Fatal(err)
	}
	receipt, err := verify.Receive(held, answers, verify.ReceiveOptions{Now: time.Now().UTC().Format(time.RFC3339)})
	if err != nil {
		log.Fatal(err)
	}
	for _, claim := range receipt.Claims {
		if claim.After == "" {
			log.Fatal(receipt.Outcomes) // the answers were refused
		}
		fmt.Println(claim.ID, claim.Before, claim.After)
	}
	fmt.Println("all is well:", receipt.OK)
	// Output:
	// claim.atlas-70b.repairs verified stale
	// claim.borealis-1.repairs verified verified
	// all is well: false
}

// exampleProducer answers from a file.
func exampleProducer() *httptest.Server {
	store, _, err := local.OpenStore(context.Background(), "file:../../examples/claims.json")
	if err != nil {
		log.Fatal(err)
	}
	responder, err := serve.NewResponder(store, serve.ResponderOptions{
		Source: "bench.example.org", StatusFunctionVersion: verify.StatusFunctionVersion,
	})
	if err != nil {
		log.Fatal(err)
	}
	return httptest.NewServer(serve.NewVerificationHandler(responder, serve.VerificationOptions{}))
}

// Observations are read from a directory, some of them compiled.
func ExampleReadObservationFiles() {
	ctx := context.Background()
	all, err := local.ReadObservationFiles(ctx, "../../examples/observations")
	if err != nil {
		log.Fatal(err)
	}
	var measured []catalog.Observation
	for _, o := range all {
		if record := o.Record(); record.SourceClass == "first-party" {
			measured = append(measured, o)
		}
	}
	asOf := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	c, err := catalog.CompileObservations(ctx, measured, catalog.CompileOptions{AsOf: asOf})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(all), "observations,", c.Observations(), "of them our own")
	// Output:
	// 35 observations, 21 of them our own
}

// A directory becomes a catalog, which a file is ranked against.
func ExampleCompileFiles() {
	ctx, asOf := context.Background(), time.Date(2025, 12, 2, 12, 0, 0, 0, time.UTC)
	c, err := local.CompileFiles(ctx, catalog.CompileOptions{AsOf: asOf}, "../../examples/leaderboards/observations")
	if err != nil {
		log.Fatal(err)
	}
	request, err := local.ReadRankRequestFile("../../examples/leaderboards/choice.json")
	if err != nil {
		log.Fatal(err)
	}
	result, err := rank.Rank(ctx, c, request)
	if err != nil {
		log.Fatal(err)
	}
	record, err := result.Record()
	if err != nil {
		log.Fatal(err)
	}
	for _, candidate := range record.Ranked {
		fmt.Printf("%d (%d to %d) %-8s %.3f %s\n", candidate.Rank, candidate.RankInterval.Low, candidate.RankInterval.High, candidate.CandidateID, candidate.Score, candidate.Uncertainty.Level)
	}
	// Output:
	// 1 (1 to 1) gpt-5    1.313 moderate
	// 2 (2 to 2) grok-4   1.029 moderate
	// 3 (3 to 4) kimi-k2  0.791 moderate
	// 4 (3 to 5) grok-3   0.666 moderate
	// 5 (4 to 5) gpt-oss  0.518 moderate
	// 6 (6 to 6) gemma-3  0.082 moderate
}
