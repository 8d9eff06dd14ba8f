package explore_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/explore"
	"github.com/model-catalog-service/svc/internal/explore/browsertest"
)

// start starts a browser, or skips the test where there is none.
func start(t *testing.T) *browsertest.Browser {
	t.Helper()
	if _, err := browsertest.Find(); err != nil {
		t.Skip(err)
	}
	b, end, err := browsertest.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end)
	return b
}

func open(t *testing.T, b *browsertest.Browser, view browsertest.View, url string) *browsertest.Tab {
	t.Helper()
	tab, err := b.Open(view, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tab.Close)
	wait(t, tab, `document.getElementById("main") && document.getElementById("main").dataset.ready`)
	return tab
}

func wait(t *testing.T, tab *browsertest.Tab, expression string) {
	t.Helper()
	if err := tab.Wait(expression); err != nil {
		t.Fatal(err)
	}
}

func eval[T any](t *testing.T, tab *browsertest.Tab, expression string) T {
	t.Helper()
	v, err := browsertest.Eval[T](tab, expression)
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// clean demands that the page did nothing that no good page does.
func clean(t *testing.T, tab *browsertest.Tab, where string) {
	t.Helper()
	for _, fault := range tab.Faults() {
		t.Errorf("%s: %s", where, fault)
	}
}

func serve(t *testing.T, c *catalog.Catalog, e explore.Extras) string {
	t.Helper()
	s := httptest.NewServer(handler(t, c, e))
	t.Cleanup(s.Close)
	return s.URL
}

var desk = browsertest.View{Width: 1280, Height: 900}

// addresses are all screens of a catalog, by the screen that they lead to.
func addresses(c *catalog.Catalog) map[string]string {
	m := c.Models()
	return map[string]string{
		"#/models": "models", "#/model/" + m[0].Key: "model", "#/compare?models=" + m[0].Key + "," + m[len(m)-1].Key: "compare",
		"#/plot": "plot", "#/rank": "rank", "#/changes": "changes", "#/models?evidence=expired&q=no+such": "models",
	}
}

// Every screen shows up, wide and narrow, light and dark, without a fault and without
// being wider than the window.
func TestScreens(t *testing.T) {
	b := start(t)
	old, new := leaderboards(t, "2025-12-02T12:00:00.000Z"), leaderboards(t, "2025-12-04T00:00:00.000Z")
	url := serve(t, new, extras(t, old, new))
	for _, view := range []browsertest.View{desk, {Width: 1280, Height: 900, Dark: true}, {Width: 360, Height: 740}, {Width: 360, Height: 740, Dark: true}} {
		tab := open(t, b, view, url+"/")
		for address, screen := range addresses(new) {
			if err := tab.Go(address, screen); err != nil {
				t.Fatalf("%s: %v", address, err)
			}
			where := fmt.Sprintf("%s at %d", address, view.Width)
			if wide := eval[int](t, tab, `document.documentElement.scrollWidth`); wide > view.Width {
				t.Errorf("%s is %d wide", where, wide)
			}
			if text := eval[string](t, tab, `document.getElementById("main").innerText`); strings.Contains(text, "undefined") || strings.Contains(text, "NaN") || strings.Contains(text, "[object") {
				t.Errorf("%s: %s", where, text)
			}
			clean(t, tab, where)
		}
		tab.Close()
	}
}

// The keyboard leads everywhere, an address shows what it showed, and back goes back.
func TestKeysAndAddresses(t *testing.T) {
	b := start(t)
	c := leaderboards(t, "2025-12-02T12:00:00.000Z")
	url := serve(t, c, explore.Extras{CatalogFile: "catalog.json"})
	tab := open(t, b, desk, url+"/")
	rows := `document.querySelectorAll(".screen-models tbody tr").length`
	if n := eval[int](t, tab, rows); n != len(c.Models()) {
		t.Errorf("%d rows, want %d", n, len(c.Models()))
	}
	// The protocol sends a character even where the page has taken its key.
	eval[bool](t, tab, `document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "/", bubbles: true }))`)
	if err := tab.Type("grok"); err != nil {
		t.Fatal(err)
	}
	wait(t, tab, rows+` === 3 && location.hash.includes("q=grok")`)
	address := eval[string](t, tab, `location.href`)
	if err := tab.Type("\x1b"); err != nil {
		t.Fatal(err)
	}
	for _, keys := range []string{"g", "p"} {
		if err := tab.Type(keys); err != nil {
			t.Fatal(err)
		}
	}
	wait(t, tab, `document.getElementById("main").dataset.ready === "plot" && document.querySelectorAll("a.hit").length > 3`)
	if focus := eval[string](t, tab, `document.activeElement.tagName`); focus != "H1" {
		t.Errorf("the focus is on %s after a change of screen", focus)
	}
	eval[bool](t, tab, `(document.querySelector("a.hit[tabindex='0']").focus(), true)`)
	before := eval[string](t, tab, `document.activeElement.getAttribute("aria-label")`)
	if err := tab.Type("\u0303"); err != nil { // the right arrow
		t.Fatal(err)
	}
	if after := eval[string](t, tab, `document.activeElement.getAttribute("aria-label")`); after == before {
		t.Error("arrow keys do not move through the points")
	}
	eval[bool](t, tab, `(history.back(), true)`)
	wait(t, tab, `document.getElementById("main").dataset.ready === "models" && `+rows+` === 3`)
	again := open(t, b, desk, address)
	if n := eval[int](t, again, rows); n != 3 {
		t.Errorf("the link shows %d rows", n)
	}
	if value := eval[string](t, again, `document.getElementById("search").value`); value != "grok" {
		t.Errorf("the link searches for %q", value)
	}
	if err := again.Type("\x1b"); err != nil {
		t.Fatal(err)
	}
	eval[bool](t, again, `(document.querySelector("h1").focus(), true)`)
	if err := again.Type("?"); err != nil {
		t.Fatal(err)
	}
	wait(t, again, `document.querySelector("dialog[open]")`)
	clean(t, tab, "keys")
}

// Numbers on the page are those of the API.
func TestNumbersAreThoseOfTheAPI(t *testing.T) {
	b := start(t)
	c := leaderboards(t, "2025-12-02T12:00:00.000Z")
	e := explore.Extras{Requests: []explore.Request{request(t, "../../examples/leaderboards/coding.json")}, CatalogFile: "catalog.json"}
	h := handler(t, c, e)
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	tab := open(t, b, desk, server.URL+"/#/rank")
	wait(t, tab, `document.querySelectorAll(".result").length > 3`)
	type row struct {
		Who   string  `json:"who"`
		Place int     `json:"place"`
		Score float64 `json:"score"`
	}
	shown := eval[[]row](t, tab, `[...document.querySelectorAll(".result")].map((r) => ({
		who: r.querySelector(".who").textContent, place: Number(r.querySelector(".place").textContent), score: Number(r.querySelector(".points").title) }))`)
	r, err := http.Post(server.URL+"/v1/rank", "application/json", strings.NewReader(e.Requests[0].Request.JSON()))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var answer struct {
		Ranked []struct {
			CandidateID string
			Rank        int
			Score       float64
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	if len(shown) != len(answer.Ranked) || len(shown) == 0 {
		t.Fatalf("%d shown, %d ranked", len(shown), len(answer.Ranked))
	}
	for i, want := range answer.Ranked {
		if shown[i] != (row{want.CandidateID, want.Rank, want.Score}) {
			t.Errorf("the page shows %+v, the API says %+v", shown[i], want)
		}
	}

	// Twenty values of facts, taken at random from the screens of models.
	rnd := rand.New(rand.NewPCG(1, 2))
	models := c.Models()
	for range 20 {
		m := models[rnd.IntN(len(models))]
		if err := tab.Go("#/model/"+m.Key, "model"); err != nil {
			t.Fatal(err)
		}
		cards := eval[[][2]string](t, tab, `[...document.querySelectorAll(".card")].map((c) => [c.querySelector("dt").textContent, c.querySelector(".value").title])`)
		if len(cards) == 0 {
			continue
		}
		card := cards[rnd.IntN(len(cards))]
		found := false
		for _, o := range m.Observations {
			for _, x := range o.Record().Measurements {
				text, _ := compare.Scalar(x.Value).MarshalJSON()
				found = found || x.Key == card[0] && strings.TrimSpace(string(text)+" "+x.Unit) == card[1]
			}
		}
		if !found {
			t.Errorf("%s: the page shows %v, which the API does not say", m.Identity.ID, card)
		}
	}
	clean(t, tab, "numbers")
}

// The page finds the candidates that Go finds.
func TestCandidates(t *testing.T) {
	b := start(t)
	for name, c := range map[string]*catalog.Catalog{"leaderboards": leaderboards(t, "2025-12-02T12:00:00.000Z"), "hostile": hostile(t), "examples": readCatalog(t, "../../examples/catalog.json")} {
		tab := open(t, b, desk, serve(t, c, explore.Extras{})+"/")
		keys := map[string]bool{"nothing": true}
		for _, m := range c.Models() {
			for _, o := range m.Observations {
				for _, x := range o.Record().Measurements {
					keys[x.Key] = true
				}
			}
		}
		for key := range keys {
			type candidate struct {
				ID        string `json:"id"`
				Execution any    `json:"execution"`
			}
			asked, err := json.Marshal(key)
			if err != nil {
				t.Fatal(err)
			}
			got := eval[[]candidate](t, tab, fmt.Sprintf(`new Promise((done, fail) => {
				const worker = new Worker("/explore/app.js");
				worker.onmessage = ({ data }) => { if (data.error) fail(new Error(data.error.message));
					else if (data.number === 1) worker.postMessage({ number: 2, ask: "candidates", with: { keys: [%s] } });
					else { worker.terminate(); done(data.answer); } };
				worker.postMessage({ number: 1, ask: "open", with: { url: location.origin + "/v1/catalog/snapshot" } });
			})`, asked))
			want := compare.Candidates(c, []string{key})
			if len(got) != len(want) {
				t.Errorf("%s, %q: %d candidates, Go finds %d", name, key, len(got), len(want))
				continue
			}
			for i := range want {
				profile := want[i].Execution
				if got[i].ID != want[i].ID || string(canonical.MustMarshal(got[i].Execution)) != profileJSON(&profile) {
					t.Errorf("%s, %q: %s %s, Go finds %s %s", name, key, got[i].ID, got[i].Execution, want[i].ID, profileJSON(&profile))
				}
			}
		}
		tab.Close()
	}
}

// A catalog of texts that look like markup, scripts and formulas does nothing on any
// screen.
func TestHostileScreens(t *testing.T) {
	b := start(t)
	c := hostile(t)
	d, err := compare.Catalogs(t.Context(), emptyCatalog(t), c, compare.Options{Limit: compare.DefaultLimit})
	if err != nil {
		t.Fatal(err)
	}
	url := serve(t, c, explore.Extras{Diff: d, CatalogFile: "'; rm -rf / #<b>"})
	tab := open(t, b, desk, url+"/")
	list := addresses(c)
	for _, m := range c.Models() {
		list["#/model/"+m.Key] = "model"
	}
	for _, bad := range []string{"#/<script>alert(1)</script>", "#/models?q=<img src=x onerror=alert(1)>", "#/model/%00%ff", "#/rank?r=AAAA", "#/plot?x=__proto__&y=constructor", "#/compare?models=__proto__", "#/changes?q=%"} {
		list[bad] = ""
	}
	for address, screen := range list {
		if _, err := browsertest.Eval[string](tab, fmt.Sprintf(`document.getElementById("main").dataset.ready = "", location.hash = %q`, address)); err != nil {
			t.Fatal(err)
		}
		wait(t, tab, `document.getElementById("main").dataset.ready`)
		if screen == "model" {
			eval[int](t, tab, `(document.querySelectorAll("details").forEach((d) => (d.open = true)), 1)`)
		}
		if n := eval[int](t, tab, `document.querySelectorAll("main script, main img, main iframe, main b, main [onerror], main a[href^='javascript' i], main a[href^='data' i]").length`); n != 0 {
			t.Errorf("%s: %d elements of the catalog's texts", address, n)
		}
		clean(t, tab, address)
	}
}

// A report opens from disk and answers without any network.
func TestReportFromDisk(t *testing.T) {
	b := start(t)
	old, new := leaderboards(t, "2025-12-02T12:00:00.000Z"), leaderboards(t, "2025-12-04T00:00:00.000Z")
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(report(t, new, extras(t, old, new), explore.ReportOptions{Title: "Leaderboards"})), 0o600); err != nil {
		t.Fatal(err)
	}
	tab := open(t, b, browsertest.View{Width: 1280, Height: 900, Offline: true}, "file://"+file)
	for address, screen := range addresses(new) {
		if err := tab.Go(address, screen); err != nil {
			t.Fatalf("%s: %v", address, err)
		}
		clean(t, tab, address)
	}
	if err := tab.Go("#/plot?x=aider.polyglot.total_cost&y=aider.polyglot.pass_rate_2", "plot"); err != nil {
		t.Fatal(err)
	}
	wait(t, tab, `document.querySelectorAll("a.hit").length > 3`)
	if err := tab.Go("#/rank", "rank"); err != nil {
		t.Fatal(err)
	}
	if n := eval[int](t, tab, `document.querySelectorAll("input[type=range]").length`); n != 0 {
		t.Errorf("%d sliders, which nothing would answer", n)
	}
	if title := eval[string](t, tab, `document.title`); !strings.HasSuffix(title, "Leaderboards") {
		t.Errorf("the title is %q", title)
	}
	clean(t, tab, "report")
}

// An empty catalog, and a server that goes away, are said.
func TestEmptyAndGone(t *testing.T) {
	b := start(t)
	s := httptest.NewServer(handler(t, emptyCatalog(t), explore.Extras{}))
	tab := open(t, b, desk, s.URL+"/")
	for address, says := range map[string]string{"#/models": "This catalog has no models", "#/plot": "two numbers", "#/rank": "no candidates", "#/changes": "no older catalog"} {
		if _, err := browsertest.Eval[string](tab, fmt.Sprintf(`document.getElementById("main").dataset.ready = "", location.hash = %q`, address)); err != nil {
			t.Fatal(err)
		}
		wait(t, tab, fmt.Sprintf(`document.getElementById("main").innerText.includes(%q)`, says))
	}
	clean(t, tab, "empty")
	s.Close()
	if err := tab.Go("#/rank?again=1", "rank"); err != nil {
		t.Fatal(err)
	}
	wait(t, tab, `document.querySelector(".failure") && document.querySelector(".failure").innerText.includes("POST /v1/rank")`)
}
