package verify

import "context"

// Store is a producer's storage, as far as answering needs it.
//
// A ref names a claim by the claim's id, its currentIntegrityRef or the value of
// its currentIntegrityAnchor; it names evidence or an authority trace by their
// integrityRef or the value of their integrityAnchor. Refs are compared byte by
// byte. Evidence stands for its claim, a trace for the claims in its claimIds.
//
// Answered are all claims that a ref names or stands for, their evidence and
// events, and the authority traces that name one of these claims in claimIds or
// an actor of one of these events in actorRef; a trace that the ref names is
// answered in any case.
//
// LookupByIntegrityRef returns nil Records, and no error, for a ref that names
// nothing. An error means that the store cannot answer now, never that a ref is
// unknown. It must return when ctx is done, and be safe for concurrent use.
type Store interface {
	LookupByIntegrityRef(ctx context.Context, ref string) (*Records, error)
}

// BatchStore is a Store that can look up many refs at once, as a rule in one
// query. The result has an entry for each ref, in their order, nil for an
// unknown one.
type BatchStore interface {
	Store
	LookupByIntegrityRefs(ctx context.Context, refs []string) ([]*Records, error)
}

// Index is what a store must know of the records of a bundle to find them by
// ref: each list in the order of the bundle.
type Index struct {
	Claims   []ClaimRow
	Evidence []EvidenceRow
	Events   []EventRow
	Traces   []TraceRow
}

// ClaimRow is a claim and the refs that name it, its id the first. Refs are
// distinct and not empty, here as in the other rows.
type ClaimRow struct {
	Record
	Refs []string
}

// EvidenceRow is a piece of evidence, its claim and the refs that name it, if any.
type EvidenceRow struct {
	Record
	ClaimID string
	Refs    []string
}

// EventRow is a verification event, its claim and who acted.
type EventRow struct {
	Record
	ClaimID string
	Actor   string
}

// TraceRow is an authority trace, the claims that it names, whose authority it
// shows, and the refs that name it, if any.
type TraceRow struct {
	Record
	ClaimIDs []string // distinct; not all need to exist
	Actor    string
	Refs     []string
}
