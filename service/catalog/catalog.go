// Package catalog compiles observations about AI models into a catalog, and lists and compares what
// catalogs know. It opens nothing and reads no clock: the same observations give the same bytes, in
// whatever order they come. It is built of the standard library alone.
//
// Observations become a catalog as of an instant:
//
//	observation, err := catalog.NewObservation(record.Observation{...})
//	c, err := catalog.CompileObservations(ctx, []catalog.Observation{observation}, catalog.CompileOptions{AsOf: time.Now()})
//	fmt.Println(c.Digest())
//
// [Serialize] writes it and [Parse] reads it again, whole or not at all. [ListModels], [ListKeys]
// and [ListMeasurements] say what is in it, [Costs] what a task costs, [Diff] what changed since
// another one.
//
// # Words
//
// A fact is what somebody states, such as a price. Facts of one scope that differ while they
// hold are in conflict. A sample is one of many values, such as the outcome of one run, of
// which ranking makes a mean or a share. An observation holds at an instant if it was observed
// by then and its ValidUntil is nil or later; if its ValidUntil is not later, it has expired.
// Where no instant is named, it is the AsOf of the catalog.
package catalog

import (
	"context"
	"io"
	"iter"
	"time"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/internal/outward"
	"github.com/model-catalog-service/svc/service/record"
)

// Observation is a validated and normalized observation: in the normal form its
// lists are sorted. It is immutable.
type Observation catalog.Observation

// NormalizeObservation validates the JSON of one observation, which has no id,
// and computes its id. Its errors have the codes [service.InvalidObservation] and
// [service.UnsupportedSchema].
func NormalizeObservation[T service.Text](observation T) (Observation, error) {
	o, err := catalog.Normalize(string(observation))
	return Observation(o), outward.Error(err)
}

// NewObservation is [NormalizeObservation] of a struct. An empty SchemaVersion stands for
// [record.ObservationSchema].
func NewObservation(observation record.Observation) (Observation, error) {
	o, err := catalog.NewBuilder().Build(&observation)
	return Observation(o), outward.Error(err)
}

// ID returns the SHA-256 of the canonical JSON of the observation without its id.
func (o Observation) ID() string { return catalog.Observation(o).ID() }

// Input returns the observation as canonical JSON without its id, which is how
// Compile takes it.
func (o Observation) Input() string { return catalog.Observation(o).Input() }

// JSON returns the observation as canonical JSON with its id, as it is in a
// snapshot.
func (o Observation) JSON() string { return catalog.Observation(o).JSON() }

// MarshalJSON returns what JSON does.
func (o Observation) MarshalJSON() ([]byte, error) { return []byte(o.JSON()), nil }

// Record returns the fields of the observation.
func (o Observation) Record() record.Observation { return catalog.Observation(o).Record() }

// ValidateObservation is NormalizeObservation for callers that want the faults
// alone.
func ValidateObservation[T service.Text](observation T) error {
	_, err := NormalizeObservation(observation)
	return err
}

// ValidateModel validates the JSON of a model identity. Its errors have
// code [service.InvalidObservation].
func ValidateModel[T service.Text](identity T) (record.Model, error) {
	model, err := catalog.ParseModel(string(identity))
	return model, outward.Error(err)
}

// ValidateProfile validates the JSON of an execution profile. Its
// errors have code [service.InvalidObservation].
func ValidateProfile[T service.Text](profile T) (record.Profile, error) {
	execution, err := catalog.ParseProfile(string(profile))
	return execution, outward.Error(err)
}

// ValidateScope validates the JSON of an execution scope. Its errors
// have code [service.InvalidObservation].
func ValidateScope[T service.Text](scope T) (record.Scope, error) {
	execution, err := catalog.ParseScope(string(scope))
	return execution, outward.Error(err)
}

// CompileOptions say how observations are compiled.
type CompileOptions struct {
	// AsOf is the instant that the catalog speaks for, cut to milliseconds. What is
	// dated after it is refused. It must be set: compiling reads no clock.
	AsOf time.Time
	// Dedupe drops observations whose id another one has too. Without it they are a
	// fault.
	Dedupe bool
}

// Catalog is a validated snapshot: observations compiled as of an instant. It is
// immutable and safe for concurrent use.
type Catalog catalog.Catalog

// Compile validates observations, each the JSON of one, and compiles
// them. Paths of errors begin with $.observations[i]. Its errors have the codes
// [service.InvalidObservation], [service.UnsupportedSchema], [service.DuplicateObservation] and
// [service.InvalidCompileOptions], or are that of the context. [CompileObservations] takes
// observations that were made or read before, and local.CompileFiles takes files.
func Compile[T service.Text](ctx context.Context, observations []T, options CompileOptions) (*Catalog, error) {
	docs := make([]string, len(observations))
	for i, o := range observations {
		docs[i] = string(o)
	}
	return compile(ctx, docs, options)
}

// CompileObservations is [Compile] of observations that are valid already.
func CompileObservations(ctx context.Context, observations []Observation, options CompileOptions) (*Catalog, error) {
	docs := make([]string, len(observations))
	for i, o := range observations {
		docs[i] = o.Input()
	}
	return compile(ctx, docs, options)
}

func compile(ctx context.Context, docs []string, options CompileOptions) (*Catalog, error) {
	c, _, err := catalog.Compile(ctx, docs, catalog.Options{AsOf: outward.Timestamp(options.AsOf), Dedupe: options.Dedupe})
	return newCatalog(c, err)
}

// Source is a stream of observations: the JSON of one, a list of them, or one a
// line, as files called *.json and *.jsonl have them.
type Source struct {
	Name string // how errors call it, usually the name of a file
	Open func() (io.ReadCloser, error)
}

// CompileSources is [Compile] of streams, which are read once and in parts. Faults
// have the place where they are; other errors are those of Open and of reading, wrapped.
func CompileSources(ctx context.Context, sources []Source, options CompileOptions) (*Catalog, error) {
	inner := catalog.Options{AsOf: outward.Timestamp(options.AsOf), Dedupe: options.Dedupe}
	c, _, err := catalog.CompileSources(ctx, innerSources(sources), inner)
	return newCatalog(c, err)
}

// ReadObservations returns the observations of streams, whatever their dates: each once,
// by model key and id. Its errors are those of [CompileSources].
func ReadObservations(ctx context.Context, sources []Source) ([]Observation, error) {
	const lastInstant = "9999-12-31T23:59:59.999Z" // nothing is dated after it
	c, _, err := catalog.CompileSources(ctx, innerSources(sources), catalog.Options{AsOf: lastInstant, Dedupe: true})
	if err != nil {
		return nil, outward.Error(err)
	}
	observations := make([]Observation, 0, c.Observations())
	for _, model := range c.Models() {
		for _, o := range model.Observations {
			observations = append(observations, Observation(o))
		}
	}
	return observations, nil
}

func innerSources(sources []Source) []catalog.Source {
	inner := make([]catalog.Source, len(sources))
	for i, s := range sources {
		inner[i] = catalog.Source(s)
	}
	return inner
}

// Parse reads a serialized snapshot and verifies that it is what its
// observations compile to. Its errors have the codes [service.InvalidCatalog] and
// [service.UnsupportedCatalogSchema], or are that of the context.
func Parse[T service.Text](ctx context.Context, snapshot T) (*Catalog, error) {
	return newCatalog(catalog.Parse(ctx, problem.Source{Text: string(snapshot)}))
}

func newCatalog(c *catalog.Catalog, err error) (*Catalog, error) {
	if err != nil {
		return nil, outward.Error(err)
	}
	return (*Catalog)(c), nil
}

// Validate is Parse for callers that want the faults alone.
func Validate[T service.Text](ctx context.Context, snapshot T) error {
	_, err := Parse(ctx, snapshot)
	return err
}

// Serialize returns the snapshot as canonical JSON, without a newline at
// its end. [Catalog.WriteTo] writes the same without holding it in memory.
func Serialize(c *Catalog) string { return c.inside().Serialize() }

// AsOf returns the instant that the catalog speaks for.
func (c *Catalog) AsOf() time.Time { return record.Timestamp(c.inside().AsOf()).Time() }

// Digest returns the SHA-256 of the snapshot without its digest, which names the
// catalog.
func (c *Catalog) Digest() string { return c.inside().Digest() }

// Observations returns the number of observations.
func (c *Catalog) Observations() int { return c.inside().Observations() }

// Size returns the number of bytes of the serialized snapshot.
func (c *Catalog) Size() int { return c.inside().Size() }

// WriteTo writes the snapshot as canonical JSON.
func (c *Catalog) WriteTo(w io.Writer) (int64, error) { return c.inside().WriteTo(w) }

// MarshalJSON returns the snapshot.
func (c *Catalog) MarshalJSON() ([]byte, error) { return []byte(c.inside().Serialize()), nil }

// Models goes through the models by key. Each is read when its turn comes.
func (c *Catalog) Models() iter.Seq[record.CatalogModel] {
	return func(yield func(record.CatalogModel) bool) {
		models := c.inside().Models()
		for i := range models {
			if !yield(models[i].Record()) {
				return
			}
		}
	}
}

// Conflicts returns the conflicts by key.
func (c *Catalog) Conflicts() (conflicts []record.Conflict) {
	for _, conflict := range c.inside().Conflicts() {
		conflicts = append(conflicts, conflict.Record())
	}
	return conflicts
}

func (c *Catalog) inside() *catalog.Catalog { return (*catalog.Catalog)(c) }
