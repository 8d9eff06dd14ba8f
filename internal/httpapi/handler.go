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
//     bytes read for one, in the bytes that answer one, in the time that its
//     body may take and its answer may wait, and in the bytes of all answers
//     that wait. What is beyond is refused at once, and reads are served on.
//
// The [Handler] is a plain http.Handler. It judges the path as it came over the
// wire, which a mux that unescapes, cleans or redirects would take from it:
// mount it with [http.StripPrefix]. It needs no server of its own kind; with
// middleware that hides [http.ResponseController] from it, the time limits of
// bodies and answers are the server's alone.
package httpapi

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank"
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

	// Logger gets an error for each request whose handling failed, and for each
	// request a line at debug level. Bodies are never logged. Nil logs nothing.
	Logger *slog.Logger

	// Observe, if not nil, is called at the end of each exchange. It is called
	// from many goroutines at once and must not block.
	Observe func(Exchange)
}

// limits are the bounds of the work for one request. Tests have their own.
type limits struct {
	bodyTime   time.Duration // for the body of a rank request to be complete
	drainTime  time.Duration // for what is left of a body after an early answer
	drainBytes int64         // of it
	takeTime   time.Duration // for the client to take the answer to a rank request
	heldBytes  int64         // of answers that are not taken yet
}

func standardLimits() limits {
	return limits{
		bodyTime:   30 * time.Second,
		drainTime:  2 * time.Second,
		drainBytes: 16 << 20,
		takeTime:   60 * time.Second,
		heldBytes:  64 << 20,
	}
}

// Handler serves one catalog. It is safe for concurrent use; [NewHandler] makes
// one.
type Handler struct {
	options  Options
	limits   limits
	header   commonHeader
	etag     string
	docs     documents
	refusals refusals
	capacity capacity
	scratch  sync.Pool // of *[]byte, in which results are written

	// rank appends the result that a body asks for. Tests put faults in its place.
	rank func(ctx context.Context, dst []byte, body string) ([]byte, error)
}

// NewHandler returns a handler that serves a catalog. The error tells which
// option is wrong.
func NewHandler(c *catalog.Catalog, options Options) (*Handler, error) {
	if options.MaxConcurrentRankRequests == 0 {
		options.MaxConcurrentRankRequests = DefaultMaxConcurrentRankRequests
	}
	if options.MaxRankResponseBytes == 0 {
		options.MaxRankResponseBytes = DefaultMaxRankResponseBytes
	}
	if n := options.MaxConcurrentRankRequests; n < 0 {
		return nil, fmt.Errorf("maximum of concurrent rank requests must be a positive integer, is %d", n)
	}
	if n := options.MaxRankResponseBytes; n < 0 {
		return nil, fmt.Errorf("maximum of rank response bytes must be a positive integer, is %d", n)
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	etag := `"service-` + c.Digest() + `"`
	h := &Handler{
		options:  options,
		limits:   standardLimits(),
		header:   newCommonHeader(c, etag),
		etag:     etag,
		refusals: newRefusals(c, options),
		capacity: capacity{slots: options.MaxConcurrentRankRequests},
	}
	h.capacity.room = h.limits.heldBytes
	h.scratch.New = func() any { return new([]byte) }
	ranker, err := rank.New(c)
	if err != nil {
		return nil, err
	}
	h.rank = func(ctx context.Context, dst []byte, body string) ([]byte, error) {
		request, err := rank.ReadRequest(problem.Source{Text: body})
		if err != nil {
			return dst, err
		}
		result, err := ranker.Rank(ctx, request)
		if err != nil {
			return dst, err
		}
		return result.AppendJSON(dst, options.MaxRankResponseBytes)
	}
	h.docs, err = newDocuments(c)
	return h, err
}

// RanksInFlight is how many rank requests hold a slot: their bodies are being
// read or they are being evaluated.
func (h *Handler) RanksInFlight() int { return h.capacity.inFlight() }

// HeldBytes is how many bytes the answers to rank requests have that their
// clients have not taken yet.
func (h *Handler) HeldBytes() int64 { return h.capacity.heldBytes() }

// ServeHTTP answers a request. A request that cannot be answered, or not to its
// end, makes it panic with [http.ErrAbortHandler], which tells the server to
// break the connection.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := exchange{h: h, w: w, r: r, start: time.Now()}
	x.hasBody = r.Body != nil && r.Body != http.NoBody && r.ContentLength != 0
	defer x.end()
	x.answer()
}

// answer judges the path, then the method, then what the path needs.
func (x *exchange) answer() {
	h := x.h
	key := ""
	x.route, key = routeOf(wirePath(x.r.URL))
	switch x.route {
	case routeUnknown:
		x.send(&h.refusals.notFound)
		return
	case routeOtherVersion:
		x.send(&h.refusals.unsupportedVersion)
		return
	case routeRank:
		switch x.r.Method {
		case http.MethodPost:
			x.rank()
		case http.MethodOptions:
			x.send(&preflight)
		default:
			x.send(&h.refusals.notForRank)
		}
		return
	}
	if x.r.Method != http.MethodGet && x.r.Method != http.MethodHead {
		x.send(&h.refusals.notForReads)
		return
	}
	document := h.docs.find(x.route, key)
	switch {
	case document == nil:
		x.send(&h.refusals.modelNotFound)
	case matchesETag(x.r.Header["If-None-Match"], h.etag):
		x.send(&notModified)
	default:
		x.send(document)
	}
}
