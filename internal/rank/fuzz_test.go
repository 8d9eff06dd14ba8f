package rank_test

import (
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// FuzzRequest reads arbitrary requests. What is accepted has a normal form that
// reads as itself; what is refused says where.
func FuzzRequest(f *testing.F) {
	for i, v := range vectortest.Parts[requestVector](f, requestVectors) {
		if i%8 == 0 && len(v.Request) < 4096 {
			f.Add(string(v.Request))
		}
	}
	_, a, inventory := crowd()
	a.inventory = strings.Join(inventory[:2], ",")
	f.Add(a.json())
	k := newRanker(f, compile(f, numbered(samples("1", "true")...)...))
	f.Fuzz(func(t *testing.T, text string) {
		q, err := v3.ReadRequest(problem.Source{Text: text})
		if err != nil {
			list := problem.All(err)
			if q != nil || len(list) == 0 {
				t.Fatalf("request %v, error %v", q, err)
			}
			for _, e := range list {
				if e.Code != problem.InvalidRankRequest || !strings.HasPrefix(e.Path, "$") || e.Offset < 0 || e.Offset > len(text) {
					t.Errorf("fault %+v", e)
				}
			}
			return
		}
		normal := q.JSON()
		again, err := v3.ReadRequest(problem.Source{Text: normal})
		if err != nil || again.JSON() != normal {
			t.Fatalf("%q has the normal form %q, which reads as %v, error %v", text, normal, again, err)
		}
		r, err := k.Rank(t.Context(), q, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Outcomes()) != len(q.Candidates()) {
			t.Error("candidates are lost")
		}
		if err := v3.CheckResults(problem.Source{Text: mustJSON(t, r)}); err != nil {
			t.Errorf("the result is no result: %v", err)
		}
	})
}
