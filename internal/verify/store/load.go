package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/model-catalog-service/svc/internal/verify"
)

// Loader writes bundles into a database.
type Loader struct {
	// Progress, if not nil, is told by Load how many more records are written.
	Progress func(records int)

	db      *sql.DB
	dialect *dialect
	// locked runs f in a transaction, which no other process loads beside.
	locked func(ctx context.Context, f func(*sql.Tx) error) error
	close  func() error
}

// Close ends all connections.
func (l *Loader) Close() error { return l.close() }

// Counts are numbers of records by kind.
type Counts struct {
	Claims, Evidence, Events, AuthorityTrace int
}

// Report tells what became of the records of a bundle.
type Report struct {
	Added   Counts
	Present Counts // were there already
	Updated Counts // were there with other content, which the bundle's replaced
}

// ConflictError refuses a bundle: the store has a record with other content
// under an id of it, and may not change it.
type ConflictError struct {
	Kind string // claim, evidence, event or authority trace
	ID   string
	// Movable tells that an update may change records of this kind.
	Movable bool
}

func (e *ConflictError) Error() string {
	if e.Movable {
		return fmt.Sprintf("%s %q: the store has another content under this id, and no update was asked for", e.Kind, e.ID)
	}
	return fmt.Sprintf("%s %q: the store has another content under this id, which never changes", e.Kind, e.ID)
}

// Load writes the claims, evidence, events and authority traces of a bundle in
// one transaction. A record that is there already, equal as canonical JSON,
// stays as it is. Another content under an id that the store has is refused with
// a [ConflictError], unless update is true and the record is a claim or a trace:
// then it takes the place of the old. After an error nothing of the bundle is
// written, unless the connection was lost at the very end: loading it again is
// always right.
func (l *Loader) Load(ctx context.Context, b *verify.Bundle, update bool) (Report, error) {
	var report Report
	err := l.locked(ctx, func(tx *sql.Tx) error {
		w := &writer{tx: tx, dialect: l.dialect, update: update, progress: l.Progress}
		var err error
		report, err = w.bundle(ctx, b.Index())
		return err
	})
	if err != nil {
		return Report{}, err
	}
	return report, nil
}
