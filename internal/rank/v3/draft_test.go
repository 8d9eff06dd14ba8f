package v3_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// unfolded is a draft in one line.
func unfolded(draft string) string { return strings.Join(strings.Fields(draft), " ") }

// Whatever a catalog has, a draft is a request that ranks at once.
func TestDraftIsValid(t *testing.T) {
	long := strings.Repeat("x", 300)
	almost := strings.Repeat("y", 250) // with the role before it, it is too long for an id
	var docs []string
	for i, o := range []observed{
		{measurements: measuredKey("price", "fact", "1e-6", "USD/token")},
		{model: "n", measurements: measuredKey("price", "fact", "2e-6", "USD/token")},
		{model: long, measurements: measuredKey("price", "fact", "3e-6", "USD/token")},
		{model: "m@" + long, measurements: measuredKey(long, "fact", "1", "")},
		{model: "acme/\ufeffz", measurements: measuredKey("licence", "fact", `"`+long+`"`, "")},
		{model: "m/m", measurements: measuredKey("quote\\\"d", "fact", `"a"`, "")},
		{measurements: measuredKey(almost, "fact", "1", "")},
		{measurements: measuredKey("unit", "fact", "1", long)},
		{measurements: measuredKey("both", "fact", "1", "") + "," + measuredKey("both", "sample", "true", "")},
		{measurements: measuredKey("mixed", "fact", "true", ""), evidence: "a"}, {measurements: measuredKey("mixed", "fact", "7", ""), evidence: "b"},
		{measurements: measuredKey("same", "sample", "-0.5", "s"), task: "f", outcome: "accepted", execution: scope("r", "")},
		{measurements: measuredKey("words", "sample", `"w"`, ""), task: "f", outcome: "accepted", execution: scope("r", "")},
	} {
		o.evidence += fmt.Sprintf(" e%d", i)
		docs = append(docs, o.json())
	}
	c, _, err := catalog.Compile(t.Context(), docs, catalog.Options{AsOf: "2026-07-18T00:00:00.000Z"})
	if err != nil {
		t.Fatal(err)
	}
	k, err := v3.New(c)
	if err != nil {
		t.Fatal(err)
	}
	rank := func(models, keys []string) {
		t.Helper()
		text, _, err := draftText(c, v3.Question{Models: models, Keys: keys})
		if err != nil {
			t.Errorf("%.40q: %v", keys, err)
			return
		}
		q, err := v3.ReadRequest(problem.Source{Text: text})
		if err != nil {
			t.Errorf("%s\n%v", text, err)
			return
		}
		if _, err := k.Rank(context.Background(), q, 0); err != nil {
			t.Error(err)
		}
	}
	rank(nil, nil)
	for _, key := range []string{"price", "both", "same", "words"} {
		rank(nil, []string{key})
	}
	for _, model := range []string{"m", "n", "m/m", "acme/\ufeffz"} {
		rank([]string{model}, nil)
	}
	// What no request can hold is refused if it is named.
	for _, names := range [][2][]string{{{long}, nil}} {
		if text, _, err := draftText(c, v3.Question{Models: names[0], Keys: names[1]}); !isInvalidRequest(err) {
			t.Errorf("%.40q: %s, error %v", names, text, err)
		}
	}
	var absent *v3.AbsentError
	if _, _, err := draftText(c, v3.Question{Keys: []string{"prise"}}); !errors.As(err, &absent) || absent.Similar[0] != "price" {
		t.Errorf("%v", err)
	}
	if _, _, err := draftText(c, v3.Question{Models: []string{"M"}}); !errors.As(err, &absent) || absent.Similar[0] != "m" {
		t.Errorf("%v", err)
	}
}

// A scale reaches over the values of the candidates at their runtimes, not of the catalog;
// what is required by a key alone each candidate meets; and a capability is wanted.
func TestDraftRanges(t *testing.T) {
	var docs []string
	offer := func(model, runtime, output, context string, hasTools bool) {
		docs = append(docs, observed{model: model, execution: runtimeScope(runtime), evidence: model + runtime,
			measurements: measuredKey("price.output", "fact", output, "USD/token") + "," + measuredKey("limits.context", "fact", context, "tokens") + "," +
				measuredKey("tools", "fact", fmt.Sprint(hasTools), "")}.json())
	}
	offer("a", "r", "1e-6", "4000", false)
	offer("a", "z", "9e-6", "2000", false)
	offer("b", "r", "3e-6", "3000", false)
	offer("c", "r", "8e-6", "1000", true)
	c := mustCompile(t, "2026-07-18T00:00:00.000Z", docs)
	text, _, err := draftText(c, v3.Question{Models: []string{"a", "b"}, Minimize: []string{"price.output"}, Keys: []string{"limits.context", "tools"}})
	for _, want := range []string{`"scale": { "low": 0.000001, "high": 0.000003, "log": true }`, `"direction": "maximize", "weight": 1, "scale": { "low": 3000, "high": 4000 }`, `"operator": "eq", "value": true }`} {
		if err != nil || !strings.Contains(text, want) {
			t.Errorf("%s is missing in %s, error %v", want, text, err)
		}
	}
	text, _, err = draftText(c, v3.Question{Models: []string{"c"}, Minimize: []string{"price.output"}})
	if err != nil || strings.Contains(text, "scale") {
		t.Errorf("a scale without length: %s, error %v", text, err)
	}
}

// Of a catalog that has a bit of everything, drafts read as written here, to the letter.
func TestDraftText(t *testing.T) {
	var docs []string
	add := func(model, measurements string) {
		docs = append(docs, observed{model: model, measurements: measurements, execution: runtimeScope("r"), evidence: fmt.Sprint(len(docs))}.json())
	}
	measure := func(model, condition, measurements string) {
		docs = append(docs, observed{model: model, measurements: measurements, task: "f", outcome: "accepted",
			execution: scope("lab", `workflow:{"id":"w","version":null,"condition":`+condition+`}`), evidence: fmt.Sprint(len(docs))}.json())
	}
	for i, model := range []string{"acme/a", "acme/b", "other/a", "acme/d", "acme/e", "acme/f"} {
		add(model, measuredKey("limits.context", "fact", fmt.Sprint(1000*(i+1)), "tokens"))
		add(model, measuredKey("price.cache_read", "fact", "1e-6", "USD/token")+","+measuredKey("price.output", "fact", fmt.Sprintf("%de-6", i+1), "USD/token"))
		add(model, measuredKey("licence", "fact", []string{`"mit"`, `"apache"`}[i%2], ""))
		measure(model, "null", measuredKey("rate", "sample", "true", "")+","+measuredKey("score", "sample", fmt.Sprint(10*i), "percent"))
		measure(model, "null", measuredKey("rate", "sample", "false", "")+","+measuredKey("words", "sample", `"w"`, ""))
	}
	measure("acme/a", `"high"`, measuredKey("effort", "sample", "0", "s"))
	measure("acme/a", `"low"`, measuredKey("effort", "sample", "7", "s"))
	measure("acme/a", `"low"`, measuredKey("effort", "sample", "8", "s"))
	measure("acme/b", "null", measuredKey("effort", "sample", "9", "s"))
	add("acme/f", measuredKey("region", "fact", `"eu"`, ""))
	c := mustCompile(t, "2026-07-18T00:00:00.000Z", docs)
	drafts := ""
	for _, question := range []v3.Question{
		{},
		{Maximize: []string{"score"}, Minimize: []string{"effort"}, Keys: []string{"score", "words", "price.output"}},
		{AtLeast: []v3.Bound{{Key: "score", Number: 20}, {Key: "limits.context", Number: 4000}}, AtMost: []v3.Bound{{Key: "price.output", Number: 0.001}}, Keys: []string{"rate", "limits.context"}},
	} {
		text, _, err := draftText(c, question)
		if err != nil {
			t.Errorf("%+v: %v", question, err)
		}
		drafts += text
		mustRead(t, text)
	}
	want, err := os.ReadFile("testdata/drafts.txt")
	if err != nil || drafts != string(want) {
		t.Errorf("drafts are\n%s\nnot\n%s, error %v", drafts, want, err)
	}
	for _, question := range []v3.Question{
		{Maximize: []string{"words"}}, {Maximize: []string{"licence"}}, {Cheapest: true}, {AtLeast: []v3.Bound{{Key: "price.output", Number: 0.0011}}}, {AtMost: []v3.Bound{{Key: "score", Unit: "USD/token"}}},
	} {
		var unfit *v3.UnfitError
		var absent *v3.AbsentError
		if text, _, err := draftText(c, question); !errors.As(err, &unfit) && !errors.As(err, &absent) {
			t.Errorf("%+v: %s, error %v", question, text, err)
		}
	}
}

// A share of trials names what counts them. It goes from none to all: to 100 if it is a
// percentage, by its unit or by its values.
func TestDraftOfShares(t *testing.T) {
	var docs []string
	for model, values := range map[string][3]string{"m": {"0.25", "25", "0.5"}, "n": {"0.75", "75", "1"}} {
		docs = append(docs, observed{model: model, task: "f", outcome: "accepted", execution: scope("lab", ""), measurements: strings.Join([]string{
			measuredKey("share", "sample", values[0], ""), measuredKey("points", "sample", values[1], ""), measuredKey("percents", "sample", values[2], "percent"),
			measuredKey("total", "sample", "40", ""), measuredKey("seconds", "sample", "101", "s"), measuredKey("delta", "sample", "-0.1", ""), measuredKey("word", "sample", `"w"`, ""),
		}, ",")}.json(), observed{model: model, execution: runtimeScope("r"), measurements: measuredKey("limit", "fact", "1", ""), evidence: model}.json())
	}
	docs = append(docs, observed{model: "o", task: "f", outcome: "accepted", execution: scope("lab", ""), measurements: measuredKey("elsewhere", "sample", "40", "")}.json())
	c := mustCompile(t, "2026-07-18T00:00:00.000Z", docs)
	for key, want := range map[string]string{"share": "1", "points": "100", "percents": "100"} {
		text, _, err := draftText(c, v3.Question{Maximize: []string{key}, AtLeast: []v3.Bound{{Key: key, Number: 0.1}}, Trials: []v3.Shares{{Key: key, Count: "total"}}})
		if err != nil {
			t.Fatal(err)
		}
		mustRead(t, text)
		if strings.Count(unfolded(text), `"bounds": { "low": 0, "high": `+want+` }, "size": { "trials": "total" }`) != 1 || !strings.Contains(text, `"scale": { "low": 0, "high": `+want+` } }`) {
			t.Errorf("%s: %s", key, text)
		}
	}
	for _, trials := range []v3.Shares{{Key: "seconds", Count: "total"}, {Key: "delta", Count: "total"}, {Key: "word", Count: "total"}, {Key: "limit", Count: "total"}, {Key: "share", Count: "limit"}, {Key: "share", Count: "elsewhere"}, {Key: "share", Count: "word"}, {Key: "points", Count: "total"}} {
		var unfit *v3.UnfitError
		if text, _, err := draftText(c, v3.Question{Maximize: []string{"share"}, Keys: []string{"seconds", "delta", "word", "limit"}, Trials: []v3.Shares{trials}}); !errors.As(err, &unfit) {
			t.Errorf("%+v: %s, error %v", trials, text, err)
		}
	}
	for _, trials := range []v3.Shares{{Key: "shares", Count: "total"}, {Key: "share", Count: "totals"}} {
		var absent *v3.AbsentError
		if text, _, err := draftText(c, v3.Question{Maximize: []string{"share"}, Trials: []v3.Shares{trials}}); !errors.As(err, &absent) || absent.What != "key" {
			t.Errorf("%+v: %s, error %v", trials, text, err)
		}
	}
	for text, want := range map[string]v3.Shares{"a=b": {Key: "a", Count: "b"}, "a@b=c=d": {Key: "a@b=c", Count: "d"}} {
		if s, err := v3.ParseShares(text); err != nil || s != want {
			t.Errorf("%s is %+v, %v", text, s, err)
		}
	}
	for _, text := range []string{"", "a", "=", "a=", "=a"} {
		if s, err := v3.ParseShares(text); err == nil {
			t.Errorf("%q is %+v", text, s)
		}
	}
}

// runtimeScope is a partial scope of a runtime and nothing else.
func runtimeScope(runtime string) string {
	return `{"kind":"partial","runtime":{"id":"` + runtime + `","version":null},"adapter":null,"effectiveContextTokens":null,"toolSurface":null,"hardware":null,"workflow":null}`
}

func isInvalidRequest(err error) bool {
	faults := problem.All(err)
	return len(faults) > 0 && faults[0].Code == problem.InvalidRankRequest
}

// A bound is read to the last bit: 0.8 dollars per million tokens is 8e-7, which dividing
// 0.8 by a million does not give.
func TestParseBound(t *testing.T) {
	for text, want := range map[string]v3.Bound{
		"limits.context=200000":       {Key: "limits.context", Number: 200000},
		"price.output=0.8/M":          {Key: "price.output", Number: 8e-7, Unit: "USD/token"},
		"price.cache_write@ttl=1h=3":  {Key: "price.cache_write@ttl=1h", Number: 3},
		"delta=-1.5e3":                {Key: "delta", Number: -1500},
		"limits.context=200 k":        {Key: "limits.context", Number: 200000},
		"limits.context=200k tokens":  {Key: "limits.context", Number: 200000, Unit: "tokens"},
		"price.output=$5 / m":         {Key: "price.output", Number: 5e-6, Unit: "USD/token"},
		"price.input@context>9=0.1/M": {Key: "price.input@context>9", Number: 1e-7, Unit: "USD/token"},
	} {
		if b, err := v3.ParseBound(text); err != nil || b.Key != want.Key || b.Number != want.Number || b.Unit != want.Unit {
			t.Errorf("%s is %+v, %v, not %+v", text, b, err, want)
		}
	}
	for _, text := range []string{"", "k", "=1", "k=", "k=x", "k=5m", "k=1,5", "k=1e3/M", "k=/M", "k=1/M/M", "k=true", "k=[1]", "k=01", "k=1 2", "k=NaN", "k=1e999", "k=0x1"} {
		if b, err := v3.ParseBound(text); err == nil {
			t.Errorf("%s is %+v", text, b)
		}
	}
}

// A candidate runs where it meets most requirements, then where a task is cheapest by the highest of
// contradictory prices, then where most is known, then at its maker.
func TestDraftRuntime(t *testing.T) {
	fact := func(model, runtime, key, value, unit, source string) string {
		return observed{model: model, measurements: measuredKey(key, "fact", value, unit), execution: runtimeScope(runtime),
			evidence: source + runtime + key + model}.json()
	}
	var docs []string
	offer := func(model, runtime, context, in, out string) {
		docs = append(docs, fact(model, runtime, "limits.context", context, "tokens", "a"),
			fact(model, runtime, "price.input", in, "USD/token", "a"), fact(model, runtime, "price.output", out, "USD/token", "a"))
	}
	offer("acme/short", "cheap", "1000", "1e-7", "1e-7")
	offer("acme/short", "dear", "9000", "9e-7", "9e-7")
	offer("acme/torn", "cheap", "9000", "1e-7", "1e-7")
	docs = append(docs, fact("acme/torn", "cheap", "price.input", "2e-7", "USD/token", "b"))
	offer("acme/torn", "dear", "9000", "9e-7", "9e-7")
	offer("acme/plain", "cheap", "9000", "1e-7", "1e-7")
	offer("acme/plain", "aaa", "9000", "2e-7", "1e-7")
	offer("acme/same", "aaa", "9000", "1e-7", "1e-7")
	offer("acme/same", "acme", "9000", "1e-7", "1e-7")
	offer("acme/output", "aaa", "9000", "1e-7", "9e-7")
	offer("acme/output", "cheap", "9000", "1e-7", "1e-7")
	// What has expired counts for nothing.
	offer("acme/old", "dear", "9000", "9e-7", "9e-7")
	for _, o := range []string{fact("acme/old", "aaa", "price.input", "1e-7", "USD/token", "a"), fact("acme/old", "aaa", "price.output", "1e-7", "USD/token", "a"), fact("acme/old", "aaa", "limits.context", "9000", "tokens", "a")} {
		docs = append(docs, strings.Replace(o, `"validUntil":null`, `"validUntil":"2026-07-17T00:00:00.000Z"`, 1))
	}
	// Where none meets what is required, a value that can be told comes before none.
	offer("acme/known", "dear", "1000", "9e-7", "9e-7")
	docs = append(docs, fact("acme/known", "aaa", "price.input", "1e-7", "USD/token", "a"), fact("acme/known", "aaa", "price.output", "1e-7", "USD/token", "a"))
	// Half a price is none.
	docs = append(docs, fact("acme/half", "aaa", "limits.context", "9000", "tokens", "a"), fact("acme/half", "aaa", "price.input", "1e-9", "USD/token", "a"))
	offer("acme/half", "dear", "9000", "9e-7", "9e-7")
	c := mustCompile(t, "2026-07-18T00:00:00.000Z", docs)
	text, _, err := draftText(c, v3.Question{AtLeast: []v3.Bound{{Key: "limits.context", Number: 5000}}, Cheapest: true})
	if err != nil {
		t.Fatal(err)
	}
	for model, runtime := range map[string]string{"short": "dear", "torn": "cheap", "plain": "cheap", "same": "acme", "output": "cheap", "old": "dear", "half": "dear", "known": "dear"} {
		if want := `{ "id": "` + model + `", "model": { "id": "acme/` + model + `" }, "execution": { "runtime": { "id": "` + runtime + `" } } }`; !strings.Contains(unfolded(text), want) {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
	k, err := v3.New(c)
	if err != nil {
		t.Fatal(err)
	}
	if r := mustRank(t, k, mustRead(t, text)); len(r.Ranked) != 7 || r.Ranked[0].CandidateID != "output" {
		t.Errorf("ranked are %d, first %q", len(r.Ranked), r.Ranked[0].CandidateID)
	}
	// What a task costs decides where prices are not asked about, too; those of a version of
	// a runtime are not those of the runtime.
	docs = docs[:0]
	offer("acme/version", "dear", "9000", "9e-7", "9e-7")
	docs = append(docs, fact("acme/version", "aaa", "limits.context", "9000", "tokens", "a"))
	for _, key := range []string{"price.input", "price.output"} {
		docs = append(docs, strings.Replace(fact("acme/version", "aaa", key, "1e-7", "USD/token", "a"), `"version":null`, `"version":"1"`, 1))
	}
	docs = append(docs, fact("acme/half", "aaa", "limits.context", "9000", "tokens", "a"), fact("acme/half", "aaa", "price.input", "1e-9", "USD/token", "a"))
	offer("acme/half", "dear", "9000", "9e-7", "9e-7")
	text, _, err = draftText(mustCompile(t, "2026-07-18T00:00:00.000Z", docs), v3.Question{AtLeast: []v3.Bound{{Key: "limits.context", Number: 5000}}})
	for _, model := range []string{"version", "half"} {
		if want := `"model": { "id": "acme/` + model + `" }, "execution": { "runtime": { "id": "dear" } }`; err != nil || !strings.Contains(unfolded(text), want) {
			t.Errorf("%s is missing in\n%s, error %v", want, text, err)
		}
	}
	// Where all has expired, a candidate runs where it was offered, and the answer says that
	// it has expired. What is still stated there of other keys changes nothing.
	docs = docs[:0]
	offer("acme/gone", "dear", "9000", "9e-7", "9e-7")
	offer("acme/gone", "cheap", "9000", "1e-7", "1e-7")
	for i, o := range docs {
		docs[i] = strings.Replace(o, `"validUntil":null`, `"validUntil":"2026-07-17T00:00:00.000Z"`, 1)
	}
	docs = append(docs, fact("acme/gone", "aaa", "tools", "true", "", "a"))
	c = mustCompile(t, "2026-07-18T00:00:00.000Z", docs)
	text, _, err = draftText(c, v3.Question{AtMost: []v3.Bound{{Key: "price.output", Number: 1e-6}}, Models: []string{"acme/gone"}})
	if err != nil || !strings.Contains(text, `"execution": { "runtime": { "id": "cheap" } }`) {
		t.Fatalf("%s, error %v", text, err)
	}
	if k, err = v3.New(c); err != nil {
		t.Fatal(err)
	}
	if r := mustRank(t, k, mustRead(t, text)); len(r.Excluded) != 1 || r.Excluded[0].Reasons[0].Code != "STALE_EVIDENCE" {
		t.Errorf("excluded are %+v", r.Excluded)
	}
	var unfit *v3.UnfitError
	c = mustCompile(t, "2026-07-18T00:00:00.000Z", []string{fact("m", "r", "price.input", `"cheap"`, "", "a"), fact("m", "r", "price.output", "1", "", "a")})
	if text, _, err := draftText(c, v3.Question{Cheapest: true}); !errors.As(err, &unfit) {
		t.Errorf("%s, error %v", text, err)
	}
}

// Candidates run at the runtimes that are named, even where prices are not asked about;
// models that none of them offers are left out, or refused if they were named.
func TestDraftAtRuntimes(t *testing.T) {
	var docs []string
	for _, offer := range [][3]string{{"acme/a", "cheap", "1e-7"}, {"acme/a", "dear", "9e-7"}, {"acme/b", "dear", "8e-7"}, {"acme/c", "cheap", "2e-7"}, {"acme/d", "old", "1e-7"}} {
		doc := observed{model: offer[0], measurements: measuredKey("price.output", "fact", offer[2], "USD/token"), execution: runtimeScope(offer[1]), evidence: offer[0] + offer[1]}.json()
		if offer[1] == "old" {
			doc = strings.Replace(doc, `"validUntil":null`, `"validUntil":"2026-07-17T00:00:00.000Z"`, 1)
		}
		docs = append(docs, doc, observed{model: offer[0], measurements: measuredKey("score", "sample", "1", ""), task: "f", outcome: "accepted", execution: scope("lab", ""), evidence: "s" + offer[0] + offer[1]}.json())
	}
	c := mustCompile(t, "2026-07-18T00:00:00.000Z", docs)
	for _, test := range []struct {
		question v3.Question
		want     string // models and their runtimes
	}{
		{v3.Question{Maximize: []string{"score"}, Runtimes: []string{"dear"}}, "a dear, b dear"},
		{v3.Question{Maximize: []string{"score"}, Runtimes: []string{"dear", "cheap"}, AtMost: []v3.Bound{{Key: "price.output", Number: 1e-6}}}, "a cheap, b dear, c cheap"},
		{v3.Question{Maximize: []string{"score"}, Runtimes: []string{"old"}}, "d old"},
		{v3.Question{Models: []string{"acme/a"}, Keys: []string{"score"}, Runtimes: []string{"dear"}}, "a dear"},
		{v3.Question{Runtimes: []string{"cheap"}}, "a cheap, c cheap"},
		{v3.Question{Maximize: []string{"score"}}, "a, b, c, d"},
	} {
		text, _, err := draftText(c, test.question)
		if err != nil {
			t.Errorf("%+v: %v", test.question, err)
			continue
		}
		var got []string
		mustRead(t, text)
		for _, found := range regexp.MustCompile(`\{ "id": "(.)", "model": \{ "id": "acme/." \}(?:, "execution": \{ "runtime": \{ "id": "([a-z]+)" \} \})? \}`).FindAllStringSubmatch(unfolded(text), -1) {
			got = append(got, strings.TrimSpace(found[1]+" "+found[2]))
		}
		if strings.Join(got, ", ") != test.want {
			t.Errorf("%+v: candidates are %q, want %s", test.question, got, test.want)
		}
	}
	var absent *v3.AbsentError
	if text, _, err := draftText(c, v3.Question{Maximize: []string{"score"}, Runtimes: []string{"dear", "chaep"}}); !errors.As(err, &absent) || absent.What != "runtime" || absent.Name != "chaep" || absent.Similar[0] != "cheap" {
		t.Errorf("%s, error %v", text, err)
	}
	if text, _, err := draftText(c, v3.Question{Runtimes: []string{"lab"}}); !errors.As(err, &absent) {
		t.Errorf("samples alone make an offer: %s, error %v", text, err)
	}
	for _, question := range []v3.Question{
		{Models: []string{"acme/a", "acme/b"}, Runtimes: []string{"cheap"}}, // b is not offered there
		{Maximize: []string{"price.output"}, AtLeast: []v3.Bound{{Key: "score"}}, Models: []string{"acme/c"}, Runtimes: []string{"dear"}},
	} {
		var unfit *v3.UnfitError
		if text, _, err := draftText(c, question); !errors.As(err, &unfit) || !strings.Contains(unfit.Reason, "is not offered at") {
			t.Errorf("%+v: %s, error %v", question, text, err)
		}
	}
}

// The candidates of a question are the models that have all that is preferred, or any of
// it; where nothing is preferred, what is required counts.
func TestDraftCandidates(t *testing.T) {
	var docs []string
	sample := func(model, key, condition string) {
		workflow := `workflow:{"id":"w","version":null,"condition":null}`
		if condition != "" {
			workflow = `workflow:{"id":"w","version":null,"condition":"` + condition + `"}`
		}
		docs = append(docs, observed{model: model, measurements: measuredKey(key, "sample", "1", ""), task: "f", outcome: "accepted",
			execution: scope("lab", workflow), evidence: model + key + condition}.json())
	}
	sample("both", "a", "")
	sample("both", "b", "")
	sample("one", "a", "")
	sample("many", "c", "high")
	sample("many", "c", "low")
	sample("single", "c", "low")
	docs = append(docs, strings.Replace(strings.Replace(docs[len(docs)-1], `"condition":"low"`, `"condition":"broken"`, 1), `"accepted"`, `"invalid"`, 1)) // no value comes of it
	c := mustCompile(t, "2026-07-18T00:00:00.000Z", docs)
	for _, test := range []struct {
		name     string
		question v3.Question
		ids      []string
	}{
		{"all that is preferred", v3.Question{Maximize: []string{"a", "b"}}, []string{"both"}},
		{"any of it", v3.Question{Maximize: []string{"a", "b"}, All: true}, []string{"both", "one"}},
		{"required", v3.Question{AtMost: []v3.Bound{{Key: "a", Number: 1}}}, []string{"both", "one"}},
		{"named", v3.Question{Models: []string{"one"}, Minimize: []string{"b"}}, []string{"one"}},
		{"a candidate for each condition", v3.Question{Maximize: []string{"c"}}, []string{"many@high", "many@low", "single"}},
	} {
		text, _, err := draftText(c, test.question)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		var ids []string
		for _, line := range strings.Split(text, "\n") {
			if rest, ok := strings.CutPrefix(line, `    { "id": "`); ok && strings.Contains(rest, `"model"`) {
				id, _, _ := strings.Cut(rest, `"`)
				ids = append(ids, id)
			}
		}
		if !slices.Equal(ids, test.ids) {
			t.Errorf("%s: candidates are %q, not %q", test.name, ids, test.ids)
		}
		mustRead(t, text)
	}
	// Both bounds of a key hold, and a preference goes one way.
	text, _, err := draftText(c, v3.Question{AtLeast: []v3.Bound{{Key: "a"}}, AtMost: []v3.Bound{{Key: "a", Number: 2}}})
	if err != nil || !strings.Contains(text, `"id": "requirement:a:2"`) {
		t.Errorf("%s, error %v", text, err)
	}
	var unfit *v3.UnfitError
	if text, _, err := draftText(c, v3.Question{Maximize: []string{"a"}, Minimize: []string{"a"}}); !errors.As(err, &unfit) {
		t.Errorf("%s, error %v", text, err)
	}
}

// Of models and keys that a catalog has as much of, a draft takes those whose names come
// first, whatever their hashes; and of keys those that its own candidates have.
func TestDraftTies(t *testing.T) {
	var docs []string
	add := func(model, revision, measurements string) {
		doc := observed{model: model, measurements: measurements, evidence: fmt.Sprint(len(docs))}.json()
		if revision != "" {
			doc = strings.Replace(doc, `"revision":null`, `"revision":"`+revision+`"`, 1)
		}
		docs = append(docs, doc)
	}
	for _, model := range []string{"g", "c", "f", "a", "e", "b", "d"} {
		for _, revision := range []string{"r3", "r1", "r2"} { // no request can hold the first key
			add(model, revision, measuredKey("a", "fact", "1", strings.Repeat("u", v3.MaxTextBytes+1))+","+measuredKey("common", "fact", "1", ""))
		}
	}
	add("x", "", measuredKey("common", "fact", "1", "")+","+measuredKey("own", "fact", "1", "")+","+measuredKey("price", "fact", "1", "USD")+","+measuredKey("price2", "fact", "1", "USD"))
	add("y", "", measuredKey("own", "fact", "1", ""))
	c := mustCompile(t, "2026-07-18T00:00:00.000Z", docs)
	text, _, err := draftText(c, v3.Question{})
	var want []string
	for _, model := range []string{"a", "b", "c", "d"} {
		want = append(want, `{ "id": "`+model+`", "model": { "id": "`+model+`", "revision": "r1" } }`)
	}
	if list := strings.Join(append(want, `{ "id": "e"`), ",\n    "); err != nil || !strings.Contains(text, list) {
		t.Errorf("%s\nis missing in\n%s, error %v", list, text, err)
	}
	text, _, err = draftText(c, v3.Question{Models: []string{"x", "y"}})
	if err != nil || !strings.Contains(text, `{ "measurementKey": "own"`) || !strings.Contains(text, `{ "measurementKey": "price", `) ||
		strings.Contains(text, `"common"`) || strings.Contains(text, `"price2"`) {
		t.Errorf("%s, error %v", text, err)
	}
	text, _, err = draftText(c, v3.Question{Models: []string{"y"}})
	if err != nil || !strings.Contains(text, `{ "measurementKey": "own"`) || strings.Contains(text, `"common"`) || strings.Contains(text, `"price"`) {
		t.Errorf("%s, error %v", text, err)
	}
}

// What a fact must be that has no better way, nobody is asked to meet: svc does not make it up.
// Candidates of keys are the models that have them.
func TestDraftOfKeys(t *testing.T) {
	docs := []string{
		observed{model: "m", measurements: measuredKey("word", "fact", `"x"`, ""), evidence: "a"}.json(),
		observed{model: "m", measurements: measuredKey("size", "fact", "7", "GB"), evidence: "b"}.json(),
		observed{model: "m", measurements: measuredKey("mixed", "fact", "7", ""), evidence: "c"}.json(),
		observed{model: "n", measurements: measuredKey("mixed", "fact", "true", ""), evidence: "d"}.json(),
		observed{model: "n", measurements: measuredKey("tools", "fact", "true", ""), evidence: "e"}.json(),
		observed{model: "o", measurements: measuredKey("limits.context", "fact", "7", "tokens"), evidence: "f"}.json(),
	}
	c := mustCompile(t, "2026-07-18T00:00:00.000Z", docs)
	for key, want := range map[string]string{
		"word": "nothing says what word should be: require a value, such as word=x", "size": "nothing says what size should be: require at least or at most a number",
		"mixed": "nothing says what mixed should be: require mixed, or mixed=false",
	} {
		var unfit *v3.UnfitError
		if text, _, err := draftText(c, v3.Question{Keys: []string{key}}); !errors.As(err, &unfit) || err.Error() != want {
			t.Errorf("%s: %s, error %v", key, text, err)
		}
	}
	for key, model := range map[string]string{"tools": "n", "limits.context": "o"} {
		text, _, err := draftText(c, v3.Question{Keys: []string{key}})
		if err != nil || strings.Count(text, `"model"`) != 1 || !strings.Contains(text, `"model": { "id": "`+model+`" }`) {
			t.Errorf("%s: %s, error %v", key, text, err)
		}
	}
}

// A model that was measured without a workflow, with one and with one under a condition is
// two candidates: the condition alone tells variants apart.
func TestDraftVariants(t *testing.T) {
	var docs []string
	for i, workflow := range []string{`workflow:{"id":"w","version":null,"condition":"high"}`, `workflow:{"id":"w","version":null,"condition":null}`, `workflow:null`} {
		docs = append(docs, observed{measurements: measuredKey("a", "sample", "1", ""), task: "f", outcome: "accepted", execution: scope("lab", workflow), evidence: fmt.Sprint(i)}.json())
	}
	c := mustCompile(t, "2026-07-18T00:00:00.000Z", docs)
	const want = `
    { "id": "m", "model": { "id": "m" } },
    { "id": "m@high", "model": { "id": "m" }, "execution": { "workflow": { "id": "your-agent", "condition": "high" } } } ]`
	for range 20 { // go through a map
		if text, _, err := draftText(c, v3.Question{Maximize: []string{"a"}}); err != nil || !strings.Contains(unfolded(text), unfolded(want)) {
			t.Fatalf("%s, error %v", text, err)
		}
	}
}

// What a catalog lacks is named, with the name that is closest.
func TestAbsentError(t *testing.T) {
	for want, e := range map[string]*v3.AbsentError{
		`the catalog has no model "a"`:                        {What: "model", Name: "a"},
		`no observation has the key "prise"; did you mean p?`: {What: "key", Name: "prise", Similar: []string{"p"}},
	} {
		if e.Error() != want {
			t.Errorf("%q, not %q", e, want)
		}
	}
}

// A bound means what the unit of its key makes of it. What could mean something else is
// refused, with what to write.
func TestDraftBounds(t *testing.T) {
	c := mustCompile(t, "2026-07-18T00:00:00.000Z", []string{
		observed{model: "m", execution: runtimeScope("r"), evidence: "1", measurements: measuredKey("size", "fact", "1000", "tokens") + "," +
			measuredKey("price", "fact", "1e-6", "USD/token") + "," + measuredKey("fee", "fact", "3", "USD/image") + "," + measuredKey("rank", "fact", "5", "") + "," + measuredKey("tools", "fact", "true", "")}.json(),
		observed{model: "m", task: "f", outcome: "accepted", execution: scope("lab", ""), evidence: "2", measurements: measuredKey("score", "sample", "61", "percent") + "," +
			measuredKey("share", "sample", "0.61", "") + "," + measuredKey("solved", "sample", "true", "") + "," + measuredKey("loss", "sample", "0.5", "percent")}.json(),
		observed{model: "n", task: "f", outcome: "accepted", execution: scope("lab", ""), evidence: "3", measurements: measuredKey("mixed", "sample", "1", "s")}.json(),
		observed{model: "n", task: "f", outcome: "accepted", execution: scope("lab", ""), evidence: "4", measurements: measuredKey("mixed", "sample", "1", "ms")}.json(),
	})
	for bound, want := range map[string]string{
		"size=1k": "1000", "size=0.5M": "500000", "size=1,000 tokens": "1000", "price=$5/M": "0.000005", "price=0.000005": "0.000005", "fee=$4": "4", "fee=4": "4",
		"score=90%": "90", "score=90": "90", "score=0.9%": "0.9", "loss=0.4": "0.4", "share=88.2%": "0.882", "share=0.9": "0.9", "solved=75%": "0.75", "mixed=3": "3",
	} {
		b, err := v3.ParseBound(bound)
		if err != nil {
			t.Fatal(err)
		}
		if text, _, err := draftText(c, v3.Question{AtLeast: []v3.Bound{b}}); err != nil || !strings.Contains(text, `"value": `+want+" }") {
			t.Errorf("%s: %s, error %v", bound, text, err)
		}
	}
	for bound, want := range map[string]string{
		"price=5": "write 5/M for 5 dollars", "price=$5": "write 5/M for 5 dollars", "size=5/M": "write 5M for 5 million", "size=$5": "size is in tokens, not in USD",
		"size=5 ms": "size is in tokens, not in ms", "size=5%": "size is in tokens, not in percent", "score=0.9": "write 90% or 0.9%", "rank=5%": "without %", "rank=5 s": "without s",
		"mixed=3 s": "write a number without one", "price=$5M": "write 5/M for 5 dollars", "price=5000000": "write 5000000/M for 5000000 dollars",
		"price=0.123456": "write 0.123456/M for 0.123456 dollars", "price=1.5e3": "write 1500/M", "size=200/M": "write 200M for 200 million", "score=0.123456": "write 12.3456% or 0.123456%",
		"price=-1/M": "cannot be below 0", "price=-1": "cannot be below 0", "size=-5": "cannot be below 0", "size=5 q": "in tokens, not in q",
	} {
		b, err := v3.ParseBound(bound)
		if err != nil {
			t.Fatal(err)
		}
		var unfit *v3.UnfitError
		if text, _, err := draftText(c, v3.Question{AtMost: []v3.Bound{b}}); !errors.As(err, &unfit) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s, error %v", bound, text, err)
		}
	}
	for want, question := range map[string]v3.Question{
		"no value of size can be at least 1,000 tokens and at most 500 tokens": {AtLeast: []v3.Bound{{Key: "size", Number: 1000}}, AtMost: []v3.Bound{{Key: "size", Number: 500}}},
		"no value of tools can be both true and false":                         {Require: []v3.Demand{{Key: "tools", Value: record.Scalar{Kind: 't'}}, {Key: "tools", Value: record.Scalar{Kind: 'f'}}}},
	} {
		var unfit *v3.UnfitError
		if _, _, err := draftText(c, question); !errors.As(err, &unfit) || err.Error() != want {
			t.Errorf("error %v, not %s", err, want)
		}
	}
}

// A word that people use for something else offers what the catalog calls it.
func TestDraftOfAnotherWord(t *testing.T) {
	c := mustCompile(t, "2026-07-18T00:00:00.000Z", []string{observed{model: "m", measurements: measuredKey("modality.input.image", "fact", "true", "") + "," +
		measuredKey("capability.tools", "fact", "true", "") + "," + measuredKey("price.input", "fact", "1", "USD") + "," + measuredKey("price.output", "fact", "1", "USD")}.json()})
	for name, want := range map[string]string{"capability.vision": "modality.input.image", "cost": "price.input price.output", "price": "price.input price.output", "capability": "capability.tools", "ghost": ""} {
		var absent *v3.AbsentError
		if _, _, err := draftText(c, v3.Question{Keys: []string{name}}); !errors.As(err, &absent) || strings.Join(absent.Similar, " ") != want {
			t.Errorf("%s: %v, not %s", name, err, want)
		}
	}
}

// A key that is misspelt is the one meant, whatever its words mean elsewhere. A name longer than
// any key means none.
func TestSimilarKeys(t *testing.T) {
	known := []string{"cost.inputs", "price.input", "price.output"}
	for name, want := range map[string]string{
		"cost.input": "cost.inputs", "pricing": "price.input price.output", "prompt.cost.prompt": "price.input",
		strings.Repeat("pricing ", 33): "",
	} {
		if got := strings.Join(v3.SimilarKeys(name, known), " "); got != want {
			t.Errorf("%s: %s, not %s", name, got, want)
		}
	}
}

// Candidates and criteria whose names have no room for what tells them apart are cut.
func TestDraftOfLongNames(t *testing.T) {
	long := strings.Repeat("é", v3.MaxTextBytes/2)
	var docs []string
	for i, revision := range []string{"a", "b"} {
		docs = append(docs, observed{model: long + "@" + revision, execution: runtimeScope("r"), evidence: fmt.Sprint(i), measurements: measuredKey(long, "fact", fmt.Sprint(i), "")}.json())
	}
	c := mustCompile(t, "2026-07-18T00:00:00.000Z", docs)
	text, _, err := draftText(c, v3.Question{AtLeast: []v3.Bound{{Key: long}}, AtMost: []v3.Bound{{Key: long, Number: 5}}, Maximize: []string{long}})
	if err != nil || strings.Count(text, `"model"`) != 2 {
		t.Errorf("%s, error %v", text, err)
	}
}

// Long keys that differ only in their last bytes are criteria of their own.
func TestDraftOfLongKeys(t *testing.T) {
	long := strings.Repeat("k", v3.MaxTextBytes-1)
	c := mustCompile(t, "2026-07-18T00:00:00.000Z", []string{observed{model: "m", measurements: measuredKey(long+"a", "fact", "1", "") + "," + measuredKey(long+"b", "fact", "2", "") + "," + measuredKey(long+"c", "fact", "3", "")}.json()})
	keys := []string{long + "a", long + "b", long + "c"}
	bounds := []v3.Bound{{Key: keys[0]}, {Key: keys[1]}, {Key: keys[1], Number: 1}, {Key: keys[0], Number: 1}}
	text, _, err := draftText(c, v3.Question{Maximize: keys, AtLeast: bounds})
	if err != nil || !strings.Contains(text, `k:preference-3"`) || !strings.Contains(text, `k:requirement-2"`) || !strings.Contains(text, `k:2-2"`) {
		t.Errorf("%s, error %v", text, err)
	}
}

// A key that is named alone is preferred in the direction that its name and unit suggest.
func TestDraftDirection(t *testing.T) {
	c := mustCompile(t, "2026-07-18T00:00:00.000Z", []string{observed{model: "m", task: "f", outcome: "accepted", execution: scope("lab", ""),
		measurements: measuredKey("answer", "sample", "5", "ms") + "," + measuredKey("score", "sample", "5", "percent")}.json()})
	for key, want := range map[string]string{"answer": "minimize", "score": "maximize"} {
		if text, _, err := draftText(c, v3.Question{Keys: []string{key}}); err != nil || !strings.Contains(text, `"direction": "`+want+`"`) {
			t.Errorf("%s, error %v, not %s", text, err, want)
		}
	}
}
