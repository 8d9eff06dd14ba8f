//go:build unix

package cmd

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// endsBySignal demands that a process ends as the signal ends any program, and returns
// how long that took.
func endsBySignal(t *testing.T, c *exec.Cmd, s syscall.Signal) time.Duration {
	t.Helper()
	begin := time.Now()
	_ = c.Wait()
	took := time.Since(begin)
	if status := c.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != s {
		t.Errorf("%q: %v, want that %v ended it", c.Args, c.ProcessState, s)
	}
	return took
}

// tries is how often a process may take longer than it should: others may keep a machine
// busy. What always waits for its two seconds fails every time.
const tries = 5

// atOnce is less than the two seconds for what nothing interrupts.
const atOnce = time.Second

// A command that waits for its input ends at once, and leaves the file that it was to
// write.
func TestSignalWhileReading(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "old.json"), []byte("old"))
	request, err := os.ReadFile("testdata/in/request.json")
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "request.json"), request)
	for _, args := range [][]string{
		{"compile", "-", "--as-of", "now", "-o", "old.json"},
		{"rank", "--catalog", "-", "request.json"},
		{"validate", "-"},
		{"validate", "-", "request.json", "--output", "json"},
		{"verify", "--bundle", "-", "--response", "request.json"},
	} {
		for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			took := time.Duration(math.MaxInt64)
			for try := 0; took > atOnce && try < tries; try++ {
				took = signalWhileReading(t, dir, s, args...)
			}
			if took > atOnce {
				t.Errorf("%q: it took %v to end", args, took)
			}
		}
	}
	if got := readFileOf(t, filepath.Join(dir, "old.json")); string(got) != "old" {
		t.Errorf("the file holds %q", got)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 {
		t.Errorf("left behind: %v", entries)
	}
}

// signalWhileReading signals a command that reads standard input, and returns how long it
// took to end.
func signalWhileReading(t *testing.T, dir string, s syscall.Signal, args ...string) time.Duration {
	t.Helper()
	c := process(dir, args...)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(in, strings.Repeat(" ", 1<<20)); err != nil { // more than a pipe holds: it is being read
		t.Fatal(err)
	}
	if err := c.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
	took := endsBySignal(t, c, s)
	if out.Len() > 0 {
		t.Errorf("%q: %s", args, &out)
	}
	return took
}

// What waits for others where nothing interrupts it ends two seconds later, or at the
// second signal.
func TestSignalWhileBlocked(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	idle, err := os.OpenFile(pipe, os.O_RDWR, 0) // has it open, and does not read
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	writeFile(t, filepath.Join(dir, "in.jsonl"), observations(t, 1000)) // more than a pipe holds
	for _, again := range []bool{false, true} {
		isRight, took := false, time.Duration(0)
		for try := 0; !isRight && try < tries; try++ {
			c := process(dir, "compile", "in.jsonl", "--as-of", "now", "-o", "pipe")
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second << try) // until it waits, also under the race detector
			if err := c.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			if again {
				time.Sleep(200 * time.Millisecond)
				if err := c.Process.Signal(syscall.SIGINT); err != nil {
					t.Fatal(err)
				}
			}
			endsBySignal(t, c, syscall.SIGTERM)
			took = time.Since(begin)
			isRight = again == (took < atOnce)
		}
		if !isRight {
			t.Errorf("it took %v to end, with another signal: %v", took, again)
		}
	}
}

// pinned writes an answer of OpenRouter with so many models, of which one is mapped,
// and pins it.
func pinned(t *testing.T, dir string, models int) {
	t.Helper()
	var body strings.Builder
	for i := range models {
		fmt.Fprintf(&body, `,{"id":"acme/m-%d","canonical_slug":"acme/m-%d","name":"M","created":1,"context_length":4096,"architecture":{},"pricing":{"prompt":"0.1","completion":"0.1"},"top_provider":{}}`, i, i)
	}
	writeFile(t, filepath.Join(dir, "models.json"), []byte(`{"data":[`+body.String()[1:]+`]}`))
	writeFile(t, filepath.Join(dir, "mapping.json"), []byte(`{"schemaVersion":"service.source-mapping/v2","source":"openrouter-models","entries":{"acme/m-0":{"model":{"id":"m","revision":null,"quantization":null},"validUntil":"2027-01-01T00:00:00.000Z"}}}`))
	if out, err := process(dir, "sources", "pin", "openrouter-models", "--url", "https://openrouter.ai/api/v1/models", "--fetched-at", "2026-11-01", "models.json").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// A signal at any moment of svc import leaves the old files or the new ones, and nothing
// else.
func TestSignalWhileImporting(t *testing.T) {
	dir := t.TempDir()
	pinned(t, dir, 2000)
	target := filepath.Join(dir, "out.jsonl")
	args := []string{"import", "openrouter-models", "models.json", "--mapping", "mapping.json", "-o", "out.jsonl"}
	begin := time.Now()
	if out, err := process(dir, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	whole, took := readFileOf(t, target), time.Since(begin)
	interrupted := 0
	for i := range 24 {
		s := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}[i%2]
		writeFile(t, target, []byte("old"))
		c := process(dir, args...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(took * time.Duration(i) / 20)
		_ = c.Process.Signal(s) // it may have ended
		want := []byte("old")
		err := c.Wait()
		switch status, _ := c.ProcessState.Sys().(syscall.WaitStatus); {
		case err == nil:
			want = whole
		case exitCodeOf(err) == exitFailure, status.Signaled() && status.Signal() == s:
			interrupted++
		default:
			t.Errorf("%v: %v", s, err)
		}
		if got := readFileOf(t, target); !bytes.Equal(got, want) {
			t.Errorf("%v, %v: the file holds %d bytes, want %d", s, err, len(got), len(want))
		}
		if entries, _ := os.ReadDir(dir); len(entries) != 5 {
			t.Errorf("left behind: %v", entries)
		}
	}
	if interrupted == 0 {
		t.Error("no run was interrupted")
	}
}
