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
	"openat:error=EMFILE", "read:error=EIO", "write:error=ENOSPC", "pwrite64:error=ENOSPC", "fsync:error=EIO", "fdatasync:error=EIO",
	"renameat:error=EACCES", "renameat2:error=EACCES", "linkat:error=EACCES", "unlinkat:error=EACCES", "ftruncate:error=ENOSPC",
	"fchmod:error=EPERM", "newfstatat:error=EACCES", "getdents64:error=EIO",
}

// injections is how many calls of each kind fail, one after the other, one a run. In
// each thread it is the same call.
const injections = 8

// Whatever system call fails, a command ends with 0 and the whole result, or with 1 and
// what was there before.
func TestFailingSystemCalls(t *testing.T) {
	strace := vectortest.Tool(t, "strace", "strace")
	if vectortest.UnderRace || testing.Short() {
		t.Skip("takes 500 runs: without -race and -short")
	}
	const pinned = "models.20261101T060000000Z.7656dcd5d473.json" // by time and digest
	tests := []struct {
		name    string
		inputs  []string // copied into the folder of the run
		outputs []string
		args    []string
		check   []string // reads the outputs, and must succeed
	}{
		{"compile", []string{"../examples/observations/facts.json"}, []string{"catalog.json"},
			[]string{"compile", "facts.json", "--as-of", "2026-12-01", "-o", "catalog.json"}, []string{"validate", "catalog.json"}},
		{"import", []string{"../examples/sources/openrouter/models.json", "../examples/sources/openrouter/models.json.snapshot.json", "../examples/sources/openrouter/mapping.json"},
			[]string{"acquisition.json", "out.jsonl"},
			[]string{"import", "openrouter-models", "models.json", "--mapping", "mapping.json", "-o", "out.jsonl", "--acquisition", "acquisition.json"},
			[]string{"validate", "out.jsonl", "acquisition.json"}},
		{"pin", []string{"../examples/sources/openrouter/models.json"}, []string{pinned, pinned + ".snapshot.json"},
			[]string{"sources", "pin", "openrouter-models", "models.json", "--url", "https://openrouter.ai/api/v1/models", "--fetched-at", "2026-11-01T06:00:00Z"},
			[]string{"validate", pinned + ".snapshot.json"}},
		{"verify-load", []string{"../examples/claims.json"}, []string{"store.db"},
			[]string{"verify-load", "--store", "sqlite:store.db", "claims.json"}, []string{"verify-load", "--store", "sqlite:store.db", "claims.json"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fresh := func() string {
				dir := t.TempDir()
				for _, name := range tt.inputs {
					writeFile(t, filepath.Join(dir, filepath.Base(name)), readFileOf(t, name))
				}
				return dir
			}
			whole := fresh()
			if out, err := process(whole, tt.args...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			injected := 0
			for _, call := range fileCalls {
				for n := range injections {
					dir := fresh()
					trace := filepath.Join(dir, "trace")
					name, _, _ := strings.Cut(call, ":")
					ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
					defer cancel()
					c := exec.CommandContext(ctx, strace, append([]string{"-f", "-qq", "-o", trace, "-e", "trace=" + name,
						"-e", fmt.Sprintf("inject=%s:when=%d", call, n+1), "svc"}, tt.args...)...)
					c.Dir = dir
					var out bytes.Buffer
					c.Stdout, c.Stderr = &out, &out
					err := c.Run()
					if !bytes.Contains(readFileOf(t, trace), []byte("(INJECTED)")) {
						if err != nil {
							t.Errorf("%v: %s", err, &out)
						}
						break // there are fewer such calls
					}
					injected++
					left := listFiles(t, dir, append(tt.inputs, "trace"))
					switch code := c.ProcessState.ExitCode(); {
					case code == exitDone:
						left = slices.DeleteFunc(left, func(name string) bool {
							return strings.Contains(name, ".tmp-") || // see package files
								strings.HasPrefix(name, "store.db-") // which SQLite takes in when it opens the database next
						})
						if !slices.Equal(left, tt.outputs) {
							t.Errorf("%s, call %d: done, and left %q: %s", call, n+1, left, &out)
						} else if tt.name != "verify-load" { // the bytes of a database are its own affair
							for _, name := range tt.outputs {
								if !bytes.Equal(readFileOf(t, filepath.Join(dir, name)), readFileOf(t, filepath.Join(whole, name))) {
									t.Errorf("%s, call %d: done, and %s is another", call, n+1, name)
								}
							}
						}
						if out, err := process(dir, tt.check...).CombinedOutput(); err != nil {
							t.Errorf("%s, call %d: done, and then %v: %s", call, n+1, err, out)
						}
						if left := listFiles(t, dir, append(tt.inputs, "trace")); tt.name == "verify-load" && !slices.Equal(left, tt.outputs) {
							t.Errorf("%s, call %d: done, and then left %q", call, n+1, left)
						}
					case code == exitFailure:
						if name != "write" && !strings.Contains(out.String(), "service: ") { // which is written, too
							t.Errorf("%s, call %d: failed without a message: %s", call, n+1, &out)
						}
						// What it left must not be in the way of the next run.
						if out, err := process(dir, tt.args...).CombinedOutput(); err != nil {
							t.Errorf("%s, call %d: failed, and the next run: %v: %s", call, n+1, err, out)
						} else if left := listFiles(t, dir, append(tt.inputs, "trace")); !slices.Equal(left, tt.outputs) {
							t.Errorf("%s, call %d: the next run left %q", call, n+1, left)
						}
					case isRuntime(out.Bytes()):
						// Nothing can live without this one.
					default:
						t.Errorf("%s, call %d: exit code %d: %s", call, n+1, code, &out)
					}
				}
			}
			if injected < 20 {
				t.Errorf("%d calls failed, there must be more", injected)
			}
		})
	}
}

// isRuntime reports whether a run ended in the loader of the system or in the Go runtime,
// before any code of ours ran.
func isRuntime(out []byte) bool {
	return bytes.Contains(out, []byte("error while loading shared libraries")) ||
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
