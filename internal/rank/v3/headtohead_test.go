package v3_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service/record"
)

// modelsCatalog is the catalog of the example of the models.
func modelsCatalog(t *testing.T) *catalog.Catalog {
	t.Helper()
	text, err := os.ReadFile("../../../examples/models/catalog.json")
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Parse(t.Context(), problem.Source{Text: string(text)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// In a comparison of two, one is shown to be better by a key where a ranking of the two by this key
// alone shows it, and values and intervals are those of the ranking.
func TestHeadToHeadAgainstRankings(t *testing.T) {
	c := modelsCatalog(t)
	ranker, err := v3.New(c)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, m := range c.Models() {
		ids = append(ids, m.Identity.ID)
	}
	n, pairs, shown := 0, 0, 0
	for i, a := range ids {
		for _, b := range ids[i+1:] {
			if n++; !vectortest.Sample(n) {
				continue
			}
			compared, err := v3.Compare(t.Context(), c, ranker, v3.HeadToHead{Models: []string{a, b}})
			if err != nil {
				t.Fatal(err)
			}
			// Whoever wins has its number of keys in the answer, and a note says how an interval can overlap.
			wins, shared := map[string]int{}, false
			for _, key := range compared.Measured {
				better := map[string]bool{}
				for _, s := range key.Shown {
					better[s.Better], shared = true, shared || s.Shared.Known
				}
				for id := range better {
					wins[id]++
				}
			}
			said := strings.Join(compared.Answer, " ")
			for id, n := range wins {
				words := map[bool]string{true: "1 shows ", false: fmt.Sprint(n, " show ")}[n == 1]
				if words += id + " to be better than another"; !strings.Contains(said, words) {
					t.Errorf("%s and %s: %q does not say that %s", a, b, said, words)
				}
			}
			if noted := strings.Contains(strings.Join(compared.Notes, " "), "compared one by one"); noted != shared {
				t.Errorf("%s and %s: a note says how tasks are compared: %t, shared tasks decide: %t", a, b, noted, shared)
			}
			if len(compared.Candidates) != 2 { // several conditions
				continue
			}
			for _, key := range compared.Measured {
				if key.Values[0].Status != "ok" || key.Values[1].Status != "ok" {
					continue
				}
				question := v3.Question{Models: []string{a, b}, Maximize: []string{key.MeasurementKey}}
				if key.Direction == "minimize" {
					question.Maximize, question.Minimize = nil, question.Maximize
				}
				r := rankedQuestion(t, c, ranker, question)
				pairs++
				better := ""
				if r.Ranked[0].RankInterval.High == 1 {
					better = r.Ranked[0].CandidateID
				}
				got := ""
				if len(key.Shown) > 0 {
					got = key.Shown[0].Better
					shown++
				}
				if got != better {
					t.Errorf("%s and %s by %s: %q is shown to be better, a ranking shows %q", a, b, key.MeasurementKey, got, better)
				}
			}
		}
	}
	if pairs < 20 || shown < 3 {
		t.Errorf("%d pairs, %d shown", pairs, shown)
	}
}

// rankedQuestion ranks by a question.
func rankedQuestion(t *testing.T, c *catalog.Catalog, ranker *v3.Ranker, question v3.Question) *record.RankResult {
	t.Helper()
	draft, err := v3.Draft(c, question)
	if err != nil {
		t.Fatal(err)
	}
	ranking, err := ranker.Rank(t.Context(), draft.Request, 0)
	if err != nil {
		t.Fatal(err)
	}
	text, err := ranking.AppendJSON(nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var result record.RankResult
	if err := json.Unmarshal(text, &result); err != nil {
		t.Fatal(err)
	}
	return &result
}

// A condition chooses among the variants of a model; one that there is not is refused.
func TestHeadToHeadConditions(t *testing.T) {
	c := modelsCatalog(t)
	ranker, err := v3.New(c)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(models ...string) (*record.Comparison, error) {
		return v3.Compare(t.Context(), c, ranker, v3.HeadToHead{Models: models})
	}
	all, err := ask("openai/gpt-5", "zhipuai/glm-5")
	if err != nil || len(all.Candidates) < 3 || all.Candidates[0].Model.ID != "openai/gpt-5" {
		t.Fatalf("%+v, %v", all, err)
	}
	one, err := ask("zhipuai/glm-5", "openai/gpt-5@effort=high")
	if err != nil || len(one.Candidates) != 2 || one.Candidates[1].Condition != "effort=high" {
		t.Fatalf("%+v, %v", one, err)
	}
	if unfit, ok := errors.AsType[*v3.UnfitError](errorOf(ask("zhipuai/glm-5", "openai/gpt-5@effort=huge"))); !ok {
		t.Errorf("an unknown condition: %v", unfit)
	}
	if absent, ok := errors.AsType[*v3.AbsentError](errorOf(ask("zhipuai/glm-5", "openai/gpt-55"))); !ok || absent.What != "model" {
		t.Errorf("an unknown model: %v", absent)
	}
}

func errorOf[T any](_ T, err error) error { return err }
