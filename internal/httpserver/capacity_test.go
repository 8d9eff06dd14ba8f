package httpserver

import (
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
)

// However many ask at once and whatever comes between, slots and bytes are never
// exceeded and none is lost.
func TestCapacityUnderLoad(t *testing.T) {
	c := NewCapacity(3, 0)
	c.answers.room = 1000
	var used, held atomic.Int64
	var all sync.WaitGroup
	for worker := range 16 {
		all.Go(func() {
			rnd := rand.New(rand.NewPCG(1, uint64(worker)))
			for range 5000 {
				if c.takeSlot(t.Context()) {
					if n := used.Add(1); n > 3 {
						t.Errorf("%d slots are taken", n)
					}
					used.Add(-1)
					c.freeSlot()
				}
				if size := 1 + rnd.IntN(500); c.answers.take(size) {
					if n := held.Add(int64(size)); n > 1000 {
						t.Errorf("%d bytes are held", n)
					}
					held.Add(-int64(size))
					c.answers.release(size)
				}
			}
		})
	}
	all.Wait()
	if c.InFlight() != 0 || c.HeldBytes() != 0 {
		t.Errorf("in the end %d slots are taken and %d bytes held", c.InFlight(), c.HeldBytes())
	}
	for range 3 {
		if !c.takeSlot(t.Context()) {
			t.Error("a slot was lost")
		}
	}
	if c.takeSlot(t.Context()) {
		t.Error("there is a slot too many")
	}
}

// Answers that wait leave no room for further ranks, not even a slot.
func TestCapacityOfAnswers(t *testing.T) {
	c := NewCapacity(1, 0)
	c.answers.room = 100
	if !c.answers.take(60) || c.answers.take(41) || !c.answers.take(40) {
		t.Error("100 bytes have room, 101 have not")
	}
	if c.takeSlot(t.Context()) {
		t.Error("there is a slot although no answer has room")
	}
	c.answers.release(60)
	if !c.takeSlot(t.Context()) {
		t.Error("there is no slot although an answer has room")
	}
	c.answers.release(40)
	if !c.answers.take(101) {
		t.Error("the only answer must have room, whatever its size")
	}
	if c.answers.take(1) {
		t.Error("beside it there is no room")
	}
}

// Near the memory limit no call begins beside another, and one alone does.
func TestCapacityOfMemory(t *testing.T) {
	c := NewCapacity(2, 0)
	ballast := make([]byte, 64<<20)
	runtime.GC() // which counts it
	if !c.takeSlot(t.Context()) || c.isFull() {
		t.Fatal("there is no slot although memory has no limit")
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(70 << 20))
	if !c.isFull() || c.takeSlot(t.Context()) {
		t.Error("a second call begins with 64 of 70 MiB in use")
	}
	c.freeSlot()
	if c.isFull() || !c.takeSlot(t.Context()) {
		t.Error("no call can begin alone")
	}
	debug.SetMemoryLimit(256 << 20)
	if c.isFull() || !c.takeSlot(t.Context()) {
		t.Error("no second call begins with 64 of 256 MiB in use")
	}
	runtime.KeepAlive(ballast)
}
