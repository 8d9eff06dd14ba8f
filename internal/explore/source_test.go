package explore_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/compare"
	. "github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/internal/compare/table"
	"github.com/model-catalog-service/svc/internal/explore"
)

// watch is a server that notes what the page asks of the ranking, and answers as a test
// wants it.
type watch struct {
	http.Handler
	mu         sync.Mutex
	asked      int // requests
	candidates int // in those that were answered
	running    int
	most       int // at once
	faults     []string
	left       bool // a request was broken off
	busy       int  // so many are answered with 503 at first
	hold       bool // others wait until they are broken off
	digest     string
}

func (w *watch) ServeHTTP(to http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/v1/rank" {
		w.Handler.ServeHTTP(to, r)
		return
	}
	body, _ := io.ReadAll(r.Body)
	var q struct {
		SchemaVersion string
		Inventory     []any
		Advisories    []any
	}
	err := json.Unmarshal(body, &q)
	w.mu.Lock()
	w.asked++
	w.running++
	w.most = max(w.most, w.running)
	if err != nil || len(q.Inventory) > 128 || len(q.Advisories) > 8 || q.SchemaVersion != "service.rank.request/v3" {
		w.faults = append(w.faults, fmt.Sprintf("%s with %d candidates and %d advisories: %v", q.SchemaVersion, len(q.Inventory), len(q.Advisories), err))
	}
	isBusy, hold, digest := w.busy > 0, w.hold, w.digest
	if isBusy {
		w.busy--
	} else {
		w.candidates += len(q.Inventory)
	}
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		w.running--
		w.mu.Unlock()
	}()
	switch {
	case isBusy:
		to.Header().Set("Retry-After", "1")
		http.Error(to, `{"error":{"code":"BUSY","message":"busy"}}`, http.StatusServiceUnavailable)
	case hold:
		select {
		case <-r.Context().Done():
			w.mu.Lock()
			w.left = true
			w.mu.Unlock()
		case <-time.After(20 * time.Second):
		}
	default:
		time.Sleep(20 * time.Millisecond) // so that several run at once
		r.Body = io.NopCloser(bytes.NewReader(body))
		answer := httptest.NewRecorder()
		w.Handler.ServeHTTP(answer, r)
		text := answer.Body.String()
		if digest != "" {
			text = strings.ReplaceAll(text, digest, strings.Repeat("0", len(digest)))
		}
		to.Header().Set("Content-Type", "application/json")
		to.WriteHeader(answer.Code)
		_, _ = io.WriteString(to, text)
	}
}

func (w *watch) change(do func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	do()
}

// The page asks for values as the API can bear: 128 candidates and 8 criteria a request,
// three at a time, again after what a busy server says, and no longer than they are wanted.
// Where the server has another catalog meanwhile, a line says so.
func TestPageAsksWithinBounds(t *testing.T) {
	b := start(t)
	const models = 700
	var statements []Statement
	for i := range models {
		statements = append(statements, Statement{ID: fmt.Sprintf("maker/model-%d", i), Execution: At("here"), Measurements: []any{
			Fact("price.output", float64(i+1)/1e6, "USD/token"), Fact("limits.context", 1000*(i%37+1), "tokens"), Fact("price.input", 1e-7, "USD/token"),
		}})
	}
	c := Compile(t, June2, statements...)
	w := &watch{Handler: handler(t, c, explore.Extras{}), busy: 2}
	server := httptest.NewServer(w)
	defer server.Close()
	tab := open(t, b, desk, server.URL+"/")
	if err := tab.Go("#/plot?x=price.output&y=limits.context", "plot"); err != nil {
		t.Fatal(err)
	}
	wait(t, tab, `document.querySelectorAll("a.hit").length === `+fmt.Sprint(models))
	w.change(func() {
		if w.most > 3 || w.most < 2 || w.candidates != models || w.asked != (models+127)/128+2 {
			t.Errorf("%d requests, %d at once, for %d candidates", w.asked, w.most, w.candidates)
		}
		for _, fault := range w.faults {
			t.Error(fault)
		}
		w.hold = true
	})
	tab.Faults() // the browser notes 503
	eval[bool](t, tab, `(location.hash = "#/plot?x=price.input&y=limits.context", true)`)
	deadline := time.Now().Add(20 * time.Second)
	until := func(what string, done func() bool) {
		t.Helper()
		for isDone := false; !isDone; time.Sleep(10 * time.Millisecond) {
			if w.change(func() { isDone = done() }); time.Now().After(deadline) {
				t.Fatal(what)
			}
		}
	}
	until("nothing was asked", func() bool { return w.running == 3 })
	if err := tab.Go("#/models", "models"); err != nil {
		t.Fatal(err)
	}
	until("what was asked for a screen that was left was not broken off", func() bool { return w.left && w.running == 0 })
	clean(t, tab, "a screen that was left")

	w.change(func() { w.hold, w.digest = false, c.Digest() })
	if err := tab.Go("#/plot?x=price.output&y=limits.context", "plot"); err != nil {
		t.Fatal(err)
	}
	wait(t, tab, `!document.getElementById("other").hidden && document.getElementById("other").innerText.includes("another catalog") && document.querySelector("#other button")`)
	clean(t, tab, "another catalog")
}

// A plot begins with a price against a benchmark, or where there is none with a price
// against another number: not with two that say the same.
func TestPlotBeginsWithAPrice(t *testing.T) {
	b := start(t)
	statement := func(id string, n int, more ...any) Statement {
		return Statement{ID: id, Execution: Ran("here"), Task: Job("f", nil, nil), Measurements: append(more,
			Fact("limits.context", 1000*n, "tokens"), Fact("limits.input", 1000*n, "tokens"), Fact("price.output", float64(n)/1e6, "USD/token"), Fact("price.input", float64(n)/1e7, "USD/token"))}
	}
	for want, list := range map[string][]Statement{
		"limits.context against price.output": {statement("a", 1), statement("b", 2)},
		"quality against price.output":        {statement("a", 1, Sample("quality", 0.5)), statement("b", 2)},
	} {
		tab := open(t, b, desk, serve(t, Compile(t, June2, list...), explore.Extras{})+"/#/plot")
		wait(t, tab, `document.querySelector("a.hit")`)
		if got := eval[string](t, tab, `document.querySelector("h1").textContent`); got != want {
			t.Errorf("it begins with %s, want %s", got, want)
		}
		clean(t, tab, want)
		tab.Close()
	}
}

// Facts that changed come in the order of the table of svc diff.
func TestChangesComeInTheOrderOfTheTable(t *testing.T) {
	b := start(t)
	statement := func(id, from, until string, price, context float64, effort string) Statement {
		return Statement{ID: id, Execution: At("here"), From: from, Until: until, Measurements: []any{
			Fact("price.output", price, "USD/token"), Fact("limits.context", context, "tokens"), Fact("effort", effort)}}
	}
	old := []Statement{statement("a", May1, May31, 1e-6, 1000, "low"), statement("b", May1, May31, 1e-6, 1000, "low"), statement("c", May1, May31, 1e-6, 1000, "low"), statement("d", May1, May31, 1e-6, 1000, "low")}
	new := append(slices.Clone(old), statement("a", May31, "", 1e-6, 1000, "high"), statement("b", May31, "", 2e-6, 1100, "high"), statement("c", May31, "", 1e-7, 1000, "low"), statement("d", May31, "", 0, 3000, "low"))
	before, after := Compile(t, May2, old...), Compile(t, June2, new...)
	d, err := compare.Catalogs(t.Context(), before, after, compare.Options{Limit: compare.DefaultLimit})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	name := ""
	for _, block := range table.New(d, nil) {
		if len(block.Heading) == 0 || block.Heading[0] != "CHANGED" {
			continue
		}
		for _, row := range block.Rows {
			if row.Cells[0] != "" {
				name = row.Cells[0]
			}
			want = append(want, name+" "+row.Cells[2])
		}
	}
	tab := open(t, b, desk, serve(t, after, explore.Extras{Diff: d})+"/#/changes?kind=changed")
	got := eval[[]string](t, tab, `[...document.querySelectorAll("#main tbody tr")].map((r) => r.querySelector(".model").textContent + " " + r.querySelector(".keyname").textContent)`)
	if len(want) < 6 || !slices.Equal(got, want) {
		t.Errorf("the page has %q\nthe table %q", got, want)
	}
	clean(t, tab, "changes")
}

// A request that is too long for an address is not in it, and no link is offered that
// would show another one.
func TestLongRequestHasNoLink(t *testing.T) {
	b := start(t)
	c := leaderboards(t, "2025-12-02T12:00:00.000Z")
	inventory := make([]string, 128)
	for i := range inventory {
		id := canonical.Sum([]byte{byte(i)})
		inventory[i] = fmt.Sprintf(`{"id":"%.64s","model":{"id":"%s"}}`, id, canonical.Sum([]byte(id)))
	}
	name := filepath.Join(t.TempDir(), "long.json")
	text := `{"schemaVersion":"service.rank.request/v3","inventory":[` + strings.Join(inventory, ",") + `]}`
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	short := request(t, "../../examples/leaderboards/choice.json")
	for said, e := range map[string]explore.Extras{
		"Too long for a link":        {Requests: []explore.Request{request(t, name)}},
		"Copied|The browser refused": {Requests: []explore.Request{short}},
	} {
		tab := open(t, b, desk, serve(t, c, e)+"/")
		if err := tab.Go("#/rank", "rank"); err != nil {
			t.Fatal(err)
		}
		wait(t, tab, `document.querySelectorAll(".result").length > 3 && (location.hash === "#/rank") === `+fmt.Sprint(strings.HasPrefix(said, "Too")))
		eval[bool](t, tab, `(document.querySelector(".tools button").click(), true)`)
		wait(t, tab, strconv.Quote(said)+`.split("|").includes(document.querySelector(".tools button").textContent)`)
		wait(t, tab, `document.querySelector(".tools button").textContent === "Copy link"`)
		clean(t, tab, said)
		tab.Close()
	}
}
