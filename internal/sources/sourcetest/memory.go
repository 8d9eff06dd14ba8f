package sourcetest

import (
	"runtime"
	"sync/atomic"
	"time"
)

// PeakMemory runs work and returns by how many bytes the heap grew at most
// meanwhile, as far as looking every millisecond shows.
func PeakMemory(work func()) uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	before := m.HeapAlloc
	var done atomic.Bool
	peak := make(chan uint64)
	go func() {
		most := before
		for !done.Load() {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
			time.Sleep(time.Millisecond)
		}
		peak <- most
	}()
	work()
	done.Store(true)
	return <-peak - before
}
