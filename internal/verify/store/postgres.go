package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

func postgresDialect() *dialect {
	return &dialect{
		// Byte by byte, and its indexes outlive a change of the system's locales.
		types:     strings.NewReplacer("KEYTEXT", `TEXT COLLATE "C"`, "CLUSTERED", ""),
		hasSchema: "SELECT to_regclass('verification_schema') IS NOT NULL",
		list:      func(texts string) string { return "json_array_elements_text((" + texts + ")::json) AS list (value)" },
		ref:       "$1",
		insert:    insertArrays,
	}
}

// insertArrays inserts rows that are sent as one array for each column.
func insertArrays(ctx context.Context, tx *transaction, c *chunk) error {
	columns := c.table.columns
	arrays := make([]string, len(columns))
	args := make([]any, len(columns))
	for i, column := range columns {
		arrays[i] = "$" + strconv.Itoa(i+1) + "::text[]"
		if column == "kind" {
			arrays[i] += "::integer[]"
		}
		cells := make([]string, 0, c.rows())
		for at := i; at < len(c.cells); at += len(columns) {
			cells = append(cells, c.cells[at])
		}
		args[i] = cells
	}
	statement := "INSERT INTO " + c.table.name + " (" + strings.Join(columns, ", ") + ") SELECT * FROM unnest(" +
		strings.Join(arrays, ", ") + ")"
	if c.again {
		statement += " " + c.table.again
	}
	_, err := tx.ExecContext(ctx, statement, args...)
	return err
}

// postgresReader is a reader of a PostgreSQL database.
type postgresReader struct {
	reader
	pool       *pgxpool.Pool
	statements [statementCount]string

	// unprepared says that a statement which was prepared is not there afterwards, or
	// was prepared by somebody else: a proxy hands out connections by transaction.
	unprepared atomic.Bool
}

func (r *postgresReader) close() error {
	r.filler.close()
	r.pool.Close()
	return nil
}

// openingTime bounds how long a database may take to answer at the start.
const openingTime = 10 * time.Second

// openPostgres opens a database for look-ups.
func openPostgres(ctx context.Context, address string) (*postgresReader, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, err
	}
	nameApplication(config.ConnConfig, "svc verify-serve")
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec // only look-ups are prepared
	ctx, stop := context.WithTimeout(ctx, openingTime)
	defer stop()
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	d := postgresDialect()
	r := &postgresReader{pool: pool, statements: d.statements()}
	r.query = r.runLookup
	db := stdlib.OpenDBFromPool(pool)
	if err := errors.Join(checkVersion(ctx, db, d), db.Close()); err != nil {
		pool.Close()
		return nil, err
	}
	r.startFilling(ctx)
	return r, nil
}

// runLookup runs a statement. A look-up whose connection turns out to be dead is tried once
// more, on a new connection.
func (r *postgresReader) runLookup(ctx context.Context, s statement, read func(rows) error, parameter ...any) error {
	again, err := r.runLookupOnce(ctx, s, read, parameter)
	if again {
		_, err = r.runLookupOnce(ctx, s, read, parameter)
	}
	return err
}

func (r *postgresReader) runLookupOnce(ctx context.Context, s statement, read func(rows) error,
	parameter []any) (again bool, err error) {
	conn, err := r.pool.Acquire(ctx)
	if err != nil {
		return false, err
	}
	defer conn.Release()
	statement := r.statements[s]
	if !r.unprepared.Load() {
		name := [...]string{"svc_verification_lookup", "svc_verification_ids", "svc_verification_state"}[s]
		_, err = conn.Conn().Prepare(ctx, name, statement) // the first time only
		statement = name
	}
	if err == nil {
		err = readOnly(ctx, conn.Conn(), read, statement, parameter...)
	}
	const duplicateStatement, unknownStatement = "42P05", "26000"
	refused, _ := errors.AsType[*pgconn.PgError](err)
	switch {
	case err == nil || ctx.Err() != nil:
		return false, err
	case conn.Conn().IsClosed():
		r.pool.Reset() // the others may be dead, too
		return true, err
	case refused != nil && (refused.Code == duplicateStatement || refused.Code == unknownStatement):
		r.unprepared.Store(true)
		return true, err
	}
	return false, err
}

// lookupSettings holds for the transaction of a look-up alone: it only reads, and goes
// from index to index as the query is written, whatever the statistics of the tables
// say or do not say yet. Planned for more rows than there are, hash tables would cost
// most of the time. Settings of a session would be refused by a proxy like PgBouncer,
// or end up in the sessions of others.
const lookupSettings = `SELECT set_config('transaction_read_only', 'on', true),
	set_config('plan_cache_mode', 'force_generic_plan', true),
	set_config('enable_bitmapscan', 'off', true),
	set_config('enable_hashagg', 'off', true),
	set_config('enable_hashjoin', 'off', true),
	set_config('enable_mergejoin', 'off', true), set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true),
	set_config('join_collapse_limit', '1', true)`

// readOnly runs a statement in a transaction of its own that only reads, and lets its
// rows be read. Settings and statement are sent together, which makes them one
// transaction, in one round trip.
func readOnly(ctx context.Context, c *pgx.Conn, read func(rows) error, statement string, args ...any) error {
	batch := &pgx.Batch{}
	batch.Queue(lookupSettings)
	batch.Queue(statement, args...)
	results := c.SendBatch(ctx, batch)
	defer results.Close()
	if _, err := results.Exec(); err != nil {
		return err
	}
	found, err := results.Query()
	if err != nil {
		return err
	}
	defer found.Close()
	return read(found)
}

func nameApplication(c *pgx.ConnConfig, name string) {
	if c.RuntimeParams["application_name"] == "" {
		c.RuntimeParams["application_name"] = name
	}
}

// loaderLock is the advisory lock that a loader holds during its transactions.
const loaderLock = 0x7376_632d_6c6f_6164 // svc-load

// openPostgresLoader opens a database for loading.
func openPostgresLoader(address string) (*Loader, error) {
	config, err := pgxpool.ParseConfig(address) // parameters of pools may stand there
	if err != nil {
		return nil, err
	}
	nameApplication(config.ConnConfig, "svc verify-load")
	// a transaction may have another connection than the last
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	db := stdlib.OpenDB(*config.ConnConfig)
	db.SetMaxOpenConns(1)
	locked := func(ctx context.Context, f func(*sql.Tx) error) error {
		// Every statement must see what was committed while the lock was waited for.
		tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
		if err != nil {
			return err
		}
		return finish(tx, func(tx *sql.Tx) error {
			if err := lockPostgres(ctx, tx); err != nil {
				return err
			}
			return f(tx)
		})
	}
	return &Loader{db: db, dialect: postgresDialect(), locked: locked, loaded: func() {}, close: db.Close}, nil
}

// lockPostgres waits until no other loader is at work.
func lockPostgres(ctx context.Context, tx *sql.Tx) error {
	var encoding string
	if err := tx.QueryRowContext(ctx, "SHOW server_encoding").Scan(&encoding); err != nil {
		return err
	}
	if encoding != "UTF8" {
		return fmt.Errorf("the database has the encoding %s, it must be UTF8", encoding)
	}
	_, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", int64(loaderLock))
	return err
}
