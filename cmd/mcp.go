package cmd

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/config"
	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/cmd/internal/server"
	"github.com/model-catalog-service/svc/internal/agent"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/httpserver"
	"github.com/model-catalog-service/svc/internal/httpserver/operators"
)

type mcpOptions struct {
	catalog string
	against []string
	build   string // the record of the catalog's build, empty for the one beside it
	server.Address
	overHTTP bool
}

func newMCP(run func(context.Context, mcpOptions) error) *cobra.Command {
	opts := mcpOptions{Address: server.Address{Host: httpserver.DefaultHost, Port: httpserver.DefaultAgentPort}}
	return option.Declare(&cobra.Command{
		Use:   "mcp [--catalog FILE] [--against OLD]... [--build FILE] [--host HOST] [--port PORT]",
		Short: "Serve a catalog to agents over the Model Context Protocol",
		RunE: func(c *cobra.Command, _ []string) error {
			opts.overHTTP = c.Flags().Changed("host") || c.Flags().Changed("port")
			const carries = "standard input carries the protocol"
			switch {
			case opts.overHTTP:
			case opts.catalog == option.Stdin:
				return option.Errorf("Unexpected value for --catalog: - (%s)", carries)
			case slices.Contains(opts.against, option.Stdin):
				return option.Errorf("Unexpected value for --against: - (%s)", carries)
			}
			return run(c.Context(), opts)
		},
	},
		foundCatalog(&opts.catalog),
		option.Option{Name: "against", Value: option.Inputs(&opts.against), Many: true, Offer: option.Endings("json"),
			Usage: "`FILE` with an older catalog, to say what changed since; may be given more than once"},
		buildOption(&opts.build),
		opts.HostOption(),
		opts.PortOption(),
	)
}

// mcp serves one client over the standard streams, or any number over HTTP.
func (p *program) mcp(ctx context.Context, opts mcpOptions) error {
	if !opts.overHTTP {
		a, _, err := p.newAgent(ctx, opts, nil)
		if err != nil {
			return err
		}
		err = a.RunStreams(ctx, p.stdin, protocolWriter{p.Console})
		if ctx.Err() != nil {
			return nil // a signal ends it as the end of input does
		}
		return err
	}
	s, err := p.newServer(ctx, config.Admin{})
	if err != nil {
		return err
	}
	defer s.Close()
	a, c, err := p.newAgent(ctx, opts, s.Log)
	if err != nil {
		return err
	}
	handler := a.Handler(s.Observe())
	served := operators.Service{Work: "mcp", InFlight: handler.CallsInFlight, HeldBytes: handler.HeldBytes,
		Catalog: func() (string, string) { return c.Digest(), c.AsOf() }}
	if err := s.Start(ctx, opts.Address, handler, served, "answers whoever asks"); err != nil {
		return err
	}
	s.Log.Info("serving", "url", s.URL()+agent.Path, "digest", c.Digest(), "asOf", c.AsOf())
	return s.Run(ctx)
}

// newAgent reads the catalogs that an agent serves.
func (p *program) newAgent(ctx context.Context, opts mcpOptions, log *slog.Logger) (*agent.Agent, *catalog.Catalog,
	error) {
	in := p.newInputs()
	var read []*catalog.Catalog
	trust := ""
	for _, name := range append([]string{opts.catalog}, opts.against...) {
		f, err := in.AddFile(name)
		if err != nil {
			return nil, nil, err
		}
		c, s, err := p.readTrusted(ctx, f)
		if err != nil {
			return nil, nil, err
		}
		if name == opts.catalog {
			trust = s.Sentence
		}
		read = append(read, c)
	}
	built, err := p.buildOf(opts.build, opts.catalog, read[0].Digest())
	if err != nil {
		return nil, nil, err
	}
	a, err := agent.New(read[0], agent.Options{Version: thisBuild().Version, Against: read[1:], Build: built,
		Trust: trust, Now: time.Now, Logger: log})
	if err != nil {
		return nil, nil, files.Named(strings.Join(opts.against, ", "), err)
	}
	return a, read[0], nil
}

// protocolWriter is standard output, which carries the protocol and whose every message
// goes out at once.
type protocolWriter struct{ *console.Console }

func (w protocolWriter) Write(b []byte) (int, error) {
	n, err := w.Console.Write(b)
	if err == nil {
		err = w.Flush()
	}
	return n, err
}
