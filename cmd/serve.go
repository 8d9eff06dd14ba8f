package cmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/httpapi"
	"github.com/model-catalog-service/svc/internal/httpapi/server"
	"github.com/model-catalog-service/svc/internal/problem"
)

type serveOptions struct {
	catalog   string
	host      string
	port      uint64
	maxRanks  uint64 // at once
	maxResult uint64 // bytes
}

func newServe(run func(context.Context, serveOptions) error) *cobra.Command {
	opts := serveOptions{
		host:      "127.0.0.1",
		port:      4244,
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

A TCP socket that a service manager hands over, as systemd does, is served in
place of --host and --port.

SIGINT or SIGTERM stops it: requests in flight get 10 seconds to end. A second
one stops it at once.`,
		Example: `  svc serve --catalog catalog.json
  svc serve --catalog catalog.json --host 0.0.0.0 --port 8080`,
		Annotations: map[string]string{annotationNotes: `Exit codes:
  0  stopped by a signal
  1  failure: "service: <message>" on stderr
  2  usage error

Configuration:
  log.level (debug, info, warn, error) and log.format (text, json) are those of
  the log on stderr. admin.addr opens a second port with /healthz, /readyz,
  /metrics and /debug/pprof/.`},
		DisableFlagParsing: true, // the strict layer judges the whole command line
		ValidArgsFunction:  offerStrict,
	}
	// The options are declared for the usage and for shells.
	c.Flags().StringVar(&opts.catalog, "catalog", "", "serialized catalog snapshot `<file>`; required")
	c.Flags().StringVar(&opts.host, "host", opts.host, "interface to bind: a `<host>` name or address")
	c.Flags().Uint64Var(&opts.port, "port", opts.port, "`<port>` to bind, 0 picks a free one")
	c.Flags().Uint64Var(&opts.maxRanks, "max-concurrent-rank-requests", opts.maxRanks,
		"`<count>` of rank requests at once, further ones get 503")
	c.Flags().Uint64Var(&opts.maxResult, "max-rank-response-bytes", opts.maxResult,
		"`<bytes>` that a rank result may have, larger ones get 422")
	c.Args = func(_ *cobra.Command, words []string) error {
		return judge([]strictOption{
			required(strictText("--catalog", &opts.catalog)),
			strictText("--host", &opts.host),
			strictInteger("--port", &opts.port, 0, math.MaxUint16),
			strictInteger("--max-concurrent-rank-requests", &opts.maxRanks, 1, maxInteger),
			strictInteger("--max-rank-response-bytes", &opts.maxResult, 1, maxInteger),
		}, words)
	}
	c.RunE = func(c *cobra.Command, _ []string) error { return run(c.Context(), opts) }
	completeOption(c, "catalog", offerFiles("json"))
	completeOption(c, "host", offerHosts)
	completeOption(c, "port", offerNothing)
	completeOption(c, "max-concurrent-rank-requests", offerNothing)
	completeOption(c, "max-rank-response-bytes", offerNothing)
	return c
}

func required(o strictOption) strictOption {
	o.required = true
	return o
}

// serve runs until a signal comes.
func (p *program) serve(ctx context.Context, opts serveOptions) error {
	logger := p.newLogger()
	manager, err := server.FindManager()
	if err != nil {
		return err
	}
	httpOptions := httpapi.Options{
		MaxConcurrentRankRequests: toInt(opts.maxRanks),
		MaxRankResponseBytes:      toInt(opts.maxResult),
		Logger:                    logger,
	}
	operators, err := p.startAdmin(ctx, logger)
	if err != nil {
		return err
	}
	if operators != nil {
		defer operators.close()
		httpOptions.Observe = operators.Observe
	}
	c, err := p.readCatalog(ctx, opts.catalog)
	if err != nil {
		return err
	}
	handler, err := httpapi.NewHandler(c, httpOptions)
	if err != nil {
		return err
	}
	// Before this, while nothing is served, a signal ends the program as usual.
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	l, err := manager.Listen(ctx, opts.host, uint16(opts.port))
	if err != nil {
		return err
	}
	running := server.Start(l, handler, server.Options{Logger: logger})
	if operators != nil {
		operators.Ready(handler, c)
	}
	logger.Info("serving", "url", running.URL(), "digest", c.Digest(), "asOf", c.AsOf(),
		"models", len(c.Models()), "observations", c.Observations())
	return p.untilSignal(running, manager, operators, logger, signals)
}

// untilSignal says where a server is reached, by a line and to the service
// manager, and lets it run until a signal comes.
func (p *program) untilSignal(running *server.Server, manager *server.Manager, operators *adminListener, logger *slog.Logger, signals <-chan os.Signal) error {
	fmt.Fprintln(p.stdout, running.URL())
	if err := p.stdout.Flush(); err != nil {
		return errors.Join(err, p.stop(running, logger, signals))
	}
	tell(logger, manager.Ready)
	select {
	case <-running.Ended():
		return running.Err()
	case s := <-signals:
		logger.Info("stopping", "signal", s.String())
		tell(logger, manager.Stopping)
		if operators != nil {
			operators.Stopping()
		}
		return p.stop(running, logger, signals)
	}
}

// tell tells the service manager something. Whoever does not hear it is no
// reason to stop serving.
func tell(logger *slog.Logger, message func() error) {
	if err := message(); err != nil {
		logger.Error("service manager not told", "error", err)
	}
}

// stop lets the requests in flight end, unless another signal comes.
func (p *program) stop(running *server.Server, logger *slog.Logger, signals <-chan os.Signal) error {
	ctx, cancel := context.WithTimeout(context.Background(), server.Grace)
	defer cancel()
	closed := make(chan error, 1)
	go func() { closed <- running.Close(ctx) }()
	select {
	case <-signals:
		return errors.New("stopped before all requests had ended")
	case err := <-closed:
		logger.Info("stopped", "complete", err == nil)
		return nil
	}
}

// readCatalog reads the catalog that is served. What is wrong with it is told in
// one line.
func (p *program) readCatalog(ctx context.Context, name string) (*catalog.Catalog, error) {
	source, err := readFile(name)
	if err != nil {
		return nil, err
	}
	c, err := catalog.Parse(ctx, source)
	if faults := problem.All(err); faults != nil {
		return nil, faults[0]
	}
	return c, err
}

// readFile reads a file whole. Unlike other inputs it is never standard input:
// a file may be called "-".
func readFile(name string) (problem.Source, error) {
	f, err := os.Open(name)
	if err != nil {
		return problem.Source{}, fileError(name, err)
	}
	in := input{name: name}
	in.info, _ = f.Stat() // reading it will tell what is wrong
	from := &reading{from: f, blank: true}
	text, err := slurp(from, in.size())
	if err = errors.Join(err, from.Close()); err != nil {
		return problem.Source{}, fileError(name, err)
	}
	return problem.Source{Name: name, Text: text}, nil
}

// toInt converts a count. One that no machine reaches stands for any such.
func toInt(n uint64) int { return int(min(n, math.MaxInt)) }
