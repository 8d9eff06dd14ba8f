package cmd

import (
	"context"
	"math"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/httpapi"
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
	c := &cobra.Command{
		Use: "serve --catalog <file> [--host <host>] [--port <port>]" +
			" [--max-concurrent-rank-requests <count>] [--max-rank-response-bytes <bytes>]",
		Short: "Serve a catalog over HTTP and rank candidates against it",
		Long: `Reads a catalog, validates it, serves it over HTTP and prints the URL, once the
port listens. There is no authentication: that is for a proxy in front of it.

  GET  /v1/models            the models, with their keys
  GET  /v1/models/<key>      a model with its observations and conflicts
  GET  /v1/catalog/snapshot  the whole catalog
  POST /v1/rank              rank the candidates of a request

` + serviceText,
		Example: `  svc serve --catalog catalog.json
  svc serve --catalog catalog.json --host 0.0.0.0 --port 8080`,
		Annotations:        map[string]string{annotationNotes: serviceNotes},
		DisableFlagParsing: true, // the strict layer judges the whole command line
		ValidArgsFunction:  offerStrict,
	}
	// The options are declared for the usage and for shells.
	c.Flags().StringVar(&opts.catalog, "catalog", "", "serialized catalog snapshot `<file>`; required")
	opts.address.declare(c)
	c.Flags().Uint64Var(&opts.maxRanks, "max-concurrent-rank-requests", opts.maxRanks,
		"`<count>` of rank requests at once, further ones get 503")
	c.Flags().Uint64Var(&opts.maxResult, "max-rank-response-bytes", opts.maxResult,
		"`<bytes>` that a rank result may have, larger ones get 422")
	c.Args = func(_ *cobra.Command, words []string) error {
		return judge(append(opts.address.options(),
			required(strictText("--catalog", &opts.catalog)),
			strictInteger("--max-concurrent-rank-requests", &opts.maxRanks, 1, maxInteger),
			strictInteger("--max-rank-response-bytes", &opts.maxResult, 1, maxInteger),
		), words)
	}
	c.RunE = func(c *cobra.Command, _ []string) error { return run(c.Context(), opts) }
	completeOption(c, "catalog", offerFiles("json"))
	completeOption(c, "max-concurrent-rank-requests", offerNothing)
	completeOption(c, "max-rank-response-bytes", offerNothing)
	return c
}

// serve runs until a signal comes.
func (p *program) serve(ctx context.Context, opts serveOptions) error {
	s, err := p.newService(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	c, err := p.readCatalog(ctx, opts.catalog)
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
	if err := s.start(ctx, opts.address, handler); err != nil {
		return err
	}
	if s.operators != nil {
		s.operators.Ready(handler, c)
	}
	s.log.Info("serving", "url", s.running.URL(), "digest", c.Digest(), "asOf", c.AsOf(),
		"models", len(c.Models()), "observations", c.Observations())
	return s.untilSignal()
}

// readCatalog reads the catalog that is served. What is wrong with it is told in
// one line.
func (p *program) readCatalog(ctx context.Context, name string) (*catalog.Catalog, error) {
	source, err := readFile(name)
	if err != nil {
		return nil, err
	}
	c, err := catalog.Parse(ctx, source)
	return c, firstFault(err)
}

// toInt converts a count. One that no machine reaches stands for any such.
func toInt(n uint64) int { return int(min(n, math.MaxInt)) }
