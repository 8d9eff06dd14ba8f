package producer_test

import (
	"testing"

	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/producer"
	"github.com/model-catalog-service/svc/internal/verify/store/storetest"
)

// BenchmarkDoubling makes stores of bundles in which much belongs to much, and looks up
// as many refs as a question may have. What is found is too large for an answer.
func BenchmarkDoubling(b *testing.B) {
	for name, bundleOf := range storetest.Tangles {
		b.Run(name, func(b *testing.B) {
			vectortest.Doubling(b, 1_000, func(n int) func() {
				whole := bundleOf(n).Bundle(b)
				return func() { lookUpAll(b, whole) }
			})
		})
	}
}

func lookUpAll(b *testing.B, whole *bundle.Bundle) {
	b.Helper()
	store, err := producer.NewMemoryStore(whole)
	if err != nil {
		b.Fatal(err)
	}
	found, err := store.LookupByIntegrityRefs(b.Context(), storetest.TangleRefs())
	if err != nil || found[0] == nil || len(found[0].AuthorityTrace) < 100 {
		b.Fatal("too little is found", err)
	}
}
