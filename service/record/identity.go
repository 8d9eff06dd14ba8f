package record

// OfferIdentitiesSchema is the schema version of [OfferIdentities].
const OfferIdentitiesSchema = "service.offer-identities/v1"

// OfferIdentities says of each row of price lists which model it is, and how that is known.
type OfferIdentities struct {
	SchemaVersion string              `json:"schemaVersion" is:"service.offer-identities/v1"`
	Rules         List[string]        `json:"rules"`  // versions of the rules and of the tables that they read
	Offers        List[OfferIdentity] `json:"offers"` // by source, then row
}

// OfferIdentity is what a row of a price list is.
type OfferIdentity struct {
	Source   string       `json:"source"`
	Row      string       `json:"row"` // its id in the list
	Kind     string       `json:"kind" is:"alias offer router"`
	Model    *Model       `json:"model"`    // nil if it is none, or not known
	Services List[string] `json:"services"` // what the seller does otherwise than usual, sorted
	Region   Text         `json:"region"`
	Runtime  string       `json:"runtime"`  // of the offer; see [OfferRuntime]
	Rule     string       `json:"rule"`     // by which the model is known
	Entry    Text         `json:"entry"`    // the line of the table, the decision or the statement that says it
	Disputed Text         `json:"disputed"` // the model that the list states, where the name says another
}

// IdentityProposalsSchema is the schema version of [IdentityProposals].
const IdentityProposalsSchema = "service.identity-proposals/v2"

// IdentityProposals are the models that the rows of a source may be, for a person to accept.
type IdentityProposals struct {
	SchemaVersion string                   `json:"schemaVersion" is:"service.identity-proposals/v2"`
	Source        string                   `json:"source"`
	Rules         string                   `json:"rules"` // their version
	Crosswalks    List[CrosswalkReference] `json:"crosswalks"`
	Proposals     List[IdentityProposal]   `json:"proposals"` // by row
	Open          List[OpenIdentity]       `json:"open"`      // by row
}

// CrosswalkReference names a list of models and their names.
type CrosswalkReference struct {
	SourceID string `json:"sourceId"`
	SHA256   string `json:"sha256" is:"hash"` // of its bytes
}

// IdentityProposal is which model a row may be.
type IdentityProposal struct {
	ID        string `json:"id,omitzero"` // the first 12 hexadecimal digits of the SHA-256 of the rest
	Row       string `json:"row"`
	Label     string `json:"label"`    // what the source calls it
	Model     string `json:"model"`    // its id
	Revision  Text   `json:"revision"` // where the label tells one that is not the only one known
	Condition Text   `json:"workflowCondition"`
	Rule      string `json:"rule"`
	Crosswalk string `json:"crosswalk"` // the source of it, or the version of the rules
	Entry     string `json:"entry"`     // what that calls the model
}

// OpenIdentity is a row for which nothing is proposed.
type OpenIdentity struct {
	Row        string       `json:"row"`
	Label      string       `json:"label"`
	Reason     string       `json:"reason" is:"ambiguous does-not-reason no-name several-models"`
	Candidates List[string] `json:"candidates"` // at most 64
}
