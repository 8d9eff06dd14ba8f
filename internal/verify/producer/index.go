package producer

import (
	"slices"

	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/lexicon"
)

// Index finds records by ref. It is what a [MemoryStore] looks into, and what the
// rows become that a database answers a look-up with. It knows how records hang
// together and puts answers together when they are asked for: a look-up takes time in
// proportion to its answer. The records themselves are elsewhere; an index has a few
// numbers of four bytes for each.
//
// It does not change and is safe for concurrent use.
type Index struct {
	records recordSource
	refs    *lexicon.Lexicon
	named   lists // what each ref names: claims, and traces as their complements

	evidence, events lists   // of each claim, sorted by id
	traces           lists   // that name a claim
	claims           lists   // that a trace names
	authority        lists   // the traces of each actor
	actors           []int32 // of each event; -1 for one without traces
}

// recordSource gives back records by their numbers, which begin at 0 for each kind. The JSON
// is empty of a record that is not there, although others name it.
type recordSource interface {
	record(kind bundle.Kind, number int32) bundle.Record
	id(kind bundle.Kind, number int32) string
}

// lists are lists of numbers, one for each number of another kind.
type lists struct {
	starts []int32 // one more than there are lists
	all    []int32
}

func (l *lists) list(number int32) []int32 { return l.all[l.starts[number]:l.starts[number+1]] }

// pairs are numbers that belong together.
type pairs struct{ from, to []int32 }

func (p *pairs) add(from, to int32) {
	p.from, p.to = append(p.from, from), append(p.to, to)
}

// group returns for each of n numbers what it is paired with, in the order of the pairs.
// Without to, that is the positions in from. Pairs from -1 are left out.
func group(n int, from, to []int32) lists {
	l := lists{starts: make([]int32, n+1)}
	for _, f := range from {
		if f >= 0 {
			l.starts[f+1]++
		}
	}
	for i := range n {
		l.starts[i+1] += l.starts[i]
	}
	l.all = make([]int32, l.starts[n])
	next := slices.Clone(l.starts[:n])
	for i, f := range from {
		if f < 0 {
			continue
		}
		l.all[next[f]] = int32(i)
		if to != nil {
			l.all[next[f]] = to[i]
		}
		next[f]++
	}
	return l
}

// sortByID sorts lists of records of a kind by their ids.
func (l *lists) sortByID(records recordSource, kind bundle.Kind) {
	for i := range len(l.starts) - 1 {
		slices.SortFunc(l.list(int32(i)), func(a, b int32) int {
			return bundle.CompareIDs(bundle.Record{ID: records.id(kind, a)}, bundle.Record{ID: records.id(kind, b)})
		})
	}
}

// recordLinks is how records hang together, by their numbers.
type recordLinks struct {
	claimCount, traceCount, refCount, actorCount int

	evidence, events []int32 // the claim of each; -1 for one that is left out
	eventActors      []int32 // of each event; -1 for one without traces
	authority        pairs   // actors, and their traces
	links            pairs   // traces, and the claims that they name
	named            pairs   // refs, and what they name
}

// connect returns the index of records.
func connect(records recordSource, refs *lexicon.Lexicon, w *recordLinks) *Index {
	x := &Index{
		records:   records,
		refs:      refs,
		named:     group(w.refCount, w.named.from, w.named.to),
		evidence:  group(w.claimCount, w.evidence, nil),
		events:    group(w.claimCount, w.events, nil),
		traces:    group(w.claimCount, w.links.to, w.links.from),
		claims:    group(w.traceCount, w.links.from, w.links.to),
		authority: group(w.actorCount, w.authority.from, w.authority.to),
		actors:    w.eventActors,
	}
	x.evidence.sortByID(records, bundle.KindEvidence)
	x.events.sortByID(records, bundle.KindEvent)
	return x
}

// Lookup returns what each ref leads to, less what refs before it have led to: all
// entries together hold a record once. The entry of an unknown ref is nil.
func (x *Index) Lookup(refs []string) []*bundle.Records {
	l := lookup{Index: x, nodes: map[int32]bool{}, actors: map[int32]bool{}}
	if len(refs) > 1 {
		l.refs = map[int]bool{}
	}
	found := make([]*bundle.Records, len(refs))
	for i, ref := range refs {
		found[i] = l.find(ref)
	}
	return found
}

// lookup is a look-up and what it has answered so far.
type lookup struct {
	*Index
	refs   map[int]bool
	nodes  map[int32]bool // claims, and traces as their complements
	actors map[int32]bool // whose traces were answered
}

func (l *lookup) find(ref string) *bundle.Records {
	number, ok := l.Index.refs.Find(ref)
	if !ok {
		return nil
	}
	r := &bundle.Records{}
	if l.refs[number] {
		return r
	}
	if l.refs != nil {
		l.refs[number] = true
	}
	for _, node := range l.named.list(int32(number)) {
		if node >= 0 {
			l.addClaim(r, node)
			continue
		}
		l.addTrace(r, ^node)
		for _, claim := range l.claims.list(^node) {
			l.addClaim(r, claim)
		}
	}
	r.Sort()
	return r
}

func (l *lookup) addTrace(r *bundle.Records, trace int32) {
	if l.nodes[^trace] {
		return
	}
	l.nodes[^trace] = true
	if record := l.records.record(bundle.KindTrace, trace); record.JSON != "" {
		r.AuthorityTrace = append(r.AuthorityTrace, record)
	}
}

// addClaim adds a claim and what belongs to it.
func (l *lookup) addClaim(r *bundle.Records, claim int32) {
	if l.nodes[claim] {
		return
	}
	l.nodes[claim] = true
	record := l.records.record(bundle.KindClaim, claim)
	if record.JSON == "" {
		return
	}
	r.Claims = append(r.Claims, record)
	r.Evidence = l.appendRecords(r.Evidence, bundle.KindEvidence, l.evidence.list(claim))
	r.Events = l.appendRecords(r.Events, bundle.KindEvent, l.events.list(claim))
	for _, trace := range l.traces.list(claim) {
		l.addTrace(r, trace)
	}
	for _, event := range l.events.list(claim) {
		actor := l.Index.actors[event]
		if actor < 0 || l.actors[actor] {
			continue
		}
		l.actors[actor] = true
		for _, trace := range l.authority.list(actor) {
			l.addTrace(r, trace)
		}
	}
}

func (l *lookup) appendRecords(list []bundle.Record, kind bundle.Kind, numbers []int32) []bundle.Record {
	list = slices.Grow(list, len(numbers))
	for _, n := range numbers {
		list = append(list, l.records.record(kind, n))
	}
	return list
}

// IndexBuilder makes an index of few records, in whatever order they come. Records call
// each other by keys: their ids, or something else that is different for different ids.
type IndexBuilder struct {
	recordLinks
	records        recordLists
	claims, traces map[string]int32
	actors         map[string]int32
	actorsOfEvents []string
	refs           []string
	refNumbers     map[string]int32
}

// NewIndexBuilder returns a builder of an index that holds nothing yet.
func NewIndexBuilder() *IndexBuilder {
	return &IndexBuilder{
		claims: map[string]int32{}, traces: map[string]int32{}, actors: map[string]int32{}, refNumbers: map[string]int32{},
	}
}

// recordLists is a recordSource of records that are lists.
type recordLists [bundle.Stored][]bundle.Record

func (s *recordLists) record(kind bundle.Kind, number int32) bundle.Record { return s[kind][number] }
func (s *recordLists) id(kind bundle.Kind, number int32) string            { return s[kind][number].ID }

// Add adds a record. The claims of the row are keys.
func (b *IndexBuilder) Add(kind bundle.Kind, key string, row bundle.Row) {
	switch kind {
	case bundle.KindClaim:
		b.records[kind][b.number(kind, key)] = row.Record
	case bundle.KindEvidence, bundle.KindEvent:
		key = row.Claims[0] // what a ref of the record leads to
		claim := b.number(bundle.KindClaim, key)
		b.records[kind] = append(b.records[kind], row.Record)
		if kind == bundle.KindEvidence {
			b.evidence = append(b.evidence, claim)
			break
		}
		b.events = append(b.events, claim)
		b.actorsOfEvents = append(b.actorsOfEvents, row.Actor)
	case bundle.KindTrace:
		trace := b.number(kind, key)
		b.records[kind][trace] = row.Record
		actor, known := b.actors[row.Actor]
		if !known {
			actor = int32(len(b.actors))
			b.actors[row.Actor] = actor
		}
		b.authority.add(actor, trace)
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
	number, known := b.refNumbers[ref]
	if !known {
		number = int32(len(b.refs))
		b.refNumbers[ref] = number
		b.refs = append(b.refs, ref)
	}
	node := b.number(bundle.KindClaim, key)
	if kind == bundle.KindTrace {
		node = ^b.number(kind, key)
	}
	b.named.add(number, node)
}

// Link says that a trace names a claim.
func (b *IndexBuilder) Link(trace, claim string) {
	b.links.add(b.number(bundle.KindTrace, trace), b.number(bundle.KindClaim, claim))
}

// number returns the number of a claim or a trace, a new one for a new key.
func (b *IndexBuilder) number(kind bundle.Kind, key string) int32 {
	numbers := b.claims
	if kind == bundle.KindTrace {
		numbers = b.traces
	}
	n, known := numbers[key]
	if !known {
		n = int32(len(numbers))
		numbers[key] = n
		b.records[kind] = append(b.records[kind], bundle.Record{})
	}
	return n
}

// Index returns the index. Nothing may be added after that.
func (b *IndexBuilder) Index() *Index {
	w := &b.recordLinks
	w.claimCount, w.traceCount, w.refCount, w.actorCount = len(b.claims), len(b.traces), len(b.refs), len(b.actors)
	for _, name := range b.actorsOfEvents {
		actor, known := b.actors[name]
		if !known {
			actor = -1
		}
		w.eventActors = append(w.eventActors, actor)
	}
	refs := lexicon.New(len(b.refs), func(number int) string { return b.refs[number] })
	for i := range b.refs {
		refs.Add(i)
	}
	return connect(&b.records, refs, w)
}
