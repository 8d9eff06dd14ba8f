package catalog

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash/maphash"
	"runtime"
	"sync"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// entry is a normalized observation on its way into a catalog.
type entry struct {
	Observation
	prefix  uint64 // the first 8 bytes of the id, to compare by
	model   *group
	inForce interval
	facts   []fact
	origin
}

// origin says where an entry's document stood.
type origin struct {
	batch *batch
	n     int           // of the document in its batch
	place problem.Place // if its batch has one
}

// group is a model identity. Workers make their own; compiling unites them.
type group struct {
	identity string // canonical JSON
	key      string
	number   int // in order of keys
	entries  int // how many there are
}

// fact is a measurement that may conflict with another of the same scope.
type fact struct {
	hash  uint64 // of the scope, to find equal ones by
	scope scope
	value string // canonical JSON
	entry *entry
}

// scope is what two facts must share to conflict, besides the model: each a
// part of an observation's canonical JSON.
type scope struct {
	execution, key, task string
}

// normalizer says how documents are to be read.
type normalizer struct {
	asOf   string
	fields *ijson.Fields
	// stored demands that each document is what it normalizes to: its lists in
	// normal order and its id right.
	stored bool
	// discard keeps nothing of a document that is valid.
	discard bool
}

// run normalizes all batches that produce emits, on all processors, and returns
// them in order. The goroutines that it starts have ended when it returns.
func (n *normalizer) run(ctx context.Context, produce func(emit func(*batch) bool)) ([]*batch, error) {
	var (
		all     []*batch
		work    = make(chan *batch, 2*runtime.GOMAXPROCS(0))
		workers sync.WaitGroup
		seed    = maphash.MakeSeed()
	)
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			w := worker{normalizer: n, decoder: newDecoder(), models: map[string]*group{}, seed: seed}
			for b := range work {
				if ctx.Err() == nil {
					w.normalize(b)
				}
			}
		})
	}
	produce(func(b *batch) bool {
		all = append(all, b)
		work <- b
		return ctx.Err() == nil
	})
	close(work)
	workers.Wait()
	return all, ctx.Err()
}

// worker normalizes batches, one after the other.
type worker struct {
	*normalizer
	decoder *decoder
	models  map[string]*group
	kept    arena // normalized documents
	seed    maphash.Seed
}

func (w *worker) normalize(b *batch) {
	const leastBytes = 256 // of a valid observation
	b.entries = make([]entry, 0, min(len(b.docs), b.size()/leastBytes+1))
	w.decoder.r.Around = b.around()
	w.decoder.r.IsUTF8 = b.model >= 0 // as the whole snapshot is
	w.decoder.asOf = cmp.Or(b.asOf, w.asOf)
	place, behind := b.place, 0
	for n, doc := range b.docs {
		if b.place.Line > 0 {
			place = place.After(b.text[behind:doc[0]])
			behind = doc[0]
		}
		w.decoder.r.MaxFaults = max(1, min(ijson.DefaultMaxFaults, b.maxFaults()-len(b.faults)))
		if faults := w.one(doc.of(b.text), origin{b, n, place}); faults != nil {
			b.refuse(n, place, faults, w.decoder.r.Beyond())
		}
	}
	for i := range b.entries { // which are where they stay now
		for k := range b.entries[i].facts {
			b.entries[i].facts[k].entry = &b.entries[i]
		}
	}
	b.text = ""
	if b.release != nil {
		b.release()
	}
}

// one normalizes a document and adds it to its batch.
func (w *worker) one(doc string, at origin) problem.List {
	d := w.decoder
	if faults := d.read(doc, w.fields); faults != nil {
		return faults
	}
	if w.discard {
		return nil
	}
	d.enc.Buf = w.kept.room(len(doc))
	d.encode()
	text := w.keep(doc)
	o := d.observation(text)
	if w.stored {
		if faults := d.checkStored(o.id); faults != nil {
			return faults
		}
	}
	var head [8]byte
	hex.Decode(head[:], []byte(o.id[:2*len(head)])) // an id is hexadecimal
	at.batch.entries = append(at.batch.entries, entry{
		Observation: o,
		prefix:      binary.BigEndian.Uint64(head[:]),
		model:       w.group(text),
		inForce:     d.parts.freshness.of(text),
		origin:      at,
	})
	w.addFacts(&at.batch.entries[len(at.batch.entries)-1])
	return nil
}

// checkStored holds a stored observation against what it normalizes to.
func (d *decoder) checkStored(id string) problem.List {
	e := problem.New(problem.InvalidCatalog, "$", "its lists must be in normal order")
	e.Offset = 0
	if !d.reordered {
		if d.givenID == id {
			return nil
		}
		e = problem.New(problem.InvalidCatalog, "$.id", "must be %s, the hash of the observation", id)
		e.Offset = d.seen.id
	}
	return problem.List{e}
}

// keep returns what was encoded as a lasting string: the source's own text if
// that is a stored observation and equal.
func (w *worker) keep(source string) string {
	buf := w.decoder.enc.Buf
	if w.stored && string(buf) == source {
		return source
	}
	return w.kept.keep(buf)
}

// group returns the group of the observation just encoded.
func (w *worker) group(text string) *group {
	identity := w.decoder.parts.model.of(text)
	g := w.models[identity]
	if g == nil {
		sum := sha256.Sum256([]byte(identity))
		g = &group{identity: identity, key: hex.EncodeToString(sum[:])}
		w.models[identity] = g
	}
	return g
}

// addFacts notes the facts of the observation just encoded.
func (w *worker) addFacts(e *entry) {
	parts := &w.decoder.parts
	if len(parts.facts) == 0 {
		return
	}
	text := e.Observation.doc
	e.facts = make([]fact, len(parts.facts))
	for i, part := range parts.facts {
		f := fact{
			scope: scope{parts.execution.of(text), part.key.of(text), parts.task.of(text)},
			value: part.value.of(text),
		}
		var h maphash.Hash
		h.SetSeed(w.seed)
		h.WriteString(f.scope.execution) // never fails
		h.WriteString(f.scope.key)
		h.WriteString(f.scope.task)
		f.hash = h.Sum64()
		e.facts[i] = f
	}
}
