package store

import (
	"context"
	"database/sql"
	"strings"
)

// dialect is what differs between the databases in the text of statements.
type dialect struct {
	types     *strings.Replacer // puts what the database knows in the place of KEYTEXT and CLUSTERED
	hasSchema string            // a query: is there a table verification_schema
	list      string            // what stands behind FROM for the texts of a JSON array, the only parameter

	// insert inserts rows, each with a value for every column, and returns how
	// the result is read: the first column of those that went in. What conflicts
	// goes by tail.
	insert func(ctx context.Context, tx *sql.Tx, into, tail string, columns []string, rows [][]string) (*sql.Rows, error)
}
