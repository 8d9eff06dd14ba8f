package httpapi

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

// However many ask at once and whatever comes between, slots and bytes are never
// exceeded and none is lost.
func TestCapacityUnderLoad(t *testing.T) {
	c := capacity{slots: 3, room: 1000}
	var used, held atomic.Int64
	var all sync.WaitGroup
	for worker := range 16 {
		all.Go(func() {
			rnd := rand.New(rand.NewPCG(1, uint64(worker)))
			for range 5000 {
				if c.takeSlot() {
					if n := used.Add(1); n > 3 {
						t.Errorf("%d slots are taken", n)
					}
					used.Add(-1)
					c.freeSlot()
				}
				if size := 1 + rnd.IntN(500); c.hold(size) {
					if n := held.Add(int64(size)); n > 1000 {
						t.Errorf("%d bytes are held", n)
					}
					held.Add(-int64(size))
					c.release(size)
				}
			}
		})
	}
	all.Wait()
	if c.inFlight() != 0 || c.heldBytes() != 0 {
		t.Errorf("in the end %d slots are taken and %d bytes held", c.inFlight(), c.heldBytes())
	}
	for range 3 {
		if !c.takeSlot() {
			t.Error("a slot was lost")
		}
	}
	if c.takeSlot() {
		t.Error("there is a slot too many")
	}
}

// Answers that wait leave no room for further ranks, not even a slot.
func TestCapacityOfAnswers(t *testing.T) {
	c := capacity{slots: 1, room: 100}
	if !c.hold(60) || c.hold(41) || !c.hold(40) {
		t.Error("100 bytes have room, 101 have not")
	}
	if c.takeSlot() {
		t.Error("there is a slot although no answer has room")
	}
	c.release(60)
	if !c.takeSlot() {
		t.Error("there is no slot although an answer has room")
	}
	c.release(40)
	if !c.hold(101) {
		t.Error("the only answer must have room, whatever its size")
	}
	if c.hold(1) {
		t.Error("beside it there is no room")
	}
}
