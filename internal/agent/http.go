package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/httpserver"
	"github.com/model-catalog-service/svc/internal/problem"
)

// This file serves streamable HTTP, without sessions and with answers in JSON. A request
// is refused, in this order, that comes from a page of another origin or, on loopback, is
// for another host (403): a page that somebody looks at must not ask what runs on their
// machine; that is for another path (404) or has another method than POST (405); that is
// longer than 1 MiB (413); for which all slots are taken (503).

// Path is where the handler answers.
const Path = "/mcp"

// maxBody is how many bytes a request may have.
const maxBody = 1 << 20

// slotWait is how long a request waits for one of the slots. An agent that makes several
// calls at once sees them answered one after the other.
const slotWait = 10 * time.Second

// Handler serves agents over HTTP. [Agent.Handler] makes one.
type Handler struct {
	endpoint                  httpserver.Endpoint
	stream                    http.Handler
	foreign, unknown, notPost httpserver.Answer
}

// Handler returns a handler that answers at [Path]. Observe, if not nil, is called at the
// end of each exchange, from many goroutines at once, and must not block.
func (a *Agent) Handler(observe func(httpserver.Exchange)) *Handler {
	return &Handler{
		endpoint: httpserver.Endpoint{
			Header:   []httpserver.Field{httpserver.NewField("X-Content-Type-Options", "nosniff")},
			TooLarge: refuseHTTP(http.StatusRequestEntityTooLarge, "the request is longer than 1 MiB"),
			Busy:     refuseHTTP(http.StatusServiceUnavailable, "too many calls at a time: ask again").With("Retry-After", "1"),
			Failed:   refuseHTTP(http.StatusInternalServerError, "the request could not be handled"),
			Capacity: httpserver.NewCapacity(maxCalls, slotWait),
			Logger:   a.logger,
			Observe:  observe,
		},
		stream: mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return a.server },
			&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxBody}),
		foreign: refuseHTTP(http.StatusForbidden, "requests of other origins and to other hosts are refused"),
		unknown: refuseHTTP(http.StatusNotFound, "the protocol is served at "+Path),
		notPost: refuseHTTP(http.StatusMethodNotAllowed, "there are no sessions: every request is a POST").With("Allow",
			http.MethodPost),
	}
}

// refuseHTTP returns an answer that says, in the terms of the protocol, why a request is
// refused.
func refuseHTTP(status int, message string) httpserver.Answer {
	return httpserver.NewAnswer(status, refusedMessage("null", jsonrpc.CodeInvalidRequest, message)).With("Content-Type",
		"application/json")
}

// refusedMessage refuses a call. The id, which is JSON, is null for what was not read as one.
func refusedMessage(id string, code int, message string) []byte {
	type fault struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	return canonical.MustMarshal(struct {
		Error   fault           `json:"error"`
		ID      json.RawMessage `json:"id"`
		Version string          `json:"jsonrpc"`
	}{fault{code, message}, json.RawMessage(id), "2.0"})
}

// CallsInFlight is how many requests are being answered.
func (h *Handler) CallsInFlight() int { return h.endpoint.Capacity.InFlight() }

// HeldBytes is how many bytes the answers have that their clients have not taken yet.
func (h *Handler) HeldBytes() int64 { return h.endpoint.Capacity.HeldBytes() }

// ServeHTTP answers a request. A request that cannot be answered, or not to its end, makes
// it panic with [http.ErrAbortHandler], which tells the server to break the connection.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.endpoint.Serve(w, r, h.answer)
}

func (h *Handler) answer(c *httpserver.Call) {
	r := c.Request
	isOurPath := httpserver.WirePath(r.URL) == Path
	if isOurPath {
		c.Route = Path
	}
	switch {
	case !httpserver.Admission{}.Admits(r):
		c.Send(&h.foreign)
	case !isOurPath:
		c.Send(&h.unknown)
	case r.Method != http.MethodPost:
		c.Send(&h.notPost)
	default:
		header := headerOfProtocol(r.Header) // the call forgets the rest
		c.Work(maxBody, func(ctx context.Context, body string) (*httpserver.Answer, bool) {
			whole := (&http.Request{
				Method: r.Method, URL: &url.URL{Path: Path}, Proto: r.Proto, ProtoMajor: r.ProtoMajor, ProtoMinor: r.ProtoMinor,
				Host: r.Host, RemoteAddr: r.RemoteAddr, Header: header,
				Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
			}).WithContext(ctx)
			answer := httpserver.BufferAnswer(h.stream, whole)
			if text := bytes.Join(answer.Body, nil); answer.Status >= http.StatusBadRequest && !json.Valid(text) {
				answer = refusalInJSON(answer.Status, body, strings.TrimSpace(string(text)))
			}
			return &answer, true
		})
	}
}

// refusalInJSON is what the library says of a body in plain text, in the terms of the
// protocol. A method that there is not is a fault of the call, as over the standard streams.
func refusalInJSON(status int, body, text string) httpserver.Answer {
	const notHandled = "JSON RPC not handled" // as the library says it
	message, _ := jsonrpc.DecodeMessage([]byte(body))
	call, isCall := message.(*jsonrpc.Request)
	code, id := jsonrpc.CodeInvalidRequest, "null"
	switch {
	case status == http.StatusBadRequest && !json.Valid([]byte(body)):
		code = jsonrpc.CodeParseError
	case isCall && call.IsCall() && strings.HasPrefix(text, notHandled):
		raw, _ := json.Marshal(call.ID.Raw()) // a text or a number
		status, code, id, text = http.StatusOK, jsonrpc.CodeMethodNotFound, string(raw), "this server has no "+call.Method
	}
	return httpserver.NewAnswer(status, refusedMessage(id, code, problem.Brief(text))).With("Content-Type",
		"application/json")
}

// headerOfProtocol returns the fields that the protocol has a use for.
func headerOfProtocol(header http.Header) http.Header {
	kept := http.Header{}
	for name, values := range header {
		if name == "Accept" || name == "Content-Type" || strings.HasPrefix(name, "Mcp-") {
			kept[name] = values
		}
	}
	return kept
}
