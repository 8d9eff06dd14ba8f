package status_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
)

// What the vectors do not reach.
func TestStatuses(t *testing.T) {
	const (
		duration = `"requiredEvidence":[],"validityRule":{"kind":"duration","durationDays":%s}`
		manual   = `"requiredEvidence":[],"validityRule":{"kind":"manual"}`
		commit   = `"requiredEvidence":[],"validityRule":{"kind":"commit"}`
		passing  = `"observedAt":"2026-01-01T00:00:00Z","passing":true`
		blocking = `"observedAt":"2026-03-01T00:00:00Z","passing":false`
	)
	verified := verifytest.SceneEvent("v", "verified", "2026-02-01T00:00:00Z", "")
	resolving := verifytest.SceneEvent("v", "verified", "2026-02-01T00:00:00Z", `,"resolvesDispute":true,"authorityRef":"role:x"`)
	tests := []struct {
		name   string
		bundle verifytest.Scene
		want   string // at 2026-03-01T00:00:00Z
	}{
		// Lifetimes beyond what milliseconds can be counted in.
		{"huge ttl", verifytest.Scene{Claim: `"ttlSeconds":1e308`, Events: verified}, "verified"},
		{"large ttl", verifytest.Scene{Claim: `"ttlSeconds":9.223372036854775807e21`, Events: verified}, "verified"},
		{"no ttl at all", verifytest.Scene{Claim: `"ttlSeconds":0`, Events: verified}, "stale"},
		{"ttl to the second", verifytest.Scene{Claim: `"ttlSeconds":2419200`, Events: verified}, "verified"},
		{"ttl a second less", verifytest.Scene{Claim: `"ttlSeconds":2419199`, Events: verified}, "stale"},
		{"huge duration", verifytest.Scene{Policy: fmt.Sprintf(duration, "1e308"), Events: verified}, "verified"},
		{"huge negative duration", verifytest.Scene{Policy: fmt.Sprintf(duration, "-1e308"), Events: verified}, "stale"},
		{"duration to the day", verifytest.Scene{Policy: fmt.Sprintf(duration, "28"), Events: verified}, "verified"},
		{"fraction of a day", verifytest.Scene{Policy: fmt.Sprintf(duration, "27.9999999"), Events: verified}, "stale"},
		{"no duration", verifytest.Scene{Policy: `"requiredEvidence":[],"validityRule":{"kind":"duration"}`, Events: verified}, "stale"},
		// A claim with a life of its own is not judged by the policy.
		{"expiry before ttl", verifytest.Scene{Claim: `"expiresAt":"2026-03-01T00:00:00Z","ttlSeconds":0`, Events: verified}, "verified"},
		{"expiry before policy", verifytest.Scene{Claim: `"expiresAt":"2027-01-01T00:00:00Z"`, Policy: fmt.Sprintf(duration, "0"), Events: verified}, "verified"},
		{"expired by another clock", verifytest.Scene{Claim: `"expiresAt":"2026-03-01T00:59:59.999+01:00"`, Events: verified}, "stale"},
		// Order in time, not in text.
		{"offsets", verifytest.Scene{Events: verifytest.SceneEvent("a", "assumed", "2026-02-01T00:30:00+01:00", "") + "," + verifytest.SceneEvent("b", "rejected", "2026-02-01T00:00:00Z", "")}, "rejected"},
		{"finer than milliseconds", verifytest.Scene{Events: verifytest.SceneEvent("a", "assumed", "2026-02-01T00:00:00.0001Z", "") + "," + verifytest.SceneEvent("b", "rejected", "2026-02-01T00:00:00.0002Z", "")}, "rejected"},
		{"equal times", verifytest.Scene{Events: verifytest.SceneEvent("b", "assumed", "2026-02-01T00:00:00Z", "") + "," + verifytest.SceneEvent("a", "rejected", "2026-02-01T01:00:00+01:00", "")}, "assumed"},
		{"verified earlier than recorded", verifytest.Scene{Claim: `"ttlSeconds":2419200`, Events: verifytest.SceneEvent("v", "verified", "2026-02-02T00:00:00Z", `,"verifiedAt":"2026-01-31T23:59:59Z"`)}, "stale"},
		// Invalidations.
		{"invalidation tells its status", verifytest.Scene{Events: verifytest.SceneEvent("v", "unknown", "2026-02-01T00:00:00Z", `,"type":"invalidation"`)}, "unknown"},
		{"invalidation revokes", verifytest.Scene{Events: verifytest.SceneEvent("v", "revoked", "2026-02-01T00:00:00Z", `,"type":"invalidation"`)}, "stale"},
		// Commits.
		{"commit without ref", verifytest.Scene{Policy: commit, Events: verified, Evidence: verifytest.ScenePiece("e", passing)}, "verified"},
		{"commit with other ref", verifytest.Scene{Claim: `"currentIntegrityRef":"x"`, Policy: commit, Events: verified, Evidence: verifytest.ScenePiece("e", passing+`,"integrityRef":"y"`)}, "stale"},
		{"commit with the ref", verifytest.Scene{Claim: `"currentIntegrityRef":"x"`, Policy: commit, Events: verified, Evidence: verifytest.ScenePiece("e", passing+`,"integrityRef":"x"`)}, "verified"},
		{"commit merely cited", verifytest.Scene{Claim: `"currentIntegrityRef":"x"`, Policy: commit, Events: verified, Evidence: verifytest.ScenePiece("e", passing+`,"supportStrength":"cited","integrityRef":"x"`)}, "stale"},
		{"commit with an anchor alone", verifytest.Scene{Claim: `"currentIntegrityRef":"x"`, Policy: commit, Events: verified,
			Evidence: verifytest.ScenePiece("e", passing+`,"integrityAnchor":{"id":"a","kind":"hash","algorithm":"a","value":"x","sourceRef":"s"}`)}, "stale"},
		// Authority.
		{"resolved", verifytest.Scene{Events: resolving, Evidence: verifytest.ScenePiece("e", blocking), Traces: verifytest.SceneTrace("")}, "disputed"},
		{"resolved later than observed", verifytest.Scene{Events: resolving, Evidence: verifytest.ScenePiece("e", `"observedAt":"2026-02-01T00:00:00Z","passing":false`), Traces: verifytest.SceneTrace("")}, "verified"},
		{"harmless failure", verifytest.Scene{Events: resolving, Evidence: verifytest.ScenePiece("e", blocking+`,"blocking":false`), Traces: verifytest.SceneTrace("")}, "verified"},
		{"resolution beats a later event", verifytest.Scene{Events: resolving + "," + verifytest.SceneEvent("w", "rejected", "2026-02-02T00:00:00Z", ""), Evidence: verifytest.ScenePiece("e", passing), Traces: verifytest.SceneTrace("")}, "verified"},
		{"no trace", verifytest.Scene{Events: resolving, Evidence: verifytest.ScenePiece("e", blocking)}, "disputed"},
		{"revoked at that instant", verifytest.Scene{Events: resolving + "," + verifytest.SceneEvent("w", "rejected", "2026-02-02T00:00:00Z", ""), Evidence: verifytest.ScenePiece("e", passing), Traces: verifytest.SceneTrace(`,"revokedAt":"2026-02-01T00:00:00Z"`)}, "rejected"},
		{"revoked after it", verifytest.Scene{Events: resolving + "," + verifytest.SceneEvent("w", "rejected", "2026-02-02T00:00:00Z", ""), Evidence: verifytest.ScenePiece("e", passing), Traces: verifytest.SceneTrace(`,"revokedAt":"2026-02-01T00:00:00.001Z"`)}, "verified"},
		{"valid from that instant to that instant", verifytest.Scene{Events: resolving + "," + verifytest.SceneEvent("w", "rejected", "2026-02-02T00:00:00Z", ""), Evidence: verifytest.ScenePiece("e", passing),
			Traces: verifytest.SceneTrace(`,"validFrom":"2026-02-01T00:00:00Z","validUntil":"2026-02-01T00:00:00Z"`)}, "verified"},
		{"valid from later", verifytest.Scene{Events: resolving + "," + verifytest.SceneEvent("w", "rejected", "2026-02-02T00:00:00Z", ""), Evidence: verifytest.ScenePiece("e", passing), Traces: verifytest.SceneTrace(`,"validFrom":"2026-02-01T00:00:00.001Z"`)}, "rejected"},
		{"valid until before", verifytest.Scene{Events: resolving + "," + verifytest.SceneEvent("w", "rejected", "2026-02-02T00:00:00Z", ""), Evidence: verifytest.ScenePiece("e", passing), Traces: verifytest.SceneTrace(`,"validUntil":"2026-01-31T23:59:59.999Z"`)}, "rejected"},
		{"another authority", verifytest.Scene{Events: strings.Replace(resolving, "role:x", "role:y", 1) + "," + verifytest.SceneEvent("w", "rejected", "2026-02-02T00:00:00Z", ""), Evidence: verifytest.ScenePiece("e", passing), Traces: verifytest.SceneTrace("")}, "rejected"},
		// Policies.
		{"type of a parent", verifytest.Scene{Claim: `"status":"unknown"`, Policy: `"parentType":"x","requiredEvidence":["attestation"],"validityRule":{"kind":"manual"}`, Evidence: verifytest.ScenePiece("e", passing)}, "unknown"},
		{"corroboration", verifytest.Scene{Policy: manual + `,"requiresCorroboration":true`, Events: verified, Evidence: verifytest.ScenePiece("e", passing)}, "proposed"},
		{"corroboration by what is cited", verifytest.Scene{Policy: manual + `,"requiresCorroboration":true`, Events: verified, Evidence: verifytest.ScenePiece("e", passing) + "," + verifytest.ScenePiece("f", passing+`,"supportStrength":"cited"`)}, "proposed"},
		{"corroborated", verifytest.Scene{Policy: manual + `,"requiresCorroboration":true`, Events: verified, Evidence: verifytest.ScenePiece("e", passing) + "," + verifytest.ScenePiece("f", passing)}, "verified"},
		{"missing method", verifytest.Scene{Policy: manual + `,"requiredMethods":["anchoring"]`, Events: verified, Evidence: verifytest.ScenePiece("e", passing)}, "proposed"},
		{"blocked", verifytest.Scene{Policy: manual, Events: verified, Evidence: verifytest.ScenePiece("e", blocking)}, "disputed"},
		{"blocked and cited", verifytest.Scene{Policy: manual, Events: verified, Evidence: verifytest.ScenePiece("e", blocking+`,"supportStrength":"cited"`)}, "verified"},
		{"no events, no policy, no evidence", verifytest.Scene{}, "unknown"},
		{"a status is not believed", verifytest.Scene{Claim: `"status":"verified"`}, "unknown"},
	}
	now := verifytest.Time(t, "2026-03-01T00:00:00Z")
	for _, tt := range tests {
		in, err := verifytest.Raw(t, tt.bundle.Text()).StatusInput()
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
	resolving := verifytest.SceneEvent("v", "verified", "2026-02-01T00:00:00Z", `,"resolvesDispute":true`)
	rejected := verifytest.SceneEvent("w", "rejected", "2026-02-02T00:00:00Z", "")
	for name, tt := range map[string]struct {
		bundle verifytest.Scene
		want   string
	}{
		"an event is older than all":  {verifytest.Scene{Events: verifytest.SceneEvent("v", "verified", "?", "") + "," + verifytest.SceneEvent("w", "rejected", "0001-01-02T00:00:00Z", "")}, "rejected"},
		"expired":                     {verifytest.Scene{Claim: `"expiresAt":"?"`, Events: verifytest.SceneEvent("v", "verified", "2026-02-01T00:00:00Z", "")}, "stale"},
		"verified long ago":           {verifytest.Scene{Claim: `"ttlSeconds":1000000000`, Events: verifytest.SceneEvent("v", "verified", "2026-02-01T00:00:00Z", `,"verifiedAt":"?"`)}, "stale"},
		"observed last":               {verifytest.Scene{Events: resolving, Evidence: verifytest.ScenePiece("e", piece), Traces: verifytest.SceneTrace("")}, "disputed"},
		"a right that is revoked":     {verifytest.Scene{Events: resolving + "," + rejected, Traces: verifytest.SceneTrace(`,"revokedAt":"?"`)}, "rejected"},
		"a right that has not begun":  {verifytest.Scene{Events: resolving + "," + rejected, Traces: verifytest.SceneTrace(`,"validFrom":"?"`)}, "rejected"},
		"a right that has run out":    {verifytest.Scene{Events: resolving + "," + rejected, Traces: verifytest.SceneTrace(`,"validUntil":"?"`)}, "rejected"},
		"a right that is as it seems": {verifytest.Scene{Events: resolving + "," + rejected, Traces: verifytest.SceneTrace("")}, "verified"},
	} {
		in, err := verifytest.Raw(t, tt.bundle.Text()).StatusInput()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := statusesOf(in, verifytest.Time(t, "2026-03-01T00:00:00Z"))["c"]; got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

func TestStatusInputRefusesMalformedRecords(t *testing.T) {
	raw := verifytest.Raw(t, `{"schemaVersion":5,"source":"s","claims":[{"id":"c"}],"events":[{"id":"e","status":1}]}`)
	_, err := raw.StatusInput()
	faults := problem.All(err)
	if len(faults) < 2 || faults[0].Code != problem.InvalidTrustBundle || faults[0].Path != "$.claims[0].subjectType" {
		t.Errorf("problems %v", faults)
	}
}

// With random records the order of evidence, traces and claims does not matter.
func TestOrderDoesNotMatter(t *testing.T) {
	for n, v := range vectors(t) {
		raw := verifytest.Raw(t, string(v.Input))
		rnd := rand.New(rand.NewPCG(uint64(n), 1))
		for _, list := range [][]bundle.Record{raw.Claims, raw.Evidence, raw.AuthorityTrace} {
			rnd.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		}
		in, err := raw.StatusInput()
		if err != nil {
			t.Fatal(err)
		}
		if got := statusesOf(in, verifytest.Time(t, v.Now)); !maps.Equal(got, v.Expect.StatusByClaimID) {
			t.Errorf("vector %d: %v, want %v", n, got, v.Expect.StatusByClaimID)
		}
	}
}
