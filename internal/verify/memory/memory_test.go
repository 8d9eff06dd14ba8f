package memory_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/memory"
)

// What is kept of a source comes back as it came, and nothing of another one.
func TestFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "folder")
	f, err := memory.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if answers, err := f.Recall("acme"); err != nil || answers != nil {
		t.Errorf("at first %q, error %v", answers, err)
	}
	for _, answers := range [][]string{{"{\n \"a\": 1.0}", `{"b":"\u0061"}`}, {`{}`}, nil} {
		if err := f.Keep("../acme", answers); err != nil {
			t.Fatal(err)
		}
		f.Close()
		again, err := memory.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		f = again
		if got, err := again.Recall("../acme"); err != nil || !slices.Equal(got, answers) {
			t.Errorf("%q comes back as %q, error %v", answers, got, err)
		}
	}
	if answers, err := f.Recall("acme"); err != nil || answers != nil {
		t.Errorf("another source has %q, error %v", answers, err)
	}
	names, err := filepath.Glob(filepath.Join(path, "*.json"))
	if err != nil || len(names) != 1 {
		t.Fatalf("files %q, error %v", names, err)
	}
	if err := os.WriteFile(names[0], []byte(`[{"a":`), 0o600); err != nil {
		t.Fatal(err)
	}
	if answers, err := f.Recall("../acme"); len(problem.All(err)) != 1 || answers != nil || !strings.HasPrefix(err.Error(), names[0]) {
		t.Errorf("half a file is read: %q, error %v", answers, err)
	}
	defer f.Close()
	ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	if _, err := memory.Open(ctx, path); err == nil {
		t.Error("two have the folder at once")
	}
	if _, err := memory.Open(t.Context(), names[0]); err == nil {
		t.Error("a file is taken for a folder")
	}
}
