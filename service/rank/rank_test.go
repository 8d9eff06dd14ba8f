package rank_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/catalog"
	"github.com/model-catalog-service/svc/service/internal/servicetest"
	"github.com/model-catalog-service/svc/service/rank"
	"github.com/model-catalog-service/svc/service/record"
)

// What the library compiles it parses and serializes again, and both ways of
// ranking give one answer.
func TestCatalogAndRanking(t *testing.T) {
	ctx, text := t.Context(), servicetest.Read("catalog.json")
	c, err := catalog.Parse(ctx, text)
	if err != nil || catalog.Serialize(c) != string(text) {
		t.Fatalf("the example catalog does not come back: %v", err)
	}
	if err := catalog.Validate(ctx, text); err != nil {
		t.Error(err)
	}
	request, err := rank.ParseRequest(servicetest.Read("fix-issues.json"))
	if err != nil {
		t.Fatal(err)
	}
	once, err := rank.Rank(ctx, c, request)
	if err != nil {
		t.Fatal(err)
	}
	ranker, err := rank.New(c)
	if err != nil {
		t.Fatal(err)
	}
	again, err := ranker.Rank(ctx, request)
	if err != nil {
		t.Fatal(err)
	}
	a, err := once.AppendJSON(nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := again.AppendJSON(nil, 0); err != nil || string(a) != string(b) {
		t.Errorf("%v\n%s\n%s", err, a, b)
	}
	if record, err := once.RecordV2(); err != nil || len(record.Ranked) != 3 {
		t.Errorf("%+v, %v", record, err)
	}
}

// Requests of every version are ranked by their own rules, explained and translated.
func TestRankVersions(t *testing.T) {
	ctx := t.Context()
	c, err := catalog.Parse(ctx, servicetest.Read("catalog.json"))
	if err != nil {
		t.Fatal(err)
	}
	ranker, err := rank.New(c)
	if err != nil {
		t.Fatal(err)
	}
	earlier, err := rank.ParseRequest(servicetest.Read("fix-issues.json"))
	if err != nil {
		t.Fatal(err)
	}
	translated, err := earlier.Translate()
	if err != nil {
		t.Fatal(err)
	}
	for schema, request := range map[string]*rank.Request{record.RankResultSchemaV2: earlier, rank.ResultSchemaV3: translated} {
		result, err := ranker.Rank(ctx, request)
		if err != nil {
			t.Fatal(err)
		}
		if got := unmarshalLoosely(t, servicetest.Marshal(t, result)).SchemaVersion; got != schema {
			t.Errorf("the result of %s is a %s, want %s", request.SchemaVersion(), got, schema)
		}
		isEarlier := request == earlier
		_, errRequest := request.Record()
		_, errRequestV2 := request.RecordV2()
		_, errResult := result.Record()
		_, errResultV2 := result.RecordV2()
		for i, err := range []error{errRequest, errRequestV2, errResult, errResultV2} {
			if isOther := isEarlier == (i%2 == 0); (err != nil) != isOther {
				t.Errorf("record %d of %s: error %v", i, request.SchemaVersion(), err)
			}
		}
		x, err := ranker.Explain(ctx, request, "borealis")
		if err != nil || x.SchemaVersion != rank.ExplanationSchema || x.Candidate.ID != "borealis" || x.Request.SHA256 != hashOf([]byte(request.JSON())) {
			t.Errorf("explanation %+v, error %v", x, err)
		}
		unknown, ok := errors.AsType[*rank.UnknownCandidateError](func() error { _, err := ranker.Explain(ctx, request, "nobody"); return err }())
		if !ok || unknown.ID != "nobody" || !slices.Contains(unknown.Closest, "borealis") {
			t.Errorf("nobody is explained, error %v", unknown)
		}
	}
	again, err := translated.Translate()
	if err != nil || again.JSON() != translated.JSON() {
		t.Errorf("a request of version 3 is translated to %v, %v", again, err)
	}
}

func unmarshalLoosely(t *testing.T, text []byte) (document struct{ SchemaVersion string }) {
	t.Helper()
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	return document
}

// A struct that is no request is refused with the path of its fault.
func TestNewRankRequest(t *testing.T) {
	good := rank.RequestRecord{
		SchemaVersion: rank.RequestSchemaV3,
		Requirements:  []rank.Requirement{{Measure: rank.Measure{MeasurementKey: "k", Aggregation: "fact"}, Operator: "gte", Value: 1}},
	}
	if q, err := rank.NewRequest(good); err != nil || q.SchemaVersion() != rank.RequestSchemaV3 {
		t.Errorf("%v", err)
	}
	for path, spoil := range map[string]func(*rank.RequestRecord){
		"$.schemaVersion":         func(r *rank.RequestRecord) { r.SchemaVersion = "" },
		"$.confidence":            func(r *rank.RequestRecord) { r.Confidence = 0.4 },
		"$.requirements[0].value": func(r *rank.RequestRecord) { r.Requirements[0].Value = nil },
		"$":                       func(r *rank.RequestRecord) { r.Requirements[0].Value = math.NaN() },
	} {
		bad := good
		bad.Requirements = slices.Clone(good.Requirements)
		spoil(&bad)
		_, err := rank.NewRequest(bad)
		servicetest.ExpectCode(t, path, err, "INVALID_RANK_REQUEST", path)
	}
}

// What it takes to rank with documents and with structs.
func BenchmarkRank(b *testing.B) {
	ranker, err := rank.New(leaderboards())
	if err != nil {
		b.Fatal(err)
	}
	record := codingRequest()
	request, err := rank.NewRequest(record)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("validated", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			result, err := ranker.Rank(b.Context(), request)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := result.AppendJSON(nil, 0); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("structs", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := ranker.RankRecord(b.Context(), record); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// A result is its canonical JSON, unless it is longer than allowed.
func TestRankResult(t *testing.T) {
	c, err := catalog.Parse(t.Context(), servicetest.Read("catalog.json"))
	if err != nil {
		t.Fatal(err)
	}
	request, err := rank.ParseRequest(servicetest.Read("fix-issues.json"))
	if err != nil {
		t.Fatal(err)
	}
	result, err := rank.Rank(t.Context(), c, request)
	if err != nil {
		t.Fatal(err)
	}
	text, err := result.AppendJSON(nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := service.CanonicalJSON(servicetest.Marshal(t, result)); err != nil || !bytes.Equal(again, text) {
		t.Errorf("marshaled: %v\n%s\n%s", err, again, text)
	}
	dst, err := result.AppendJSON([]byte("before"), 100)
	if e, ok := errors.AsType[*rank.TooLargeError](err); !ok || e.Limit != 100 || string(dst) != "before" {
		t.Errorf("%q, %v", dst, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := rank.Rank(ctx, c, request); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// Validated values are marshaled as the documents that they are.
func TestMarshal(t *testing.T) {
	o, err := catalog.NormalizeObservation(servicetest.Runs()[0])
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Parse(t.Context(), servicetest.Read("catalog.json"))
	if err != nil {
		t.Fatal(err)
	}
	q, err := rank.ParseRequest(servicetest.Read("fix-issues.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		value any
		want  string
	}{{o, o.JSON()}, {c, catalog.Serialize(c)}, {q, q.JSON()}} {
		if got, err := service.CanonicalJSON(servicetest.Marshal(t, tt.value)); err != nil || string(got) != tt.want {
			t.Errorf("%T: %s, %v, want %s", tt.value, got, err, tt.want)
		}
	}
	var written bytes.Buffer
	if n, err := c.WriteTo(&written); err != nil || int(n) != c.Size() || written.String() != catalog.Serialize(c) {
		t.Errorf("%d bytes written, %v", n, err)
	}
}
