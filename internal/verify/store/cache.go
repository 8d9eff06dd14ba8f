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
	answers map[string]*bundle.Records // by key; nil if it leads to nothing
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
		kept, has := c.answers[key]
		if !has {
			return nil, false
		}
		found[i] = kept
	}
	if len(found) > 1 {
		dropRepeated(found)
	}
	return found, true
}

// dropRepeated leaves every record in the first answer that has it. Evidence and events come with
// their claim: where neither claims nor traces are repeated, nothing is.
func dropRepeated(found []*bundle.Records) {
	if !repeats(found, bundle.KindClaim) && !repeats(found, bundle.KindTrace) {
		return
	}
	var seen [bundle.Stored]map[string]bool
	for kind := range seen {
		seen[kind] = map[string]bool{}
	}
	for i, kept := range found {
		if kept == nil {
			continue
		}
		found[i] = &bundle.Records{}
		for kind := range bundle.Stored {
			list := found[i].List(kind)
			for _, record := range *kept.List(kind) {
				if !seen[kind][record.ID] {
					*list = append(*list, record)
					seen[kind][record.ID] = true
				}
			}
		}
	}
}

// repeats reports whether two answers have the same record of a kind.
func repeats(found []*bundle.Records, kind bundle.Kind) bool {
	seen := map[string]bool{}
	for _, kept := range found {
		if kept == nil {
			continue
		}
		for _, record := range *kept.List(kind) {
			if seen[record.ID] {
				return true
			}
			seen[record.ID] = true
		}
	}
	return false
}

// add keeps the answer to a key. Others make room for it, whichever: what is asked for
// often comes back.
func (c *cache) add(state, key string, found *bundle.Records) {
	size := sizeOf(key, found)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.enter(state) {
		select {
		case c.emptied <- struct{}{}:
		default:
		}
	}
	if size > mostOfOne {
		return
	}
	for other, kept := range c.answers {
		if c.bytes+size <= maxCacheBytes {
			break
		}
		c.bytes -= sizeOf(other, kept)
		delete(c.answers, other)
	}
	c.put(key, found, size)
}

// addIfFree keeps the answer to a key unless the cache is of another state or has no room
// left for it: then it returns false.
func (c *cache) addIfFree(state, key string, found *bundle.Records) bool {
	size := sizeOf(key, found)
	c.mu.Lock()
	defer c.mu.Unlock()
	if size > mostOfOne {
		return c.state == state
	}
	if _, has := c.answers[key]; c.state != state || !has && c.bytes+size > maxCacheBytes {
		return false
	}
	c.put(key, found, size)
	return true
}

// put keeps what is not there yet.
func (c *cache) put(key string, found *bundle.Records, size int) {
	if _, has := c.answers[key]; !has {
		c.answers[key] = found
		c.bytes += size
	}
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
func sizeOf(key string, found *bundle.Records) int {
	const perAnswer, perRecord = 240, 64 // in maps and lists, and what allocations are rounded up by
	size := perAnswer + len(key)
	if found == nil {
		return size
	}
	for kind := range bundle.Stored {
		for _, record := range *found.List(kind) {
			size += perRecord + len(record.ID) + len(record.JSON)
		}
	}
	return size
}
