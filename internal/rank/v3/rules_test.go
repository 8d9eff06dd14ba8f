package v3_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

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
		`{"measurementKey":"k","aggregation":"median","standardErrorKey":"s"}`: "$.advisories[0].aggregation",
		`{"aggregation":"fact"},{"aggregation":"fact"}`:                        "$.advisories[0].measurementKey, $.advisories[1].measurementKey",
		`{"measurementKey":"","aggregation":"fact"},{"aggregation":"fact"}`:    "$.advisories[0].measurementKey, $.advisories[1].measurementKey",
	} {
		_, err := v3.ReadRequest(problem.Source{Text: request("m", `"advisories":[`+criteria+`]`)})
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

// A difference that is just the margin ties, the next number above it separates.
func TestDifferenceIsMargin(t *testing.T) {
	const reported = `,"standardErrorKey":"se","scale":{"low":0,"high":1}`
	one := strings.Replace(prefer(reported), `"weight":2`, `"weight":1`, 1)
	compare := func(a float64) *v3.Comparison {
		t.Helper()
		run := func(model string, v float64) observed {
			return observed{model: model, measurements: sample(fmt.Sprint(v), "") + "," + measuredKey("se", "sample", "0.1", "")}
		}
		return rankAll(t, "a b", one, run("a", a), run("b", 0)).Ranked[1].Comparison
	}
	margin := *compare(0.5).Margin
	if c := compare(margin); c.Outcome != "tied" || c.Difference != margin || *c.Margin != margin {
		t.Errorf("at the margin of %v: %+v", margin, c)
	}
	if c := compare(math.Nextafter(margin, 1)); c.Outcome != "separable" {
		t.Errorf("above the margin of %v: %+v", margin, c)
	}
}

// With the correction the quantile is taken as many places further on as double the
// comparisons that there may be, up to those of 128 candidates.
func TestQuantiles(t *testing.T) {
	rows := map[string][]float64{
		"0.8": {1.2815515655446004, 1.6448536269514726, 1.9599639845400543, 2.2414027276049455, 2.497705474412373, 2.7343687865331816, 2.9551668474978383,
			3.162817965621285, 3.359353717934311, 3.546337887363597, 3.7250035156206796, 3.896342532608328, 4.0611665320644335, 4.220149256827845},
		"0.99": {2.575829303548901, 2.8070337683438042, 3.023341439739147, 3.2272184259631564, 3.4205267011318727, 3.6047113948643736, 3.7809198112948956,
			3.950080233745913, 4.112955916936896, 4.270183164230848, 4.422298854889823, 4.569760776625969, 4.712962929092799, 4.852247235111397},
		"0.999": {3.290526731491895, 3.480756404346213, 3.6622599308877013, 3.8361069311758977, 4.0031675714504615, 4.164160673543728, 4.319687929004684,
			4.470258813395326, 4.616309105544308, 4.7582149040668025, 4.896303406847703, 5.030861320021209, 5.162141502123923, 5.290368274700087},
	}
	rows["0.9"] = append(rows["0.8"][1:], 4.373857080753245)
	rows["0.95"] = append(slices.Clone(rows["0.9"][1:]), 4.522771375589632)
	k := newRanker(t)
	for confidence, row := range rows {
		for _, n := range []int{0, 1, 2, 3, 4, 11, 12, 128} {
			pairs, place := n*(n-1)/2, 0
			for 1<<place < pairs {
				place++
			}
			candidates := list(n, func(i int) string { return fmt.Sprintf(`{"id":"%d","model":{"id":"m"}}`, i) })
			text := strings.Replace(request("", `"correction":"bonferroni","confidence":`+confidence), `"inventory":[]`, `"inventory":[`+candidates+`]`, 1)
			s := mustRank(t, k, mustRead(t, text)).Statistics
			if s.Quantile != row[place] || s.Comparisons != uint64(pairs) {
				t.Errorf("at %s with %d candidates: %+v, want %v", confidence, n, s, row[place])
			}
		}
	}
}

// What is just within a bound is read, one more is refused.
func TestBounds(t *testing.T) {
	inventory := func(n int) string {
		return list(n, func(i int) string { return fmt.Sprintf(`{"id":"%d","model":{"id":"m"}}`, i) })
	}
	advisories := func(n int) string {
		return `"advisories":[` + list(n, func(i int) string { return fmt.Sprintf(`{"measurementKey":"%d","aggregation":"fact"}`, i) }) + `]`
	}
	// A sum counts as its terms, all others as one.
	cells := func(n int) string {
		const terms = 32
		return `"tieBreakers":[` + list(n/terms, func(i int) string {
			return fmt.Sprintf(`{"id":"s%d","direction":"maximize","sum":[%s]}`, i, list(terms, func(int) string { return `{"measurementKey":"k","aggregation":"fact","factor":1}` }))
		}) + `],"requirements":[` + list(n%terms, func(i int) string {
			return fmt.Sprintf(`{"measurementKey":"%d","aggregation":"fact","operator":"eq","value":1}`, i)
		}) + `]`
	}
	padded := func(n int) string {
		text := request("m", `"advisories":[]`)
		return text + strings.Repeat(" ", n-len(text))
	}
	ask := func(candidates int, members string) string {
		return strings.Replace(request("", members), `"inventory":[]`, `"inventory":[`+inventory(candidates)+`]`, 1)
	}
	for _, test := range []struct {
		name, within, beyond, path string
	}{
		{"bytes", padded(v3.MaxRequestBytes), padded(1<<20 + 1), "$"},
		{"candidates", ask(128, `"advisories":[]`), ask(129, `"advisories":[]`), "$.inventory"},
		{"advisories", ask(1, advisories(64)), ask(1, advisories(65)), "$.advisories"},
		{"cells", ask(1, cells(2048)), ask(3, cells(683)), "$"},
		{"advisory cells", ask(32, advisories(32)), ask(41, advisories(25)), "$.advisories"},
	} {
		mustRead(t, test.within)
		_, err := v3.ReadRequest(problem.Source{Text: test.beyond})
		if faults := problem.All(err); len(faults) != 1 || faults[0].Code != problem.InvalidRankRequest || faults[0].Path != test.path {
			t.Errorf("one more %s: %v", test.name, err)
		}
	}
}

// Tasks are the same if their family and suite are, too: of others with the same ids
// nothing is paired.
func TestPairsAreOfOneSuite(t *testing.T) {
	for suite, paired := range map[string]int{"f/s/": 1, "f/other/": 0, "other/s/": 0} {
		run := func(model, task, value string) observed {
			return observed{model: model, task: task, measurements: sample(value, "")}
		}
		r := rankAll(t, "a b", prefer(`,"scale":{"low":0,"high":100}`), run("a", "f/s/1", "10"), run("a", "f/s/2", "30"), run("b", suite+"1", "12"), run("b", suite+"2", "33"))
		if c := r.Ranked[1].Comparison; len(c.Paired) != paired || len(c.Unknown) != 0 {
			t.Errorf("with tasks of %s: %+v", suite, c)
		}
	}
}
