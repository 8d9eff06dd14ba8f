package export_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/export"
	"github.com/model-catalog-service/svc/internal/export/exporttest"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources/modelsdev"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service/record"
)

// This file holds what is written for LiteLLM, aider and crush, which no test runs, against
// the rules that their documentation states:
//
//   - LiteLLM, on adding prices to its map, whose row sample_spec says what each member is:
//     prices in dollars, limits in tokens, max_tokens for the output where that is known,
//     mode from a list, flags, a day for the deprecation.
//   - aider, on its model metadata file: a name begins with the provider of its row and a
//     slash. It reads prices, limits and mode.
//   - crush, on /v2/providers of catwalk: the types of the members of a model, in Go.

// banded is the members for prices of long prompts and of caches that are kept longer.
var banded = regexp.MustCompile(`^(input|output)_cost_per_token(_above_[1-9][0-9]*k_tokens)?$|^cache_(read|creation)_input_token_cost(_above_1hr)?(_above_[1-9][0-9]*k_tokens)?$|^output_cost_per_reasoning_token$`)

// priceMapFaults says what the documentation of LiteLLM and aider objects to in a row. A
// key that the list has itself need not name the provider.
func priceMapFaults(name string, row map[string]any, isOwn bool) (faults []string) {
	object := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	limit := func(member string) (n float64) {
		v, ok := row[member]
		if n, _ = v.(float64); ok && (n < 1 || n != float64(int64(n))) {
			object("%s is %v tokens", member, v)
		}
		return n
	}
	for member, value := range row {
		switch {
		case banded.MatchString(member):
			if price, ok := value.(float64); !ok || price < 0 || price > 0.1 {
				object("%s is %v dollars", member, value)
			}
		case strings.HasPrefix(member, "supports_"):
			if _, ok := value.(bool); !ok {
				object("%s is %v", member, value)
			}
		case !slices.Contains([]string{"litellm_provider", "mode", "source", "deprecation_date", "max_tokens", "max_input_tokens", "max_output_tokens"}, member):
			object("nothing says what %s is", member)
		}
	}
	limit("max_input_tokens")
	if most := limit("max_tokens"); most != limit("max_output_tokens") {
		object("max_tokens is not that of the output: %v", most)
	}
	for _, member := range []string{"input_cost_per_token", "output_cost_per_token", "max_input_tokens"} {
		if row[member] == nil {
			object("%s would be read as 0", member)
		}
	}
	if mode := row["mode"]; mode != nil && mode != "chat" && mode != "responses" && mode != "realtime" && mode != "completion" {
		object("mode is %v", row["mode"])
	}
	provider, _ := row["litellm_provider"].(string)
	if begin, rest, _ := strings.Cut(name, "/"); provider == "" || !isOwn && (begin != provider || rest == "") {
		object("the name does not begin with the provider %q", provider)
	}
	if day, ok := row["deprecation_date"]; ok {
		if text, _ := day.(string); !isDay(text) {
			object("deprecation_date is %v", day)
		}
	}
	if source, ok := row["source"]; ok {
		if text, _ := source.(string); !strings.HasPrefix(text, "https://") {
			object("source is %v", source)
		}
	}
	return faults
}

func isDay(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

// crushModel is a model as crush reads it: a member of another type breaks the whole list.
type crushModel struct {
	ID                 string   `json:"id"`
	Name               string   `json:"name"`
	CostPer1MIn        *float64 `json:"cost_per_1m_in"`
	CostPer1MOut       *float64 `json:"cost_per_1m_out"`
	CostPer1MInCached  *float64 `json:"cost_per_1m_in_cached"`
	CostPer1MOutCached *float64 `json:"cost_per_1m_out_cached"`
	ContextWindow      int64    `json:"context_window"`
	DefaultMaxTokens   int64    `json:"default_max_tokens"`
	CanReason          *bool    `json:"can_reason"`
	SupportsImages     *bool    `json:"supports_attachments"`
}

// crushFaults says what crush could not read of a model, or would take for 0.
func crushFaults(text json.RawMessage) (faults []string) {
	var m crushModel
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&m); err != nil {
		return []string{err.Error()}
	}
	for name, price := range map[string]*float64{"cost_per_1m_in": m.CostPer1MIn, "cost_per_1m_out": m.CostPer1MOut, "cost_per_1m_in_cached": m.CostPer1MInCached, "cost_per_1m_out_cached": m.CostPer1MOutCached} {
		if price == nil || *price < 0 || *price > 100_000 {
			faults = append(faults, name+" is no price")
		}
	}
	if m.ID == "" || m.Name == "" || m.ContextWindow < 1 || m.DefaultMaxTokens < 1 || m.CanReason == nil || m.SupportsImages == nil {
		faults = append(faults, "something is missing")
	}
	return faults
}

// litellmKeys returns the keys that LiteLLM's list has itself.
func litellmKeys(c *catalog.Catalog) map[string]bool {
	records, keys := catalog.NewRecordReader(), map[string]bool{}
	for _, entry := range c.Models() {
		for _, o := range entry.Observations {
			for _, m := range records.Read(o).Measurements {
				if m.Key == record.OfferLiteLLM {
					keys[m.Value.Text] = true
				}
			}
		}
	}
	return keys
}

// Every row that svc adds from real files keeps the rules.
func TestDocumentedRules(t *testing.T) {
	vectortest.SkipLong(t)
	for _, real := range exporttest.All(t) {
		file, err := export.Text(t.Context(), real.Catalog, export.Options{Format: record.FormatLiteLLM})
		if err == export.ErrNothing {
			continue
		} else if err != nil {
			t.Fatalf("%s: %v", real.Name, err)
		}
		var rows map[string]map[string]any
		if err := json.Unmarshal([]byte(file.Text), &rows); err != nil {
			t.Fatalf("%s: %v", real.Name, err)
		}
		own := litellmKeys(real.Catalog)
		for name, row := range rows {
			if faults := priceMapFaults(name, row, own[name]); faults != nil {
				t.Errorf("%s: %s: %q", real.Name, name, faults)
				break
			}
		}
	}
	trees := exporttest.Files(t, modelsdev.Source)
	tree := trees[len(trees)-1]
	file, err := export.Text(t.Context(), exporttest.Catalog(t, tree), export.Options{Format: record.FormatCatwalk, Base: &problem.Source{Text: catwalkOf(t, tree)}})
	if err != nil {
		t.Fatal(err)
	}
	var providers []struct{ Models []json.RawMessage }
	if err := json.Unmarshal([]byte(file.Text), &providers); err != nil {
		t.Fatal(err)
	}
	models := 0
	for _, p := range providers {
		for _, m := range p.Models {
			if models++; crushFaults(m) != nil {
				t.Errorf("%s: %q", m, crushFaults(m))
			}
		}
	}
	if models < 30 {
		t.Errorf("crush has %d models", models)
	}
}

// The rules refuse what they are there for.
func TestDocumentedRulesRefuse(t *testing.T) {
	sound := map[string]any{"input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6, "max_input_tokens": 1000.0, "max_output_tokens": 100.0, "max_tokens": 100.0,
		"litellm_provider": "acme", "mode": "chat", "supports_vision": true, "deprecation_date": "2026-12-24", "source": "https://acme.example",
		"input_cost_per_token_above_200k_tokens": 2e-6, "cache_creation_input_token_cost_above_1hr": 3e-6}
	if faults := priceMapFaults("acme/atlas", sound, false); faults != nil {
		t.Errorf("a sound row: %q", faults)
	}
	for member, values := range map[string][]any{
		"input_cost_per_token": {nil, "1e-6", -1e-6, 1.25}, "max_input_tokens": {nil, 0.0, 1.5, "1000"}, "max_tokens": {nil, 1000.0}, "litellm_provider": {nil, "other"},
		"mode": {"chats"}, "supports_vision": {"yes", nil}, "deprecation_date": {"2026-12", nil}, "source": {"list"}, "input_cost_per_token_above_0k_tokens": {1e-6}, "cost": {1.0},
	} {
		for _, value := range values {
			row := maps.Clone(sound)
			if row[member] = value; value == nil && !strings.HasPrefix(member, "supports_") && member != "deprecation_date" {
				delete(row, member)
			}
			if priceMapFaults("acme/atlas", row, false) == nil {
				t.Errorf("%s may be %v", member, value)
			}
		}
	}
	if priceMapFaults("atlas", sound, false) == nil {
		t.Error("a name without its provider passes")
	}
	model := `{"id":"a","name":"a","cost_per_1m_in":1,"cost_per_1m_out":2,"cost_per_1m_in_cached":0,"cost_per_1m_out_cached":0.5,"context_window":1000,"default_max_tokens":100,"can_reason":false,"supports_attachments":true}`
	if faults := crushFaults(json.RawMessage(model)); faults != nil {
		t.Errorf("a sound model: %q", faults)
	}
	for _, broken := range [][2]string{{`"cost_per_1m_in":1,`, ""}, {`:2,`, `:"2",`}, {`:1000`, `:1000.5`}, {`"default_max_tokens":100,`, ""}, {`:false`, `:0`}, {`"name":"a",`, ""}, {`"id"`, `"price":1,"id"`}} {
		if crushFaults(json.RawMessage(strings.Replace(model, broken[0], broken[1], 1))) == nil {
			t.Errorf("%s passes for %s", broken[1], broken[0])
		}
	}
}
