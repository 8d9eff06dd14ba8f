package rank_test

import (
	"slices"
	"strings"
	"testing"
)

// all is a profile in which nothing is null, none one in which all is that can be.
const (
	all = `{"runtime":{"id":"rt","version":"1"},"adapter":{"id":"ad","version":"2"},"effectiveContextTokens":8192,"toolSurface":["edit","shell"],` +
		`"hardware":{"class":"gpu","accelerator":"h100","memoryBytes":80},"workflow":{"id":"wf","version":"3","condition":"kit"}}`
	none = `{"runtime":{"id":"rt","version":null},"adapter":null,"effectiveContextTokens":null,"toolSurface":[],"hardware":null,"workflow":null}`
)

const (
	sixDimensions = "adapter effectiveContextTokens hardware runtime toolSurface workflow"
	wildcards     = "adapter effectiveContextTokens hardware toolSurface workflow"
)

// without drops words from a list.
func without(list string, words ...string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(list), func(w string) bool { return slices.Contains(words, w) }), " ")
}

func TestMatch(t *testing.T) {
	swap := func(old, new string) string { return strings.Replace(all, old, new, 1) }
	rt := `{"id":"rt","version":null}`
	tests := []struct {
		name, scope, profile                    string
		matched, asserted, wildcarded, mismatch string
	}{
		{"no scope", "null", all, "global", "", "execution", ""},
		{"exact", exact(all), all, "exact", sixDimensions, "", ""},
		{"exact, nothing given", exact(none), none, "exact", sixDimensions, "", ""},
		{"exact, tools in another order", exact(swap(`"edit","shell"`, `"shell","edit"`)), all, "exact", sixDimensions, "", ""},
		{"exact, another runtime", exact(all), swap(`"rt"`, `"RT"`), "", sixDimensions, "", "runtime"},
		{"exact, another runtime version", exact(all), swap(`"1"`, `null`), "", sixDimensions, "", "runtime"},
		{"exact, another adapter", exact(all), swap(`"2"`, `"1"`), "", sixDimensions, "", "adapter"},
		{"exact, another context", exact(all), swap(`8192`, `8193`), "", sixDimensions, "", "effectiveContextTokens"},
		{"exact, context unknown", exact(all), swap(`8192`, `null`), "", sixDimensions, "", "effectiveContextTokens"},
		{"exact, context zero is not unknown", exact(none), strings.Replace(none, `Tokens":null`, `Tokens":0`, 1), "", sixDimensions, "", "effectiveContextTokens"},
		{"exact, other tools", exact(all), swap(`,"shell"`, ``), "", sixDimensions, "", "toolSurface"},
		{"exact, other hardware", exact(all), swap(`"memoryBytes":80`, `"memoryBytes":null`), "", sixDimensions, "", "hardware"},
		{"exact, another workflow", exact(all), swap(`"kit"`, `null`), "", sixDimensions, "", "workflow"},
		{"exact, all differ", exact(all), strings.Replace(none, `"rt"`, `"x"`, 1), "", sixDimensions, "", sixDimensions},

		{"runtime", partial(rt, "", ""), all, "partial", "runtime.id", wildcards + " runtime.version", ""},
		{"runtime version", partial(`{"id":"rt","version":"1"}`, "", ""), all, "partial", "runtime.id runtime.version", wildcards, ""},
		{"another runtime", partial(`{"id":"x","version":"1"}`, "", ""), all, "", "runtime.id runtime.version", wildcards, "runtime.id"},
		{"another runtime version", partial(`{"id":"rt","version":"2"}`, "", ""), all, "", "runtime.id runtime.version", wildcards, "runtime.version"},
		{"runtime version unknown", partial(`{"id":"rt","version":"1"}`, "", ""), none, "", "runtime.id runtime.version", wildcards, "runtime.version"},

		{"context", partial(rt, "effectiveContextTokens", "8192"), all, "partial",
			"effectiveContextTokens runtime.id", without(wildcards, "effectiveContextTokens") + " runtime.version", ""},
		{"another context", partial(rt, "effectiveContextTokens", "1"), all, "",
			"effectiveContextTokens runtime.id", without(wildcards, "effectiveContextTokens") + " runtime.version", "effectiveContextTokens"},
		{"context unknown", partial(rt, "effectiveContextTokens", "0"), none, "",
			"effectiveContextTokens runtime.id", without(wildcards, "effectiveContextTokens") + " runtime.version", "effectiveContextTokens"},

		{"tools", partial(rt, "toolSurface", `["shell","edit"]`), all, "partial",
			"runtime.id toolSurface", without(wildcards, "toolSurface") + " runtime.version", ""},
		{"no tools are not unknown tools", partial(rt, "toolSurface", `[]`), all, "",
			"runtime.id toolSurface", without(wildcards, "toolSurface") + " runtime.version", "toolSurface"},
		{"no tools", partial(rt, "toolSurface", `[]`), none, "partial",
			"runtime.id toolSurface", without(wildcards, "toolSurface") + " runtime.version", ""},

		{"adapter", partial(rt, "adapter", `{"id":"ad","version":null}`), all, "partial",
			"adapter.id runtime.id", without(wildcards, "adapter") + " adapter.version runtime.version", ""},
		{"adapter version", partial(rt, "adapter", `{"id":"ad","version":"2"}`), all, "partial",
			"adapter.id adapter.version runtime.id", without(wildcards, "adapter") + " runtime.version", ""},
		{"another adapter", partial(rt, "adapter", `{"id":"x","version":"1"}`), all, "",
			"adapter.id adapter.version runtime.id", without(wildcards, "adapter") + " runtime.version", "adapter.id adapter.version"},
		{"no adapter", partial(rt, "adapter", `{"id":"ad","version":"2"}`), none, "",
			"adapter.id adapter.version runtime.id", without(wildcards, "adapter") + " runtime.version", "adapter"},

		{"hardware class", partial(rt, "hardware", `{"class":"gpu","accelerator":null,"memoryBytes":null}`), all, "partial",
			"hardware.class runtime.id", without(wildcards, "hardware") + " hardware.accelerator hardware.memoryBytes runtime.version", ""},
		{"hardware", partial(rt, "hardware", `{"class":"gpu","accelerator":"h100","memoryBytes":80}`), all, "partial",
			"hardware.accelerator hardware.class hardware.memoryBytes runtime.id", without(wildcards, "hardware") + " runtime.version", ""},
		{"other hardware", partial(rt, "hardware", `{"class":"cpu","accelerator":"x","memoryBytes":0}`), all, "",
			"hardware.accelerator hardware.class hardware.memoryBytes runtime.id", without(wildcards, "hardware") + " runtime.version",
			"hardware.accelerator hardware.class hardware.memoryBytes"},
		{"no hardware", partial(rt, "hardware", `{"class":"gpu","accelerator":null,"memoryBytes":0}`), none, "",
			"hardware.class hardware.memoryBytes runtime.id", without(wildcards, "hardware") + " hardware.accelerator runtime.version", "hardware"},

		{"workflow id", partial(rt, "workflow", `{"id":"wf","version":null,"condition":null}`), all, "partial",
			"runtime.id workflow.id", without(wildcards, "workflow") + " runtime.version workflow.condition workflow.version", ""},
		{"workflow", partial(rt, "workflow", `{"id":"wf","version":"3","condition":"kit"}`), all, "partial",
			"runtime.id workflow.condition workflow.id workflow.version", without(wildcards, "workflow") + " runtime.version", ""},
		{"another workflow", partial(rt, "workflow", `{"id":"x","version":"x","condition":"x"}`), all, "",
			"runtime.id workflow.condition workflow.id workflow.version", without(wildcards, "workflow") + " runtime.version",
			"workflow.condition workflow.id workflow.version"},
		{"no workflow", partial(rt, "workflow", `{"id":"wf","version":"3","condition":null}`), none, "",
			"runtime.id workflow.id workflow.version", without(wildcards, "workflow") + " runtime.version workflow.condition", "workflow"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			docs := numbered(observed{execution: test.scope, measurements: sample("1", "")})
			got := judge(t, docs, asked{inventory: launch("c", modelM, test.profile), advisories: criterionJSON(`"id":"a",`, "mean", "")}).
				Ranked[0].Advisories[0].ExecutionApplicability
			for _, list := range []struct {
				name string
				got  []string
				want string
			}{
				{"matched", got.MatchedKinds, test.matched},
				{"asserted", got.AssertedDimensions, test.asserted},
				{"wildcarded", got.WildcardedDimensions, test.wildcarded},
				{"mismatched", got.MismatchedDimensions, test.mismatch},
			} {
				want := strings.Fields(list.want)
				slices.Sort(want)
				if !slices.Equal(list.got, want) {
					t.Errorf("%s are %q, want %q", list.name, list.got, want)
				}
			}
		})
	}
}

// TestApplicabilityOfSeveral unites what different scopes say.
func TestApplicabilityOfSeveral(t *testing.T) {
	rt := `{"id":"rt","version":null}`
	docs := func(validUntil string, scopes ...string) []string {
		var all []observed
		for _, s := range scopes {
			all = append(all, observed{execution: s, measurements: sample("1", ""), validUntil: validUntil})
		}
		return numbered(all...)
	}
	evaluate := func(docs []string) applicabilityJSON {
		t.Helper()
		return judge(t, docs, asked{inventory: launch("c", modelM, all), advisories: criterionJSON(`"id":"a",`, "mean", "")}).
			Ranked[0].Advisories[0].ExecutionApplicability
	}
	wrong, other := partial(`{"id":"x","version":null}`, "", ""), partial(rt, "toolSurface", "[]")
	for _, validUntil := range []string{"", before} {
		got := evaluate(docs(validUntil, "null", exact(all), partial(rt, "", ""), wrong))
		if !slices.Equal(got.MatchedKinds, []string{"exact", "global", "partial"}) || len(got.MismatchedDimensions) > 0 ||
			!slices.Contains(got.WildcardedDimensions, "execution") || !slices.Contains(got.AssertedDimensions, "runtime") {
			t.Errorf("valid until %q: %+v", validUntil, got)
		}
	}
	got := evaluate(docs("", wrong, other))
	if len(got.MatchedKinds) > 0 || !slices.Equal(got.MismatchedDimensions, []string{"runtime.id", "toolSurface"}) ||
		!slices.Equal(got.AssertedDimensions, []string{"runtime.id", "toolSurface"}) || !slices.Contains(got.WildcardedDimensions, "toolSurface") {
		t.Errorf("none matches: %+v", got)
	}
	// Of a stale and a fresh one, the fresh one alone counts.
	got = evaluate(append(docs(before, "null"), docs("", exact(all))[0]))
	if !slices.Equal(got.MatchedKinds, []string{"exact"}) || len(got.WildcardedDimensions) > 0 {
		t.Errorf("one is stale: %+v", got)
	}
	got = evaluate(nil)
	if got.MatchedKinds == nil || len(got.MatchedKinds)+len(got.AssertedDimensions)+len(got.WildcardedDimensions)+len(got.MismatchedDimensions) > 0 {
		t.Errorf("without observations: %+v", got)
	}
}
