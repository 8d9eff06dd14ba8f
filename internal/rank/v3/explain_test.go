package v3_test

import (
	"context"
	"encoding/json"
	"errors"
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
	r := mustEvaluate(t, k, mustRead(t, request("m", `"advisories":[{"id":"a","measurementKey":"k","aggregation":"mean","unit":"s",
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
	if c.Role != "advisory" || c.Criterion != "a" || c.MeasurementKey != "k" || c.Aggregation != "mean" || c.Status != "ok" || c.Code != "" ||
		c.Value.Text != "1" || c.Unit != "s" || c.Estimate.Method != "unknown" || c.Weight != nil || c.Lowest != nil || c.Contribution != nil {
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

// A sum is followed by its terms, which have the entries.
func TestExplanationExample(t *testing.T) {
	q := mustRead(t, exampleRequest(t))
	r := mustEvaluate(t, mustIndex(t, exampleCatalog(t)), q)
	x := mustExplain(t, r, "grok-4")
	var got []string
	for _, c := range x.Criteria {
		contribution := ""
		if c.Contribution != nil {
			contribution = fmt.Sprintf("%v from %v to %v: %v of %v", c.Value.Text, *c.Lowest, *c.Highest, *c.Normalized, *c.Weight)
		}
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s %s %s %d %s", c.Role, c.Criterion, c.MeasurementKey, c.Code, c.Value.Text, c.EntryCount, contribution)))
	}
	want := []string{
		"requirement requirement:openrouter.context_length openrouter.context_length REQUIREMENT_MET 256000 1",
		"requirement requirement:openrouter.pricing.completion openrouter.pricing.completion REQUIREMENT_MET 0.000015 1",
		"preference preference:aider.polyglot.pass_rate_2 aider.polyglot.pass_rate_2 PREFERENCE_SCORE 79.6 1 79.6 from 0 to 100: 0.7959999999999999 of 1",
		"preference preference:livebench.agentic-coding.score livebench.agentic-coding.score PREFERENCE_SCORE 23.333333333333332 3 23.333333333333332 from 0 to 100: 0.2333333333333333 of 1",
		"tieBreaker usd-per-task  TIE_BREAKER_VALUE 0.10500000000000001 0",
		"tieBreaker usd-per-task openrouter.pricing.prompt  0.000003 1",
		"tieBreaker usd-per-task openrouter.pricing.completion  0.000015 1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("criteria\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	result := mustRank(t, mustIndex(t, exampleCatalog(t)), q)
	if got, want := canonical.MustMarshal(x.Placement.Comparison), canonical.MustMarshal(result.Ranked[1].Comparison); string(got) != string(want) || x.Placement.Comparison.Margin == nil {
		t.Errorf("comparison %s, want %s with a margin", got, want)
	}
	if p := x.Placement; *p.Rank != 2 || *p.TieGroup != 1 || *p.Coverage != 1 || p.Comparison.Leader != "gpt-5" || p.Comparison.Outcome != "tied" || p.Excluded != nil {
		t.Errorf("placement %s", canonical.MustMarshal(p))
	}
	if x.Request.SHA256 != canonical.Sum([]byte(q.JSON())) || string(canonical.MustMarshal(x.Candidate)) !=
		`{"execution":{"adapter":null,"effectiveContextTokens":null,"hardware":null,"runtime":{"id":"openrouter","version":null},"toolSurface":[],"workflow":null},"id":"grok-4","model":{"id":"x-ai/grok-4","quantization":null,"revision":null}}` {
		t.Errorf("request %s, candidate %s", x.Request.SHA256, canonical.MustMarshal(x.Candidate))
	}
	_, err := r.Explain(t.Context(), "gpt-4")
	if unknown, ok := errors.AsType[*v3.UnknownCandidateError](err); !ok || unknown.ID != "gpt-4" || unknown.Closest[0] != "gpt-5" {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Explain(ctx, "grok-4"); !errors.Is(err, ctx.Err()) {
		t.Errorf("error %v of a context that ended", err)
	}
}

// Criteria that the ranking did not come to are evaluated for the explanation, and
// have no code.
func TestExplanationOfExcluded(t *testing.T) {
	k := newRanker(t, observed{measurements: fact("1", "")}, observed{model: "n", measurements: fact("3", "")})
	members := `"requirements":[{"measurementKey":"k","aggregation":"fact","operator":"gte","value":2}],
		"preferences":[{"measurementKey":"k","aggregation":"fact","direction":"maximize","weight":2},{"measurementKey":"other","aggregation":"fact","direction":"maximize","weight":6}],
		"tieBreakers":[{"id":"t","direction":"minimize","sum":[{"measurementKey":"k","aggregation":"fact","factor":3}]}],"minimumCoverage":0.5,
		"advisories":[{"measurementKey":"k","aggregation":"fact"},{"measurementKey":"other","aggregation":"fact"}]`
	r := mustEvaluate(t, k, mustRead(t, request("m n", members)))
	for candidate, want := range map[string][]string{
		"m": {"requirement REQUIREMENT_NOT_MET 1", "preference  1", "preference  missing", "tieBreaker  3", "tieBreaker  1", "advisory  1", "advisory ADVISORY_MISSING missing"},
		"n": {"requirement REQUIREMENT_MET 3", "preference  3", "preference PREFERENCE_EVIDENCE_MISSING missing", "tieBreaker  9", "tieBreaker  3", "advisory  3", "advisory ADVISORY_MISSING missing"},
	} {
		x := mustExplain(t, r, candidate)
		var got []string
		for _, c := range x.Criteria {
			value := c.Status
			if c.Value != nil {
				value = c.Value.Text
			}
			got = append(got, fmt.Sprintf("%s %s %s", c.Role, c.Code, value))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: criteria %q, want %q", candidate, got, want)
		}
		if candidate == "n" && (*x.Placement.Excluded != "coverage" || *x.Placement.Coverage != 0.25 || x.Placement.Rank != nil) {
			t.Errorf("placement %s", canonical.MustMarshal(x.Placement))
		}
	}
}

// The kinds of values that an entry may have survive.
func TestExplanationValues(t *testing.T) {
	k := newRanker(t, observed{measurements: strings.Join([]string{
		measuredKey("a", "fact", `"a \"quoted\" text"`, ""), measuredKey("b", "fact", "true", ""), measuredKey("c", "fact", "false", ""), measuredKey("d", "fact", "1e-7", "s"),
	}, ",")})
	advisories := list(4, func(i int) string {
		return fmt.Sprintf(`{"measurementKey":"%c","aggregation":"fact"}`, 'a'+i)
	})
	x := mustExplain(t, mustEvaluate(t, k, mustRead(t, request("m", `"advisories":[`+advisories+`]`))), "m")
	for i, want := range []string{`"a \"quoted\" text"`, "true", "false", "1e-7"} {
		c := x.Criteria[i]
		value, err := json.Marshal(c.Value)
		if err != nil || string(value) != want || string(canonical.MustMarshal(c.Entries[0].Value)) != want || (c.Estimate != nil) != (i == 3) {
			t.Errorf("criterion %s, want the value %s", canonical.MustMarshal(c), want)
		}
	}
}

// Results, explanations and the values of a ranking say the same of each criterion.
func TestValuesAgree(t *testing.T) {
	k := newRanker(t,
		observed{task: "f/s/a", measurements: sample("1", "s")}, observed{task: "f/s/b", measurements: sample("2", "s")}, observed{measurements: fact("7", "u")},
		observed{model: "n", task: "f/s/a", measurements: sample("3", "s")}, observed{model: "n", measurements: fact(`"word"`, "")},
		observed{model: "o", measurements: fact("1", "u")})
	q := mustRead(t, request("m n o", `"requirements":[{"measurementKey":"k","aggregation":"count","operator":"lte","value":2,"task":{"family":"f"}}],
		"preferences":[{"measurementKey":"k","aggregation":"mean","direction":"minimize","weight":3,"scale":{"low":-1,"high":5}},
			{"id":"z","measurementKey":"k","aggregation":"fact","direction":"maximize","weight":2}],
		"tieBreakers":[{"id":"t","direction":"minimize","sum":[{"measurementKey":"k","aggregation":"fact","factor":3}]}],
		"advisories":[{"measurementKey":"k","aggregation":"min"},{"measurementKey":"none","aggregation":"fact"}],"minimumCoverage":0.6`))
	ranking := mustEvaluate(t, k, q)
	r := mustRank(t, k, q)
	var listed []string
	for _, c := range q.Criteria() {
		scale := ""
		if c.Scale != nil {
			scale = fmt.Sprint(*c.Scale)
		}
		listed = append(listed, strings.TrimSpace(fmt.Sprintf("%s %s %s %s %s %g %s", c.Role, c.ID, c.MeasurementKey, c.Aggregation, c.Direction, c.Weight, scale)))
	}
	if want := []string{"requirement requirement:k k count  0", "preference preference:k k mean minimize 3 {-1 5}", "preference z k fact maximize 2",
		"tieBreaker t   minimize 0", "advisory advisory:k k min  0", "advisory advisory:none none fact  0"}; !slices.Equal(listed, want) {
		t.Errorf("criteria are %q, not %q", listed, want)
	}
	cells, estimates := ranking.Cells(), ranking.Estimates()
	var placed []string
	for i, p := range ranking.Placements() {
		placed = append(placed, p.ID)
		c := slices.Concat(r.Ranked, r.Excluded)[i]
		if isRanked := i < len(r.Ranked); c.CandidateID != p.ID || isRanked != (p.Excluded == nil) || isRanked && (*p.Rank != c.Rank || *p.Score != c.Score) {
			t.Errorf("%s is placed %s", c.CandidateID, canonical.MustMarshal(p.Placement))
		}
		advisories := 0
		number := 0
		for _, explained := range mustExplain(t, ranking, p.ID).Criteria {
			if explained.Role == "tieBreaker" && explained.MeasurementKey != "" {
				continue // a term
			}
			cell := cells[p.ID][number]
			number++
			isUnjudged := explained.Code == "" && explained.Role != "advisory"
			interval := ""
			if cell.Interval != nil {
				interval = fmt.Sprint(cell.Interval.Low, cell.Interval.High)
			}
			want := ""
			if e := explained.Estimate; e != nil && e.Low != nil {
				want = fmt.Sprint(*e.Low, *e.High)
			}
			if cell.Evaluated && (cell.Status != explained.Status || explained.Role != "advisory" && string(cell.Code) != string(explained.Code) || interval != want ||
				explained.Value != nil && (cell.Value != explained.Value.Scalar || cell.Unit != string(explained.Unit)) ||
				explained.Contribution != nil && cell.Contribution != *explained.Contribution || cell.Scored != (explained.Contribution != nil)) || !cell.Evaluated && !isUnjudged {
				t.Errorf("%s: cell %+v, explained %s", p.ID, cell, canonical.MustMarshal(explained))
			}
			for _, reason := range c.Reasons {
				if reason.Finding != nil && string(reason.Criterion) == explained.Criterion && string(canonical.MustMarshal(reason.Estimate)) != string(canonical.MustMarshal(explained.Estimate)) {
					t.Errorf("%s: estimate %s, explained %s", p.ID, canonical.MustMarshal(reason.Estimate), canonical.MustMarshal(explained.Estimate))
				}
			}
			if explained.Role == "advisory" {
				if got := estimates[p.ID][advisories]; string(canonical.MustMarshal(got)) != string(canonical.MustMarshal(explained.Estimate)) {
					t.Errorf("%s: advisory's estimate %s, explained %s", p.ID, canonical.MustMarshal(got), canonical.MustMarshal(explained.Estimate))
				}
				advisories++
			}
		}
		if number != len(cells[p.ID]) || advisories != len(estimates[p.ID]) {
			t.Errorf("%s has %d cells and %d estimates", p.ID, len(cells[p.ID]), len(estimates[p.ID]))
		}
	}
	if want := []string{"m", "n", "o"}; !slices.Equal(placed, want) || len(r.Ranked) != 2 {
		t.Errorf("placed are %q, %d of them ranked", placed, len(r.Ranked))
	}
}
