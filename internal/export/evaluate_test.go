package export

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/compare/comparetest"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service/record"
)

// Whatever is said, in whatever scopes and tasks, the facts of an offer are what ranking
// makes of them for the plain profile of the runtime, on the same observations.
func TestFactsAreThoseOfRanking(t *testing.T) {
	vectortest.SkipRace(t)
	rnd := rand.New(rand.NewPCG(17, 6))
	seen := map[record.ExportReason]int{}
	for range 300 {
		list := comparetest.Random(rnd, 1+rnd.IntN(12))
		for i := range 4 { // which are more likely to contradict each other
			list = append(list, comparetest.Statement{ID: "a", Execution: comparetest.Pick[any](rnd, nil, comparetest.At("r"), comparetest.Ran("r")), Evidence: []string{fmt.Sprint("x", i)},
				Measurements: []any{comparetest.Fact("m", rnd.IntN(2)), comparetest.Fact("n", i/3)}})
		}
		c := comparetest.Compile(t, comparetest.May31, list...)
		f := finder{asOf: c.AsOf(), names: newRows(), reader: compare.NewReader()}
		for i := range c.Models() {
			entry := &c.Models()[i]
			facts, err := v3.NewFacts(entry, c.AsOf(), catalog.NewRecordReader())
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range f.find(entry).offers {
				profile := compare.PlainProfile(s.Runtime)
				facts.TurnTo(&profile)
				for _, key := range facts.Keys() {
					want := facts.Evaluate(key)
					got, known := s.fact(key)
					reason := s.states[key]
					seen[reason]++
					if known != (want.Status == v3.FactOK) || got.value != want.Value ||
						reason != map[v3.FactStatus]record.ExportReason{v3.FactStale: record.ExportExpired, v3.FactConflict: record.ExportConflict, v3.FactIncomparable: record.ExportIncomparable}[want.Status] &&
							(reason != "" || want.Status != v3.FactIncomparable) { // which is said of another runtime alone
						t.Errorf("%v at %s, %s: %+v %q, want %+v", entry.Identity, s.Runtime, key, got, reason, want)
					}
					if !known {
						continue
					}
					ids := []string{}
					for _, e := range got.entries {
						ids = append(ids, s.cut.Observations[e.Observation].ID)
					}
					if !slices.Equal(ids, want.ObservationIDs) || got.entries[0].Unit != want.Unit {
						t.Errorf("%s: by %v in %q, want %v", key, ids, got.entries[0].Unit, want)
					}
				}
			}
		}
	}
	for _, reason := range []record.ExportReason{"", record.ExportConflict, record.ExportExpired, record.ExportIncomparable} {
		if seen[reason] < 10 {
			t.Errorf("%d keys are %q", seen[reason], reason)
		}
	}
	t.Log(seen)
}
