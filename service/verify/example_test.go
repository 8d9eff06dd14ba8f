package verify_test

import (
	"fmt"
	"log"
	"os"

	"github.com/model-catalog-service/svc/service/internal/servicetest"
	"github.com/model-catalog-service/svc/service/record"
	"github.com/model-catalog-service/svc/service/verify"
)

// A claim that was verified is stale once its producer has revoked it. Whoever
// holds the events derives that.
func ExampleDeriveStatuses() {
	for _, file := range []string{"claims-held.json", "claims.json"} {
		statuses, err := verify.DeriveStatuses(servicetest.Bundle(file).StatusInput(), "2026-11-20T00:00:00Z", verify.StatusFunctionVersion)
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

// Two producers' bundles become one.
func ExampleMerge() {
	parse := func(text string) *verify.RawBundle {
		bundle, err := verify.ParseRawBundle(text)
		if err != nil {
			log.Fatal(err)
		}
		return bundle
	}
	a := parse(`{"schemaVersion":5,"source":"a","claims":[{"id":"x","value":2}],"evidence":[],"policies":[],"events":[]}`)
	b := parse(`{"schemaVersion":5,"source":"b","claims":[{"id":"y","value":1},{"id":"x","value":10}],"evidence":[],"policies":[],"events":[]}`)
	merged, differing, err := verify.Merge(a, b)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n%v\n", merged.JSON(), differing)
	// Output:
	// {"schemaVersion":5,"source":"merged:a+b","claims":[{"id":"x","value":10},{"id":"y","value":1}],"evidence":[],"policies":[],"events":[]}
	// [claims "x"]
}

// What came back when somebody asked is held against what one has: whether it is signed, and which
// statuses follow.
func ExampleReceive() {
	answer, err := os.ReadFile("testdata/answer.json")
	if err != nil {
		log.Fatal(err)
	}
	_, public := servicetest.Keys()
	key, err := verify.ParsePublicKey(public)
	if err != nil {
		log.Fatal(err)
	}
	receipt, err := verify.Receive(servicetest.Bundle("claims-held.json"), []verify.Answer{{JSON: string(answer)}}, verify.ReceiveOptions{
		Now: "2026-11-20T00:10:00Z", Keys: []*verify.PublicKey{key}, Require: record.StatusVerified,
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
