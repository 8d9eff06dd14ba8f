package service_test

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/record"
)

// Requests of every version are ranked by their own rules, explained and translated.
func TestRankVersions(t *testing.T) {
	ctx := t.Context()
	c, err := service.ParseCatalog(ctx, readExample(t, "catalog.json"))
	if err != nil {
		t.Fatal(err)
	}
	ranker, err := service.NewCatalogRanker(c)
	if err != nil {
		t.Fatal(err)
	}
	earlier, err := service.ValidateRankRequest(readExample(t, "fix-issues.json"))
	if err != nil {
		t.Fatal(err)
	}
	translated, err := earlier.Translate()
	if err != nil {
		t.Fatal(err)
	}
	for schema, request := range map[string]*service.RankRequest{record.RankResultSchemaV2: earlier, service.RankResultSchemaV3: translated} {
		result, err := ranker.Rank(ctx, request)
		if err != nil {
			t.Fatal(err)
		}
		if got := unmarshalLoosely(t, marshal(t, result)).SchemaVersion; got != schema {
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
		if err != nil || x.SchemaVersion != service.RankExplanationSchema || x.Candidate.ID != "borealis" || x.Request.SHA256 != hashOf([]byte(request.JSON())) {
			t.Errorf("explanation %+v, error %v", x, err)
		}
		unknown, ok := errors.AsType[*service.UnknownCandidateError](func() error { _, err := ranker.Explain(ctx, request, "nobody"); return err }())
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
	good := service.RankRequestRecord{
		SchemaVersion: service.RankRequestSchemaV3,
		Requirements:  []service.Requirement{{Measure: service.Measure{MeasurementKey: "k", Aggregation: "fact"}, Operator: "gte", Value: 1}},
	}
	if q, err := service.NewRankRequest(good); err != nil || q.SchemaVersion() != service.RankRequestSchemaV3 {
		t.Errorf("%v", err)
	}
	for path, spoil := range map[string]func(*service.RankRequestRecord){
		"$.schemaVersion":         func(r *service.RankRequestRecord) { r.SchemaVersion = "" },
		"$.confidence":            func(r *service.RankRequestRecord) { r.Confidence = 0.4 },
		"$.requirements[0].value": func(r *service.RankRequestRecord) { r.Requirements[0].Value = nil },
		"$":                       func(r *service.RankRequestRecord) { r.Requirements[0].Value = math.NaN() },
	} {
		bad := good
		bad.Requirements = slices.Clone(good.Requirements)
		spoil(&bad)
		_, err := service.NewRankRequest(bad)
		expectCode(t, path, err, "INVALID_RANK_REQUEST", path)
	}
}

// What it takes to rank with documents and with structs.
func BenchmarkRank(b *testing.B) {
	ranker, err := service.NewCatalogRanker(leaderboards())
	if err != nil {
		b.Fatal(err)
	}
	record := codingRequest()
	request, err := service.NewRankRequest(record)
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
