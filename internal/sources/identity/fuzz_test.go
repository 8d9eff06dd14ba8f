package identity_test

import (
	"slices"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/identity"
	"github.com/model-catalog-service/svc/internal/sources/resolver"
)

// FuzzPropose proposes models for labels. Whatever a label and a name are: the same
// labels give the same proposals, each row is proposed or open, once, and no proposal
// is of a model that the list does not have: its ids, and the names of their weights.
func FuzzPropose(f *testing.F) {
	f.Add("atlas-70b-high-effort", "acme/atlas-70b", "acme/atlas-70b-20260101")
	f.Add("Atlas 70B (high)", "acme/atlas-70b", "")
	f.Add("claude-4-1-opus-20250805", "anthropic/claude-opus-4.1", "anthropic/claude-opus-4.1-20250805")
	f.Add("a + b", "x/a", "x/b")
	f.Add("0", "X", "0/0") // called as its weights are
	f.Add("r1-2025-05-28 (64k thinking tokens) (no think)", "x/r1-0528", "x/r1:free")
	r := newResolver(f)
	f.Fuzz(func(t *testing.T, label, id, slug string) {
		body := `{"data":[{"id":` + canonical.Quote(id) + `,"canonical_slug":` + canonical.Quote(slug) + `,"hugging_face_id":` + canonical.Quote(slug) + `,"supported_parameters":["reasoning"]}]}`
		crosswalk, err := identity.FromOpenRouter(body)
		if err != nil {
			return
		}
		labels := []sources.Label{{Row: "b", Label: label}, {Row: "a", Label: id}}
		p := identity.Propose("livebench", labels, []*identity.Crosswalk{crosswalk}, r)
		slices.Reverse(labels)
		if again := identity.Propose("livebench", labels, []*identity.Crosswalk{crosswalk}, r); string(again.JSON()) != string(p.JSON()) {
			t.Fatalf("another order of rows gives\n%s\nnot\n%s", again.JSON(), p.JSON())
		}
		if len(p.Proposals)+len(p.Open) != len(labels) {
			t.Fatalf("%d rows are proposed and %d are open", len(p.Proposals), len(p.Open))
		}
		for _, x := range p.Proposals {
			own, weights := r.Resolve(resolver.Name{ID: id}).Model.ID, r.Resolve(resolver.Name{ID: slug}).Model.ID
			if !slices.Contains([]string{id, own, slug, weights}, x.Model) || len(x.ID) != 12 {
				t.Fatalf("%q is proposed to be %q, of a list of %q, weights %q", label, x.Model, id, slug)
			}
		}
		if entries, err := p.Accepted([]string{"all"}); err != nil || len(entries) != len(p.Proposals) {
			t.Fatalf("%d entries, %v", len(entries), err)
		}
		if _, err := p.Accepted([]string{"of nobody"}); err == nil {
			t.Fatal("an id that is not proposed is accepted")
		}
	})
}
