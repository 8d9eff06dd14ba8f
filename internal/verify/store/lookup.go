package store

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/producer"
)

// The rows that a look-up answers, beside records by their kinds: what refs name, what traces name,
// and the state of the database that this is the answer of. Each comes once, however many refs lead
// to it, so that an answer is no larger than what the database holds.
const (
	rowClaimRef = iota + kindLink + 1 // ref, claim
	rowTraceRef                       // ref, trace
	rowLink                           // claim, trace that names it
	rowState                          // the state
)

// lookupQuery answers all that a store knows of the refs in LIST. Every step goes from the rows of
// the one before to an index: the joins are to be made from left to right, which both databases are
// told to do.
const lookupQuery = `
WITH asked (ref) AS (SELECT value FROM LIST),
named (ref, kind, id) AS MATERIALIZED (
	SELECT asked.ref, r.kind, r.id FROM asked CROSS JOIN verification_ref AS r WHERE r.ref = asked.ref AND r.kind < 4
),
claim (id) AS MATERIALIZED (
	SELECT id FROM named WHERE kind < 3
	UNION
	SELECT r.ref
	FROM (SELECT DISTINCT id FROM named WHERE kind = 3) AS trace CROSS JOIN verification_ref AS r
	WHERE r.id = trace.id AND r.kind = 4
),
link (claim_id, trace_id) AS MATERIALIZED (
	SELECT claim.id, r.id FROM claim CROSS JOIN verification_ref AS r WHERE r.ref = claim.id AND r.kind = 4
),
actor (name) AS (
	SELECT DISTINCT r.actor FROM claim CROSS JOIN verification_record AS r WHERE r.claim_id = claim.id AND r.kind = 2
),
trace (id) AS (
	SELECT id FROM named WHERE kind = 3
	UNION
	SELECT trace_id FROM link
	UNION
	SELECT t.id FROM actor CROSS JOIN verification_record AS t WHERE t.actor = actor.name AND t.kind = 3
)
SELECT 8, state, '', '', '', '' FROM verification_schema
UNION ALL
SELECT DISTINCT CASE WHEN kind < 3 THEN 5 ELSE 6 END, ref, id, '', '', '' FROM named
UNION ALL
SELECT 7, claim_id, trace_id, '', '', '' FROM link
UNION ALL
SELECT r.kind, r.claim_id, r.id, r.actor, r.record, r.digest
FROM claim CROSS JOIN verification_record AS r WHERE r.claim_id = claim.id AND r.kind < 3
UNION ALL
SELECT r.kind, r.claim_id, r.id, r.actor, r.record, r.digest
FROM trace CROSS JOIN verification_record AS r WHERE r.id = trace.id AND r.kind = 3
`

// idsQuery answers the ids of the next claims after a key.
const idsQuery = "SELECT id FROM verification_record WHERE kind = 0 AND id > REF ORDER BY id LIMIT 64"

// stateQuery answers the state of the database.
const stateQuery = "SELECT state FROM verification_schema"

// statement is one of the statements that read.
type statement int

const (
	lookupStatement statement = iota // takes a JSON array of keys
	idsStatement                     // takes a key
	stateStatement                   // takes nothing
	statementCount  = iota
)

// statements returns the texts of the statements.
func (d *dialect) statements() [statementCount]string {
	filled := strings.NewReplacer("LIST", d.list(d.ref), "REF", d.ref)
	return [...]string{filled.Replace(lookupQuery), filled.Replace(idsQuery), stateQuery}
}

// rows are those of a query.
type rows interface {
	Next() bool
	Scan(columns ...any) error
	Err() error
}

// reader looks refs up in a database.
type reader struct {
	// query runs a statement with its parameter, if it has one, and lets rows be read. It may do
	// so again after a failure.
	query func(ctx context.Context, s statement, read func(rows) error, parameter ...any) error
	// written tells the file of a database apart from what it was before somebody wrote it. Nil is for
	// a server's, which only loads write.
	written func() string

	cache   cache
	filler  filler
	asked   atomic.Int64                // how many questions there were
	damaged atomic.Pointer[damagedRows] // that were met last
}

// damagedRows says in which state of the database, and of its file, rows were met that nobody
// loaded so.
type damagedRows struct{ state, file string }

// state returns the state of the database. It is another one after every load.
func (r *reader) state(ctx context.Context) (state string, err error) {
	err = r.query(ctx, stateStatement, func(found rows) error {
		if found.Next() {
			return found.Scan(&state)
		}
		return found.Err()
	})
	return state, err
}

// Ready implements [Store] by a look-up of what no claim is called. A database in which damaged
// rows were met is not ready until something is loaded.
func (r *reader) Ready(ctx context.Context) error {
	_, state, err := r.readIndex(ctx, hashMark)
	if met := r.damaged.Load(); err == nil && met != nil && *met == (damagedRows{state, r.file()}) {
		return errDamaged
	}
	return err
}

func (r *reader) file() string {
	if r.written == nil {
		return ""
	}
	return r.written()
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
// has all of the refs, as the database has them now, and else by one query.
func (r *reader) LookupByIntegrityRefs(ctx context.Context, refs []string) ([]*bundle.Records, error) {
	r.asked.Add(1)
	keys := make([]string, len(refs))
	for i, ref := range refs {
		keys[i] = key(ref)
	}
	state, err := r.state(ctx)
	if err != nil {
		return nil, err
	}
	if found, ok := r.cache.find(state, keys); ok {
		return found, nil
	}
	index, state, err := r.readIndex(ctx, keys...)
	if err != nil {
		return nil, err
	}
	found := index.Lookup(keys)
	if len(keys) == 1 { // else each answer lacks what those before it have: none is kept
		r.cache.add(state, keys[0], found[0])
	}
	return found, nil
}

// readIndex returns what keys lead to, and the state that it is of.
func (r *reader) readIndex(ctx context.Context, keys ...string) (index *producer.Index, state string, err error) {
	a, file := answerReader{}, r.file()
	err = r.query(ctx, lookupStatement, func(found rows) error {
		a = answerReader{index: producer.NewIndexBuilder(), claims: map[string]*checked{}, traces: map[string]*checked{}}
		return a.read(found)
	}, jsonList(distinct(keys)))
	if isDamage(err) {
		r.noteDamage(ctx, file)
	}
	if err != nil {
		return nil, "", err
	}
	return a.index.Index(), a.state, nil
}

// noteDamage keeps in which state of the database rows are damaged, and of its file before they
// were read: a file that was written since may be whole again. A database that cannot say its state
// is not ready anyway.
func (r *reader) noteDamage(ctx context.Context, file string) {
	if state, err := r.state(ctx); err == nil {
		r.damaged.Store(&damagedRows{state, file})
	}
}

// distinct returns each key once.
func distinct(keys []string) []string {
	list := slices.Clone(keys)
	slices.Sort(list)
	return slices.Compact(list)
}

// answerReader reads the rows of a look-up, which come in any order.
type answerReader struct {
	index          *producer.IndexBuilder
	state          string
	bytes          int                 // of JSON
	claims, traces map[string]*checked // by key
}

// checked is what was read of a claim or a trace: all rows of it are read, and have a digest
// together.
type checked struct {
	read   digest
	stored string
}

func (a *answerReader) read(found rows) error {
	for found.Next() {
		var kind int
		var r row
		var stored string
		if err := found.Scan(&kind, &r.claim, &r.id, &r.actor, &r.json, &stored); err != nil {
			return err
		}
		switch kind {
		case rowState:
			a.state = r.claim
		case rowClaimRef:
			check(a.claims, r.id)
			a.index.Name(r.claim, bundle.KindClaim, r.id)
		case rowTraceRef:
			check(a.traces, r.id)
			a.index.Name(r.claim, bundle.KindTrace, r.id)
		case rowLink:
			check(a.traces, r.id)
			a.index.Link(r.id, r.claim)
		default:
			r.kind = bundle.Kind(kind)
			if err := a.add(&r, stored); err != nil {
				return err
			}
		}
	}
	if err := found.Err(); err != nil {
		return err
	}
	for _, all := range [...]map[string]*checked{a.claims, a.traces} {
		for _, c := range all {
			if c.read.text() != c.stored {
				return errDamaged
			}
		}
	}
	return nil
}

// check returns what was read of the claim or trace with a key, of which there must be something.
func check(all map[string]*checked, key string) *checked {
	c := all[key]
	if c == nil {
		c = &checked{}
		all[key] = c
	}
	return c
}

// add adds a record.
func (a *answerReader) add(r *row, stored string) error {
	if a.bytes += len(r.json); a.bytes > producer.MaxAnswerBytes {
		return &producer.TooLargeError{} // nobody could be answered with them
	}
	record, err := r.record()
	if err != nil {
		return err
	}
	added, owner := bundle.Row{Record: record, Actor: r.actor}, (*checked)(nil)
	if r.kind == bundle.KindTrace {
		owner = check(a.traces, r.id)
	} else {
		owner = check(a.claims, r.claim)
	}
	if owner.read.add(r); stored != "" {
		owner.stored = stored
	}
	if r.kind == bundle.KindEvidence || r.kind == bundle.KindEvent {
		added.Claims = []string{r.claim}
	}
	a.index.Add(r.kind, r.id, added)
	return nil
}
