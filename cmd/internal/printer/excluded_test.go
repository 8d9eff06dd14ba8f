package printer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// answered answers a request, and returns the document, too.
func answered(t *testing.T, c *catalog.Catalog, text string) (*v3.Result, *Background, json.RawMessage) {
	t.Helper()
	request, err := v3.ReadRequest(problem.Source{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	result, err := comparetest.Index(t, c).Rank(t.Context(), request, 0)
	if err != nil {
		t.Fatal(err)
	}
	document, err := result.AppendJSON(nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	r, err := v3.ReadResult(problem.Source{Text: string(document)})
	if err != nil {
		t.Fatal(err)
	}
	return r, NewBackground(request.JSON(), c), document
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

// unmet is an excluded candidate that misses numbers, by key: its own and the one required.
func unmet(id string, numbers map[string][2]string) v3.Candidate {
	c := v3.Candidate{CandidateID: id}
	for _, key := range slices.Sorted(maps.Keys(numbers)) {
		value := func(text string) record.Scalar { return record.Scalar{Kind: '0', Text: text} }
		expected, actual := value(numbers[key][1]), value(numbers[key][0])
		c.Reasons = append(c.Reasons, v3.Reason{Code: "REQUIREMENT_NOT_MET", Criterion: record.Text(key), MeasurementKey: record.Text(key),
			Expected: &expected, RankFinding: &v3.Finding{Actual: actual, Estimate: &v3.Estimate{Value: actual.Float(), Unit: "tokens", Basis: "exact"}}})
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
	want := "Most, 3 of 4, are excluded because context is less than 200 tokens, 2 of them by nothing else. " +
		"Nearest is b: its context is 150 tokens, less than 200 tokens; it misses by 50 tokens."
	if got := b.causeText(r); got != want {
		t.Errorf("%s\nnot\n%s", got, want)
	}
	r.Excluded = r.Excluded[2:]
	want = "Nearest is c: its context is 199 tokens, less than 200 tokens; its output is 9 tokens, less than 10 tokens."
	if got := b.causeText(r); got != want {
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
		r, b, _ := answered(t, c, `{"schemaVersion":"service.rank.request/v3","inventory":[{"id":"a","model":{"id":"m"},"execution":{"runtime":{"id":"r"}}},{"id":"b","model":{"id":"n"},"execution":{"runtime":{"id":"r"}}}],
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
