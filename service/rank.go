package service

import (
	"context"
	"errors"
	"fmt"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank"
)

// Schema versions of rank requests and results. The version of the request
// selects that of the result.
const (
	RankRequestSchemaV1 = "service.rank.request/v1"
	RankRequestSchemaV2 = "service.rank.request/v2"
	RankResultSchemaV1  = "service.rank.result/v1"
	RankResultSchemaV2  = "service.rank.result/v2"
)

// The bounds of a rank request. All are checked before anything is evaluated.
const (
	MaxRankRequestBytes    = 1 << 20 // bytes of the document
	MaxRankCandidates      = 128     // candidates in the inventory
	MaxRankCriteria        = 128     // requirements, and separately preferences
	MaxRankCriterionCells  = 2048    // candidates times requirements and preferences
	MaxRankTextBytes       = 256     // bytes of UTF-8 in each text
	MaxRankV2Advisories    = 64      // advisories
	MaxRankV2AdvisoryCells = 1024    // candidates times advisories
)

// RankRequestRecord is a rank request as it is written: the candidates that can be
// launched, what the job demands and what is preferred.
type RankRequestRecord struct {
	SchemaVersion string            `json:"schemaVersion"` // RankRequestSchemaV1 or V2
	Task          RankTask          `json:"task"`
	Inventory     List[Candidate]   `json:"inventory"`    // each id once
	Requirements  List[Requirement] `json:"requirements"` // each once
	Preferences   List[Preference]  `json:"preferences"`  // each once; their weights add up to a finite number
	// Advisories are nil in version 1. In version 2 they are required: an empty
	// list if nothing is asked.
	Advisories []Advisory `json:"advisories,omitzero"`
}

// RankTask is the job.
type RankTask struct {
	Family string  `json:"family"` // such as software-engineering
	Suite  *string `json:"suite"`  // nil: any suite of the family
}

// Candidate is a model that can be launched, and how.
type Candidate struct {
	ID        string           `json:"id"` // how the caller calls it
	Model     ModelIdentity    `json:"model"`
	Execution ExecutionProfile `json:"execution"`
}

// Requirement excludes the candidates that do not meet it.
type Requirement struct {
	MeasurementKey string   `json:"measurementKey"`
	Aggregation    string   `json:"aggregation"`            // fact, or of the samples mean, min, max, success-rate or count
	Operator       string   `json:"operator"`               // eq: equal; gte: at least; lte: at most
	Value          any      `json:"value"`                  // a string, a number or a bool; a number with gte and lte
	SourceClasses  []string `json:"sourceClasses,omitzero"` // first-party, external; nil: both
}

// Preference scores candidates.
type Preference struct {
	MeasurementKey string   `json:"measurementKey"`
	Aggregation    string   `json:"aggregation"`            // as in a Requirement
	Direction      string   `json:"direction"`              // maximize or minimize
	Weight         float64  `json:"weight"`                 // what the best candidate gets for it, more than 0
	SourceClasses  []string `json:"sourceClasses,omitzero"` // first-party, external; nil: both
}

// Advisory asks what is known of the candidates, without effect on their order.
type Advisory struct {
	ID             string   `json:"id"` // how the caller calls it
	MeasurementKey string   `json:"measurementKey"`
	Aggregation    string   `json:"aggregation"`            // as in a Requirement
	SourceClasses  []string `json:"sourceClasses,omitzero"` // first-party, external; nil: both
}

// RankRequest is a validated and normalized request. It is immutable and safe for
// concurrent use.
type RankRequest struct{ inner *rank.Request }

// ValidateRankRequest validates and normalizes the JSON of a request of any
// version. Its errors have code INVALID_RANK_REQUEST.
func ValidateRankRequest[T Text](request T) (*RankRequest, error) {
	q, err := rank.ReadRequest(problem.Source{Text: string(request)})
	if err != nil {
		return nil, publish(err)
	}
	return &RankRequest{q}, nil
}

// JSON returns the request as canonical JSON, its lists sorted.
func (q *RankRequest) JSON() string { return q.inner.JSON() }

// MarshalJSON returns what JSON does.
func (q *RankRequest) MarshalJSON() ([]byte, error) { return []byte(q.JSON()), nil }

// Record returns the members of the request.
func (q *RankRequest) Record() *RankRequestRecord {
	return decode[*RankRequestRecord]([]byte(q.inner.JSON()))
}

// Ranker ranks requests against one catalog. It is immutable and safe for
// concurrent use.
type Ranker struct{ inner *rank.Ranker }

// NewCatalogRanker indexes a catalog once, to rank against it repeatedly. It fails
// if a model has more measurements than can be numbered, 2,147,483,647.
func NewCatalogRanker(c *Catalog) (*Ranker, error) {
	ranker, err := rank.New(c.inner)
	if err != nil {
		return nil, err
	}
	return &Ranker{ranker}, nil
}

// Rank answers a request. Its only error is that of the context.
func (k *Ranker) Rank(ctx context.Context, request *RankRequest) (*RankResult, error) {
	result, err := k.inner.Rank(ctx, request.inner)
	if err != nil {
		return nil, err
	}
	return &RankResult{result}, nil
}

// RankCatalog ranks one request. Its errors are that of the context and those of
// [NewCatalogRanker].
func RankCatalog(ctx context.Context, c *Catalog, request *RankRequest) (*RankResult, error) {
	ranker, err := NewCatalogRanker(c)
	if err != nil {
		return nil, err
	}
	return ranker.Rank(ctx, request)
}

// RankResult is the answer to a request. It is immutable and safe for concurrent
// use.
type RankResult struct{ inner *rank.Result }

// AppendJSON appends the result as canonical JSON. If limit is above zero and the
// JSON has more bytes, it returns dst as it was and a *ResultTooLargeError.
func (r *RankResult) AppendJSON(dst []byte, limit int) ([]byte, error) {
	dst, err := r.inner.AppendJSON(dst, limit)
	if _, ok := errors.AsType[*rank.TooLargeError](err); ok {
		err = &ResultTooLargeError{limit}
	}
	return dst, err
}

// MarshalJSON returns the result. json.Marshal escapes <, > and & in it; what
// AppendJSON appends is canonical.
func (r *RankResult) MarshalJSON() ([]byte, error) { return r.inner.AppendJSON(nil, 0) }

// Record returns the members of the result. Decoding them takes some thirty times as
// long as AppendJSON, which is for programs that hand the result on as it is.
func (r *RankResult) Record() (*RankResultRecord, error) {
	text, err := r.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return decode[*RankResultRecord](text), nil
}

// ResultTooLargeError reports a result that is longer than its caller allows.
type ResultTooLargeError struct{ Limit int } // bytes

// Error names the limit.
func (e *ResultTooLargeError) Error() string {
	return fmt.Sprintf("the result has more than %d bytes", e.Limit)
}

// RankResultRecord is a rank result as it is written: which candidates a catalog
// ranks and which it excludes, and why.
type RankResultRecord struct {
	SchemaVersion string                 `json:"schemaVersion"` // RankResultSchemaV1 or V2
	Catalog       CatalogReference       `json:"catalog"`
	Task          RankTask               `json:"task"`
	ScoreScale    ScoreScale             `json:"scoreScale"`
	Ranked        List[RankedCandidate]  `json:"ranked"`   // those that meet all requirements, the best first
	Excluded      List[CandidateVerdict] `json:"excluded"` // those that do not, by id
}

// CatalogReference names the catalog that answers.
type CatalogReference struct {
	Digest string    `json:"digest"`
	AsOf   Timestamp `json:"asOf"`
}

// ScoreScale says what scores mean.
type ScoreScale struct {
	Kind    string  `json:"kind"`    // request-relative: scores compare the candidates of this request alone
	Maximum float64 `json:"maximum"` // the sum of the weights
}

// RankedCandidate is a candidate that meets all requirements.
type RankedCandidate struct {
	CandidateVerdict
	Rank  int     `json:"rank"`  // from 1
	Score float64 `json:"score"` // the sum of the contributions of its reasons
}

// CandidateVerdict is how a candidate came out, and on what evidence.
type CandidateVerdict struct {
	CandidateID string             `json:"candidateId"`
	Model       ModelIdentity      `json:"model"`
	Execution   ExecutionProfile   `json:"execution"`
	Reasons     List[Reason]       `json:"reasons"`
	Evidence    List[RankEvidence] `json:"evidence"`    // of each requirement and preference
	Uncertainty Uncertainty        `json:"uncertainty"` // the worst of the observations
	// Advisories are the answers to the advisories, by id; nil in version 1.
	Advisories []AdvisoryAnswer `json:"advisories,omitzero"`
}

// Reason is what one requirement or preference came to.
type Reason struct {
	Code           ReasonCode `json:"code"`
	MeasurementKey string     `json:"measurementKey"`
	Summary        string     `json:"summary"`               // the same in words
	Actual         any        `json:"actual,omitzero"`       // the value found, nil if there is none
	Expected       any        `json:"expected,omitzero"`     // the value that a requirement asks for
	Contribution   *float64   `json:"contribution,omitzero"` // what a preference added to the score
	// ExecutionApplicability is nil in version 1.
	ExecutionApplicability *ExecutionApplicability `json:"executionApplicability,omitzero"`
}

// ReasonCode tells what a reason says.
type ReasonCode string

// The codes of reasons.
const (
	RequirementMet            ReasonCode = "REQUIREMENT_MET"
	RequirementNotMet         ReasonCode = "REQUIREMENT_NOT_MET"
	MissingEvidence           ReasonCode = "MISSING_EVIDENCE"            // for a requirement
	PreferenceEvidenceMissing ReasonCode = "PREFERENCE_EVIDENCE_MISSING" // for a preference
	StaleEvidence             ReasonCode = "STALE_EVIDENCE"              // no longer valid at the catalog's AsOf
	ConflictingEvidence       ReasonCode = "CONFLICTING_EVIDENCE"        // facts that differ
	IncomparableEvidence      ReasonCode = "INCOMPARABLE_EVIDENCE"       // of another execution, of mixed units or kinds, or not a number
	PreferenceScore           ReasonCode = "PREFERENCE_SCORE"
)

// RankEvidence is what a requirement, preference or advisory rests on.
type RankEvidence struct {
	MeasurementKey string       `json:"measurementKey"`
	ObservationIDs List[string] `json:"observationIds"` // sorted
	EvidenceIDs    List[string] `json:"evidenceIds"`    // sorted
}

// ExecutionApplicability is how far the execution scopes of the observations agree
// with the candidate's execution. Dimensions are members of an execution, such as
// runtime.version.
type ExecutionApplicability struct {
	MatchedKinds         List[string] `json:"matchedKinds"`         // of scopes: exact, partial, or global for those that are nil
	AssertedDimensions   List[string] `json:"assertedDimensions"`   // what the scopes speak of
	WildcardedDimensions List[string] `json:"wildcardedDimensions"` // what they leave open
	MismatchedDimensions List[string] `json:"mismatchedDimensions"` // where those that do not match differ
}

// AdvisoryAnswer is what is known of a candidate.
type AdvisoryAnswer struct {
	Advisory
	Status                 string                 `json:"status"` // present, missing, stale, conflicting or incomparable
	Evidence               RankEvidence           `json:"evidence"`
	Uncertainty            Uncertainty            `json:"uncertainty"`
	ExecutionApplicability ExecutionApplicability `json:"executionApplicability"`
	Value                  any                    `json:"value,omitzero"` // if it is present: a string, float64 or bool
	Unit                   *string                `json:"unit,omitzero"`  // of the value; nil if it has none
}
