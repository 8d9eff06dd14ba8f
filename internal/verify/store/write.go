package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/verify"
)

// writer writes a bundle in a transaction.
type writer struct {
	tx       *sql.Tx
	dialect  *dialect
	update   bool
	progress func(records int)
}

// bundle writes all records. Claims go first, which the others refer to.
func (w *writer) bundle(ctx context.Context, in *verify.Index) (r Report, err error) {
	var t tally
	if t, err = put(ctx, w, claimTable(), in.Claims, claimRow); err != nil {
		return r, err
	}
	r.Added.Claims, r.Present.Claims, r.Updated.Claims = t.added, t.present, t.updated
	if t, err = put(ctx, w, evidenceTable(), in.Evidence, evidenceRow); err != nil {
		return r, err
	}
	r.Added.Evidence, r.Present.Evidence = t.added, t.present
	if t, err = put(ctx, w, eventTable(), in.Events, eventRow); err != nil {
		return r, err
	}
	r.Added.Events, r.Present.Events = t.added, t.present
	if t, err = put(ctx, w, traceTable(), in.Traces, traceRow); err != nil {
		return r, err
	}
	r.Added.AuthorityTrace, r.Present.AuthorityTrace, r.Updated.AuthorityTrace = t.added, t.present, t.updated
	return r, nil
}

// tally is what became of the records of a kind.
type tally struct{ added, present, updated int }

// The most rows and bytes that are sent in one statement.
const (
	chunkRows  = 500
	chunkBytes = 4 << 20
)

// put writes all records of a kind, some hundred at a time.
func put[R any](ctx context.Context, w *writer, t *table, records []R, toRow func(R) row) (tally, error) {
	var (
		total tally
		chunk []row
		size  int
	)
	for i, r := range records {
		chunk = append(chunk, toRow(r))
		size += len(chunk[len(chunk)-1].record.JSON)
		if len(chunk) < chunkRows && size < chunkBytes && i < len(records)-1 {
			continue
		}
		if err := w.put(ctx, t, chunk, &total); err != nil {
			return tally{}, err
		}
		if w.progress != nil {
			w.progress(len(chunk))
		}
		chunk, size = chunk[:0], 0
	}
	return total, nil
}

// put writes a chunk of records: those that are new, then, if that is asked for,
// those that moved on.
func (w *writer) put(ctx context.Context, t *table, rows []row, total *tally) error {
	added, err := w.insert(ctx, t, rows, "ON CONFLICT (id) DO NOTHING")
	if err != nil {
		return err
	}
	var present, fresh []row
	for _, r := range rows {
		if added[r.cells[0]] {
			fresh = append(fresh, r)
		} else {
			present = append(present, r)
		}
	}
	moved, err := w.compare(ctx, t, present)
	if err != nil {
		return err
	}
	if len(moved) > 0 {
		if !t.movable || !w.update {
			return &ConflictError{Kind: t.kind, ID: moved[0].record.ID, Movable: t.movable}
		}
		if err := w.replace(ctx, t, moved); err != nil {
			return err
		}
	}
	total.added += len(fresh)
	total.present += len(present) - len(moved)
	total.updated += len(moved)
	return w.link(ctx, t, append(fresh, moved...))
}

// insert inserts records and returns the keys of those that went in.
func (w *writer) insert(ctx context.Context, t *table, rows []row, tail string) (map[string]bool, error) {
	cells := make([][]string, len(rows))
	for i, r := range rows {
		cells[i] = r.cells
	}
	return w.insertCells(ctx, t.name, t.columns, cells, tail)
}

func (w *writer) insertCells(ctx context.Context, into string, columns []string, cells [][]string, tail string) (map[string]bool, error) {
	in := make(map[string]bool, len(cells))
	if len(cells) == 0 {
		return in, nil
	}
	rows, err := w.dialect.insert(ctx, w.tx, into, tail+" RETURNING "+columns[0], columns, cells)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var first string
		if err := rows.Scan(&first); err != nil {
			return nil, err
		}
		in[first] = true
	}
	return in, rows.Err()
}

// compare returns the rows whose record the store has with other content.
func (w *writer) compare(ctx context.Context, t *table, rows []row) (moved []row, err error) {
	stored, err := w.stored(ctx, t, rows)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		was, ok := stored[r.cells[0]]
		if !ok {
			return nil, fmt.Errorf("%s %q is neither new nor there", t.kind, r.record.ID)
		}
		same, err := equal(was, r.record)
		if err != nil {
			return nil, err
		}
		if !same {
			moved = append(moved, r)
		}
	}
	return moved, nil
}

// equal reports whether a stored text is the same record as canonical JSON.
func equal(stored string, r verify.Record) (bool, error) {
	if stored == r.JSON {
		return true, nil
	}
	a, err := verify.Record{ID: r.ID, JSON: stored}.Canonical()
	if err != nil {
		return false, fmt.Errorf("a stored record is damaged: %w", err)
	}
	b, err := r.Canonical()
	return slices.Equal(a, b), err
}

// stored returns the texts that the store has under the ids of records.
func (w *writer) stored(ctx context.Context, t *table, rows []row) (map[string]string, error) {
	texts := make(map[string]string, len(rows))
	if len(rows) == 0 {
		return texts, nil
	}
	found, err := w.tx.QueryContext(ctx, "SELECT id, record FROM "+t.name+" WHERE id IN (SELECT value FROM "+w.dialect.list+")", keysOf(rows))
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

func keysOf(rows []row) string {
	keys := make([]string, len(rows))
	for i, r := range rows {
		keys[i] = r.cells[0]
	}
	return list(keys)
}

// replace puts records in the place of those that have their ids, and takes away
// what these were linked to.
func (w *writer) replace(ctx context.Context, t *table, rows []row) error {
	var set []string
	for _, c := range t.columns[1:] {
		set = append(set, c+" = excluded."+c)
	}
	if _, err := w.insert(ctx, t, rows, "ON CONFLICT (id) DO UPDATE SET "+strings.Join(set, ", ")); err != nil {
		return err
	}
	for _, l := range t.links {
		if !l.owned {
			continue
		}
		statement := "DELETE FROM " + l.name + " WHERE " + l.columns[0] + " IN (SELECT value FROM " + w.dialect.list + ")"
		if _, err := w.tx.ExecContext(ctx, statement, keysOf(rows)); err != nil {
			return err
		}
	}
	return nil
}

// link writes the pairs that belong to records.
func (w *writer) link(ctx context.Context, t *table, rows []row) error {
	for i, l := range t.links {
		var cells [][]string
		for _, r := range rows {
			cells = append(cells, r.links[i]...)
		}
		for chunk := range slices.Chunk(cells, chunkRows) {
			if _, err := w.insertCells(ctx, l.name, l.columns, chunk, "ON CONFLICT DO NOTHING"); err != nil {
				return err
			}
		}
	}
	return nil
}
