package vectortest

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

const (
	doublings = 5
	growth    = 2.5 // by which one doubling may multiply time and memory
)

// Doubling fails a benchmark if work on twice the input takes two and a half times the
// processor time or memory. Linear work takes twice as much, quadratic work four times.
//
//	vectortest.Doubling(b, 1_000, func(n int) func() {
//		text := list(n)
//		return func() { read(text) }
//	})
//
// It compares an input of the size and one of 32 times that, which is five doublings, and
// looks at their mean. So what caches do to the time weighs little: linear work may become
// three times as slow for each byte. Times are the shortest of three runs, and of up to
// ten as long as they are too far apart: on a busy machine the time of linear work comes
// out right in the end, that of quadratic work never does.
func Doubling(b *testing.B, size int, prepare func(n int) (work func())) {
	b.Helper()
	double(b, size, prepare, cpuTime)
}

// DoublingElsewhere is [Doubling] for work of another process, such as a database. It
// looks at the time on the clock.
func DoublingElsewhere(b *testing.B, size int, prepare func(n int) (work func())) {
	b.Helper()
	double(b, size, prepare, wallTime)
}

func double(b *testing.B, size int, prepare func(n int) func(), clock func(testing.TB) time.Duration) {
	b.Helper()
	const anyInput = 64 << 10 // bytes that are allocated whatever the input
	// No garbage is collected meanwhile: that would count what the inputs hold, not what
	// the work does.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(4 << 30))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	small, large := prepare(size), prepare(size<<doublings)
	mean := func(large, small float64) float64 { return math.Pow(large/small, 1.0/doublings) }
	best := [2]time.Duration{math.MaxInt64, math.MaxInt64}
	var bytes [2]float64
	inTime, inMemory := growth, 0.0
	for attempt := 0; attempt < 3 || inTime >= growth && attempt < 10; attempt++ {
		for i, work := range []func(){small, large} {
			took, allocated := measure(b, work, clock)
			best[i], bytes[i] = min(best[i], took), float64(allocated)
		}
		inTime, inMemory = mean(float64(best[1]), float64(best[0])), mean(bytes[1], bytes[0]+anyInput)
		if inTime >= 1.3*growth || inMemory >= growth {
			break // no more runs can mend this
		}
	}
	if inTime >= growth || inMemory >= growth {
		b.Errorf("twice the input takes %.2f times the time and %.2f times the memory: %s after %s, %.0f bytes after %.0f",
			inTime, inMemory, best[1], best[0], bytes[1], bytes[0])
	}
	b.ReportMetric(inTime, "time/doubling")
	b.ReportMetric(inMemory, "memory/doubling")
	b.ReportMetric(float64(best[1].Microseconds()), "µs")
	b.ReportMetric(0, "ns/op")
}

// measure returns how long work took, and what was allocated.
func measure(tb testing.TB, work func(), clock func(testing.TB) time.Duration) (took time.Duration, allocated uint64) {
	const full = 1 << 30
	var before, after runtime.MemStats
	if runtime.ReadMemStats(&before); before.HeapAlloc > full {
		runtime.GC()
	}
	start := clock(tb)
	work()
	took = max(clock(tb)-start, time.Microsecond) // a clock may be coarse
	runtime.ReadMemStats(&after)
	return took, after.TotalAlloc - before.TotalAlloc
}

func wallTime(testing.TB) time.Duration { return time.Duration(time.Now().UnixNano()) }
