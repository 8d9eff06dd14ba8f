package local

import (
	"context"

	"github.com/model-catalog-service/svc/internal/verify/store"
	"github.com/model-catalog-service/svc/service"
)

// Stores of the verification endpoint.
type (
	// BundleLoader writes bundles into a database.
	BundleLoader = store.Loader
	// LoadReport tells what a bundle added and what was there already.
	LoadReport = store.Report
	// LoadConflictError reports a record whose id is taken by another content.
	LoadConflictError = store.ConflictError
)

// OpenStore opens a store for look-ups by its address: file:PATH of a bundle or
// a directory of them, sqlite:PATH or postgres://HOST/DATABASE, without a
// password. close ends all connections.
func OpenStore(ctx context.Context, address string) (s service.VerificationBatchStore, close func() error, err error) {
	a, err := store.ParseAddress(address)
	if err != nil {
		return nil, nil, err
	}
	return store.Open(ctx, a)
}

// OpenLoader opens a database for loading bundles, and makes or updates its
// schema.
func OpenLoader(ctx context.Context, address string) (*BundleLoader, error) {
	a, err := store.ParseAddress(address)
	if err != nil {
		return nil, err
	}
	return store.OpenLoader(ctx, a)
}
