package merge_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/merge"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
)

// BenchmarkDoubling merges bundles, in some of which many records have one id.
func BenchmarkDoubling(b *testing.B) {
	raw := func(records ...string) *bundle.Raw {
		return verifytest.Raw(b, `{"schemaVersion":5,"source":"s","claims":[`+strings.Join(records, ",")+`],"identityLinks":[`+strings.Join(records, ",")+`]}`)
	}
	records := func(n int, id func(i int) string) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf(`{"value":%d,"id":%q}`, i, id(i)))
		}
		return list
	}
	own := func(i int) string { return fmt.Sprintf("%x", i*7919) }
	for name, bundles := range map[string]func(n int) []*bundle.Raw{
		"two":        func(n int) []*bundle.Raw { return []*bundle.Raw{raw(records(n, own)...), raw(records(n, own)...)} },
		"collisions": func(n int) []*bundle.Raw { return []*bundle.Raw{raw(records(n, func(int) string { return "x" })...)} },
		"many": func(n int) (list []*bundle.Raw) {
			for _, record := range records(n, own) {
				list = append(list, raw(record))
			}
			return list
		},
		"one large record and many small ones": func(n int) []*bundle.Raw {
			large := `{"id":"x","value":[` + strings.Repeat("1,", 100*n) + `1]}`
			return []*bundle.Raw{raw(append(records(n, func(int) string { return "x" }), large)...)}
		},
	} {
		b.Run(name, func(b *testing.B) {
			vectortest.Doubling(b, 2_000, func(n int) func() {
				inputs := bundles(n)
				return func() {
					if merged, _, err := merge.Bundles(inputs...); err != nil || len(merged.Claims) == 0 {
						b.Fatal(err)
					}
				}
			})
		})
	}
}
