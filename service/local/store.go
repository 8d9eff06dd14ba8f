package local

import (
	"context"
	"errors"

	"github.com/model-catalog-service/svc/service/internal/outward"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/producer"
	"github.com/model-catalog-service/svc/internal/verify/store"
	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/serve"
	"github.com/model-catalog-service/svc/service/verify"
)

// OpenStore opens a store for look-ups by its address: file:PATH of a bundle or
// a directory of them, sqlite:PATH or postgres://HOST/DATABASE, without a
// password. close ends all connections.
func OpenStore(ctx context.Context, address string) (s serve.BatchStore, close func() error, err error) {
	a, err := store.ParseAddress(address)
	if err != nil {
		return nil, nil, err
	}
	inner, close, err := store.Open(ctx, a)
	if err != nil {
		return nil, nil, outward.Error(err)
	}
	return publicStore{inner}, close, nil
}

// publicStore answers with public records.
type publicStore struct{ inner producer.BatchStore }

func (s publicStore) LookupByIntegrityRef(ctx context.Context, ref string) (*verify.Records, error) {
	found, err := s.inner.LookupByIntegrityRef(ctx, ref)
	return newRecords(found), err
}

func (s publicStore) LookupByIntegrityRefs(ctx context.Context, refs []string) ([]*verify.Records, error) {
	found, err := s.inner.LookupByIntegrityRefs(ctx, refs)
	records := make([]*verify.Records, len(found))
	for i, r := range found {
		records[i] = newRecords(r)
	}
	return records, err
}

func newRecords(r *bundle.Records) *verify.Records {
	if r == nil {
		return nil
	}
	return verify.NewRecords(r.Claims, r.Evidence, r.Events, r.AuthorityTrace)
}

// BundleLoader writes bundles into a database.
type BundleLoader struct{ inner *store.Loader }

// OpenLoader opens a database for loading bundles, and makes or updates its
// schema.
func OpenLoader(ctx context.Context, address string) (*BundleLoader, error) {
	a, err := store.ParseAddress(address)
	if err != nil {
		return nil, err
	}
	l, err := store.OpenLoader(ctx, a)
	if err != nil {
		return nil, err
	}
	return &BundleLoader{l}, nil
}

// Load validates a bundle, as [verify.ParseBundle] does, and writes its
// claims, evidence, events and authority traces in one transaction, whole or not at
// all. A record that is there already stays as it is. Another content under an id of
// the store is refused with a *LoadConflictError, unless update is true and the
// record is a claim or a trace: then it takes the place of the old one.
func (l *BundleLoader) Load(ctx context.Context, text service.NamedText, update bool) (LoadReport, error) {
	b, err := bundle.Read(problem.Source(text))
	if err != nil {
		return LoadReport{}, outward.Error(err)
	}
	report, err := l.inner.Load(ctx, b, update)
	if conflict, ok := errors.AsType[*store.ConflictError](err); ok {
		err = (*LoadConflictError)(conflict)
	}
	return LoadReport{LoadCounts(report.Added), LoadCounts(report.Present), LoadCounts(report.Updated)}, err
}

// Close ends all connections.
func (l *BundleLoader) Close() error { return l.inner.Close() }

// LoadReport says what became of the records of a bundle.
type LoadReport struct {
	Added   LoadCounts
	Present LoadCounts // were there already
	Updated LoadCounts // were there with other content, which the bundle's replaced
}

// LoadCounts are numbers of records by kind.
type LoadCounts struct {
	Claims, Evidence, Events, AuthorityTrace int
}

// LoadConflictError refuses a bundle: the store has a record with other content
// under an id of it.
type LoadConflictError struct {
	Kind    string // claim, evidence, event or authority trace
	ID      string
	Movable bool // update lets records of this kind change
}

// Error names the record.
func (e *LoadConflictError) Error() string { return (*store.ConflictError)(e).Error() }
