package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"sync"

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
		w := &writer{tx: &transaction{tx, map[string]*sql.Stmt{}}, dialect: l.dialect, bundle: b, progress: l.Progress}
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
		_, err := tx.ExecContext(ctx, "UPDATE verification_state SET state = '"+rand.Text()+"'")
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

// writer writes a bundle.
type writer struct {
	tx        *transaction
	dialect   *dialect
	bundle    *bundle.Bundle
	progress  func(records int)
	standings standings
}

// done tells the progress of a load.
func (w *writer) done(records int) {
	if w.progress != nil && records > 0 {
		w.progress(records)
	}
}

// storedQueries answer the records of each kind whose keys are in the list LIST, each traces
// by itself, others with all that are in the same part.
var storedQueries = [bundle.Stored]string{
	bundle.KindClaim:    "SELECT claim_id, records FROM verification_part WHERE number = 0 AND claim_id IN (SELECT value FROM LIST)",
	bundle.KindEvidence: partsOfPlaces("verification_evidence_place"),
	bundle.KindEvent:    partsOfPlaces("verification_event_place"),
	bundle.KindTrace:    "SELECT id, record FROM verification_trace WHERE id IN (SELECT value FROM LIST)",
}

func partsOfPlaces(places string) string {
	return "SELECT p.claim_id, p.records FROM (SELECT DISTINCT claim_id, part FROM " + places + " WHERE id IN (SELECT value FROM LIST)) AS place" +
		" CROSS JOIN verification_part AS p WHERE p.claim_id = place.claim_id AND p.number = place.part"
}

// compareAll finds out how the records of a kind stand to those of the store, and counts them.
// The error is a [ConflictError] for the first of them, in the order of the bundle, that may not
// take the place of another.
func (w *writer) compareAll(ctx context.Context, kind bundle.Kind, update bool, report *Report) error {
	n := w.bundle.Len(kind)
	var isEmpty bool
	if err := w.tx.QueryRowContext(ctx, "SELECT NOT EXISTS (SELECT 1 FROM "+kindTables[kind].name+")").Scan(&isEmpty); err != nil {
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
	see := func(key, json string) {
		i, ok := indexes[key]
		switch {
		case !ok:
		case w.bundle.Record(kind, i).Equal(bundle.Record{JSON: json}):
			w.standings[kind][i] = present
		default:
			w.standings[kind][i] = updated
		}
	}
	return w.query(ctx, storedQueries[kind], asked, func(found *sql.Rows) error {
		var key, text string
		if err := found.Scan(&key, &text); err != nil {
			return err
		}
		if kind == bundle.KindTrace {
			see(key, text)
			return nil
		}
		for p := pack(text); p != ""; {
			r, err := p.cut()
			if err != nil {
				return err
			}
			if r.kind == kind {
				see(r.key, r.json)
			}
		}
		return nil
	})
}

// query runs a query with a list of keys in the place of LIST.
func (w *writer) query(ctx context.Context, query string, keys []string, read func(*sql.Rows) error) error {
	found, err := w.tx.QueryContext(ctx, strings.ReplaceAll(query, "LIST", w.dialect.list(w.dialect.ref)), jsonList(keys))
	if err != nil {
		return err
	}
	defer found.Close()
	for found.Next() {
		if err := read(found); err != nil {
			return err
		}
	}
	return found.Err()
}

// writeAll writes all records that are not there. While the database is at work on some rows,
// the next are prepared beside it.
func (w *writer) writeAll(ctx context.Context) error {
	for i := range linkTables {
		if t := &linkTables[i]; t.owned {
			if err := w.deletePairs(ctx, t); err != nil {
				return err
			}
		}
	}
	ctx, stop := context.WithCancel(ctx)
	const ahead = 1
	p := &preparer{bundle: w.bundle, standings: &w.standings, steps: make(chan step, ahead)}
	var preparing sync.WaitGroup
	defer preparing.Wait()
	defer stop()
	preparing.Go(func() {
		defer close(p.steps)
		p.prepare(ctx)
	})
	grown := grower{writer: w}
	for s := range p.steps {
		var err error
		if s.growth != nil {
			err = grown.add(ctx, s.growth)
		} else {
			err = w.insert(ctx, s.chunk)
		}
		if err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil { // with which the steps end early
		return err
	}
	return grown.end(ctx)
}

// insert inserts rows.
func (w *writer) insert(ctx context.Context, c *chunk) error {
	if err := w.dialect.insert(ctx, w.tx, c); err != nil {
		return err
	}
	w.done(c.records)
	return nil
}

// deletePairs deletes the pairs of records that are updated. New ones are written when all
// records are.
func (w *writer) deletePairs(ctx context.Context, t *linkTable) error {
	var keys []string
	for i, standing := range w.standings[t.kind] {
		if standing == updated {
			keys = append(keys, key(w.bundle.ID(t.kind, i)))
		}
	}
	statement := "DELETE FROM " + t.name + " WHERE " + t.columns[0] + " IN (SELECT value FROM " + w.dialect.list(w.dialect.ref) + ")"
	for some := range slices.Chunk(keys, chunkRows) {
		if _, err := w.tx.ExecContext(ctx, statement, jsonList(some)); err != nil {
			return err
		}
	}
	return nil
}
