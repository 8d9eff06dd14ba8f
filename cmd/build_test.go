package cmd

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/sources/build/hosttest"
	"github.com/model-catalog-service/svc/internal/sources/recipe"
	"github.com/model-catalog-service/svc/internal/vectortest"
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
	vectortest.SkipRace(t)
	w := newWorkshop(t)
	w.hosts.ServeAll(t)
	w.must(t, "init")
	start := time.Now()
	stdout, stderr := w.must(t, "build")
	t.Logf("%s%s", stderr, stdout)
	if took := time.Since(start); took > 30*time.Second && !vectortest.UnderRace {
		t.Errorf("the first build takes %v", took)
	}
	for _, id := range recipe.Usual() {
		if !regexp.MustCompile(`(?m)^  ` + id + ` +[1-9][0-9,]* of [0-9,]+ rows, seen `).MatchString(stdout) {
			t.Errorf("nothing was built of %s:\n%s", id, stdout)
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
	start = time.Now()
	c := w.command(t, "build", "--ca", w.hosts.CA)
	again, err := c.CombinedOutput()
	if err != nil {
		t.Error(err)
	}
	stderr = string(again)
	const most = 2 * time.Second // of the processor, so that a busy machine fails nothing
	took := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	t.Logf("a build with nothing new takes %v, %v of the processor", time.Since(start), took)
	if took > most && !vectortest.UnderRace {
		t.Errorf("a build with nothing new takes %v of the processor", took)
	}
	if !strings.Contains(stderr, "nothing is new") || len(w.hosts.Asked()) > 0 || w.read(t, recipe.Catalog) != before {
		t.Errorf("the second build: %s", stderr)
	}
}

// The page that says what numbers are worth has a line for each source.
func TestWorthOfEachSource(t *testing.T) {
	page := readSource(t, "../docs/sources/benchmarks.md")
	for _, id := range append(recipe.Known(), "table") {
		if !regexp.MustCompile(`(?m)^\| \[.` + id + `.\]\([^|]*\| [^|]+ \| [^|]+ \| [^|]+ \|$`).MatchString(page) {
			t.Errorf("the page says nothing of %s", id)
		}
	}
}

// A build that is killed between two of its files leaves a new catalog with the lock and the record of the one before.
// Nobody is told of the wrong record, and the next run puts the rest in place.
func TestKilledBetweenFiles(t *testing.T) {
	w := newWorkshop(t)
	offers := readSource(t, "../examples/sources/openrouter/models.json")
	w.hosts.Serve(hosttest.OpenRouter, offers)
	w.must(t, "init", "--sources", "openrouter-models")
	w.must(t, "build")
	late := []string{recipe.LockName, recipe.BuildName}
	before, after := map[string]string{}, map[string]string{}
	for _, name := range late {
		before[name] = w.read(t, name)
	}
	w.clock = "2026-08-02T06:00:00Z"
	w.hosts.Serve(hosttest.OpenRouter, strings.Replace(offers, `"prompt":"0.`, `"prompt":"1.`, 1))
	w.must(t, "build")
	outputs := filepath.Join(w.folder, ".svc", "outputs")
	if err := os.MkdirAll(outputs, 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(outputs, "whole.json"), []byte(`["`+recipe.Catalog+`","`+strings.Join(late, `","`)+`"]`))
	for _, name := range late {
		after[name] = w.read(t, name)
		writeFile(t, filepath.Join(outputs, name), []byte(after[name]))
		writeFile(t, filepath.Join(w.folder, name), []byte(before[name]))
	}
	if show, _ := w.must(t, "show", "--output", "table"); strings.Contains(show, "Built of") {
		t.Errorf("a record of another catalog is told: %s", show)
	}
	w.must(t, "sources", "prune")
	for _, name := range late {
		if got := w.read(t, name); got != after[name] || got == before[name] {
			t.Errorf("%s is not the one of the new catalog", name)
		}
	}
	if show, _ := w.must(t, "show", "--output", "table"); !strings.Contains(show, "Built of") {
		t.Errorf("the record is not told: %s", show)
	}
}

// Who asks a catalog is told of what it was built, and which sources had nothing new: by the record beside it,
// or by one that is named.
func TestBuildIsTold(t *testing.T) {
	w := newWorkshop(t)
	for address, file := range map[string]string{hosttest.OpenRouter: "openrouter/models.json", hosttest.Aider: "aider/polyglot_leaderboard.yml"} {
		w.hosts.Serve(address, readSource(t, "../examples/sources/"+file))
	}
	w.must(t, "init", "--sources", "openrouter-models,aider-polyglot,litellm-prices")
	w.must(t, "build")
	const built = "Built of openrouter-models (2026-08-01), aider-polyglot (2026-08-01)."
	const lacks = "the catalog has nothing of litellm-prices: "
	show, _ := w.must(t, "show", "--output", "table")
	if !strings.Contains(show, "\n"+built+"\nNote: "+lacks) {
		t.Error(show)
	}
	for _, output := range []string{"json", "table"} {
		answer, warned := w.must(t, "rank", "--maximize", "aider.polyglot.pass_rate_2", "--all", "--output", output)
		answer = strings.Join(strings.Fields(answer), " ")
		if !strings.Contains(warned, "warning: "+lacks) || strings.Contains(warned, "no model") || !strings.Contains(answer, "2 of 4 rows of aider-polyglot are in no model") {
			t.Errorf("%s\n%s", answer, warned)
		}
	}
	w.must(t, "report", "-o", "page.html")
	packed, err := base64.StdEncoding.DecodeString(regexp.MustCompile(`H4sI[A-Za-z0-9+/]{99,}=*`).FindString(w.read(t, "page.html")))
	if err != nil {
		t.Fatal(err)
	}
	data, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(data); err != nil || !strings.Contains(string(text), `"notes":["`+built+`","`+lacks) {
		t.Errorf("the page has %.300s: %v", text, err)
	}
	c := w.command(t, "mcp")
	c.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"rank","arguments":{"maximize":["aider.polyglot.pass_rate_2"],"all":true}}}` + "\n")
	answers, err := c.Output()
	if text := string(answers); err != nil || strings.Count(text, lacks) != 2 || !strings.Contains(text, built) || !strings.Contains(text, "2 of 4 rows of aider-polyglot are in no model") {
		t.Errorf("%v: %s", err, text)
	}
	// What is locked of models is checked against it; a lock of its bytes is another kind of file.
	w.must(t, "lock", "--use", "openrouter:acme/atlas-70b", "-o", "models.lock.json")
	if out, _ := w.must(t, "check", "--lock", "models.lock.json", "--now", w.clock, "--output", "table"); !strings.Contains(out, "are as they were locked") {
		t.Error(out)
	}
	if _, stderr, code := w.svc(t, "check", "--lock", recipe.LockName); code != exitFailure || !strings.Contains(stderr, "holds a catalog lock, not a models lock") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	// A record that is named tells of this catalog.
	if err := os.Rename(filepath.Join(w.folder, recipe.BuildName), filepath.Join(w.folder, "other.json")); err != nil {
		t.Fatal(err)
	}
	if show, _ := w.must(t, "show", "--output", "table"); strings.Contains(show, built) {
		t.Error("a record that is elsewhere is found")
	}
	if show, _ := w.must(t, "show", "--output", "table", "--build", "other.json"); !strings.Contains(show, built) {
		t.Error(show)
	}
	writeFile(t, filepath.Join(w.folder, "odd.json"), []byte(strings.Replace(w.read(t, "other.json"), `"catalog": "`, `"catalog": "`+strings.Repeat("0", 64)+`", "x": "`, 1)))
	writeFile(t, filepath.Join(w.folder, "stale.json"), []byte(regexp.MustCompile(`"catalog": "[0-9a-f]{64}"`).ReplaceAllString(w.read(t, "other.json"), `"catalog": "`+strings.Repeat("0", 64)+`"`)))
	for name, want := range map[string]string{
		"odd.json": "unknown field", "stale.json": "stale.json: tells of another catalog", "none.json": "none.json: no such file", "catalog.json": "holds a catalog, not a build record",
	} {
		if _, stderr, code := w.svc(t, "show", "--build", name); code != exitFailure || !strings.Contains(stderr, want) {
			t.Errorf("--build %s: exit code %d: %s", name, code, stderr)
		}
	}
}
