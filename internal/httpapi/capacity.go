package httpapi

import "sync"

// capacity counts what ranking takes: slots, in which bodies are read and
// requests evaluated, and the bytes of answers that are not taken yet.
type capacity struct {
	slots int   // that there are
	room  int64 // bytes that answers may have together

	mu   sync.Mutex
	used int   // slots
	held int64 // bytes
}

// takeSlot takes a slot, if one is free and answers may be held.
func (c *capacity) takeSlot() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.used >= c.slots || c.held >= c.room {
		return false
	}
	c.used++
	return true
}

func (c *capacity) freeSlot() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used--
}

// hold makes room for an answer, if there is any. An answer that alone needs
// more than all of it is held when it is the only one: whoever allows results of
// that size gets them, one at a time.
func (c *capacity) hold(bytes int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held > 0 && c.held+int64(bytes) > c.room {
		return false
	}
	c.held += int64(bytes)
	return true
}

func (c *capacity) release(bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held -= int64(bytes)
}

func (c *capacity) inFlight() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.used
}

func (c *capacity) heldBytes() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.held
}
