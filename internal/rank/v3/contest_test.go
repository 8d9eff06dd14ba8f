package v3_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// price says what a list asks for tokens of a model at a runtime.
func (m *market) price(list, model, runtime, price string) {
	for _, key := range []string{"price.input", "price.output"} {
		m.docs = append(m.docs, observed{model: model, execution: runtimeScope(runtime), evidence: list + ":" + model + runtime + "#" + key,
			measurements: measuredKey(key, "fact", price, "USD/token")}.json())
	}
}

// ask drafts a question and ranks its request.
func ask(t *testing.T, c *catalog.Catalog, q v3.Question) *v3.Result {
	t.Helper()
	draft, err := v3.Draft(c, q)
	if err != nil {
		t.Fatal(err)
	}
	return mustRank(t, mustIndex(t, c), draft.Request)
}

func answerOf(r *v3.Result) string { return strings.Join(r.Answer.Choice, " ") }

// Prices that contradict each other drop nobody. Where every list leads to the same candidate, the
// answer says between which prices it lies; where they do not, whom each would choose.
func TestContradictedPrices(t *testing.T) {
	m := &market{t: t}
	for _, model := range []string{"acme/a", "acme/b"} {
		m.score(model, "70")
	}
	m.price("list-one", "acme/a", "shop", "1e-7")
	m.price("list-two", "acme/a", "shop", "2e-7")
	m.price("list-one", "acme/b", "store", "3e-7")
	q := v3.Question{Maximize: []string{"score"}, Cheapest: true}
	r := ask(t, m.open(), q)
	if r.Choice.CandidateID != "a" || len(r.Lists) != 0 || !strings.Contains(answerOf(r), "A task costs $0.0023 to $0.0046, lists disagree.") {
		t.Errorf("%s, lists %v", answerOf(r), r.Lists)
	}
	if c := r.Ranked[0].Cost; c.USDPerTask != 0.0046 || c.Lowest.Value != 0.0023 || r.Ranked[1].Cost.Lowest.Known {
		t.Errorf("%+v", c)
	}
	// A list that asks less of another candidate makes it the choice, if it is right.
	m.price("list-two", "acme/b", "store", "1.5e-7")
	r = ask(t, m.open(), q)
	want := []record.ListChoice{{List: "list-one", CandidateID: "a"}, {List: "list-two", CandidateID: "b"}}
	if r.Choice.CandidateID != "a" || !slices.Equal(r.Lists, want) ||
		!strings.Contains(answerOf(r), "by list-one a on shop, at $0.0023 a task; by list-two b on store, at $0.00345 a task.") {
		t.Errorf("%s, lists %v", answerOf(r), r.Lists)
	}
	// Without a choice among many, the preferred price itself is a range.
	r = ask(t, m.open(), v3.Question{Minimize: []string{"price.output"}})
	if r.Choice.CandidateID != "a" || !strings.Contains(answerOf(r), "Its price.output is $0.10 per million tokens to $0.20 per million tokens, lists disagree.") || len(r.Lists) != 2 {
		t.Errorf("%s, lists %v", answerOf(r), r.Lists)
	}
	// Requests of before, that do not say which price counts, find a contradiction as ever.
	draft, _ := v3.Draft(m.open(), q)
	silent := mustRank(t, mustIndex(t, m.open()), mustRead(t, strings.ReplaceAll(draft.Text, `, "resolve": ["highest"]`, "")))
	if silent.Ranked[0].Cost != nil || len(silent.Lists) != 0 {
		t.Errorf("%+v", silent.Ranked[0])
	}
}

// Of one model the seller that is cheapest by the highest prices is a candidate, and the one that may
// be cheaper by another list.
func TestContestedSeller(t *testing.T) {
	m := &market{t: t}
	m.score("acme/a", "70")
	m.price("list-one", "acme/a", "sure", "2e-7")
	m.price("list-one", "acme/a", "torn", "1e-7")
	m.price("list-two", "acme/a", "torn", "4e-7")
	m.price("list-one", "acme/a", "dear", "3e-7")
	q := v3.Question{Maximize: []string{"score"}, Cheapest: true}
	if got := candidates(t, m.open(), q); got != "acme/a@sure acme/a@torn" {
		t.Error(got)
	}
	r := ask(t, m.open(), q)
	if got := answerOf(r); r.Choice.CandidateID != "a" || !strings.Contains(got, "by list-one a-2 on torn, at $0.0023 a task; by list-two a on sure") {
		t.Error(got)
	}
}

// highest goes with facts alone.
func TestHighestIsOfFacts(t *testing.T) {
	for _, text := range []string{`{"measurementKey":"k","aggregation":"mean","resolve":["highest"],"direction":"maximize","weight":1}`,
		`{"id":"s","sum":[{"measurementKey":"k","aggregation":"count","factor":1,"resolve":["highest"]}],"direction":"maximize","weight":1}`} {
		_, err := v3.ReadRequest(problem.Source{Text: `{"schemaVersion":"service.rank.request/v3","inventory":[],"preferences":[` + text + `]}`})
		if !isInvalidRequest(err) || !strings.Contains(fmt.Sprint(err), "resolve") {
			t.Errorf("%v", err)
		}
	}
}

// The answer says how to call the choice, and the result how to call each candidate.
func TestCall(t *testing.T) {
	m := &market{t: t}
	m.score("acme/a", "70")
	m.score("acme/b", "50")
	m.offer("acme/a", "fireworks-ai", "2e-7", "offer.id=accounts/fireworks/models/a", "offer.api=https://api.fireworks.ai/inference/v1/",
		"offer.key_variable=FIREWORKS_API_KEY", "offer.client=@ai-sdk/openai-compatible", "offer.litellm=fireworks_ai/a")
	m.offer("acme/a", "tiny", "1e-7", "offer.id=A-small")
	m.offer("acme/a", "groq:batch", "1e-8", "offer.service=batch")
	m.offer("acme/a", "azure", "1e-8", "lifecycle.status=withdrawn")
	m.offer("acme/b", "tiny", "1e-7")
	r := ask(t, m.open(), v3.Question{Maximize: []string{"score"}, Runtimes: []string{"fireworks-ai"}, Cheapest: true})
	want := record.RankOffer{ID: "accounts/fireworks/models/a", API: "https://api.fireworks.ai/inference/v1/", KeyVariable: "FIREWORKS_API_KEY", Client: "@ai-sdk/openai-compatible", LiteLLM: "fireworks_ai/a"}
	if got := answerOf(r); !strings.HasSuffix(got, "call it as accounts/fireworks/models/a at https://api.fireworks.ai/inference/v1 with FIREWORKS_API_KEY.") ||
		strings.Contains(got, "clouds") || *r.Ranked[0].Offer != want {
		t.Errorf("%s, %+v", got, r.Ranked[0].Offer)
	}
	// A small seller wins: the answer names the cheapest of clouds and large hosts too, as they sell it usually.
	r = ask(t, m.open(), v3.Question{Maximize: []string{"score"}, Cheapest: true})
	if got := answerOf(r); !strings.Contains(got, "Of clouds and large hosts fireworks-ai sells it for least, at $0.0046 a task.") ||
		!strings.HasSuffix(got, "call it as A-small at tiny.") || r.Ranked[1].Offer != nil {
		t.Errorf("%s, %+v", got, r.Ranked[1].Offer)
	}
	// An endpoint is called as its router says, with the name of the provider.
	m.offer("acme/a", "openrouter/fastco/turbo:eu", "1e-9", "offer.id=acme/a", "offer.quantization=fp4")
	m.offer("acme/a", "openrouter", "9e-7", "offer.api=https://openrouter.ai/api/v1", "offer.key_variable=OPENROUTER_API_KEY", "offer.litellm=openrouter/a")
	r = ask(t, m.open(), v3.Question{Maximize: []string{"score"}, Cheapest: true})
	if got := answerOf(r); !strings.HasSuffix(got, "call it as acme/a at https://openrouter.ai/api/v1 with OPENROUTER_API_KEY, and ask for the provider fastco/turbo, which runs it in fp4.") ||
		r.Ranked[0].Offer.LiteLLM != "" {
		t.Errorf("%s, %+v", got, r.Ranked[0].Offer)
	}
}

// A seller that may be cheaper is no candidate where no list can make it the choice.
func TestHopelessRivals(t *testing.T) {
	m := &market{t: t}
	for model, score := range map[string]string{"acme/a": "70", "acme/b": "50"} {
		m.score(model, score)
		m.price("list-one", model, "sure", "2e-7")
		m.price("list-one", model, "torn", "1e-7")
		m.price("list-two", model, "torn", "4e-7")
	}
	m.price("list-one", "acme/c", "sure", "5e-7")
	m.price("list-one", "acme/c", "torn", "3e-7")
	m.price("list-two", "acme/c", "torn", "6e-7")
	for want, q := range map[string]v3.Question{
		"acme/a@sure acme/a@torn acme/b@sure":                         {Maximize: []string{"score"}, Cheapest: true},
		"acme/a@sure acme/a@torn acme/b@sure acme/b@torn acme/c@sure": {Minimize: []string{"price.output"}},
		"acme/a@sure acme/b@sure":                                     {Maximize: []string{"score"}, Tokens: v3.UsualTokens()},
	} {
		if got := candidates(t, m.open(), q); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
