package v3_test

import (
	"errors"
	"os"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

func sampleRanker(t *testing.T) (*catalog.Catalog, *v3.Ranker) {
	t.Helper()
	text, err := os.ReadFile("../../../examples/models/catalog.json")
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Parse(t.Context(), problem.Source{Text: string(text)})
	if err != nil {
		t.Fatal(err)
	}
	return c, mustIndex(t, c)
}

// A question is answered as the request that a draft makes of it, and what a question writes asks the same.
func TestQuestion(t *testing.T) {
	c, ranker := sampleRanker(t)
	bound := func(text string) []v3.Bound {
		b, err := v3.ParseBound(text)
		if err != nil {
			t.Fatal(err)
		}
		return []v3.Bound{b}
	}
	question := v3.Question{AtLeast: bound("livebench.agentic-coding.score=30%"), AtMost: bound("price.output=5.5/M"), Maximize: []string{"livebench.agentic-coding.score"},
		Minimize: []string{"price.output"}, Weights: []v3.Weight{{Key: "price.output", Number: 0.5}}, Cheapest: true,
		Tokens: &v3.TaskTokens{Input: 3000, Output: 500, Requests: 7}, Confidence: 0.9, Target: "benchmark"}
	draft, err := v3.Draft(c, question)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{question.Text(), `{"cheapest":true,"within":null,"schemaVersion":"service.rank.question/v1","atLeast":{"livebench.agentic-coding.score":"30%"},
		"atMost":{"price.output":0.0000055},"maximize":["livebench.agentic-coding.score"],"minimize":["price.output"],"weights":{"price.output":0.5},
		"cost":{"inputTokens":3000,"outputTokens":500,"requests":7},"confidence":"90%","target":"benchmark"}`} {
		got, err := ranker.RankText(t.Context(), nil, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		want, err := ranker.RankText(t.Context(), nil, draft.Request.JSON(), 0)
		if err != nil || string(got) != string(want) {
			t.Errorf("%s\nhas another answer than the draft: %v", text, err)
		}
	}
}

// What is wrong with a question has a path.
func TestQuestionFaults(t *testing.T) {
	_, ranker := sampleRanker(t)
	const begin = `{"schemaVersion":"service.rank.question/v1",`
	for text, path := range map[string]string{
		begin + `"maximize":["livebench.agentic-coding.score","no.key"]}`:    "$.maximize[1]",
		begin + `"maximize":["limits.context"],"runtimes":["nobody"]}`:       "$.runtimes[0]",
		begin + `"maximize":["limits.context"],"models":["nobody/x"]}`:       "$.models[0]",
		begin + `"atMost":{"no.key":1}}`:                                     "$.atMost",
		begin + `"atMost":{"limits.context":"5/x"}}`:                         "$.atMost.limits.context",
		begin + `"within":"101%"}`:                                           "$.within",
		begin + `"confidence":0.2}`:                                          "$.confidence",
		begin + `"inventory":[]}`:                                            "$.inventory",
		begin + `"target":"both"}`:                                           "$.target",
		begin + `"weights":{"a":0}}`:                                         "$.weights.a",
		begin + `"all":true,"models":["a/b"],"maximize":["limits.context"]}`: "$",
	} {
		_, err := ranker.Read(problem.Source{Text: text})
		fault, ok := errors.AsType[*problem.Error](err)
		if !ok || fault.Code != problem.InvalidRankRequest || fault.Path != path {
			t.Errorf("%s: %v, want a fault at %s", text, err, path)
		}
	}
}
