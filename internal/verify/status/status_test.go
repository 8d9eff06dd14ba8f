package status_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/status"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
)

// What the vectors do not reach of version 2.
func TestLenientStatuses(t *testing.T) {
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
		{"finer than milliseconds", verifytest.Scene{Events: verifytest.SceneEvent("a", "assumed", "2026-02-01T00:00:00.0001Z", "") + "," + verifytest.SceneEvent("b", "rejected", "2026-02-01T00:00:00.0002Z", "")}, "assumed"}, // equal times
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
	for _, tt := range tests {
		if got := statuses(t, records(t, tt.bundle.Text()), status.Version2, "2026-03-01T00:00:00Z")["c"]; got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// What the vectors do not reach of versions 3 and 4: the same records under all
// versions.
func TestVersions(t *testing.T) {
	const (
		now     = "2026-03-01T00:00:00.0000000001Z"
		asks    = `"requiredEvidence":["test_output"],"validityRule":{"kind":"manual"}`
		lasting = `"requiredEvidence":["test_output"],"validityRule":{"kind":"duration","durationDays":%s}`
		passing = `"observedAt":"2026-01-01T00:00:00Z","passing":true`
		failing = `"observedAt":"2026-03-01T00:00:00Z","passing":false`
		badTime = `"observedAt":"?","passing":false`
	)
	verified := verifytest.SceneEvent("v", "verified", "2026-02-01T00:00:00Z", "")
	resolving := verifytest.SceneEvent("v", "verified", "2026-02-01T00:00:00Z", `,"resolvesDispute":true`)
	rejected := verifytest.SceneEvent("w", "rejected", "2026-02-02T00:00:00Z", "")
	piece := verifytest.ScenePiece("e", passing)
	for name, tt := range map[string]struct {
		scene verifytest.Scene
		want  string // under 2, 3 and 4
	}{
		"verified":                                  {verifytest.Scene{Policy: asks, Events: verified, Evidence: piece}, "verified verified verified"},
		"by nothing but a check without result":     {verifytest.Scene{Policy: asks, Events: verified, Evidence: verifytest.ScenePiece("e", `"observedAt":"2026-01-01T00:00:00Z"`)}, "verified proposed proposed"},
		"without a policy":                          {verifytest.Scene{Events: verified, Evidence: piece}, "verified proposed proposed"},
		"a policy of the type, none of the name":    {verifytest.Scene{Claim: `"verificationPolicyId":"q"`, Policy: asks, Events: verified}, "proposed proposed proposed"},
		"a policy of the type, an empty name":       {verifytest.Scene{Claim: `"verificationPolicyId":""`, Policy: asks, Events: verified, Evidence: piece}, "verified verified verified"},
		"an input that is not there":                {verifytest.Scene{Claim: `"derivedFrom":["x"]`, Policy: asks, Events: verified, Evidence: piece}, "verified unknown unknown"},
		"an input of an edge":                       {verifytest.Scene{Claim: `"derivationEdges":[{"inputClaimId":"x"}]`, Policy: asks, Events: verified, Evidence: piece}, "verified unknown unknown"},
		"derived from itself":                       {verifytest.Scene{Claim: `"derivedFrom":["c","c"]`, Policy: asks, Events: verified, Evidence: piece}, "verified verified verified"},
		"a lifetime to the instant":                 {verifytest.Scene{Claim: `"ttlSeconds":2419200`, Policy: asks, Events: verified, Evidence: piece}, "verified verified stale"},
		"days to the instant":                       {verifytest.Scene{Policy: fmt.Sprintf(lasting, "28"), Events: verified, Evidence: piece}, "verified verified stale"},
		"days without end":                          {verifytest.Scene{Policy: fmt.Sprintf(lasting, "1e300"), Events: verified, Evidence: piece}, "verified verified verified"},
		"less than no time":                         {verifytest.Scene{Policy: fmt.Sprintf(lasting, "-1e300"), Events: verified, Evidence: piece}, "stale stale stale"},
		"hardly any time":                           {verifytest.Scene{Policy: fmt.Sprintf(lasting, "5e-324"), Events: verified, Evidence: piece}, "stale stale stale"},
		"verified in the future, for no time":       {verifytest.Scene{Policy: fmt.Sprintf(lasting, "-0"), Events: strings.Replace(verified, "2026-02", "2026-04", 1), Evidence: piece}, "verified verified verified"},
		"a lifetime since nobody knows":             {verifytest.Scene{Claim: `"ttlSeconds":0`, Policy: asks, Events: verifytest.SceneEvent("v", "verified", "2026-02-01T00:00:00Z", `,"verifiedAt":"?"`), Evidence: piece}, "verified stale stale"},
		"expires nobody knows when":                 {verifytest.Scene{Claim: `"expiresAt":"?"`, Policy: asks, Events: verified, Evidence: piece}, "verified stale stale"},
		"expires at a date":                         {verifytest.Scene{Claim: `"expiresAt":"2027-01-01"`, Policy: asks, Events: verified, Evidence: piece}, "verified verified stale"},
		"expires at a leap second":                  {verifytest.Scene{Claim: `"expiresAt":"2016-12-31T23:59:60Z"`, Policy: asks, Events: verified, Evidence: piece}, "verified stale stale"},
		"finer than milliseconds":                   {verifytest.Scene{Events: verifytest.SceneEvent("a", "assumed", "2026-02-01T00:00:00.0001Z", "") + "," + verifytest.SceneEvent("b", "rejected", "2026-02-01T00:00:00.0002Z", "")}, "assumed assumed rejected"},
		"an event that is older than all":           {verifytest.Scene{Events: verifytest.SceneEvent("v", "assumed", "?", "") + "," + verifytest.SceneEvent("w", "rejected", "0000-01-01T00:00:00+23:59", "")}, "assumed assumed rejected"},
		"a resolution":                              {verifytest.Scene{Policy: asks, Events: resolving + "," + rejected, Traces: verifytest.SceneTrace("")}, "verified verified verified"},
		"a resolution without a policy":             {verifytest.Scene{Events: resolving + "," + rejected, Traces: verifytest.SceneTrace("")}, "verified proposed proposed"},
		"a resolution nobody knows when":            {verifytest.Scene{Policy: asks, Events: strings.Replace(resolving, "2026-02-01T00:00:00Z", "?", 1) + "," + rejected, Traces: verifytest.SceneTrace(`,"revokedAt":"1970-01-01T00:00:00Z"`)}, "verified verified rejected"},
		"blocked nobody knows when":                 {verifytest.Scene{Policy: asks, Events: resolving, Evidence: verifytest.ScenePiece("e", badTime), Traces: verifytest.SceneTrace("")}, "verified verified disputed"},
		"blocked later":                             {verifytest.Scene{Policy: asks, Events: resolving, Evidence: verifytest.ScenePiece("e", failing), Traces: verifytest.SceneTrace("")}, "disputed disputed disputed"},
		"a right that is revoked":                   {verifytest.Scene{Policy: asks, Events: resolving + "," + rejected, Traces: verifytest.SceneTrace(`,"revokedAt":"?"`)}, "verified verified rejected"},
		"a right that has not begun":                {verifytest.Scene{Policy: asks, Events: resolving + "," + rejected, Traces: verifytest.SceneTrace(`,"validFrom":"?"`)}, "verified verified rejected"},
		"a right that has expired":                  {verifytest.Scene{Policy: asks, Events: resolving + "," + rejected, Traces: verifytest.SceneTrace(`,"validUntil":"?"`)}, "verified verified rejected"},
		"two rights, one in force":                  {verifytest.Scene{Policy: asks, Events: resolving + "," + rejected, Traces: verifytest.SceneTrace(`,"validUntil":"?"`) + "," + verifytest.SceneTrace("")}, "verified verified verified"},
		"a requirement is unmet and a piece blocks": {verifytest.Scene{Policy: asks + `,"requiredMethods":["anchoring"]`, Events: verified, Evidence: verifytest.ScenePiece("e", failing)}, "proposed disputed disputed"},
		"an invalidation that verifies":             {verifytest.Scene{Policy: asks, Events: verifytest.SceneEvent("v", "verified", "2026-02-01T00:00:00Z", `,"type":"invalidation"`), Evidence: piece}, "verified stale stale"},
		"without requirements":                      {verifytest.Scene{Policy: `"requiredEvidence":[],"requiredMethods":[],"requiresCorroboration":true,"validityRule":{"kind":"manual"}`}, "proposed unknown unknown"},
		"a failed check is there all the same":      {verifytest.Scene{Policy: asks, Evidence: verifytest.ScenePiece("e", failing)}, "proposed proposed proposed"},
	} {
		var got []string
		for _, version := range status.Versions() {
			got = append(got, statuses(t, records(t, tt.scene.Text()), version, now)["c"])
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%s: %s, want %s", name, s, tt.want)
		}
	}
}

// What is not a version, and what is not a time of a version.
func TestNew(t *testing.T) {
	for _, tt := range []struct {
		version status.Version
		now     string
		ok      bool
	}{
		{"2", "2026-03-01T00:00:00Z", true}, {"3", "2026-03-01", true}, {"4", "2016-12-31T23:59:60.5Z", true},
		{"4", "2026-03-01", false}, {"2", "2016-12-31T23:59:60Z", false}, {"3", "2016-12-31T23:59:60Z", false}, {"2", "now", false}, {"3", "", false},
		{"1", "2026-03-01T00:00:00Z", false}, {"5", "2026-03-01T00:00:00Z", false}, {"", "2026-03-01T00:00:00Z", false}, {"4.0", "2026-03-01T00:00:00Z", false},
	} {
		if f, err := status.New(tt.version, tt.now); (err == nil) != tt.ok || err == nil && f.Version() != tt.version {
			t.Errorf("%s at %s: %v, %v", tt.version, tt.now, f, err)
		}
	}
	_, err := status.New("5", "2026-03-01T00:00:00Z")
	for _, version := range status.Versions() {
		if !strings.Contains(fmt.Sprint(err), string(version)) {
			t.Errorf("%v does not name version %s", err, version)
		}
	}
}

// Each claim has the weakest status of all that it is derived from, as a search from
// every claim finds it.
func TestCeiling(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 4))
		const n = 12
		var claims, events []string
		inputs := map[string][]string{}
		for i := range n {
			id := fmt.Sprintf("c%d", i)
			var from, edges []string
			for range rnd.IntN(3) {
				input := fmt.Sprintf("c%d", rnd.IntN(n+1)) // the last one is not there
				inputs[id] = append(inputs[id], input)
				if rnd.IntN(2) == 0 {
					from = append(from, `"`+input+`"`)
				} else {
					edges = append(edges, `{"inputClaimId":"`+input+`"}`)
				}
			}
			claims = append(claims, fmt.Sprintf(`{"id":"%s","subjectType":"s","subjectId":"i","claimType":"t","fieldOrBehavior":"f","value":1,"createdAt":"2026-01-01T00:00:00Z",
				"updatedAt":"2026-01-01T00:00:00Z","derivedFrom":[%s],"derivationEdges":[%s]}`, id, strings.Join(from, ","), strings.Join(edges, ",")))
			event := verifytest.SceneEvent("v"+id, bundle.Statuses()[rnd.IntN(9)], "2026-02-01T00:00:00Z", "")
			events = append(events, strings.Replace(event, `"claimId":"c"`, `"claimId":"`+id+`"`, 1))
		}
		in := records(t, `{"schemaVersion":5,"source":"s","evidence":[],"policies":[],"claims":[`+strings.Join(claims, ",")+`],"events":[`+strings.Join(events, ",")+`]}`)
		got := statuses(t, in, status.Version4, "2026-03-01T00:00:00Z")
		for _, c := range in.Claims {
			c.DerivedFrom, c.EdgeInputs = "", nil
		}
		own := statuses(t, in, status.Version4, "2026-03-01T00:00:00Z")
		for id := range own {
			weakest, seen := own[id], map[string]bool{}
			var visit func(id string)
			visit = func(id string) {
				if seen[id] {
					return
				}
				seen[id] = true
				if s := cmp.Or(own[id], "unknown"); rank(s) < rank(weakest) {
					weakest = s
				}
				for _, input := range inputs[id] {
					visit(input)
				}
			}
			visit(id)
			if got[id] != weakest {
				t.Fatalf("seed %d: %s is %s, want %s", seed, id, got[id], weakest)
			}
		}
	}
}

// rank is the place of a status, the weakest first.
func rank(s string) int {
	return slices.Index([]string{"revoked", "rejected", "disputed", "superseded", "stale", "unknown", "assumed", "proposed", "verified"}, s)
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
		shuffled := vector{v.Now, raw.AppendJSON(nil), v.Expect}
		shuffled.check(t, fmt.Sprint("shuffled vector ", n))
	}
}

// What the vectors do not have: bounds of a trace in either order, records of which the
// first one or the last one counts, and times before 1970.
func TestRarePlaces(t *testing.T) {
	resolution := verifytest.SceneEvent("v", "superseded", "2026-02-01T00:00:00Z", `,"resolvesDispute":true`)
	disputed := verifytest.SceneEvent("w", "disputed", "2026-02-02T00:00:00Z", "")
	late := verifytest.ScenePiece("e1", `"observedAt":"2026-02-03T00:00:00Z","passing":false`)
	early := verifytest.ScenePiece("e2", `"observedAt":"2026-01-01T00:00:00Z","passing":false`)
	just := verifytest.SceneTrace(`,"revokedAt":"2026-02-01T00:00:00Z"`)
	for name, tt := range map[string]struct {
		scene verifytest.Scene
		want  string
	}{
		"revoked after it ended": {verifytest.Scene{
			Events: resolution + "," + disputed,
			Traces: verifytest.SceneTrace(`,"validUntil":"2026-01-01T00:00:00Z","revokedAt":"2026-03-01T00:00:00Z"`),
		}, "disputed"},
		"the last blocking piece comes first": {verifytest.Scene{
			Evidence: late + "," + early, Events: resolution, Traces: verifytest.SceneTrace(""),
		}, "disputed"},
		"the last blocking piece comes last": {verifytest.Scene{
			Evidence: early + "," + late, Events: resolution, Traces: verifytest.SceneTrace(""),
		}, "disputed"},
		"one trace ends at the event, another just before it": {verifytest.Scene{
			Events: resolution + "," + disputed,
			Traces: strings.Replace(just, `"t"`, `"t2"`, 1) + "," + verifytest.SceneTrace(`,"validUntil":"2026-02-01T00:00:00Z"`),
		}, "superseded"},
		"the same in the other order": {verifytest.Scene{
			Events: resolution + "," + disputed,
			Traces: verifytest.SceneTrace(`,"validUntil":"2026-02-01T00:00:00Z"`) + "," + strings.Replace(just, `"t"`, `"t2"`, 1),
		}, "superseded"},
		"both end just before it": {verifytest.Scene{
			Events: resolution + "," + disputed, Traces: just + "," + strings.Replace(just, `"t"`, `"t2"`, 1),
		}, "disputed"},
		"a trace that ended before 1970": {verifytest.Scene{
			Events: strings.Replace(resolution, "2026-", "1950-", 1) + "," + strings.Replace(disputed, "2026-", "1951-", 1),
			Traces: verifytest.SceneTrace(`,"validUntil":"1940-01-01T00:00:00Z"`),
		}, "disputed"},
		"a trace without a beginning": {verifytest.Scene{
			Events: strings.Replace(resolution, "2026-", "1900-", 1) + "," + strings.Replace(disputed, "2026-", "1901-", 1),
			Traces: verifytest.SceneTrace(""),
		}, "superseded"},
	} {
		for _, version := range status.Versions() {
			if got := statuses(t, records(t, tt.scene.Text()), version, "2026-03-01T00:00:00Z")["c"]; got != tt.want {
				t.Errorf("%s, version %s: %s, want %s", name, version, got, tt.want)
			}
		}
	}
}

// Of policies that share an id or a type the first one counts, in every version.
func TestFirstPolicyCounts(t *testing.T) {
	policy := func(asks string) string {
		text := verifytest.Scene{Policy: `"requiredEvidence":["` + asks + `"],"validityRule":{"kind":"manual"}`}.Text()
		_, text, _ = strings.Cut(text, `"policies":[`)
		text, _, _ = strings.Cut(text, `],"events"`)
		return text
	}
	for _, name := range []string{"", `"verificationPolicyId":"p"`} {
		scene := verifytest.Scene{
			Claim: name, Events: verifytest.SceneEvent("v", "verified", "2026-02-01T00:00:00Z", ""),
			Evidence: verifytest.ScenePiece("e", `"observedAt":"2026-01-01T00:00:00Z","passing":true`),
		}
		for _, tt := range []struct{ first, second, want string }{
			{"test_output", "attestation", "verified"}, {"attestation", "test_output", "proposed"},
		} {
			text := strings.Replace(scene.Text(), `"policies":[`, `"policies":[`+policy(tt.first)+","+policy(tt.second), 1)
			for _, version := range status.Versions() {
				if got := statuses(t, records(t, text), version, "2026-03-01T00:00:00Z")["c"]; got != tt.want {
					t.Errorf("version %s, %s, first %s: %s, want %s", version, name, tt.first, got, tt.want)
				}
			}
		}
	}
}

// What no vector tells apart: the last instant that can be written is before an unreadable
// one, and milliseconds of a lifetime are one product, 0.043 days a hair less than
// 3,715,200 ms.
func TestRareTimes(t *testing.T) {
	for name, tt := range map[string]struct {
		scene verifytest.Scene
		now   string
		want  map[status.Version]string
	}{
		"a resolution at the end of time": {verifytest.Scene{
			Evidence: verifytest.ScenePiece("e", `"observedAt":"late","passing":false`),
			Events:   verifytest.SceneEvent("v", "superseded", "9999-12-31T23:59:59-23:59", `,"resolvesDispute":true`),
			Traces:   verifytest.SceneTrace(""),
		}, "2026-03-01T00:00:00Z", map[status.Version]string{status.Version2: "superseded", status.Version3: "superseded", status.Version4: "disputed"}},
		"a lifetime of 0.043 days": {verifytest.Scene{
			Policy:   `"requiredEvidence":["test_output"],"validityRule":{"kind":"duration","durationDays":0.043}`,
			Evidence: verifytest.ScenePiece("e", `"observedAt":"1970-01-01T00:00:00Z","passing":true`),
			Events:   verifytest.SceneEvent("v", "verified", "1970-01-01T00:00:00Z", ""),
		}, "1970-01-01T01:01:55.200Z", map[status.Version]string{status.Version2: "stale", status.Version3: "stale", status.Version4: "verified"}},
		// The product is rounded before the sum, on processors that could do both at once too.
		"a lifetime of 0.6121 days before 1970": {verifytest.Scene{
			Policy:   `"requiredEvidence":["test_output"],"validityRule":{"kind":"duration","durationDays":0.6121}`,
			Evidence: verifytest.ScenePiece("e", `"observedAt":"1969-01-01T00:00:00Z","passing":true`),
			Events:   verifytest.SceneEvent("v", "verified", "1969-12-31T00:00:00Z", ""),
		}, "1969-12-31T14:41:25.440Z", map[status.Version]string{status.Version2: "verified", status.Version3: "verified", status.Version4: "verified"}},
	} {
		for version, want := range tt.want {
			if got := statuses(t, records(t, tt.scene.Text()), version, tt.now)["c"]; got != want {
				t.Errorf("%s, version %s: %s, want %s", name, version, got, want)
			}
		}
	}
}
