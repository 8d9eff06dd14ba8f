package sellers

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// Each line of the table says something, the lines are in order, and a maker's own seller is known.
func TestTable(t *testing.T) {
	var all struct{ Sellers []seller }
	if err := json.Unmarshal(embedded, &all); err != nil {
		t.Fatal(err)
	}
	if !slices.IsSortedFunc(all.Sellers, func(a, b seller) int { return strings.Compare(a.ID, b.ID) }) || len(table()) != len(all.Sellers) {
		t.Error("the lines are not in order, or one is repeated")
	}
	for _, s := range all.Sellers {
		if s.Major == "" && len(s.Makers) == 0 {
			t.Errorf("the line of %s says nothing", s.ID)
		}
		if strings.Contains(s.ID, ":") {
			t.Errorf("%s is an offer, not a seller", s.ID)
		}
	}
	for _, tt := range []struct {
		id, model  string
		own, major bool
	}{
		{"openai", "openai/gpt-5", true, true},
		{"google-vertex", "google/gemini-3-pro", true, true},
		{"google-vertex", "anthropic/claude-opus-4.5", false, true},
		{"zai", "zhipuai/glm-5", true, false},
		{"acme", "acme/atlas", true, false}, // unknown, but of the maker's name
		{"nano-gpt", "openai/gpt-5", false, false},
		{"acme", "acme", false, false},
	} {
		if IsOwn(tt.id, tt.model) != tt.own || IsMajor(tt.id) != tt.major {
			t.Errorf("%s and %s: own %v, major %v", tt.id, tt.model, IsOwn(tt.id, tt.model), IsMajor(tt.id))
		}
	}
}
