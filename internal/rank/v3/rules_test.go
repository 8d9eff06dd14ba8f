package v3_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/keys"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

// Rules that few of the vectors reach, or none.

// pass is a run of a task by a model.
func pass(model, task, value string) observed {
	return observed{model: model, task: "f/s/" + task, measurements: sample(value, "")}
}

// prefer is a preference for the mean of k, and other members of it.
func prefer(members string) string {
	return `"preferences":[{"measurementKey":"k","aggregation":"mean","direction":"maximize","weight":2` + members + `}]`
}

func rankAll(t *testing.T, candidates, members string, all ...observed) *v3.Result {
	t.Helper()
	return mustRank(t, newRanker(t, all...), mustRead(t, request(candidates, members)))
}

// What is no value is refused once, not as a value that is no number, too.
func TestRefusedOnce(t *testing.T) {
	for value, want := range map[string]int{`{}`: 1, `""`: 1, `"x"`: 1, `true`: 1, `1`: 0} {
		_, err := v3.ReadRequest(problem.Source{Text: request("m", `"requirements":[{"measurementKey":"k","aggregation":"fact","operator":"gte","value":`+value+`}]`)})
		if faults := problem.All(err); len(faults) != want || want > 0 && faults[0].Path != "$.requirements[0].value" {
			t.Errorf("%s: %v", value, err)
		}
	}
}

// What a criterion is refused for has no consequences that are refused, too: an aggregation
// that there is not is none that a rule is about, and keys that are missing make no ids that
// are equal.
func TestRefusedWithoutConsequences(t *testing.T) {
	for criteria, want := range map[string]string{
		`{"measurementKey":"k","aggregation":"median","direction":"minimize"}`:                                            "$.tieBreakers[0].aggregation",
		`{"aggregation":"fact","direction":"minimize"},{"aggregation":"fact","direction":"minimize"}`:                     "$.tieBreakers[0].measurementKey, $.tieBreakers[1].measurementKey",
		`{"measurementKey":"","aggregation":"fact","direction":"minimize"},{"aggregation":"fact","direction":"minimize"}`: "$.tieBreakers[0].measurementKey, $.tieBreakers[1].measurementKey",
	} {
		_, err := v3.ReadRequest(problem.Source{Text: request("m", `"tieBreakers":[`+criteria+`]`)})
		var paths []string
		for _, fault := range problem.All(err) {
			paths = append(paths, fault.Path)
		}
		if got := strings.Join(paths, ", "); got != want {
			t.Errorf("%s: refused at %s, want %s", criteria, got, want)
		}
	}
}

// A sum of what is not all numbers, or comes to none, is incomparable: neither true nor
// false counts, and what is too large on both sides does not cancel out.
func TestSumsWithoutNumber(t *testing.T) {
	sum := func(x, y string) string {
		return `{"measurementKey":"x","aggregation":"fact","factor":` + x + `},{"measurementKey":"y","aggregation":"fact","factor":` + y + `}`
	}
	for _, test := range []struct{ x, y, terms, code string }{
		{"1", "2", sum("1", "1"), "TIE_BREAKER_VALUE"},
		{"1", "true", sum("1", "1"), "INCOMPARABLE_EVIDENCE"},
		{"false", "2", sum("1", "0"), "INCOMPARABLE_EVIDENCE"},
		{"1", `"2"`, sum("1", "1"), "INCOMPARABLE_EVIDENCE"},
		{"1e308", "1e308", sum("10", "1"), "INCOMPARABLE_EVIDENCE"},
		{"1e308", "1e308", sum("10", "-10"), "INCOMPARABLE_EVIDENCE"},
	} {
		o := observed{measurements: measuredKey("x", "fact", test.x, "") + "," + measuredKey("y", "fact", test.y, "")}
		r := rankAll(t, "m", `"tieBreakers":[{"id":"both","direction":"minimize","sum":[`+test.terms+`]}]`, o)
		if got := r.Ranked[0].Reasons[0].Code; got != test.code {
			t.Errorf("%s and %s by %s: %s, want %s", test.x, test.y, test.terms, got, test.code)
		}
	}
}

// Beyond the ends of its scale a preference gives all or nothing.
func TestBeyondScale(t *testing.T) {
	all := []observed{pass("a", "1", "-7"), pass("b", "1", "-1"), pass("c", "1", "0"), pass("d", "1", "1"), pass("e", "1", "9")}
	for direction, want := range map[string]string{"maximize": "a 0, b 0, c 1, d 2, e 2", "minimize": "a 2, b 2, c 1, d 0, e 0"} {
		members := strings.Replace(prefer(`,"scale":{"low":-1,"high":1}`), "maximize", direction, 1)
		var got []string
		for _, c := range rankAll(t, "a b c d e", members, all...).Ranked {
			got = append(got, fmt.Sprintf("%s %v", c.CandidateID, c.Score))
		}
		slices.Sort(got)
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %q, want %q", direction, got, want)
		}
	}
}

// A candidate whose coverage is the minimum stays.
func TestMinimumCoverage(t *testing.T) {
	preferences := `"preferences":[{"measurementKey":"k","aggregation":"mean","direction":"maximize","weight":1},{"measurementKey":"x","aggregation":"mean","direction":"maximize","weight":3}]`
	for minimum, excluded := range map[string]int{"0.25": 0, "0.26": 1} {
		r := rankAll(t, "m", `"minimumCoverage":`+minimum+`,`+preferences, pass("m", "1", "10"))
		if len(r.Excluded) != excluded {
			t.Errorf("with a minimum of %s %d candidates are excluded", minimum, len(r.Excluded))
		}
	}
}

// Of evidence that differs in as little, most-specific takes what has an exact scope, then
// a partial one, of these the one that asserts most, then what has none.
func TestMostSpecific(t *testing.T) {
	runtime := `{"kind":"partial","runtime":{"id":"rt","version":null},"adapter":null,"effectiveContextTokens":null,"toolSurface":null,"hardware":null,"workflow":null}`
	tools := strings.Replace(runtime, `"toolSurface":null`, `"toolSurface":[]`, 1)
	all := []observed{
		{evidence: "a", measurements: fact("1", "")}, {evidence: "b", execution: runtime, measurements: fact("2", "")},
		{evidence: "c", execution: tools, measurements: fact("3", "")}, {evidence: "d", execution: scope("rt", ""), measurements: fact("4", "")},
		{evidence: "e", execution: scope("other", ""), measurements: fact("5", "")},
	}
	preference := `"preferences":[{"measurementKey":"k","aggregation":"fact","transfer":["execution"],"resolve":["most-specific"],"direction":"maximize","weight":1}]`
	for n := 1; n < len(all); n++ {
		if e := estimateOf(t, rankAll(t, "m", preference, all[:n]...), "m"); e.Value != float64(n) {
			t.Errorf("of the first %d the value is %v", n, e.Value)
		}
	}
	if e := estimateOf(t, rankAll(t, "m", preference, all...), "m"); e.Value != 4 {
		t.Errorf("with one of another runtime the value is %v", e.Value)
	}
}

// A request names the companions that its own entries give to keys, which may be misspelt. What
// the dictionary that comes with svc names, a catalog may lack.
func TestNamesOfCompanions(t *testing.T) {
	const own = `{"key":"mine.score","size":{"standardError":"mine.score.stder"}}`
	ours := *keys.Find(keys.Default(), "eee.board.score")
	if ours.Size == nil || ours.Size.StandardError == "" {
		t.Fatalf("%+v", ours)
	}
	entry := `{"key":"eee.board.score","size":{"standardError":"` + string(ours.Size.StandardError) + `"}}`
	var named []string
	for _, name := range mustRead(t, request("", `"keys":[`+own+`,`+entry+`]`)).Names() {
		if name.Kind == v3.KeyName && name.Text != "" {
			named = append(named, name.Text)
		}
	}
	if !slices.Equal(named, []string{"mine.score.stder"}) {
		t.Errorf("named are %q", named)
	}
}
