package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/model-catalog-service/svc/internal/verify/bundle"
)

// versionOfParts is the version of the schema that brought parts. In those before, each record
// is a row of the table of its kind.
const versionOfParts = 3

// mover moves the records of claims from these tables into parts.
type mover struct {
	tx      *sql.Tx
	dialect *dialect
	rows    rowBuffer
}

// moveToParts moves all records.
func (l *Loader) moveToParts(ctx context.Context, tx *sql.Tx) error {
	again := &transaction{tx, map[string]*sql.Stmt{}}
	m := mover{tx: tx, dialect: l.dialect}
	m.rows.hand = func(c *chunk) error { return l.dialect.insert(ctx, again, c) }
	after := oldRecord{}
	for hasMore := true; hasMore; {
		var claims []oldRecord
		var err error
		claims, hasMore, err = m.page(ctx, bundle.KindClaim, after, "")
		if err != nil {
			return err
		}
		if len(claims) == 0 {
			break
		}
		if err := m.move(ctx, claims); err != nil {
			return err
		}
		after = claims[len(claims)-1]
	}
	return m.rows.end()
}

// move moves claims, and what belongs to them, which lies in the order of the claims.
func (m *mover) move(ctx context.Context, claims []oldRecord) error {
	first, last := claims[0].claim, claims[len(claims)-1].claim
	into := make(map[string]*parts, len(claims))
	for _, claim := range claims {
		p := &parts{put: m.rows.put}
		if err := p.begin(claim.claim, 0, ""); err != nil {
			return err
		}
		if err := p.add(claim.packedRecord); err != nil {
			return err
		}
		into[claim.claim] = p
	}
	for _, kind := range [...]bundle.Kind{bundle.KindEvidence, bundle.KindEvent} {
		after := oldRecord{claim: first}
		for hasMore := true; hasMore; {
			var records []oldRecord
			var err error
			records, hasMore, err = m.page(ctx, kind, after, last)
			if err != nil {
				return err
			}
			for _, r := range records {
				if into[r.claim] == nil {
					return fmt.Errorf("%s %q belongs to no claim", kind, r.key)
				}
				if err := into[r.claim].add(r.packedRecord); err != nil {
					return err
				}
				after = r
			}
		}
	}
	for _, claim := range claims {
		if err := into[claim.claim].end(); err != nil {
			return err
		}
	}
	return m.delete(ctx, first, last)
}

// oldRecord is a record of the old tables, and the key of its claim.
type oldRecord struct {
	claim string
	packedRecord
}

// oldTables are the old tables: what is selected, from where, and by which columns it is sorted.
var oldTables = [...]struct{ columns, name, order string }{
	bundle.KindClaim:    {"id, id, '', record", "verification_claim", "id"},
	bundle.KindEvidence: {"claim_id, id, '', record", "verification_evidence", "claim_id, id"},
	bundle.KindEvent:    {"claim_id, id, actor, record", "verification_event", "claim_id, id"},
}

// pageRecords is how many records a page has.
const pageRecords = 200

// page returns the next records of a table: those after one, or from the beginning of its claim if
// it has no text, and of claims up to the last.
func (m *mover) page(ctx context.Context, kind bundle.Kind, after oldRecord, last string) (records []oldRecord, hasMore bool, err error) {
	t := oldTables[kind]
	where, args := "id >= ?1", []any{after.claim}
	if kind != bundle.KindClaim {
		where, args = "(claim_id, id) >= (?1, ?2) AND claim_id <= ?3", []any{after.claim, after.key, last}
	}
	query := fmt.Sprintf("SELECT %s FROM %s WHERE %s ORDER BY %s LIMIT %d", t.columns, t.name, where, t.order, pageRecords+1)
	found, err := m.tx.QueryContext(ctx, m.text(query), args...)
	if err != nil {
		return nil, false, err
	}
	defer found.Close()
	n := 0
	for ; found.Next(); n++ {
		r := oldRecord{packedRecord: packedRecord{kind: kind}}
		if err := found.Scan(&r.claim, &r.key, &r.actor, &r.json); err != nil {
			return nil, false, err
		}
		if after.json == "" || r.key != after.key || r.claim != after.claim {
			records = append(records, r)
		}
	}
	return records, n > pageRecords, found.Err()
}

// delete deletes what was moved, where that makes room for what is moved next: so a file does
// not become twice as large.
func (m *mover) delete(ctx context.Context, first, last string) error {
	if !m.dialect.reuses {
		return nil
	}
	for _, t := range oldTables {
		column, _, _ := strings.Cut(t.order, ",")
		if _, err := m.tx.ExecContext(ctx, m.text("DELETE FROM "+t.name+" WHERE "+column+" >= ?1 AND "+column+" <= ?2"), first, last); err != nil {
			return err
		}
	}
	return nil
}

// text returns a query as the database reads it.
func (m *mover) text(query string) string {
	return strings.ReplaceAll(query, "?", m.dialect.ref[:1])
}
