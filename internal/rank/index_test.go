package rank

import (
	"fmt"
	"slices"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
)

// TestIndexLimit finds no index of what is more than can be numbered: measurements,
// ids of evidence, and texts about the uncertainty.
func TestIndexLimit(t *testing.T) {
	three := func(item string) string { return repeat(3, func(i int) string { return fmt.Sprintf(item, i) }) }
	for name, o := range map[string]observed{
		"measurements": {measurements: three(`{"key":"k%d","kind":"fact","value":1}`)},
		"evidence":     {measurements: sample("1", ""), evidence: "a b c"},
		"basis":        {measurements: sample("1", ""), basis: three(`"b%d"`)},
		"gaps":         {measurements: sample("1", ""), gaps: three(`"g%d"`)},
	} {
		invalid := o
		invalid.outcome, invalid.execution, invalid.task = "invalid", exact(profileP), "f"
		few := observed{measurements: sample("1", ""), gaps: `"g"`}
		entry := compile(t, numbered(few, o, invalid)...).Models()[0]
		const most = 4 // of o and few; what is invalid is left out
		for limit, fits := range map[int]bool{most: true, most - 1: false, 0: false} {
			if m := newModel(&entry, asOf, catalog.NewRecordReader(), limit); (m != nil) != fits {
				t.Errorf("%d %s with a limit of %d: an index is %v", most, name, limit, m != nil)
			}
		}
	}
}

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
