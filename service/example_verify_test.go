package service_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/model-catalog-service/svc/service"
)

// A claim that was verified is stale once its producer has revoked it. Whoever
// holds the events derives that; nobody has to tell.
func ExampleDeriveStatuses() {
	now := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	for _, file := range []string{"claims-held.json", "claims.json"} {
		text, err := os.ReadFile("../examples/" + file)
		if err != nil {
			log.Fatal(err)
		}
		bundle, err := service.ParseTrustBundle(text)
		if err != nil {
			log.Fatal(err)
		}
		for _, claim := range service.DeriveStatuses(bundle.StatusInput(), now) {
			fmt.Printf("%s %s: %s\n", file, claim.ID, claim.Status)
		}
	}
	// Output:
	// claims-held.json claim.atlas-70b.repairs: verified
	// claims-held.json claim.borealis-1.repairs: verified
	// claims.json claim.atlas-70b.repairs: stale
	// claims.json claim.borealis-1.repairs: verified
}

func ExampleNewVerificationResponder() {
	text, err := os.ReadFile("../examples/claims.json")
	if err != nil {
		log.Fatal(err)
	}
	bundle, err := service.ParseTrustBundle(text)
	if err != nil {
		log.Fatal(err)
	}
	store, err := service.NewMemoryStore(bundle)
	if err != nil {
		log.Fatal(err)
	}
	responder, err := service.NewVerificationResponder(store, service.VerificationOptions{
		Source:                "bench.example.org",
		StatusFunctionVersion: service.StatusFunctionVersion,
	})
	if err != nil {
		log.Fatal(err)
	}
	now := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	answer, err := responder.Respond(context.Background(), []string{"claim.unheard-of"}, now, "")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", answer.JSON)
	// Output:
	// {"bundle":{"schemaVersion":5,"source":"bench.example.org","claims":[],"evidence":[],"policies":[],"events":[],"metadata":{"respondedAt":"2026-11-20T00:00:00.000Z","statusFunctionVersion":"2","requestedRefs":["claim.unheard-of"],"unknownRefs":["claim.unheard-of"]}}}
}
