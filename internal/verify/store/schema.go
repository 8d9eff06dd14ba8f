package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"unicode/utf8"

	"github.com/model-catalog-service/svc/internal/canonical"
)

// dialect is what differs between the databases in the text of statements.
type dialect struct {
	types     *strings.Replacer         // puts what the database knows in the place of KEYTEXT, CLUSTERED and WIDE
	hasSchema string                    // a query: is there a table verification_schema
	list      func(texts string) string // what a FROM takes for the values of a JSON array of texts
	ref       string                    // the only parameter, a text
	reuses    bool                      // what is deleted makes room for what is inserted later in the transaction

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

// The schema is what the migrations make of an empty database, one after the
// other. The number of each is the version that it makes. What was once
// published is never changed: a new version is a new file.
//
//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrations returns the migrations in their order: that at i makes version i+1.
func migrations() ([]string, error) {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql") // sorted
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(names))
	for i, name := range names {
		if !strings.HasPrefix(name, fmt.Sprintf("migrations/%04d_", i+1)) {
			return nil, fmt.Errorf("%s is not migration %d", name, i+1)
		}
		text, err := migrationFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		texts[i] = string(text)
	}
	return texts, nil
}

// The errors of a database whose schema is not that of this program.
var (
	ErrNoSchema  = errors.New("the database holds no records yet: load a bundle with svc verify-load")
	ErrOldSchema = errors.New("the database has an older schema: svc verify-load brings it up to date")
	ErrNewSchema = errors.New("the database has the schema of a newer svc")
)

// checkVersion demands the schema of this program.
func checkVersion(ctx context.Context, db querier, d *dialect) error {
	wanted, err := migrations()
	if err != nil {
		return err
	}
	version, err := version(ctx, db, d)
	switch {
	case err != nil:
		return err
	case version == 0:
		return ErrNoSchema
	case version < len(wanted):
		return ErrOldSchema
	case version > len(wanted):
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

// migrate brings a database up to the schema of this program, while no other
// process migrates or loads.
func (l *Loader) migrate(ctx context.Context) error {
	return l.locked(ctx, func(tx *sql.Tx) error {
		all, err := migrations()
		if err != nil {
			return err
		}
		have, err := version(ctx, tx, l.dialect)
		if err != nil {
			return err
		}
		if have > len(all) {
			return ErrNewSchema
		}
		if have == 0 {
			if _, err := tx.ExecContext(ctx, "CREATE TABLE verification_schema (version INTEGER PRIMARY KEY)"); err != nil {
				return err
			}
		}
		for i := have; i < len(all); i++ {
			text := l.dialect.types.Replace(all[i])
			text += fmt.Sprintf("\nINSERT INTO verification_schema (version) VALUES (%d);", i+1)
			if _, err := tx.ExecContext(ctx, text); err != nil {
				return fmt.Errorf("migration %d: %w", i+1, err)
			}
			if i+1 == versionOfParts {
				if err := l.moveToParts(ctx, tx); err != nil {
					return fmt.Errorf("migration %d: %w", i+1, err)
				}
			}
		}
		return nil
	})
}
