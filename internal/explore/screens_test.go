package explore_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	. "github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/internal/explore"
	"github.com/model-catalog-service/svc/internal/explore/browsertest"
)

// press presses the button that has a text.
func press(t *testing.T, tab *browsertest.Tab, text string) {
	t.Helper()
	eval[bool](t, tab, fmt.Sprintf(`([...document.querySelectorAll("button")].find((b) => b.textContent.startsWith(%q)).click(), true)`, text))
}

// enter gives a field a value, as a hand does.
func enter(t *testing.T, tab *browsertest.Tab, field, value string) {
	t.Helper()
	eval[bool](t, tab, fmt.Sprintf(`(() => { const field = document.querySelector(%q); field.value = %q; field.dispatchEvent(new Event(field.tagName === "SELECT" ? "change" : "input")); return true; })()`, field, value))
}

// texts are those of all nodes that a selector finds.
func texts(t *testing.T, tab *browsertest.Tab, selector string) []string {
	t.Helper()
	return eval[[]string](t, tab, fmt.Sprintf(`[...document.querySelectorAll(%q)].map((n) => n.textContent.replace(/\s+/g, " ").trim())`, selector))
}

// priced are models at prices of 0, 0, 2, 3 and so on dollars, of which the last ten have
// none, every other one a limit, and every third a score.
func priced(n int) (list []Statement) {
	for i := range n {
		s := Statement{ID: fmt.Sprintf("m%03d", i), Execution: At("r"), Measurements: []any{Fact("tools", i%2 == 0)}}
		if i < n-10 {
			price := float64(i) / 1e6
			if i == 1 {
				price = 0
			}
			s.Measurements = append(s.Measurements, Fact("price.output", price, "USD/token"))
		}
		if i%2 == 0 {
			s.Measurements = append(s.Measurements, Fact("limits.context", 1000+i, "tokens"))
		}
		list = append(list, s)
		if i%3 == 0 {
			list = append(list, Statement{ID: s.ID, Execution: Ran("bench"), Task: Job("f", nil, nil), Measurements: []any{Sample("score", 10+i)}})
		}
	}
	return list
}

// The list has a hundred rows, and a hundred more when they are asked for. It is sorted by
// any column, what is unknown last in both directions, and filtered by all words of a name.
func TestList(t *testing.T) {
	b := start(t)
	tab := open(t, b, desk, serve(t, Compile(t, June2, priced(130)...), explore.Extras{})+"/#/models?columns=price.output,limits.context")
	rows := func() []string { return texts(t, tab, "tbody th .model") }
	if n := len(rows()); n != 100 {
		t.Errorf("%d rows", n)
	}
	press(t, tab, "Show 30 more")
	wait(t, tab, `document.querySelectorAll("tbody tr").length === 130`)
	for _, want := range []string{"m000 m001 m002", "m119 m118 m117"} {
		press(t, tab, "price.output")
		wait(t, tab, `document.querySelector("tbody th .model").textContent === `+fmt.Sprintf("%.4q", want[:4]))
		got := rows()
		if first := strings.Join(got[:3], " "); first != want {
			t.Errorf("sorted by price the first are %s", first)
		}
		if last := strings.Join(got[120:], " "); last != "m120 m121 m122 m123 m124 m125 m126 m127 m128 m129" {
			t.Errorf("the last are %s", last)
		}
	}
	if sorted := eval[string](t, tab, `document.querySelector("th[aria-sort]").ariaSort`); sorted != "descending" {
		t.Errorf("the head says %s", sorted)
	}
	enter(t, tab, "#search", "M0 01")
	wait(t, tab, `document.querySelectorAll("tbody tr").length === 11 && document.getElementById("said").textContent === "11 models"`)
	if cells := texts(t, tab, "tbody tr:last-child td.number"); !slices.Equal(cells, []string{"0.00", "–"}) {
		t.Errorf("cells are %q", cells)
	}
	if bars := eval[[]int](t, tab, `[...document.querySelectorAll("tbody tr:first-child .size rect, tbody tr:nth-last-child(2) .size rect")].map((n) => n.width.baseVal.value)`); len(bars) < 2 || bars[0] <= bars[len(bars)-1] {
		t.Errorf("bars are %d wide", bars)
	}
	clean(t, tab, "list")
}

// A time line of many rows has two hundred, and a button for all.
func TestLongTimeLine(t *testing.T) {
	b := start(t)
	var list []Statement
	for i := range 230 {
		list = append(list, Statement{ID: "m", Execution: At(fmt.Sprint("r", i)), Measurements: []any{Fact("price", i)}})
	}
	c := Compile(t, June2, list...)
	tab := open(t, b, desk, serve(t, c, explore.Extras{})+"/#/model/"+c.Models()[0].Key)
	if n := len(texts(t, tab, "details.row")); n != 200 {
		t.Errorf("%d rows", n)
	}
	press(t, tab, "Show all 230")
	wait(t, tab, `document.querySelectorAll("details.row").length === 230`)
	clean(t, tab, "time line")
}

// Side by side come first the keys in which models differ, then what only some have, then
// what is the same.
func TestOrderOfComparison(t *testing.T) {
	b := start(t)
	said := func(id string, more ...any) Statement {
		return Statement{ID: id, Execution: At("r"), Measurements: append(more, Fact("a.same", 1))}
	}
	c := Compile(t, June2, said("x", Fact("z.differs", 1), Fact("m.one", 1)), said("y", Fact("z.differs", 2)))
	tab := open(t, b, desk, serve(t, c, explore.Extras{})+"/#/compare?models="+c.Models()[0].Key+","+c.Models()[1].Key)
	if keys := texts(t, tab, `tbody th[scope="row"]`); !slices.Equal(keys, []string{"z.differs", "m.one", "a.same"}) {
		t.Errorf("the order is %q", keys)
	}
	clean(t, tab, "comparison")
}

// Free models have a lane of their own on a log axis. What is left out is counted by reason,
// and each count opens to the names. Points that rest on lent evidence are squares, and say
// across what it was lent.
func TestMarksOfAPlot(t *testing.T) {
	b := start(t)
	url := serve(t, Compile(t, June2, priced(40)...), explore.Extras{})
	tab := open(t, b, desk, url+"/#/plot?x=price.output&y=limits.context")
	wait(t, tab, `document.querySelectorAll("a.hit").length === 15`)
	lane := eval[[]float64](t, tab, `[document.querySelector(".cut line").getBoundingClientRect().x, ...[...document.querySelectorAll("a.hit")].filter((n) => n.ariaLabel.includes(", $0.00")).map((n) => n.querySelector(".dot").getBoundingClientRect().right)]`)
	if len(lane) != 2 || lane[1] >= lane[0] {
		t.Errorf("the free model ends at %v, the lane first", lane)
	}
	if n := eval[int](t, tab, `[...document.querySelectorAll("a.hit .dot")].filter((n) => n.getBoundingClientRect().x < document.querySelector(".cut line").getBoundingClientRect().x).length`); n != 1 {
		t.Errorf("%d points are in the lane", n)
	}
	reasons := texts(t, tab, ".leftout summary")
	if text := strings.Join(texts(t, tab, ".leftout strong"), ""); text != "15 of 40 candidates drawn." || !slices.Contains(reasons, "15: no evidence for limits.context") || !slices.Contains(reasons, "5: no evidence for price.output") {
		t.Errorf("it says %q and %q", text, reasons)
	}
	eval[bool](t, tab, `(document.querySelectorAll(".leftout details").forEach((n) => (n.open = true)), true)`)
	wait(t, tab, `document.querySelectorAll(".leftout li").length === 25`)
	for lend, want := range map[string]int{"": 0, "all": 10} {
		lent := open(t, b, desk, url+"/#/plot?x=price.output&y=score&lend="+lend)
		wait(t, lent, fmt.Sprintf(`!document.querySelector("#main .wait") && document.querySelectorAll("a.hit rect.lent").length === %d && document.querySelectorAll("a.hit").length === %[1]d`, want))
		if want > 0 {
			eval[bool](t, lent, `(document.querySelector("a.hit").dispatchEvent(new Event("mouseenter")), true)`)
			if detail := strings.Join(texts(t, lent, ".side .point"), ""); !strings.Contains(detail, "lent across") {
				t.Errorf("the detail is %q", detail)
			}
		} else if says := texts(t, lent, "#main .empty"); !strings.Contains(strings.Join(says, ""), "lend evidence across them") {
			t.Errorf("without evidence it says %q", says)
		}
		clean(t, lent, "lend "+lend)
		lent.Close()
	}
	clean(t, tab, "plot")
}

// A weight of 0 leaves a preference out, slider and number say the same, and those who do not
// meet a requirement are counted by reason. A request that is opened takes the place of the one
// before.
func TestEditsOfARanking(t *testing.T) {
	b := start(t)
	tab := open(t, b, desk, serve(t, Compile(t, June2, priced(40)...), explore.Extras{})+"/#/rank?keys=%5B%22limits.context%22,%22price.output%22%5D")
	heads := `[...document.querySelectorAll(".heads .number")].map((n) => n.firstChild.textContent + [...n.childNodes].slice(1).map((c) => c.textContent).join("")).join(" ")`
	wait(t, tab, `document.querySelectorAll(".result").length > 3 && `+heads+`.includes("limits.context")`)
	enter(t, tab, ".criteria li:first-child input[type=range]", "5")
	if number := eval[string](t, tab, `document.querySelector(".criteria li:first-child input[type=number]").value`); number != "5" {
		t.Errorf("the number is %s", number)
	}
	wait(t, tab, `document.querySelector(".heads .points").textContent === "Scoreof 6"`)
	enter(t, tab, ".criteria li:first-child input[type=number]", "0")
	wait(t, tab, `document.querySelector(".heads .points").textContent === "Scoreof 1" && !(`+heads+`).includes("limits.context")`)
	if sliders := eval[int](t, tab, `document.querySelectorAll("input[type=range]").length`); sliders != 2 {
		t.Errorf("%d sliders are left", sliders)
	}
	press(t, tab, "Add a requirement")
	wait(t, tab, `document.querySelector("[data-path='$.requirements[0]'] select")`)
	enter(t, tab, "[data-path='$.requirements[0]'] select", "price.output")
	wait(t, tab, `document.querySelector("[data-path='$.requirements[0]'] input")?.value === "29" && document.querySelectorAll(".result").length === 10`)
	enter(t, tab, "[data-path='$.requirements[0]'] input", "9")
	wait(t, tab, `document.querySelectorAll(".result").length === 4 && document.querySelectorAll(".excluded summary").length === 2`)
	got := texts(t, tab, ".excluded summary")
	slices.Sort(got)
	if want := []string{"4: no evidence for price.output", "6: price.output is not at most $9.00 per million tokens"}; !slices.Equal(got, want) {
		t.Errorf("excluded are %q", got)
	}
	if names := texts(t, tab, ".excluded details:first-of-type li"); len(names) != 6 || names[0] != "m012 price.output 12.00" {
		t.Errorf("a reason opens to %q", names)
	}
	enter(t, tab, "textarea", `{"schemaVersion":"service.rank.request/v3","inventory":[{"id":"one","model":{"id":"m003"},"execution":{"runtime":{"id":"r"}}}],"preferences":[]}`)
	press(t, tab, "Open what is pasted")
	wait(t, tab, `document.querySelectorAll(".result").length === 1 && document.querySelector(".result .model").textContent === "one"`)
	clean(t, tab, "edits")
}

// Changes are filtered by model, key and kind, and the address has what was chosen.
func TestFiltersOfChanges(t *testing.T) {
	b := start(t)
	said := func(id string, more ...any) Statement {
		return Statement{ID: id, Execution: At("r"), From: May1, Until: May31, Measurements: more}
	}
	old := Compile(t, May2, said("a", Fact("k", 1), Fact("l", 1)), said("b", Fact("k", 1)), said("c", Fact("k", 1)))
	now := []Statement{said("a", Fact("k", 1), Fact("l", 1)), said("b", Fact("k", 1)), said("c", Fact("k", 1)), {ID: "a", Execution: At("r"), From: May31, Measurements: []any{Fact("k", 2)}}, {ID: "b", Execution: At("r"), From: May31, Measurements: []any{Fact("k", 3)}}}
	new := Compile(t, June2, now...)
	tab := open(t, b, desk, serve(t, new, explore.Extras{Diff: diffOf(t, old, new)})+"/#/changes")
	rows := func() string {
		return strings.Join(eval[[]string](t, tab, `[...document.querySelectorAll("#main tbody tr")].map((r) => r.querySelector(".sign").title + " " + r.querySelector(".model").textContent + " " + (r.querySelector(".keyname")?.textContent || ""))`), "; ")
	}
	check := func(want string) {
		t.Helper()
		if got := rows(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	check("silenced c ; changed b k; changed a k; expired a l")
	enter(t, tab, ".filters label:nth-of-type(2) select", "k")
	check("changed b k; changed a k")
	enter(t, tab, "#search", "A")
	wait(t, tab, `document.querySelectorAll("#main tbody tr").length === 1`)
	check("changed a k")
	enter(t, tab, ".filters label:nth-of-type(2) select", "")
	enter(t, tab, ".filters label:nth-of-type(3) select", "expired")
	check("expired a l")
	if hash := eval[string](t, tab, `location.hash`); hash != "#/changes?q=A&kind=expired" {
		t.Errorf("the address is %s", hash)
	}
	clean(t, tab, "filters")
}

// While a catalog is read the page says how much was; a browser that lacks something is told
// what.
func TestStatesBeforeTheList(t *testing.T) {
	b := start(t)
	h := handler(t, Compile(t, June2, priced(1000)...), explore.Extras{})
	release := make(chan struct{})
	serve := func(isOld bool) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			answer := httptest.NewRecorder()
			h.ServeHTTP(answer, r)
			text := answer.Body.String()
			w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
			switch {
			case r.URL.Path == "/v1/catalog/snapshot":
				const part = 700_000
				_, _ = io.WriteString(w, text[:part])
				w.(http.Flusher).Flush()
				select {
				case <-release:
				case <-r.Context().Done():
				}
				text = text[part:]
			case r.URL.Path == "/explore/app.js" && isOld:
				text = "delete globalThis.CompressionStream;\n" + text
			}
			_, _ = io.WriteString(w, text)
		}))
		t.Cleanup(s.Close)
		return s.URL + "/"
	}
	tab, err := b.Open(desk, serve(false))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tab.Close)
	wait(t, tab, `/^Reading the catalog, 0\.\d MB so far$/.test(document.querySelector(".wait")?.textContent)`)
	close(release)
	wait(t, tab, `document.querySelectorAll("tbody tr").length === 100`)
	clean(t, tab, "reading")

	if tab, err = b.Open(desk, serve(true)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tab.Close)
	wait(t, tab, `document.querySelector("#main .notice")?.textContent === "This page needs a browser of 2023 or later: yours lacks CompressionStream."`)
	clean(t, tab, "an old browser")
}
