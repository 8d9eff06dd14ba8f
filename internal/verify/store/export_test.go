package store

import (
	"context"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/producer"
)

// TryWrite tries to write through the connections of a store for look-ups.
func TryWrite(ctx context.Context, s producer.Store) (err error) {
	const statement = "DELETE FROM verification_evidence"
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
	_, err := l.db.ExecContext(ctx, "DELETE FROM verification_schema; INSERT INTO verification_schema (version) VALUES ("+string(rune('0'+version))+")")
	return err
}

// StampOf returns what the wal-index of an open SQLite database says, if it has one.
func StampOf(s producer.Store) (now string, ok bool) {
	stamp, ok := s.(*sqliteReader).file.stamp.read()
	return string(stamp[:]), ok
}

// SetJournal sets the journal mode of an SQLite database that nobody else has open.
func (l *Loader) SetJournal(ctx context.Context, mode string) (now string, err error) {
	err = l.db.QueryRowContext(ctx, "PRAGMA journal_mode = "+mode).Scan(&now)
	return now, err
}

// Kept returns the answers that a store keeps, by key, and about what they take.
func Kept(s producer.Store) (answers map[string]*bundle.Records, bytes int) {
	r := readerOf(s)
	r.cache.mu.Lock()
	defer r.cache.mu.Unlock()
	answers = map[string]*bundle.Records{}
	for key, p := range r.cache.answers {
		answers[key] = p.unpack()
	}
	return answers, r.cache.bytes
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
	record := []bundle.Record{{JSON: strings.Repeat("x", each)}}
	for c.addIfFree("now", strconv.Itoa(count), &bundle.Records{Claims: record}) && count < maxCacheBytes {
		count++
	}
	return len(c.answers), c.bytes
}

// Cell is a row of claimQuery: its kind, its key and its text.
type Cell struct {
	Kind      int
	Key, Text string
}

// The kinds of cells besides records.
const (
	RowClaimRef = rowClaimRef
	RowTraceRef = rowTraceRef
	RowState    = rowState
)

// FindClaim looks up "ref" in a database that answers so. It returns the keys that were
// asked for.
func FindClaim(ctx context.Context, answers map[string][]Cell) (found *bundle.Records, ok bool, asked []string, err error) {
	r := reader{query: func(_ context.Context, _ statement, key string, read func(rows) error) error {
		asked = append(asked, key)
		return read(&cells{left: answers[key]})
	}}
	found, _, ok, err = r.findClaim(ctx, "ref")
	return found, ok, asked, err
}

// cells are rows that are there already.
type cells struct {
	left []Cell
	now  Cell
}

func (c *cells) Next() bool {
	if len(c.left) == 0 {
		return false
	}
	c.now, c.left = c.left[0], c.left[1:]
	return true
}

func (c *cells) Scan(columns ...any) error {
	*columns[0].(*int), *columns[1].(*string), *columns[2].(*string) = c.now.Kind, c.now.Key, c.now.Text
	return nil
}

func (*cells) Err() error { return nil }
