package store

import (
	"encoding/binary"
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
	answers map[string]packedAnswer // by key
	bytes   int                     // about what the answers take
	emptied chan struct{}           // takes one when an answer of another state came, if not nil
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
		p, has := c.answers[key]
		if !has {
			return nil, false
		}
		found[i] = p.unpack()
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

// add keeps the answer to a key. Others make room for it, whichever: what is asked for
// often comes back.
func (c *cache) add(state, key string, r *bundle.Records) {
	p := pack(r)
	size := sizeOf(key, p)
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
	for other, answer := range c.answers {
		if c.bytes+size <= maxCacheBytes {
			break
		}
		c.bytes -= sizeOf(other, answer)
		delete(c.answers, other)
	}
	c.answers[key] = p
	c.bytes += size
}

// addIfFree keeps the answer to a key unless the cache is of another state or has no room
// left for it: then it returns false.
func (c *cache) addIfFree(state, key string, r *bundle.Records) bool {
	p := pack(r)
	size := sizeOf(key, p)
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
	c.answers[key] = p
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
	c.state, c.answers, c.bytes = state, map[string]packedAnswer{}, 0
	return true
}

// sizeOf returns about how many bytes an answer takes.
func sizeOf(key string, p packedAnswer) int {
	const perAnswer = 128 // in the map, and what allocations are rounded up by
	return perAnswer + len(key) + len(p)
}

// packedAnswer is an answer in one text, so that collecting garbage does not have to follow
// pointers to each of its records: for each kind the number of records, for each of them
// the lengths of its id and its JSON, and both. It is empty for an unknown ref.
type packedAnswer string

func pack(r *bundle.Records) packedAnswer {
	if r == nil {
		return ""
	}
	const perNumber = 4
	size := perNumber * int(bundle.Stored)
	for kind := range bundle.Stored {
		for _, record := range *r.List(kind) {
			size += 2*perNumber + len(record.ID) + len(record.JSON)
		}
	}
	p := make([]byte, 0, size)
	for kind := range bundle.Stored {
		p = binary.LittleEndian.AppendUint32(p, uint32(len(*r.List(kind))))
		for _, record := range *r.List(kind) {
			p = binary.LittleEndian.AppendUint32(p, uint32(len(record.ID)))
			p = binary.LittleEndian.AppendUint32(p, uint32(len(record.JSON)))
			p = append(append(p, record.ID...), record.JSON...)
		}
	}
	return packedAnswer(p)
}

// unpack returns the answer, whose texts are parts of p.
func (p packedAnswer) unpack() *bundle.Records {
	if p == "" {
		return nil
	}
	text := func(n int) (s string) {
		s, p = string(p[:n]), p[n:]
		return s
	}
	number := func() int {
		s := text(4)
		return int(s[0]) | int(s[1])<<8 | int(s[2])<<16 | int(s[3])<<24
	}
	r := &bundle.Records{}
	for kind := range bundle.Stored {
		n := number()
		if n == 0 {
			continue
		}
		list := make([]bundle.Record, n)
		for i := range list {
			id, json := number(), number()
			list[i] = bundle.Record{ID: text(id), JSON: text(json)}
		}
		*r.List(kind) = list
	}
	return r
}
