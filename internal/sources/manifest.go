package sources

import (
	_ "embed"
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// ManifestSchema is the schema version of a manifest of approved sources.
const ManifestSchema = "service.approved-source-manifest/v1"

// The bounds of a manifest.
const (
	MaxManifestBytes   = 256 << 10
	MaxSources         = 128
	MaxSourceArtifacts = 32
)

// Manifest says what may be taken from which source, and how. It is immutable;
// [ParseManifest] alone makes one, so that each of its sources is one that a
// registry approves.
type Manifest struct {
	sources []Source // by id
	digest  string
	doc     string
}

// Digest is the SHA-256 of the normalized manifest.
func (m *Manifest) Digest() string { return m.digest }

// JSON is the normalized manifest as canonical JSON: its sources and their
// artifacts ordered by id, their known limitations as texts.
func (m *Manifest) JSON() string { return m.doc }

// Sources returns the approved sources, ordered by id.
func (m *Manifest) Sources() []Source { return slices.Clone(m.sources) }

// Source returns the source with the id, nil if there is none.
func (m *Manifest) Source(id string) *Source {
	for i := range m.sources {
		if m.sources[i].ID == id {
			s := m.sources[i]
			return &s
		}
	}
	return nil
}

func (m *Manifest) ids() (ids []string) {
	for i := range m.sources {
		ids = append(ids, m.sources[i].ID)
	}
	return ids
}

// Source is an approved source as it is declared.
type Source struct {
	ID               string
	Owner            string
	CanonicalOrigin  string
	Attribution      Attribution
	License          License
	TrustRationale   string
	KnownLimitations []string
	Freshness        Interval
	Revision         Revision
	Resolver         Resolver
	Artifacts        Artifacts

	digest string
}

// Digest is the SHA-256 of the normalized declaration, by which a registry
// approves it.
func (s *Source) Digest() string { return s.digest }

// Attribution says whom to name.
type Attribution struct{ Name, URL string }

// License says under what terms the source may be used.
type License struct {
	Identifier  string
	EvidenceURL string // "" is null
}

// Interval is how often a source is worth asking and how long an answer holds.
type Interval struct{ RefreshHours, MaxAgeHours uint64 }

// Revision says what a revision of the source is.
type Revision struct{ Kind, Grammar string }

// Resolver finds revisions, from the entrypoint on.
type Resolver struct {
	Adapter, Version      string
	Entrypoint            Entrypoint
	DerivedResourcePolicy string
	MaxBytes              uint64 // of a derived resource
}

// What may be derived from an entrypoint.
const (
	PolicyNone       = "none"
	PolicyMainBundle = "same-origin-main-bundle" // the one script of the page
)

// Entrypoint is the resource with a fixed URL.
type Entrypoint struct {
	SourceID, URL, MediaType string
	MaxBytes                 uint64
}

// Artifacts are the resources of a revision, and what reads them. A source whose
// revisions are snapshots has none: its entrypoint is what is read.
type Artifacts struct {
	Adapter, Version string
	Items            []Artifact
}

// Artifact is a resource of a revision.
type Artifact struct {
	ID          string
	Required    bool
	URLTemplate string
	MediaType   string
	MaxBytes    uint64
}

// URL returns the URL of the artifact in a revision.
func (a *Artifact) URL(revision string) string {
	t, _ := cutTemplate(a.URLTemplate)
	return t.expand(revision)
}

// Registry approves sources: it maps the id of each to the digest of the one
// declaration that is approved under that name.
type Registry map[string]string

// DefaultRegistry approves the sources of the packaged manifest.
func DefaultRegistry() Registry {
	return Registry{
		"aider-polyglot":    "8a39e4e0544d95190f48f5bbb82e80ed29f84b88c4d483133b820938668e7eb7",
		"livebench":         "696701b0e95f59452e17f28dd321b45be68ee67bc45667ded9c4a05de0ed03c7",
		"openrouter-models": "67fa6642ed3610e859812f3c8c8c28fb615b60c04c111b642d7bac9bf91dbc7e",
	}
}

//go:embed manifest.json
var packaged string

// PackagedManifest returns the manifest that comes with the program.
func PackagedManifest() (*Manifest, error) {
	return ParseManifest(problem.Source{Name: "packaged manifest", Text: packaged}, DefaultRegistry())
}

// ParseManifest reads a manifest and demands that the registry approves each of
// its sources, to the letter. Faults have code INVALID_SOURCE_MANIFEST.
func ParseManifest(src problem.Source, registry Registry) (*Manifest, error) {
	if len(src.Text) > MaxManifestBytes {
		e := problem.New(problem.InvalidSourceManifest, "$", "has %d bytes, a manifest has at most %d", len(src.Text), MaxManifestBytes)
		e.Place = problem.Start(src.Name)
		return nil, e
	}
	mr := manifestReader{r: ijson.NewReader(src.Text, problem.InvalidSourceManifest), registry: registry}
	mr.read()
	if faults := mr.r.End(); faults != nil {
		return nil, faults.Locate(src.Text, problem.Start(src.Name)).Err()
	}
	m := &Manifest{sources: mr.sources}
	slices.SortFunc(m.sources, func(a, b Source) int { return canonical.CompareText(a.ID, b.ID) })
	m.doc = string(m.appendJSON(nil))
	m.digest = canonical.Sum([]byte(m.doc))
	return m, nil
}
