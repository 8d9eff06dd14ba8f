package compare_test

import (
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/service/record"
)

// Numbers are written as package quantity writes them, with the name of the unit apart.
func TestValueText(t *testing.T) {
	for _, tt := range []struct{ kind, value, unit, text, shown string }{
		{"0", "6e-7", "USD/token", "$0.60", "per million tokens"},
		{"0", "8.999999999999999e-7", "USD/token", "$0.8999999999999999", "per million tokens"},
		{"0", "61.5", "percent", "61.5%", ""},
		{"0", "3", "USD", "$3.00", ""},
		{"0", "1024000", "tokens", "1,024,000", "tokens"},
		{"0", "0.6666666666666666", "", "0.6667", ""},
		{"t", "", "", "true", ""},
		{"f", "", "x", "false", "x"},
		{`"`, "MIT", "", "MIT", ""},
		{`"`, "", "USD/token", "", "USD/token"},
	} {
		text, unit := compare.ValueText(record.StatedValue{Value: record.Scalar{Kind: tt.kind[0], Text: tt.value}, Unit: record.Text(tt.unit)})
		if text != tt.text || unit != tt.shown {
			t.Errorf("%s %s: %q %q, want %q %q", tt.value, tt.unit, text, unit, tt.text, tt.shown)
		}
	}
}

// How a model is run names each part once: a benchmark often calls runtime, adapter and workflow the same.
func TestRuns(t *testing.T) {
	for want, names := range map[string][3]string{"": {}, "bench": {"bench", "bench", "bench"}, "host, bench": {"host", "bench", "bench"},
		"host, wire, bench": {"host", "wire", "bench"}} {
		s := record.Scope{Profile: record.Profile{Runtime: record.Component{ID: names[0]}, Adapter: record.Component{ID: names[1]},
			Workflow: record.Workflow{ID: names[2]}}}
		if got := compare.Runs(s); got != want {
			t.Errorf("%q is run as %q, not %q", names, got, want)
		}
	}
}

// A witness was last seen in the last snapshot that states it, whatever else its evidence is called.
func TestSeenAt(t *testing.T) {
	const first = record.Timestamp("2026-05-01T00:00:00.000Z")
	for ids, want := range map[string]record.Timestamp{
		"": first, "list:a/m#price@2026-05-01T00:00:00.000Z list:a/m#price@2026-05-09T12:00:00.000Z": "2026-05-09T12:00:00.000Z",
		"log:a@b": first, "list:a/m#price@2025-05-01T00:00:00.000Z": first, "list:a/m#price@2026-13-01T00:00:00.000Z": first,
	} {
		w := record.Witness{ObservedAt: first}
		for _, id := range strings.Fields(ids) {
			w.Evidence = append(w.Evidence, record.EvidenceLink{ID: id})
		}
		if got := compare.SeenAt(&w); got != want {
			t.Errorf("%s: %s, want %s", ids, got, want)
		}
	}
}
