package catalog

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/maphash"
	"runtime"
	"slices"
	"strings"
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

// batch is a run of documents that one worker normalizes.
type batch struct {
	text  string        // what the documents stand in, dropped when they are read
	place problem.Place // of text; without one, faults keep their offset in text
	docs  []span
	// The documents are those from $.models[model].observations[index] on in a
	// snapshot, from $[index] in a list if model is negative, from
	// $.observations[index] if there is no place. With a negative index each
	// document is for itself.
	model, index int
	asOf         string // if set, nothing may be dated after it

	entries []entry
	faults  problem.List
}

// errBroken is the cause of the fault of a JSON text that cannot be read, of
// which nothing else is said: ErrNotJSON for a text of many documents.
var errBroken = fmt.Errorf("%w as a whole", ijson.ErrNotJSON)

// brokenAlone drops all other faults of a file that is not JSON as a whole.
func brokenAlone(faults problem.List) problem.List {
	broken := map[string]*problem.Error{}
	for _, e := range faults {
		if file := e.Place.File; errors.Is(e, errBroken) && broken[file] == nil {
			broken[file] = e
		}
	}
	if len(broken) == 0 {
		return faults
	}
	return slices.DeleteFunc(faults, func(e *problem.Error) bool {
		first := broken[e.Place.File]
		return first != nil && first != e
	})
}

// path returns the JSON path of a document.
func (b *batch) path(n int) string {
	switch {
	case b.model >= 0:
		return fmt.Sprintf("$.models[%d].observations[%d]", b.model, b.index+n)
	case b.place.Line == 0:
		return fmt.Sprintf("$.observations[%d]", b.index+n)
	case b.index >= 0:
		return fmt.Sprintf("$[%d]", b.index+n)
	}
	return "$"
}

// isPart reports whether the documents are parts of one JSON text.
func (b *batch) isPart() bool { return b.model >= 0 || b.place.Line > 0 && b.index >= 0 }

// around is how many arrays and objects are open around the documents.
func (b *batch) around() int {
	switch {
	case b.model >= 0:
		return 4 // the snapshot, its models, one of these, its observations
	case b.isPart():
		return 1
	}
	return 0
}

// refuse notes the faults of a document, whose paths and offsets are still
// those within it.
func (b *batch) refuse(n int, place problem.Place, faults problem.List) {
	doc := b.docs[n]
	if b.place.Line > 0 {
		faults.Locate(doc.of(b.text), place)
	}
	path := b.path(n)
	if b.isPart() && errors.Is(faults[0], ijson.ErrNotJSON) {
		path = "$"
		faults[0].Err = errBroken
	}
	for _, e := range faults {
		e.Path = path + strings.TrimPrefix(e.Path, "$")
		if e.Offset >= 0 {
			e.Offset += doc[0]
		}
	}
	b.faults = append(b.faults, faults...)
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
	chunk   *strings.Builder // holds normalized documents
	seed    maphash.Seed
}

func (w *worker) normalize(b *batch) {
	b.entries = make([]entry, 0, len(b.docs))
	w.decoder.r.Around = b.around()
	w.decoder.asOf = cmp.Or(b.asOf, w.asOf)
	place, behind := b.place, 0
	for n, doc := range b.docs {
		if b.place.Line > 0 {
			place = place.After(b.text[behind:doc[0]])
			behind = doc[0]
		}
		if faults := w.one(doc.of(b.text), origin{b, n, place}); faults != nil {
			b.refuse(n, place, faults)
		}
	}
	b.text = ""
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
	d.encode()
	text := w.keep(doc)
	o := d.observation(text)
	if w.stored {
		if faults := d.checkStored(o.id); faults != nil {
			return faults
		}
	}
	var head [8]byte
	hex.Decode(head[:], []byte(o.id[:2*len(head)])) //nolint:errcheck // an id is hexadecimal
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
// that is equal, else a copy. Copies share large chunks of memory.
func (w *worker) keep(source string) string {
	buf := w.decoder.enc.Buf
	if string(buf) == source {
		return source
	}
	const chunkSize = 1 << 20
	if w.chunk == nil || w.chunk.Cap()-w.chunk.Len() < len(buf) {
		w.chunk = &strings.Builder{}
		w.chunk.Grow(max(chunkSize, len(buf)))
	}
	start := w.chunk.Len()
	w.chunk.Write(buf)
	return w.chunk.String()[start:]
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
			entry: e,
		}
		var h maphash.Hash
		h.SetSeed(w.seed)
		h.WriteString(f.scope.execution) //nolint:errcheck // never fails
		h.WriteString(f.scope.key)
		h.WriteString(f.scope.task)
		f.hash = h.Sum64()
		e.facts[i] = f
	}
}
