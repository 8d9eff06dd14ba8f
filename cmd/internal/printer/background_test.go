package printer

import (
	"testing"

	"github.com/model-catalog-service/svc/internal/compare/comparetest"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// A difference of scores has the unit of what was measured, if that alone makes the score.
func TestDistance(t *testing.T) {
	for want, s := range map[string]scale{
		"0.25":                     {},
		"25 points":                {true, "percent", 0, 100, 1},
		"1 point":                  {true, "percent", 0, 100, 25},
		"12.5 points":              {true, "percent", 0, 100, 2},
		"$0.25 per million tokens": {true, "USD/token", 1e-6, 2e-6, 1},
		"200 tokens":               {true, "tokens", 100, 900, 1},
	} {
		if got := s.distance(0.25); got != want {
			t.Errorf("%+v: %s, not %s", s, got, want)
		}
	}
	s := scale{true, "USD/token", 0.1e-6, 0.3e-6, 1}
	if got := s.distance(0.2850000000000001); got != "$0.057 per million tokens" {
		t.Error(got)
	}
}

// A sum is explained, in dollars if it adds up prices of tokens, and so are the tasks of a score.
func TestLegends(t *testing.T) {
	cost := &asked{units: map[string]string{"in": "USD/token", "out": "USD/token"}}
	cost.Sum = append(cost.Sum, struct {
		MeasurementKey string
		Factor         float64
	}{"in", 20000}, struct {
		MeasurementKey string
		Factor         float64
	}{"out", 3000})
	score := &asked{tasks: map[string]bool{"b": true, "a": true, "c": true}}
	b := &Background{criteria: map[string]*asked{"cost": cost, "score": score}}
	estimate := func(value float64, method string) *v3.Finding {
		return &v3.Finding{Estimate: &v3.Estimate{Value: value, Method: method}}
	}
	reasons := []v3.Reason{{Criterion: "score", MeasurementKey: "score", Finding: estimate(1, "cluster-robust")}, {Criterion: "cost", Finding: estimate(0.5, "exact")}}
	r := &v3.Result{Ranked: []v3.Candidate{{Reasons: reasons}, {Reasons: reasons}}}
	want := []string{"The tasks of score: a, b and c.", "cost is the price of 20,000 tokens of in and 3,000 tokens of out."}
	check := func() {
		t.Helper()
		if got := b.legends(r); len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
			t.Errorf("%q, not %q", got, want)
		}
	}
	check()
	if value, _, _ := b.estimate(&reasons[1]); value != "$0.50" {
		t.Error(value)
	}
	cost.units["out"] = "" // of a unit that is not known
	want[1] = "cost is 20,000 × in + 3,000 × out."
	check()
	if value, _, _ := b.estimate(&reasons[1]); value != "0.5" {
		t.Error(value)
	}
	if reasons[1].Estimate.Unit != record.Text("") {
		t.Error("the result has changed")
	}
}

// An answer holds until the first of its numbers expires: of those that it used.
func TestExpiry(t *testing.T) {
	stated := func(key, until string, value int) comparetest.Statement {
		return comparetest.Statement{ID: "m", From: comparetest.May1, Until: until, Measurements: []any{comparetest.Fact(key, value)}}
	}
	const june3, june4, june5 = "2026-06-03T00:00:00.000Z", "2026-06-04T12:00:00.000Z", "2026-06-05T00:00:00.000Z"
	for want, statements := range map[string][]comparetest.Statement{
		"The first of these numbers expires on 2026-06-04.": {stated("score", june5, 1), stated("limit", june4, 1), stated("else", june3, 1)},
		// What had expired before counts for nothing.
		"The first of these numbers expires on 2026-06-05.": {stated("score", "2026-06-01T00:00:00.000Z", 1), stated("limit", june5, 1)},
		"": {stated("score", "", 1), stated("limit", "", 1), stated("else", june3, 1)},
	} {
		_, b := answered(t, comparetest.Compile(t, comparetest.June2, statements...), `{"schemaVersion":"service.rank.request/v3",
			"inventory":[{"id":"a","model":{"id":"m"}}],"requirements":[{"measurementKey":"limit","aggregation":"fact","operator":"gte","value":1}],
			"preferences":[{"measurementKey":"score","aggregation":"fact","direction":"maximize","weight":1}]}`)
		if got := b.expiryText(); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
