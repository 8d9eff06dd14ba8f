package compare_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	. "github.com/model-catalog-service/svc/internal/compare/comparetest"
)

// rows reads row ids of two sources: one that has the provider in front, one as is.
func rows(source, row, _ string) (string, bool) {
	switch source {
	case "lists":
		_, id, _ := strings.Cut(row, "/")
		return id, true
	case "router":
		return row, true
	}
	return "", false
}

func TestListings(t *testing.T) {
	s := func(execution any, key string, evidence ...string) Statement {
		return Statement{ID: "acme/atlas", Execution: execution, Evidence: evidence, Measurements: []any{Fact(key, 1)}}
	}
	old := s(At("router"), "expired", "router:acme/atlas:free#price.input@2026")
	old.Until = May2
	sampled := Statement{ID: "acme/atlas", Execution: At("bench"), Measurements: []any{Sample("k", 1)}}
	v := readAll(t, Compile(t, June1,
		s(At("router"), "k", "router:acme/atlas#price.input", "router:acme/at#las#limits", "lists:router/other#x"), old,
		s(Ran("acme"), "k", "board:whatever#x", "no row", "router:#x", ":#"),
		s(At("third"), "k", "page"),
		s(nil, "k", "router:nowhere#x"), sampled))
	want := []compare.Listing{
		{Runtime: "acme", LocalIDs: []string{"atlas"}},
		{Runtime: "router", LocalIDs: []string{"acme/at#las", "acme/atlas", "acme/atlas:free", "other"}},
		{Runtime: "third", LocalIDs: []string{"acme/atlas"}},
	}
	if got := v.Listings("acme/atlas", rows); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	for id, local := range map[string]string{"acme/a/b": "acme/a/b", "acme": "acme", "acmeatlas": "acmeatlas", "acme/": "acme/", "b/acme/x": "b/acme/x"} {
		if got := v.Listings(id, rows); got[0].LocalIDs[0] != local {
			t.Errorf("%s is %s at acme", id, got[0].LocalIDs[0])
		}
	}
}

// candidates describes candidates, one a line.
func candidates(list []compare.Candidate) (lines []string) {
	for _, c := range list {
		var e canonical.Encoder
		catalog.EncodeProfile(&e, &c.Execution)
		line := c.ID + " " + c.Execution.Runtime.ID + " " + strings.Join(c.Execution.ToolSurface, ",") + " " + string(c.Model.Revision)
		lines = append(lines, strings.TrimSpace(line))
	}
	return lines
}

func TestCandidates(t *testing.T) {
	long := strings.Repeat("é", 128) // 256 bytes
	model := func(id string, revision any) Object {
		return Object{"id": id, "revision": revision, "quantization": nil}
	}
	list := []Statement{
		{ID: "exact", Execution: Ran("r", "b"), Measurements: []any{Fact("k", 1)}},
		{ID: "exact", Execution: Ran("r", "a"), Measurements: []any{Sample("k", 1)}, Until: May2},
		{ID: "exact", Execution: Ran("q"), Measurements: []any{Fact("other", 1)}},
		{ID: "exact", Execution: At("p"), Measurements: []any{Fact("k", 1)}},
		{ID: "listed", Execution: At("r"), Measurements: []any{Fact("k", 1)}},
		{ID: "listed", Execution: Ran("q"), Measurements: []any{Fact("other", 1)}},
		{ID: "listed", Execution: Ran("s"), Measurements: []any{Sample("other", 1)}},
		{ID: "nowhere", Measurements: []any{Fact("k", 1)}},
		{Model: model("twice", nil), Execution: Ran("r"), Measurements: []any{Fact("k", 1)}},
		{Model: model("twice", "1"), Execution: Ran("q"), Measurements: []any{Fact("k", 1)}},
		{ID: "twice#1", Measurements: []any{Fact("k", 1)}},
		{ID: long, Measurements: []any{Fact("k", 1)}},
		{ID: long + "x", Measurements: []any{Fact("k", 1)}},
		{Model: model("revised", long+"x"), Measurements: []any{Fact("k", 1)}},
		{ID: "far", Execution: Ran(long + "x"), Measurements: []any{Fact("k", 1)}},
	}
	want := []string{"exact#1 r a", "exact#2 r b", "listed#1 q", "listed#2 r", "nowhere any", "twice#1 any", "twice#2 q  1", "twice#3 r", long + " any"}
	got := candidates(compare.Candidates(Compile(t, June1, list...), []string{"k", "unknown"}))
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, append(want[:0:0], want...)) {
		t.Errorf("%q\nwant %q", got, want)
	}
	if got := candidates(compare.Candidates(Compile(t, June1), []string{"k"})); got != nil {
		t.Errorf("an empty catalog has %q", got)
	}
	if got := candidates(compare.Candidates(Compile(t, June1, list[:4]...), nil)); !slices.Equal(got, []string{"exact#1 p", "exact#2 q", "exact#3 r"}) {
		t.Errorf("for no key %q", got)
	}
	tight := []Statement{{ID: long[1:] + "y", Execution: Ran("r"), Measurements: []any{Fact("k", 1)}}, {ID: long[1:] + "y", Execution: Ran("q"), Measurements: []any{Fact("k", 1)}}}
	for i := range tight {
		tight[i].ID = strings.Repeat("x", 256)
	}
	if got := candidates(compare.Candidates(Compile(t, June1, tight...), []string{"k"})); got != nil {
		t.Errorf("ids of 258 bytes: %q", got)
	}
}

// Of random catalogs the candidates are those of the rule, written once more; their
// ids are unique, and they come in order.
func TestCandidatesByTheRule(t *testing.T) {
	rnd := rand.New(rand.NewPCG(20, 1))
	for range 40 {
		c := Compile(t, May31, Random(rnd, 1+rnd.IntN(30))...)
		byModel := map[string][]string{} // canonical JSON of candidates by model id
		for _, m := range tree(t, c.Serialize()).(object)["models"].([]any) {
			m := m.(object)
			exact, plain := map[string]bool{}, map[string]bool{}
			for _, o := range m["observations"].([]any) {
				o := o.(object)
				execution, _ := o["execution"].(object)
				if execution == nil {
					continue
				}
				profile := func(e object) string {
					delete(e, "kind")
					return text(object{"execution": e, "model": m["identity"]})
				}
				for _, x := range o["measurements"].([]any) {
					if x.(object)["kind"] == "fact" {
						plain[profile(object{"runtime": Component(execution["runtime"].(object)["id"].(string)), "adapter": nil, "effectiveContextTokens": nil, "toolSurface": []any{}, "hardware": nil, "workflow": nil})] = true
					}
				}
				for _, x := range o["measurements"].([]any) {
					if x.(object)["key"] == "l" && execution["kind"] == "exact" {
						copied := tree(t, text(execution)).(object)
						exact[profile(copied)] = true
					}
				}
			}
			all := exact
			if len(all) == 0 {
				all = plain
			}
			if len(all) == 0 {
				all = map[string]bool{text(object{"model": m["identity"], "execution": object{"runtime": Component("any"), "adapter": nil, "effectiveContextTokens": nil, "toolSurface": []any{}, "hardware": nil, "workflow": nil}}): true}
			}
			id := m["identity"].(object)["id"].(string)
			byModel[id] = append(byModel[id], sortedKeys(all)...)
		}
		want := map[string]string{}
		for id, list := range byModel {
			slices.SortFunc(list, canonical.CompareText)
			for i, json := range list {
				name := id
				if len(list) > 1 {
					name = fmt.Sprint(id, "#", i+1)
				}
				want[name] = json
			}
		}
		got := map[string]string{}
		last := ""
		for _, candidate := range compare.Candidates(c, []string{"l"}) {
			var e canonical.Encoder
			e.Raw(`{"execution":`)
			catalog.EncodeProfile(&e, &candidate.Execution)
			e.Raw(`,"model":`)
			catalog.EncodeModel(&e, &candidate.Model)
			e.Raw(`}`)
			got[candidate.ID] = string(e.Buf)
			if canonical.CompareText(last, candidate.Model.ID) > 0 {
				t.Errorf("%s comes after %s", candidate.Model.ID, last)
			}
			last = candidate.Model.ID
		}
		if !reflect.DeepEqual(got, want) {
			g, _ := json.MarshalIndent(got, "", " ")
			w, _ := json.MarshalIndent(want, "", " ")
			t.Fatalf("%s\nwant %s", g, w)
		}
	}
}
