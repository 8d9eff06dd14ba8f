package bundle_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
)

// refusals reads a bundle that must be refused and returns each problem as
// "<line>:<column> <path>: <reason>".
func refusals(t *testing.T, text string) []string {
	t.Helper()
	b, err := bundle.Read(problem.Source{Name: "b.json", Text: text})
	if err == nil {
		t.Errorf("accepted: %.200s", text)
		return nil
	}
	if b != nil {
		t.Error("a bundle that was refused was returned")
	}
	var list []string
	for _, e := range problem.All(err) {
		if e.Code != problem.InvalidTrustBundle || e.Place.File != "b.json" {
			t.Errorf("%s: code %s in %s", e, e.Code, e.Place.File)
		}
		list = append(list, fmt.Sprintf("%d:%d %s", e.Place.Line, e.Place.Column, e))
	}
	return list
}

func TestFullBundleIsRead(t *testing.T) {
	text := verifytest.File(t, "testdata/full.json")
	for _, text := range []string{text, "\uFEFF" + text} {
		b := verifytest.Bundle(t, text)
		if b.SchemaVersion() != 7 || b.Source() != "acme-bench" {
			t.Errorf("version %d of %s", b.SchemaVersion(), b.Source())
		}
		for name, got := range map[string][]bundle.Record{
			"c1 c2": b.Claims(), "e1": b.Evidence(), "p1": b.Policies(), "v1": b.Events(), "t1": b.AuthorityTrace(),
		} {
			var ids []string
			for _, r := range got {
				ids = append(ids, r.ID)
			}
			if strings.Join(ids, " ") != name {
				t.Errorf("ids %v, want %s", ids, name)
			}
		}
	}
}

// What a record says is kept to the letter; white space between tokens is not.
func TestRecordsKeepTheirSpelling(t *testing.T) {
	claim := verifytest.Bundle(t, verifytest.File(t, "testdata/full.json")).Claims()[0].JSON
	const start = `{"value":{"score":1.0,"of":1e2,"\u006eames":["é","\u00e9","\/"],"deep":{"b":1,"a":[1.50,-0,1E-7]}},"id":"c1","subjectType":"model",`
	if !strings.HasPrefix(claim, start) {
		t.Errorf("the claim is %.200s", claim)
	}
	if !strings.Contains(claim, `"confidenceBasis":{"z":1,"a":2.0}`) || !strings.Contains(claim, `"ttlSeconds":1e3`) {
		t.Errorf("the claim is %s", claim)
	}
	spaced := strings.Replace(verifytest.File(t, "testdata/full.json"), `"quality"`, `"  a \" b\\" `+"\r\n\t", 1)
	if claim := verifytest.Bundle(t, spaced).Claims()[0].JSON; !strings.Contains(claim, `"facet":"  a \" b\\","claimType"`) {
		t.Errorf("the claim is %s", claim)
	}
}

// edit is one change of the full bundle.
type edit struct {
	old, new string
	want     string // the path and reason of the first problem
}

func TestRefusedBundles(t *testing.T) {
	full := verifytest.File(t, "testdata/full.json")
	for _, e := range []edit{
		{`"schemaVersion": 7.0`, `"schemaVersion": 8`, "$.schemaVersion: must be 5, 6 or 7"},
		{`"schemaVersion": 7.0`, `"schemaVersion": 5.5`, "$.schemaVersion: must be 5, 6 or 7"},
		{`"schemaVersion": 7.0`, `"schemaVersion": "7"`, "$.schemaVersion: must be a number"},
		{`"producerId": "acme"`, `"producerId": ""`, "$.producerId: must not be empty"},
		{`"source": "acme-bench",`, ``, "$.source: missing member"},
		{`"source": "acme-bench",`, `"source": "a", "generatedAt": "x",`, "$.generatedAt: unknown member, allowed are schemaVersion, source, producerId, claims, evidence, policies, events, identityLinks, claimGroups, authorityTrace, proof"},
		{`"source": "acme-bench",`, `"source": "a", "metadata": {},`, "$.metadata: unknown member, allowed are schemaVersion, source, producerId, claims, evidence, policies, events, identityLinks, claimGroups, authorityTrace, proof"},
		{`"facet": "quality"`, `"surface": "quality"`, "$.claims[0].surface: unknown member"},
		{`"status": "verified",`, `"status": "fine",`, "$.claims[0].status: must be unknown, proposed, assumed, verified, stale, disputed, superseded, rejected or revoked"},
		{`"ttlSeconds": 1e3`, `"ttlSeconds": -1`, "$.claims[0].ttlSeconds: must be an integer from 0"},
		{`"ttlSeconds": 1e3`, `"ttlSeconds": 0.5`, "$.claims[0].ttlSeconds: must be an integer from 0"},
		{`"ttlSeconds": 1e3`, `"ttlSeconds": 9007199254740993`, "$.claims[0].ttlSeconds: integer that binary64 cannot hold: the nearest is 9007199254740992"},
		{`"of": 1e2`, `"of": 9007199254740993`, "$.claims[0].value.of: integer that binary64 cannot hold: the nearest is 9007199254740992"},
		{`"of": 1e2`, `"of": 1e999`, "$.claims[0].value.of: number too large: at most 1.7976931348623157e+308"},
		{`"of": 1e2`, `"score": 1`, "$.claims[0].value.score: duplicate member"},
		{`"of": 1e2`, `"of": "\ud800"`, "$.claims[0].value.of: lone surrogate in a string"},
		{`"metadata": {"k": 1.0}`, `"metadata": {"k": 9007199254740993}`, "$.claims[0].currentIntegrityAnchor.metadata.k: integer that binary64 cannot hold: the nearest is 9007199254740992"},
		{`"confidenceBasis": {"z": 1, "a": 2.0}`, `"confidenceBasis": []`, "$.claims[0].confidenceBasis: must be an object"},
		{`"conclusionConfidence": {"value": 0.9`, `"conclusionConfidence": {"value": 1.1`, "$.claims[0].conclusionConfidence.value: must be a number from 0 to 1"},
		{`"split": "test"`, `"split": 1`, "$.claims[0].qualifiers.split: must be a string"},
		{`"createdAt": "2026-06-01T00:00:00Z", "updatedAt": "2026-06-01t`, `"createdAt": "2026-06-01", "updatedAt": "2026-06-01t`, "$.claims[0].createdAt: must be an RFC 3339 date-time like 2026-07-18T06:00:00Z"},
		{`"stale": false`, `"stale": null`, "$.claims[0].freshness.stale: must be true or false"},
		{`"evidenceType": "test_output"`, `"evidenceType": "rumour"`, "$.evidence[0].evidenceType: must be source_excerpt, test_output, runtime_observation, human_attestation, attestation, calculation_trace, document_citation, crawl_observation or policy_rule"},
		{`"exitCode": -1`, `"exitCode": 1.5`, "$.evidence[0].execution.exitCode: must be an integer"},
		{`"resolvesDispute": true`, `"resolvesDispute": false`, "$.events[0].resolvesDispute: must be true"},
		{`"values": [1, {"a": 2}]`, `"values": [1]`, "$.policies[0].incompatibleValues[0].values: must have two items, has 1"},
		{`"statuses": ["verified", "rejected"]`, `"statuses": ["verified", "rejected", "stale"]`, "$.policies[0].incompatibleStatuses[0].statuses: must have two items, has 3"},
		{`{"subjectType": "model", "subjectId": "b"}]`, `]`, "$: unexpected character ']', expected a value"},
		{`, {"subjectType": "model", "subjectId": "b"}]`, `]`, "$.identityLinks[0].subjects: must have at least two items, has 1"},
		{`"mode": "all-required"`, `"mode": "some"`, "$.claimGroups[0].rollupPolicy.mode: must be all-required or any-required"},

		// What the records say of each other.
		{`"derivedFrom": ["c2"]`, `"derivedFrom": ["c2", "c3"]`, `$.claims[0].derivedFrom[1]: must be the id of a claim of this bundle, "c3" is none`},
		{`"verificationPolicyId": "p1"`, `"verificationPolicyId": ""`, `$.claims[0].verificationPolicyId: must be the id of a policy of this bundle, "" is none`},
		{`"id": "e1", "claimId": "c1"`, `"id": "e1", "claimId": "c9"`, `$.evidence[0].claimId: must be the id of a claim of this bundle, "c9" is none`},
		{`"id": "v1", "claimId": "c1"`, `"id": "v1", "claimId": "e1"`, `$.events[0].claimId: must be the id of a claim of this bundle, "e1" is none`},
		{`"evidenceIds": ["e1"],
      "createdAt"`, `"evidenceIds": ["e1", "e2"],
      "createdAt"`, `$.events[0].evidenceIds[1]: must be the id of a piece of evidence of this bundle, "e2" is none`},
		{`"evidenceIds": ["e1"], "claimIds"`, `"evidenceIds": ["c1"], "claimIds"`, `$.authorityTrace[0].evidenceIds[0]: must be the id of a piece of evidence of this bundle, "c1" is none`},
		{`{"id": "c2",`, `{"id": "c1",`, `$.claims[1].id: must be unique in the list, "c1" is repeated`},
		{`"requirements": [`, `"requirements": [{"id": "r1", "title": "t", "claimIds": []}, `, `$.claimGroups[0].requirements[1].id: must be unique in the list, "r1" is repeated`},
		{`{"subjects": [{"subjectType": "model", "subjectId": "a"}, {"subjectType": "model", "subjectId": "c"}]}`,
			`{"id": "l1", "subjects": [{"subjectType": "model", "subjectId": "a"}, {"subjectType": "model", "subjectId": "c"}]}`,
			`$.identityLinks[1].id: must be unique in the list, "l1" is repeated`},
		{`"anchors": [`, `"anchors": [{"id": "an4", "kind": "hash", "algorithm": "a", "value": "v", "sourceRef": "s"}, `,
			`$.proof.anchors[1].id: must be unique in the list, "an4" is repeated`},
	} {
		changed := strings.Replace(full, e.old, e.new, 1)
		if changed == full {
			t.Fatalf("the bundle does not hold %s", e.old)
		}
		got := refusals(t, changed)
		if len(got) == 0 {
			continue
		}
		if _, reason, _ := strings.Cut(got[0], " "); !strings.HasPrefix(reason, e.want) {
			t.Errorf("%s\n got %s\nwant %s", e.new, got[0], e.want)
		}
	}
}

// Every problem is told, at its place.
func TestPlacesOfProblems(t *testing.T) {
	got := refusals(t, "\uFEFF{\n \"schemaVersion\": 5, \"source\": 1,\n \"claims\": [{\"é\": 1}],\n \"evidence\": [], \"policies\": [], \"events\": {}}")
	want := []string{
		"2:32 $.source: must be a string",
		"3:14 $.claims[0].é: unknown member, allowed are",
		"3:13 $.claims[0].id: missing member",
		"3:13 $.claims[0].subjectType: missing member",
		"3:13 $.claims[0].subjectId: missing member",
		"3:13 $.claims[0].claimType: missing member",
		"3:13 $.claims[0].fieldOrBehavior: missing member",
		"3:13 $.claims[0].value: missing member",
		"3:13 $.claims[0].createdAt: missing member",
		"3:13 $.claims[0].updatedAt: missing member",
		"4:44 $.events: must be a list",
	}
	if len(got) != len(want) {
		t.Fatalf("%d problems:\n%s", len(got), strings.Join(got, "\n"))
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("got %s, want %s", got[i], want[i])
		}
	}
	full := verifytest.File(t, "testdata/full.json")
	text := strings.Replace(full, `"evidenceIds": ["e1"],
      "createdAt"`, `"evidenceIds":
  ["e1", "x"], "createdAt"`, 1)
	if got := refusals(t, text); len(got) != 1 || !strings.HasPrefix(got[0], "44:10 $.events[0].evidenceIds[1]: ") {
		t.Errorf("problems %v", got)
	}
	text = strings.Replace(full, `{"id": "c2",`, "{\n\n \"id\" : \"c1\",", 1)
	for _, problem := range refusals(t, text)[:1] {
		if !strings.HasPrefix(problem, "26:9 $.claims[1].id: ") {
			t.Errorf("problem %s", problem)
		}
	}
}

// A bundle must not be so deep that its answers cannot be read.
func TestDepthOfBundles(t *testing.T) {
	for depth, ok := range map[int]bool{59: true, 60: true, 61: false} {
		value := strings.Repeat("[", depth) + strings.Repeat("]", depth)
		text := strings.Replace(verifytest.File(t, "testdata/full.json"), `"value": null`, `"value": `+value, 1)
		if ok {
			verifytest.Bundle(t, text)
		} else if got := refusals(t, text); len(got) != 1 || !strings.HasSuffix(got[0], "$: more than 64 arrays and objects open at once") {
			t.Errorf("depth %d: %v", depth, got)
		}
	}
}

func TestReadRawRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`[]`:                  "$: must be an object",
		`{"schemaVersion":5}`: "$.source: missing member",
		`{"source":"a","schemaVersion":5,"claims":{}}`:                                             "$.claims: must be a list",
		`{"source":"a","schemaVersion":5,"claims":[{}]}`:                                           "$.claims[0].id: missing member",
		`{"source":"a","schemaVersion":5,"claims":[{"id":1}]}`:                                     "$.claims[0].id: must be a string",
		`{"source":"a","schemaVersion":5,"events":[{"id":"a"},1]}`:                                 "$.events[1]: must be an object",
		`{"source":"a","schemaVersion":5,"identityLinks":[{"id":null}]}`:                           "$.identityLinks[0].id: must be a string",
		`{"source":"a","schemaVersion":5,"claims":[{"id":"a","x":{"y":9007199254740993}}]}`:        "$.claims[0].x.y: integer that binary64 cannot hold: the nearest is 9007199254740992",
		`{"source":"a","schemaVersion":5,"claims":[{"id":"a","x":1,"x":2}]}`:                       "$.claims[0].x: duplicate member",
		`{"source":"a","schemaVersion":5,"claims":[{"id":"a"}],"claims":[]}`:                       "$.claims: duplicate member",
		`{"source":"a","schemaVersion":5,"claims":[{"id":"a","x":` + strings.Repeat("[", 62) + "0": "$: more than 64 arrays and objects open at once",
		`{"source":"a","schemaVersion":5} x`:                                                       "$: unexpected character 'x', expected the end of the document",
	} {
		b, err := bundle.ReadRaw(problem.Source{Name: "b.json", Text: text})
		faults := problem.All(err)
		if len(faults) == 0 || faults[0].Error() != want || faults[0].Code != problem.InvalidTrustBundle || b != nil {
			t.Errorf("%.80s: %v, want %s", text, err, want)
		}
	}
}
