package catalog_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
)

// A file holds one observation, a list of them, or one a line.
func TestForms(t *testing.T) {
	a, b := named("a"), named("b")
	lineA, lineB := onOneLine(a), onOneLine(b)
	tests := []struct {
		name, file, text string
		want             []string
	}{
		{"one", "x.json", a, []string{a}},
		{"one on a line", "x.json", lineA, []string{a}},
		{"one on a line, with line feed", "x.json", lineA + "\n", []string{a}},
		{"one, spaced", "x.json", "\uFEFF\r\n\t " + a + " \n\n", []string{a}},
		{"one from stdin", "-", a, []string{a}},
		{"one on a line in a file of lines", "x.jsonl", lineA, []string{a}},

		{"a list", "x.json", "[" + a + "," + b + "]", []string{a, b}},
		{"a list, spaced", "x.json", "\uFEFF \n[\r\n" + a + "\n\t, " + b + " ]\n", []string{a, b}},
		{"a list of one", "x.json", "[" + a + "]", []string{a}},
		{"an empty list", "x.json", "[]", nil},
		{"a list in a file of lines", "x.jsonl", "[" + a + ",\n" + b + "]", []string{a, b}},
		{"a list from stdin", "-", "[" + a + "," + b + "]", []string{a, b}},

		{"lines", "x.jsonl", lineA + "\n" + lineB + "\n", []string{a, b}},
		{"lines, .ndjson", "x.ndjson", lineA + "\n" + lineB + "\n", []string{a, b}},
		{"lines by their content", "x.json", lineA + "\n" + lineB, []string{a, b}},
		{"lines from stdin", "-", lineA + "\n" + lineB, []string{a, b}},
		{"lines without the last line feed", "x.jsonl", lineA + "\n" + lineB, []string{a, b}},
		{"lines with carriage returns", "x.jsonl", lineA + "\r\n" + lineB + "\r\n", []string{a, b}},
		{"lines between blank ones", "x.jsonl", "\n \t\r\n" + lineA + "\n\n\r\n" + lineB + "\n\n", []string{a, b}},
		{"lines behind a byte order mark", "x.jsonl", "\uFEFF" + lineA + "\n" + lineB, []string{a, b}},
		{"lines behind a byte order mark and blank ones", "x.jsonl", "\uFEFF\n\n" + lineA + "\n" + lineB, []string{a, b}},
		{"lines with white space around", "x.jsonl", "  " + lineA + "\t \n\t" + lineB + " ", []string{a, b}},
	}
	for _, tt := range tests {
		c, dropped, err := compileText(t, tt.file, tt.text)
		if err != nil || dropped != 0 {
			t.Errorf("%s: %v, %d dropped", tt.name, err, dropped)
			continue
		}
		if c.Serialize() != mustCompile(t, tt.want...).Serialize() {
			t.Errorf("%s: %d observations, want %d", tt.name, c.Observations(), len(tt.want))
		}
	}
}

// What is no JSON is reported alone, at $, at the offending character, which »
// marks here. A is an observation, B one that is invalid.
func TestBrokenFiles(t *testing.T) {
	tests := []struct{ name, file, text, reason string }{
		{"nothing", "x.json", "»", "unexpected end of text"},
		{"white space alone", "x.json", " \n\n »", "unexpected end of text"},
		{"nothing in a file of lines", "x.jsonl", "»", "unexpected end of text"},
		{"blank lines alone", "x.jsonl", "\n\n»", "unexpected end of text"},
		{"a byte order mark alone", "x.json", "\uFEFF»", "unexpected end of text"},
		{"a byte order mark alone in a file of lines", "x.jsonl", "\uFEFF»", "unexpected end of text"},
		{"a byte order mark before blank lines", "x.ndjson", "\uFEFF\n \r\n»", "unexpected end of text"},
		{"no JSON", "x.json", "»hello", "unexpected character 'h'"},
		{"another white space", "x.json", "»\u00a0A", "unexpected character"},
		{"two byte order marks", "x.json", "\uFEFF»\uFEFFA", "unexpected character"},
		{"content behind", "x.json", "A »x", "unexpected character 'x', expected the end of the document"},
		{"another observation behind, on its last line", "x.json", "A »A", "unexpected character"},
		{"cut off", "x.json", `{"kind": "evaluation", »`, "unexpected end of text"},

		{"list without end", "x.json", "[A»", "unexpected end of text"},
		{"list without end, after a comma", "x.json", "[A,»", "unexpected end of text"},
		{"list without end, of an invalid one", "x.json", "[B,»", "unexpected end of text"},
		{"list cut off in an item", "x.json", `[A, {"kind": "x"»`, "unexpected end of text"},
		{"list with a comma last", "x.json", "[A, »]", "unexpected character"},
		{"list with a comma first", "x.json", "[»,A]", "unexpected character"},
		{"list with a comma alone", "x.json", "[»,]", "unexpected character"},
		{"list with two commas", "x.json", "[A,»,A]", "unexpected character"},
		{"list without comma", "x.json", "[A\n »A]", "unexpected character"},
		{"list closed as an object", "x.json", "[A»}", "unexpected character"},
		{"list with content behind", "x.json", "[A]\n»x", "unexpected character"},
		{"list with another list behind", "x.json", "[A] »[A]", "unexpected character"},
		{"list with a byte order mark inside", "x.json", "[»\uFEFFA]", "unexpected character"},
		{"list with another white space", "x.json", "[A,»\u00a0A]", "unexpected character"},
		{"item that is broken", "x.json", "[A, {\"kind\": tru»}]", "unexpected character '}'"},
		{"item that is broken before an invalid one", "x.json", "[{\"kind\": tru»}, B]", "unexpected character '}'"},
		{"item that is broken behind an invalid one", "x.json", "[B, {\"kind\": tru»}]", "unexpected character '}'"},
		{"item of mixed brackets", "x.json", `[A, {"a": [»}]`, "unexpected character '}'"},
		{"item that is no value", "x.json", "[A, nul»x]", "unexpected character 'x'"},
		{"invalid UTF-8", "x.json", "[A, {\"kind\": \"»\xff\"}]", "invalid UTF-8"},
		{"invalid UTF-8 alone", "x.json", "{\"kind\": \"»\xff\"}", "invalid UTF-8"},

		{"line that is broken", "x.jsonl", "L\n{\"kind\": tru»}\nL", "unexpected character '}'"},
		{"line that is cut off", "x.jsonl", "L\n{\"kind\": 1»\n", "unexpected end of text"},
		{"first line that is cut off", "x.jsonl", "{\"kind\": 1»\nL", "unexpected end of text"},
		{"first line that is cut off, .ndjson", "x.ndjson", "{\"kind\": 1»\nL", "unexpected end of text"},
		{"one line that is cut off and a blank one", "x.ndjson", "{\"kind\": 1»\n\n", "unexpected end of text"},
		{"line with content behind", "x.jsonl", "L »L\n", "unexpected character"},
		{"line with a byte order mark", "x.jsonl", "L\n»\uFEFFL\n", "unexpected character"},
		{"line with another white space", "x.jsonl", "L\n»\u00a0\n", "unexpected character"},
		{"line by content", "x.json", "L\n»x", "unexpected character 'x'"},
	}
	a, b := named("한"), set(named("b"), "$.kind", "1")
	for _, tt := range tests {
		text := strings.NewReplacer("A", a, "B", b, "L", onOneLine(a)).Replace(tt.text)
		offset := strings.Index(text, "»")
		text = strings.Replace(text, "»", "", 1)
		_, _, err := compileText(t, tt.file, text)
		e := firstFault(t, tt.name, err)
		if e == nil {
			continue
		}
		where := placeOf(tt.file, text, offset)
		if e.Code != problem.InvalidObservation || e.Path != "$" || e.Place != where || !strings.Contains(e.Reason, tt.reason) || len(problem.All(err)) != 1 {
			t.Errorf("%s:\n got %s %q at %v, and %d more\nwant %s at %v", tt.name, e.Code, err, e.Place, len(problem.All(err))-1, tt.reason, where)
		}
	}
}

// Each invalid document is reported, with its path and its place; a broken line
// spoils its line alone.
func TestFaultsInFiles(t *testing.T) {
	good, bad := onOneLine(named("한")), onOneLine(set(named("b"), "$.kind", "1"))
	kind := at(bad, "$.kind").start
	first := good + "\n"
	second := first + "{\"x\n\n"
	third := second + "\t"
	lines := third + bad + "\r\n[]\n" + good
	_, _, err := compileText(t, "f.jsonl", lines)
	expectPlaces(t, err, []problem.Error{
		{Path: "$", Place: placeOf("f.jsonl", lines, len(first)+len(`{"x`))},
		{Path: "$.kind", Place: placeOf("f.jsonl", lines, len(third)+kind)},
		{Path: "$", Place: placeOf("f.jsonl", lines, len(third)+len(bad)+len("\r\n"))},
	})

	list := "[" + good + ",\n  " + bad + ", null,\n" + bad + "]"
	at1, at3 := len("["+good+",\n  "), len("["+good+",\n  "+bad+", null,\n")
	_, _, err = compileText(t, "f.json", list)
	expectPlaces(t, err, []problem.Error{
		{Path: "$[1].kind", Place: placeOf("f.json", list, at1+kind)},
		{Path: "$[2]", Place: placeOf("f.json", list, at1+len(bad+", "))},
		{Path: "$[3].kind", Place: placeOf("f.json", list, at3+kind)},
	})
}

func expectPlaces(t *testing.T, err error, want []problem.Error) {
	t.Helper()
	got := problem.All(err)
	if len(got) != len(want) {
		t.Errorf("%d faults, want %d: %v", len(got), len(want), paths(err))
		return
	}
	for i, e := range got {
		if e.Path != want[i].Path || e.Place != want[i].Place {
			t.Errorf("%s at %v, want %s at %v", e, e.Place, want[i].Path, want[i].Place)
		}
	}
}

// A file that is broken spoils itself alone: the faults of the others are told.
func TestFaultsInSeveralFiles(t *testing.T) {
	good, bad := named("a"), set(named("b"), "$.kind", "1")
	files := []catalog.Source{source("1.json", good), source("2.json", bad), source("3.json", "["+bad+",x]"), source("4.json", "["+bad+"]"), source("5.json", "")}
	_, _, err := catalog.CompileSources(t.Context(), files, catalog.Options{AsOf: asOf})
	var got []string
	for _, e := range problem.All(err) {
		got = append(got, e.Place.File+" "+e.Path)
	}
	slices.Sort(got)
	if want := []string{"2.json $.kind", "3.json $", "4.json $[0].kind", "5.json $"}; !slices.Equal(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}

// The depth of a list counts for its items.
func TestDepthInFiles(t *testing.T) {
	for n, want := range map[int]string{63: "$.x", 64: "$"} {
		doc := `{"x":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`
		_, _, err := compileText(t, "x.json", doc)
		if e := firstFault(t, "alone", err); e != nil && e.Path != want {
			t.Errorf("%d in an observation: %v, want it at %s", n, e, want)
		}
		doc = doc[:len(`{"x":`)] + doc[len(`{"x":[`):len(doc)-2] + "}" // one less
		_, _, err = compileText(t, "x.json", "["+doc+"]")
		if e := firstFault(t, "in a list", err); e != nil && e.Path != strings.Replace(want, "$.x", "$[0].x", 1) {
			t.Errorf("%d in a list: %v, want it at %s", n-1, e, want)
		}
	}
}

// However a source is read, and wherever its chunks end, it is the same.
func TestReaders(t *testing.T) {
	var docs []string
	size := 0
	for i := 0; size < 700<<10; i++ {
		gap := strings.Repeat("한", i*i%3000)
		docs = append(docs, onOneLine(set(named(fmt.Sprint(i)), "$.uncertainty.gaps[0]", `"`+gap+`g"`)))
		size += len(docs[i])
	}
	want := mustCompile(t, docs...).Serialize()
	for name, text := range map[string]string{
		"list.json":         "[" + strings.Join(docs, ",") + "]",
		"spaced.json":       " \n[ " + strings.Join(docs, " , ") + " ] \n",
		"wide.json":         strings.Repeat(" ", 300<<10) + "[" + strings.Join(docs, strings.Repeat("\n", 999)+",") + "]" + strings.Repeat(" ", 600<<10),
		"lines.jsonl":       strings.Join(docs, "\n"),
		"crlf.jsonl":        strings.Join(docs, "\r\n") + "\r\n",
		"blank.jsonl":       strings.Repeat("\n", 300<<10) + strings.Join(docs, strings.Repeat(" \n", 999)),
		"lines-by-content":  strings.Join(docs, "\n"),
		"far-apart-content": docs[0] + strings.Repeat("\n", 600<<10) + strings.Join(docs[1:], "\n"),
	} {
		for reader, wrap := range map[string]func(io.Reader) io.Reader{
			"at once": func(r io.Reader) io.Reader { return r }, "halves": iotest.HalfReader, "data with EOF": iotest.DataErrReader,
		} {
			s := catalog.Source{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(wrap(strings.NewReader(text))), nil }}
			c, _, err := catalog.CompileSources(t.Context(), []catalog.Source{s}, catalog.Options{AsOf: asOf})
			if err != nil {
				t.Errorf("%s, %s: %v", name, reader, err)
			} else if c.Serialize() != want {
				t.Errorf("%s, %s: %d observations, want %d", name, reader, c.Observations(), len(docs))
			}
		}
		// A fault far inside is placed as in the whole text.
		last := docs[len(docs)-1]
		bad := strings.Replace(text, last, set(last, "$.kind", "1"), 1)
		_, _, err := compileText(t, name, bad)
		offset := strings.Index(text, last) + at(last, "$.kind").start
		if e := firstFault(t, name, err); e != nil && (!strings.HasSuffix(e.Path, ".kind") || e.Place != placeOf(name, bad, offset)) {
			t.Errorf("%s: %v at %v, want it at %v", name, e, e.Place, placeOf(name, bad, offset))
		}
	}
}

// Documents that are longer than a chunk are read like others.
func TestLongDocuments(t *testing.T) {
	long := func(model string) string {
		return onOneLine(set(named(model), "$.uncertainty.gaps[0]", `"`+strings.Repeat("한", 200<<10)+`"`))
	}
	a, b, c := long("a"), onOneLine(named("b")), long("c")
	want := mustCompile(t, a, b, c).Serialize()
	for name, text := range map[string]string{
		"by-content":  a + "\n" + b + "\n" + c,
		"lines.jsonl": a + "\n" + b + "\n" + c + "\n",
		"list.json":   "[" + a + "," + b + "," + c + "]",
	} {
		got, _, err := compileText(t, name, text)
		if err != nil || got.Serialize() != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, _, err := compileText(t, "one.json", a); err != nil || got.Observations() != 1 {
		t.Errorf("one alone: %v", err)
	}
}

type closer struct {
	io.Reader
	closed *bool
	err    error
}

func (c closer) Close() error { *c.closed = true; return c.err }

// Errors of opening, reading and closing are handed on with the file's name, and
// every file is closed.
func TestReadErrors(t *testing.T) {
	failure := errors.New("the disk is gone")
	a := onOneLine(named("a"))
	for name, r := range map[string]io.Reader{
		"at once":              iotest.ErrReader(failure),
		"in white space":       io.MultiReader(strings.NewReader(strings.Repeat(" ", 300<<10)), iotest.ErrReader(failure)),
		"in one observation":   io.MultiReader(strings.NewReader("{"), iotest.ErrReader(failure)),
		"in a list":            io.MultiReader(strings.NewReader("["+a+","), iotest.ErrReader(failure)),
		"behind a list":        io.MultiReader(strings.NewReader("["+a+"]"+strings.Repeat(" ", 600<<10)), iotest.ErrReader(failure)),
		"in lines":             io.MultiReader(strings.NewReader(a+"\n"+a), iotest.ErrReader(failure)),
		"in lines, far inside": io.MultiReader(strings.NewReader(a+strings.Repeat("\n", 600<<10)), iotest.ErrReader(failure)),
	} {
		closed := false
		s := catalog.Source{Name: "x.json", Open: func() (io.ReadCloser, error) { return closer{r, &closed, nil}, nil }}
		c, _, err := catalog.CompileSources(t.Context(), []catalog.Source{s}, catalog.Options{AsOf: asOf})
		if !errors.Is(err, failure) || !strings.Contains(err.Error(), "x.json") || c != nil || !closed {
			t.Errorf("%s: %v, closed: %v", name, err, closed)
		}
	}
	s := catalog.Source{Name: "x.json", Open: func() (io.ReadCloser, error) { return nil, failure }}
	if _, _, err := catalog.CompileSources(t.Context(), []catalog.Source{s}, catalog.Options{AsOf: asOf}); !errors.Is(err, failure) {
		t.Errorf("opening: %v", err)
	}
	closed := false
	s.Open = func() (io.ReadCloser, error) { return closer{strings.NewReader(a), &closed, failure}, nil }
	if _, _, err := catalog.CompileSources(t.Context(), []catalog.Source{s}, catalog.Options{AsOf: asOf}); !errors.Is(err, failure) || !closed {
		t.Errorf("closing: %v, closed: %v", err, closed)
	}
}
