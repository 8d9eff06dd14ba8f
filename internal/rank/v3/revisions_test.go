package v3_test

import (
	"slices"
	"strings"
	"testing"

	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

// An offer of a dated model has the score of the undated one, and the other way round, where it is
// the best and there is no doubt whose score it is. A date never has the score of another.
func TestOffersOfOtherRevisions(t *testing.T) {
	for _, tt := range []struct {
		name string
		lay  func(*market)
		want string
		lent bool
	}{
		{"the dated one is cheaper", func(m *market) {
			m.score("acme/a", "70")
			m.offer("acme/a", "usual", "2e-6")
			m.offer("acme/a@2026-03-01", "cheap", "1e-6")
			m.offer("acme/a@2026-03-01", "dear", "3e-6")
		}, "acme/a 2026-03-01@cheap", true},
		{"the dated one is dearer", func(m *market) {
			m.score("acme/a", "70")
			m.offer("acme/a", "usual", "2e-6")
			m.offer("acme/a@2026-03-01", "usual", "3e-6")
		}, "acme/a @usual", false},
		{"the dated one is scored, and nobody sells it", func(m *market) {
			m.score("acme/a@2026-03-01", "70")
			m.offer("acme/a", "usual", "2e-6")
		}, "acme/a @usual", true},
		{"two dates are scored", func(m *market) {
			m.score("acme/a@2026-03-01", "70")
			m.score("acme/a@2026-05-01", "60")
			m.offer("acme/a", "usual", "1e-6")
			m.offer("acme/a@2026-03-01", "usual", "2e-6")
			m.offer("acme/a@2026-05-01", "usual", "3e-6")
		}, "acme/a 2026-03-01@usual acme/a 2026-05-01@usual", false},
		{"another date is sold", func(m *market) {
			m.score("acme/a@2026-03-01", "70")
			m.offer("acme/a@2026-03-01", "usual", "2e-6")
			m.offer("acme/a@2026-05-01", "usual", "1e-6")
		}, "acme/a 2026-03-01@usual", false},
		{"the dated one has ended", func(m *market) {
			m.score("acme/a", "70")
			m.offer("acme/a", "usual", "2e-6")
			m.offer("acme/a@2026-03-01", "cheap", "1e-6", "lifecycle.status=withdrawn")
		}, "acme/a @usual", false},
	} {
		m := &market{t: t}
		tt.lay(m)
		m.score("acme/other", "10")
		m.offer("acme/other", "usual", "9e-6")
		c := m.open()
		for _, q := range []v3.Question{
			{Maximize: []string{"score"}, Cheapest: true},
			{Maximize: []string{"score"}, Minimize: []string{"price.output"}},
		} {
			draft, err := v3.Draft(c, q)
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
				continue
			}
			r := rankedQuestion(t, c, mustIndex(t, c), q)
			var got []string
			for _, of := range r.Ranked {
				if of.Model.ID == "acme/a" {
					got = append(got, "acme/a "+string(of.Model.Revision)+"@"+of.Execution.Runtime.ID)
				}
			}
			slices.Sort(got)
			if strings.Join(got, " ") != tt.want {
				t.Errorf("%s: candidates %q, want %s", tt.name, got, tt.want)
			}
			isSaid := slices.Contains(r.Answer.Notes, "a was measured as another revision of the model, which may be other weights.")
			if isSaid != tt.lent || len(r.Answer.Notes) == 0 || len(draft.Omissions()) > 0 {
				t.Errorf("%s: %q, left out %v", tt.name, r.Answer.Notes, draft.Omissions())
			}
		}
	}
}
