package printer

import (
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/quantity"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

func TestContributions(t *testing.T) {
	number := record.Scalar{Kind: '0', Text: "0.5"}
	got := contributions([]judgement{
		{&v3.Criterion{MeasurementKey: "gone"}, &v3.Cell{Code: "MISSING_EVIDENCE"}},
		{&v3.Criterion{MeasurementKey: "good"}, &v3.Cell{Code: "PREFERENCE_SCORE", Contribution: record.NewFloat(1.25), Value: number}},
	}, quantity.Digits)
	if !slices.Equal(got, []string{"+1.25 good = 0.5"}) {
		t.Errorf("contributions %q", got)
	}
}

// What a candidate lacks commands no terminal.
func TestHostileObstacles(t *testing.T) {
	got := newExclusion(&v3.Obstacles{CandidateID: "a\x1b[31m", Lines: []string{"s is \u202e, not 1"}, Shared: []string{"s\x07 is not 1"}}, "m")
	if want := (exclusion{`a\x1b[31m`, "m", []string{`s is \u202e, not 1`}, `s\a is not 1`}); got.candidate != want.candidate || got.because != want.because || !slices.Equal(got.lines, want.lines) {
		t.Errorf("%+v, not %+v", got, want)
	}
}

// Numbers for people have four digits, a unit, and what they were made of.
func TestActualText(t *testing.T) {
	number := func(s string) record.Scalar { return record.Scalar{Kind: '0', Text: s} }
	for want, test := range map[string]struct {
		aggregation  string
		actual       record.Scalar
		unit         string
		measurements int
	}{
		"0.75 (3 of 4)":            {"success-rate", number("0.75"), "", 4},
		"61.54% (mean of 12)":      {"mean", number("61.538461"), "percent", 12},
		"12 s (min of 3)":          {"min", number("12"), "s", 3},
		"12 s":                     {"mean", number("12"), "s", 1},
		"7":                        {"count", number("7"), "", 7},
		"$1.90 per million tokens": {"fact", number("0.0000019"), "USD/token", 2},
		"$3.00":                    {"fact", number("3"), "USD", 0},
		"−$0.0015":                 {"fact", number("-0.0015"), "USD", 0},
		"200,000 tokens":           {"fact", number("200000"), "tokens", 0},
		`5 \x1b[31mred`:            {"fact", number("5"), "\x1b[31mred", 0},
		"true":                     {"fact", record.Scalar{Kind: 't'}, "", 0},
	} {
		j := judgement{&v3.Criterion{Aggregation: test.aggregation}, &v3.Cell{Value: test.actual, Unit: test.unit, ObservationIDs: make([]string, test.measurements)}}
		if got := actualText(&j, quantity.Digits); got != want {
			t.Errorf("%+v: %s, want %s", test, got, want)
		}
	}
}

func TestBar(t *testing.T) {
	for _, test := range []struct {
		score, maximum float64
		full           int
	}{{0, 3, 0}, {1.5, 3, 6}, {3, 3, 12}, {3.0000001, 3, 12}, {0.01, 3, 0}, {1e308, 1.7e308, 7}} {
		want := strings.Repeat("█", test.full) + strings.Repeat("░", 12-test.full)
		if got := scoreBar(test.score, test.maximum); got != want {
			t.Errorf("scoreBar(%g, %g) is %s, want %s", test.score, test.maximum, got, want)
		}
	}
	if got := scoreBar(0, 0); got != "" {
		t.Errorf("the bar where nothing is preferred is %s", got)
	}
}
