package v3_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
)

// exampleRequest returns the request of the page.
func exampleRequest(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("../../../examples/leaderboards/choice.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// exampleCatalog compiles the leaderboards of the examples, as they were on a day.
func exampleCatalog(t testing.TB, more ...string) *catalog.Catalog {
	t.Helper()
	files, err := filepath.Glob("../../../examples/leaderboards/observations/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no observations: %v", err)
	}
	var docs []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, strings.Split(strings.TrimSpace(string(text)), "\n")...)
	}
	return mustCompile(t, "2025-12-02T12:00:00.000Z", append(docs, more...))
}
