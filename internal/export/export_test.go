package export_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/export"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service/record"
)

// places are where a format says a key.
var places = map[record.ExportFormat]map[string][]string{
	record.FormatLiteLLM: {
		"price.input": {"input_cost_per_token"}, "price.output": {"output_cost_per_token"}, "price.cache_read": {"cache_read_input_token_cost"},
		"price.cache_write": {"cache_creation_input_token_cost"}, "price.reasoning": {"output_cost_per_reasoning_token"},
		"limits.input": {"max_input_tokens"}, "limits.output": {"max_output_tokens", "max_tokens"},
		"capability.tools": {"supports_function_calling"}, "capability.structured_outputs": {"supports_response_schema"}, "capability.reasoning": {"supports_reasoning"},
		"modality.input.image": {"supports_vision"}, "modality.input.audio": {"supports_audio_input"}, "modality.input.video": {"supports_video_input"},
		"modality.input.pdf": {"supports_pdf_input"}, "modality.output.audio": {"supports_audio_output"}, "lifecycle.deprecated": {"deprecation_date"},
	},
	record.FormatModelsDev: {
		"price.input": {"cost.input"}, "price.output": {"cost.output"}, "price.cache_read": {"cost.cache_read"}, "price.cache_write": {"cost.cache_write"},
		"price.reasoning": {"cost.reasoning"}, "limits.context": {"limit.context"}, "limits.input": {"limit.input"}, "limits.output": {"limit.output"},
		"capability.tools": {"tool_call"}, "capability.structured_outputs": {"structured_output"}, "capability.reasoning": {"reasoning"}, "capability.open_weights": {"open_weights"},
		"modality.input.text": {"modalities.input"}, "modality.input.image": {"modalities.input"}, "modality.input.audio": {"modalities.input"},
		"modality.input.video": {"modalities.input"}, "modality.input.pdf": {"modalities.input"}, "modality.output.text": {"modalities.output"},
		"modality.output.image": {"modalities.output"}, "modality.output.audio": {"modalities.output"}, "modality.output.video": {"modalities.output"}, "modality.output.pdf": {"modalities.output"},
		"lifecycle.released": {"release_date"}, "lifecycle.status": {"status"}, "knowledge.cutoff": {"knowledge"},
	},
	record.FormatCatwalk: {
		"price.input": {"cost_per_1m_in"}, "price.output": {"cost_per_1m_out"}, "price.cache_write": {"cost_per_1m_in_cached"}, "price.cache_read": {"cost_per_1m_out_cached"},
		"limits.context": {"context_window"}, "limits.output": {"default_max_tokens"}, "capability.reasoning": {"can_reason"}, "modality.input.image": {"supports_attachments"},
	},
}

// spoilt are the ways in which a catalog can lack a value that somebody once stated.
var spoilt = map[string]func(s stated) []stated{
	"unknown":      func(stated) []stated { return nil },
	"expired":      func(s stated) []stated { s.expired = true; return []stated{s} },
	"contradicted": func(s stated) []stated { return []stated{s, contradiction(s)} },
	"other unit":   func(s stated) []stated { s.unit = "other"; return []stated{s} },
	"zero": func(s stated) []stated {
		if strings.HasPrefix(s.key, "limits.") {
			s.value = 0
		} else { // a price of 0 is known, and flags and texts have none
			s.value = -1
		}
		return []stated{s}
	},
	"no number for a million": func(s stated) []stated { s.value = 1e303; return []stated{s} },
	"a flag": func(s stated) []stated {
		if _, isFlag := s.value.(bool); isFlag {
			s.value = "true"
		} else {
			s.value = true
		}
		return []stated{s}
	},
	"ten letters": func(s stated) []stated { s.value = "not a date"; return []stated{s} },
}

func contradiction(s stated) stated {
	switch v := s.value.(type) {
	case bool:
		s.value = !v
	case string:
		s.value = v[:len(v)-1] + "9"
	case int:
		s.value = v / 2
	case float64:
		s.value = v / 2
	}
	return s
}

// No number is invented: of whatever is not known there is nothing in a row, neither in
// a new one nor in one of the base, whatever a format could say there. A new row whose
// readers would take what is absent for 0 or false is not made. And it is listed.
func TestNothingIsInvented(t *testing.T) {
	vectortest.SkipRace(t)
	needed := map[record.ExportFormat][]string{
		record.FormatLiteLLM: {"price.input", "price.output", "modality.output.text"},
		record.FormatModelsDev: {"price.input", "price.output", "limits.context", "limits.output", "capability.tools", "capability.reasoning", "capability.open_weights", "lifecycle.released",
			"modality.input.text", "modality.input.image", "modality.input.audio", "modality.input.video", "modality.input.pdf",
			"modality.output.text", "modality.output.image", "modality.output.audio", "modality.output.video", "modality.output.pdf"},
		record.FormatCatwalk: {"price.input", "price.output", "price.cache_read", "price.cache_write", "limits.context", "limits.output", "capability.reasoning", "modality.input.image"},
	}
	for format := range places {
		for key, value := range whole() {
			for name, spoil := range spoilt {
				t.Run(fmt.Sprint(format, " ", key, " ", name), func(t *testing.T) {
					facts := whole()
					delete(facts, key)
					var list []stated
					for _, id := range []string{"acme/fresh", "acme/base"} {
						list = append(list, state(id, "acme", facts)...)
						list = append(list, spoil(stated{model: id, runtime: "acme", key: key, value: value, unit: unitOf(key)})...)
					}
					text, report := exported(t, compile(t, list...), export.Options{Format: format})
					fresh, base := rowOf(t, format, text, "fresh"), rowOf(t, format, text, "base")
					if isNeeded := slices.Contains(needed[format], key); isNeeded != (fresh == nil) {
						t.Errorf("there is a row: %v, needed: %v\n%s", fresh != nil, isNeeded, text)
					}
					old := rowOf(t, format, bases[format], "base")
					for _, place := range places[format][key] {
						if place == "max_input_tokens" && key == "limits.input" {
							continue // the limit of the context stands in
						}
						if got := member(fresh, place); got != "" {
							t.Errorf("a new row says %s: %s", place, got)
						}
						if got, was := member(base, place), member(old, place); got != was {
							t.Errorf("the row of the base says %s: %s, it was %s", place, got, was)
						}
					}
					listed := slices.ContainsFunc(report.LeftOut, func(l record.ExportOmission) bool {
						return l.Model == "acme/fresh" && string(l.Key) == key && l.Reason != record.ExportWidened
					})
					if isNeeded := slices.Contains(needed[format], key); !listed && (name != "unknown" || isNeeded) {
						t.Errorf("it is not listed: %+v", report.LeftOut)
					}
				})
			}
		}
	}
}

// Where all is known, all is said, in the units of the format.
func TestAllIsSaid(t *testing.T) {
	want := map[record.ExportFormat]string{
		record.FormatLiteLLM:   `"input_cost_per_token":0.00000125`,
		record.FormatModelsDev: `"cost":{"input":1.25,"output":10,"reasoning":12,"cache_read":0.125,"cache_write":2.5}`,
		record.FormatCatwalk:   `"cost_per_1m_in":1.25,"cost_per_1m_out":10,"cost_per_1m_in_cached":2.5,"cost_per_1m_out_cached":0.125`,
	}
	for format, known := range places {
		list := append(state("acme/fresh", "acme", whole()), state("acme/base", "acme", whole())...)
		text, report := exported(t, compile(t, list...), export.Options{Format: format})
		if squeezed := strings.NewReplacer(" ", "", "\n", "").Replace(text); !strings.Contains(squeezed, want[format]) {
			t.Errorf("%s: %s", format, text)
		}
		for _, id := range []string{"fresh", "base"} {
			for key, list := range known {
				for _, place := range list {
					if member(rowOf(t, format, text, id), place) == "" && !(format == record.FormatCatwalk && id == "base" && key == "limits.output") {
						t.Errorf("%s: %s says nothing of %s at %s", format, id, key, place)
					}
				}
			}
		}
		if said := len(known) + map[record.ExportFormat]int{record.FormatLiteLLM: 1}[format]; report.Exported.Facts-map[record.ExportFormat]int{record.FormatLiteLLM: 1}[format] != 2*said { // LiteLLM says by the mode that there is text, and a new row that it is read
			t.Errorf("%s: %d facts of twice %d", format, report.Exported.Facts, said)
		}
		if report.Exported.Rows != 2 || report.Exported.NewRows != 1 || report.Exported.ChangedRows != 1 {
			t.Errorf("%s: %+v", format, report.Exported)
		}
		for _, l := range report.LeftOut {
			if l.Reason != record.ExportNotRepresentable && l.Reason != record.ExportWidened {
				t.Errorf("%s: left out %+v", format, l)
			}
		}
		// Once more on what was written: nothing is left to change.
		again, report := exported(t, compile(t, list...), export.Options{Format: format, Base: &problem.Source{Text: text}})
		if again != text || len(report.Changed) != 0 || report.Exported.NewRows != 0 {
			t.Errorf("%s: a base that agrees changes: %+v\n%s", format, report.Changed, again)
		}
	}
}

// What is not changed keeps its bytes.
func TestUntouchedBytesStay(t *testing.T) {
	for format, base := range bases {
		c := compile(t, stated{model: "acme/base", runtime: "acme", key: "price.input", value: 8e-7, unit: "USD/token"})
		text, report := exported(t, c, export.Options{Format: format})
		want := strings.Replace(strings.Replace(base, "7e-07", "8e-7", 1), "0.7", "0.8", 1)
		if text != want {
			t.Errorf("%s: %s\nwant %s", format, text, want)
		}
		if len(report.Changed) != 1 || report.Changed[0].Old == report.Changed[0].New || report.Changed[0].Old == "" || report.Exported != (record.ExportCounts{Rows: 1, Facts: 1, ChangedRows: 1}) {
			t.Errorf("%s: %+v", format, report.Changed)
		}
		// As a number it is what it was.
		same := compile(t, stated{model: "acme/base", runtime: "acme", key: "price.input", value: 7e-7, unit: "USD/token"})
		if text, report := exported(t, same, export.Options{Format: format}); text != base || len(report.Changed) != 0 {
			t.Errorf("%s: %s", format, text)
		}
	}
}

// Bands are said as each format can.
func TestBands(t *testing.T) {
	facts := whole()
	for key, value := range map[string]float64{"price.input@context>200000": 2.5e-6, "price.output@context>200000": 1.5e-5, "price.input@context>128000": 2e-6,
		"price.cache_write@ttl=1h": 4e-6, "price.cache_write@context>200000,ttl=1h": 8e-6, "price.input@context>1234": 1e-6} {
		facts[key] = value
	}
	c := compile(t, state("acme/fresh", "acme", facts)...)
	text, report := exported(t, c, export.Options{Format: record.FormatLiteLLM})
	row := rowOf(t, record.FormatLiteLLM, text, "fresh")
	for place, want := range map[string]string{"input_cost_per_token_above_200k_tokens": "0.0000025", "output_cost_per_token_above_200k_tokens": "0.000015",
		"input_cost_per_token_above_128k_tokens": "0.000002", "cache_creation_input_token_cost_above_1hr": "0.000004",
		"cache_creation_input_token_cost_above_1hr_above_200k_tokens": "0.000008"} {
		if got := member(row, place); got != want {
			t.Errorf("%s is %s, want %s", place, got, want)
		}
	}
	listed := func(key string) bool {
		return slices.ContainsFunc(report.LeftOut, func(l record.ExportOmission) bool {
			return string(l.Key) == key && l.Reason == record.ExportNotRepresentable
		})
	}
	if !listed("price.input@context>1234") {
		t.Error("a band that no member is named for is not listed")
	}
	text, report = exported(t, c, export.Options{Format: record.FormatModelsDev})
	row = rowOf(t, record.FormatModelsDev, text, "fresh")
	if got := member(row, "cost.tiers"); got != `[{"input":2.5,"output":15,"tier":{"size":200000,"type":"context"}}]` {
		t.Errorf("tiers are %s", got)
	}
	if got := member(row, "cost.context_over_200k"); got != `{"input":2.5,"output":15}` {
		t.Errorf("context_over_200k is %s", got)
	}
	for _, key := range []string{"price.input@context>128000", "price.cache_write@ttl=1h", "price.cache_write@context>200000,ttl=1h"} {
		if !listed(key) {
			t.Errorf("%s is not listed", key)
		}
	}
}

// Of a band that is not known no format says anything, and it is listed; a tier without
// its input or output is not made.
func TestBandsAreNotInvented(t *testing.T) {
	bands := map[string]float64{"price.input@context>200000": 2.5e-6, "price.output@context>200000": 1.5e-5, "price.cache_read@context>200000": 3e-7, "price.cache_write@ttl=1h": 4e-6}
	places := map[record.ExportFormat]map[string][]string{
		record.FormatLiteLLM: {"price.input@context>200000": {"input_cost_per_token_above_200k_tokens"}, "price.output@context>200000": {"output_cost_per_token_above_200k_tokens"},
			"price.cache_read@context>200000": {"cache_read_input_token_cost_above_200k_tokens"}, "price.cache_write@ttl=1h": {"cache_creation_input_token_cost_above_1hr"}},
		record.FormatModelsDev: {"price.input@context>200000": {"cost.tiers", "cost.context_over_200k"}, "price.output@context>200000": {"cost.tiers", "cost.context_over_200k"},
			"price.cache_read@context>200000": {"cost.context_over_200k.cache_read"}},
	}
	for format, keys := range places {
		for key, members := range keys {
			for name, spoil := range spoilt {
				var list []stated
				for _, id := range []string{"acme/fresh", "acme/base"} {
					facts := whole()
					for band, value := range bands {
						facts[band] = value
					}
					delete(facts, key)
					list = append(list, state(id, "acme", facts)...)
					list = append(list, spoil(stated{model: id, runtime: "acme", key: key, value: bands[key], unit: unitOf(key)})...)
				}
				text, report := exported(t, compile(t, list...), export.Options{Format: format})
				for _, id := range []string{"fresh", "base"} {
					row := rowOf(t, format, text, id)
					for _, place := range members {
						if got := member(row, place); row == nil || got != "" {
							t.Errorf("%s, %s %s: the row of %s says %s: %s", format, key, name, id, place, got)
						}
					}
					if tiers := member(row, "cost.tiers"); strings.Contains(members[0], "cache_read") && format == record.FormatModelsDev && tiers != `[{"input":2.5,"output":15,"tier":{"size":200000,"type":"context"}}]` {
						t.Errorf("%s: tiers are %s", name, tiers)
					}
					if !slices.ContainsFunc(report.LeftOut, func(l record.ExportOmission) bool { return l.Model == "acme/"+id && string(l.Key) == key }) && name != "unknown" {
						t.Errorf("%s, %s %s is not listed: %+v", format, key, name, report.LeftOut)
					}
				}
			}
		}
	}
}

// Names, providers and runtimes that do not lead to one row are told.
func TestLeftOut(t *testing.T) {
	facts := state("acme/fresh", "acme", whole())
	for _, s := range facts {
		for _, revision := range []string{"1", "2"} {
			s.model, s.revision = "acme/twice", revision
			facts = append(facts, s)
		}
	}
	facts = append(facts, state("acme/far", "elsewhere", whole())...)
	facts = append(facts, stated{model: "acme/global", key: "limits.context", value: 5, unit: "tokens"})
	for format, want := range map[record.ExportFormat][]record.ExportReason{
		record.FormatLiteLLM:   {record.ExportNoRuntime, record.ExportSameName},
		record.FormatModelsDev: {record.ExportNoProvider, record.ExportNoRuntime, record.ExportSameName},
		record.FormatCatwalk:   {record.ExportNoProvider, record.ExportNoRuntime, record.ExportSameName},
	} {
		text, report := exported(t, compile(t, facts...), export.Options{Format: format})
		counts := export.Reasons(report)
		for _, reason := range want {
			if counts[reason] == 0 {
				t.Errorf("%s: nothing is left out for %s", format, reason)
			}
		}
		if rowOf(t, format, text, "twice") != nil || rowOf(t, format, text, "fresh") == nil {
			t.Errorf("%s: %s", format, text)
		}
		if _, report := exported(t, compile(t, facts...), export.Options{Format: format, Runtimes: []string{"nowhere"}}); report.Exported.Rows != 0 {
			t.Errorf("%s: %+v", format, report.Exported)
		}
	}
}

// What is said of a task is not what is said of the model: it is left out, and listed once.
func TestTasksAreLeftOut(t *testing.T) {
	facts := state("acme/base", "acme", map[string]any{"price.input": 8e-7})
	for _, task := range []string{"coding", "chat"} {
		facts = append(facts, stated{model: "acme/base", runtime: "acme", key: "price.input", value: 1e-6, unit: "USD/token", task: task},
			stated{model: "acme/base", runtime: "acme", key: "price.output", value: 1e-6, unit: "USD/token", task: task, expired: true})
	}
	facts = append(facts, stated{model: "acme/base", key: "limits.context", value: 5, unit: "tokens", task: "chat"})
	for format := range bases {
		text, report := exported(t, compile(t, facts...), export.Options{Format: format})
		var leftOut []string
		for _, l := range report.LeftOut {
			leftOut = append(leftOut, fmt.Sprint(l.Model, " ", l.Runtime, " ", l.Key, " ", l.Reason, " ", l.Detail))
		}
		if want := []string{"acme/base  limits.context not-representable is about a task", "acme/base acme price.input not-representable is about a task", "acme/base acme price.output not-representable is about a task"}; !slices.Equal(leftOut, want) {
			t.Errorf("%s: left out %q", format, leftOut)
		}
		if report.Exported.Facts != 1 || text == bases[format] {
			t.Errorf("%s: %+v %s", format, report.Exported, text)
		}
		if _, report := exported(t, compile(t, facts...), export.Options{Format: format, Runtimes: []string{"other"}}); len(report.LeftOut) != 1 {
			t.Errorf("%s: left out %v", format, report.LeftOut)
		}
	}
}

// What crush counts as free may be accepted as that, but not what is contradicted.
func TestReadsAsZero(t *testing.T) {
	facts := whole()
	delete(facts, "price.cache_read")
	list := state("acme/fresh", "acme", facts)
	o := export.Options{Format: record.FormatCatwalk, ReadsAsZero: []string{"price.cache_read"}}
	if text, _ := exported(t, compile(t, list...), o); rowOf(t, record.FormatCatwalk, text, "fresh") == nil {
		t.Error("there is no row")
	}
	s := stated{model: "acme/fresh", runtime: "acme", key: "price.cache_read", value: 1e-6, unit: "USD/token"}
	list = append(list, s, contradiction(s))
	if text, _ := exported(t, compile(t, list...), o); rowOf(t, record.FormatCatwalk, text, "fresh") != nil {
		t.Error("there is a row, though the price is contradicted")
	}
}

// A base that is none is refused, with its place.
func TestBadBases(t *testing.T) {
	c := compile(t, state("acme/fresh", "acme", whole())...)
	for _, bad := range []struct {
		format record.ExportFormat
		text   string
		want   string
	}{
		{record.FormatLiteLLM, `[]`, "$: must be an object"},
		{record.FormatModelsDev, `{"acme":{}}`, "$.acme: must have the object models"},
		{record.FormatModelsDev, `{"acme":{"models":{"m":1}}}`, "$.acme.models.m: must be an object"},
		{record.FormatCatwalk, `{}`, "$: must be a list of providers"},
		{record.FormatCatwalk, `[{"id":"acme","models":[{}]}]`, "$[0].models[0]: must have the text id"},
		{record.FormatCatwalk, `[`, ""},
	} {
		_, err := export.Text(t.Context(), c, export.Options{Format: bad.format, Base: &problem.Source{Name: "b.json", Text: bad.text}})
		faults := problem.All(err)
		if len(faults) != 1 || faults[0].Place.File != "b.json" || bad.want != "" && faults[0].Error() != bad.want {
			t.Errorf("%s %s: %v", bad.format, bad.text, err)
		}
	}
}

// An export ends when its context does.
func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := compile(t, state("acme/fresh", "acme", whole())...)
	for _, format := range []record.ExportFormat{record.FormatLiteLLM, record.FormatNDJSON, record.FormatCSV} {
		if _, err := export.Text(ctx, c, export.Options{Format: format}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", format, err)
		}
	}
}

// A price of 0 that a source states is known, and is written as 0: no reader would take it
// for anything else. It is not the same as a price that nobody states, of which nothing is
// written, and without which there is no new row.
func TestZeroIsKnown(t *testing.T) {
	for format, known := range places {
		facts := whole()
		for key := range facts {
			if strings.HasPrefix(key, "price.") {
				facts[key] = 0
			}
		}
		list := append(state("acme/fresh", "acme", facts), state("acme/base", "acme", facts)...)
		text, report := exported(t, compile(t, list...), export.Options{Format: format})
		for _, id := range []string{"fresh", "base"} {
			row := rowOf(t, format, text, id)
			for key, list := range known {
				for _, place := range list {
					if got := member(row, place); strings.HasPrefix(key, "price.") && got != "0" {
						t.Errorf("%s: %s of %s is %q", format, place, id, got)
					}
				}
			}
		}
		if report.Exported.NewRows != 1 {
			t.Errorf("%s: %+v", format, report.Exported)
		}
	}
}

// The formats without a base tell of each fact what its state is, and a value of nothing
// that has none: neither a reader of lines nor one of a table can take what is unknown, has
// expired or is contradicted for a number.
func TestLinesInventNothing(t *testing.T) {
	var list []stated
	wants := map[string]string{} // state and value by model and key
	for key, value := range whole() {
		fact := stated{runtime: "acme", key: key, value: value, unit: unitOf(key), uri: "https://list.example/"}
		add := func(model, want string, facts ...stated) {
			for _, s := range facts {
				s.model = model
				list = append(list, s)
			}
			wants[model+" "+key] = want
		}
		text := string(must(json.Marshal(value)))
		if s, ok := value.(float64); ok {
			text = string(canonical.AppendNumber(nil, s))
		}
		gone := fact
		gone.expired = true
		add("acme/known", "value "+strings.Trim(text, `"`), fact)
		add("acme/expired", "expired ", gone)
		add("acme/contradicted", "conflict ", fact, contradiction(fact))
		if _, isNumber := value.(string); !isNumber && unitOf(key) != "" {
			zero := fact
			zero.value = 0
			add("acme/zero", "value 0", zero)
		}
	}
	c := compile(t, list...)
	file, _ := exported(t, c, export.Options{Format: record.FormatNDJSON})
	lines := 0
	for line := range strings.Lines(file) {
		lines++
		var l struct {
			Model      struct{ ID string }
			Key, State string
			Value      any
			Values     []any
			N, Mean    any
		}
		decode(t, line, &l)
		text := ""
		if l.Value != nil {
			text = strings.Trim(string(must(canonical.Marshal(l.Value))), `"`)
		}
		if got := l.State + " " + text; got != wants[l.Model.ID+" "+l.Key] || (l.Values != nil) != (l.State == "conflict") || l.N != nil || l.Mean != nil {
			t.Errorf("%s %s is %q, want %q", l.Model.ID, l.Key, got, wants[l.Model.ID+" "+l.Key])
		}
	}
	table, _ := exported(t, c, export.Options{Format: record.FormatCSV})
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil || len(rows) != lines+1 || lines != len(wants) {
		t.Fatalf("%d rows, %d lines, %d facts: %v", len(rows), lines, len(wants), err)
	}
	column := func(name string) int { return slices.Index(rows[0], name) }
	for _, cells := range rows[1:] {
		if got := cells[column("state")] + " " + cells[column("value")]; got != wants[cells[column("model")]+" "+cells[column("key")]] || cells[column("mean")] != "" || cells[column("n")] != "" {
			t.Errorf("%v", cells)
		}
	}
}

func must(text []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return text
}

// A row of models.dev stays one that its schema accepts: a model that does not reason has
// neither options of reasoning nor a price for it, one that does has the former.
func TestReasoningStaysWhole(t *testing.T) {
	for _, test := range []struct {
		members, want string
		reasons       bool
	}{
		{`"reasoning": true, "reasoning_options": []`, `"reasoning": true, "reasoning_options": []`, false},
		{`"reasoning": true, "cost": {"input": 1, "output": 1, "reasoning": 2}`, `"reasoning": true, "cost": {"input": 1, "output": 1, "reasoning": 2}`, false},
		{`"reasoning": true`, `"reasoning": false`, false},
		{`"reasoning": false`, `"reasoning": true,"reasoning_options":[]`, true},
		{`"reasoning": true`, `"reasoning": true`, true},
	} {
		row := func(members string) string { return `{"acme": {"models": {"base": {` + members + `}}}}` }
		c := compile(t, stated{model: "acme/base", runtime: "acme", key: "capability.reasoning", value: test.reasons},
			stated{model: "acme/base", runtime: "acme", key: "capability.tools", value: true})
		text, report := exported(t, c, export.Options{Format: record.FormatModelsDev, Base: &problem.Source{Text: row(test.members + `, "tool_call": true`)}})
		squeeze := strings.NewReplacer(" ", "").Replace
		for member := range strings.SplitSeq(squeeze(test.want), ",") {
			if !strings.Contains(squeeze(text), member) {
				t.Errorf("%s becomes %s, want %s", test.members, text, test.want)
			}
		}
		isLeftOut := slices.ContainsFunc(report.LeftOut, func(l record.ExportOmission) bool { return l.Key == "capability.reasoning" })
		if isLeftOut != (test.members == test.want && !test.reasons) {
			t.Errorf("%s: left out %v", test.members, report.LeftOut)
		}
	}
}
