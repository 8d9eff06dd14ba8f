package store

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

func sqliteDialect() *dialect {
	return &dialect{
		// Text is compared byte by byte unless another collation is named.
		types:     strings.NewReplacer("KEYTEXT", "TEXT", "CLUSTERED", "WITHOUT ROWID"),
		hasSchema: "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND name = 'verification_schema'",
		list:      "json_each(?1)",
		insert:    insertValues,
	}
}

// insertValues inserts rows by one VALUES list.
func insertValues(ctx context.Context, tx *sql.Tx, into, tail string, columns []string, rows [][]string) (*sql.Rows, error) {
	one := "(?" + strings.Repeat(", ?", len(columns)-1) + ")"
	statement := "INSERT INTO " + into + " (" + strings.Join(columns, ", ") + ") VALUES " +
		one + strings.Repeat(", "+one, len(rows)-1) + " " + tail
	args := make([]any, 0, len(rows)*len(columns))
	for _, row := range rows {
		for _, cell := range row {
			args = append(args, cell)
		}
	}
	return tx.QueryContext(ctx, statement, args...)
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

// sqliteReader is a reader of an SQLite database.
type sqliteReader struct {
	reader
	db     *sql.DB
	lookup *sql.Stmt
}

func (r *sqliteReader) close() error { return errors.Join(r.lookup.Close(), r.db.Close()) }

// openSQLite opens a database for look-ups. In WAL mode readers wait for
// nobody.
func openSQLite(ctx context.Context, path string) (*sqliteReader, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err // else SQLite would make a file
	}
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
	const connections = 2 // more would wait for one another: the library has one lock for all their pages
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	d := sqliteDialect()
	r := &sqliteReader{db: db}
	err = checkVersion(ctx, db, d)
	if err == nil {
		r.lookup, err = db.PrepareContext(ctx, d.lookupQuery())
	}
	if err != nil {
		return nil, sqliteError(path, errors.Join(err, db.Close()))
	}
	r.query = func(ctx context.Context, list string) (*sql.Rows, error) { return r.lookup.QueryContext(ctx, list) }
	return r, nil
}

// openSQLiteLoader opens a database for loading, or makes it.
func openSQLiteLoader(path string) (*Loader, error) {
	name, err := sqliteName(path, url.Values{
		"_txlock": {"immediate"}, // a loader is the one writer from its first statement on
		"_pragma": {
			"busy_timeout(1000)", "foreign_keys(1)", "journal_mode(wal)",
			"synchronous(full)",            // what is committed survives a loss of power
			"journal_size_limit(67108864)", // a large bundle leaves no large journal
			"cache_size(-131072)",
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
	return &Loader{db: db, dialect: sqliteDialect(), locked: locked, close: db.Close}, nil
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

func isBusy(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	const primary = 0xFF // of a result code
	return ok && e.Code()&primary == sqlite3.SQLITE_BUSY
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
