package compare_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/ijson"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	. "github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service/record"
)

func compared(t testing.TB, old, new *catalog.Catalog, opts compare.Options) *record.CatalogDiff {
	t.Helper()
	if opts.Limit == 0 {
		opts.Limit = compare.DefaultLimit
	}
	d, err := compare.Catalogs(context.Background(), old, new, opts)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Of random catalogs the whole record is what the oracle writes, and reads back.
func TestDiffIsTheOracles(t *testing.T) {
	vectortest.SkipLong(t)
	rnd := rand.New(rand.NewPCG(7, 11))
	seen := map[string]int{}
	for round := range 100 {
		all := Random(rnd, 1+rnd.IntN(80))
		old := Compile(t, "2026-05-21T00:00:00.000Z", Some(rnd, all)...)
		new := Compile(t, Pick(rnd, "2026-05-21T00:00:00.000Z", "2026-05-24T00:00:00.000Z"), Some(rnd, all)...)
		d := compared(t, old, new, compare.Options{})
		got, want := string(ijson.MustWriteTagged(d)), text(oracleDiff(t, old, new))
		if got != want {
			t.Fatalf("round %d:\n got %s\nwant %s", round, got, want)
		}
		again, err := compare.ReadDiffs(problem.Source{Text: got})
		if err != nil || string(ijson.MustWriteTagged(again[0])) != got {
			t.Fatalf("round %d reads back as %v\n%s", round, err, got)
		}
		for _, counts := range []map[string]int{d.Summary.Facts, d.Summary.Models, d.Summary.Samples, d.Summary.Conflicts, d.Summary.Observations} {
			for change, n := range counts {
				seen[change] += n
			}
		}
	}
	for change, n := range seen {
		if n < 10 {
			t.Errorf("only %d %s came up", n, change)
		}
	}
}

// A number that differs by less than a billionth is the same: lists convert prices.
func TestRounding(t *testing.T) {
	price := func(text string) *catalog.Catalog {
		return Compile(t, May31, Statement{ID: "m", Evidence: []string{text}, Measurements: []any{Fact("price.input", json.Number(text), "USD/token")}})
	}
	for text, want := range map[string]string{"8.333333333e-8": compare.Reaffirmed, "8.3333334e-8": compare.Changed, "-8.333333333333333e-8": compare.Changed} {
		d := compared(t, price("8.333333333333333e-8"), price(text), compare.Options{})
		if d.Summary.Facts[want] != 1 || d.Summary.Facts[compare.Changed]+d.Summary.Facts[compare.Reaffirmed] != 1 {
			t.Errorf("%s: %v, want %s", text, d.Summary.Facts, want)
		}
	}
}

// A catalog differs in nothing from itself.
func TestDiffWithItselfIsEmpty(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		c := Compile(t, May31, Random(rnd, rnd.IntN(60))...)
		d := compared(t, c, c, compare.Options{})
		none := compared(t, Compile(t, May31), Compile(t, May31), compare.Options{})
		if !reflect.DeepEqual(d.Summary, none.Summary) || len(d.Models) > 0 || d.Old != d.New {
			t.Fatalf("%s", ijson.MustWriteTagged(d))
		}
		for _, counts := range []map[string]int{d.Summary.Facts, d.Summary.Models, d.Summary.Samples, d.Summary.Conflicts, d.Summary.Observations} {
			for change, n := range counts {
				if n != 0 {
					t.Errorf("%d %s", n, change)
				}
			}
		}
	}
}

// Later, with everything holding as before, nothing has changed.
func TestOnlyTheInstantDiffers(t *testing.T) {
	s := Statement{ID: "m", Execution: At("r"), Measurements: []any{Fact("k", 1), Sample("s", 2)}}
	d := compared(t, Compile(t, May2, s), Compile(t, June1, s), compare.Options{})
	if len(d.Models) > 0 || d.Old.Digest == d.New.Digest || d.New.Holding != 1 {
		t.Errorf("%s", ijson.MustWriteTagged(d))
	}
}

// mirror is what each change of a fact is when OLD and NEW change places, by the
// states before and after.
func mirror(old, new string) string {
	table := map[[2]string]string{
		{compare.StateAbsent, compare.StateExpired}: compare.Backfilled, {compare.StateAbsent, compare.StateValue}: compare.Added,
		{compare.StateExpired, compare.StateValue}: compare.Renewed, {compare.StateValue, compare.StateExpired}: compare.Expired,
		{compare.StateConflict, compare.StateExpired}: compare.Expired, {compare.StateConflict, compare.StateValue}: compare.Settled,
		{compare.StateValue, compare.StateValue}: compare.Changed,
	}
	switch change, ok := table[[2]string{old, new}]; {
	case ok:
		return change
	case new == compare.StateAbsent:
		return compare.Removed
	}
	return compare.Contradicted
}

func stateOf(f *record.SlotState) string {
	if f == nil {
		return compare.StateAbsent
	}
	return f.State
}

// At one instant, whatever changed from OLD to NEW changes back from NEW to OLD.
func TestDiffMirrors(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	back := map[string]string{
		compare.Added: compare.Removed, compare.Removed: compare.Added, compare.Silenced: compare.Revived, compare.Revived: compare.Silenced,
		compare.Changed: compare.Changed, compare.Arisen: compare.Ended, compare.Ended: compare.Arisen, compare.Reaffirmed: compare.Reaffirmed,
	}
	for range 60 {
		all := Random(rnd, 1+rnd.IntN(60))
		a, b := Compile(t, May31, Some(rnd, all)...), Compile(t, May31, Some(rnd, all)...)
		there, again := compared(t, a, b, compare.Options{}), compared(t, b, a, compare.Options{})
		for name, pair := range map[string][2]map[string]int{
			"models":    {there.Summary.Models, again.Summary.Models},
			"conflicts": {there.Summary.Conflicts, again.Summary.Conflicts},
		} {
			for change, n := range pair[0] {
				if pair[1][back[change]] != n {
					t.Fatalf("%s: %d %s, but %d %s", name, n, change, pair[1][back[change]], back[change])
				}
			}
		}
		for _, pair := range [][2]map[string]int{{there.Summary.Samples, again.Summary.Samples}, {again.Summary.Samples, there.Summary.Samples}} {
			if pair[0][compare.Added] != pair[1][compare.Removed]+pair[1][compare.Expired] || pair[0][compare.Changed] != pair[1][compare.Changed] ||
				pair[0][compare.Reaffirmed] != pair[1][compare.Reaffirmed] {
				t.Fatalf("samples: %v", pair)
			}
		}
		if there.Summary.Facts[compare.Reaffirmed] != again.Summary.Facts[compare.Reaffirmed] {
			t.Fatalf("reaffirmed %d and %d", there.Summary.Facts[compare.Reaffirmed], again.Summary.Facts[compare.Reaffirmed])
		}
		if len(there.Models) != len(again.Models) {
			t.Fatalf("%d models and %d", len(there.Models), len(again.Models))
		}
		for i, m := range there.Models {
			n := again.Models[i]
			if m.Key != n.Key || n.Change != back[m.Change] || len(m.Facts) != len(n.Facts) || len(m.Samples) != len(n.Samples) || len(m.Conflicts) != len(n.Conflicts) {
				t.Fatalf("%s\n%s", ijson.MustWriteTagged(there), ijson.MustWriteTagged(again))
			}
			for k, f := range m.Facts {
				g := n.Facts[k]
				want := mirror(stateOf(g.Old), stateOf(g.New))
				if m.Change == compare.Added || m.Change == compare.Removed {
					want = n.Change
				}
				if f.Slot != g.Slot || !reflect.DeepEqual(f.Old, g.New) || !reflect.DeepEqual(f.New, g.Old) || g.Change != want {
					t.Fatalf("%+v\n%+v", f, g)
				}
			}
			for k, s := range m.Samples {
				g := n.Samples[k]
				if s.Came != g.Went || s.Went != g.Came || s.AgedOut != 0 || !reflect.DeepEqual(s.Old, g.New) || !reflect.DeepEqual(s.New, g.Old) {
					t.Fatalf("%+v\n%+v", s, g)
				}
			}
			for k, c := range m.Conflicts {
				g := n.Conflicts[k]
				if c.Key != g.Key || g.Change != back[c.Change] || !slices.Equal(c.Old, g.New) || !slices.Equal(c.New, g.Old) {
					t.Fatalf("%+v\n%+v", c, g)
				}
			}
		}
	}
}

// The record depends neither on the order in which observations were compiled nor on
// the number of processors.
func TestDiffIsDeterministic(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	all := Random(rnd, 300)
	half := Some(rnd, all)
	want := ijson.MustWriteTagged(compared(t, Compile(t, "2026-05-21T00:00:00.000Z", half...), Compile(t, May31, all...), compare.Options{Limit: 40}))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for n := range 6 {
		runtime.GOMAXPROCS(1 + n)
		for _, list := range [][]Statement{all, half} {
			rnd.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
		}
		d := compared(t, Compile(t, "2026-05-21T00:00:00.000Z", half...), Compile(t, May31, all...), compare.Options{Limit: 40})
		if got := ijson.MustWriteTagged(d); string(got) != string(want) {
			t.Fatalf("%d processors:\n%s\n%s", 1+n, got, want)
		}
	}
}

// entries returns what is listed, in the order in which the limit is used up.
func entries(d *record.CatalogDiff) (list []string) {
	for _, m := range d.Models {
		list = append(list, "model "+m.Key)
		for _, f := range m.Facts {
			list = append(list, "fact "+f.Slot)
		}
		for _, s := range m.Samples {
			list = append(list, fmt.Sprint("sample ", m.Key, s.MeasurementKey, s.Execution, s.Family, s.Suite))
		}
		for _, c := range m.Conflicts {
			list = append(list, "conflict "+c.Key)
		}
	}
	return list
}

func sum[W ~string](counts map[W]int) (n int) {
	for _, k := range counts {
		n += k
	}
	return n
}

// A limit ends the list and counts the rest; the summary stays whole.
func TestLimit(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 9))
	all := Random(rnd, 120)
	old, new := Compile(t, "2026-05-21T00:00:00.000Z", Some(rnd, all)...), Compile(t, May31, Some(rnd, all)...)
	whole := compared(t, old, new, compare.Options{})
	want := entries(whole)
	if len(want) < 80 || sum(whole.LeftOut) != 0 {
		t.Fatalf("%d entries, %v left out", len(want), whole.LeftOut)
	}
	for limit := -1; limit <= len(want)+1; limit++ {
		d, err := compare.Catalogs(t.Context(), old, new, compare.Options{Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		got := entries(d)
		if n := max(0, min(limit, len(want))); !slices.Equal(got, want[:n]) || sum(d.LeftOut) != len(want)-n || !reflect.DeepEqual(d.Summary, whole.Summary) {
			t.Fatalf("limit %d: %d of %d, left out %v", limit, len(got), len(want), d.LeftOut)
		}
		kinds := map[record.DiffKind]int{}
		for _, entry := range want[len(got):] {
			kind, _, _ := strings.Cut(entry, " ")
			kinds[record.DiffKind(kind+"s")]++
		}
		for kind, n := range d.LeftOut {
			if kinds[kind] != n {
				t.Fatalf("limit %d: %d %s left out, want %d", limit, n, kind, kinds[kind])
			}
		}
		// A longer list that is shortened is the same.
		longer, err := compare.Catalogs(t.Context(), old, new, compare.Options{Limit: limit + 7})
		if err != nil {
			t.Fatal(err)
		}
		if compare.Shorten(longer, limit); !bytes.Equal(ijson.MustWriteTagged(longer), ijson.MustWriteTagged(d)) {
			t.Fatalf("limit %d: shortened, it is %s, want %s", limit, ijson.MustWriteTagged(longer), ijson.MustWriteTagged(d))
		}
	}
}

// Of one model alone, its changes are listed, and nothing is left out but by the limit.
func TestOneModel(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 9))
	all := Random(rnd, 120)
	old, new := Compile(t, "2026-05-21T00:00:00.000Z", Some(rnd, all)...), Compile(t, May31, Some(rnd, all)...)
	whole := compared(t, old, new, compare.Options{})
	for _, m := range whole.Models {
		d := compared(t, old, new, compare.Options{Model: m.Key})
		if len(d.Models) != 1 || !reflect.DeepEqual(d.Models[0], m) || sum(d.LeftOut) != 0 || !reflect.DeepEqual(d.Summary, whole.Summary) {
			t.Errorf("%s: %s", m.Key, ijson.MustWriteTagged(d))
		}
	}
	if d := compared(t, old, new, compare.Options{Model: "none"}); len(d.Models) != 0 || sum(d.LeftOut) != 0 {
		t.Errorf("%s", ijson.MustWriteTagged(d))
	}
}

// Only what is asked for is listed, under its model; the summary stays whole.
func TestOnly(t *testing.T) {
	rnd := rand.New(rand.NewPCG(10, 9))
	all := Random(rnd, 120)
	old, new := Compile(t, "2026-05-21T00:00:00.000Z", Some(rnd, all)...), Compile(t, May31, Some(rnd, all)...)
	whole := compared(t, old, new, compare.Options{})
	for _, only := range [][]record.DiffKind{
		{record.DiffRankings}, {record.DiffModels}, {record.DiffFacts}, {record.DiffSamples}, {record.DiffConflicts},
		{record.DiffSamples, record.DiffFacts, record.DiffSamples}, {record.DiffModels, record.DiffConflicts},
	} {
		d := compared(t, old, new, compare.Options{Only: only})
		var want []record.ModelChange
		for _, m := range whole.Models {
			if !slices.Contains(only, record.DiffFacts) {
				m.Facts = m.Facts[:0]
			}
			if !slices.Contains(only, record.DiffSamples) {
				m.Samples = m.Samples[:0]
			}
			if !slices.Contains(only, record.DiffConflicts) {
				m.Conflicts = m.Conflicts[:0]
			}
			if slices.Contains(only, record.DiffModels) || len(m.Facts)+len(m.Samples)+len(m.Conflicts) > 0 {
				want = append(want, m)
			}
		}
		if !reflect.DeepEqual(d.Models, append(record.List[record.ModelChange]{}, want...)) || !reflect.DeepEqual(d.Summary, whole.Summary) || sum(d.LeftOut) != 0 {
			t.Errorf("%v: %s", only, ijson.MustWriteTagged(d))
		}
		if !slices.IsSorted(d.Only) || len(d.Only) > 2 {
			t.Errorf("asked for %v", d.Only)
		}
	}
}

// Catalogs come oldest first, and comparing ends with its context.
func TestDiffRefuses(t *testing.T) {
	if _, err := compare.Catalogs(t.Context(), Compile(t, June1), Compile(t, May1), compare.Options{}); err == nil {
		t.Error("the newer catalog may come first")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := Compile(t, May2, Statement{ID: "m", Measurements: []any{Fact("k", 1)}})
	if _, err := compare.Catalogs(ctx, c, c, compare.Options{}); err != context.Canceled {
		t.Errorf("after its context has ended: %v", err)
	}
}

// Models of one id are alike, however many there are.
func TestAlike(t *testing.T) {
	revision := func(r any) Statement {
		return Statement{Model: Object{"id": "m", "revision": r, "quantization": nil}, Measurements: []any{Fact("k", 1)}}
	}
	var many []Statement
	for i := range 40 {
		many = append(many, revision(fmt.Sprint(i)))
	}
	other := Statement{ID: "n", Measurements: []any{Fact("k", 1)}}
	d := compared(t, Compile(t, May2, append(many, other)...), Compile(t, May2, other, revision(nil), revision("0")), compare.Options{})
	keys := map[string]string{} // by revision, "" for null
	for _, m := range d.Models {
		keys[string(m.Identity.Revision)] = m.Key
	}
	both := []string{keys[""]}
	for _, m := range Compile(t, May2, revision("0")).Models() {
		both = append(both, m.Key)
	}
	slices.Sort(both)
	for _, m := range d.Models {
		if m.Change == compare.Removed && !slices.Equal(m.Alike, both) || m.Change == compare.Added && (len(m.Alike) != 16 || !slices.IsSorted(m.Alike)) {
			t.Errorf("%s: %v", m.Change, m.Alike)
		}
	}
	if len(d.Models) != 40 {
		t.Errorf("%d models changed", len(d.Models))
	}
}

// Of what is large in one way as much is listed as the oracle lists: sixteen values, four
// observations, four pieces of evidence.
func TestBoundsOfEntries(t *testing.T) {
	for name, shape := range Shapes {
		before, after := shape(20)
		old, new := Compile(t, June1, before...), Compile(t, June2, after...)
		if got, want := string(ijson.MustWriteTagged(compared(t, old, new, compare.Options{}))), text(oracleDiff(t, old, new)); got != want {
			t.Errorf("%s: %.400s\nwant %.400s", name, got, want)
		}
	}
}

// Texts that mean something elsewhere are texts here.
func TestHostileTexts(t *testing.T) {
	list := Hostile()
	old, new := Compile(t, May2, list[:9]...), Compile(t, June2, list[5:]...)
	d := compared(t, old, new, compare.Options{})
	if got, want := string(ijson.MustWriteTagged(d)), text(oracleDiff(t, old, new)); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if again, err := compare.ReadDiffs(problem.Source{Text: string(ijson.MustWriteTagged(d))}); err != nil || !reflect.DeepEqual(again[0].Models, d.Models) {
		t.Errorf("reads back as %v", err)
	}
}

// A record of many models is written in parts, and is canonical JSON as a whole.
func TestManyModels(t *testing.T) {
	var many []Statement
	for i := range 700 {
		many = append(many, Statement{ID: fmt.Sprint("m", i), Measurements: []any{Fact("\"models\":[]", i)}})
	}
	d := compared(t, Compile(t, May2), Compile(t, June2, many...), compare.Options{Limit: 2000})
	want, err := canonical.Marshal(d)
	if err != nil || len(d.Models) != len(many) {
		t.Fatal(err, len(d.Models))
	}
	if got := ijson.MustWriteTagged(d); string(got) != string(want) {
		t.Errorf("%.300s\nwant %.300s", got, want)
	}
}
