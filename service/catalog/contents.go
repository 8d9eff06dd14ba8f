package catalog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/model-catalog-service/svc/internal/contents"
	"github.com/model-catalog-service/svc/service/internal/outward"
	"github.com/model-catalog-service/svc/service/record"
)

// ListOptions say what of a catalog is listed. Texts that are empty select nothing.
type ListOptions struct {
	AsOf      time.Time // when measurements hold, cut to milliseconds; zero is the AsOf of the catalog
	Model     string    // a part of the id of the model, in any case
	Key       string    // a part of the measurement key, in any case
	Source    string    // a source class, or the source that evidence ids begin with, such as openrouter-models
	Stale     bool      // those alone that have expired
	Conflicts bool      // facts alone that contradict each other
}

func (o *ListOptions) inner() (contents.Options, error) {
	inner := contents.Options{Model: o.Model, Key: o.Key, Source: o.Source, Stale: o.Stale, Conflicts: o.Conflicts}
	if o.AsOf.IsZero() {
		return inner, nil
	}
	if inner.AsOf = outward.Timestamp(o.AsOf); inner.AsOf == "" {
		return inner, fmt.Errorf("%v cannot be written as a timestamp", o.AsOf)
	}
	return inner, nil
}

// ListModels lists the models of a catalog that have a measurement which fits, with counts
// of those. Its error is an [*AbsentNameError], if the catalog has no such model, key or
// source at all.
func ListModels(c *Catalog, options ListOptions) (*record.CatalogContents, error) {
	inner, err := options.inner()
	if err != nil {
		return nil, err
	}
	return newContents(contents.Models(c.inside(), inner))
}

// ListKeys lists the measurement keys of a catalog that have a measurement which fits. It
// fails as [ListModels] does.
func ListKeys(c *Catalog, options ListOptions) (*record.CatalogContents, error) {
	inner, err := options.inner()
	if err != nil {
		return nil, err
	}
	return newContents(contents.Keys(c.inside(), inner))
}

// ListMeasurements lists what was measured of the models that a name means: those of an id,
// such as acme/atlas; the one of an id, a revision and a quantization, such as
// acme/atlas@2026 int8; the one whose key begins so; or those of the one id that begins so.
// It fails as [ListModels] does, with an [*AmbiguousNameError], and when the context ends.
func ListMeasurements(ctx context.Context, c *Catalog, model string, options ListOptions) (
	*record.CatalogContents, error) {
	inner, err := options.inner()
	if err != nil {
		return nil, err
	}
	found, err := contents.Find(c.inside(), model)
	if err == nil && found.Observation != nil {
		err = &contents.AbsentError{What: fmt.Sprintf("model %q, which is an observation", model)}
	}
	if err != nil {
		return newContents(nil, err)
	}
	return newContents(contents.Measurements(ctx, c.inside(), found.Models, inner))
}

func newContents(list *record.CatalogContents, err error) (*record.CatalogContents, error) {
	if absent, ok := errors.AsType[*contents.AbsentError](err); ok {
		found := &AbsentNameError{What: absent.What}
		if len(absent.Similar) > 0 {
			found.Closest = absent.Similar[0]
		}
		return nil, found
	}
	if ambiguous, ok := errors.AsType[*contents.AmbiguousError](err); ok {
		return nil, &AmbiguousNameError{ambiguous.Name, ambiguous.Names, ambiguous.Count}
	}
	if err != nil {
		return nil, err
	}
	return list, nil
}

// AbsentNameError reports a name that a catalog does not have.
type AbsentNameError struct {
	What    string // what the catalog lacks, with the name
	Closest string // a name that it has and that may be meant, or empty
}

// Error names both.
func (e *AbsentNameError) Error() string {
	inner := contents.AbsentError{What: e.What}
	if e.Closest != "" {
		inner.Similar = []string{e.Closest}
	}
	return inner.Error()
}

// AmbiguousNameError reports the beginning of several names.
type AmbiguousNameError struct {
	Name  string
	Names []string // a few of them
	Count int      // how many there are
}

// Error names a few of them.
func (e *AmbiguousNameError) Error() string { return (*contents.AmbiguousError)(e).Error() }
