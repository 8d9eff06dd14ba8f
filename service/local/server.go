package local

import (
	"context"

	"github.com/model-catalog-service/svc/internal/httpapi"
	"github.com/model-catalog-service/svc/internal/httpserver"
	"github.com/model-catalog-service/svc/service"
)

// DefaultHost is the interface that a server binds unless told otherwise.
const DefaultHost = "127.0.0.1"

// ServerOptions are the settings of a local server. The zero value serves on a
// free port of the loopback interface, with the handler's defaults.
type ServerOptions struct {
	Host    string // name or address of an interface; empty is DefaultHost
	Port    uint16 // 0 picks a free one
	Handler service.CatalogHandlerOptions
}

// CatalogServer is a server that runs. Its URL method tells where; its Close
// method stops it, once the requests in flight have ended or the context has.
type CatalogServer = httpserver.Server

// StartCatalogServer serves a catalog over HTTP/1.1 and cleartext HTTP/2. The
// context is for the start alone.
func StartCatalogServer(ctx context.Context, c *service.Catalog, options ServerOptions) (*CatalogServer, error) {
	handler, err := httpapi.NewHandler(c, options.Handler)
	if err != nil {
		return nil, err
	}
	host := options.Host
	if host == "" {
		host = DefaultHost
	}
	listener, err := httpserver.Listen(ctx, host, options.Port)
	if err != nil {
		return nil, err
	}
	return httpserver.Start(listener, handler, httpserver.Options{Logger: options.Handler.Logger}), nil
}
