package vectortest

import "testing"

var sink []byte

// Linear work passes. What is quadratic in time or in memory fails the benchmark, of
// which nothing is then left.
func TestDoubling(t *testing.T) {
	for name, test := range map[string]struct {
		prepare func(n int) func()
		passes  bool
	}{
		"linear": {func(n int) func() { return func() { sink = make([]byte, 1000*n); spin(1000 * n) } }, true},
		"time":   {func(n int) func() { return func() { spin(n * n) } }, false},
		"memory": {func(n int) func() { return func() { sink = make([]byte, 16*n*n) } }, false},
	} {
		result := testing.Benchmark(func(b *testing.B) {
			if b.N == 1 {
				Doubling(b, 500, test.prepare)
			}
		})
		if passed := result.N > 0; passed != test.passes {
			t.Errorf("%s: passed %t, want %t", name, passed, test.passes)
		}
	}
}

var spun int

func spin(n int) {
	for i := range n {
		spun ^= i
	}
}
