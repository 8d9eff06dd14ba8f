package catalog_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
)

// manyLines returns n documents that differ in their model and an unknown field
// or none, each of about a kilobyte.
func manyLines(n int, unknown string) []string {
	doc := onOneLine(set(named("@"), "$.uncertainty.gaps[0]", `"`+strings.Repeat("g@", 200)+`"`))
	lines := make([]string, n)
	for i := range lines {
		lines[i] = strings.ReplaceAll(doc, "@", fmt.Sprint(i))
		if unknown != "" {
			lines[i] = `{"` + unknown + fmt.Sprint(i) + `":0,` + lines[i][1:]
		}
	}
	return lines
}

// The memory of a source that is read in many chunks is used again and again:
// what is kept of the documents stays what it was.
func TestManyChunks(t *testing.T) {
	lines := manyLines(6000, "")
	for name, text := range map[string]string{
		"x.jsonl": strings.Join(lines, "\n"),
		"x.json":  "[" + strings.Join(lines, ",") + "]",
	} {
		c, _, err := compileText(t, name, text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		ids := map[string]string{}
		for _, m := range c.Models() {
			if len(m.Observations) != 1 || canonicalJSON(object{"id": m.Identity.ID, "quantization": "q4", "revision": "r1"}) != m.IdentityJSON {
				t.Fatalf("%s: model %s has %d observations", name, m.IdentityJSON, len(m.Observations))
			}
			ids[m.Identity.ID] = m.Observations[0].ID()
		}
		for i, line := range lines {
			o, err := catalog.Normalize(line)
			if err != nil {
				t.Fatal(err)
			}
			if got := ids[fmt.Sprint(i)]; got != o.ID() {
				t.Fatalf("%s: observation %d has the id %s, want %s", name, i, got, o.ID())
			}
		}
		if again, err := parse(t, c.Serialize()); err != nil || again.Digest() != c.Digest() {
			t.Errorf("%s: the snapshot is refused: %v", name, err)
		}
	}
}

// So do the paths and reasons of faults.
func TestFaultsInManyChunks(t *testing.T) {
	lines := manyLines(900, "x한") // as many faults as are kept, nearly
	for name, text := range map[string]string{
		"x.jsonl": strings.Join(lines, "\n"),
		"x.json":  "[" + strings.Join(lines, ",\n") + "]",
	} {
		_, _, err := compileText(t, name, text)
		faults := problem.All(err)
		if len(faults) != len(lines) {
			t.Errorf("%s: %d faults, want %d", name, len(faults), len(lines))
			continue
		}
		for i, e := range faults {
			want := problem.Error{Path: fmt.Sprintf("$.x한%d", i), Place: problem.Place{File: name, Line: i + 1, Column: 2}}
			if name == "x.json" {
				want.Path = fmt.Sprintf("$[%d].x한%d", i, i)
				if i == 0 {
					want.Place.Column++ // the bracket
				}
			}
			if e.Path != want.Path || e.Place != want.Place || !strings.HasPrefix(e.Reason, "unknown field, allowed are schemaVersion, kind,") {
				t.Fatalf("%s: %v at %v, want %s at %v", name, e, e.Place, want.Path, want.Place)
			}
		}
	}
}

// And what replays say of each other.
func TestReplaysInManyChunks(t *testing.T) {
	lines := manyLines(900, "")
	_, _, err := compileText(t, "x.jsonl", strings.Join(append(lines, lines...), "\n"))
	faults := problem.All(err)
	if len(faults) != len(lines) {
		t.Fatalf("%d faults, want %d", len(faults), len(lines))
	}
	for i, e := range faults {
		if e.Place.Line != len(lines)+i+1 || !strings.HasSuffix(e.Reason, fmt.Sprintf(", first at x.jsonl:%d:1", i+1)) {
			t.Fatalf("%v at %v, want the first at line %d", e, e.Place, i+1)
		}
	}
}
