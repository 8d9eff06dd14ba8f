// Package serve serves over HTTP: a catalog and its rankings to programs, a page to people, tools
// to agents, and what became of published claims to those who hold them. It listens on nothing
// itself: handlers go into the mux of the caller. They authenticate nobody.
//
//	mux := http.NewServeMux()
//	models, err := serve.NewCatalogHandler(c, serve.CatalogOptions{})
//	mux.Handle("/models/", http.StripPrefix("/models", models))
//
//	store, err := serve.NewMemoryStore(bundle)
//	responder, err := serve.NewResponder(store, serve.ResponderOptions{Source: "bench.example.org", Signer: signer,
//		StatusFunctionVersion: verify.StatusFunctionVersion})
//	mux.Handle("/.well-known/hachure/verify", serve.NewVerificationHandler(responder, serve.VerificationOptions{}))
//
// A [Store] of one's own stands between the responder and the claims wherever they are kept.
package serve

import (
	"log/slog"
	"net/http"
	"time"

	inside "github.com/model-catalog-service/svc/internal/catalog"

	"github.com/model-catalog-service/svc/internal/httpapi"
	"github.com/model-catalog-service/svc/internal/httpserver"
	"github.com/model-catalog-service/svc/service/catalog"
)

// CatalogHandler serves a catalog over HTTP, under /v1. It is an http.Handler
// that can be mounted anywhere, under a prefix by http.StripPrefix, and is safe for
// concurrent use.
type CatalogHandler struct{ inner *httpapi.Handler }

// CatalogOptions are the settings of a CatalogHandler. The zero value
// has the defaults.
type CatalogOptions struct {
	MaxConcurrentRankRequests int // further ones are refused with 503; zero is 4
	MaxRankResponseBytes      int // a larger result is refused with 422; zero is 8 MiB

	// Logger gets an error for requests whose handling failed, one a second, and
	// for each request a line at debug level. Bodies are never logged. Nil logs
	// nothing.
	Logger *slog.Logger

	// Observe, if not nil, is called at the end of each exchange. It is called
	// from many goroutines at once and must not block.
	Observe func(Exchange)
}

// Exchange says what became of a request, for programs that count them.
type Exchange struct {
	Route    string // a pattern like /v1/models/{key}, "" for a path that is not served
	Method   string // as the client wrote it
	Status   int    // 0 if the connection broke without an answer
	Complete bool   // the answer was handed over whole
	Duration time.Duration
}

// NewCatalogHandler returns a handler that serves a catalog. It authenticates
// nobody and limits no caller: that is for the middleware or proxy in front of
// it. With middleware whose http.ResponseWriter has no method Unwrap, how long bodies
// and answers may take is for the server to limit. The error says which option is wrong.
func NewCatalogHandler(c *catalog.Catalog, options CatalogOptions) (*CatalogHandler, error) {
	return newCatalogHandler(c, options, false)
}

func newCatalogHandler(c *catalog.Catalog, options CatalogOptions, sameOrigin bool) (*CatalogHandler, error) {
	h, err := httpapi.NewHandler((*inside.Catalog)(c), httpapi.Options{
		MaxConcurrentRankRequests: options.MaxConcurrentRankRequests,
		MaxRankResponseBytes:      options.MaxRankResponseBytes,
		SameOrigin:                sameOrigin,
		Logger:                    options.Logger,
		Observe:                   innerObserve(options.Observe),
	})
	if err != nil {
		return nil, err
	}
	return &CatalogHandler{h}, nil
}

// innerObserve returns what handlers call for a caller's observer, nil for none.
func innerObserve(observe func(Exchange)) func(httpserver.Exchange) {
	if observe == nil {
		return nil
	}
	return func(e httpserver.Exchange) { observe(Exchange(e)) }
}

// ServeHTTP answers a request. For one that cannot be answered to its end it
// panics with http.ErrAbortHandler, which makes the server break the connection.
func (h *CatalogHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.inner.ServeHTTP(w, r) }

// RanksInFlight returns how many rank requests are being evaluated.
func (h *CatalogHandler) RanksInFlight() int { return h.inner.RanksInFlight() }

// HeldBytes returns how many bytes of rank results wait for their clients to take
// them.
func (h *CatalogHandler) HeldBytes() int64 { return h.inner.HeldBytes() }
