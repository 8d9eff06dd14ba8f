package rank_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestAggregations(t *testing.T) {
	withUnits := func(pairs ...string) (all []observed) {
		for i := 0; i < len(pairs); i += 2 {
			all = append(all, observed{measurements: sample(pairs[i], pairs[i+1])})
		}
		return all
	}
	facts := func(pairs ...string) (all []observed) {
		for i := 0; i < len(pairs); i += 2 {
			all = append(all, observed{measurements: fact(pairs[i], pairs[i+1])})
		}
		return all
	}
	tests := []struct {
		name         string
		aggregation  string
		observations []observed
		status       string
		value        any
		unit         string
	}{
		{"nothing", "count", nil, "missing", nil, ""},
		{"nothing of the key", "count", []observed{{measurements: `{"key":"other","kind":"sample","value":1}`}}, "missing", nil, ""},
		{"facts are no samples", "count", facts("1", ""), "missing", nil, ""},
		{"samples are no facts", "fact", samples("1"), "missing", nil, ""},
		{"a key of both kinds", "fact", []observed{{measurements: sample("1", "") + "," + fact("2", "")}}, "present", 2.0, ""},
		{"a key of both kinds, the other", "mean", []observed{{measurements: sample("1", "") + "," + fact("2", "")}}, "present", 1.0, ""},

		{"count", "count", samples("1", "true", `"x"`), "present", 3.0, ""},
		{"count of different units", "count", withUnits("1", "ms", "1", "s"), "present", 2.0, ""},
		{"success rate", "success-rate", samples("true", "false", "true", "true"), "present", 0.75, ""},
		{"success rate of different units", "success-rate", withUnits("true", "a", "false", "b"), "present", 0.5, ""},
		{"success rate of a number", "success-rate", samples("true", "1"), "incomparable", nil, ""},
		{"success rate of a text", "success-rate", samples("true", `"true"`), "incomparable", nil, ""},

		{"one fact", "fact", facts(`"x"`, ""), "present", "x", ""},
		{"facts agree", "fact", facts("1.0", "ms", "1", "ms", "10e-1", "ms"), "present", 1.0, "ms"},
		{"minus zero is zero", "fact", facts("-0", "", "0.0", ""), "present", 0.0, ""},
		{"booleans agree", "fact", facts("false", "", "false", ""), "present", false, ""},
		{"an empty text is a value", "fact", facts(`""`, "", `""`, ""), "present", "", ""},
		{"facts differ", "fact", facts("1", "", "2", ""), "conflicting", nil, ""},
		{"a number is no text", "fact", facts("1", "", `"1"`, ""), "conflicting", nil, ""},
		{"a text is no boolean", "fact", facts("true", "", `"true"`, ""), "conflicting", nil, ""},
		{"units of facts differ", "fact", facts("1", "ms", "1", "s"), "incomparable", nil, ""},
		{"no unit is a unit of its own", "fact", facts("1", "", "1", "s"), "incomparable", nil, ""},
		{"units before values", "fact", facts("1", "ms", "2", "s"), "incomparable", nil, ""},

		{"mean", "mean", withUnits("1", "ms", "2", "ms", "6", "ms"), "present", 3.0, "ms"},
		{"units of a mean differ", "mean", withUnits("1", "ms", "2", ""), "incomparable", nil, ""},
		{"units of a minimum differ", "min", withUnits("1", "ms", "2", "s"), "incomparable", nil, ""},
		{"units of a maximum differ", "max", withUnits("1", "", "2", "s"), "incomparable", nil, ""},
		{"mean of a text", "mean", samples("1", `"2"`), "incomparable", nil, ""},
		{"minimum of a boolean", "min", samples("1", "false"), "incomparable", nil, ""},
		{"maximum of a text", "max", samples(`"9"`), "incomparable", nil, ""},
		{"minimum", "min", samples("3", "-7.5", "0"), "present", -7.5, ""},
		{"maximum", "max", samples("-3", "-7.5", "-0.25"), "present", -0.25, ""},
		{"a sum that overflows", "mean", samples("1.7e308", "1.7e308"), "incomparable", nil, ""},
		{"a sum that overflows downwards", "mean", samples("-1.7e308", "-1.7e308"), "incomparable", nil, ""},
		{"the largest number", "max", samples("1.7976931348623157e308", "1"), "present", math.MaxFloat64, ""},
		{"a mean that is minus zero", "mean", samples("-5e-324", "0"), "present", 0.0, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := advise(t, numbered(test.observations...), test.aggregation, "")
			unit := ""
			if got.Unit != nil {
				unit = *got.Unit
			}
			if got.Status != test.status || got.Value != test.value || unit != test.unit {
				t.Errorf("%s, value %v, unit %q, want %s, %v, %q", got.Status, got.Value, unit, test.status, test.value, test.unit)
			}
			if count := len(got.Evidence.ObservationIDs); test.status != "missing" && count != len(test.observations) {
				t.Errorf("%d observations are behind it, want %d", count, len(test.observations))
			}
		})
	}
}

// TestSumIsFromLeftToRight takes values whose sum depends on the order, and
// adds them in the order of the catalog.
func TestSumIsFromLeftToRight(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var values []float64
	var observations []observed
	for i := range 30 {
		v := (random.Float64() - 0.5) * math.Pow10(i%17)
		values = append(values, v)
		observations = append(observations, observed{measurements: sample(fmt.Sprint(v), "")})
	}
	docs := numbered(observations...)
	var inOrder []float64
	for _, o := range compile(t, docs...).Models()[0].Observations {
		inOrder = append(inOrder, o.Record().Measurements[0].Value.Float())
	}
	mean := func(values []float64) float64 {
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		return sum / float64(len(values))
	}
	want := mean(inOrder)
	slices.Reverse(inOrder)
	backwards := mean(inOrder)
	slices.Sort(inOrder)
	if want == backwards || want == mean(inOrder) || want == mean(values) {
		t.Fatalf("the order does not matter to %v", inOrder)
	}
	if got := advise(t, docs, "mean", ""); got.Value != want {
		t.Errorf("mean is %v, want %v", got.Value, want)
	}
}

// TestScope looks at which measurements a criterion sees at all.
func TestScope(t *testing.T) {
	const evaluated = "f/s"
	other := `{"id":"m","revision":"r","quantization":null}`
	tests := []struct {
		name    string
		o       observed
		suite   string // of the request
		sources string
		seen    bool
	}{
		{"no task", observed{}, "", "", true},
		{"no task, a suite is asked for", observed{}, "s", "", true},
		{"the family", observed{task: "f"}, "", "", true},
		{"another family", observed{task: "F"}, "", "", false},
		{"any suite of the family", observed{task: "f/s"}, "", "", true},
		{"the suite", observed{task: "f/s"}, "s", "", true},
		{"another suite", observed{task: "f/t"}, "s", "", false},
		{"a family without suite", observed{task: "f"}, "s", "", false},
		{"another family with the suite", observed{task: "g/s"}, "s", "", false},
		{"accepted", observed{task: evaluated, outcome: "accepted", execution: exact(profileP)}, "s", "", true},
		{"rejected", observed{task: evaluated, outcome: "rejected", execution: exact(profileP)}, "s", "", true},
		{"invalid", observed{task: evaluated, outcome: "invalid", execution: exact(profileP)}, "s", "", false},
		{"another revision", observed{model: other}, "", "", false},
		{"another quantization", observed{model: `{"id":"m","revision":null,"quantization":"q"}`}, "", "", false},
		{"another model", observed{model: `{"id":"M","revision":null,"quantization":null}`}, "", "", false},
		{"the source class", observed{source: "external"}, "", `["external"]`, true},
		{"another source class", observed{source: "first-party"}, "", `["external"]`, false},
		{"the other source class", observed{source: "external"}, "", `["first-party"]`, false},
		{"either source class", observed{source: "first-party"}, "", `["external","first-party"]`, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := test.o
			o.measurements = sample("1", "")
			got := judge(t, numbered(o), asked{suite: test.suite, advisories: criterionJSON(`"id":"a",`, "count", test.sources)}).Ranked[0].Advisories[0]
			if seen := got.Status == "present"; seen != test.seen {
				t.Errorf("status is %s", got.Status)
			}
			if seen := len(got.Evidence.ObservationIDs) > 0; seen != test.seen {
				t.Errorf("evidence is %+v", got.Evidence)
			}
		})
	}
}

// TestStatusAndEvidence looks at which observations stand behind a status.
func TestStatusAndEvidence(t *testing.T) {
	wrong := exact(none)
	fresh := observed{evidence: "fresh", measurements: sample("1", "")}
	untilLater := observed{evidence: "untilLater", measurements: sample("1", ""), validUntil: after}
	untilNow := observed{evidence: "untilNow", measurements: sample("1", ""), validUntil: asOf}
	stale := observed{evidence: "stale", measurements: sample("1", ""), validUntil: before}
	mismatch := observed{evidence: "mismatch", measurements: sample("1", ""), execution: wrong}
	staleMismatch := observed{evidence: "staleMismatch", measurements: sample("1", ""), execution: wrong, validUntil: before}
	tests := []struct {
		observations []observed
		status       string
		evidence     []string
	}{
		{nil, "missing", []string{}},
		{[]observed{fresh}, "present", []string{"fresh"}},
		{[]observed{untilLater}, "present", []string{"untilLater"}},
		{[]observed{untilNow}, "stale", []string{"untilNow"}},
		{[]observed{stale, untilNow}, "stale", []string{"stale", "untilNow"}},
		{[]observed{mismatch}, "incomparable", []string{"mismatch"}},
		{[]observed{mismatch, staleMismatch}, "incomparable", []string{"mismatch", "staleMismatch"}},
		{[]observed{mismatch, stale}, "stale", []string{"stale"}},
		{[]observed{mismatch, staleMismatch, stale, untilNow, fresh, untilLater}, "present", []string{"fresh", "untilLater"}},
	}
	for _, test := range tests {
		for range 2 {
			got := advise(t, numbered(test.observations...), "count", "")
			if got.Status != test.status || !slices.Equal(got.Evidence.EvidenceIDs, test.evidence) {
				t.Errorf("%s by %q, want %s by %q", got.Status, got.Evidence.EvidenceIDs, test.status, test.evidence)
			}
			if len(got.Evidence.ObservationIDs) != len(test.evidence) || !slices.IsSorted(got.Evidence.ObservationIDs) {
				t.Errorf("observations %q", got.Evidence.ObservationIDs)
			}
			slices.Reverse(test.observations)
		}
	}
}

func TestEvidenceIsSortedAndUnique(t *testing.T) {
	got := advise(t, []string{
		observed{evidence: "b \U0001F600 c", measurements: sample("1", "")}.json(),
		observed{evidence: "\uFB33 c a", measurements: sample("1", "")}.json(),
	}, "count", "").Evidence
	if want := []string{"a", "b", "c", "\U0001F600", "\uFB33"}; !slices.Equal(got.EvidenceIDs, want) || got.MeasurementKey != "k" {
		t.Errorf("evidence is %q of %q, want %q", got.EvidenceIDs, got.MeasurementKey, want)
	}
}

func TestUncertainty(t *testing.T) {
	levels := []string{"low", "moderate", "high", "unknown"}
	for i, a := range levels {
		for k, b := range levels {
			got := advise(t, numbered(observed{level: a, measurements: sample("1", "")}, observed{level: b, measurements: sample("1", "")}), "count", "")
			if want := levels[max(i, k)]; got.Uncertainty.Level != want {
				t.Errorf("%s and %s are %s, want %s", a, b, got.Uncertainty.Level, want)
			}
		}
	}
	got := advise(t, numbered(
		observed{measurements: sample("1", ""), basis: `"b","` + "\uFB33" + `"`, gaps: `"z","ADVISORY_CONFLICTING","ADVISORY_INCOMPARABLE"`},
		observed{measurements: sample(`"x"`, ""), basis: `"b","` + "\U0001F600" + `"`, gaps: `"A","z","\"\n!"`},
	), "mean", "").Uncertainty
	if want := []string{"b", "\U0001F600", "\uFB33"}; !slices.Equal(got.Basis, want) {
		t.Errorf("basis is %q, want %q", got.Basis, want)
	}
	if want := []string{"\"\n!", "A", "ADVISORY_CONFLICTING", "ADVISORY_INCOMPARABLE", "z"}; !slices.Equal(got.Gaps, want) {
		t.Errorf("gaps are %q, want %q", got.Gaps, want)
	}
	// Measurements that do not count are not uncertain either.
	got = advise(t, numbered(
		observed{measurements: sample("1", ""), level: "moderate", basis: `"fresh"`},
		observed{measurements: sample("1", ""), level: "unknown", basis: `"stale"`, gaps: `"g"`, validUntil: before},
	), "mean", "").Uncertainty
	if got.Level != "moderate" || !slices.Equal(got.Basis, []string{"fresh"}) || len(got.Gaps) > 0 {
		t.Errorf("uncertainty %+v", got)
	}
}

// TestAdvisoryGaps looks for the code of each status.
func TestAdvisoryGaps(t *testing.T) {
	tests := []struct {
		observations []observed
		basis        string
		gaps         []string
	}{
		{nil, "no applicable evidence", []string{"ADVISORY_MISSING"}},
		{[]observed{{measurements: fact("1", "")}}, "b", []string{}},
		{[]observed{{measurements: fact("1", ""), validUntil: before}}, "b", []string{"ADVISORY_STALE"}},
		{[]observed{{measurements: fact("1", ""), execution: exact(none)}}, "b", []string{"ADVISORY_INCOMPARABLE"}},
		{[]observed{{measurements: fact("1", "")}, {measurements: fact("2", "")}}, "b", []string{"ADVISORY_CONFLICTING"}},
	}
	for _, test := range tests {
		got := advise(t, numbered(test.observations...), "fact", "").Uncertainty
		if !slices.Equal(got.Basis, []string{test.basis}) || !slices.Equal(got.Gaps, test.gaps) {
			t.Errorf("uncertainty %+v, want basis %q and gaps %q", got, test.basis, test.gaps)
		}
		if level := map[bool]string{true: "unknown", false: "low"}[test.observations == nil]; got.Level != level {
			t.Errorf("level is %s, want %s", got.Level, level)
		}
	}
}

func TestMeets(t *testing.T) {
	tests := []struct {
		operator, value string
		met             string // by which of the values 0, 1, 2, "1", true, false
	}{
		{"eq", "1", "1"},
		{"eq", "1.0", "1"},
		{"eq", `"1"`, `"1"`},
		{"eq", "true", "true"},
		{"eq", "false", "false"},
		{"gte", "1", "1 2"},
		{"lte", "1", "0 1"},
		{"gte", "2.5", ""},
		{"eq", "-0", "0"},
	}
	for _, test := range tests {
		for _, actual := range []string{"0", "1", "2", `"1"`, "true", "false"} {
			r := judge(t, numbered(observed{measurements: fact(actual, "")}), asked{requirements: require("fact", test.operator, test.value)})
			met := slices.Contains(strings.Fields(test.met), actual)
			if got := len(r.Ranked) == 1; got != met {
				t.Errorf("%s %s %s is met: %v", actual, test.operator, test.value, got)
			}
		}
	}
}
