package rank_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// The vectors in testdata are results that no one in this project wrote. The
// catalogs that they rank against are those of package catalog.
const (
	requestVectors = "testdata/requests.jsonl.gz"
	rankVectors    = "testdata/ranks.jsonl.gz"
	catalogVectors = "../catalog/testdata/catalogs.jsonl.gz"
)

type requestVector struct {
	Request json.RawMessage
	Expect  struct {
		OK    string
		Error struct {
			Code problem.Code
			Path string
		}
	}
}

func TestRequestVectors(t *testing.T) {
	for i, v := range vectortest.Parts[requestVector](t, requestVectors) {
		q, err := v3.ReadRequest(problem.Source{Text: string(v.Request)})
		if v.Expect.OK != "" {
			if err != nil {
				t.Errorf("request %d: %v, want none", i, err)
			} else if sum(q.JSON()) != v.Expect.OK {
				t.Errorf("request %d is normalized to another text: %s", i, q.JSON())
			}
			continue
		}
		e, is := errors.AsType[*problem.Error](err)
		if !is || e.Code != v.Expect.Error.Code || e.Path != v.Expect.Error.Path {
			t.Errorf("request %d: error %v, want %s at %s", i, err, v.Expect.Error.Code, v.Expect.Error.Path)
		}
	}
}

type rankVector struct {
	Catalog  string
	Requests []struct {
		Request json.RawMessage
		Expect  struct {
			Ranked, Excluded     []string
			ResultSha256, Result string
		}
	}
}

func TestRankVectors(t *testing.T) {
	catalogs := compileVectors(t)
	for _, v := range vectortest.Parts[rankVector](t, rankVectors) {
		c := catalogs[v.Catalog]
		if c == nil {
			t.Fatalf("no catalog %s", v.Catalog)
		}
		k := newRanker(t, c)
		for i, want := range v.Requests {
			r := mustRank(t, k, string(want.Request))
			got := mustJSON(t, r)
			if !slices.Equal(ids(r, true), want.Expect.Ranked) || !slices.Equal(ids(r, false), want.Expect.Excluded) {
				t.Errorf("%s request %d: ranked %q, excluded %q, want %q and %q", v.Catalog, i,
					ids(r, true), ids(r, false), want.Expect.Ranked, want.Expect.Excluded)
			}
			if sum(got) != want.Expect.ResultSha256 {
				t.Errorf("%s request %d: result differs: %s\nwant %s", v.Catalog, i, got, want.Expect.Result)
			}
			if want.Expect.Result != "" && got != want.Expect.Result {
				t.Errorf("%s request %d: result %s\nwant %s", v.Catalog, i, got, want.Expect.Result)
			}
		}
	}
}

func compileVectors(t testing.TB) map[string]*catalog.Catalog {
	t.Helper()
	type vector struct {
		Name, AsOf   string
		Observations []json.RawMessage
	}
	catalogs := map[string]*catalog.Catalog{}
	for _, v := range vectortest.Parts[vector](t, catalogVectors) {
		docs := make([]string, len(v.Observations))
		for i, o := range v.Observations {
			docs[i] = string(o)
		}
		catalogs[v.Name] = mustCompile(t, v.AsOf, docs...)
	}
	return catalogs
}

// ids returns those of the candidates that are ranked, or of those that are excluded.
func ids(r *v3.Ranking, isRanked bool) []string {
	all := []string{}
	for _, c := range r.Outcomes() {
		if (c.Rank != nil) == isRanked {
			all = append(all, c.CandidateID)
		}
	}
	return all
}

func sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

func mustCompile(t testing.TB, asOf string, docs ...string) *catalog.Catalog {
	t.Helper()
	c, _, err := catalog.Compile(t.Context(), docs, catalog.Options{AsOf: asOf})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mustRead(t testing.TB, request string) *v3.Request {
	t.Helper()
	q, err := v3.ReadRequest(problem.Source{Text: request})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func mustRank(t testing.TB, k *v3.Ranker, request string) *v3.Ranking {
	t.Helper()
	r, err := k.Rank(t.Context(), mustRead(t, request), 0)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mustJSON(t testing.TB, r *v3.Ranking) string {
	t.Helper()
	b, err := r.AppendJSON(nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
