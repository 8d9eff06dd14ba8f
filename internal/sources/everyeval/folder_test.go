package everyeval_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/everyeval"
)

// A folder is a tar of its records and instances, the same whatever else is there and when they were
// written, dated by the record that was retrieved last.
func TestFolder(t *testing.T) {
	const early, late = `{"retrieved_timestamp":"1777613486.9"}`, `{"retrieved_timestamp":"2026-05-02T00:00:00Z"}`
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	folder := fstest.MapFS{"b/late.json": file(late), "early.json": file(early), "early_samples.jsonl": file("{}\n")}
	body, at, err := everyeval.Folder(folder)
	if err != nil || at != "2026-05-02T00:00:00.000Z" {
		t.Fatalf("%s, %v", at, err)
	}
	for _, name := range []string{"folder/data/b/late.json", "folder/data/early.json", "folder/data/early_samples.jsonl", late} {
		if !strings.Contains(body, name) {
			t.Errorf("it lacks %s", name)
		}
	}
	folder["notes.txt"], folder["early.json"+sources.EnvelopeSuffix] = file("x"), file("{}")
	if again, _, err := everyeval.Folder(folder); err != nil || again != body {
		t.Errorf("other files change it: %v", err)
	}
	if _, at, err := everyeval.Folder(fstest.MapFS{"a.json": file("no JSON")}); err != nil || at != "" {
		t.Errorf("what its reader will refuse: %q, %v", at, err)
	}
	for name, bad := range map[string]fstest.MapFS{
		"holds no record":           {"early_samples.jsonl": file("{}\n")},
		"holds more than 64 MiB of": {"a.json": file(strings.Repeat(" ", sources.MaxBodyBytes)), "b.json": file(early)},
	} {
		if _, _, err := everyeval.Folder(bad); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
