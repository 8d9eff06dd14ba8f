package v3_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// The vectors in testdata are results that no one in this project wrote.
const (
	requestVectors = "testdata/requests.jsonl.gz"
	rankVectors    = "testdata/ranks.jsonl.gz"
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
	for i, v := range vectortest.All[requestVector](t, requestVectors) {
		q, err := v3.ReadRequest(problem.Source{Text: string(v.Request)})
		if v.Expect.OK != "" {
			if err != nil {
				t.Errorf("request %d: %v, want none", i, err)
			} else if canonical.Sum([]byte(q.JSON())) != v.Expect.OK {
				t.Errorf("request %d has another normal form: %s", i, q.JSON())
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
	Catalog struct {
		Name, AsOf, Digest string
		Observations       []json.RawMessage
	}
	Requests []struct {
		Request json.RawMessage
		Expect  struct {
			Ranked, Excluded     []string
			TieGroups            []uint64
			ResultSha256, Result string
		}
	}
}

// Results are those of the vectors, byte for byte, and read as what they say.
func TestRankVectors(t *testing.T) {
	for _, v := range vectortest.All[rankVector](t, rankVectors) {
		c := mustCompile(t, v.Catalog.AsOf, texts(v.Catalog.Observations))
		if c.Digest() != v.Catalog.Digest {
			t.Fatalf("%s has the digest %s", v.Catalog.Name, c.Digest())
		}
		k := mustIndex(t, c)
		for i, want := range v.Requests {
			r := mustRank(t, k, mustRead(t, string(want.Request)))
			var ranked, excluded []string
			var tieGroups []uint64
			for _, c := range r.Ranked {
				ranked, tieGroups = append(ranked, c.CandidateID), append(tieGroups, c.TieGroup)
			}
			for _, c := range r.Excluded {
				excluded = append(excluded, c.CandidateID)
			}
			if !slices.Equal(ranked, want.Expect.Ranked) || !slices.Equal(excluded, want.Expect.Excluded) || !slices.Equal(tieGroups, want.Expect.TieGroups) {
				t.Errorf("%s request %d: ranked %q in groups %v, excluded %q, want %q, %v and %q", v.Catalog.Name, i,
					ranked, tieGroups, excluded, want.Expect.Ranked, want.Expect.TieGroups, want.Expect.Excluded)
			}
			text := string(canonical.MustMarshal(r))
			if canonical.Sum([]byte(text)) != want.Expect.ResultSha256 || want.Expect.Result != "" && text != want.Expect.Result {
				t.Errorf("%s request %d: result %s\nwant %s", v.Catalog.Name, i, text, want.Expect.Result)
			}
		}
	}
}
