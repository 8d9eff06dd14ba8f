package printer

import (
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/quantity"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

func TestGapsInWords(t *testing.T) {
	number := func(s string) record.Scalar { return record.Scalar{Kind: '0', Text: s} }
	long := strings.Repeat("k", 256)
	judged := func(code, key, operator string, actual, expected record.Scalar) judgement {
		return judgement{&v3.Criterion{MeasurementKey: key, Operator: operator, Expected: expected}, &v3.Cell{Code: code, Value: actual, Met: code == "REQUIREMENT_MET"}}
	}
	lacks := func(code, key string) judgement { return judged(code, key, "", record.Scalar{}, record.Scalar{}) }
	reasons := []judgement{
		judged("REQUIREMENT_MET", "met", "gte", number("2"), number("1")),
		judged("REQUIREMENT_NOT_MET", "low", "gte", number("1"), number("2")),
		judged("REQUIREMENT_NOT_MET", "s", "eq", record.Scalar{Kind: '"', Text: "a\u202eb"}, record.Scalar{Kind: 't'}),
		judged("REQUIREMENT_NOT_MET", long, "lte", number("2"), number("1")),
		lacks("MISSING_EVIDENCE", "gone"), lacks("PREFERENCE_EVIDENCE_MISSING", "wish"), lacks("STALE_EVIDENCE", "old"),
		lacks("CONFLICTING_EVIDENCE", "torn"), lacks("INCOMPARABLE_EVIDENCE", "other"),
		{&v3.Criterion{MeasurementKey: "good"}, &v3.Cell{Code: "PREFERENCE_SCORE", Contribution: record.NewFloat(1.25), Value: number("0.5")}},
	}
	want := []string{
		"low is 1, less than 2",
		`s is "a\u202eb", not true`,
		strings.Repeat("k", 39) + "… is 2, more than 1",
		"gone: no evidence",
		"wish: no evidence",
		"old: the evidence has expired",
		"torn: the evidence contradicts itself",
		"other: the evidence cannot be compared",
	}
	got, shared := gaps(reasons)
	if !slices.Equal(got, want) {
		t.Errorf("gaps\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for i, value := range []string{"1, ", `"a\u202eb", `, "2, "} { // the same without the values
		want[i] = strings.Replace(want[i], value, "", 1)
	}
	if !slices.Equal(shared, want) {
		t.Errorf("without values\n%s\nwant\n%s", strings.Join(shared, "\n"), strings.Join(want, "\n"))
	}
	if got := contributions(reasons, quantity.Digits); !slices.Equal(got, []string{"+1.25 good = 0.5"}) {
		t.Errorf("contributions %q", got)
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
