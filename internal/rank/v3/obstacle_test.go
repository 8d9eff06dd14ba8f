package v3_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/internal/quantity"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// gapsOfCodes say what is wrong with evidence, by the code of a reason.
var gapsOfCodes = map[string]string{
	"MISSING_EVIDENCE": "no evidence", "PREFERENCE_EVIDENCE_MISSING": "no evidence", "TIE_BREAKER_EVIDENCE_MISSING": "no evidence",
	"STALE_EVIDENCE": "the evidence has expired", "CONFLICTING_EVIDENCE": "the evidence contradicts itself",
	"INCOMPARABLE_EVIDENCE": "the evidence cannot be compared", "AMBIGUOUS_EVIDENCE": "the evidence is of several kinds",
}

// lacks reads from the reasons of a result what a candidate lacks, in words without its values.
func (r *reading) lacks(c *record.RankCandidate) (list []string) {
	for i := range c.Reasons {
		x := &c.Reasons[i]
		name := string(x.MeasurementKey)
		if name == "" {
			name = string(x.Criterion)
		}
		text := ""
		switch gap := gapsOfCodes[x.Code]; {
		case x.Code == "REQUIREMENT_NOT_MET":
			text = name + " is " + r.missOf(x)
		case x.Code == "NO_EVIDENCE" && x.Expected.Float() < 1:
			text = "there is not evidence for " + quantity.Phrase(100*x.Expected.Float(), "percent") + " of the weight"
		case strings.HasSuffix(x.Summary, "more than one unit"):
			text = name + ": the candidates have values in more than one unit"
		case strings.HasSuffix(x.Summary, "not numeric"):
			text = name + ": the value is not a number"
		case gap != "":
			text = name + ": " + gapOf(x, gap) + details(x)
		}
		if text != "" && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// details say by what evidence is of several kinds.
func details(x *record.RankReason) (text string) {
	for _, a := range x.Ambiguity {
		var values []string
		for _, v := range a.Values {
			name := string(v)
			switch {
			case v == "" || v == "null":
				name = "none"
			case v[0] == '"':
				json.Unmarshal([]byte(v), &name)
			}
			values = append(values, name)
		}
		if len(values) > 5 {
			values = append(values[:5], "and others")
		}
		text += ", by " + a.Dimension + " (" + strings.Join(values, ", ") + ")"
	}
	return text
}

// gapOf says in what evidence differs that cannot be compared.
func gapOf(x *record.RankReason, gap string) string {
	others := x.ExecutionApplicability.MismatchedDimensions
	switch {
	case x.Code != "INCOMPARABLE_EVIDENCE" || len(others) == 0 || len(x.ExecutionApplicability.MatchedKinds) > 0:
		return gap
	case slices.Equal(others, []string{"runtime.id"}):
		return "the evidence is about another provider"
	}
	words := v3.DimensionWords(others)
	if n := len(words) - 1; n > 0 {
		words = []string{strings.Join(words[:n], ", ") + " and " + words[n]}
	}
	return "the evidence was measured with another " + words[0]
}

func (r *reading) missOf(x *record.RankReason) string {
	i := slices.IndexFunc(r.request.Requirements, func(q struct {
		ID, MeasurementKey, Operator string
		Value                        any
	}) bool {
		return q.ID == string(x.Criterion)
	})
	isNumber := x.Estimate != nil && x.Expected.Kind == '0'
	words := map[string]string{"gte": "not at least ", "lte": "not at most ", "eq": "not "}
	if isNumber {
		words = map[string]string{"gte": "less than ", "lte": "more than ", "eq": "not "}
	}
	text, _ := json.Marshal(x.Expected)
	if isNumber {
		text = []byte(quantity.Phrase(x.Expected.Float(), string(x.Estimate.Unit)))
	}
	return words[r.request.Requirements[i].Operator] + string(text)
}

// agree demands that what a ranking says of excluded candidates is what the reasons of its result
// say.
func (r *reading) agree(t *testing.T, said []v3.Obstacles) {
	t.Helper()
	if len(said) != len(r.Excluded) {
		t.Fatalf("%d candidates are excluded, not %d", len(said), len(r.Excluded))
	}
	for i, o := range said {
		want := r.lacks(&r.Excluded[i])
		if o.CandidateID != r.Excluded[i].CandidateID || !slices.Equal(want, o.Shared) || len(o.Lines) < len(o.Shared) {
			t.Fatalf("%s lacks %q, not %q", o.CandidateID, o.Shared, want)
		}
	}
}

// commonest returns what most excluded candidates lack, how many, and how many of them lack nothing
// else.
func (r *reading) commonest(because string) (all, alone, most int) {
	counts := map[string]int{}
	for i := range r.Excluded {
		list := r.lacks(&r.Excluded[i])
		for _, text := range list {
			counts[text]++
			most = max(most, counts[text])
		}
		if slices.ContainsFunc(list, func(text string) bool { return because == clauseOf(text) }) {
			all++
			if len(list) == 1 {
				alone++
			}
		}
	}
	return all, alone, most
}

// clauseOf is a gap after "because".
func clauseOf(text string) string {
	key, words, _ := strings.Cut(text, ": ")
	if rest, found := strings.CutPrefix(words, "the evidence "); found {
		return "the evidence of " + key + " " + rest
	}
	if words == "no evidence" {
		return "there is no evidence of " + key
	}
	return text
}

// isNearest reports whether no excluded candidate misses fewer requirements than one does, or as many
// but by a smaller part of the numbers.
func (r *reading) isNearest(id string) bool {
	miss := func(c *record.RankCandidate) (miss float64) {
		for i := range c.Reasons {
			switch x := &c.Reasons[i]; x.Code {
			case "REQUIREMENT_NOT_MET":
				part := 1.0
				if x.Estimate != nil && x.Expected.Kind == '0' {
					by := math.Abs(x.Actual.Float() - x.Expected.Float())
					part = by / (by + math.Abs(x.Expected.Float()))
				}
				miss += 1 + part
			case "NO_EVIDENCE":
				return math.Inf(1)
			default:
				if gapsOfCodes[x.Code] != "" && slices.ContainsFunc(r.request.Requirements, func(q struct {
					ID, MeasurementKey, Operator string
					Value                        any
				}) bool {
					return q.ID == string(x.Criterion)
				}) {
					return math.Inf(1)
				}
			}
		}
		return miss
	}
	i := slices.IndexFunc(r.Excluded, func(c record.RankCandidate) bool { return c.CandidateID == id })
	return i >= 0 && !slices.ContainsFunc(r.Excluded, func(c record.RankCandidate) bool {
		return miss(&c) > 0 && miss(&c) < miss(&r.Excluded[i])-1e-12
	})
}

// ofEveryKind has for each model below what can be wrong with its evidence.
func ofEveryKind(t *testing.T) *catalog.Catalog {
	t.Helper()
	list := func(id, until string, measurements ...any) comparetest.Statement {
		return comparetest.Statement{ID: id, Execution: comparetest.At("r"), Until: until, Measurements: measurements, Evidence: []string{id + until + string(rune('a'+len(measurements)))}}
	}
	ran := func(id string, scope any, score float64, task string) comparetest.Statement {
		return comparetest.Statement{ID: id, Execution: scope, Outcome: "accepted", Task: comparetest.Job("f", nil, task), Measurements: []any{comparetest.Sample("score", score, "percent")}, Evidence: []string{id + task}}
	}
	price := func(input, output float64) []any {
		return []any{comparetest.Fact("price.input", input/1e6, "USD/token"), comparetest.Fact("price.output", output/1e6, "USD/token")}
	}
	return comparetest.Compile(t, comparetest.June2,
		list("dear", "", append(price(2.5, 12), comparetest.Fact("tools", true), comparetest.Fact("size", "large"))...),
		list("cheap", "", append(price(1.1, 2.5), comparetest.Fact("tools", false), comparetest.Fact("size", 7, "tokens"))...),
		list("dearest", "", price(9, 99)...),
		list("torn", "", price(3, 4)...), list("torn", "", append(price(4, 5), comparetest.Fact("more", 1))...),
		list("old", comparetest.June1, price(1, 2)...),
		list("mute", "", comparetest.Fact("limits.context", 100, "tokens")),
		list("near", "", append(price(1.3, 2.5), comparetest.Fact("limits.context", 199, "tokens"), comparetest.Fact("size", 3, "bytes"))...),
		comparetest.Statement{ID: "away", Execution: comparetest.At("elsewhere"), Measurements: price(1, 2)},
		ran("dear", comparetest.Ran("r", "x"), 60, "1"), ran("dear", comparetest.Ran("r", "y"), 80, "2"), ran("cheap", comparetest.Ran("r", "x"), 50, "1"))
}

// What excludes candidates is said in words: of each, and of all, with whom is nearest and by how
// much it misses.
func TestObstacles(t *testing.T) {
	k := mustIndex(t, ofEveryKind(t))
	request := func(models, more string) string {
		inventory := ""
		for _, id := range strings.Fields(models) {
			inventory += `,{"id":"` + id + `","model":{"id":"` + id + `"},"execution":{"runtime":{"id":"r"},"toolSurface":[]}}`
		}
		return `{"schemaVersion":"service.rank.request/v3","inventory":[` + inventory[1:] + `],` + more + `}`
	}
	require := func(criteria ...string) string { return `"requirements":[` + strings.Join(criteria, ",") + `]` }
	fact := func(key, operator, value string) string {
		return `{"measurementKey":"` + key + `","aggregation":"fact","operator":"` + operator + `","value":` + value + `}`
	}
	also := func(criterion string) string { return strings.Replace(criterion, "{", `{"id":"also",`, 1) }
	const score = `{"measurementKey":"score","aggregation":"mean","operator":"gte","value":200}`
	const all, two = "cheap dear dearest mute near old torn", "dear cheap"
	for _, tt := range []struct{ models, asks, lacks, cause string }{
		{all, require(fact("price.output", "lte", "1.1e-6")),
			"cheap: price.output is $2.50 per million tokens, more than $1.10 per million tokens",
			"Most, 4 of 7, are excluded because price.output is more than $1.10 per million tokens, 4 of them by nothing else. Nearest is cheap: its price.output is $2.50 per million tokens, more than $1.10 per million tokens; it misses by $1.40 per million tokens."},
		{all, require(fact("price.output", "lte", "1e-6"), fact("price.input", "lte", "1e-6")),
			"torn: price.input: the evidence contradicts itself; price.output: the evidence contradicts itself",
			"Nearest is cheap: its price.input is $1.10 per million tokens, more than $1.00 per million tokens; its price.output is $2.50 per million tokens, more than $1.00 per million tokens."},
		{"near mute", require(fact("limits.context", "gte", "200"), fact("price.output", "lte", "1e-6")),
			"mute: limits.context is 100 tokens, less than 200 tokens; price.output: no evidence",
			"All of them are excluded because limits.context is less than 200 tokens. Nearest is near: its limits.context is 199 tokens, less than 200 tokens; its price.output is $2.50 per million tokens, more than $1.00 per million tokens."},
		{"near mute", require(fact("limits.context", "gte", "1e38")), "", "Nearest is near: its limits.context is 199 tokens, less than"}, // it reaches further
		{"old mute torn", require(fact("price.output", "lte", "1e-6")), "old: price.output: the evidence has expired", ""},
		{"old", require(fact("price.output", "lte", "1e-6")), "", "Fetch newer files, or compile with --as-of 2026-"},
		{all, require(fact("absent", "gte", "1"), also(fact("absent", "lte", "2"))), "near: absent: no evidence", ""}, // two bounds of one key lack one thing
		{all, require(fact("size", "gte", "1"), fact("tools", "eq", "5")), "cheap: tools is false, not 5", ""},
		{two, require(fact("tools", "eq", `"yes"`)), `dear: tools is true, not "yes"`, ""},
		{two, require(fact("size", "gte", "8")), `dear: size is "large", not at least 8`, "Nearest is cheap: its size is 7 tokens, less than 8 tokens; it misses by 1 token"},
		{two, require(score), "cheap: score: the evidence was measured with another set of tools", ""},
		{"dear cheap mute", require(strings.Replace(score, `"value"`, `"transfer":["toolSurface","workflow"],"value"`, 1)), "cheap: score is 50%, less than 200%", "Nearest is cheap: its score is 50%, less than 200%; it misses by 150 points."},
		{two, require(`{"id":"usd","sum":[{"measurementKey":"price.input","aggregation":"fact","factor":1000},{"measurementKey":"price.output","aggregation":"fact","factor":1000}],"operator":"lte","value":0.001}`),
			"cheap: usd is $0.0036, more than $0.001", "Nearest is cheap: its usd is $0.0036, more than $0.001; it misses by $0.0026."},
		{"mute torn", `"minimumCoverage":0.6,"preferences":[{"measurementKey":"price.input","aggregation":"fact","direction":"minimize","weight":1},{"measurementKey":"size","aggregation":"fact","direction":"minimize","weight":2}]`,
			"mute: price.input: no evidence; size: no evidence; there is evidence for 0% of the weight, not for 60%", ""},
		{"dear cheap near", `"minimumCoverage":0.6,"preferences":[{"measurementKey":"size","aggregation":"fact","direction":"minimize","weight":1},{"measurementKey":"absent","aggregation":"fact","direction":"minimize","weight":2}]`,
			"cheap: absent: no evidence; size: the candidates have values in more than one unit; there is evidence for 0% of the weight, not for 60%", ""},
		{"dear", require(fact("price.output", "lte", "1e-6")), "dear: price.output is $12.00 per million tokens, more than $1.00 per million tokens", ""},
		{"away", require(fact("price.output", "lte", "1e-6")), "away: price.output: the evidence is about another provider", ""},
	} {
		q := mustRead(t, request(tt.models, tt.asks))
		ranking := mustEvaluate(t, k, q)
		r := &reading{}
		for text, to := range map[string]any{mustWrite(t, ranking): &r.RankResult, q.JSON(): &r.request} {
			if err := json.Unmarshal([]byte(text), to); err != nil {
				t.Fatal(err)
			}
		}
		r.agree(t, ranking.Excluded())
		var lines []string
		for _, o := range ranking.Excluded() {
			lines = append(lines, o.CandidateID+": "+strings.Join(o.Lines, "; "))
		}
		if tt.lacks != "" && !slices.Contains(lines, tt.lacks) {
			t.Errorf("%s\nis not among\n%s", tt.lacks, strings.Join(lines, "\n"))
		}
		if got := strings.Join(r.Answer.Choice[1:], " "); tt.cause != "" && !strings.Contains(got, tt.cause) {
			t.Errorf("%s\nis not in\n%s", tt.cause, got)
		}
	}
}
