package httpserver

import (
	"context"
	"runtime/metrics"
	"sync/atomic"
	"time"
)

// Capacity bounds what the calls of an endpoint take together: slots, in which
// answers are made, the bytes of bodies that are being read, and the bytes of
// answers that were made for one call and are not taken yet. What is beyond is
// refused. It is safe for concurrent use.
type Capacity struct {
	slots chan struct{}
	wait  time.Duration // for a slot

	bodies, answers bytesHeld
}

// The bytes that bodies and answers may have together.
const (
	bodyRoom   = 32 << 20
	answerRoom = 64 << 20
)

// NewCapacity returns a capacity of so many slots. A call that finds none free
// waits so long for one.
func NewCapacity(slots int, wait time.Duration) *Capacity {
	return &Capacity{
		slots:   make(chan struct{}, slots),
		wait:    wait,
		bodies:  bytesHeld{room: bodyRoom},
		answers: bytesHeld{room: answerRoom},
	}
}

// InFlight is how many slots are taken.
func (c *Capacity) InFlight() int { return len(c.slots) }

// HeldBytes is how many bytes the answers have that were made for one call and
// are not taken yet.
func (c *Capacity) HeldBytes() int64 { return c.answers.n.Load() }

// isFull reports whether a call can be refused before its body is read.
func (c *Capacity) isFull() bool {
	return c.answers.isFull() || c.wait == 0 && len(c.slots) == cap(c.slots) || c.isMemoryShort()
}

// isMemoryShort reports whether what is in use comes within a tenth of the memory limit of the
// process, while other calls are answered. A call alone is never refused: it would be refused
// for ever where the limit is too small for what is served.
func (c *Capacity) isMemoryShort() bool {
	if len(c.slots) == 0 && c.answers.n.Load() == 0 {
		return false
	}
	samples := [...]metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/gomemlimit:bytes"}}
	metrics.Read(samples[:])
	live, limit := samples[0].Value.Uint64(), samples[1].Value.Uint64()
	return live >= limit-limit/10
}

// takeSlot takes a slot, unless answers may not be held, no slot becomes free in
// time, or the context ends.
func (c *Capacity) takeSlot(ctx context.Context) bool {
	if c.answers.isFull() || c.isMemoryShort() {
		return false
	}
	select {
	case c.slots <- struct{}{}:
		return true
	default:
	}
	timer := time.NewTimer(c.wait)
	defer timer.Stop()
	select {
	case c.slots <- struct{}{}:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

func (c *Capacity) freeSlot() { <-c.slots }

// bytesHeld counts bytes that have room together.
type bytesHeld struct {
	n    atomic.Int64
	room int64
}

// take makes room for bytes, if there is any. What alone needs more than all of it has room
// when nothing else is held: whoever allows answers of that size gets them, one at a time.
// Of two that ask at once, both may be refused where one would have had room.
func (b *bytesHeld) take(bytes int) bool {
	n := b.n.Add(int64(bytes))
	if n > b.room && n > int64(bytes) {
		b.release(bytes)
		return false
	}
	return true
}

func (b *bytesHeld) release(bytes int) { b.n.Add(-int64(bytes)) }

func (b *bytesHeld) isFull() bool { return b.n.Load() >= b.room }
