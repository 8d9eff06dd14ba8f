package v3_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

// market is a catalog of models with one score each and offers, as tests write them:
//
//	maker/model @ seller:part price key=text ...
type market struct {
	t    *testing.T
	docs []string
	n    int
}

func (m *market) add(model, execution, task, outcome string, measurements ...string) {
	m.n++
	m.docs = append(m.docs, observed{model: model, execution: execution, task: task, outcome: outcome, evidence: fmt.Sprintf("list:row-%d#x", m.n),
		measurements: strings.Join(measurements, ",")}.json())
}

// score says what a model scored.
func (m *market) score(model, value string) {
	m.add(model, scope("lab", ""), "f", "accepted", measuredKey("score", "sample", value, "percent"))
}

// offer says what a model costs at a runtime, and what else there is to know: key=text.
func (m *market) offer(model, runtime, price string, facts ...string) {
	m.add(model, runtimeScope(runtime), "", "", measuredKey("price.input", "fact", price, "USD/token"))
	m.add(model, runtimeScope(runtime), "", "", measuredKey("price.output", "fact", price, "USD/token"))
	m.facts(model, runtime, facts...)
}

func (m *market) facts(model, runtime string, facts ...string) {
	var list []string
	for _, f := range facts {
		key, text, _ := strings.Cut(f, "=")
		list = append(list, measuredKey(key, "fact", `"`+text+`"`, ""))
	}
	if list != nil {
		slices.Sort(list)
		m.add(model, runtimeScope(runtime), "", "", list...)
	}
}

func (m *market) open() *catalog.Catalog { return mustCompile(m.t, "2026-07-18T00:00:00.000Z", m.docs) }

// candidates are those of a draft: model @ runtime.
func candidates(t *testing.T, c *catalog.Catalog, q v3.Question) string {
	t.Helper()
	draft, err := v3.Draft(c, q)
	if err != nil {
		return err.Error()
	}
	var request struct {
		Inventory []struct {
			Model     struct{ ID string }
			Execution struct{ Runtime struct{ ID string } }
		}
	}
	if err := json.Unmarshal([]byte(draft.Request.JSON()), &request); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, c := range request.Inventory {
		list = append(list, c.Model.ID+"@"+c.Execution.Runtime.ID)
	}
	return strings.Join(list, " ")
}

func wholeMarket(t *testing.T) *catalog.Catalog {
	m := &market{t: t}
	for model, score := range map[string]string{"acme/a": "70", "acme/b": "60", "openai/c": "50", "acme/r": "90"} {
		m.score(model, score)
	}
	m.offer("acme/a", "acme", "5e-6", "offer.service=standard")
	m.offer("acme/a", "shop", "4e-6", "offer.service=standard")
	m.offer("acme/a", "shop:eu", "3e-6", "offer.service=standard", "offer.region=eu")
	m.offer("acme/a", "shop:free", "0", "offer.service=free")
	m.offer("acme/a", "shop:batch,eu", "1e-6", "offer.service=batch", "offer.region=eu")
	m.offer("acme/a", "groq", "4.5e-6")
	m.offer("acme/b", "ollama:local", "1e-7") // a runtime of somebody's own, whose part is no service
	m.offer("acme/b", "shop:flex", "5e-8")    // without facts of offers
	m.offer("acme/b", "gone", "1e-8", "lifecycle.status=withdrawn")
	m.offer("acme/b", "old", "1e-8", "lifecycle.deprecated=2026-07-18")
	m.offer("acme/b", "later", "2e-7", "lifecycle.retires=2026-07") // to the end of the month
	m.offer("openai/c", "azure", "3e-6", "lifecycle.retires=2026-06")
	m.facts("acme/r", "shop", "offer.kind=router")
	return m.open()
}

// A question takes offers of the usual kind, in any region, unless it says how or by whom they are
// sold, and nothing that is over unless it names the model.
func TestTakenOffers(t *testing.T) {
	c := wholeMarket(t)
	for _, tt := range []struct {
		q    v3.Question
		want string
	}{
		{v3.Question{Cheapest: true}, "acme/a@shop:eu acme/b@ollama:local"},
		{v3.Question{Services: []string{"free"}}, "acme/a@shop:free"},
		{v3.Question{Services: []string{"batch"}, Cheapest: true}, "acme/a@shop:batch,eu"},
		{v3.Question{Services: []string{"standard", "flex"}, Cheapest: true}, "acme/a@shop:eu acme/b@shop:flex"},
		{v3.Question{Services: []string{"any"}, Cheapest: true}, "acme/a@shop:free acme/b@shop:flex"},
		{v3.Question{Services: []string{"fre"}}, `no offer of the catalog is sold as "fre"; did you mean free?`},
		{v3.Question{Runtimes: []string{"shop"}, Cheapest: true}, "acme/a@shop:eu"},
		{v3.Question{Runtimes: []string{"shop:free"}}, "acme/a@shop:free"},
		{v3.Question{Runtimes: []string{"shop"}, Services: []string{"flex"}}, "acme/b@shop:flex"},
		{v3.Question{Runtimes: []string{"shop:eu", "acme"}, Minimize: []string{"price.output"}, Maximize: []string{"score"}}, "acme/a@shop:eu"},
		{v3.Question{Sellers: "first-party", Cheapest: true}, "acme/a@acme"},
		{v3.Question{Sellers: "major", Cheapest: true}, "acme/a@groq"},
		{v3.Question{Models: []string{"openai/c"}, Cheapest: true}, "openai/c@azure"},
		{v3.Question{Models: []string{"acme/b"}, Minimize: []string{"price.output"}}, "acme/b@gone"},
		{v3.Question{Models: []string{"acme/r"}, Cheapest: true}, "acme/r is an alias or a router, not a model"},
		{v3.Question{Models: []string{"acme/b"}, Sellers: "major"}, "acme/b is not offered by a cloud or a large host"},
		{v3.Question{Sellers: "none"}, "the sellers must be first-party, major, any"},
		{v3.Question{}, "acme/a@ acme/b@"}, // by the score alone
	} {
		if len(tt.q.Maximize)+len(tt.q.Minimize) == 0 {
			tt.q.Maximize = []string{"score"}
		}
		if got := candidates(t, c, tt.q); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.q, got, tt.want)
		}
	}
	var absent *v3.AbsentError
	if _, err := v3.Draft(c, v3.Question{Maximize: []string{"score"}, Services: []string{"fre"}}); !errors.As(err, &absent) || absent.What != "service" {
		t.Errorf("%v", err)
	}
}

// What is left out since no offer of it is taken is said.
func TestLeftOutOffers(t *testing.T) {
	c := wholeMarket(t)
	for _, tt := range []struct {
		q    v3.Question
		want string
	}{
		{v3.Question{Cheapest: true}, "1 model is left out, since it is deprecated or withdrawn: openai/c (50%)"},
		{v3.Question{Sellers: "first-party"}, "2 models are left out, since they are not offered by the maker itself: acme/b (60%), openai/c (50%)"},
	} {
		tt.q.Maximize = []string{"score"}
		draft, err := v3.Draft(c, tt.q)
		if err != nil || !slices.ContainsFunc(draft.Omissions(), func(o v3.Omission) bool { return o.Text == tt.want }) {
			t.Errorf("%+v: %v, error %v", tt.q, draft.Omissions(), err)
		}
	}
}
