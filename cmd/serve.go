package cmd

import (
	"context"
	"errors"
	"math"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/config"
	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/follow"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/cmd/internal/server"
	"github.com/model-catalog-service/svc/cmd/internal/trust"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/httpapi"
	"github.com/model-catalog-service/svc/internal/httpserver"
	"github.com/model-catalog-service/svc/internal/registry"
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
type frontOf func(c *catalog.Catalog, sentence string, api *httpapi.Handler) (http.Handler, error)

// serveCatalog serves a catalog until a signal comes, with a page unless front is nil. Listening is
// called with the URL once the port listens.
func (p *program) serveCatalog(ctx context.Context, opts serveOptions, front frontOf,
	listening func(url string)) error {
	s, err := p.newServer(ctx, p.config.Serve.Admin)
	if err != nil {
		return err
	}
	defer s.Close()
	c, verdict, err := p.readServed(ctx, opts.catalog)
	if err != nil {
		return err
	}
	f := &follow.Server{Front: front, Options: httpapi.Options{
		MaxConcurrentRankRequests: toInt(opts.maxRanks),
		MaxRankResponseBytes:      toInt(opts.maxResult),
		SameOrigin:                front != nil,
		Logger:                    s.Log,
		Observe:                   s.Observe(),
	}}
	name := ""
	if front == nil && p.config.Serve.Follow != "" {
		if f.Tag, name, err = p.followed(opts.catalog); err != nil {
			return err
		}
	}
	if err := f.Take(c, verdict, name); err != nil {
		return err
	}
	defer f.Start(ctx)()
	if err := s.Start(ctx, opts.Address, f.Handler(), f.Service(), noAuthentication); err != nil {
		return err
	}
	s.Log.Info("serving", "url", s.URL(), "digest", c.Digest(), "asOf", c.AsOf(),
		"models", len(c.Models()), "observations", c.Observations())
	listening(s.URL())
	return s.Run(ctx)
}

// readServed reads the catalog that is served. What is wrong with it is said in one
// line.
func (p *program) readServed(ctx context.Context, name string) (*catalog.Catalog, trust.Verdict, error) {
	open := files.File
	if name == files.Sample || registry.IsName(name) {
		open = p.newInputs().AddFile
	}
	file, err := open(name)
	if err != nil {
		return nil, trust.Verdict{}, err
	}
	c, v, err := p.readTrusted(ctx, file)
	return c, v, console.First(err)
}

// toInt converts a count. One that no machine reaches stands for all such.
func toInt(n uint64) int { return int(min(n, math.MaxInt)) }

// errNoTag is why nothing can be followed.
var errNoTag = errors.New("serve.follow: the catalog must be a tag of a registry, oci://HOST/REPOSITORY:TAG")

// followed returns the tag that a server follows, and the name by digest of the catalog that was
// read by it.
func (p *program) followed(tag string) (t *follow.Tag, name string, err error) {
	got := p.pulled[tag]
	if got == nil || !registry.IsTag(tag) {
		return nil, "", errNoTag
	}
	clear(p.pulled)
	every, err := option.ParseAge(p.config.Serve.Follow)
	return &follow.Tag{
		Name: tag, Every: every,
		Resolve: func(ctx context.Context) (string, error) {
			client, err := p.registries()
			if err != nil {
				return "", err
			}
			return client.Resolve(ctx, tag)
		},
		Load: func(ctx context.Context, name string) (*catalog.Catalog, trust.Verdict, error) {
			defer clear(p.pulled) // an attestation may come later
			in, err := p.newInputs().AddFile(name)
			if err != nil {
				return nil, trust.Verdict{}, err
			}
			return p.readJudged(ctx, in)
		},
	}, got.Name, err
}
