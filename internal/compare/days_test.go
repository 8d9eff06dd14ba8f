package compare_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/sources/openrouter"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

func compileDocs(t testing.TB, asOf string, docs []string) *catalog.Catalog {
	t.Helper()
	c, _, err := catalog.Compile(context.Background(), docs, catalog.Options{AsOf: asOf})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// checkDays holds the diff of two catalogs of real days against the oracle.
func checkDays(t *testing.T, old, new *catalog.Catalog) *compare.Diff {
	t.Helper()
	d := compared(t, old, new, compare.Options{})
	if got, want := string(d.JSON()), text(oracleDiff(t, old, new)); got != want {
		t.Errorf("%.2000s\nwant %.2000s", got, want)
	}
	return d
}

// The leaderboards, of which half have expired two days later.
func TestLeaderboards(t *testing.T) {
	files, err := filepath.Glob("../../examples/leaderboards/observations/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var docs []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, strings.Split(strings.TrimSpace(string(text)), "\n")...)
	}
	d := checkDays(t, compileDocs(t, "2025-12-02T12:00:00.000Z", docs), compileDocs(t, "2025-12-04T00:00:00.000Z", docs))
	if d.Summary.Facts[compare.Expired] == 0 || d.Summary.Observations[compare.AgedOut] == 0 || d.Summary.Facts[compare.Changed] > 0 {
		t.Errorf("%+v", d.Summary)
	}
}

// capture returns the observations of a day's list of OpenRouter, by the first version
// of its mapping.
func capture(t testing.TB, file, at string) (docs []string) {
	t.Helper()
	const url, entry = "https://openrouter.ai/api/v1/models", `{"model":{"id":"%ROW%","revision":null,"quantization":null},"validUntil":"2027-01-01T00:00:00.000Z"}`
	body := `{"data":` + vectortest.DataText(t, "data", "openrouter", file) + `}` // a collector kept the bare list
	result, err := sourcetest.ImportAll(t, openrouter.New(), entry, sourcetest.Pin(t, openrouter.Source, url, at, body))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range result.Observations {
		docs = append(docs, o.Input())
	}
	return docs
}

// Captures of real days: each by itself, and the later one with the earlier.
func TestCapturesOfRealDays(t *testing.T) {
	const first, second = "2026-07-17T12:00:00.000Z", "2026-07-31T12:00:00.000Z"
	old, new := capture(t, "models.2026-07-17.sui414.json", first), capture(t, "models.2026-07-31.sui414.json", second)
	d := checkDays(t, compileDocs(t, first, old), compileDocs(t, second, append(old[:len(old):len(old)], new...)))
	s := d.Summary
	if s.Models[compare.Added] == 0 || s.Models[compare.Silenced] == 0 || s.Facts[compare.Changed] == 0 || s.Facts[compare.Reaffirmed] == 0 || s.Samples[compare.Changed] == 0 {
		t.Errorf("%+v", s)
	}
	if s.Models[compare.Removed] != 0 || s.Observations[compare.Removed] != 0 {
		t.Errorf("something is gone from a catalog that has all of the other: %+v", s)
	}
	apart := checkDays(t, compileDocs(t, first, old), compileDocs(t, second, new))
	if apart.Summary.Models[compare.Removed] != s.Models[compare.Silenced] || apart.Summary.Facts[compare.Changed] != s.Facts[compare.Changed] {
		t.Errorf("%+v\nbut by itself %+v", s, apart.Summary)
	}
}
