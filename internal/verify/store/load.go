package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/verify/bundle"
)

// Loader writes bundles into a database.
type Loader struct {
	// Progress, if not nil, is told by Load how many more records are written.
	Progress func(records int)

	db      *sql.DB
	dialect *dialect
	// locked runs f in a transaction, which no other process loads beside.
	locked func(ctx context.Context, f func(*sql.Tx) error) error
	loaded func() // is called after a bundle was loaded
	close  func() error
}

// Close ends all connections.
func (l *Loader) Close() error { return l.close() }

// Counts are numbers of records by kind.
type Counts struct {
	Claims, Evidence, Events, AuthorityTrace int
}

func (c *Counts) kind(k bundle.Kind) *int {
	return [bundle.Stored]*int{&c.Claims, &c.Evidence, &c.Events, &c.AuthorityTrace}[k]
}

// Report says what became of the records of a bundle.
type Report struct {
	Added   Counts
	Present Counts // were there already
	Updated Counts // were there with other content, which the bundle's replaced
}

// ConflictError refuses a bundle: the store has a record with other content under an
// id of it, and may not change it.
type ConflictError struct {
	Kind string // claim, evidence, event or authority trace
	ID   string
	// Movable says that an update may change records of this kind.
	Movable bool
}

func (e *ConflictError) Error() string {
	if e.Movable {
		return fmt.Sprintf("%s %q: the store has another content under this id, and no update was asked for", e.Kind, e.ID)
	}
	return fmt.Sprintf("%s %q: the store has another content under this id, which never changes", e.Kind, e.ID)
}

// Load writes the claims, evidence, events and authority traces of a bundle in one
// transaction. A record that is there already, equal as canonical JSON, stays as it
// is. Another content under an id that the store has is refused with a
// [ConflictError], unless update is true and the record is a claim or a trace: then
// it takes the place of the old. After an error nothing of the bundle is written,
// unless the connection was lost at the very end: loading it again is always right.
func (l *Loader) Load(ctx context.Context, b *bundle.Bundle, update bool) (report Report, err error) {
	err = l.locked(ctx, func(tx *sql.Tx) error {
		report = Report{}
		w := &writer{
			tx: &transaction{tx, map[string]*sql.Stmt{}}, dialect: l.dialect, bundle: b, progress: l.Progress,
			rests: map[int32]digest{},
		}
		for kind := range bundle.Stored {
			if err := w.compareAll(ctx, kind, update, &report); err != nil {
				return err
			}
		}
		if err := w.writeAll(ctx); err != nil {
			return err
		}
		if report.Added == (Counts{}) && report.Updated == (Counts{}) {
			return nil
		}
		_, err := tx.ExecContext(ctx, "UPDATE verification_schema SET state = '"+rand.Text()+"'")
		return err
	})
	switch {
	case ctx.Err() != nil && err != nil:
		return Report{}, ctx.Err() // which a statement may meet as another error
	case err != nil:
		return Report{}, err
	}
	l.loaded()
	return report, nil
}

// transaction is a transaction and the statements that it runs again and again.
type transaction struct {
	*sql.Tx
	statements map[string]*sql.Stmt // they end with the transaction
}

// execAgain executes a statement that will come again.
func (t *transaction) execAgain(ctx context.Context, statement string, args ...any) error {
	prepared := t.statements[statement]
	if prepared == nil {
		var err error
		if prepared, err = t.PrepareContext(ctx, statement); err != nil {
			return err
		}
		t.statements[statement] = prepared
	}
	_, err := prepared.ExecContext(ctx, args...)
	return err
}

// standing is how a record of a bundle stands to those of the store.
type standing byte

const (
	added   standing = iota // it is not there
	present                 // it is there already
	updated                 // it is there with other content, whose place it takes
)

// writer writes a bundle.
type writer struct {
	tx       *transaction
	dialect  *dialect
	bundle   *bundle.Bundle
	progress func(records int)
	// standings are those of the records of each kind. A list is nil if all of them are added.
	standings [bundle.Stored][]standing
	// rests are the digests of claims that are there, without the claims themselves where those
	// are updated.
	rests map[int32]digest
}

func (w *writer) standing(kind bundle.Kind, index int32) standing {
	if w.standings[kind] == nil {
		return added
	}
	return w.standings[kind][index]
}

// done tells the progress of a load.
func (w *writer) done(records int) {
	if w.progress != nil && records > 0 {
		w.progress(records)
	}
}

// compareAll finds out how the records of a kind stand to those of the store, and counts them.
// The error is a [ConflictError] for the first of them, in the order of the bundle, that may not
// take the place of another.
func (w *writer) compareAll(ctx context.Context, kind bundle.Kind, update bool, report *Report) error {
	n := w.bundle.Len(kind)
	var isEmpty bool
	query := "SELECT NOT EXISTS (SELECT 1 FROM verification_record WHERE kind = " + strconv.Itoa(int(kind)) + ")"
	if err := w.tx.QueryRowContext(ctx, query).Scan(&isEmpty); err != nil {
		return err
	}
	if isEmpty {
		*report.Added.kind(kind) = n
		return nil
	}
	w.standings[kind] = make([]standing, n)
	for first := 0; first < n; first += chunkRows {
		last := min(first+chunkRows, n)
		if err := w.compare(ctx, kind, first, last); err != nil {
			return err
		}
		here := 0
		for i, standing := range w.standings[kind][first:last] {
			switch {
			case standing == added:
				*report.Added.kind(kind)++
			case standing == present:
				here++
			case !update || !kind.Movable():
				return &ConflictError{Kind: kind.String(), ID: w.bundle.ID(kind, first+i), Movable: kind.Movable()}
			default:
				*report.Updated.kind(kind)++
			}
		}
		*report.Present.kind(kind) += here
		w.done(here)
	}
	return nil
}

// compare finds out how some records stand to those of the store.
func (w *writer) compare(ctx context.Context, kind bundle.Kind, first, last int) error {
	asked := make([]string, 0, last-first)
	indexes := make(map[string]int, last-first)
	for i := first; i < last; i++ {
		k := key(w.bundle.ID(kind, i))
		asked = append(asked, k)
		indexes[k] = i
	}
	query := "SELECT claim_id, id, actor, record, digest FROM verification_record WHERE kind = " +
		strconv.Itoa(int(kind)) +
		" AND id IN (SELECT value FROM " + w.dialect.list(w.dialect.ref) + ")"
	found, err := w.tx.QueryContext(ctx, query, jsonList(asked))
	if err != nil {
		return err
	}
	defer found.Close()
	for found.Next() {
		r := row{kind: kind}
		var stored string
		if err := found.Scan(&r.claim, &r.id, &r.actor, &r.json, &stored); err != nil {
			return err
		}
		i := indexes[r.id]
		w.standings[kind][i] = updated
		if w.bundle.Record(kind, i).Equal(bundle.Record{JSON: r.json}) {
			w.standings[kind][i] = present
		}
		if kind != bundle.KindClaim {
			continue
		}
		rest, err := parseDigest(stored)
		if err != nil {
			return err
		}
		if w.standings[kind][i] == updated {
			rest.add(&r)
		}
		w.rests[int32(i)] = rest
	}
	return found.Err()
}

// writeAll writes all records that are not there, and what refs name them.
//
// Rows go in the order in which they are to lie in the tables, which takes half the time of any
// other order: claims with what belongs to them, and refs after all records, as they have to be
// sorted. Refs are hashes, as a rule, and would go all over the table else.
func (w *writer) writeAll(ctx context.Context) error {
	if err := w.deleteRefs(ctx); err != nil {
		return err
	}
	rows := rowBuffer{again: len(w.rests) > 0 || w.standings[bundle.KindTrace] != nil, hand: func(c *chunk) error {
		if err := w.dialect.insert(ctx, w.tx, c); err != nil {
			return err
		}
		w.done(c.records)
		return nil
	}}
	if err := w.writeRecords(&rows); err != nil {
		return err
	}
	rows.again = true
	for kind := range bundle.Stored {
		for _, r := range w.refs(kind) {
			if err := rows.put(&refTable, 0, r.ref, strconv.Itoa(r.kind), r.id); err != nil {
				return err
			}
		}
	}
	return rows.end()
}

// writeRecords writes claims with what belongs to them, and traces.
func (w *writer) writeRecords(rows *rowBuffer) error {
	evidence, events := w.order(bundle.KindEvidence), w.order(bundle.KindEvent)
	for _, claim := range w.order(bundle.KindClaim) {
		id := w.bundle.ID(bundle.KindClaim, int(claim))
		var list []row
		if w.standing(bundle.KindClaim, claim) != present {
			list = append(list, rowOf(w.bundle, bundle.KindClaim, claim))
		}
		list, evidence = w.cut(list, bundle.KindEvidence, evidence, id)
		list, events = w.cut(list, bundle.KindEvent, events, id)
		if err := rows.putClaim(key(id), list, w.rests[claim]); err != nil {
			return err
		}
	}
	for _, i := range w.order(bundle.KindTrace) {
		r, d := rowOf(w.bundle, bundle.KindTrace, i), digest{}
		d.add(&r)
		if err := rows.putRow(&r, d.text()); err != nil {
			return err
		}
	}
	return rows.end()
}

// order returns the records of a kind that are to be written, sorted by their claims and
// their ids. Of claims it returns all: others may belong to them.
func (w *writer) order(kind bundle.Kind) []int32 {
	b := w.bundle
	order := make([]int32, 0, b.Len(kind))
	for i := range int32(b.Len(kind)) {
		if kind == bundle.KindClaim || w.standing(kind, i) != present {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int32) int {
		return cmp.Or(strings.Compare(b.Parent(kind, int(i)), b.Parent(kind, int(j))),
			strings.Compare(b.ID(kind, int(i)), b.ID(kind, int(j))))
	})
	return order
}

// cut appends the rows of those of a kind that belong to a claim, which are the first in the order.
func (w *writer) cut(list []row, kind bundle.Kind, order []int32, claim string) (_ []row, rest []int32) {
	for len(order) > 0 && w.bundle.Parent(kind, int(order[0])) == claim {
		list = append(list, rowOf(w.bundle, kind, order[0]))
		order = order[1:]
	}
	return list, order
}

// refRow is a row of verification_ref.
type refRow struct {
	ref, id string
	kind    int
}

// refs returns the refs of records of a kind that are written, in the order of the table.
func (w *writer) refs(kind bundle.Kind) []refRow {
	list := make([]refRow, 0, 2*w.bundle.Len(kind))
	for i := range int32(w.bundle.Len(kind)) {
		if kind == bundle.KindEvent || w.standing(kind, i) == present {
			continue
		}
		r := w.bundle.Row(kind, int(i))
		id := key(r.ID)
		if kind == bundle.KindEvidence {
			id = key(r.Claims[0])
		}
		for _, ref := range r.Refs {
			list = append(list, refRow{key(ref), id, int(kind)})
		}
		if kind == bundle.KindTrace {
			for _, claim := range r.Claims {
				list = append(list, refRow{key(claim), id, kindLink})
			}
		}
	}
	slices.SortFunc(list, func(a, b refRow) int {
		return cmp.Or(strings.Compare(a.ref, b.ref), cmp.Compare(a.kind, b.kind), strings.Compare(a.id, b.id))
	})
	return list
}

// deleteRefs deletes what names claims and traces that are updated.
func (w *writer) deleteRefs(ctx context.Context) error {
	for kind, kinds := range map[bundle.Kind]string{bundle.KindClaim: "0", bundle.KindTrace: "3, 4"} {
		var keys []string
		for i, standing := range w.standings[kind] {
			if standing == updated {
				keys = append(keys, key(w.bundle.ID(kind, i)))
			}
		}
		statement := "DELETE FROM verification_ref WHERE kind IN (" + kinds + ") AND id IN (SELECT value FROM " +
			w.dialect.list(w.dialect.ref) + ")"
		for some := range slices.Chunk(keys, chunkRows) {
			if _, err := w.tx.ExecContext(ctx, statement, jsonList(some)); err != nil {
				return err
			}
		}
	}
	return nil
}
