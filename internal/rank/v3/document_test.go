package v3_test

import (
	"testing"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

// richResult is a result in which every part of a document occurs.
func richResult(t testing.TB) string {
	t.Helper()
	harness := `workflow:{"id":"w","version":"1","condition":"high"}`
	k := newRanker(t,
		observed{model: "a", measurements: sample("1", "s"), task: "f/s/1", gaps: `"gap"`},
		observed{model: "a", measurements: sample("2", "s"), task: "f/s/2"},
		observed{model: "b", measurements: sample("3", "s"), task: "f/s/1"},
		observed{model: "b", measurements: sample("5", "s"), task: "f/s/2", execution: scope("rt", harness)},
		observed{model: "c", measurements: sample("4", "s"), task: "f/s/2", source: "first-party"},
		observed{model: "c", measurements: fact("9", "")},
	)
	return mustWrite(t, mustEvaluate(t, k, mustRead(t, request("a b c d", `"requirements":[{"measurementKey":"k","aggregation":"count","transfer":["execution"],"operator":"gte","value":1}],
		"preferences":[{"measurementKey":"k","aggregation":"mean","direction":"maximize","weight":1}],
		"tieBreakers":[{"measurementKey":"k","aggregation":"mean","direction":"minimize","transfer":["execution"]}],
		"advisories":[{"id":"x","measurementKey":"k","aggregation":"fact"},{"id":"y","measurementKey":"k","aggregation":"max","transfer":["execution"]}]`))))
}

// edit makes the result faulty: it puts a value in the place of one, or removes it.
func edit(t *testing.T, text, value string, path ...any) string {
	t.Helper()
	at := ijson.Locate(text, path...)
	if at < 0 {
		t.Fatalf("no %s in %s", ijson.PathOf(path...), text)
	}
	end := ijson.SpanEnd(text, at)
	return text[:at] + value + text[end:]
}

// What a result may not be is refused at its path.
func TestResultFaults(t *testing.T) {
	text := richResult(t)
	type fault struct {
		value string
		path  []any
		want  string // the path, if it is another one
	}
	var faults []fault
	add := func(value, want string, path ...any) { faults = append(faults, fault{value, path, want}) }
	for _, value := range []string{"null", `"service.rank.result/v2"`} {
		add(value, "", "schemaVersion")
	}
	add(`"x"`, "", "catalog", "digest")
	add(`"2026-01-01"`, "", "catalog", "asOf")
	add(`""`, "", "task", "family")
	add(`"often"`, "", "statistics", "correction")
	add(`-1`, "", "statistics", "comparisons")
	add(`"relative"`, "", "scoreScale", "kind")
	add(`"1"`, "", "scoreScale", "scales", 0, "low")
	add(`2`, "", "ranked", 0, "rank")
	add(`0`, "", "ranked", 0, "tieGroup")
	add(`9`, "", "ranked", 1, "tieGroup")
	add(`null`, "", "ranked", 0, "score")
	add(`{}`, "$.ranked[0].model.id", "ranked", 0, "model")
	add(`[" "]`, "$.ranked[0].execution.toolSurface[0]", "ranked", 0, "execution", "toolSurface")
	add(`["a","a"]`, "", "ranked", 0, "execution", "toolSurface")
	add(`{"class":"c","accelerator":null,"memoryBytes":-1}`, "$.ranked[0].execution.hardware.memoryBytes", "ranked", 0, "execution", "hardware")
	add(`{"id":"w","version":null}`, "$.ranked[0].execution.workflow.condition", "ranked", 0, "execution", "workflow")
	add(`"won"`, "", "ranked", 1, "comparison", "outcome")
	add(`[1]`, "$.ranked[1].comparison.unknown[0]", "ranked", 1, "comparison", "unknown")
	add(`"GOOD"`, "", "ranked", 0, "reasons", 0, "code")
	add(`"MISSING_EVIDENCE"`, "$.ranked[0].reasons[0].actual", "ranked", 0, "reasons", 0, "code")
	add(`"PREFERENCE_SCORE"`, "$.ranked[0].reasons[0].expected", "ranked", 0, "reasons", 0, "code")
	add(`"AMBIGUOUS_EVIDENCE"`, "$.ranked[0].reasons[0].actual", "ranked", 0, "reasons", 0, "code")
	add(`"COVERAGE_TOO_LOW"`, "$.ranked[0].reasons[0].criterion", "ranked", 0, "reasons", 0, "code")
	add(`null`, "", "ranked", 0, "reasons", 0, "criterion")
	add(`null`, "", "ranked", 0, "reasons", 0, "actual")
	add(`"fuzzy"`, "", "ranked", 0, "reasons", 0, "estimate", "method")
	add(`null`, "", "ranked", 0, "reasons", 0, "estimate", "low")
	add(`"unknown"`, "$.ranked[0].reasons[0].estimate.standardError", "ranked", 0, "reasons", 0, "estimate", "method")
	add(`["full"]`, "$.ranked[0].reasons[0].executionApplicability.matchedKinds[0]", "ranked", 0, "reasons", 0, "executionApplicability", "matchedKinds")
	add(`["harness"]`, "$.ranked[0].reasons[0].executionApplicability.transferredDimensions[0]", "ranked", 0, "reasons", 0, "executionApplicability", "transferredDimensions")
	add(`["x"]`, "$.ranked[0].evidence[0].observationIds[0]", "ranked", 0, "evidence", 0, "observationIds")
	add(`["x"]`, "$.ranked[0].evidence[0].overruled[0]", "ranked", 0, "evidence", 0, "overruled")
	add(`["x","x"]`, "", "ranked", 0, "evidence", 0, "evidenceIds")
	add(`"none"`, "", "ranked", 0, "uncertainty", "level")
	add(`"known"`, "", "ranked", 0, "advisories", 0, "status")
	add(`"present"`, "$.ranked[1].advisories[0].value", "ranked", 1, "advisories", 0, "status")
	add(`"missing"`, "$.ranked[0].advisories[1].value", "ranked", 0, "advisories", 1, "status")
	add(`[]`, "$.excluded[0].model", "excluded", 0, "model")
	for _, f := range faults {
		want := f.want
		if want == "" {
			want = "$" + ijson.PathOf(f.path...)
		}
		_, err := v3.ReadResult(problem.Source{Name: "result.json", Text: edit(t, text, f.value, f.path...)})
		list := problem.All(err)
		if len(list) == 0 || list[0].Path != want || list[0].Place.File != "result.json" || list[0].Code != "" {
			t.Errorf("%s in the place of %s: %v, want a fault at %s", f.value, ijson.PathOf(f.path...), err, want)
		}
	}
}
