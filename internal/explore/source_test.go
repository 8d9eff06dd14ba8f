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
	"regexp"
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
	"github.com/model-catalog-service/svc/internal/explore/browsertest"
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
	if r.Method != http.MethodPost {
		w.Handler.ServeHTTP(to, r)
		return
	}
	body, _ := io.ReadAll(r.Body)
	var q struct {
		SchemaVersion string
		Inventory     []any
		Advisories    []any
	}
	if r.URL.Path == "/explore/answer" {
		q.SchemaVersion = "service.rank.request/v3" // which it is made to
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
		r.Header.Del("Accept-Encoding")
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

// until waits for something that the page does by and by.
func (w *watch) until(t *testing.T, what string, done func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for isDone := false; !isDone; time.Sleep(10 * time.Millisecond) {
		if w.change(func() { isDone = done() }); time.Now().After(deadline) {
			t.Fatal(what)
		}
	}
}

// Changes of a ranking that come one upon the other are asked as one, and an answer that is
// no longer waited for is broken off: what is shown is the answer to the last.
func TestRankAsksOnceForManyChanges(t *testing.T) {
	b := start(t)
	c := Compile(t, June2, priced(20)...)
	w := &watch{Handler: handler(t, c, explore.Extras{})}
	server := httptest.NewServer(w)
	defer server.Close()
	tab := open(t, b, desk, server.URL+"/#/rank?q=%7B%22maximize%22:%5B%22limits.context%22%5D,%22minimize%22:%5B%22price.output%22%5D%7D")
	wait(t, tab, `document.querySelectorAll(".result").length > 1`)
	asked := 0
	w.change(func() { asked = w.asked })
	weigh := func(weights ...int) {
		t.Helper()
		eval[bool](t, tab, fmt.Sprintf(`(() => { const field = document.querySelector(".criteria input[type=number]"); for (const weight of [%s]) { field.value = weight; field.dispatchEvent(new Event("input")); } return true; })()`,
			strings.Trim(strings.Join(strings.Fields(fmt.Sprint(weights)), ","), "[]")))
	}
	weigh(2, 3, 4, 5, 6)
	wait(t, tab, `document.querySelector(".heads .points").textContent === "Scoreof 7"`)
	w.change(func() {
		if n := w.asked - asked; n != 1 {
			t.Errorf("five changes were asked %d times", n)
		}
		w.hold = true
	})
	weigh(7)
	w.until(t, "nothing was asked", func() bool { return w.running == 1 })
	w.change(func() { w.hold = false })
	weigh(8)
	wait(t, tab, `document.querySelector(".heads .points").textContent === "Scoreof 9"`)
	w.until(t, "what nobody waits for was not broken off", func() bool { return w.left && w.running == 0 })
	if shown := eval[string](t, tab, `document.querySelector(".heads .points").textContent`); shown != "Scoreof 9" {
		t.Errorf("an answer that was not waited for is shown: %s", shown)
	}
	clean(t, tab, "many changes")
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
		"context window against price of output": {statement("a", 1), statement("b", 2)},
		"quality against price of output":        {statement("a", 1, Sample("quality", 0.5)), statement("b", 2)},
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

// Facts that changed or were settled are those of the table of svc diff.
func TestChangesAreThoseOfTheTable(t *testing.T) {
	b := start(t)
	statement := func(id, from, until string, price, context float64, effort string) Statement {
		return Statement{ID: id, Execution: At("here"), From: from, Until: until, Measurements: []any{
			Fact("price.output", price, "USD/token"), Fact("limits.context", context, "tokens"), Fact("effort", effort)}}
	}
	settled := Statement{ID: "e", Execution: At("here"), From: May1, Until: May31, Measurements: []any{Fact("price.output", 2e-6, "USD/token"), Fact("limits.context", 1000, "tokens")}}
	other, resolved := settled, settled
	other.Measurements = []any{Fact("price.output", 3e-6, "USD/token")}
	resolved.From, resolved.Until, resolved.Measurements = May31, "", []any{Fact("price.output", 3e-6, "USD/token"), Fact("limits.context", 2500, "tokens")}
	old := []Statement{settled, other, statement("a", May1, May31, 1e-6, 1000, "low"), statement("b", May1, May31, 1e-6, 1000, "low"), statement("c", May1, May31, 1e-6, 1000, "low"), statement("d", May1, May31, 1e-6, 1000, "low")}
	new := append(slices.Clone(old), resolved, statement("a", May31, "", 1e-6, 1000, "high"), statement("b", May31, "", 2e-6, 1100, "high"), statement("c", May31, "", 1e-7, 1000, "low"), statement("d", May31, "", 0, 3000, "low"))
	before, after := Compile(t, May2, old...), Compile(t, June2, new...)
	d, err := compare.Catalogs(t.Context(), before, after, compare.Options{Limit: compare.DefaultLimit})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	name := ""
	for _, block := range table.New(d, nil, 0) {
		if len(block.Heading) == 0 || !slices.Contains([]string{"PRICE UP", "PRICE DOWN", "CHANGED"}, block.Heading[0]) {
			continue
		}
		for _, row := range block.Rows {
			if row.Cells[0] != "" {
				name = row.Cells[0]
			}
			want = append(want, name+" "+row.Cells[2])
		}
	}
	tab := open(t, b, desk, serve(t, after, explore.Extras{Diff: d})+"/#/changes")
	got := eval[[]string](t, tab, `[...document.querySelectorAll("#main tbody tr")].filter((r) => r.querySelector(".sign.changed, .sign.settled")).map((r) => r.querySelector(".model").textContent + " " + r.querySelector(".keyname").textContent)`)
	slices.Sort(want)
	slices.Sort(got)
	if d.Summary.Facts[compare.Settled] != 1 || len(want) < 8 || !slices.Equal(got, want) {
		t.Errorf("the page has %q\nthe table %q", got, want)
	}
	clean(t, tab, "changes")
}

// The page gives the reasons of every move that the table of svc diff gives.
func TestReasonsAreThoseOfTheTable(t *testing.T) {
	b := start(t)
	said := func(model, until string, price float64, context int) Statement {
		return Statement{ID: model, Execution: At("r"), From: May1, Until: until, Evidence: []string{model + until}, Measurements: []any{Fact("price.output", price/1e6, "USD/token"), Fact("limits.context", context, "tokens")}}
	}
	old := Compile(t, May2, said("changed", May31, 5, 1000), said("expires", May31, 2, 2000), said("stays", "", 9, 3000), said("torn", "", 3, 1500), said("falls", May31, 4, 4000), said("lost", May31, 1, 1000))
	now := []Statement{said("changed", "", 4, 1000), said("expires", May31, 2, 2000), said("stays", "", 9, 3000), said("torn", "", 3, 1500), said("torn", May31, 3, 1700), said("falls", "", 4, 500), said("came", "", 6, 2500)}
	now[3].Evidence, now[4].Until, now[0].From, now[5].From = []string{"other"}, "", May31, May31
	name := filepath.Join(t.TempDir(), "request")
	inventory := ""
	for _, model := range []string{"changed", "expires", "stays", "torn", "falls", "came", "lost"} {
		inventory += fmt.Sprintf(`,{"id":"%s","model":{"id":"%[1]s"},"execution":{"runtime":{"id":"r"}}}`, model)
	}
	text := `{"schemaVersion":"service.rank.request/v3","inventory":[` + inventory[1:] + `],"requirements":[{"measurementKey":"limits.context","aggregation":"fact","operator":"lte","value":3500}],
		"preferences":[{"measurementKey":"price.output","aggregation":"fact","direction":"minimize","weight":2},{"measurementKey":"limits.context","aggregation":"fact","direction":"maximize","weight":1}]}`
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	new := Compile(t, June2, now...)
	e := asked(t, request(t, name), old, new)
	tab := open(t, b, desk, serve(t, new, e)+"/#/changes")
	got := eval[[]string](t, tab, `[...document.querySelectorAll(".move")].map((m) => [m.querySelector(".who"), m.querySelector(".why")].map((n) => n.textContent).join(": "))`)
	var want []string
	for _, block := range table.New(e.Diff, []string{"request"}, 0) {
		if len(block.Heading) == 0 || block.Heading[0] != "request" {
			continue
		}
		for _, row := range block.Rows {
			want = append(want, row.Cells[0]+": "+row.Cells[len(row.Cells)-1])
		}
	}
	plain := regexp.MustCompile(` / M| tokens`) // the page has the unit of each value
	for i := range got {
		got[i] = plain.ReplaceAllString(got[i], "")
	}
	if !slices.ContainsFunc(want, func(line string) bool { return strings.Contains(line, "expired on 2026-05-31") }) {
		t.Errorf("nothing expired in %q", want)
	}
	if len(want) < 5 || !slices.Equal(got, want) {
		t.Errorf("the page has %q\nthe table %q", got, want)
	}
}

// Of a ranking of many the first twenty that came out differently are shown, and a button
// for the rest; lines lead from the old ranks to the new ones. Samples that came to something
// else are listed like facts, with how many they are.
func TestChangesOfMany(t *testing.T) {
	b := start(t)
	const models = 70
	var old, new []Statement
	inventory := ""
	for i := range models {
		id := fmt.Sprintf("m%02d", i)
		s := Statement{ID: id, Execution: At("r"), Task: Job("f", nil, nil), Evidence: []string{"old"}, Until: May31, Measurements: []any{Sample("score", i)}}
		old = append(old, s)
		s.Evidence, s.From, s.Until, s.Measurements = []string{"new"}, May31, "", []any{Sample("score", 2*(models-i))}
		new = append(new, s)
		inventory += fmt.Sprintf(`,{"id":"%s","model":{"id":"%[1]s"},"execution":{"runtime":{"id":"r"}}}`, id)
	}
	name := filepath.Join(t.TempDir(), "request")
	text := `{"schemaVersion":"service.rank.request/v3","inventory":[` + inventory[1:] + `],"preferences":[{"measurementKey":"score","aggregation":"mean","direction":"maximize","weight":1,"transfer":["execution"]}]}`
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	before, after := Compile(t, May2, old...), Compile(t, June2, append(old, new...)...)
	tab := open(t, b, desk, serve(t, after, asked(t, request(t, name), before, after))+"/#/changes")
	count := func(what string) int { return eval[int](t, tab, `document.querySelectorAll("#main `+what+`").length`) }
	if shown, lines := count(".move"), count(".slopes line"); shown != 20 || lines < 60 {
		t.Errorf("%d moves are shown, and %d lines", shown, lines)
	}
	eval[bool](t, tab, `(document.querySelector(".moves button").click(), true)`)
	if all, buttons := count(".move"), count(".moves button"); all != models || buttons != 0 {
		t.Errorf("%d of %d moves, and %d buttons after all were asked for", all, models, buttons)
	}
	row := eval[string](t, tab, `[...document.querySelectorAll("#main tbody tr")].find((r) => r.querySelector("th .model")?.textContent === "m07" && r.querySelector(".keyname")).innerText.replace(/\s+/g, " ")`)
	if want := "~ changed m07 r score 7 n 1 126 n 1"; strings.TrimSpace(row) != want {
		t.Errorf("the row is %q, want %q", row, want)
	}
	clean(t, tab, "changes of many")
}

// A plot has at most twelve labels, which are not on one another, wide and narrow.
func TestLabels(t *testing.T) {
	b := start(t)
	for points, name := range map[int]string{5: "m%02d", 9: "maker/MODEL-WITH-A-WIDE-NAME-%02d", 24: "m%02d"} {
		var list []Statement
		for i := range points {
			list = append(list, Statement{ID: fmt.Sprintf(name, i), Execution: At("r"), Measurements: []any{
				Fact("price.output", float64(i+1)/1e6, "USD/token"), Fact("limits.context", 1000*(i+1), "tokens")}})
		}
		url := serve(t, Compile(t, June2, list...), explore.Extras{})
		for _, view := range []browsertest.View{desk, {Width: 360, Height: 740}} {
			tab := open(t, b, view, url+"/#/plot?x=price.output&y=limits.context")
			wait(t, tab, fmt.Sprintf(`document.querySelectorAll(".drawing .dot.front").length === %d`, points))
			n, over := eval[int](t, tab, `document.querySelectorAll(".labels text").length`), eval[[]string](t, tab, `(() => {
				const all = [...document.querySelectorAll(".labels text")].map((n) => [n.getBoundingClientRect(), n.textContent]);
				return all.flatMap(([a, x], i) => all.slice(i + 1).filter(([b]) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 2 && b.top < a.bottom - 2).map(([, y]) => x + " on " + y));
			})()`)
			if n < 2 || n > 12 || len(over) > 0 {
				t.Errorf("%d points at %d: %d labels, %q", points, view.Width, n, over)
			}
			clean(t, tab, "labels")
			tab.Close()
		}
	}
}

// A contradiction ends when those that hold say one thing, not when the first of them
// expires, and a source class ends it that says one thing by itself.
func TestEndOfAContradiction(t *testing.T) {
	b := start(t)
	said := func(class, until string, price float64) Statement {
		return Statement{ID: "m", Source: class, Execution: At("here"), From: May1, Until: until, Measurements: []any{Fact("price", price)}, Evidence: []string{class + until}}
	}
	c := Compile(t, June2, said("external", "2026-06-10T00:00:00.000Z", 2), said("external", "2026-06-20T00:00:00.000Z", 1), said("first-party", "", 2))
	tab := open(t, b, desk, serve(t, c, explore.Extras{})+"/#/model/"+c.Models()[0].Key)
	const want = "They overlap from 2026-05-01 to 2026-06-20. It ends by itself on 2026-06-20, as evidence expires; admitting first-party evidence alone would end it."
	if got := eval[string](t, tab, `document.querySelector(".versus > p").textContent`); got != want {
		t.Error(got)
	}
	clean(t, tab, "a contradiction")
}

// A point of the frontier is hollow if its interval overlaps that of any cheaper one on it.
func TestHollowPoints(t *testing.T) {
	b := start(t)
	var list []Statement
	for i, p := range []struct{ price, low, high int }{{1, 10, 90}, {2, 56, 58}, {3, 60, 62}, {4, 91, 93}} {
		model := fmt.Sprint("m", i)
		list = append(list, Statement{ID: model, Execution: Ran("r"), Measurements: []any{Fact("price.output", float64(p.price)/1e6, "USD/token")}})
		for k, score := range []int{p.low, p.high, p.low, p.high, p.low, p.high, p.low, p.high} {
			list = append(list, Statement{ID: model, Execution: Ran("r"), Task: Job("f", nil, fmt.Sprint("t", k)), Measurements: []any{Sample("score", score)}})
		}
	}
	tab := open(t, b, desk, serve(t, Compile(t, June2, list...), explore.Extras{})+"/#/plot?x=price.output&y=score")
	wait(t, tab, `document.querySelectorAll(".dot.front").length > 3`)
	got := eval[[]string](t, tab, `[...document.querySelectorAll(".drawing a.hit")].map((n) => n.getAttribute("aria-label").slice(0, 2) + (n.querySelector(".unsure") ? " hollow" : n.querySelector(".front") ? "" : " behind")).sort()`)
	if want := []string{"m0", "m1 hollow", "m2 hollow", "m3"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	clean(t, tab, "plot")
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
		"Too long: save the request": {Requests: []explore.Request{request(t, name)}},
		"Copied|The browser refused": {Requests: []explore.Request{short}},
	} {
		tab := open(t, b, desk, serve(t, c, e)+"/")
		if err := tab.Go("#/rank", "rank"); err != nil {
			t.Fatal(err)
		}
		wait(t, tab, `document.querySelectorAll(".result").length > 1 && (location.hash === "#/rank") === `+fmt.Sprint(strings.HasPrefix(said, "Too")))
		eval[bool](t, tab, `(document.querySelector(".tools button").click(), true)`)
		wait(t, tab, strconv.Quote(said)+`.split("|").includes(document.querySelector(".tools button").textContent)`)
		wait(t, tab, `document.querySelector(".tools button").textContent === "Copy link"`)
		clean(t, tab, said)
		tab.Close()
	}
}
