package printer

import (
	"encoding/json"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank/dispatch"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

// Beside the price that was asked for stands what long requests cost at the same place: the
// newest of what holds, and the higher of two.
func TestLongPrices(t *testing.T) {
	const unit = "USD/token"
	price := func(key string, value float64) any { return comparetest.Fact(key, value, unit) }
	at := func(runtime, from, until string, prices ...any) comparetest.Statement {
		return comparetest.Statement{ID: "m", Execution: comparetest.At(runtime), From: from, Until: until, Evidence: []string{"list:" + from}, Measurements: prices}
	}
	c := comparetest.Compile(t, comparetest.June2,
		at("long", comparetest.May2, "", price("price.output", 12e-6), price("price.output@context>200000", 18e-6), price("price.input@context>200000", 4e-6),
			price("price.output@context>500000", 36e-6), price("price.output@context>900000,ttl=1h", 72e-6)),
		at("long", comparetest.May1, "", price("price.output@context>200000", 99e-6)), // of before
		at("long", comparetest.May1, "", price("price.output@context>500000", 97e-6)),
		at("long", comparetest.May2, "", price("price.output@context>500000", 24e-6)),                // the lower of two
		at("long", comparetest.May2, comparetest.June1, price("price.output@context>100000", 98e-6)), // expired
		at("short", comparetest.May2, "", price("price.output", 1e-6)))
	r, b := answered(t, c, `{"schemaVersion":"service.rank.request/v3","inventory":[
		{"id":"a","model":{"id":"m"},"execution":{"runtime":{"id":"long"}}},{"id":"b","model":{"id":"m"},"execution":{"runtime":{"id":"short"}}},{"id":"c","model":{"id":"m"}}],
		"requirements":[{"measurementKey":"price.output","aggregation":"fact","operator":"lte","value":0.00002,"unit":"USD/token"}],
		"preferences":[{"measurementKey":"price.output","aggregation":"fact","direction":"minimize","weight":1}]}`)
	want := map[string]string{"b": "", "a": "above 200,000 tokens of context price.output is $18.00 per million tokens" +
		" and above 500,000 tokens of context price.output is $36.00 per million tokens"}
	for i := range r.Ranked {
		id := r.Ranked[i].CandidateID
		if got := b.factText(&r.Ranked[i]); got != want[id] {
			t.Errorf("%s: %q, not %q", id, got, want[id])
		}
		delete(want, id)
	}
	if len(want) > 0 {
		t.Errorf("not ranked: %v", want)
	}
}

// answered ranks by a request of version 3.
func answered(t *testing.T, c *catalog.Catalog, text string) (*v3.Result, *Background) {
	t.Helper()
	r, b, _ := answeredDocument(t, c, text)
	return r, b
}

// answeredDocument is answered, and the result as JSON.
func answeredDocument(t *testing.T, c *catalog.Catalog, text string) (*v3.Result, *Background, json.RawMessage) {
	t.Helper()
	request, err := dispatch.ReadRequest(problem.Source{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	result, err := dispatch.New(c).Rank(t.Context(), request, 0)
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
	return r, NewBackground(request.JSON(), c, r), document
}

// The newest price counts, and of two of one time the higher, in whichever order they are read.
func TestLongPriceOfSeveral(t *testing.T) {
	old, low, high := longPrice{value: 3, observedAt: comparetest.May1}, longPrice{value: 1, observedAt: comparetest.May2}, longPrice{value: 2, observedAt: comparetest.May2}
	for _, order := range [][]longPrice{{old, low, high}, {high, low, old}, {low, old, high}, {high, old, low}} {
		prices, place := longPrices{}, [2]string{"m", "r"}
		for _, p := range order {
			prices.add(place, p)
		}
		if got := prices[place]; len(got) != 1 || got[0] != high {
			t.Errorf("of %+v: %+v", order, got)
		}
	}
}
