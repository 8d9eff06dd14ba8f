package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

const root = "../.."

// What is in the repository is what the tree of commands says, nothing more and
// nothing less.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join(root, name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what go generate ./... writes (%v)", name, err)
		}
	}
	for _, folder := range []string{"completions", "docs/commands", "docs/man"} {
		err := fs.WalkDir(os.DirFS(root), folder, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && files[path] == nil {
				t.Errorf("%s belongs to no command", path)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestRunWritesEverything(t *testing.T) {
	dir := t.TempDir()
	if err := run([]string{dir}); err != nil {
		t.Fatal(err)
	}
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 10 {
		t.Errorf("only %d files", len(files))
	}
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %v, %d bytes, want %d", name, err, len(got), len(want))
		}
	}
	if run(nil) == nil {
		t.Error("without a root it must fail")
	}
}
