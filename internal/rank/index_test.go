package rank

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
)

// TestIndexInParts builds one index as a whole and in parts.
func TestIndexInParts(t *testing.T) {
	docs, _, _ := crowd()
	var observations []catalog.Observation
	for _, m := range compile(t, docs...).Models() {
		observations = append(observations, m.Observations...)
	}
	build := func(observations []catalog.Observation) *builder {
		b := newBuilder(asOf)
		reader := catalog.NewRecordReader()
		for _, o := range observations {
			b.add(o.ID(), reader.Read(o))
		}
		return b
	}
	want := build(observations).finish()
	for _, size := range []int{1, 3, 50, 150} {
		whole := build(nil)
		for part := range slices.Chunk(observations, size) {
			whole.append(build(part))
		}
		if got := whole.finish(); !reflect.DeepEqual(got, want) {
			t.Errorf("in parts of %d the index is another one", size)
		}
	}
}

// TestPartsMakeOneIndex holds a model whose observations fill several parts
// against its values.
func TestPartsMakeOneIndex(t *testing.T) {
	const n = 2*partSize + 100
	all := make([]observed, n)
	scopes := []string{"null", exact(profileP), exact(none)}
	sum, matching := 0.0, 0
	for i := range all {
		all[i] = observed{measurements: sample(fmt.Sprint(i), ""), execution: scopes[i%3], task: fmt.Sprintf("f/s%d", i%5), basis: fmt.Sprintf(`"b%04d"`, i), gaps: fmt.Sprintf(`"g%d"`, i%10)}
		if i%3 < 2 && i%5 == 1 {
			sum += float64(i)
			matching++
		}
	}
	a := asked{suite: "s1", advisories: criterionJSON(`"id":"a",`, "count", "") + "," + criterionJSON(`"id":"b",`, "mean", "")}
	got := rank(t, numbered(all...), a).Ranked[0].Advisories
	if got[0].Value != float64(matching) || got[1].Value != sum/float64(matching) {
		t.Errorf("count %v, mean %v, want %d, %v", got[0].Value, got[1].Value, matching, sum/float64(matching))
	}
	ids := got[0].Evidence.ObservationIDs
	if len(ids) != matching || !slices.IsSorted(ids) || len(slices.Compact(ids)) != matching {
		t.Errorf("%d observations, want %d, sorted and different", len(ids), matching)
	}
	want := []string{}
	for i := range all {
		if i%3 < 2 && i%5 == 1 {
			want = append(want, fmt.Sprintf("b%04d", i))
		}
	}
	if !slices.Equal(got[0].Uncertainty.Basis, want) || !slices.Equal(got[0].Uncertainty.Gaps, []string{"g1", "g6"}) {
		t.Errorf("basis %q, gaps %q", got[0].Uncertainty.Basis, got[0].Uncertainty.Gaps)
	}
}
