package service

import "github.com/model-catalog-service/svc/internal/sources/discovery"

// SourceProposalSchema is the schema version of a proposal of revisions.
const SourceProposalSchema = discovery.ProposalSchema

type (
	// DiscoveryRequest is what the releases of a source are discovered from: a
	// pinned index page and the pinned main bundle that it names.
	DiscoveryRequest = discovery.Request
	// SourceProposal says which revisions a source was found to have. It is for a
	// person to review, and approves nothing.
	SourceProposal = discovery.Proposal
)

// LocateSourceBundle returns the URL of the main bundle that a pinned index page
// names. Its errors, as those of all discovery, have code
// INVALID_SOURCE_DISCOVERY.
func LocateSourceBundle(index SourceFile, source string, m *SourceManifest) (string, error) {
	return discovery.Bundle(index, source, m)
}

// DiscoverSourceRevisions finds the releases that an index page and its main
// bundle tell of.
func DiscoverSourceRevisions(req DiscoveryRequest) (*SourceProposal, error) {
	return discovery.Propose(req)
}

// ParseSourceProposal reads a proposal and demands that its parts fit each other.
func ParseSourceProposal[T text](proposal T) (*SourceProposal, error) {
	return discovery.ReadProposal(SourceText{Text: string(proposal)})
}
