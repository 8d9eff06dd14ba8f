package store

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/producer"
)

// TryWrite tries to write through the connections of a store for look-ups.
func TryWrite(ctx context.Context, s producer.Store) (err error) {
	const statement = "DELETE FROM verification_record"
	switch r := s.(type) {
	case *sqliteReader:
		_, err = r.file.db.ExecContext(ctx, statement)
	case *postgresReader:
		err = r.pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
			return readOnly(ctx, c.Conn(), func(found rows) error { found.Next(); return found.Err() }, statement)
		})
	}
	return err
}

// SetVersion claims another version for the schema of a database.
func (l *Loader) SetVersion(ctx context.Context, version int) error {
	_, err := l.db.ExecContext(ctx, "UPDATE verification_schema SET version = "+string(rune('0'+version)))
	return err
}

// Kept returns the answers that a store keeps, by key, and about what they take.
func Kept(s producer.Store) (answers map[string]*bundle.Records, bytes int) {
	r := readerOf(s)
	r.cache.mu.Lock()
	defer r.cache.mu.Unlock()
	return maps.Clone(r.cache.answers), r.cache.bytes
}

// Forget empties the cache of a store, if it has one, and lets nothing but questions fill
// it again.
func Forget(s producer.Store) {
	switch s.(type) {
	case *sqliteReader, *postgresReader:
	default:
		return
	}
	r := readerOf(s)
	r.filler.close()
	r.cache.mu.Lock()
	defer r.cache.mu.Unlock()
	clear(r.cache.answers)
	r.cache.bytes = 0
}

// FindAnew looks a ref up in a database, without a look at its state or into the cache.
func FindAnew(ctx context.Context, s producer.Store, ref string) (*bundle.Records, error) {
	index, _, err := readerOf(s).readIndex(ctx, key(ref))
	if err != nil {
		return nil, err
	}
	return index.Lookup([]string{key(ref)})[0], nil
}

func readerOf(s producer.Store) *reader {
	if r, ok := s.(*sqliteReader); ok {
		return &r.file.reader
	}
	return &s.(*postgresReader).reader
}

// FillUp adds answers of so many bytes until a cache is full. It returns what they take.
func FillUp(each int) (count, bytes int) {
	c := cache{}
	c.begin("now")
	records := &bundle.Records{Claims: []bundle.Record{{JSON: strings.Repeat("x", each)}}}
	for c.addIfFree("now", strconv.Itoa(count), records) && count < maxCacheBytes {
		count++
	}
	return len(c.answers), c.bytes
}

// FillSteps fills the cache of a store whose statements answer as one with so many batches
// of one claim each would. asked is called in each step and may ask the store. It returns
// how long the filler says that it worked.
func FillSteps(ctx context.Context, batches int, asked func(producer.Store)) (worked time.Duration, err error) {
	r := &reader{}
	r.query = func(_ context.Context, s statement, read func(rows) error, parameter ...any) error {
		cells := cells{}
		switch s {
		case stateStatement:
			cells.rows = append(cells.rows, []any{"now"})
		case idsStatement:
			asked(r)
			if n, _ := strconv.Atoi(parameter[0].(string)); n < batches {
				cells.rows = append(cells.rows, []any{strconv.Itoa(n + 1)})
			}
		case lookupStatement:
			id := strings.Trim(parameter[0].(string), `[]"`)
			one, sum := row{claim: id, id: id, json: "{}"}, digest{}
			sum.add(&one)
			cells.rows = append(cells.rows, []any{rowState, "now", "", "", "", ""}, []any{rowClaimRef, id, id, "", "", ""},
				[]any{0, id, id, "", "{}", sum.text()})
		}
		return read(&cells)
	}
	if worked, err = r.fill(ctx); err == nil && len(r.cache.answers) != batches {
		err = fmt.Errorf("%d answers are kept", len(r.cache.answers))
	}
	return worked, err
}

// cells are rows that are there already.
type cells struct {
	rows [][]any
	now  []any
}

func (c *cells) Next() bool {
	if len(c.rows) == 0 {
		return false
	}
	c.now, c.rows = c.rows[0], c.rows[1:]
	return true
}

func (c *cells) Scan(columns ...any) error {
	for i, into := range columns {
		switch into := into.(type) {
		case *int:
			*into = c.now[i].(int)
		case *string:
			*into = c.now[i].(string)
		}
	}
	return nil
}

func (*cells) Err() error { return nil }
