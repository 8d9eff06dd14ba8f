package v3_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

func TestParseDemand(t *testing.T) {
	for text, want := range map[string]v3.Demand{
		"tools":                      {Key: "tools", Value: record.Scalar{Kind: 't'}},
		"tools=true":                 {Key: "tools", Value: record.Scalar{Kind: 't'}},
		"tools=false":                {Key: "tools", Value: record.Scalar{Kind: 'f'}},
		"lifecycle.status=beta":      {Key: "lifecycle.status", Value: record.Scalar{Kind: '"', Text: "beta"}},
		"price@context=200000=known": {Key: "price@context=200000", Value: record.Scalar{Kind: '"', Text: "known"}},
	} {
		if got, err := v3.ParseDemand(text); err != nil || got != want {
			t.Errorf("%s: %+v, error %v", text, got, err)
		}
	}
	for _, text := range []string{"=true", "tools=", "limits.context=5", "x=1e3"} {
		if got, err := v3.ParseDemand(text); err == nil {
			t.Errorf("%s: %+v", text, got)
		}
	}
	if got, err := v3.ParseWeight("score=2.5"); err != nil || got != (v3.Weight{Key: "score", Number: 2.5}) {
		t.Errorf("%+v, error %v", got, err)
	}
	for _, text := range []string{"score", "score=0", "score=-1", "score=2/M", "score=much", "=1"} {
		if got, err := v3.ParseWeight(text); err == nil {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

// What must be true, or a word, is a requirement like a bound: it chooses the runtime, and
// the candidates where a request cannot hold all.
func TestDraftDemands(t *testing.T) {
	var docs []string
	offer := func(model, runtime, output, status string, hasTools bool) {
		docs = append(docs, observed{model: model, execution: runtimeScope(runtime), evidence: model + runtime,
			measurements: measuredKey("price.output", "fact", output, "USD/token") + "," + measuredKey("status", "fact", `"`+status+`"`, "") + "," +
				measuredKey("tools", "fact", fmt.Sprint(hasTools), "")}.json())
	}
	offer("a", "cheap", "1e-6", "beta", false)
	offer("a", "dear", "9e-6", "stable", true)
	for i := range 128 {
		offer(fmt.Sprintf("m%03d", i), "cheap", "2e-6", "stable", i < 10)
	}
	docs = append(docs, observed{model: "a", task: "f", outcome: "accepted", execution: scope("lab", ""), measurements: measuredKey("score", "sample", "1", "")}.json(),
		observed{model: "m000", task: "f", outcome: "accepted", execution: scope("lab", ""), measurements: measuredKey("score", "sample", "2", "")}.json())
	c := mustCompile(t, "2026-07-18T00:00:00.000Z", docs)
	tools := v3.Demand{Key: "tools", Value: record.Scalar{Kind: 't'}}
	word := func(text string) v3.Demand {
		return v3.Demand{Key: "status", Value: record.Scalar{Kind: '"', Text: text}}
	}
	for _, question := range []v3.Question{{Require: []v3.Demand{tools}}, {Keys: []string{"tools"}, Minimize: []string{"price.output"}}} {
		text, leftOut, err := draftText(c, question)
		if err != nil || leftOut != 0 || !strings.Contains(unfolded(text), `"runtime": { "id": "dear" }`) ||
			!strings.Contains(unfolded(text), `"operator": "eq", "value": true }`) {
			t.Errorf("%s, error %v", text, err)
		}
	}
	text, _, err := draftText(c, v3.Question{Models: []string{"a"}, Require: []v3.Demand{word("beta"), {Key: "tools", Value: record.Scalar{Kind: 'f'}}}})
	if err != nil || !strings.Contains(unfolded(text), `"operator": "eq", "value": "beta" }`) || !strings.Contains(unfolded(text), `"operator": "eq", "value": false }`) ||
		!strings.Contains(unfolded(text), `"runtime": { "id": "cheap" }`) {
		t.Errorf("%s, error %v", text, err)
	}
	for reason, question := range map[string]v3.Question{
		"did you mean stable":        {Require: []v3.Demand{word("stabel")}},
		`no model has "x" as status`: {Require: []v3.Demand{word("x")}},
		"not true or false":          {Require: []v3.Demand{{Key: "status", Value: record.Scalar{Kind: 't'}}}},
		"score was measured":         {Require: []v3.Demand{{Key: "score", Value: record.Scalar{Kind: 't'}}}},
		"score has a weight, but":    {Require: []v3.Demand{tools}, Weights: []v3.Weight{{Key: "score", Number: 2}}},
	} {
		var unfit *v3.UnfitError
		if text, _, err := draftText(c, question); !errors.As(err, &unfit) || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: %s, error %v", reason, text, err)
		}
	}
	var absent *v3.AbsentError
	if _, _, err := draftText(c, v3.Question{Require: []v3.Demand{{Key: "tolls", Value: tools.Value}}}); !errors.As(err, &absent) || absent.Similar[0] != "tools" {
		t.Errorf("%v", err)
	}
	// Every model that there is not is named, not the first alone.
	_, _, err = draftText(c, v3.Question{Models: []string{"x", "a", "y"}, Minimize: []string{"price.output"}})
	if err == nil || !strings.Contains(err.Error(), `"x"`) || !strings.Contains(err.Error(), `"y"`) {
		t.Errorf("%v", err)
	}
	text, _, err = draftText(c, v3.Question{Maximize: []string{"score"}, Minimize: []string{"price.output"}, Weights: []v3.Weight{{Key: "score", Number: 2.5}}})
	if err != nil || !strings.Contains(unfolded(text), `"direction": "maximize", "weight": 2.5,`) || !strings.Contains(unfolded(text), `"direction": "minimize", "weight": 1`) {
		t.Errorf("%s, error %v", text, err)
	}
}

// Models of one short name are called by their whole ids. No line is wider than a page.
func TestDraftNamesAndLines(t *testing.T) {
	var docs []string
	for i, model := range []string{"acme/atlas", "other/atlas", "acme/borealis, the \\\"northern\\\" one, of which the name is long"} {
		for _, condition := range []string{"high", "low, and slow"} {
			docs = append(docs, observed{model: model, task: "f", outcome: "accepted", evidence: fmt.Sprintf("s%d-%d", i, len(condition)), measurements: measuredKey("a.score", "sample", "1", "percent"),
				execution: scope("lab", `workflow:{"id":"w","version":null,"condition":"`+condition+`"}`)}.json())
		}
		docs = append(docs, observed{model: model, execution: runtimeScope("a-runtime-of-a-long-name"), evidence: fmt.Sprint("p", i), measurements: measuredKey("price.output", "fact", "1e-6", "USD/token")}.json())
	}
	c := mustCompile(t, "2026-07-18T00:00:00.000Z", docs)
	text, _, err := draftText(c, v3.Question{Maximize: []string{"a.score"}, Minimize: []string{"price.output"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"id": "acme/atlas@high"`, `"id": "other/atlas@low, and slow"`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in %s", want, text)
		}
	}
	for line := range strings.Lines(text) {
		if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > 100 {
			t.Errorf("this line is too wide: %s", line)
		}
	}
	if _, err := v3.ReadRequest(problem.Source{Text: text}); err != nil {
		t.Error(err)
	}
}
