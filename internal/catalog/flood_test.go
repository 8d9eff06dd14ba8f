package catalog_test

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// flood is a source that repeats a text as often as it is read, up to a number of
// bytes, and knows how many were.
type flood struct {
	text    string
	size    int64
	touched int64
}

func (f *flood) Read(b []byte) (n int, err error) {
	if f.touched >= f.size {
		return 0, io.EOF
	}
	for n < len(b) && f.touched < f.size {
		m := copy(b[n:], f.text[f.touched%int64(len(f.text)):])
		n += m
		f.touched += int64(m)
	}
	return n, nil
}

func (f *flood) source(name string) catalog.Source {
	return catalog.Source{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(f), nil }}
}

// Reading stops when so many faults are counted that no more are: of a flood
// without end a few chunks are read, whether it is compiled or validated, and what
// is said of it does not depend on how fast workers are.
func TestFloodIsNotReadToItsEnd(t *testing.T) {
	const endless = 1 << 40
	for name, text := range map[string]string{
		"empty.jsonl": "{}\n", "words.jsonl": "x\n", "deep.jsonl": strings.Repeat(`{"a":`, 70) + "\n",
		"late.jsonl":  onOneLine(set(declaration, "$.evidence[1].observedAt", `"2030-01-01T00:00:00.000Z"`)) + "\n",
		"mixed.jsonl": onOneLine(declaration) + "\n{}\n",
		"dates.jsonl": onOneLine(set(named("한"), "$.freshness", `{"observedAt":"2030-01-01T00:00:00.000Z","validUntil":null}`)) + "\nx\n",
	} {
		for _, command := range []string{"compile", "validate"} {
			if command == "validate" && name == "late.jsonl" {
				continue // it knows no asOf
			}
			said := ""
			if vectortest.IsShort() && name != "mixed.jsonl" {
				continue
			}
			for range 2 {
				f := &flood{text: text, size: endless}
				var err error
				if command == "compile" {
					_, _, err = catalog.CompileSources(t.Context(), []catalog.Source{f.source(name), source("after.json", "x")}, catalog.Options{AsOf: asOf})
				} else {
					_, err = catalog.ValidateSource(t.Context(), f.source(name), nil)
				}
				faults := problem.All(err)
				if len(faults) != problem.DefaultMost+1 {
					t.Fatalf("%s %s: %d faults, %v", command, name, len(faults), err)
				}
				last := faults[problem.DefaultMost]
				if !strings.HasPrefix(last.Reason, "at least ") || !strings.HasSuffix(last.Reason, " more problems: the rest was not read") ||
					last.Path != "$" || last.Place != (problem.Place{File: name}) || last.Rest < problem.MostCounted-problem.DefaultMost {
					t.Fatalf("%s %s: the last entry is %+v", command, name, last)
				}
				if most := int64(len(text))*problem.MostCounted + 64<<20; f.touched > most {
					t.Errorf("%s %s: %d bytes were read, want at most %d", command, name, f.touched, most)
				}
				if now := fmt.Sprint(faults, last.Rest); said != "" && now != said {
					t.Errorf("%s %s: the faults differ from run to run: %v and %v", command, name, last, said[len(said)-80:])
				} else {
					said = now
				}
			}
		}
	}
}

// A thousand faults of all files together are kept, the others of all files are
// counted in one entry, which names the file of the first of them.
func TestFaultsOfAllFilesAreKeptTogether(t *testing.T) {
	lines := func(n int) string { return strings.Repeat("0\n", n) }
	for _, tt := range []struct {
		files []int // numbers of faults
		kept  string
		more  string
	}{
		{[]int{400, 600}, "a:400 b:600", ""},
		{[]int{400, 601}, "a:400 b:600", "b 1 more problems"},
		{[]int{1000, 2, 3}, "a:1000", "b 5 more problems"},
		{[]int{2500, 1, 300}, "a:1000", "a 1801 more problems"},
		{[]int{0, 700, 700}, "b:700 c:300", "c 400 more problems"},
	} {
		var files []catalog.Source
		for i, n := range tt.files {
			text := lines(n)
			if n == 0 {
				text = onOneLine(declaration)
			}
			files = append(files, source(string(rune('a'+i)), text+"\n"))
		}
		_, _, err := catalog.CompileSources(t.Context(), files, catalog.Options{AsOf: asOf})
		kept, more, counts := "", "", map[string]int{}
		for _, e := range problem.All(err) {
			if e.Rest > 0 {
				more = e.Place.File + " " + e.Reason
			} else {
				counts[e.Place.File]++
			}
		}
		for _, name := range []string{"a", "b", "c"} {
			if counts[name] > 0 {
				kept += fmt.Sprintf(" %s:%d", name, counts[name])
			}
		}
		if strings.TrimSpace(kept) != tt.kept || more != tt.more {
			t.Errorf("%v: kept%s, then %q; want %s, then %q", tt.files, kept, more, tt.kept, tt.more)
		}
	}
}

// A file that is not JSON as a whole is refused for that alone, even if it has more
// faults than are kept, and leaves its room to other files.
func TestBrokenFileAfterManyFaults(t *testing.T) {
	files := []catalog.Source{
		source("a.json", "["+strings.Repeat("{},", 2000)+"x]"), source("b.json", "["+strings.Repeat("0,", 1500)+"0"), source("c.json", "[0,0]"),
	}
	_, _, err := catalog.CompileSources(t.Context(), files, catalog.Options{AsOf: asOf})
	var got []string
	for _, e := range problem.All(err) {
		got = append(got, e.Place.File+" "+e.Path)
	}
	if want := "[a.json $ b.json $ c.json $[0] c.json $[1]]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// Dates never hide another fault, however many of them there are before it: in one
// observation or in many.
func TestManyDatesHideNoFault(t *testing.T) {
	const late = `{"id":"e%d","kind":"log","uri":null,"digest":null,"observedAt":"2030-01-01T00:00:00.000Z"}`
	var evidence []string
	for i := range 20_000 {
		evidence = append(evidence, fmt.Sprintf(late, i))
	}
	doc := onOneLine(set(declaration, "$.evidence", "["+strings.Join(evidence, ",")+"]"))
	_, _, err := compileText(t, "x.json", doc)
	faults := problem.All(err)
	if len(faults) != problem.DefaultMost+1 || faults[0].Code != problem.InvalidCompileOptions || faults[0].Path != "$.evidence[0].observedAt" ||
		faults[999].Path != "$.evidence[999].observedAt" || faults[1000].Reason != "19000 more problems" {
		t.Errorf("%d faults, the first is %v, the last %v", len(faults), faults[0], faults[len(faults)-1])
	}
	bad := set(doc, "$.uncertainty.level", `""`) // it is after all dates
	_, _, err = compileText(t, "x.json", bad)
	if got := paths(err); fmt.Sprint(got) != "[$.uncertainty.level]" {
		t.Errorf("a fault after 20000 dates: %v", err)
	}
	one := onOneLine(set(declaration, "$.freshness", `{"observedAt":"2030-01-01T00:00:00.000Z","validUntil":null}`))
	_, _, err = compileText(t, "x.jsonl", strings.Repeat(one+"\n", 5000)+"{\n")
	if faults := problem.All(err); len(faults) != 1 || faults[0].Place.Line != 5001 {
		t.Errorf("a fault after 5000 late observations: %v", err)
	}
}

// In a snapshot the version is found even after more faults than are counted, and
// so is the place where it is no JSON.
func TestFloodInSnapshot(t *testing.T) {
	flooded := func(version, after string) string {
		return `{"asOf":"` + asOf + `","conflicts":[],"digest":` + otherHash + `,"models":[{"identity":{"id":"m","quantization":null,"revision":null},"key":` +
			otherHash + `,"observations":[{}` + strings.Repeat(",{}", 300_000) + `]}],"schemaVersion":"` + version + `"` + after
	}
	for _, tt := range []struct {
		text string
		code problem.Code
		path string
		n    int
	}{
		{flooded("service.catalog/v2", "}"), problem.InvalidCatalog, "$.models[0].observations[0].schemaVersion", problem.DefaultMost + 1},
		{flooded("service.catalog/v1", "}"), problem.UnsupportedCatalogSchema, "$.schemaVersion", 1},
		{flooded("service.catalog/v2", ""), problem.InvalidCatalog, "$", 1},
		{`{"models":[{}` + strings.Repeat(",{}", 300_000) + `]}`, problem.UnsupportedCatalogSchema, "$.schemaVersion", 1},
		{`{"schemaVersion":"service.catalog/v2","models":[{}` + strings.Repeat(",{}", 300_000) + `]}`, problem.InvalidCatalog, "$.models[0].key", problem.DefaultMost + 1},
		{flooded("service.catalog/v2", `,"conflicts":[{}]}`), problem.InvalidCatalog, "$.models[0].observations[0].schemaVersion", problem.DefaultMost + 1},
	} {
		_, err := parse(t, tt.text)
		faults := problem.All(err)
		if len(faults) != tt.n || faults[0].Code != tt.code || faults[0].Path != tt.path {
			t.Errorf("%.60q...%q: %d faults, %v", tt.text, tt.text[len(tt.text)-40:], len(faults), err)
		}
	}
}

// One document that is nothing but faults, too, is given up.
func TestFloodInOneDocument(t *testing.T) {
	for _, item := range []string{"0", "{}", "[]", `{"x":0}`, `""`, `{"key":""}`} {
		doc := `{"measurements":[` + strings.Repeat(item+",", 400_000) + item + `]}`
		_, err := catalog.Normalize(doc)
		faults := problem.All(err)
		last := faults[len(faults)-1]
		if len(faults) != problem.DefaultMost+1 || last.Rest != problem.MostCounted-problem.DefaultMost || !strings.HasPrefix(last.Reason, "at least ") {
			t.Errorf("measurements of %s: %d faults, the last is %v", item, len(faults), last)
		}
		if first := faults[0]; first.Path == "" || first.Offset < 0 {
			t.Errorf("measurements of %s: the first fault is %+v", item, first)
		}
	}
}

// Refusing a flood takes no more memory than a few chunks and faults.
func TestFloodTakesLittleMemory(t *testing.T) {
	taken := func(size int64) uint64 {
		f := &flood{text: "{}\n", size: size}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		if _, _, err := catalog.CompileSources(t.Context(), []catalog.Source{f.source("x.jsonl")}, catalog.Options{AsOf: asOf}); err == nil || errors.Is(err, io.EOF) {
			t.Fatalf("%v", err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	taken(1 << 20)
	small, large := taken(16<<20), taken(1<<30)
	if large > 2*small+64<<20 {
		t.Errorf("a flood of 1 GB allocates %d bytes, one of 16 MB %d", large, small)
	}
}
