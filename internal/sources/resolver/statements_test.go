package resolver_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/model-catalog-service/svc/internal/sources/modelsdev"
	"github.com/model-catalog-service/svc/internal/sources/resolver"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// agreement counts how often the rules say of a name what a source states of it.
type agreement struct {
	stated    int
	disagrees map[string]bool // the names with both models
}

func (a *agreement) add(r *resolver.Resolver, n resolver.Name, stated string) {
	ours, theirs := r.Resolve(n).Model.ID, r.Resolve(resolver.Name{ID: stated}).Model.ID
	if a.stated++; ours != theirs {
		a.disagrees[fmt.Sprintf("%s %s is %s, and stated is %s", n.Seller, n.ID, ours, theirs)] = true
	}
}

// Sources state of many of their rows which model they are: models.dev by base_model,
// OpenRouter by the name of the weights. The rules do not ask them. So how far both agree
// measures the rules without labels. What disagrees is listed: it is mostly where the page on
// models says that statements are wrong (claude-sonnet-4 as 4.5) or that the maker's moving
// name is no model of one state (deepseek-chat).
func TestSourcesAgree(t *testing.T) {
	r := newResolver(t)
	bases, weights := agreement{disagrees: map[string]bool{}}, agreement{disagrees: map[string]bool{}}
	for _, path := range files(t, "models-dev", "*.tar") {
		names, err := modelsdev.Names(vectortest.DataText(t, "data", "models-dev", path))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range names {
			if n.Base != "" {
				bases.add(r, resolver.Name{Seller: n.Runtime, ID: n.ID}, n.Base)
			}
		}
	}
	for _, path := range files(t, "openrouter", "*.json") {
		var answer struct {
			Data []struct {
				ID      string
				Weights string `json:"hugging_face_id"`
			}
		}
		text := []byte(vectortest.DataText(t, "data", "openrouter", path))
		if json.Unmarshal(text, &answer) != nil {
			if err := json.Unmarshal(text, &answer.Data); err != nil {
				t.Fatal(err)
			}
		}
		for _, row := range answer.Data {
			if row.Weights != "" {
				weights.add(r, resolver.Name{Seller: "openrouter", ID: row.ID}, row.Weights)
			}
		}
	}
	for name, a := range map[string]*agreement{"base_model of models.dev": &bases, "weights of OpenRouter": &weights} {
		for _, line := range slices.Sorted(maps.Keys(a.disagrees)) {
			t.Log(line)
		}
		t.Logf("%s: %d statements, %d names disagree", name, a.stated, len(a.disagrees))
		if a.stated < 1_000 || len(a.disagrees) > 20 {
			t.Errorf("%s: %d statements, %d names disagree", name, a.stated, len(a.disagrees))
		}
	}
}

// files returns the names of files of a folder of data.
func files(t *testing.T, folder, pattern string) (names []string) {
	t.Helper()
	paths, _ := filepath.Glob(filepath.Join(vectortest.Data(t, "data", folder), pattern))
	for _, path := range paths {
		names = append(names, filepath.Base(path))
	}
	return names
}
