package cmd

import (
	"context"
	"math"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/httpapi"
	"github.com/model-catalog-service/svc/internal/httpserver/operators"
)

type serveOptions struct {
	catalog string
	address
	maxRanks  uint64 // at once
	maxResult uint64 // bytes
}

func newServe(run func(context.Context, serveOptions) error) *cobra.Command {
	opts := serveOptions{
		address:   address{"127.0.0.1", 4244},
		maxRanks:  httpapi.DefaultMaxConcurrentRankRequests,
		maxResult: httpapi.DefaultMaxRankResponseBytes,
	}
	return option.Strict(option.Declare(&cobra.Command{
		Use: "serve --catalog <file> [--host <host>] [--port <port>]" +
			" [--max-concurrent-rank-requests <count>] [--max-rank-response-bytes <bytes>]",
		Short: "Serve a catalog over HTTP and rank candidates against it",
		RunE:  func(c *cobra.Command, _ []string) error { return run(c.Context(), opts) },
	},
		option.Option{Name: "catalog", Value: option.Text(&opts.catalog), Required: true, Offer: option.Endings("json"),
			Usage: "serialized catalog snapshot `<file>`; required"},
		opts.hostOption(),
		opts.portOption(),
		option.Option{Name: "max-concurrent-rank-requests", Value: option.Integer(&opts.maxRanks, 1, option.MaxInteger), Offer: option.Nothing,
			Usage: "`<count>` of rank requests at once, further ones get 503"},
		option.Option{Name: "max-rank-response-bytes", Value: option.Integer(&opts.maxResult, 1, option.MaxInteger), Offer: option.Nothing,
			Usage: "`<bytes>` that a rank result may have, larger ones get 422"},
	))
}

// serve runs until a signal comes.
func (p *program) serve(ctx context.Context, opts serveOptions) error {
	return p.serveCatalog(ctx, opts, func(_ *catalog.Catalog, api http.Handler) (http.Handler, error) { return api, nil }, func(url string) {
		p.Note("%s/v1/models lists the models", url)
	})
}

// serveCatalog serves a catalog until a signal comes. What is in front of the handler of
// the API may answer instead of it; listening is called with the URL once the port
// listens.
func (p *program) serveCatalog(ctx context.Context, opts serveOptions, front func(*catalog.Catalog, http.Handler) (http.Handler, error), listening func(url string)) error {
	s, err := p.newService(ctx, p.config.Serve.Admin)
	if err != nil {
		return err
	}
	defer s.close()
	c, err := readCatalog(ctx, opts.catalog)
	if err != nil {
		return err
	}
	handler, err := httpapi.NewHandler(c, httpapi.Options{
		MaxConcurrentRankRequests: toInt(opts.maxRanks),
		MaxRankResponseBytes:      toInt(opts.maxResult),
		Logger:                    s.log,
		Observe:                   s.observe(),
	})
	if err != nil {
		return err
	}
	all, err := front(c, handler)
	if err != nil {
		return err
	}
	if err := s.start(ctx, opts.address, all); err != nil {
		return err
	}
	p.warnOfNeighbours(s.listener.Addr(), s.running.URL(), "authenticates nobody: put your own authentication in front of it")
	if s.operators != nil {
		s.operators.Ready(operators.Service{
			Work: "rank", InFlight: handler.RanksInFlight, HeldBytes: handler.HeldBytes,
			Digest: c.Digest(), AsOf: c.AsOf(),
		})
	}
	s.log.Info("serving", "url", s.running.URL(), "digest", c.Digest(), "asOf", c.AsOf(),
		"models", len(c.Models()), "observations", c.Observations())
	listening(s.running.URL())
	return s.run(ctx)
}

// readCatalog reads the catalog that is served. What is wrong with it is said in one
// line.
func readCatalog(ctx context.Context, name string) (*catalog.Catalog, error) {
	file, err := files.File(name)
	if err != nil {
		return nil, err
	}
	source, err := file.Read(ctx, files.MaxWhole, func(int64) {})
	if err != nil {
		return nil, err
	}
	c, err := catalog.Parse(ctx, source)
	if err != nil {
		return nil, console.First(files.OtherKind(source, files.Catalog, err))
	}
	return c, nil
}

// toInt converts a count. One that no machine reaches stands for all such.
func toInt(n uint64) int { return int(min(n, math.MaxInt)) }
