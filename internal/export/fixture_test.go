package export_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/export"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

const asOf = "2026-07-18T00:00:00.000Z"

// stated is a fact as somebody states it.
type stated struct {
	model, revision string
	quantization    string
	runtime         string // "" for every execution
	key             string
	value           any
	unit            string
	expired         bool
	row             string // evidence id, "" for one of no price source
	uri             string
	seen            string // the day on which the evidence was observed, "" for the first of July
	task            string // its family, "" for none
}

// observation is the JSON of it.
func (s stated) observation() string {
	null := func(text string) any {
		if text == "" {
			return nil
		}
		return text
	}
	measurement := map[string]any{"key": s.key, "kind": "fact", "value": s.value}
	if s.unit != "" {
		measurement["unit"] = s.unit
	}
	var execution any
	if s.runtime != "" {
		execution = map[string]any{"kind": "partial", "runtime": map[string]any{"id": s.runtime, "version": nil}, "adapter": nil,
			"effectiveContextTokens": nil, "toolSurface": nil, "hardware": nil, "workflow": nil}
	}
	freshness := map[string]any{"observedAt": "2026-07-01T00:00:00.000Z", "validUntil": nil}
	if s.expired {
		freshness["validUntil"] = "2026-07-10T00:00:00.000Z"
	}
	var task any
	if s.task != "" {
		task = map[string]any{"family": s.task, "suite": nil, "taskId": nil, "evaluator": map[string]any{"id": "tests", "version": nil}}
	}
	row := s.row
	if row == "" {
		row = "somebody:said"
	}
	text, err := json.Marshal(map[string]any{
		"schemaVersion": "service.observation/v2", "kind": "declaration",
		"model":     map[string]any{"id": s.model, "revision": null(s.revision), "quantization": null(s.quantization)},
		"execution": execution, "task": task, "measurements": []any{measurement}, "outcome": nil, "usage": nil, "sourceClass": "external",
		"evidence":  []any{map[string]any{"id": row, "kind": "row", "uri": null(s.uri), "digest": nil, "observedAt": cmp.Or(s.seen, "2026-07-01") + "T00:00:00.000Z"}},
		"freshness": freshness, "uncertainty": map[string]any{"level": "low", "basis": []string{"a list"}, "gaps": []string{}},
	})
	if err != nil {
		panic(err)
	}
	return string(text)
}

func compile(t testing.TB, facts ...stated) *catalog.Catalog {
	t.Helper()
	var docs []string
	for _, s := range facts {
		docs = append(docs, s.observation())
	}
	c, _, err := catalog.Compile(t.Context(), docs, catalog.Options{AsOf: asOf, Dedupe: true})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// unitOf is the unit that the vocabulary gives a key.
func unitOf(key string) string {
	switch {
	case strings.HasPrefix(key, "price."):
		return "USD/token"
	case strings.HasPrefix(key, "limits."):
		return "tokens"
	}
	return ""
}

// whole is what a row of every format can be made of.
func whole() map[string]any {
	facts := map[string]any{
		"price.input": 1.25e-6, "price.output": 1e-5, "price.cache_read": 1.25e-7, "price.cache_write": 2.5e-6, "price.reasoning": 1.2e-5,
		"limits.context": 400000, "limits.input": 272000, "limits.output": 128000,
		"capability.tools": true, "capability.structured_outputs": true, "capability.reasoning": true, "capability.open_weights": false,
		"lifecycle.released": "2026-01-05", "lifecycle.status": "beta", "lifecycle.deprecated": "2027-01-05", "knowledge.cutoff": "2025-06",
	}
	for _, medium := range []string{"text", "image", "audio", "video", "pdf"} {
		facts["modality.input."+medium] = medium == "text" || medium == "image"
		facts["modality.output."+medium] = medium == "text"
	}
	return facts
}

// state states all facts of a model at a runtime.
func state(model, runtime string, facts map[string]any) (list []stated) {
	for key, value := range facts {
		list = append(list, stated{model: model, runtime: runtime, key: key, value: value, unit: unitOf(key), uri: "https://list.example/" + model})
	}
	return list
}

// bases are files that the formats continue: one row, which differs from what whole
// states, and a provider with no model.
var bases = map[record.ExportFormat]string{
	record.FormatLiteLLM: `{
    "sample_spec": {"litellm_provider": "one of many", "input_cost_per_token": 0.0},
    "acme/base": {
        "input_cost_per_token": 7e-07,
        "litellm_provider": "acme",
        "mode": "chat"
    }
}
`,
	record.FormatModelsDev: `{
  "acme": {
    "id": "acme", "env": ["ACME_KEY"],
    "models": {
      "base": {
        "id": "base", "name": "Base", "reasoning": true,
        "cost": {"input": 0.7, "output": 0.9},
        "limit": {"context": 7, "output": 9}
      }
    }
  },
  "bare": {"id": "bare", "models": {}}
}
`,
	record.FormatCatwalk: `[
  {"id": "acme", "api_key": "$ACME_KEY", "models": [
    {"id": "base", "name": "Base", "cost_per_1m_in": 0.7, "cost_per_1m_out": 0.9, "context_window": 7, "default_max_tokens": 9}
  ]},
  {"id": "bare", "models": []}
]
`,
}

// exported exports a catalog; the file is empty if there is nothing to write.
func exported(t testing.TB, c *catalog.Catalog, o export.Options) (string, *record.ExportReport) {
	t.Helper()
	if base := bases[o.Format]; o.Base == nil && base != "" {
		o.Base = &problem.Source{Name: "base.json", Text: base}
	}
	file, err := export.Text(t.Context(), c, o)
	if err != nil && err != export.ErrNothing {
		t.Fatal(err)
	}
	return file.Text, file.Report
}

// rowOf returns the row of an offer of acme, nil if there is none.
func rowOf(t testing.TB, f record.ExportFormat, text, id string) map[string]any {
	t.Helper()
	if text == "" {
		return nil
	}
	switch f {
	case record.FormatLiteLLM:
		var m map[string]map[string]any
		decode(t, text, &m)
		return m["acme/"+id]
	case record.FormatModelsDev:
		var m map[string]struct{ Models map[string]map[string]any }
		decode(t, text, &m)
		return m["acme"].Models[id]
	}
	var list []struct {
		ID     string
		Models []map[string]any
	}
	decode(t, text, &list)
	for _, p := range list {
		for _, m := range p.Models {
			if p.ID == "acme" && m["id"] == id {
				return m
			}
		}
	}
	return nil
}

func decode(t testing.TB, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("%v in %.2000s", err, text)
	}
}

// member returns a member of a row by its path, as JSON, "" if there is none.
func member(row map[string]any, path string) string {
	var v any = row
	for name := range strings.SplitSeq(path, ".") {
		m, ok := v.(map[string]any)
		if !ok {
			return ""
		}
		if v, ok = m[name]; !ok {
			return ""
		}
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprint(err))
	}
	return string(text)
}
