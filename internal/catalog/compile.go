package catalog

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
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
			if !emit(&batch{text: doc, docs: []span{{0, len(doc)}}, model: -1, index: i}) {
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
	if !IsTimestamp(opts.AsOf) {
		return nil, 0, problem.New(problem.InvalidCompileOptions, "$.asOf", timestampRule)
	}
	n := normalizer{asOf: opts.AsOf, fields: observationFields}
	batches, err := n.normalize(ctx, produce)
	if err != nil {
		return nil, 0, err
	}
	entries, replays := unique(sortEntries(batches))
	if len(replays) > 0 && !opts.Dedupe {
		return nil, 0, duplicateFaults(replays, batches).Err()
	}
	return assemble(opts.AsOf, entries), len(replays), nil
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
	var faults problem.List
	for _, b := range batches {
		faults = append(faults, b.faults...)
	}
	return batches, datesLast(append(faults, around...)).Err()
}

// sortEntries numbers the models by key and returns all entries by model and
// id. Replays of one observation stand in the order of their documents.
func sortEntries(batches []*batch) []*entry {
	groups := numberGroups(batches)
	perGroup := make([][]*entry, len(groups))
	total := 0
	for _, b := range batches {
		total += len(b.entries)
		for i := range b.entries {
			e := &b.entries[i]
			e.model = groups[e.model.key]
			perGroup[e.model.number] = append(perGroup[e.model.number], e)
		}
	}
	sorted := make([]*entry, 0, total)
	for _, of := range perGroup {
		slices.SortStableFunc(of, func(a, b *entry) int {
			if a.prefix != b.prefix {
				return cmp.Compare(a.prefix, b.prefix)
			}
			return strings.Compare(a.id, b.id)
		})
		sorted = append(sorted, of...)
	}
	return sorted
}

// numberGroups makes one group of those with the same key and numbers them in
// the order of keys.
func numberGroups(batches []*batch) map[string]*group {
	byKey := map[string]*group{}
	for _, b := range batches {
		for i := range b.entries {
			if g := b.entries[i].model; byKey[g.key] == nil {
				byKey[g.key] = g
			}
		}
	}
	for i, key := range slices.Sorted(maps.Keys(byKey)) {
		byKey[key].number = i
	}
	return byKey
}

// replay is an entry whose observation stood in the input before.
type replay struct{ first, again *entry }

// unique drops replays from sorted entries and returns them apart.
func unique(entries []*entry) (kept []*entry, replays []replay) {
	kept = entries[:0]
	for _, e := range entries {
		if n := len(kept); n > 0 && kept[n-1].id == e.id {
			replays = append(replays, replay{kept[n-1], e})
			continue
		}
		kept = append(kept, e)
	}
	return kept, replays
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

// assemble makes the catalog of sorted entries without replays.
func assemble(asOf string, entries []*entry) *Catalog {
	c := &Catalog{asOf: asOf}
	all := make([]Observation, len(entries))
	for len(entries) > 0 {
		g, n := entries[0].model, 1
		for n < len(entries) && entries[n].model == g {
			n++
		}
		var facts []fact
		for i, e := range entries[:n] {
			all[i] = e.Observation
			facts = append(facts, e.facts...)
		}
		c.models = append(c.models, ModelEntry{
			Key:          g.key,
			Identity:     ReadModel(ijson.NewReader(g.identity, problem.InvalidObservation)),
			IdentityJSON: g.identity,
			Observations: all[:n:n],
		})
		c.conflicts = append(c.conflicts, findConflicts(facts)...)
		entries, all = entries[n:], all[n:]
	}
	slices.SortFunc(c.conflicts, func(a, b Conflict) int { return strings.Compare(a.Key, b.Key) })
	c.seal()
	return c
}
