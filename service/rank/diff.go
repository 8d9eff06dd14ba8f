package rank

import (
	"cmp"
	"context"

	inside "github.com/model-catalog-service/svc/internal/catalog"

	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/compare/ranking"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/catalog"
	"github.com/model-catalog-service/svc/service/record"
)

// Diff is [catalog.Diff], and says why requests are answered differently, in their order.
func Diff(ctx context.Context, old, new *catalog.Catalog, options catalog.DiffOptions,
	requests ...*Request) (*record.CatalogDiff, error) {
	inner := make([]*v3.Request, len(requests))
	for i, q := range requests {
		inner[i] = (*v3.Request)(q)
	}
	before, err := ranking.NewSide(ctx, (*inside.Catalog)(old), inner...)
	if err != nil {
		return nil, err
	}
	after, err := ranking.NewSide(ctx, (*inside.Catalog)(new), inner...)
	if err != nil {
		return nil, err
	}
	return ranking.Diff(ctx, before, after, compare.Options{
		Only: options.Only, Limit: max(0, cmp.Or(options.Limit, catalog.DefaultDiffLimit))})
}
