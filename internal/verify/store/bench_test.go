package store_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/model-catalog-service/svc/internal/verify/producer"
	"github.com/model-catalog-service/svc/internal/verify/store"
	"github.com/model-catalog-service/svc/internal/verify/store/storetest"
)

// manyClaims is the size that loads and look-ups are measured at, each claim
// with three pieces of evidence and three events.
const manyClaims = 100_000

// BenchmarkLoad loads all claims into an empty database in one bundle.
func BenchmarkLoad(b *testing.B) {
	bundle := storetest.Many(manyClaims).Bundle(b)
	for name, empty := range databases() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				l := storetest.Loader(b, empty(b))
				b.StartTimer()
				if _, err := l.Load(b.Context(), bundle, false); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(manyClaims*b.N)/b.Elapsed().Seconds(), "claims/s")
		})
	}
}

// BenchmarkLoadAgain loads what is there already.
func BenchmarkLoadAgain(b *testing.B) {
	bundle := storetest.Many(manyClaims).Bundle(b)
	for name, empty := range databases() {
		b.Run(name, func(b *testing.B) {
			l := storetest.Loader(b, empty(b))
			var report store.Report
			for i := 0; i <= b.N; i++ {
				var err error
				if report, err = l.Load(b.Context(), bundle, false); err != nil {
					b.Fatal(err)
				}
				if i == 0 {
					b.ResetTimer() // the first time it was not there
				}
			}
			if report.Present.Claims != manyClaims {
				b.Fatalf("%+v", report)
			}
		})
	}
}

// BenchmarkLookup looks up random claims among all, by id and by integrity ref:
// one ref, one ref from as many goroutines as there are processors, and 256.
func BenchmarkLookup(b *testing.B) {
	bundle := storetest.Many(manyClaims).Bundle(b)
	memory, err := producer.NewMemoryStore(bundle)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("Memory", func(b *testing.B) { benchmarkLookups(b, memory) })
	for name, empty := range databases() {
		b.Run(name, func(b *testing.B) {
			address := empty(b)
			if _, err := storetest.Loader(b, address).Load(b.Context(), bundle, false); err != nil {
				b.Fatal(err)
			}
			benchmarkLookups(b, storetest.Open(b, address))
		})
	}
}

func benchmarkLookups(b *testing.B, s producer.BatchStore) {
	b.Run("refs=1", func(b *testing.B) {
		for b.Loop() {
			lookUp(b.Context(), b, s, 1)
		}
	})
	b.Run("refs=1/parallel", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				lookUp(b.Context(), b, s, 1)
			}
		})
	})
	b.Run("refs=256", func(b *testing.B) {
		for b.Loop() {
			lookUp(b.Context(), b, s, 256)
		}
	})
}

func lookUp(ctx context.Context, b *testing.B, s producer.BatchStore, n int) {
	refs := make([]string, n)
	first := rand.IntN(manyClaims)
	for i := range refs {
		const step = 7919 // a prime, so that no claim comes twice: its records would come once
		k := (first + i*step) % manyClaims
		if refs[i] = storetest.ManyID(k); i%2 == 1 {
			refs[i] = storetest.ManyRef(k)
		}
	}
	found, err := s.LookupByIntegrityRefs(ctx, refs)
	if err != nil {
		b.Error(err)
		return
	}
	for i, f := range found {
		if f == nil || len(f.Claims) != 1 || len(f.Evidence) != 3 || len(f.Events) != 3 {
			b.Errorf("%s: %+v", refs[i], f)
		}
	}
}
