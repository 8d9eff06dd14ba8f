package printer

import (
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/quantity"
	"github.com/model-catalog-service/svc/internal/rank"
	"github.com/model-catalog-service/svc/service/record"
)

func TestGapsInWords(t *testing.T) {
	number := func(s string) record.Scalar { return record.Scalar{Kind: '0', Text: s} }
	long := strings.Repeat("k", 256)
	reasons := []rank.Reason{
		{Code: rank.RequirementMet, MeasurementKey: "met", Summary: "met satisfied gte", Actual: number("2"), Expected: number("1")},
		{Code: rank.RequirementNotMet, MeasurementKey: "low", Operator: "gte", Actual: number("1"), Expected: number("2")},
		{Code: rank.RequirementNotMet, MeasurementKey: "s", Operator: "eq",
			Actual: record.Scalar{Kind: '"', Text: "a\u202eb"}, Expected: record.Scalar{Kind: 't'}},
		{Code: rank.RequirementNotMet, MeasurementKey: long, Operator: "lte", Actual: number("2"), Expected: number("1")},
		{Code: rank.MissingEvidence, MeasurementKey: "gone"},
		{Code: rank.PreferenceEvidenceMissing, MeasurementKey: "wish"},
		{Code: rank.StaleEvidence, MeasurementKey: "old"},
		{Code: rank.ConflictingEvidence, MeasurementKey: "torn"},
		{Code: rank.IncomparableEvidence, MeasurementKey: "other"},
		{Code: rank.PreferenceScore, MeasurementKey: "good", Contribution: 1.25, Actual: number("0.5")},
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
	for want, r := range map[string]rank.Reason{
		"0.75 (3 of 4)":            {Aggregation: "success-rate", Actual: record.Scalar{Kind: '0', Text: "0.75"}, Measurements: 4},
		"61.54% (mean of 12)":      {Aggregation: "mean", Actual: record.Scalar{Kind: '0', Text: "61.538461"}, Unit: "percent", Measurements: 12},
		"12 s (min of 3)":          {Aggregation: "min", Actual: record.Scalar{Kind: '0', Text: "12"}, Unit: "s", Measurements: 3},
		"12 s":                     {Aggregation: "mean", Actual: record.Scalar{Kind: '0', Text: "12"}, Unit: "s", Measurements: 1},
		"7":                        {Aggregation: "count", Actual: record.Scalar{Kind: '0', Text: "7"}, Measurements: 7},
		"$1.90 per million tokens": {Aggregation: "fact", Actual: record.Scalar{Kind: '0', Text: "0.0000019"}, Unit: "USD/token", Measurements: 2},
		"$3.00":                    {Aggregation: "fact", Actual: record.Scalar{Kind: '0', Text: "3"}, Unit: "USD"},
		"−$0.0015":                 {Aggregation: "fact", Actual: record.Scalar{Kind: '0', Text: "-0.0015"}, Unit: "USD"},
		"200,000 tokens":           {Aggregation: "fact", Actual: record.Scalar{Kind: '0', Text: "200000"}, Unit: "tokens"},
		`5 \x1b[31mred`:            {Aggregation: "fact", Actual: record.Scalar{Kind: '0', Text: "5"}, Unit: "\x1b[31mred"},
		"true":                     {Aggregation: "fact", Actual: record.Scalar{Kind: 't'}},
	} {
		if got := actualText(&r, quantity.Digits); got != want {
			t.Errorf("%+v: %s, want %s", r, got, want)
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
