package serve

import (
	"context"
	"errors"
	"io"
	"net/http"

	inside "github.com/model-catalog-service/svc/internal/catalog"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"

	"github.com/model-catalog-service/svc/internal/explore"
	"github.com/model-catalog-service/svc/service/catalog"
	"github.com/model-catalog-service/svc/service/rank"
)

// The bounds of a report.
const (
	DefaultMaxReportBytes  = 32 << 20 // bytes of the whole, unless its options say otherwise
	MaxReportSnapshotBytes = 64 << 20 // bytes of the snapshot in it
)

// PageOptions say what the page about a catalog shows besides it.
type PageOptions struct {
	Against  *catalog.Catalog // an older catalog, to show what changed since; nil for none
	Requests []NamedRequest   // which the page begins with; nil for one of its own, if the catalog has scores and prices
}

// NamedRequest is a rank request and what people call it.
type NamedRequest struct {
	Name    string // usually that of its file
	Request *rank.Request
}

// ExploreOptions are the settings of the handler of the page.
type ExploreOptions struct {
	PageOptions
	CatalogFile string         // what the page calls the catalog, usually its file without the folder
	Handler     CatalogOptions // of the API that the page asks
}

// NewExploreHandler returns a handler of the page on which people look at a catalog, in
// front of what [NewCatalogHandler] serves, but for pages of this origin alone. The page
// expects to be at the root of its host.
// It fails if Against has a later AsOf than the catalog, if an option is wrong, or if the
// context ends.
func NewExploreHandler(ctx context.Context, c *catalog.Catalog, options ExploreOptions) (http.Handler, error) {
	api, err := newCatalogHandler(c, options.Handler, true)
	if err != nil {
		return nil, err
	}
	extras, err := options.extras(ctx, c)
	if err != nil {
		return nil, err
	}
	extras.CatalogFile = options.CatalogFile
	return explore.NewHandler(api, api.inner.Ranker(), extras)
}

// extras returns what the page shows besides the catalog.
func (o *PageOptions) extras(ctx context.Context, c *catalog.Catalog) (extras explore.Extras, err error) {
	requests := make([]*rank.Request, len(o.Requests))
	for i, named := range o.Requests {
		requests[i] = named.Request
		extras.Requests = append(extras.Requests, explore.Request{Name: named.Name, Request: (*v3.Request)(named.Request)})
	}
	if len(requests) == 0 {
		if first, ok := explore.FirstRequest((*inside.Catalog)(c)); ok {
			extras.Requests = append(extras.Requests, first)
		}
	}
	if o.Against != nil {
		extras.Diff, err = rank.Diff(ctx, o.Against, c, catalog.DiffOptions{}, requests...)
	}
	return extras, err
}

// ReportOptions are the settings of a report.
type ReportOptions struct {
	PageOptions
	Title    string // at the head of the page; empty is Model catalog
	Version  string // of the program, for the foot
	MaxBytes int    // zero is DefaultMaxReportBytes
}

// WriteReport writes the page about a catalog as one HTML file, with its data inside, that
// opens from disk without a network. The bytes depend on the arguments alone. It fails with
// a [*ReportTooLargeError] before anything is written, and as [NewExploreHandler] does.
func WriteReport(ctx context.Context, w io.Writer, c *catalog.Catalog, options ReportOptions) error {
	extras, err := options.extras(ctx, c)
	if err != nil {
		return err
	}
	err = explore.WriteReport(ctx, w, (*inside.Catalog)(c), extras, explore.ReportOptions{Title: options.Title,
		Version: options.Version, MaxBytes: options.MaxBytes})
	if large, ok := errors.AsType[*explore.TooLargeError](err); ok {
		return &ReportTooLargeError{large.Message}
	}
	return err
}

// ReportTooLargeError refuses a report that would be larger than allowed.
type ReportTooLargeError struct{ Message string } // how large, and what is allowed

// Error returns the message.
func (e *ReportTooLargeError) Error() string { return e.Message }
