package record

// ComparisonSchema is the schema version of [Comparison].
const ComparisonSchema = "service.comparison/v1"

// Comparison holds a few models against each other: what was measured of them, and what providers
// state.
type Comparison struct {
	SchemaVersion string                  `json:"schemaVersion" is:"service.comparison/v1"`
	Catalog       CatalogReference        `json:"catalog"`
	Confidence    float64                 `json:"confidence"` // of intervals; comparisons of more than two are corrected
	Task          *TaskTokens             `json:"task"`       // null if the catalog has no prices
	Candidates    List[ComparedCandidate] `json:"candidates"` // as they were asked for
	Measured      List[ComparedKey]       `json:"measured"`   // quality first
	Stated        List[ComparedKey]       `json:"stated"`     // prices first, then limits
	Answer        List[string]            `json:"answer"`     // what it comes to, in sentences
	Notes         List[string]            `json:"notes"`      // what the answer takes as given
}

// ComparedCandidate is a model as it runs at a provider.
type ComparedCandidate struct {
	CandidateID string `json:"candidateId"`
	Model       Model  `json:"model"`
	Runtime     Text   `json:"runtime"`    // the provider; null: nowhere in particular
	Condition   Text   `json:"condition"`  // such as effort=high; null: none
	USDPerTask  Float  `json:"usdPerTask"` // null if a price is not known
	USDTotal    Float  `json:"usdTotal"`   // of all requests; null as above, and if their number is not given
}

// ComparedKey is a measurement key with what each candidate has under it.
type ComparedKey struct {
	MeasurementKey string              `json:"measurementKey"`
	Name           Text                `json:"name"`                // for people
	Direction      KeyDirection        `json:"direction" or:"null"` // which way is better; null: neither
	Values         List[ComparedValue] `json:"values"`              // of each candidate, in their order
	Shown          List[ShownBetter]   `json:"shown"`               // whom the evidence shows to be better than whom
	// Verdict says that in a sentence; null for what is stated, and where fewer than two have a value.
	Verdict Text `json:"verdict"`
}

// ComparedValue is what a candidate has under a key.
type ComparedValue struct {
	// Status is ok, or why there is no one value: missing, stale, incomparable, ambiguous or conflict.
	Status     string            `json:"status" is:"missing stale incomparable ambiguous conflict ok"`
	Values     List[StatedValue] `json:"values"` // one, several that contradict each other, or none
	Estimate   *RankEstimate     `json:"estimate"`
	ObservedAt Timestamp         `json:"observedAt" or:"null"` // of the newest observation
	ValidUntil Timestamp         `json:"validUntil" or:"null"` // of the first that expires; null: without end
}

// ShownBetter says that one candidate is shown to be better than another.
type ShownBetter struct {
	Better string `json:"better"` // ids of candidates
	Worse  string `json:"worse"`
	Shared Count  `json:"shared"` // how many tasks of both decided that; null: the two intervals did
}
