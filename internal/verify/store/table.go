package store

import (
	"strconv"

	"github.com/model-catalog-service/svc/internal/verify/bundle"
)

// table is where rows are inserted.
type table struct {
	name    string
	columns []string
	again   string // ends a statement that inserts rows of which some may be there already
}

// The most rows and bytes that are sent in one statement.
const (
	chunkRows  = 500
	chunkBytes = 4 << 20
)

// kindLink is the kind of a row of verification_ref that says which claim a trace names.
const kindLink = int(bundle.Stored)

const again = "ON CONFLICT (claim_id, kind, id) DO UPDATE SET "

var (
	recordColumns = []string{"claim_id", "kind", "id", "actor", "record", "digest"}
	recordTable   = table{"verification_record", recordColumns,
		again + "actor = excluded.actor, record = excluded.record, digest = excluded.digest"}
	// digestTable changes nothing but the digest of a claim that is there.
	digestTable = table{"verification_record", recordColumns, again + "digest = excluded.digest"}
	refTable    = table{"verification_ref", []string{"ref", "kind", "id"}, "ON CONFLICT DO NOTHING"}
)

// rowBuffer gathers rows and hands them over as many at once as a statement takes.
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
	i := 0
	for i < len(b.chunks) && b.chunks[i].table != t {
		i++
	}
	if i == len(b.chunks) {
		b.chunks = append(b.chunks, &chunk{table: t, again: b.again, cells: make([]string, 0, chunkRows*len(t.columns))})
	}
	c := b.chunks[i]
	c.cells = append(c.cells, cells...)
	c.records += records
	for _, cell := range cells {
		c.bytes += len(cell)
	}
	if c.rows() < chunkRows && c.bytes < chunkBytes {
		return nil
	}
	b.chunks = append(b.chunks[:i], b.chunks[i+1:]...)
	return b.hand(c)
}

func (b *rowBuffer) putRow(r *row, digest string) error {
	return b.put(&recordTable, 1, r.claim, strconv.Itoa(int(r.kind)), r.id, r.actor, r.json, digest)
}

// putClaim adds rows of a claim, that of the claim first where it is written. What else belongs to
// the claim has the digest rest.
func (b *rowBuffer) putClaim(claim string, list []row, rest digest) error {
	for i := range list {
		rest.add(&list[i])
	}
	if len(list) > 0 && list[0].kind != bundle.KindClaim {
		if err := b.put(&digestTable, 0, claim, strconv.Itoa(int(bundle.KindClaim)), claim, "", "", rest.text()); err != nil {
			return err
		}
	}
	for i := range list {
		text := ""
		if list[i].kind == bundle.KindClaim {
			text = rest.text()
		}
		if err := b.putRow(&list[i], text); err != nil {
			return err
		}
	}
	return nil
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
