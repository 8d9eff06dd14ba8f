package cmd

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"os"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/config"
	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/cmd/internal/server"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/httpapi"
	"github.com/model-catalog-service/svc/internal/httpserver"
	"github.com/model-catalog-service/svc/internal/httpserver/operators"
	"github.com/model-catalog-service/svc/internal/registry"
	"github.com/model-catalog-service/svc/internal/verify/standing"
)

type serveOptions struct {
	catalog string
	server.Address
	maxRanks  uint64 // at once
	maxResult uint64 // bytes
}

func newServe(run func(context.Context, serveOptions) error) *cobra.Command {
	opts := serveOptions{
		Address:   server.Address{Host: httpserver.DefaultHost, Port: httpserver.DefaultCatalogPort},
		maxRanks:  httpapi.DefaultMaxConcurrentRankRequests,
		maxResult: httpapi.DefaultMaxRankResponseBytes,
	}
	return option.Strict(option.Declare(&cobra.Command{
		Use: "serve --catalog <file> [--host <host>] [--port <port>]" +
			" [--max-concurrent-rank-requests <count>] [--max-rank-response-bytes <bytes>]",
		Short:      "Serve a catalog over HTTP and rank candidates against it",
		SuggestFor: []string{"start", "api"},
		RunE:       option.Run(run, &opts),
	},
		option.Option{Name: "catalog", Value: option.Text(&opts.catalog), Required: true, Offer: option.Endings("json"),
			Usage: "serialized catalog snapshot `<file>`; required"},
		opts.HostOption(),
		opts.PortOption(),
		option.Option{Name: "max-concurrent-rank-requests",
			Value: option.Integer(&opts.maxRanks, 1, option.MaxInteger), Offer: option.Nothing,
			Usage: "`<count>` of rank requests at once, further ones get 503"},
		option.Option{Name: "max-rank-response-bytes",
			Value: option.Integer(&opts.maxResult, 1, option.MaxInteger), Offer: option.Nothing,
			Usage: "`<bytes>` that a rank result may have, larger ones get 422"},
	))
}

// noAuthentication is what follows if others can reach a server without authentication.
const noAuthentication = "authenticates nobody: put your own authentication in front of it"

// newServer returns a server, whose port for operators has an address of its own or that
// of all servers.
func (p *program) newServer(ctx context.Context, own config.Admin) (*server.Server, error) {
	return server.New(ctx, server.Environment{Console: p.Console, Signals: p.signals, Config: p.config}, own)
}

// errPageFollows is why a page does not follow a tag: it is made of one catalog.
var errPageFollows = errors.New("serve.page and serve.follow exclude each other: a page is of one catalog")

// serve runs until a signal comes.
func (p *program) serve(ctx context.Context, opts serveOptions) error {
	var front frontOf
	if p.config.Serve.Page {
		if p.config.Serve.Follow != "" {
			return errPageFollows
		}
		front = p.pageOf(ctx, opts.catalog, &pageOptions{})
	}
	return p.serveCatalog(ctx, opts, front, func(url string) {
		p.Note("%s/v1/models lists the models", url)
	})
}

// frontOf puts a page in front of the handler of the API, which then is for that page alone. The
// sentence says what became of the catalog.
type frontOf func(c *catalog.Catalog, trust string, api *httpapi.Handler) (http.Handler, error)

// serveCatalog serves a catalog until a signal comes, with a page unless front is nil. Listening is
// called with the URL once the port listens.
func (p *program) serveCatalog(ctx context.Context, opts serveOptions, front frontOf,
	listening func(url string)) error {
	s, err := p.newServer(ctx, p.config.Serve.Admin)
	if err != nil {
		return err
	}
	defer s.Close()
	c, trust, err := p.readServed(ctx, opts.catalog)
	if err != nil {
		return err
	}
	options := httpapi.Options{
		MaxConcurrentRankRequests: toInt(opts.maxRanks),
		MaxRankResponseBytes:      toInt(opts.maxResult),
		SameOrigin:                front != nil,
		Logger:                    s.Log,
		Observe:                   s.Observe(),
	}
	f := &follower{program: p, tag: opts.catalog, log: s.Log}
	f.handler = func(c *catalog.Catalog, trust standing.Standing) (*httpapi.Handler, error) {
		o := options
		o.Trust = string(trust.State)
		return httpapi.NewHandler(c, o)
	}
	f.limit = func(bytes int) {
		if os.Getenv("GOMEMLIMIT") == "" {
			debug.SetMemoryLimit(httpapi.MemoryLimit(bytes, options))
		}
	}
	handler, err := f.handler(c, trust)
	if err != nil {
		return err
	}
	f.serve(handler, c, "")
	all := http.Handler(&f.answers)
	if front != nil {
		if all, err = front(c, trust.Sentence, handler); err != nil {
			return err
		}
	}
	f.limit(c.Size())
	debug.FreeOSMemory() // reading the catalog took as much again as serving it does
	served := operators.Service{Work: "rank", Catalog: f.catalog,
		InFlight:  func() int { return f.current.Load().RanksInFlight() },
		HeldBytes: func() int64 { return f.current.Load().HeldBytes() }}
	if front == nil {
		stop, err := f.start(ctx, p.config.Serve.Follow, &served)
		if err != nil {
			return err
		}
		defer stop()
	}
	if err := s.Start(ctx, opts.Address, all, served, noAuthentication); err != nil {
		return err
	}
	s.Log.Info("serving", "url", s.URL(), "digest", c.Digest(), "asOf", c.AsOf(),
		"models", len(c.Models()), "observations", c.Observations())
	listening(s.URL())
	return s.Run(ctx)
}

// readServed reads the catalog that is served. What is wrong with it is said in one
// line.
func (p *program) readServed(ctx context.Context, name string) (*catalog.Catalog, standing.Standing, error) {
	open := files.File
	if name == files.Sample || registry.IsName(name) {
		open = p.newInputs().AddFile
	}
	file, err := open(name)
	if err != nil {
		return nil, standing.Standing{}, err
	}
	c, s, err := p.readTrusted(ctx, file)
	return c, s, console.First(err)
}

// toInt converts a count. One that no machine reaches stands for all such.
func toInt(n uint64) int { return int(min(n, math.MaxInt)) }

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
