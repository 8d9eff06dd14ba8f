package discovery

import (
	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/sources"
)

// ProposalSchema is the schema version of a proposal.
const ProposalSchema = "service.source-revision-proposal/v1"

// Proposal says which revisions a source was found to have, from which bytes,
// and what the newest is made of.
type Proposal struct {
	ID              string // SHA-256 of the canonical JSON of the rest
	SourceID        string
	ManifestDigest  string
	Adapter         string // of the resolver
	Version         string // of that adapter
	Entrypoint      Origin
	Bundle          Origin
	Revisions       []string // rising
	CurrentRevision string   // the last of them
	Artifacts       []Artifact
}

// Origin is a snapshot that a proposal was made from.
type Origin struct{ SourceID, URL, SHA256, Reference string }

// Artifact is a resource of the current revision, ordered by ID.
type Artifact struct {
	ID, SourceID, URL, MediaType string
	Required                     bool
	MaxBytes                     uint64
}

func newProposal(s *sources.Source, m *sources.Manifest, index, bundle *sources.Snapshot, dates []string) *Proposal {
	p := &Proposal{
		SourceID:        s.ID,
		ManifestDigest:  m.Digest(),
		Adapter:         s.Resolver.Adapter,
		Version:         s.Resolver.Version,
		Entrypoint:      originOf(index),
		Bundle:          originOf(bundle),
		Revisions:       dates,
		CurrentRevision: dates[len(dates)-1],
	}
	for i := range s.Artifacts.Items {
		item := &s.Artifacts.Items[i]
		p.Artifacts = append(p.Artifacts, Artifact{
			ID:        item.ID,
			SourceID:  artifactID(s.ID, p.CurrentRevision, item.ID),
			URL:       item.URL(p.CurrentRevision),
			MediaType: item.MediaType,
			Required:  item.Required,
			MaxBytes:  item.MaxBytes,
		})
	}
	p.ID = canonical.Sum(p.appendJSON(nil, false))
	return p
}

// artifactID is how envelopes call an artifact.
func artifactID(source, revision, artifact string) string {
	return source + "-" + revision + "-" + artifact
}

func originOf(s *sources.Snapshot) Origin {
	e := s.Envelope()
	return Origin{SourceID: e.SourceID, URL: e.URL, SHA256: e.BodySHA256, Reference: e.Reference}
}

// JSON is the proposal as canonical JSON.
func (p *Proposal) JSON() []byte { return p.appendJSON(nil, true) }

func (p *Proposal) appendJSON(dst []byte, withID bool) []byte {
	e := canonical.Encoder{Buf: dst}
	e.Raw(`{"artifacts":[`)
	for i := range p.Artifacts {
		if i > 0 {
			e.Raw(`,`)
		}
		p.Artifacts[i].encode(&e)
	}
	e.Raw(`],"bundle":`)
	p.Bundle.encode(&e)
	e.Raw(`,"currentRevision":`)
	e.Text(p.CurrentRevision)
	e.Raw(`,"entrypoint":`)
	p.Entrypoint.encode(&e)
	if withID {
		e.Raw(`,"id":`)
		e.Text(p.ID)
	}
	e.Raw(`,"manifestDigest":`)
	e.Text(p.ManifestDigest)
	e.Raw(`,"resolver":{"adapter":`)
	e.Text(p.Adapter)
	e.Raw(`,"version":`)
	e.Text(p.Version)
	e.Raw(`},"revisions":`)
	e.Texts(p.Revisions)
	e.Raw(`,"schemaVersion":"` + ProposalSchema + `","sourceId":`)
	e.Text(p.SourceID)
	e.Raw(`}`)
	return e.Buf
}

func (a *Artifact) encode(e *canonical.Encoder) {
	e.Raw(`{"id":`)
	e.Text(a.ID)
	e.Raw(`,"maxBytes":`)
	e.Uint(a.MaxBytes)
	e.Raw(`,"mediaType":`)
	e.Text(a.MediaType)
	e.Raw(`,"required":`)
	e.Bool(a.Required)
	e.Raw(`,"sourceId":`)
	e.Text(a.SourceID)
	e.Raw(`,"url":`)
	e.Text(a.URL)
	e.Raw(`}`)
}

func (o *Origin) encode(e *canonical.Encoder) {
	e.Raw(`{"reference":`)
	e.Text(o.Reference)
	e.Raw(`,"sha256":`)
	e.Text(o.SHA256)
	e.Raw(`,"sourceId":`)
	e.Text(o.SourceID)
	e.Raw(`,"url":`)
	e.Text(o.URL)
	e.Raw(`}`)
}
