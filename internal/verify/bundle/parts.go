package bundle

import (
	"fmt"
	"iter"
	"sync"

	"github.com/model-catalog-service/svc/internal/canonical"
)

// Parts divides a bundle into bundles of about so many claims each, with their evidence and events,
// and all policies and authority traces. Each says of its claims what the whole says: a claim is in
// one part with those that it is derived from.
func (b *Bundle) Parts(most int) iter.Seq[*Bundle] {
	if b.Len(KindClaim) <= most {
		return func(yield func(*Bundle) bool) { yield(b) }
	}
	d := divide(b, most)
	return func(yield func(*Bundle) bool) {
		for part := range d.count {
			if !yield(d.part(part)) {
				return
			}
		}
	}
}

// division says which part each record is in.
type division struct {
	*Bundle
	claims map[string]int32 // index by id
	next   []int32          // claims that hang together: an earlier one, or itself
	number []int32          // part by claim
	count  int32
}

func divide(b *Bundle, most int) *division {
	n := b.Len(KindClaim)
	d := &division{Bundle: b, claims: make(map[string]int32, n), next: make([]int32, n), number: make([]int32, n)}
	for i := range n {
		d.claims[b.ID(KindClaim, i)], d.next[i] = int32(i), int32(i)
	}
	for i := range n {
		// A bundle was found right, and so is the text of each record.
		c, _, _ := decode(b.Record(KindClaim, i).JSON, bundleDepth, true, claimShape)
		for _, id := range c.DerivedFrom.All() {
			d.join(i, id)
		}
		for _, id := range c.EdgeInputs {
			d.join(i, id)
		}
	}
	d.fill(most)
	return d
}

// join has two claims hang together, unless the other is in no list.
func (d *division) join(i int, id string) {
	if other, ok := d.claims[id]; ok {
		a, b := d.first(int32(i)), d.first(other)
		d.next[max(a, b)] = min(a, b)
	}
}

// first returns the first of the claims that hang together with one.
func (d *division) first(i int32) int32 {
	for d.next[i] != i {
		d.next[i] = d.next[d.next[i]]
		i = d.next[i]
	}
	return i
}

// fill gives each claim its part: the next one begins where the one before has enough.
func (d *division) fill(most int) {
	size := make([]int32, len(d.next)) // of what hangs together, by its first claim
	for i := range d.next {
		size[d.first(int32(i))]++
	}
	held := int32(0)
	for i := range d.next {
		if first := d.first(int32(i)); first != int32(i) {
			d.number[i] = d.number[first]
			continue
		}
		if held > 0 && held+size[i] > int32(most) {
			d.count, held = d.count+1, 0
		}
		d.number[i], held = d.count, held+size[i]
	}
	d.count++
}

// partOf returns the part of a piece of evidence or an event.
func (d *division) partOf(kind Kind, i int) int32 { return d.number[d.claims[d.Parent(kind, i)]] }

// part returns a part. It has what statuses hang on.
func (d *division) part(number int32) *Bundle {
	text := fmt.Appendf(nil, `{"schemaVersion":%d,"source":%s`, d.version, canonical.Quote(d.source))
	for kind := range KindLink {
		var list []Record
		for i := range d.Len(kind) {
			if d.has(number, kind, i) {
				list = append(list, d.Record(kind, i))
			}
		}
		text = AppendRecords(fmt.Appendf(text, `,%q:`, kind.Collection()), list)
	}
	whole := string(append(text, '}'))
	return &Bundle{version: d.version, source: d.source, content: sync.OnceValue(func() *Content {
		content, _ := decodeContent(whole, bundleDepth, true, contentShape) // right, as the whole is
		return content
	})}
}

// has reports whether a record is in a part.
func (d *division) has(number int32, kind Kind, i int) bool {
	switch kind {
	case KindClaim:
		return d.number[i] == number
	case KindEvidence, KindEvent:
		return d.partOf(kind, i) == number
	}
	return true
}
