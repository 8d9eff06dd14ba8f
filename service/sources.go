package service

import (
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/aider"
	"github.com/model-catalog-service/svc/internal/sources/livebench"
	"github.com/model-catalog-service/svc/internal/sources/lmeval"
	"github.com/model-catalog-service/svc/internal/sources/openrouter"
)

// Schema versions of what belongs to sources.
const (
	SourceManifestSchema    = sources.ManifestSchema
	SourceMappingSchema     = sources.MappingSchema
	SourceSnapshotSchema    = sources.SnapshotSchema
	SourceAcquisitionSchema = sources.AcquisitionSchema
)

// The bounds of an import and of a manifest.
const (
	MaxSourceBodyBytes     = sources.MaxBodyBytes
	MaxSourceImportBytes   = sources.MaxImportBytes
	MaxSourceRows          = sources.MaxRows
	MaxSourceObservations  = sources.MaxObservations
	MaxSourceManifestBytes = sources.MaxManifestBytes
	MaxSources             = sources.MaxSources
	MaxSourceArtifacts     = sources.MaxSourceArtifacts
)

// What an import takes and gives.
type (
	// SourceAdapter reads one source.
	SourceAdapter = sources.Adapter
	// SourceRequest is what an import is made of.
	SourceRequest = sources.Request
	// SourceText is a text with the name of its file.
	SourceText = problem.Source
	// SourceFile is a body and its envelope, as they were read.
	SourceFile = sources.File
	// SourceEnvelope says where the bytes of a body came from.
	SourceEnvelope = sources.Envelope
	// SourceFetch is what is known of bytes that were downloaded.
	SourceFetch = sources.Fetched
	// SourceResult is the observations, diagnostics and record of an import.
	SourceResult = sources.Result
	// SourceDiagnostic reports something that did not stop an import.
	SourceDiagnostic = sources.Diagnostic
	// SourceReason says why.
	SourceReason = sources.Reason
	// SourceAcquisition records what an import was made of.
	SourceAcquisition = sources.Acquisition
	// SourceManifest says what may be taken from which source. Only parsing makes
	// one.
	SourceManifest = sources.Manifest
	// ApprovedSource is a source of a manifest.
	ApprovedSource = sources.Source
	// SourceRegistry approves the declarations of a manifest, by their digests.
	SourceRegistry = sources.Registry
)

// NewAiderAdapter reads the Aider polyglot leaderboard. The errors of every
// adapter have code INVALID_SOURCE_SNAPSHOT and paths that begin with
// $.snapshots[i] or $.mapping.
func NewAiderAdapter() SourceAdapter { return aider.New() }

// NewLiveBenchAdapter reads releases of LiveBench.
func NewLiveBenchAdapter() SourceAdapter { return livebench.New() }

// NewOpenRouterAdapter reads OpenRouter's models API.
func NewOpenRouterAdapter() SourceAdapter { return openrouter.New() }

// NewLMEvalAdapter reads result files of lm-evaluation-harness.
func NewLMEvalAdapter() SourceAdapter { return lmeval.New() }

// PinSource writes the envelope of a body that somebody downloaded. What the
// manifest does not approve is refused with code INVALID_SOURCE_SNAPSHOT.
func PinSource(source string, f SourceFetch, body SourceText, m *SourceManifest) (*SourceEnvelope, error) {
	return sources.Pin(source, f, body, m)
}

// DefaultSourceRegistry approves the sources of the manifest that comes with the
// library.
func DefaultSourceRegistry() SourceRegistry { return sources.DefaultRegistry() }

// ParseApprovedSourceManifest reads a manifest, each of whose sources the
// registry must approve. Its errors have code INVALID_SOURCE_MANIFEST.
func ParseApprovedSourceManifest[T text](manifest T, registry SourceRegistry) (*SourceManifest, error) {
	return sources.ParseManifest(problem.Source{Text: string(manifest)}, registry)
}
