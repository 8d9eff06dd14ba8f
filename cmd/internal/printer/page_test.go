package printer

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/internal/explore/browsertest"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// These tests hold what the page of svc explore says of a result against what is printed.

// openPage returns a tab that can import the modules of the page.
func openPage(t *testing.T) *browsertest.Tab {
	t.Helper()
	if _, err := browsertest.Find(); err != nil {
		vectortest.Missing(t, err.Error())
	}
	b, end, err := browsertest.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end)
	s := httptest.NewServer(http.FileServer(http.Dir("../../../internal/explore/web")))
	t.Cleanup(s.Close)
	tab, err := b.Open(browsertest.View{Width: 1280, Height: 900}, s.URL+"/answer.js")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tab.Close)
	return tab
}

// pageSays evaluates an expression of what answer.js exports, page, for each list of args.
func pageSays(t *testing.T, tab *browsertest.Tab, expression string, arguments []any) []string {
	t.Helper()
	list, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	texts, err := browsertest.Eval[[]string](tab, `import("/answer.js").then((page) => `+string(list)+`.map((args) => `+expression+`))`)
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// ofEveryKind has for each model below what can be wrong with its evidence.
func ofEveryKind(t *testing.T) *catalog.Catalog {
	t.Helper()
	const unit = "USD/token"
	list := func(id, until string, measurements ...any) comparetest.Statement {
		return comparetest.Statement{ID: id, Execution: comparetest.At("r"), Until: until, Measurements: measurements, Evidence: []string{id + until + string(rune('a'+len(measurements)))}}
	}
	ran := func(id string, scope any, score float64, task string) comparetest.Statement {
		return comparetest.Statement{ID: id, Execution: scope, Outcome: "accepted", Task: comparetest.Job("f", nil, task), Measurements: []any{comparetest.Sample("score", score, "percent")}, Evidence: []string{id + task}}
	}
	price := func(input, output float64) []any {
		return []any{comparetest.Fact("price.input", input/1e6, unit), comparetest.Fact("price.output", output/1e6, unit)}
	}
	return comparetest.Compile(t, comparetest.June2,
		list("dear", "", append(price(2.5, 12), comparetest.Fact("tools", true), comparetest.Fact("size", "large"))...),
		list("cheap", "", append(price(1.1, 2.5), comparetest.Fact("tools", false), comparetest.Fact("size", 7, "tokens"))...),
		list("dearest", "", price(9, 99)...),
		list("torn", "", price(3, 4)...), list("torn", "", append(price(4, 5), comparetest.Fact("more", 1))...),
		list("old", comparetest.June1, price(1, 2)...),
		list("mute", "", comparetest.Fact("limits.context", 100, "tokens")),
		list("near", "", append(price(1.3, 2.5), comparetest.Fact("limits.context", 199, "tokens"), comparetest.Fact("size", 3, "bytes"))...),
		comparetest.Statement{ID: "away", Execution: comparetest.At("elsewhere"), Measurements: price(1, 2)},
		ran("dear", comparetest.Ran("r", "x"), 60, "1"), ran("dear", comparetest.Ran("r", "y"), 80, "2"), ran("cheap", comparetest.Ran("r", "x"), 50, "1"))
}

// Where nobody is ranked the page says what excludes most, and who misses least, and by how
// much. What to do about evidence that has expired the terminal says alone.
func TestCauseOfThePage(t *testing.T) {
	tab, c := openPage(t), ofEveryKind(t)
	request := func(models []string, more string) string {
		var inventory []any
		for _, id := range models {
			inventory = append(inventory, map[string]any{"id": id, "model": map[string]any{"id": id}, "execution": map[string]any{"runtime": map[string]any{"id": "r"}, "toolSurface": []string{}}})
		}
		list, err := json.Marshal(inventory)
		if err != nil {
			t.Fatal(err)
		}
		return `{"schemaVersion":"service.rank.request/v3","inventory":` + string(list) + `,` + more + `}`
	}
	require := func(criteria ...string) string { return `"requirements":[` + strings.Join(criteria, ",") + `]` }
	fact := func(key, operator, value string) string {
		return `{"measurementKey":"` + key + `","aggregation":"fact","operator":"` + operator + `","value":` + value + `}`
	}
	also := func(criterion string) string { return strings.Replace(criterion, "{", `{"id":"also",`, 1) }
	const score = `{"measurementKey":"score","aggregation":"mean","operator":"gte","value":200}`
	all := []string{"cheap", "dear", "dearest", "mute", "near", "old", "torn"}
	var want, obstacles, says []string
	var arguments []any
	for _, text := range []string{
		request(all, require(fact("price.output", "lte", "1.1e-6"))),
		request(all, require(fact("price.output", "lte", "1e-6"), fact("price.input", "lte", "1e-6"))),
		request([]string{"near", "mute"}, require(fact("limits.context", "gte", "200"), fact("price.output", "lte", "1e-6"))),
		request([]string{"near", "mute"}, require(fact("limits.context", "gte", "1e38"))),
		request([]string{"old", "mute", "torn"}, require(fact("price.output", "lte", "1e-6"))),
		request(all, require(fact("absent", "gte", "1"), also(fact("absent", "lte", "2")), fact("price.output", "lte", "1e-9"))), // two bounds of one key lack one thing
		request(all, require(fact("size", "gte", "1"), also(fact("size", "lte", "2")), fact("tools", "eq", "5"))),
		request([]string{"dear", "cheap"}, require(fact("score", "gte", "50"))),
		request([]string{"dear", "cheap"}, require(fact("tools", "eq", `"yes"`))),
		request([]string{"dear", "cheap"}, require(fact("size", "eq", `"small"`))),
		request([]string{"dear", "cheap"}, require(fact("size", "gte", "8"))),
		request([]string{"dear", "cheap"}, require(fact("price.output", "eq", "1"), fact("tools", "eq", "5"))),
		request([]string{"dear", "cheap", "mute"}, require(score)),
		request([]string{"dear", "cheap", "mute"}, require(strings.Replace(score, `"value"`, `"transfer":["toolSurface"],"value"`, 1))),
		request([]string{"dear", "cheap"}, require(`{"id":"usd","sum":[{"measurementKey":"price.input","aggregation":"fact","factor":1000},{"measurementKey":"price.output","aggregation":"fact","factor":1000}],"operator":"lte","value":0.001}`)),
		request([]string{"mute", "torn"}, `"minimumCoverage":0.6,"preferences":[{"measurementKey":"price.input","aggregation":"fact","direction":"minimize","weight":1},{"measurementKey":"size","aggregation":"fact","direction":"minimize","weight":2}]`),
		request([]string{"dear", "cheap", "near"}, `"minimumCoverage":0.6,"preferences":[{"measurementKey":"size","aggregation":"fact","direction":"minimize","weight":1},{"measurementKey":"absent","aggregation":"fact","direction":"minimize","weight":2}]`),
		request([]string{"dear"}, require(fact("price.output", "lte", "1e-6"))),
		request([]string{"away"}, require(fact("price.output", "lte", "1e-6"))),
	} {
		r, b, document := answered(t, c, text)
		if len(r.Ranked) > 0 {
			t.Fatalf("%s is ranked by %s", r.Ranked[0].CandidateID, text)
		}
		b.catalog = nil
		want, arguments = append(want, b.causeText(r)), append(arguments, []any{document})
		start := len(says)
		for i := range r.Excluded {
			_, shared := b.obstacles(r.Excluded[i].Reasons)
			says = append(says, shared...)
		}
		obstacles = append(obstacles, strings.Join(says[start:], "\n"))
	}
	for i, got := range pageSays(t, tab, "page.causeText(...args)", arguments) {
		if got != want[i] {
			t.Errorf("the page says\n%s\nthe terminal\n%s", got, want[i])
		}
	}
	for i, got := range pageSays(t, tab, `args[0].excluded.flatMap((e) => page.obstacles(e, (r) => r.estimate?.unit)).join("\n")`, arguments) {
		if got != obstacles[i] {
			t.Errorf("the page lists\n%s\nthe terminal\n%s", got, obstacles[i])
		}
	}
	// The requests reach everything that there is to say.
	for _, part := range []string{"no evidence", "has expired", "contradicts itself", "cannot be compared: it was measured with another set of tools", "cannot be compared: it is about another provider", "of several kinds, by ", "there is not evidence for 60%",
		"size: the value is not a number", "size: the candidates have values in more than one unit",
		"tools is not \"yes\"", "usd is more than $0.001", "price.output is not $1,000,000.00", "size is not at least 8"} {
		if !slices.ContainsFunc(says, func(text string) bool { return strings.Contains(text, part) }) {
			t.Errorf("no candidate is excluded since %s: %q", part, says)
		}
	}
	for _, part := range []string{"All of them are excluded because", "Most, 4 of 7, are excluded because price.output is", "of them by nothing else", "Nearest is cheap", "Nearest is near", "it misses by $1.40 per million tokens"} {
		if !strings.Contains(strings.Join(want, "\n"), part) {
			t.Errorf("nowhere is %s: %q", part, want)
		}
	}
}
