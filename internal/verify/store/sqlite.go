package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/model-catalog-service/svc/internal/verify/bundle"
)

func sqliteDialect() *dialect {
	return &dialect{
		// Text is compared byte by byte unless another collation is named.
		types:     strings.NewReplacer("KEYTEXT", "TEXT", "CLUSTERED", "WITHOUT ROWID"),
		hasSchema: "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND name = 'verification_schema'",
		list:      func(texts string) string { return "json_each(" + texts + ")" },
		ref:       "?1",
		insert:    insertValues,
	}
}

// insertValues inserts rows by one VALUES list. A fault ends the transaction, so that
// SQLite need not keep what would undo this one statement.
func insertValues(ctx context.Context, tx *transaction, c *chunk) error {
	one := "(?" + strings.Repeat(", ?", len(c.table.columns)-1) + ")"
	statement := "INSERT OR ROLLBACK INTO " + c.table.name + " (" + strings.Join(c.table.columns, ", ") + ") VALUES " +
		one + strings.Repeat(", "+one, c.rows()-1)
	if c.again {
		statement += " " + c.table.again
	}
	args := make([]any, len(c.cells))
	for i := range c.cells {
		args[i] = c.cells[i]
	}
	if c.rows() == chunkRows {
		return tx.execAgain(ctx, statement, args...)
	}
	_, err := tx.ExecContext(ctx, statement, args...)
	return err
}

// sqliteName is the name of a data source: the file, and what is set on every
// connection.
func sqliteName(path string, parameters url.Values) (string, error) {
	path, err := filepath.Abs(path) // no name has a meaning of its own then
	if err != nil {
		return "", err
	}
	name := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: parameters.Encode()}
	if !strings.HasPrefix(name.Path, "/") {
		name.Path = "/" + name.Path // C:/records.db
	}
	return name.String(), nil
}

// sqliteReader is a reader of an SQLite database. If somebody puts another file in the
// place of its file, it reads that from the next look-up on; without a file it cannot
// answer.
type sqliteReader struct {
	path string

	mu   sync.RWMutex // held for reading by look-ups, for writing while files are exchanged
	file *sqliteFile  // nil if the last one could not be opened
}

// sqliteFile is an open database.
type sqliteFile struct {
	reader
	info       os.FileInfo
	name       string                      // of the data source
	sound      atomic.Pointer[os.FileInfo] // of the file when it was found sound last
	db         *sql.DB
	statements [statementCount]*sql.Stmt
}

func (f *sqliteFile) close() error {
	if f == nil {
		return nil
	}
	f.filler.close()
	return f.db.Close()
}

func openSQLite(ctx context.Context, path string) (*sqliteReader, error) {
	r := &sqliteReader{path: path}
	return r, r.Ready(ctx)
}

func (r *sqliteReader) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.file.close()
}

// LookupByIntegrityRef implements producer.Store.
func (r *sqliteReader) LookupByIntegrityRef(ctx context.Context, ref string) (found *bundle.Records, err error) {
	err = r.withFile(ctx, func(f *sqliteFile) error {
		found, err = f.LookupByIntegrityRef(ctx, ref)
		return err
	})
	return found, err
}

// LookupByIntegrityRefs implements producer.BatchStore.
func (r *sqliteReader) LookupByIntegrityRefs(ctx context.Context, refs []string) (found []*bundle.Records, err error) {
	err = r.withFile(ctx, func(f *sqliteFile) error {
		found, err = f.LookupByIntegrityRefs(ctx, refs)
		return err
	})
	return found, err
}

// Ready implements [Store].
func (r *sqliteReader) Ready(ctx context.Context) error {
	return r.withFile(ctx, func(f *sqliteFile) error {
		if err := f.probe(ctx); err != nil {
			return sqliteError(r.path, err)
		}
		return f.reader.Ready(ctx)
	})
}

// withFile calls f with the file that is at the path now.
func (r *sqliteReader) withFile(ctx context.Context, f func(*sqliteFile) error) error {
	for {
		info, err := os.Stat(r.path)
		if err != nil {
			return err // the old file stays open, so that no other can be taken for it
		}
		r.mu.RLock()
		if r.file != nil && os.SameFile(info, r.file.info) {
			defer r.mu.RUnlock()
			if err := r.file.checkSound(ctx, info); err != nil {
				return sqliteError(r.path, err)
			}
			return f(r.file)
		}
		r.mu.RUnlock()
		if err := r.exchange(ctx, info); err != nil {
			return err
		}
	}
}

// exchange opens the file that is at the path now in the place of another. That is
// closed first: both have the same journal, by name.
func (r *sqliteReader) exchange(ctx context.Context, info os.FileInfo) (err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file != nil && os.SameFile(info, r.file.info) {
		return nil // another look-up was faster
	}
	_ = r.file.close() // nothing was written
	r.file, err = openSQLiteFile(ctx, r.path, info)
	return err
}

// checkSound looks at a file once more that was written since it was found sound: by a
// loader, or by somebody who cut or damaged it in place, of which the connections that are
// open and the answers that are kept know nothing.
func (f *sqliteFile) checkSound(ctx context.Context, info os.FileInfo) error {
	if was := f.sound.Load(); was != nil && (*was).Size() == info.Size() && (*was).ModTime().Equal(info.ModTime()) {
		return nil
	}
	if err := f.probe(ctx); err != nil {
		return err
	}
	f.sound.Store(&info)
	return nil
}

// probe reads the file by a connection of its own, which has no pages of it.
func (f *sqliteFile) probe(ctx context.Context) error {
	db, err := sql.Open("sqlite", f.name)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := checkVersion(ctx, db, sqliteDialect()); err != nil {
		return err
	}
	var state string
	return db.QueryRowContext(ctx, stateQuery).Scan(&state)
}

// openSQLiteFile opens a database for look-ups. In WAL mode readers wait for nobody.
func openSQLiteFile(ctx context.Context, path string, info os.FileInfo) (*sqliteFile, error) {
	if info.IsDir() {
		return nil, &os.PathError{Op: "open", Path: path, Err: errors.New("is a directory")}
	}
	name, err := sqliteName(path, url.Values{
		"mode":    {"rw"}, // as far as the file permits: what a killed loader left must be put away
		"_pragma": {"busy_timeout(1000)", "query_only(1)", "cache_size(-16384)"},
	})
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, sqliteError(path, err)
	}
	db.SetMaxOpenConns(mostLookups)
	db.SetMaxIdleConns(mostLookups)
	d := sqliteDialect()
	f := &sqliteFile{info: info, name: name, db: db}
	err = checkVersion(ctx, db, d)
	for i, text := range d.statements() {
		if err == nil {
			f.statements[i], err = db.PrepareContext(ctx, text)
		}
	}
	if err != nil {
		return nil, sqliteError(path, errors.Join(err, db.Close()))
	}
	f.query, f.written = f.run, func() string { return stampOf(path) }
	f.startFilling(ctx)
	return f, nil
}

// stampOf returns the size of a file and when it was written last.
func stampOf(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), " ", info.ModTime().UnixNano())
}

// mostLookups is how many statements run at once. More would wait for one another: the
// library has one lock for all their pages.
const mostLookups = 2

// run runs a statement. What a connection keeps of a file that somebody wrote in place is stale,
// and looks damaged: so damage is read again, by connections that keep nothing.
func (f *sqliteFile) run(ctx context.Context, s statement, read func(rows) error, parameter ...any) error {
	err := f.runOnce(ctx, s, read, parameter...)
	if isDamage(err) {
		f.db.SetMaxIdleConns(0) // which closes them
		f.db.SetMaxIdleConns(mostLookups)
		err = f.runOnce(ctx, s, read, parameter...)
	}
	return err
}

// runOnce runs a statement. That for the state is not interrupted once it runs: it ends soon by
// itself, and to watch a context takes as long as the statement.
func (f *sqliteFile) runOnce(ctx context.Context, s statement, read func(rows) error, parameter ...any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s == stateStatement {
		ctx = context.WithoutCancel(ctx)
	}
	found, err := f.statements[s].QueryContext(ctx, parameter...)
	if err != nil {
		return err
	}
	defer found.Close()
	return read(found)
}

// openSQLiteLoader opens a database for loading, or makes it.
//
// In WAL mode readers wait for no loader, but everything is written twice, into the
// journal first. A new file has no readers: its first bundle goes into the file at once,
// beside a journal of what was there before, which is next to nothing.
func openSQLiteLoader(path string) (*Loader, error) {
	journal := "wal"
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		journal = "delete"
	}
	name, err := sqliteName(path, url.Values{
		"_txlock":       {"immediate"}, // a loader is the one writer from its first statement on
		"_journal_mode": {journal},
		"_pragma": {
			"busy_timeout(1000)",
			"synchronous(full)",            // what is committed survives a loss of power
			"journal_size_limit(67108864)", // a large bundle leaves no large journal
			"cache_size(-3072)",
			"page_size(8192)", // of a new file: less work than pages of 4 KiB, less memory than larger ones
		},
	})
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, sqliteError(path, err)
	}
	db.SetMaxOpenConns(1)
	locked := func(ctx context.Context, f func(*sql.Tx) error) error {
		tx, err := beginAlone(ctx, db)
		if err != nil {
			return sqliteError(path, err)
		}
		return sqliteError(path, finish(tx, f))
	}
	loaded := func() {
		if journal == "delete" {
			journal = "wal" // if somebody reads just now, the next loader sees to it
			_, _ = db.Exec("PRAGMA journal_mode = wal")
		}
	}
	end := func() error {
		// An empty journal does no harm to a file that is put in the place of this one.
		_, _ = db.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
		return db.Close()
	}
	return &Loader{db: db, dialect: sqliteDialect(), locked: locked, loaded: loaded, close: end}, nil
}

// beginAlone begins the only transaction that writes, which may have to wait for
// another loader.
func beginAlone(ctx context.Context, db *sql.DB) (*sql.Tx, error) {
	const again = 20 * time.Millisecond
	for {
		tx, err := db.BeginTx(ctx, nil)
		if !isBusy(err) {
			return tx, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(again):
		}
	}
}

func isBusy(err error) bool { return hasCode(err, sqlite3.SQLITE_BUSY) }

// hasCode reports whether an error of SQLite has a primary result code.
func hasCode(err error, code int) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	const primary = 0xFF // of a result code
	return ok && e.Code()&primary == code
}

// finish commits what f did in a transaction, or nothing of it.
func finish(tx *sql.Tx, f func(*sql.Tx) error) error {
	if err := f(tx); err != nil {
		_ = tx.Rollback() // it is lost with the connection in any case
		return err
	}
	return tx.Commit()
}

// sqliteError puts the name of the file before what SQLite says.
func sqliteError(path string, err error) error {
	if _, ok := errors.AsType[*sqlite.Error](err); ok {
		return &os.PathError{Op: "sqlite", Path: path, Err: err}
	}
	return err
}
