// Package fetch downloads the resources of approved sources. It is the one room
// of the sources that touches network and files.
//
// What every download promises, whatever the other side does:
//
//   - HTTPS only, and the approved origin only, for redirects too, of which there
//     may be three;
//   - public addresses only. What is checked is the address that is dialled, so
//     that a name that leads elsewhere on a second look-up gains nothing. For the
//     same reason no proxy is used, whatever the environment says;
//   - no more bytes than the manifest approves, compressed or not, and no more
//     time than [Options] give;
//   - another media type than the approved one, another status than 200 and bytes
//     that break off are failures;
//   - a failure leaves no file. Files are put in place whole, when all that was
//     asked for is there and [sources.Pin] has accepted it.
//
// A body that a folder has already, with an envelope that holds, is asked for on
// condition that it changed. If it did not, neither file is written: a body is as
// old as when its bytes were first seen.
package fetch

import (
	"context"
	"crypto/x509"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/model-catalog-service/svc/internal/sources"
)

// Options say how to fetch. The zero value is what commands use, but for Progress.
type Options struct {
	// Timeout bounds each download, from the name's look-up to the last byte. Zero
	// means two minutes.
	Timeout time.Duration
	// Progress is told of bytes as they come. It may be nil.
	Progress func(n int64)

	// The others are for tests. No command sets them.

	// Roots are the certificate authorities to trust instead of the system's.
	Roots *x509.CertPool
	// Resolver looks names up instead of the system's.
	Resolver Resolver
	// Permit says which addresses may be dialled instead of the public ones.
	Permit func(netip.Addr) bool
	// Now is the clock.
	Now func() time.Time
}

// Resolver looks up the addresses of a host.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

func (o *Options) complete() {
	const timeout = 2 * time.Minute
	if o.Timeout == 0 {
		o.Timeout = timeout
	}
	if o.Progress == nil {
		o.Progress = func(int64) {}
	}
	if o.Resolver == nil {
		o.Resolver = net.DefaultResolver
	}
	if o.Permit == nil {
		o.Permit = IsPublic
	}
	if o.Now == nil {
		o.Now = time.Now
	}
}

// Request says what to fetch.
type Request struct {
	Manifest *sources.Manifest
	Source   string
	// Revision is one of the source's. If it is empty, the source must be one whose
	// revisions can be discovered, or are snapshots. For the latter a revision is
	// the SHA-256 that the bytes must have.
	Revision string
	Folder   string // made if it is not there
}

// Saved is a file that the folder now has.
type Saved struct {
	Path  string // of the body, or of the proposal
	State State
	// Reference is that of the body's envelope, empty for a proposal.
	Reference string
	// Importable tells the bodies that an adapter reads.
	Importable bool
}

// State is what became of a file.
type State string

// The states of files.
const (
	New       State = "new"
	Changed   State = "changed"   // it took the place of another
	Unchanged State = "unchanged" // the bytes are those that were there
)

// Fetch downloads a revision of a source, or its newest one, into a folder.
func Fetch(ctx context.Context, req Request, opts Options) ([]Saved, error) {
	opts.complete()
	s := req.Manifest.Source(req.Source)
	if s == nil {
		return nil, fmt.Errorf("the manifest approves no source %s", req.Source)
	}
	if req.Revision != "" && !sources.IsRevision(s.Revision.Grammar, req.Revision) {
		return nil, fmt.Errorf("%s is no revision of %s: must be a %s", req.Revision, s.ID, s.Revision.Grammar)
	}
	f := fetcher{req: req, opts: opts, source: s, client: newClient(opts)}
	defer f.client.CloseIdleConnections()
	if err := f.fetch(ctx); err != nil {
		return nil, err
	}
	return f.save(ctx)
}
