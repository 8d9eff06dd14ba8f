package v3_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

// The choice is called first, then who is within the tolerance, the cheapest first, then whom the
// evidence does not tell apart from it, the best first. Who is shown to be worse is not called.
func TestCalls(t *testing.T) {
	m := &market{t: t}
	for model, scores := range map[string][]string{
		"acme/best":   {"82", "80", "84", "81", "83"},
		"acme/cheap":  {"80", "79", "81", "82", "78"},
		"acme/near":   {"81", "80", "80", "81", "80"},
		"acme/wide":   {"40", "95", "50", "99", "60"},
		"acme/wider":  {"20", "95", "50", "99", "60"},
		"acme/behind": {"11", "12", "10", "11", "12"},
	} {
		for i, score := range scores {
			m.add(model, scope("lab", ""), fmt.Sprintf("f/s/%d", i), "accepted", measuredKey("score", "sample", score, "percent"))
		}
	}
	for model, price := range map[string]string{"best": "9e-6", "cheap": "1e-6", "near": "2e-6", "wide": "3e-6", "wider": "1e-7", "behind": "1e-8"} {
		m.offer("acme/"+model, "seller-"+model, price, "offer.id="+model, "offer.key_variable=KEY", "offer.mode=chat")
	}
	c := m.open()
	called := func(q v3.Question) string {
		t.Helper()
		k, err := v3.New(c)
		if err != nil {
			t.Fatal(err)
		}
		draft, err := k.Draft(q)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, call := range mustEvaluate(t, k, draft.Request).Calls() {
			names = append(names, call.Candidate)
			name := strings.TrimPrefix(call.Model.ID, "acme/")
			if call.Runtime != "seller-"+name || string(call.Offer.ID) != name || call.Offer.KeyVariable != "KEY" ||
				!slices.Equal(call.Modes, []string{"chat"}) || call.IsEnded {
				t.Errorf("%+v", call)
			}
		}
		return strings.Join(names, " ")
	}
	if got := called(v3.Question{Maximize: []string{"score"}, Cheapest: true}); got != "cheap near best wide wider" {
		t.Error(got)
	}
	if got := called(v3.Question{Maximize: []string{"score"}, Tokens: v3.UsualTokens()}); got != "best near cheap wide wider" {
		t.Errorf("without a tolerance: %s", got)
	}
	withdrawn := &market{t: t}
	withdrawn.score("acme/a", "70")
	withdrawn.offer("acme/a", "r", "1e-6", "lifecycle.status=withdrawn", "offer.mode=responses")
	c = withdrawn.open()
	k := mustIndex(t, c)
	draft, err := v3.Draft(c, v3.Question{Models: []string{"acme/a"}, Maximize: []string{"score"}, Runtimes: []string{"r"}})
	if err != nil {
		t.Fatal(err)
	}
	if calls := mustEvaluate(t, k, draft.Request).Calls(); len(calls) != 1 || !calls[0].IsEnded || calls[0].Modes[0] != "responses" {
		t.Errorf("%+v", calls)
	}
	if calls := mustEvaluate(t, k, mustRead(t, request("", `"preferences":[]`))).Calls(); calls != nil {
		t.Errorf("nobody is ranked: %+v", calls)
	}
}
