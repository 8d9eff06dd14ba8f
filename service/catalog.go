package service

import (
	"context"
	"io"
	"iter"
	"time"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

// Text is a text as a caller has it: JSON or, for keys, PEM.
type Text interface{ ~string | ~[]byte }

// Observation is a validated and normalized observation: in the normal form its
// lists are sorted. It is immutable.
type Observation struct{ inner catalog.Observation }

// NormalizeObservation validates the JSON of one observation, which has no id,
// and computes its id. Its errors have the codes [InvalidObservation] and
// [UnsupportedSchema].
func NormalizeObservation[T Text](observation T) (Observation, error) {
	o, err := catalog.Normalize(string(observation))
	return Observation{o}, publish(err)
}

// NewObservation is [NormalizeObservation] of a struct. An empty SchemaVersion stands for
// [record.ObservationSchema].
func NewObservation(observation record.Observation) (Observation, error) {
	o, err := catalog.NewBuilder().Build(&observation)
	return Observation{o}, publish(err)
}

// ID returns the SHA-256 of the canonical JSON of the observation without its id.
func (o Observation) ID() string { return o.inner.ID() }

// Input returns the observation as canonical JSON without its id, which is how
// CompileCatalog takes it.
func (o Observation) Input() string { return o.inner.Input() }

// JSON returns the observation as canonical JSON with its id, as it is in a
// snapshot.
func (o Observation) JSON() string { return o.inner.JSON() }

// MarshalJSON returns what JSON does.
func (o Observation) MarshalJSON() ([]byte, error) { return []byte(o.JSON()), nil }

// Record returns the fields of the observation.
func (o Observation) Record() record.Observation { return o.inner.Record() }

// ValidateObservation is NormalizeObservation for callers that want the faults
// alone.
func ValidateObservation[T Text](observation T) error {
	_, err := NormalizeObservation(observation)
	return err
}

// ValidateModelIdentity validates the JSON of a model identity. Its errors have
// code [InvalidObservation].
func ValidateModelIdentity[T Text](identity T) (record.Model, error) {
	model, err := catalog.ParseModel(string(identity))
	return model, publish(err)
}

// ValidateExecutionProfile validates the JSON of an execution profile. Its
// errors have code [InvalidObservation].
func ValidateExecutionProfile[T Text](profile T) (record.Profile, error) {
	execution, err := catalog.ParseProfile(string(profile))
	return execution, publish(err)
}

// ValidateExecutionScope validates the JSON of an execution scope. Its errors
// have code [InvalidObservation].
func ValidateExecutionScope[T Text](scope T) (record.Scope, error) {
	execution, err := catalog.ParseScope(string(scope))
	return execution, publish(err)
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
type Catalog struct{ inner *catalog.Catalog }

// CompileCatalog validates observations, each the JSON of one, and compiles
// them. Paths of errors begin with $.observations[i]. Its errors have the codes
// [InvalidObservation], [UnsupportedSchema], [DuplicateObservation] and
// [InvalidCompileOptions], or are that of the context. [CompileObservations] takes
// observations that were made or read before, and local.CompileFiles takes files.
func CompileCatalog[T Text](ctx context.Context, observations []T, options CompileOptions) (*Catalog, error) {
	docs := make([]string, len(observations))
	for i, o := range observations {
		docs[i] = string(o)
	}
	return compile(ctx, docs, options)
}

// CompileObservations is [CompileCatalog] of observations that are valid already.
func CompileObservations(ctx context.Context, observations []Observation, options CompileOptions) (*Catalog, error) {
	docs := make([]string, len(observations))
	for i, o := range observations {
		docs[i] = o.Input()
	}
	return compile(ctx, docs, options)
}

func compile(ctx context.Context, docs []string, options CompileOptions) (*Catalog, error) {
	c, _, err := catalog.Compile(ctx, docs, catalog.Options{AsOf: timestampText(options.AsOf), Dedupe: options.Dedupe})
	return newCatalog(c, err)
}

// ObservationSource is a stream of observations: the JSON of one, a list of them, or one a
// line, as files called *.json and *.jsonl have them.
type ObservationSource struct {
	Name string // how errors call it, usually the name of a file
	Open func() (io.ReadCloser, error)
}

// CompileSources is [CompileCatalog] of streams, which are read once and in parts. Faults
// have the place where they are; other errors are those of Open and of reading, wrapped.
func CompileSources(ctx context.Context, sources []ObservationSource, options CompileOptions) (*Catalog, error) {
	inner := catalog.Options{AsOf: timestampText(options.AsOf), Dedupe: options.Dedupe}
	c, _, err := catalog.CompileSources(ctx, innerSources(sources), inner)
	return newCatalog(c, err)
}

// ReadObservations returns the observations of streams, whatever their dates: each once,
// by model key and id. Its errors are those of [CompileSources].
func ReadObservations(ctx context.Context, sources []ObservationSource) ([]Observation, error) {
	const lastInstant = "9999-12-31T23:59:59.999Z" // nothing is dated after it
	c, _, err := catalog.CompileSources(ctx, innerSources(sources), catalog.Options{AsOf: lastInstant, Dedupe: true})
	if err != nil {
		return nil, publish(err)
	}
	observations := make([]Observation, 0, c.Observations())
	for _, model := range c.Models() {
		for _, o := range model.Observations {
			observations = append(observations, Observation{o})
		}
	}
	return observations, nil
}

func innerSources(sources []ObservationSource) []catalog.Source {
	inner := make([]catalog.Source, len(sources))
	for i, s := range sources {
		inner[i] = catalog.Source(s)
	}
	return inner
}

// ParseCatalog reads a serialized snapshot and verifies that it is what its
// observations compile to. Its errors have the codes [InvalidCatalog] and
// [UnsupportedCatalogSchema], or are that of the context.
func ParseCatalog[T Text](ctx context.Context, snapshot T) (*Catalog, error) {
	return newCatalog(catalog.Parse(ctx, problem.Source{Text: string(snapshot)}))
}

func newCatalog(c *catalog.Catalog, err error) (*Catalog, error) {
	if err != nil {
		return nil, publish(err)
	}
	return &Catalog{c}, nil
}

// ValidateCatalogSnapshot is ParseCatalog for callers that want the faults alone.
func ValidateCatalogSnapshot[T Text](ctx context.Context, snapshot T) error {
	_, err := ParseCatalog(ctx, snapshot)
	return err
}

// SerializeCatalog returns the snapshot as canonical JSON, without a newline at
// its end. [Catalog.WriteTo] writes the same without holding it in memory.
func SerializeCatalog(c *Catalog) string { return c.inner.Serialize() }

// AsOf returns the instant that the catalog speaks for.
func (c *Catalog) AsOf() time.Time { return record.Timestamp(c.inner.AsOf()).Time() }

// Digest returns the SHA-256 of the snapshot without its digest, which names the
// catalog.
func (c *Catalog) Digest() string { return c.inner.Digest() }

// Observations returns the number of observations.
func (c *Catalog) Observations() int { return c.inner.Observations() }

// Size returns the number of bytes of the serialized snapshot.
func (c *Catalog) Size() int { return c.inner.Size() }

// WriteTo writes the snapshot as canonical JSON.
func (c *Catalog) WriteTo(w io.Writer) (int64, error) { return c.inner.WriteTo(w) }

// MarshalJSON returns the snapshot.
func (c *Catalog) MarshalJSON() ([]byte, error) { return []byte(c.inner.Serialize()), nil }

// Models goes through the models by key. Each is read when its turn comes.
func (c *Catalog) Models() iter.Seq[record.CatalogModel] {
	return func(yield func(record.CatalogModel) bool) {
		models := c.inner.Models()
		for i := range models {
			if !yield(models[i].Record()) {
				return
			}
		}
	}
}

// Conflicts returns the conflicts by key.
func (c *Catalog) Conflicts() (conflicts []record.Conflict) {
	for _, conflict := range c.inner.Conflicts() {
		conflicts = append(conflicts, conflict.Record())
	}
	return conflicts
}
