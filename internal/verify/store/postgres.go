package store

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

func postgresDialect() *dialect {
	return &dialect{
		// Byte by byte, and its indexes outlive a change of the system's locales.
		types:     strings.NewReplacer("KEYTEXT", `TEXT COLLATE "C"`, "CLUSTERED", ""),
		hasSchema: "SELECT to_regclass('verification_schema') IS NOT NULL",
		list:      "json_array_elements_text($1::json) AS list (value)",
		insert:    insertArrays,
	}
}

// insertArrays inserts rows that are sent as one array for each column.
func insertArrays(ctx context.Context, tx *sql.Tx, into, tail string, columns []string, rows [][]string) (*sql.Rows, error) {
	names := strings.Join(columns, ", ")
	arrays := make([]string, len(columns))
	args := make([]any, len(columns))
	for c := range columns {
		arrays[c] = "$" + strconv.Itoa(c+1) + "::text[]"
		cells := make([]string, len(rows))
		for i, row := range rows {
			cells[i] = row[c]
		}
		args[c] = cells
	}
	statement := "INSERT INTO " + into + " (" + names + ") SELECT * FROM unnest(" + strings.Join(arrays, ", ") + ") " + tail
	return tx.QueryContext(ctx, statement, args...)
}

// postgresReader is a reader of a PostgreSQL database.
type postgresReader struct {
	reader
	pool *pgxpool.Pool
	db   *sql.DB // on the pool
}

func (r *postgresReader) close() error {
	err := r.db.Close()
	r.pool.Close()
	return err
}

// openingTime bounds how long a database may take to answer at the start.
const openingTime = 10 * time.Second

// openPostgres opens a database for look-ups. The pool makes a new connection
// for one that was lost.
func openPostgres(ctx context.Context, address string) (*postgresReader, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, err
	}
	forLookups(config.ConnConfig)
	ctx, stop := context.WithTimeout(ctx, openingTime)
	defer stop()
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	d := postgresDialect()
	r := &postgresReader{pool: pool, db: stdlib.OpenDBFromPool(pool)}
	if err := checkVersion(ctx, r.db, d); err != nil {
		r.close()
		return nil, err
	}
	query := d.lookupQuery() // prepared once on each connection
	r.query = func(ctx context.Context, list string) (*sql.Rows, error) { return r.db.QueryContext(ctx, query, list) }
	return r, nil
}

// forLookups sets what holds for every transaction of a connection: it only
// reads, and look-ups go from index to index as the query is written, whatever
// the statistics of the tables say or do not say yet. Planned for more rows than
// there are, hash tables would cost most of the time.
func forLookups(c *pgx.ConnConfig) {
	for name, value := range map[string]string{
		"default_transaction_read_only": "on",
		"enable_bitmapscan":             "off",
		"enable_hashagg":                "off",
		"enable_hashjoin":               "off",
		"enable_mergejoin":              "off",
		"enable_seqscan":                "off",
		"jit":                           "off",
		"join_collapse_limit":           "1",
		"plan_cache_mode":               "force_generic_plan",
	} {
		c.RuntimeParams[name] = value
	}
	nameApplication(c, "svc verify-serve")
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
	return &Loader{db: db, dialect: postgresDialect(), locked: locked, close: db.Close}, nil
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
