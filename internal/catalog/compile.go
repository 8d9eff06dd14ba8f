package catalog

import (
	"cmp"
	"context"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/timestamp"
)

// Options say how observations are compiled.
type Options struct {
	// AsOf is the instant that the catalog speaks for, a timestamp. What is
	// dated after it is refused.
	AsOf string
	// Dedupe drops exact replays, observations with equal ids. Without it they
	// are a fault.
	Dedupe bool
}

// Compile validates observations, each the JSON text of one, and compiles them
// into a catalog. What comes out depends on the set of observations and AsOf
// alone. It also returns how many replays were dropped.
//
// Faults are a problem.List, in the order of the documents, but those of a
// later rule only if there are none of an earlier one: validity, dates,
// duplicates.
func Compile(ctx context.Context, docs []string, opts Options) (c *Catalog, dropped int, err error) {
	return compile(ctx, opts, func(emit func(*batch) bool) (problem.List, error) {
		for i, doc := range docs {
			if !emit(&batch{text: doc, docs: []span{{ijson.LenByteOrderMark(doc), len(doc)}}, model: -1, index: i}) {
				break
			}
		}
		return nil, nil
	})
}

// CompileSources is Compile for the observations in sources. It reads them as
// streams. Faults have the place where they stand.
func CompileSources(ctx context.Context, sources []Source, opts Options) (c *Catalog, dropped int, err error) {
	return compile(ctx, opts, func(emit func(*batch) bool) (problem.List, error) {
		return splitAll(sources, emit)
	})
}

// splitAll hands on the documents of all sources.
func splitAll(sources []Source, emit func(*batch) bool) (faults problem.List, err error) {
	for _, s := range sources {
		broken, err := split(s, emit)
		if err != nil {
			return nil, err
		}
		faults = append(faults, broken...)
	}
	return faults, nil
}

func compile(ctx context.Context, opts Options, produce func(func(*batch) bool) (problem.List, error)) (*Catalog, int, error) {
	if !timestamp.Valid(opts.AsOf) {
		return nil, 0, problem.New(problem.InvalidCompileOptions, "$.asOf", timestamp.Rule)
	}
	n := normalizer{asOf: opts.AsOf, fields: observationFields}
	batches, err := n.normalize(ctx, produce)
	if err != nil {
		return nil, 0, err
	}
	c, replays := assemble(opts.AsOf, batches)
	if len(replays) > 0 && !opts.Dedupe {
		return nil, 0, duplicateFaults(replays, batches).Err()
	}
	return c, len(replays), nil
}

// normalize is run for a producer that can fail. It returns all faults as the
// error, those around documents behind those of documents.
func (n *normalizer) normalize(ctx context.Context, produce func(func(*batch) bool) (problem.List, error)) ([]*batch, error) {
	var around problem.List
	var failed error
	batches, err := n.run(ctx, func(emit func(*batch) bool) { around, failed = produce(emit) })
	if failed != nil {
		return nil, failed
	}
	if err != nil {
		return nil, err
	}
	return batches, gatherFaults(batches, around).Err()
}

// assemble makes the catalog of all entries. It returns replays apart.
func assemble(asOf string, batches []*batch) (*Catalog, []replay) {
	parts := groupEntries(batches)
	inParallel(len(parts), func(i int) { parts[i].assemble() })
	c := &Catalog{asOf: asOf}
	var replays []replay
	for i := range parts {
		p := &parts[i]
		c.models = append(c.models, p.model)
		c.conflicts = append(c.conflicts, p.conflicts...)
		replays = append(replays, p.replays...)
	}
	slices.SortFunc(c.conflicts, func(a, b Conflict) int { return strings.Compare(a.Key, b.Key) })
	return c, replays
}

// modelPart is what belongs to one model.
type modelPart struct {
	group     *group
	entries   []sortable // in the order of their documents, then by id, each once
	replays   []replay
	model     ModelEntry
	conflicts []Conflict
}

// sortable is an entry with what it is mostly sorted by.
type sortable struct {
	prefix uint64
	*entry
}

// groupEntries parts the entries by model, in the order of keys.
func groupEntries(batches []*batch) []modelPart {
	groups := map[string]*group{}
	for _, b := range batches {
		for i := range b.entries {
			if g := b.entries[i].model; groups[g.key] == nil {
				groups[g.key] = g
			}
		}
	}
	parts := make([]modelPart, len(groups))
	for i, key := range slices.Sorted(maps.Keys(groups)) {
		groups[key].number = i
		parts[i].group = groups[key]
	}
	for _, b := range batches {
		for i := range b.entries {
			e := &b.entries[i]
			e.model = groups[e.model.key]
			e.model.entries++
		}
	}
	for i := range parts {
		parts[i].entries = make([]sortable, 0, parts[i].group.entries)
	}
	for _, b := range batches {
		for i := range b.entries {
			e := &b.entries[i]
			part := &parts[e.model.number]
			part.entries = append(part.entries, sortable{e.prefix, e})
		}
	}
	return parts
}

// assemble sorts the entries, drops replays and finds the conflicts.
func (p *modelPart) assemble() {
	slices.SortStableFunc(p.entries, func(a, b sortable) int {
		if a.prefix != b.prefix {
			return cmp.Compare(a.prefix, b.prefix)
		}
		return strings.Compare(a.id, b.id)
	})
	p.dropReplays()
	p.model = ModelEntry{
		Key:          p.group.key,
		Identity:     ReadModel(ijson.NewReader(p.group.identity, problem.InvalidObservation)),
		IdentityJSON: p.group.identity,
		Observations: make([]Observation, len(p.entries)),
	}
	n := 0
	for i, e := range p.entries {
		p.model.Observations[i] = e.Observation
		n += len(e.facts)
	}
	facts := make([]scoped, 0, n)
	for _, e := range p.entries {
		for i := range e.facts {
			facts = append(facts, scoped{e.facts[i].hash, &e.facts[i]})
		}
	}
	p.conflicts = findConflicts(facts)
}

// replay is an entry whose observation stood in the input before.
type replay struct{ first, again *entry }

// dropReplays keeps the first of the entries with one id.
func (p *modelPart) dropReplays() {
	kept := p.entries[:0]
	for _, e := range p.entries {
		if n := len(kept); n > 0 && kept[n-1].id == e.id {
			p.replays = append(p.replays, replay{kept[n-1].entry, e.entry})
			continue
		}
		kept = append(kept, e)
	}
	p.entries = kept
}

// inParallel calls do for 0 to n-1 on all processors and returns when all calls
// have.
func inParallel(n int, do func(i int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	workers.Wait()
}

// duplicateFaults reports replays in the order of their documents.
func duplicateFaults(replays []replay, batches []*batch) problem.List {
	of := make(map[*entry]replay, len(replays))
	for _, r := range replays {
		of[r.again] = r
	}
	var faults problem.List
	for _, b := range batches {
		for i := range b.entries {
			if r, is := of[&b.entries[i]]; is {
				faults = append(faults, r.fault())
			}
		}
	}
	return faults
}

func (r replay) fault() *problem.Error {
	first, again := r.first, r.again
	if again.place.Line == 0 {
		return problem.New(problem.DuplicateObservation, "$.observations", "observation %s is given twice, at [%d] and [%d]",
			again.id, first.batch.index+first.n, again.batch.index+again.n)
	}
	e := problem.New(problem.DuplicateObservation, again.batch.path(again.n), "observation %s is given twice, first at %s:%d:%d",
		again.id, first.place.File, first.place.Line, first.place.Column)
	e.Place = again.place
	return e
}
