package v3_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// world is a catalog of models with shares of tasks and prices, and a request about all of them.
type world struct {
	ranker  *v3.Ranker
	members string
	ids     []string
}

// newWorld makes a world of so many models and tasks. With trials the size of each task is known.
func newWorld(t testing.TB, r *rand.Rand, models, tasks int, hasTrials bool) world {
	w := world{}
	var all []observed
	for i := range models {
		id := "m" + strconv.Itoa(i)
		w.ids = append(w.ids, id)
		p := 0.3 + 0.6*r.Float64()
		for k := range tasks {
			const trials = 20
			n := 0
			for range trials {
				if r.Float64() < p {
					n++
				}
			}
			if r.IntN(8) > 0 || k < 2 { // some tasks are missing
				all = append(all, observed{model: id, evidence: fmt.Sprint(id, "-", k), task: "f/s/" + strconv.Itoa(k), measurements: sample(fmt.Sprint(100*float64(n)/trials), "percent")})
			}
		}
		usd := fmt.Sprintf("%de-7", 1+r.IntN(90))
		all = append(all, observed{model: id, evidence: id + "-price", execution: runtimeScope("rt"),
			measurements: measuredKey("price.input", "fact", usd, "USD/token") + "," + measuredKey("price.output", "fact", usd, "USD/token")})
	}
	size := ""
	if hasTrials {
		size = `,"size":{"tasks":{` + list(tasks, func(i int) string { return `"` + strconv.Itoa(i) + `":20` }) + `},"basis":"stated"}`
	}
	w.ranker = newRanker(t, all...)
	w.members = `"preferences":[{"measurementKey":"k","aggregation":"mean","direction":"maximize","weight":1,"scale":{"low":0,"high":100},"transfer":["execution"]}],
		"keys":[{"key":"k","bounds":{"low":0,"high":100}` + size + `}]`
	return w
}

// rank answers a question about some of the models.
func (w *world) rank(t testing.TB, ids []string, more string) *v3.Result {
	inventory := list(len(ids), func(i int) string {
		return `{"id":"` + ids[i] + `","model":{"id":"` + ids[i] + `"},"execution":{"runtime":{"id":"rt"}}}`
	})
	q := mustRead(t, strings.Replace(request("", w.members+more), `"inventory":[]`, `"inventory":[`+inventory+`]`, 1))
	result, err := v3.ReadResult(problem.Source{Text: mustWrite(t, mustEvaluate(t, w.ranker, q))})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func order(r *v3.Result) (ids []string) {
	for _, c := range r.Ranked {
		ids = append(ids, c.CandidateID)
	}
	return ids
}

// A candidate that leaves never changes the order of the others, in any of 1,000 worlds.
func TestOrderWithoutOne(t *testing.T) {
	vectortest.SkipRace(t)
	r := rand.New(rand.NewPCG(26, 1))
	for n := range 1000 {
		w := newWorld(t, r, 3+r.IntN(6), 2+r.IntN(4), n%2 == 0)
		all := order(w.rank(t, w.ids, ""))
		leaves := w.ids[r.IntN(len(w.ids))]
		rest := slices.DeleteFunc(slices.Clone(w.ids), func(id string) bool { return id == leaves })
		want := slices.DeleteFunc(slices.Clone(all), func(id string) bool { return id == leaves })
		if got := order(w.rank(t, rest, "")); !slices.Equal(got, want) {
			t.Fatalf("world %d: without %s the order is %q, want %q", n, leaves, got, want)
		}
	}
}

// More confidence never changes the order, and only widens intervals of values and of ranks.
func TestOrderAtEveryConfidence(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 2))
	for n := range 200 {
		w := newWorld(t, r, 2+r.IntN(8), 2+r.IntN(4), n%2 == 0)
		var before *v3.Result
		for _, confidence := range []string{"0.5", "0.8", "0.95", "0.99", "0.9999"} {
			now := w.rank(t, w.ids, `,"confidence":`+confidence)
			if before == nil {
				before = now
				continue
			}
			if !slices.Equal(order(before), order(now)) {
				t.Fatalf("world %d at %s: %q, before %q", n, confidence, order(now), order(before))
			}
			for i := range now.Ranked {
				a, b := before.Ranked[i], now.Ranked[i]
				if b.RankInterval.Low > a.RankInterval.Low || b.RankInterval.High < a.RankInterval.High {
					t.Errorf("world %d at %s: ranks %v, before %v", n, confidence, b.RankInterval, a.RankInterval)
				}
				if b.ScoreInterval.Low > a.ScoreInterval.Low || b.ScoreInterval.High < a.ScoreInterval.High {
					t.Errorf("world %d at %s: score %v, before %v", n, confidence, b.ScoreInterval, a.ScoreInterval)
				}
			}
			before = now
		}
	}
}

// Intervals hold the value and stay within their bounds; a rank interval holds a rank that the
// evidence does not contradict; counts of those shown to be better and worse agree.
func TestIntervals(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 3))
	for n := range 300 {
		w := newWorld(t, r, 1+r.IntN(9), 2+r.IntN(4), n%2 == 0)
		result := w.rank(t, w.ids, "")
		better, worse := 0, 0
		for _, c := range result.Ranked {
			e := c.Reasons[0].Estimate
			if !(0 <= *e.Low && *e.Low <= e.Value && e.Value <= *e.High && *e.High <= 100) {
				t.Errorf("world %d: %+v", n, e)
			}
			i := c.RankInterval
			if !(1 <= i.Low && i.Low <= i.High && i.High <= len(result.Ranked)) || *c.AmongBest != (i.Low == 1) {
				t.Errorf("world %d: %s has the ranks %v", n, c.CandidateID, i)
			}
			better, worse = better+i.Low-1, worse+len(result.Ranked)-i.High
		}
		if better != worse {
			t.Errorf("world %d: %d are shown to be better, %d to be worse", n, better, worse)
		}
	}
}

// The mean is taken task first: runs of a task that are repeated weigh nothing.
func TestRerunsWeighNothing(t *testing.T) {
	all := []observed{pass("m", "1", "10"), pass("m", "2", "40")}
	for i := range 9 {
		again := pass("m", "1", "10")
		again.evidence = fmt.Sprint("again", i)
		all = append(all, again)
	}
	r := rankAll(t, "m", prefer(""), all...)
	if got := r.Ranked[0].Reasons[0].Estimate; got.Value != 25 || got.Tasks != 2 {
		t.Errorf("%+v, want 25 of 2 tasks", got)
	}
}

// Own runs overrule public ones of the same task alone; of other tasks both count.
func TestOwnAndPublic(t *testing.T) {
	own := observed{model: "m", task: "f/s/1", execution: scope("rt", ""), source: "first-party", measurements: sample("100", "")}
	public := func(task, value string) observed {
		return observed{model: "m", evidence: "p" + task, task: "f/s/" + task, execution: scope("lab", ""), measurements: sample(value, "")}
	}
	text := strings.Replace(request("", prefer(`,"transfer":["execution"]`)), `"inventory":[]`,
		`"inventory":[{"id":"m","model":{"id":"m"},"execution":{"runtime":{"id":"rt"}}}]`, 1)
	r := mustRank(t, newRanker(t, own, public("1", "0"), public("2", "40"), public("3", "10")), mustRead(t, text))
	e := r.Ranked[0].Reasons[0].Estimate
	if e.Value != 50 || e.Own != 1 || e.Public != 2 || e.Tasks != 3 || len(r.Ranked[0].Evidence[0].Overruled) != 1 {
		t.Errorf("%+v, overruled %v", e, r.Ranked[0].Evidence[0].Overruled)
	}
}

// Own tasks count together under one key, whatever suite they are of, and with public ones; public
// ones of two suites are of several kinds.
func TestOwnSuites(t *testing.T) {
	run := func(task, value, source string) observed {
		return observed{evidence: task, task: task, execution: scope("rt", ""), source: source, measurements: sample(value, "")}
	}
	own := []observed{run("f/mine/1", "100", "first-party"), run("f/mine/2", "80", "first-party"), run("f/other/1", "30", "first-party")}
	for name, tt := range map[string]struct {
		all   []observed
		tasks uint64
		value float64
		code  string
	}{
		"own of two suites":         {own, 3, 70, "PREFERENCE_SCORE"},
		"own of two, and public":    {append(slices.Clone(own), observed{evidence: "p", task: "f/public/1", execution: scope("lab", ""), source: "external", measurements: sample("10", "")}), 4, 55, "PREFERENCE_SCORE"},
		"public of two suites":      {[]observed{run("f/one/1", "1", "external"), run("f/two/1", "2", "external")}, 0, 0, "AMBIGUOUS_EVIDENCE"},
		"own of two families":       {[]observed{run("f/one/1", "1", "first-party"), run("g/one/1", "2", "first-party")}, 0, 0, "AMBIGUOUS_EVIDENCE"},
		"own and public, as direct": {[]observed{run("f/one/1", "1", "first-party"), run("f/two/1", "2", "external")}, 0, 0, "AMBIGUOUS_EVIDENCE"},
	} {
		text := strings.Replace(request("", prefer(`,"transfer":["execution"],"resolve":[]`)+`,"minimumCoverage":0`), `"inventory":[]`,
			`"inventory":[{"id":"m","model":{"id":"m"},"execution":{"runtime":{"id":"rt"}}}]`, 1)
		reason := mustRank(t, newRanker(t, tt.all...), mustRead(t, text)).Ranked[0].Reasons[0]
		if reason.Code != tt.code {
			t.Errorf("%s: %s", name, reason.Code)
		} else if tt.tasks > 0 && (reason.Estimate.Tasks != tt.tasks || reason.Estimate.Value != tt.value) {
			t.Errorf("%s: %+v", name, reason.Estimate)
		}
	}
}

// Own runs that were made with a harness count together with public ones of other tasks, too, unless
// the request says by a step what becomes of them.
func TestOwnHarnessAndPublic(t *testing.T) {
	run := func(runtime, adapter, task, value, source string) observed {
		execution := scope(runtime, `adapter:{"id":"`+adapter+`","version":null}`)
		return observed{evidence: runtime + task, task: "f/s/" + task, execution: execution, source: source, measurements: sample(value, "")}
	}
	all := []observed{run("unknown", "inspect", "1", "100", "first-party"), run("unknown", "inspect", "4", "90", "first-party"),
		run("lab", "board", "1", "0", "external"), run("lab", "board", "2", "40", "external"), run("lab", "board", "3", "10", "external")}
	older := run("lab", "old-board", "5", "99", "external")
	older.observedAt = "2025-01-01T00:00:00.000Z"
	for resolve, want := range map[string]string{
		`["most-specific","newest"]`:                 "60 of 2 own and 2 public, 2 overruled",
		`["most-specific","first-party","newest"]`:   "95 of 2 own and 0 public, 4 overruled",
		`["newest"],"sourceClasses":["external"]`:    "16.666666666666668 of 0 own and 3 public, 1 overruled",
		`["newest"],"sourceClasses":["first-party"]`: "95 of 2 own and 0 public, 0 overruled",
	} {
		r := rankAll(t, "m", prefer(`,"transfer":["execution"],"resolve":`+resolve), append(all, older)...)
		e := r.Ranked[0].Reasons[0].Estimate
		if got := fmt.Sprintf("%v of %d own and %d public, %d overruled", e.Value, e.Own, e.Public, len(r.Ranked[0].Evidence[0].Overruled)); got != want {
			t.Errorf("%s: %s, want %s", resolve, got, want)
		}
	}
}

// What was measured without a workflow was measured without a condition, and says nothing of a
// variant. A scope that leaves the workflow open speaks of all variants.
func TestVariantWithoutWorkflow(t *testing.T) {
	open := `{"kind":"partial","runtime":{"id":"rt","version":null},"adapter":null,"effectiveContextTokens":null,"toolSurface":null,"hardware":null,"workflow":null}`
	for _, test := range []struct{ execution, condition, code string }{
		{scope("rt", ""), `"thinking=on"`, "INCOMPARABLE_EVIDENCE"},
		{scope("rt", ""), `"edit_format=diff"`, "PREFERENCE_SCORE"},
		{scope("rt", ""), `null`, "PREFERENCE_SCORE"},
		{open, `"thinking=on"`, "PREFERENCE_SCORE"},
		{"", `"thinking=on"`, "PREFERENCE_SCORE"},
	} {
		text := strings.Replace(request("", prefer(`,"transfer":["adapter","workflow"]`)+`,"minimumCoverage":0,"keys":[{"key":"k","joins":["edit_format"]}]`),
			`"inventory":[]`, `"inventory":[{"id":"m","model":{"id":"m"},"execution":{"runtime":{"id":"rt"},"workflow":{"id":"w","condition":`+test.condition+`}}}]`, 1)
		r := mustRank(t, newRanker(t, observed{execution: test.execution, measurements: sample("1", "")}), mustRead(t, text))
		if got := r.Ranked[0].Reasons[0].Code; got != test.code {
			t.Errorf("%s for %s: %s, want %s", test.execution, test.condition, got, test.code)
		}
	}
}

// The value, its interval and the margin of a comparison, worked out here by the formulas of Wilson
// and Newcombe.
func TestKnownSizes(t *testing.T) {
	w := world{ranker: newRanker(t, pass("a", "1", "80"), pass("a", "2", "66"), pass("b", "1", "50"), pass("b", "2", "50")),
		members: `"preferences":[{"measurementKey":"k","aggregation":"mean","direction":"maximize","weight":1,"scale":{"low":0,"high":100},"transfer":["execution"]}],
			"keys":[{"key":"k","bounds":{"low":0,"high":100},"size":{"tasks":{"1":30,"2":30}}}]`}
	r := w.rank(t, []string{"a", "b"}, "")
	const z = 1.959963984540054
	wilson := func(p, e float64) (low, high float64) {
		d := 1 + z*z/e
		c, h := (p+z*z/(2*e))/d, z*math.Sqrt(p*(1-p)/e+z*z/(4*e*e))/d
		return c - h, c + h
	}
	effective := func(p1, p2 float64) (p, e float64) {
		p = (p1 + p2) / 2
		return p, p * (1 - p) / ((p1*(1-p1)/30 + p2*(1-p2)/30) / 4)
	}
	p, e := effective(0.8, 0.66)
	low, high := wilson(p, e)
	got := r.Ranked[0].Reasons[0].Estimate
	if math.Abs(*got.Low-100*low) > 1e-8 || math.Abs(*got.High-100*high) > 1e-8 || *got.Trials != 60 || got.Size != "stated" && got.Size != "" {
		t.Errorf("%v to %v of %v, want %v to %v", *got.Low, *got.High, *got.Trials, 100*low, 100*high)
	}
	_, highB := wilson(0.5, 60)
	margin := math.Sqrt((p-low)*(p-low) + (highB-0.5)*(highB-0.5))
	if isShown := p-0.5 > margin; *r.Ranked[1].AmongBest == isShown {
		t.Errorf("the difference of %v has the margin %v, and b is among the best: %v", p-0.5, margin, *r.Ranked[1].AmongBest)
	}
}

// Effort splits, what the dictionary joins does not.
func TestJoinedConditions(t *testing.T) {
	run := func(task, condition, value string) observed {
		execution := strings.Replace(scope("lab", ""), `"workflow":null`, `"workflow":{"id":"w","version":null,"condition":"`+condition+`"}`, 1)
		return observed{model: "m", evidence: task + condition, task: "f/s/" + task, execution: execution, measurements: sample(value, "")}
	}
	for _, test := range []struct{ a, b, code string }{
		{"edit_format=diff", "edit_format=whole", "PREFERENCE_SCORE"},
		{"edit_format=diff,effort=high", "edit_format=whole,effort=high", "PREFERENCE_SCORE"},
		{"edit_format=diff,effort=high", "edit_format=diff,effort=low", "AMBIGUOUS_EVIDENCE"},
	} {
		r := rankAll(t, "m", prefer(`,"transfer":["execution"]`)+`,"minimumCoverage":0,"keys":[{"key":"k","joins":["edit_format"]}]`, run("1", test.a, "10"), run("2", test.b, "20"))
		if got := r.Ranked[0].Reasons[0].Code; got != test.code {
			t.Errorf("%s and %s: %s, want %s", test.a, test.b, got, test.code)
		}
	}
}
