package catalog_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
)

// FuzzObservation: what is accepted is normalized as the oracle does it and is
// its own normal form; every fault has a code, a path and a place in the text.
func FuzzObservation(f *testing.F) {
	for i, v := range vectors[observationVector](f, "observations.jsonl") {
		if i%16 == 0 {
			f.Add(string(v.Observation))
		}
	}
	for _, seed := range []string{evaluation, declaration, "\uFEFF" + onOneLine(evaluation), "{}", "[]", "", `{"x":!}`, `{"kind":1e999,"kind":"\ud800"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		o, err := catalog.Normalize(doc)
		if err == nil {
			checkAccepted(t, doc, o)
			return
		}
		checkFaults(t, doc, err)
		if o != (catalog.Observation{}) {
			t.Errorf("refused and returned: %s", o.JSON())
		}
		// Compiled, it is refused for the same reasons at the same places.
		_, _, err2 := catalog.Compile(t.Context(), []string{doc}, catalog.Options{AsOf: endOfTime})
		first, second := problem.All(err), problem.All(err2)
		if len(first) != len(second) {
			t.Fatalf("compiled %v, alone %v", err2, err)
		}
		for i, e := range second {
			if "$.observations[0]"+first[i].Path[1:] != e.Path || first[i].Code != e.Code {
				t.Fatalf("compiled %s %v, alone %s %v", e.Code, e, first[i].Code, first[i])
			}
		}
	})
}

// FuzzSnapshot: what is accepted serializes to canonical JSON that is accepted
// again and, member for member, is what was given.
func FuzzSnapshot(f *testing.F) {
	for i, v := range vectors[catalogVector](f, "catalogs.jsonl") {
		if v.Expect.Snapshot != "" && len(v.Expect.Snapshot) < 20000 || i < 2 {
			f.Add(v.Expect.Snapshot)
		}
	}
	f.Add(mustCompile(f, snapshotDocs()...).Serialize())
	f.Add(backwards(decodeAny(mustCompile(f, named("a")).Serialize()), "\n"))
	for _, seed := range []string{"", "{}", "[]", `{"schemaVersion":"service.catalog/v1"}`, `{"schemaVersion":"service.catalog/v2","asOf":"","digest":"","models":[{"observations":[{},]}],"conflicts":[]}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := catalog.Parse(t.Context(), problem.Source{Name: "f", Text: text})
		if err != nil {
			checkSnapshotFaults(t, text, err)
			if c != nil {
				t.Fatalf("refused and returned: %q", text)
			}
			return
		}
		canonical := c.Serialize()
		if got := canonicalJSON(decodeAny(strings.TrimPrefix(text, "\uFEFF"))); got != canonical {
			t.Fatalf("%q\nis accepted as %s", text, canonical)
		}
		again, err := catalog.Parse(t.Context(), problem.Source{Text: canonical})
		if err != nil || again.Serialize() != canonical || again.Digest() != c.Digest() {
			t.Fatalf("%s is refused: %v", canonical, err)
		}
	})
}

func checkSnapshotFaults(t *testing.T, text string, err error) {
	t.Helper()
	faults := problem.All(err)
	if len(faults) == 0 {
		t.Fatalf("another error: %v of %q", err, text)
	}
	lines := strings.Count(text, "\n") + 1
	for _, e := range faults {
		if e.Code != problem.InvalidCatalog && e.Code != problem.UnsupportedCatalogSchema || !strings.HasPrefix(e.Path, "$") || e.Reason == "" ||
			e.Place.File != "f" || e.Place.Line < 1 || e.Place.Line > lines || e.Place.Column < 1 || e.Place.Column > len(text)+1 {
			t.Fatalf("malformed fault %+v of %q", e, text)
		}
	}
}

// FuzzFile: however a file is cut into documents, what is accepted is what the
// documents compile to, and what is refused has a place in the file.
func FuzzFile(f *testing.F) {
	a, b := onOneLine(named("a")), onOneLine(named("b"))
	for _, seed := range []string{a, "[" + a + "," + b + "]", a + "\n" + b, "\uFEFF[" + a + ",]", a + "\r\n\r\n{", "[]", "", "\uFEFF", "[[],{}]", "[{\"a\":[}]}]", "\"\n\"", "nul\nl"} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, text string, lines bool) {
		name := "f.json"
		if lines {
			name = "f.jsonl"
		}
		c, _, err := catalog.CompileSources(t.Context(), []catalog.Source{source(name, text)}, catalog.Options{AsOf: endOfTime, Dedupe: true})
		if err != nil {
			for _, e := range problem.All(err) {
				if e.Code != problem.InvalidObservation && e.Code != problem.UnsupportedSchema || e.Place.File != name || e.Place.Line < 1 || e.Place.Column < 1 || e.Place.Line > strings.Count(text, "\n")+1 {
					t.Fatalf("malformed fault %+v of %q", e, text)
				}
			}
			if len(problem.All(err)) == 0 {
				t.Fatalf("another error %v of %q", err, text)
			}
			return
		}
		docs := documentsOf(t, text)
		want, _, err := catalog.Compile(t.Context(), docs, catalog.Options{AsOf: endOfTime, Dedupe: true})
		if err != nil || want.Serialize() != c.Serialize() {
			t.Fatalf("%q\nis accepted as %s\nwant %v (%v)", text, c.Serialize(), docs, err)
		}
	})
}

// documentsOf takes apart, with encoding/json, a file that was accepted.
func documentsOf(t *testing.T, text string) (docs []string) {
	t.Helper()
	text = strings.TrimSpace(strings.TrimPrefix(text, "\uFEFF"))
	if strings.HasPrefix(text, "[") {
		for _, item := range decodeAny(text).([]any) {
			docs = append(docs, canonicalJSON(item))
		}
		return docs
	}
	if lines := strings.Split(text, "\n"); len(lines) > 1 {
		lines = slices.DeleteFunc(lines, func(line string) bool { return strings.TrimSpace(line) == "" })
		if _, err := catalog.Normalize(lines[0]); err == nil {
			return lines
		}
	}
	return []string{text}
}
