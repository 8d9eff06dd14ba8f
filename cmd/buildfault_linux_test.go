package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources/build/hosttest"
	"github.com/model-catalog-service/svc/internal/sources/recipe"
	"github.com/model-catalog-service/svc/internal/sources/store"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// newDay makes the workshop's next build one of something new: a price changes, and hours pass.
func (w *workshop) newDay(t *testing.T, n int) {
	t.Helper()
	at, err := time.Parse(time.RFC3339, w.clock)
	if err != nil {
		t.Fatal(err)
	}
	w.clock = at.Add(7 * time.Hour).Format(time.RFC3339)
	var rows []string
	for i := range 40 {
		rows = append(rows, routedRow(fmt.Sprint("acme/atlas-", i), "0.000001", fmt.Sprintf("0.00000%d", 1+n%9)))
	}
	w.hosts.Serve(hosttest.OpenRouter, `{"data":[`+strings.Join(rows, ",")+`]}`)
}

// newFaultyWorkshop is a workshop with one small source, which was built once.
func newFaultyWorkshop(t *testing.T) *workshop {
	t.Helper()
	w := newWorkshop(t)
	w.newDay(t, 0)
	w.must(t, "init", "--sources", "openrouter-models")
	w.must(t, "build")
	return w
}

// files returns the catalog, its lock and its record, each of which must be whole, and whether all are of one
// build.
func (w *workshop) files(t *testing.T) (digests string, agree bool) {
	t.Helper()
	source := func(name string) problem.Source { return problem.Source{Name: name, Text: w.read(t, name)} }
	c, err := catalog.Parse(t.Context(), source(recipe.Catalog))
	if err != nil {
		t.Fatal(err)
	}
	l, err := recipe.ReadLock(source(recipe.LockName))
	if err != nil {
		t.Fatal(err)
	}
	b, err := recipe.ReadBuild(source(recipe.BuildName))
	if err != nil {
		t.Fatal(err)
	}
	return c.Digest(), c.Digest() == l.Catalog && c.Digest() == b.Catalog
}

// sound demands that the store is: whoever opens it next finds outputs of one build, and every body that it
// names, and nothing half written.
func (w *workshop) sound(t *testing.T) {
	t.Helper()
	s, err := store.Open(t.Context(), filepath.Join(w.folder, store.Folder), func() { t.Error("somebody has the store") })
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, agree := w.files(t); !agree {
		t.Error("the outputs are of several builds")
	}
	looks := s.Looks("openrouter-models")
	if len(looks) == 0 {
		t.Error("the store has lost what it had")
	}
	for _, l := range looks {
		for _, e := range store.Envelopes(l) {
			if _, err := s.Body(e.BodySHA256); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(w.folder, store.Folder, "outputs")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("outputs were left on their way")
	}
}

// A build that is killed at any moment leaves files that are whole, and a store that is sound. The next
// build, often killed, too, goes on from there.
func TestKilledBuilds(t *testing.T) {
	vectortest.SkipRace(t)
	w := newFaultyWorkshop(t)
	start := time.Now()
	w.newDay(t, 1)
	w.must(t, "build")
	took := time.Since(start)
	rnd := rand.New(rand.NewPCG(27, 1))
	killed, published := 0, map[string]bool{}
	for n := range vectortest.Rounds(400) {
		w.newDay(t, n)
		c := w.command(t, "build", "--ca", w.hosts.CA)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rnd.Int64N(int64(took * 5 / 4))))
		_ = c.Process.Kill()
		if err := c.Wait(); err != nil {
			killed++
		}
		w.files(t)
		w.sound(t)
		digest, _ := w.files(t)
		published[digest] = true
		if n%50 == 0 {
			w.newDay(t, n+1)
			w.must(t, "build")
		}
	}
	w.newDay(t, 5)
	if _, stderr := w.must(t, "build"); strings.Contains(stderr, "lost") {
		t.Error(stderr)
	}
	w.must(t, "build", "--locked", "--offline")
	t.Logf("%d were killed, %d catalogs were made; a build takes %v", killed, len(published), took)
	if killed < vectortest.Rounds(400)/4 {
		t.Errorf("%d were killed, there must be more", killed)
	}
}

// A disk that is full for a moment, or from some moment on until it is emptied, costs a build and nothing else:
// the outputs are all old or all new.
func TestFullDisk(t *testing.T) {
	vectortest.SkipRace(t)
	strace := vectortest.Tool(t, "strace", "strace")
	w := newFaultyWorkshop(t)
	const calls = "write,pwrite64,ftruncate,fsync,mkdirat"
	failed := 0
	for n := range vectortest.Rounds(50) {
		w.newDay(t, n)
		// Something new comes, and one call fails; or of what the store has outputs are made anew, and all calls do.
		args, when := []string{"build", "--ca", w.hosts.CA}, fmt.Sprint(1+n/2%9)
		if n%2 == 1 {
			args, when = []string{"build", "--offline", "--as-of", w.clock}, fmt.Sprintf("%d+", 1+n/2%5)
		}
		trace := filepath.Join(t.TempDir(), "trace")
		svc := w.command(t, args...)
		c := exec.CommandContext(t.Context(), strace, append([]string{"-f", "-qq", "-o", trace, "-e", "trace=" + calls,
			"-e", "inject=" + calls + ":error=ENOSPC:when=" + when, svc.Path}, args...)...)
		c.Dir, c.Env = svc.Dir, svc.Env
		out, _ := c.CombinedOutput()
		calls := readFileOf(t, trace)
		if bytes.Contains(calls, []byte("(INJECTED)")) {
			failed++
		}
		// What the Go runtime writes to wake a thread fails, too, and ends it as a kill does. What it then
		// says may fail as well.
		isCrash := bytes.Contains(out, []byte("fatal error: ")) || bytes.Contains(out, []byte("runtime: ")) ||
			bytes.Contains(calls, []byte("killed by SIGABRT"))
		if code := c.ProcessState.ExitCode(); code != exitDone && code != exitFailure && !isCrash {
			t.Errorf("exit code %d: %s", code, out)
		}
		if _, agree := w.files(t); !agree && !isCrash {
			t.Errorf("call %s failed, exit code %d, and the outputs are of several builds: %s", when, c.ProcessState.ExitCode(), out)
		}
		w.sound(t)
		if _, stderr := w.must(t, "build"); strings.Contains(stderr, "lost") {
			t.Error(stderr)
		}
	}
	if failed < vectortest.Rounds(50)/2 {
		t.Errorf("%d builds met a full disk, there must be more", failed)
	}
}
