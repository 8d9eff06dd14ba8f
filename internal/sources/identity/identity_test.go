package identity_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/identity"
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

// Of the labels that a person decided, so many are proposed, and none wrong.
func TestTruth(t *testing.T) {
	vectortest.SkipLong(t)
	all := crosswalks(t)
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
		// A sibling is never proposed: without the models there is nothing to propose.
		var others []*identity.Crosswalk
		for _, c := range all {
			others = append(others, c.Without(v.Models))
		}
		if p := identity.Propose(v.Source, labels, others); len(p.Proposals) > 0 {
			t.Errorf("%s: proposed %+v, which is another model", v.Label, p.Proposals[0])
		}
		p := identity.Propose(v.Source, labels, all)
		if len(p.Proposals) == 0 {
			continue
		}
		if slices.Contains(v.Models, p.Proposals[0].Model) {
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
