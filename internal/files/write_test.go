package files_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/model-catalog-service/svc/internal/files"
)

// filling returns what writes a text and then ends as told.
func filling(text string, ends error) func(*files.Writer) error {
	return func(f *files.Writer) error {
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
		if err := files.Write(t.Context(), path, filling(text, nil)); err != nil {
			t.Fatal(err)
		}
		holds(t, folder, map[string]string{"a.json": text})
	}
	long := strings.Repeat("é", 127) // 254 bytes, as long as a name may be
	if err := files.Write(t.Context(), filepath.Join(folder, long), filling("x", nil)); err != nil {
		t.Error(err)
	}
	holds(t, folder, map[string]string{"a.json": "third", long: "x"})
}

// While a file is written the old one is there, and after a failure it alone.
func TestFailureLeavesTheOldFile(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a.json")
	if err := files.Write(t.Context(), path, filling("old", nil)); err != nil {
		t.Fatal(err)
	}
	failure := errors.New("no more")
	err := files.Write(t.Context(), path, func(f *files.Writer) error {
		if text, err := os.ReadFile(path); err != nil || string(text) != "old" {
			t.Errorf("while it is written it holds %q (%v)", text, err)
		}
		entries, err := os.ReadDir(folder)
		if err != nil || len(entries) != 2 || !strings.HasPrefix(entries[0].Name(), ".a.json.tmp-") || files.IsRecords(entries[0].Name()) {
			t.Errorf("it is written as one of %v (%v)", entries, err)
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
	if err := files.Write(t.Context(), filepath.Join(folder, "b"), filling("new", nil)); err == nil {
		t.Error("a folder is replaced")
	}
	if err := files.Write(t.Context(), filepath.Join(folder, "c", "d"), filling("new", nil)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("into no folder: %v", err)
	}
	if err := os.Remove(filepath.Join(folder, "b")); err != nil {
		t.Fatal(err)
	}
	holds(t, folder, map[string]string{"a.json": "old"})
}

// A file that is replaced leaves its mode to the new one; a new one has what the
// umask leaves of 0644.
func TestWriteKeepsTheMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no modes")
	}
	path := filepath.Join(t.TempDir(), "a.json")
	for _, mode := range []fs.FileMode{0o600, 0o644, 0o640, 0o444, 0o666} {
		if err := os.WriteFile(path, []byte("old"), 0o600); err != nil && mode != 0o666 {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if err := files.WriteText(t.Context(), path, "new"); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != mode {
			t.Errorf("mode %o became %o (%v)", mode, info.Mode().Perm(), err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWriteKeepsTheOwner(t *testing.T) {
	if os.Geteuid() != 0 || runtime.GOOS == "windows" {
		t.Skip("only root gives files away")
	}
	path := filepath.Join(t.TempDir(), "a.json")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	const user, group = 4711, 4712
	if err := os.Chown(path, user, group); err != nil {
		t.Fatal(err)
	}
	if err := files.WriteText(t.Context(), path, "new"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(info.Sys()); !strings.Contains(got, fmt.Sprint(user)+" "+fmt.Sprint(group)) {
		t.Errorf("the owner is gone: %s", got)
	}
}

// What a killed run has left goes with the next run that writes the same file, and
// what another run is still writing stays.
func TestLeftoversAreRemoved(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a.json")
	theirs := map[string]string{} // of other files, or of the user
	for _, name := range []string{
		".b.json.tmp-0123456789abcdef", ".a.json", ".a.json.tmp-", ".a.json.tmp-backup", ".a.json.tmp-0123456789abcde",
		".a.json.tmp-0123456789abcdef0", ".a.json.tmp-0123456789ABCDEF", ".a.json.tmp-0123456789abcdef.json", "a.json.tmp-0123456789abcdef",
	} {
		theirs[name] = "half"
	}
	leftovers := []string{".a.json.tmp-0123456789abcdef", ".a.json.tmp-0000000000000000"}
	for _, name := range append(leftovers, slices.Collect(maps.Keys(theirs))...) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("half"), 0o400); err != nil {
			t.Fatal(err)
		}
	}
	with := func(more map[string]string) map[string]string {
		maps.Copy(more, theirs)
		return more
	}
	err := files.Write(t.Context(), path, func(w *files.Writer) error {
		if err := files.WriteText(t.Context(), path, "of another run"); err != nil {
			return err
		}
		holds(t, folder, with(map[string]string{"a.json": "of another run", unfinished(t, folder): ""}))
		return filling("new", nil)(w)
	})
	if err != nil {
		t.Fatal(err)
	}
	holds(t, folder, with(map[string]string{"a.json": "new"}))
}

// unfinished returns the name of the one empty file, which is being written.
func unfinished(t *testing.T, folder string) (found string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, ".a.json.tmp-*"))
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && info.Size() == 0 {
			if found != "" {
				t.Fatalf("%s is unfinished, too", name)
			}
			found = filepath.Base(name)
		}
	}
	if err != nil || found == "" {
		t.Fatalf("none of %q is unfinished (%v)", names, err)
	}
	return found
}

// A context that ends is a failure, by whichever method is written.
func TestWriteIsInterrupted(t *testing.T) {
	folder := t.TempDir()
	for name, put := range map[string]func(*files.Writer) error{
		"Write":       func(w *files.Writer) error { _, err := w.Write([]byte("x")); return err },
		"WriteString": func(w *files.Writer) error { _, err := w.WriteString("x"); return err },
		"WriteAt":     func(w *files.Writer) error { _, err := w.WriteAt([]byte("x"), 0); return err },
		"nothing":     func(*files.Writer) error { return nil },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		err := files.Write(ctx, filepath.Join(folder, "a.json"), func(w *files.Writer) error {
			if err := put(w); err != nil {
				t.Errorf("%s before the end: %v", name, err)
			}
			cancel()
			return put(w)
		})
		if !errors.Is(err, files.ErrInterrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	holds(t, folder, nil)
}

// WriteAt overwrites what was appended, flushed or not.
func TestWriteAt(t *testing.T) {
	folder := t.TempDir()
	err := files.Write(t.Context(), filepath.Join(folder, "a"), func(w *files.Writer) error {
		_, first := w.WriteString("0123456789")
		_, second := w.WriteAt([]byte("ab"), 3)
		_, third := w.Write([]byte("!"))
		return errors.Join(first, second, third)
	})
	if err != nil {
		t.Fatal(err)
	}
	holds(t, folder, map[string]string{"a": "012ab56789!"})
}

// Of many that create one file one succeeds, and its bytes are there.
func TestCreateOnce(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a.json")
	var won atomic.Int64
	var wait sync.WaitGroup
	for i := range 20 {
		wait.Go(func() {
			err := files.Create(t.Context(), path, filling(fmt.Sprint(100+i), nil))
			switch {
			case err == nil && !won.CompareAndSwap(0, int64(100+i)):
				t.Errorf("%d has created it too", i)
			case err != nil && !errors.Is(err, fs.ErrExist):
				t.Error(err)
			}
		})
	}
	wait.Wait()
	holds(t, folder, map[string]string{"a.json": fmt.Sprint(won.Load())})
}
