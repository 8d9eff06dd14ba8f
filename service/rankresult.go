package service

import (
	"encoding/json"

	"github.com/model-catalog-service/svc/service/record"
)

// RankResultRecord is a rank result of version 3 as it is written: which candidates a
// catalog ranks, which of them are tied, which it excludes, and why.
type RankResultRecord struct {
	SchemaVersion string                        `json:"schemaVersion"` // RankResultSchemaV3
	Catalog       record.CatalogReference       `json:"catalog"`
	Task          TaskSelector                  `json:"task"` // that of the request
	Statistics    RankStatistics                `json:"statistics"`
	ScoreScale    ScoreScale                    `json:"scoreScale"`
	Ranked        record.List[RankedCandidate]  `json:"ranked"`   // the best first
	Excluded      record.List[CandidateVerdict] `json:"excluded"` // by id
}

// RankStatistics says how candidates were compared.
type RankStatistics struct {
	Confidence  float64 `json:"confidence"`  // that of the request
	Correction  string  `json:"correction"`  // none or bonferroni
	Comparisons uint64  `json:"comparisons"` // pairs of ranked candidates
	Quantile    float64 `json:"quantile"`    // of the normal distribution, as comparisons used it
}

// ScoreScale says what scores mean.
type ScoreScale struct {
	// Kind is fixed if every preference of the request has a scale, so that scores compare
	// with those of other results, or request-relative: those of this result alone compare.
	Kind    string                       `json:"kind"`
	Maximum float64                      `json:"maximum"` // the sum of the weights
	Scales  record.List[PreferenceScale] `json:"scales"`  // of each preference
}

// PreferenceScale is the ends that a preference had, nil if no candidate has a value.
type PreferenceScale struct {
	Criterion string   `json:"criterion"` // the id of the preference
	Low       *float64 `json:"low"`
	High      *float64 `json:"high"`
}

// RankedCandidate is a candidate that is not excluded.
type RankedCandidate struct {
	CandidateVerdict
	Rank int `json:"rank"` // from 1
	// TieGroup counts from 1. The evidence does not tell the candidates of a group from its
	// leader, which is the one with the highest score.
	TieGroup int     `json:"tieGroup"`
	Score    float64 `json:"score"`    // the sum of the contributions of its reasons
	Coverage float64 `json:"coverage"` // share of the weight for which there is evidence, from 0 to 1
	// Comparison is that with the leader of its tie group or, if it leads one, of the group
	// before. It is nil for the candidate with the highest score.
	Comparison *Comparison `json:"comparison"`
}

// Comparison says how far the evidence tells a candidate from the leader of a tie group.
type Comparison struct {
	Leader        string              `json:"leader"`        // the id of that candidate
	Difference    float64             `json:"difference"`    // of the scores
	StandardError *float64            `json:"standardError"` // of the difference; nil if unknown
	Margin        *float64            `json:"margin"`        // a difference up to it is a tie; nil if unknown
	Outcome       string              `json:"outcome"`       // tied, separable, or unknown for want of evidence
	Paired        record.List[string] `json:"paired"`        // ids of the preferences for which both ran the same tasks
	Unknown       record.List[string] `json:"unknown"`       // ids of those of which too little is known
}

// CandidateVerdict is how a candidate came out, and on what evidence.
type CandidateVerdict struct {
	CandidateID string                      `json:"candidateId"`
	Model       record.Model                `json:"model"`
	Execution   Execution                   `json:"execution"`
	Reasons     record.List[Reason]         `json:"reasons"`
	Evidence    record.List[RankEvidence]   `json:"evidence"`    // of each criterion that was evaluated, advisories apart
	Uncertainty record.Uncertainty          `json:"uncertainty"` // that of the observations together
	Advisories  record.List[AdvisoryAnswer] `json:"advisories"`  // by id
}

// Reason is what one criterion came to.
type Reason struct {
	Code           ReasonCode `json:"code"`
	Criterion      *string    `json:"criterion"`      // its id; nil for CoverageTooLow
	MeasurementKey *string    `json:"measurementKey"` // nil for that, and for a sum
	Summary        string     `json:"summary"`        // the same in words
	// ExecutionApplicability says how far the evidence is about the candidate's execution.
	ExecutionApplicability ExecutionApplicability `json:"executionApplicability"`
	Actual                 any                    `json:"actual,omitzero"`       // the value found: a string, float64 or bool; nil if there is none
	Estimate               *Estimate              `json:"estimate,omitzero"`     // how sure it is; nil if it is not a number
	Expected               any                    `json:"expected,omitzero"`     // the value that a requirement asks for
	Contribution           *float64               `json:"contribution,omitzero"` // what a preference added to the score
	Ambiguity              []Ambiguity            `json:"ambiguity,omitzero"`    // of AmbiguousEvidence
}

// MarshalJSON writes the estimate of a value, null included.
func (r Reason) MarshalJSON() ([]byte, error) {
	type members Reason
	if r.Actual == nil {
		return json.Marshal(members(r))
	}
	return json.Marshal(struct {
		members
		Estimate *Estimate `json:"estimate"`
	}{members(r), r.Estimate})
}

// ReasonCode is the kind of a reason.
type ReasonCode string

// The codes of reasons.
const (
	RequirementMet            ReasonCode = "REQUIREMENT_MET"
	RequirementNotMet         ReasonCode = "REQUIREMENT_NOT_MET"
	MissingEvidence           ReasonCode = "MISSING_EVIDENCE"             // for a requirement
	PreferenceEvidenceMissing ReasonCode = "PREFERENCE_EVIDENCE_MISSING"  // for a preference
	TieBreakerEvidenceMissing ReasonCode = "TIE_BREAKER_EVIDENCE_MISSING" // for a tie breaker
	StaleEvidence             ReasonCode = "STALE_EVIDENCE"               // no longer valid at the catalog's AsOf
	ConflictingEvidence       ReasonCode = "CONFLICTING_EVIDENCE"         // facts that differ
	AmbiguousEvidence         ReasonCode = "AMBIGUOUS_EVIDENCE"           // samples of several groups, such as two efforts
	IncomparableEvidence      ReasonCode = "INCOMPARABLE_EVIDENCE"        // of another execution, of mixed units or kinds, or not a number
	CoverageTooLow            ReasonCode = "COVERAGE_TOO_LOW"             // evidence for less of the weight than MinimumCoverage
	PreferenceScore           ReasonCode = "PREFERENCE_SCORE"
	TieBreakerValue           ReasonCode = "TIE_BREAKER_VALUE"
)

// Estimate says how far a number would move if it were measured again on other tasks of
// the kind. It says nothing of what the source measured wrongly.
type Estimate struct {
	Value         float64  `json:"value"`
	Unit          *string  `json:"unit"`          // nil if it has none
	N             float64  `json:"n"`             // measurements or trials that it rests on
	Clusters      *uint64  `json:"clusters"`      // how many of these are independent, such as tasks; nil if that does not matter
	StandardError *float64 `json:"standardError"` // nil if the method is unknown, as the next two
	Low           *float64 `json:"low"`           // the ends of the interval at the confidence of the result
	High          *float64 `json:"high"`
	// Method is how that was found: exact (a statement or a count), cluster-robust, wilson (a
	// share of samples), reported (by the source, as a standard error), trials (a share of
	// trials), sum (of terms), or unknown, for want of evidence.
	Method string `json:"method"`
}

// Ambiguity is a dimension in which groups of samples differ.
type Ambiguity struct {
	Dimension Dimension        `json:"dimension"` // such as runtime.id, never runtime alone
	Values    record.List[any] `json:"values"`    // strings, float64s, lists of strings and nil
}

// RankEvidence is what a criterion rests on.
type RankEvidence struct {
	Criterion      string              `json:"criterion"`      // its id
	MeasurementKey *string             `json:"measurementKey"` // nil for a sum
	ObservationIDs record.List[string] `json:"observationIds"` // sorted
	EvidenceIDs    record.List[string] `json:"evidenceIds"`    // sorted
	Overruled      record.List[string] `json:"overruled"`      // ids of observations that hold and were not used, sorted
}

// ExecutionApplicability is how far the execution scopes of the observations agree with
// the candidate's execution.
type ExecutionApplicability struct {
	MatchedKinds          record.List[string]    `json:"matchedKinds"`          // of scopes: exact, partial, or global for those that are nil
	AssertedDimensions    record.List[Dimension] `json:"assertedDimensions"`    // what the scopes speak of
	WildcardedDimensions  record.List[Dimension] `json:"wildcardedDimensions"`  // what they leave open
	MismatchedDimensions  record.List[Dimension] `json:"mismatchedDimensions"`  // where those that do not match differ
	TransferredDimensions record.List[Dimension] `json:"transferredDimensions"` // where those that match differ, as Transfer allows
}

// AdvisoryAnswer is what is known of a candidate.
type AdvisoryAnswer struct {
	Criterion              string                 `json:"criterion"`      // the id of the advisory
	MeasurementKey         *string                `json:"measurementKey"` // nil for a sum
	Status                 string                 `json:"status"`         // present, missing, stale, conflicting, incomparable or ambiguous
	Evidence               RankEvidence           `json:"evidence"`
	Uncertainty            record.Uncertainty     `json:"uncertainty"`
	ExecutionApplicability ExecutionApplicability `json:"executionApplicability"`
	Value                  any                    `json:"value,omitzero"`     // if it is present: a string, float64 or bool
	Unit                   *string                `json:"unit,omitzero"`      // of the value; nil if it has none
	Estimate               *Estimate              `json:"estimate,omitzero"`  // how sure the value is; nil if it is not a number
	Ambiguity              []Ambiguity            `json:"ambiguity,omitzero"` // if it is ambiguous
}

// MarshalJSON writes the unit and the estimate of a value, null included.
func (a AdvisoryAnswer) MarshalJSON() ([]byte, error) {
	type members AdvisoryAnswer
	if a.Value == nil {
		return json.Marshal(members(a))
	}
	return json.Marshal(struct {
		members
		Unit     *string   `json:"unit"`
		Estimate *Estimate `json:"estimate"`
	}{members(a), a.Unit, a.Estimate})
}

// RankExplanation says how one candidate came out, criterion by criterion down to the
// observations that were looked at.
type RankExplanation struct {
	SchemaVersion string                            `json:"schemaVersion"` // RankExplanationSchema
	Catalog       record.CatalogReference           `json:"catalog"`
	Request       RequestReference                  `json:"request"`
	Candidate     ExplainedCandidate                `json:"candidate"`
	Placement     CandidatePlacement                `json:"placement"`
	Criteria      record.List[CriterionExplanation] `json:"criteria"` // in the order of the request
}

// RequestReference names a rank request.
type RequestReference struct {
	SHA256 string `json:"sha256"` // of its normal form, see [RankRequest.JSON]
}

// ExplainedCandidate is the candidate, in normal form.
type ExplainedCandidate struct {
	ID        string       `json:"id"`
	Model     record.Model `json:"model"`
	Execution Execution    `json:"execution"`
}

// CandidatePlacement is where a candidate ended. Members are as in RankedCandidate, and
// nil if it is excluded; those that only version 3 has are nil in earlier ones, too.
type CandidatePlacement struct {
	Excluded   *string     `json:"excluded"` // by what: requirement or coverage; nil if it is ranked
	Rank       *uint64     `json:"rank"`
	TieGroup   *uint64     `json:"tieGroup"`
	Score      *float64    `json:"score"`
	Coverage   *float64    `json:"coverage"`
	Comparison *Comparison `json:"comparison"`
}

// CriterionExplanation is a criterion, evaluated for the candidate. A sum has no entries:
// an explanation for each of its terms follows, with the same role and criterion.
type CriterionExplanation struct {
	Role           string       `json:"role"`           // requirement, preference, tieBreaker or advisory
	Criterion      string       `json:"criterion"`      // its id
	MeasurementKey *string      `json:"measurementKey"` // nil for a sum
	Aggregation    *Aggregation `json:"aggregation"`    // nil for a sum
	Status         string       `json:"status"`         // ok, missing, stale, incomparable, ambiguous or conflict
	// Code is that of its reason or, of an advisory that has no value, ADVISORY_MISSING,
	// ADVISORY_STALE, ADVISORY_CONFLICTING, ADVISORY_INCOMPARABLE or ADVISORY_AMBIGUOUS. It is
	// nil if the ranking did not come to the criterion.
	Code         *ReasonCode                    `json:"code"`
	Value        any                            `json:"value"` // a string, float64 or bool; nil if the status is not ok
	Unit         *string                        `json:"unit"`
	Estimate     *Estimate                      `json:"estimate"`
	Weight       *float64                       `json:"weight"` // of a preference
	Lowest       *float64                       `json:"lowest"` // the ends of its scale
	Highest      *float64                       `json:"highest"`
	Normalized   *float64                       `json:"normalized"`   // place on the scale from 0 to 1, the better end being 1
	Contribution *float64                       `json:"contribution"` // to the score
	Entries      record.List[MeasurementReview] `json:"entries"`      // used ones first, then by id; at most 32
	EntryCount   uint64                         `json:"entryCount"`   // how many there are
}

// MeasurementReview is a measurement of the criterion's key, kind and unit, of the
// candidate's model id, and whether it was used.
type MeasurementReview struct {
	ObservationID string                        `json:"observationId"`
	Value         any                           `json:"value"`     // a string, float64 or bool
	Unit          *string                       `json:"unit"`      // nil if it has none
	Use           string                        `json:"use"`       // used, overruled, expired, other-scope, other-task, other-source or invalid
	Differing     record.List[Dimension]        `json:"differing"` // in what it differs from the candidate
	ObservedAt    record.Timestamp              `json:"observedAt"`
	ValidUntil    *record.Timestamp             `json:"validUntil"`  // nil: without end
	SourceClass   string                        `json:"sourceClass"` // first-party or external
	Task          *MeasuredTask                 `json:"task"`        // nil: whatever the task
	Evidence      record.List[MeasuredEvidence] `json:"evidence"`    // by id
}

// MeasuredTask is what was measured, and who judged.
type MeasuredTask struct {
	TaskSelector
	Evaluator record.Component `json:"evaluator"`
}

// MeasuredEvidence is where a measurement can be seen.
type MeasuredEvidence struct {
	ID     string  `json:"id"`
	URI    *string `json:"uri"`    // nil if there is none
	SHA256 *string `json:"sha256"` // of what is there; nil if unknown
}
