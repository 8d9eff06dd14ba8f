package service_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank/dispatch"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/record"
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

func parseTime(t *testing.T, timestamp string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, timestamp)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

type failure struct{ Code, Path string }

// marshal returns the JSON of a record.
func marshal(t *testing.T, record any) []byte {
	t.Helper()
	text, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// checkCatalogRecord demands that the members of a catalog, by whatever way they are
// read, are all that is in its snapshot.
func checkCatalogRecord(t *testing.T, c *service.Catalog, snapshot string) {
	t.Helper()
	var read record.Catalog
	if err := json.Unmarshal([]byte(snapshot), &read); err != nil {
		t.Fatal(err)
	}
	parts := record.Catalog{
		SchemaVersion: record.CatalogSchema, AsOf: record.NewTimestamp(c.AsOf()), Digest: c.Digest(),
		Models: slices.Collect(c.Models()), Conflicts: c.Conflicts(),
	}
	for _, r := range []record.Catalog{read, parts} {
		if again, err := service.CanonicalJSON(marshal(t, r)); err != nil || string(again) != snapshot {
			t.Errorf("the record of catalog %s is another snapshot, %v", c.Digest(), err)
		}
	}
	if len(snapshot) != c.Size() {
		t.Errorf("the size of catalog %s is %d, want %d", c.Digest(), c.Size(), len(snapshot))
	}
}

// checkResultRecord demands that the members of a result are all that is in it.
func checkResultRecord[R any](t *testing.T, record func() (R, error), text string) {
	t.Helper()
	r, err := record()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := service.CanonicalJSON(marshal(t, r)); err != nil || string(again) != text {
		t.Errorf("the record of a result is another one, %v\n%s\n%s", err, again, text)
	}
}

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
		} else if again, err := service.NormalizeObservation(marshal(t, o.Record())); err != nil || again.ID() != o.ID() {
			t.Errorf("%s: the record is another observation, %v", v.Observation, err)
		}
	})
}

// Requests of version 3 are what their records say, and their structs leave out nothing.
func TestVectorsOfCurrentRequests(t *testing.T) {
	eachVector(t, "rank/v3/testdata/requests.jsonl.gz", func(v struct {
		Request json.RawMessage
		Expect  struct {
			OK    string
			Error failure
		}
	}) {
		if strings.Contains(string(v.Request), record.RankRequestSchemaV1) || strings.Contains(string(v.Request), record.RankRequestSchemaV2) {
			return // which is read by the rules of those
		}
		q, err := service.ValidateRankRequest(v.Request)
		if v.Expect.OK == "" {
			expectCode(t, string(v.Request), err, v.Expect.Error.Code, v.Expect.Error.Path)
			return
		}
		if err != nil || hashOf([]byte(q.JSON())) != v.Expect.OK || q.SchemaVersion() != service.RankRequestSchemaV3 {
			t.Fatalf("%s: %v", v.Request, err)
		}
		normal, err := q.Record()
		if err != nil {
			t.Fatal(err)
		}
		var written service.RankRequestRecord
		text, err := service.CanonicalJSON(v.Request) // where a count is not written 5.0
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &written); err != nil {
			t.Fatal(err)
		}
		for _, record := range []service.RankRequestRecord{*normal, written} {
			if again, err := service.NewRankRequest(record); err != nil || again.JSON() != q.JSON() {
				t.Errorf("%s: the record is another request, %v", v.Request, err)
			}
		}
	})
}

// Results of version 3 are those of the vectors, byte for byte, from text to text and from
// struct to struct; explanations are what the program prints.
func TestVectorsOfCurrentRanks(t *testing.T) {
	eachVector(t, "rank/v3/testdata/ranks.jsonl.gz", func(v struct {
		Catalog struct {
			Name, AsOf, Digest string
			Observations       []json.RawMessage
		}
		Requests []struct {
			Request json.RawMessage
			Expect  struct{ ResultSha256 string }
		}
	}) {
		c, err := service.CompileCatalog(t.Context(), v.Catalog.Observations, service.CompileOptions{AsOf: parseTime(t, v.Catalog.AsOf)})
		if err != nil || c.Digest() != v.Catalog.Digest {
			t.Fatalf("%s: %v", v.Catalog.Name, err)
		}
		ranker, err := service.NewCatalogRanker(c)
		if err != nil {
			t.Fatal(err)
		}
		inner, err := catalog.Parse(t.Context(), problem.Source{Text: service.SerializeCatalog(c)})
		if err != nil {
			t.Fatal(err)
		}
		explainer := dispatch.New(inner)
		for i, r := range v.Requests {
			q, err := service.ValidateRankRequest(r.Request)
			if err != nil {
				t.Fatalf("%s, request %d: %v", v.Catalog.Name, i, err)
			}
			result, err := ranker.Rank(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			text, err := result.AppendJSON(nil, 0)
			if err != nil || hashOf(text) != r.Expect.ResultSha256 {
				t.Errorf("%s, request %d: other bytes, %v", v.Catalog.Name, i, err)
			}
			checkResultRecord(t, result.Record, string(text))
			request, err := q.Record()
			if err != nil {
				t.Fatal(err)
			}
			checkResultRecord(t, func() (*service.RankResultRecord, error) { return ranker.RankRecord(t.Context(), *request) }, string(text))
			checkExplanation(t, explainer, ranker, q)
		}
	})
}

// checkExplanation demands that the record of an explanation is the whole of it, for one
// candidate of a request.
func checkExplanation(t *testing.T, inner *dispatch.Ranker, ranker *service.Ranker, q *service.RankRequest) {
	t.Helper()
	request, err := dispatch.ReadRequest(problem.Source{Text: q.JSON()})
	if err != nil {
		t.Fatal(err)
	}
	record, err := q.Record()
	if err != nil {
		t.Fatal(err)
	}
	for _, candidate := range record.Inventory[:min(1, len(record.Inventory))] {
		want, err := inner.Explain(t.Context(), request, candidate.ID)
		if err != nil {
			t.Fatal(err)
		}
		x, err := ranker.Explain(t.Context(), q, candidate.ID)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := service.CanonicalJSON(marshal(t, x)); err != nil || !bytes.Equal(got, canonical.MustMarshal(want)) {
			t.Errorf("the record of an explanation is another one, %v\n%s\n%s", err, got, canonical.MustMarshal(want))
		}
	}
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
		} else if record, err := q.RecordV2(); err != nil {
			t.Errorf("%s: %v", v.Request, err)
		} else if again, err := service.ValidateRankRequest(marshal(t, record)); err != nil || again.JSON() != q.JSON() {
			t.Errorf("%s: the record is another request, %v", v.Request, err)
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
		c, err := service.CompileCatalog(t.Context(), v.Observations, service.CompileOptions{AsOf: parseTime(t, v.AsOf)})
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
		checkCatalogRecord(t, c, text)
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
			text, err := result.AppendJSON(nil, 0)
			if err != nil || hashOf(text) != r.Expect.ResultSha256 {
				t.Errorf("%s, request %d: other bytes, %v", v.Catalog, i, err)
			}
			checkResultRecord(t, result.RecordV2, string(text))
		}
	})
}
