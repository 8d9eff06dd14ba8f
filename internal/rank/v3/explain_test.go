package v3_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

// mustExplain explains, and reads what is written.
func mustExplain(t testing.TB, r *v3.Ranking, candidate string) *v3.Explanation {
	t.Helper()
	x, err := r.Explain(t.Context(), candidate)
	if err != nil {
		t.Fatal(err)
	}
	text := canonical.MustMarshal(x)
	read, err := v3.ReadExplanation(problem.Source{Text: string(text)})
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if again := canonical.MustMarshal(read); string(again) != string(text) {
		t.Fatalf("the explanation %s\nis written again as %s", text, again)
	}
	return x
}

// Each measurement of the key is listed with what became of it: the last hindrance of
// those that it has, in the order of this list.
func TestExplanationUses(t *testing.T) {
	const other = "other/suite/t"
	k := newRanker(t,
		observed{measurements: sample("1", "s"), execution: scope("rt", ""), task: "f", source: "first-party"},
		observed{measurements: sample("2", "s"), task: "f", source: "first-party"},
		observed{measurements: sample("3", "s"), execution: scope("rt", ""), task: "f", source: "first-party", validUntil: asOf},
		observed{measurements: sample("4", "s"), execution: scope("rt2", ""), task: "f", source: "first-party", validUntil: asOf},
		observed{measurements: sample("5", "s"), execution: scope("rt2", ""), task: "f", source: "external"},
		observed{measurements: sample("6", "s"), execution: scope("rt2", ""), task: other, source: "external"},
		observed{measurements: sample("7", "s"), execution: scope("rt2", ""), task: other, source: "external", outcome: "invalid"},
		observed{measurements: sample("8", "ms"), execution: scope("rt", ""), task: "f", source: "first-party"},
		observed{measurements: fact("9", "s"), execution: scope("rt", ""), task: "f", source: "first-party"},
		observed{model: "m@r", measurements: sample("10", "s"), execution: scope("rt", ""), task: "f", source: "first-party"},
	)
	r := mustEvaluate(t, k, mustRead(t, request("m", `"preferences":[{"id":"a","direction":"maximize","weight":0,"measurementKey":"k","aggregation":"mean","unit":"s",
		"task":{"family":"f"},"sourceClasses":["first-party"],"resolve":["most-specific"]}]`)))
	x := mustExplain(t, r, "m")
	c := x.Criteria[0]
	var got []string
	for _, e := range c.Entries {
		got = append(got, e.Value.Text+" "+e.Use+" "+strings.Join(e.Differing, " "))
	}
	want := []string{"1 used ", "10 other-scope model.revision", "2 overruled ", "3 expired ", "4 other-scope runtime.id", "5 other-source runtime.id",
		"6 other-task runtime.id", "7 invalid runtime.id"}
	slices.Sort(got[1:]) // by id, which is a hash
	if !slices.Equal(got, want) || c.EntryCount != uint64(len(want)) {
		t.Errorf("%d entries %q, want %q", c.EntryCount, got, want)
	}
	if !slices.IsSortedFunc(c.Entries[1:], func(a, b v3.Entry) int { return strings.Compare(a.ObservationID, b.ObservationID) }) {
		t.Error("entries do not stand by id")
	}
	first := c.Entries[0]
	if string(canonical.MustMarshal(first.Task)) != `{"evaluator":{"id":"e","version":null},"family":"f","suite":null,"taskId":null}` ||
		first.SourceClass != "first-party" || first.ObservedAt != "2026-01-01T00:00:00.000Z" || first.ValidUntil != "" || first.Unit != "s" ||
		string(canonical.MustMarshal(first.Evidence)) != `[{"id":"e0","sha256":null,"uri":"https://example.org/e0"}]` {
		t.Errorf("entry %s", canonical.MustMarshal(first))
	}
	if c.Role != "preference" || c.Criterion != "a" || c.MeasurementKey != "k" || c.Aggregation != "mean" || c.Status != "ok" || c.Code != "VALUE_SHOWN" ||
		c.Value.Text != "1" || c.Unit != "s" || c.Estimate.Basis != "unknown" || *c.Weight != 0 || c.Lowest != nil || c.Contribution != nil {
		t.Errorf("criterion %s", canonical.MustMarshal(c))
	}
}

// Of many entries 32 are listed, those that are used before all others.
func TestExplanationEntries(t *testing.T) {
	var all []observed
	for i := range 40 {
		all = append(all, observed{measurements: sample(fmt.Sprint(i), ""), task: "f", validUntil: map[bool]string{true: asOf}[i%8 > 0]})
	}
	r := mustEvaluate(t, newRanker(t, all...), mustRead(t, request("m", `"requirements":[{"measurementKey":"k","aggregation":"count","operator":"gte","value":6}]`)))
	x := mustExplain(t, r, "m")
	c := x.Criteria[0]
	var uses []string
	for _, e := range c.Entries {
		uses = append(uses, e.Use)
	}
	if c.EntryCount != 40 || len(uses) != 32 || strings.Join(uses[:6], " ") != "used used used used used expired" {
		t.Errorf("%d entries, of which %q are listed", c.EntryCount, uses)
	}
	if c.Code != "REQUIREMENT_NOT_MET" || *x.Placement.Excluded != "requirement" || x.Placement.Rank != nil || x.Placement.Score != nil {
		t.Errorf("criterion %s, placement %s", c.Code, canonical.MustMarshal(x.Placement))
	}
}

// The kinds of values that an entry may have survive.
func TestExplanationValues(t *testing.T) {
	k := newRanker(t, observed{measurements: strings.Join([]string{
		measuredKey("a", "fact", `"a \"quoted\" text"`, ""), measuredKey("b", "fact", "true", ""), measuredKey("c", "fact", "false", ""), measuredKey("d", "fact", "1e-7", "s"),
	}, ",")})
	advisories := list(4, func(i int) string {
		return fmt.Sprintf(`{"measurementKey":"%c","aggregation":"fact","direction":"maximize","weight":0}`, 'a'+i)
	})
	x := mustExplain(t, mustEvaluate(t, k, mustRead(t, request("m", `"preferences":[`+advisories+`]`))), "m")
	for i, want := range []string{`"a \"quoted\" text"`, "true", "false", "1e-7"} {
		c := x.Criteria[i]
		value, err := json.Marshal(c.Value)
		if err != nil || string(value) != want || string(canonical.MustMarshal(c.Entries[0].Value)) != want || (c.Estimate != nil) != (i == 3) {
			t.Errorf("criterion %s, want the value %s", canonical.MustMarshal(c), want)
		}
	}
}
