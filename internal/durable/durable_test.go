package durable_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/durable"
)

// filling returns what writes a text and then ends as told.
func filling(text string, ends error) func(*os.File) error {
	return func(f *os.File) error {
		if _, err := f.WriteString(text); err != nil {
			return err
		}
		return ends
	}
}

// holds checks the files of a folder, each by its name and what is in it.
func holds(t *testing.T, folder string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if expected, is := want[e.Name()]; !is || expected != string(text) {
			t.Errorf("%s holds %q, want %q", e.Name(), text, expected)
		}
	}
	if len(entries) != len(want) {
		t.Errorf("%d files, want %d", len(entries), len(want))
	}
}

func TestWrite(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a.json")
	for _, text := range []string{"first", "", "third"} {
		if err := durable.Write(path, filling(text, nil)); err != nil {
			t.Fatal(err)
		}
		holds(t, folder, map[string]string{"a.json": text})
	}
	long := strings.Repeat("é", 127) // 254 bytes, as long as a name may be
	if err := durable.Write(filepath.Join(folder, long), filling("x", nil)); err != nil {
		t.Error(err)
	}
	holds(t, folder, map[string]string{"a.json": "third", long: "x"})
}

// While a file is written the old one is there, and after a failure it alone.
func TestFailureLeavesTheOldFile(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a.json")
	if err := durable.Write(path, filling("old", nil)); err != nil {
		t.Fatal(err)
	}
	failure := errors.New("no more")
	err := durable.Write(path, func(f *os.File) error {
		if text, err := os.ReadFile(path); err != nil || string(text) != "old" {
			t.Errorf("while it is written it holds %q (%v)", text, err)
		}
		name := filepath.Base(f.Name())
		if filepath.Dir(f.Name()) != folder || !strings.HasPrefix(name, ".a.json.tmp-") || filepath.Ext(name) == ".json" {
			t.Errorf("it is written as %s", f.Name())
		}
		return filling("new", failure)(f)
	})
	if !errors.Is(err, failure) {
		t.Errorf("error %v", err)
	}
	holds(t, folder, map[string]string{"a.json": "old"})

	// A folder cannot be replaced, and one that is not there not be written to.
	if err := os.Mkdir(filepath.Join(folder, "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := durable.Write(filepath.Join(folder, "b"), filling("new", nil)); err == nil {
		t.Error("a folder is replaced")
	}
	if err := durable.Write(filepath.Join(folder, "c", "d"), filling("new", nil)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("into no folder: %v", err)
	}
	if err := os.Remove(filepath.Join(folder, "b")); err != nil {
		t.Fatal(err)
	}
	holds(t, folder, map[string]string{"a.json": "old"})
}
