package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/sources/build/hosttest"
	"github.com/model-catalog-service/svc/internal/sources/recipe"
)

// workshop is a folder with a recipe, and a stand-in for the hosts.
type workshop struct {
	hosts  *hosttest.Hosts
	folder string
	clock  string // what svc takes for now
}

func newWorkshop(t *testing.T) *workshop {
	t.Helper()
	return &workshop{hosts: hosttest.New(t), folder: t.TempDir(), clock: "2026-08-01T06:00:00Z"}
}

// command is svc in the folder, led to the hosts.
func (w *workshop) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	tests, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), filepath.Join(w.folder, "..", "svc"), args...)
	if err := os.Symlink(tests, c.Path); err != nil && !os.IsExist(err) {
		t.Fatal(err)
	}
	c.Dir = w.folder
	c.Env = append(os.Environ(), hostsPort+"="+w.hosts.Port, hostsClock+"="+w.clock)
	return c
}

// svc runs svc and returns what it printed and its exit code.
func (w *workshop) svc(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	if args[0] == "build" {
		args = append(args, "--ca", w.hosts.CA)
	}
	c := w.command(t, args...)
	var out, errs strings.Builder
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	if c.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), c.ProcessState.ExitCode()
}

// must runs svc, which must succeed.
func (w *workshop) must(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	stdout, stderr, code := w.svc(t, args...)
	if code != exitDone {
		t.Fatalf("svc %s: exit code %d\n%s%s", strings.Join(args, " "), code, stdout, stderr)
	}
	return stdout, stderr
}

func (w *workshop) read(t *testing.T, name string) string {
	t.Helper()
	return string(readFileOf(t, filepath.Join(w.folder, name)))
}

// Three commands in an empty folder: a recipe, a catalog, an answer.
func TestBuildFromNothing(t *testing.T) {
	w := newWorkshop(t)
	w.hosts.ServeAll(t)
	w.must(t, "init")
	stdout, stderr := w.must(t, "build")
	t.Logf("%s%s", stderr, stdout)
	for _, id := range recipe.Usual() {
		if !strings.Contains(stdout, "  "+id) {
			t.Errorf("the summary lacks %s:\n%s", id, stdout)
		}
	}
	before := w.read(t, recipe.Catalog)
	if asked := w.hosts.Asked(); len(asked) < 8 {
		t.Errorf("asked for %q alone", asked)
	}
	stdout, stderr = w.must(t, "rank", "--maximize", "livebench.coding.score", "--cheapest", "--output", "table")
	t.Logf("%s%s", stderr, stdout)
	if strings.Contains(stderr, "sample") {
		t.Errorf("the catalog of the recipe is not asked: %s", stderr)
	}
	_, stderr = w.must(t, "build")
	if !strings.Contains(stderr, "nothing is new") || len(w.hosts.Asked()) > 0 || w.read(t, recipe.Catalog) != before {
		t.Errorf("the second build: %s", stderr)
	}
}
