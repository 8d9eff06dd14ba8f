package rank_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"strings"
	"testing"
	"time"

	insidecatalog "github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/catalog"
	"github.com/model-catalog-service/svc/service/internal/servicetest"
	"github.com/model-catalog-service/svc/service/rank"
	"github.com/model-catalog-service/svc/service/record"
)

// models returns a catalog of real prices and benchmarks.
func models() *catalog.Catalog {
	c, err := catalog.Parse(context.Background(), servicetest.Read("models/catalog.json"))
	if err != nil {
		log.Fatal(err)
	}
	return c
}

// A question becomes the request that svc new request writes of the same options.
func TestDraftRankRequest(t *testing.T) {
	c := models()
	const score, context = "livebench.agentic-coding.score", "limits.context"
	for name, test := range map[string]struct {
		question record.RankQuestion
		same     v3.Question
	}{
		"bounds": {
			record.RankQuestion{AtLeast: map[string]string{context: "200k"}, AtMost: map[string]string{"price.output": "5/M", "price.input": "0.00001"}, Maximize: []string{score}, Cheapest: true},
			v3.Question{AtLeast: []v3.Bound{{Key: context, Number: 200_000}},
				AtMost: []v3.Bound{{Key: "price.input", Number: 1e-5}, {Key: "price.output", Number: 5e-6}}, Maximize: []string{score}, Cheapest: true},
		},
		"candidates": {
			record.RankQuestion{Models: []string{"zhipuai/glm-5.2", "openai/gpt-5.4"}, Runtimes: []string{"openrouter", "openai"}, Minimize: []string{"price.input"}, Keys: []string{score}},
			v3.Question{Models: []string{"zhipuai/glm-5.2", "openai/gpt-5.4"}, Runtimes: []string{"openrouter", "openai"}, Minimize: []string{"price.input"}, Keys: []string{score}},
		},
		"weights": {
			record.RankQuestion{All: true, Maximize: []string{score, context}, Weights: map[string]float64{score: 3, context: 0.5}},
			v3.Question{All: true, Maximize: []string{score, context}, Weights: []v3.Weight{{Key: score, Number: 3}, {Key: context, Number: 0.5}}},
		},
	} {
		request, err := rank.Draft(c, test.question)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if want := draft(t, c, test.same); request.JSON() != want {
			t.Errorf("%s: %s, want %s", name, request.JSON(), want)
		}
	}
}

// What must be true, false or a word, and shares of trials, are asked like options, too.
func TestDraftRankRequestOfValues(t *testing.T) {
	statement := func(model string, tools bool, status string) string {
		return fmt.Sprintf(`{"schemaVersion":"service.observation/v2","kind":"declaration","model":{"id":%q,"revision":null,"quantization":null},"execution":null,"task":null,
"measurements":[{"key":"tools","kind":"fact","value":%t},{"key":"status","kind":"fact","value":%q},{"key":"solved","kind":"sample","value":0.5},{"key":"total","kind":"sample","value":40}],
"outcome":null,"usage":null,"sourceClass":"external","evidence":[{"id":%[1]q,"kind":"page","uri":null,"digest":null,"observedAt":"2026-01-01T00:00:00.000Z"}],
"freshness":{"observedAt":"2026-01-01T00:00:00.000Z","validUntil":null},"uncertainty":{"level":"low","basis":["read"],"gaps":[]}}`, model, tools, status)
	}
	c, err := catalog.Compile(context.Background(), []string{statement("a", true, "beta"), statement("b", false, "beta")}, catalog.CompileOptions{AsOf: time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	request, err := rank.Draft(c, record.RankQuestion{
		Require: map[string]any{"tools": false, "status": "beta"}, Maximize: []string{"solved"}, Trials: map[string]string{"solved": "total"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := draft(t, c, v3.Question{
		Require:  []v3.Demand{{Key: "status", Value: record.Scalar{Kind: '"', Text: "beta"}}, {Key: "tools", Value: record.Scalar{Kind: 'f'}}},
		Maximize: []string{"solved"}, Trials: []v3.Shares{{Key: "solved", Count: "total"}},
	})
	if request.JSON() != want {
		t.Errorf("%s, want %s", request.JSON(), want)
	}
}

// draft returns the normal form of the request that is made of a question.
func draft(t *testing.T, c *catalog.Catalog, question v3.Question) string {
	t.Helper()
	inner, err := insidecatalog.Parse(context.Background(), problem.Source{Text: catalog.Serialize(c)})
	if err != nil {
		t.Fatal(err)
	}
	made, err := v3.Draft(inner, question)
	if err != nil {
		t.Fatal(err)
	}
	return made.Request.JSON()
}

func TestDraftRankRequestRefusals(t *testing.T) {
	c := models()
	const key = "price.output"
	var absent *catalog.AbsentNameError
	if _, err := rank.Draft(c, record.RankQuestion{Minimize: []string{"price.outptu"}}); !errors.As(err, &absent) || absent.Closest != key {
		t.Errorf("an absent key: %v", err)
	}
	_, err := rank.Draft(c, record.RankQuestion{Models: []string{"zhipuai/glm5.2", "nobody/nothing"}, Minimize: []string{key}})
	if err == nil || !strings.Contains(err.Error(), "did you mean zhipuai/glm-5.2?") || !strings.Contains(err.Error(), `model "nobody/nothing"`) {
		t.Errorf("absent models: %v", err)
	}
	for reason, question := range map[string]record.RankQuestion{
		"must be a bool or a string": {Require: map[string]any{key: 3}},
		"finite number above 0":      {Minimize: []string{key}, Weights: map[string]float64{key: math.Inf(1)}},
		"not NaN":                    {Minimize: []string{key}, Weights: map[string]float64{key: math.NaN()}},
		"is not a number":            {AtMost: map[string]string{key: "a=1"}},
		"price.output: ":             {AtMost: map[string]string{key: "cheap"}},
		"USD/token":                  {AtMost: map[string]string{key: "5"}},
		"exclude each other":         {All: true, Models: []string{"openai/gpt-5.4"}},
	} {
		request, err := rank.Draft(c, question)
		var fault *service.Error
		if !errors.As(err, &fault) || fault.Code != service.InvalidRankRequest || !strings.Contains(fault.Reason, reason) || request != nil {
			t.Errorf("%s: %v", reason, err)
		}
	}
}
