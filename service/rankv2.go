package service

import (
	"encoding/json"
	"errors"

	"github.com/model-catalog-service/svc/service/record"
)

// RecordV2 returns the members of a request of version 1 or 2. It fails if the request
// has version 3: [RankRequest.Record] returns those.
func (q *RankRequest) RecordV2() (*RankRequestRecordV2, error) {
	if q.inner.Earlier == nil {
		return nil, errors.New("a request of version 3 has another record: see Record")
	}
	return decode[*RankRequestRecordV2]([]byte(q.JSON())), nil
}

// RecordV2 returns the members of a result of version 1 or 2. It fails if the request
// had version 3: [RankResult.Record] returns those.
func (r *RankResult) RecordV2() (*RankResultRecordV2, error) {
	if r.inner.Earlier == nil {
		return nil, errors.New("a result of version 3 has another record: see Record")
	}
	text, err := r.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return decode[*RankResultRecordV2](text), nil
}

// RankRequestRecordV2 is a rank request of version 1 or 2 as it is written: the
// candidates that can be run, what the job demands and what is preferred. Marshal it and
// hand the text to [ValidateRankRequest].
type RankRequestRecordV2 struct {
	SchemaVersion string                     `json:"schemaVersion"` // RankRequestSchemaV1 or V2
	Task          RankTaskV2                 `json:"task"`
	Inventory     record.List[CandidateV2]   `json:"inventory"`    // each id once
	Requirements  record.List[RequirementV2] `json:"requirements"` // each once
	Preferences   record.List[PreferenceV2]  `json:"preferences"`  // each once; their weights add up to a finite number
	// Advisories are nil in version 1. In version 2 they are required: an empty
	// list if nothing is asked.
	Advisories []AdvisoryV2 `json:"advisories,omitzero"`
}

// RankTaskV2 is the job.
type RankTaskV2 struct {
	Family string  `json:"family"` // such as software-engineering
	Suite  *string `json:"suite"`  // nil: any suite of the family
}

// CandidateV2 is a model that can be run, and how.
type CandidateV2 struct {
	ID        string         `json:"id"` // how the caller calls it
	Model     record.Model   `json:"model"`
	Execution record.Profile `json:"execution"`
}

// RequirementV2 excludes the candidates that do not meet it.
type RequirementV2 struct {
	MeasurementKey string      `json:"measurementKey"`
	Aggregation    Aggregation `json:"aggregation"`
	Operator       string      `json:"operator"`               // eq: equal; gte: at least; lte: at most
	Value          any         `json:"value"`                  // a string, a number or a bool; a number with gte and lte
	SourceClasses  []string    `json:"sourceClasses,omitzero"` // first-party, external; nil: both
}

// PreferenceV2 scores candidates.
type PreferenceV2 struct {
	MeasurementKey string      `json:"measurementKey"`
	Aggregation    Aggregation `json:"aggregation"`
	Direction      string      `json:"direction"`              // maximize or minimize
	Weight         float64     `json:"weight"`                 // what the best candidate gets for it, more than 0
	SourceClasses  []string    `json:"sourceClasses,omitzero"` // first-party, external; nil: both
}

// AdvisoryV2 asks what is known of the candidates, without effect on their order.
type AdvisoryV2 struct {
	ID             string      `json:"id"` // how the caller calls it
	MeasurementKey string      `json:"measurementKey"`
	Aggregation    Aggregation `json:"aggregation"`
	SourceClasses  []string    `json:"sourceClasses,omitzero"` // first-party, external; nil: both
}

// RankResultRecordV2 is a rank result of version 1 or 2 as it is written: which candidates a catalog
// ranks and which it excludes, and why.
type RankResultRecordV2 struct {
	SchemaVersion string                          `json:"schemaVersion"` // RankResultSchemaV1 or V2
	Catalog       record.CatalogReference         `json:"catalog"`
	Task          RankTaskV2                      `json:"task"`
	ScoreScale    ScoreScaleV2                    `json:"scoreScale"`
	Ranked        record.List[RankedCandidateV2]  `json:"ranked"`   // those that meet all requirements, the best first
	Excluded      record.List[CandidateVerdictV2] `json:"excluded"` // those that do not, by id
}

// ScoreScaleV2 says what scores mean.
type ScoreScaleV2 struct {
	Kind    string  `json:"kind"`    // request-relative: scores compare the candidates of this request alone
	Maximum float64 `json:"maximum"` // the sum of the weights
}

// RankedCandidateV2 is a candidate that meets all requirements.
type RankedCandidateV2 struct {
	CandidateVerdictV2
	Rank  int     `json:"rank"`  // from 1
	Score float64 `json:"score"` // the sum of the contributions of its reasons
}

// CandidateVerdictV2 is how a candidate came out, and on what evidence.
type CandidateVerdictV2 struct {
	CandidateID string                      `json:"candidateId"`
	Model       record.Model                `json:"model"`
	Execution   record.Profile              `json:"execution"`
	Reasons     record.List[ReasonV2]       `json:"reasons"`
	Evidence    record.List[RankEvidenceV2] `json:"evidence"`    // of each requirement and preference
	Uncertainty record.Uncertainty          `json:"uncertainty"` // the worst of the observations
	// Advisories are the answers to the advisories, by id; nil in version 1.
	Advisories []AdvisoryAnswerV2 `json:"advisories,omitzero"`
}

// ReasonV2 is what one requirement or preference came to.
type ReasonV2 struct {
	Code           ReasonCode `json:"code"`
	MeasurementKey string     `json:"measurementKey"`
	Summary        string     `json:"summary"`               // the same in words
	Actual         any        `json:"actual,omitzero"`       // the value found, nil if there is none
	Expected       any        `json:"expected,omitzero"`     // the value that a requirement asks for
	Contribution   *float64   `json:"contribution,omitzero"` // what a preference added to the score
	// ExecutionApplicability is nil in version 1.
	ExecutionApplicability *ExecutionApplicabilityV2 `json:"executionApplicability,omitzero"`
}

// RankEvidenceV2 is what a requirement, preference or advisory rests on.
type RankEvidenceV2 struct {
	MeasurementKey string              `json:"measurementKey"`
	ObservationIDs record.List[string] `json:"observationIds"` // sorted
	EvidenceIDs    record.List[string] `json:"evidenceIds"`    // sorted
}

// ExecutionApplicabilityV2 is how far the execution scopes of the observations agree
// with the candidate's execution.
type ExecutionApplicabilityV2 struct {
	MatchedKinds         record.List[string]    `json:"matchedKinds"`         // of scopes: exact, partial, or global for those that are nil
	AssertedDimensions   record.List[Dimension] `json:"assertedDimensions"`   // what the scopes speak of
	WildcardedDimensions record.List[Dimension] `json:"wildcardedDimensions"` // what they leave open
	MismatchedDimensions record.List[Dimension] `json:"mismatchedDimensions"` // where those that do not match differ
}

// AdvisoryAnswerV2 is what is known of a candidate.
type AdvisoryAnswerV2 struct {
	AdvisoryV2
	Status                 string                   `json:"status"` // present, missing, stale, conflicting or incomparable
	Evidence               RankEvidenceV2           `json:"evidence"`
	Uncertainty            record.Uncertainty       `json:"uncertainty"`
	ExecutionApplicability ExecutionApplicabilityV2 `json:"executionApplicability"`
	Value                  any                      `json:"value,omitzero"` // if it is present: a string, float64 or bool
	Unit                   *string                  `json:"unit,omitzero"`  // of the value; nil if it has none
}

// MarshalJSON writes the unit of a value, null included.
func (a AdvisoryAnswerV2) MarshalJSON() ([]byte, error) {
	type members AdvisoryAnswerV2
	if a.Value == nil {
		return json.Marshal(members(a))
	}
	return json.Marshal(struct {
		members
		Unit *string `json:"unit"`
	}{members(a), a.Unit})
}
