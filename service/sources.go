package service

import (
	"io"
	"time"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/aider"
	"github.com/model-catalog-service/svc/internal/sources/endpoints"
	"github.com/model-catalog-service/svc/internal/sources/everyeval"
	"github.com/model-catalog-service/svc/internal/sources/genaiprices"
	"github.com/model-catalog-service/svc/internal/sources/inspectlog"
	"github.com/model-catalog-service/svc/internal/sources/litellm"
	"github.com/model-catalog-service/svc/internal/sources/livebench"
	"github.com/model-catalog-service/svc/internal/sources/lmarena"
	"github.com/model-catalog-service/svc/internal/sources/lmeval"
	"github.com/model-catalog-service/svc/internal/sources/modelsdev"
	"github.com/model-catalog-service/svc/internal/sources/openrouter"
	"github.com/model-catalog-service/svc/internal/sources/swebench"
	"github.com/model-catalog-service/svc/service/record"
)

// Schema versions of what belongs to sources.
const (
	SourceManifestSchema    = "service.approved-source-manifest/v1"
	SourceMappingSchema     = "service.source-mapping/v2"
	SourceSnapshotSchema    = "service.source.snapshot/v1"
	SourceAcquisitionSchema = "service.source.acquisition/v1"
)

// The bounds of an import and of a manifest.
const (
	MaxSourceBodyBytes     = 64 << 20 // bytes of one body
	MaxSourceImportBytes   = 1 << 30  // bytes of all bodies of an import
	MaxSourceRows          = 100_000
	MaxSourceObservations  = 1_000_000
	MaxSourceManifestBytes = 256 << 10
	MaxSources             = 128
	MaxSourceArtifacts     = 32 // of a source
)

// SourceAdapter makes observations of the files of one source. It knows no clock,
// file or network: the same input gives the same observations. Errors have code
// [InvalidSourceSnapshot] and paths that begin with $.snapshots[i] or $.mapping.
type SourceAdapter struct{ inner sources.Adapter }

// NewAiderAdapter reads the Aider polyglot leaderboard.
func NewAiderAdapter() *SourceAdapter { return &SourceAdapter{aider.New()} }

// NewLiveBenchAdapter reads releases of LiveBench.
func NewLiveBenchAdapter() *SourceAdapter { return &SourceAdapter{livebench.New()} }

// NewLMArenaAdapter reads LMArena's ratings.
func NewLMArenaAdapter() *SourceAdapter { return &SourceAdapter{lmarena.New()} }

// NewSWEBenchAdapter reads the leaderboards of SWE-bench.
func NewSWEBenchAdapter() *SourceAdapter { return &SourceAdapter{swebench.New()} }

// NewOpenRouterAdapter reads OpenRouter's models API.
func NewOpenRouterAdapter() *SourceAdapter { return &SourceAdapter{openrouter.New()} }

// NewOpenRouterEndpointsAdapter reads daily tables of OpenRouter's endpoints.
func NewOpenRouterEndpointsAdapter() *SourceAdapter { return &SourceAdapter{endpoints.New()} }

// NewEveryEvalEverAdapter reads records of Every Eval Ever.
func NewEveryEvalEverAdapter() *SourceAdapter { return &SourceAdapter{everyeval.New()} }

// NewInspectAdapter reads logs of Inspect as [SourceAdapter.ReduceRun] reduces them.
func NewInspectAdapter() *SourceAdapter { return &SourceAdapter{inspectlog.New()} }

// ReduceRun returns what an import uses of a file of the source, as the body to pin: of a log of
// Inspect, which may be an archive, neither prompts nor answers. Other files are pinned as they
// are, and it returns false.
func (a *SourceAdapter) ReduceRun(file io.ReaderAt, size int64) (body string, ok bool, err error) {
	reduce := a.inner.Reducer()
	if reduce == nil {
		return "", false, nil
	}
	body, err = reduce(file, size)
	return body, true, publish(err)
}

// NewLMEvalAdapter reads result files of lm-evaluation-harness.
func NewLMEvalAdapter() *SourceAdapter { return &SourceAdapter{lmeval.New()} }

// NewLiteLLMAdapter reads LiteLLM's map of prices, limits and capabilities.
func NewLiteLLMAdapter() *SourceAdapter { return &SourceAdapter{litellm.New()} }

// NewModelsDevAdapter reads models.dev's offers of models, from an archive of its
// repository.
func NewModelsDevAdapter() *SourceAdapter { return &SourceAdapter{modelsdev.New()} }

// NewGenAIPricesAdapter reads the prices of genai-prices.
func NewGenAIPricesAdapter() *SourceAdapter { return &SourceAdapter{genaiprices.New()} }

// SourceRequest is what an import is made of.
type SourceRequest struct {
	Manifest  *SourceManifest // approves where the snapshots come from
	Snapshots []SourceFile
	// a person's reviewed word on which row is which model: of schema SourceMappingSchema, or an
	// OfferMapping
	Mapping NamedText
	// Strict refuses rows that the mapping has no entry for and entries that
	// speak of no row.
	Strict bool
}

// SourceFile is a body, as a source published it, and its envelope: the JSON of a
// [SourceEnvelope].
type SourceFile struct{ Body, Envelope NamedText }

// NamedText is a text and its name, usually that of a file, which errors have.
type NamedText struct{ Name, Text string }

// SourceResult is what an import gives.
type SourceResult struct {
	Observations []Observation
	Diagnostics  []SourceDiagnostic // in the order in which they were met
	Acquisition  *SourceAcquisition
}

// Source returns the id of the source, such as livebench.
func (a *SourceAdapter) Source() string { return a.inner.Source() }

// Import makes observations of snapshots and a mapping, in the order of the rows. It fails
// with all faults of both.
func (a *SourceAdapter) Import(request SourceRequest) (*SourceResult, error) {
	found, err := a.inner.Import(sources.Request{
		Manifest: request.Manifest.orNil(), Snapshots: innerFiles(request.Snapshots),
		Mapping: problem.Source(request.Mapping), Strict: request.Strict,
	})
	if err != nil {
		return nil, publish(err)
	}
	if err := found.Lines(func([]byte) error { return nil }); err != nil { // for their digest
		return nil, publish(err)
	}
	result := &SourceResult{Acquisition: decode[*SourceAcquisition](found.Acquisition.JSON())}
	for _, o := range found.Observations {
		result.Observations = append(result.Observations, Observation{o})
	}
	for _, d := range found.Diagnostics {
		result.Diagnostics = append(result.Diagnostics, SourceDiagnostic{SourceReason(d.Reason), d.Path, d.Row, d.Message,
			Place(d.Place)})
	}
	return result, nil
}

// Rows returns the ids of the rows of snapshots, which are the names of a mapping's
// entries, in their order and each once.
func (a *SourceAdapter) Rows(m *SourceManifest, snapshots []SourceFile) ([]string, error) {
	labels, err := a.inner.Labels(m.orNil(), innerFiles(snapshots))
	var rows []string
	for _, label := range labels {
		rows = append(rows, label.Row)
	}
	return rows, publish(err)
}

// OfferMapping returns a mapping that decides nothing, with which the name of each row of a list of
// prices says which model it is: that of LiteLLM, models.dev, genai-prices and OpenRouter. It
// reports false for other sources, whose rows somebody has to look at.
func (a *SourceAdapter) OfferMapping() (mapping NamedText, ok bool) {
	if !a.inner.IsPriceSource() {
		return NamedText{}, false
	}
	return NamedText(sources.EmptyMapping(a.Source())), true
}

// BlankEntry returns the JSON of a mapping entry in which nobody has decided
// anything yet.
func (a *SourceAdapter) BlankEntry() string { return a.inner.Blank() }

// CheckMapping validates a mapping by itself.
func (a *SourceAdapter) CheckMapping(mapping NamedText) error {
	return publish(a.inner.CheckMapping(problem.Source(mapping)))
}

func innerFiles(files []SourceFile) []sources.File {
	inner := make([]sources.File, len(files))
	for i, f := range files {
		inner[i] = f.file()
	}
	return inner
}

func (f SourceFile) file() sources.File {
	return sources.File{Body: problem.Source(f.Body), Envelope: problem.Source(f.Envelope)}
}

// SourceDiagnostic reports something that did not stop an import.
type SourceDiagnostic struct {
	Reason  SourceReason
	Path    string // into the snapshots or the mapping
	Row     string // the id of the row, empty if it is of none
	Message string
	Place   Place
}

// SourceReason says why something of a source was reported.
type SourceReason string

// Why a row was skipped.
const (
	UnmappedRow    SourceReason = "unmapped-row"     // the mapping has no entry for it
	MappedNone     SourceReason = "mapped-to-none"   // a person decided that it is not one model
	SameScope      SourceReason = "same-scope"       // another row is about the same model under the same conditions
	RowWidth       SourceReason = "row-width"        // has more or fewer cells than the table has columns
	RowUndated     SourceReason = "row-undated"      // does not say when it was measured
	RowInFuture    SourceReason = "row-in-future"    // is dated after the fetch
	OriginIsRead   SourceReason = "origin-is-read"   // a copy of what svc reads itself
	UnknownVersion SourceReason = "unknown-version"  // of the schema of the source
	Superseded     SourceReason = "superseded"       // a later record says it, too
	RunFailed      SourceReason = "run-failed"       // of one's own that did not end well, or was declared invalid
	UnknownBoard   SourceReason = "unknown-board"    // of a leaderboard of which nobody said how large it is
	RowEmpty       SourceReason = "row-empty"        // no value of it could be taken
	RowAlias       SourceReason = "row-alias"        // may name another model tomorrow
	RowRepeated    SourceReason = "row-repeated"     // another row has the offer
	RowNoModel     SourceReason = "row-no-model"     // documentation, or a class of prices
	RowOtherMode   SourceReason = "row-other-mode"   // not a model that takes and gives tokens
	RowNoID        SourceReason = "row-no-id"        // no request could name its id
	RowDangling    SourceReason = "row-dangling"     // a symbolic link to nothing
	RowWithoutBase SourceReason = "row-without-base" // extends a row that does not exist, or itself
	RowUnreadable  SourceReason = "row-unreadable"   // is not TOML
)

// Why a value was left out, or what else is to be known.
const (
	MappedRowMissing  SourceReason = "mapped-row-missing" // an entry of the mapping names a row that does not exist
	MissingValue      SourceReason = "missing-value"      // not stated, in any of the ways that sources have
	InvalidValue      SourceReason = "invalid-value"      // not a number, or outside of what it can be
	ContradictsItself SourceReason = "contradicts-itself" // the row states two values
	UnknownCost       SourceReason = "unknown-cost"       // a cost that is missing or 0
	UnknownPrice      SourceReason = "unknown-price"      // a price that varies, or a 0 that means not stated
	ImplausiblePrice  SourceReason = "implausible-price"  // the prices of the row are in another unit
	LimitNotSeparate  SourceReason = "limit-not-separate" // what the list writes where no limit is stated
	NotFinite         SourceReason = "not-finite"         // NaN or Infinity
	RelayedTwice      SourceReason = "relayed-twice"      // a variant repeats what its base model carries
	NewMembers        SourceReason = "new-members"        // members that the adapter does not know
	RuntimeDiffers    SourceReason = "runtime-differs"    // the file names another runtime than the mapping
	RateDiffers       SourceReason = "rate-differs"       // a published rate is not that of its own counts
	OpenModel         SourceReason = "open"               // no maker is known, so the seller's own name is kept
	SeveralOffers     SourceReason = "several-offers"     // another row of the seller has the model, service and region
	Disputed          SourceReason = "disputed"           // the list says another model than the name does
)

// SourceAcquisition records what an import was made of, and what became of its
// rows.
type SourceAcquisition struct {
	SchemaVersion  string                      `json:"schemaVersion"` // SourceAcquisitionSchema
	Source         string                      `json:"source"`
	Adapter        record.Component            `json:"adapter"`        // what read it
	ManifestDigest *string                     `json:"manifestDigest"` // nil for your own runs
	MappingSHA256  string                      `json:"mappingSha256"`  // of its canonical JSON
	Snapshots      record.List[SourceAcquired] `json:"snapshots"`
	Rows           int                         `json:"rows"` // always Imported and Skipped together
	Imported       int                         `json:"imported"`
	Skipped        int                         `json:"skipped"`
	SkippedFor     map[SourceReason]int        `json:"skippedFor"` // adds up to Skipped
	// Identified counts the imported rows by what said which model they are: a rule of names, the
	// mapping, or that they are an alias or a router. Of offer/v2 alone.
	Identified   map[string]int `json:"identified,omitzero"`
	Observations int            `json:"observations"`
	// ObservationsSHA256 is the SHA-256 of the lines that svc import writes; nil if it wrote none.
	ObservationsSHA256 *string `json:"observationsSha256"`
}

// SourceAcquired is a snapshot of an acquisition.
type SourceAcquired struct {
	Reference string           `json:"reference"` // that of its envelope
	SourceID  string           `json:"sourceId"`
	URL       string           `json:"url"`
	SHA256    string           `json:"sha256"` // of the body
	FetchedAt record.Timestamp `json:"fetchedAt"`
	Bytes     uint64           `json:"bytes"`
}

// SourceEnvelope says where the bytes of a body came from.
type SourceEnvelope struct {
	SchemaVersion string              `json:"schemaVersion"` // SourceSnapshotSchema, or version 2 of it
	SourceID      string              `json:"sourceId"`      // which resource of which source the body is
	URL           string              `json:"url"`
	Status        int                 `json:"status"` // of the HTTP answer: 200
	FetchedAt     record.Timestamp    `json:"fetchedAt"`
	MediaType     string              `json:"mediaType"`
	Redirects     record.List[string] `json:"redirects"` // the URLs that the answer came by, at most 3
	ETag          *string             `json:"etag"`
	BodySHA256    string              `json:"bodySha256"`
	BodyBytes     uint64              `json:"bodyBytes"`
	Reference     string              `json:"reference"` // commits to the body and to all members above
	// PublishedAt is when the source published the bytes, in version 2 alone.
	PublishedAt record.Timestamp `json:"publishedAt,omitzero"`
}

// SourceFetch is what is known of bytes that were downloaded.
type SourceFetch struct {
	URL       string
	FetchedAt time.Time
	MediaType string   // empty for the one that is approved
	Redirects []string // the URLs that the answer came by
	ETag      string   // empty if there was none
}

// PinSource makes the envelope of a body that somebody downloaded. json.Marshal writes it
// for a [SourceFile]. What the manifest does not approve is refused with code
// [InvalidSourceSnapshot].
func PinSource(source string, f SourceFetch, body NamedText, m *SourceManifest) (*SourceEnvelope, error) {
	fetched := sources.Download{
		URL: f.URL, FetchedAt: timestampText(f.FetchedAt), MediaType: f.MediaType, Redirects: f.Redirects, ETag: f.ETag,
	}
	envelope, err := sources.Pin(source, fetched, problem.Source(body), m.orNil())
	if err != nil {
		return nil, publish(err)
	}
	return decode[*SourceEnvelope](envelope.JSON()), nil
}

// SourceRegistry approves the declarations of a manifest: it maps the id of each
// source to the digest of the one declaration that is approved under that id, the
// [SHA256] of its JSON with lists ordered by id or text.
type SourceRegistry map[string]string

// DefaultSourceRegistry approves the sources of the manifest that comes with the
// library.
func DefaultSourceRegistry() SourceRegistry { return SourceRegistry(sources.DefaultRegistry()) }

// SourceManifest says what may be taken from which source, and how. A registry has
// approved each of its sources. It is immutable.
type SourceManifest struct{ inner *sources.Manifest }

// ParseApprovedSourceManifest reads a manifest, each of whose sources the
// registry must approve. Its errors have code [InvalidSourceManifest].
func ParseApprovedSourceManifest[T Text](manifest T, registry SourceRegistry) (*SourceManifest, error) {
	m, err := sources.ParseManifest(problem.Source{Text: string(manifest)}, sources.Registry(registry))
	if err != nil {
		return nil, publish(err)
	}
	return &SourceManifest{m}, nil
}

// orNil returns what imports take, for which no manifest is nil.
func (m *SourceManifest) orNil() *sources.Manifest {
	if m == nil {
		return nil
	}
	return m.inner
}

// Digest returns the SHA-256 of the normalized manifest.
func (m *SourceManifest) Digest() string { return m.inner.Digest() }

// JSON returns the normalized manifest as canonical JSON: sources and artifacts
// ordered by id.
func (m *SourceManifest) JSON() string { return m.inner.JSON() }

// MarshalJSON returns what JSON does.
func (m *SourceManifest) MarshalJSON() ([]byte, error) { return []byte(m.JSON()), nil }

// Record returns the members of the manifest.
func (m *SourceManifest) Record() *SourceManifestRecord {
	return decode[*SourceManifestRecord]([]byte(m.inner.JSON()))
}

// SourceManifestRecord is a manifest as it is written.
type SourceManifestRecord struct {
	SchemaVersion string                      `json:"schemaVersion"` // SourceManifestSchema
	Sources       record.List[ApprovedSource] `json:"sources"`       // each id once
}

// ApprovedSource is what may be taken from one source, and how. Origins and URLs are
// https.
type ApprovedSource struct {
	ID               string              `json:"id"`
	Owner            string              `json:"owner"`           // who publishes it
	SourceClass      string              `json:"sourceClass"`     // external
	CanonicalOrigin  string              `json:"canonicalOrigin"` // of all its URLs, such as https://example.org
	Attribution      SourceAttribution   `json:"attribution"`
	License          SourceLicense       `json:"license"`
	TrustRationale   string              `json:"trustRationale"`   // why it is trusted
	KnownLimitations record.List[string] `json:"knownLimitations"` // what it does not say
	// Complete says that a snapshot lists everything: an offer that it lacks is withdrawn.
	Complete       bool                 `json:"complete,omitzero"`
	Freshness      SourceFreshness      `json:"freshness"`
	Revision       SourceRevision       `json:"revision"`
	Resolver       SourceResolver       `json:"resolver"`
	Artifacts      SourceArtifacts      `json:"artifacts"`
	ProposalPolicy SourceProposalPolicy `json:"proposalPolicy"`
}

// SourceAttribution says whom to name.
type SourceAttribution struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// SourceLicense says under what terms a source may be used.
type SourceLicense struct {
	Identifier  string  `json:"identifier"`  // as by SPDX if it is listed there
	EvidenceURL *string `json:"evidenceUrl"` // where it says so
}

// SourceFreshness is how often a source is worth asking and how long an answer
// holds.
type SourceFreshness struct {
	RefreshIntervalHours uint64 `json:"refreshIntervalHours"` // 1 to 878,400, a century
	MaxAgeHours          uint64 `json:"maxAgeHours"`          // at least RefreshIntervalHours
}

// SourceRevision says what a revision of a source is.
type SourceRevision struct {
	Kind    string `json:"kind"`    // release, commit, opaque or snapshot
	Grammar string `json:"grammar"` // of these in turn: calendar-date, full-git-sha, opaque-token or sha256
}

// SourceResolver finds revisions, from the entrypoint on.
type SourceResolver struct {
	Adapter    string           `json:"adapter"`
	Version    string           `json:"version"`
	Entrypoint SourceEntrypoint `json:"entrypoint"`
	// none, or same-origin-main-bundle: the one script of the page
	DerivedResourcePolicy string `json:"derivedResourcePolicy"`
	MaxBytes              uint64 `json:"maxBytes"` // of a derived resource
}

// SourceEntrypoint is the resource with a fixed URL.
type SourceEntrypoint struct {
	SourceID  string `json:"sourceId"` // how envelopes call it
	URL       string `json:"url"`
	MediaType string `json:"mediaType"`
	MaxBytes  uint64 `json:"maxBytes"` // at most MaxSourceBodyBytes
}

// SourceArtifacts are the resources of a revision, and what reads them.
type SourceArtifacts struct {
	Adapter string                      `json:"adapter"`
	Version string                      `json:"version"`
	Items   record.List[SourceArtifact] `json:"items"` // none if revisions are snapshots of the entrypoint
}

// SourceArtifact is a resource of a revision.
type SourceArtifact struct {
	ID          string `json:"id"`
	Required    bool   `json:"required"`    // a revision without it is incomplete
	URLTemplate string `json:"urlTemplate"` // has {revision} or {revision_underscore} once
	MediaType   string `json:"mediaType"`
	MaxBytes    uint64 `json:"maxBytes"` // at most MaxSourceBodyBytes
}

// SourceProposalPolicy says what becomes of what is new in a source. All of it is
// for review.
type SourceProposalPolicy struct {
	NewRevision    string `json:"newRevision"`    // review
	UnknownRows    string `json:"unknownRows"`    // review
	MappingChanges string `json:"mappingChanges"` // review
}
