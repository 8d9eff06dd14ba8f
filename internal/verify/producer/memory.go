package producer

import (
	"context"
	"fmt"
	"slices"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/lexicon"
)

// MemoryStore is a Store over bundles in memory. It does not change and is safe for
// concurrent use. It takes some 30 bytes for a record besides its bundles.
type MemoryStore struct{ index *Index }

// Ready reports that look-ups can be answered: memory is always there.
func (m *MemoryStore) Ready(context.Context) error { return nil }

// NewMemoryStore returns a store of all records of the bundles. The same record may
// be in several of them, equal as canonical JSON; then the first spelling is
// answered. Another record under the same id is an error of code
// INVALID_TRUST_BUNDLE.
func NewMemoryStore(bundles ...*bundle.Bundle) (*MemoryStore, error) {
	return newMemoryStore(lexicon.Most, bundles)
}

// newMemoryStore returns a store of at most so many records of a kind, names by refs, and
// claims named by traces: their numbers have four bytes.
func newMemoryStore(most int, bundles []*bundle.Bundle) (*MemoryStore, error) {
	s := &bundleRecords{bundles: bundles}
	for kind := range bundle.Stored {
		total := 0
		for _, b := range bundles {
			s.starts[kind] = append(s.starts[kind], int32(total))
			if total += b.Len(kind); total > most {
				return nil, fmt.Errorf("the bundles have more than %d records of a kind", most)
			}
		}
		s.counts[kind] = total
	}
	c := &indexer{bundleRecords: s, most: most}
	for kind := range bundle.Stored {
		c.number(kind)
	}
	if err := c.faults.List("").Err(); err != nil {
		return nil, err
	}
	index, err := c.index()
	if err != nil {
		return nil, err
	}
	return &MemoryStore{index}, nil
}

// LookupByIntegrityRef implements Store. It never fails.
func (s *MemoryStore) LookupByIntegrityRef(_ context.Context, ref string) (*bundle.Records, error) {
	return s.index.Lookup([]string{ref})[0], nil
}

// LookupByIntegrityRefs implements BatchStore. It never fails.
func (s *MemoryStore) LookupByIntegrityRefs(_ context.Context, refs []string) ([]*bundle.Records, error) {
	return s.index.Lookup(refs), nil
}

// bundleRecords are a recordSource of the records of bundles: of a kind, those of each bundle are
// numbered after those of the bundle before.
type bundleRecords struct {
	bundles []*bundle.Bundle
	starts  [bundle.Stored][]int32 // the number of the first record of each bundle
	counts  [bundle.Stored]int
}

// find returns the bundle of a record, and its index there.
func (s *bundleRecords) find(kind bundle.Kind, number int32) (*bundle.Bundle, int) {
	if len(s.bundles) == 1 {
		return s.bundles[0], int(number)
	}
	i, exact := slices.BinarySearch(s.starts[kind], number)
	if !exact {
		i--
	}
	for i+1 < len(s.bundles) && s.starts[kind][i+1] == number {
		i++ // past bundles without such records
	}
	return s.bundles[i], int(number - s.starts[kind][i])
}

func (s *bundleRecords) record(kind bundle.Kind, number int32) bundle.Record {
	b, i := s.find(kind, number)
	return b.Record(kind, i)
}

func (s *bundleRecords) id(kind bundle.Kind, number int32) string {
	b, i := s.find(kind, number)
	return b.ID(kind, i)
}

// indexer makes the index of bundles.
type indexer struct {
	*bundleRecords
	ids    [bundle.Stored]*lexicon.Lexicon // nil where nobody asks for them
	left   [bundle.Stored]map[int32]bool   // records that an earlier bundle has, too
	most   int
	faults problem.Collector
}

// number finds the records of a kind that several bundles have.
func (c *indexer) number(kind bundle.Kind) {
	if len(c.bundles) == 1 && kind != bundle.KindClaim {
		return // ids of a bundle are unique
	}
	ids := lexicon.New(c.counts[kind], func(number int) string { return c.id(kind, int32(number)) })
	differing := map[int]bool{} // they need not be read again
	left := map[int32]bool{}
	for i, b := range c.bundles {
		for k := range b.Len(kind) {
			number := c.starts[kind][i] + int32(k)
			first, isNew := ids.Add(int(number))
			if isNew {
				continue
			}
			left[number] = true
			if differing[first] || !c.record(kind, int32(first)).Equal(b.Record(kind, k)) {
				differing[first] = true
				c.faults.Add(problem.New(problem.InvalidTrustBundle, "$."+kind.Collection(),
					"%q has another content in bundle %d than in one before", b.ID(kind, k), i+1))
			}
		}
	}
	c.ids[kind], c.left[kind] = ids, left
}

// recordRef is a ref of a record.
type recordRef struct {
	number      int32
	kind, which uint8
}

// index returns the index. The error says that numbers do not suffice.
func (c *indexer) index() (*Index, error) {
	w := &recordLinks{claimCount: c.counts[bundle.KindClaim], traceCount: c.counts[bundle.KindTrace]}
	n := c.newNamer(w)
	claim := func(id string) int32 {
		if number, ok := c.ids[bundle.KindClaim].Find(id); ok {
			return int32(number)
		}
		return -1
	}

	var traces []int32 // of each actor the first
	actors := lexicon.New(0, func(number int) string {
		b, i := c.find(bundle.KindTrace, traces[number])
		return b.Actor(bundle.KindTrace, i)
	})
	c.each(bundle.KindTrace, func(number int32, b *bundle.Bundle, i int) {
		traces = append(traces, number)
		actor, isNew := actors.Add(len(traces) - 1)
		if !isNew {
			traces = traces[:len(traces)-1]
		}
		w.authority.add(int32(actor), number)
		for _, id := range b.TraceClaims(i) {
			if to := claim(id); to >= 0 && len(w.links.from) < c.most {
				w.links.add(number, to)
			} else if to >= 0 {
				n.isFull = true
			}
		}
		n.name(bundle.KindTrace, number, ^number)
	})
	w.actorCount = len(traces)

	c.each(bundle.KindClaim, func(number int32, _ *bundle.Bundle, _ int) { n.name(bundle.KindClaim, number, number) })
	w.evidence = missing(c.counts[bundle.KindEvidence])
	c.each(bundle.KindEvidence, func(number int32, b *bundle.Bundle, i int) {
		w.evidence[number] = claim(b.Parent(bundle.KindEvidence, i))
		n.name(bundle.KindEvidence, number, w.evidence[number])
	})
	w.events, w.eventActors = missing(c.counts[bundle.KindEvent]), missing(c.counts[bundle.KindEvent])
	c.each(bundle.KindEvent, func(number int32, b *bundle.Bundle, i int) {
		w.events[number] = claim(b.Parent(bundle.KindEvent, i))
		if actor, ok := actors.Find(b.Actor(bundle.KindEvent, i)); ok {
			w.eventActors[number] = int32(actor)
		}
	})
	if n.isFull {
		return nil, fmt.Errorf("the records of the bundles are named more than %d times", c.most)
	}
	w.refCount = len(n.refs)
	return connect(c.bundleRecords, n.numbers, w), nil
}

// namer numbers the refs that name records.
type namer struct {
	*indexer
	links   *recordLinks
	refs    []recordRef
	numbers *lexicon.Lexicon
	isFull  bool // there are too many
}

func (c *indexer) newNamer(w *recordLinks) *namer {
	n := &namer{indexer: c, links: w}
	n.numbers = lexicon.New(c.counts[bundle.KindClaim]+c.counts[bundle.KindEvidence], func(number int) string {
		ref := n.refs[number]
		b, i := c.find(bundle.Kind(ref.kind), ref.number)
		return b.Ref(bundle.Kind(ref.kind), i, int(ref.which))
	})
	return n
}

// name lets the refs of a record lead to a node.
func (n *namer) name(kind bundle.Kind, number, node int32) {
	b, i := n.find(kind, number)
	for which := range bundle.MostRefs {
		if b.Ref(kind, i, which) == "" {
			continue
		}
		if len(n.links.named.from) >= n.most {
			n.isFull = true
			return
		}
		n.refs = append(n.refs, recordRef{number, uint8(kind), uint8(which)})
		ref, isNew := n.numbers.Add(len(n.refs) - 1)
		if !isNew {
			n.refs = n.refs[:len(n.refs)-1]
		}
		n.links.named.add(int32(ref), node)
	}
}

// each goes through the records of a kind, without those that an earlier bundle has.
func (c *indexer) each(kind bundle.Kind, visit func(number int32, b *bundle.Bundle, i int)) {
	for k, b := range c.bundles {
		for i := range b.Len(kind) {
			if number := c.starts[kind][k] + int32(i); !c.left[kind][number] {
				visit(number, b, i)
			}
		}
	}
}

// missing returns so many numbers of nothing.
func missing(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = -1
	}
	return list
}
