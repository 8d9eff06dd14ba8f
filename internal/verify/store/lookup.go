package store

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/verify"
)

// The kinds of rows that a look-up answers. Records come once each, however
// many refs name them; links say what belongs to what.
const (
	rowHit      = iota + 1 // ref, claim id
	rowNamed               // ref, trace id
	rowLink                // claim id, trace id
	rowClaim               // id, -, record
	rowEvidence            // id, claim id, record
	rowEvent               // id, claim id, record
	rowTrace               // id, -, record
)

// lookupQuery answers all that a store knows of the refs in LIST. Every step
// goes from the rows of the one before to an index: the joins are to be made
// from left to right, which both databases are told to do.
const lookupQuery = `
WITH asked (ref) AS (SELECT value FROM LIST),
named (ref, trace_id) AS MATERIALIZED (
	SELECT asked.ref, t.trace_id FROM asked CROSS JOIN verification_trace_ref AS t WHERE t.ref = asked.ref
),
hit (ref, claim_id) AS MATERIALIZED (
	SELECT asked.ref, c.id FROM asked CROSS JOIN verification_claim AS c WHERE c.id = asked.ref
	UNION
	SELECT asked.ref, c.claim_id FROM asked CROSS JOIN verification_claim_ref AS c WHERE c.ref = asked.ref
	UNION
	SELECT asked.ref, e.claim_id FROM asked CROSS JOIN verification_evidence_ref AS e WHERE e.ref = asked.ref
	UNION
	SELECT named.ref, c.id
	FROM named CROSS JOIN verification_trace_claim AS t CROSS JOIN verification_claim AS c
	WHERE t.trace_id = named.trace_id AND c.id = t.claim_id
),
held (claim_id) AS MATERIALIZED (SELECT DISTINCT claim_id FROM hit),
acted (claim_id, actor) AS (
	SELECT DISTINCT held.claim_id, e.actor FROM held CROSS JOIN verification_event AS e WHERE e.claim_id = held.claim_id
),
link (claim_id, trace_id) AS MATERIALIZED (
	SELECT held.claim_id, t.trace_id FROM held CROSS JOIN verification_trace_claim AS t WHERE t.claim_id = held.claim_id
	UNION
	SELECT acted.claim_id, t.id FROM acted CROSS JOIN verification_trace AS t WHERE t.actor = acted.actor
),
told (trace_id) AS (SELECT trace_id FROM link UNION SELECT trace_id FROM named)
SELECT 1, ref, claim_id, '' FROM hit
UNION ALL
SELECT 2, ref, trace_id, '' FROM named
UNION ALL
SELECT 3, claim_id, trace_id, '' FROM link
UNION ALL
SELECT 4, c.id, '', c.record FROM held CROSS JOIN verification_claim AS c WHERE c.id = held.claim_id
UNION ALL
SELECT 5, e.id, e.claim_id, e.record FROM held CROSS JOIN verification_evidence AS e WHERE e.claim_id = held.claim_id
UNION ALL
SELECT 6, e.id, e.claim_id, e.record FROM held CROSS JOIN verification_event AS e WHERE e.claim_id = held.claim_id
UNION ALL
SELECT 7, t.id, '', t.record FROM told CROSS JOIN verification_trace AS t WHERE t.id = told.trace_id
`

func (d *dialect) lookupQuery() string { return strings.Replace(lookupQuery, "LIST", d.list, 1) }

// reader looks refs up in a database.
type reader struct {
	// query runs the query for look-ups with its only parameter.
	query func(ctx context.Context, list string) (*sql.Rows, error)
}

// LookupByIntegrityRef looks up one ref.
func (r *reader) LookupByIntegrityRef(ctx context.Context, ref string) (*verify.Records, error) {
	found, err := r.LookupByIntegrityRefs(ctx, []string{ref})
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

// LookupByIntegrityRefs looks up many refs in one query.
func (r *reader) LookupByIntegrityRefs(ctx context.Context, refs []string) ([]*verify.Records, error) {
	keys := make([]string, len(refs))
	asked := make([]string, 0, len(refs)) // each once
	seen := make(map[string]bool, len(refs))
	for i, ref := range refs {
		keys[i] = key(ref)
		if !seen[keys[i]] {
			seen[keys[i]] = true
			asked = append(asked, keys[i])
		}
	}
	f, err := r.find(ctx, asked)
	if err != nil {
		return nil, err
	}
	records := make([]*verify.Records, len(refs))
	for i, k := range keys {
		records[i] = f.records(k)
	}
	return records, nil
}

func (r *reader) find(ctx context.Context, keys []string) (*findings, error) {
	rows, err := r.query(ctx, list(keys))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	f := newFindings()
	for rows.Next() {
		var (
			row     int
			a, b, c string
		)
		if err := rows.Scan(&row, &a, &b, &c); err != nil {
			return nil, err
		}
		if err := f.add(row, a, b, c); err != nil {
			return nil, err
		}
	}
	return f, rows.Err()
}

// findings is the answer of a look-up, by keys.
type findings struct {
	hits   map[string][]string // claims by the ref that names them
	named  map[string][]string // traces by the ref that names them
	claims map[string]*foundClaim
	traces map[string]verify.Record
}

// foundClaim is a claim and what belongs to it.
type foundClaim struct {
	claim            verify.Record
	evidence, events []verify.Record
	traces           []string // keys
}

func newFindings() *findings {
	return &findings{
		hits: map[string][]string{}, named: map[string][]string{},
		claims: map[string]*foundClaim{}, traces: map[string]verify.Record{},
	}
}

// of returns the claim with the key. Rows come in any order.
func (f *findings) of(claim string) *foundClaim {
	c := f.claims[claim]
	if c == nil {
		c = &foundClaim{}
		f.claims[claim] = c
	}
	return c
}

// add takes a row.
func (f *findings) add(row int, a, b, text string) (err error) {
	var r verify.Record
	if row >= rowClaim {
		if r, err = record(a, text); err != nil {
			return err
		}
	}
	switch row {
	case rowHit:
		f.hits[a] = append(f.hits[a], b)
	case rowNamed:
		f.named[a] = append(f.named[a], b)
	case rowLink:
		c := f.of(a)
		c.traces = append(c.traces, b)
	case rowClaim:
		f.of(a).claim = r
	case rowEvidence:
		c := f.of(b)
		c.evidence = append(c.evidence, r)
	case rowEvent:
		c := f.of(b)
		c.events = append(c.events, r)
	case rowTrace:
		f.traces[a] = r
	}
	return nil
}

// records returns what there is of a ref, nil if it is unknown.
func (f *findings) records(ref string) *verify.Records {
	hits, named := f.hits[ref], f.named[ref]
	if hits == nil && named == nil {
		return nil
	}
	found := &verify.Records{}
	traces := slices.Clone(named)
	for _, hit := range hits {
		c := f.claims[hit]
		found.Claims = append(found.Claims, c.claim)
		found.Evidence = append(found.Evidence, c.evidence...)
		found.Events = append(found.Events, c.events...)
		traces = append(traces, c.traces...)
	}
	for _, trace := range traces {
		found.AuthorityTrace = append(found.AuthorityTrace, f.traces[trace])
	}
	found.Sort()
	return found
}
