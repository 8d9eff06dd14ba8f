package cmd

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/vectortest"
)

// The system calls by which commands read and write files, each with how it may fail.
var fileCalls = []string{
	"openat:error=EMFILE", "read:error=EIO", "write:error=ENOSPC", "pwrite64:error=ENOSPC",
	"fsync:error=EIO", "fdatasync:error=EIO", "renameat:error=EACCES", "renameat2:error=EACCES",
	"linkat:error=EPERM", "unlinkat:error=EACCES", "ftruncate:error=ENOSPC", "flock:error=ENOLCK", "fchmod:error=EPERM", "newfstatat:error=EACCES", "getdents64:error=EIO",
}

// injection is a command whose system calls fail.
type injection struct {
	name    string
	inputs  []string // copied into the folder of the run
	outputs []string
	args    []string
	check   []string // reads the outputs, and must succeed
}

func injections() []injection {
	const pinned = "models.20261101T060000000Z.7656dcd5d473.json" // by time and digest
	const openrouter = "../examples/sources/openrouter/"
	return []injection{
		{"compile", []string{"../examples/observations/facts.json"}, []string{"catalog.json"},
			[]string{"compile", "facts.json", "--as-of", "2026-12-01", "-o", "catalog.json"}, []string{"validate", "catalog.json"}},
		{"import", []string{openrouter + "models.json", openrouter + "models.json.snapshot.json", openrouter + "mapping.json"},
			[]string{"acquisition.json", "out.jsonl"},
			[]string{"import", "openrouter-models", "models.json", "--mapping", "mapping.json", "-o", "out.jsonl", "--acquisition", "acquisition.json"},
			[]string{"validate", "out.jsonl", "acquisition.json"}},
		{"pin", []string{openrouter + "models.json"}, []string{pinned, pinned + ".snapshot.json"},
			[]string{"sources", "pin", "openrouter-models", "models.json", "--url", "https://openrouter.ai/api/v1/models", "--fetched-at", "2026-11-01T06:00:00Z"},
			[]string{"validate", pinned + ".snapshot.json"}},
		{"verify-load", []string{"../examples/claims.json"}, []string{"store.db"},
			[]string{"verify-load", "--store", "sqlite:store.db", "claims.json"}, []string{"verify-load", "--store", "sqlite:store.db", "claims.json"}},
	}
}

// fresh returns a folder with the inputs. Where the command replaces its outputs, there are
// older ones.
func (i *injection) fresh(t *testing.T) string {
	dir := t.TempDir()
	for _, name := range i.inputs {
		writeFile(t, filepath.Join(dir, filepath.Base(name)), readFileOf(t, name))
	}
	for _, name := range i.older() {
		writeFile(t, filepath.Join(dir, name), []byte("old"))
	}
	return dir
}

// older are the outputs that a command replaces.
func (i *injection) older() []string {
	if i.name == "compile" || i.name == "import" {
		return i.outputs
	}
	return nil
}

// left are the files in a folder besides the inputs.
func (i *injection) left(t *testing.T, dir string) []string {
	return listFiles(t, dir, append(i.inputs, "trace"))
}

// run runs the command while the n-th such call of each thread fails. It reports whether one
// did.
func (i *injection) run(t *testing.T, dir, call string, n int) (out []byte, code int, injected bool) {
	t.Helper()
	trace := filepath.Join(dir, "trace")
	name, _, _ := strings.Cut(call, ":")
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, vectortest.Tool(t, "strace", "strace"), append([]string{"-f", "-qq", "-o", trace, "-e", "trace=" + name,
		"-e", fmt.Sprintf("inject=%s:when=%d", call, n), "svc"}, i.args...)...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	injected = bytes.Contains(readFileOf(t, trace), []byte("(INJECTED)"))
	if err != nil && !injected {
		t.Errorf("%v: %s", err, out)
	}
	return out, c.ProcessState.ExitCode(), injected
}

// Whatever system call fails, a command ends with 0 and the whole result, or with 1 and
// what was there before.
func TestFailingSystemCalls(t *testing.T) {
	for _, i := range injections() {
		t.Run(i.name, func(t *testing.T) {
			t.Parallel()
			whole := i.fresh(t)
			if out, err := process(whole, i.args...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			injected := 0
			for _, call := range fileCalls {
				for n := 1; ; n++ {
					dir := i.fresh(t)
					out, code, failed := i.run(t, dir, call, n)
					if !failed {
						break // there are fewer such calls
					}
					injected++
					t.Run(fmt.Sprintf("%s,call=%d", call, n), func(t *testing.T) { i.judge(t, dir, whole, out, code) })
					if vectortest.IsShort() {
						break // the first of each kind are a sample
					}
				}
			}
			if injected < 6 {
				t.Errorf("%d calls failed, there must be more", injected)
			}
		})
	}
}

// judge checks what a run left of which a call failed.
func (i *injection) judge(t *testing.T, dir, whole string, out []byte, code int) {
	switch {
	case code == exitDone:
		i.judgeDone(t, dir, whole, out)
	case code == exitFailure:
		if !strings.Contains(string(out), "service: ") && !strings.Contains(t.Name(), "write:") { // which is written, too
			t.Errorf("failed without a message: %s", out)
		}
		// One output is the old one. Of two, the first may have been replaced.
		older := 0
		for _, name := range i.older() {
			switch text := readFileOf(t, filepath.Join(dir, name)); {
			case string(text) == "old":
				older++
			case !bytes.Equal(text, readFileOf(t, filepath.Join(whole, name))):
				t.Errorf("failed, and %s is neither the old file nor the new one: %s", name, out)
			}
		}
		if older == 0 && i.older() != nil {
			t.Errorf("failed, and no old file stayed: %s", out)
		}
		// What it left must not be in the way of the next run.
		if out, err := process(dir, i.args...).CombinedOutput(); err != nil {
			t.Errorf("failed, and the next run: %v: %s", err, out)
		} else if left := i.left(t, dir); !slices.Equal(left, i.outputs) {
			t.Errorf("the next run left %q", left)
		}
	case !isRuntime(out): // else nothing can live without this one
		t.Errorf("exit code %d: %s", code, out)
	}
}

func (i *injection) judgeDone(t *testing.T, dir, whole string, out []byte) {
	left := slices.DeleteFunc(i.left(t, dir), func(name string) bool {
		return strings.Contains(name, ".tmp-") || // see package files
			strings.HasPrefix(name, "store.db-") // which SQLite takes in when it opens the database next
	})
	isStore := i.name == "verify-load" // the bytes of a database are its own affair
	if !slices.Equal(left, i.outputs) {
		t.Errorf("done, and left %q: %s", left, out)
	} else if !isStore {
		for _, name := range i.outputs {
			if !bytes.Equal(readFileOf(t, filepath.Join(dir, name)), readFileOf(t, filepath.Join(whole, name))) {
				t.Errorf("done, and %s is another", name)
			}
		}
	}
	if out, err := process(dir, i.check...).CombinedOutput(); err != nil {
		t.Errorf("done, and then %v: %s", err, out)
	}
	if left := i.left(t, dir); isStore && !slices.Equal(left, i.outputs) {
		t.Errorf("done, and then left %q", left)
	}
}

// isRuntime reports whether a run ended in the loader of the system or in the Go runtime: before
// any code of ours ran, or by what the runtime writes to wake a thread.
func isRuntime(out []byte) bool {
	return bytes.Contains(out, []byte("error while loading shared libraries")) ||
		bytes.Contains(out, []byte("runtime: netpollBreak write failed")) ||
		bytes.Contains(out, []byte("fatal error: ")) && !bytes.Contains(out, []byte("/cmd."))
}

// listFiles returns the names of the files in a folder, but for some.
func listFiles(t *testing.T, dir string, others []string) (names []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !slices.ContainsFunc(others, func(other string) bool { return filepath.Base(other) == name }) {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
