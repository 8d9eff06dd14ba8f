package rank_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/catalog"
	"github.com/model-catalog-service/svc/service/internal/servicetest"
	"github.com/model-catalog-service/svc/service/rank"
	"github.com/model-catalog-service/svc/service/record"
)

// eachVector calls do with every line of a vector file, results of another
// implementation.
func eachVector[T any](t *testing.T, file string, do func(v T)) {
	t.Helper()
	for _, v := range vectortest.Parts[T](t, "../../internal/"+file) {
		do(v)
	}
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
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

// checkCatalogRecord demands that the members of a catalog, by whatever way they are
// read, are all that is in its snapshot.
func checkCatalogRecord(t *testing.T, c *catalog.Catalog, snapshot string) {
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
		if again, err := service.CanonicalJSON(servicetest.Marshal(t, r)); err != nil || string(again) != snapshot {
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
	if again, err := service.CanonicalJSON(servicetest.Marshal(t, r)); err != nil || string(again) != text {
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
		o, err := catalog.NormalizeObservation(v.Observation)
		if v.Expect.OK == "" {
			servicetest.ExpectCode(t, string(v.Observation), err, v.Expect.Error.Code, v.Expect.Error.Path)
		} else if err != nil || o.ID() != v.Expect.OK {
			t.Errorf("%s: %s, %v, want %s", v.Observation, o.ID(), err, v.Expect.OK)
		} else if again, err := catalog.NormalizeObservation(servicetest.Marshal(t, o.Record())); err != nil || again.ID() != o.ID() {
			t.Errorf("%s: the record is another observation, %v", v.Observation, err)
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
		q, err := rank.ParseRequest(v.Request)
		if v.Expect.OK == "" {
			servicetest.ExpectCode(t, string(v.Request), err, v.Expect.Error.Code, v.Expect.Error.Path)
		} else if err != nil || hashOf([]byte(q.JSON())) != v.Expect.OK {
			t.Errorf("%s: %v", v.Request, err)
		} else if record, err := q.RecordV2(); err != nil {
			t.Errorf("%s: %v", v.Request, err)
		} else if again, err := rank.ParseRequest(servicetest.Marshal(t, record)); err != nil || again.JSON() != q.JSON() {
			t.Errorf("%s: the record is another request, %v", v.Request, err)
		}
	})
}

func TestVectorsOfCatalogsAndRanks(t *testing.T) {
	catalogs := map[string]*catalog.Catalog{}
	eachVector(t, "catalog/testdata/catalogs.jsonl.gz", func(v struct {
		Name, AsOf   string
		Observations []json.RawMessage
		Expect       struct{ Digest, SnapshotSha256 string }
	}) {
		c, err := catalog.Compile(t.Context(), v.Observations, catalog.CompileOptions{AsOf: parseTime(t, v.AsOf)})
		if err != nil {
			t.Fatalf("%s: %v", v.Name, err)
		}
		text := catalog.Serialize(c)
		if c.Digest() != v.Expect.Digest || hashOf([]byte(text)) != v.Expect.SnapshotSha256 {
			t.Errorf("%s: other bytes", v.Name)
		}
		if catalogs[v.Name], err = catalog.Parse(t.Context(), text); err != nil {
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
		ranker, err := rank.New(catalogs[v.Catalog])
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range v.Requests {
			q, err := rank.ParseRequest(r.Request)
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
