package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/producer"
)

// TryWrite tries to write through the connections of a store for look-ups.
func TryWrite(ctx context.Context, s producer.Store) (err error) {
	const statement = "DELETE FROM verification_part"
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
	for key, kept := range r.cache.answers {
		if kept.mark != markName {
			answers[key], _ = pack(kept.text).unpack()
		}
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

// FindAnew looks a ref up in a database, without a look at its state or into the cache.
func FindAnew(ctx context.Context, s producer.Store, ref string) (*bundle.Records, error) {
	a, err := readerOf(s).find(ctx, ref)
	if err != nil {
		return nil, err
	}
	return a.records.unpack()
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
	records := pack(strings.Repeat("x", each))
	for c.addIfFree(strconv.Itoa(count), answer{state: "now", records: records}) && count < maxCacheBytes {
		count++
	}
	return len(c.answers), c.bytes
}

// FillSteps fills the cache of a store whose statements answer as one with so many batches
// of one claim each would. asked is called in each step and may ask the store. It returns
// how long the filler says that it worked.
func FillSteps(ctx context.Context, batches int, asked func(producer.Store)) (worked time.Duration, err error) {
	r := &reader{state: func(context.Context) (string, error) { return "now", nil }}
	r.query = func(_ context.Context, s statement, after string, read func(rows) error) error {
		if s != batchStatement {
			return errors.New("nothing else is answered")
		}
		asked(r)
		batch := batchCells{{rowState, "now", ""}}
		if n, _ := strconv.Atoi(after); n < batches {
			id := strconv.Itoa(n + 1)
			batch = append(batch, [3]any{rowPart, id, "c1,0,2:x{}"})
		}
		return read(&batch)
	}
	if worked, err = r.fill(ctx); err == nil && len(r.cache.answers) != batches {
		err = fmt.Errorf("%d answers are kept", len(r.cache.answers))
	}
	return worked, err
}

// batchCells are rows of batchQuery.
type batchCells [][3]any

func (c *batchCells) Next() bool { return len(*c) > 0 }

func (c *batchCells) Scan(columns ...any) error {
	row := (*c)[0]
	*c = (*c)[1:]
	*columns[0].(*int) = row[0].(int)
	for i := 1; i < len(row); i++ {
		*columns[i].(*string) = row[i].(string)
	}
	return nil
}

func (*batchCells) Err() error { return nil }

// Cell is a row of claimQuery.
type Cell struct {
	Kind int
	Text string
}

// The kinds of cells.
const (
	RowClaimRef = rowClaimRef
	RowTraceRef = rowTraceRef
	RowState    = rowState
	RowPart     = rowPart
	RowTrace    = rowTrace
)

// Packed is a record as it lies in its row.
func Packed(kind bundle.Kind, id, json string) string {
	r := packedRecord{kind: kind, key: id, json: json}
	return string(r.append(nil))
}

// LookUpInTurn looks refs up, one after the other, in a database that answers keys so, and
// returns the keys that it was asked for. Its state is that of the answers when each ref
// comes.
func LookUpInTurn(ctx context.Context, refs []string, answers func(i int) (state string, _ map[string][]Cell)) (found []*bundle.Records, asked []string, err error) {
	i := 0
	r := &reader{state: func(context.Context) (string, error) {
		state, _ := answers(i)
		return state, nil
	}}
	r.query = func(_ context.Context, _ statement, key string, read func(rows) error) error {
		asked = append(asked, key)
		_, cellsOf := answers(i)
		return read(&cells{left: cellsOf[key]})
	}
	for _, ref := range refs {
		records, err := r.LookupByIntegrityRef(ctx, ref)
		if err != nil {
			return nil, asked, err
		}
		found = append(found, records)
		i++
	}
	return found, asked, nil
}

// FindClaim looks up "ref" in a database that answers so. It returns the keys that were
// asked for.
func FindClaim(ctx context.Context, answers map[string][]Cell) (found *bundle.Records, ok bool, asked []string, err error) {
	r := reader{query: func(_ context.Context, _ statement, key string, read func(rows) error) error {
		asked = append(asked, key)
		return read(&cells{left: answers[key]})
	}}
	a, ok, err := r.findClaim(ctx, "ref")
	if err == nil {
		found, err = a.records.unpack()
	}
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
	*columns[0].(*int), *columns[1].(*string) = c.now.Kind, c.now.Text
	return nil
}

func (*cells) Err() error { return nil }

// ReadPack reads a pack.
func ReadPack(text string) error {
	_, err := pack(text).unpack()
	return err
}
