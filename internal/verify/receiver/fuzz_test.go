package receiver_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/internal/verify/receiver"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
	"github.com/model-catalog-service/svc/service/record"
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
	f.Add(strings.Replace(verifytest.Linked, `"source":"s"`, `"source":""`, 1))
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
		if b.Source() == "" {
			return // nobody answers for a source without a name: NewResponder refuses it
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
		receipt := receiver.Receive(b, answers, receiver.Options{Function: verifytest.Function(t, "2026-07-18T06:10:00Z")})
		for _, o := range receipt.Outcomes {
			if o.Code != record.OutcomeFutureEvent && o.Code != record.OutcomeLeftAside {
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

// FuzzAnswer lets anybody answer. Whatever comes, the receipt is about what is held, has
// statuses for all claims or for none, and says why. What the answer does not speak for
// becomes no stronger, saying everything twice changes nothing, and without a signature of
// the key that is demanded nothing is believed.
func FuzzAnswer(f *testing.F) {
	claim := func(id, members string) string {
		return `{"id":"` + id + `","subjectType":"s","subjectId":"i","claimType":"t","fieldOrBehavior":"f","value":1,"createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z"` + members + `}`
	}
	about := func(record, id, claim string) string {
		return strings.NewReplacer(`"id":"c"`, `"id":"`+id+`"`, `"claimId":"c"`, `"claimId":"`+claim+`"`, `["e"]`, `["e`+claim+`"]`).Replace(record)
	}
	event := func(id, claim, status, createdAt string) string {
		return about(verifytest.SceneEvent(id, status, createdAt, ""), id, claim)
	}
	piece := func(claim string) string {
		return about(verifytest.ScenePiece("e"+claim, `"observedAt":"2026-01-01T00:00:00Z","passing":true`), "e"+claim, claim)
	}
	scenes := func(events, more string) string {
		return `{"schemaVersion":5,"source":"acme","claims":[` + claim("a", "") + `,` + claim("b", `,"derivedFrom":["a"]`) + `],"evidence":[` + piece("a") + `,` + piece("b") +
			`],"policies":[{"id":"p","claimType":"t","acceptanceCriteria":[],"reviewAuthority":"r","stalenessTriggers":[],"conflictRules":[],"impactLevel":"low","requiredEvidence":["test_output"],"validityRule":{"kind":"manual"}}],"events":[` +
			event("va", "a", "verified", "2026-02-01T00:00:00Z") + `,` + event("vb", "b", "verified", "2026-02-01T00:00:00Z") + events + `]` + more + `}`
	}
	held := verifytest.Bundle(f, scenes("", ""))
	revoked := scenes(`,`+event("wa", "a", "revoked", "2026-02-02T00:00:00Z"), "")
	for _, text := range []string{scenes("", ""), revoked} {
		for _, refs := range [][]string{{"a", "b"}, {"a"}, {"b"}, {"x", "b"}} {
			f.Add(answerOf(f, text, nil, "", refs...))
		}
	}
	f.Add(answerOf(f, revoked, verifytest.NewEd25519(f).Signer, "", "a", "b"))
	f.Add(strings.Replace(answerOf(f, revoked, nil, "", "a"), `"unknownRefs":[]`, `"unknownRefs":["a"]`, 1))
	f.Add(strings.Replace(revoked, `"source":"acme"`, `"source":"acme","metadata":{"respondedAt":"2026-07-18T06:00:00.123Z","statusFunctionVersion":"2","requestedRefs":["a"],"unknownRefs":[]}`, 1))
	strangers := []*dsse.PublicKey{verifytest.NewEd25519(f).Public}
	function := verifytest.Function(f, "2026-03-01T00:00:00Z")
	before := receiver.NewHeldReceipt(held, function).Claims
	f.Fuzz(func(t *testing.T, text string) {
		answer := receiver.Answer{Text: text}
		receipt := receiver.Receive(held, []receiver.Answer{answer}, receiver.Options{Function: function})
		if !json.Valid(receipt.JSON()) || len(receipt.Claims) != len(before) {
			t.Fatalf("%s", receipt.JSON())
		}
		derived := receipt.Claims[0].After != ""
		if !derived && receipt.Severity() == receiver.Notice {
			t.Fatalf("no status, and no reason: %s", receipt.JSON())
		}
		for i, c := range receipt.Claims {
			isStronger := slices.Index(weakestFirst, c.After) > slices.Index(weakestFirst, c.Before)
			if c.ID != before[i].ID || c.Before != before[i].Before || (c.After != "") != derived || !c.Answered && isStronger {
				t.Fatalf("claim %+v of %s", c, receipt.JSON())
			}
		}
		twice := receiver.Receive(held, []receiver.Answer{answer, answer}, receiver.Options{Function: function})
		if !slices.Equal(twice.Claims, receipt.Claims) {
			t.Fatalf("said twice: %s, said once: %s", twice.JSON(), receipt.JSON())
		}
		if unsigned := receiver.Receive(held, []receiver.Answer{answer}, receiver.Options{Function: function, Keys: strangers}); unsigned.Severity() == receiver.Notice || unsigned.Claims[0].After != "" {
			t.Fatalf("believed without a signature: %s", unsigned.JSON())
		}
	})
}

// weakestFirst are the statuses as the format orders them by what they say for a claim.
var weakestFirst = []record.VerificationStatus{
	record.StatusRevoked, record.StatusRejected, record.StatusDisputed, record.StatusSuperseded, record.StatusStale,
	record.StatusUnknown, record.StatusAssumed, record.StatusProposed, record.StatusVerified,
}
