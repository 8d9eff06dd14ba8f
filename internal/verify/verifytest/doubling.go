package verifytest

import (
	"math"
	"runtime"
	"testing"
	"time"
)

// Doubling demands that work on twice the input takes less than two and a half times
// the time and memory. It compares inputs of a size and of eight times that, so that
// what caches and neighbours do to the times weighs little: quadratic work takes 64
// times as long, linear work 8 times, and the mean of the three doublings counts.
// prepare returns the work on an input of a size.
//
// Times are those of the processor, the shortest of several runs, and are taken again
// while they are too far apart: on a busy machine the time of linear work comes out
// right in the end, that of quadratic work never does.
func Doubling(b *testing.B, size int, prepare func(size int) (work func())) {
	b.Helper()
	const doublings, most, attempts = 3, 2.5, 10
	small, large := prepare(size), prepare(size<<doublings)
	mean := func(large, small float64) float64 { return math.Pow(large/small, 1.0/doublings) }
	best := [2]time.Duration{math.MaxInt64, math.MaxInt64}
	var bytes [2]float64
	inTime, inMemory := most, 0.0
	for attempt := 0; attempt < 3 || inTime >= most && attempt < attempts; attempt++ {
		for i, work := range []func(){small, large} {
			took, allocated := measure(b, work)
			best[i], bytes[i] = min(best[i], took), float64(allocated)
		}
		inTime = mean(float64(best[1]), float64(best[0]))
	}
	const any = 64 << 10 // bytes that are allocated whatever the input
	if inMemory = mean(bytes[1], bytes[0]+any); inMemory >= most || inTime >= most {
		b.Errorf("twice the input takes %.1f times the time and %.1f times the memory: %s after %s, %.0f bytes after %.0f",
			inTime, inMemory, best[1], best[0], bytes[1], bytes[0])
	}
	b.ReportMetric(inTime, "time/doubling")
	b.ReportMetric(inMemory, "memory/doubling")
	b.ReportMetric(float64(best[1].Microseconds()), "µs")
	b.ReportMetric(0, "ns/op")
}

// measure returns how long a thread worked, and what was allocated.
func measure(tb testing.TB, work func()) (took time.Duration, allocated uint64) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := cpuTime(tb)
	work()
	took = cpuTime(tb) - start
	runtime.ReadMemStats(&after)
	return took, after.TotalAlloc - before.TotalAlloc
}
