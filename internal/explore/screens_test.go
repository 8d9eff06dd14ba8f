package explore_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	neturl "net/url"
	"slices"
	"strings"
	"testing"

	. "github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/internal/explore"
	"github.com/model-catalog-service/svc/internal/explore/browsertest"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// press presses the button that has a text.
func press(t testing.TB, tab *browsertest.Tab, text string) {
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
	wait(t, tab, `document.querySelectorAll("tbody tr").length === 100`)
	press(t, tab, "Show 30 more")
	wait(t, tab, `document.querySelectorAll("tbody tr").length === 130`)
	for _, want := range []string{"m000 m001 m002", "m119 m118 m117"} {
		press(t, tab, "price of output")
		// The first model is first before it is sorted, too.
		wait(t, tab, `[...document.querySelectorAll("tbody th .model")].slice(0, 3).map((n) => n.textContent.trim()).join(" ") === `+fmt.Sprintf("%q", want))
		wait(t, tab, `document.querySelectorAll("tbody tr").length === 130`)
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
	if cells := texts(t, tab, "tbody tr:last-child td.number"); !slices.Equal(cells, []string{"$0.00", "–"}) {
		t.Errorf("cells are %q", cells)
	}
	clean(t, tab, "list")
}

// The places that sell a model are rows, the cheapest first, with what each says: what
// contradicts itself is marked, what expired is struck out, and a value leads to its own
// observation. What several places say alike stands once below them.
func TestPlacesOfAModel(t *testing.T) {
	b := start(t)
	price := func(place, until string, input, output float64) Statement {
		return Statement{ID: "maker/m", Execution: At(place), From: May1, Until: until, Evidence: []string{fmt.Sprint(place, output)}, Measurements: []any{
			Fact("price.input", input/1e6, "USD/token"), Fact("price.output", output/1e6, "USD/token"), Fact("tools", true), Fact("price.output@context>200000", 1, "USD/token")}}
	}
	c := Compile(t, June2, price("dear", "2026-07-01T00:00:00.000Z", 1, 9), price("cheap", "2026-08-01T00:00:00.000Z", 2, 3), price("torn", "", 4, 2), price("torn", "", 4, 6), price("gone", May31, 0.5, 1))
	tab := open(t, b, desk, serve(t, c, explore.Extras{})+"/#/model/"+c.Models()[0].Key)
	if heads := texts(t, tab, ".places thead th"); !slices.Equal(heads, []string{"Seller", "Service", "price of input$ / M tokens", "price of output$ / M tokens", "Holds until"}) {
		t.Errorf("heads are %q", heads)
	}
	rows := eval[[]string](t, tab, `[...document.querySelectorAll(".places tbody tr")].map((r) => [...r.cells].map((c) => c.textContent.replace("contradictory: ", "").trim() + (c.matches(".least") ? " least" : c.matches(".gone") ? " gone" : "")).join(", "))`)
	if want := []string{"torn, as usual, $4.00, ◆\u00a0$2.00 – $6.00, –", "cheap, as usual, $2.00, $3.00, 2026-08-01", "dear, as usual, $1.00 least, $9.00, 2026-07-01", "gone, as usual, 0.50 gone, 1.00 gone, –"}; !slices.Equal(rows, want) {
		t.Errorf("%q", rows)
	}
	if switches := texts(t, tab, ".switches > div"); !slices.Equal(switches, []string{"tools yes"}) {
		t.Errorf("%q", switches)
	}
	for place, want := range map[string]string{"cheap": "$3.00", "dear": "$9.00"} {
		eval[bool](t, tab, `([...document.querySelectorAll(".places tr")].find((r) => r.textContent.startsWith("`+place+`")).cells[3].querySelector("a").click(), true)`)
		wait(t, tab, `document.querySelector("details.row[open]")?.textContent.startsWith("`+place+`")`)
		if row := texts(t, tab, "details.row[open] > summary .value"); !strings.HasPrefix(row[0], want) {
			t.Errorf("%s leads to %q", place, row)
		}
	}
	clean(t, tab, "places")
}

// What benchmarks measured is shown as a ranking has it, for each condition: the lowest and the
// highest mean, which the list is filtered by. Where a model was measured is not where it runs.
func TestMeansOfBenchmarks(t *testing.T) {
	b := start(t)
	score := func(model, condition, task string, percent float64) Statement {
		return Statement{ID: model, Execution: ranUnder(condition), Task: Job("f", nil, task), Measurements: []any{Sample("score", percent, "percent")}}
	}
	c := Compile(t, June2, score("m", "effort=low", "a", 50), score("m", "effort=low", "b", 71), score("m", "effort=high", "a", 80), score("m", "effort=high", "b", 90), score("n", "effort=low", "a", 10), score("n", "effort=low", "b", 90),
		Statement{ID: "m", Execution: At("shop"), Measurements: []any{Fact("price.output", 1e-6, "USD/token")}})
	url := serve(t, c, explore.Extras{}) + "/"
	tab := open(t, b, desk, url+"#/models?columns=score")
	cell := func(model, selector string) string {
		return fmt.Sprintf(`[...document.querySelectorAll("tbody tr")].find((r) => r.querySelector(".model").textContent === %q).querySelector(%q)`, model, selector)
	}
	wait(t, tab, cell("m", "td.number")+`.innerText.includes("85")`)
	for _, want := range [][3]string{{"m", "td.number", "60.5 – 85\neffort=low – high"}, {"n", "td.number", "50"}, {"m", "td.runs", "shop"}, {"n", "td.runs", "measured on bench"}} {
		if got := eval[string](t, tab, cell(want[0], want[1])+`.innerText.trim()`); got != want[2] {
			t.Errorf("%s of %s is %q, want %q", want[1], want[0], got, want[2])
		}
	}
	if title := eval[string](t, tab, cell("m", "td.number")+`.title`); title != "effort=low: 60.5%, 2 tasks\neffort=high: 85%, 2 tasks" {
		t.Errorf("the title is %q", title)
	}
	if groups := eval[[]string](t, tab, `[...[...document.querySelectorAll(".filters label")].find((l) => l.textContent.startsWith("Seller")).querySelectorAll("option")].map((n) => n.label)`); !slices.Equal(groups, []string{"any", "shop (1)"}) {
		t.Errorf("places are %q", groups)
	}
	for where, want := range map[string]int{"gte:85": 1, "gte:86": 0, "lte:50": 1, "lte:49": 0} { // of means, not of tasks
		found := open(t, b, desk, url+"#/models?columns=score&where="+where+":score")
		if n := len(texts(t, found, "tbody tr")); n != want {
			t.Errorf("%s finds %d models", where, n)
		}
		found.Close()
	}
	tab = open(t, b, desk, url+"#/model/"+c.Models()[0].Key)
	wait(t, tab, `document.querySelectorAll("#main section table tbody tr").length > 0`)
	if rows := texts(t, tab, "#main section table tbody tr"); c.Models()[0].Identity.ID == "m" && (len(rows) != 2 || !strings.HasPrefix(rows[0], "score60.5%") || !strings.Contains(rows[1], "effort=high")) {
		t.Errorf("benchmarks are %q", rows)
	}
	clean(t, tab, "means")
}

// The head of the list says what is valid, what expires next, and where sources disagree.
func TestHeadOfTheList(t *testing.T) {
	b := start(t)
	price := func(model, until string, dollars float64) Statement {
		return Statement{ID: model, Execution: At("r"), From: May1, Until: until, Evidence: []string{fmt.Sprint(dollars)}, Measurements: []any{Fact("price.output", dollars, "USD")}}
	}
	for _, test := range []struct {
		list []Statement
		says string
	}{
		{[]Statement{price("a", "", 1), price("b", "2026-06-10T05:00:00.000Z", 1), price("c", "2026-06-10T07:00:00.000Z", 1), price("d", "9999-06-11T00:00:00.000Z", 1)},
			"; 2 prices have expired since. Built of <b>."},
		{[]Statement{price("a", "", 1), price("a", "", 2), price("b", May31, 1)},
			" ago. On 1 model sources contradict each other. Of 1 model all evidence has expired. Built of <b>."},
	} {
		tab := open(t, b, desk, serve(t, Compile(t, June2, test.list...), explore.Extras{Notes: []string{"Built of <b>"}})+"/")
		if says := texts(t, tab, ".summary p")[0]; !strings.HasPrefix(says, "As of 2026-06-02, ") || !strings.HasSuffix(says, test.says) {
			t.Errorf("it says %q", says)
		}
		clean(t, tab, test.says)
		tab.Close()
	}
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

// Free models have a lane of their own on a log axis, and take no other off the frontier. The filters are those of the
// list, in the address too. What is left out is counted by reason,
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
	const less = "#/plot?x=price.output&y=limits.context&ybetter=less" // m000 is free, and the best
	if err := tab.Go(less, "plot"); err != nil {
		t.Fatal(err)
	}
	wait(t, tab, `document.querySelectorAll("a.hit").length === 15`)
	if front := texts(t, tab, ".front tbody th"); !slices.Equal(front, []string{"m000", "m002"}) {
		t.Errorf("the frontier is %q", front)
	}
	if err := tab.Go(less+"&q=M02&where=gte:0.000022:price.output", "plot"); err != nil {
		t.Fatal(err)
	}
	wait(t, tab, `document.querySelectorAll("a.hit").length === 4`)
	if text := strings.Join(texts(t, tab, ".leftout p"), ""); !strings.HasPrefix(text, "4 of 40 candidates drawn. The filters leave out others.") {
		t.Errorf("it says %q", text)
	}
	enter(t, tab, "#search", "m024")
	wait(t, tab, `document.querySelectorAll("a.hit").length === 1 && location.hash.includes("q=m024")`)
	for lend, want := range map[string]int{"none": 0, "all": 10} {
		lent := open(t, b, desk, url+"/#/plot?x=price.output&y=score&lend="+lend)
		wait(t, lent, fmt.Sprintf(`!document.querySelector("#main .wait") && document.querySelectorAll("a.hit rect.lent").length === %d && document.querySelectorAll("a.hit").length === %[1]d`, want))
		if want > 0 {
			eval[bool](t, lent, `(document.querySelector("a.hit").dispatchEvent(new Event("mouseenter")), true)`)
			if detail := strings.Join(texts(t, lent, ".side .point"), ""); !strings.Contains(detail, "carried over") {
				t.Errorf("the detail is %q", detail)
			}
		} else if says := texts(t, lent, "#main .empty"); !strings.Contains(strings.Join(says, ""), "Carry scores over to the offers") {
			t.Errorf("without evidence it says %q", says)
		}
		clean(t, lent, "lend "+lend)
		lent.Close()
	}
	clean(t, tab, "plot")
	offer := func(place string, price float64, context int) Statement {
		return Statement{ID: "m", Execution: At(place), Measurements: []any{Fact("price.output", price, "USD/token"), Fact("limits.context", context, "tokens")}}
	}
	embedding := offer("paid", 1e-9, 9000)
	embedding.ID, embedding.Measurements = "e", append(embedding.Measurements, Fact("offer.mode", "embedding"))
	twice := open(t, b, desk, serve(t, Compile(t, June2, offer("free", 0, 1000), offer("paid", 1e-6, 2000), embedding), explore.Extras{})+"/#/plot?x=price.output&y=limits.context")
	wait(t, twice, `document.querySelectorAll("a.hit .front").length === 2`)
	if labels := texts(t, twice, ".labels text"); !slices.Equal(labels, []string{"m"}) {
		t.Errorf("a model with two offers has the labels %q", labels)
	}
	if left := texts(t, twice, ".leftout summary"); !slices.Equal(left, []string{"1: no model to chat with: embedding"}) {
		t.Errorf("left out are %q", left)
	}
}

// A weight of 0 shows a value that adds nothing, slider and number say the same, and those who do not
// meet a requirement are counted by reason. A request that is opened takes the place of the one
// before.
func TestEditsOfARanking(t *testing.T) {
	b := start(t)
	tab := open(t, b, desk, serve(t, Compile(t, June2, priced(40)...), explore.Extras{})+"/#/rank?q=%7B%22maximize%22:%5B%22limits.context%22%5D,%22minimize%22:%5B%22price.output%22%5D%7D")
	heads := `[...document.querySelectorAll(".heads .number")].map((n) => n.firstChild.textContent + [...n.childNodes].slice(1).map((c) => c.textContent).join("")).join(" ")`
	wait(t, tab, `document.querySelectorAll(".result").length > 3 && `+heads+`.includes("context window")`)
	if sure := texts(t, tab, ".sure")[0]; strings.Contains(sure, "elsewhere") {
		t.Errorf("facts were measured: %q", sure)
	}
	enter(t, tab, ".criteria li:first-child input[type=range]", "5")
	if number := eval[string](t, tab, `document.querySelector(".criteria li:first-child input[type=number]").value`); number != "5" {
		t.Errorf("the number is %s", number)
	}
	wait(t, tab, `document.querySelector(".heads .points").textContent === "Scoreof 6"`)
	enter(t, tab, ".criteria li:first-child input[type=number]", "0")
	wait(t, tab, `document.querySelector(".fault")?.textContent === "A weight is a number above 0."`)
	enter(t, tab, ".criteria li:first-child input[type=number]", "0.5")
	wait(t, tab, `document.querySelector(".heads .points").textContent === "Scoreof 1.5" && (`+heads+`).includes("context window")`)
	if sliders := eval[int](t, tab, `document.querySelectorAll("input[type=range]").length`); sliders != 2 {
		t.Errorf("%d sliders are left", sliders)
	}
	press(t, tab, "Add a requirement")
	wait(t, tab, `document.querySelector("[data-path='$.requirements[0]'] select")`)
	enter(t, tab, "[data-path='$.requirements[0]'] select", "price.output")
	wait(t, tab, `document.querySelector("[data-path='$.requirements[0]'] input")?.value === "29" && document.querySelectorAll(".result").length === 15`)
	enter(t, tab, "[data-path='$.requirements[0]'] input", "9")
	wait(t, tab, `document.querySelectorAll(".result").length === 5 && document.querySelectorAll(".excluded summary").length === 1`)
	got := texts(t, tab, ".excluded summary")
	if want := []string{"10: price.output is more than $9.00 per million tokens"}; !slices.Equal(got, want) {
		t.Errorf("excluded are %q", got)
	}
	if names := texts(t, tab, ".excluded details:first-of-type li"); len(names) != 10 || names[0] != "m010 price.output 10.00" {
		t.Errorf("a reason opens to %q", names)
	}
	enter(t, tab, "textarea", `{"schemaVersion":"service.rank.request/v3","inventory":[{"id":"one","model":{"id":"m003"},"execution":{"runtime":{"id":"r"}}}],"preferences":[]}`)
	press(t, tab, "Open what is pasted")
	wait(t, tab, `document.querySelectorAll(".result").length === 1 && document.querySelector(".result .model").textContent === "one"`)
	clean(t, tab, "edits")
}

// An answer is the sentences that the result brings along, and above the table stands what it takes
// as given. Another weight asks again.
func TestAnswerOfAQuestion(t *testing.T) {
	b := start(t)
	asked := request(t, "../../examples/models/coding-agent.json")
	tab := open(t, b, desk, serve(t, readCatalog(t, "../../examples/models/catalog.json"), explore.Extras{Requests: []explore.Request{asked}})+"/")
	wait(t, tab, `document.querySelector(".answer")?.textContent`)
	if says := texts(t, tab, ".answer, .sure"); !strings.HasPrefix(says[0], "Take ") || !strings.Contains(says[1], "95% confidence interval") {
		t.Errorf("it says %q", says)
	}
	if says := strings.Join(texts(t, tab, ".says li"), "\n"); !strings.Contains(says, "in its own harness") || !strings.Contains(says, "With a tolerance") {
		t.Errorf("below the table stands %q", says)
	}
	enter(t, tab, ".criteria input[type=number]", "2")
	wait(t, tab, `document.querySelector(".points").textContent.includes("2")`)
	clean(t, tab, "answer")
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
	vectortest.SkipRace(t)
	b := start(t)
	h := handler(t, Compile(t, June2, priced(5000)...), explore.Extras{})
	release := make(chan struct{})
	serve := func(isOld bool) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			answer := httptest.NewRecorder()
			r.Header.Del("Accept-Encoding")
			h.ServeHTTP(answer, r)
			text := answer.Body.String()
			w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
			switch {
			case r.URL.Path == "/explore/index.json":
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

// Where nobody is ranked the answer says why and who is nearest.
func TestAnswerOfNobody(t *testing.T) {
	b := start(t)
	price := func(id string, output float64, more ...any) Statement {
		return Statement{ID: id, Execution: At("r"), Measurements: append(more, Fact("price.output", output/1e6, "USD/token"), Fact("limits.context", 1000, "tokens"))}
	}
	c := Compile(t, June2, price("cheap", 2.5), price("dear", 12))
	tab := open(t, b, desk, serve(t, c, explore.Extras{})+"/#/rank?q=%7B%22minimize%22:%5B%22price.output%22%5D%7D")
	wait(t, tab, `document.querySelectorAll(".result").length === 2`)
	press(t, tab, "Add a requirement")
	wait(t, tab, `document.querySelector("[data-path='$.requirements[0]'] select")`)
	enter(t, tab, "[data-path='$.requirements[0]'] select", "price.output")
	enter(t, tab, "[data-path='$.requirements[0]'] input", "1.1")
	wait(t, tab, `document.querySelectorAll(".result").length === 0 && document.querySelector(".excluded")`)
	if got, want := texts(t, tab, ".answer")[0], "No candidate is ranked: 2 are excluded. Nearest is cheap: its price.output is $2.50 per million tokens, more than $1.10 per million tokens; it misses by $1.40 per million tokens."; got != want {
		t.Errorf("%s\nnot\n%s", got, want)
	}
	clean(t, tab, "rank")
}

// On a wide screen a range is on one line, and so are the controls of the plot.
func TestOneLine(t *testing.T) {
	b := start(t)
	tab := open(t, b, desk, serve(t, readCatalog(t, "../../examples/models/catalog.json"), explore.Extras{})+"/#/models")
	wait(t, tab, `document.querySelectorAll(".whole").length > 3`)
	if lines := eval[[]int](t, tab, `[...document.querySelectorAll(".whole")].map((n) => n.getClientRects().length)`); slices.Max(lines) > 1 {
		t.Errorf("ranges are on %v lines", lines)
	}
	if err := tab.Go("#/plot", "plot"); err != nil {
		t.Fatal(err)
	}
	wait(t, tab, `document.querySelector("a.hit")`)
	if rows := eval[[]float64](t, tab, `[...new Set([...document.querySelectorAll(".screen-plot > .filters > .field")].filter((n) => n.checkVisibility()).map((n) => n.getBoundingClientRect().bottom))]`); len(rows) != 1 {
		t.Errorf("the controls of the plot end at %v", rows)
	}
}

// A question is what the address names: its link gives the same answer in a catalog of other
// candidates, one that cannot be read says so and changes nothing, and one's own task gives each
// candidate another cost. The sentences are those of the server, whiskers the ranks that the
// evidence allows, and the frontier stands before all others.
func TestQuestionAndItsLink(t *testing.T) {
	b := start(t)
	c := readCatalog(t, "../../examples/models/catalog.json")
	url := serve(t, c, explore.Extras{})
	const asked = `{"maximize":["livebench.agentic-coding.score"],"atMost":{"price.output":"5/M"},"cheapest":true}`
	link := "/#/rank?q=" + neturl.QueryEscape(asked)
	r, err := http.Post(url+"/explore/answer", "application/json", strings.NewReader(asked))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var answered struct {
		Result struct {
			Answer   struct{ Choice, Notes, Changes []string }
			Frontier []any
			Ranked   []any
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&answered); err != nil || len(answered.Result.Answer.Choice) == 0 {
		t.Fatalf("%v: %+v", err, answered)
	}
	tab := open(t, b, desk, url+link)
	wait(t, tab, `document.querySelectorAll(".result").length > 1`)
	want := answered.Result
	if got := strings.Join(texts(t, tab, ".answer, .answer + .sure"), " "); got != strings.Join(want.Answer.Choice, " ") {
		t.Errorf("the page says %q, the server %q", got, want.Answer.Choice)
	}
	if got := texts(t, tab, ".notes li"); len(want.Answer.Notes) == 0 || !slices.Equal(got, want.Answer.Notes) {
		t.Errorf("notes are %q, of the server %q", got, want.Answer.Notes)
	}
	if n := len(texts(t, tab, ".result .whisker")); n != len(want.Frontier) || n == len(want.Ranked) {
		t.Errorf("%d rows have whiskers, of %d steps and %d ranked", n, len(want.Frontier), len(want.Ranked))
	}
	press(t, tab, fmt.Sprintf("Show all %d", len(want.Ranked)))
	wait(t, tab, fmt.Sprintf(`document.querySelectorAll(".result").length === %d`, len(want.Ranked)))
	hash := eval[string](t, tab, `location.hash`)
	if strings.Contains(hash, "inventory") || len(hash) > len(link)+20 {
		t.Errorf("the link is %s", hash)
	}
	cost := texts(t, tab, ".result .value:last-child .plain")[0]
	enter(t, tab, "[data-path='$.cost'] label:first-child input", "2,000,000")
	wait(t, tab, `location.hash.includes("2000000") && document.querySelector(".result .value:last-child .plain").textContent !== `+fmt.Sprintf("%q", cost))
	if says := texts(t, tab, ".answer")[0]; !strings.Contains(says, "2,000,000 + 3,000 tokens") {
		t.Errorf("with another task it says %q", says)
	}
	for bad, says := range map[string]string{"#/rank?q=%7Bbroken": "This link cannot be read", "#/rank?r=AAAA": "This link cannot be read", "#/rank?request=nobody": "knows no request nobody",
		"#/rank?q=%7B%22maximize%22%3A%5B%22no.such.key%22%5D%7D": "no observation has the key"} {
		tab.Faults()
		if err := tab.Go(bad, "rank"); err != nil {
			t.Fatal(err)
		}
		wait(t, tab, fmt.Sprintf(`document.querySelector(".notice")?.textContent.includes(%q)`, says))
		if after := eval[string](t, tab, `location.hash`); after != bad || len(texts(t, tab, ".result")) != 0 {
			t.Errorf("%s became %s", bad, after)
		}
	}
}
