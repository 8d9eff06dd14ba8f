package service

import (
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources/discovery"
	"github.com/model-catalog-service/svc/service/record"
)

// SourceProposalSchema is the schema version of a proposal of revisions.
const SourceProposalSchema = "service.source-revision-proposal/v1"

// DiscoveryRequest is what the releases of a source are discovered from.
type DiscoveryRequest struct {
	Manifest *SourceManifest
	Source   string     // its id
	Index    SourceFile // a pinned index page
	Bundle   SourceFile // the pinned main bundle that the page names
	// AssetManifest is the asset manifest of the site, for when the bundle that the
	// page names is gone. Its Text is empty if there is none.
	AssetManifest NamedText
}

// SourceProposal says which revisions a source was found to have, from which
// bytes. It is for a person to review, and approves nothing.
type SourceProposal struct {
	SchemaVersion   string                        `json:"schemaVersion"` // SourceProposalSchema
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

// LocateSourceBundle returns the URL of the main bundle that a pinned index page
// names. Its errors, as those of all discovery, have code
// [InvalidSourceDiscovery].
func LocateSourceBundle(index SourceFile, source string, m *SourceManifest) (string, error) {
	url, err := discovery.Bundle(index.file(), source, m.orNil())
	return url, publish(err)
}

// DiscoverSourceRevisions finds the releases that an index page and its main
// bundle announce.
func DiscoverSourceRevisions(request DiscoveryRequest) (*SourceProposal, error) {
	return newProposal(discovery.Propose(discovery.Request{
		Manifest: request.Manifest.orNil(), Source: request.Source, Index: request.Index.file(),
		Bundle:        request.Bundle.file(),
		AssetManifest: problem.Source(request.AssetManifest),
	}))
}

// ParseSourceProposal reads a proposal and demands that its parts fit each other.
func ParseSourceProposal[T Text](proposal T) (*SourceProposal, error) {
	return newProposal(discovery.ReadProposal(problem.Source{Text: string(proposal)}))
}

func newProposal(p *discovery.Proposal, err error) (*SourceProposal, error) {
	if err != nil {
		return nil, publish(err)
	}
	return decode[*SourceProposal](p.JSON()), nil
}
