package vectortest

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"
)

const (
	doublings = 5
	growth    = 2.5 // by which one of these doublings may multiply time and memory
	steepness = 3   // by which one more doubling may multiply time
)

// Doubling fails a benchmark if work on twice the input takes much more than twice the
// processor time or memory. Linear work takes twice as much, quadratic work four times.
//
//	vectortest.Doubling(b, 1_000, func(n int) func() {
//		text := list(n)
//		return func() { read(text) }
//	})
//
// It compares an input of the size and one of 32 times that, which is five doublings. If
// their mean is two and a half times the time or more, that may be the caches: an input
// that no longer fits makes linear work slower for each byte, once. So one more doubling
// has the last word. It stays below three times for linear work, whatever came before, and
// close to four for quadratic work. Memory fails at two and a half times at once.
//
// The small input is worked on as often as makes up the large one, so that both take about
// as long if the work is linear, and are disturbed alike on a busy machine. The two are run
// in turn, and of their ratios the median counts: of three runs, and of more as long as it
// is too high.
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
	// No garbage is collected while the clock runs: that would count what the inputs hold,
	// not what the work does.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(4 << 30))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	small, large := prepare(size), prepare(size<<doublings)
	five := compare(b, small, large, clock, doublings, growth, 10)
	switch {
	case five.memory >= growth:
		b.Errorf("twice the input takes %.2f times the memory: %s", five.memory, five)
	case five.time >= growth:
		last := compare(b, large, prepare(size<<(doublings+1)), clock, 1, steepness, 10)
		if last.time >= steepness {
			b.Errorf("twice the input takes %.2f times the time: %s, and once more %.2f times: %s", five.time, five, last.time,
				last)
		}
	}
	b.ReportMetric(five.time, "time/doubling")
	b.ReportMetric(five.memory, "memory/doubling")
	b.ReportMetric(float64(five.took[1].Microseconds()), "µs")
	b.ReportMetric(0, "ns/op")
}

// comparison is what work took, on small inputs and on one large input that is as long as all
// of them, and by how much each of the doublings between them multiplied that.
type comparison struct {
	time, memory float64
	took         [2]time.Duration // of the last run
	allocated    [2]uint64
}

func (c comparison) String() string {
	return fmt.Sprintf("%s after %s, %d bytes after %d", c.took[1], c.took[0], c.allocated[1], c.allocated[0])
}

// compare runs both three times, and again, up to so many runs, as long as the time is not
// below the bound.
func compare(b *testing.B, small, large func(), clock func(testing.TB) time.Duration, doublings int, bound float64,
	runs int) comparison {
	const (
		anyInput = 64 << 10 // bytes that are allocated whatever the input
		enough   = 3
	)
	smalls := func() {
		for range 1 << doublings {
			small()
		}
	}
	mean := func(large, small float64) float64 { return 2 * math.Pow(large/small, 1/float64(doublings)) }
	var c comparison
	var times []float64
	for len(times) < enough || c.time >= bound && len(times) < runs {
		c.took[0], c.allocated[0] = measure(b, smalls, clock)
		c.took[1], c.allocated[1] = measure(b, large, clock)
		times = append(times, mean(float64(c.took[1]), float64(c.took[0])))
		slices.Sort(times)
		c.time = times[len(times)/2]
		c.memory = mean(float64(c.allocated[1]), float64(c.allocated[0]+anyInput<<doublings))
		if c.memory >= bound {
			break // no run allocates less
		}
	}
	return c
}

// measure returns how long work took, and what was allocated. The work gets memory that was
// used before: how long a system takes to find fresh memory says nothing of the work.
func measure(tb testing.TB, work func(), clock func(testing.TB) time.Duration) (took time.Duration, allocated uint64) {
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := clock(tb)
	work()
	took = max(clock(tb)-start, time.Microsecond) // a clock may be coarse
	runtime.ReadMemStats(&after)
	return took, after.TotalAlloc - before.TotalAlloc
}

func wallTime(testing.TB) time.Duration { return time.Duration(time.Now().UnixNano()) }
