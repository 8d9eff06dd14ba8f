package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
)

// named returns a declaration of the model, one observation of its own.
func named(model string) string { return set(declaration, "$.model.id", `"`+model+`"`) }

func compileAt(t *testing.T, asOf string, docs ...string) (*catalog.Catalog, error) {
	t.Helper()
	c, _, err := catalog.Compile(t.Context(), docs, catalog.Options{AsOf: asOf})
	return c, err
}

// No observations make a valid, empty catalog.
func TestCompileNothing(t *testing.T) {
	const want = `{"asOf":"2026-12-01T00:00:00.000Z","conflicts":[],"digest":"a77632c379fa15094156712a7d0113a908506e356e63975ea5b45758d6848713","models":[],"schemaVersion":"service.catalog/v2"}`
	for name, compile := range map[string]func() (*catalog.Catalog, int, error){
		"no documents": func() (*catalog.Catalog, int, error) {
			return catalog.Compile(t.Context(), nil, catalog.Options{AsOf: asOf})
		},
		"no sources": func() (*catalog.Catalog, int, error) {
			return catalog.CompileSources(t.Context(), nil, catalog.Options{AsOf: asOf})
		},
		"an empty list": func() (*catalog.Catalog, int, error) { return compileText(t, "a.json", "[]") },
		"empty, spaced": func() (*catalog.Catalog, int, error) { return compileText(t, "a.json", "\uFEFF\n[ \r\n]\t") },
	} {
		c, dropped, err := compile()
		if err != nil || dropped != 0 {
			t.Errorf("%s: %v, %d dropped", name, err, dropped)
			continue
		}
		if got := c.Serialize(); got != want || c.Observations() != 0 || len(c.Models()) != 0 || len(c.Conflicts()) != 0 {
			t.Errorf("%s: %s", name, got)
		}
	}
	parsesBack(t, "empty", want)
}

func TestCompileAsOf(t *testing.T) {
	for _, s := range []string{"2026-07-18T00:00:00.000Z", "0000-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z", "2024-02-29T00:00:00.000Z"} {
		c, err := compileAt(t, s)
		if err != nil || c.AsOf() != s {
			t.Errorf("%q: %v", s, err)
		}
	}
	for _, s := range []string{"", "now", "2026-07-18", "2026-07-18T00:00:00Z", "2026-07-18T00:00:00.000+00:00", "2026-02-29T00:00:00.000Z"} {
		_, err := compileAt(t, s, `{"invalid":1}`) // asOf is judged before observations
		if e := firstFault(t, s, err); e != nil && (e.Code != problem.InvalidCompileOptions || e.Path != "$.asOf") {
			t.Errorf("%q: %s %v", s, e.Code, e)
		}
		_, _, err = catalog.CompileSources(t.Context(), []catalog.Source{source("a.json", "x")}, catalog.Options{AsOf: s})
		if e := firstFault(t, s, err); e != nil && (e.Code != problem.InvalidCompileOptions || e.Path != "$.asOf") {
			t.Errorf("%q: %s %v", s, e.Code, e)
		}
	}
}

// Neither an observation nor its evidence may be dated after asOf.
func TestCompileDates(t *testing.T) {
	const (
		before  = `"2026-05-05T05:05:05.004Z"`
		instant = `"2026-05-05T05:05:05.005Z"`
		after   = `"2026-05-05T05:05:05.006Z"`
	)
	dated := func(freshness, evidence0, evidence1 string) string {
		doc := set(declaration, "$.freshness.observedAt", freshness)
		doc = set(doc, "$.evidence[0].id", `"z"`) // sorted, the first becomes the last
		return set(set(doc, "$.evidence[0].observedAt", evidence0), "$.evidence[1].observedAt", evidence1)
	}
	tests := []struct {
		name string
		doc  string
		want []string
	}{
		{"all at asOf", dated(instant, instant, instant), nil},
		{"all before", dated(before, before, before), nil},
		{"observed after", dated(after, before, before), []string{".freshness.observedAt"}},
		{"first evidence after", dated(before, after, before), []string{".evidence[0].observedAt"}},
		{"second evidence after", dated(before, before, after), []string{".evidence[1].observedAt"}},
		{"both evidences after", dated(before, after, after), []string{".evidence[0].observedAt", ".evidence[1].observedAt"}},
		{"all after", dated(after, after, after), []string{".freshness.observedAt", ".evidence[0].observedAt", ".evidence[1].observedAt"}},
		{"evidence newer than the observation", dated(before, instant, before), nil},
		{"valid until after", set(dated(before, before, before), "$.freshness.validUntil", `"9999-01-01T00:00:00.000Z"`), nil},
		{"valid until before asOf", set(dated(`"2026-01-01T00:00:00.000Z"`, before, before), "$.freshness.validUntil", before), nil},
	}
	for _, tt := range tests {
		opts := catalog.Options{AsOf: strings.Trim(instant, `"`)}
		_, _, err := catalog.Compile(t.Context(), []string{dated(before, before, instant), tt.doc}, opts)
		var inCall, inList []string
		for _, path := range tt.want {
			inCall, inList = append(inCall, "$.observations[1]"+path), append(inList, "$[1]"+path)
		}
		if got := paths(err); !slices.Equal(got, inCall) {
			t.Errorf("%s: %s, want %s (%v)", tt.name, got, inCall, err)
		}
		before := "[" + dated(before, before, instant) + ",\n "
		_, _, err = catalog.CompileSources(t.Context(), []catalog.Source{source("o.json", before+tt.doc+"]")}, opts)
		if got := paths(err); !slices.Equal(got, inList) {
			t.Errorf("%s, in a file: %s, want %s (%v)", tt.name, got, inList, err)
		}
		for i, e := range problem.All(err) {
			where := placeOf("o.json", before+tt.doc, len(before)+at(tt.doc, "$"+tt.want[i]).start)
			if e.Code != problem.InvalidCompileOptions || !strings.Contains(e.Reason, "after asOf, "+opts.AsOf) || e.Place != where {
				t.Errorf("%s: %s %v at %v, want it at %v", tt.name, e.Code, e, e.Place, where)
			}
		}
		if _, err := catalog.Normalize(tt.doc); err != nil {
			t.Errorf("%s: normalizing knows no asOf: %v", tt.name, err)
		}
	}
}

// Every observation is validated before any date is looked at, and all dates
// before duplicates, wherever in the input they stand.
func TestCompileOrderOfFaults(t *testing.T) {
	invalid := set(named("invalid"), "$.kind", "1")
	late := set(named("late"), "$.freshness", `{"observedAt": "2026-12-01T00:00:00.001Z", "validUntil": null}`)
	lateToo := set(named("later"), "$.evidence[1].observedAt", `"2027-01-01T00:00:00.000Z"`)
	lateAndInvalid := set(late, "$.uncertainty.level", `""`)
	// The rules of a kind are validity too.
	lateAndBare := set(set(evaluation, "$.freshness", `{"observedAt": "2026-12-01T00:00:00.001Z", "validUntil": null}`), "$.task", "null")
	tests := []struct {
		name string
		docs []string
		code problem.Code
		want []string
	}{
		{"invalid before late", []string{late, invalid}, problem.InvalidObservation, []string{"$.observations[1].kind"}},
		{"invalid before twice", []string{named("a"), named("a"), invalid}, problem.InvalidObservation, []string{"$.observations[2].kind"}},
		{"late before twice", []string{named("a"), named("a"), late}, problem.InvalidCompileOptions, []string{"$.observations[2].freshness.observedAt"}},
		{"in the order of the input", []string{lateToo, late}, problem.InvalidCompileOptions,
			[]string{"$.observations[0].evidence[1].observedAt", "$.observations[1].freshness.observedAt"}},
		{"each invalid one", []string{invalid, named("a"), invalid}, problem.InvalidObservation, []string{"$.observations[0].kind", "$.observations[2].kind"}},
		{"late and invalid", []string{lateAndInvalid}, problem.InvalidObservation, []string{"$.observations[0].uncertainty.level"}},
		{"late and without task", []string{lateAndBare}, problem.InvalidObservation, []string{"$.observations[0].task"}},
		{"unsupported", []string{late, set(declaration, "$.schemaVersion", `"service.observation/v1"`)}, problem.UnsupportedSchema, []string{"$.observations[1].schemaVersion"}},
		{"not JSON", []string{named("a"), "{"}, problem.InvalidObservation, []string{"$.observations[1]"}},
		{"no object", []string{"[]", "null"}, problem.InvalidObservation, []string{"$.observations[0]", "$.observations[1]"}},
	}
	for _, tt := range tests {
		_, err := compileAt(t, asOf, tt.docs...)
		e := firstFault(t, tt.name, err)
		if got := paths(err); e == nil || e.Code != tt.code || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, %s, want %s at %s", tt.name, err, got, tt.code, tt.want)
		}
	}
}

func TestCompileDuplicates(t *testing.T) {
	a, b := named("a"), named("b")
	again := backwards(decodeAny(a), "\n") // the same observation
	id := accepted(t, "a", a).ID()

	_, err := compileAt(t, asOf, a, b, again)
	e := firstFault(t, "twice", err)
	if e == nil || e.Code != problem.DuplicateObservation || e.Path != "$.observations" || !strings.Contains(e.Reason, id) || len(problem.All(err)) != 1 {
		t.Errorf("twice: %v, want DUPLICATE_OBSERVATION at $.observations naming %s", err, id)
	}
	_, err = compileAt(t, asOf, a, b, again, b, a)
	if got := paths(err); !slices.Equal(got, []string{"$.observations", "$.observations", "$.observations"}) {
		t.Errorf("three replays: %v", err)
	}
	// What differs in anything is another observation.
	for path, value := range map[string]string{"$.evidence[0].id": `"ev-0"`, "$.uncertainty.gaps": "[]", "$.measurements[0].unit": `"s"`, "$.freshness.validUntil": "null", "$.task.suite": "null"} {
		mustCompile(t, a, set(a, path, value))
	}
}

// Dedupe drops replays, says how many, and gives what the set alone gives.
func TestCompileDedupe(t *testing.T) {
	a, b := named("a"), named("b")
	again := backwards(decodeAny(a), "\n")
	want := mustCompile(t, a, b).Serialize()
	for dropped, docs := range map[int][]string{0: {b, a}, 1: {a, b, again}, 3: {again, b, a, a, b}} {
		c, n, err := catalog.Compile(t.Context(), docs, catalog.Options{AsOf: asOf, Dedupe: true})
		if err != nil || n != dropped || c.Serialize() != want {
			t.Errorf("%d documents: %v, %d dropped, want %d", len(docs), err, n, dropped)
		}
	}
	// Nothing else is forgiven.
	_, _, err := catalog.Compile(t.Context(), []string{a, a, "{}"}, catalog.Options{AsOf: asOf, Dedupe: true})
	if e := firstFault(t, "invalid", err); e != nil && e.Path != "$.observations[2].schemaVersion" {
		t.Errorf("dedupe forgives: %v", err)
	}
}

// In files a duplicate stands where the second one does, and its message tells
// where the first one stands.
func TestCompileDuplicatesInFiles(t *testing.T) {
	a, b := named("a"), named("b")
	id := accepted(t, "a", a).ID()
	files := []catalog.Source{source("one.json", "\n  "+a), source("list.json", "["+b+",\n\n  "+a+"]")}
	_, _, err := catalog.CompileSources(t.Context(), files, catalog.Options{AsOf: asOf})
	e := firstFault(t, "files", err)
	if e == nil {
		return
	}
	before := "[" + b + ",\n\n  "
	if e.Code != problem.DuplicateObservation || e.Path != "$[1]" || e.Place != placeOf("list.json", before, len(before)) ||
		!strings.Contains(e.Reason, id) || !strings.Contains(e.Reason, "one.json:2:3") {
		t.Errorf("%s %v at %v", e.Code, e, e.Place)
	}
}

// Of many replays of many observations each is told in its place, and the first
// document of each remains the first.
func TestCompileManyDuplicates(t *testing.T) {
	const n, times = 40, 4
	var lines strings.Builder
	for range times {
		for i := range n {
			lines.WriteString(onOneLine(state("01", "", fmt.Sprint(i)).doc(i)) + "\n")
		}
	}
	_, _, err := compileText(t, "x.jsonl", lines.String())
	faults := problem.All(err)
	if len(faults) != n*(times-1) {
		t.Fatalf("%d faults, want %d", len(faults), n*(times-1))
	}
	for i, e := range faults {
		first := fmt.Sprintf(", first at x.jsonl:%d:1", i%n+1)
		if e.Code != problem.DuplicateObservation || e.Place.Line != n+i+1 || !strings.HasSuffix(e.Reason, first) {
			t.Errorf("fault %d: %v at %v, want it at line %d%s", i, e, e.Place, n+i+1, first)
		}
	}
}

// A context that has ended ends compiling and parsing.
func TestCompileCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	text := mustCompile(t, named("a")).Serialize()
	cancel()
	if c, _, err := catalog.Compile(ctx, []string{named("a")}, catalog.Options{AsOf: asOf}); !errors.Is(err, context.Canceled) || c != nil {
		t.Errorf("Compile: %v", err)
	}
	if c, _, err := catalog.CompileSources(ctx, []catalog.Source{source("a.json", named("a"))}, catalog.Options{AsOf: asOf}); !errors.Is(err, context.Canceled) || c != nil {
		t.Errorf("CompileSources: %v", err)
	}
	if c, err := catalog.Parse(ctx, problem.Source{Text: text}); !errors.Is(err, context.Canceled) || c != nil {
		t.Errorf("Parse: %v", err)
	}
}
