package explore_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/internal/explore"
	"github.com/model-catalog-service/svc/internal/explore/browsertest"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/quantity"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service/record"
)

// start starts a browser, or skips the test where there is none.
func start(t testing.TB) *browsertest.Browser {
	t.Helper()
	if _, err := browsertest.Find(); err != nil {
		vectortest.Missing(t, err.Error())
	}
	b, end, err := browsertest.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end)
	return b
}

func open(t testing.TB, b *browsertest.Browser, view browsertest.View, url string) *browsertest.Tab {
	t.Helper()
	tab, err := b.Open(view, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tab.Close)
	wait(t, tab, `document.getElementById("main") && document.getElementById("main").dataset.ready`)
	return tab
}

func wait(t testing.TB, tab *browsertest.Tab, expression string) {
	t.Helper()
	if err := tab.Wait(expression); err != nil {
		t.Fatal(err)
	}
}

func eval[T any](t testing.TB, tab *browsertest.Tab, expression string) T {
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

func serve(t testing.TB, c *catalog.Catalog, e explore.Extras) string {
	t.Helper()
	s := httptest.NewServer(handler(t, c, e))
	t.Cleanup(s.Close)
	return s.URL
}

var desk = browsertest.View{Width: 1280, Height: 900}

// views are the ways in which every screen is looked at.
var views = []browsertest.View{desk, {Width: 1280, Height: 900, Dark: true}, {Width: 360, Height: 740}, {Width: 360, Height: 740, Dark: true}}

// addresses are all screens of a catalog, by the screen that they lead to.
func addresses(c *catalog.Catalog) map[string]string {
	m := c.Models()
	return map[string]string{
		"#/models": "models", "#/model/" + m[0].Key: "model", "#/compare?models=" + m[0].Key + "," + m[len(m)-1].Key: "compare",
		"#/plot": "plot", "#/rank": "rank", "#/sources": "sources", "#/changes": "changes", "#/models?evidence=expired&q=no+such": "models",
	}
}

// Every screen shows up, wide and narrow, light and dark, without a fault and without
// being wider than the window.
func TestScreens(t *testing.T) {
	b := start(t)
	old, new := leaderboards(t, "2025-12-02T12:00:00.000Z"), leaderboards(t, "2025-12-04T00:00:00.000Z")
	url := serve(t, new, extras(t, old, new))
	for _, view := range views {
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

// On a narrow screen models come before the filters, which a button shows, and those that are set are
// shown.
func TestFiltersOfNarrowScreens(t *testing.T) {
	b := start(t)
	url := serve(t, leaderboards(t, "2025-12-02T12:00:00.000Z"), explore.Extras{})
	const first, runs = `document.querySelector("tbody tr").getBoundingClientRect().top < innerHeight`, `document.querySelectorAll(".filters select")[0].checkVisibility()`
	for _, view := range []browsertest.View{desk, {Width: 360, Height: 740}} {
		tab := open(t, b, view, url+"/")
		if err := tab.Go("#/models", "models"); err != nil {
			t.Fatal(err)
		}
		isWide := view.Width > 360
		if !eval[bool](t, tab, first) || eval[bool](t, tab, runs) != isWide {
			t.Errorf("at %d a model is seen %v, filters %v", view.Width, eval[bool](t, tab, first), eval[bool](t, tab, runs))
		}
		if eval[bool](t, tab, `document.querySelector(".unfold").click(), `+runs) != true && !isWide {
			t.Error("the button shows no filters")
		}
		if err := tab.Go("#/models?evidence=expired", "models"); err != nil {
			t.Fatal(err)
		}
		if !eval[bool](t, tab, runs) {
			t.Errorf("at %d a filter that is set is not shown", view.Width)
		}
		tab.Close()
	}
}

// A narrow list has no head, so that each number has its unit, and what expired has the day.
func TestNumbersOfNarrowScreens(t *testing.T) {
	b := start(t)
	price := comparetest.Statement{ID: "m", Execution: comparetest.At("r"), Measurements: []any{comparetest.Fact("price.output", 2e-6, "USD/token")}}
	gone := price
	gone.ID, gone.Until = "n", comparetest.May31
	url := serve(t, comparetest.Compile(t, comparetest.June2, price, gone), explore.Extras{})
	for _, screen := range []string{"models", "plot"} {
		if screen == "plot" {
			other := price
			other.Measurements = []any{comparetest.Fact("limits.context", 1000, "tokens")}
			url = serve(t, comparetest.Compile(t, comparetest.June2, price, other), explore.Extras{})
		}
		tab := open(t, b, browsertest.View{Width: 360, Height: 740}, url+"/#/"+screen)
		wait(t, tab, `document.querySelector("#main tbody td.number")`)
		if label := eval[string](t, tab, `getComputedStyle([...document.querySelectorAll("#main tbody td.number")].at(-1), "::before").content`); !strings.HasPrefix(label, `"price of output, $ / M tokens`) {
			t.Errorf("%s: the label is %s", screen, label)
		}
		if title := eval[string](t, tab, `document.querySelector("#main td.gone")?.title || ""`); screen == "models" && title != "expired on 2026-05-31: 0.000002 USD/token" {
			t.Errorf("what expired says %q", title)
		}
		clean(t, tab, screen)
		tab.Close()
	}
}

// Models are added to those that are compared one by one, from the list and from their
// own screens.
func TestCompareFromTheModel(t *testing.T) {
	b := start(t)
	c := leaderboards(t, "2025-12-02T12:00:00.000Z")
	tab := open(t, b, desk, serve(t, c, explore.Extras{})+"/")
	eval[bool](t, tab, `([...document.querySelectorAll(".pick input")].slice(0, 2).forEach((n) => n.click()), document.querySelectorAll("tbody th a")[2].click(), true)`)
	wait(t, tab, `document.getElementById("main").dataset.ready === "model"`)
	eval[bool](t, tab, `(document.getElementById("main").dataset.ready = "", document.querySelector(".title .button").click(), true)`)
	wait(t, tab, `document.getElementById("main").dataset.ready === "models"`)
	if n := eval[int](t, tab, `document.querySelectorAll(".pick input:checked").length`); n != 3 {
		t.Errorf("%d models are picked", n)
	}
	clean(t, tab, "compare")
}

// A field that has no number, and one that the API refuses, say so, and the answer to the question
// before stays until there is another.
func TestFaultsOfFields(t *testing.T) {
	b := start(t)
	e := explore.Extras{Requests: []explore.Request{request(t, "../../examples/leaderboards/choice.json")}}
	tab := open(t, b, desk, serve(t, leaderboards(t, "2025-12-02T12:00:00.000Z"), e)+"/#/rank")
	wait(t, tab, `document.querySelectorAll(".result").length > 1`)
	for _, fault := range []struct{ place, field, text, says string }{
		{"$.requirements[0]", "input", "no number", "This is not a number."},
		{"$.preferences[0]", "input[type=number]", "-1", "A weight is a number from 0."},
		{"$.preferences[0]", "input[type=number]", "", "A weight is a number from 0."},
	} {
		field := fmt.Sprintf("[data-path='%s'] %s", fault.place, fault.field)
		before := eval[string](t, tab, `document.querySelector(`+strconv.Quote(field)+`).value`)
		enter(t, tab, field, fault.text)
		wait(t, tab, fmt.Sprintf(`document.querySelector("[data-path='%s'] > .fault")?.textContent.includes(%q) && document.querySelector(%q).ariaInvalid === "true"`, fault.place, fault.says, field))
		wait(t, tab, `document.querySelector(".notice")?.textContent.includes("this answers the one before")`)
		if n := len(texts(t, tab, ".result")); n < 2 {
			t.Errorf("%+v: %d rows are left of the answer", fault, n)
		}
		enter(t, tab, field, before)
		wait(t, tab, `!document.querySelector(".fault, .notice, [aria-invalid=true]")`)
	}
	clean(t, tab, "faults")

	refused := strings.Replace(e.Requests[0].Request.JSON(), `"value":100000`, `"value":"many"`, 1)
	enter(t, tab, "textarea", refused)
	press(t, tab, "Open what is pasted")
	wait(t, tab, `document.querySelector("[data-path='$.requirements[0]'] > .fault")?.textContent.includes("$.requirements[0].value") && document.querySelector("[data-path='$.requirements[0]'] input").ariaInvalid === "true" && document.querySelectorAll(".result").length > 1`)
	enter(t, tab, "[data-path='$.requirements[0]'] input", "100,000")
	wait(t, tab, `!document.querySelector(".fault, .notice, [aria-invalid=true]") && document.querySelectorAll(".result").length > 1`)
	if faults := tab.Faults(); len(faults) > 1 { // the browser notes the answer
		t.Errorf("%q", faults)
	}
}

// Where somebody asked the page opens on the answer, of which a narrow screen shows the answer
// before the question. Where nobody asked it opens on the models. What the address says comes
// before both.
func TestFirstScreen(t *testing.T) {
	b := start(t)
	c := leaderboards(t, "2025-12-02T12:00:00.000Z")
	asked := request(t, "../../examples/leaderboards/choice.json")
	draft := asked
	draft.IsDraft = true
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(report(t, c, explore.Extras{Requests: []explore.Request{asked}}, explore.ReportOptions{})), 0o600); err != nil {
		t.Fatal(err)
	}
	page := serve(t, c, explore.Extras{Requests: []explore.Request{asked}}) + "/"
	for address, want := range map[string]string{page: "rank", page + "#/models": "models", "file://" + file: "rank", serve(t, c, explore.Extras{Requests: []explore.Request{draft}}) + "/": "models"} {
		tab := open(t, b, browsertest.View{Width: 360, Height: 740}, address)
		if got := eval[string](t, tab, `document.getElementById("main").dataset.ready`); got != want {
			t.Errorf("%s opens on %s, want %s", address, got, want)
		}
		if want == "rank" {
			wait(t, tab, `document.querySelectorAll(".result").length > 1`)
			if answer := texts(t, tab, ".answer"); !strings.HasPrefix(answer[0], "Take gpt-5: ") {
				t.Errorf("%s answers %q", address, answer)
			}
			if eval[bool](t, tab, `document.querySelector(".controls").checkVisibility()`) || !eval[bool](t, tab, `document.querySelector(".result").getBoundingClientRect().top < innerHeight`) {
				t.Errorf("%s shows the question before the answer", address)
			}
		}
		clean(t, tab, address)
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

// recorder keeps the numbers of all answers that the page gets.
type recorder struct {
	http.Handler
	mu      sync.Mutex
	numbers map[string]bool
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	answer := httptest.NewRecorder()
	q.Header.Del("Accept-Encoding") // what is compressed has no numbers to see
	r.Handler.ServeHTTP(answer, q)
	if strings.HasPrefix(answer.Header().Get("Content-Type"), "application/json") && answer.Code == http.StatusOK {
		d := json.NewDecoder(bytes.NewReader(answer.Body.Bytes()))
		d.UseNumber()
		r.mu.Lock()
		for {
			token, err := d.Token()
			if err != nil {
				break
			}
			if n, ok := token.(json.Number); ok {
				r.numbers[n.String()] = true
			}
		}
		r.mu.Unlock()
	}
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

// says tells whether an answer so far has the number. The page may still be asking.
func (r *recorder) says(number string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.numbers[number]
}

// Twenty numbers of each screen, taken at random, are in the answers of the API, and are
// shown as svc diff shows them.
func TestNumbersAreThoseOfTheAPI(t *testing.T) {
	b := start(t)
	for name, requests := range map[string][]string{
		"versions 1 and 2": {"../../examples/leaderboards/coding.json"},
		"version 3":        {"../../examples/leaderboards/choice.json"},
	} {
		t.Run(name, func(t *testing.T) { checkNumbers(t, b, requests) })
	}
}

func checkNumbers(t *testing.T, b *browsertest.Browser, requests []string) {
	old, new := leaderboards(t, "2025-12-02T12:00:00.000Z"), leaderboards(t, "2025-12-02T18:00:00.000Z")
	e := extras(t, old, new)
	e.Requests = nil
	for _, file := range requests {
		e.Requests = append(e.Requests, request(t, file))
	}
	r := &recorder{Handler: handler(t, new, e), numbers: map[string]bool{}}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	tab := open(t, b, desk, server.URL+"/")
	m := new.Models()
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, address := range []string{"#/models", "#/model/" + m[0].Key, "#/model/" + m[len(m)/2].Key, "#/compare?models=" + m[0].Key + "," + m[1].Key, "#/plot", "#/plot?lend=all", "#/rank"} {
		screen, _, _ := strings.Cut(strings.TrimPrefix(address, "#/"), "/")
		screen, _, _ = strings.Cut(screen, "?")
		if err := tab.Go(address, screen); err != nil {
			t.Fatal(err)
		}
		wait(t, tab, `document.querySelectorAll("#main [title]").length > 3 && !document.querySelector("#main .wait")`)
		if screen == "rank" {
			wait(t, tab, `document.querySelectorAll(".result").length > 1`)
			eval[bool](t, tab, `(document.querySelector(".results .more button")?.click(), true)`)
			eval[int](t, tab, `(document.querySelectorAll(".result").forEach((d) => (d.open = true)), 1)`)
			wait(t, tab, `[...document.querySelectorAll(".result .detail")].every((d) => d.firstChild)`)
		}
		shown := eval[[][2]string](t, tab, `[...document.querySelectorAll("#main [title]")].map((n) => [n.title, n.innerText]).filter(([title]) => /^-?[0-9][0-9.e+-]*( \S+)?$/.test(title))`)
		if len(shown) < 5 {
			t.Errorf("%s shows %d numbers", address, len(shown))
		}
		for range min(20, len(shown)) {
			one := shown[rnd.IntN(len(shown))]
			number, unit, _ := strings.Cut(one[0], " ")
			if !r.says(number) {
				t.Errorf("%s shows %s, which no answer says", address, number)
			}
			text, _ := compare.ValueText(record.StatedValue{Value: record.Scalar{Kind: '0', Text: number}, Unit: record.Text(unit)})
			if want := strings.Trim(text, "$%"); !strings.Contains(one[1], want) {
				t.Errorf("%s shows %q for %s, svc diff shows %s", address, one[1], one[0], text)
			}
		}
	}
	checkRanks(t, tab, server.URL, e.Requests[0].Request.JSON())
	clean(t, tab, "numbers")
}

// The page writes numbers as package quantity does: those that its tests name, and any.
func TestNumbersAreWrittenAsInGo(t *testing.T) {
	b := start(t)
	text, err := os.ReadFile("../quantity/testdata/quantities.json")
	if err != nil {
		t.Fatal(err)
	}
	var named struct{ Quantities, Changes [][]any }
	if err := json.Unmarshal(text, &named); err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	units := []string{"", "tokens", "percent", "USD", "USD/token"}
	for range 5000 {
		number := (rnd.Float64() - 0.2) * math.Pow(10, float64(rnd.IntN(40)-20))
		if rnd.IntN(2) == 0 { // few digits, with what arithmetic leaves over
			number = float64(rnd.IntN(30000)) / 8 * math.Pow(10, float64(rnd.IntN(12)-9))
		}
		unit := units[rnd.IntN(len(units))]
		named.Quantities = append(named.Quantities, []any{number, unit, quantity.Phrase(number, unit)})
		named.Changes = append(named.Changes, []any{number, quantity.Change(number)})
	}
	server := httptest.NewServer(http.FileServer(http.Dir("web")))
	t.Cleanup(server.Close)
	tab, err := b.Open(desk, server.URL+"/text.js")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tab.Close)
	for function, list := range map[string][][]any{"([number, unit]) => text.wholeText(number, unit)": named.Quantities, "([ratio]) => text.changeText(ratio)": named.Changes} {
		got := eval[[]string](t, tab, `import("/text.js").then((text) => `+string(canonical.MustMarshal(list))+`.map(`+function+`))`)
		for i, one := range list {
			if want := one[len(one)-1]; got[i] != want {
				t.Errorf("the page writes %v as %s, Go as %s", one[:len(one)-1], got[i], want)
			}
		}
	}
}

// Keys come as people ask for them: what a price is before what it is under a condition.
func TestOrderOfKeys(t *testing.T) {
	server := httptest.NewServer(http.FileServer(http.Dir("web")))
	t.Cleanup(server.Close)
	tab, err := start(t).Open(desk, server.URL+"/text.js")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tab.Close)
	got := eval[[]string](t, tab, `import("/text.js").then((text) => ["elo", "limits.output", "price.output@context>200000", "price.cache_read", "price.input@context>200000", "limits.context", "price.output", "price.input"].sort(text.compareKeys))`)
	if want := []string{"price.input", "price.output", "price.cache_read", "price.input@context>200000", "price.output@context>200000", "limits.context", "limits.output", "elo"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// checkRanks holds the ranking that a tab shows against the answer of the API.
func checkRanks(t *testing.T, tab *browsertest.Tab, url, request string) {
	type row struct {
		Who   string  `json:"who"`
		Where string  `json:"where"`
		Place int     `json:"place"`
		Score float64 `json:"score"`
	}
	shown := eval[[]row](t, tab, `[...document.querySelectorAll(".result")].map((r) => ({
		who: r.querySelector(".who .model").textContent, where: r.querySelector(".who .tie").textContent, place: Number(r.querySelector(".place").textContent), score: Number(r.querySelector(".points").title) }))`)
	r, err := http.Post(url+"/v1/rank", "application/json", strings.NewReader(request))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var answer struct {
		Ranked []struct {
			CandidateID string
			Execution   struct{ Runtime struct{ ID string } }
			Rank        int
			Score       float64
			Cost        *struct{ USDPerTask float64 }
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	if len(shown) != len(answer.Ranked) || len(shown) == 0 {
		t.Fatalf("%d shown, %d ranked", len(shown), len(answer.Ranked))
	}
	costs := eval[[]string](t, tab, `[...document.querySelectorAll(".result .value:last-child")].map((v) => v.title)`)
	for i, want := range answer.Ranked {
		where := "on " + want.Execution.Runtime.ID
		if c := want.Cost; c != nil && costs[i] != strconv.FormatFloat(c.USDPerTask, 'g', -1, 64)+" USD" {
			t.Errorf("the page shows %s for a task, the API says %v", costs[i], c.USDPerTask)
		}
		if shown[i] != (row{want.CandidateID, where, want.Rank, want.Score}) {
			t.Errorf("the page shows %+v, the API says %+v", shown[i], want)
		}
	}
}

// The list is filtered by numbers, which are typed as they are shown: prices for a million
// tokens. The address has them as the catalog does.
func TestConditions(t *testing.T) {
	b := start(t)
	c := leaderboards(t, "2025-12-02T12:00:00.000Z")
	const key = "price.output"
	want := map[string]bool{}
	for _, m := range c.Models() {
		for _, o := range m.Observations {
			for _, x := range o.Record().Measurements {
				if price, err := strconv.ParseFloat(x.Value.Text, 64); x.Key == key && err == nil && price <= 0.000002 {
					want[m.Identity.ID] = true
				}
			}
		}
	}
	if len(want) == 0 || len(want) == len(c.Models()) {
		t.Fatal(want)
	}
	tab := open(t, b, desk, serve(t, c, explore.Extras{})+"/")
	eval[bool](t, tab, `(() => { const where = document.querySelector(".conditions select"); where.value = "`+key+`"; where.dispatchEvent(new Event("change")); return true })()`)
	if err := tab.Type("2.0"); err != nil {
		t.Fatal(err)
	}
	names := `[...document.querySelectorAll(".screen-models tbody th .model")].map((n) => n.textContent)`
	wait(t, tab, `document.querySelector(".found").textContent.includes("match")`)
	check := func(where string) {
		t.Helper()
		got := map[string]bool{}
		for _, name := range eval[[]string](t, tab, names) {
			got[name] = true
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v", where, got, want)
		}
	}
	check("typed")
	address := eval[string](t, tab, `location.href`)
	if !strings.HasSuffix(address, "where=lte:0.000002:"+key) {
		t.Errorf("the address is %s", address)
	}
	tab = open(t, b, desk, address)
	check("by the address")
	if typed := eval[string](t, tab, `document.querySelector(".conditions input").value`); typed != "2" {
		t.Errorf("the field has %q", typed)
	}
	eval[bool](t, tab, `(document.querySelector(".conditions input").focus(), document.querySelector(".conditions input").select(), true)`)
	if err := tab.Type("x"); err != nil { // no number is no condition, and the field says so
		t.Fatal(err)
	}
	wait(t, tab, `document.querySelector(".conditions input").getAttribute("aria-invalid") === "true" && document.querySelectorAll(".screen-models tbody tr").length === `+strconv.Itoa(len(c.Models())))
	clean(t, tab, "conditions")
}

// A number leads to the observation that says it: from the list, a card, a plot and a
// ranking.
func TestNumbersLeadToEvidence(t *testing.T) {
	b := start(t)
	c := leaderboards(t, "2025-12-02T12:00:00.000Z")
	e := explore.Extras{Requests: []explore.Request{request(t, "../../examples/leaderboards/choice.json")}}
	tab := open(t, b, desk, serve(t, c, e)+"/")
	var kimi catalog.ModelEntry
	for _, m := range c.Models() {
		if m.Identity.ID == "moonshotai/kimi-k2" {
			kimi = m
		}
	}
	for _, from := range []struct{ address, screen, link string }{
		{"#/models?q=kimi", "models", `tbody td.number a`},
		{"#/model/" + kimi.Key, "model", `.card a`},
		{"#/compare?models=" + kimi.Key, "compare", `tbody td a`},
		{"#/plot?lend=all", "plot", `.side td a`},
		{"#/rank", "rank", `.because a`},
	} {
		if err := tab.Go(from.address, from.screen); err != nil {
			t.Fatal(err)
		}
		if from.screen == "rank" {
			wait(t, tab, `document.querySelectorAll(".result").length > 1`)
			eval[bool](t, tab, `document.querySelector(".result").open = true`)
		}
		wait(t, tab, `document.querySelector("#main `+from.link+`")`)
		eval[bool](t, tab, `(document.getElementById("main").dataset.ready = "", document.querySelector("#main `+from.link+`").click(), true)`)
		wait(t, tab, `document.getElementById("main").dataset.ready === "model" && document.querySelectorAll("details.row[open] .evidences li").length > 0`)
		asked := eval[string](t, tab, `new URLSearchParams(location.hash.split("?")[1]).get("k") || new URLSearchParams(location.hash.split("?")[1]).get("o")`)
		if text := eval[string](t, tab, `document.querySelector("details.row[open]").textContent`); asked == "" || !strings.Contains(text, asked) {
			t.Errorf("%s leads to %.200q, asked for %q", from.address, text, asked)
		}
		links := eval[[]string](t, tab, `[...document.querySelectorAll("details.row[open] a.evidence")].map((a) => a.rel + " " + new URL(a.href).protocol)`)
		if len(links) == 0 || slices.ContainsFunc(links, func(l string) bool { return l != "noreferrer noopener https:" }) {
			t.Errorf("%s leads to links %q", from.address, links)
		}
	}
	clean(t, tab, "evidence")
}

// A plot leads to a ranking of its frontier by its two numbers, and says under what each
// was measured where nobody has both.
func TestPlotLeadsOn(t *testing.T) {
	b := start(t)
	tab := open(t, b, desk, serve(t, leaderboards(t, "2025-12-02T12:00:00.000Z"), explore.Extras{})+"/#/plot?x=price.output&y=aider.polyglot.pass_rate_2&lend=all")
	wait(t, tab, `document.querySelectorAll(".front tbody tr").length > 2`)
	front := eval[[]string](t, tab, `[...document.querySelectorAll(".front tbody th")].map((n) => n.textContent)`)
	eval[bool](t, tab, `([...document.querySelectorAll(".front a")].find((a) => a.textContent === "Ask about these").click(), true)`)
	wait(t, tab, `document.querySelectorAll(".result").length > 0`)
	eval[bool](t, tab, `(document.querySelector(".results .more button")?.click(), true)`)
	who := strings.Join(texts(t, tab, ".result .model"), " ")
	for _, name := range front {
		if !strings.Contains(who, name) {
			t.Errorf("%s is not among the candidates %q", name, who)
		}
	}
	if keys := eval[[]string](t, tab, `[...document.querySelectorAll(".criterion select")].map((s) => s.value).filter((v) => v.includes("."))`); !slices.Equal(keys, []string{"aider.polyglot.pass_rate_2", "price.output"}) {
		t.Errorf("the preferences are %q", keys)
	}
	clean(t, tab, "rank of a plot")

	apart := comparetest.Compile(t, comparetest.June2,
		comparetest.Statement{ID: "a", Execution: comparetest.Ran("here"), Measurements: []any{comparetest.Fact("price", 1)}},
		comparetest.Statement{ID: "b", Execution: comparetest.Ran("there"), Measurements: []any{comparetest.Fact("score", 1)}})
	tab = open(t, b, desk, serve(t, apart, explore.Extras{})+"/#/plot")
	wait(t, tab, `document.querySelector("#main .empty")`)
	if says := eval[string](t, tab, `document.querySelector("#main .empty").innerText`); !strings.Contains(says, "price, by 1 model: here") || !strings.Contains(says, "score, by 1 model: there") {
		t.Errorf("it says %q", says)
	}
	clean(t, tab, "an empty plot")
}

// An interval that is wider than a plot ends where the plot does.
func TestIntervalsEndWithThePlot(t *testing.T) {
	text, err := os.ReadFile("../../examples/models/catalog.json")
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Parse(t.Context(), problem.Source{Name: "catalog.json", Text: string(text)})
	if err != nil {
		t.Fatal(err)
	}
	b := start(t)
	tab := open(t, b, desk, serve(t, c, explore.Extras{})+"/#/plot?x=price.output&y=livebench.agentic-coding.score&lend=all")
	wait(t, tab, `document.querySelectorAll(".errors line").length > 2`)
	if eval[bool](t, tab, `document.querySelectorAll(".errors line").length > 2 * document.querySelectorAll(".dot.front").length`) {
		t.Error("there are intervals of points beside the frontier")
	}
	// Another point shows its own while it is pointed at.
	eval[bool](t, tab, `([...document.querySelectorAll("a.hit")].find((n) => !n.querySelector(".front")).dispatchEvent(new Event("mouseenter")), true)`)
	wait(t, tab, `document.querySelector(".hover .errors line")`)
	beyond := eval[[]string](t, tab, `(() => {
		const grid = document.querySelector(".drawing .grid").getBoundingClientRect();
		return [...document.querySelectorAll("#main .drawing .errors line")].map((l) => l.getBoundingClientRect())
			.filter((r) => r.height > 30 && (r.top < grid.top - 1 || r.bottom > grid.bottom + 1)).map((r) => r.top + " to " + r.bottom);
	})()`)
	if len(beyond) > 0 {
		t.Errorf("%d intervals leave the plot: %q", len(beyond), beyond[0])
	}
	clean(t, tab, "a plot with wide intervals")
}

// A catalog of texts that look like markup, scripts and formulas does nothing on any
// screen, of the page or of a report: facts, samples, contradictions, what expired, and
// rankings and their changes.
func TestHostileScreens(t *testing.T) {
	vectortest.SkipRace(t)
	b := start(t)
	list := comparetest.Hostile()
	old, c := comparetest.Compile(t, comparetest.May2, list[len(list)/3:]...), hostile(t)
	e := explore.Extras{CatalogFile: "'; rm -rf / #<b>"}
	for _, text := range comparetest.HostileRequests() {
		q, err := v3.ReadRequest(problem.Source{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		e.Requests = append(e.Requests, explore.Request{Name: "<img src=x onerror=alert(1)>" + fmt.Sprint(len(e.Requests)), Request: q})
	}
	e.Diff = diffOf(t, old, c, e.Requests...)
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(report(t, c, e, explore.ReportOptions{Title: "</title><script>alert(1)</script>"})), 0o600); err != nil {
		t.Fatal(err)
	}
	addresses := addresses(c)
	for _, m := range c.Models() {
		addresses["#/model/"+m.Key] = "model"
	}
	for _, key := range []string{"__proto__", "constructor", comparetest.HostileTexts[0]} {
		query := url.QueryEscape(key)
		addresses["#/models?columns="+query+"&sort="+query+"&has="+query] = "models"
		addresses["#/plot?x="+query+"&y=line%0Abreak%2C+%22quoted%22"] = "plot"
	}
	for _, bad := range []string{"#/<script>alert(1)</script>", "#/constructor", "#/__proto__", "#/models?q=<img src=x onerror=alert(1)>", "#/models?sort=constructor", "#/model/%00%ff", "#/rank?r=AAAA", "#/rank?n=1", "#/plot?x=__proto__&y=constructor", "#/compare?models=__proto__", "#/changes?q=%"} {
		addresses[bad] = ""
	}
	for name, opened := range map[string]string{"page": serve(t, c, e) + "/", "report": "file://" + file} {
		tab := open(t, b, desk, opened)
		for address, screen := range addresses {
			where := name + ", " + address
			if _, err := browsertest.Eval[string](tab, fmt.Sprintf(`document.getElementById("main").dataset.ready = "", location.hash = %q`, address)); err != nil {
				t.Fatal(err)
			}
			wait(t, tab, `document.getElementById("main").dataset.ready && !document.querySelector("#main .wait")`)
			if screen == "rank" {
				wait(t, tab, `document.querySelector(".answer").textContent`)
			}
			eval[int](t, tab, `(document.querySelectorAll("#main details").forEach((d) => (d.open = true)), 1)`)
			wait(t, tab, `[...document.querySelectorAll("#main :is(.result, .row)[open] > .detail")].every((d) => d.firstChild)`)
			if n := eval[int](t, tab, `document.querySelectorAll("main script, main img, main iframe, main b, main [onerror], main a[href^='javascript' i], main a[href^='data' i], main a.evidence:not([href^='https://']):not([href^='http://'])").length`); n != 0 {
				t.Errorf("%s: %d elements of the catalog's texts", where, n)
			}
			if says := eval[string](t, tab, `document.getElementById("main").innerText`); strings.Contains(says, "does not answer") || strings.Contains(says, "undefined") || strings.TrimSpace(says) == "" {
				t.Errorf("%s says %.300q", where, says)
			}
			checkCSV(t, tab, where)
			clean(t, tab, where)
		}
		tab.Close()
	}
}

// checkCSV lets a screen save its numbers, and demands that texts which a spreadsheet may take for a
// formula are quoted, and as the catalog has them.
func checkCSV(t *testing.T, tab *browsertest.Tab, where string) {
	t.Helper()
	text := eval[string](t, tab, `new Promise((done) => {
		const button = [...document.querySelectorAll("#main .tools button")].find((b) => b.textContent === "CSV");
		if (!button) return done("");
		const before = URL.createObjectURL;
		URL.createObjectURL = (blob) => { URL.createObjectURL = before; blob.text().then(done); return "data:,"; };
		HTMLAnchorElement.prototype.click = () => {};
		button.click();
	})`)
	lines, reader := strings.SplitAfter(text, "\n"), csv.NewReader(strings.NewReader(text))
	for {
		record, err := reader.Read()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v in %q", where, err, text)
		}
		for i, cell := range record {
			line, column := reader.FieldPos(i)
			_, err := strconv.ParseFloat(cell, 64)
			if isFormula := err != nil && cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r"); isFormula && lines[line-1][column-1] != '"' {
				t.Errorf("%s: %q is not quoted", where, cell)
			}
			if strings.HasPrefix(cell, "'=") || strings.HasPrefix(cell, "'+") || strings.HasPrefix(cell, "'-") || strings.HasPrefix(cell, "'@") {
				t.Errorf("%s: an apostrophe was put in front of %q", where, cell[1:])
			}
		}
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
	wait(t, tab, `document.querySelector(".failure") && document.querySelector(".failure").innerText.includes("POST /explore/answer")`)
}
