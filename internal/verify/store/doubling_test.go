package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/store"
	"github.com/model-catalog-service/svc/internal/verify/store/storetest"
)

// BenchmarkDoubling looks as many refs up as a question may have, in bundles in which
// much belongs to much. A cache would keep small answers and no large ones.
func BenchmarkDoubling(b *testing.B) {
	stores := databases()
	stores["Files"] = func(tb testing.TB) string { return "file:" + filepath.Join(tb.TempDir(), "bundle.json") }
	for kind, empty := range stores {
		for name, draft := range storetest.Tangles {
			b.Run(kind+"/"+name, func(b *testing.B) {
				double := vectortest.Doubling
				if kind == "PostgreSQL" {
					double = vectortest.DoublingElsewhere
				}
				double(b, 125, func(n int) func() {
					address := empty(b)
					if kind == "Files" {
						if err := os.WriteFile(address[len("file:"):], []byte(draft(n).Text()), 0o600); err != nil {
							b.Fatal(err)
						}
					} else if _, err := storetest.Loader(b, address).Load(b.Context(), draft(n).Bundle(b), false); err != nil {
						b.Fatal(err)
					}
					s := storetest.Open(b, address)
					return func() {
						store.Forget(s)
						found, err := s.LookupByIntegrityRefs(b.Context(), storetest.TangleRefs())
						if err != nil || len(*found[0].List(bundle.KindClaim)) == 0 {
							b.Fatal(err)
						}
					}
				})
			})
		}
	}
}
