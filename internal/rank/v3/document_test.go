package v3_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

// richResult is a result that has every member: a choice within a tolerance, a frontier, flips, what
// to measure next, gaps of every kind and an ambiguity.
func richResult(t testing.TB) string {
	price := func(model, usd string) observed {
		return observed{model: model, evidence: "p" + model, execution: runtimeScope("rt"),
			measurements: measuredKey("price.input", "fact", usd, "USD/token") + "," + measuredKey("price.output", "fact", usd, "USD/token")}
	}
	var all []observed
	for model, shares := range map[string][]string{"a": {"80", "70"}, "b": {"78", "70"}, "c": {"50", "40"}} {
		for i, v := range shares {
			all = append(all, observed{model: model, evidence: model + v, task: "f/s/" + string(rune('1'+i)), measurements: sample(v, "percent")})
		}
	}
	all = append(all, price("a", "4e-6"), price("b", "1e-6"), price("c", "2e-6"),
		observed{model: "d", evidence: "d1", task: "f/s/1", evaluator: "x", measurements: sample("50", "percent")},
		observed{model: "d", evidence: "d2", task: "f/s/1", evaluator: "y", measurements: sample("60", "percent")})
	inventory := list(4, func(i int) string {
		id := string(rune('a' + i))
		return `{"id":"` + id + `","model":{"id":"` + id + `"},"execution":{"runtime":{"id":"rt"}}}`
	})
	text := strings.Replace(request("", `"preferences":[{"measurementKey":"k","aggregation":"mean","direction":"maximize","weight":1,"scale":{"low":0,"high":100},"transfer":["execution"]},
		{"id":"shown","measurementKey":"k","aggregation":"count","direction":"maximize","weight":0}],
		"requirements":[{"measurementKey":"price.input","aggregation":"fact","operator":"lte","value":1}],
		"cost":{"inputTokens":1000,"outputTokens":100,"requests":10},"choice":{"within":0.05,"by":"usd-per-task"},
		"keys":[{"key":"k","bounds":{"low":0,"high":100},"size":{"tasks":{"1":50,"2":50},"basis":"stated"}}]`),
		`"inventory":[]`, `"inventory":[`+inventory+`]`, 1)
	return mustWrite(t, mustEvaluate(t, newRanker(t, all...), mustRead(t, text)))
}

// Faults of a result name their places.
func TestResultFaults(t *testing.T) {
	text := richResult(t)
	if _, err := v3.ReadResult(problem.Source{Text: text}); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for _, test := range []struct{ old, new, path string }{
		{`"rank":2`, `"rank":3`, "$.ranked[1].rank"},
		{`"basis":"benchmark"`, `"basis":"unknown"`, "$.ranked[0].reasons[1].estimate.low"},
		{`"basis":"benchmark"`, `"basis":"guess"`, "$.ranked[0].reasons[1].estimate.basis"},
		{`"target":"benchmark"`, `"target":"other"`, "$.target"},
		{`"kind":"fixed"`, `"kind":"open"`, "$.scoreScale.kind"},
		{`"code":"PREFERENCE_SCORE"`, `"code":"REQUIREMENT_MET"`, "$.ranked[0].reasons[1].expected"},
		{`"within":0.05`, `"within":"much"`, "$.choice.within"},
		{`"isStepShown":`, `"isStep":`, "$.frontier[0].isStep"},
		{`"kind":"price"`, `"kind":"luck"`, ""},
	} {
		if !strings.Contains(text, test.old) {
			t.Errorf("the result has no %s: %s", test.old, text)
			continue
		}
		_, err := v3.ReadResult(problem.Source{Text: strings.Replace(text, test.old, test.new, 1)})
		faults := problem.All(err)
		if len(faults) == 0 || test.path != "" && faults[0].Path != test.path {
			t.Errorf("%s for %s: %v, want a fault at %s", test.new, test.old, err, test.path)
		}
	}
	if !json.Valid([]byte(text)) {
		t.Error("the result is no JSON")
	}
}
