package cmd

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/httpapi"
	"github.com/model-catalog-service/svc/internal/httpserver/operators"
	"github.com/model-catalog-service/svc/internal/registry"
	"github.com/model-catalog-service/svc/internal/verify/standing"
)

// follower serves the catalog that a tag of a registry names, and takes the next one in its place
// once the tag names that. Each request is answered of one of them.
type follower struct {
	program  *program
	tag      string
	log      *slog.Logger
	handler  func(*catalog.Catalog, standing.Standing) (*httpapi.Handler, error)
	limit    func(bytes int) // of memory, for catalogs that have so many together
	answers  httpapi.Switch
	current  atomic.Pointer[followed]
	failures atomic.Int64
}

// followed is a catalog that is served.
type followed struct {
	*httpapi.Handler
	catalog *catalog.Catalog
	name    string // by digest
}

// serve serves a catalog from now on.
func (f *follower) serve(h *httpapi.Handler, c *catalog.Catalog, name string) {
	f.current.Store(&followed{h, c, name})
	f.answers.Store(h)
}

// catalog returns the digest and the instant of what is served.
func (f *follower) catalog() (digest, asOf string) {
	c := f.current.Load().catalog
	return c.Digest(), c.AsOf()
}

// errNoTag is why nothing can be followed.
var errNoTag = errors.New("serve.follow: the catalog must be a tag of a registry, oci://HOST/REPOSITORY:TAG")

// start begins to follow a tag, if that is wanted, and returns what ends it.
func (f *follower) start(ctx context.Context, follow string, served *operators.Service) (stop func(), err error) {
	if follow == "" {
		return func() {}, nil
	}
	got := f.program.pulled[f.tag]
	if got == nil || !registry.IsTag(f.tag) {
		return nil, errNoTag
	}
	f.current.Load().name = got.Name // nobody else has it yet
	clear(f.program.pulled)
	every, err := option.ParseAge(follow)
	if err != nil {
		return nil, err
	}
	served.Failures = f.failures.Load
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f.run(ctx, every)
	}()
	return func() { cancel(); <-ended }, nil
}

// run looks again and again, until the context ends.
func (f *follower) run(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := f.look(ctx); err != nil && ctx.Err() == nil {
			f.failures.Add(1)
			f.log.Error("catalog kept", "tag", f.tag, "digest", f.current.Load().catalog.Digest(), "error", err)
		}
	}
}

// errNobody is why a catalog is not taken that nobody vouches for.
var errNobody = errors.New("nobody vouches for it whom the policy believes")

// look takes the catalog that the tag names, if that is another one. It is loaded beside the one
// that is served, which stays where anything is wrong.
func (f *follower) look(ctx context.Context) error {
	const patience = 10 * time.Minute // for a large catalog on a slow line
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	client, err := f.program.registries()
	if err != nil {
		return err
	}
	name, err := client.Resolve(ctx, f.tag)
	old := f.current.Load()
	if err != nil || name == old.name {
		return err
	}
	defer clear(f.program.pulled) // an attestation may come later
	in, err := f.program.newInputs().AddFile(name)
	if err != nil {
		return err
	}
	c, s, err := f.program.readJudged(ctx, in)
	if err != nil {
		return err
	}
	if s.State == standing.Unknown {
		return files.Named(name, errors.Join(errNobody, errors.New(s.Sentence)))
	}
	f.limit(old.catalog.Size() + c.Size())
	h, err := f.handler(c, s)
	if err != nil {
		return err
	}
	f.serve(h, c, name)
	debug.FreeOSMemory() // reading it took as much again
	f.log.Info("catalog taken", "tag", f.tag, "digest", c.Digest(), "asOf", c.AsOf(), "before", old.catalog.Digest(),
		"trust", s.Sentence)
	return nil
}
