package discovery

import (
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
)

// ProposalSchema is the schema version of a proposal.
const ProposalSchema = "service.source-revision-proposal/v1"

// Proposal says which revisions a source was found to have, from which bytes,
// and what the newest is made of.
type Proposal struct {
	SchemaVersion   string     `json:"schemaVersion" is:"service.source-revision-proposal/v1"`
	ID              string     `json:"id,omitempty" is:"hash"` // SHA-256 of the canonical JSON of the rest
	SourceID        string     `json:"sourceId"`
	ManifestDigest  string     `json:"manifestDigest" is:"hash"`
	Resolver        Resolver   `json:"resolver"`
	Entrypoint      Origin     `json:"entrypoint"`
	Bundle          Origin     `json:"bundle"`
	Revisions       []string   `json:"revisions" least:"1"` // rising
	CurrentRevision string     `json:"currentRevision"`     // the last of them
	Artifacts       []Artifact `json:"artifacts" least:"1"` // ordered by ID
}

// Resolver is what found the revisions.
type Resolver struct {
	Adapter string `json:"adapter"`
	Version string `json:"version"`
}

// Origin is a snapshot that a proposal was made from.
type Origin struct {
	Reference string `json:"reference"`
	SHA256    string `json:"sha256" is:"hash"`
	SourceID  string `json:"sourceId"`
	URL       string `json:"url"`
}

// Artifact is a resource of the current revision.
type Artifact struct {
	ID        string `json:"id"`
	Required  bool   `json:"required"`
	SourceID  string `json:"sourceId"`
	URL       string `json:"url"`
	MediaType string `json:"mediaType"`
	MaxBytes  uint64 `json:"maxBytes"`
}

func newProposal(s *sources.Source, m *sources.Manifest, index, bundle *sources.Snapshot, dates []string) *Proposal {
	current := dates[len(dates)-1]
	p := &Proposal{
		SchemaVersion:   ProposalSchema,
		SourceID:        s.ID,
		ManifestDigest:  m.Digest(),
		Resolver:        Resolver{s.Resolver.Adapter, s.Resolver.Version},
		Entrypoint:      originOf(index),
		Bundle:          originOf(bundle),
		Revisions:       dates,
		CurrentRevision: current,
		Artifacts:       []Artifact{},
	}
	for i := range s.Artifacts.Items {
		item := &s.Artifacts.Items[i]
		p.Artifacts = append(p.Artifacts, Artifact{
			item.ID, item.Required, sources.ArtifactSourceID(s.ID, current, item.ID), item.URL(current), item.MediaType,
			item.MaxBytes,
		})
	}
	p.ID = p.sum()
	return p
}

func originOf(s *sources.Snapshot) Origin {
	e := s.Envelope()
	return Origin{e.Reference, e.BodySHA256, e.SourceID, e.URL}
}

// JSON is the proposal as canonical JSON.
func (p *Proposal) JSON() []byte { return canonical.MustMarshal(p) }

// sum is the id that the proposal must have.
func (p *Proposal) sum() string {
	rest := *p
	rest.ID = ""
	return canonical.Sum(rest.JSON())
}

// ReadProposal reads a proposal and demands that its parts fit each other: that
// its id is that of the rest, its references name what is beside them, and its
// current revision is the last one, of which its artifacts are. Whether it follows
// from the snapshots, only [Propose] tells. Faults have code
// INVALID_SOURCE_DISCOVERY and paths from $.
func ReadProposal(src problem.Source) (*Proposal, error) {
	r := ijson.NewReader(src.Text, problem.InvalidSourceDiscovery)
	p := &Proposal{}
	start := r.Offset()
	ijson.ReadTagged(r, p)
	if !r.Faulty() {
		p.check(func(path []any, format string, args ...any) {
			r.Fail(start+ijson.Locate(src.Text[start:], path...), ijson.PathOf(path...), format, args...)
		})
	}
	if faults := r.End(); faults != nil {
		return nil, faults.Locate(src.Text, problem.Start(src.Name)).Err()
	}
	return p, nil
}

// check holds the members against each other, and refuses what is at a path.
func (p *Proposal) check(refuse func(path []any, format string, args ...any)) {
	for i, o := range []Origin{p.Entrypoint, p.Bundle} {
		if !strings.HasPrefix(o.Reference, "service-snapshot:"+o.SourceID+"?") ||
			!strings.Contains(o.Reference, "&sha256="+o.SHA256+"&") {
			refuse([]any{[]string{"entrypoint", "bundle"}[i], "reference"}, "must name the sourceId and the sha256 beside it")
		}
	}
	last := ""
	for i, date := range p.Revisions {
		switch {
		case !sources.IsDate(date):
			refuse([]any{"revisions", i}, "must be a date like 2026-01-08")
		case date <= last:
			refuse([]any{"revisions", i}, "must be later than the one before, %s", last)
		}
		last = date
	}
	if p.CurrentRevision != last {
		refuse([]any{"currentRevision"}, "must be the last of revisions, %s", last)
	}
	for i, a := range p.Artifacts {
		if i > 0 && canonical.CompareText(p.Artifacts[i-1].ID, a.ID) >= 0 {
			refuse([]any{"artifacts", i, "id"}, "must follow %q: artifacts are ordered by id, each once", p.Artifacts[i-1].ID)
		}
		if want := sources.ArtifactSourceID(p.SourceID, p.CurrentRevision, a.ID); a.SourceID != want {
			refuse([]any{"artifacts"}, "must hold artifacts of the current revision: %s is not %s", a.SourceID, want)
		}
		if !strings.HasPrefix(a.URL, "https://") {
			refuse([]any{"artifacts"}, "%s must be an absolute URL with https", a.URL)
		}
	}
	if want := p.sum(); p.ID != want {
		refuse([]any{"id"}, "must be %s, the SHA-256 of the rest", want)
	}
}
