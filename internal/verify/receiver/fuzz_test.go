package receiver_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/receiver"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
)

// FuzzBundle holds what is accepted to what is promised: records come out as
// they went in, answers can be read, and whoever holds the bundle and asks about
// it finds nothing new.
func FuzzBundle(f *testing.F) {
	f.Add(verifytest.File(f, "../bundle/testdata/full.json"))
	f.Add(verifytest.Linked)
	f.Add(scene(asHeld))
	f.Add(`{"claims":[{"qualifiers":{"":`)
	f.Add(strings.Replace(verifytest.File(f, "../bundle/testdata/full.json"), `"split": "test"`, `"split": 1, "": [], "?": "x"`, 1))
	f.Add(`{"schemaVersion":6.0,"source":"","claims":[],"evidence":[],"policies":[],"events":[]}`)
	f.Fuzz(func(t *testing.T, text string) {
		b, err := bundle.Read(problem.Source{Name: "b", Text: text})
		if err != nil {
			for _, fault := range problem.All(err) {
				if fault.Code != problem.InvalidTrustBundle || fault.Place.Line < 1 {
					t.Fatalf("problem %+v", fault)
				}
			}
			return
		}
		raw, err := bundle.ReadRaw(problem.Source{Name: "b", Text: text})
		if err != nil || !slices.Equal(raw.Claims, b.Records(bundle.KindClaim)) || !slices.Equal(raw.Events, b.Records(bundle.KindEvent)) {
			t.Fatalf("merging reads other records: %v", err)
		}
		var answers []receiver.Answer
		for _, refs := range receiver.Questions(b) {
			answer := respond(t, b, nil, "", refs...)
			for _, claim := range b.Records(bundle.KindClaim) {
				if slices.Contains(refs, claim.ID) && !strings.Contains(answer, claim.JSON) {
					t.Fatalf("%s is not in %s", claim.JSON, answer)
				}
			}
			answers = append(answers, receiver.Answer{Text: answer})
		}
		if len(answers) == 0 {
			return
		}
		receipt := receiver.Receive(b, answers, receiver.Options{Function: verifytest.Function(t, "2026-03-01T00:00:00Z")})
		for _, o := range receipt.Outcomes {
			if o.Code != receiver.FutureEvent && o.Code != receiver.LeftAside {
				t.Fatalf("outcome %+v", o)
			}
		}
		for _, c := range receipt.Claims {
			if c.After != c.Before {
				t.Fatalf("claim %+v", c)
			}
		}
	})
}
