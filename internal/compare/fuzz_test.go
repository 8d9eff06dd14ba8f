package compare_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/model-catalog-service/svc/internal/ijson"

	"github.com/model-catalog-service/svc/internal/compare"
	. "github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/internal/compare/feed"
	"github.com/model-catalog-service/svc/internal/compare/table"
	"github.com/model-catalog-service/svc/internal/problem"
)

// Whatever two catalogs are compared, the record is the oracle's.
func FuzzCatalogs(f *testing.F) {
	f.Add(uint64(1), uint8(3), false)
	f.Add(uint64(2), uint8(40), true)
	f.Fuzz(func(t *testing.T, seed uint64, size uint8, later bool) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		all := Random(rnd, 1+int(size)%50)
		at := "2026-05-21T00:00:00.000Z"
		old := Compile(t, at, Some(rnd, all)...)
		if later {
			at = "2026-05-26T00:00:00.000Z"
		}
		new := Compile(t, at, Some(rnd, all)...)
		if got, want := string(ijson.MustWriteTagged(compared(t, old, new, compare.Options{}))), text(oracleDiff(t, old, new)); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	})
}

// What is accepted as a record is written as it was read, and a table and a feed can be
// made of it; what is refused has its place.
func FuzzReadDiffs(f *testing.F) {
	rnd := rand.New(rand.NewPCG(60, 0))
	for range 6 { // small ones: the fuzzer shrinks what it finds
		all := Random(rnd, 5)
		d := compared(f, Compile(f, "2026-05-21T00:00:00.000Z", Some(rnd, all)...), Compile(f, May31, Some(rnd, all)...), compare.Options{})
		f.Add(string(ijson.MustWriteTagged(d)))
	}
	f.Add("{}\n{}\n")
	f.Fuzz(func(t *testing.T, text string) {
		diffs, err := compare.ReadDiffs(problem.Source{Name: "diff.json", Text: text})
		if err != nil {
			for _, e := range problem.All(err) {
				if e.Place.File != "diff.json" {
					t.Errorf("%v is at %+v", e, e.Place)
				}
			}
			if len(problem.All(err)) == 0 || diffs != nil {
				t.Errorf("%v and %d diffs", err, len(diffs))
			}
			return
		}
		for _, d := range diffs {
			again, err := compare.ReadDiffs(problem.Source{Text: string(ijson.MustWriteTagged(d))})
			if err != nil || !bytes.Equal(ijson.MustWriteTagged(again[0]), ijson.MustWriteTagged(d)) {
				t.Fatalf("%v: %s", err, ijson.MustWriteTagged(d))
			}
			table.New(d, nil, 24)
		}
		if err := feed.Write(&bytes.Buffer{}, "https://example.org/", diffs); err != nil {
			t.Error(err)
		}
	})
}
