package table_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	. "github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/internal/compare/ranking"
	"github.com/model-catalog-service/svc/internal/compare/table"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// render aligns the columns of blocks, as a terminal shows them.
func render(blocks []table.Block) string {
	var b strings.Builder
	for i, block := range blocks {
		if i > 0 {
			b.WriteString("\n")
		}
		sign := false
		for _, row := range block.Rows {
			sign = sign || row.Sign != ""
		}
		var lines [][]string
		if block.Heading != nil {
			lines = append(lines, block.Heading)
		}
		for _, row := range block.Rows {
			cells := append([]string{}, row.Cells...)
			if sign {
				cells[0] = row.Sign + " " + cells[0]
			}
			lines = append(lines, cells)
		}
		widths := map[int]int{}
		for _, line := range lines {
			for k, cell := range line {
				widths[k] = max(widths[k], utf8.RuneCountInString(cell))
			}
		}
		for _, line := range lines {
			text := ""
			for k, cell := range line {
				text += cell + strings.Repeat(" ", widths[k]-utf8.RuneCountInString(cell)+2)
			}
			b.WriteString(strings.TrimRight(text, " ") + "\n")
		}
	}
	return b.String()
}

// read compares two catalogs and, if a request is given, their rankings.
func read(t testing.TB, old, new *catalog.Catalog, opts compare.Options, request string) *record.CatalogDiff {
	t.Helper()
	d, err := compare.Catalogs(t.Context(), old, new, opts)
	if err != nil {
		t.Fatal(err)
	}
	if request == "" {
		return d
	}
	q, err := v3.ReadRequest(problem.Source{Text: request})
	if err != nil {
		t.Fatal(err)
	}
	var sides []*ranking.Side
	for _, c := range []*catalog.Catalog{old, new} {
		side, err := ranking.NewSide(t.Context(), c, q)
		if err != nil {
			t.Fatal(err)
		}
		sides = append(sides, side)
	}
	if d, err = ranking.Diff(t.Context(), sides[0], sides[1], opts); err != nil {
		t.Fatal(err)
	}
	return d
}

var whole = compare.Options{Limit: compare.DefaultLimit}

// said is a declaration of one fact at a runtime.
func said(model, runtime, key string, value any, unit, from, until string) Statement {
	return Statement{ID: model, Execution: At(runtime), Measurements: []any{Fact(key, value, unit)}, From: from, Until: until}
}

// Every part of a table, in its order.
func TestTable(t *testing.T) {
	price := func(model string, value json.Number, from, until string) Statement {
		return said(model, "r", "price.output", value, "USD/token", from, until)
	}
	old := Compile(t, May2,
		price("gone", "0.000001", May1, ""), price("silent", "0.000001", May1, May31), said("silent", "r", "limits.context", 8192, "tokens", May1, May31),
		price("a/dear", "0.000006", May1, May31), said("a/dear", "r", "limits.context", 32768, "tokens", May1, May31),
		said("a/dear", "q", "limits.context", 1000, "tokens", May1, May31), said("a/dear", "r", "tools", false, "", May1, May31),
		price("b/cheap", "0.0000004", May1, May31), said("b/cheap", "r", "limits.context", 32768, "tokens", May1, ""),
		said("b/cheap", "r", "license", "MIT", "", May1, ""), said("b/cheap", "r", "old", 1, "", May1, May31), price("c/moved", "0.000003", May1, May31),
		price("d/out", "0.000002", May1, May31))
	new := Compile(t, June2,
		said("silent", "r", "limits.context", 8192, "tokens", May1, May31), price("silent", "0.000001", May1, May31),
		price("a/dear", "0.000006", May1, May31), price("a/dear", "0.0000006", June1, ""), said("a/dear", "r", "limits.context", 1024000, "tokens", June1, ""),
		said("a/dear", "q", "limits.context", 1002, "tokens", June1, ""), said("a/dear", "r", "tools", true, "", June1, ""),
		price("b/cheap", "0.0000005", June1, ""), said("b/cheap", "r", "limits.context", 32768, "tokens", May1, ""), said("b/cheap", "r", "limits.context", 16384, "tokens", June1, ""),
		said("b/cheap", "r", "license", "MIT", "", May1, ""), said("b/cheap", "r", "license", "Apache-2.0", "", June1, ""), said("b/cheap", "r", "old", 1, "", May1, May31),
		price("c/moved", "0.000003", June1, ""), price("d/out", "0.000002", May1, May31),
		said("new", "r", "price.input", json.Number("0.00000125"), "USD/token", June1, ""), price("new", "0.00001", June1, ""), said("new", "q", "limits.context", 200000, "tokens", June1, ""),
		said("other", "q", "license", "MIT", "", June1, ""))
	candidates := ""
	for i, id := range []string{"a/dear", "b/cheap", "c/moved", "d/out", "new"} {
		if i > 0 {
			candidates += ","
		}
		candidates += `{"id":"` + id[strings.Index(id, "/")+1:] + `","model":{"id":"` + id + `","revision":null,"quantization":null},` +
			`"execution":{"runtime":{"id":"r","version":null},"adapter":null,"effectiveContextTokens":null,"toolSurface":[],"hardware":null,"workflow":null}}`
	}
	request := `{"schemaVersion":"service.rank.request/v2","task":{"family":"f","suite":null},"inventory":[` + candidates + `],
		"requirements":[{"measurementKey":"price.output","aggregation":"fact","operator":"lte","value":0.00002}],
		"preferences":[{"measurementKey":"price.output","aggregation":"fact","direction":"minimize","weight":2},{"measurementKey":"limits.context","aggregation":"fact","direction":"maximize","weight":1}],
		"advisories":[{"id":"t","measurementKey":"tools","aggregation":"fact"}]}`
	const want = `
old  OLDDIGEST     2026-05-02T00:00Z  6 models
new  NEWDIGEST     2026-06-02T00:00Z  7 models

models     2 added, 1 removed, 2 silenced, 2 changed
facts      5 changed, 2 contradicted, 4 expired, 1 reaffirmed
conflicts  2 arisen
rankings   1 changed

coding.json  OLD  NEW  SCORE             WHY
↑ dear       4    1    1 → 2.979         limits.context 32,768 → 1,024,000, price.output $6.00 → $0.60 (+1.929), scale of price.output (+0.05038)
↓ cheap      1    2    3 → 2             limits.context: the evidence contradicts itself (−1), price.output $0.40 → $0.50 (−0.03571), scale of price.output (+0.03571)
~ moved      3    3    1.071 → 1.474     scale of price.output (+0.4023)
+ new        –    4    excluded → 0      price.output: there is evidence now, $10.00
× out        2    –    1.429 → excluded  price.output: the evidence expired on 2026-05-31

SILENCED  LAST SEEN   HELD
- d/out   2026-05-01  1 fact
- silent  2026-05-01  2 facts

REMOVED  LAST SEEN   HELD
- gone   2026-05-01  1 fact

PRICE UP   ON  KEY           OLD/M  NEW/M
! b/cheap  r   price.output  $0.40  $0.50  +25%

ADDED    ON  INPUT  OUTPUT  CONTEXT
+ new    q                  200,000
+        r   $1.25  $10.00
+ other

PRICE DOWN  ON  KEY           OLD/M  NEW/M
~ a/dear    r   price.output  $6.00  $0.60  −90%

CONTRADICTED  ON  KEY             OLD     NEW
! b/cheap     r   license         MIT     Apache-2.0 or MIT
!                 limits.context  32,768  16,384 or 32,768   tokens

CHANGED   ON  KEY             OLD     NEW
~ a/dear  r   limits.context  32,768  1,024,000  +3,025%  tokens
~         q   limits.context  1,000   1,002      +0.2%    tokens
~         r   tools           false   true

EXPIRED    FACTS  ON
- b/cheap  1      2026-05-31
`
	d := read(t, old, new, whole, request)
	got := "\n" + render(table.New(d, []string{"coding.json"}, 0))
	got = strings.NewReplacer(old.Digest()[:12], "OLDDIGEST   ", new.Digest()[:12], "NEWDIGEST   ").Replace(got)
	if got != want {
		t.Errorf("%s", got)
	}
}

// What has room for fewer lines lists some of each part, the first parts first; a kind that was not asked
// for has no part; a diff without changes says so.
func TestParts(t *testing.T) {
	var many, more []Statement
	for i := range 25 {
		id := fmt.Sprint("m", i)
		many = append(many, said(id, "r", "k", i, "", May1, May31))
		more = append(more, said(fmt.Sprint("n", i), "r", "price.output", 1e-6, "USD/token", May1, ""),
			Statement{ID: "scored", Measurements: []any{Sample(fmt.Sprint("score", i), i)}, From: May1})
	}
	later := append(slices.Clone(many), said("new", "r", "price.output", 1e-6, "USD/token", June1, ""))
	for i := range 25 {
		later = append(later, said(fmt.Sprint("n", i), "r", "price.output", 2e-6, "USD/token", June1, ""),
			Statement{ID: "scored", Measurements: []any{Sample(fmt.Sprint("score", i), i+1)}, From: June1})
	}
	old, new := Compile(t, May2, slices.Concat(many, more)...), Compile(t, June2, later...)
	for _, tt := range []struct {
		name  string
		diff  *record.CatalogDiff
		lines int
		want  []string // headings, or first cells
	}{
		{"nothing", read(t, old, old, whole, ""), 0, []string{"old", "no changes"}},
		{"all", read(t, old, new, whole, ""), 0, []string{"old", "models", "SILENCED", "PRICE UP", "BENCHMARK", "ADDED"}},
		{"a screen", read(t, old, new, whole, ""), 24, []string{"old", "models", "SILENCED (2 of 25)", "PRICE UP (2 of 25)", "BENCHMARK (2 of 25)", "ADDED", "Use --all to list all."}},
		{"a few lines", read(t, old, new, whole, ""), 14, []string{"old", "models", "SILENCED (3 of 25)", "Use --all to list all."}},
		{"of what is listed", read(t, old, new, compare.Options{Limit: 60}, ""), 14, []string{"old", "models", "SILENCED (1 of at least 25)", "Use --all to list all.", "22 models, 21 facts and 25 sample groups are beyond --limit."}},
		{"beyond the limit", read(t, old, new, compare.Options{Limit: 5}, ""), 0, []string{"old", "models", "SILENCED", "49 models, 49 facts and 25 sample groups are beyond --limit."}},
		{"facts alone", read(t, old, new, compare.Options{Limit: 999, Only: []record.DiffKind{record.DiffFacts}}, ""), 0, []string{"old", "facts", "PRICE UP"}},
		{"models alone", read(t, old, new, compare.Options{Limit: 999, Only: []record.DiffKind{record.DiffModels}}, ""), 0, []string{"old", "models", "SILENCED", "ADDED"}},
		{"no such kind", read(t, old, old, compare.Options{Limit: 99, Only: []record.DiffKind{record.DiffSamples}}, ""), 0, []string{"old", "no changes"}},
	} {
		var got []string
		blocks := table.New(tt.diff, nil, tt.lines)
		for _, b := range blocks {
			first := b.Rows[0].Cells
			if b.Heading != nil {
				first = b.Heading
			}
			got = append(got, first[0])
		}
		if n := strings.Count(render(blocks), "\n"); !slices.Equal(got, tt.want) || tt.lines > 0 && n > tt.lines {
			t.Errorf("%s: %q in %d lines", tt.name, got, n)
		}
	}
}

// Scores that changed are named with both values, the largest change first, and those that came or went.
func TestBenchmarks(t *testing.T) {
	scored := func(model, key string, from string, values ...any) (list []Statement) {
		for i, value := range values {
			list = append(list, Statement{ID: model, From: from, Evidence: []string{fmt.Sprint(model, key, from, i)}, Measurements: []any{Sample(key, value)}})
		}
		return list
	}
	expires := Statement{ID: "a", From: May1, Until: May31, Measurements: []any{Sample("v", 7)}}
	old := Compile(t, May2, slices.Concat(scored("a", "x", May1, 60, 62), scored("a", "y", May1, 10), scored("b", "pass", May1, true, false),
		scored("b", "w", May1, 5), []Statement{expires})...)
	new := Compile(t, June2, slices.Concat([]Statement{expires}, scored("a", "x", May1, 60, 62), scored("a", "x", June1, 70, 72), scored("a", "y", May1, 10), scored("a", "y", June1, 50),
		scored("a", "z", June1, 1), scored("b", "pass", May1, true, false), scored("b", "pass", June1, true, true), scored("c", "x", June1, 5))...)
	got := render(table.New(read(t, old, new, whole, ""), nil, 0))
	const want = `
BENCHMARK  KEY   OLD  NEW
~ a        y     10   30
~ b        pass  50%  75%
~ a        x     61   66
- a        v     7    –
- b        w     5    –
+ a        z     –    1
`
	if !strings.Contains(got, want) || !strings.Contains(got, "samples  3 changed, 1 removed, 1 expired, 1 added\n") {
		t.Error(got)
	}
}

// A model of which only samples held was seen on a day that the diff does not have.
func TestSilencedSamples(t *testing.T) {
	old := []Statement{{ID: "measured", Until: May31, Measurements: []any{Sample("score", 1)}}, said("told", "r", "k", 1, "", May1, May31)}
	got := render(table.New(read(t, Compile(t, May2, old...), Compile(t, June2, old...), whole, ""), nil, 0))
	if want := "SILENCED    LAST SEEN   HELD\n- measured  –           1 observation\n- told      2026-05-01  1 fact\n"; !strings.HasSuffix(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// Of whatever catalogs a table can be made, and each row has a cell for each column.
func TestAnyTable(t *testing.T) {
	rnd := rand.New(rand.NewPCG(50, 1))
	for range 60 {
		all := Random(rnd, 1+rnd.IntN(60))
		d := read(t, Compile(t, "2026-05-21T00:00:00.000Z", Some(rnd, all)...), Compile(t, May31, Some(rnd, all)...), compare.Options{Limit: rnd.IntN(60)}, "")
		for _, b := range table.New(d, nil, rnd.IntN(60)) {
			for _, r := range b.Rows {
				if len(r.Cells) != len(b.Rows[0].Cells) || len(r.Cells) < len(b.Heading) {
					t.Fatalf("%q under %q", r.Cells, b.Heading)
				}
			}
		}
	}
}

// The numbers of the reasons add up to the change of a score, whatever became of the
// evidence.
func TestReasonsAddUp(t *testing.T) {
	rnd := rand.New(rand.NewPCG(51, 1))
	inventory := ""
	for i := range 6 {
		inventory += fmt.Sprintf(`,{"id":"m%d","model":{"id":"m%d"},"execution":{"runtime":{"id":"r"}}}`, i, i)
	}
	request := `{"schemaVersion":"service.rank.request/v3","minimumCoverage":0,"inventory":[` + inventory[1:] + `],"preferences":[
		{"measurementKey":"price.output","aggregation":"fact","direction":"minimize","weight":2},
		{"measurementKey":"limits.context","aggregation":"fact","direction":"maximize","weight":1}]}`
	number := regexp.MustCompile(`\(([+−][0-9.e-]+)\)`)
	const tolerance = 0.002 // numbers have four digits
	lost := 0
	for range 80 {
		var all []Statement
		for range 30 {
			model, from, until := fmt.Sprint("m", rnd.IntN(6)), Pick(rnd, May1, May2), Pick(rnd, "", May31)
			for _, one := range []Statement{
				said(model, "r", "price.output", float64(1+rnd.IntN(9))/1e6, "USD/token", from, until), said(model, "r", "limits.context", 1000*(1+rnd.IntN(9)), "tokens", from, until),
			} {
				one.Evidence = []string{fmt.Sprint(len(all))}
				all = append(all, one)
			}
		}
		d := read(t, Compile(t, "2026-05-21T00:00:00.000Z", Some(rnd, all)...), Compile(t, June2, Some(rnd, all)...), compare.Options{Limit: 99, Only: []record.DiffKind{record.DiffRankings}}, request)
		changes := map[string]float64{}
		for _, c := range d.Rankings[0].Candidates {
			if c.Old.Rank != nil && c.New.Rank != nil {
				changes[c.CandidateID] = c.New.Score.Value - c.Old.Score.Value
			}
		}
		for _, b := range table.New(d, []string{"request"}, 0) {
			if len(b.Heading) == 0 || b.Heading[0] != "request" {
				continue
			}
			for _, row := range b.Rows {
				want, known := changes[row.Cells[0]]
				why := row.Cells[len(row.Cells)-1]
				if !known {
					continue
				}
				sum := 0.0
				for _, match := range number.FindAllStringSubmatch(why, -1) {
					f, err := strconv.ParseFloat(strings.Replace(match[1], "−", "-", 1), 64)
					if err != nil {
						t.Fatal(err)
					}
					sum += f
				}
				if math.Abs(sum-want) > tolerance {
					t.Errorf("the score of %s changed by %g: %s", row.Cells[0], want, why)
				}
				if strings.Contains(why, "evidence") {
					lost++
				}
			}
		}
	}
	if lost < 20 {
		t.Errorf("the evidence came or went %d times", lost)
	}
}

// A new score comes with its interval, if it is one.
func TestScoreInterval(t *testing.T) {
	request := `{"schemaVersion":"service.rank.request/v3","inventory":[{"id":"a","model":{"id":"a"},"execution":{"runtime":{"id":"r"}}}],` +
		`"preferences":[{"measurementKey":"price.output","aggregation":"fact","direction":"minimize","weight":1,"scale":{"low":0,"high":1}}]}`
	priced := func(price json.Number) *catalog.Catalog {
		return Compile(t, May2, said("a", "r", "price.output", price, "USD", May1, ""))
	}
	d := read(t, priced("0.5"), priced("0.25"), compare.Options{}, request)
	score := func() string {
		blocks := table.New(d, []string{"request"}, 0)
		for _, b := range blocks {
			if b.Heading != nil && b.Heading[0] == "request" {
				return b.Rows[0].Cells[3]
			}
		}
		t.Fatalf("%+v", blocks)
		return ""
	}
	if got := score(); got != "0.5 → 0.75" {
		t.Errorf("exact: %s", got)
	}
	d.Rankings[0].Candidates[0].New.ScoreInterval = &record.Interval{Low: 0.70049, High: 0.8}
	if got := score(); got != "0.5 → 0.75 (0.7–0.8)" {
		t.Error(got)
	}
}
