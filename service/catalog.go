package service

import (
	"context"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
)

// Schema versions of observations and catalogs.
const (
	ObservationSchema = catalog.ObservationSchema
	CatalogSchema     = catalog.SnapshotSchema
)

// Validated values.
type (
	// Catalog is a validated snapshot.
	Catalog = catalog.Catalog
	// ModelEntry is a model of a Catalog with its observations.
	ModelEntry = catalog.ModelEntry
	// Conflict is a set of observations that contradict each other.
	Conflict = catalog.Conflict
	// Observation is a validated and normalized observation.
	Observation = catalog.Observation
)

// The members of an observation, as [Observation.Record] returns them.
type (
	Record        = catalog.Record
	ModelIdentity = catalog.Model
	Component     = catalog.Component
	Count         = catalog.Count
	Profile       = catalog.Profile
	Scope         = catalog.Scope
	Hardware      = catalog.Hardware
	Workflow      = catalog.Workflow
	Task          = catalog.Task
	Measurement   = catalog.Measurement
	Scalar        = catalog.Scalar
	Outcome       = catalog.Outcome
	Usage         = catalog.Usage
	Evidence      = catalog.Evidence
	Freshness     = catalog.Freshness
	Uncertainty   = catalog.Uncertainty
)

// CompileOptions say how observations are compiled.
type CompileOptions = catalog.Options

// text is JSON as a caller has it.
type text interface{ ~string | ~[]byte }

// CompileCatalog validates observations, each the JSON of one, and compiles
// them. Paths of errors begin with $.observations[i]. Its errors have the codes
// INVALID_OBSERVATION, UNSUPPORTED_SCHEMA, DUPLICATE_OBSERVATION and
// INVALID_COMPILE_OPTIONS, or are that of the context.
func CompileCatalog[T text](ctx context.Context, observations []T, opts CompileOptions) (*Catalog, error) {
	docs := make([]string, len(observations))
	for i, o := range observations {
		docs[i] = string(o)
	}
	c, _, err := catalog.Compile(ctx, docs, opts)
	return c, err
}

// NormalizeObservation validates the JSON of one observation, which has no id,
// and computes its id. Its errors have the codes INVALID_OBSERVATION and
// UNSUPPORTED_SCHEMA.
func NormalizeObservation[T text](observation T) (Observation, error) {
	return catalog.Normalize(string(observation))
}

// ValidateObservation is NormalizeObservation for who wants to know the faults
// alone.
func ValidateObservation[T text](observation T) error {
	_, err := catalog.Normalize(string(observation))
	return err
}

// ValidateModelIdentity validates the JSON of a model identity. Its errors have
// code INVALID_OBSERVATION.
func ValidateModelIdentity[T text](identity T) (ModelIdentity, error) {
	return catalog.ParseModel(string(identity))
}

// ValidateExecutionProfile validates the JSON of an execution profile. Its
// errors have code INVALID_OBSERVATION.
func ValidateExecutionProfile[T text](profile T) (Profile, error) {
	return catalog.ParseProfile(string(profile))
}

// ValidateExecutionScope validates the JSON of an execution scope. Its errors
// have code INVALID_OBSERVATION.
func ValidateExecutionScope[T text](scope T) (Scope, error) {
	return catalog.ParseScope(string(scope))
}

// ParseCatalog reads a serialized snapshot and verifies that it is what its
// observations compile to. Its errors have the codes INVALID_CATALOG and
// UNSUPPORTED_CATALOG_SCHEMA, or are that of the context.
func ParseCatalog[T text](ctx context.Context, snapshot T) (*Catalog, error) {
	return catalog.Parse(ctx, problem.Source{Text: string(snapshot)})
}

// ValidateCatalogSnapshot is ParseCatalog for who wants to know the faults
// alone.
func ValidateCatalogSnapshot[T text](ctx context.Context, snapshot T) error {
	_, err := ParseCatalog(ctx, snapshot)
	return err
}

// SerializeCatalog returns the snapshot as canonical JSON, without a newline at
// its end. [Catalog.WriteTo] writes the same without holding it in memory.
func SerializeCatalog(c *Catalog) string { return c.Serialize() }
