package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/vectortest"
)

// observations returns n different observations, one a line.
func observations(t *testing.T, n int) []byte {
	t.Helper()
	line, err := os.ReadFile("testdata/in/lines.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ = bytes.Cut(line, []byte("\n"))
	var b bytes.Buffer
	for i := range n {
		b.Write(bytes.Replace(line, []byte("run-large-70b-02"), fmt.Appendf(nil, "run-%d", i), 1))
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func writeFile(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func readFileOf(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// process is a run of the program in a process of its own.
func process(dir string, args ...string) *exec.Cmd {
	c := exec.Command("svc", args...)
	c.Dir = dir
	return c
}

// compileTwo makes a folder with inputs and returns the two catalogs that they
// compile to: old.jsonl is small, new.jsonl takes some time.
func compileTwo(t *testing.T, dir string) (older, newer []byte) {
	t.Helper()
	writeFile(t, filepath.Join(dir, "old.jsonl"), observations(t, 1))
	writeFile(t, filepath.Join(dir, "new.jsonl"), observations(t, 4000))
	for _, name := range []string{"old", "new"} {
		if out, err := process(dir, "compile", name+".jsonl", "--as-of", "2026-07-18", "-o", name+".catalog").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	return readFileOf(t, filepath.Join(dir, "old.catalog")), readFileOf(t, filepath.Join(dir, "new.catalog"))
}

// Killed at any moment, a run leaves the old file or the new one, and nothing
// that the next run trips over.
func TestKilledRunLeavesOldOrNew(t *testing.T) {
	dir := t.TempDir()
	older, newer := compileTwo(t, dir)
	in := filepath.Join(dir, "in")
	if err := os.Mkdir(in, 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(in, "new.jsonl"), observations(t, 4000))
	// The target is in the input directory, so that leftovers would be inputs.
	target := filepath.Join(in, "catalog.snapshot")
	start := time.Now()
	if err := process(dir, "compile", "in", "--as-of", "2026-07-18", "-o", target).Run(); err != nil {
		t.Fatal(err)
	}
	usual := time.Since(start)
	seen := map[bool]int{}
	for range vectortest.Rounds(60) {
		writeFile(t, target, older)
		c := process(dir, "compile", "in", "--as-of", "2026-07-18", "-o", target)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(rand.N(usual + usual/4))
		c.Process.Kill()
		c.Wait()
		got := readFileOf(t, target)
		isNew := bytes.Equal(got, newer)
		if !isNew && !bytes.Equal(got, older) {
			t.Fatalf("%d bytes that are neither the old file nor the new one", len(got))
		}
		seen[isNew]++
	}
	t.Logf("old %d times, new %d times", seen[false], seen[true])
	writeFile(t, filepath.Join(in, ".catalog.snapshot.tmp-0123456789abcdef"), newer[:len(newer)/2])
	if out, err := process(dir, "compile", "in", "--as-of", "2026-07-18", "-o", target).CombinedOutput(); err != nil {
		t.Fatalf("after killed runs: %v: %s", err, out)
	}
	if !bytes.Equal(readFileOf(t, target), newer) {
		t.Error("after killed runs the new file is not what it should be")
	}
}

// A full disk leaves the old file, no debris, and says what happened.
func TestFullDiskLeavesOld(t *testing.T) {
	dir := t.TempDir()
	older, newer := compileTwo(t, dir)
	disk := filepath.Join(dir, "disk")
	if err := os.Mkdir(disk, 0o700); err != nil {
		t.Fatal(err)
	}
	size := (len(newer) + len(older)) / 2
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, fmt.Sprintf("size=%d", size)); err != nil {
		t.Skipf("a small disk cannot be mounted: %v", err)
	}
	defer syscall.Unmount(disk, 0)
	target := filepath.Join(disk, "catalog.json")
	writeFile(t, target, older)
	c := process(dir, "compile", "new.jsonl", "--as-of", "2026-07-18", "-o", "disk/catalog.json")
	var stderr bytes.Buffer
	c.Stderr = &stderr
	if err := c.Run(); exitCodeOf(err) != exitFailure {
		t.Errorf("%v, want exit code 1", err)
	}
	if got, want := stderr.String(), "service: disk/catalog.json: no space left on device\n"; got != want {
		t.Errorf("stderr %q, want %q", got, want)
	}
	if !bytes.Equal(readFileOf(t, target), older) {
		t.Error("the old file is gone")
	}
	if entries, err := os.ReadDir(disk); err != nil || len(entries) != 1 {
		t.Errorf("beside the old file there is %v (%v)", entries, err)
	}
}

func exitCodeOf(err error) int {
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return e.ExitCode()
	}
	return -1
}

// A reader that goes away ends the program quietly, with the code by which shells tell of
// SIGPIPE: nobody misses what nobody reads.
func TestClosedPipe(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "in.jsonl"), observations(t, 1))
	for _, args := range [][]string{{"compile", "in.jsonl", "--as-of", "now"}, {"help"}, {"validate", "in.jsonl"}} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		c := process(dir, args...)
		var stderr bytes.Buffer
		c.Stdout, c.Stderr = w, &stderr
		err = c.Run()
		w.Close()
		if exitCodeOf(err) != exitPipe || stderr.Len() > 0 {
			t.Errorf("%q: %v, %q", args, err, stderr.String())
		}
	}
}

// Somebody who discards the output through a /dev/null for reading and writing, as
// Python and Node open it, has not closed it.
func TestDiscardedStdout(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for _, c := range []*exec.Cmd{process("", "version"), exec.Command("sh", "-c", "svc version; exit $?")} {
		var stderr bytes.Buffer
		c.Stdout, c.Stderr = null, &stderr
		if err := c.Run(); err != nil || stderr.Len() > 0 {
			t.Errorf("%q: %v, %s", c.Args, err, &stderr)
		}
	}
}
