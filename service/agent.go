package service

import (
	"context"
	"io"
	"log/slog"
	"net/http"

	"github.com/model-catalog-service/svc/internal/agent"
)

// AgentPath is the path at which the handler of an [Agent] answers.
const AgentPath = "/mcp"

// MaxAgentAnswerBytes is how long an answer of an [Agent] is at most.
const MaxAgentAnswerBytes = 32 << 10

// AgentOptions are the settings of an [Agent].
type AgentOptions struct {
	Version string       // of the program, as clients see it
	Logger  *slog.Logger // nil logs nothing
}

// Agent serves a catalog to agents over the Model Context Protocol: tools, which only
// read, to list keys and models, to rank and to explain. It is safe for concurrent use.
type Agent struct{ inner *agent.Agent }

// NewAgent indexes a catalog. It fails as [NewCatalogRanker] does.
func NewAgent(c *Catalog, options AgentOptions) (*Agent, error) {
	a, err := agent.New(c.inner, agent.Options{Version: options.Version, Logger: options.Logger})
	if err != nil {
		return nil, err
	}
	return &Agent{a}, nil
}

// Serve serves one client over two streams, as a rule standard input and output: a message
// a line, until the input ends or the context does. What was asked before the end of the
// input is answered. Its errors are those of the context and of the streams.
func (a *Agent) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	return a.inner.RunStreams(ctx, in, out)
}

// Handler serves any number of clients over streamable HTTP at [AgentPath], without
// sessions. It refuses requests of pages of other origins and, on loopback, to another host,
// with 403. Bodies have at most 1 MiB.
func (a *Agent) Handler() http.Handler { return a.inner.Handler() }
