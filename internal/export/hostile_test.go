package export_test

import (
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/export"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

// hostiles are texts that would do something where they are not taken as data.
var hostiles = []string{
	`<script>alert(1)</script>`, `"},"input_cost_per_token":0,"x":{"`, `\",\"b\":\"`, `=HYPERLINK("http://a.example")`, "+1", "-1", "@SUM(A1)",
	"a\t=1", "a\r\n=1,2", "'; DROP TABLE models; --", "%s%n%!d(MISSING)", "__proto__", "constructor", "../../etc/passwd", "a\u2028b\u202ec", "\x1b[31mred", "a\x00b",
}

// Texts of a catalog are data in every format: each is read back as it was, and no cell of
// a table is a formula.
func TestHostileTexts(t *testing.T) {
	var facts []stated
	for _, text := range hostiles {
		facts = append(facts, state(text, "acme", whole())...)
		facts = append(facts, stated{model: text, runtime: "acme", key: "note", value: text, uri: "https://list.example/"})
	}
	c := compile(t, facts...)
	write := func(f record.ExportFormat) string {
		o := export.Options{Format: f}
		if base := bases[f]; base != "" {
			o.Base = &problem.Source{Text: base}
		}
		file, err := export.Text(t.Context(), c, o)
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		return file.Text
	}
	for _, f := range []record.ExportFormat{record.FormatLiteLLM, record.FormatModelsDev, record.FormatCatwalk} {
		text := write(f)
		if _, err := ijson.Canonical(text, ""); err != nil { // which refuses names that repeat
			t.Errorf("%s: %v", f, err)
		}
		for _, id := range hostiles {
			row := rowOf(t, f, text, id)
			names := map[record.ExportFormat]string{record.FormatLiteLLM: "input_cost_per_token", record.FormatModelsDev: "cost.input", record.FormatCatwalk: "cost_per_1m_in"}
			if price := member(row, names[f]); price != "0.00000125" && price != "1.25" && price != "1.25e-06" && price != "1.25e-6" {
				t.Errorf("%s: the price of %q is %q", f, id, price)
			}
		}
	}
	notes := map[string]string{}
	for line := range strings.Lines(write(record.FormatNDJSON)) {
		var l struct {
			Model struct{ ID string }
			Key   string
			Value any
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		if note, ok := l.Value.(string); ok && l.Key == "note" {
			notes[l.Model.ID] = note
		}
	}
	for _, text := range hostiles {
		if notes[text] != text {
			t.Errorf("ndjson: %q comes back as %q", text, notes[text])
		}
	}
	rows, err := csv.NewReader(strings.NewReader(write(record.FormatCSV))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	model := slices.Index(rows[0], "model")
	seen := map[string]bool{}
	for _, cells := range rows[1:] {
		seen[cells[model]] = true
	}
	for _, text := range hostiles {
		text = strings.ReplaceAll(text, "\r\n", "\n") // as readers of tables have it
		if !seen[text] {
			t.Errorf("csv: the model %q is not there", text)
		}
	}
}
