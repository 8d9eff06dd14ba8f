package catalog_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
)

// A duplicate in a list is reported at the list.
func TestDuplicatesInLists(t *testing.T) {
	const ev2 = `{"id": "ev-2", "kind": "other", "uri": null, "digest": null, "observedAt": "2026-01-01T00:00:00.000Z"}`
	tests := []struct{ list, value, reason string }{
		{"$.execution.toolSurface", `["a", "b", "a"]`, `must hold each text once: "a" is repeated`},
		{"$.execution.toolSurface", `["é", "\u00e9"]`, `must hold each text once: "é" is repeated`},
		{"$.uncertainty.basis", `["x", "x"]`, `must hold each text once: "x" is repeated`},
		{"$.uncertainty.gaps", `["z", "y", "x", "y", "z"]`, `must hold each text once: "y" is repeated`},
		{"$.evidence", "[" + ev2 + "," + strings.Replace(ev2, `"other"`, `"log"`, 1) + "]", `must hold each id once: "ev-2" is repeated`},
		{"$.measurements", `[{"key":"k","kind":"fact","value":1},{"key":"a","kind":"fact","value":1},{"key":"k","kind":"fact","value":2}]`,
			`must hold each key once of each kind: fact "k" is repeated`},
		{"$.measurements", `[{"key":"k","kind":"sample","value":1},{"key":"k","kind":"sample","value":1,"unit":"ms"}]`,
			`must hold each key once of each kind: sample "k" is repeated`},
		{"$.measurements", `[{"key":"k","kind":"fact","value":1},{"unit":"u","value":1,"kind":"fact","key":"\u006b"}]`,
			`must hold each key once of each kind: fact "k" is repeated`},
	}
	for _, tt := range tests {
		refused(t, tt.list+" "+tt.value, set(evaluation, tt.list, tt.value),
			want{problem.InvalidObservation, tt.list, at(evaluation, tt.list).start, tt.reason})
	}
	for list, value := range map[string]string{
		"$.execution.toolSurface": `["a", "A", "\u00e4", "a b"]`,
		"$.measurements":          `[{"key":"k","kind":"fact","value":1},{"key":"k","kind":"sample","value":1},{"key":"K","kind":"fact","value":1}]`,
	} {
		accepted(t, "no duplicates", set(evaluation, list, value))
	}
	// One text may stand in several lists.
	accepted(t, "two lists", set(set(evaluation, "$.uncertainty.basis", `["x"]`), "$.uncertainty.gaps", `["x"]`))
}

// What is wrong with items is not reported again as a duplicate.
func TestDuplicatesAmongFaultyItems(t *testing.T) {
	tests := []struct {
		list, value string
		want        []string
	}{
		{"$.uncertainty.basis", `["", ""]`, []string{"[0]", "[1]"}},
		{"$.measurements", `[{"key":1,"kind":"fact","value":1},{"key":1,"kind":"fact","value":1}]`, []string{"[0].key", "[1].key"}},
		{"$.measurements", `[{"key":"k","kind":"","value":1},{"key":"k","kind":"","value":1}]`, []string{"[0].kind", "[1].kind"}},
		{"$.measurements", `[1, 2]`, []string{"[0]", "[1]"}},
		{"$.evidence", `[{}, {}]`, []string{"[0].id", "[0].kind", "[0].uri", "[0].digest", "[0].observedAt",
			"[1].id", "[1].kind", "[1].uri", "[1].digest", "[1].observedAt"}},
	}
	for _, tt := range tests {
		for _, other := range []string{"", `""`} { // another fault, before and behind in the text
			doc, expected := set(evaluation, tt.list, tt.value), []string{}
			if other != "" {
				doc, expected = set(doc, "$.model.id", other), []string{"$.model.id"}
			}
			for _, path := range tt.want {
				expected = append(expected, tt.list+path)
			}
			_, err := catalog.Normalize(doc)
			if got := paths(err); !slices.Equal(got, expected) {
				t.Errorf("%s %s: %s, want %s", tt.list, tt.value, got, expected)
			}
			_, err = catalog.Normalize(backwards(decodeAny(doc), " "))
			if got := paths(err); !slices.Equal(got, expected) {
				t.Errorf("%s %s, backwards: %s, want %s", tt.list, tt.value, got, expected)
			}
		}
	}
}

// The rules that tie several members together.
func TestRulesOverSeveralMembers(t *testing.T) {
	partial := set(declaration, "$.execution.kind", `"partial"`)
	bare := set(set(declaration, "$.execution", "null"), "$.task", "null")
	const observed = `"2026-07-16T15:00:57.682Z"`
	for name, doc := range map[string]string{
		"a declaration of all":             declaration,
		"a declaration of no execution":    set(declaration, "$.execution", "null"),
		"a declaration of no task":         set(declaration, "$.task", "null"),
		"a declaration of neither":         bare,
		"a partial scope":                  partial,
		"a partial scope, tools unknown":   set(partial, "$.execution.toolSurface", "null"),
		"a partial scope, without tools":   set(partial, "$.execution.toolSurface", "[]"),
		"an evaluation without tools":      set(evaluation, "$.execution.toolSurface", "[]"),
		"an evaluation without usage":      set(evaluation, "$.usage", "null"),
		"valid until a millisecond later":  set(evaluation, "$.freshness.validUntil", `"2026-07-16T15:00:57.683Z"`),
		"valid without end":                set(evaluation, "$.freshness.validUntil", `null`),
		"an evaluation that was not valid": set(evaluation, "$.outcome.status", `"invalid"`),
	} {
		accepted(t, name, doc)
	}
	tests := []struct{ name, doc, path, reason string }{
		{"an evaluation without execution", set(evaluation, "$.execution", "null"), "$.execution", "must not be null in an evaluation"},
		{"an evaluation with a partial scope", set(evaluation, "$.execution.kind", `"partial"`), "$.execution.kind", "must be exact in an evaluation"},
		{"an evaluation without task", set(evaluation, "$.task", "null"), "$.task", "must not be null in an evaluation"},
		{"an evaluation without outcome", set(evaluation, "$.outcome", "null"), "$.outcome", "must not be null in an evaluation"},
		{"a declaration with outcome", set(declaration, "$.outcome", `{"status": "accepted", "reason": null}`), "$.outcome", "must be null in a declaration"},
		{"a declaration with usage", set(declaration, "$.usage", evaluation[at(evaluation, "$.usage").start:at(evaluation, "$.usage").end]), "$.usage", "must be null in a declaration"},
		{"an exact scope, tools unknown", set(evaluation, "$.execution.toolSurface", "null"), "$.execution.toolSurface", "must be a list in an exact scope"},
		{"a declared exact scope, tools unknown", set(declaration, "$.execution.toolSurface", "null"), "$.execution.toolSurface", "must be a list in an exact scope"},
		{"valid until it was observed", set(evaluation, "$.freshness.validUntil", observed), "$.freshness.validUntil", "must be later than observedAt"},
		{"valid until before that", set(evaluation, "$.freshness.validUntil", `"2026-07-16T15:00:57.681Z"`), "$.freshness.validUntil", "must be later than observedAt"},
	}
	for _, tt := range tests {
		refused(t, tt.name, tt.doc, want{problem.InvalidObservation, tt.path, at(tt.doc, tt.path).start, tt.reason})
		// The members may come in any order.
		_, err := catalog.Normalize(backwards(decodeAny(tt.doc), "\n"))
		if got := paths(err); !slices.Equal(got, []string{tt.path}) {
			t.Errorf("%s, backwards: %s", tt.name, got)
		}
	}
	// [] and null are different scopes, and so different observations.
	known, unknown := accepted(t, "[]", set(partial, "$.execution.toolSurface", "[]")), accepted(t, "null", set(partial, "$.execution.toolSurface", "null"))
	if known.ID() == unknown.ID() {
		t.Error("no tools and unknown tools are one observation")
	}
}

// Several rules over members that are broken at once come in one order.
func TestOrderOfRulesOverSeveralMembers(t *testing.T) {
	doc := evaluation
	for path, value := range map[string]string{"$.execution": "null", "$.task": "null", "$.outcome": "null"} {
		doc = set(doc, path, value)
	}
	expectPaths(t, doc, "$.execution", "$.task", "$.outcome")
	doc = set(evaluation, "$.kind", `"declaration"`)
	expectPaths(t, doc, "$.outcome", "$.usage")
	doc = set(set(evaluation, "$.execution.kind", `"partial"`), "$.task", "null")
	expectPaths(t, doc, "$.execution.kind", "$.task")
	// They come after all others, and say nothing of a kind that is none.
	expectPaths(t, set(doc, "$.sourceClass", `"x"`), "$.sourceClass", "$.execution.kind", "$.task")
	expectPaths(t, set(doc, "$.kind", `"x"`), "$.kind")
}

// In each object unknown fields come first, then missing ones, then values in
// the order of the tables, depth first, the items of lists ascending.
func TestOrderOfFaults(t *testing.T) {
	doc := evaluation
	for _, path := range []string{"$.usage.completeness", "$.usage.inputTokens", "$.model.revision", "$.sourceClass", "$.task.evaluator", "$.evidence[1].uri"} {
		doc = drop(doc, path)
	}
	for _, path := range []string{"$", "$.uncertainty", "$.usage", "$.evidence[1]", "$.evidence[0].digest"} {
		doc = add(doc, path, `"unexpected": [{}]`)
	}
	for path, value := range map[string]string{
		"$.uncertainty.gaps": `["", 1, "ok", " "]`, "$.uncertainty.basis": "[]", "$.freshness.validUntil": `"x"`, "$.freshness.observedAt": "null",
		"$.evidence[0].digest.value": "0", "$.evidence[0].observedAt": "0", "$.evidence[1].kind": "0", "$.usage.totalTokens": "-1",
		"$.usage.wallTimeMs": "0.5", "$.outcome.reason": `""`, "$.outcome.status": `""`, "$.measurements[1].value": "null", "$.measurements[0].key": "1",
		"$.measurements[0].unit": "null", "$.task.family": "{}", "$.execution.workflow": "1", "$.execution.runtime.version": `""`,
		"$.execution.runtime.id": `""`, "$.execution.kind": "0", "$.model.quantization": "1", "$.kind": "0", "$.schemaVersion": "0",
	} {
		doc = set(doc, path, value)
	}
	want := []string{
		"$.unexpected",
		"$.sourceClass",
		"$.schemaVersion",
		"$.kind",
		"$.model.revision", "$.model.quantization",
		"$.execution.kind", "$.execution.runtime.id", "$.execution.runtime.version", "$.execution.workflow",
		"$.task.evaluator", "$.task.family",
		"$.measurements[0].key", "$.measurements[0].unit", "$.measurements[1].value",
		"$.outcome.status", "$.outcome.reason",
		"$.usage.unexpected", "$.usage.inputTokens", "$.usage.completeness", "$.usage.totalTokens", "$.usage.wallTimeMs",
		"$.evidence[0].digest.unexpected", "$.evidence[0].digest.value", "$.evidence[0].observedAt",
		"$.evidence[1].unexpected", "$.evidence[1].uri", "$.evidence[1].kind",
		"$.freshness.observedAt", "$.freshness.validUntil",
		"$.uncertainty.unexpected", "$.uncertainty.basis", "$.uncertainty.gaps[0]", "$.uncertainty.gaps[1]", "$.uncertainty.gaps[3]",
	}
	expectPaths(t, doc, want...)
	expectPaths(t, backwards(decodeAny(doc), "\n"), want...)
	rnd := rand.New(rand.NewPCG(1, 6))
	for range 200 {
		expectPaths(t, shuffleMembers(rnd, decodeAny(doc)), want...)
	}
}

// All members that are left out are reported in the order of the tables.
func TestOrderOfMissingMembers(t *testing.T) {
	for path, names := range map[string]string{
		"$":       "schemaVersion kind model execution task measurements outcome usage sourceClass evidence freshness uncertainty",
		"$.model": "id revision quantization", "$.execution": "kind runtime adapter effectiveContextTokens toolSurface hardware workflow",
		"$.execution.runtime": "id version", "$.execution.adapter": "id version", "$.execution.hardware": "class accelerator memoryBytes",
		"$.execution.workflow": "id version condition", "$.task": "family suite taskId evaluator", "$.task.evaluator": "id version",
		"$.measurements[1]": "key kind value", "$.outcome": "status reason",
		"$.usage":       "inputTokens outputTokens reasoningTokens totalTokens completeness modelCalls wallTimeMs",
		"$.evidence[1]": "id kind uri digest observedAt", "$.evidence[0].digest": "algorithm value", "$.freshness": "observedAt validUntil",
		"$.uncertainty": "level basis gaps",
	} {
		var want []string
		for _, name := range strings.Fields(names) {
			want = append(want, path+"."+name)
		}
		expectPaths(t, set(evaluation, path, "{}"), want...)
	}
}

// expectPaths checks the paths of all faults of an observation.
func expectPaths(t *testing.T, doc string, want ...string) {
	t.Helper()
	_, err := catalog.Normalize(doc)
	if got := paths(err); !slices.Equal(got, want) {
		t.Errorf("%s\n got %s\nwant %s", doc, got, want)
	}
}
