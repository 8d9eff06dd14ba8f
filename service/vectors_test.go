package service_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"testing"

	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service"
)

// eachVector calls do with every line of a vector file, results of another
// implementation.
func eachVector[T any](t *testing.T, file string, do func(v T)) {
	t.Helper()
	for _, v := range vectortest.Parts[T](t, "../internal/"+file) {
		do(v)
	}
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// expectCode demands an error with code and path.
func expectCode(t *testing.T, what string, err error, code, path string) {
	t.Helper()
	e, ok := errors.AsType[*service.Error](err)
	if !ok || string(e.Code) != code || e.Path != path {
		t.Errorf("%s: %v, want %s at %s", what, err, code, path)
	}
}

type failure struct{ Code, Path string }

func TestVectorsOfObservations(t *testing.T) {
	eachVector(t, "catalog/testdata/observations.jsonl.gz", func(v struct {
		Observation json.RawMessage
		Expect      struct {
			OK    string
			Error failure
		}
	}) {
		o, err := service.NormalizeObservation(v.Observation)
		if v.Expect.OK == "" {
			expectCode(t, string(v.Observation), err, v.Expect.Error.Code, v.Expect.Error.Path)
		} else if err != nil || o.ID() != v.Expect.OK {
			t.Errorf("%s: %s, %v, want %s", v.Observation, o.ID(), err, v.Expect.OK)
		}
	})
}

func TestVectorsOfRequests(t *testing.T) {
	eachVector(t, "rank/testdata/requests.jsonl.gz", func(v struct {
		Request json.RawMessage
		Expect  struct {
			OK    string
			Error failure
		}
	}) {
		q, err := service.ValidateRankRequest(v.Request)
		if v.Expect.OK == "" {
			expectCode(t, string(v.Request), err, v.Expect.Error.Code, v.Expect.Error.Path)
		} else if err != nil || hashOf([]byte(q.JSON())) != v.Expect.OK {
			t.Errorf("%s: %v", v.Request, err)
		}
	})
}

func TestVectorsOfCatalogsAndRanks(t *testing.T) {
	catalogs := map[string]*service.Catalog{}
	eachVector(t, "catalog/testdata/catalogs.jsonl.gz", func(v struct {
		Name, AsOf   string
		Observations []json.RawMessage
		Expect       struct{ Digest, SnapshotSha256 string }
	}) {
		c, err := service.CompileCatalog(t.Context(), v.Observations, service.CompileOptions{AsOf: v.AsOf})
		if err != nil {
			t.Fatalf("%s: %v", v.Name, err)
		}
		text := service.SerializeCatalog(c)
		if c.Digest() != v.Expect.Digest || hashOf([]byte(text)) != v.Expect.SnapshotSha256 {
			t.Errorf("%s: other bytes", v.Name)
		}
		if catalogs[v.Name], err = service.ParseCatalog(t.Context(), text); err != nil {
			t.Errorf("%s: %v", v.Name, err)
		}
	})
	eachVector(t, "rank/testdata/ranks.jsonl.gz", func(v struct {
		Catalog  string
		Requests []struct {
			Request json.RawMessage
			Expect  struct{ ResultSha256 string }
		}
	}) {
		ranker, err := service.NewCatalogRanker(catalogs[v.Catalog])
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range v.Requests {
			q, err := service.ValidateRankRequest(r.Request)
			if err != nil {
				t.Fatalf("%s, request %d: %v", v.Catalog, i, err)
			}
			result, err := ranker.Rank(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if text, err := result.AppendJSON(nil, 0); err != nil || hashOf(text) != r.Expect.ResultSha256 {
				t.Errorf("%s, request %d: other bytes, %v", v.Catalog, i, err)
			}
		}
	})
}
