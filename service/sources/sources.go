// Package sources makes observations of the files of public leaderboards and price lists, and of
// one's own runs. It downloads nothing: bytes come from the caller, and [Pin] says where they are
// from. A manifest approves what may be taken, a mapping says which row is which model, and all
// that could not be taken is reported.
//
//	envelope, err := sources.Pin("litellm-prices", sources.Download{URL: url, FetchedAt: time.Now()}, body, manifest)
//	adapter := sources.NewLiteLLM()
//	result, err := adapter.Import(sources.Request{Manifest: manifest, Snapshots: []sources.File{{Body: body, Envelope: pinned}},
//		Mapping: mapping})
//	c, err := catalog.CompileObservations(ctx, result.Observations, catalog.CompileOptions{AsOf: time.Now()})
//
// [NewAdapter] makes an adapter of a source of one's own. [Discover] finds the releases of a source
// that announces them in a page.
package sources

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
	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/catalog"
	"github.com/model-catalog-service/svc/service/internal/outward"
	"github.com/model-catalog-service/svc/service/record"
)

// Schema versions of what belongs to sources.
const (
	ManifestSchema    = "service.approved-source-manifest/v1"
	MappingSchema     = "service.source-mapping/v2"
	SnapshotSchema    = "service.source.snapshot/v1"
	AcquisitionSchema = "service.source.acquisition/v1"
)

// The bounds of an import and of a manifest.
const (
	MaxBodyBytes     = 64 << 20 // bytes of one body
	MaxImportBytes   = 1 << 30  // bytes of all bodies of an import
	MaxRows          = 100_000
	MaxObservations  = 1_000_000
	MaxManifestBytes = 256 << 10
	MaxSources       = 128
	MaxArtifacts     = 32 // of a source
)

// Adapter makes observations of the files of one source. It knows no clock,
// file or network: the same input gives the same observations. Errors have code
// [service.InvalidSourceSnapshot] and paths that begin with $.snapshots[i] or $.mapping.
type Adapter struct{ inner sources.Adapter }

// NewAider reads the Aider polyglot leaderboard.
func NewAider() *Adapter { return &Adapter{aider.New()} }

// NewLiveBench reads releases of LiveBench.
func NewLiveBench() *Adapter { return &Adapter{livebench.New()} }

// NewLMArena reads LMArena's ratings.
func NewLMArena() *Adapter { return &Adapter{lmarena.New()} }

// NewSWEBench reads the leaderboards of SWE-bench.
func NewSWEBench() *Adapter { return &Adapter{swebench.New()} }

// NewOpenRouter reads OpenRouter's models API.
func NewOpenRouter() *Adapter { return &Adapter{openrouter.New()} }

// NewOpenRouterEndpoints reads daily tables of OpenRouter's endpoints.
func NewOpenRouterEndpoints() *Adapter { return &Adapter{endpoints.New()} }

// NewEveryEvalEver reads records of Every Eval Ever.
func NewEveryEvalEver() *Adapter { return &Adapter{everyeval.New()} }

// NewInspect reads logs of Inspect as [Adapter.ReduceRun] reduces them.
func NewInspect() *Adapter { return &Adapter{inspectlog.New()} }

// ReduceRun returns what an import uses of a file of the source, as the body to pin: of a log of
// Inspect, which may be an archive, neither prompts nor answers. Other files are pinned as they
// are, and it returns false.
func (a *Adapter) ReduceRun(file io.ReaderAt, size int64) (body string, ok bool, err error) {
	reduce := a.inner.Reducer()
	if reduce == nil {
		return "", false, nil
	}
	body, err = reduce(file, size)
	return body, true, outward.Error(err)
}

// NewLMEval reads result files of lm-evaluation-harness.
func NewLMEval() *Adapter { return &Adapter{lmeval.New()} }

// NewLiteLLM reads LiteLLM's map of prices, limits and capabilities.
func NewLiteLLM() *Adapter { return &Adapter{litellm.New()} }

// NewModelsDev reads models.dev's offers of models, from an archive of its
// repository.
func NewModelsDev() *Adapter { return &Adapter{modelsdev.New()} }

// NewGenAIPrices reads the prices of genai-prices.
func NewGenAIPrices() *Adapter { return &Adapter{genaiprices.New()} }

// Request is what an import is made of.
type Request struct {
	Manifest  *Manifest // approves where the snapshots come from
	Snapshots []File
	// a person's reviewed word on which row is which model: of schema MappingSchema, or an
	// OfferMapping
	Mapping service.NamedText
	// Strict refuses rows that the mapping has no entry for and entries that
	// speak of no row.
	Strict bool
}

// File is a body, as a source published it, and its envelope: the JSON of a
// [Envelope].
type File struct{ Body, Envelope service.NamedText }

// Result is what an import gives.
type Result struct {
	Observations []catalog.Observation
	Diagnostics  []Diagnostic // in the order in which they were met
	Acquisition  *Acquisition
}

// Source returns the id of the source, such as livebench.
func (a *Adapter) Source() string { return a.inner.Source() }

// Import makes observations of snapshots and a mapping, in the order of the rows. It fails
// with all faults of both.
func (a *Adapter) Import(request Request) (*Result, error) {
	found, err := a.inner.Import(sources.Request{
		Manifest: request.Manifest.inside(), Snapshots: innerFiles(request.Snapshots),
		Mapping: problem.Source(request.Mapping), Strict: request.Strict,
	})
	if err != nil {
		return nil, outward.Error(err)
	}
	if err := found.Lines(func([]byte) error { return nil }); err != nil { // for their digest
		return nil, outward.Error(err)
	}
	result := &Result{Acquisition: outward.Decode[*Acquisition](found.Acquisition.JSON())}
	for _, o := range found.Observations {
		result.Observations = append(result.Observations, catalog.Observation(o))
	}
	for _, d := range found.Diagnostics {
		result.Diagnostics = append(result.Diagnostics, Diagnostic{Reason(d.Reason), d.Path, d.Row, d.Message,
			service.Place(d.Place)})
	}
	return result, nil
}

// Rows returns the ids of the rows of snapshots, which are the names of a mapping's
// entries, in their order and each once.
func (a *Adapter) Rows(m *Manifest, snapshots []File) ([]string, error) {
	labels, err := a.inner.Labels(m.inside(), innerFiles(snapshots))
	var rows []string
	for _, label := range labels {
		rows = append(rows, label.Row)
	}
	return rows, outward.Error(err)
}

// OfferMapping returns a mapping that decides nothing, with which the name of each row of a list of
// prices says which model it is: that of LiteLLM, models.dev, genai-prices and OpenRouter. It
// reports false for other sources, whose rows somebody has to look at.
func (a *Adapter) OfferMapping() (mapping service.NamedText, ok bool) {
	if !a.inner.IsPriceSource() {
		return service.NamedText{}, false
	}
	return service.NamedText(sources.EmptyMapping(a.Source())), true
}

// BlankEntry returns the JSON of a mapping entry in which nobody has decided
// anything yet.
func (a *Adapter) BlankEntry() string { return a.inner.Blank() }

// CheckMapping validates a mapping by itself.
func (a *Adapter) CheckMapping(mapping service.NamedText) error {
	return outward.Error(a.inner.CheckMapping(problem.Source(mapping)))
}

func innerFiles(files []File) []sources.File {
	inner := make([]sources.File, len(files))
	for i, f := range files {
		inner[i] = f.file()
	}
	return inner
}

func (f File) file() sources.File {
	return sources.File{Body: problem.Source(f.Body), Envelope: problem.Source(f.Envelope)}
}

// Diagnostic reports something that did not stop an import.
type Diagnostic struct {
	Reason  Reason
	Path    string // into the snapshots or the mapping
	Row     string // the id of the row, empty if it is of none
	Message string
	Place   service.Place
}

// Reason says why something of a source was reported.
type Reason string

// Why a row was skipped.
const (
	UnmappedRow    Reason = "unmapped-row"     // the mapping has no entry for it
	MappedNone     Reason = "mapped-to-none"   // a person decided that it is not one model
	SameScope      Reason = "same-scope"       // another row is about the same model under the same conditions
	RowWidth       Reason = "row-width"        // has more or fewer cells than the table has columns
	RowUndated     Reason = "row-undated"      // does not say when it was measured
	RowInFuture    Reason = "row-in-future"    // is dated after the fetch
	OriginIsRead   Reason = "origin-is-read"   // a copy of what svc reads itself
	UnknownVersion Reason = "unknown-version"  // of the schema of the source
	Superseded     Reason = "superseded"       // a later record says it, too
	RunFailed      Reason = "run-failed"       // of one's own that did not end well, or was declared invalid
	SameRun        Reason = "same-run"         // of one's own that another file has, too
	UnknownBoard   Reason = "unknown-board"    // of a leaderboard of which nobody said how large it is
	RowEmpty       Reason = "row-empty"        // no value of it could be taken
	RowAlias       Reason = "row-alias"        // may name another model tomorrow
	RowRepeated    Reason = "row-repeated"     // another row has the offer
	RowNoModel     Reason = "row-no-model"     // documentation, or a class of prices
	RowOtherMode   Reason = "row-other-mode"   // not a model that takes and gives tokens
	RowNoID        Reason = "row-no-id"        // no request could name its id
	RowDangling    Reason = "row-dangling"     // a symbolic link to nothing
	RowWithoutBase Reason = "row-without-base" // extends a row that does not exist, or itself
	RowUnreadable  Reason = "row-unreadable"   // is not TOML
)

// Why a value was left out, or what else is to be known.
const (
	MappedRowMissing  Reason = "mapped-row-missing" // an entry of the mapping names a row that does not exist
	MissingValue      Reason = "missing-value"      // not stated, in any of the ways that sources have
	InvalidValue      Reason = "invalid-value"      // not a number, or outside of what it can be
	ContradictsItself Reason = "contradicts-itself" // the row states two values
	UnknownCost       Reason = "unknown-cost"       // a cost that is missing or 0
	UnknownPrice      Reason = "unknown-price"      // a price that varies, or a 0 that means not stated
	ImplausiblePrice  Reason = "implausible-price"  // the prices of the row are in another unit
	LimitNotSeparate  Reason = "limit-not-separate" // what the list writes where no limit is stated
	NotFinite         Reason = "not-finite"         // NaN or Infinity
	RelayedTwice      Reason = "relayed-twice"      // a variant repeats what its base model carries
	NewMembers        Reason = "new-members"        // members that the adapter does not know
	RuntimeDiffers    Reason = "runtime-differs"    // the file names another runtime than the mapping
	RateDiffers       Reason = "rate-differs"       // a published rate is not that of its own counts
	OpenModel         Reason = "open"               // no maker is known, so the seller's own name is kept
	SeveralOffers     Reason = "several-offers"     // another row of the seller has the model, service and region
	Disputed          Reason = "disputed"           // the list says another model than the name does
)

// Acquisition records what an import was made of, and what became of its
// rows.
type Acquisition struct {
	SchemaVersion  string                `json:"schemaVersion"` // AcquisitionSchema
	Source         string                `json:"source"`
	Adapter        record.Component      `json:"adapter"`        // what read it
	ManifestDigest *string               `json:"manifestDigest"` // nil for your own runs
	MappingSHA256  string                `json:"mappingSha256"`  // of its canonical JSON
	Snapshots      record.List[Acquired] `json:"snapshots"`
	Rows           int                   `json:"rows"` // always Imported and Skipped together
	Imported       int                   `json:"imported"`
	Skipped        int                   `json:"skipped"`
	SkippedFor     map[Reason]int        `json:"skippedFor"` // adds up to Skipped
	// Identified counts the imported rows by what said which model they are: a rule of names, the
	// mapping, or that they are an alias or a router. Of offer/v2 alone.
	Identified   map[string]int `json:"identified,omitzero"`
	Observations int            `json:"observations"`
	// ObservationsSHA256 is the SHA-256 of the lines that svc import writes; nil if it wrote none.
	ObservationsSHA256 *string `json:"observationsSha256"`
}

// Acquired is a snapshot of an acquisition.
type Acquired struct {
	Reference string           `json:"reference"` // that of its envelope
	SourceID  string           `json:"sourceId"`
	URL       string           `json:"url"`
	SHA256    string           `json:"sha256"` // of the body
	FetchedAt record.Timestamp `json:"fetchedAt"`
	Bytes     uint64           `json:"bytes"`
}

// Envelope says where the bytes of a body came from.
type Envelope struct {
	SchemaVersion string              `json:"schemaVersion"` // SnapshotSchema, or version 2 of it
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

// Download is what is known of bytes that were downloaded.
type Download struct {
	URL       string
	FetchedAt time.Time
	MediaType string   // empty for the one that is approved
	Redirects []string // the URLs that the answer came by
	ETag      string   // empty if there was none
}

// Pin makes the envelope of a body that somebody downloaded. json.Marshal writes it
// for a [File]. What the manifest does not approve is refused with code
// [service.InvalidSourceSnapshot].
func Pin(source string, f Download, body service.NamedText, m *Manifest) (*Envelope, error) {
	fetched := sources.Download{
		URL: f.URL, FetchedAt: outward.Timestamp(f.FetchedAt), MediaType: f.MediaType, Redirects: f.Redirects, ETag: f.ETag,
	}
	envelope, err := sources.Pin(source, fetched, problem.Source(body), m.inside())
	if err != nil {
		return nil, outward.Error(err)
	}
	return outward.Decode[*Envelope](envelope.JSON()), nil
}

// Registry approves the declarations of a manifest: it maps the id of each
// source to the digest of the one declaration that is approved under that id, the
// [service.SHA256] of its JSON with lists ordered by id or text.
type Registry map[string]string

// DefaultRegistry approves the sources of the manifest that comes with the
// library.
func DefaultRegistry() Registry { return Registry(sources.DefaultRegistry()) }

// Manifest says what may be taken from which source, and how. A registry has
// approved each of its sources. It is immutable.
type Manifest sources.Manifest

// ParseManifest reads a manifest, each of whose sources the
// registry must approve. Its errors have code [service.InvalidSourceManifest].
func ParseManifest[T service.Text](manifest T, registry Registry) (*Manifest, error) {
	m, err := sources.ParseManifest(problem.Source{Text: string(manifest)}, sources.Registry(registry))
	if err != nil {
		return nil, outward.Error(err)
	}
	return (*Manifest)(m), nil
}

// PackagedManifest returns the manifest that comes with the library.
func PackagedManifest() (*Manifest, error) {
	m, err := sources.PackagedManifest()
	return (*Manifest)(m), outward.Error(err)
}

func (m *Manifest) inside() *sources.Manifest { return (*sources.Manifest)(m) }

// Digest returns the SHA-256 of the normalized manifest.
func (m *Manifest) Digest() string { return m.inside().Digest() }

// JSON returns the normalized manifest as canonical JSON: sources and artifacts
// ordered by id.
func (m *Manifest) JSON() string { return m.inside().JSON() }

// MarshalJSON returns what JSON does.
func (m *Manifest) MarshalJSON() ([]byte, error) { return []byte(m.JSON()), nil }

// Record returns the members of the manifest.
func (m *Manifest) Record() *ManifestRecord {
	return outward.Decode[*ManifestRecord]([]byte(m.inside().JSON()))
}

// ManifestRecord is a manifest as it is written.
type ManifestRecord struct {
	SchemaVersion string              `json:"schemaVersion"` // ManifestSchema
	Sources       record.List[Source] `json:"sources"`       // each id once
}

// Source is what may be taken from one source, and how. Origins and URLs are
// https.
type Source struct {
	ID               string              `json:"id"`
	Owner            string              `json:"owner"`           // who publishes it
	SourceClass      string              `json:"sourceClass"`     // external
	CanonicalOrigin  string              `json:"canonicalOrigin"` // of all its URLs, such as https://example.org
	Attribution      Attribution         `json:"attribution"`
	License          License             `json:"license"`
	TrustRationale   string              `json:"trustRationale"`   // why it is trusted
	KnownLimitations record.List[string] `json:"knownLimitations"` // what it does not say
	// Complete says that a snapshot lists everything: an offer that it lacks is withdrawn.
	Complete       bool           `json:"complete,omitzero"`
	Freshness      Freshness      `json:"freshness"`
	Revision       Revision       `json:"revision"`
	Resolver       Resolver       `json:"resolver"`
	Artifacts      Artifacts      `json:"artifacts"`
	ProposalPolicy ProposalPolicy `json:"proposalPolicy"`
}

// Attribution says whom to name.
type Attribution struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// License says under what terms a source may be used.
type License struct {
	Identifier  string  `json:"identifier"`  // as by SPDX if it is listed there
	EvidenceURL *string `json:"evidenceUrl"` // where it says so
}

// Freshness is how often a source is worth asking and how long an answer
// holds.
type Freshness struct {
	RefreshIntervalHours uint64 `json:"refreshIntervalHours"` // 1 to 878,400, a century
	MaxAgeHours          uint64 `json:"maxAgeHours"`          // at least RefreshIntervalHours
}

// Revision says what a revision of a source is.
type Revision struct {
	Kind    string `json:"kind"`    // release, commit, opaque or snapshot
	Grammar string `json:"grammar"` // of these in turn: calendar-date, full-git-sha, opaque-token or sha256
}

// Resolver finds revisions, from the entrypoint on.
type Resolver struct {
	Adapter    string     `json:"adapter"`
	Version    string     `json:"version"`
	Entrypoint Entrypoint `json:"entrypoint"`
	// none, or same-origin-main-bundle: the one script of the page
	DerivedResourcePolicy string `json:"derivedResourcePolicy"`
	MaxBytes              uint64 `json:"maxBytes"` // of a derived resource
}

// Entrypoint is the resource with a fixed URL.
type Entrypoint struct {
	SourceID  string `json:"sourceId"` // how envelopes call it
	URL       string `json:"url"`
	MediaType string `json:"mediaType"`
	MaxBytes  uint64 `json:"maxBytes"` // at most MaxBodyBytes
}

// Artifacts are the resources of a revision, and what reads them.
type Artifacts struct {
	Adapter string                `json:"adapter"`
	Version string                `json:"version"`
	Items   record.List[Artifact] `json:"items"` // none if revisions are snapshots of the entrypoint
}

// Artifact is a resource of a revision.
type Artifact struct {
	ID          string `json:"id"`
	Required    bool   `json:"required"`    // a revision without it is incomplete
	URLTemplate string `json:"urlTemplate"` // has {revision} or {revision_underscore} once
	MediaType   string `json:"mediaType"`
	MaxBytes    uint64 `json:"maxBytes"` // at most MaxBodyBytes
}

// ProposalPolicy says what becomes of what is new in a source. All of it is
// for review.
type ProposalPolicy struct {
	NewRevision    string `json:"newRevision"`    // review
	UnknownRows    string `json:"unknownRows"`    // review
	MappingChanges string `json:"mappingChanges"` // review
}
