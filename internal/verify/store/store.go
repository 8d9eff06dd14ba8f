// Package store keeps the records of the verification endpoint and finds them
// by ref. It is the room for what needs files and sockets.
//
// An [Address] names a store:
//
//	file:bundle.json   bundle files, or a directory of them: read once, for trying
//	sqlite:records.db  SQLite: the embedded default, for one machine
//	postgres://...     PostgreSQL, for several machines
//
// [Open] opens one for look-ups, [OpenLoader] a database for loading. Both
// databases have one schema, one set of queries and one suite of tests, which
// the store of bundle files passes too (package storetest).
//
// What is promised:
//
//   - Records come out as they went in, byte for byte. Those of a claim lie together, one a
//     row, and have a digest together: a look-up that meets rows which nobody loaded so is an
//     error, and then the store is not ready.
//   - A bundle is loaded in one transaction, whole or not at all, and bundles
//     one after the other, however many processes load. When Load returns
//     without an error, the bundle survives a loss of power.
//   - A look-up is one query, whatever the number of refs. It sees a bundle whole or not at
//     all. A store that cannot answer returns an error, never nil Records. It needs no help
//     to answer again when the database is back.
//   - Answers are kept, and those to the ids of claims are looked up before anybody
//     asks, as far as there is room. None is older than the last load.
//   - No password is taken from an address, and none stands in an error.
package store

import (
	"context"
	"errors"

	"github.com/model-catalog-service/svc/internal/verify/producer"
)

// Store is a store of this package.
type Store interface {
	producer.BatchStore
	// Ready reports why look-ups cannot be answered now, nil if they can. It asks the
	// database itself, whatever is kept of it, as a load balancer wants to know before it
	// sends questions.
	Ready(ctx context.Context) error
}

// Open opens a store for look-ups. A database must be there and have the
// schema of this program; its records are only ever read. close ends all
// connections and what fills the cache, when the look-ups have ended.
func Open(ctx context.Context, a Address) (s Store, close func() error, err error) {
	switch a.kind {
	case kindSQLite:
		r, err := openSQLite(ctx, a.rest)
		if err != nil {
			return nil, nil, err
		}
		return r, r.close, nil
	case kindPostgres:
		r, err := openPostgres(ctx, a.rest)
		if err != nil {
			return nil, nil, err
		}
		return r, r.close, nil
	}
	m, err := openFiles(ctx, a.rest)
	if err != nil {
		return nil, nil, err
	}
	return m, func() error { return nil }, nil
}

// ErrReadOnly refuses to load into bundle files.
var ErrReadOnly = errors.New("bundle files are read-only: nothing can be loaded into them")

// OpenLoader opens a database for loading. It makes what is not there yet: the
// file of an SQLite database, and the schema.
func OpenLoader(ctx context.Context, a Address) (*Loader, error) {
	var (
		l   *Loader
		err error
	)
	switch a.kind {
	case kindSQLite:
		l, err = openSQLiteLoader(a.rest)
	case kindPostgres:
		l, err = openPostgresLoader(a.rest)
	default:
		return nil, ErrReadOnly
	}
	if err != nil {
		return nil, err
	}
	if err := l.create(ctx); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}
