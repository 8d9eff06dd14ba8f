package serve

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"time"

	inside "github.com/model-catalog-service/svc/internal/catalog"

	"github.com/model-catalog-service/svc/internal/agent"
	"github.com/model-catalog-service/svc/service/catalog"
)

// AgentPath is the path at which an [AgentHandler] answers.
const AgentPath = "/mcp"

// MaxAgentAnswerBytes is how long an answer of an [Agent] is at most.
const MaxAgentAnswerBytes = 32 << 10

// AgentOptions are the settings of an [Agent]. The zero value has the defaults.
type AgentOptions struct {
	Version string             // of the program, as clients see it
	Against []*catalog.Catalog // older catalogs, with which the tool what_changed compares
	Now     func() time.Time   // by which answers say how old the catalog is; nil: they do not
	Logger  *slog.Logger       // nil logs nothing

	// Observe, if not nil, is called at the end of each exchange over HTTP. It is called
	// from many goroutines at once and must not block.
	Observe func(Exchange)
}

// Agent serves a catalog to agents over the Model Context Protocol: tools, which only
// read, to find models and values, to rank, compare and price them, and to say what
// changed. It is safe for concurrent use.
type Agent struct {
	inner   *agent.Agent
	observe func(Exchange)
}

// NewAgent indexes a catalog. It fails as [rank.New] does, and if one of Against has a later
// AsOf than the catalog.
func NewAgent(c *catalog.Catalog, options AgentOptions) (*Agent, error) {
	inner := agent.Options{Version: options.Version, Now: options.Now, Logger: options.Logger}
	for _, older := range options.Against {
		inner.Against = append(inner.Against, (*inside.Catalog)(older))
	}
	a, err := agent.New((*inside.Catalog)(c), inner)
	if err != nil {
		return nil, err
	}
	return &Agent{a, options.Observe}, nil
}

// Serve serves one client over two streams, usually standard input and output: a message
// a line, until the input ends or the context does. What was asked before the end of the
// input is answered. Its errors are those of the context and of the streams.
func (a *Agent) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	return a.inner.RunStreams(ctx, in, out)
}

// Handler returns a handler for any number of clients, over streamable HTTP at
// [AgentPath], without sessions.
func (a *Agent) Handler() *AgentHandler {
	return &AgentHandler{a.inner.Handler(innerObserve(a.observe))}
}

// AgentHandler serves an [Agent] over HTTP. Requests of pages of other origins and, on
// loopback, to another host are refused with 403. Bodies have at most 1 MiB.
type AgentHandler struct{ inner *agent.Handler }

// ServeHTTP answers a request. For one that cannot be answered to its end it panics with
// http.ErrAbortHandler, which makes the server break the connection.
func (h *AgentHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.inner.ServeHTTP(w, r) }

// CallsInFlight returns how many requests are being answered.
func (h *AgentHandler) CallsInFlight() int { return h.inner.CallsInFlight() }

// HeldBytes returns how many bytes of answers wait for their clients to take them.
func (h *AgentHandler) HeldBytes() int64 { return h.inner.HeldBytes() }
