package v3

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/service/record"
)

// There is no index of what is more than can be numbered: measurements, ids of evidence, and texts
// about the uncertainty.
func TestIndexLimit(t *testing.T) {
	const asOf = "2026-06-01T00:00:00.000Z"
	items := func(n int, item string) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf(item, i)
		}
		return strings.Join(list, ",")
	}
	declaration := func(name string, measurements, evidence, basis, gaps int) string {
		return `{"schemaVersion":"service.observation/v2","kind":"declaration","model":{"id":"m","revision":null,"quantization":null},"execution":null,"task":null,` +
			`"measurements":[` + items(measurements, `{"key":"`+name+`%d","kind":"fact","value":1}`) + `],"outcome":null,"usage":null,"sourceClass":"external",` +
			`"evidence":[` + items(evidence, `{"id":"`+name+`%d","kind":"page","uri":null,"digest":null,"observedAt":"2026-05-01T00:00:00.000Z"}`) + `],` +
			`"freshness":{"observedAt":"2026-05-01T00:00:00.000Z","validUntil":null},` +
			`"uncertainty":{"level":"low","basis":[` + items(basis, `"b%d"`) + `],"gaps":[` + items(gaps, `"g%d"`) + `]}}`
	}
	for _, large := range []string{
		declaration("large", 3, 1, 1, 0), declaration("large", 1, 3, 1, 0), declaration("large", 1, 1, 3, 0), declaration("large", 1, 1, 1, 3),
	} {
		c, _, err := catalog.Compile(t.Context(), []string{declaration("few", 1, 1, 1, 1), large}, catalog.Options{AsOf: asOf})
		if err != nil {
			t.Fatal(err)
		}
		const most = 4
		for limit, fits := range map[int]bool{most: true, most - 1: false, 0: false} {
			if m := newModel([]*catalog.ModelEntry{&c.Models()[0]}, asOf, catalog.NewRecordReader(), limit); (m != nil) != fits {
				t.Errorf("%s with a limit of %d: an index is %v", large, limit, m != nil)
			}
		}
	}
}

// TestNamesAreSorted holds the tables whose names are written in their order.
func TestNamesAreSorted(t *testing.T) {
	for _, names := range [][]string{dimensionNames, scopeKindNames, noteNames, record.DimensionV2("").Words(), record.ReasonCodeV2("").Words()} {
		if !slices.IsSortedFunc(names, canonical.CompareText) {
			t.Errorf("%q are not in order", names)
		}
	}
}

func TestNormalize(t *testing.T) {
	const largest = math.MaxFloat64
	tests := []struct {
		v, low, high       float64
		maximize, minimize float64
	}{
		{1, 1, 1, 1, 1},
		{0, 0, 10, 0, 1},
		{10, 0, 10, 1, 0},
		{2.5, 0, 10, 0.25, 0.75},
		{-2, -4, 4, 0.25, 0.75},
		{largest, -largest, largest, 1, 0},
		{-largest, -largest, largest, 0, 1},
		{0, -largest, largest, 0.5, 0.5},
		{largest / 2, -largest, largest, 0.75, 0.25},
		{5e-324, 0, 5e-324, 1, 0},
		{5e-324, -largest, largest, 0.5, 0.5}, // half of it is lost, and does not matter
	}
	for _, test := range tests {
		if got := (scale{low: test.low, high: test.high}).normalize(test.v, maximize); got != test.maximize {
			t.Errorf("%g in %g to %g is %g, want %g", test.v, test.low, test.high, got, test.maximize)
		}
		if got := (scale{low: test.low, high: test.high}).normalize(test.v, minimize); got != test.minimize {
			t.Errorf("%g in %g to %g is %g when less is better, want %g", test.v, test.low, test.high, got, test.minimize)
		}
	}
}
