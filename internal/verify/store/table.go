package store

import (
	"slices"

	"github.com/model-catalog-service/svc/internal/verify"
)

// table is a kind of records and where they are kept.
type table struct {
	kind    string
	name    string
	columns []string // the key of the id first, the record last
	movable bool     // records may change
	links   []linkTable
}

// linkTable is a table of pairs that belong to records.
type linkTable struct {
	name    string
	columns []string // two
	owned   bool     // the first is the record: pairs change with it
}

// row is a record, as a row and the pairs in the link tables of its kind.
type row struct {
	record verify.Record
	cells  []string
	links  [][][]string
}

func claimTable() *table {
	return &table{
		kind: "claim", name: "verification_claim", columns: []string{"id", "record"}, movable: true,
		links: []linkTable{{"verification_claim_ref", []string{"claim_id", "ref"}, true}},
	}
}

func claimRow(c verify.ClaimRow) row {
	id := key(c.ID)
	others := slices.DeleteFunc(slices.Clone(c.Refs), func(ref string) bool { return ref == c.ID })
	return row{c.Record, []string{id, c.JSON}, [][][]string{pairs(id, others)}}
}

func evidenceTable() *table {
	return &table{
		kind: "evidence", name: "verification_evidence", columns: []string{"id", "claim_id", "record"},
		links: []linkTable{{"verification_evidence_ref", []string{"claim_id", "ref"}, false}},
	}
}

func evidenceRow(e verify.EvidenceRow) row {
	claim := key(e.ClaimID)
	return row{e.Record, []string{key(e.ID), claim, e.JSON}, [][][]string{pairs(claim, e.Refs)}}
}

func eventTable() *table {
	return &table{kind: "event", name: "verification_event", columns: []string{"id", "claim_id", "actor", "record"}}
}

func eventRow(e verify.EventRow) row {
	return row{e.Record, []string{key(e.ID), key(e.ClaimID), key(e.Actor), e.JSON}, nil}
}

func traceTable() *table {
	return &table{
		kind: "authority trace", name: "verification_trace", columns: []string{"id", "actor", "record"}, movable: true,
		links: []linkTable{
			{"verification_trace_claim", []string{"trace_id", "claim_id"}, true},
			{"verification_trace_ref", []string{"trace_id", "ref"}, true},
		},
	}
}

func traceRow(t verify.TraceRow) row {
	id := key(t.ID)
	return row{t.Record, []string{id, key(t.Actor), t.JSON}, [][][]string{pairs(id, t.ClaimIDs), pairs(id, t.Refs)}}
}

// pairs puts a key before each of others.
func pairs(first string, others []string) [][]string {
	list := make([][]string, len(others))
	for i, o := range others {
		list[i] = []string{first, key(o)}
	}
	return list
}
