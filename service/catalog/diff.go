package catalog

import (
	"cmp"
	"context"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/service/record"
)

// DefaultDiffLimit is how many models, facts, samples and conflicts together a diff lists
// unless its options say otherwise.
const DefaultDiffLimit = 10_000

// DiffOptions say what a diff lists. What it counts is always the whole.
type DiffOptions struct {
	Only  []record.DiffKind // what is listed; nil for all
	Limit int               // entries; zero is DefaultDiffLimit, and below zero rankings alone are listed
}

// Diff says what changed from one catalog, OLD, to the next, NEW. It fails if NEW is of an earlier
// AsOf than OLD, if there is no such kind in Only, or when the context ends. Diff of package
// [github.com/model-catalog-service/svc/service/rank] also says why requests are answered
// differently.
//
// Facts are compared slot by slot: a slot is a model, an execution scope, a task and a
// measurement key. Samples are compared by groups: a model, an execution scope, the family
// and suite of a task, and a measurement key.
func Diff(ctx context.Context, old, new *Catalog, options DiffOptions) (*record.CatalogDiff, error) {
	return compare.Catalogs(ctx, (*catalog.Catalog)(old), (*catalog.Catalog)(new), compare.Options{
		Only: options.Only, Limit: max(0, cmp.Or(options.Limit, DefaultDiffLimit))})
}
