package export_test

import (
	"encoding/csv"
	"maps"
	"slices"
	"strings"
	"testing"

	. "github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/internal/export"
	"github.com/model-catalog-service/svc/service/record"
)

// This file holds the tests of what is not known against the formats: each member that a
// format writes has a case there, or is listed here as one that states nothing.

// derived are the members that do not state the value of one key, and the tests that hold
// what they say where something is not known.
var derived = map[record.ExportFormat][]string{
	record.FormatLiteLLM: {
		"supported_modalities", "supported_output_modalities", // only what is known to be there: TestLiteLLMRoundTrip
		"litellm_provider", "mode", "source", // names, and the mode, which a case of TestRows holds
		"input_cost_per_token_above_200k_tokens", "output_cost_per_token_above_200k_tokens", // TestBandsAreNotInvented
		"cache_read_input_token_cost_above_200k_tokens", "cache_creation_input_token_cost_above_1hr",
	},
	record.FormatModelsDev: {
		"id", "name", "last_updated", "reasoning_options", // names, the day of the evidence, and none that is known
		"attachment",                             // TestAttachment
		"cost.tiers", "cost.context_over_200k.*", // TestBandsAreNotInvented
	},
	record.FormatCatwalk: {"id", "name"},
}

// Every member of a row is one of those for which TestNothingIsInvented takes values away,
// or one that is listed as derived.
func TestEveryMemberHasACase(t *testing.T) {
	facts := whole()
	for band, value := range map[string]float64{"price.input@context>200000": 2.5e-6, "price.output@context>200000": 1.5e-5, "price.cache_read@context>200000": 3e-7, "price.cache_write@ttl=1h": 4e-6} {
		facts[band] = value
	}
	facts["offer.mode"] = "chat"
	c := compile(t, state("acme/fresh", "acme", facts)...)
	elsewhere := []record.ExportFormat{record.FormatNDJSON, record.FormatCSV, record.FormatPrices, record.FormatSQLite} // TestLinesOfNothing, and the test of the same name in package sqlite
	for _, name := range export.Formats() {
		if format := record.ExportFormat(name); places[format] == nil && !slices.Contains(elsewhere, format) {
			t.Errorf("nothing holds what %s says of what is not known", format)
		}
	}
	for format, keys := range places {
		text, _ := exported(t, c, export.Options{Format: format})
		written := memberPaths(rowOf(t, format, text, "fresh"), "")
		known := slices.Clone(derived[format])
		for list := range maps.Values(keys) {
			known = append(known, list...)
		}
		for _, path := range written {
			if !slices.ContainsFunc(known, func(k string) bool {
				begin, isOpen := strings.CutSuffix(k, "*")
				return k == path || isOpen && strings.HasPrefix(path, begin)
			}) {
				t.Errorf("%s: nothing holds what %s says of what is not known", format, path)
			}
		}
		for _, k := range known {
			if !slices.ContainsFunc(written, func(path string) bool { return strings.HasPrefix(path, strings.TrimSuffix(k, "*")) }) {
				t.Errorf("%s: no row has %s", format, k)
			}
		}
	}
}

// memberPaths returns the paths of the members of a row that are no objects.
func memberPaths(row map[string]any, path string) (list []string) {
	for name, value := range row {
		if inner, ok := value.(map[string]any); ok {
			list = append(list, memberPaths(inner, path+name+".")...)
		} else {
			list = append(list, path+name)
		}
	}
	return list
}

// Whether files can be attached is said if one modality shows that they can, or all four
// that they cannot.
func TestAttachment(t *testing.T) {
	media := []string{"image", "audio", "video", "pdf"}
	for _, test := range []struct {
		says string // of the four: y yes, n no, . unknown
		want string
	}{
		{"....", ""}, {"nnn.", ""}, {".nnn", ""}, {"y...", "true"}, {"...y", "true"}, {"nnny", "true"}, {"nnnn", "false"},
	} {
		for name, spoil := range spoilt {
			list := []stated{{model: "acme/base", runtime: "acme", key: "capability.tools", value: true}}
			for i, medium := range media {
				s := stated{model: "acme/base", runtime: "acme", key: "modality.input." + medium, value: test.says[i] == 'y'}
				if test.says[i] != '.' {
					list = append(list, s)
				} else if name != "zero" && name != "no number for a million" && name != "ten letters" {
					s.value = true
					list = append(list, spoil(s)...)
				}
			}
			text, _ := exported(t, compile(t, list...), export.Options{Format: record.FormatModelsDev})
			if got := member(rowOf(t, record.FormatModelsDev, text, "base"), "attachment"); got != test.want {
				t.Errorf("%s, the others %s: %q, want %q", test.says, name, got, test.want)
			}
		}
	}
}

// A line of what has no value has nothing that could be taken for one: whatever member or
// column there is, it is one that says of what the line is and who says it, or it is null.
func TestLinesOfNothing(t *testing.T) {
	says := []string{"kind", "model", "runtime", "execution", "task", "key", "state", "observedAt", "validUntil", "sourceClasses", "observationIds", "evidenceUris"}
	columns := []string{"kind", "model", "revision", "quantization", "runtime", "execution", "family", "suite", "task", "key", "state", "observed_at", "valid_until", "source_classes", "observations", "evidence"}
	at := func(key string, value any, unit, until string) Statement {
		return Statement{ID: "m", Execution: At("r"), Measurements: []any{Fact(key, value, unit)}, Until: until}
	}
	run := func(task, outcome string, sample Object) Statement {
		return Statement{ID: "m", Execution: Ran("r"), Task: Job("coding", "s", task), Outcome: outcome, Measurements: []any{sample}}
	}
	c := Compile(t, May31,
		at("expired", 2e-6, "USD/token", May2), at("contradicted", 2e-6, "USD/token", ""), at("contradicted", 3e-6, "USD/token", ""),
		at("two units", 2, "tokens", ""), at("two units", 2, "USD", ""),
		run("1", "accepted", Sample("mixed units", 1, "seconds")), run("2", "accepted", Sample("mixed units", 2, "minutes")),
		run("1", "accepted", Sample("texts", "fast")), run("1", "invalid", Sample("invalid", 7)))
	// Of a group something is always known: how many there are. Of several units nothing else is.
	counted := map[string][]string{"mixed units": {"n"}, "texts": {"n"}}
	conflicts := map[string][]string{"contradicted": {"values"}, "two units": {"values"}}
	file, _ := exported(t, c, export.Options{Format: record.FormatNDJSON})
	seen := map[string]bool{}
	for line := range strings.Lines(file) {
		var members map[string]any
		decode(t, line, &members)
		key := members["key"].(string)
		seen[key] = true
		for name, value := range members {
			if value != nil && !slices.Contains(slices.Concat(says, counted[key], conflicts[key]), name) {
				t.Errorf("%s has %s: %v", key, name, value)
			}
		}
	}
	if got := slices.Sorted(maps.Keys(seen)); !slices.Equal(got, []string{"contradicted", "expired", "mixed units", "texts", "two units"}) {
		t.Errorf("there are lines of %q", got)
	}
	table, _ := exported(t, c, export.Options{Format: record.FormatCSV})
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil || len(rows) != len(seen)+1 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	for _, cells := range rows[1:] {
		key := cells[slices.Index(rows[0], "key")]
		for i, cell := range cells {
			if name := rows[0][i]; cell != "" && !slices.Contains(slices.Concat(columns, counted[key], conflicts[key]), name) {
				t.Errorf("%s has %s: %s", key, name, cell)
			}
		}
	}
}
