package printer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank/dispatch"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// place is a ranked candidate of a test.
type place struct {
	id       string
	group    uint64
	score    float64
	leader   string // whom it was compared with
	unknown  bool   // without coming to anything
	isExact  bool   // and there was nothing to be sure of
	breakers []tieBreak
}

type tieBreak struct{ name, direction, value string }

func result(preferences, excluded int, places ...place) *v3.Result {
	r := &v3.Result{ScoreScale: v3.ScoreScale{Maximum: 1, Scales: make([]v3.PreferenceScale, preferences)}, Excluded: make([]v3.Candidate, excluded)}
	for i, p := range places {
		c := v3.Candidate{CandidateID: p.id, Standing: &v3.Standing{Rank: uint64(i + 1), TieGroup: p.group, Score: p.score, Coverage: 1}}
		if p.leader != "" {
			c.Comparison = &v3.Comparison{Leader: p.leader, Margin: new(0.5)}
			if p.isExact {
				c.Comparison.Margin = new(0.0)
			}
			if p.unknown {
				c.Comparison.Margin = nil
			}
		}
		for _, b := range p.breakers {
			c.Reasons = append(c.Reasons, v3.Reason{Code: "TIE_BREAKER_VALUE", Criterion: record.Text("tieBreaker:" + b.name), Summary: b.direction + " by " + b.value,
				Finding: &v3.Finding{Actual: v3.Value{Scalar: record.Scalar{Kind: '0', Text: b.value}}}})
		}
		r.Ranked = append(r.Ranked, c)
	}
	return r
}

// directionsOf knows of the tie breakers of a result which end is better, and nothing else.
func directionsOf(r *v3.Result) *Background {
	b := &Background{criteria: map[string]*asked{}}
	for i := range r.Ranked {
		for _, reason := range tieBreakers(&r.Ranked[i]) {
			direction, _, _ := strings.Cut(reason.Summary, " ")
			b.criteria[string(reason.Criterion)] = &asked{Direction: direction}
		}
	}
	return b
}

// answers are results by what is said of them.
func answers() map[string]*v3.Result {
	cost := func(value string) tieBreak { return tieBreak{"usd", "minimize", value} }
	speed := func(value string) tieBreak { return tieBreak{"speed", "maximize", value} }
	half := result(2, 0, place{id: "a", group: 1})
	half.Ranked[0].Coverage = 0.5
	nothing := result(1, 1, place{id: "a", group: 1}, place{id: "b", group: 1})
	for i := range nothing.Ranked {
		nothing.Ranked[i].Coverage = 0
	}
	worst := result(2, 0, place{id: "a", group: 1}, place{id: "b", group: 2, leader: "a", unknown: true})
	worst.Ranked[0].Coverage = 0
	return map[string]*v3.Result{
		"a is the only candidate that is ranked. For it there is evidence for 50% of the weight.": half,
		"Nothing that the request prefers is known of any candidate; 1 is excluded.":              nothing,
		// The worst value scores as little as no evidence does.
		"a comes first of 2 candidates. It cannot be compared with b: there is too little evidence. For it there is evidence for 0% of the weight.": worst,
		"a comes first of 2 candidates. It has the same score as b; it goes first by the order of their ids alone.": result(2, 0,
			place{id: "a", group: 1}, place{id: "b", group: 1, leader: "a", isExact: true}),
		"a comes first of 3 candidates. It has the same score as b and c; it goes first by the order of their ids alone.": result(2, 0,
			place{id: "a", group: 1}, place{id: "b", group: 1, leader: "a", isExact: true}, place{id: "c", group: 1, leader: "a", isExact: true}),
		"a comes first of 3 candidates. The evidence does not show whether it is better than b or d; it goes first by the order of their ids alone.": result(2, 0,
			place{id: "a", group: 1}, place{id: "b", group: 1, leader: "a", isExact: true}, place{id: "d", group: 1, leader: "a"}),
		"The request has no candidates.":                          result(1, 0),
		"No candidate is ranked; 1 is excluded.":                  result(1, 1),
		"No candidate is ranked; 2 are excluded.":                 result(1, 2),
		"a is the only candidate that is ranked; 2 are excluded.": result(2, 2, place{id: "a", group: 1}),
		"a comes first of 2 candidates. The evidence shows that it is better than b, the next best.": result(2, 0,
			place{id: "a", group: 1, score: 1}, place{id: "b", group: 2, leader: "a"}),
		"a comes first of 2 candidates. Next is b, with a score of 0.25.": result(2, 0,
			place{id: "a", group: 1, score: 1}, place{id: "b", group: 2, score: 0.25, leader: "a", isExact: true}),
		"a comes first of 3 candidates. Next is b, with a score of 0.5.": result(2, 0,
			place{id: "a", group: 1, score: 1}, place{id: "b", group: 2, score: 0.5, leader: "c", isExact: true}, place{id: "c", group: 2, score: 0.5, leader: "a", isExact: true}),
		// The leader of the next group is what the first was compared with, whoever comes second.
		"a comes first of 3 candidates. The evidence shows that it is better than c, the next best.": result(2, 0,
			place{id: "a", group: 1, score: 1}, place{id: "b", group: 2, leader: "c"}, place{id: "c", group: 2, leader: "a"}),
		"a comes first of 2 candidates. It cannot be compared with b: there is too little evidence.": result(2, 0,
			place{id: "a", group: 1, score: 1}, place{id: "b", group: 2, leader: "a", unknown: true}),
		"a comes first of 2 candidates. The evidence does not show whether it is better than b; it goes first because it has the highest score.": result(2, 0,
			place{id: "a", group: 1, score: 1}, place{id: "b", group: 1, leader: "a"}),
		"a comes first of 2 candidates. The evidence does not show whether it is better than b; it goes first by the order of their ids alone.": result(2, 0,
			place{id: "a", group: 1}, place{id: "b", group: 1, leader: "a"}),
		"a comes first of 2 candidates. The evidence does not show whether it is better than b; it goes first because its usd is lower: 1, not 2.": result(2, 0,
			place{id: "a", group: 1, breakers: []tieBreak{cost("1")}}, place{id: "b", group: 1, breakers: []tieBreak{cost("2")}}),
		"a comes first of 2 candidates. The evidence does not show whether it is better than b; it goes first because its speed is higher: 9, not 8.": result(2, 0,
			place{id: "a", group: 1, breakers: []tieBreak{cost("1"), speed("9")}}, place{id: "b", group: 1, breakers: []tieBreak{cost("1"), speed("8")}}),
		// What decides in a larger group decides between the first two, not more.
		"a comes first of 3 candidates. The evidence does not show whether it is better than b or c; it goes first because its speed is higher than that of b: 9, not 8.": result(2, 0,
			place{id: "a", group: 1, breakers: []tieBreak{cost("1"), speed("9")}}, place{id: "b", group: 1, breakers: []tieBreak{cost("1"), speed("8")}},
			place{id: "c", group: 1, breakers: []tieBreak{cost("2"), speed("10")}}),
		"a comes first of 3 candidates. The evidence does not show whether it is better than b or c; it goes first because its score is higher than that of b.": result(2, 0,
			place{id: "a", group: 1, score: 2, breakers: []tieBreak{cost("1")}}, place{id: "b", group: 1, score: 1, breakers: []tieBreak{cost("1")}},
			place{id: "c", group: 1, score: 3, breakers: []tieBreak{cost("2")}}),
		// Without anything that says which is better there is no first.
		"2 candidates meet the requirements. Their ids alone order them: there are no preferences, and no tie breaker has a value; 1 is excluded.": result(0, 1,
			place{id: "a", group: 1}, place{id: "b", group: 1, leader: "a"}),
		"a comes first of 2 candidates. The evidence does not show whether it is better than b; it goes first because its usd is known: 1.": result(2, 0,
			place{id: "a", group: 1, breakers: []tieBreak{cost("1")}}, place{id: "b", group: 1, breakers: []tieBreak{speed("8")}}),
		"a comes first of 3 candidates. The evidence does not show whether it is better than b or c; it goes first because it has the lowest usd, 1.": result(2, 0,
			place{id: "a", group: 1, breakers: []tieBreak{cost("1")}}, place{id: "b", group: 1, breakers: []tieBreak{cost("2")}}, place{id: "c", group: 1}),
		"a comes first of 4 candidates. The evidence does not show whether it is better than b, c or d; it goes first by the order of their ids alone.": result(2, 0,
			place{id: "a", group: 1}, place{id: "b", group: 1}, place{id: "c", group: 1}, place{id: "d", group: 1}),
		"a comes first of 5 candidates. The evidence does not show whether it is better than 4 others; it goes first by the order of their ids alone.": result(2, 0,
			place{id: "a", group: 1}, place{id: "b", group: 1}, place{id: "c", group: 1}, place{id: "d", group: 1}, place{id: "e", group: 1}),
		// Without preferences nothing but tie breakers orders the candidates.
		"a comes first of 2 candidates. It goes first because its usd is lower: 1, not 2.": result(0, 0,
			place{id: "a", group: 1, breakers: []tieBreak{cost("1")}}, place{id: "b", group: 1, breakers: []tieBreak{cost("2")}}),
	}
}

// The answer names the first, says who is tied with it, and what decided.
func TestAnswer(t *testing.T) {
	for want, r := range answers() {
		if got := directionsOf(r).answerText(r); got != want {
			t.Errorf("%s\nnot\n%s", got, want)
		}
	}
}

// Four candidates or more that lack the same are named together, the largest group first.
func TestExcludedTogether(t *testing.T) {
	var list []exclusion
	add := func(n int, name, because, shared string) {
		for i := range n {
			list = append(list, exclusion{fmt.Sprint(name, i), "model", []string{because}, []string{shared}})
		}
	}
	add(6, "small", "limits.context is 1, less than 2", "limits.context is less than 2")
	add(3, "mute", "tools is false, not true", "tools is not true")
	add(13, "dear", "price is 2, more than 1", "price is more than 1")
	var out bytes.Buffer
	c := console.New(&out, &out)
	New(c).printExcluded(list, 3, false)
	if err := c.Flush(); err != nil {
		t.Fatal(err)
	}
	want := `
EXCLUDED: 13 because price is more than 1
  dear0, dear1, dear2, dear3, dear4, dear5, dear6, dear7, dear8, dear9 and 3
  more

EXCLUDED: 6 because limits.context is less than 2
  small0, small1, small2, small3, small4 and small5

EXCLUDED  MODEL  BECAUSE
mute0     model  tools is false, not true
mute1     model  tools is false, not true
mute2     model  tools is false, not true
`
	if got := out.String(); got != want {
		t.Errorf("%s\nnot\n%s", got, want)
	}
	if strings.Contains(out.String(), "\x1b") {
		t.Error("colour elsewhere than on a terminal")
	}
}

// The page of svc explore answers in the same words: to the results above, and to questions
// about an example by every version of requests.
func TestAnswerOfThePage(t *testing.T) {
	tab := openPage(t)
	var want, ids []string // the page has room for whole ids
	var results []any
	for text, r := range answers() {
		want, results = append(want, text), append(results, []any{documentOf(r), 0, []string{}})
	}
	for i, r := range exampleRankings(t) {
		text, err := r.result.AppendJSON(nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if r.result.Earlier != nil {
			want, results = append(want, earlierAnswer(r.result.Earlier)), append(results, []any{json.RawMessage(text), 0, []string{}})
			continue
		}
		read, err := v3.ReadResult(problem.Source{Text: string(text)})
		if err != nil {
			t.Fatal(err)
		}
		background := NewBackground(r.request.JSON(), r.catalog, read)
		background.LeftOut = i % 2 * 7
		want, results = append(want, background.answerText(read)), append(results, []any{json.RawMessage(text), background.LeftOut, pricesOf(background)})
		for _, c := range read.Ranked {
			if clip := console.Clip(c.CandidateID); clip != c.CandidateID {
				ids = append(ids, c.CandidateID, clip)
			}
		}
	}
	clipped := strings.NewReplacer(ids...)
	got := pageSays(t, tab, "page.answerText(...args)", results)
	for i := range want {
		if got := clipped.Replace(got[i]); got != want[i] {
			t.Errorf("the page says\n%s\nthe terminal\n%s", got, want[i])
		}
	}
}

// documentOf is what the document of a result of these tests says that an answer is made of.
func documentOf(r *v3.Result) any {
	type object = map[string]any
	ranked := []object{}
	for _, c := range r.Ranked {
		entry := object{"candidateId": c.CandidateID, "rank": c.Rank, "score": c.Score, "tieGroup": c.TieGroup, "coverage": c.Coverage, "comparison": nil}
		if c.Comparison != nil {
			entry["comparison"] = object{"leader": c.Comparison.Leader, "margin": c.Comparison.Margin}
		}
		reasons := []object{}
		for _, reason := range c.Reasons {
			reasons = append(reasons, object{"code": reason.Code, "criterion": reason.Criterion, "summary": reason.Summary, "actual": json.RawMessage(reason.Actual.Text)})
		}
		entry["reasons"] = reasons
		ranked = append(ranked, entry)
	}
	return object{"ranked": ranked, "excluded": make([]object, len(r.Excluded)), "scoreScale": object{"scales": make([]object, len(r.ScoreScale.Scales))}}
}

// exampleRanking is what a request about a catalog comes to.
type exampleRanking struct {
	catalog *catalog.Catalog
	request *dispatch.Request
	result  *dispatch.Result
}

// exampleRankings answer requests of every version about the examples, and questions as the
// options of svc rank ask them.
func exampleRankings(t *testing.T) (results []exampleRanking) {
	t.Helper()
	read := func(name string) problem.Source {
		text, err := os.ReadFile("../../../examples/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return problem.Source{Name: name, Text: string(text)}
	}
	rank := func(c *catalog.Catalog, request problem.Source) {
		q, err := dispatch.ReadRequest(request)
		if err != nil {
			t.Fatal(err)
		}
		r, err := dispatch.New(c).Rank(t.Context(), q, 0)
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, exampleRanking{c, q, r})
	}
	for name, requests := range map[string][]string{"catalog.json": {"fix-issues.json"}, "models/catalog.json": {"models/coding-agent.json", "leaderboards/coding.json", "leaderboards/choice.json"}} {
		c, err := catalog.Parse(t.Context(), read(name))
		if err != nil {
			t.Fatal(err)
		}
		for _, request := range requests {
			rank(c, read(request))
		}
		if name == "catalog.json" {
			continue
		}
		for _, question := range []v3.Question{
			{Maximize: []string{"livebench.agentic-coding.score"}, Cheapest: true}, {Maximize: []string{"aider.polyglot.pass_rate_2"}},
			{Maximize: []string{"livebench.agentic-coding.score", "aider.polyglot.pass_rate_2"}, Cheapest: true}, {Cheapest: true}, {Maximize: []string{"limits.context"}},
			{Minimize: []string{"price.output"}, Runtimes: []string{"openrouter"}},
		} {
			text, _, err := v3.Draft(c, question)
			if err != nil {
				t.Fatal(err)
			}
			rank(c, problem.Source{Text: text})
		}
	}
	return results
}

// unmet is an excluded candidate that misses numbers, by key: its own and the one required.
func unmet(id string, numbers map[string][2]string) v3.Candidate {
	c := v3.Candidate{CandidateID: id}
	for _, key := range slices.Sorted(maps.Keys(numbers)) {
		value := func(text string) v3.Value { return v3.Value{Scalar: record.Scalar{Kind: '0', Text: text}} }
		expected, actual := value(numbers[key][1]), value(numbers[key][0])
		c.Reasons = append(c.Reasons, v3.Reason{Code: "REQUIREMENT_NOT_MET", Criterion: record.Text(key), MeasurementKey: record.Text(key),
			Expected: &expected, Finding: &v3.Finding{Actual: actual, Estimate: &v3.Estimate{Value: actual.Float(), Unit: "tokens", Method: "exact"}}})
	}
	return c
}

// Where nobody is ranked, what excludes most is named, and who misses least, and by how much.
func TestAnswerOfNobody(t *testing.T) {
	b := &Background{criteria: map[string]*asked{"context": {Operator: "gte"}, "output": {Operator: "gte"}}}
	r := &v3.Result{Excluded: []v3.Candidate{
		unmet("a", map[string][2]string{"context": {"100", "200"}}),
		unmet("b", map[string][2]string{"context": {"150", "200"}}),
		unmet("c", map[string][2]string{"context": {"199", "200"}, "output": {"9", "10"}}),
		{CandidateID: "d", Reasons: []v3.Reason{{Code: "MISSING_EVIDENCE", MeasurementKey: "output"}}},
	}}
	want := "No candidate is ranked; 4 are excluded. Most, 3 of 4, are excluded because context is less than 200 tokens, 2 of them by nothing else. " +
		"Nearest is b: its context is 150 tokens, less than 200 tokens; it misses by 50 tokens."
	if got := b.answerText(r) + " " + b.causeText(r); got != want {
		t.Errorf("%s\nnot\n%s", got, want)
	}
	r.Excluded = r.Excluded[2:]
	want = "No candidate is ranked; 2 are excluded. Nearest is c: its context is 199 tokens, less than 200 tokens; its output is 9 tokens, less than 10 tokens."
	if got := b.answerText(r) + " " + b.causeText(r); got != want {
		t.Errorf("%s\nnot\n%s", got, want)
	}
	// Whoever reaches furthest is nearest, also where the difference is as large for all.
	r.Excluded = []v3.Candidate{unmet("a", map[string][2]string{"context": {"100", "1e38"}}), unmet("b", map[string][2]string{"context": {"150", "1e38"}}), unmet("c", map[string][2]string{"context": {"120", "1e38"}})}
	if got := b.causeText(r); !strings.Contains(got, "Nearest is b:") {
		t.Error(got)
	}
}

// What a subtraction adds in the last digits is not said, and a sum of prices is in dollars
// also where nobody is ranked.
func TestAmountsOfNobody(t *testing.T) {
	for want, of := range map[string][2]float64{"1.4": {2.5, 1.1}, "1234567890123": {1, 1234567890124}, "0.1": {100.1, 100}} {
		if got := strconv.FormatFloat(difference(of[0], of[1]), 'f', -1, 64); got != want {
			t.Errorf("%v: %s, not %s", of, got, want)
		}
	}
	price := comparetest.Fact("price.output", 2.5e-6, "USD/token")
	c := comparetest.Compile(t, comparetest.June2, comparetest.Statement{ID: "m", Execution: comparetest.At("r"), Measurements: []any{price}},
		comparetest.Statement{ID: "n", Execution: comparetest.At("r"), Measurements: []any{price}})
	for requirement, want := range map[string]string{
		`"measurementKey":"price.output","aggregation":"fact"`:                                    "its price.output is $2.50 per million tokens, more than $1.10 per million tokens; it misses by $1.40 per million tokens.",
		`"id":"usd","sum":[{"measurementKey":"price.output","aggregation":"fact","factor":1000}]`: "its usd is $0.0025, more than $0.0000011; it misses by $0.002499.",
	} {
		r, b := answered(t, c, `{"schemaVersion":"service.rank.request/v3","inventory":[{"id":"a","model":{"id":"m"},"execution":{"runtime":{"id":"r"}}},{"id":"b","model":{"id":"n"},"execution":{"runtime":{"id":"r"}}}],
			"requirements":[{`+requirement+`,"operator":"lte","value":0.0000011}]}`)
		if got := b.causeText(r); got != "Nearest is a: "+want {
			t.Errorf("%s\nnot Nearest is a: %s", got, want)
		}
	}
}

// Where everything is excluded, only the first names are printed, however many are asked for.
func TestExcludedAll(t *testing.T) {
	var list []exclusion
	for i := range 92 {
		list = append(list, exclusion{fmt.Sprint("m", i), "model", []string{"because"}, []string{"because"}})
	}
	var out bytes.Buffer
	c := console.New(&out, &out)
	New(c).printExcluded(list, 128, true)
	if err := c.Flush(); err != nil {
		t.Fatal(err)
	}
	if want := "\nEXCLUDED: 92 because because\n  m0, m1, m2, m3, m4, m5, m6, m7, m8, m9 and 82 more\n"; out.String() != want {
		t.Errorf("%s\nnot\n%s", out.String(), want)
	}
}

// What is wrong with evidence is a clause after "because".
func TestClauses(t *testing.T) {
	got := clauses("a: no evidence; b: the evidence has expired; c is 1, less than 2; d: the value is not a number")
	if want := "there is no evidence of a; the evidence of b has expired; c is 1, less than 2; d: the value is not a number"; got != want {
		t.Error(got)
	}
}

// Of candidates that a request cannot hold, it is said how many fit the question.
func TestAnswerOfMany(t *testing.T) {
	b := &Background{LeftOut: 7}
	want := "a comes first of the best 3 of 10 candidates that fit the question; 1 is excluded. The evidence shows that it is better than b, the next best."
	if got := b.answerText(result(2, 1, place{id: "a", group: 1, score: 1}, place{id: "b", group: 2, leader: "a"})); got != want {
		t.Errorf("%s\nnot\n%s", got, want)
	}
}
