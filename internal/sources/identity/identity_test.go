package identity_test

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/identity"
	"github.com/model-catalog-service/svc/internal/sources/resolver"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

func crosswalks(t *testing.T) (all []*identity.Crosswalk) {
	t.Helper()
	for _, pattern := range []string{"openrouter/*.json", "models-dev/*.tar"} {
		paths, _ := filepath.Glob(filepath.Join(vectortest.Data(t, "data"), pattern))
		slices.Sort(paths)
		slices.Reverse(paths)
		for _, path := range paths {
			text := vectortest.DataText(t, "data", filepath.Base(filepath.Dir(path)), filepath.Base(path))
			var c *identity.Crosswalk
			var err error
			if strings.HasSuffix(path, ".tar") {
				c, err = identity.FromModelsDev(text)
			} else {
				if strings.HasPrefix(text, "[") {
					text = `{"data":` + text + `}`
				}
				c, err = identity.FromOpenRouter(text)
			}
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, c)
		}
	}
	return all
}

func newResolver(t testing.TB) *resolver.Resolver {
	t.Helper()
	r, err := resolver.New()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Of the labels of LiveBench so many are proposed with one crosswalk as rules before these
// proposed with two, and of the newest release nearly all. TestTruth says that none is wrong.
func TestLiveBench(t *testing.T) {
	vectortest.SkipRace(t)
	tree, err := identity.FromModelsDev(vectortest.DataText(t, "data", "models-dev", "tree.2026-07-01.f3fc6922.tar"))
	if err != nil {
		t.Fatal(err)
	}
	r := newResolver(t)
	for name, least := range map[string]int{
		"table_2024_06_24.csv": 14, "table_2024_07_26.csv": 14, "table_2024_08_31.csv": 19, "table_2025_04_02.csv": 30, "table_2025_04_25.csv": 28,
		"table_2025_05_30.csv": 53, "table_2025_11_25.csv": 52, "table_2026_01_08.csv": 118,
		"historical/table_2025_05_30.2025-09-17.6d7587be.csv": 57, "historical/table_2025_12_25_bck.csv": 49,
		"historical/table_2026_01_08.2026-05-22.67070cdf.csv": 98, "historical/table_2026_01_08.2026-06-17.7dd9ca76.csv": 109,
	} {
		if vectortest.IsShort() && name != "table_2026_01_08.csv" {
			continue // the newest is read always
		}
		var labels []sources.Label
		for line := range strings.Lines(vectortest.DataText(t, "data", "livebench", name)) {
			if label, _, _ := strings.Cut(line, ","); label != "model" {
				labels = append(labels, sources.Label{Row: label, Label: label})
			}
		}
		p := identity.Propose("livebench", labels, []*identity.Crosswalk{tree}, r)
		t.Logf("%s: %d of %d labels", name, len(p.Proposals), len(labels))
		if len(p.Proposals) < least {
			t.Errorf("%s: %d of %d labels are proposed, %d were", name, len(p.Proposals), len(labels), least)
		}
	}
}

// What a label says of a model and its settings, against names of both.
func TestPropose(t *testing.T) {
	c, err := identity.FromOpenRouter(`{"data":[
		{"id":"acme/atlas-70b","canonical_slug":"acme/atlas-70b-20260101","supported_parameters":["reasoning"]},
		{"id":"acme/basalt-0324"}, {"id":"acme/basalt"}, {"id":"acme/cirrus-2026-02-02"}, {"id":"acme/cirrus-2026-03-03"}, {"id":"acme/cirrus"},
		{"id":"acme/dune","hugging_face_id":"acme/Dune-Large"}, {"id":"acme/ember"}, {"id":"borealis/ember"},
		{"id":"moonshotai/kimi-k2-thinking","supported_parameters":["reasoning"]}, {"id":"acme/~fern-latest"}
	]}`)
	if err != nil {
		t.Fatal(err)
	}
	for label, want := range map[string]string{
		"atlas-70b-high-effort":    "acme/atlas-70b effort=high name/2",
		"Atlas 70B (32k thinking)": "acme/atlas-70b thinking=32k name/2",
		"atlas-70b-2026-01-01-low": "acme/atlas-70b effort=low name/2", // the entry tells the date
		"atlas-70b-2026-05-05":     "acme/atlas-70b@2026-05-05 date/2", // another state
		"basalt-0324":              "acme/basalt@0324 name/2",
		"basalt":                   "acme/basalt name/2",
		"basalt-high":              "open does-not-reason",
		"cirrus-2026-02-02":        "acme/cirrus@2026-02-02 name/2",
		"dune-large":               "acme/dune-large hugging-face/2",
		"ember":                    "open ambiguous",
		"acme/ember":               "acme/ember name/2",
		"kimi-k2-thinking":         "moonshotai/kimi-k2-thinking name/2",
		"atlas-71b":                "open no-name",
		"atlas-70b + basalt":       "open several-models",
	} {
		p := identity.Propose("livebench", []sources.Label{{Row: label, Label: label}}, []*identity.Crosswalk{c}, newResolver(t))
		got := ""
		for _, x := range p.Open {
			got = "open " + x.Reason
		}
		for _, x := range p.Proposals {
			if got = x.Model; x.Revision != "" {
				got += "@" + string(x.Revision)
			}
			if x.Condition != "" {
				got += " " + string(x.Condition)
			}
			got += " " + x.Rule
		}
		if got != want {
			t.Errorf("%s: %s, want %s", label, got, want)
		}
	}
}

// Without a crosswalk the rules alone say which models labels are.
func TestProposeByRules(t *testing.T) {
	labels := []sources.Label{{Row: "a", Label: "claude-opus-4-5-20251101-thinking-64k-low-effort"}, {Row: "b", Label: "atlas-70b"},
		{Row: "c", Label: "@cf/moonshotai/kimi-k2.6", Runtime: "cloudflare-workers-ai"}}
	p := identity.Propose("livebench", labels, nil, newResolver(t))
	if len(p.Proposals) != 2 || len(p.Open) != 1 {
		t.Fatalf("%s", p.JSON())
	}
	for i, want := range []string{"anthropic/claude-opus-4.5 20251101 effort=low,thinking=64k", "moonshotai/kimi-k2.6  "} {
		if x := p.Proposals[i]; x.Model+" "+string(x.Revision)+" "+string(x.Condition) != want {
			t.Errorf("%s is proposed as %+v, want %s", x.Label, x, want)
		}
	}
}

// Of the labels that a person decided, so many are proposed, and none wrong.
func TestTruth(t *testing.T) {
	vectortest.SkipLong(t)
	all := crosswalks(t)
	r := newResolver(t)
	right, wrong := map[string]int{}, 0
	for line := range strings.Lines(vectortest.DataText(t, "vectors", "identity", "identity-truth.jsonl")) {
		var v struct {
			Source, Row, Label string
			Models             []string
			Condition          string
			ConditionInID      []string
		}
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		labels := []sources.Label{{Row: v.Row, Label: v.Label}}
		models := map[string]bool{}
		for _, id := range v.Models {
			models[r.Resolve(resolver.Name{ID: id}).Model.ID] = true
		}
		// A sibling is never proposed: without the models there is nothing to propose.
		var others []*identity.Crosswalk
		for _, c := range []*identity.Crosswalk{all[0], all[len(all)-2]} {
			others = append(others, c.Without(r, slices.Collect(maps.Keys(models))))
		}
		if p := identity.Propose(v.Source, labels, others, r); len(p.Proposals) > 0 {
			t.Errorf("%s: proposed %+v, which is another model", v.Label, p.Proposals[0])
		}
		p := identity.Propose(v.Source, labels, all, r)
		if len(p.Proposals) == 0 {
			t.Logf("%s: open, %+v", v.Label, p.Open[0])
			continue
		}
		if models[p.Proposals[0].Model] {
			right[v.Source]++
		} else {
			wrong++
			t.Errorf("%s: proposed %+v, want one of %q", v.Label, p.Proposals[0], v.Models)
		}
	}
	if right["livebench"] < 60 || right["aider-polyglot"] < 25 || wrong > 0 {
		t.Errorf("right %v, wrong %d", right, wrong)
	}
}
