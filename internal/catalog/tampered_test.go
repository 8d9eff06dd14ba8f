package catalog_test

import (
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// seal gives a snapshot the digest of its content.
func seal(text string) string {
	tree := decodeAny(text).(object)
	delete(tree, "digest")
	return set(text, "$.digest", `"`+hashOf(tree)+`"`)
}

func valueAt(text, path string) string { return text[at(text, path).start:at(text, path).end] }

// swap exchanges two values.
func swap(text, a, b string) string {
	first, second := valueAt(text, a), valueAt(text, b)
	return set(set(text, a, second), b, first)
}

const otherHash = `"1111111111111111111111111111111111111111111111111111111111111111"`

// What differs from what compiles is refused at the most telling path. Every
// change has a right digest and, where that is possible, nothing else wrong.
func TestTampered(t *testing.T) {
	text := mustCompile(t, snapshotDocs()...).Serialize()
	observation := func(path string) string { return "$.models[0].observations[0]" + path }
	tests := []struct {
		name, text string
		want       string // path
		there      string // where it points to, if not there
	}{
		{"wrong digest", set(text, "$.digest", otherHash), "$.digest", ""},
		{"another asOf under the old digest", set(text, "$.asOf", `"2026-12-02T00:00:00.000Z"`), "$.digest", ""},
		{"asOf before an observation", seal(set(text, "$.asOf", `"2026-07-01T01:00:00.000Z"`)), "", ""},
		{"asOf that is none", seal(set(text, "$.asOf", `"2026-12-02"`)), "$.asOf", ""},

		{"wrong id", seal(set(text, observation(".id"), otherHash)), observation(".id"), ""},
		{"changed content", seal(set(text, observation(".uncertainty.gaps[0]"), `"gap2"`)), observation(".id"), ""},
		{"invalid observation", seal(set(text, observation(".kind"), `"x"`)), observation(".kind"), ""},
		{"observation of another version", seal(set(text, observation(".schemaVersion"), `"service.observation/v1"`)), observation(".schemaVersion"), ""},
		{"observation without id", seal(drop(text, observation(".id"))), observation(".id"), observation("")},
		{"observation with more", seal(add(text, observation(""), `"x":1`)), observation(".x"), observation(".x")},
		{"evidence after asOf", seal(reid(set(text, observation(".evidence[0].observedAt"), `"2026-12-01T00:00:00.001Z"`), observation(""))), observation(".evidence[0].observedAt"), ""},
		{"evaluation rules", seal(reid(set(text, observation(".kind"), `"evaluation"`), observation(""))), observation(".execution"), ""},

		{"observations in another order", seal(swap(text, "$.models[0].observations[0]", "$.models[0].observations[1]")), "$.models[0].observations[1]", ""},
		{"observation twice", seal(set(text, "$.models[0].observations[1]", valueAt(text, "$.models[0].observations[0]"))), "$.models[0].observations[1]", ""},
		{"observation under another model", seal(swap(text, "$.models[0].observations[0]", "$.models[1].observations[0]")), "$.models[0].observations[0].model", ""},
		{"models in another order", seal(swap(text, "$.models[0]", "$.models[1]")), "$.models[1].key", ""},
		{"model twice", seal(set(text, "$.models[1]", valueAt(text, "$.models[0]"))), "$.models[1].key", ""},
		{"model in two parts", seal(inTwoParts(text)), "$.models[1].key", ""},
		{"model without observations", seal(set(text, "$.models[1].observations", "[]")), "$.models[1].observations", ""},
		{"wrong key", seal(set(text, "$.models[0].key", `"0`+strings.Repeat("0", 63)+`"`)), "$.models[0].key", ""},
		{"another identity", seal(set(text, "$.models[0].identity.revision", `"r9"`)), "$.models[0].observations[0].model", ""},
		{"identity that is none", seal(set(text, "$.models[0].identity.id", `""`)), "$.models[0].identity.id", ""},

		{"conflict left out", seal(drop(text, "$.conflicts[1]")), "$.conflicts", ""},
		{"all conflicts left out", seal(set(text, "$.conflicts", "[]")), "$.conflicts", ""},
		{"conflict too many", seal(add(text, "$.conflicts", "{}")), "$.conflicts[2]", ""},
		{"conflicts in another order", seal(swap(text, "$.conflicts[0]", "$.conflicts[1]")), "$.conflicts[0]", ""},
		{"conflict twice", seal(set(text, "$.conflicts[1]", valueAt(text, "$.conflicts[0]"))), "$.conflicts[1]", ""},
		{"conflict of another key", seal(set(text, "$.conflicts[1].key", otherHash)), "$.conflicts[1]", ""},
		{"conflict of another measurement", seal(set(text, "$.conflicts[0].measurementKey", `"x"`)), "$.conflicts[0]", ""},
		{"conflict of another model", seal(set(text, "$.conflicts[0].modelKey", otherHash)), "$.conflicts[0]", ""},
		{"conflict of other values", seal(set(text, "$.conflicts[0].values[0]", "7")), "$.conflicts[0]", ""},
		{"values in another order", seal(swap(text, "$.conflicts[0].values[0]", "$.conflicts[0].values[1]")), "$.conflicts[0]", ""},
		{"ids in another order", seal(swap(text, "$.conflicts[0].observationIds[0]", "$.conflicts[0].observationIds[1]")), "$.conflicts[0]", ""},
		{"conflict with more", seal(add(text, "$.conflicts[0]", `"x":1`)), "$.conflicts[0]", ""},
		{"conflict with less", seal(drop(text, "$.conflicts[0].task")), "$.conflicts[0]", ""},
		{"conflict that is none", seal(set(text, "$.conflicts[0]", "null")), "$.conflicts[0]", ""},
	}
	for _, tt := range tests {
		if tt.want == "" { // which observation is dated later depends on hashes
			_, err := parse(t, tt.text)
			if e := firstFault(t, tt.name, err); e != nil && (e.Code != problem.InvalidCatalog || !strings.HasSuffix(e.Path, "].freshness.observedAt")) {
				t.Errorf("%s: %s %v", tt.name, e.Code, e)
			}
			continue
		}
		there := tt.there
		if there == "" {
			there = tt.want
		}
		offset := at(tt.text, there).start
		if strings.HasSuffix(there, ".x") {
			offset = at(tt.text, there).name
		}
		expectCatalogFault(t, tt.name, tt.text, tt.want, offset)
	}
}

// expectCatalogFault checks that a snapshot is refused, at the path and place,
// also with its members in another order.
func expectCatalogFault(t *testing.T, name, text, path string, offset int) {
	t.Helper()
	c, err := parse(t, text)
	e := firstFault(t, name, err)
	if e == nil {
		return
	}
	if where := placeOf("catalog.json", text, offset); e.Code != problem.InvalidCatalog || e.Path != path || e.Place != where || c != nil {
		t.Errorf("%s:\n got %s %q at %v\nwant it at %s at %v", name, e.Code, err, e.Place, path, where)
	}
	_, err = parse(t, backwards(decodeAny(text), "\n"))
	if e := firstFault(t, name, err); e != nil && (e.Code != problem.InvalidCatalog || e.Path != path) {
		t.Errorf("%s, backwards: %s %v, want it at %s", name, e.Code, e, path)
	}
}

// reid gives the observation at path the id of its content.
func reid(text, path string) string {
	return set(text, path+".id", `"`+hashOf(decodeAny(valueAt(drop(text, path+".id"), path)))+`"`)
}

// inTwoParts puts the last observation of the second model into a model entry of
// its own.
func inTwoParts(text string) string {
	rest := drop(text, "$.models[0]")
	list := "[" + set(valueAt(rest, "$.models[0]"), "$.observations", "["+valueAt(rest, "$.models[0].observations[0]")+"]") + "," +
		drop(valueAt(rest, "$.models[0]"), "$.observations[0]") + "]"
	if len(decodeAny(valueAt(rest, "$.models[0].observations")).([]any)) < 2 {
		rest = drop(text, "$.models[1]")
		list = "[" + set(valueAt(rest, "$.models[0]"), "$.observations", "["+valueAt(rest, "$.models[0].observations[0]")+"]") + "," +
			drop(valueAt(rest, "$.models[0]"), "$.observations[0]") + "]"
	}
	return set(text, "$.models", list)
}

// A stored observation has its lists in normal order; its id alone does not
// tell, as that is the id of the normalized one.
func TestTamperedOrderOfLists(t *testing.T) {
	text := mustCompile(t, evaluation).Serialize()
	for _, list := range []string{".measurements", ".evidence", ".execution.toolSurface", ".uncertainty.basis", ".uncertainty.gaps"} {
		path := "$.models[0].observations[0]" + list
		_, err := parse(t, seal(swap(text, path+"[0]", path+"[1]")))
		if e := firstFault(t, list, err); e != nil && (e.Code != problem.InvalidCatalog || !strings.HasPrefix(e.Path, "$.models[0].observations[0]") || !strings.HasPrefix(path, e.Path)) {
			t.Errorf("%s in another order: %s %v", list, e.Code, e)
		}
	}
}

// Members of the snapshot and its models: required, of one kind, and no others.
func TestTamperedMembers(t *testing.T) {
	text := mustCompile(t, snapshotDocs()...).Serialize()
	for path, bad := range map[string][]string{
		"$.asOf":                   {"null", `""`, "1", `"2026-12-01"`, "[]"},
		"$.digest":                 {"null", `""`, "1", `"x"`, "{}", `"` + strings.Repeat("A", 64) + `"`},
		"$.models":                 {"null", `""`, "1", "{}", "true"},
		"$.models[1]":              {"null", `""`, "1", "[]"},
		"$.models[1].key":          {"null", `""`, "1", `"x"`},
		"$.models[1].identity":     {"null", `""`, "1", "[]"},
		"$.models[1].identity.id":  {"null", `""`, "1", `" a"`},
		"$.models[1].observations": {"null", `""`, "1", "{}"},
		"$.conflicts":              {"null", `""`, "1", "{}"},
	} {
		for _, value := range bad {
			expectCatalogFault(t, path+" "+value, set(text, path, value), path, at(text, path).start)
		}
	}
	for _, path := range []string{"$.asOf", "$.digest", "$.models", "$.conflicts", "$.models[0].key", "$.models[0].identity", "$.models[0].observations", "$.models[0].identity.revision"} {
		changed := drop(text, path)
		parent := path[:strings.LastIndexByte(path, '.')]
		expectCatalogFault(t, path+" left out", changed, path, at(changed, parent).start)
	}
	for _, parent := range []string{"$", "$.models[0]", "$.models[0].identity", "$.models[0].observations[0]", "$.models[0].observations[0].evidence[0]"} {
		changed := add(text, parent, `"unexpected":0`)
		expectCatalogFault(t, parent, changed, parent+".unexpected", at(changed, parent+".unexpected").name)
	}
	for _, path := range []string{"$.digest", "$.models", "$.models[0].key", "$.models[0].identity.id", "$.models[0].observations[0].id", "$.conflicts[0].key"} {
		parent, name := path[:strings.LastIndexByte(path, '.')], path[strings.LastIndexByte(path, '.')+1:]
		changed := add(text, parent, `"`+name+`":`+valueAt(text, path))
		_, err := parse(t, changed)
		where := placeOf("catalog.json", changed, at(changed, path).name)
		if e := firstFault(t, path, err); e != nil && (e.Code != problem.InvalidCatalog || e.Path != path || e.Place != where || e.Reason != "duplicate field") {
			t.Errorf("%s twice: %s %v at %v", path, e.Code, e, e.Place)
		}
	}
}

// Any byte changed, left out or put in is refused, or leaves what the snapshot
// says as it is.
func TestTamperedBytes(t *testing.T) {
	vectortest.SkipRace(t)
	text := mustCompile(t, statement{start: "01", end: "", facts: fact("k", "1")}.doc(0), statement{start: "01", end: "", facts: fact("k", `"é\\n"`)}.doc(1)).Serialize()
	check := func(changed string) {
		t.Helper()
		if changed == text {
			return
		}
		c, err := parse(t, changed)
		if err == nil {
			if c.Serialize() != text {
				t.Errorf("accepted as another snapshot: %s", changed)
			}
			return
		}
		if e := firstFault(t, "changed", err); e != nil && e.Code != problem.InvalidCatalog && e.Code != problem.UnsupportedCatalogSchema {
			t.Errorf("%s %v of %s", e.Code, e, changed)
		}
	}
	for i := range len(text) {
		if !vectortest.Sample(i) {
			continue
		}
		check(text[:i] + text[i+1:])
		check(text[:i]) // cut off
		for _, c := range []byte("0a \"\\,]\xff") {
			check(text[:i] + string([]byte{c}) + text[i+1:])
			check(text[:i] + string([]byte{c}) + text[i:])
		}
	}
}
