package store

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/model-catalog-service/svc/internal/verify/bundle"
)

// standing is how a record of a bundle stands to those of the store.
type standing byte

const (
	added   standing = iota // it is not there
	present                 // it is there already
	updated                 // it is there with other content, whose place it takes
)

// standings are those of the records of a bundle. A list is nil if all of its records are
// added.
type standings [bundle.Stored][]standing

func (s *standings) of(kind bundle.Kind, index int32) standing {
	if s[kind] == nil {
		return added
	}
	return s[kind][index]
}

// preparer makes of the records of a bundle what is to be written: rows that are not there,
// and what is to be done with the others.
//
// Rows go in the order in which they are to lie in the tables, which takes half the time of
// any other order: claims with what belongs to them by their ids, and pairs after all
// records, as they have to be sorted. Refs are hashes, as a rule, and would go all over the
// table else.
type preparer struct {
	bundle    *bundle.Bundle
	standings *standings
	steps     chan step
}

// step is what is written next: one of these.
type step struct {
	chunk  *chunk
	growth *growth
}

// growth is what changes of a claim that is there.
type growth struct {
	claim            int32
	evidence, events []int32
}

// prepare makes all steps, or those up to the end of ctx.
func (p *preparer) prepare(ctx context.Context) {
	rows := rowBuffer{hand: func(c *chunk) error { return p.send(ctx, step{chunk: c}) }}
	if p.prepareClaims(ctx, &rows) != nil || p.prepareTraces(&rows) != nil {
		return
	}
	rows.again = true
	var sorting sync.WaitGroup
	defer sorting.Wait()
	var pairs [len(linkTables)][]pair
	for i := range linkTables {
		sorting.Wait()
		if i == 0 {
			pairs[i] = p.pairs(&linkTables[i])
		}
		if next := i + 1; next < len(linkTables) { // is sorted while these are written
			sorting.Go(func() { pairs[next] = p.pairs(&linkTables[next]) })
		}
		for _, pair := range pairs[i] {
			if rows.put(&linkTables[i].table, 0, pair.first, pair.second) != nil {
				return
			}
		}
		if rows.end() != nil {
			return
		}
		pairs[i] = nil
	}
}

// send hands a step over, unless nobody wants it any more.
func (p *preparer) send(ctx context.Context, s step) error {
	select {
	case p.steps <- s:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// prepareClaims makes the steps of claims and of what belongs to them.
func (p *preparer) prepareClaims(ctx context.Context, rows *rowBuffer) error {
	var evidence, events []int32
	var sorting sync.WaitGroup
	sorting.Go(func() { evidence = p.order(bundle.KindEvidence) })
	sorting.Go(func() { events = p.order(bundle.KindEvent) })
	claims := p.order(bundle.KindClaim)
	sorting.Wait()
	parts := parts{put: rows.put}
	for _, claim := range claims {
		g := growth{claim: claim}
		id := p.bundle.ID(bundle.KindClaim, int(claim))
		g.evidence, evidence = p.cut(bundle.KindEvidence, evidence, id)
		g.events, events = p.cut(bundle.KindEvent, events, id)
		var err error
		switch standing := p.standings.of(bundle.KindClaim, claim); {
		case standing == added:
			err = parts.addAll(p.bundle, &g)
		case standing == updated || len(g.evidence)+len(g.events) > 0:
			err = p.send(ctx, step{growth: &g})
		}
		if err != nil {
			return err
		}
	}
	return rows.end()
}

// addAll puts a claim that is not there into parts, and what belongs to it.
func (p *parts) addAll(b *bundle.Bundle, g *growth) error {
	claim := recordToPack(b, bundle.KindClaim, g.claim)
	if err := p.begin(claim.key, 0, ""); err != nil {
		return err
	}
	if err := p.add(claim); err != nil {
		return err
	}
	return p.addMore(b, g)
}

// addMore adds what belongs to a claim, and ends its last part.
func (p *parts) addMore(b *bundle.Bundle, g *growth) error {
	for _, i := range g.evidence {
		if err := p.add(recordToPack(b, bundle.KindEvidence, i)); err != nil {
			return err
		}
	}
	for _, i := range g.events {
		if err := p.add(recordToPack(b, bundle.KindEvent, i)); err != nil {
			return err
		}
	}
	return p.end()
}

// recordToPack returns a record of a bundle as it goes into a pack.
func recordToPack(b *bundle.Bundle, kind bundle.Kind, index int32) packedRecord {
	record := b.Record(kind, int(index))
	r := packedRecord{kind: kind, key: key(record.ID), json: record.JSON}
	if kind == bundle.KindEvent {
		r.actor = key(b.Actor(kind, int(index)))
	}
	return r
}

// prepareTraces makes the steps of traces.
func (p *preparer) prepareTraces(rows *rowBuffer) error {
	rows.again = p.standings[bundle.KindTrace] != nil
	for _, i := range p.order(bundle.KindTrace) {
		r := p.bundle.Record(bundle.KindTrace, int(i))
		if err := rows.put(&traceTable, 1, key(r.ID), key(p.bundle.Actor(bundle.KindTrace, int(i))), r.JSON); err != nil {
			return err
		}
	}
	return rows.end()
}

// order returns the records of a kind that are to be written, sorted by their claims and
// their ids. Of claims it returns all: others may belong to them.
func (p *preparer) order(kind bundle.Kind) []int32 {
	b := p.bundle
	order := make([]int32, 0, b.Len(kind))
	for i := range int32(b.Len(kind)) {
		if kind == bundle.KindClaim || p.standings.of(kind, i) != present {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int32) int {
		return cmp.Or(strings.Compare(b.Parent(kind, int(i)), b.Parent(kind, int(j))),
			strings.Compare(b.ID(kind, int(i)), b.ID(kind, int(j))))
	})
	return order
}

// cut parts the records of a kind that belong to a claim, which are the first, from the rest.
func (p *preparer) cut(kind bundle.Kind, order []int32, claim string) (of, rest []int32) {
	n := 0
	for n < len(order) && p.bundle.Parent(kind, int(order[n])) == claim {
		n++
	}
	return order[:n], order[n:]
}

// pair is a row of a link table.
type pair struct{ first, second string }

// pairs returns the rows of a link table, in the order in which they are to lie there.
func (p *preparer) pairs(t *linkTable) []pair {
	n := p.bundle.Len(t.kind)
	pairs := make([]pair, 0, n) // one of each record, as a rule
	for i := range int32(n) {
		if p.standings.of(t.kind, i) == present {
			continue
		}
		row := p.bundle.Row(t.kind, int(i))
		first, seconds := t.pairs(&row)
		for _, second := range seconds {
			pairs = append(pairs, pair{key(first), key(second)})
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		if t.columns[1] == "ref" {
			return cmp.Or(strings.Compare(a.second, b.second), strings.Compare(a.first, b.first))
		}
		return cmp.Or(strings.Compare(a.first, b.first), strings.Compare(a.second, b.second))
	})
	return pairs
}
