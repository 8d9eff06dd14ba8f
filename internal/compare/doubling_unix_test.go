//go:build unix

package compare_test

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"syscall"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	. "github.com/model-catalog-service/svc/internal/compare/comparetest"
)

// shapes are catalogs that are large in one way each. What changes from the first to the
// second is nearly all of them.
var shapes = map[string]func(n int) (old, new []Statement){
	"models": func(n int) (old, new []Statement) {
		for i := range n {
			old = append(old, Statement{ID: fmt.Sprint("m", i), Measurements: []any{Fact("k", 1)}})
			new = append(new, Statement{ID: fmt.Sprint("m", i), Measurements: []any{Fact("k", 2)}})
		}
		return old, new
	},
	"models of one id": func(n int) (old, new []Statement) {
		for i := range n {
			old = append(old, Statement{Model: Object{"id": "m", "revision": fmt.Sprint(i), "quantization": nil}, Measurements: []any{Fact("k", 1)}})
			new = append(new, Statement{Model: Object{"id": "m", "revision": nil, "quantization": fmt.Sprint(i)}, Measurements: []any{Fact("k", 1)}})
		}
		return old, new
	},
	"slots of one model": func(n int) (old, new []Statement) {
		for i := range n {
			old = append(old, Statement{ID: "m", Measurements: []any{Fact(fmt.Sprint("k", i), 1)}})
			new = append(new, Statement{ID: "m", Measurements: []any{Fact(fmt.Sprint("k", i), 2)}})
		}
		return old, new
	},
	"values of one slot": func(n int) (old, new []Statement) {
		for i := range n {
			old = append(old, Statement{ID: "m", Evidence: []string{fmt.Sprint(i)}, Measurements: []any{Fact("k", i)}})
			new = append(new, Statement{ID: "m", Evidence: []string{fmt.Sprint(i)}, Measurements: []any{Fact("k", i+1)}})
		}
		return old, new
	},
	"scopes and tasks": func(n int) (old, new []Statement) {
		for i := range n {
			s := Statement{ID: "m", Execution: Ran(fmt.Sprint("r", i)), Task: Job("f", fmt.Sprint("s", i), nil), Measurements: []any{Fact("k", 1), Sample("k", 1)}}
			old = append(old, s)
			s.Measurements = []any{Fact("k", 2), Sample("k", 2)}
			new = append(new, s)
		}
		return old, new
	},
	"samples of one group": func(n int) (old, new []Statement) {
		for i := range n {
			old = append(old, Statement{ID: "m", Evidence: []string{fmt.Sprint(i)}, Measurements: []any{Sample("k", 1)}})
			new = append(new, Statement{ID: "m", Evidence: []string{fmt.Sprint(i)}, Measurements: []any{Sample("k", 2)}})
		}
		return old, new
	},
	"runtimes": func(n int) (old, new []Statement) {
		for i := range n {
			old = append(old, Statement{ID: "m", Execution: At(fmt.Sprint("r", i)), Measurements: []any{Fact("k", 1)}})
		}
		return old, old
	},
}

// processorTime is the processor time of the test so far, in seconds. On a machine that
// others use too it is steadier than the clock.
func processorTime(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// BenchmarkDoubling compares catalogs of n observations and of twice as many, and lists
// the candidates of the second. It fails if processor time or memory grow more than n log n does,
// and some: what is quadratic grows fourfold.
func BenchmarkDoubling(b *testing.B) {
	const n, most = 6000, 2.9
	for name, shape := range shapes {
		b.Run(name, func(b *testing.B) {
			var catalogs [2][2]*catalog.Catalog
			for i := range catalogs {
				old, new := shape(n << i)
				catalogs[i] = [2]*catalog.Catalog{Compile(b, May2, old...), Compile(b, June2, new...)}
			}
			var fastest [2]float64
			var bytes [2]uint64
			for b.Loop() {
				for i, c := range catalogs {
					var before, after runtime.MemStats
					runtime.GC()
					runtime.ReadMemStats(&before)
					start := processorTime(b)
					d, err := compare.Catalogs(context.Background(), c[0], c[1], compare.Options{Limit: math.MaxInt})
					if err != nil {
						b.Fatal(err)
					}
					d.JSON()
					compare.Candidates(c[1], []string{"k"})
					if took := processorTime(b) - start; fastest[i] == 0 || took < fastest[i] {
						fastest[i] = took
					}
					runtime.ReadMemStats(&after)
					bytes[i] = after.TotalAlloc - before.TotalAlloc
				}
			}
			inTime, inBytes := fastest[1]/fastest[0], float64(bytes[1])/float64(bytes[0])
			b.ReportMetric(inTime, "times-time")
			b.ReportMetric(inBytes, "times-bytes")
			if b.N > 1 && (inTime > most || inBytes > most) {
				b.Errorf("twice the observations take %.1f times the time and %.1f times the memory", inTime, inBytes)
			}
		})
	}
}
