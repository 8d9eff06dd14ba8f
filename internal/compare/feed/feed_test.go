package feed_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	. "github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/internal/compare/feed"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service/record"
)

const address = "https://example.org/changes.atom?a=1&b=2"

func diff(t testing.TB, catalogs ...*catalog.Catalog) (list []*record.CatalogDiff) {
	t.Helper()
	for i := range catalogs[1:] {
		d, err := compare.Catalogs(t.Context(), catalogs[i], catalogs[i+1], compare.Options{Limit: compare.DefaultLimit})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, d)
	}
	return list
}

func written(t testing.TB, diffs []*record.CatalogDiff) string {
	t.Helper()
	var b bytes.Buffer
	if err := feed.Write(&b, address, diffs); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func price(model string, value json.Number, from, until, uri string) Statement {
	return Statement{ID: model, Execution: At("acme"), Measurements: []any{Fact("price.output", value, "USD/token"), Sample("pass", true)}, From: from, Until: until, URI: uri}
}

// parsed is a feed as a reader has it.
type parsed struct {
	ID, Title, Updated string
	Link               []struct {
		Rel  string `xml:"rel,attr"`
		Href string `xml:"href,attr"`
	} `xml:"link"`
	Author struct{ Name string } `xml:"author"`
	Entry  []struct {
		ID, Title, Updated, Content string
		Link                        []struct {
			Href string `xml:"href,attr"`
		} `xml:"link"`
	} `xml:"entry"`
}

func parse(t testing.TB, text string) (p parsed) {
	t.Helper()
	text = strings.NewReplacer("<id>", "<ID>", "</id>", "</ID>", "<title>", "<Title>", "</title>", "</Title>", "<updated>", "<Updated>", "</updated>", "</Updated>",
		"<content ", "<Content ", "</content>", "</Content>", "<name>", "<Name>", "</name>", "</Name>").Replace(text)
	if err := xml.Unmarshal([]byte(text), &p); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return p
}

// Three days make a feed, the newest first, with one entry for each model that changed.
func TestFeed(t *testing.T) {
	first := Compile(t, May2, price("b", "0.000006", May1, May31, "https://b.example/prices"), price("a", "0.000001", May1, May31, "ftp://a.example"))
	second := Compile(t, June2, price("b", "0.0000006", June1, "", "javascript:alert(1)"), price("a", "0.000001", May1, May31, ""), price("c", "0", June1, "", ""))
	third := Compile(t, July1, price("b", "0.0000006", June1, "", "javascript:alert(1)"), price("c", "0", June1, "", ""))
	text := written(t, diff(t, first, second, third))
	f := parse(t, text)
	if f.ID != address || f.Updated != July1 || f.Title == "" || f.Author.Name != "svc" || f.Link[0].Rel != "self" || f.Link[0].Href != address {
		t.Errorf("%+v", f)
	}
	var got []string
	for _, e := range f.Entry {
		links := ""
		for _, l := range e.Link {
			links += " " + l.Href
		}
		got = append(got, e.Updated[:10]+" "+e.Title+links)
	}
	want := []string{
		"2026-07-01 a: removed",
		"2026-06-02 a: nothing that is known of it holds any more",
		"2026-06-02 b: price.output $6.00 → $0.60 per million tokens https://b.example/prices",
		"2026-06-02 c: added",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	if want := "b: changed\nchanged: price.output on acme: $6.00 → $0.60 per million tokens"; f.Entry[2].Content != want {
		t.Errorf("%q", f.Entry[2].Content)
	}
	key := ""
	for _, m := range second.Models() {
		if m.Identity.ID == "b" {
			key = m.Key
		}
	}
	if want := "urn:sha256:" + canonical.Sum([]byte(`{"day":"2026-06-02","model":"`+key+`"}`)); f.Entry[2].ID != want {
		t.Errorf("id %s, want %s", f.Entry[2].ID, want)
	}
	// Written again from one pair fewer, it has the same entries.
	again := parse(t, written(t, diff(t, first, second)))
	if len(again.Entry) != 3 || fmt.Sprint(again.Entry) != fmt.Sprint(f.Entry[1:]) {
		t.Errorf("%+v", again.Entry)
	}
}

// A title says in words what changed, be it facts, samples or a contradiction.
func TestTitles(t *testing.T) {
	ran := func(model string, score int, from string) Statement {
		return Statement{ID: model, Execution: Ran("r"), From: from, Task: Job("f", nil, nil), Measurements: []any{Sample("score", score, "percent")}}
	}
	old := Compile(t, May2, ran("samples", 50, May1), price("torn", "0.000001", May1, "", ""))
	new := Compile(t, June2, ran("samples", 50, May1), ran("samples", 61, May2), price("torn", "0.000001", May1, "", ""), price("torn", "0.000002", May1, May31, "https://x.example"))
	for kind, want := range map[record.DiffKind][]string{
		record.DiffSamples:   {"samples: score 50% (n 1) → 55.5% (n 2)"},
		record.DiffConflicts: {"torn: conflict arisen: price.output"},
		record.DiffModels:    {"samples: changed", "torn: changed"},
	} {
		d, err := compare.Catalogs(t.Context(), old, new, compare.Options{Limit: 99, Only: []record.DiffKind{kind}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range parse(t, written(t, []*record.CatalogDiff{d})).Entry {
			got = append(got, e.Title)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
}

// A model has one entry a day, whose title is what matters most of it.
func TestOneEntryADay(t *testing.T) {
	at := func(hour string, documents ...Statement) *catalog.Catalog {
		return Compile(t, "2026-06-02T"+hour+":00:00.000Z", documents...)
	}
	says := func(of string, value any, unit ...string) Statement {
		return Statement{ID: "a", Execution: At("acme"), Measurements: []any{Fact(of, value, unit...)}, From: May1, Evidence: []string{fmt.Sprint(of, value)}}
	}
	limit, dear := says("limits.context", 8000, "tokens"), says("price.output", json.Number("0.000002"), "USD/token")
	first := at("06", limit, says("price.output", json.Number("0.000001"), "USD/token"))
	second := at("12", limit, dear)
	third := at("18", says("limits.context", 16000, "tokens"), dear)
	f := parse(t, written(t, diff(t, first, second, third)))
	if len(f.Entry) != 1 || f.Entry[0].Title != "a: price.output $1.00 → $2.00 per million tokens" || f.Entry[0].Updated != "2026-06-02T18:00:00.000Z" ||
		!strings.Contains(f.Entry[0].Content, "limits.context on acme: 8,000 → 16,000") || !strings.Contains(f.Entry[0].Content, "$2.00") {
		t.Errorf("%+v", f.Entry)
	}
	retired := at("18", says("limits.context", 4000, "tokens"), dear, says("lifecycle.status", "deprecated"), says("aaa", 1))
	f = parse(t, written(t, diff(t, second, retired)))
	if len(f.Entry) != 1 || f.Entry[0].Title != "a: lifecycle.status deprecated and 2 more" {
		t.Errorf("%+v", f.Entry)
	}
}

// Of more than 500 entries those that matter least are left out: new models stay, contradictions go.
func TestFeedDropsTheLeast(t *testing.T) {
	var old, new []Statement
	says := func(model string, i, value int) Statement {
		return Statement{ID: fmt.Sprintf("%s%03d", model, i), Measurements: []any{Fact("k", value)}, Evidence: []string{fmt.Sprint(value)}, From: May1}
	}
	for i := range 300 {
		old = append(old, says("a", i, 1))
		new = append(new, says("a", i, 1), says("a", i, 2), says("z", i, 1)) // the first contradict each other
	}
	f := parse(t, written(t, diff(t, Compile(t, May2, old...), Compile(t, June2, new...))))
	added := 0
	for _, e := range f.Entry {
		if strings.HasSuffix(e.Title, ": added") {
			added++
		}
	}
	if len(f.Entry) != 500 || added != 300 {
		t.Errorf("%d entries, of which %d tell of new models", len(f.Entry), added)
	}
}

// A feed has 500 entries, and no id twice.
func TestFeedIsBounded(t *testing.T) {
	var many []Statement
	for i := range 400 {
		many = append(many, price(fmt.Sprintf("m%03d", i), "1", May1, "", ""))
	}
	none, all := Compile(t, May2), Compile(t, May2, many...)
	for _, tt := range []struct {
		catalogs []*catalog.Catalog
		want     int
	}{
		{[]*catalog.Catalog{none, all}, 400},
		{[]*catalog.Catalog{none, all, none, all, none, all}, 400}, // all on one day
		{[]*catalog.Catalog{none, all, Compile(t, June1), Compile(t, June2, many...)}, 500},
		{[]*catalog.Catalog{none, none}, 0},
	} {
		f := parse(t, written(t, diff(t, tt.catalogs...)))
		seen := map[string]bool{}
		for _, e := range f.Entry {
			seen[e.ID] = true
		}
		if len(f.Entry) != tt.want || len(seen) != tt.want || f.Updated < May2 {
			t.Errorf("%d entries, %d ids, want %d", len(f.Entry), len(seen), tt.want)
		}
	}
}

func TestFeedRefuses(t *testing.T) {
	for _, address := range []string{"", "changes.atom", "/changes.atom", "http://[::1", ":"} {
		if err := feed.Write(&bytes.Buffer{}, address, nil); err == nil {
			t.Errorf("%q may be the address of a feed", address)
		}
	}
}

// hostileFeed has every such text in every place.
func hostileFeed(t testing.TB) string {
	list := Hostile()
	for _, text := range HostileTexts {
		list = append(list, price("m", "1", May1, "", "https://"+text))
	}
	return written(t, diff(t, Compile(t, May2), Compile(t, June2, list...)))
}

// Hostile texts stay text.
func TestHostileFeed(t *testing.T) {
	text := hostileFeed(t)
	f := parse(t, text)
	if len(f.Entry) != 2*len(HostileTexts)+1 {
		t.Errorf("%d entries", len(f.Entry))
	}
	for _, e := range f.Entry {
		for _, l := range e.Link {
			if !strings.HasPrefix(l.Href, "https://") || strings.ContainsAny(l.Href, " \"<>\x1b\x00") {
				t.Errorf("a link leads to %q", l.Href)
			}
		}
	}
	for _, mark := range []string{"<script", "<a ", "\x1b", "\x00", "\x07", "<!--", "]]>"} {
		if strings.Contains(text, mark) {
			t.Errorf("%q is in the feed", mark)
		}
	}
}

// A reader of feeds takes it as well-formed Atom 1.0, without complaint, and finds every entry.
func TestFeedParser(t *testing.T) {
	const python = "/usr/bin/python3" // Debian's, which has Debian's packages
	vectortest.Tool(t, python, "python3")
	if exec.Command(python, "-c", "import feedparser").Run() != nil {
		vectortest.Missing(t, "feedparser is missing: install python3-feedparser")
	}
	const script = `
import feedparser, json, sys
f = feedparser.parse(sys.stdin.buffer.read())
print(json.dumps([f.version, bool(f.bozo), f.feed.id, len(f.entries), f.entries[0].title if f.entries else "", [l.get("href") for e in f.entries for l in e.get("links", [])][:1], all(e.id.startswith("urn:sha256:") and e.updated_parsed and e.content[0].type == "text/plain" for e in f.entries)]))`
	first := Compile(t, May2, price("b", "0.000006", May1, May31, "https://b.example/prices"))
	second := Compile(t, June2, price("b", "0.0000006", June1, "", ""))
	for _, tt := range []struct{ feed, want string }{
		{written(t, diff(t, first, second)), `["atom10", false, "` + address + `", 1, "b: price.output $6.00 \u2192 $0.60 per million tokens", ["https://b.example/prices"], true]`},
		{hostileFeed(t), fmt.Sprintf(`["atom10", false, "%s", %d, `, address, 2*len(HostileTexts)+1)},
	} {
		c := exec.Command(python, "-c", script)
		c.Stdin = strings.NewReader(tt.feed)
		out, err := c.CombinedOutput()
		if err != nil || !strings.HasPrefix(string(out), tt.want) || !strings.HasSuffix(strings.TrimSpace(string(out)), "true]") {
			t.Errorf("%v: %s\nwant %s", err, out, tt.want)
		}
	}
}
