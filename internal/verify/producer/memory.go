package producer

import (
	"context"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
)

// MemoryStore is a Store over bundles in memory. It does not change and is safe for
// concurrent use.
type MemoryStore struct{ index *Index }

// NewMemoryStore returns a store of all records of the bundles. The same record may
// be in several of them, equal as canonical JSON; then the first spelling is
// answered. Another record under the same id is an error of code
// INVALID_TRUST_BUNDLE.
func NewMemoryStore(bundles ...*bundle.Bundle) (*MemoryStore, error) {
	builder := NewIndexBuilder()
	var faults problem.Collector
	for kind := range bundle.Stored {
		seen := map[string]bundle.Record{}
		for i, b := range bundles {
			for row := range b.Rows(kind) {
				if len(bundles) == 1 { // whose ids are unique
					builder.Add(kind, row.ID, row)
					continue
				}
				first, known := seen[row.ID]
				switch {
				case !known:
					seen[row.ID] = row.Record
					builder.Add(kind, row.ID, row)
				case !first.Equal(row.Record):
					faults.Add(problem.New(problem.InvalidTrustBundle, "$."+kind.Collection(),
						"%q has another content in bundle %d than in one before", row.ID, i+1))
					seen[row.ID] = bundle.Record{} // equal to none: it need not be read again
				}
			}
		}
	}
	if err := faults.List("").Err(); err != nil {
		return nil, err
	}
	return &MemoryStore{builder.Index()}, nil
}

// LookupByIntegrityRef implements Store. It never fails.
func (s *MemoryStore) LookupByIntegrityRef(_ context.Context, ref string) (*bundle.Records, error) {
	return s.index.Lookup([]string{ref})[0], nil
}

// LookupByIntegrityRefs implements BatchStore. It never fails.
func (s *MemoryStore) LookupByIntegrityRefs(_ context.Context, refs []string) ([]*bundle.Records, error) {
	return s.index.Lookup(refs), nil
}
