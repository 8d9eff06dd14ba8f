package sources

import (
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources/discovery"
	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/internal/outward"
	"github.com/model-catalog-service/svc/service/record"
)

// ProposalSchema is the schema version of a proposal of revisions.
const ProposalSchema = "service.source-revision-proposal/v1"

// DiscoveryRequest is what the releases of a source are discovered from.
type DiscoveryRequest struct {
	Manifest *Manifest
	Source   string // its id
	Index    File   // a pinned index page
	Bundle   File   // the pinned main bundle that the page names
	// AssetManifest is the asset manifest of the site, for when the bundle that the
	// page names is gone. Its Text is empty if there is none.
	AssetManifest service.NamedText
}

// Proposal says which revisions a source was found to have, from which
// bytes. It is for a person to review, and approves nothing.
type Proposal struct {
	SchemaVersion   string                        `json:"schemaVersion"` // ProposalSchema
	ID              string                        `json:"id"`            // SHA-256 of the canonical JSON of the rest
	SourceID        string                        `json:"sourceId"`
	ManifestDigest  string                        `json:"manifestDigest"`
	Resolver        ProposalResolver              `json:"resolver"`
	Entrypoint      ProposalOrigin                `json:"entrypoint"` // the page that was read first
	Bundle          ProposalOrigin                `json:"bundle"`     // the script that it led to
	Revisions       record.List[string]           `json:"revisions"`  // dates such as 2026-01-08, the oldest first
	CurrentRevision string                        `json:"currentRevision"`
	Artifacts       record.List[ProposalArtifact] `json:"artifacts"` // of the current revision, by id
}

// ProposalResolver is what found the revisions.
type ProposalResolver struct {
	Adapter string `json:"adapter"`
	Version string `json:"version"`
}

// ProposalOrigin is a snapshot that a proposal was made from.
type ProposalOrigin struct {
	Reference string `json:"reference"` // that of its envelope
	SHA256    string `json:"sha256"`    // of its body
	SourceID  string `json:"sourceId"`
	URL       string `json:"url"`
}

// ProposalArtifact is a resource of the current revision.
type ProposalArtifact struct {
	ID        string `json:"id"`
	Required  bool   `json:"required"`
	SourceID  string `json:"sourceId"` // how envelopes call it
	URL       string `json:"url"`
	MediaType string `json:"mediaType"`
	MaxBytes  uint64 `json:"maxBytes"`
}

// LocateBundle returns the URL of the main bundle that a pinned index page
// names. Its errors, as those of all discovery, have code
// [service.InvalidSourceDiscovery].
func LocateBundle(index File, source string, m *Manifest) (string, error) {
	url, err := discovery.Bundle(index.file(), source, m.inside())
	return url, outward.Error(err)
}

// Discover finds the releases that an index page and its main
// bundle announce.
func Discover(request DiscoveryRequest) (*Proposal, error) {
	return newProposal(discovery.Propose(discovery.Request{
		Manifest: request.Manifest.inside(), Source: request.Source, Index: request.Index.file(),
		Bundle:        request.Bundle.file(),
		AssetManifest: problem.Source(request.AssetManifest),
	}))
}

// ParseProposal reads a proposal and demands that its parts fit each other.
func ParseProposal[T service.Text](proposal T) (*Proposal, error) {
	return newProposal(discovery.ReadProposal(problem.Source{Text: string(proposal)}))
}

func newProposal(p *discovery.Proposal, err error) (*Proposal, error) {
	if err != nil {
		return nil, outward.Error(err)
	}
	return outward.Decode[*Proposal](p.JSON()), nil
}
