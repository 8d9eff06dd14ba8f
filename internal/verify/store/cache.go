package store

import (
	"sync"

	"github.com/model-catalog-service/svc/internal/verify/bundle"
)

// cache holds the answers to recent refs, as long as the database does not change: all
// of them are of one state of it and go when another one is seen. So no answer is older
// than the last load that was committed when the question came, and answers to several
// refs are of one state.
type cache struct {
	mu      sync.RWMutex
	state   string
	answers map[string]*bundle.Records // by key; nil for an unknown ref
	bytes   int                        // about what the answers take
	emptied chan struct{}              // takes one when an answer of another state came, if not nil
}

const (
	maxCacheBytes = 320 << 20          // about how much memory the answers may take
	mostOfOne     = maxCacheBytes / 16 // a larger answer would drive out too many
)

// find returns the answers to all keys, if all of them are there and of this state.
func (c *cache) find(state string, keys []string) ([]*bundle.Records, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.state != state {
		return nil, false
	}
	found := make([]*bundle.Records, len(keys))
	for i, key := range keys {
		r, has := c.answers[key]
		if !has {
			return nil, false
		}
		found[i] = r
	}
	if len(found) > 1 {
		dropRepeated(found)
	}
	return found, true
}

// dropRepeated leaves every record in the first answer that has it.
func dropRepeated(found []*bundle.Records) {
	for kind := range bundle.Stored {
		seen := map[string]bool{}
		for i, r := range found {
			if r == nil {
				continue
			}
			rest := *r // which is shared
			list := rest.List(kind)
			var first []bundle.Record
			for _, record := range *list {
				if !seen[record.ID] {
					seen[record.ID] = true
					first = append(first, record)
				}
			}
			*list = first
			found[i] = &rest
		}
	}
}

// add keeps the answer to a key. Others make room for it, whichever: what is asked for
// often comes back.
func (c *cache) add(state, key string, r *bundle.Records) {
	size := sizeOf(key, r)
	if size > mostOfOne {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.enter(state) {
		select {
		case c.emptied <- struct{}{}:
		default:
		}
	}
	if _, has := c.answers[key]; has {
		return
	}
	for other, records := range c.answers {
		if c.bytes+size <= maxCacheBytes {
			break
		}
		c.bytes -= sizeOf(other, records)
		delete(c.answers, other)
	}
	c.answers[key] = r
	c.bytes += size
}

// addIfFree keeps the answer to a key unless the cache is of another state or has no room
// left for it: then it returns false.
func (c *cache) addIfFree(state, key string, r *bundle.Records) bool {
	size := sizeOf(key, r)
	c.mu.Lock()
	defer c.mu.Unlock()
	_, has := c.answers[key]
	switch {
	case c.state != state:
		return false
	case has || size > mostOfOne:
		return true
	case c.bytes+size > maxCacheBytes:
		return false
	}
	c.answers[key] = r
	c.bytes += size
	return true
}

// begin makes the cache one of a state.
func (c *cache) begin(state string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.enter(state)
}

// enter empties the cache unless it is of the state. It reports whether it did.
func (c *cache) enter(state string) bool {
	if c.state == state && c.answers != nil {
		return false
	}
	c.state, c.answers, c.bytes = state, map[string]*bundle.Records{}, 0
	return true
}

// sizeOf returns about how many bytes an answer takes.
func sizeOf(key string, r *bundle.Records) int {
	const perAnswer, perRecord = 256, 64
	size := perAnswer + len(key)
	if r == nil {
		return size
	}
	for kind := range bundle.Stored {
		for _, record := range *r.List(kind) {
			size += perRecord + len(record.ID) + len(record.JSON)
		}
	}
	return size
}
