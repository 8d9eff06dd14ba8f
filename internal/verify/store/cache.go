package store

import (
	"slices"
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
	answers map[string]keptAnswer // by key
	bytes   int                   // about what the answers take
	emptied chan struct{}         // takes one when an answer of another state came, if not nil
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
		if kept.mark == markName {
			kept, has = c.answers[kept.text]
		}
		if !has {
			return nil, false
		}
		records, err := pack(kept.text).unpack()
		if err != nil {
			return nil, false // it is not, as it was read before
		}
		found[i] = records
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
		for _, r := range found {
			if r == nil {
				continue
			}
			list := r.List(kind)
			*list = slices.DeleteFunc(*list, func(record bundle.Record) bool {
				had := seen[record.ID]
				seen[record.ID] = true
				return had
			})
		}
	}
}

// claim returns what belongs to a claim, if that is there, of this state, and all that the
// claim's key leads to.
func (c *cache) claim(state, key string) (found pack, ok bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if kept := c.answers[key]; c.state == state && kept.mark == markClaim {
		return pack(kept.text), true
	}
	return "", false
}

// add keeps the answer to a key. Others make room for it, whichever: what is asked for
// often comes back.
func (c *cache) add(key string, a answer) {
	entries, size := entriesOf(key, a)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.enter(a.state) {
		select {
		case c.emptied <- struct{}{}:
		default:
		}
	}
	if size > mostOfOne {
		return
	}
	if c.bytes+size > maxCacheBytes {
		c.makeRoom(size)
	}
	c.put(entries)
}

// makeRoom drops answers, whichever, until there is room for another.
func (c *cache) makeRoom(size int) {
	for other, kept := range c.answers {
		c.bytes -= sizeOf(other, kept)
		delete(c.answers, other)
		if c.bytes+size <= maxCacheBytes {
			break
		}
	}
}

// addIfFree keeps the answer to a key unless the cache is of another state or has no room
// left for it: then it returns false.
func (c *cache) addIfFree(key string, a answer) bool {
	entries, size := entriesOf(key, a)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.state != a.state:
		return false
	case size > mostOfOne:
		return true
	case c.bytes+size > maxCacheBytes:
		_, has := c.answers[key]
		return has
	}
	c.put(entries)
	return true
}

// put keeps what is not there yet.
func (c *cache) put(entries []entry) {
	for _, e := range entries {
		if _, has := c.answers[e.key]; !has {
			c.answers[e.key] = e.answer
			c.bytes += sizeOf(e.key, e.answer)
		}
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
	c.state, c.answers, c.bytes = state, map[string]keptAnswer{}, 0
	return true
}

// sizeOf returns about how many bytes an answer takes.
func sizeOf(key string, k keptAnswer) int {
	const perAnswer = 144 // in the map, and what allocations are rounded up by
	return perAnswer + len(key) + len(k.text)
}

// keptAnswer is an answer in one text, or for another name of a claim the claim's key, under
// which the answer is.
type keptAnswer struct {
	mark byte
	text string
}

const (
	markUnknown = 'u' // the key leads to nothing
	markClaim   = 'c' // the key is that of a claim, and leads to this claim alone
	markMore    = 'm' // it leads further
	markName    = 'n' // it is another name of a claim
)

// entry is what is kept under a key.
type entry struct {
	key    string
	answer keptAnswer
}

// entriesOf returns what is to be kept of the answer to a key, and about how many bytes it takes:
// the answer, or where the key is another name of a claim that, and the answer under the
// claim's key.
func entriesOf(key string, a answer) (entries []entry, size int) {
	switch {
	case a.records == "":
		entries = []entry{{key, keptAnswer{mark: markUnknown}}}
	case a.claim == "":
		entries = []entry{{key, keptAnswer{markMore, string(a.records)}}}
	default:
		entries = []entry{{a.claim, keptAnswer{markClaim, string(a.records)}}}
		if key != a.claim {
			entries = append(entries, entry{key, keptAnswer{markName, a.claim}})
		}
	}
	for _, e := range entries {
		size += sizeOf(e.key, e.answer)
	}
	return entries, size
}
