package local

import (
	"context"

	"github.com/model-catalog-service/svc/internal/httpserver"
	"github.com/model-catalog-service/svc/service/catalog"
	"github.com/model-catalog-service/svc/service/serve"
)

// ServerOptions are the settings of a local server. The zero value serves on a
// free port of the loopback interface, with the handler's defaults.
type ServerOptions struct {
	Host    string // name or address of an interface; empty is 127.0.0.1
	Port    uint16 // 0 picks a free one
	Handler serve.CatalogOptions
}

// CatalogServer is a server that runs.
type CatalogServer struct{ inner *httpserver.Server }

// StartCatalogServer serves a catalog over HTTP/1.1 and cleartext HTTP/2. The
// context is for the start alone.
func StartCatalogServer(ctx context.Context, c *catalog.Catalog, options ServerOptions) (*CatalogServer, error) {
	handler, err := serve.NewCatalogHandler(c, options.Handler)
	if err != nil {
		return nil, err
	}
	host := options.Host
	if host == "" {
		host = httpserver.DefaultHost
	}
	listener, err := httpserver.Listen(ctx, host, options.Port)
	if err != nil {
		return nil, err
	}
	return &CatalogServer{httpserver.Start(listener, handler, httpserver.Options{Logger: options.Handler.Logger})}, nil
}

// URL returns where the server is reached: its address as bound, without a slash at
// the end.
func (s *CatalogServer) URL() string { return s.inner.URL() }

// Close stops the server, once the requests in flight have ended or the context has.
// In the second case the error is that of the context.
func (s *CatalogServer) Close(ctx context.Context) error { return s.inner.Close(ctx) }

// Ended is closed when the server accepts no connection any more, because of Close or
// of an error, which Err then returns.
func (s *CatalogServer) Ended() <-chan struct{} { return s.inner.Ended() }

// Err returns why the server ended by itself. It may be called once Ended is closed.
func (s *CatalogServer) Err() error { return s.inner.Err() }
