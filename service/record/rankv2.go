package record

// Schema versions of rank requests and results that stay as they are. Version 3 is the one to use.
const (
	RankRequestSchemaV1 = "service.rank.request/v1"
	RankRequestSchemaV2 = "service.rank.request/v2"
	RankResultSchemaV1  = "service.rank.result/v1"
	RankResultSchemaV2  = "service.rank.result/v2"
)

// RankRequestV2 is a rank request of version 1 or 2: the candidates that can be run, what the job
// demands and what is preferred. At most 128 candidates, requirements and preferences each; texts
// have at most 256 bytes.
type RankRequestV2 struct {
	SchemaVersion string              `json:"schemaVersion" is:"service.rank.request/v1 service.rank.request/v2"`
	Task          RankTaskV2          `json:"task"`
	Inventory     List[CandidateV2]   `json:"inventory"`    // each id once
	Requirements  List[RequirementV2] `json:"requirements"` // each once
	Preferences   List[PreferenceV2]  `json:"preferences"`  // each once; their weights add up to a finite number
	// Advisories are nil in version 1. In version 2 they are required: an empty list if nothing is
	// asked, and at most 64.
	Advisories []AdvisoryV2 `json:"advisories,omitzero"`
}

// RankTaskV2 is the job.
type RankTaskV2 struct {
	Family string `json:"family"` // such as software-engineering
	Suite  Text   `json:"suite"`  // null: any suite of the family
}

// CandidateV2 is a model that can be run, and how.
type CandidateV2 struct {
	ID        string  `json:"id"` // how the caller calls it
	Model     Model   `json:"model"`
	Execution Profile `json:"execution"`
}

// CriterionV2 says which measurements count and what is made of them.
type CriterionV2 struct {
	MeasurementKey string `json:"measurementKey"`
	// Aggregation is fact, the one value that facts state; mean, min or max of samples that are
	// numbers; success-rate, the share of samples that are true; or count of the samples.
	Aggregation string `json:"aggregation" is:"fact mean min max success-rate count"`
}

// RequirementV2 excludes the candidates that do not meet it.
type RequirementV2 struct {
	CriterionV2
	Operator      string   `json:"operator" is:"eq gte lte"` // eq: equal; gte: at least; lte: at most
	Value         Scalar   `json:"value"`                    // a number with gte and lte
	SourceClasses []string `json:"sourceClasses,omitzero"`   // first-party, external; nil: both
}

// PreferenceV2 scores candidates.
type PreferenceV2 struct {
	CriterionV2
	Direction     string   `json:"direction" is:"maximize minimize"` // maximize or minimize
	Weight        float64  `json:"weight"`                           // what the best candidate gets for it, more than 0
	SourceClasses []string `json:"sourceClasses,omitzero"`           // first-party, external; nil: both
}

// AdvisoryV2 asks what is known of the candidates, without effect on their order.
type AdvisoryV2 struct {
	ID string `json:"id"` // how the caller calls it
	CriterionV2
	SourceClasses []string `json:"sourceClasses,omitzero"` // first-party, external; nil: both
}

// RankResultV2 is a rank result of version 1 or 2: which candidates a catalog ranks and which it
// excludes, and why.
type RankResultV2 struct {
	SchemaVersion string                    `json:"schemaVersion" is:"service.rank.result/v1 service.rank.result/v2"`
	Catalog       CatalogReference          `json:"catalog"`
	Task          RankTaskV2                `json:"task"`
	ScoreScale    ScoreScaleV2              `json:"scoreScale"`
	Ranked        List[RankedCandidateV2]   `json:"ranked"`   // those that meet all requirements, the best first
	Excluded      List[ExcludedCandidateV2] `json:"excluded"` // those that do not, by id
}

// ScoreScaleV2 says what scores mean.
type ScoreScaleV2 struct {
	Kind    string  `json:"kind" is:"request-relative"` // request-relative: scores compare within one result alone
	Maximum float64 `json:"maximum"`                    // the sum of the weights
}

// RankedCandidateV2 is a candidate that meets all requirements.
type RankedCandidateV2 struct {
	JudgedCandidateV2
	Rank  int     `json:"rank"`  // from 1
	Score float64 `json:"score"` // the sum of the contributions of its reasons
	GroundsV2
}

// ExcludedCandidateV2 is a candidate that does not meet all requirements.
type ExcludedCandidateV2 struct {
	JudgedCandidateV2
	GroundsV2
}

// JudgedCandidateV2 is a candidate of the request.
type JudgedCandidateV2 struct {
	CandidateID string  `json:"candidateId"`
	Model       Model   `json:"model"`
	Execution   Profile `json:"execution"`
}

// GroundsV2 is how a candidate came out, and on what evidence.
type GroundsV2 struct {
	Reasons     List[ReasonV2]       `json:"reasons"`
	Evidence    List[RankEvidenceV2] `json:"evidence"`    // of each requirement and preference
	Uncertainty Uncertainty          `json:"uncertainty"` // the worst of the observations
	// Advisories are the answers to the advisories, by id; nil in version 1.
	Advisories []AdvisoryAnswerV2 `json:"advisories,omitzero"`
}

// ReasonV2 is what one requirement or preference came to.
type ReasonV2 struct {
	Code           ReasonCodeV2 `json:"code"`
	MeasurementKey string       `json:"measurementKey"`
	Summary        string       `json:"summary"`               // the same in words
	Actual         Scalar       `json:"actual,omitzero"`       // the value found
	Expected       Scalar       `json:"expected,omitzero"`     // the value that a requirement asks for
	Contribution   *float64     `json:"contribution,omitzero"` // what a preference added to the score
	// ExecutionApplicability is nil in version 1.
	ExecutionApplicability *ExecutionApplicabilityV2 `json:"executionApplicability,omitzero"`
}

// ReasonCodeV2 is REQUIREMENT_MET, REQUIREMENT_NOT_MET or PREFERENCE_SCORE, if there was a value;
// else MISSING_EVIDENCE for a requirement, PREFERENCE_EVIDENCE_MISSING for a preference,
// STALE_EVIDENCE, CONFLICTING_EVIDENCE, or INCOMPARABLE_EVIDENCE.
type ReasonCodeV2 string

// Words returns the codes, sorted.
func (ReasonCodeV2) Words() []string {
	return []string{
		"CONFLICTING_EVIDENCE", "INCOMPARABLE_EVIDENCE", "MISSING_EVIDENCE", "PREFERENCE_EVIDENCE_MISSING",
		"PREFERENCE_SCORE", "REQUIREMENT_MET", "REQUIREMENT_NOT_MET", "STALE_EVIDENCE",
	}
}

// RankEvidenceV2 is what a requirement, preference or advisory rests on.
type RankEvidenceV2 struct {
	MeasurementKey string       `json:"measurementKey"`
	ObservationIDs List[string] `json:"observationIds" is:"hash"` // sorted
	EvidenceIDs    List[string] `json:"evidenceIds" each:"once"`  // sorted
}

// ExecutionApplicabilityV2 is how far the execution scopes of the observations agree with the
// candidate's execution.
type ExecutionApplicabilityV2 struct {
	MatchedKinds         List[ScopeKindV2] `json:"matchedKinds"`
	AssertedDimensions   List[DimensionV2] `json:"assertedDimensions"`   // what the scopes speak of
	WildcardedDimensions List[DimensionV2] `json:"wildcardedDimensions"` // what they leave open
	MismatchedDimensions List[DimensionV2] `json:"mismatchedDimensions"` // where those that do not match differ
}

// ScopeKindV2 is the kind of an execution scope: exact, partial, or global for null.
type ScopeKindV2 string

// Words returns the kinds, sorted.
func (ScopeKindV2) Words() []string { return []string{ScopeExact, "global", ScopePartial} }

// DimensionV2 is a part of an execution: execution for all of it, runtime, runtime.id,
// runtime.version, adapter, adapter.id, adapter.version, effectiveContextTokens, toolSurface,
// hardware, hardware.class, hardware.accelerator, hardware.memoryBytes, workflow, workflow.id,
// workflow.version or workflow.condition.
type DimensionV2 string

// Words returns the dimensions, sorted.
func (DimensionV2) Words() []string {
	return []string{
		"adapter", "adapter.id", "adapter.version", "effectiveContextTokens", "execution",
		"hardware", "hardware.accelerator", "hardware.class", "hardware.memoryBytes",
		"runtime", "runtime.id", "runtime.version", "toolSurface",
		"workflow", "workflow.condition", "workflow.id", "workflow.version",
	}
}

// AdvisoryAnswerV2 is what is known of a candidate.
type AdvisoryAnswerV2 struct {
	AdvisoryV2
	// Status is present, missing, stale, conflicting or incomparable.
	Status                 string                   `json:"status" is:"missing stale conflicting incomparable present"`
	Evidence               RankEvidenceV2           `json:"evidence"`
	Uncertainty            Uncertainty              `json:"uncertainty"`
	ExecutionApplicability ExecutionApplicabilityV2 `json:"executionApplicability"`
	Value                  Scalar                   `json:"value,omitzero"` // if it is present
	// Unit is that of the value, if it is present; null if it has none.
	Unit *Text `json:"unit,omitzero"`
}
