package store

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/producer"
)

// The kinds of rows that a look-up answers: the packs of traces, in the number of their kind,
// those of the parts of claims, and what leads to what. Every row comes once, however many refs lead to it, so that
// an answer is no larger than what the database holds.
const (
	rowClaimRef = iota + int(bundle.Stored) // ref, claim
	rowTraceRef                             // ref, trace
	rowLink                                 // trace, claim that it names
	rowState                                // the state of the database that this is the answer of
	rowMore                                 // claim whose id, as a ref, names more than the claim
	rowPart                                 // claim, pack
	rowTrace    = int(bundle.KindTrace)
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
	SELECT asked.ref, c.claim_id FROM asked CROSS JOIN verification_part AS c WHERE c.claim_id = asked.ref AND c.number = 0
	UNION
	SELECT asked.ref, c.claim_id FROM asked CROSS JOIN verification_claim_ref AS c WHERE c.ref = asked.ref
	UNION
	SELECT asked.ref, e.claim_id FROM asked CROSS JOIN verification_evidence_ref AS e WHERE e.ref = asked.ref
),
claim (id) AS MATERIALIZED (
	SELECT claim_id FROM claim_ref
	UNION
	SELECT c.claim_id
	FROM (SELECT DISTINCT trace_id FROM trace_ref) AS named
		CROSS JOIN verification_trace_claim AS t CROSS JOIN verification_part AS c
	WHERE t.trace_id = named.trace_id AND c.claim_id = t.claim_id AND c.number = 0
),
link (trace_id, claim_id) AS MATERIALIZED (
	SELECT t.trace_id, claim.id FROM claim CROSS JOIN verification_trace_claim AS t WHERE t.claim_id = claim.id
),
actor (name) AS (
	SELECT DISTINCT value FROM claim CROSS JOIN verification_part AS p CROSS JOIN ACTORS
	WHERE p.claim_id = claim.id AND (SELECT MIN(id) FROM verification_trace) IS NOT NULL
),
trace (id) AS (
	SELECT trace_id FROM trace_ref
	UNION
	SELECT trace_id FROM link
	UNION
	SELECT t.id FROM actor CROSS JOIN verification_trace AS t WHERE t.actor = actor.name
)
SELECT 7, state, '' FROM verification_state
UNION ALL
SELECT 4, ref, claim_id FROM claim_ref
UNION ALL
SELECT 5, ref, trace_id FROM trace_ref
UNION ALL
SELECT 6, trace_id, claim_id FROM link
UNION ALL
SELECT 9, claim.id, p.records FROM claim CROSS JOIN verification_part AS p WHERE p.claim_id = claim.id
UNION ALL
SELECT 3, '', PACK FROM trace CROSS JOIN verification_trace AS t WHERE t.id = trace.id
`

// claimQuery answers what the ref REF names besides a claim of this id and, if there is
// one, all that belongs to it: as a rule two rows. Nearly every question is answered by it,
// asked once, or twice if the ref is another name of a claim. It takes a fraction of the time
// of lookupQuery, which is for refs that lead further and for several.
const claimQuery = `
SELECT 7, state FROM verification_state
UNION ALL
SELECT 4, claim_id FROM verification_claim_ref WHERE ref = REF
UNION ALL
SELECT 4, claim_id FROM verification_evidence_ref WHERE ref = REF
UNION ALL
SELECT 5, trace_id FROM verification_trace_ref WHERE ref = REF
UNION ALL
SELECT 9, records FROM verification_part WHERE claim_id = REF
UNION ALL
SELECT 3, PACK FROM verification_trace_claim AS c CROSS JOIN verification_trace AS t WHERE c.claim_id = REF AND t.id = c.trace_id
UNION ALL
SELECT 3, PACK FROM verification_trace AS t
WHERE (SELECT MIN(id) FROM verification_trace) IS NOT NULL
	AND t.actor IN (SELECT value FROM verification_part AS p CROSS JOIN ACTORS WHERE p.claim_id = REF)
`

// idsQuery answers the ids of the next claims after a key.
const idsQuery = "SELECT claim_id FROM verification_part WHERE claim_id > REF AND number = 0 ORDER BY claim_id LIMIT 256"

// batchQuery answers the next claims after a key, each with what belongs to it, from ranges
// of the tables: that takes a fraction of the time of claimQuery for each. It tells of the
// ids that, as refs, name more than their claims; as a rule no other names lie between them
// in the order of keys.
const batchQuery = `
WITH claim (id) AS MATERIALIZED (` + idsQuery + `),
last (id) AS MATERIALIZED (SELECT MAX(id) FROM claim),
trace (claim_id, id) AS (
	SELECT t.claim_id, t.trace_id FROM claim CROSS JOIN verification_trace_claim AS t WHERE t.claim_id = claim.id
	UNION
	SELECT p.claim_id, t.id FROM verification_part AS p CROSS JOIN ACTORS CROSS JOIN verification_trace AS t
	WHERE (SELECT MIN(id) FROM verification_trace) IS NOT NULL
		AND p.claim_id > REF AND p.claim_id <= (SELECT id FROM last) AND t.actor = value
)
SELECT 7, state, '' FROM verification_state
UNION ALL
SELECT 8, id, '' FROM claim
WHERE EXISTS (SELECT 1 FROM verification_claim_ref WHERE ref > REF AND ref <= (SELECT id FROM last))
		AND EXISTS (SELECT 1 FROM verification_claim_ref WHERE ref = claim.id)
	OR EXISTS (SELECT 1 FROM verification_evidence_ref WHERE ref > REF AND ref <= (SELECT id FROM last))
		AND EXISTS (SELECT 1 FROM verification_evidence_ref WHERE ref = claim.id)
	OR EXISTS (SELECT 1 FROM verification_trace_ref WHERE ref > REF AND ref <= (SELECT id FROM last))
		AND EXISTS (SELECT 1 FROM verification_trace_ref WHERE ref = claim.id)
UNION ALL
SELECT 9, claim_id, records FROM verification_part WHERE claim_id > REF AND claim_id <= (SELECT id FROM last)
UNION ALL
SELECT 3, trace.claim_id, PACK FROM trace CROSS JOIN verification_trace AS t WHERE t.id = trace.id
`

// statement is one of the statements that read.
type statement int

const (
	lookupStatement statement = iota // takes a JSON array of keys
	claimStatement                   // takes a key
	idsStatement                     // takes a key, as the next one does
	batchStatement
	stateStatement // takes nothing
	statementCount = iota
)

// packedTrace is the pack of a trace.
const packedTrace = "'t' || octet_length(t.id) || ',' || octet_length(t.actor) || ',' || octet_length(t.record) || ':' || t.id || t.actor || t.record"

// statements returns the texts of the statements.
func (d *dialect) statements() [statementCount]string {
	filled := strings.NewReplacer("PACK", packedTrace, "LIST", d.list(d.ref), "ACTORS", d.list("p.actors"), "REF", d.ref)
	return [...]string{filled.Replace(lookupQuery), filled.Replace(claimQuery), filled.Replace(idsQuery), filled.Replace(batchQuery), stateQuery}
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
	asked  atomic.Int64 // how many questions there were
}

// Ready implements [Store] by a look-up of what no claim is called.
func (r *reader) Ready(ctx context.Context) error {
	return r.query(ctx, claimStatement, hashMark, (&claimAnswer{ref: hashMark}).read)
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
	r.asked.Add(1)
	keys := make([]string, len(refs))
	for i, ref := range refs {
		keys[i] = keyOfRef(ref)
	}
	state, err := r.state(ctx)
	if err != nil {
		return nil, err
	}
	if found, ok := r.cache.find(state, keys); ok {
		return found, nil
	}
	if len(keys) != 1 { // each answer lacks what those before it have: none is kept
		index, _, err := r.readIndex(ctx, lookupStatement, jsonList(distinct(keys)))
		if err != nil {
			return nil, err
		}
		return index.Lookup(keys), nil
	}
	a, err := r.find(ctx, keys[0])
	if err != nil {
		return nil, err
	}
	r.cache.add(keys[0], a)
	records, err := a.records.unpack()
	return []*bundle.Records{records}, err
}

// distinct returns each key once.
func distinct(keys []string) []string {
	list := slices.Clone(keys)
	slices.Sort(list)
	return slices.Compact(list)
}

// keyOfRef returns the key that a ref is looked up by. The empty text names nothing, although
// it may be the id of a claim.
func keyOfRef(ref string) string {
	if ref == "" {
		return hashMark
	}
	return key(ref)
}

// answer is what a key leads to in a state of the database.
type answer struct {
	state   string
	records pack   // empty for an unknown ref
	claim   string // the key of the claim that they belong to, if they are all that this key leads to
}

// find returns what a key leads to.
func (r *reader) find(ctx context.Context, key string) (answer, error) {
	a, ok, err := r.findClaim(ctx, key)
	if ok || err != nil {
		return a, err
	}
	index, state, err := r.readIndex(ctx, lookupStatement, jsonList([]string{key}))
	if err != nil {
		return answer{}, err
	}
	return answer{state: state, records: packRecords(index.Lookup([]string{key})[0])}, nil
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
func (r *reader) findClaim(ctx context.Context, ref string) (found answer, ok bool, err error) {
	before := claimAnswer{}
	for try := range 2 { // by the ref, and by the id that it is another name of
		a := claimAnswer{ref: ref}
		if err := r.query(ctx, claimStatement, ref, a.read); err != nil {
			return answer{}, false, err
		}
		switch {
		case a.further || try > 0 && a.state != before.state: // something was loaded in between
			return answer{}, false, nil
		case !a.isName && a.records != "":
			return answer{a.state, a.records, ref}, true, nil
		case !a.isName && try == 0:
			return answer{state: a.state}, true, nil
		}
		if kept, ok := r.cache.claim(a.state, a.name); ok {
			return answer{a.state, kept, a.name}, true, nil
		}
		ref, before = a.name, a
	}
	return answer{}, false, nil
}

// claimAnswer is what claimQuery answers.
type claimAnswer struct {
	ref     string
	state   string
	isName  bool   // the ref names another claim
	name    string // and its key
	records pack   // of the claim whose key the ref is, empty if it is none
	further bool   // the ref names more than one claim, or a trace
}

// read reads the rows, names first, as far as they are of use.
func (a *claimAnswer) read(found rows) error {
	*a = claimAnswer{ref: a.ref}
	claim := claimPack{}
	for found.Next() {
		var kind int
		var text string
		if err := found.Scan(&kind, &text); err != nil {
			return err
		}
		switch kind {
		case rowState:
			a.state = text
			continue
		case rowClaimRef:
			if text != a.ref {
				a.further = a.isName && a.name != text
				a.isName, a.name = true, text
			}
		case rowTraceRef:
			a.further = true
		default:
			if err := claim.add(kind, pack(text)); err != nil {
				return err
			}
		}
		if a.further {
			return nil
		}
	}
	a.records = claim.pack()
	a.further = a.isName && a.records != ""
	return found.Err()
}

// claimPack gathers what belongs to a claim, whose rows come in any order. What no answer can
// hold is not read to its end.
type claimPack struct {
	parts  pack
	traces map[pack]bool
	bytes  int // of JSON
}

// add adds a row. That of a trace may come again.
func (c *claimPack) add(kind int, text pack) error {
	if kind == rowTrace && c.traces[text] {
		return nil
	}
	_, bytes, err := text.count()
	if err != nil {
		return err
	}
	if c.bytes += bytes; c.bytes > producer.MaxAnswerBytes {
		return &producer.TooLargeError{}
	}
	switch {
	case kind != rowTrace:
		c.parts += text
	case c.traces == nil:
		c.traces = map[pack]bool{text: true}
	default:
		c.traces[text] = true
	}
	return nil
}

// pack returns all, or nothing if the traces name a claim that is not there.
func (c *claimPack) pack() pack {
	if c.parts == "" || len(c.traces) == 0 {
		return c.parts
	}
	text := strings.Builder{}
	text.WriteString(string(c.parts))
	for trace := range c.traces {
		text.WriteString(string(trace))
	}
	return pack(text.String())
}

// readIndex reads the rows of a look-up, which come in any order.
func readIndex(found rows) (index *producer.Index, state string, err error) {
	b := producer.NewIndexBuilder()
	size := 0
	add := func(r packedRecord, claim string) error {
		if size += len(r.json); size > producer.MaxAnswerBytes {
			return &producer.TooLargeError{} // nobody could be answered with them
		}
		record, err := r.record()
		if err != nil {
			return err
		}
		row := bundle.Row{Record: record, Actor: r.actor}
		if r.kind == bundle.KindEvidence || r.kind == bundle.KindEvent {
			row.Claims = []string{claim}
		}
		b.Add(r.kind, r.key, row)
		return nil
	}
	for found.Next() {
		var kind int
		var key, text string
		if err := found.Scan(&kind, &key, &text); err != nil {
			return nil, "", err
		}
		switch kind {
		case rowState:
			state = key
		case rowClaimRef:
			b.Name(key, bundle.KindClaim, text)
		case rowTraceRef:
			b.Name(key, bundle.KindTrace, text)
		case rowLink:
			b.Link(key, text)
		default:
			for p := pack(text); p != ""; {
				r, err := p.cut()
				if err == nil {
					err = add(r, key)
				}
				if err != nil {
					return nil, "", err
				}
			}
		}
	}
	return b.Index(), state, found.Err()
}
