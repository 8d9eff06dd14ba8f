package catalog_test

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
)

// asOf is the instant of the catalogs in these tests, after everything dated.
const asOf = "2026-12-01T00:00:00.000Z"

// evaluation is an observation with every member there is, in the order of the
// tables, its lists in normal order. The tests change a member of it at a time.
// Text of several bytes a character stands before most members.
const evaluation = `{
  "schemaVersion": "service.observation/v2",
  "kind": "evaluation",
  "model": {"id": "조직/모델-7b", "revision": "r1", "quantization": "q4"},
  "execution": {"kind": "exact",
    "runtime": {"id": "렌더러 😀", "version": "1.2"},
    "adapter": {"id": "adapter", "version": "3"},
    "effectiveContextTokens": 32768,
    "toolSurface": ["edit", "shell", "é"],
    "hardware": {"class": "gpu", "accelerator": "h200", "memoryBytes": 80000000000},
    "workflow": {"id": "builder", "version": "2", "condition": "bare"}},
  "task": {"family": "fam", "suite": "스위트", "taskId": "t1", "evaluator": {"id": "judge", "version": "9"}},
  "measurements": [
    {"key": "latency", "kind": "sample", "value": 12.5, "unit": "ms"},
    {"key": "passed", "kind": "fact", "value": true}
  ],
  "outcome": {"status": "accepted", "reason": "why"},
  "usage": {"inputTokens": 1, "outputTokens": 2, "reasoningTokens": 3, "totalTokens": 6, "completeness": "complete",
    "modelCalls": 4, "wallTimeMs": 5},
  "sourceClass": "first-party",
  "evidence": [
    {"id": "ev-1", "kind": "log", "uri": "https://example.org/é", "digest": {"algorithm": "sha256",
      "value": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"}, "observedAt": "2026-07-16T15:00:57.682Z"},
    {"id": "ev-2", "kind": "row", "uri": null, "digest": null, "observedAt": "2026-07-16T15:00:57.683Z"}
  ],
  "freshness": {"observedAt": "2026-07-16T15:00:57.682Z", "validUntil": "2027-01-01T00:00:00.000Z"},
  "uncertainty": {"level": "low", "basis": ["basis", "더"], "gaps": ["gap", "格差"]}
}`

// declaration is evaluation as a declaration.
var declaration = set(set(set(evaluation, "$.kind", `"declaration"`), "$.outcome", "null"), "$.usage", "null")

// part says where a member or item stands in a text.
type part struct {
	name       int // offset of the member's name, -1 for an item
	start, end int // of the value
}

// layout finds every member and item of a JSON text, by its JSON path.
func layout(text string) map[string]part {
	parts := map[string]part{}
	d := jsontext.NewDecoder(strings.NewReader(text), jsontext.AllowDuplicateNames(true))
	offset := func() int { return int(d.InputOffset()) }
	begin := func() int { // of the next token
		return offset() + len(text[offset():]) - len(strings.TrimLeft(text[offset():], " \t\r\n,:"))
	}
	token := func() jsontext.Token {
		tok, err := d.ReadToken()
		if err != nil {
			panic(fmt.Sprintf("%v in %s", err, text))
		}
		return tok
	}
	var value func(path string, name int)
	value = func(path string, name int) {
		start := begin()
		switch token().Kind() {
		case '{':
			for d.PeekKind() != '}' {
				at := begin()
				value(path+"."+token().String(), at)
			}
			token()
		case '[':
			for i := 0; d.PeekKind() != ']'; i++ {
				value(path+"["+strconv.Itoa(i)+"]", -1)
			}
			token()
		}
		parts[path] = part{name, start, offset()}
	}
	value("$", -1)
	return parts
}

// at returns where a path stands; there must be such a member.
func at(text, path string) part {
	p, ok := layout(text)[path]
	if !ok {
		panic("no " + path + " in " + text)
	}
	return p
}

// set puts another value, given as JSON text, at a path.
func set(text, path, value string) string {
	p := at(text, path)
	return text[:p.start] + value + text[p.end:]
}

// drop removes the member or item at a path and the comma beside it.
func drop(text, path string) string {
	p := at(text, path)
	start := p.start
	if p.name >= 0 {
		start = p.name
	}
	before, after := text[:start], text[p.end:]
	if rest := strings.TrimLeft(after, " \n"); strings.HasPrefix(rest, ",") {
		return before + strings.TrimLeft(rest[1:], " \n")
	}
	return strings.TrimSuffix(strings.TrimRight(before, " \n"), ",") + after
}

// add puts a member or item at the end of the object or list at a path.
func add(text, path, member string) string {
	p := at(text, path)
	inside := strings.TrimRight(text[:p.end-1], " \n")
	if !strings.HasSuffix(inside, "{") && !strings.HasSuffix(inside, "[") {
		inside += ", "
	}
	return inside + member + text[p.end-1:]
}

// want is a refusal: its code and path, and where it points to.
type want struct {
	code   problem.Code
	path   string
	offset int
	reason string // a part of it
}

// refused checks that an observation is refused for this reason first: alone,
// and inside a compilation, a file of lines and a list, where its path and place
// are those in the file.
func refused(t *testing.T, name, doc string, w want) {
	t.Helper()
	_, err := catalog.Normalize(doc)
	e := firstFault(t, name, err)
	if e == nil {
		return
	}
	if e.Code != w.code || e.Path != w.path || e.Offset != w.offset || !strings.Contains(e.Reason, w.reason) {
		t.Errorf("%s:\n got %s %q at offset %d\nwant %s %s: ...%q... at offset %d", name, e.Code, e.Error(), e.Offset, w.code, w.path, w.reason, w.offset)
		return
	}
	_, _, err = catalog.Compile(t.Context(), []string{declaration, doc}, catalog.Options{AsOf: asOf})
	if e := firstFault(t, name, err); e != nil && (e.Code != w.code || e.Path != "$.observations[1]"+w.path[1:]) {
		t.Errorf("%s, compiled: %s %q, want %s at $.observations[1]%s", name, e.Code, e.Error(), w.code, w.path[1:])
	}
	compileFile := func(file, before, path string) {
		t.Helper()
		_, _, err := compileText(t, file, before+doc+map[bool]string{true: "]"}[strings.HasPrefix(before, "[")])
		if e := firstFault(t, name, err); e != nil && (e.Code != w.code || e.Path != path || e.Place != placeOf(file, before+doc, len(before)+w.offset)) {
			t.Errorf("%s, in %s: %s %q at %v\nwant %s %s at %v", name, file, e.Code, e.Error(), e.Place, w.code, path, placeOf(file, before+doc, len(before)+w.offset))
		}
	}
	compileFile("one.json", "\uFEFF\n ", w.path)
	compileFile("list.json", "[\n\t"+declaration+", ", "$[1]"+w.path[1:])
}

// accepted checks that an observation is accepted and normalized as the oracle
// does it, and returns it.
func accepted(t *testing.T, name, doc string) catalog.Observation {
	t.Helper()
	o, err := catalog.Normalize(doc)
	if err != nil {
		t.Errorf("%s: refused: %v", name, err)
		return o
	}
	if want := oracleNormalize(doc); o.JSON() != want {
		t.Errorf("%s:\n got %s\nwant %s", name, o.JSON(), want)
	}
	return o
}

// firstFault returns the fault that errors.As finds and checks what holds for
// all: the message begins with the path.
func firstFault(t *testing.T, name string, err error) *problem.Error {
	t.Helper()
	var e *problem.Error
	if !errors.As(err, &e) {
		t.Errorf("%s: accepted, or another error: %v", name, err)
		return nil
	}
	if !strings.HasPrefix(err.Error(), e.Path+": ") || !strings.HasPrefix(e.Path, "$") || e.Reason == "" {
		t.Errorf("%s: message %q of a fault at %s", name, err, e.Path)
	}
	return e
}

// source is a file with this text.
func source(name, text string) catalog.Source {
	return catalog.Source{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

// compileText compiles one file.
func compileText(t *testing.T, name, text string) (*catalog.Catalog, int, error) {
	t.Helper()
	return catalog.CompileSources(t.Context(), []catalog.Source{source(name, text)}, catalog.Options{AsOf: asOf})
}

// mustCompile compiles observations that are valid.
func mustCompile(t testing.TB, docs ...string) *catalog.Catalog {
	t.Helper()
	c, dropped, err := catalog.Compile(t.Context(), docs, catalog.Options{AsOf: asOf})
	if err != nil || dropped != 0 {
		t.Fatalf("%d observations: %v, %d dropped", len(docs), err, dropped)
	}
	return c
}

// placeOf counts lines and columns by itself.
func placeOf(file, text string, offset int) problem.Place {
	lines := strings.Split(text[:offset], "\n")
	return problem.Place{File: file, Line: len(lines), Column: utf8.RuneCountInString(lines[len(lines)-1]) + 1}
}

// paths returns the paths of all faults of err, in their order.
func paths(err error) []string {
	var out []string
	for _, e := range problem.All(err) {
		out = append(out, e.Path)
	}
	return out
}
