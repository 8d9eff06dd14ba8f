package producer

import (
	"context"

	"github.com/model-catalog-service/svc/internal/verify/bundle"
)

// Store is a producer's storage, as far as answering needs it.
//
// Package bundle says what a ref names and leads to. Answered are all claims that a
// ref names or leads to, their evidence and events, and the authority traces that
// name one of these claims in claimIds or an actor of one of these events in
// actorRef; a trace that the ref names is answered in any case.
//
// LookupByIntegrityRef returns nil Records, and no error, for a ref that names
// nothing. An error means that the store cannot answer now, never that a ref is
// unknown. It must return when ctx is done, and be safe for concurrent use.
type Store interface {
	LookupByIntegrityRef(ctx context.Context, ref string) (*bundle.Records, error)
}

// BatchStore is a Store that can look up many refs at once, as a rule in one query.
//
// The result has an entry for each ref, in their order, nil for an unknown one. A
// record to which several of the refs lead need only be in the entry of the first of
// them, as it is in those of the stores of this module.
type BatchStore interface {
	Store
	LookupByIntegrityRefs(ctx context.Context, refs []string) ([]*bundle.Records, error)
}
