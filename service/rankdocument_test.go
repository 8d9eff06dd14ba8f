package service_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/service"
)

// Documents of every version are ranked by their own rules, explained and translated.
func TestRankDocuments(t *testing.T) {
	ctx := t.Context()
	c, err := service.ParseCatalog(ctx, readExample(t, "catalog.json"))
	if err != nil {
		t.Fatal(err)
	}
	ranker, err := service.NewDocumentRanker(c)
	if err != nil {
		t.Fatal(err)
	}
	earlier := readExample(t, "fix-issues.json")
	translated, err := service.TranslateRankRequest(earlier)
	if err != nil {
		t.Fatal(err)
	}
	for schema, request := range map[string][]byte{service.RankResultSchemaV2: earlier, service.RankResultSchemaV3: translated} {
		result, err := ranker.Rank(ctx, request)
		if err != nil || !strings.Contains(string(result), `"schemaVersion":"`+schema+`"`) {
			t.Errorf("no %s: %s, error %v", schema, result, err)
		}
		x, err := ranker.Explain(ctx, request, "borealis")
		if err != nil || !strings.Contains(string(x), `"schemaVersion":"`+service.RankExplanationSchema+`"`) {
			t.Errorf("no explanation: %s, error %v", x, err)
		}
		if _, err := ranker.Explain(ctx, request, "nobody"); !errors.As(err, new(*service.UnknownCandidateError)) {
			t.Errorf("nobody is explained, error %v", err)
		}
	}
	for _, answer := range []func([]byte) ([]byte, error){
		func(request []byte) ([]byte, error) { return ranker.Rank(ctx, request) },
		func(request []byte) ([]byte, error) { return ranker.Explain(ctx, request, "a") },
		service.TranslateRankRequest,
	} {
		_, err := answer([]byte(`{"schemaVersion":"service.rank.request/v3"}`))
		if e, is := errors.AsType[*service.Error](err); !is || e.Code != service.InvalidRankRequest || e.Path != "$.inventory" {
			t.Errorf("a request without inventory: %v", err)
		}
	}
}
