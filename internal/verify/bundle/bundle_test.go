package bundle_test

import (
	"encoding/json"
	"fmt"
	"math"
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
	for _, e := range problem.All(err) {
		if e.Code != problem.InvalidTrustBundle || e.Place.File != "b.json" {
			t.Errorf("%s: code %s in %s", e, e.Code, e.Place.File)
		}
	}
	return refusalsOf(text)
}

// refusalsOf returns the problems of a bundle, each with its place.
func refusalsOf(text string) []string {
	_, err := bundle.Read(problem.Source{Name: "b.json", Text: text})
	var list []string
	for _, e := range problem.All(err) {
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
			"c1 c2": b.Records(bundle.KindClaim), "e1": b.Records(bundle.KindEvidence), "p1": b.Records(bundle.KindPolicy), "v1": b.Records(bundle.KindEvent), "t1": b.Records(bundle.KindTrace),
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
	claim := verifytest.Bundle(t, verifytest.File(t, "testdata/full.json")).Records(bundle.KindClaim)[0].JSON
	const start = `{"value":{"score":1.0,"of":1e2,"\u006eames":["é","\u00e9","\/"],"deep":{"b":1,"a":[1.50,-0,1E-7]}},"id":"c1","subjectType":"model",`
	if !strings.HasPrefix(claim, start) {
		t.Errorf("the claim is %.200s", claim)
	}
	if !strings.Contains(claim, `"confidenceBasis":{"z":1,"a":2.0}`) || !strings.Contains(claim, `"ttlSeconds":1e3`) {
		t.Errorf("the claim is %s", claim)
	}
	spaced := strings.Replace(verifytest.File(t, "testdata/full.json"), `"quality"`, `"  a \" b\\" `+"\r\n\t", 1)
	if claim := verifytest.Bundle(t, spaced).Records(bundle.KindClaim)[0].JSON; !strings.Contains(claim, `"facet":"  a \" b\\","claimType"`) {
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
		{`"schemaVersion": 7.0`, `"schemaVersion": 1`, "$.schemaVersion: must be an integer from 5 to 9"},
		{`"schemaVersion": 7.0`, `"schemaVersion": 2`, "$.schemaVersion: must be an integer from 5 to 9: 2 has surface where claims have facet since 5; rename it, and declare 5"},
		{`"schemaVersion": 7.0`, `"schemaVersion": 4.0`, "$.schemaVersion: must be an integer from 5 to 9: 4 has surface where claims have facet since 5; rename it, and declare 5"},
		{`"schemaVersion": 7.0`, `"schemaVersion": 10`, "$.schemaVersion: must be an integer from 5 to 9"},
		{`"schemaVersion": 7.0`, `"schemaVersion": 5.5`, "$.schemaVersion: must be an integer from 5 to 9"},
		{`"schemaVersion": 7.0`, `"schemaVersion": "7"`, "$.schemaVersion: must be a number"},
		{`"producerId": "acme"`, `"producerId": ""`, "$.producerId: must not be empty"},
		{`"source": "acme-bench",`, ``, "$.source: missing field"},
		{`"source": "acme-bench",`, `"source": "a", "generatedAt": "x",`, "$.generatedAt: unknown field, allowed are schemaVersion, source, producerId, claims, evidence, policies, events, identityLinks, claimGroups, authorityTrace, proof"},
		{`"source": "acme-bench",`, `"source": "a", "metadata": {},`, "$.metadata: unknown field, allowed are schemaVersion, source, producerId, claims, evidence, policies, events, identityLinks, claimGroups, authorityTrace, proof"},
		{`"facet": "quality"`, `"surface": "quality"`, "$.claims[0].surface: unknown field"},
		{`"status": "verified",`, `"status": "fine",`, "$.claims[0].status: must be unknown, proposed, assumed, verified, stale, disputed, superseded, rejected or revoked"},
		{`"ttlSeconds": 1e3`, `"ttlSeconds": -1`, "$.claims[0].ttlSeconds: must be an integer from 0"},
		{`"ttlSeconds": 1e3`, `"ttlSeconds": 0.5`, "$.claims[0].ttlSeconds: must be an integer from 0"},
		{`"ttlSeconds": 1e3`, `"ttlSeconds": 9007199254740993`, "$.claims[0].ttlSeconds: integer that binary64 cannot hold: the nearest is 9007199254740992"},
		{`"of": 1e2`, `"of": 9007199254740993`, "$.claims[0].value.of: integer that binary64 cannot hold: the nearest is 9007199254740992"},
		{`"of": 1e2`, `"of": 1e999`, "$.claims[0].value.of: number too large: at most 1.7976931348623157e+308"},
		{`"of": 1e2`, `"score": 1`, "$.claims[0].value.score: duplicate field"},
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
		{`"derivedFrom": ["c2"]`, `"derivedFrom": ["c2", "c3"]`, `$.claims[0].derivedFrom[1]: must be the id of a claim of this bundle; none has the id "c3"`},
		{`"verificationPolicyId": "p1"`, `"verificationPolicyId": ""`, `$.claims[0].verificationPolicyId: must be the id of a policy of this bundle; none has the id ""`},
		{`"id": "e1", "claimId": "c1"`, `"id": "e1", "claimId": "c9"`, `$.evidence[0].claimId: must be the id of a claim of this bundle; none has the id "c9"`},
		{`"id": "v1", "claimId": "c1"`, `"id": "v1", "claimId": "e1"`, `$.events[0].claimId: must be the id of a claim of this bundle; none has the id "e1"`},
		{`"evidenceIds": ["e1"],
      "createdAt"`, `"evidenceIds": ["e1", "e2"],
      "createdAt"`, `$.events[0].evidenceIds[1]: must be the id of a piece of evidence of this bundle; none has the id "e2"`},
		{`"evidenceIds": ["e1"], "claimIds"`, `"evidenceIds": ["c1"], "claimIds"`, `$.authorityTrace[0].evidenceIds[0]: must be the id of a piece of evidence of this bundle; none has the id "c1"`},
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

// No id is repeated in a list, of policies neither, although a status only looks at the
// first policy with an id.
func TestRepeatedIDs(t *testing.T) {
	for kind, id := range map[bundle.Kind]string{
		bundle.KindClaim: "c1", bundle.KindEvidence: "e1", bundle.KindEvent: "v1", bundle.KindTrace: "t1",
		bundle.KindPolicy: "p1", bundle.KindLink: "l1", bundle.KindGroup: "g1",
	} {
		members := map[string]json.RawMessage{}
		if err := json.Unmarshal([]byte(verifytest.File(t, "testdata/full.json")), &members); err != nil {
			t.Fatal(err)
		}
		list := []json.RawMessage{}
		if err := json.Unmarshal(members[kind.Collection()], &list); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(append(list, list[0]))
		if err != nil {
			t.Fatal(err)
		}
		members[kind.Collection()] = text
		if text, err = json.Marshal(members); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("$.%s[%d].id: must be unique in the list, %q is repeated", kind.Collection(), len(list), id)
		got := refusals(t, string(text))
		if len(got) != 1 || !strings.HasSuffix(got[0], want) {
			t.Errorf("got %q, want %s", got, want)
		}
	}
}

// The version that a bundle declares counts for the whole of it, wherever it stands.
func TestVersionAtTheEnd(t *testing.T) {
	full := verifytest.File(t, "testdata/latest.json")
	rest := strings.TrimSuffix(strings.TrimSpace(strings.Replace(full, `"schemaVersion": 9,`, "", 1)), "}")
	verifytest.Bundle(t, rest+`,"schemaVersion":9}`)
	got := refusals(t, rest+`,"schemaVersion":8}`)
	if len(got) != 1 || !strings.HasSuffix(got[0], "$.evidence[0].inconclusive: needs schemaVersion 9, the bundle declares 8") {
		t.Errorf("version 8 at the end: %q", got)
	}
}

// What versions 8 and 9 of the schema demand of bundles that declare them.
func TestVersions(t *testing.T) {
	full := verifytest.File(t, "testdata/latest.json") // the full one with what came with versions 8 and 9
	verifytest.Bundle(t, full)
	declares := func(version string) edit { return edit{old: `"schemaVersion": 9`, new: `"schemaVersion": ` + version} }
	without := edit{old: `"collectedByKind": "deterministic", "inconclusive": {"reason": "other", "detail": "x"}`, new: `"blocking": true`}
	for _, tt := range []struct {
		edits []edit
		want  string // the first problem, empty if there is none
		loose string // of an answer
	}{
		{[]edit{declares("8")}, `$.evidence[0].inconclusive: needs schemaVersion 9, the bundle declares 8`, "the same"},
		{[]edit{declares("5"), {old: `, "inconclusive": {"reason": "other", "detail": "x"}`}}, `$.evidence[0].collectedByKind: needs schemaVersion 9, the bundle declares 5`, "the same"},
		{[]edit{declares("8"), without}, "", ""},
		{[]edit{declares("5"), without}, "", ""}, // a calibration may be there
		{[]edit{{old: `"deterministic"`, new: `"robot"`}}, `$.evidence[0].collectedByKind: must be human, deterministic or model`, "the same"},
		{[]edit{{old: `, "detail": "x"`}}, `$.evidence[0].inconclusive.detail: missing field: the reason other needs it`, "the same"},
		{[]edit{{old: `"reason": "other", "detail": "x"`, new: `"reason": "timeout"`}}, "", ""},
		{[]edit{{old: `"reason": "other", "detail": "x"`, new: `"reason": "timeout", "detail": ""`}}, `$.evidence[0].inconclusive.detail: must hold more than white space`, "the same"},
		{[]edit{{old: `"detail": "x"`, new: `"detail": "\u00a0\u2003\ufeff \t\n\u1680\u202f\u205f\u3000\u2028\u2029\u000b"`}}, `$.evidence[0].inconclusive.detail: must hold more than white space`, "the same"},
		{[]edit{{old: `"detail": "x"`, new: `"detail": " \u0085"`}}, "", ""},
		{[]edit{{old: `"detail": "x"`, new: `"detail": "\u180e"`}}, "", ""},
		{[]edit{{old: `"reason": "other"`, new: `"reason": "weather"`}}, `$.evidence[0].inconclusive.reason: must be unreachable, tool_error, permission_denied, timeout or other`, "the same"},
		{[]edit{{old: `"reason": "other", `}}, `$.evidence[0].inconclusive.reason: missing field`, "the same"},
		{[]edit{{old: `"detail": "x"`, new: `"detail": "x", "at": 1`}}, `$.evidence[0].inconclusive.at: unknown field`, "the same"},
		{[]edit{{old: `"supportStrength": "cited", `}}, `$.evidence[0].supportStrength: must be cited, for the evidence is inconclusive`, "the same"},
		{[]edit{{old: `"supportStrength": "cited"`, new: `"supportStrength": "entails"`}}, `$.evidence[0].supportStrength: must be cited, for the evidence is inconclusive`, "the same"},
		{[]edit{{old: `"collectedByKind"`, new: `"passing": true, "collectedByKind"`}}, `$.evidence[0].passing: must not be there, for the evidence is inconclusive`, "the same"},
		{[]edit{{old: `"collectedByKind"`, new: `"passing": false, "collectedByKind"`}}, `$.evidence[0].passing: must not be there, for the evidence is inconclusive`, "the same"},
		{[]edit{{old: `"tableRef": "t"`, new: `"tableRef": ""`}}, `$.claims[0].conclusionConfidence.calibration.tableRef: must be a string that is not empty`, "the same"},
		{[]edit{{old: `"tableVersion": "1", `}}, `$.claims[0].conclusionConfidence.calibration.tableVersion: missing field`, "the same"},
		{[]edit{{old: `"sampleSize": 1`, new: `"sampleSize": 0`}}, `$.claims[0].conclusionConfidence.calibration.sampleSize: must be an integer from 1`, "the same"},
		{[]edit{{old: `"sampleSize": 1`, new: `"sampleSize": 1.5`}}, `$.claims[0].conclusionConfidence.calibration.sampleSize: must be an integer from 1`, "the same"},
		{[]edit{{old: `"sampleSize": 1`, new: `"samples": 1`}}, `$.claims[0].conclusionConfidence.calibration.samples: unknown field`, "the same"},
		{[]edit{declares("7"), without, {old: `"tableRef": "t", `}}, `$.claims[0].conclusionConfidence.calibration.tableRef: missing field`, "the same"},
		{[]edit{{old: `"calibration": {"tableRef": "t", "tableVersion": "1", "method": "m", "sampleSize": 1, "boundMethod": "b"},
        `}},
			`$.claims[0].conclusionConfidence.calibration: missing field: a value needs it from schemaVersion 8 on`, ""},
		{[]edit{declares("8"), without, {old: `"value": 0.9, "calibration": {"tableRef": "t", "tableVersion": "1", "method": "m", "sampleSize": 1, "boundMethod": "b"},
        `}}, "", ""},
		{[]edit{{old: `"low": 0.8`, new: `"low": -0.8`}}, `$.claims[0].conclusionConfidence.interval.low: must be a number from 0 to 1 from schemaVersion 8 on`, ""},
		{[]edit{declares("8"), without, {old: `"low": 0.8`, new: `"low": -0.8`}}, `$.claims[0].conclusionConfidence.interval.low: must be a number from 0 to 1 from schemaVersion 8 on`, ""},
		{[]edit{{old: `"low": 0.8, "high": 1}`, new: `"low": 0.8, "high": 1.5}`}}, `$.claims[0].conclusionConfidence.interval.high: must be a number from 0 to 1 from schemaVersion 8 on`, ""},
		{[]edit{declares("7"), without, {old: `"low": 0.8, "high": 1}`, new: `"low": 8, "high": -1}`}}, "", ""},
		{[]edit{{old: `"low": 0.8, "high": 1}`, new: `"low": 0.9, "high": 0.8}`}}, `$.claims[0].conclusionConfidence.interval.high: must not be less than low`, ""},
		{[]edit{{old: `"low": 0.8, "high": 1}`, new: `"low": 0.91, "high": 1}`}}, `$.claims[0].conclusionConfidence.value: must be in the interval, from low to high`, ""},
		{[]edit{{old: `"low": 0.8, "high": 1}`, new: `"low": 0.8, "high": 0.89}`}}, `$.claims[0].conclusionConfidence.value: must be in the interval, from low to high`, ""},
		{[]edit{{old: `"low": 0.8, "high": 1}`, new: `"low": 0.9, "high": 0.9}`}}, "", ""},
	} {
		text := full
		for _, e := range tt.edits {
			changed := strings.Replace(text, e.old, e.new, 1)
			if changed == text {
				t.Fatalf("the bundle does not hold %s", e.old)
			}
			text = changed
		}
		got := ""
		if list := refusalsOf(text); len(list) > 0 {
			_, got, _ = strings.Cut(list[0], " ")
		}
		if !strings.HasPrefix(got, tt.want) || got != "" && tt.want == "" {
			t.Errorf("%v\n got %s\nwant %s", tt.edits, got, tt.want)
		}
		answer := strings.Replace(text, `"producerId": "acme",`, `"metadata": {"respondedAt": "", "statusFunctionVersion": "4", "requestedRefs": [], "unknownRefs": []},`, 1)
		loose := tt.loose
		if loose == "the same" {
			loose = tt.want
		}
		_, err := bundle.ReadAnswer(answer)
		got = ""
		if faults := problem.All(err); len(faults) > 0 {
			got = faults[0].Error()
		}
		if !strings.HasPrefix(got, loose) || got != "" && loose == "" {
			t.Errorf("%v in an answer\n got %s\nwant %s", tt.edits, got, loose)
		}
	}
}

// A bundle declares the lowest version that its records need, by their members and not
// by text that looks like them.
func TestLowestVersion(t *testing.T) {
	const claim, piece = `{"id":"c"`, `{"id":"e"`
	for _, tt := range []struct {
		claim, piece string
		want         int
	}{
		{``, ``, 5},
		{``, `,"evidenceType":"runtime_observation"`, 7},
		{``, `,"evidenceType":"runtime\u005fobservation"`, 7},
		{``, `,"execution":{"environment":"test"}`, 7},
		{``, `,"sourceRef":"runtime_observation","metadata":{"environment":1,"inconclusive":{},"calibration":1}`, 5},
		{``, `,"execution":{"metadata":{"environment":1}}`, 5},
		{`,"conclusionConfidence":{"value":1,"calibration":{}}`, ``, 8},
		{`,"conclusionConfidence":{"c\u0061libration":{}}`, `,"evidenceType":"runtime_observation"`, 8},
		{`,"conclusionConfidence":{"value":1,"method":"calibration"},"calibration":1,"metadata":{"conclusionConfidence":{"calibration":{}}}`, ``, 5},
		{``, `,"collectedByKind":"human"`, 9},
		{`,"conclusionConfidence":{"calibration":{}}`, `,"inconclusive":{}`, 9},
		{``, `,"excerptOrSummary":"\"inconclusive\":","collectedBy":"collectedByKind"`, 5},
		{`,"value":{"inconclusive":1,"collectedByKind":1}`, ``, 5},
	} {
		r := &bundle.Records{
			Claims:   []bundle.Record{{ID: "c", JSON: claim + `}`}, {ID: "c", JSON: claim + tt.claim + `}`}},
			Evidence: []bundle.Record{{ID: "e", JSON: piece + tt.piece + `}`}, {ID: "e", JSON: piece + `}`}},
		}
		if got := bundle.LowestVersion(r); got != tt.want {
			t.Errorf("%s %s: %d, want %d", tt.claim, tt.piece, got, tt.want)
		}
	}
}

// Every problem is told, at its place.
func TestPlacesOfProblems(t *testing.T) {
	got := refusals(t, "\uFEFF{\n \"schemaVersion\": 5, \"source\": 1,\n \"claims\": [{\"é\": 1}],\n \"evidence\": [], \"policies\": [], \"events\": {}}")
	want := []string{
		"2:32 $.source: must be a string",
		"3:14 $.claims[0].é: unknown field, allowed are",
		"3:13 $.claims[0].id: missing field",
		"3:13 $.claims[0].subjectType: missing field",
		"3:13 $.claims[0].subjectId: missing field",
		"3:13 $.claims[0].claimType: missing field",
		"3:13 $.claims[0].fieldOrBehavior: missing field",
		"3:13 $.claims[0].value: missing field",
		"3:13 $.claims[0].createdAt: missing field",
		"3:13 $.claims[0].updatedAt: missing field",
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
		`{"schemaVersion":5}`: "$.source: missing field",
		`{"source":"a","schemaVersion":5,"claims":{}}`:                                             "$.claims: must be a list",
		`{"source":"a","schemaVersion":5,"claims":[{}]}`:                                           "$.claims[0].id: missing field",
		`{"source":"a","schemaVersion":5,"claims":[{"id":1}]}`:                                     "$.claims[0].id: must be a string",
		`{"source":"a","schemaVersion":5,"events":[{"id":"a"},1]}`:                                 "$.events[1]: must be an object",
		`{"source":"a","schemaVersion":5,"identityLinks":[{"id":null}]}`:                           "$.identityLinks[0].id: must be a string",
		`{"source":"a","schemaVersion":5,"claims":[{"id":"a","x":{"y":9007199254740993}}]}`:        "$.claims[0].x.y: integer that binary64 cannot hold: the nearest is 9007199254740992",
		`{"source":"a","schemaVersion":5,"claims":[{"id":"a","x":1,"x":2}]}`:                       "$.claims[0].x: duplicate field",
		`{"source":"a","schemaVersion":5,"claims":[{"id":"a"}],"claims":[]}`:                       "$.claims: duplicate field",
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

// Each member that is newer than the declared version is told with its own place.
func TestPlacesOfNewerMembers(t *testing.T) {
	text := strings.Replace(verifytest.File(t, "../../../examples/claims-schema-9.json"), `"schemaVersion": 9`, `"schemaVersion": 8`, 1)
	want := []string{
		`28:26 $.evidence[0].collectedByKind: needs schemaVersion 9, the bundle declares 8`,
		`38:23 $.evidence[1].inconclusive: needs schemaVersion 9, the bundle declares 8`,
	}
	if got := refusals(t, text); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q, want %q", got, want)
	}
}

// A place in the text of a bundle has four bytes. A text that is longer is refused.
func TestTextIsBounded(t *testing.T) {
	if bundle.MostText != math.MaxUint32 {
		t.Errorf("the bound is %d", bundle.MostText)
	}
	source := problem.Source{Text: `{"schemaVersion":5,"source":"s","claims":[],"evidence":[],"policies":[],"events":[]}`}
	if _, err := bundle.ReadSmall(source, len(source.Text)); err != nil {
		t.Error(err)
	}
	_, err := bundle.ReadSmall(source, len(source.Text)-1)
	if faults := problem.All(err); len(faults) != 1 || faults[0].Code != problem.InvalidTrustBundle || faults[0].Path != "$" {
		t.Errorf("a byte too many: %v", err)
	}
}
