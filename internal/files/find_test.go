package files_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/model-catalog-service/svc/internal/files"
)

func TestIsRecords(t *testing.T) {
	for name, want := range map[string]bool{
		"a.json": true, "a.jsonl": true, "a.ndjson": true, "b/c.d.json": true,
		"a": false, "json": false, "a.JSON": false, "a.json.bak": false, "a.yaml": false, "": false,
	} {
		if files.IsRecords(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}

// plant makes empty files.
func plant(t *testing.T, root string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func link(t *testing.T, to, from string) {
	t.Helper()
	if err := os.Symlink(to, from); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
}

func TestFind(t *testing.T) {
	root, elsewhere := t.TempDir(), t.TempDir()
	plant(t, root, "z.json", "a/b.ndjson", "a-b.jsonl", "a/notes.txt", "a/c.json.d/d.json")
	plant(t, elsewhere, "e.json", "readme")
	link(t, elsewhere, filepath.Join(root, "linked"))
	link(t, filepath.Join(elsewhere, "readme"), filepath.Join(root, "other"))
	link(t, "nowhere", filepath.Join(root, "dangling"))
	found, directories, err := files.Find(root)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range found {
		name, err := filepath.Rel(root, f.Name)
		if err != nil || !f.Info.Mode().IsRegular() {
			t.Errorf("%s is %v (%v)", f.Name, f.Info.Mode(), err)
		}
		names = append(names, filepath.ToSlash(name))
	}
	if want := []string{"a-b.jsonl", "a/b.ndjson", "a/c.json.d/d.json", "linked/e.json", "z.json"}; !slices.Equal(names, want) {
		t.Errorf("found %q, want %q", names, want)
	}
	if len(directories) != 4 {
		t.Errorf("looked through %v", directories)
	}
}

func TestFindRefuses(t *testing.T) {
	empty, loop, special, dangling := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	plant(t, empty, "a.txt")
	plant(t, loop, "a.json", "b/c.json")
	link(t, loop, filepath.Join(loop, "b", "again"))
	link(t, os.DevNull, filepath.Join(special, "null.json"))
	link(t, "nowhere", filepath.Join(dangling, "a.json"))
	for name, tt := range map[string]struct {
		directory, path string
		cause           error // nil for any
	}{
		"no such file":         {empty, empty, files.ErrNoRecords},
		"a loop":               {loop, filepath.Join(loop, "b", "again"), nil},
		"a device":             {special, filepath.Join(special, "null.json"), files.ErrIrregular},
		"a link that dangles":  {dangling, filepath.Join(dangling, "a.json"), fs.ErrNotExist},
		"no directory":         {filepath.Join(empty, "b"), filepath.Join(empty, "b"), fs.ErrNotExist},
		"a file, no directory": {filepath.Join(empty, "a.txt"), filepath.Join(empty, "a.txt"), nil},
	} {
		found, _, err := files.Find(tt.directory)
		e, ok := errors.AsType[*fs.PathError](err)
		if !ok || found != nil || e.Path != tt.path || tt.cause != nil && !errors.Is(err, tt.cause) {
			t.Errorf("%s: %v, %v", name, found, err)
		}
	}
}

// A directory is looked through once, however many links lead to it: 40 folders
// with two links each to the next make 2^40 paths.
func TestFindDoesNotFanOut(t *testing.T) {
	root := t.TempDir()
	const depth = 40
	for i := range depth {
		here := filepath.Join(root, fmt.Sprintf("d%02d", i))
		plant(t, here, "r.json")
		for _, name := range []string{"x", "y"} {
			link(t, filepath.Join("..", fmt.Sprintf("d%02d", i+1)), filepath.Join(here, name))
		}
	}
	plant(t, filepath.Join(root, fmt.Sprintf("d%02d", depth)), "r.json")
	found, directories, err := files.Find(filepath.Join(root, "d00"))
	if err != nil || len(found) != depth+1 || len(directories) != depth+1 {
		t.Errorf("%d files in %d directories, %v; want %d in as many", len(found), len(directories), err, depth+1)
	}
}
