package catalog

import (
	"cmp"
	"context"
	"fmt"
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

// Compile validates observations and compiles them into a catalog. What comes
// out depends on the set of observations and AsOf alone. It returns how many
// replays were dropped. Faults are a problem.List, in the order of the
// documents, those of a later rule only if there are none of an earlier one:
// validity, dates, duplicates.
func Compile(ctx context.Context, docs []Document, opts Options) (c *Catalog, dropped int, err error) {
	return compile(ctx, opts, func(yield func(Document) bool) problem.List {
		for _, d := range docs {
			if !yield(d) {
				break
			}
		}
		return nil
	})
}

// CompileSources is Compile for the documents of whole sources, each of which
// holds one observation, a list of them, or one a line. next returns the
// sources one by one, and io.EOF behind the last.
func CompileSources(ctx context.Context, sources []*problem.Source, opts Options) (c *Catalog, dropped int, err error) {
	return compile(ctx, opts, func(yield func(Document) bool) (faults problem.List) {
		for _, s := range sources {
			faults = append(faults, documents(s, yield)...)
		}
		return faults
	})
}

func compile(ctx context.Context, opts Options, produce func(func(Document) bool) problem.List) (*Catalog, int, error) {
	if !IsTimestamp(opts.AsOf) {
		return nil, 0, problem.New(problem.InvalidCompileOptions, "$.asOf", timestampRule)
	}
	n := normalizer{asOf: opts.AsOf, fields: observationFields}
	var listFaults problem.List
	batches, err := n.run(ctx, func(yield func(Document) bool) { listFaults = produce(yield) })
	if err != nil {
		return nil, 0, err
	}
	if faults := gatherFaults(batches, listFaults); faults != nil {
		return nil, 0, faults.Err()
	}
	entries := sortEntries(batches)
	entries, replays := unique(entries)
	if len(replays) > 0 && !opts.Dedupe {
		return nil, 0, duplicateFaults(replays, batches).Err()
	}
	c := assemble(opts.AsOf, entries)
	return c, len(replays), nil
}

// gatherFaults unites the faults of all batches with those of the lists around
// their documents.
func gatherFaults(batches []*batch, lists problem.List) problem.List {
	var all problem.List
	for _, b := range batches {
		all = append(all, b.faults...)
	}
	return datesLast(append(all, lists...))
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

// duplicateFaults reports replays in the order of the documents.
func duplicateFaults(replays []replay, batches []*batch) problem.List {
	of := make(map[*Document]replay, len(replays))
	for _, r := range replays {
		of[r.again.doc] = r
	}
	var faults problem.List
	for _, b := range batches {
		for i := range b.docs {
			if r, is := of[&b.docs[i]]; is {
				faults = append(faults, duplicateFault(r))
			}
		}
	}
	return faults
}

func duplicateFault(r replay) *problem.Error {
	e := problem.New(problem.DuplicateObservation, "$.observations", "observation %s is given twice", r.again.id)
	if doc := r.again.doc; doc.Source != nil {
		e.Path, e.Source, e.Offset = doc.Path(), doc.Source, doc.Offset
		first := r.first.doc
		line, column := problem.Position(first.Source.Text, first.Offset)
		e.Reason = fmt.Sprintf("observation %s is given twice, first at %s:%d:%d", r.again.id, first.Source.Name, line, column)
	}
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
