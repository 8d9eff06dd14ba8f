package store_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/model-catalog-service/svc/internal/verify/store"
	"github.com/model-catalog-service/svc/internal/verify/store/storetest"
)

// TestPgBouncer looks up through a proxy that hands out connections by session,
// transaction or statement. Loads, which are transactions, go through it as far as
// the mode allows, and are not hindered by what look-ups set.
func TestPgBouncer(t *testing.T) {
	for _, mode := range []string{"session", "transaction", "statement"} {
		t.Run(mode, func(t *testing.T) {
			p := ownPostgres(t)
			proxy := storetest.StartPgBouncer(t, p, mode)
			direct := p.Database(t)
			load := func(address string, claims int) {
				t.Helper()
				if _, err := storetest.Loader(t, address).Load(t.Context(), storetest.Many(claims).Bundle(t), false); err != nil {
					t.Fatal(err)
				}
			}
			const n = 300
			load(direct, n)
			var wg sync.WaitGroup
			for range 4 {
				s := storetest.Open(t, proxy)
				wg.Go(func() {
					for range 10 {
						if got := storetest.CountMany(t, s, n); got != n {
							t.Errorf("%d of %d claims are there", got, n)
						}
					}
				})
				if err := store.TryWrite(t.Context(), s); err == nil || !strings.Contains(err.Error(), "read-only") {
					t.Errorf("a look-up wrote, or failed for another reason: %v", err)
				}
			}
			wg.Wait()
			if mode != "statement" {
				load(proxy, n+1)
				load(proxy, n+2)
			}
		})
	}
}
