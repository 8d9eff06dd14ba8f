package store

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"
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
