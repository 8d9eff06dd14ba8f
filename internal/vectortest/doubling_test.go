package vectortest

import "testing"

var sink []byte

// Linear work passes, also where a large input costs four times as much for each byte as a
// small one. What is quadratic in time or in memory fails the benchmark, of which nothing
// is then left.
func TestDoubling(t *testing.T) {
	for name, test := range map[string]struct {
		prepare func(n int) func()
		passes  bool
	}{
		"linear": {func(n int) func() { return func() { sink = make([]byte, 1000*n); spin(2500 * n) } }, true},
		"caches": {func(n int) func() { return func() { spin(cost(n) * n * 5 / 2) } }, true},
		"time":   {func(n int) func() { return func() { spin(n * n) } }, false},
		"memory": {func(n int) func() { return func() { sink = make([]byte, 64*n*n) } }, false},
	} {
		result := testing.Benchmark(func(b *testing.B) {
			if b.N == 1 {
				Doubling(b, 200, test.prepare)
			}
		})
		if passed := result.N > 0; passed != test.passes {
			t.Errorf("%s: passed %t, want %t", name, passed, test.passes)
		}
	}
}

// cost is that of one of n bytes, in a cache of 500.
func cost(n int) int {
	if n > 500 {
		return 4000
	}
	return 1000
}

var spun int

// spin multiplies in a register, so often that each run takes milliseconds, and a moment on
// another processor is little of it: how long processors take for the same store over and over
// differs from run to run.
func spin(n int) {
	x := 1
	for range n {
		x *= 3
	}
	spun = x
}
