package local_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"

	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/local"
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
	_, err = service.NewVerificationResponder(store, service.VerificationOptions{
		Source: "bench.example.org", StatusFunctionVersion: service.StatusFunctionVersion,
	})
	fmt.Println(err)
	// Output:
	// 1 claim, 2 pieces of evidence, 2 events
	// <nil>
}
