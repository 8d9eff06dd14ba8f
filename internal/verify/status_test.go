package verify_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/internal/verify"
)

// small is a bundle around parts of it that are given as JSON, the members of a
// claim c, of a policy p for its type, and lists of evidence, events and traces.
type small struct {
	claim, policy, evidence, events, traces string
}

func (s small) text() string {
	policies := ""
	if s.policy != "" {
		policies = `{"id":"p","claimType":"t","acceptanceCriteria":[],"reviewAuthority":"r","stalenessTriggers":[],"conflictRules":[],"impactLevel":"low",` + s.policy + `}`
	}
	claim := ""
	if s.claim != "" {
		claim = "," + s.claim
	}
	return fmt.Sprintf(`{"schemaVersion":5,"source":"s","claims":[{"id":"c","subjectType":"s","subjectId":"i","claimType":"t","fieldOrBehavior":"f","value":1,
		"createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z"%s}],"evidence":[%s],"policies":[%s],"events":[%s],"authorityTrace":[%s]}`,
		claim, s.evidence, policies, s.events, s.traces)
}

func aPiece(id, members string) string {
	return `{"id":"` + id + `","claimId":"c","evidenceType":"test_output","method":"validation","sourceRef":"s","excerptOrSummary":"x","collectedBy":"a",` + members + `}`
}

func anEvent(id, status, createdAt, members string) string {
	return `{"id":"` + id + `","claimId":"c","status":"` + status + `","actor":"ann","method":"m","evidenceIds":["e"],"createdAt":"` + createdAt + `"` + members + `}`
}

func aTrace(members string) string {
	return `{"id":"t","subject":{"subjectType":"s","subjectId":"i"},"actorRef":"ann","authorityType":"role","authorityRef":"role:x","sourceRef":"s","observedAt":"2026-01-01T00:00:00Z"` + members + `}`
}

// What the vectors do not reach.
func TestStatuses(t *testing.T) {
	const (
		duration = `"requiredEvidence":[],"validityRule":{"kind":"duration","durationDays":%s}`
		manual   = `"requiredEvidence":[],"validityRule":{"kind":"manual"}`
		commit   = `"requiredEvidence":[],"validityRule":{"kind":"commit"}`
		passing  = `"observedAt":"2026-01-01T00:00:00Z","passing":true`
		blocking = `"observedAt":"2026-03-01T00:00:00Z","passing":false`
	)
	verified := anEvent("v", "verified", "2026-02-01T00:00:00Z", "")
	resolving := anEvent("v", "verified", "2026-02-01T00:00:00Z", `,"resolvesDispute":true,"authorityRef":"role:x"`)
	tests := []struct {
		name   string
		bundle small
		want   string // at 2026-03-01T00:00:00Z
	}{
		// Lifetimes beyond what milliseconds can be counted in.
		{"huge ttl", small{claim: `"ttlSeconds":1e308`, events: verified}, "verified"},
		{"large ttl", small{claim: `"ttlSeconds":9.223372036854775807e21`, events: verified}, "verified"},
		{"no ttl at all", small{claim: `"ttlSeconds":0`, events: verified}, "stale"},
		{"ttl to the second", small{claim: `"ttlSeconds":2419200`, events: verified}, "verified"},
		{"ttl a second less", small{claim: `"ttlSeconds":2419199`, events: verified}, "stale"},
		{"huge duration", small{policy: fmt.Sprintf(duration, "1e308"), events: verified}, "verified"},
		{"huge negative duration", small{policy: fmt.Sprintf(duration, "-1e308"), events: verified}, "stale"},
		{"duration to the day", small{policy: fmt.Sprintf(duration, "28"), events: verified}, "verified"},
		{"fraction of a day", small{policy: fmt.Sprintf(duration, "27.9999999"), events: verified}, "stale"},
		{"no duration", small{policy: `"requiredEvidence":[],"validityRule":{"kind":"duration"}`, events: verified}, "stale"},
		// A claim with a life of its own is not judged by the policy.
		{"expiry before ttl", small{claim: `"expiresAt":"2026-03-01T00:00:00Z","ttlSeconds":0`, events: verified}, "verified"},
		{"expiry before policy", small{claim: `"expiresAt":"2027-01-01T00:00:00Z"`, policy: fmt.Sprintf(duration, "0"), events: verified}, "verified"},
		{"expired by another clock", small{claim: `"expiresAt":"2026-03-01T00:59:59.999+01:00"`, events: verified}, "stale"},
		// Order in time, not in text.
		{"offsets", small{events: anEvent("a", "assumed", "2026-02-01T00:30:00+01:00", "") + "," + anEvent("b", "rejected", "2026-02-01T00:00:00Z", "")}, "rejected"},
		{"finer than milliseconds", small{events: anEvent("a", "assumed", "2026-02-01T00:00:00.0001Z", "") + "," + anEvent("b", "rejected", "2026-02-01T00:00:00.0002Z", "")}, "rejected"},
		{"equal times", small{events: anEvent("b", "assumed", "2026-02-01T00:00:00Z", "") + "," + anEvent("a", "rejected", "2026-02-01T01:00:00+01:00", "")}, "assumed"},
		{"verified earlier than recorded", small{claim: `"ttlSeconds":2419200`, events: anEvent("v", "verified", "2026-02-02T00:00:00Z", `,"verifiedAt":"2026-01-31T23:59:59Z"`)}, "stale"},
		// Invalidations.
		{"invalidation tells its status", small{events: anEvent("v", "unknown", "2026-02-01T00:00:00Z", `,"type":"invalidation"`)}, "unknown"},
		{"invalidation revokes", small{events: anEvent("v", "revoked", "2026-02-01T00:00:00Z", `,"type":"invalidation"`)}, "stale"},
		// Commits.
		{"commit without ref", small{policy: commit, events: verified, evidence: aPiece("e", passing)}, "verified"},
		{"commit with other ref", small{claim: `"currentIntegrityRef":"x"`, policy: commit, events: verified, evidence: aPiece("e", passing+`,"integrityRef":"y"`)}, "stale"},
		{"commit with the ref", small{claim: `"currentIntegrityRef":"x"`, policy: commit, events: verified, evidence: aPiece("e", passing+`,"integrityRef":"x"`)}, "verified"},
		{"commit merely cited", small{claim: `"currentIntegrityRef":"x"`, policy: commit, events: verified, evidence: aPiece("e", passing+`,"supportStrength":"cited","integrityRef":"x"`)}, "stale"},
		{"commit with an anchor alone", small{claim: `"currentIntegrityRef":"x"`, policy: commit, events: verified,
			evidence: aPiece("e", passing+`,"integrityAnchor":{"id":"a","kind":"hash","algorithm":"a","value":"x","sourceRef":"s"}`)}, "stale"},
		// Authority.
		{"resolved", small{events: resolving, evidence: aPiece("e", blocking), traces: aTrace("")}, "disputed"},
		{"resolved later than observed", small{events: resolving, evidence: aPiece("e", `"observedAt":"2026-02-01T00:00:00Z","passing":false`), traces: aTrace("")}, "verified"},
		{"harmless failure", small{events: resolving, evidence: aPiece("e", blocking+`,"blocking":false`), traces: aTrace("")}, "verified"},
		{"resolution beats a later event", small{events: resolving + "," + anEvent("w", "rejected", "2026-02-02T00:00:00Z", ""), evidence: aPiece("e", passing), traces: aTrace("")}, "verified"},
		{"no trace", small{events: resolving, evidence: aPiece("e", blocking)}, "disputed"},
		{"revoked at that instant", small{events: resolving + "," + anEvent("w", "rejected", "2026-02-02T00:00:00Z", ""), evidence: aPiece("e", passing), traces: aTrace(`,"revokedAt":"2026-02-01T00:00:00Z"`)}, "rejected"},
		{"revoked after it", small{events: resolving + "," + anEvent("w", "rejected", "2026-02-02T00:00:00Z", ""), evidence: aPiece("e", passing), traces: aTrace(`,"revokedAt":"2026-02-01T00:00:00.001Z"`)}, "verified"},
		{"valid from that instant to that instant", small{events: resolving + "," + anEvent("w", "rejected", "2026-02-02T00:00:00Z", ""), evidence: aPiece("e", passing),
			traces: aTrace(`,"validFrom":"2026-02-01T00:00:00Z","validUntil":"2026-02-01T00:00:00Z"`)}, "verified"},
		{"valid from later", small{events: resolving + "," + anEvent("w", "rejected", "2026-02-02T00:00:00Z", ""), evidence: aPiece("e", passing), traces: aTrace(`,"validFrom":"2026-02-01T00:00:00.001Z"`)}, "rejected"},
		{"valid until before", small{events: resolving + "," + anEvent("w", "rejected", "2026-02-02T00:00:00Z", ""), evidence: aPiece("e", passing), traces: aTrace(`,"validUntil":"2026-01-31T23:59:59.999Z"`)}, "rejected"},
		{"another authority", small{events: strings.Replace(resolving, "role:x", "role:y", 1) + "," + anEvent("w", "rejected", "2026-02-02T00:00:00Z", ""), evidence: aPiece("e", passing), traces: aTrace("")}, "rejected"},
		// Policies.
		{"type of a parent", small{claim: `"status":"unknown"`, policy: `"parentType":"x","requiredEvidence":["attestation"],"validityRule":{"kind":"manual"}`, evidence: aPiece("e", passing)}, "unknown"},
		{"corroboration", small{policy: manual + `,"requiresCorroboration":true`, events: verified, evidence: aPiece("e", passing)}, "proposed"},
		{"corroboration by what is cited", small{policy: manual + `,"requiresCorroboration":true`, events: verified, evidence: aPiece("e", passing) + "," + aPiece("f", passing+`,"supportStrength":"cited"`)}, "proposed"},
		{"corroborated", small{policy: manual + `,"requiresCorroboration":true`, events: verified, evidence: aPiece("e", passing) + "," + aPiece("f", passing)}, "verified"},
		{"missing method", small{policy: manual + `,"requiredMethods":["anchoring"]`, events: verified, evidence: aPiece("e", passing)}, "proposed"},
		{"blocked", small{policy: manual, events: verified, evidence: aPiece("e", blocking)}, "disputed"},
		{"blocked and cited", small{policy: manual, events: verified, evidence: aPiece("e", blocking+`,"supportStrength":"cited"`)}, "verified"},
		{"no events, no policy, no evidence", small{}, "unknown"},
		{"a status is not believed", small{claim: `"status":"verified"`}, "unknown"},
	}
	now := mustTime(t, "2026-03-01T00:00:00Z")
	for _, tt := range tests {
		in, err := mustRaw(t, tt.bundle.text()).StatusInput()
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := statusesOf(in, now)["c"]; got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// In records that nobody checked a date-time may be none. It never makes a claim
// better.
func TestStatusesWithoutTimes(t *testing.T) {
	const piece = `"observedAt":"?","passing":false`
	resolving := anEvent("v", "verified", "2026-02-01T00:00:00Z", `,"resolvesDispute":true`)
	rejected := anEvent("w", "rejected", "2026-02-02T00:00:00Z", "")
	for name, tt := range map[string]struct {
		bundle small
		want   string
	}{
		"an event is older than all":  {small{events: anEvent("v", "verified", "?", "") + "," + anEvent("w", "rejected", "0001-01-02T00:00:00Z", "")}, "rejected"},
		"expired":                     {small{claim: `"expiresAt":"?"`, events: anEvent("v", "verified", "2026-02-01T00:00:00Z", "")}, "stale"},
		"verified long ago":           {small{claim: `"ttlSeconds":1000000000`, events: anEvent("v", "verified", "2026-02-01T00:00:00Z", `,"verifiedAt":"?"`)}, "stale"},
		"observed last":               {small{events: resolving, evidence: aPiece("e", piece), traces: aTrace("")}, "disputed"},
		"a right that is revoked":     {small{events: resolving + "," + rejected, traces: aTrace(`,"revokedAt":"?"`)}, "rejected"},
		"a right that has not begun":  {small{events: resolving + "," + rejected, traces: aTrace(`,"validFrom":"?"`)}, "rejected"},
		"a right that has run out":    {small{events: resolving + "," + rejected, traces: aTrace(`,"validUntil":"?"`)}, "rejected"},
		"a right that is as it seems": {small{events: resolving + "," + rejected, traces: aTrace("")}, "verified"},
	} {
		in, err := mustRaw(t, tt.bundle.text()).StatusInput()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := statusesOf(in, mustTime(t, "2026-03-01T00:00:00Z"))["c"]; got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

func TestStatusInputRefusesMalformedRecords(t *testing.T) {
	raw := mustRaw(t, `{"schemaVersion":5,"source":"s","claims":[{"id":"c"}],"events":[{"id":"e","status":1}]}`)
	_, err := raw.StatusInput()
	faults := problem.All(err)
	if len(faults) < 2 || faults[0].Code != problem.InvalidTrustBundle || faults[0].Path != "$.claims[0].subjectType" {
		t.Errorf("problems %v", faults)
	}
}

// With random records the order of evidence, policies (of distinct types),
// traces and of events of distinct times does not matter.
func TestStatusesDoNotDependOnOrder(t *testing.T) {
	lines(t, string(vectortest.Text(t, "testdata/status.jsonl.gz")), func(n int, line string) {
		var v statusVector
		decodeJSON(t, line, &v)
		raw := mustRaw(t, string(v.Input))
		rnd := rand.New(rand.NewPCG(uint64(n), 1))
		for _, list := range [][]verify.Record{raw.Claims, raw.Evidence, raw.AuthorityTrace} {
			rnd.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		}
		in, err := raw.StatusInput()
		if err != nil {
			t.Fatal(err)
		}
		if got := statusesOf(in, mustTime(t, v.Now)); !maps.Equal(got, v.Expect.StatusByClaimID) {
			t.Errorf("line %d: %v, want %v", n, got, v.Expect.StatusByClaimID)
		}
	})
}
