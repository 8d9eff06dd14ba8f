// Package httpapi serves one catalog over HTTP: the list of its models, each
// model, the whole snapshot, and rankings of a caller's candidates.
//
// What it promises:
//
//   - The answer to a request is a function of the catalog and the request
//     alone. Bodies are canonical JSON.
//   - Every answer, errors included, names the catalog: its digest, its asOf and
//     the entity tag that is made of the digest.
//   - List, models and snapshot are bytes made once. Serving them allocates
//     nothing that grows with the catalog.
//   - Ranking is bounded: in how many requests are evaluated at once, in the
//     bytes read for one and for all, in the bytes that answer one, in the time
//     that its body may take and its answer may wait, and in the bytes of all
//     answers that wait. What is beyond is refused at once, and reads are served
//     on.
//
// The [Handler] is a plain http.Handler. It judges the path as it came over the
// wire, which a mux that unescapes, cleans or redirects would take from it:
// mount it with [http.StripPrefix]. It needs no server of its own kind; with
// middleware that hides [http.ResponseController] from it, the time limits of
// bodies and answers are the server's alone.
package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/httpserver"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

// What [Options] stand for when they are zero.
const (
	DefaultMaxConcurrentRankRequests = 4
	DefaultMaxRankResponseBytes      = 8 << 20
)

// Options are the settings of a [Handler]. The zero value has the defaults.
type Options struct {
	MaxConcurrentRankRequests int // at least 1; further ones are refused with 503
	MaxRankResponseBytes      int // at least 1; a larger result is refused with 422

	// SameOrigin leaves out what lets pages of other origins read the answers: for a catalog
	// behind a page of its own.
	SameOrigin bool

	// Trust is what became of the catalog, in a word; empty where nobody asks.
	Trust string

	// Logger gets an error for requests whose handling failed, one a second, and for each
	// request a line at debug level. Bodies are never logged. Nil logs nothing.
	Logger *slog.Logger

	// Observe, if not nil, is called at the end of each exchange. It is called
	// from many goroutines at once and must not block.
	Observe func(httpserver.Exchange)
}

func (o Options) withDefaults() Options {
	o.MaxConcurrentRankRequests = cmp.Or(o.MaxConcurrentRankRequests, DefaultMaxConcurrentRankRequests)
	o.MaxRankResponseBytes = cmp.Or(o.MaxRankResponseBytes, DefaultMaxRankResponseBytes)
	return o
}

// Handler serves one catalog. It is safe for concurrent use; [NewHandler] makes one.
type Handler struct {
	options  Options
	endpoint httpserver.Endpoint
	etag     string
	docs     documents
	refusals refusals
	scratch  sync.Pool // of *[]byte, in which results are written
	ranker   *v3.Ranker

	// rank appends the result that a body asks for. Tests put faults in its place.
	rank func(ctx context.Context, dst []byte, body string) ([]byte, error)
}

// NewHandler returns a handler that serves a catalog. The error says which
// option is wrong.
func NewHandler(c *catalog.Catalog, options Options) (*Handler, error) {
	options = options.withDefaults()
	if n := options.MaxConcurrentRankRequests; n < 0 {
		return nil, fmt.Errorf("maximum of concurrent rank requests must be a positive integer, is %d", n)
	}
	if n := options.MaxRankResponseBytes; n < 0 {
		return nil, fmt.Errorf("maximum of rank response bytes must be a positive integer, is %d", n)
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	ranker, err := v3.New(c)
	if err != nil {
		return nil, err
	}
	h := &Handler{options: options, etag: `"service-` + c.Digest() + `"`, refusals: newRefusals(c, options),
		ranker: ranker, docs: newDocuments(c)}
	h.rank = func(ctx context.Context, dst []byte, body string) ([]byte, error) {
		return ranker.RankText(ctx, dst, body, options.MaxRankResponseBytes)
	}
	h.prepare(httpserver.NewCapacity(options.MaxConcurrentRankRequests, 0))
	return h, nil
}

// WithTrust returns a handler that says that something else became of the catalog. Both have the
// same slots for rank requests.
func (h *Handler) WithTrust(state string) *Handler {
	other := &Handler{options: h.options, etag: h.etag, refusals: h.refusals, ranker: h.ranker, docs: h.docs, rank: h.rank}
	other.options.Trust = state
	other.prepare(h.endpoint.Capacity)
	return other
}

func (h *Handler) prepare(capacity *httpserver.Capacity) {
	h.endpoint = httpserver.Endpoint{
		Header:   commonHeader(h.ranker.Catalog(), h.etag, h.options),
		TooLarge: h.refusals.payloadTooLarge,
		Busy:     h.refusals.overloaded,
		Failed:   h.refusals.failed,
		Capacity: capacity,
		Logger:   h.options.Logger,
		Observe:  h.options.Observe,
	}
	h.scratch.New = func() any { return new([]byte) }
}

// Ranker is the ranker of the catalog, for a page in front of the handler.
func (h *Handler) Ranker() *v3.Ranker { return h.ranker }

// RanksInFlight is how many rank requests are being evaluated.
func (h *Handler) RanksInFlight() int { return h.endpoint.Capacity.InFlight() }

// HeldBytes is how many bytes the answers to rank requests have that their
// clients have not taken yet.
func (h *Handler) HeldBytes() int64 { return h.endpoint.Capacity.HeldBytes() }

// ServeHTTP answers a request. A request that cannot be answered, or not to its end, makes
// it panic with [http.ErrAbortHandler], which tells the server to break the connection.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.endpoint.Serve(w, r, h.answer)
}

// answer judges the path, then the method, then what the path needs.
func (h *Handler) answer(c *httpserver.Call) {
	r := c.Request
	route, key := routeOf(httpserver.WirePath(r.URL))
	c.Route = route.pattern()
	switch route {
	case routeUnknown:
		c.Send(&h.refusals.notFound)
		return
	case routeOtherVersion:
		c.Send(&h.refusals.unsupportedVersion)
		return
	case routeRank:
		switch r.Method {
		case http.MethodPost:
			c.Work(rank.MaxRequestBytes, func(ctx context.Context, body string) (*httpserver.Answer, bool) {
				return h.answerRank(ctx, c, body)
			})
		case http.MethodOptions:
			if h.options.SameOrigin {
				c.Send(&h.refusals.notForRank)
				return
			}
			c.Send(&preflight)
		default:
			c.Send(&h.refusals.notForRank)
		}
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		c.Send(&h.refusals.notForReads)
		return
	}
	document := h.docs.find(route, key)
	switch {
	case document == nil:
		c.Send(&h.refusals.modelNotFound)
	case httpserver.MatchesETag(r.Header["If-None-Match"], h.etag):
		c.Send(&notModified)
	default:
		c.Send(document)
	}
}

// answerRank returns the answer to the body of a rank request, and whether it is
// made for this request alone.
func (h *Handler) answerRank(ctx context.Context, c *httpserver.Call, body string) (a *httpserver.Answer, isOwn bool) {
	scratch := h.scratch.Get().(*[]byte)
	defer h.scratch.Put(scratch)
	result, err := h.rank(ctx, (*scratch)[:0], body)
	*scratch = result[:0]
	if err == nil {
		answer := newAnswer(http.StatusOK, bytes.Clone(result))
		return &answer, true
	}
	if _, ok := errors.AsType[*rank.TooLargeError](err); ok {
		return &h.refusals.resultTooLarge, false
	}
	if faults := problem.All(err); faults != nil {
		refusal := h.refusals.answer(problem.InvalidRankRequest, faults[0].Error())
		return &refusal, true
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		panic(http.ErrAbortHandler) // the client is gone
	}
	return c.Fail(err.Error()), false
}
