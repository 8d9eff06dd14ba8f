package store

import (
	"context"
	"database/sql"
	_ "embed" // the schema
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/model-catalog-service/svc/internal/canonical"
)

// dialect is what differs between the databases in the text of statements.
type dialect struct {
	types     *strings.Replacer         // puts what the database knows in the place of KEYTEXT and CLUSTERED
	hasSchema string                    // a query: is there a table verification_schema
	list      func(texts string) string // what a FROM takes for the values of a JSON array of texts
	ref       string                    // the only parameter, a text

	// insert inserts rows.
	insert func(ctx context.Context, tx *transaction, c *chunk) error
}

const (
	// maxKey is the most bytes of an id or ref that go into an index as they
	// are. PostgreSQL takes some 2,700 bytes in an entry, which may hold two.
	maxKey = 1024
	// hashMark begins the key of an id or ref that is indexed by its hash.
	hashMark = "\x01sha256:"
)

// key returns what stands for an id or ref in the columns that are searched:
// the text itself, or its hash if it is too long for an index or is not a text to
// the databases. Different texts have different keys.
func key(s string) string {
	isText := utf8.ValidString(s) && strings.IndexByte(s, 0) < 0
	if isText && len(s) <= maxKey && !strings.HasPrefix(s, hashMark[:1]) {
		return s
	}
	return hashMark + canonical.Sum([]byte(s))
}

// jsonList writes keys as the JSON array that the queries take them as.
func jsonList(keys []string) string {
	e := canonical.Encoder{}
	e.Texts(keys)
	return string(e.Buf)
}

//go:embed schema.sql
var schema string

// schemaVersion is the version of the schema. A database of another one is made anew.
const schemaVersion = 5

// The errors of a database whose schema is not that of this program.
var (
	ErrNoSchema  = errors.New("the database holds no records yet: load a bundle with svc verify-load")
	ErrOldSchema = errors.New("the database has the schema of an older svc: load your bundles into a new one")
	ErrNewSchema = errors.New("the database has the schema of a newer svc")
)

// checkVersion demands the schema of this program.
func checkVersion(ctx context.Context, db querier, d *dialect) error {
	switch version, err := version(ctx, db, d); {
	case err != nil:
		return err
	case version == 0:
		return ErrNoSchema
	case version < schemaVersion:
		return ErrOldSchema
	case version > schemaVersion:
		return ErrNewSchema
	}
	return nil
}

// querier is a database or a transaction in one.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// version returns the version of a database's schema, 0 if it has none.
func version(ctx context.Context, db querier, d *dialect) (version int, err error) {
	var has bool
	if err := db.QueryRowContext(ctx, d.hasSchema).Scan(&has); err != nil || !has {
		return 0, err
	}
	err = db.QueryRowContext(ctx, "SELECT COALESCE(MAX(version), 0) FROM verification_schema").Scan(&version)
	return version, err
}

// create makes the schema in a database that has none, while no other process does or loads.
func (l *Loader) create(ctx context.Context) error {
	return l.locked(ctx, func(tx *sql.Tx) error {
		err := checkVersion(ctx, tx, l.dialect)
		if err != ErrNoSchema {
			return err
		}
		if _, err := tx.ExecContext(ctx, l.dialect.types.Replace(schema)); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, fmt.Sprintf("INSERT INTO verification_schema (version, state) VALUES (%d, '')",
			schemaVersion))
		return err
	})
}
