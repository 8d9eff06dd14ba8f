package contents_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"github.com/model-catalog-service/svc/internal/ijson"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/contents"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

const asOf = "2026-07-18T00:00:00.000Z"

// said is an observation as these tests make them: of a fact, or of a sample if it has a
// task.
type said struct {
	model, key, value, unit, source, task string
	until                                 string // empty: without end
	invalid                               bool
}

func (s said) text() string {
	kind, task, outcome, execution := "fact", any(nil), any(nil), any(nil)
	record := "declaration"
	if s.task != "" {
		status := "accepted"
		if s.invalid {
			status = "invalid"
		}
		kind, record = "sample", "evaluation"
		outcome = map[string]any{"status": status, "reason": nil}
		task = map[string]any{"family": "f", "suite": "s", "taskId": s.task, "evaluator": map[string]any{"id": "e", "version": nil}}
		execution = map[string]any{"kind": "exact", "runtime": map[string]any{"id": "r", "version": nil}, "adapter": nil,
			"effectiveContextTokens": nil, "toolSurface": []string{}, "hardware": nil, "workflow": nil}
	}
	measurement := map[string]any{"key": s.key, "kind": kind, "value": json.RawMessage(s.value)}
	if s.unit != "" {
		measurement["unit"] = s.unit
	}
	until := any(nil)
	if s.until != "" {
		until = s.until
	}
	text, err := json.Marshal(map[string]any{
		"schemaVersion": "service.observation/v2", "kind": record, "model": map[string]any{"id": s.model, "revision": nil, "quantization": nil},
		"execution": execution, "task": task, "measurements": []any{measurement}, "outcome": outcome, "usage": nil, "sourceClass": "external",
		"evidence":  []any{map[string]any{"id": s.source + ":row#" + s.task, "kind": "page", "uri": nil, "digest": nil, "observedAt": "2026-07-01T00:00:00.000Z"}},
		"freshness": map[string]any{"observedAt": "2026-07-01T00:00:00.000Z", "validUntil": until}, "uncertainty": map[string]any{"level": "low", "basis": []string{"b"}, "gaps": []string{}},
	})
	if err != nil {
		panic(err)
	}
	return string(text)
}

func compile(tb testing.TB, all []said) *catalog.Catalog {
	tb.Helper()
	var docs []string
	for _, s := range all {
		docs = append(docs, s.text())
	}
	c, _, err := catalog.Compile(tb.Context(), docs, catalog.Options{AsOf: asOf, Dedupe: true})
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// Whatever is asked for, lists count and name what a look at every observation finds.
func TestListsAgainstObservations(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(words ...string) string { return words[random.IntN(len(words))] }
	const later = "2026-08-01T00:00:00.000Z"
	for range 200 {
		known := map[string]bool{}
		var all []said
		for range random.IntN(12) {
			s := said{model: pick("acme/Atlas", "acme/nova"), key: pick("price.in", "Price.out", "speed"), value: pick("1", "2", "true", `"x"`),
				source: pick("list", "other"), task: pick("", "", "1", "2"), until: pick("", "2026-07-20T00:00:00.000Z"), invalid: random.IntN(4) == 0}
			if !known[s.text()] {
				known[s.text()] = true
				all = append(all, s)
			}
		}
		c := compile(t, all)
		opts := contents.Options{AsOf: later, Model: pick("", "ATLAS", "acme"), Key: pick("", "price", "speed"), Source: pick("", "list", "external"), Stale: random.IntN(2) == 0}
		fits := func(s said) bool {
			return strings.Contains(strings.ToLower(s.model), strings.ToLower(opts.Model)) && strings.Contains(strings.ToLower(s.key), opts.Key) &&
				(opts.Source == "" || opts.Source == "external" || opts.Source == s.source) && (!opts.Stale || s.until != "")
		}
		want := map[string][4]int{} // facts, samples, expired, observations
		keys := map[string]int{}
		for _, s := range all {
			if !fits(s) {
				continue
			}
			n := want[s.model]
			if s.task == "" {
				n[0]++
			} else {
				n[1]++
			}
			if s.until != "" {
				n[2]++
			}
			n[3]++
			want[s.model] = n
			keys[s.key]++
		}
		list, err := contents.Models(c, opts)
		if errors.As(err, new(*contents.AbsentError)) && len(want) == 0 {
			continue
		}
		if err != nil || len(list.Models) != len(want) {
			t.Fatalf("%+v of %v: %d models, want %d: %v", opts, all, len(list.Models), len(want), err)
		}
		for _, m := range list.Models {
			if got := [4]int{m.Facts, m.Samples, m.Expired, m.Observations}; got != want[m.Identity.ID] {
				t.Errorf("%+v: %s has %v, want %v", opts, m.Identity.ID, got, want[m.Identity.ID])
			}
		}
		found, err := contents.Keys(c, opts)
		if err != nil && len(keys) > 0 {
			t.Fatal(err)
		}
		for _, k := range found.Keys {
			if k.Observations != keys[k.MeasurementKey] {
				t.Errorf("%+v: %s is in %d observations, want %d", opts, k.MeasurementKey, k.Observations, keys[k.MeasurementKey])
			}
		}
		if len(found.Keys) != len(keys) {
			t.Errorf("%+v: %d keys, want %d", opts, len(found.Keys), len(keys))
		}
		if err := contents.Check(problem.Source{Text: string(ijson.MustWriteTagged(list))}); err != nil {
			t.Errorf("%s: %v", ijson.MustWriteTagged(list), err)
		}
	}
}

// Measurements are slots and groups, each with its state.
func TestMeasurements(t *testing.T) {
	c := compile(t, []said{
		{model: "m", key: "a", value: "8", unit: "tokens", source: "x"}, {model: "m", key: "a", value: "4", unit: "tokens", source: "y"},
		{model: "m", key: "b", value: "1", source: "x", until: "2026-07-20T00:00:00.000Z"},
		{model: "m", key: "c", value: "true", source: "x", task: "1"}, {model: "m", key: "c", value: "false", source: "x", task: "2"},
		{model: "m", key: "c", value: "false", source: "x", task: "3", invalid: true},
		{model: "m", key: "d", value: "5", source: "x", task: "1", invalid: true},
		{model: "m", key: "e", value: "5", source: "x", task: "1", until: "2026-07-20T00:00:00.000Z"},
	})
	found, err := contents.Find(c, "m")
	if err != nil {
		t.Fatal(err)
	}
	list, err := contents.Measurements(t.Context(), c, found.Models, contents.Options{AsOf: "2026-08-01T00:00:00.000Z"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range list.Models[0].Measurements {
		n := 0
		if m.Aggregate != nil {
			n = m.Aggregate.N
		}
		got = append(got, fmt.Sprintf("%s %s %s %d %d %v %t %v", m.MeasurementKey, m.Kind, m.State, m.ObservationCount, n, len(m.Values), m.Conflict != "", m.Sources))
	}
	want := []string{
		"a fact conflict 2 0 2 true [x y]", "b fact expired 1 0 1 false [x]", "c sample value 2 2 2 false [x]",
		"d sample invalid 1 0 1 false [x]", "e sample expired 1 0 1 false [x]",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// A name is a model, one of its revisions, or the one observation or model that begins
// so; several that do are named.
func TestFind(t *testing.T) {
	c := compile(t, []said{{model: "acme/atlas", key: "a", value: "1"}, {model: "acme/atlas-2", key: "a", value: "1"}, {model: "nova", key: "a", value: "1"}, {model: "deadbeef", key: "a", value: "1"}})
	o := c.Models()[0].Observations[0]
	for _, test := range []struct{ name, want string }{
		{"acme/atlas", "acme/atlas"}, // and not the one that goes on
		{"acme/atlas-", "acme/atlas-2"},
		{"n", "nova"},
		{"deadbeef", "deadbeef"}, // which could be the beginning of a hash
		{o.ID(), "observation"},
		{o.ID()[:20], "observation"},
		{c.Models()[2].Key[:20], c.Models()[2].Identity.ID},
		{"acme", "ambiguous"},
		{"nowa", `the catalog has no model "nowa"; did you mean nova?`},
		{"zzzzzzzz", `the catalog has no model "zzzzzzzz"`},
		{"", `the catalog has no model ""`},
	} {
		found, err := contents.Find(c, test.name)
		got := fmt.Sprint(err)
		switch {
		case errors.As(err, new(*contents.AmbiguousError)):
			got = "ambiguous"
		case found.Observation != nil:
			got = "observation"
		case found.Models != nil:
			got = found.Models[0].Identity.ID
		}
		if got != test.want {
			t.Errorf("%q is %s, want %s", test.name, got, test.want)
		}
	}
}

// A catalog of 5,000 offers with ten facts each, an observation for each fact as importers
// write them, takes less time to be listed than to be validated.
func BenchmarkLists(b *testing.B) {
	var all []said
	for i := range 5000 {
		for k := range 10 {
			all = append(all, said{model: fmt.Sprintf("provider-%d/model-%d", i%80, i), key: fmt.Sprintf("price.%d", k), value: fmt.Sprint(i + 1), unit: "USD/token", source: "list", until: "2026-07-20T00:00:00.000Z"})
		}
	}
	c := compile(b, all)
	found, _ := contents.Find(c, "provider-7/model-7")
	text := c.Serialize()
	b.Run("validation", func(b *testing.B) {
		for b.Loop() {
			if _, err := catalog.Parse(b.Context(), problem.Source{Text: text}); err != nil {
				b.Fatal(err)
			}
		}
	})
	for name, list := range map[string]func() (*record.CatalogContents, error){
		"models": func() (*record.CatalogContents, error) { return contents.Models(c, contents.Options{}) },
		"keys":   func() (*record.CatalogContents, error) { return contents.Keys(c, contents.Options{}) },
		"source": func() (*record.CatalogContents, error) {
			return contents.Models(c, contents.Options{Source: "list", Stale: true})
		},
		"measurements": func() (*record.CatalogContents, error) {
			return contents.Measurements(b.Context(), c, found.Models, contents.Options{})
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := list(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
