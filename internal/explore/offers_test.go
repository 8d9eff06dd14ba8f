package explore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	. "github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/internal/explore"
)

// ranUnder is an exact execution with the harness of a benchmark under a condition.
func ranUnder(condition any) any {
	e := Ran("bench")
	e["adapter"] = Object{"id": "bench", "version": "1"}
	e["workflow"] = Object{"id": "bench", "version": "1", "condition": condition}
	return e
}

// offers compiles models that a benchmark measured with its own harness, under one condition
// or two, and that several places sell:
//
//	          score   cheap  dear  own
//	good       70      $3     $4    $4
//	best low   60                   $5
//	     high  80                   $5
//	free       10      $0
//	unsold     90
//	unknown            $1
func offers(t testing.TB) *catalog.Catalog {
	price := func(model, place string, dollars float64) Statement {
		return Statement{ID: "maker/" + model, Execution: At(place), Measurements: []any{
			Fact("price.output", dollars/1e6, "USD/token"), Fact("price.input", dollars/1e7, "USD/token"), Fact("limits.context", 1000, "tokens")}}
	}
	score := func(model string, condition any, percent float64) Statement {
		return Statement{ID: "maker/" + model, Execution: ranUnder(condition), Task: Job("f", nil, nil), Measurements: []any{Sample("score", percent, "percent")}}
	}
	fast := price("good", "cheap", 3)
	fast.Measurements = append(fast.Measurements, Fact("speed.ttft.p50", 0.51234, "s"), Fact("uptime", 99.91, "percent"))
	return Compile(t, June2,
		fast, price("good", "dear", 4), price("good", "own", 4), price("best", "own", 5), price("free", "cheap", 0), price("unknown", "cheap", 1),
		score("good", nil, 70), score("best", "effort=low", 60), score("best", "effort=high", 80), score("free", nil, 10), score("unsold", nil, 90))
}

const (
	marks = `[...document.querySelectorAll("a.hit")].map((n) => n.getAttribute("aria-label")).sort()`
	drawn = `document.querySelector(".leftout strong")?.textContent`
)

// Where scores were measured with the harness of a benchmark and prices are those of places
// that sell, a plot has a point for each offer: the frontier is that of what one can buy.
// The screen says so, and the scores can be left where they were measured. In a report the
// points are the same.
func TestPlotOfOffers(t *testing.T) {
	b := start(t)
	c := offers(t)
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(report(t, c, explore.Extras{}, explore.ReportOptions{})), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"maker/best on own, effort=high: 80%, $5.00 per million tokens, on the frontier",
		"maker/best on own, effort=low: 60%, $5.00 per million tokens",
		"maker/free on cheap: 10%, $0.00 per million tokens, on the frontier",
		"maker/good on cheap: 70%, $3.00 per million tokens, on the frontier",
		"maker/good on dear, own: 70%, $4.00 per million tokens",
	}
	for name, url := range map[string]string{"page": serve(t, c, explore.Extras{}) + "/", "report": "file://" + file} {
		tab := open(t, b, desk, url+"#/plot")
		wait(t, tab, drawn+`?.startsWith("6 of 8 offers drawn")`)
		if got := eval[[]string](t, tab, marks); !slices.Equal(got, want) {
			t.Errorf("%s: %q", name, got)
		}
		if dear := texts(t, tab, ".screen-plot .side .hint"); !strings.Contains(strings.Join(dear, ""), "a dearer offer") || eval[int](t, tab, `document.querySelectorAll(".drawing .dear").length`) != 1 {
			t.Errorf("%s: the dearer offer is not told apart: %q", name, dear)
		}
		if says := texts(t, tab, ".sure"); !strings.Contains(says[0], "harness, bench, and are carried over") {
			t.Errorf("%s says %q", name, says)
		}
		reasons := texts(t, tab, ".leftout summary")
		slices.Sort(reasons)
		if want := []string{"1: no evidence for price.output", "1: no evidence for score"}; !slices.Equal(reasons, want) {
			t.Errorf("%s leaves out %q", name, reasons)
		}
		if name == "report" { // which has what a plot begins with
			continue
		}
		press(t, tab, "Do not carry scores over")
		wait(t, tab, `document.querySelector("#main .empty") && location.hash.includes("lend=none")`)
		press(t, tab, "Carry scores over to the offers")
		wait(t, tab, `document.querySelectorAll("a.hit").length === 5`)
		clean(t, tab, name)
		tab.Close()
	}
}

// A person who can use some places alone sees what those sell, and the address says so.
func TestPlotOfOnePlace(t *testing.T) {
	b := start(t)
	url := serve(t, offers(t), explore.Extras{}) + "/#/plot"
	tab := open(t, b, desk, url)
	wait(t, tab, `document.querySelectorAll("a.hit").length === 5`)
	if options := eval[[]string](t, tab, `[...[...document.querySelectorAll("label")].find((l) => l.firstChild.textContent === "Seller").querySelectorAll("option")].map((o) => o.textContent)`); !slices.Equal(options, []string{"any", "cheap (2)", "own (2)", "dear (1)"}) {
		t.Errorf("places are %q", options)
	}
	for place, want := range map[string]int{"own": 3, "cheap": 2, "nowhere": 0} {
		tab := open(t, b, desk, url+"?runs="+place)
		wait(t, tab, fmt.Sprintf(drawn+`?.startsWith("%d of ")`, want))
		if chosen := eval[string](t, tab, `[...document.querySelectorAll("label")].find((l) => l.firstChild.textContent === "Seller").querySelector("select").value`); chosen != place {
			t.Errorf("the address says %s, the page %s", place, chosen)
		}
		clean(t, tab, place)
		tab.Close()
	}
	clean(t, tab, "places")
}

// Rank begins with a question that one can answer: offers with a score that is carried over
// to them, the cheapest first of those whose score is close to the best. So it does from the frontier of a plot.
func TestRankOfOffers(t *testing.T) {
	b := start(t)
	c := offers(t)
	first, ok := explore.FirstRequest(c)
	if !ok || first.Name != "Cheapest of the best by score" || !first.IsDraft {
		t.Fatalf("%q, %v", first.Name, ok)
	}
	if _, ok := explore.FirstRequest(emptyCatalog(t)); ok {
		t.Error("there is a question about an empty catalog")
	}
	const (
		rows = `[...document.querySelectorAll(".result")].map((r) => r.querySelector(".who").innerText.replaceAll("\n", " ") + ": " + [...r.querySelectorAll(".value .plain")].map((v) => v.textContent).join(", "))`
		none = `document.querySelectorAll(".value.none").length`
	)
	url := serve(t, c, explore.Extras{Requests: []explore.Request{first}}) + "/"
	tab := open(t, b, desk, url+"#/rank")
	wait(t, tab, `document.querySelector(".results .more")`)
	press(t, tab, "Show all 5")
	wait(t, tab, `document.querySelectorAll(".result").length === 5`)
	if got := eval[[]string](t, tab, rows); got[0] != "unsold: 90, –" || !strings.HasPrefix(got[1], "best@effort=high on own") || !strings.Contains(strings.Join(got, "\n"), "good on cheap") {
		t.Errorf("%q", got)
	}
	tab.Close()

	tab = open(t, b, desk, url+"#/plot")
	wait(t, tab, `document.querySelector(".front p a")`)
	follow := func(link string) {
		eval[bool](t, tab, `(document.querySelector("`+link+`").click(), true)`)
	}
	follow(".front p a")
	wait(t, tab, `document.querySelectorAll(".result").length > 1 && document.querySelectorAll(".criteria li").length === 2`)
	if got, n := eval[[]string](t, tab, rows), eval[int](t, tab, none); n != 0 || !slices.Contains(got, "good on cheap first token after 0.512 s · 99.9% up: 3.00, 70, 0.015") {
		t.Errorf("the frontier is ranked as %q, %d without a value", got, n)
	}
	clean(t, tab, "rank of offers")
	tab.Close()

	// A report cannot ask again: it shows the command that does.
	file := filepath.Join(t.TempDir(), "report.html")
	named := explore.Request{Name: "it's mine.json", Request: first.Request}
	if err := os.WriteFile(file, []byte(report(t, c, explore.Extras{Requests: []explore.Request{first, named}}, explore.ReportOptions{})), 0o600); err != nil {
		t.Fatal(err)
	}
	tab = open(t, b, desk, "file://"+file+"#/rank")
	for n, want := range []string{"svc rank --catalog catalog.json --maximize score --cheapest", `svc rank --catalog catalog.json 'it'\''s mine.json'`} {
		if err := tab.Go(fmt.Sprint("#/rank?n=", n), "rank"); err != nil {
			t.Fatal(err)
		}
		wait(t, tab, `document.querySelector("main code")`)
		if got := texts(t, tab, "main code"); !slices.Equal(got, []string{want}) {
			t.Errorf("%q", got)
		}
	}
}

// The list begins with what people come for: models with a benchmark, then those of which
// most is known. By name it is sorted with one click.
func TestFirstModels(t *testing.T) {
	b := start(t)
	tab := open(t, b, desk, serve(t, offers(t), explore.Extras{})+"/")
	names := func() []string { return texts(t, tab, "tbody th .model") }
	if got, want := names(), []string{"maker/unsold", "maker/best", "maker/good", "maker/free", "maker/unknown"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if heads := strings.Join(texts(t, tab, "thead .number"), " "); !strings.Contains(heads, "score") || strings.Index(heads, "price.output") > strings.Index(heads, "score") {
		t.Errorf("columns are %q", heads)
	}
	press(t, tab, "Model")
	wait(t, tab, `document.querySelector("tbody th .model").textContent === "maker/best" && location.hash.includes("sort=model")`)
	clean(t, tab, "first models")
}
