package v3_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// What a draft leaves out, and somebody may miss, is said: models that share few keys, models
// with a score that are not offered under their ids, and scores that another id has.
func TestOmissions(t *testing.T) {
	var docs []string
	scored := func(model, key, condition string, values ...string) {
		for i, value := range values {
			docs = append(docs, observed{model: model, task: "f", outcome: "accepted", evidence: fmt.Sprint(model, key, strings.Trim(condition, `"`), i), measurements: measuredKey(key, "sample", value, "percent"),
				execution: scope("lab", `workflow:{"id":"w","version":null,"condition":`+condition+`}`)}.json())
		}
	}
	offered := func(model, runtime string) {
		docs = append(docs, observed{model: model, execution: runtimeScope(runtime), evidence: model + runtime, measurements: measuredKey("price.input", "fact", "1e-6", "USD/token") + "," +
			measuredKey("price.output", "fact", "1e-6", "USD/token")}.json())
	}
	scored("acme/atlas-1", "a", `"low"`, "10", "20")
	scored("acme/atlas-1", "a", `"high"`, "60", "80")
	scored("acme/borealis", "a", "null", "90")
	scored("acme/corona", "a", "null", "50")
	scored("acme/delta", "a", "null", "40")
	scored("acme/echo", "a", "null", "30")
	scored("acme/echo", "b", "null", "30")
	scored("acme/fox", "b", "null", "30")
	scored("acme/gull", "c", "null", "30")
	for _, model := range []string{"acme/borealis", "other/Atlas_1"} {
		offered(model, "cheap")
	}
	offered("acme/atlas-1", "dear")
	offered("acme/corona", "dear")
	offered("zeta/corona", "dear")
	c := mustCompile(t, "2026-07-18T00:00:00.000Z", docs)
	for _, test := range []struct {
		question v3.Question
		want     []string
	}{
		{v3.Question{}, []string{"no provider lists the ids of 2 models with a: acme/delta (40%), acme/echo (30%)"}}, // but not which models have all of its keys: nobody asked for them
		{v3.Question{Maximize: []string{"a"}}, nil},
		{v3.Question{Maximize: []string{"a"}, Runtimes: []string{"cheap"}},
			[]string{"4 models with a are left out, since cheap does not list their ids: the best are acme/atlas-1 (70%; other/Atlas_1 looks like the same model), acme/corona (50%), acme/delta (40%)"}},
		{v3.Question{Minimize: []string{"a"}, Runtimes: []string{"cheap"}},
			[]string{"4 models with a are left out, since cheap does not list their ids: the best are acme/atlas-1 (15%; other/Atlas_1 looks like the same model), acme/echo (30%), acme/delta (40%)"}},
		{v3.Question{Maximize: []string{"b"}, Runtimes: []string{"cheap", "dear"}, Models: nil, All: true, Minimize: []string{"price.input"}},
			[]string{"2 models with b are left out, since neither cheap nor dear lists their ids: acme/echo (30%), acme/fox (30%)"}},
		{v3.Question{Maximize: []string{"a"}, Cheapest: true}, []string{"no provider lists the ids of 2 models with a: acme/delta (40%), acme/echo (30%)"}},
		{v3.Question{Maximize: []string{"a", "b"}}, []string{"only 1 model has both a (5) and b (2)"}},
		{v3.Question{Maximize: []string{"a", "b"}, All: true}, nil},
		{v3.Question{Maximize: []string{"a"}, Models: []string{"other/Atlas_1", "acme/corona", "acme/fox"}}, []string{"other/Atlas_1 has no a; acme/atlas-1 has one and looks like the same model"}},
	} {
		draft, err := v3.Draft(c, test.question)
		if err != nil || !slices.Equal(omissionTexts(draft.Omissions()), test.want) {
			t.Errorf("%+v: %q, error %v, not %q", test.question, omissionTexts(draft.Omissions()), err, test.want)
		}
		for _, omission := range draft.Omissions() {
			if omission.AsksAll != strings.HasPrefix(omission.Text, "only ") {
				t.Errorf("%+v", omission)
			}
		}
	}
	for want, question := range map[string]v3.Question{
		"no model has all of b (2) and c (1)": {Maximize: []string{"b", "c"}},
		"no model that the question is about is offered at cheap; 2 models with b are left out, since cheap does not list their ids: acme/echo (30%), acme/fox (30%)": {Maximize: []string{"b"}, Runtimes: []string{"cheap"}},
	} {
		var unfit *v3.UnfitError
		if _, err := v3.Draft(c, question); !errors.As(err, &unfit) || err.Error() != want || unfit.AsksAll != strings.Contains(want, "no model has all") {
			t.Errorf("%v, not %s", err, want)
		}
	}
}

func omissionTexts(list []v3.Omission) (texts []string) {
	for _, omission := range list {
		texts = append(texts, omission.Text)
	}
	return texts
}

// Of models that a question names and that have no score, those are told of which another id
// has one: each once, in a sentence of its own, a few of many.
func TestOmissionsOfNamedModels(t *testing.T) {
	var docs []string
	scored := func(model, key string, conditions ...string) {
		for i, condition := range conditions {
			docs = append(docs, observed{model: model, task: "f", outcome: "accepted", evidence: fmt.Sprint(model, key, i), measurements: measuredKey(key, "sample", "5", "percent"),
				execution: scope("lab", `workflow:{"id":"w","version":null,"condition":`+condition+`}`)}.json())
		}
	}
	scored("acme/ibis", "a", "null")
	scored("acme/jay", "a", "null")
	scored("zeta/ibis", "b", `"low"`, `"high"`) // two candidates
	for _, model := range []string{"zeta/jay", "eta/jay", "eta/ibis", "theta/jay"} {
		scored(model, "b", "null")
	}
	// Another revision of one id is no other id, and what has no letter no name.
	scored("old/hawk@1", "b", "null", `"low"`)
	scored("old/hawk@2", "a", "null")
	scored("acme/...", "b", "null")
	scored("zeta/--", "a", "null")
	c := mustCompile(t, "2026-07-18T00:00:00.000Z", docs)
	for _, test := range []struct {
		question v3.Question
		want     []string
	}{
		{v3.Question{Maximize: []string{"a"}, Models: []string{"old/hawk", "acme/..."}}, nil},
		{v3.Question{Maximize: []string{"a", "b"}, Models: []string{"zeta/ibis", "zeta/jay"}},
			[]string{"zeta/ibis has no a; acme/ibis has one and looks like the same model", "zeta/jay has no a; acme/jay has one and looks like the same model"}},
		{v3.Question{Maximize: []string{"a"}, Models: []string{"zeta/ibis", "zeta/jay", "eta/jay", "eta/ibis", "theta/jay"}},
			[]string{"zeta/ibis has no a; acme/ibis has one and looks like the same model", "zeta/jay has no a; acme/jay has one and looks like the same model",
				"eta/jay has no a; acme/jay has one and looks like the same model", "2 more models have no a, which another id has that looks like the same model"}},
		{v3.Question{Maximize: []string{"a"}, Models: []string{"zeta/ibis", "zeta/jay", "eta/jay", "eta/ibis"}},
			[]string{"zeta/ibis has no a; acme/ibis has one and looks like the same model", "zeta/jay has no a; acme/jay has one and looks like the same model",
				"eta/jay has no a; acme/jay has one and looks like the same model", "1 more model has no a, which another id has that looks like the same model"}},
	} {
		draft, err := v3.Draft(c, test.question)
		if err != nil || !slices.Equal(omissionTexts(draft.Omissions()), test.want) {
			t.Errorf("%+v: %q, error %v, not %q", test.question, omissionTexts(draft.Omissions()), err, test.want)
		}
	}
}

// What is told of a model that is left out is the mean of what counts: neither of what was
// invalid nor of what has expired.
func TestOmissionsCountWhatHolds(t *testing.T) {
	number := func(i int, value string) observed {
		return observed{model: "acme/atlas", task: "f", outcome: "accepted", evidence: fmt.Sprint(i), measurements: measuredKey("a", "sample", value, "percent"), execution: scope("lab", "")}
	}
	invalid, expired := number(3, "90"), number(4, "80")
	invalid.outcome, expired.validUntil = "invalid", "2026-07-17T00:00:00.000Z"
	offer := observed{model: "acme/borealis", execution: runtimeScope("cheap"), measurements: measuredKey("price.input", "fact", "1e-6", "USD/token")}
	c := mustCompile(t, "2026-07-18T00:00:00.000Z", []string{number(1, "10").json(), number(2, "20").json(), invalid.json(), expired.json(), offer.json(),
		observed{model: "acme/borealis", task: "f", outcome: "accepted", measurements: measuredKey("a", "sample", "5", "percent"), execution: scope("lab", "")}.json()})
	draft, err := v3.Draft(c, v3.Question{Maximize: []string{"a"}, Runtimes: []string{"cheap"}})
	if want := []string{"1 model with a is left out, since cheap does not list its id: acme/atlas (15%)"}; err != nil || !slices.Equal(omissionTexts(draft.Omissions()), want) {
		t.Errorf("%q, error %v, not %q", omissionTexts(draft.Omissions()), err, want)
	}
}

// A text that reads like a number, true or false is in quotes, and a key of mixed kinds can be
// asked for by each.
func TestDraftOfMixedKinds(t *testing.T) {
	var docs []string
	for i, value := range []string{`"4"`, "5", "true", `"true"`} {
		docs = append(docs, observed{model: fmt.Sprint("m", i), execution: runtimeScope("r"), evidence: fmt.Sprint(i), measurements: measuredKey("v", "fact", value, "")}.json())
	}
	c := mustCompile(t, "2026-07-18T00:00:00.000Z", docs)
	for text, want := range map[string]string{`v="4"`: `"eq", "value": "4"`, "v": `"eq", "value": true`, `v="true"`: `"eq", "value": "true"`} {
		demand, err := v3.ParseDemand(text)
		if err != nil {
			t.Fatal(err)
		}
		if text, _, err := draftText(c, v3.Question{Require: []v3.Demand{demand}}); err != nil || !strings.Contains(text, want) {
			t.Errorf("%s, error %v, not %s", text, err, want)
		}
	}
	if text, _, err := draftText(c, v3.Question{AtLeast: []v3.Bound{{Key: "v", Number: 4.5}}}); err != nil || !strings.Contains(text, `"gte", "value": 4.5`) {
		t.Errorf("%s, error %v", text, err)
	}
	for text, want := range map[string]v3.Demand{`rule="a=b"`: {Key: "rule", Value: record.Scalar{Kind: '"', Text: "a=b"}}, `v=M"IT`: {Key: "v", Value: record.Scalar{Kind: '"', Text: `M"IT`}}} {
		if got, err := v3.ParseDemand(text); err != nil || got != want {
			t.Errorf("%s: %+v, error %v", text, got, err)
		}
	}
	if _, err := v3.ParseDemand("v=4"); err == nil || !strings.Contains(err.Error(), `v="4"`) {
		t.Error(err)
	}
}

// Who asks for the cheapest is told how many models have no known price, of those alone that
// meet what is required.
func TestOmissionsCountUnknownPrices(t *testing.T) {
	offer := func(model, runtime, limit, price string) string {
		measurements := measuredKey("limits.context", "fact", limit, "tokens")
		if price != "" {
			measurements += "," + measuredKey("price.output", "fact", price, "USD/token")
		}
		return observed{model: model, execution: runtimeScope(runtime), evidence: model + runtime, measurements: measurements}.json()
	}
	c := mustCompile(t, "2026-07-18T00:00:00.000Z", []string{
		offer("acme/atlas", "cheap", "200", "1e-6"), offer("acme/borealis", "cheap", "200", "2e-6"),
		offer("acme/corona", "cheap", "200", ""), offer("acme/delta", "cheap", "100", ""), offer("acme/echo", "dear", "200", ""),
		observed{model: "acme/fox", execution: runtimeScope("cheap"), validUntil: "2026-07-17T00:00:00.000Z", measurements: measuredKey("limits.context", "fact", "200", "tokens")}.json()}) // no longer offered
	wide := []v3.Bound{{Key: "limits.context", Number: 150}}
	for want, question := range map[string]v3.Question{
		"3 more models are offered, but the catalog has no valid price.output of them":           {Minimize: []string{"price.output"}},
		"2 more models meet the requirements, but the catalog has no valid price.output of them": {Minimize: []string{"price.output"}, AtLeast: wide},
		"1 more model meets the requirements, but the catalog has no valid price.output of it":   {Minimize: []string{"price.output"}, AtLeast: wide, Runtimes: []string{"cheap"}},
		"2 more models are offered, but the catalog has no valid price.output of them":           {Minimize: []string{"price.output"}, Runtimes: []string{"cheap"}},
		"": {Minimize: []string{"price.output"}, Models: []string{"acme/atlas", "acme/corona"}},
	} {
		draft, err := v3.Draft(c, question)
		if got := strings.Join(omissionTexts(draft.Omissions()), "\n"); err != nil || got != want {
			t.Errorf("%+v: %q, error %v, not %q", question, got, err, want)
		}
	}
}
