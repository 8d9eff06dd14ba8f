package store

import (
	"cmp"
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
		w := &writer{tx: &transaction{tx, map[string]*sql.Stmt{}}, dialect: l.dialect, update: update, report: &report, progress: l.Progress}
		for kind := range bundle.Stored {
			query := "SELECT NOT EXISTS (SELECT 1 FROM " + tables[kind].name + ")"
			if err := tx.QueryRowContext(ctx, query).Scan(&w.wasEmpty[kind]); err != nil {
				return err
			}
		}
		if err := w.writeAll(ctx, b); err != nil {
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

// writer writes a bundle, some hundred rows at a time.
type writer struct {
	tx       *transaction
	dialect  *dialect
	update   bool
	report   *Report
	progress func(records int)
	wasEmpty [bundle.Stored]bool // the table of each kind, before the bundle, whose ids are unique
}

// writeAll writes all records. While the database is at work on some rows, the next are
// prepared beside it.
func (w *writer) writeAll(ctx context.Context, b *bundle.Bundle) error {
	ctx, stop := context.WithCancel(ctx)
	const ahead = 1
	p := &preparer{bundle: b, wasEmpty: w.wasEmpty, chunks: make(chan chunk, ahead)}
	var preparing sync.WaitGroup
	defer preparing.Wait()
	defer stop()
	preparing.Go(func() {
		defer close(p.chunks)
		p.prepare(ctx)
	})
	for c := range p.chunks {
		if err := w.write(ctx, &c); err != nil {
			return err
		}
	}
	return ctx.Err() // with which the chunks end early
}

// chunk is what is written at once: records of a kind, or pairs.
type chunk struct {
	kind    bundle.Kind
	records []row
	links   *links // nil for records
}

// links are pairs for one table.
type links struct {
	table *linkTable
	pairs []pair
}

// row is a record and its row in the table.
type row struct {
	bundle.Row
	cells []string // the key first
}

// pair is a row of a link table.
type pair struct{ first, second string }

// The most rows and bytes that are sent in one statement.
const (
	chunkRows  = 500
	chunkBytes = 4 << 20
)

// preparer makes the chunks of a bundle: those of claims first, which all others refer to.
//
// Into an empty table rows go in the order in which they are to lie there, which takes
// half the time of any other order: records as their keys say, and pairs after all
// records, as they have to be sorted. Refs are hashes, as a rule, and would go all over
// the table else. Where there are records already, all goes as it stands in the bundle,
// so that conflicts are found in that order.
type preparer struct {
	bundle   *bundle.Bundle
	wasEmpty [bundle.Stored]bool
	chunks   chan chunk
}

// prepare makes all chunks, or those up to the end of ctx.
func (p *preparer) prepare(ctx context.Context) {
	var sorting sync.WaitGroup
	defer sorting.Wait()
	var last []*links
	for kind := range bundle.Stored {
		for _, l := range p.prepareRecords(ctx, kind) {
			last = append(last, l)
			sorting.Go(l.sort)
		}
	}
	sorting.Wait()
	for _, l := range last {
		for pairs := range slices.Chunk(l.pairs, chunkRows) {
			if !p.send(ctx, chunk{links: &links{l.table, pairs}}) {
				return
			}
		}
	}
}

// send reports whether anybody wanted the chunk.
func (p *preparer) send(ctx context.Context, c chunk) bool {
	select {
	case p.chunks <- c:
		return true
	case <-ctx.Done():
		return false
	}
}

// prepareRecords makes the chunks of the records of a kind. It returns the pairs that
// are written last.
func (p *preparer) prepareRecords(ctx context.Context, kind bundle.Kind) (last []*links) {
	t := &tables[kind]
	order := p.order(kind)
	for i := range t.links {
		l := &links{table: &t.links[i]}
		if p.wasEmpty[kind] {
			l.pairs = make([]pair, 0, len(order)) // one of each, as a rule
			last = append(last, l)
		}
	}
	c, size := chunk{kind: kind}, 0
	for n, i := range order {
		r := p.bundle.Row(kind, int(i))
		c.records = append(c.records, row{r, t.cells(&r)})
		for _, l := range last {
			l.add(&r)
		}
		if size += len(r.JSON); len(c.records) == chunkRows || size >= chunkBytes || n == len(order)-1 {
			if !p.send(ctx, c) {
				return nil
			}
			c, size = chunk{kind: kind, records: make([]row, 0, chunkRows)}, 0
		}
	}
	return last
}

// order returns the order in which the records of a kind are written.
func (p *preparer) order(kind bundle.Kind) []int32 {
	b := p.bundle
	order := make([]int32, b.Len(kind))
	for i := range order {
		order[i] = int32(i)
	}
	if p.wasEmpty[kind] {
		slices.SortFunc(order, func(i, j int32) int {
			return cmp.Or(strings.Compare(b.Parent(kind, int(i)), b.Parent(kind, int(j))),
				strings.Compare(b.ID(kind, int(i)), b.ID(kind, int(j))))
		})
	}
	return order
}

// add adds the pairs of a record.
func (l *links) add(r *bundle.Row) {
	first, seconds := l.table.pairs(r)
	for _, second := range seconds {
		l.pairs = append(l.pairs, pair{key(first), key(second)})
	}
}

// sort puts pairs in the order in which they are to lie in the table.
func (l *links) sort() {
	slices.SortFunc(l.pairs, func(a, b pair) int {
		if l.table.columns[1] == "ref" {
			return cmp.Or(strings.Compare(a.second, b.second), strings.Compare(a.first, b.first))
		}
		return cmp.Or(strings.Compare(a.first, b.first), strings.Compare(a.second, b.second))
	})
}

// write writes a chunk: of its records those that are new and, if that is asked for,
// those that moved on.
func (w *writer) write(ctx context.Context, c *chunk) error {
	if c.links != nil {
		return w.writePairs(ctx, c.links)
	}
	stored, err := w.stored(ctx, c)
	if err != nil {
		return err
	}
	var written, moved []row
	for _, r := range c.records {
		text, known := stored[r.cells[0]]
		switch {
		case !known:
			*w.report.Added.kind(c.kind)++
			written = append(written, r)
		case r.Equal(bundle.Record{ID: r.ID, JSON: text}):
			*w.report.Present.kind(c.kind)++
		case !w.update || !c.kind.Movable():
			return &ConflictError{Kind: c.kind.String(), ID: r.ID, Movable: c.kind.Movable()}
		default:
			*w.report.Updated.kind(c.kind)++
			moved = append(moved, r)
		}
	}
	if err := w.writeRecords(ctx, c.kind, append(written, moved...), moved); err != nil {
		return err
	}
	if w.progress != nil {
		w.progress(len(c.records))
	}
	return nil
}

// stored returns the texts that the store has under the keys of the records.
func (w *writer) stored(ctx context.Context, c *chunk) (map[string]string, error) {
	if w.wasEmpty[c.kind] {
		return nil, nil
	}
	texts := map[string]string{}
	found, err := w.tx.QueryContext(ctx, "SELECT id, record FROM "+tables[c.kind].name+" WHERE id IN (SELECT value FROM "+w.dialect.list+")", keys(c.records))
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

// writeRecords writes records, some of which take the place of those with their ids, and
// the pairs that belong to them unless those come last.
func (w *writer) writeRecords(ctx context.Context, kind bundle.Kind, written, moved []row) error {
	t := &tables[kind]
	cells := make([][]string, len(written))
	for i, r := range written {
		cells[i] = r.cells
	}
	tail := ""
	if len(moved) > 0 {
		tail = "ON CONFLICT (id) DO UPDATE SET "
		for i, c := range t.columns[1:] {
			tail += strings.Repeat(", ", min(i, 1)) + c + " = excluded." + c
		}
	}
	if err := w.insert(ctx, t.name, t.columns, cells, tail); err != nil || w.wasEmpty[kind] {
		return err
	}
	for i := range t.links {
		l := &links{table: &t.links[i]}
		if l.table.owned && len(moved) > 0 {
			statement := "DELETE FROM " + l.table.name + " WHERE " + l.table.columns[0] + " IN (SELECT value FROM " + w.dialect.list + ")"
			if _, err := w.tx.ExecContext(ctx, statement, keys(moved)); err != nil {
				return err
			}
		}
		for _, r := range written {
			l.add(&r.Row)
		}
		if err := w.writePairs(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) writePairs(ctx context.Context, l *links) error {
	rows := make([][]string, len(l.pairs))
	for i, p := range l.pairs {
		rows[i] = []string{p.first, p.second}
	}
	return w.insert(ctx, l.table.name, l.table.columns, rows, "ON CONFLICT DO NOTHING")
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
