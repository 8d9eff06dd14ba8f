package sources

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
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

// Sources returns the approved sources, ordered by id. Without a manifest there are none.
func (m *Manifest) Sources() []Source {
	if m == nil {
		return nil
	}
	return slices.Clone(m.sources)
}

// Source returns the source with the id, nil if there is none.
func (m *Manifest) Source(id string) *Source {
	for _, s := range m.Sources() {
		if s.ID == id {
			return &s
		}
	}
	return nil
}

// Source is an approved source as it is declared.
type Source struct {
	ID               string      `json:"id"`
	Owner            string      `json:"owner"`
	SourceClass      string      `json:"sourceClass"` // external
	CanonicalOrigin  string      `json:"canonicalOrigin"`
	Attribution      Attribution `json:"attribution"`
	License          License     `json:"license"`
	TrustRationale   string      `json:"trustRationale"`
	KnownLimitations []string    `json:"knownLimitations"` // sorted
	Freshness        Interval    `json:"freshness"`
	// Complete says that a snapshot lists all that the source has: what it lacks is not there.
	Complete       bool           `json:"complete,omitempty"`
	Revision       Revision       `json:"revision"`
	Resolver       Resolver       `json:"resolver"`
	Artifacts      Artifacts      `json:"artifacts"`
	ProposalPolicy ProposalPolicy `json:"proposalPolicy"`

	digest string
}

// JSON is the normalized declaration as canonical JSON.
func (s *Source) JSON() string { return string(canonical.MustMarshal(s)) }

// Digest is the SHA-256 of the normalized declaration, by which a registry
// approves it.
func (s *Source) Digest() string { return s.digest }

// IsDaily reports whether a revision is a day, of which the newest is today's or yesterday's.
func (s *Source) IsDaily() bool {
	return s.Revision.Kind == KindRelease && s.Resolver.DerivedResourcePolicy == PolicyNone
}

// Attribution says whom to name.
type Attribution struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// License says under what terms the source may be used.
type License struct {
	Identifier  string
	EvidenceURL string // "" is null
}

// MarshalJSON writes the member of a declaration.
func (l License) MarshalJSON() ([]byte, error) {
	return canonical.Marshal(map[string]any{"identifier": l.Identifier, "evidenceUrl": record.Text(l.EvidenceURL)})
}

// Interval is how often a source is worth asking and how long an answer holds.
type Interval struct {
	RefreshHours uint64 `json:"refreshIntervalHours"`
	MaxAgeHours  uint64 `json:"maxAgeHours"`
}

// Revision says what a revision of the source is: see [KindRelease].
type Revision struct {
	Kind    string `json:"kind"`
	Grammar string `json:"grammar"`
}

// Resolver finds revisions, from the entrypoint on.
type Resolver struct {
	Adapter               string     `json:"adapter"`
	Version               string     `json:"version"`
	Entrypoint            Entrypoint `json:"entrypoint"`
	DerivedResourcePolicy string     `json:"derivedResourcePolicy"`
	MaxBytes              uint64     `json:"maxBytes"` // of a derived resource
}

// What may be derived from an entrypoint.
const (
	PolicyNone       = "none"
	PolicyMainBundle = "same-origin-main-bundle" // the one script of the page
)

// Entrypoint is the resource with a fixed URL.
type Entrypoint struct {
	SourceID  string `json:"sourceId"`
	URL       string `json:"url"`
	MediaType string `json:"mediaType"`
	MaxBytes  uint64 `json:"maxBytes"`
}

// Artifacts are the resources of a revision, and what reads them. A source whose
// revisions are snapshots has none: its entrypoint is what is read.
type Artifacts struct {
	Adapter string     `json:"adapter"`
	Version string     `json:"version"`
	Items   []Artifact `json:"items"` // by id
}

// Artifact is a resource of a revision.
type Artifact struct {
	ID          string `json:"id"`
	Required    bool   `json:"required"`
	URLTemplate string `json:"urlTemplate"`
	MediaType   string `json:"mediaType"`
	MaxBytes    uint64 `json:"maxBytes"`
}

// URL returns the URL of the artifact in a revision.
func (a *Artifact) URL(revision string) string {
	t, _ := cutTemplate(a.URLTemplate)
	return t.expand(revision)
}

// ProposalPolicy says what becomes of what is new in a source. All of it is for
// review.
type ProposalPolicy struct {
	NewRevision    string `json:"newRevision"`
	UnknownRows    string `json:"unknownRows"`
	MappingChanges string `json:"mappingChanges"`
}

// Registry approves sources: it maps the id of each to the digest of the one
// declaration that is approved under that name.
type Registry map[string]string

// DefaultRegistry approves the sources of the packaged manifest.
func DefaultRegistry() Registry {
	return Registry{
		"aider-polyglot":       "8a39e4e0544d95190f48f5bbb82e80ed29f84b88c4d483133b820938668e7eb7",
		"every-eval-ever":      "36224eaeb7b33246dfb7d38030aca1b4cc56ca449d10c32273830ce1468e019c",
		"genai-prices":         "951a02f73ded96d181e22fe8b1da5020c7c4ca3025b4c442e6fca729abe74450",
		"litellm-prices":       "5ce102fe37d459885fedc98d24bdbbd15e05f9b0e47b9a64c6104139c797e580",
		"livebench":            "696701b0e95f59452e17f28dd321b45be68ee67bc45667ded9c4a05de0ed03c7",
		"lmarena":              "406a7c7eebf28981e929bca3e6da36b05f027c63550fb7fa67a54b1b2334f9b7",
		"models-dev":           "8ddba021e247b363c6886159b9853fe5ee11ab0b7d6c9a5e932896f32b122578",
		"openrouter-endpoints": "26eef51f7e23a70c631bc4290773096222a04e2880ba14d8b4102751a2eb915a",
		"openrouter-models":    "0f52e99231021a85a24ad12bb7dec239eea4e82876b4b8c2401df1ffdc0f455f",
		"swe-bench":            "2e6cc552691719cad803aee0a526919929d9663afcb98353d680f5220cc18622",
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
	if err := checkSize(src, problem.InvalidSourceManifest, "a manifest", MaxManifestBytes); err != nil {
		return nil, err
	}
	r := &manifestReader{ijson.NewReader(src.Text, problem.InvalidSourceManifest), src.Text, registry}
	m := &Manifest{}
	manifestShape.Read(r, m)
	if faults := r.End(); faults != nil {
		return nil, faults.Locate(src.Text, problem.Start(src.Name)).Err()
	}
	slices.SortFunc(m.sources, func(a, b Source) int { return canonical.CompareText(a.ID, b.ID) })
	doc := canonical.MustMarshal(struct {
		SchemaVersion string   `json:"schemaVersion"`
		Sources       []Source `json:"sources"`
	}{ManifestSchema, m.sources})
	m.doc, m.digest = string(doc), canonical.Sum(doc)
	return m, nil
}

// manifestReader reads a manifest.
type manifestReader struct {
	*ijson.Reader
	text     string
	registry Registry
}

var manifestShape = ijson.NewShape(
	ijson.Required("schemaVersion", func(r *manifestReader, _ *Manifest) { r.Enum(ManifestSchema) }),
	ijson.Required("sources", func(r *manifestReader, m *Manifest) {
		m.sources = readItems(r, MaxSources, "source", (*manifestReader).source, func(s Source) string { return s.ID })
	}),
)

var sourceShape = ijson.NewShape(
	ijson.Required("id", func(r *manifestReader, s *Source) { s.ID = r.token() }),
	ijson.Required("owner", func(r *manifestReader, s *Source) { s.Owner = r.Text() }),
	ijson.Required("sourceClass", func(r *manifestReader, s *Source) { s.SourceClass = r.Enum(record.External) }),
	ijson.Required("canonicalOrigin", func(r *manifestReader, s *Source) { s.CanonicalOrigin = r.checked(checkOrigin) }),
	ijson.Required("attribution", func(r *manifestReader, s *Source) { attributionShape.Read(r, &s.Attribution) }),
	ijson.Required("license", func(r *manifestReader, s *Source) { licenseShape.Read(r, &s.License) }),
	ijson.Required("trustRationale", func(r *manifestReader, s *Source) { s.TrustRationale = r.Text() }),
	ijson.Required("knownLimitations", func(r *manifestReader, s *Source) { s.KnownLimitations = r.UniqueTexts() }),
	ijson.Optional("complete", func(r *manifestReader, s *Source) { s.Complete = r.Bool() }),
	ijson.Required("freshness", func(r *manifestReader, s *Source) { s.Freshness = r.interval() }),
	ijson.Required("revision", func(r *manifestReader, s *Source) { s.Revision = r.revision() }),
	ijson.Required("resolver", func(r *manifestReader, s *Source) { resolverShape.Read(r, &s.Resolver) }),
	ijson.Required("artifacts", func(r *manifestReader, s *Source) { artifactsShape.Read(r, &s.Artifacts) }),
	ijson.Required("proposalPolicy", func(r *manifestReader, s *Source) { policyShape.Read(r, &s.ProposalPolicy) }),
)

var attributionShape = ijson.NewShape(
	ijson.Required("name", func(r *manifestReader, a *Attribution) { a.Name = r.Text() }),
	ijson.Required("url", func(r *manifestReader, a *Attribution) { a.URL = r.url() }),
)

var licenseShape = ijson.NewShape(
	ijson.Required("identifier", func(r *manifestReader, l *License) { l.Identifier = r.Text() }),
	ijson.Required("evidenceUrl", func(r *manifestReader, l *License) {
		if !r.Null() {
			l.EvidenceURL = r.url()
		}
	}),
)

const century = 100 * 366 * 24 // hours

var intervalShape = ijson.NewShape(
	ijson.Required("refreshIntervalHours", func(r *manifestReader, i *Interval) { i.RefreshHours = r.from1To(century) }),
	ijson.Required("maxAgeHours", func(r *manifestReader, i *Interval) { i.MaxAgeHours = r.from1To(century) }),
)

var revisionShape = ijson.NewShape(
	ijson.Required("kind", func(r *manifestReader, v *Revision) {
		v.Kind = r.Enum(KindRelease, KindCommit, KindOpaque, KindSnapshot)
	}),
	ijson.Required("grammar", func(r *manifestReader, v *Revision) {
		v.Grammar = r.Enum(GrammarDate, GrammarSHA, GrammarToken, GrammarHash)
	}),
)

var resolverShape = ijson.NewShape(
	ijson.Required("adapter", func(r *manifestReader, v *Resolver) { v.Adapter = r.token() }),
	ijson.Required("version", func(r *manifestReader, v *Resolver) { v.Version = r.Text() }),
	ijson.Required("entrypoint", func(r *manifestReader, v *Resolver) { entrypointShape.Read(r, &v.Entrypoint) }),
	ijson.Required("derivedResourcePolicy", func(r *manifestReader, v *Resolver) {
		v.DerivedResourcePolicy = r.Enum(PolicyNone, PolicyMainBundle)
	}),
	ijson.Required("maxBytes", func(r *manifestReader, v *Resolver) { v.MaxBytes = r.from1To(MaxBodyBytes) }),
)

var entrypointShape = ijson.NewShape(
	ijson.Required("sourceId", func(r *manifestReader, e *Entrypoint) { e.SourceID = r.token() }),
	ijson.Required("url", func(r *manifestReader, e *Entrypoint) { e.URL = r.Text() }),
	ijson.Required("mediaType", func(r *manifestReader, e *Entrypoint) { e.MediaType = r.checked(checkMediaType) }),
	ijson.Required("maxBytes", func(r *manifestReader, e *Entrypoint) { e.MaxBytes = r.from1To(MaxBodyBytes) }),
)

var artifactsShape = ijson.NewShape(
	ijson.Required("adapter", func(r *manifestReader, a *Artifacts) { a.Adapter = r.token() }),
	ijson.Required("version", func(r *manifestReader, a *Artifacts) { a.Version = r.Text() }),
	ijson.Required("items", func(r *manifestReader, a *Artifacts) {
		a.Items = readItems(r, MaxSourceArtifacts, "artifact", (*manifestReader).artifact,
			func(a Artifact) string { return a.ID })
	}),
)

var artifactShape = ijson.NewShape(
	ijson.Required("id", func(r *manifestReader, a *Artifact) { a.ID = r.token() }),
	ijson.Required("required", func(r *manifestReader, a *Artifact) { a.Required = r.Bool() }),
	ijson.Required("urlTemplate", func(r *manifestReader, a *Artifact) { a.URLTemplate = r.Text() }),
	ijson.Required("mediaType", func(r *manifestReader, a *Artifact) { a.MediaType = r.checked(checkMediaType) }),
	ijson.Required("maxBytes", func(r *manifestReader, a *Artifact) { a.MaxBytes = r.from1To(MaxBodyBytes) }),
)

const review = "review"

var policyShape = ijson.NewShape(
	ijson.Required("newRevision", func(r *manifestReader, p *ProposalPolicy) { p.NewRevision = r.Enum(review) }),
	ijson.Required("unknownRows", func(r *manifestReader, p *ProposalPolicy) { p.UnknownRows = r.Enum(review) }),
	ijson.Required("mappingChanges", func(r *manifestReader, p *ProposalPolicy) { p.MappingChanges = r.Enum(review) }),
)

// source reads a source. The rules that tie its members together are checked
// when each member is as it must be by itself.
func (r *manifestReader) source() (s Source) {
	faults := r.Mark()
	o := sourceShape.Read(r, &s)
	if r.Mark() == faults {
		r.checkOnOrigin(&s, o.Start())
	}
	if r.Mark() != faults {
		return s
	}
	slices.SortFunc(s.Artifacts.Items, func(a, b Artifact) int { return canonical.CompareText(a.ID, b.ID) })
	s.digest = canonical.Sum(canonical.MustMarshal(&s))
	switch approved, known := r.registry[s.ID]; {
	case !known:
		r.FailMember(o.Start(), "id", "names no source that the registry approves")
	case approved != s.digest:
		r.Fail(o.Start(), "", "is not the declaration that the registry approves as %s: its digest is %s, not %s", s.ID,
			s.digest, approved)
	}
	return s
}

// checkOnOrigin demands that all of a source is on its origin, and that it has
// artifacts unless its revisions are snapshots.
func (r *manifestReader) checkOnOrigin(s *Source, start int) {
	check := func(reason string, path ...any) {
		if reason != "" {
			r.Fail(start+ijson.Locate(r.text[start:], path...), ijson.PathOf(path...), "%s", reason)
		}
	}
	check(checkURL(s.Resolver.Entrypoint.URL, s.CanonicalOrigin), "resolver", "entrypoint", "url")
	for i, a := range s.Artifacts.Items {
		check(checkTemplate(a.URLTemplate, s.CanonicalOrigin), "artifacts", "items", i, "urlTemplate")
	}
	if isEmpty, isSnapshot := len(s.Artifacts.Items) == 0, s.Revision.Kind == KindSnapshot; isEmpty != isSnapshot {
		check("must be empty if the kind of revision is snapshot, and only then", "artifacts", "items")
	}
}

func (r *manifestReader) artifact() (a Artifact) {
	artifactShape.Read(r, &a)
	return a
}

func (r *manifestReader) interval() (i Interval) {
	faults := r.Mark()
	o := intervalShape.Read(r, &i)
	if r.Mark() == faults && i.MaxAgeHours < i.RefreshHours {
		r.FailMember(o.Start(), "maxAgeHours", "must be at least refreshIntervalHours, %d", i.RefreshHours)
	}
	return i
}

func (r *manifestReader) revision() (v Revision) {
	o := revisionShape.Read(r, &v)
	if want := grammarOf(v.Kind); want != "" && v.Grammar != "" && v.Grammar != want {
		r.FailMember(o.Start(), "grammar", "must be %s, which goes with %s", want, v.Kind)
	}
	return v
}

// readItems reads a list of at most so many items, whose ids are not repeated.
func readItems[T any](r *manifestReader, most int, what string, read func(*manifestReader) T, id func(T) string) []T {
	items := []T{}
	seen := map[string]bool{}
	repeated := ""
	l := r.List()
	for l.Next() {
		item := read(r)
		items = append(items, item)
		if seen[id(item)] && repeated == "" {
			repeated = id(item)
		}
		seen[id(item)] = true
	}
	if len(items) > most {
		r.Fail(l.Start(), "", "must hold at most %d %ss", most, what)
	}
	if repeated != "" {
		r.Fail(l.Start(), "", "must hold each id once: %q is repeated", repeated)
	}
	return items
}

// checked reads a text of which check says what is wrong with it.
func (r *manifestReader) checked(check func(string) string) string {
	at := r.Offset()
	s := r.Text()
	if s != "" {
		if reason := check(s); reason != "" {
			r.Fail(at, "", "%s", reason)
		}
	}
	return s
}

// url reads a URL on any origin.
func (r *manifestReader) url() string {
	return r.checked(func(s string) string { return checkURL(s, "") })
}

// token reads a name: of a source, an artifact or an adapter.
func (r *manifestReader) token() string {
	return r.checked(func(s string) string {
		if isToken(s) && s == strings.ToLower(s) {
			return ""
		}
		return "must be a name of lower-case letters, digits, dots, hyphens and underscores"
	})
}

// checkMediaType says what is wrong with a media type of the manifest, "" if
// nothing.
func checkMediaType(s string) string {
	const allowed = "abcdefghijklmnopqrstuvwxyz0123456789.+-"
	if class, sub, ok := strings.Cut(s, "/"); ok && class != "" && sub != "" && strings.Trim(class+sub, allowed) == "" {
		return ""
	}
	return "must be a media type in lower case without parameters"
}

func (r *manifestReader) from1To(most uint64) uint64 {
	at, faults := r.Offset(), r.Mark()
	n := r.Count()
	if r.Mark() == faults && (n == 0 || n > most) {
		r.Fail(at, "", "must be from 1 to %d", most)
	}
	return n
}
