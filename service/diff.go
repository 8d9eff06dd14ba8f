package service

import (
	"context"
	"fmt"
	"slices"

	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/compare/ranking"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// DefaultDiffLimit is how many models, facts, samples and conflicts together a diff lists
// unless its options say otherwise.
const DefaultDiffLimit = 10_000

// DiffOptions say what a diff lists. What it counts is always the whole.
type DiffOptions struct {
	Requests []*RankRequest    // which both catalogs answer
	Only     []record.DiffKind // what is listed; nil for all
	Limit    int               // entries; zero is DefaultDiffLimit, and below zero rankings alone are listed
}

// DiffCatalogs says what changed from one catalog, OLD, to the next, NEW, and why requests
// are answered differently. It fails if NEW is of an earlier AsOf than OLD, or when the
// context ends.
//
// Facts are compared slot by slot: a slot is a model, an execution scope, a task and a
// measurement key. Samples are compared by groups: a model, an execution scope, the family
// and suite of a task, and a measurement key.
func DiffCatalogs(ctx context.Context, old, new *Catalog, options DiffOptions) (*record.CatalogDiff, error) {
	inner := compare.Options{Limit: options.Limit}
	if inner.Limit == 0 {
		inner.Limit = DefaultDiffLimit
	}
	inner.Limit = max(0, inner.Limit)
	for _, kind := range options.Only {
		if !slices.Contains(compare.Kinds(), kind) {
			return nil, fmt.Errorf("there is no kind of changes %q", kind)
		}
		inner.Only = append(inner.Only, kind)
	}
	return innerDiff(ctx, old, new, options.Requests, inner)
}

// DiffRankings says why requests are answered differently by two catalogs, in the order of
// the requests. It fails as [DiffCatalogs] does.
func DiffRankings(ctx context.Context, old, new *Catalog, requests ...*RankRequest) ([]record.RankingChange, error) {
	d, err := DiffCatalogs(ctx, old, new, DiffOptions{Requests: requests, Only: []record.DiffKind{record.DiffRankings}})
	if err != nil {
		return nil, err
	}
	return d.Rankings, nil
}

func innerDiff(ctx context.Context, old, new *Catalog, requests []*RankRequest,
	options compare.Options) (*record.CatalogDiff, error) {
	inner := innerRequests(requests)
	before, err := ranking.NewSide(ctx, old.inner, inner...)
	if err != nil {
		return nil, err
	}
	after, err := ranking.NewSide(ctx, new.inner, inner...)
	if err != nil {
		return nil, err
	}
	return ranking.Diff(ctx, before, after, options)
}

func innerRequests(requests []*RankRequest) []*v3.Request {
	inner := make([]*v3.Request, len(requests))
	for i, q := range requests {
		inner[i] = q.inner
	}
	return slices.Clip(inner)
}
