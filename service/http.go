package service

import (
	"github.com/model-catalog-service/svc/internal/httpapi"
	"github.com/model-catalog-service/svc/internal/httpserver"
)

// Schema versions of the answers of the HTTP API that are no records themselves.
const (
	APIModelsSchema = httpapi.ModelsSchema
	APIModelSchema  = httpapi.ModelSchema
	APIErrorSchema  = httpapi.ErrorSchema
)

// CatalogHandler serves a catalog over HTTP, under /v1. It is an http.Handler
// that can be mounted anywhere, and safe for concurrent use.
type CatalogHandler = httpapi.Handler

// CatalogHandlerOptions are the settings of a CatalogHandler. The zero value
// has the defaults.
type CatalogHandlerOptions = httpapi.Options

// Exchange is a request that was handled, for who counts them.
type Exchange = httpserver.Exchange

// NewCatalogHandler returns a handler that serves a catalog. It authenticates
// nobody and limits no caller: that is for the middleware or proxy in front of
// it. The error tells which option is wrong.
func NewCatalogHandler(c *Catalog, options CatalogHandlerOptions) (*CatalogHandler, error) {
	return httpapi.NewHandler(c, options)
}
