package rank_test

import (
	"fmt"
	"slices"
	"testing"
)

// TestLargeModel holds a model of many observations against its values.
func TestLargeModel(t *testing.T) {
	const n = 2000
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
	got := judge(t, numbered(all...), a).Ranked[0].Advisories
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
