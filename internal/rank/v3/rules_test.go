package v3_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

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

// A scale that is wider than binary64 is halved, for scores and for comparisons.
func TestWideScale(t *testing.T) {
	const wide = `,"scale":{"low":-1.5e308,"high":1.5e308}`
	r := rankAll(t, "a b", prefer(wide), pass("a", "1", "1e308"), pass("a", "2", "5e307"), pass("b", "1", "0"), pass("b", "2", "0"))
	a, b := r.Ranked[0], r.Ranked[1]
	if a.Score != 1.5 || b.Score != 1 || b.Comparison.Outcome != "unknown" { // since squares are too large
		t.Errorf("scores %v and %v, want 1.5 and 1, outcome %s", a.Score, b.Score, b.Comparison.Outcome)
	}
	// The differences 4e150 and 2e150 have a standard error of 1e150, and a tenth of that
	// is what the weight makes of it.
	heavy := strings.Replace(prefer(wide), `"weight":2`, `"weight":3e307`, 1)
	r = rankAll(t, "a b", heavy, pass("a", "1", "4e150"), pass("a", "2", "2e150"), pass("b", "1", "0"), pass("b", "2", "0"))
	if e := r.Ranked[1].Comparison.StandardError; e == nil || math.Abs(*e/1e149-1) > 1e-12 {
		t.Errorf("comparison %+v, want a standard error of 1e149", r.Ranked[1].Comparison)
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

// Two runs of the same tasks are not twice as many tasks: neither published standard
// errors nor numbers of trials add up.
func TestRepeatedTasks(t *testing.T) {
	run := func(evidence, task string) observed {
		return observed{evidence: evidence, task: task, measurements: sample("0.5", "") + "," + measuredKey("n", "sample", "50", "") + "," + measuredKey("se", "sample", "0.1", "")}
	}
	for _, test := range []struct {
		name string
		all  []observed
		want string
	}{
		{"one run of no task", []observed{run("e", "")}, "known"},
		{"one run of a task", []observed{run("e", "f/s/1")}, "known"},
		{"two tasks", []observed{run("e", "f/s/1"), run("e", "f/s/2")}, "known"},
		{"two runs of a task", []observed{run("e1", "f/s/1"), run("e2", "f/s/1")}, "unknown"},
		{"two runs of a suite", []observed{run("e1", "f/s"), run("e2", "f/s")}, "unknown"},
		{"two runs of no task", []observed{run("e1", ""), run("e2", "")}, "unknown"},
	} {
		for option, method := range map[string]string{`"standardErrorKey":"se"`: "reported", `"trials":{"measurementKey":"n","scale":1}`: "trials"} {
			want := map[string]string{"known": method, "unknown": "unknown"}[test.want]
			e := estimateOf(t, rankAll(t, "m", prefer(","+option), test.all...), "m")
			if e.Method != want || (e.Low == nil) != (want == "unknown") || e.Clusters != nil {
				t.Errorf("%s with %s: the method is %s, want %s", test.name, option, e.Method, want)
			}
		}
	}
}

// A standard error and a number of trials count if they are what the request says.
func TestBesideNumbers(t *testing.T) {
	for _, test := range []struct{ measurements, option, want string }{
		{sample("0.5", "s") + "," + measuredKey("x", "sample", "0.1", "s"), `"standardErrorKey":"x"`, "reported"},
		{sample("0.5", "s") + "," + measuredKey("x", "sample", "0.1", ""), `"standardErrorKey":"x"`, "unknown"},
		{sample("0.5", "s") + "," + measuredKey("x", "sample", "0", "s"), `"standardErrorKey":"x"`, "unknown"},
		{sample("0.5", "s") + "," + measuredKey("x", "sample", "true", "s"), `"standardErrorKey":"x"`, "unknown"},
		{sample("0.5", "s") + "," + measuredKey("x", "fact", "0.1", "s"), `"standardErrorKey":"x"`, "unknown"},
		{sample("0.5", "s"), `"standardErrorKey":"x"`, "unknown"},
		{sample("0.5", "s") + "," + measuredKey("x", "sample", "2", "tasks"), `"trials":{"measurementKey":"x","scale":1}`, "trials"},
		{sample("0.5", "s") + "," + measuredKey("x", "sample", "1.9", "tasks"), `"trials":{"measurementKey":"x","scale":1}`, "unknown"},
		{sample("50", "s") + "," + measuredKey("x", "sample", "9", ""), `"trials":{"measurementKey":"x","scale":1}`, "unknown"},
		{sample("50", "s") + "," + measuredKey("x", "sample", "9", ""), `"trials":{"measurementKey":"x","scale":100}`, "trials"},
		{sample("-1", "s") + "," + measuredKey("x", "sample", "9", ""), `"trials":{"measurementKey":"x","scale":100}`, "unknown"},
	} {
		e := estimateOf(t, rankAll(t, "m", prefer(","+test.option), observed{measurements: test.measurements}), "m")
		if e.Method != test.want {
			t.Errorf("%s with %s: the method is %s, want %s", test.measurements, test.option, e.Method, test.want)
		}
	}
}

// In pairs without any spread, equal values are the same, and of others nothing is
// known: one model that is better by as much on every task is no proof of as much on
// the next.
func TestPairsWithoutSpread(t *testing.T) {
	const scaled = `,"scale":{"low":0,"high":100}`
	for _, test := range []struct{ b1, b2, outcome string }{
		{"10", "30", "tied"}, {"12", "32", "unknown"}, {"12", "33", "tied"},
	} {
		r := rankAll(t, "a b", prefer(scaled), pass("a", "1", "10"), pass("a", "2", "30"), pass("b", "1", test.b1), pass("b", "2", test.b2))
		c := r.Ranked[1].Comparison
		isPaired := test.outcome == "tied"
		if c.Outcome != test.outcome || (len(c.Paired) == 1) != isPaired || (len(c.Unknown) == 1) == isPaired || (c.Margin != nil) != isPaired {
			t.Errorf("against %s and %s: %+v, want %s", test.b1, test.b2, c, test.outcome)
		}
	}
}

// What rests on the same observations differs by nothing, whatever is known of it.
func TestSameObservations(t *testing.T) {
	one := `{"id":"a","model":{"id":"m"}},{"id":"b","model":{"id":"m"},"execution":{"runtime":{"id":"other"}}}`
	text := strings.Replace(request("", prefer(`,"transfer":["execution"]`)), `"inventory":[]`, `"inventory":[`+one+`]`, 1)
	c := mustRank(t, newRanker(t, pass("m", "1", "10")), mustRead(t, text)).Ranked[1].Comparison
	if c.Outcome != "tied" || *c.StandardError != 0 || *c.Margin != 0 {
		t.Errorf("comparison %+v", c)
	}
}

// Candidates without any evidence are tied by nothing: their difference is 0, and the
// same preferences score both. With evidence for one of them it is unknown.
func TestComparisonWithoutEvidence(t *testing.T) {
	r := rankAll(t, "a b c", prefer(""), pass("c", "1", "10"), pass("c", "2", "12"))
	b, c := r.Ranked[1], r.Ranked[2]
	if r.Ranked[0].CandidateID != "c" || b.Comparison.Outcome != "unknown" || b.Comparison.Margin != nil || b.TieGroup != 2 {
		t.Errorf("%s first, then %+v", r.Ranked[0].CandidateID, b.Comparison)
	}
	if c.Comparison.Outcome != "tied" || c.Comparison.Leader != "a" || c.TieGroup != 2 || *c.Comparison.Margin != 0 {
		t.Errorf("then %+v", c.Comparison)
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
