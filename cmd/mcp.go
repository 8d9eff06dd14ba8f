package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/agent"
)

type mcpOptions struct {
	catalog string
	address
	overHTTP bool
}

func newMCP(run func(context.Context, mcpOptions) error) *cobra.Command {
	opts := mcpOptions{address: address{"127.0.0.1", 4247}}
	return option.Declare(&cobra.Command{
		Use:               "mcp --catalog FILE [--host HOST] [--port PORT]",
		Short:             "Serve a catalog to agents over the Model Context Protocol",
		ValidArgsFunction: option.Nothing,
		Args:              option.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if opts.catalog == "" {
				return option.Errorf("Missing option: --catalog")
			}
			opts.overHTTP = c.Flags().Changed("host") || c.Flags().Changed("port")
			if !opts.overHTTP && opts.catalog == option.Stdin {
				return option.Errorf("Unexpected value for --catalog: - (standard input carries the protocol)")
			}
			return run(c.Context(), opts)
		},
	},
		catalogOption(&opts.catalog),
		opts.hostOption(),
		opts.portOption(),
	)
}

// mcp serves one client over the standard streams, or any number over HTTP.
func (p *program) mcp(ctx context.Context, opts mcpOptions) error {
	in, err := files.New(p.stdin).AddFile(opts.catalog)
	if err != nil {
		return err
	}
	c, err := p.readCatalog(ctx, in)
	if err != nil {
		return err
	}
	if !opts.overHTTP {
		a, err := agent.New(c, agent.Options{Version: thisBuild().Version})
		if err != nil {
			return err
		}
		err = a.RunStreams(ctx, p.stdin, protocolWriter{p.Console})
		if ctx.Err() != nil {
			return nil // a signal ends it as the end of input does
		}
		return err
	}
	s, err := p.newService(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	a, err := agent.New(c, agent.Options{Version: thisBuild().Version, Logger: s.log})
	if err != nil {
		return err
	}
	if err := s.start(ctx, opts.address, a.Handler()); err != nil {
		return err
	}
	p.warnOfNeighbours(s.listener.Addr(), s.running.URL(), "answers whoever asks")
	s.log.Info("serving", "url", s.running.URL()+agent.Path, "digest", c.Digest(), "asOf", c.AsOf())
	return s.run(ctx)
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
