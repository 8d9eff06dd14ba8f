package schemas_test

import (
	"encoding/json"
	"github.com/model-catalog-service/svc/internal/ijson"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/export"
	"github.com/model-catalog-service/svc/internal/lock"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

func checkLock(text string) error {
	_, err := lock.Read(problem.Source{Name: "document", Text: text})
	return err
}

// shared is a catalog of one model, whose price differs between two sources if it is
// contradicted.
func shared(t *testing.T, contradicted bool) *catalog.Catalog {
	t.Helper()
	observation := func(id string, price float64) string {
		text, err := json.Marshal(map[string]any{
			"schemaVersion": "service.observation/v2", "kind": "declaration",
			"model": map[string]any{"id": "acme/atlas", "revision": nil, "quantization": nil},
			"execution": map[string]any{"kind": "partial", "runtime": map[string]any{"id": "acme", "version": nil}, "adapter": nil,
				"effectiveContextTokens": nil, "toolSurface": nil, "hardware": nil, "workflow": nil},
			"task": nil, "measurements": []any{map[string]any{"key": "price.output", "kind": "fact", "value": price, "unit": "USD/token"},
				map[string]any{"key": "limits.context", "kind": "fact", "value": 1000, "unit": "tokens"}},
			"outcome": nil, "usage": nil, "sourceClass": "external",
			"evidence":  []any{map[string]any{"id": id, "kind": "page", "uri": "https://acme.example", "digest": nil, "observedAt": "2026-07-01T00:00:00.000Z"}},
			"freshness": map[string]any{"observedAt": "2026-07-01T00:00:00.000Z", "validUntil": nil}, "uncertainty": map[string]any{"level": "low", "basis": []string{"a page"}, "gaps": []string{}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	docs := []string{observation("a", 2e-6)}
	if contradicted {
		docs = append(docs, observation("b", 3e-6))
	}
	c, _, err := catalog.Compile(t.Context(), docs, catalog.Options{AsOf: "2026-07-18T00:00:00.000Z"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// policed is a lock with every member that there may be.
func policed(t *testing.T) (*lock.Lock, string) {
	t.Helper()
	l, _, err := lock.Make(t.Context(), shared(t, false), lock.Demand{Uses: []record.LockedUse{lock.Plain("acme", "acme/atlas")}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var levels []string
	for _, code := range lock.Codes() {
		levels = append(levels, `"`+string(code)+`":"warn"`)
	}
	text := strings.Replace(l.Text(), `"policy": {}`, `"policy":{"priceUpPercent":2.5,"noticeDays":3,"catalogMaxAgeDays":4,"levels":{`+strings.Join(levels, ",")+`}}`, 1)
	l, err = lock.Read(problem.Source{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return l, text
}

func locks(t *testing.T) []doc {
	_, text := policed(t)
	open := strings.Replace(text, `"runtime":{"id":"acme","version":null}`, `"runtime":null`, 1)
	if open == text {
		t.Fatal("the lock has no runtime to leave out")
	}
	return []doc{{"a lock", text}, {"a lock without a runtime", open}}
}

func checks(t *testing.T) []doc {
	l, text := policed(t)
	r, err := lock.Check(t.Context(), shared(t, true), l, text, "2026-07-28T00:00:00.000Z")
	if err != nil || len(r.Findings) < 2 {
		t.Fatalf("%+v: %v", r, err)
	}
	r.Findings[0].Date = "2026-07-28"
	r.Findings[0].Found = r.Findings[0].Locked
	return []doc{{"a check", string(ijson.MustWriteTagged(r))}}
}

func exportReports(t *testing.T) []doc {
	base := &problem.Source{Text: `{"acme/atlas":{"litellm_provider":"acme","output_cost_per_token":1e-6}}`}
	file, err := export.Text(t.Context(), shared(t, false), export.Options{Format: record.FormatLiteLLM, Base: base})
	if err != nil || len(file.Report.Changed) == 0 || len(file.Report.LeftOut) == 0 {
		t.Fatalf("%+v: %v", file, err)
	}
	l := &file.Report.LeftOut[0]
	l.Revision, l.Quantization, l.Detail, l.Key, l.Runtime = "r", "q", "d", "k", "acme"
	return []doc{{"a report", string(ijson.MustWriteTagged(file.Report))}}
}
