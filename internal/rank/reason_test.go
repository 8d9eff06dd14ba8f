package rank_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// keyed makes a criterion about another key than k.
func keyed(key, criterion string) string {
	return strings.Replace(criterion, `"measurementKey":"k"`, `"measurementKey":`+quote(key), 1)
}

// oneOfEach observes a key for each status that a criterion can have.
func oneOfEach() []string {
	measurement := func(key, kind, value string) string {
		return `{"key":"` + key + `","kind":"` + kind + `","value":` + value + `}`
	}
	return numbered(
		observed{measurements: measurement("number", "sample", "2") + "," + measurement("text", "fact", `"x"`) + "," + measurement("conflict", "fact", "1")},
		observed{measurements: measurement("conflict", "fact", "2") + "," + measurement("number", "sample", "4"), gaps: `"STALE_EVIDENCE","gap"`},
		observed{measurements: measurement("stale", "sample", "1"), validUntil: before, level: "high"},
		observed{measurements: measurement("incomparable", "sample", "1"), execution: exact(none)},
	)
}

// TestReasonsOfRanked looks at the reasons of a candidate that is ranked: their
// order, members and texts.
func TestReasonsOfRanked(t *testing.T) {
	a := asked{
		requirements: keyed("number", require("mean", "gte", "3")) + "," + keyed("text", require("fact", "eq", `"x"`)),
		preferences: strings.Join([]string{
			keyed("number", prefer("mean", "maximize", "2")), keyed("text", prefer("fact", "maximize", "1")), keyed("conflict", prefer("fact", "minimize", "1")),
			keyed("stale", prefer("mean", "maximize", "1")), keyed("incomparable", prefer("mean", "maximize", "1")), keyed("absent", prefer("mean", "minimize", "1")),
			keyed("number", prefer("count", "minimize", "0.5"))}, ","),
	}
	k := newRanker(t, compile(t, oneOfEach()...))
	r := mustRank(t, k, a.json())
	want := []string{
		"REQUIREMENT_MET text: text satisfied eq", "REQUIREMENT_MET number: number satisfied gte",
		"INCOMPARABLE_EVIDENCE text: preference evidence is not numeric", "CONFLICTING_EVIDENCE conflict: conflict evidence for conflict",
		"INCOMPARABLE_EVIDENCE incomparable: incomparable evidence for incomparable", "STALE_EVIDENCE stale: stale evidence for stale",
		"PREFERENCE_EVIDENCE_MISSING absent: missing evidence for absent",
		"PREFERENCE_SCORE number: minimize contributed 0.5", "PREFERENCE_SCORE number: maximize contributed 2",
	}
	p := r.Outcomes()[0]
	if len(r.Outcomes()) != 1 || p.CandidateID != "c" || p.Model != (record.Model{ID: "m"}) || *p.Rank != 1 || p.Score.Value != 2.5 {
		t.Errorf("outcomes %+v", r.Outcomes())
	}
	if r.Maximum() != 7.5 || r.AsOf() != asOf || r.Digest() != compile(t, oneOfEach()...).Digest() {
		t.Errorf("maximum %v, as of %s, digest %s", r.Maximum(), r.AsOf(), r.Digest())
	}

	c := judge(t, oneOfEach(), a).Ranked[0]
	var got []string
	for _, reason := range c.Reasons {
		got = append(got, reason.Code+" "+reason.MeasurementKey+": "+reason.Summary)
	}
	if !slices.Equal(got, want) {
		t.Errorf("reasons\n%q\nwant\n%q", got, want)
	}
	compareReasons(t, c.Reasons, r)
	wantGaps := []string{"CONFLICTING_EVIDENCE", "INCOMPARABLE_EVIDENCE", "PREFERENCE_EVIDENCE_MISSING", "STALE_EVIDENCE", "gap"}
	if !slices.Equal(c.Uncertainty.Gaps, wantGaps) || c.Uncertainty.Level != "high" {
		t.Errorf("uncertainty %+v, want gaps %q", c.Uncertainty, wantGaps)
	}
	var keys []string
	for _, e := range c.Evidence {
		keys = append(keys, e.MeasurementKey)
	}
	if want := []string{"text", "number", "number", "text", "conflict", "incomparable", "number", "stale", "absent"}; !slices.Equal(keys, want) {
		t.Errorf("evidence is for %q, want %q", keys, want)
	}
}

// TestReasonsOfExcluded looks at a candidate that is excluded: every
// requirement has its reason and evidence, no preference has.
func TestReasonsOfExcluded(t *testing.T) {
	a := asked{
		requirements: strings.Join([]string{keyed("number", require("mean", "gte", "3")), keyed("number", require("mean", "gte", "3.5")),
			keyed("text", require("fact", "eq", `"y"`)), keyed("conflict", require("fact", "eq", "1")), keyed("absent", require("mean", "eq", "1")),
			keyed("stale", require("mean", "eq", "1")), keyed("incomparable", require("mean", "eq", "1"))}, ","),
		preferences: keyed("number", prefer("mean", "maximize", "1")),
		advisories:  keyed("number", criterionJSON(`"id":"a",`, "max", "")),
	}
	out := judge(t, oneOfEach(), a)
	if len(out.Ranked) != 0 || len(out.Excluded) != 1 {
		t.Fatalf("ranked %+v", out.Ranked)
	}
	c := out.Excluded[0]
	got := map[string]string{}
	for _, r := range c.Reasons {
		got[r.Summary] = r.Code
		if hasValues := r.Actual != nil && r.Expected != nil; hasValues != strings.HasPrefix(r.Code, "REQUIREMENT") {
			t.Errorf("reason %+v", r)
		}
	}
	want := map[string]string{
		"number satisfied gte":                   "REQUIREMENT_MET",
		"number did not satisfy gte":             "REQUIREMENT_NOT_MET",
		"text did not satisfy eq":                "REQUIREMENT_NOT_MET",
		"conflict evidence for conflict":         "CONFLICTING_EVIDENCE",
		"missing evidence for absent":            "MISSING_EVIDENCE",
		"stale evidence for stale":               "STALE_EVIDENCE",
		"incomparable evidence for incomparable": "INCOMPARABLE_EVIDENCE",
	}
	if !reflect.DeepEqual(got, want) || len(c.Reasons) != len(want) || len(c.Evidence) != len(want) {
		t.Errorf("reasons %q, evidence for %d, want %q", got, len(c.Evidence), want)
	}
	gaps := []string{"CONFLICTING_EVIDENCE", "INCOMPARABLE_EVIDENCE", "MISSING_EVIDENCE", "REQUIREMENT_MET", "REQUIREMENT_NOT_MET", "STALE_EVIDENCE", "gap"}
	if !slices.Equal(c.Uncertainty.Gaps, gaps) {
		t.Errorf("gaps %q, want %q", c.Uncertainty.Gaps, gaps)
	}
	if len(c.Advisories) != 1 || c.Advisories[0].Value != 4.0 {
		t.Errorf("advisories %+v", c.Advisories)
	}
	r := mustRank(t, newRanker(t, compile(t, oneOfEach()...)), a.json())
	p := r.Outcomes()[0]
	if p.Rank != nil || p.Score.Known || p.CandidateID != "c" || len(p.Shortfalls) != len(want)-1 {
		t.Errorf("outcome %+v", p)
	}
	for _, text := range p.Shortfalls {
		if code, summary, _ := strings.Cut(text, ": "); want[summary] != code {
			t.Errorf("shortfall %s", text)
		}
	}
	compareReasons(t, c.Reasons, r)
}

// TestNoEvidence looks at a candidate about which nothing is known.
func TestNoEvidence(t *testing.T) {
	basis := []string{"no applicable evidence"}
	c := judge(t, nil, asked{requirements: require("count", "gte", "0")}).Excluded[0]
	if u := c.Uncertainty; u.Level != "unknown" || !slices.Equal(u.Basis, basis) || !slices.Equal(u.Gaps, []string{"MISSING_EVIDENCE"}) {
		t.Errorf("uncertainty %+v", u)
	}
	c = judge(t, nil, asked{preferences: prefer("mean", "maximize", "1") + "," + prefer("max", "maximize", "1")}).Ranked[0]
	if u := c.Uncertainty; u.Level != "unknown" || !slices.Equal(u.Basis, basis) || !slices.Equal(u.Gaps, []string{"PREFERENCE_EVIDENCE_MISSING"}) {
		t.Errorf("uncertainty %+v", u)
	}
	c = judge(t, nil, asked{}).Ranked[0]
	if u := c.Uncertainty; u.Level != "unknown" || !slices.Equal(u.Basis, basis) || u.Gaps == nil || len(u.Gaps) != 0 {
		t.Errorf("uncertainty %+v", u)
	}
}

// TestKeysAreEscapedInSummaries puts a key with quotes into every summary.
func TestKeysAreEscapedInSummaries(t *testing.T) {
	const key = "a \"b\"\\\tc"
	c := judge(t, nil, asked{preferences: keyed(key, prefer("mean", "maximize", "1"))}).Ranked[0]
	if r := c.Reasons[0]; r.MeasurementKey != key || r.Summary != "missing evidence for "+key {
		t.Errorf("reason %+v", r)
	}
}

// compareReasons holds the reasons in JSON of the only candidate against its cells.
func compareReasons(t *testing.T, inJSON []reasonJSON, r *v3.Ranking) {
	t.Helper()
	criteria, n := r.Criteria(), 0
	for i, cell := range r.Outcomes()[0].Cells {
		if cell == nil || cell.Code == "" {
			continue
		}
		n++
		isOf := func(reason reasonJSON) bool {
			hasValue := strings.HasPrefix(cell.Code, "REQUIREMENT") || cell.Code == "PREFERENCE_SCORE"
			actual, expected := native(cell.Value), native(criteria[i].Expected)
			return reason.Code == cell.Code && reason.MeasurementKey == criteria[i].MeasurementKey && reason.ExecutionApplicability != nil &&
				(!hasValue || reason.Actual == actual) && (reason.Expected == nil || reason.Expected == expected) &&
				(reason.Contribution != nil) == cell.Contribution.Known && (reason.Contribution == nil || *reason.Contribution == cell.Contribution.Value)
		}
		if !slices.ContainsFunc(inJSON, isOf) {
			t.Errorf("no reason is like %+v: %+v", cell, inJSON)
		}
	}
	if n != len(inJSON) {
		t.Errorf("%d reasons in JSON, %d cells with one", len(inJSON), n)
	}
}

// native returns a scalar as encoding/json decodes it.
func native(s record.Scalar) any {
	switch s.Kind {
	case '0':
		return s.Float()
	case '"':
		return s.Text
	case 't', 'f':
		return s.Kind == 't'
	}
	return nil
}
