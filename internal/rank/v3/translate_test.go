package v3_test

import (
	"encoding/json"
	"errors"
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

// judged is what versions 1, 2 and 3 say alike of a candidate.
type judged struct {
	CandidateID string
	Score       json.Number
	Reasons     []struct {
		Code, MeasurementKey string
		Actual, Expected     json.RawMessage
		Contribution         json.Number
	}
}

// lines tells what a result says, a line for each candidate and reason.
func lines(t *testing.T, result []byte) (list []string) {
	t.Helper()
	var r struct{ Ranked, Excluded []judged }
	if err := json.Unmarshal(result, &r); err != nil {
		t.Fatal(err)
	}
	for _, c := range slices.Concat(r.Ranked, r.Excluded) {
		list = append(list, c.CandidateID+" "+c.Score.String())
		for _, reason := range c.Reasons {
			list = append(list, fmt.Sprintf("  %s %s %s %s %s", reason.Code, reason.MeasurementKey, reason.Actual, reason.Expected, reason.Contribution))
		}
	}
	return list
}

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

// Where the evidence of each criterion is of one group and one unit, a request of
// version 1 or 2 and its translation rank alike, to the bit.
func TestTranslatedRanksAlike(t *testing.T) {
	vectortest.SkipLong(t)
	alike, mixed, otherModels := 0, 0, 0
	eachEarlier(t, func(name string, k *v3.Ranker, q *rank.Request, r *rank.Result) {
		result := mustRank(t, k, mustTranslate(t, q))
		if mixes(result) {
			mixed++
			return
		}
		alike++
		text, err := r.AppendJSON(nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		got, want := lines(t, canonical.MustMarshal(result)), lines(t, text)
		for i := range min(len(got), len(want)) {
			// What only another revision or quantization has evidence for is called missing
			// there, incomparable here.
			if strings.Contains(want[i], "MISSING") && strings.HasPrefix(got[i], "  INCOMPARABLE_EVIDENCE") {
				otherModels++
				got[i] = want[i]
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s is answered\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
	if alike < 100 || mixed < 20 || otherModels < 5 {
		t.Errorf("%d requests rank alike, %d mix groups or units, %d candidates have evidence of other models: there are more", alike, mixed, otherModels)
	}
}

// mixes reports whether a result tells of several groups, or of several units across
// candidates, which versions 1 and 2 mix.
func mixes(r *v3.Result) bool {
	isMixed := func(reason v3.Reason) bool {
		return reason.Code == "AMBIGUOUS_EVIDENCE" || strings.HasSuffix(reason.Summary, "more than one unit")
	}
	return slices.ContainsFunc(r.Ranked, func(c v3.Candidate) bool { return slices.ContainsFunc(c.Reasons, isMixed) }) ||
		slices.ContainsFunc(r.Excluded, func(c v3.Candidate) bool { return slices.ContainsFunc(c.Reasons, isMixed) })
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
			if isExcluded := c.Rank == 0; (p.Excluded != nil) != isExcluded || p.TieGroup != nil || p.Coverage != nil || p.Comparison != nil {
				t.Errorf("%s: %s is placed at %+v, want rank %d", name, c.CandidateID, p, c.Rank)
			} else if !isExcluded && (*p.Rank != uint64(c.Rank) || *p.Score != c.Score) {
				t.Errorf("%s: %s has rank %d and score %v, want %d and %v", name, c.CandidateID, *p.Rank, *p.Score, c.Rank, c.Score)
			}
			var got, want []string
			for _, criterion := range x.Criteria {
				if criterion.Code == "" || criterion.Role == "advisory" {
					continue
				}
				line := fmt.Sprintf("%s %s", criterion.Code, criterion.MeasurementKey)
				if criterion.Value != nil && criterion.Code != "INCOMPARABLE_EVIDENCE" { // which says it of values that are not numbers
					line += fmt.Sprint(" ", criterion.Value.Scalar)
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
			var list []struct{ ID string }
			if json.Unmarshal([]byte(text), &request) != nil || json.Unmarshal(request[members], &list) != nil {
				t.Fatalf("request %d is translated to %s", i, text)
			}
			for j, c := range list {
				id := fmt.Sprintf("%s-%03d", role, j+1)
				if c.ID != id {
					t.Errorf("request %d: %s %d has the id %q", i, role, j, c.ID)
				}
				text = strings.Replace(text, `"id":"`+id+`",`, "", 1)
			}
		}
		back := strings.NewReplacer("request/v1", "request/v3", "request/v2", "request/v3").Replace(q.JSON())
		if text != back {
			t.Errorf("request %d is translated, but for ids, to\n%s\nfrom\n%s", i, text, back)
		}
	}
	if n < 250 {
		t.Errorf("%d requests were translated: there are more", n)
	}
}

// An advisory may have the id that a requirement gets.
func TestTranslateTakenID(t *testing.T) {
	q, err := rank.ReadRequest(problem.Source{Text: `{"schemaVersion":"service.rank.request/v2","task":{"family":"f","suite":null},
		"inventory":[],"requirements":[{"measurementKey":"k","aggregation":"fact","operator":"eq","value":1}],"preferences":[],
		"advisories":[{"id":"requirement-001","measurementKey":"k","aggregation":"fact"}]}`})
	if err != nil {
		t.Fatal(err)
	}
	_, err = v3.Translate(q.JSON())
	if e, is := errors.AsType[*problem.Error](err); !is || e.Code != problem.InvalidRankRequest || e.Path != "$.advisories" {
		t.Errorf("error %v", err)
	}
}
