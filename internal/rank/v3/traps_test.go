package v3_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

// What stopped people when they tried versions 1 and 2 on real questions, as they
// would meet it.

// aider asks for the scores of one benchmark, for candidates as they are really run.
const aider = `{"schemaVersion":"service.rank.request/v3","inventory":[
	{"id":"gpt-5","model":{"id":"openai/gpt-5"},"execution":{"runtime":{"id":"openrouter"}}},
	{"id":"grok-4","model":{"id":"x-ai/grok-4"},"execution":{"runtime":{"id":"openrouter"}}}],
	"preferences":[{"id":"aider","measurementKey":"aider.polyglot.pass_rate_2","aggregation":"mean","resolve":["newest"],%s
		"direction":"maximize","weight":1,"scale":{"low":0,"high":100}}]}`

// A candidate need not pose as the harness of a benchmark to use its scores. The
// result says what was carried over, and without leave for that, what stands against it.
func TestScoresOfAnotherHarness(t *testing.T) {
	k := mustIndex(t, exampleCatalog(t))
	harnesses := map[string][]string{"gpt-5": {"adapter", "runtime.id", "workflow", "workflow.condition"}, "grok-4": {"adapter", "workflow", "workflow.condition"}} // which ran on openrouter
	r := mustRank(t, k, mustRead(t, fmt.Sprintf(aider, "")))
	for _, c := range r.Ranked {
		reason, harness := c.Reasons[0], harnesses[c.CandidateID]
		if c.Score != 0 || c.Coverage != 0 || reason.Code != "INCOMPARABLE_EVIDENCE" || !slices.Equal(reason.ExecutionApplicability.MismatchedDimensions, harness) {
			t.Errorf("without transfer %s has the score %v, since %+v", c.CandidateID, c.Score, reason)
		}
	}
	r = mustRank(t, k, mustRead(t, fmt.Sprintf(aider, `"transfer":["execution"],`)))
	for i, want := range []float64{0.88, 0.796} {
		c := r.Ranked[i]
		reason, harness := c.Reasons[0], harnesses[c.CandidateID]
		if math.Abs(c.Score-want) > 1e-9 || c.Coverage != 1 || !slices.Equal(reason.ExecutionApplicability.TransferredDimensions, harness) {
			t.Errorf("with transfer %s has the score %v, since %+v", c.CandidateID, c.Score, reason)
		}
		for _, dimension := range harness {
			if !slices.Contains(c.Uncertainty.Gaps, "evidence of another "+dimension) {
				t.Errorf("%s does not say that it is of another %s: %q", c.CandidateID, dimension, c.Uncertainty.Gaps)
			}
		}
	}
}

// With scales that the request fixes, who else is asked about moves no score. With
// scales that the best and the worst set, the last candidate does.
func TestScoresWithoutTheOthers(t *testing.T) {
	k := mustIndex(t, exampleCatalog(t))
	for _, test := range []struct {
		request string
		moves   bool
	}{
		{exampleRequest(t), false},
		{strings.ReplaceAll(exampleRequest(t), `, "scale": { "low": 0, "high": 100 }`, ""), true},
	} {
		all := scores(mustRank(t, k, mustRead(t, test.request)))
		moved := false
		for id := range all {
			for other, score := range scores(mustRank(t, k, mustRead(t, without(t, test.request, id)))) {
				if score != all[other] {
					moved = true
					if !test.moves {
						t.Errorf("without %s the score of %s is %v, not %v", id, other, score, all[other])
					}
				}
			}
		}
		if moved != test.moves {
			t.Errorf("scores move: %v, want %v", moved, test.moves)
		}
	}
}

func scores(r *v3.Result) map[string]float64 {
	all := map[string]float64{}
	for _, c := range r.Ranked {
		all[c.CandidateID] = c.Score
	}
	return all
}

// without removes a candidate from a request.
func without(t *testing.T, request, id string) string {
	t.Helper()
	var q map[string]any
	if err := json.Unmarshal([]byte(request), &q); err != nil {
		t.Fatal(err)
	}
	q["inventory"] = slices.DeleteFunc(q["inventory"].([]any), func(c any) bool { return c.(map[string]any)["id"] == id })
	text, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Missing evidence does not look like bad evidence: a candidate shows for how much of
// the weight there is any, and may be excluded for it.
func TestScoresWithoutEvidence(t *testing.T) {
	k := mustIndex(t, exampleCatalog(t))
	unseen := `"inventory": [ { "id": "unseen", "model": { "id": "acme/unseen" }, "execution": { "runtime": { "id": "openrouter" } } },`
	text := strings.Replace(exampleRequest(t), `"inventory": [`, unseen, 1)
	text = text[:strings.Index(text, `"requirements"`)] + text[strings.Index(text, `"preferences"`):] // which it does not meet
	r := mustRank(t, k, mustRead(t, strings.Replace(text, `"inventory"`, `"minimumCoverage": 0, "inventory"`, 1)))
	last := r.Ranked[len(r.Ranked)-1]
	if last.CandidateID != "unseen" || last.Score != 0 || last.Coverage != 0 || last.AmongBest != nil {
		t.Errorf("%s is last with the coverage %v, among the best: %v", last.CandidateID, last.Coverage, last.AmongBest)
	}
	r = mustRank(t, k, mustRead(t, strings.Replace(text, `"inventory"`, `"minimumCoverage": 0.5, "inventory"`, 1)))
	if len(r.Excluded) != 1 || len(r.Ranked) != 6 {
		t.Fatalf("%d candidates are excluded, %d ranked", len(r.Excluded), len(r.Ranked))
	}
	reasons := r.Excluded[0].Reasons
	reason := reasons[len(reasons)-1]
	if reason.Code != "NO_EVIDENCE" || reason.Summary != "evidence for 0 of the weight, not 0.5" || reason.Actual.Text != "0" || reason.Expected.Text != "0.5" {
		t.Errorf("it is excluded since %+v", reason)
	}
}
