// Package routers_test runs the routers of this folder against a server whose faults are
// known.
package routers_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service/catalog"
	"github.com/model-catalog-service/svc/service/serve"
)

func TestPython(t *testing.T) {
	testRouter(t, vectortest.Tool(t, "python3", "python3"), "router.py")
}

func TestTypeScript(t *testing.T) {
	node := vectortest.Tool(t, "node", "nodejs")
	compiler, err := filepath.EvalSymlinks(vectortest.Tool(t, "tsc", "typescript and @types/node from npm"))
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	types := filepath.Join(filepath.Dir(compiler), "../../@types")
	if text, err := exec.Command(compiler, "--typeRoots", types, "--outDir", out).CombinedOutput(); err != nil {
		t.Fatalf("tsc: %v\n%s", err, text)
	}
	if err := os.WriteFile(filepath.Join(out, "package.json"), []byte(`{"type": "module"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	testRouter(t, node, filepath.Join(out, "main.js"))
}

// testRouter takes a router through a day: a first answer, the same catalog, a busy
// server, a dead one, a new catalog, one in which nothing holds, and a bad request.
func testRouter(t *testing.T, program ...string) {
	t.Parallel()
	s := newServer(t)
	request := choice(t)
	r := start(t, s.url, request, program...)

	first := r.choose(t, "first")
	if want := s.order(t, request); first != want {
		t.Errorf("candidates\n%s, want those with evidence in the order of svc\n%s", first, want)
	}
	for _, id := range []string{"half-known", "dear"} {
		if strings.Contains(first, id) {
			t.Errorf("%s is a candidate: %s", id, first)
		}
	}
	if got := r.choose(t, "again"); got != first || s.ranks.Load() != 1 {
		t.Errorf("the same catalog: %d rank requests, want 1; candidates\n%s, want\n%s", s.ranks.Load(), got, first)
	}

	s.busy.Store(2)
	if got := r.choose(t, "busy"); got != first {
		t.Errorf("busy twice: %s, want %s", got, first)
	}
	s.busy.Store(1000)
	if got := r.choose(t, "dead"); got != first {
		t.Errorf("a dead server: %s, want the answer of before, %s", got, first)
	}
	s.busy.Store(0)

	s.use(t, "2025-12-02T18:00:00Z")
	if got := r.choose(t, "evening"); got != first || s.ranks.Load() != 2 {
		t.Errorf("a new catalog: %d rank requests, want 2; candidates\n%s, want\n%s", s.ranks.Load(), got, first)
	}
	s.use(t, "2031-01-01T00:00:00Z")
	if got := r.choose(t, "later"); !strings.HasPrefix(got, "nobody: ") || !strings.Contains(got, "grok-4: stale evidence for price.output") {
		t.Errorf("nothing holds: %s, want nobody, and why", got)
	}
	if warnings := r.end(t); strings.Count(warnings, "warning: ") != 1 || !strings.Contains(warnings, "answers 503; using the answer of catalog") {
		t.Errorf("standard error: %q, want one warning of an old answer", warnings)
	}

	s.use(t, "2025-12-02T12:00:00Z")
	question := map[string]any{"schemaVersion": "service.rank.question/v1", "maximize": []string{"aider.polyglot.pass_rate_2"}}
	r = start(t, s.url, question, program...)
	if got := r.choose(t, "asked"); !strings.HasPrefix(got, "gpt-5") {
		t.Errorf("a question: %s", got)
	}
	r.end(t)

	request["confidence"] = 2
	r = start(t, s.url, request, program...)
	if got := r.choose(t, "bad"); !strings.HasPrefix(got, "nobody: $.confidence: ") {
		t.Errorf("a bad request: %s, want the path of the fault", got)
	}
	r.end(t)

	s.close()
	r = start(t, s.url, choice(t), program...)
	if got := r.choose(t, "gone"); !strings.HasPrefix(got, "nobody: http://127.0.0.1:") {
		t.Errorf("no server: %s, want its address", got)
	}
	r.end(t)
}

// choice is the request of the leaderboards with two more candidates: one that costs too
// much, and one that a single of the two benchmarks knows.
func choice(t *testing.T) map[string]any {
	t.Helper()
	text, err := os.ReadFile("../leaderboards/choice.json")
	if err != nil {
		t.Fatal(err)
	}
	var request map[string]any
	if err := json.Unmarshal(text, &request); err != nil {
		t.Fatal(err)
	}
	candidate := func(id, model string) map[string]any {
		return map[string]any{"id": id, "model": map[string]any{"id": model}, "execution": map[string]any{"runtime": map[string]any{"id": "openrouter"}}}
	}
	request["minimumCoverage"] = 0
	request["inventory"] = append(request["inventory"].([]any), candidate("dear", "openai/o1"), candidate("half-known", "x-ai/grok-3-mini-beta"))
	return request
}

// server is svc with a catalog that can be exchanged, and faults.
type server struct {
	url     string
	close   func()
	catalog atomic.Pointer[serve.CatalogHandler]
	ranks   atomic.Int32 // requests to rank that were answered
	busy    atomic.Int32 // how many requests are still to be refused
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{}
	s.use(t, "2025-12-02T12:00:00Z")
	listener := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.busy.Add(-1) >= 0 {
			w.Header().Set("Retry-After", "0")
			http.Error(w, `{"error": {"code": "RANK_CAPACITY_EXCEEDED", "message": "busy"}}`, http.StatusServiceUnavailable)
			return
		}
		if r.URL.Path == "/v1/rank" {
			s.ranks.Add(1)
		}
		s.catalog.Load().ServeHTTP(w, r)
	}))
	t.Cleanup(listener.Close)
	s.url, s.close = listener.URL, listener.Close
	return s
}

// use has the server answer from the leaderboards as of an instant.
func (s *server) use(t *testing.T, asOf string) {
	t.Helper()
	instant, err := time.Parse(time.RFC3339, asOf)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../leaderboards/observations/*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var observations []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		observations = append(observations, strings.Split(strings.TrimSpace(string(text)), "\n")...)
	}
	c, err := catalog.Compile(t.Context(), observations, catalog.CompileOptions{AsOf: instant})
	if err != nil {
		t.Fatal(err)
	}
	handler, err := serve.NewCatalogHandler(c, serve.CatalogOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s.catalog.Store(handler)
}

// order is what the routers ought to print: who is ranked with all evidence.
func (s *server) order(t *testing.T, request map[string]any) string {
	t.Helper()
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	s.catalog.Load().ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/rank", strings.NewReader(string(body))))
	type candidate struct {
		CandidateID string
		Model       struct{ ID string }
		Coverage    float64
	}
	var answer struct {
		Choice candidate
		Ranked []candidate
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	var names []string
	isChosen := func(id string) int {
		if id == answer.Choice.CandidateID {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(answer.Ranked, func(a, b candidate) int { return isChosen(a.CandidateID) - isChosen(b.CandidateID) })
	for _, c := range answer.Ranked {
		if c.Coverage == 1 {
			names = append(names, fmt.Sprintf("%s (%s)", c.CandidateID, c.Model.ID))
		}
	}
	if len(names) == len(answer.Ranked) || len(names) == 0 {
		t.Fatalf("%d of %d have all evidence: the test needs some of both", len(names), len(answer.Ranked))
	}
	return strings.Join(names, ", ")
}

// router is a running program that reads a job a line.
type router struct {
	process *exec.Cmd
	jobs    io.WriteCloser
	answers *bufio.Scanner
	errors  strings.Builder
}

func start(t *testing.T, url string, request map[string]any, program ...string) *router {
	t.Helper()
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "request.json")
	if err := os.WriteFile(file, body, 0o600); err != nil {
		t.Fatal(err)
	}
	r := &router{}
	r.process = exec.CommandContext(t.Context(), program[0], append(program[1:], url, file, "0")...)
	r.process.Stderr = &r.errors
	if r.jobs, err = r.process.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := r.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	r.answers = bufio.NewScanner(out)
	if err := r.process.Start(); err != nil {
		t.Fatal(err)
	}
	return r
}

// choose asks for the candidates for a job.
func (r *router) choose(t *testing.T, job string) string {
	t.Helper()
	if _, err := fmt.Fprintln(r.jobs, job); err != nil {
		t.Fatal(err)
	}
	if !r.answers.Scan() {
		r.end(t)
		t.Fatalf("no answer: %v\n%s", r.answers.Err(), r.errors.String())
	}
	names, found := strings.CutPrefix(r.answers.Text(), job+": ")
	if !found {
		t.Fatalf("%q is not an answer to %s", r.answers.Text(), job)
	}
	return names
}

// end closes standard input and returns what was written to standard error.
func (r *router) end(t *testing.T) string {
	t.Helper()
	if err := r.jobs.Close(); err != nil {
		t.Error(err)
	}
	if err := r.process.Wait(); err != nil {
		t.Errorf("%v\n%s", err, r.errors.String())
	}
	return r.errors.String()
}
