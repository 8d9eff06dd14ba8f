package v3_test

import (
	"errors"
	"strings"
	"testing"

	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

// The cheapest of the good ones is the one that was measured to cost least, at its own effort, not by prices.
func TestMeasuredCost(t *testing.T) {
	var all []observed
	add := func(model, effort, score, usd string) {
		scope := scope("harness", `workflow:{"id":"w","version":null,"condition":"effort=`+effort+`"}`)
		all = append(all, observed{model: model, evidence: model + effort, execution: scope, task: "f/s", outcome: "accepted",
			measurements: measuredKey("score", "sample", score, "percent") + "," + measuredKey("run.cost", "sample", usd, "USD")})
	}
	add("a", "high", "80", "40")
	add("a", "low", "79", "3")
	add("b", "high", "78.5", "9")
	all = append(all, observed{model: "c", evidence: "c", task: "f/s", measurements: measuredKey("other.cost", "sample", "1", "USD")})
	k := newRanker(t, all...)
	for _, tt := range []struct{ measured, want string }{
		{v3.AnyMeasured, "a@effort=low"}, {"run.cost", "a@effort=low"},
		{"nope", `no observation has the key "nope"`}, {"score", "nobody measured what models cost, in dollars, under score"},
	} {
		draft, err := k.Draft(v3.Question{Maximize: []string{"score"}, Cheapest: true, Measured: tt.measured})
		if err != nil {
			if !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("%s: %v, want %s", tt.measured, err, tt.want)
			}
			continue
		}
		result := mustRank(t, k, draft.Request)
		if got := result.Choice.CandidateID; got != tt.want {
			t.Errorf("%s: %s, want %s", tt.measured, got, tt.want)
		}
		text := strings.Join(result.Answer.Choice, " ")
		if !strings.Contains(text, "Its run.cost is $3.00; that of a@effort=high is $40.00.") || strings.Contains(text, "a task") {
			t.Errorf("%s: the answer is %s", tt.measured, text)
		}
	}
	unfit := &v3.UnfitError{}
	both := v3.Question{Maximize: []string{"score"}, Measured: "run.cost", Tokens: v3.UsualTokens()}
	if _, err := k.Draft(both); !errors.As(err, &unfit) {
		t.Errorf("tokens beside a measured cost: %v", err)
	}
	asked := v3.Question{Maximize: []string{"score"}, Cheapest: true, Measured: "nope"}
	_, err := k.Draft(asked)
	if faults := asked.FaultOf(err, "$"); len(faults) != 1 || faults[0].Path != "$.measuredCost" {
		t.Errorf("faults are %v", faults)
	}
}

func TestParseMeasured(t *testing.T) {
	for text, want := range map[string]string{"measured": v3.AnyMeasured, "measured:a:b": "a:b", "measured:": "", "list": "", "": ""} {
		if got, err := v3.ParseMeasured(text); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}
