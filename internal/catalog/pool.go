package catalog

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/maphash"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// This file normalizes many documents on all processors:
//
//	producer -> batches -> workers -> entries, by batch
//	                               -> faults, in the order of the batches

// batch is a run of documents of one text that one worker normalizes.
type batch struct {
	form    form
	text    string        // what the documents are in, dropped when they are read
	place   problem.Place // of text, if it is a file's
	docs    []Span
	index   int    // of the first document, in its list
	model   int    // the list of a snapshot that it is in
	asOf    string // nothing may be dated after it; empty if it is not known yet
	release func() // to be called when the text is read, if set

	entries []entry  // of valid documents
	refused *refusal // nil if all are
	number  int      // among all batches
	done    bool     // guarded by the gatherer
}

// form is what the documents of a batch are parts of. It decides their paths.
type form uint8

const (
	arguments     form = iota // of a call: $.observations[index]
	wholeDocument             // each by itself: $
	listItems                 // of a JSON array: $[index]
	snapshotItems             // of a snapshot: $.models[model].observations[index]
)

// path returns the JSON path of a document.
func (b *batch) path(n int) string {
	switch b.form {
	case arguments:
		return fmt.Sprintf("$.observations[%d]", b.index+n)
	case listItems:
		return fmt.Sprintf("$[%d]", b.index+n)
	case snapshotItems:
		return fmt.Sprintf("$.models[%d].observations[%d]", b.model, b.index+n)
	}
	return "$"
}

// isPart reports whether the documents are parts of one JSON text.
func (b *batch) isPart() bool { return b.form == listItems || b.form == snapshotItems }

// depth is how many arrays and objects are open around the documents.
func (b *batch) depth() int {
	switch b.form {
	case listItems:
		return 1
	case snapshotItems:
		return 4 // the snapshot, its models, one of these, its observations
	}
	return 0
}

// drop drops the text. Documents of a snapshot may be looked at again.
func (b *batch) drop() {
	b.text = ""
	if b.form != snapshotItems {
		b.docs = nil
	}
	if b.release != nil {
		b.release()
	}
}

// refusal is what is wrong with documents.
type refusal struct {
	broken *problem.Error    // if the text that they are parts of is not JSON
	faults problem.Collector // but for dates
	late   problem.Collector // dates after asOf
}

// errBroken is the cause of the fault of a JSON text that cannot be read, of
// which nothing else is said: ErrNotJSON for a text of many documents.
var errBroken = fmt.Errorf("%w as a whole", ijson.ErrNotJSON)

// refuse adds faults to those of the batch.
func (b *batch) refuse(faults ...*problem.Error) {
	if b.refused == nil {
		b.refused = &refusal{}
	}
	switch first := faults[0]; {
	case errors.Is(first, errBroken):
		if b.refused.broken == nil {
			b.refused.broken = first
		}
	case first.Code == problem.InvalidCompileOptions:
		b.refused.late.Add(faults...)
	default:
		b.refused.faults.Add(faults...)
	}
}

// refuseDocument adds the faults of a document, whose paths and offsets are those
// within it.
func (b *batch) refuseDocument(n int, place problem.Place, faults problem.List) {
	path := b.path(n)
	if b.isPart() && errors.Is(faults[0], ijson.ErrNotJSON) {
		path, faults[0].Err = "$", errBroken
	}
	if place.Line > 0 {
		faults.Locate(b.docs[n].Text(b.text), place)
	}
	for _, e := range faults.Under(path) {
		if e.Offset >= 0 {
			e.Offset += b.docs[n].Start
		}
	}
	b.refuse(faults...)
}

// room is how many faults of the next document are kept.
func (b *batch) room() int {
	if b.refused == nil {
		return problem.DefaultMost
	}
	return max(1, problem.DefaultMost-b.refused.faults.Len())
}

// entry is a normalized observation on its way into a catalog.
type entry struct {
	Observation
	prefix  uint64 // the first 8 bytes of the id, to compare by
	model   *group
	inForce interval
	facts   []fact
	batch   *batch
	n       int           // of the document in its batch
	place   problem.Place // of the document, if its batch has one
}

// group is a model identity. Workers make their own; compiling unites them.
type group struct {
	identity string // canonical JSON
	key      string // its hash
	part     *modelPart
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
type scope struct{ execution, key, task string }

// pool says how documents are normalized.
type pool struct {
	shape *recordShape
	asOf  string // nothing may be dated after it, if it is set
	// stored demands that each document is what it normalizes to: its lists in
	// normal order and its id right.
	stored bool
	// discard keeps nothing of a document that is valid.
	discard bool
}

// run normalizes the batches that produce emits and returns them in order. The
// error is that of the context, that of produce, or all faults. The goroutines
// that it starts have ended when it returns.
func (p *pool) run(ctx context.Context, produce func(emit func(*batch) bool) error) ([]*batch, error) {
	var (
		processors = runtime.GOMAXPROCS(0)
		work       = make(chan *batch, 2*processors)
		g          = newGatherer(8 * processors)
		seed       = maphash.MakeSeed()
		workers    sync.WaitGroup
	)
	for range processors {
		workers.Go(func() {
			w := worker{pool: p, normalizer: newNormalizer(), models: map[string]*group{}, seed: seed}
			for b := range work {
				if ctx.Err() == nil && !g.full.Load() {
					w.normalize(b)
				}
				b.drop()
				g.finish(b)
			}
		})
	}
	err := produce(func(b *batch) bool {
		g.begin(b)
		work <- b
		return ctx.Err() == nil && !g.full.Load()
	})
	close(work)
	workers.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil && !g.full.Load() {
		return nil, err
	}
	return g.batches, g.err()
}

// gatherer puts the faults of batches together, in the order of the batches
// whatever the order in which they are done. As soon as the batches from the first
// one on have [problem.MostCounted] faults, nothing of later ones counts: where
// reading stops depends on the input alone.
type gatherer struct {
	full  atomic.Bool
	slots chan struct{} // one is taken by each batch that is begun and not yet counted

	mu      sync.Mutex
	batches []*batch
	counted int // how many of the batches
	file    refusal
	name    string  // of that file
	all     refusal // of the files before it
}

// newGatherer returns a gatherer of batches of which at most so many wait for
// others to be done.
func newGatherer(waiting int) *gatherer { return &gatherer{slots: make(chan struct{}, waiting)} }

// begin adds a batch to the others. It waits while too many are not counted.
func (g *gatherer) begin(b *batch) {
	g.slots <- struct{}{}
	g.mu.Lock()
	defer g.mu.Unlock()
	b.number = len(g.batches)
	g.batches = append(g.batches, b)
}

// finish notes that a batch is done, and counts all whose turn has come.
func (g *gatherer) finish(b *batch) {
	g.mu.Lock()
	defer g.mu.Unlock()
	b.done = true
	for g.counted < len(g.batches) && g.batches[g.counted].done {
		g.count(g.batches[g.counted])
		g.counted++
		<-g.slots
	}
}

func (g *gatherer) count(b *batch) {
	if b.refused == nil || g.full.Load() {
		return
	}
	if b.place.File != g.name {
		g.endFile()
		g.name = b.place.File
	}
	if g.file.broken == nil {
		g.file.broken = b.refused.broken
	}
	g.file.faults.Add(b.refused.faults.List(g.name)...)
	g.all.late.Add(b.refused.late.List(g.name)...)
	ofFile := g.file.faults.Len()
	if g.file.broken != nil {
		ofFile = 1
	}
	if g.all.faults.Len()+ofFile+g.all.late.Len() >= problem.MostCounted {
		g.full.Store(true)
	}
}

// endFile adds the faults of a file to those of the files before it. Of one that
// is not JSON as a whole that alone is said.
func (g *gatherer) endFile() {
	if g.file.broken != nil {
		g.all.faults.Add(g.file.broken)
	} else {
		g.all.faults.Add(g.file.faults.List(g.name)...)
	}
	g.file = refusal{}
}

// err returns all faults. If there are others than dates, dates are at most counted.
func (g *gatherer) err() error {
	g.endFile()
	faults, late := &g.all.faults, &g.all.late
	switch {
	case faults.Len() == 0:
		faults = late
	case g.full.Load() && late.Len() > 0:
		faults.Add(problem.More(problem.InvalidCompileOptions, late.Len()))
	}
	return faults.List("").Err()
}

// worker normalizes batches, one after the other.
type worker struct {
	*pool
	normalizer
	models map[string]*group // by identity
	normal arena             // normalized documents
	seed   maphash.Seed
}

func (w *worker) normalize(b *batch) {
	const most = chunkSize / 1024 // valid documents, as a rule
	b.entries = make([]entry, 0, min(len(b.docs), most))
	w.reader.OuterDepth = b.depth()
	w.reader.IsUTF8 = b.form == snapshotItems // as the whole snapshot is
	place, end := b.place, 0
	for n, doc := range b.docs {
		if place.Line > 0 {
			place = place.After(b.text[end:doc.Start])
			end = doc.Start
		}
		w.reader.MaxFaults = b.room()
		if faults := w.add(b, n, place); faults != nil {
			b.refuseDocument(n, place, faults)
			if b.refused.faults.Full() || b.refused.late.Full() {
				break // these are enough to stop all reading
			}
		}
	}
	for i := range b.entries { // which are where they stay now
		for k := range b.entries[i].facts {
			b.entries[i].facts[k].entry = &b.entries[i]
		}
	}
}

// add normalizes a document and adds it to the entries, or returns its faults.
func (w *worker) add(b *batch, n int, place problem.Place) problem.List {
	doc := b.docs[n].Text(b.text)
	if faults := w.reader.read(doc, w.shape); faults != nil {
		return faults
	}
	if asOf := cmp.Or(b.asOf, w.asOf); asOf != "" {
		if faults := w.reader.lateDates(doc, asOf); faults != nil {
			return faults
		}
	}
	if w.discard {
		return nil
	}
	w.writer.Buf = w.normal.room(len(doc))
	w.write()
	text := w.keep(doc)
	o := w.observation(text)
	if w.stored {
		if e := w.checkStored(doc, o.id); e != nil {
			return problem.List{e}
		}
	}
	var head [8]byte
	hex.Decode(head[:], []byte(o.id[:2*len(head)])) // an id is hexadecimal
	b.entries = append(b.entries, entry{
		Observation: o,
		prefix:      binary.BigEndian.Uint64(head[:]),
		model:       w.group(text),
		inForce:     w.writer.parts.inForce(text),
		facts:       w.facts(text),
		batch:       b,
		n:           n,
		place:       place,
	})
	return nil
}

// keep returns what was written as a lasting string: the source's own text if
// that is a stored observation and equal.
func (w *worker) keep(source string) string {
	if w.stored && string(w.writer.Buf) == source {
		return source
	}
	return w.normal.keep(w.writer.Buf)
}

// checkStored holds a stored observation against what it normalizes to.
func (w *worker) checkStored(doc, id string) *problem.Error {
	switch {
	case w.reader.reordered:
		e := problem.New(problem.InvalidCatalog, "$", "its lists must be in normal order")
		e.Offset = 0
		return e
	case w.reader.id != id:
		e := problem.New(problem.InvalidCatalog, "$.id", "must be %s, the hash of the observation", id)
		e.Offset = ijson.Locate(doc, "id")
		return e
	}
	return nil
}

// group returns the group of the observation just written.
func (w *worker) group(text string) *group {
	identity := w.writer.parts.model.Text(text)
	g := w.models[identity]
	if g == nil {
		g = &group{identity: identity, key: canonical.Sum([]byte(identity))}
		w.models[identity] = g
	}
	return g
}

// facts returns the facts of the observation just written.
func (w *worker) facts(text string) []fact {
	parts := &w.writer.parts
	if len(parts.facts) == 0 {
		return nil
	}
	facts := make([]fact, len(parts.facts))
	for i, spans := range parts.facts {
		f := &facts[i]
		f.scope = scope{parts.execution.Text(text), spans.key.Text(text), parts.task.Text(text)}
		f.value = spans.value.Text(text)
		var h maphash.Hash
		h.SetSeed(w.seed)
		h.WriteString(f.scope.execution) // never fails
		h.WriteString(f.scope.key)
		h.WriteString(f.scope.task)
		f.hash = h.Sum64()
	}
	return facts
}
