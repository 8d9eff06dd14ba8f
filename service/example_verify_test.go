package service_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/record"
)

func exampleBundle(file string) *service.TrustBundle {
	text, err := os.ReadFile("../examples/" + file)
	if err != nil {
		log.Fatal(err)
	}
	bundle, err := service.ParseTrustBundle(text)
	if err != nil {
		log.Fatal(err)
	}
	return bundle
}

var later = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)

// A claim that was verified is stale once its producer has revoked it. Whoever
// holds the events derives that.
func ExampleDeriveStatuses() {
	for _, file := range []string{"claims-held.json", "claims.json"} {
		statuses, err := service.DeriveStatuses(exampleBundle(file).StatusInput(), "2026-11-20T00:00:00Z", service.StatusFunctionVersion)
		if err != nil {
			log.Fatal(err)
		}
		for _, claim := range statuses {
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
	store, err := service.NewMemoryStore(exampleBundle("claims.json"))
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
	answer, err := responder.Respond(context.Background(), []string{"claim.unheard-of"}, later, "")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", answer.JSON)
	// Output:
	// {"bundle":{"schemaVersion":5,"source":"bench.example.org","claims":[],"evidence":[],"policies":[],"events":[],"metadata":{"respondedAt":"2026-11-20T00:00:00.000Z","statusFunctionVersion":"4","requestedRefs":["claim.unheard-of"],"unknownRefs":["claim.unheard-of"]}}}
}

// exampleKeys returns a key pair, made of a seed that nobody should use.
func exampleKeys() (private, public []byte) {
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		log.Fatal(err)
	}
	spki, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		log.Fatal(err)
	}
	private = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})
	return private, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: spki})
}

// A producer answers inside its own mux, with signed answers. Whoever holds claims
// of it asks what became of them.
func ExampleNewVerificationHandler() {
	private, public := exampleKeys()
	signer, err := service.NewKeySigner(private)
	if err != nil {
		log.Fatal(err)
	}
	store, err := service.NewMemoryStore(exampleBundle("claims.json"))
	if err != nil {
		log.Fatal(err)
	}
	responder, err := service.NewVerificationResponder(store, service.VerificationOptions{
		Source: "bench.example.org", StatusFunctionVersion: service.StatusFunctionVersion, Signer: signer,
	})
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/.well-known/profile/verify", service.NewVerificationHandler(responder, service.VerificationHandlerOptions{}))
	server := httptest.NewServer(mux)
	defer server.Close()

	key, err := service.ParsePublicKey(public)
	if err != nil {
		log.Fatal(err)
	}
	post := func(ctx context.Context, question []byte) (io.ReadCloser, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/.well-known/profile/verify", bytes.NewReader(question))
		if err != nil {
			return nil, err
		}
		request.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return nil, err
		}
		return response.Body, nil
	}
	held := exampleBundle("claims-held.json")
	answers, err := service.AskForClaims(context.Background(), held, service.AskOptions{}, post)
	if err != nil {
		log.Fatal(err)
	}
	receipt, err := service.ReceiveAnswers(held, answers, service.ReceiveOptions{
		Now: time.Now().UTC().Format(time.RFC3339), Keys: []*service.PublicKey{key}, Require: record.StatusVerified,
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, claim := range receipt.Claims {
		fmt.Println(claim.ID, claim.Before, claim.After)
	}
	for _, outcome := range receipt.Outcomes {
		fmt.Println(outcome.Code, outcome.Records)
	}
	fmt.Println(receipt.OK, string(receipt.Answers[0].KeyID) == key.ID())
	// Output:
	// claim.atlas-70b.repairs verified stale
	// claim.borealis-1.repairs verified verified
	// STATUS_FELL [claims "claim.atlas-70b.repairs"]
	// STATUS_NOT_MET [claims "claim.atlas-70b.repairs"]
	// false true
}

// Two producers' bundles become one.
func ExampleMergeBundles() {
	parse := func(text string) *service.RawTrustBundle {
		bundle, err := service.ParseRawTrustBundle(text)
		if err != nil {
			log.Fatal(err)
		}
		return bundle
	}
	a := parse(`{"schemaVersion":5,"source":"a","claims":[{"id":"x","value":2}],"evidence":[],"policies":[],"events":[]}`)
	b := parse(`{"schemaVersion":5,"source":"b","claims":[{"id":"y","value":1},{"id":"x","value":10}],"evidence":[],"policies":[],"events":[]}`)
	merged, differing, err := service.MergeBundles(a, b)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n%v\n", merged.JSON(), differing)
	// Output:
	// {"schemaVersion":5,"source":"merged:a+b","claims":[{"id":"x","value":10},{"id":"y","value":1}],"evidence":[],"policies":[],"events":[]}
	// [claims "x"]
}
