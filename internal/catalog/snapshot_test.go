package catalog_test

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
)

// snapshotDocs are observations of two models, with two conflicts in the first.
func snapshotDocs() []string {
	second := func(s statement) statement { s.model = "두"; return s }
	return []string{
		statement{start: "01", end: "05", facts: fact("k", "1") + "," + fact("l", `"한"`)}.doc(0),
		statement{start: "02", end: "", facts: fact("k", "2") + "," + fact("l", `"格"`)}.doc(1),
		second(state("01", "", "true")).doc(2),
		second(state("01", "", "true")).doc(3),
		second(state("03", "", "true")).doc(4),
	}
}

func parse(t *testing.T, text string) (*catalog.Catalog, error) {
	t.Helper()
	return catalog.Parse(t.Context(), problem.Source{Name: "catalog.json", Text: text})
}

// A snapshot is its canonical JSON, with no newline at the end, however it is
// asked for.
func TestSerialize(t *testing.T) {
	docs := snapshotDocs()
	c := mustCompile(t, docs...)
	text := c.Serialize()
	if want := oracleCompile(docs, asOf); text != want || text != canonicalJSON(decodeAny(text)) {
		t.Fatalf("serialized as %s\nwant %s", text, want)
	}
	if c.Size() != len(text) || c.Observations() != len(docs) {
		t.Errorf("%d bytes and %d observations, want %d and %d", c.Size(), c.Observations(), len(text), len(docs))
	}
	var b bytes.Buffer
	if n, err := c.WriteTo(&b); err != nil || n != int64(len(text)) || b.String() != text {
		t.Errorf("WriteTo writes %d bytes, %v", n, err)
	}
	tree := decodeAny(text).(object)
	for i, m := range c.Models() {
		want := tree["models"].([]any)[i].(object)
		if got := string(m.AppendJSON([]byte("x"))); got != "x"+canonicalJSON(want) {
			t.Errorf("model %d is written %s", i, got)
		}
		if m.Key != hashOf(want["identity"]) || m.IdentityJSON != canonicalJSON(want["identity"]) || m.Identity.ID != want["identity"].(object)["id"] {
			t.Errorf("model %d is %+v", i, m)
		}
	}
	if len(c.Conflicts()) != 2 || c.Digest() != tree["digest"] {
		t.Errorf("%d conflicts, digest %s", len(c.Conflicts()), c.Digest())
	}
	parsesBack(t, "snapshot", text)
}

// Spans lead to the models and the version of a serialized snapshot.
func TestSpans(t *testing.T) {
	for name, c := range map[string]*catalog.Catalog{"empty": mustCompile(t), "one": mustCompile(t, named("a")), "two": mustCompile(t, snapshotDocs()...)} {
		text := c.Serialize()
		spans := c.ModelSpans()
		if len(spans) != len(c.Models()) {
			t.Fatalf("%s: %d spans", name, len(spans))
		}
		for i, m := range c.Models() {
			if got, want := spans[i].Text(text), string(m.AppendJSON(nil)); got != want {
				t.Errorf("%s: model %d is %s, want %s", name, i, got, want)
			}
		}
		version, found := catalog.FindSchemaVersion(text)
		if !found || version.Text(text) != valueAt(text, "$.schemaVersion") || version.Start != at(text, "$.schemaVersion").start {
			t.Errorf("%s: the version is at %v, found %v", name, version, found)
		}
		for _, other := range []string{"", "{", text[1:], text[:len(text)-1], text + "\n", strings.Replace(text, "catalog/v2", "catalog/v1", 1), backwards(decodeAny(text), "")} {
			if _, found := catalog.FindSchemaVersion(other); found {
				t.Errorf("%s: found in %s", name, other)
			}
		}
	}
}

// A failed write is reported.
func TestWriteToFails(t *testing.T) {
	c := mustCompile(t, snapshotDocs()...)
	r, w := io.Pipe()
	r.CloseWithError(iotest.ErrTimeout)
	if n, err := c.WriteTo(w); err != iotest.ErrTimeout {
		t.Errorf("WriteTo: %d, %v", n, err)
	}
}

// Member order and white space of the file do not matter.
func TestParseAnySpelling(t *testing.T) {
	text := mustCompile(t, snapshotDocs()...).Serialize()
	tree := decodeAny(text).(object)
	members := []string{}
	for name, v := range tree {
		members = append(members, canonicalJSON(name)+":"+canonicalJSON(v))
	}
	slices.Sort(members)
	permute(members, func(members []string) {
		c, err := parse(t, "{"+strings.Join(members, ",")+"}")
		if err != nil || c.Serialize() != text {
			t.Errorf("members in the order %.20q: %v", members, err)
		}
	})
	for _, spelling := range []string{text + "\n", "\uFEFF " + text, strings.ReplaceAll(text, `"k"`, `"\u006b"`), strings.ReplaceAll(text, `"value":2`, `"value":20E-1`)} {
		if c, err := parse(t, spelling); err != nil || c.Serialize() != text {
			t.Errorf("%.60q: %v", spelling, err)
		}
	}
}

// permute yields all orders of a few strings.
func permute(list []string, yield func([]string)) {
	var rest func(k int)
	rest = func(k int) {
		if k == len(list) {
			yield(list)
			return
		}
		for i := k; i < len(list); i++ {
			list[k], list[i] = list[i], list[k]
			rest(k + 1)
			list[k], list[i] = list[i], list[k]
		}
	}
	rest(0)
}

// A snapshot of another version, or of none, is told from a broken one; nothing
// else is said of it.
func TestParseVersion(t *testing.T) {
	text := mustCompile(t, snapshotDocs()...).Serialize()
	const path = "$.schemaVersion"
	tests := []struct{ name, text, reason string }{
		{"v1", set(text, path, `"service.catalog/v1"`), "must be recompiled from service.observation/v2 observations"},
		{"v3", set(text, path, `"service.catalog/v3"`), `must be "service.catalog/v2", is "service.catalog/v3"`},
		{"of another record", set(text, path, `"service.observation/v2"`), `is "service.observation/v2"`},
		{"with white space", set(text, path, `"service.catalog/v2 "`), `must be "service.catalog/v2"`},
		{"empty", set(text, path, `""`), `must be "service.catalog/v2"`},
		{"null", set(text, path, "null"), `must be "service.catalog/v2"`},
		{"a number", set(text, path, "2"), `must be "service.catalog/v2"`},
		{"an object", set(text, path, `{"a":1,"a":1e999}`), `must be "service.catalog/v2"`},
		{"left out", drop(text, path), `must be "service.catalog/v2"`},
		{"no members", "{}", `must be "service.catalog/v2"`},
		{"v1, all else wrong", `{"x":1,"models":5,"schemaVersion":"service.catalog/v1","asOf":"","digest":null,"conflicts":[1e999]}`, "must be recompiled"},
		{"v1, observations wrong", set(set(text, path, `"service.catalog/v1"`), "$.models[0].observations[0].kind", "1"), "must be recompiled"},
		{"left out, all else wrong", `{"x":1,"models":5,"asOf":"","digest":null}`, `must be "service.catalog/v2"`},
	}
	for _, tt := range tests {
		c, err := parse(t, tt.text)
		offset := 0 // missing: at the object
		if p, ok := layout(tt.text)[path]; ok {
			offset = p.start
		}
		e := firstFault(t, tt.name, err)
		if e == nil {
			continue
		}
		if e.Code != problem.UnsupportedCatalogSchema || e.Path != path || e.Place != placeOf("catalog.json", tt.text, offset) ||
			!strings.Contains(e.Reason, tt.reason) || len(problem.All(err)) != 1 || c != nil {
			t.Errorf("%s: %s %q at %v, want UNSUPPORTED_CATALOG_SCHEMA %s", tt.name, e.Code, err, e.Place, tt.reason)
		}
	}
}

// What is no JSON, or no object, is no catalog. » marks where that shows.
func TestParseBroken(t *testing.T) {
	text := mustCompile(t, named("한")).Serialize()
	inside := func(path, broken string) string { return set(text, path, broken) }
	const first = "$.models[0].observations[0]"
	tests := []struct{ name, text, reason string }{
		{"nothing", "»", "unexpected end of text"},
		{"no JSON", "»hello", "unexpected character 'h'"},
		{"cut off", text[:len(text)-1] + "»", "unexpected end of text"},
		{"content behind", text + " »x", "unexpected character 'x'"},
		{"two snapshots", text + "\n»" + text, "unexpected character '{'"},
		{"content behind what has no version", "{} »x", "unexpected character 'x'"},
		{"list", "»[" + text + "]", "must be an object"},
		{"null", " »null", "must be an object"},
		{"text", "»\"{}\"", "must be an object"},
		{"invalid UTF-8", inside(first+".kind", "\"»\xff\""), "invalid UTF-8"},
		{"in an observation", inside(first+".model", `{"id": tru»}`), "unexpected character '}'"},
		{"observation cut off", text[:at(text, first+".task").end] + "»", "unexpected end of text"},
		{"observations with a comma last", inside(first, valueAt(text, first)+",»"), "unexpected character ']'"},
		{"observations with a comma first", inside(first, "»,"+valueAt(text, first)), "unexpected character ','"},
		{"observation that is no value", inside(first, "nul»x"), "unexpected character 'x'"},
		{"observation behind a byte order mark", inside(first, "»\uFEFF"+valueAt(text, first)), "unexpected character"},
		{"observations of mixed brackets", inside("$.models[0].observations", "[{»]}"), "unexpected character ']'"},
		{"in a conflict", inside("$.conflicts", "[{»a:1}]"), "unexpected character 'a'"},
		{"too deep", inside("$.conflicts", strings.Repeat("[", 63)+"»["+strings.Repeat("]", 64)), "more than 64"},
		{"too deep in an observation", inside(first+".kind", strings.Repeat("[", 59)+"»["+strings.Repeat("]", 60)), "more than 64"},
		{"v1 that is broken", `{"schemaVersion":"service.catalog/v1"»`, "unexpected end of text"},
	}
	for _, tt := range tests {
		offset := strings.Index(tt.text, "»")
		text := strings.Replace(tt.text, "»", "", 1)
		c, err := parse(t, text)
		e := firstFault(t, tt.name, err)
		if e == nil {
			continue
		}
		if where := placeOf("catalog.json", text, offset); e.Code != problem.InvalidCatalog || e.Path != "$" || e.Place != where ||
			!strings.Contains(e.Reason, tt.reason) || len(problem.All(err)) != 1 || c != nil {
			t.Errorf("%s:\n got %s %q at %v, and %d more\nwant %s at %v", tt.name, e.Code, err, e.Place, len(problem.All(err))-1, tt.reason, where)
		}
	}
}
