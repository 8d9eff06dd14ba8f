package compare_test

import (
	"context"
	"testing"

	"github.com/model-catalog-service/svc/internal/ijson"

	"github.com/model-catalog-service/svc/internal/compare"
	. "github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// BenchmarkDoubling compares catalogs, lists all that changed, and the candidates of the
// second.
func BenchmarkDoubling(b *testing.B) {
	for name, shape := range Shapes {
		b.Run(name, func(b *testing.B) {
			vectortest.Doubling(b, 200, func(n int) func() {
				old, new := shape(n)
				before, after := Compile(b, June1, old...), Compile(b, June2, new...)
				return func() {
					d, err := compare.Catalogs(context.Background(), before, after, compare.Options{Limit: 1_000_000_000})
					if err != nil {
						b.Fatal(err)
					}
					ijson.MustWriteTagged(d)
					compare.Candidates(after, []string{"k"})
				}
			})
		})
	}
}
