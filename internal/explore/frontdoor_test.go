package explore_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/internal/explore"
	"github.com/model-catalog-service/svc/internal/explore/browsertest"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service/record"
)

// shop is a catalog of models that several sell, some of them otherwise than usual.
func shop(t testing.TB) []Statement {
	t.Helper()
	offer := func(id, place, released string, price float64, more ...any) Statement {
		return Statement{ID: id, Execution: At(place), Measurements: append(more, Fact("price.output", price/1e6, "USD/token"), Fact("price.input", price/2e6, "USD/token"), Fact("limits.context", 200_000, "tokens"),
			Fact("lifecycle.released", released), Fact("offer.id", place+"--"+strings.ReplaceAll(id, ".", "-")))}
	}
	score := func(id string, percent float64) Statement {
		return Statement{ID: id, Execution: Ran("bench"), Task: Job("f", nil, nil), Measurements: []any{Sample("livebench.coding.score", percent, "percent")}}
	}
	return []Statement{
		offer("acme/glm-5.2", "zai", "2026-05-01", 3, Fact("capability.tools", true)), offer("acme/glm-5.2", "other", "2026-05-01", 1, Fact("capability.tools", false)),
		offer("acme/glm-5.2", "other:free", "2026-05-01", 0, Fact("offer.service", "free")), score("acme/glm-5.2", 70),
		offer("acme/old", "acme", "2025-01-01", 2, Fact("lifecycle.status", "deprecated")), score("acme/old", 90),
		offer("beta/best", "beta", "2026-01-01", 9, Fact("capability.tools", true)), score("beta/best", 80),
		offer("beta/newest", "beta", "2026-05-20", 5, Fact("capability.tools", false)), offer("beta/older", "beta", "2026-02-20", 0.5, Fact("capability.tools", false)),
		{ID: "beta/best", Measurements: []any{Fact("lifecycle.released", "2025-12-30")}}, // whoever sells it
	}
}

// The index has a row for each model, with the numbers of offers that are sold as usual, who says
// yes and who no, and what the samples come to; by the benchmark, then the day.
func TestIndex(t *testing.T) {
	c := Compile(t, June2, shop(t)...)
	h := handler(t, c, explore.Extras{})
	var x struct {
		Benchmark string
		Keys      []struct{ Key, Name, Line string }
		Rows      []struct {
			Key              string
			Identity         struct{ ID string }
			Runtimes, Others []string
			Ended            bool
			Released         string
			Cells            map[string]struct {
				Low, High float64
				Says      map[string][]string
				Means     []struct{ Value float64 }
			}
		}
	}
	if err := json.Unmarshal(get(h, "GET", "/explore/index.json").Body.Bytes(), &x); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range x.Rows {
		price := r.Cells["price.output"]
		got = append(got, fmt.Sprintf("%s %v %v %v %.2g %.2g", r.Identity.ID, r.Runtimes, r.Others, r.Ended, price.Low*1e6, price.High*1e6))
	}
	want := []string{"acme/old [] [acme] true 2 2", "beta/best [beta] [] false 9 9", "acme/glm-5.2 [other zai] [other:free] false 1 3",
		"beta/newest [beta] [] false 5 5", "beta/older [beta] [] false 0.5 0.5"}
	if !slices.Equal(got, want) {
		t.Errorf("rows are\n%q\nnot\n%q", got, want)
	}
	if day := x.Rows[1].Released; day != "2025-12-30" {
		t.Errorf("the first day that is stated of any or no seller is %q", day)
	}
	glm := x.Rows[2].Cells
	if tools := glm["capability.tools"].Says; !slices.Equal(tools["yes"], []string{"zai"}) || !slices.Equal(tools["no"], []string{"other"}) {
		t.Errorf("of tools is said %v", tools)
	}
	if means := glm["livebench.coding.score"].Means; len(means) != 1 || means[0].Value != 70 || x.Benchmark != "livebench.coding.score" {
		t.Errorf("%s comes to %v", x.Benchmark, means)
	}
	if at := slices.IndexFunc(x.Keys, func(k struct{ Key, Name, Line string }) bool { return k.Key == "limits.context" }); x.Keys[at].Name != "context window" || x.Keys[at].Line == "" {
		t.Errorf("the context is %+v", x.Keys[at])
	}
	var m struct {
		Places []struct {
			Place        string
			Usual, Ended bool
			Cells        map[string]struct{ Only string }
		}
		Model struct{ Observations []struct{ ID string } }
	}
	if err := json.Unmarshal(get(h, "GET", "/explore/models/"+x.Rows[2].Key).Body.Bytes(), &m); err != nil {
		t.Fatal(err)
	}
	only := m.Places[0].Cells["price.output"].Only
	if len(m.Places) != 3 || m.Places[1].Place != "other:free" || m.Places[1].Usual || !slices.ContainsFunc(m.Model.Observations, func(o struct{ ID string }) bool { return o.ID == only }) {
		t.Errorf("places are %+v", m.Places)
	}
	for path, status := range map[string]int{"/explore/models/none": 404, "/explore/models/": 404} {
		if w := get(h, "GET", path); w.Code != status {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	packed := get(h, "GET", "/explore/app.js", "Accept-Encoding", "br, gzip")
	if packed.Header().Get("Content-Encoding") != "gzip" || packed.Header().Get("Vary") != "Accept-Encoding" || packed.Body.Len() > 60_000 {
		t.Errorf("the script is sent as %v, %d bytes", packed.Header(), packed.Body.Len())
	}
	for body, says := range map[string]string{`{"x":1}`: "no question of a plot", `{"x":{"key":"price.output"},"y":{"key":""}}`: "must name two keys", `{"maximize":["no"]}`: "$.maximize[0]: no observation has the key"} {
		w := httptest.NewRecorder()
		path := "/explore/plot"
		if strings.Contains(body, "maximize") {
			path = "/explore/answer"
		}
		h.ServeHTTP(w, httptest.NewRequest("POST", path, strings.NewReader(body)))
		if w.Code != 400 || !strings.Contains(strings.ReplaceAll(w.Body.String(), `\"`, `"`), says) {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
		}
	}
}

// A cell names the conditions of the two ends of a range, and none where there is one number.
func TestConditionsOfARange(t *testing.T) {
	score := func(id, condition string, percent float64) Statement {
		scope := Ran("bench")
		scope["workflow"] = Object{"id": "bench", "version": nil, "condition": condition}
		return Statement{ID: id, Execution: scope, Task: Job("f", nil, nil), Measurements: []any{Sample("livebench.coding.score", percent, "percent")}}
	}
	c := Compile(t, June2, score("a/one", "effort=low", 70), score("a/one", "effort=high", 70), score("a/two", "effort=low", 40), score("a/two", "effort=high", 60))
	tab := open(t, start(t), desk, serve(t, c, explore.Extras{})+"/#/models")
	if ends := texts(t, tab, ".ends"); !slices.Equal(ends, []string{"effort=low – high"}) {
		t.Errorf("conditions of ranges are %q", ends)
	}
}

// The list begins with what people come for, counts what each filter leaves, hides what has ended,
// finds any spelling, and shows offers inside a row, at all widths.
func TestFrontDoor(t *testing.T) {
	b := start(t)
	tab := open(t, b, desk, serve(t, Compile(t, June2, shop(t)...), explore.Extras{})+"/")
	names := func() []string { return texts(t, tab, "tbody:not(.inside *) > tr > th .model") }
	if got, want := names(), []string{"beta/best", "acme/glm-5.2", "beta/newest", "beta/older"}; !slices.Equal(got, want) {
		t.Errorf("models are %q", got)
	}
	if found := texts(t, tab, ".found")[0]; found != "4 models match. 1 deprecated or withdrawn one is hidden. Show them" {
		t.Errorf("it says %q", found)
	}
	options := func(label string) []string {
		return eval[[]string](t, tab, fmt.Sprintf(`[...[...document.querySelectorAll(".filters label")].find((l) => l.textContent.startsWith(%q)).querySelectorAll("option")].map((o) => o.textContent)`, label))
	}
	for label, want := range map[string][]string{"Tool calls": {"any", "yes (2)", "no (2)"}, "Maker": {"any", "beta (3)", "acme (1)"}, "Output price": {"any", "at most $0.50 / M (1)", "at most $1.00 / M (2)", "at most $2.00 / M (2)", "at most $5.00 / M (3)", "at most $10.00 / M (4)", "at most $25.00 / M (4)"},
		"Benchmark": {"any", "LiveBench coding (2)"}} {
		if got := options(label); !slices.Equal(got, want) {
			t.Errorf("%s has %q", label, got)
		}
	}
	for _, q := range []string{"GLM 5.2", "glm52", "zai glm-5-2", "other--acme/glm-5-2"} {
		enter(t, tab, "#search", q)
		wait(t, tab, fmt.Sprintf(`new URLSearchParams(location.hash.split("?")[1]).get("q") === %q && !document.querySelector(".wait") && `, q)+`document.querySelectorAll(".list > table > tbody > tr").length === 1 && document.querySelector("tbody .model").textContent === "acme/glm-5.2"`)
	}
	time.Sleep(200 * time.Millisecond) // the list is drawn again
	if cells := texts(t, tab, "tbody td.number"); !slices.Equal(cells, []string{"70", "$0.50 – $1.50", "$1.00 – $3.00", "200,000"}) {
		t.Errorf("it has %q", cells)
	}
	press(t, tab, "other +1")
	wait(t, tab, `document.querySelectorAll(".inside tbody tr").length === 3`)
	if rows := texts(t, tab, ".inside tbody tr"); !strings.HasPrefix(rows[0], "otheras usual$0.50$1.00") || !strings.HasPrefix(rows[2], "otherfree$0.00") {
		t.Errorf("offers are %q", rows)
	}
	for _, width := range []int{390, 600, 768, 1024, 1440} {
		if err := tab.Look(browsertest.View{Width: width, Height: 800}); err != nil {
			t.Fatal(err)
		}
		if wide := eval[int](t, tab, `document.documentElement.scrollWidth`); wide > width {
			t.Errorf("at %d the list is %d wide", width, wide)
		}
	}
	enter(t, tab, "#search", "")
	wait(t, tab, `document.querySelectorAll(".list > table > tbody > tr").length === 4`)
	press(t, tab, "Show them")
	wait(t, tab, `document.querySelector("tbody .model").textContent === "acme/old" && location.hash.includes("ended=all")`)
	clean(t, tab, "front door")
}

// Three tasks are done by the keyboard alone, in few steps: a step is a key or a text.
func TestKeyboardTasks(t *testing.T) {
	b := start(t)
	old, new := shop(t), shop(t)
	old[0].Evidence, old[0].Measurements = []string{"before"}, append(slices.Clone(old[0].Measurements[:0:0]), Fact("price.output", 4e-6, "USD/token"))
	before, after := Compile(t, May31, old...), Compile(t, June2, new...)
	e := explore.Extras{Diff: diffOf(t, before, after)}
	if first, ok := explore.FirstRequest(after); ok {
		e.Requests = append(e.Requests, first)
	}
	tab := open(t, b, desk, serve(t, after, e)+"/#/models")
	do := func(most int, done string, steps ...string) {
		t.Helper()
		for _, keys := range steps {
			if keys == "m" { // the protocol sends a character even where the page has taken its key
				eval[bool](t, tab, `document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "m", bubbles: true, cancelable: true })) === false`)
				continue
			}
			if err := tab.Type(keys); err != nil {
				t.Fatal(err)
			}
			wait(t, tab, `!document.querySelector(".wait")`)
			if keys == "a" {
				wait(t, tab, `document.querySelector("button.must") && document.querySelector(".result")`)
			}
		}
		wait(t, tab, done)
		if len(steps) > most {
			t.Errorf("%q are %d steps, at most %d", steps, len(steps), most)
		}
	}
	do(6, `document.querySelector(".answer")?.textContent.startsWith("Take glm-5.2") && location.hash.includes("atMost")`, "g", "a", "m", "2")
	eval[bool](t, tab, `(document.activeElement.blur(), document.getElementById("main").dataset.ready = "", location.hash = "#/models", true)`)
	wait(t, tab, `document.getElementById("main").dataset.ready === "models" && document.querySelector("tbody td.number a")`)
	const down, enterKey = "\u0301", "\r"
	do(3, `document.querySelector("details.row[open] .evidences li")`, down, enterKey)
	do(2, `document.getElementById("main").dataset.ready === "changes" && document.querySelector("#main").textContent.includes("price.output")`, "g", "c")
	clean(t, tab, "tasks")
}

// A price that changed is a line over time, the lowest offer is bold where no list contradicts it,
// the comparison marks the best number, and tells yes and no apart by who says so.
func TestPricesOverTime(t *testing.T) {
	b := start(t)
	list := append(shop(t), Statement{ID: "acme/glm-5.2", Execution: At("zai"), From: "2026-01-01T00:00:00.000Z", Until: "2026-02-01T00:00:00.000Z", Measurements: []any{Fact("price.output", 6e-6, "USD/token")}})
	c := Compile(t, June2, list...)
	key := map[string]string{}
	for _, m := range c.Models() {
		key[m.Identity.ID] = m.Key
	}
	tab := open(t, b, desk, serve(t, c, explore.Extras{})+"/#/model/"+key["acme/glm-5.2"])
	wait(t, tab, `document.querySelector(".history")`)
	if says := eval[[]string](t, tab, `[...document.querySelectorAll(".history")].map((n) => n.getAttribute("aria-label"))`); !slices.Equal(says, []string{"price of output over time: zai from $6.00 / M to $3.00 / M"}) {
		t.Errorf("the lines are %q", says)
	}
	if least := texts(t, tab, ".places .least"); !slices.Equal(least, []string{"$0.50", "$1.00"}) {
		t.Errorf("the lowest are %q", least)
	}
	if err := tab.Go("#/compare?models="+key["acme/glm-5.2"]+","+key["beta/best"], "compare"); err != nil {
		t.Fatal(err)
	}
	row := func(name string) []string {
		return eval[[]string](t, tab, fmt.Sprintf(`[...[...document.querySelectorAll(".sides tbody tr")].find((r) => r.textContent.startsWith(%q)).querySelectorAll("td")].map((n) => n.textContent.trim() + (n.matches(".least") ? " best" : ""))`, name))
	}
	for name, want := range map[string][]string{
		"price of output": {"$1.00 – $3.00, the best best", "$9.00"}, "LiveBench coding": {"70", "80, the best best"},
		"tool calls": {"yes zai or no other", "yes"}, "context window": {"200,000", "200,000"},
	} {
		if got := row(name); !slices.Equal(got, want) {
			t.Errorf("%s: %q", name, got)
		}
	}
	clean(t, tab, "prices over time")
}

// Sources say of what day they are, under which licence, what was read and what was left out, and how
// old that is by the reader's clock. Back leads to the place that was left.
func TestSourcesScreen(t *testing.T) {
	b := start(t)
	var list []Statement
	for i := range 60 {
		list = append(list, Statement{ID: fmt.Sprintf("m%02d", i), Execution: At("r"), Until: "2026-06-10T00:00:00.000Z", Evidence: []string{fmt.Sprintf("prices:row%d#price.output", i)}, Measurements: []any{Fact("price.output", 1e-6, "USD/token")}})
	}
	build := &record.CatalogBuild{Sources: []record.BuiltSource{{ID: "prices", State: "built", SeenAt: "2026-06-01T00:00:00.000Z", Revision: "r1", Attribution: "The prices", Site: "https://example.com/", License: "MIT",
		Rows: 70, Imported: 60, Skipped: map[string]int{"row-unmapped": 10}, LeftOut: map[string]int{"unknown-price": 3}, Observations: 60, Joined: map[string]int{}, Unknown: []record.UnknownRow{{Row: "x", Label: "gpt-9", Reason: "no-name", Values: []record.UnknownValue{{Key: "k", Value: 78.2}}}}}}}
	tab := open(t, b, desk, serve(t, Compile(t, June2, list...), explore.Extras{Build: build})+"/#/models")
	eval[bool](t, tab, `(scrollTo(0, 900), true)`)
	wait(t, tab, `history.state?.y > 800`)
	if err := tab.Go("#/sources", "sources"); err != nil {
		t.Fatal(err)
	}
	age := eval[int](t, tab, `Math.floor((Date.now() - Date.parse("2026-06-02T00:00:00.000Z")) / 864e5)`)
	if says, want := texts(t, tab, ".screen-sources > p")[0], fmt.Sprintf("As of 2026-06-02, %d days ago; 60 prices have expired since.", age); says != want {
		t.Errorf("it says %q, want %q", says, want)
	}
	if rows := texts(t, tab, "tbody tr"); len(rows) != 1 || !strings.HasPrefix(rows[0], fmt.Sprintf("The pricesprices2026-06-01, %d days agor1MIT7010 rows, 3 values601 row is no model heregpt-9 78.2", age+1)) {
		t.Errorf("sources are %q", rows)
	}
	eval[bool](t, tab, `(document.getElementById("main").dataset.ready = "", history.back(), true)`)
	wait(t, tab, `document.getElementById("main").dataset.ready === "models" && scrollY > 800`)
	clean(t, tab, "sources")
}

// thousands is a catalog of 5,000 offers of 2,000 models.
func thousands() (list []Statement) {
	for i := range 5000 {
		id := fmt.Sprintf("maker%d/model-%d", i%50, i%2000)
		list = append(list, Statement{ID: id, Execution: At(fmt.Sprintf("seller%d", i/2000*40+i%40)), Measurements: []any{Fact("price.output", float64(1+i%37)/1e6, "USD/token"), Fact("price.input", float64(1+i%31)/1e6, "USD/token"),
			Fact("limits.context", 1000*(1+i%200), "tokens"), Fact("capability.tools", i%3 > 0), Fact("lifecycle.released", fmt.Sprintf("2026-%02d-%02d", 1+i%5, 1+i%28)), Fact("offer.id", id)}})
		if i < 400 {
			list = append(list, Statement{ID: id, Execution: Ran("bench"), Task: Job("f", nil, nil), Measurements: []any{Sample("livebench.coding.score", i%100, "percent")}})
		}
	}
	return list
}

// The first list of 5,000 offers is to be there in at most 1.5 times the time of that of the examples,
// and neither it nor more of its rows to hold the page up for 100 ms.
func BenchmarkList(t *testing.B) {
	b := start(t)
	const tasks = `new Promise((done) => { const list = []; new PerformanceObserver((l) => list.push(...l.getEntries().map((e) => e.duration))).observe({ type: "longtask", buffered: true }); setTimeout(() => done(Math.max(0, ...list)), 300); })`
	measure := func(url string) (ready, longest float64) {
		var times, tasksOf []float64
		for range 7 {
			tab := open(t, b, desk, url)
			times = append(times, eval[float64](t, tab, `performance.getEntriesByName("ready")[0].startTime`))
			rows := `document.querySelectorAll(".list > table > tbody > tr").length`
			wait(t, tab, rows+" === 41 || "+rows+" >= 100")
			if eval[int](t, tab, rows) == 100 {
				press(t, tab, "Show 100 more")
				wait(t, tab, rows+" >= 200")
			}
			tasksOf = append(tasksOf, eval[float64](t, tab, tasks))
			tab.Close()
		}
		slices.Sort(times)
		slices.Sort(tasksOf)
		return times[len(times)/2], tasksOf[len(tasksOf)/2]
	}
	few, _ := measure(serve(t, readCatalog(t, "../../examples/models/catalog.json"), explore.Extras{}) + "/#/models")
	many, longest := measure(serve(t, Compile(t, June2, thousands()...), explore.Extras{}) + "/#/models")
	t.ReportMetric(many/few, "times/examples")
	t.ReportMetric(many, "ms/list")
	t.ReportMetric(longest, "ms/longest-task")
}

// Every screen is as wide as the window at all widths, light and dark, and on
// paper. Pictures go to the artifacts of the test.
func TestPicturesOfAllWidths(t *testing.T) {
	vectortest.SkipLong(t)
	b := start(t)
	c := readCatalog(t, "../../examples/models/catalog.json")
	e := explore.Extras{Diff: diffOf(t, Compile(t, May31), c)}
	if first, ok := explore.FirstRequest(c); ok {
		e.Requests = append(e.Requests, first)
	}
	for name, url := range map[string]string{"examples": serve(t, c, e), "thousands": serve(t, Compile(t, June2, thousands()...), explore.Extras{})} {
		for _, width := range []int{390, 600, 768, 1024, 1440} {
			for kind, view := range map[string]browsertest.View{"light": {}, "dark": {Dark: true}, "print": {Media: "print"}} {
				view.Width, view.Height = width, 900
				tab := open(t, b, view, url+"/#/models")
				for _, screen := range []string{"models", "plot", "rank", "sources"} {
					if err := tab.Go("#/"+screen, screen); err != nil {
						t.Fatal(err)
					}
					wait(t, tab, `!document.querySelector(".wait") && document.querySelector("#main table, .result, .drawing")`)
					if wide := eval[int](t, tab, `document.documentElement.scrollWidth`); wide > width && kind != "print" {
						t.Errorf("%s of %s at %d, %s, is %d wide", screen, name, width, kind, wide)
					}
					picture, err := tab.Picture()
					if err != nil || len(picture) < 5000 {
						t.Fatalf("%d bytes, %v", len(picture), err)
					}
					if err := os.WriteFile(filepath.Join(t.ArtifactDir(), fmt.Sprintf("%s-%s-%d-%s.png", name, screen, width, kind)), picture, 0o600); err != nil {
						t.Fatal(err)
					}
				}
				clean(t, tab, fmt.Sprint(name, width, kind))
				tab.Close()
			}
		}
	}
}
