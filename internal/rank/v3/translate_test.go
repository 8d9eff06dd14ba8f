package v3_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// The vectors of versions 1 and 2, and the catalogs that they rank against.
const (
	earlierRequests = "../testdata/requests.jsonl.gz"
	earlierRanks    = "../testdata/ranks.jsonl.gz"
	earlierCatalogs = "../../catalog/testdata/catalogs.jsonl.gz"
)

// eachEarlier calls do with each request of versions 1 and 2 that ranks, with what
// it is answered and with the catalog in both indexes.
func eachEarlier(t *testing.T, do func(name string, k *v3.Ranker, q *rank.Request, r *rank.Result)) {
	t.Helper()
	rankers := map[string]*v3.Ranker{}
	earlier := map[string]*rank.Ranker{}
	for _, v := range vectortest.Parts[struct {
		Name, AsOf   string
		Observations []json.RawMessage
	}](t, earlierCatalogs) {
		c := mustCompile(t, v.AsOf, texts(v.Observations))
		rankers[v.Name], earlier[v.Name] = mustIndex(t, c), mustIndexEarlier(t, c)
	}
	for _, v := range vectortest.Parts[struct {
		Catalog  string
		Requests []struct{ Request json.RawMessage }
	}](t, earlierRanks) {
		for i, request := range v.Requests {
			q, err := rank.ReadRequest(problem.Source{Text: string(request.Request)})
			if err != nil {
				t.Fatal(err)
			}
			r, err := earlier[v.Catalog].Rank(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			do(fmt.Sprintf("%s request %d", v.Catalog, i), rankers[v.Catalog], q, r)
		}
	}
}

func mustTranslate(t testing.TB, q *rank.Request) *v3.Request {
	t.Helper()
	text, err := v3.Translate(q.JSON())
	if err != nil {
		t.Fatal(err)
	}
	return mustRead(t, text)
}

// Explained by the rules of its own version, a request comes to what that version
// answers, mixed or not.
func TestEarlierIsExplainedByItsRules(t *testing.T) {
	vectortest.SkipLong(t)
	eachEarlier(t, func(name string, k *v3.Ranker, q *rank.Request, r *rank.Result) {
		ranking, err := k.Rank(t.Context(), v3.Earlier(q.JSON()), 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range slices.Concat(r.Ranked(), r.Excluded()) {
			x, err := ranking.Explain(t.Context(), c.CandidateID)
			if err != nil {
				t.Fatal(err)
			}
			if x.Request.SHA256 != canonical.Sum([]byte(q.JSON())) {
				t.Errorf("%s: explained is the request %s", name, x.Request.SHA256)
			}
			p := &x.Placement
			if isExcluded := c.Rank == 0; (p.Excluded != nil) != isExcluded || p.RankInterval != nil || p.Coverage != nil {
				t.Errorf("%s: %s is placed at %+v, want rank %d", name, c.CandidateID, p, c.Rank)
			} else if !isExcluded && (*p.Rank != uint64(c.Rank) || *p.Score != c.Score) {
				t.Errorf("%s: %s has rank %d and score %v, want %d and %v", name, c.CandidateID, *p.Rank, *p.Score, c.Rank, c.Score)
			}
			var got, want []string
			for _, criterion := range x.Criteria {
				if criterion.Code == "" || criterion.Weight != nil && *criterion.Weight == 0 {
					continue
				}
				line := fmt.Sprintf("%s %s", criterion.Code, criterion.MeasurementKey)
				if criterion.Value != nil && criterion.Code != "INCOMPARABLE_EVIDENCE" { // which says it of values that are not numbers
					line += fmt.Sprint(" ", *criterion.Value)
				}
				if criterion.Contribution != nil {
					line += fmt.Sprint(" ", *criterion.Contribution)
				}
				got = append(got, line)
			}
			for _, reason := range c.Reasons {
				line := fmt.Sprintf("%s %s", reason.Code, reason.MeasurementKey)
				if reason.Actual.Kind != 0 {
					line += fmt.Sprint(" ", reason.Actual)
				}
				if reason.Code == rank.PreferenceScore {
					line += fmt.Sprint(" ", reason.Contribution)
				}
				want = append(want, line)
			}
			slices.Sort(got) // reasons put preferences without a number first
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s: %s is explained by\n%s\nwant\n%s", name, c.CandidateID, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	})
}

// Every request of version 1 or 2 has a translation, which differs from it in version
// and ids alone.
func TestTranslate(t *testing.T) {
	n := 0
	for i, v := range vectortest.Parts[struct{ Request json.RawMessage }](t, earlierRequests) {
		q, err := rank.ReadRequest(problem.Source{Text: string(v.Request)})
		if err != nil {
			continue
		}
		n++
		text, err := v3.Translate(q.JSON())
		if err != nil {
			t.Errorf("request %d has no translation: %v", i, err)
			continue
		}
		for role, members := range map[string]string{"requirement": "requirements", "preference": "preferences"} {
			var request map[string]json.RawMessage
			var list []struct {
				ID     string
				Weight float64
			}
			if json.Unmarshal([]byte(text), &request) != nil || json.Unmarshal(request[members], &list) != nil {
				t.Fatalf("request %d is translated to %s", i, text)
			}
			for j, c := range list {
				id := fmt.Sprintf("%s-%03d", role, j+1)
				if c.ID != id && c.Weight != 0 {
					t.Errorf("request %d: %s %d has the id %q", i, role, j, c.ID)
				}
			}
		}
		mustRead(t, text)
	}
	if n < 250 {
		t.Errorf("%d requests were translated: there are more", n)
	}
}
