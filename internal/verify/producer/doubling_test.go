package producer_test

import (
	"testing"

	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/producer"
	"github.com/model-catalog-service/svc/internal/verify/store/storetest"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
)

// BenchmarkDoubling makes stores of bundles in which much belongs to much, and answers
// a question of as many refs as it may have.
func BenchmarkDoubling(b *testing.B) {
	for name, bundleOf := range storetest.Tangles {
		b.Run(name, func(b *testing.B) {
			verifytest.Doubling(b, 8_000, func(n int) func() {
				whole := bundleOf(n).Bundle(b)
				return func() { respondTo(b, whole) }
			})
		})
	}
}

func respondTo(b *testing.B, whole *bundle.Bundle) {
	b.Helper()
	store, err := producer.NewMemoryStore(whole)
	if err != nil {
		b.Fatal(err)
	}
	r := mustResponder(b, store, nil)
	response, err := r.Respond(b.Context(), storetest.TangleRefs(), respondedAt, "")
	if err != nil || len(response.JSON) < 10_000 {
		b.Fatal(err)
	}
}
