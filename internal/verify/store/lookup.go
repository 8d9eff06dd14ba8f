package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/producer"
)

// The kinds of rows that a look-up answers: records, in the numbers of their kinds,
// and what leads to what. Every row comes once, however many refs lead to it, so that
// an answer is no larger than what the database holds.
const (
	rowClaimRef = iota + int(bundle.Stored) // ref, claim
	rowTraceRef                             // ref, trace
	rowLink                                 // trace, claim that it names
	rowState                                // the state of the database that this is the answer of
)

// lookupQuery answers all that a store knows of the refs in LIST. Every step goes
// from the rows of the one before to an index: the joins are to be made from left to
// right, which both databases are told to do.
const lookupQuery = `
WITH asked (ref) AS (SELECT value FROM LIST),
trace_ref (ref, trace_id) AS MATERIALIZED (
	SELECT asked.ref, t.trace_id FROM asked CROSS JOIN verification_trace_ref AS t WHERE t.ref = asked.ref
),
claim_ref (ref, claim_id) AS MATERIALIZED (
	SELECT asked.ref, c.id FROM asked CROSS JOIN verification_claim AS c WHERE c.id = asked.ref
	UNION
	SELECT asked.ref, c.claim_id FROM asked CROSS JOIN verification_claim_ref AS c WHERE c.ref = asked.ref
	UNION
	SELECT asked.ref, e.claim_id FROM asked CROSS JOIN verification_evidence_ref AS e WHERE e.ref = asked.ref
),
claim (id) AS MATERIALIZED (
	SELECT claim_id FROM claim_ref
	UNION
	SELECT c.id
	FROM (SELECT DISTINCT trace_id FROM trace_ref) AS named
		CROSS JOIN verification_trace_claim AS t CROSS JOIN verification_claim AS c
	WHERE t.trace_id = named.trace_id AND c.id = t.claim_id
),
link (trace_id, claim_id) AS MATERIALIZED (
	SELECT t.trace_id, claim.id FROM claim CROSS JOIN verification_trace_claim AS t WHERE t.claim_id = claim.id
),
actor (name) AS (
	SELECT DISTINCT e.actor FROM claim CROSS JOIN verification_event AS e WHERE e.claim_id = claim.id
),
trace (id) AS (
	SELECT trace_id FROM trace_ref
	UNION
	SELECT trace_id FROM link
	UNION
	SELECT t.id FROM actor CROSS JOIN verification_trace AS t WHERE t.actor = actor.name
)
SELECT 7, state, '', '', '' FROM verification_state
UNION ALL
SELECT 4, ref, claim_id, '', '' FROM claim_ref
UNION ALL
SELECT 5, ref, trace_id, '', '' FROM trace_ref
UNION ALL
SELECT 6, trace_id, claim_id, '', '' FROM link
UNION ALL
SELECT 0, c.id, '', '', c.record FROM claim CROSS JOIN verification_claim AS c WHERE c.id = claim.id
UNION ALL
SELECT 1, e.id, e.claim_id, '', e.record FROM claim CROSS JOIN verification_evidence AS e WHERE e.claim_id = claim.id
UNION ALL
SELECT 2, e.id, e.claim_id, e.actor, e.record FROM claim CROSS JOIN verification_event AS e WHERE e.claim_id = claim.id
UNION ALL
SELECT 3, t.id, '', t.actor, t.record FROM trace CROSS JOIN verification_trace AS t WHERE t.id = trace.id
`

// claimQuery answers what the ref REF names besides a claim of this id and, if there is
// one, all that belongs to it. Nearly every question is answered by it, asked once, or
// twice if the ref is another name of a claim. It takes a fraction of the time of
// lookupQuery, which is for refs that lead further and for several.
const claimQuery = `
SELECT 7, state, '' FROM verification_state
UNION ALL
SELECT 4, claim_id, '' FROM verification_claim_ref WHERE ref = REF
UNION ALL
SELECT 4, claim_id, '' FROM verification_evidence_ref WHERE ref = REF
UNION ALL
SELECT 5, trace_id, '' FROM verification_trace_ref WHERE ref = REF
UNION ALL
SELECT 0, id, record FROM verification_claim WHERE id = REF
UNION ALL
SELECT 1, id, record FROM verification_evidence WHERE claim_id = REF
UNION ALL
SELECT 2, id, record FROM verification_event WHERE claim_id = REF
UNION ALL
SELECT 3, t.id, t.record FROM verification_trace_claim AS c CROSS JOIN verification_trace AS t WHERE c.claim_id = REF AND t.id = c.trace_id
UNION ALL
SELECT 3, id, record FROM verification_trace WHERE actor IN (SELECT actor FROM verification_event WHERE claim_id = REF)
`

// idsQuery answers the ids of the next claims after a key.
const idsQuery = "SELECT id FROM verification_claim WHERE id > REF ORDER BY id LIMIT 64"

// batchQuery answers what the ids of these claims lead to as refs, from ranges of the
// tables: that takes half the time of lookupQuery. Ids that name more than their
// claims are left out; as a rule no other names lie between them in the order of keys.
const batchQuery = `
WITH claim (id) AS MATERIALIZED (` + idsQuery + `),
last (id) AS MATERIALIZED (SELECT MAX(id) FROM claim),
link (trace_id, claim_id) AS MATERIALIZED (
	SELECT t.trace_id, claim.id FROM claim CROSS JOIN verification_trace_claim AS t WHERE t.claim_id = claim.id
),
actor (name) AS (
	SELECT DISTINCT actor FROM verification_event WHERE claim_id > REF AND claim_id <= (SELECT id FROM last)
),
trace (id) AS (
	SELECT trace_id FROM link
	UNION
	SELECT t.id FROM actor CROSS JOIN verification_trace AS t WHERE t.actor = actor.name
)
SELECT 7, state, '', '', '' FROM verification_state
UNION ALL
SELECT 4, id, id, '', '' FROM claim
WHERE (NOT EXISTS (SELECT 1 FROM verification_claim_ref WHERE ref > REF AND ref <= (SELECT id FROM last))
		OR NOT EXISTS (SELECT 1 FROM verification_claim_ref WHERE ref = claim.id))
	AND (NOT EXISTS (SELECT 1 FROM verification_evidence_ref WHERE ref > REF AND ref <= (SELECT id FROM last))
		OR NOT EXISTS (SELECT 1 FROM verification_evidence_ref WHERE ref = claim.id))
	AND (NOT EXISTS (SELECT 1 FROM verification_trace_ref WHERE ref > REF AND ref <= (SELECT id FROM last))
		OR NOT EXISTS (SELECT 1 FROM verification_trace_ref WHERE ref = claim.id))
UNION ALL
SELECT 6, trace_id, claim_id, '', '' FROM link
UNION ALL
SELECT 0, id, '', '', record FROM verification_claim WHERE id > REF AND id <= (SELECT id FROM last)
UNION ALL
SELECT 1, id, claim_id, '', record FROM verification_evidence WHERE claim_id > REF AND claim_id <= (SELECT id FROM last)
UNION ALL
SELECT 2, id, claim_id, actor, record FROM verification_event WHERE claim_id > REF AND claim_id <= (SELECT id FROM last)
UNION ALL
SELECT 3, t.id, '', t.actor, t.record FROM trace CROSS JOIN verification_trace AS t WHERE t.id = trace.id
`

// statement is one of the statements that read.
type statement int

const (
	lookupStatement statement = iota // takes a JSON array of keys
	claimStatement                   // takes a key
	idsStatement                     // takes a key, as the next one does
	batchStatement
	statementCount = iota
)

// statements returns the texts of the statements.
func (d *dialect) statements() [statementCount]string {
	filled := strings.NewReplacer("LIST", d.list, "REF", d.ref)
	return [...]string{filled.Replace(lookupQuery), filled.Replace(claimQuery), filled.Replace(idsQuery), filled.Replace(batchQuery)}
}

// rows are those of a query.
type rows interface {
	Next() bool
	Scan(columns ...any) error
	Err() error
}

// stateQuery answers the state of the database.
const stateQuery = "SELECT state FROM verification_state"

// reader looks refs up in a database.
type reader struct {
	// state returns the state of the database. It is another one after every load.
	state func(ctx context.Context) (string, error)
	// query runs a statement with its only parameter and lets rows be read. It may do so
	// again after a failure.
	query func(ctx context.Context, s statement, parameter string, read func(rows) error) error

	cache  cache
	filler filler
}

// LookupByIntegrityRef implements producer.Store.
func (r *reader) LookupByIntegrityRef(ctx context.Context, ref string) (*bundle.Records, error) {
	found, err := r.LookupByIntegrityRefs(ctx, []string{ref})
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

// LookupByIntegrityRefs implements producer.BatchStore. It answers from the cache if that
// has all of the refs, as the database has them now, and else by one query, or for a
// single ref by few.
func (r *reader) LookupByIntegrityRefs(ctx context.Context, refs []string) ([]*bundle.Records, error) {
	keys := make([]string, len(refs))
	var asked []string // each once
	seen := make(map[string]bool, len(refs))
	for i, ref := range refs {
		keys[i] = key(ref)
		if !seen[keys[i]] {
			seen[keys[i]] = true
			asked = append(asked, keys[i])
		}
	}
	state, err := r.state(ctx)
	if err != nil {
		return nil, err
	}
	if found, ok := r.cache.find(state, keys); ok {
		return found, nil
	}
	if len(keys) != 1 { // each answer lacks what those before it have: none is kept
		index, _, err := r.readIndex(ctx, lookupStatement, jsonList(asked))
		if err != nil {
			return nil, err
		}
		return index.Lookup(keys), nil
	}
	found, state, err := r.find(ctx, keys[0])
	if err != nil {
		return nil, err
	}
	r.cache.add(state, keys[0], found)
	return []*bundle.Records{found}, nil
}

// find returns what a key leads to, and the state that it is of.
func (r *reader) find(ctx context.Context, key string) (found *bundle.Records, state string, err error) {
	found, state, ok, err := r.findClaim(ctx, key)
	if ok || err != nil {
		return found, state, err
	}
	index, state, err := r.readIndex(ctx, lookupStatement, jsonList([]string{key}))
	if err != nil {
		return nil, "", err
	}
	return index.Lookup([]string{key})[0], state, nil
}

// readIndex returns what a statement answers, and the state that it is of.
func (r *reader) readIndex(ctx context.Context, s statement, parameter string) (index *producer.Index, state string, err error) {
	err = r.query(ctx, s, parameter, func(found rows) (err error) {
		index, state, err = readIndex(found)
		return err
	})
	return index, state, err
}

// findClaim returns what a ref leads to, if that is one claim at most. ok is false if it
// is more.
func (r *reader) findClaim(ctx context.Context, ref string) (found *bundle.Records, state string, ok bool, err error) {
	before := claimAnswer{}
	for try := range 2 { // by the ref, and by the id that it is another name of
		a := claimAnswer{ref: ref}
		if err := r.query(ctx, claimStatement, ref, a.read); err != nil {
			return nil, "", false, err
		}
		switch {
		case a.further || try > 0 && a.state != before.state: // something was loaded in between
			return nil, "", false, nil
		case a.name == "" && (a.records != nil || try == 0):
			return a.records, a.state, true, nil
		}
		ref, before = a.name, a
	}
	return nil, "", false, nil
}

// claimAnswer is what claimQuery answers.
type claimAnswer struct {
	ref     string
	state   string
	name    string          // the key of another claim that the ref names
	records *bundle.Records // of the claim whose key the ref is, nil if it is none
	further bool            // the ref names more than one claim, or a trace
}

// read reads the rows, names first, as far as they are of use.
func (a *claimAnswer) read(found rows) error {
	size := 0
	*a = claimAnswer{ref: a.ref}
	for found.Next() {
		var kind int
		var id, text string
		if err := found.Scan(&kind, &id, &text); err != nil {
			return err
		}
		switch kind {
		case rowState:
			a.state = id
			continue
		case rowClaimRef:
			if id != a.ref {
				a.further = a.name != "" && a.name != id
				a.name = id
			}
		case rowTraceRef:
			a.further = true
		default:
			if size += len(text); size > producer.MaxAnswerBytes {
				return &producer.TooLargeError{} // nobody could be answered with them
			}
			r, err := record(id, text)
			if err != nil {
				return err
			}
			if a.records == nil {
				a.records = &bundle.Records{}
			}
			list := a.records.List(bundle.Kind(kind))
			*list = append(*list, r)
		}
		if a.further {
			return nil
		}
	}
	switch {
	case a.records == nil:
	case len(a.records.Claims) == 0:
		a.records = nil // traces name a claim that is not there
	default:
		a.records.Sort()
		a.further = a.name != ""
	}
	return found.Err()
}

// readIndex reads the rows of a look-up, which come in any order.
func readIndex(found rows) (index *producer.Index, state string, err error) {
	b := producer.NewIndexBuilder()
	size := 0
	for found.Next() {
		var kind int
		var id, other, actor, text string
		if err := found.Scan(&kind, &id, &other, &actor, &text); err != nil {
			return nil, "", err
		}
		switch kind {
		case rowState:
			state = id
		case rowClaimRef:
			b.Name(id, bundle.KindClaim, other)
		case rowTraceRef:
			b.Name(id, bundle.KindTrace, other)
		case rowLink:
			b.Link(id, other)
		default:
			if size += len(text); size > producer.MaxAnswerBytes {
				return nil, "", &producer.TooLargeError{} // nobody could be answered with them
			}
			r, err := record(id, text)
			if err != nil {
				return nil, "", err
			}
			row := bundle.Row{Record: r, Actor: actor}
			if k := bundle.Kind(kind); k == bundle.KindEvidence || k == bundle.KindEvent {
				row.Claims = []string{other}
			}
			b.Add(bundle.Kind(kind), id, row)
		}
	}
	return b.Index(), state, found.Err()
}

// record returns a stored record. Its id is the key, or where that is a hash only in
// its text.
func record(key, text string) (bundle.Record, error) {
	if !strings.HasPrefix(key, hashMark) {
		return bundle.Record{ID: key, JSON: text}, nil
	}
	v, err := ijson.ReadValue(text, problem.InvalidTrustBundle)
	if err != nil {
		return bundle.Record{}, fmt.Errorf("a stored record is damaged: %w", err)
	}
	id, _ := v.Get("id")
	return bundle.Record{ID: id.Text, JSON: text}, nil
}
