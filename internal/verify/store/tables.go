package store

import (
	"slices"

	"github.com/model-catalog-service/svc/internal/verify/bundle"
)

// table is where rows are kept.
type table struct {
	name    string
	columns []string
	most    int    // rows that are inserted at once
	again   string // ends a statement that inserts rows of which some may be there already
}

// The most rows and bytes that are sent in one statement.
const (
	chunkRows  = 500
	chunkParts = 100 // which hold some hundred records
	chunkBytes = 4 << 20
)

var (
	partTable = table{"verification_part", []string{"claim_id", "number", "actors", "records"}, chunkParts,
		"ON CONFLICT (claim_id, number) DO UPDATE SET actors = excluded.actors, records = excluded.records"}
	traceTable = table{"verification_trace", []string{"id", "actor", "record"}, chunkRows,
		"ON CONFLICT (id) DO UPDATE SET actor = excluded.actor, record = excluded.record"}

	// placeTables say in which parts evidence and events are.
	placeTables = [bundle.Stored]*table{
		bundle.KindEvidence: {"verification_evidence_place", []string{"id", "claim_id", "part"}, chunkRows, ""},
		bundle.KindEvent:    {"verification_event_place", []string{"id", "claim_id", "part"}, chunkRows, ""},
	}
)

// kindTables are empty if the database has no records of a kind. The ids of those that it
// has are in the first column.
var kindTables = [bundle.Stored]*table{
	bundle.KindClaim:    &partTable,
	bundle.KindEvidence: placeTables[bundle.KindEvidence],
	bundle.KindEvent:    placeTables[bundle.KindEvent],
	bundle.KindTrace:    &traceTable,
}

// linkTable is a table of pairs of keys that belong to records of a kind.
type linkTable struct {
	table
	kind  bundle.Kind
	owned bool // the first is the record: pairs change with it
	pairs func(r *bundle.Row) (first string, seconds []string)
}

var linkTables = [...]linkTable{
	newLinkTable("verification_claim_ref", bundle.KindClaim, "claim_id", "ref", true, refsBesidesID),
	newLinkTable("verification_evidence_ref", bundle.KindEvidence, "claim_id", "ref", false, refsOfClaim),
	newLinkTable("verification_trace_claim", bundle.KindTrace, "trace_id", "claim_id", true, claims),
	newLinkTable("verification_trace_ref", bundle.KindTrace, "trace_id", "ref", true, refs),
}

func newLinkTable(name string, kind bundle.Kind, first, second string, owned bool, pairs func(*bundle.Row) (string, []string)) linkTable {
	return linkTable{table{name, []string{first, second}, chunkRows, "ON CONFLICT DO NOTHING"}, kind, owned, pairs}
}

func refs(r *bundle.Row) (first string, seconds []string)        { return r.ID, r.Refs }
func claims(r *bundle.Row) (first string, seconds []string)      { return r.ID, r.Claims }
func refsOfClaim(r *bundle.Row) (first string, seconds []string) { return r.Claims[0], r.Refs }

// refsBesidesID are the refs of a claim, whose id needs no row beside its part.
func refsBesidesID(r *bundle.Row) (first string, seconds []string) {
	return r.ID, slices.DeleteFunc(r.Refs, func(ref string) bool { return ref == r.ID })
}

// rowBuffer gathers rows and hands them over as many at once as its tables take.
type rowBuffer struct {
	again  bool // some of the rows may be there already
	hand   func(c *chunk) error
	chunks []*chunk // that are not full, one for each table
}

// chunk is rows that are inserted at once.
type chunk struct {
	table   *table
	again   bool
	cells   []string // of all rows, one after the other
	bytes   int
	records int // of the bundle, that are written by it
}

func (c *chunk) rows() int { return len(c.cells) / len(c.table.columns) }

// put adds a row by which so many records are written.
func (b *rowBuffer) put(t *table, records int, cells ...string) error {
	i := slices.IndexFunc(b.chunks, func(c *chunk) bool { return c.table == t })
	if i < 0 {
		i = len(b.chunks)
		b.chunks = append(b.chunks, &chunk{table: t, again: b.again, cells: make([]string, 0, t.most*len(t.columns))})
	}
	c := b.chunks[i]
	c.cells = append(c.cells, cells...)
	c.records += records
	for _, cell := range cells {
		c.bytes += len(cell)
	}
	if c.rows() < t.most && c.bytes < chunkBytes {
		return nil
	}
	b.chunks = slices.Delete(b.chunks, i, i+1)
	return b.hand(c)
}

// end hands over what is left.
func (b *rowBuffer) end() error {
	left := b.chunks
	b.chunks = nil
	for _, c := range left {
		if err := b.hand(c); err != nil {
			return err
		}
	}
	return nil
}
