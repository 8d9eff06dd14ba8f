package rank

import (
	"fmt"
	"testing"
)

// BenchmarkAbsent asks about the names of one request after another.
func BenchmarkAbsent(b *testing.B) {
	var all []observed
	for i := range 32_000 {
		all = append(all, observed{model: fmt.Sprintf(`{"id":"m%d","revision":null,"quantization":null}`, i%3000), measurements: fact("1", "")})
	}
	v := NewVocabulary(compile(b, numbered(all...)...))
	var names []Name
	for i := range 128 {
		names = append(names, Name{ModelName, fmt.Sprintf("m%d", i), ""})
	}
	for b.Loop() {
		v.Absent(names)
	}
}
