package rank_test

import (
	"fmt"
	"testing"

	"github.com/model-catalog-service/svc/internal/rank"
)

// BenchmarkAbsent asks about the names of one request after another.
func BenchmarkAbsent(b *testing.B) {
	var all []observed
	for i := range 32_000 {
		all = append(all, observed{model: fmt.Sprintf(`{"id":"m%d","revision":null,"quantization":null}`, i%3000), measurements: fact("1", "")})
	}
	v := rank.NewVocabulary(compile(b, numbered(all...)...))
	var names []rank.Name
	for i := range 128 {
		names = append(names, rank.Name{rank.ModelName, fmt.Sprintf("m%d", i), ""})
	}
	for b.Loop() {
		v.Absent(names)
	}
}
