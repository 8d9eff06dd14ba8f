package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"slices"
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
		statements := map[string]*sql.Stmt{}
		for kind := range bundle.Stored { // claims first, which the others refer to
			w := &writer{
				tx: &transaction{tx, statements}, dialect: l.dialect, table: &tables[kind], kind: kind,
				update: update, report: &report, progress: l.Progress,
			}
			if err := w.look(ctx); err != nil {
				return err
			}
			for _, i := range w.order(b) {
				if err := w.add(ctx, b.Row(kind, int(i))); err != nil {
					return err
				}
			}
			if err := w.end(ctx); err != nil {
				return err
			}
		}
		if report.Added == (Counts{}) && report.Updated == (Counts{}) {
			return nil
		}
		_, err := tx.ExecContext(ctx, "UPDATE verification_state SET state = '"+rand.Text()+"'")
		return err
	})
	if err != nil {
		return Report{}, err
	}
	l.loaded()
	return report, nil
}

// table is where the records of a kind are kept.
type table struct {
	name    string
	columns []string // the key of the id first, the record last
	links   []linkTable
}

// linkTable is a table of pairs of keys that belong to records.
type linkTable struct {
	name    string
	columns []string // two
	owned   bool     // the first is the record: pairs change with it
	pairs   func(r *bundle.Row) (first string, seconds []string)
}

var tables = [bundle.Stored]table{
	bundle.KindClaim: {
		"verification_claim", []string{"id", "record"},
		[]linkTable{{"verification_claim_ref", []string{"claim_id", "ref"}, true, refsBesidesID}},
	},
	bundle.KindEvidence: {
		"verification_evidence", []string{"id", "claim_id", "record"},
		[]linkTable{{"verification_evidence_ref", []string{"claim_id", "ref"}, false, refsOfClaim}},
	},
	bundle.KindEvent: {"verification_event", []string{"id", "claim_id", "actor", "record"}, nil},
	bundle.KindTrace: {
		"verification_trace", []string{"id", "actor", "record"},
		[]linkTable{
			{"verification_trace_claim", []string{"trace_id", "claim_id"}, true, claims},
			{"verification_trace_ref", []string{"trace_id", "ref"}, true, refs},
		},
	},
}

func refs(r *bundle.Row) (first string, seconds []string)        { return r.ID, r.Refs }
func claims(r *bundle.Row) (first string, seconds []string)      { return r.ID, r.Claims }
func refsOfClaim(r *bundle.Row) (first string, seconds []string) { return r.Claims[0], r.Refs }

// refsBesidesID are the refs of a claim, whose id needs no other column than its own.
func refsBesidesID(r *bundle.Row) (first string, seconds []string) {
	return r.ID, slices.DeleteFunc(r.Refs, func(ref string) bool { return ref == r.ID })
}

// cells returns the row of a table that a record becomes.
func (t *table) cells(r *bundle.Row) []string {
	cells := make([]string, len(t.columns))
	for i, column := range t.columns {
		switch column {
		case "id":
			cells[i] = key(r.ID)
		case "claim_id":
			cells[i] = key(r.Claims[0])
		case "actor":
			cells[i] = key(r.Actor)
		case "record":
			cells[i] = r.JSON
		}
	}
	return cells
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

// writer writes the records of a kind, some hundred at a time.
type writer struct {
	tx       *transaction
	dialect  *dialect
	table    *table
	kind     bundle.Kind
	update   bool
	report   *Report
	progress func(records int)

	wasEmpty bool     // the table, before the bundle, whose ids are unique
	pairs    [][]pair // of each link table, if the table was empty: written last

	chunk []row
	size  int // of its records, in bytes
}

// row is a record and its row in the table.
type row struct {
	bundle.Row
	cells []string // the key first
}

// The most rows and bytes that are sent in one statement.
const (
	chunkRows  = 500
	chunkBytes = 4 << 20
)

// look looks whether there is anything that new records may be held against.
func (w *writer) look(ctx context.Context) error {
	return w.tx.QueryRowContext(ctx, "SELECT NOT EXISTS (SELECT 1 FROM "+w.table.name+")").Scan(&w.wasEmpty)
}

// order returns the order in which the records of the bundle are written. Into an empty
// table they go as they are to lie there, which takes half the time of any other order;
// else as they stand in the bundle, so that conflicts are found in that order.
func (w *writer) order(b *bundle.Bundle) []int32 {
	order := make([]int32, b.Len(w.kind))
	for i := range order {
		order[i] = int32(i)
	}
	if !w.wasEmpty {
		return order
	}
	for range w.table.links {
		w.pairs = append(w.pairs, make([]pair, 0, len(order))) // one of each, as a rule
	}
	slices.SortFunc(order, func(i, j int32) int {
		return cmp.Or(strings.Compare(b.Parent(w.kind, int(i)), b.Parent(w.kind, int(j))),
			strings.Compare(b.ID(w.kind, int(i)), b.ID(w.kind, int(j))))
	})
	return order
}

func (w *writer) add(ctx context.Context, r bundle.Row) error {
	w.chunk = append(w.chunk, row{r, w.table.cells(&r)})
	w.size += len(r.JSON)
	if len(w.chunk) < chunkRows && w.size < chunkBytes {
		return nil
	}
	return w.flush(ctx)
}

// flush writes a chunk of records: those that are new and, if that is asked for,
// those that moved on.
func (w *writer) flush(ctx context.Context) error {
	if len(w.chunk) == 0 {
		return nil
	}
	stored, err := w.stored(ctx)
	if err != nil {
		return err
	}
	var written, moved []row
	for _, r := range w.chunk {
		text, known := stored[r.cells[0]]
		switch {
		case !known:
			*w.report.Added.kind(w.kind)++
			written = append(written, r)
		case r.Equal(bundle.Record{ID: r.ID, JSON: text}):
			*w.report.Present.kind(w.kind)++
		case !w.update || !w.kind.Movable():
			return &ConflictError{Kind: w.kind.String(), ID: r.ID, Movable: w.kind.Movable()}
		default:
			*w.report.Updated.kind(w.kind)++
			moved = append(moved, r)
		}
	}
	if err := w.write(ctx, append(written, moved...), moved); err != nil {
		return err
	}
	if w.progress != nil {
		w.progress(len(w.chunk))
	}
	w.chunk, w.size = w.chunk[:0], 0
	return nil
}

// stored returns the texts that the store has under the keys of the chunk.
func (w *writer) stored(ctx context.Context) (map[string]string, error) {
	texts := map[string]string{}
	if w.wasEmpty {
		return texts, nil
	}
	found, err := w.tx.QueryContext(ctx, "SELECT id, record FROM "+w.table.name+" WHERE id IN (SELECT value FROM "+w.dialect.list+")", keys(w.chunk))
	if err != nil {
		return nil, err
	}
	defer found.Close()
	for found.Next() {
		var id, text string
		if err := found.Scan(&id, &text); err != nil {
			return nil, err
		}
		texts[id] = text
	}
	return texts, found.Err()
}

func keys(rows []row) string {
	list := make([]string, len(rows))
	for i, r := range rows {
		list[i] = r.cells[0]
	}
	return jsonList(list)
}

// write writes rows, some of which take the place of those with their ids, and the
// pairs that belong to them.
func (w *writer) write(ctx context.Context, written, moved []row) error {
	cells := make([][]string, len(written))
	for i, r := range written {
		cells[i] = r.cells
	}
	tail := ""
	if len(moved) > 0 {
		tail = "ON CONFLICT (id) DO UPDATE SET "
		for i, c := range w.table.columns[1:] {
			tail += strings.Repeat(", ", min(i, 1)) + c + " = excluded." + c
		}
	}
	if err := w.insert(ctx, w.table.name, w.table.columns, cells, tail); err != nil {
		return err
	}
	for i, l := range w.table.links {
		if l.owned && len(moved) > 0 {
			statement := "DELETE FROM " + l.name + " WHERE " + l.columns[0] + " IN (SELECT value FROM " + w.dialect.list + ")"
			if _, err := w.tx.ExecContext(ctx, statement, keys(moved)); err != nil {
				return err
			}
		}
		var pairs []pair
		for _, r := range written {
			first, seconds := l.pairs(&r.Row)
			for _, second := range seconds {
				pairs = append(pairs, pair{key(first), key(second)})
			}
		}
		if w.wasEmpty {
			w.pairs[i] = append(w.pairs[i], pairs...)
		} else if err := w.insertPairs(ctx, &l, pairs); err != nil {
			return err
		}
	}
	return nil
}

// pair is a row of a link table.
type pair struct{ first, second string }

// end writes what is left: the last chunk, and the pairs, in the order in which they are
// to lie there. Refs are hashes, as a rule, and would go all over the table else.
func (w *writer) end(ctx context.Context) error {
	if err := w.flush(ctx); err != nil {
		return err
	}
	for i, pairs := range w.pairs {
		l := w.table.links[i]
		slices.SortFunc(pairs, func(a, b pair) int {
			if l.columns[1] == "ref" {
				return cmp.Or(strings.Compare(a.second, b.second), strings.Compare(a.first, b.first))
			}
			return cmp.Or(strings.Compare(a.first, b.first), strings.Compare(a.second, b.second))
		})
		for chunk := range slices.Chunk(pairs, chunkRows) {
			if err := w.insertPairs(ctx, &l, chunk); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *writer) insertPairs(ctx context.Context, l *linkTable, pairs []pair) error {
	rows := make([][]string, len(pairs))
	for i, p := range pairs {
		rows[i] = []string{p.first, p.second}
	}
	return w.insert(ctx, l.name, l.columns, rows, "ON CONFLICT DO NOTHING")
}

// insert inserts rows. What conflicts goes by tail.
func (w *writer) insert(ctx context.Context, into string, columns []string, rows [][]string, tail string) error {
	for chunk := range slices.Chunk(rows, chunkRows) {
		if err := w.dialect.insert(ctx, w.tx, into, tail, columns, chunk); err != nil {
			return err
		}
	}
	return nil
}
