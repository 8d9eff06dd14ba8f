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
// duplicates. Of many faults the first [problem.DefaultMost] are kept; after
// [problem.MostCounted] nothing more is read.
func Compile(ctx context.Context, docs []string, opts Options) (c *Catalog, dropped int, err error) {
	return compile(ctx, opts, func(emit func(*batch) bool) error {
		for i, doc := range docs {
			whole := Span{ijson.LenByteOrderMark(doc), len(doc)}
			if !emit(&batch{form: arguments, text: doc, docs: []Span{whole}, index: i}) {
				break
			}
		}
		return nil
	})
}

// CompileSources is Compile for the observations in sources. It reads them as
// streams. Faults have the place where they are.
func CompileSources(ctx context.Context, sources []Source, opts Options) (c *Catalog, dropped int, err error) {
	return compile(ctx, opts, func(emit func(*batch) bool) error {
		wanted := true
		for i := 0; i < len(sources) && wanted; i++ {
			err := split(sources[i], func(b *batch) bool {
				wanted = emit(b)
				return wanted
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// ValidateSource validates the observations in a source without compiling them
// and returns how many there are. It keeps none of them. Faults are those of
// CompileSources, but for dates and duplicates. Look, if it is not nil, sees each run of
// whole documents, and where it begins, before it is read.
func ValidateSource(ctx context.Context, source Source, look func(text string, at problem.Place)) (count int,
	err error) {
	p := pool{shape: inputShape, discard: true}
	_, err = p.run(ctx, func(emit func(*batch) bool) error {
		return split(source, func(b *batch) bool {
			count += len(b.docs)
			if look != nil {
				look(b.text, b.place)
			}
			return emit(b)
		})
	})
	return count, err
}

func compile(ctx context.Context, opts Options, produce func(func(*batch) bool) error) (*Catalog, int, error) {
	if !timestamp.Valid(opts.AsOf) {
		return nil, 0, problem.New(problem.InvalidCompileOptions, "$.asOf", timestamp.Rule)
	}
	p := pool{shape: inputShape, asOf: opts.AsOf}
	batches, err := p.run(ctx, produce)
	if err != nil {
		return nil, 0, err
	}
	c, replays := assemble(opts.AsOf, batches)
	if len(replays) > 0 && !opts.Dedupe {
		return nil, 0, replayFaults(replays).Err()
	}
	return c, len(replays), nil
}

// assemble makes the catalog of all entries. It returns the replays.
func assemble(asOf string, batches []*batch) (*Catalog, []replay) {
	parts := groupEntries(batches)
	inParallel(len(parts), func(i int) { parts[i].assemble(asOf) })
	c := &Catalog{asOf: asOf}
	var replays []replay
	for _, p := range parts {
		c.models = append(c.models, p.model)
		c.conflicts = append(c.conflicts, p.conflicts...)
		c.expired += p.expired
		replays = append(replays, p.replays...)
	}
	slices.SortFunc(c.conflicts, func(a, b Conflict) int { return strings.Compare(a.Key, b.Key) })
	return c, replays
}

// modelPart is what belongs to one model.
type modelPart struct {
	entries   []sortable // in the order of their documents, then by id, each once
	replays   []replay
	model     ModelEntry
	conflicts []Conflict
	expired   int // of the observations
}

// sortable is an entry with what mostly decides its place.
type sortable struct {
	prefix uint64
	*entry
}

// replay is an entry that is another one again.
type replay struct{ first, again *entry }

// groupEntries puts the entries of each model together, models in the order of
// their keys.
func groupEntries(batches []*batch) []*modelPart {
	parts := map[string]*modelPart{}
	for _, b := range batches {
		for i := range b.entries {
			e := &b.entries[i]
			if e.model.part == nil {
				if parts[e.model.key] == nil {
					parts[e.model.key] = &modelPart{model: ModelEntry{Key: e.model.key, IdentityJSON: e.model.identity}}
				}
				e.model.part = parts[e.model.key]
			}
			e.model.part.entries = append(e.model.part.entries, sortable{e.prefix, e})
		}
	}
	return slices.SortedFunc(maps.Values(parts), func(a, b *modelPart) int {
		return strings.Compare(a.model.Key,
			b.model.Key)
	})
}

// assemble sorts the entries, drops replays and finds the conflicts.
func (p *modelPart) assemble(asOf string) {
	slices.SortStableFunc(p.entries, func(a, b sortable) int {
		if a.prefix != b.prefix {
			return cmp.Compare(a.prefix, b.prefix)
		}
		return strings.Compare(a.id, b.id)
	})
	p.dropReplays()
	p.model.Identity = ReadModel(ijson.NewReader(p.model.IdentityJSON, problem.InvalidObservation))
	p.model.Observations = make([]Observation, len(p.entries))
	n := 0
	for i, e := range p.entries {
		p.model.Observations[i] = e.Observation
		n += len(e.facts)
		if e.inForce.end <= asOf {
			p.expired++
		}
	}
	facts := make([]hashedFact, 0, n)
	for _, e := range p.entries {
		for i := range e.facts {
			facts = append(facts, hashedFact{e.facts[i].hash, &e.facts[i]})
		}
	}
	p.conflicts = findConflicts(facts)
}

// dropReplays keeps the first of equal entries, which are neighbours.
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

// replayFaults reports replays in the order of their documents.
func replayFaults(replays []replay) problem.List {
	slices.SortFunc(replays, func(a, b replay) int {
		return cmp.Or(cmp.Compare(a.again.batch.number, b.again.batch.number), cmp.Compare(a.again.n, b.again.n))
	})
	var faults problem.Collector
	for i := range replays {
		if faults.Full() {
			break
		}
		faults.Add(replays[i].fault())
	}
	return faults.List("")
}

func (r replay) fault() *problem.Error {
	first, again := r.first, r.again
	if again.place.Line == 0 {
		return problem.New(problem.DuplicateObservation, "$.observations", "observation %s is given twice, at [%d] and [%d]",
			again.id, first.batch.index+first.n, again.batch.index+again.n)
	}
	e := problem.New(problem.DuplicateObservation, again.batch.path(again.n),
		"observation %s is given twice, first at %s:%d:%d",
		again.id, first.place.File, first.place.Line, first.place.Column)
	e.Place = again.place
	return e
}
