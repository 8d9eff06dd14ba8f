package producer

import (
	"slices"

	"github.com/model-catalog-service/svc/internal/verify/bundle"
)

// Index finds records by ref. It is what a [MemoryStore] looks into, and what the
// rows become that a database answers a look-up with. It knows how records hang
// together and puts answers together when they are asked for: it takes memory in
// proportion to the records, and a look-up takes time in proportion to its answer.
//
// An [IndexBuilder] makes one. It does not change and is safe for concurrent use.
type Index struct {
	refs   map[string][]*node // what each ref names
	actors map[string][]*node // the traces of each actor
}

// node is a claim or a trace.
type node struct {
	bundle.Record // empty if the record is not there, although others name it
	isTrace       bool

	// Of a claim:
	evidence, events []bundle.Record // sorted by id
	actors           []string        // of the events
	traces           []*node         // that name it

	claims []*node // that a trace names
}

// IndexBuilder takes the records of an index, in whatever order. Records call each
// other by keys: their ids, or something else that is different for different ids.
type IndexBuilder struct {
	index          Index
	claims, traces map[string]*node
}

// NewIndexBuilder returns a builder of an index that holds nothing yet.
func NewIndexBuilder() *IndexBuilder {
	return &IndexBuilder{
		Index{map[string][]*node{}, map[string][]*node{}},
		map[string]*node{}, map[string]*node{},
	}
}

// Add adds a record. The claims of the row are keys.
func (b *IndexBuilder) Add(kind bundle.Kind, key string, row bundle.Row) {
	switch kind {
	case bundle.KindClaim:
		b.node(kind, key).Record = row.Record
	case bundle.KindEvidence, bundle.KindEvent:
		key = row.Claims[0] // what a ref of the record leads to
		claim := b.node(bundle.KindClaim, key)
		if kind == bundle.KindEvidence {
			claim.evidence = append(claim.evidence, row.Record)
			break
		}
		claim.events = append(claim.events, row.Record)
		claim.actors = append(claim.actors, row.Actor)
	case bundle.KindTrace:
		trace := b.node(kind, key)
		trace.Record = row.Record
		b.index.actors[row.Actor] = append(b.index.actors[row.Actor], trace)
		for _, claim := range row.Claims {
			b.Link(key, claim)
		}
	}
	for _, ref := range row.Refs {
		b.Name(ref, kind, key)
	}
}

// Name says that a ref leads to the claim with the key, or names the trace with it.
func (b *IndexBuilder) Name(ref string, kind bundle.Kind, key string) {
	b.index.refs[ref] = append(b.index.refs[ref], b.node(kind, key))
}

// Link says that a trace names a claim.
func (b *IndexBuilder) Link(trace, claim string) {
	t, c := b.node(bundle.KindTrace, trace), b.node(bundle.KindClaim, claim)
	t.claims = append(t.claims, c)
	c.traces = append(c.traces, t)
}

func (b *IndexBuilder) node(kind bundle.Kind, key string) *node {
	nodes := b.claims
	if kind == bundle.KindTrace {
		nodes = b.traces
	}
	n := nodes[key]
	if n == nil {
		n = &node{isTrace: kind == bundle.KindTrace}
		nodes[key] = n
	}
	return n
}

// Index returns the index. Nothing may be added after that.
func (b *IndexBuilder) Index() *Index {
	for _, c := range b.claims {
		slices.SortFunc(c.evidence, bundle.CompareIDs)
		slices.SortFunc(c.events, bundle.CompareIDs)
		slices.Sort(c.actors)
		c.actors = slices.Compact(c.actors)
	}
	return &b.index
}

// Lookup returns what each ref leads to, less what refs before it have led to: all
// entries together hold a record once. The entry of an unknown ref is nil.
func (x *Index) Lookup(refs []string) []*bundle.Records {
	l := lookup{x, map[string]bool{}, map[*node]bool{}, map[string]bool{}}
	found := make([]*bundle.Records, len(refs))
	for i, ref := range refs {
		found[i] = l.find(ref)
	}
	return found
}

// lookup is a look-up and what it has answered so far.
type lookup struct {
	*Index
	refs   map[string]bool
	nodes  map[*node]bool
	actors map[string]bool // whose traces were answered
}

func (l *lookup) find(ref string) *bundle.Records {
	named := l.Index.refs[ref]
	if named == nil {
		return nil
	}
	r := &bundle.Records{}
	if l.refs[ref] {
		return r
	}
	l.refs[ref] = true
	for _, n := range named {
		l.add(r, n)
		for _, claim := range n.claims {
			l.add(r, claim)
		}
	}
	r.Sort()
	return r
}

// add adds a trace, or a claim and what belongs to it.
func (l *lookup) add(r *bundle.Records, n *node) {
	if n.JSON == "" || l.nodes[n] {
		return
	}
	l.nodes[n] = true
	if n.isTrace {
		r.AuthorityTrace = append(r.AuthorityTrace, n.Record)
		return
	}
	r.Claims = append(r.Claims, n.Record)
	r.Evidence = join(r.Evidence, n.evidence)
	r.Events = join(r.Events, n.events)
	for _, trace := range n.traces {
		l.add(r, trace)
	}
	for _, actor := range n.actors {
		if l.actors[actor] {
			continue
		}
		l.actors[actor] = true
		for _, trace := range l.Index.actors[actor] {
			l.add(r, trace)
		}
	}
}

// join returns both lists, the second as it is if it is the only one: lists of an
// index are shared and must not change.
func join(list, more []bundle.Record) []bundle.Record {
	if len(list) == 0 {
		return more[:len(more):len(more)]
	}
	return append(list, more...)
}
