package compare

import "github.com/model-catalog-service/svc/service/record"

// Ranking is a rank request, answered by both catalogs. Package ranking makes it.
type Ranking struct {
	Request    Request           `json:"request"`
	Changed    bool              `json:"changed"`    // more than which observations are used
	Old        []string          `json:"old"`        // candidate ids in order of rank
	New        []string          `json:"new"`        //
	Scales     []ScaleChange     `json:"scales"`     // those that differ, in the order of the request
	Candidates []CandidateChange `json:"candidates"` // those of which anything differs, by id
}

// Request names a rank request.
type Request struct {
	SHA256        string `json:"sha256" is:"hash"` // of the normalized request
	SchemaVersion string `json:"schemaVersion" is:"service.rank.request/v1 service.rank.request/v2 service.rank.request/v3"`
}

// ScaleChange is a preference whose lowest or highest value differs.
type ScaleChange struct {
	Criterion      record.Text `json:"criterion"` // its id in version 3, else null
	MeasurementKey record.Text `json:"measurementKey"`
	Aggregation    record.Text `json:"aggregation" is:"fact mean min max success-rate count"`
	Direction      string      `json:"direction" is:"maximize minimize"`
	Old            Scale       `json:"old"`
	New            Scale       `json:"new"`
}

// Scale is the ends of the scale of a preference, and the candidates that have
// these values.
type Scale struct {
	Lowest    record.Float `json:"lowest"`
	Highest   record.Float `json:"highest"`
	LowestAt  []string     `json:"lowestAt"`
	HighestAt []string     `json:"highestAt"`
}

// CandidateChange is a candidate of which anything differs.
type CandidateChange struct {
	CandidateID string            `json:"candidateId"`
	Old         Placement         `json:"old"`
	New         Placement         `json:"new"`
	Move        record.Float      `json:"move"`     // places gained, if it is ranked in both
	Criteria    []CriterionChange `json:"criteria"` // those that differ, in the order of the request
}

// Placement is how a candidate came out.
type Placement struct {
	Outcome  Outcome      `json:"outcome" is:"ranked excluded"`
	Rank     *int         `json:"rank"` // from 1; null if it is excluded, as is the score
	Score    record.Float `json:"score"`
	TieGroup *int         `json:"tieGroup"` // from 1; null before version 3
}

// Outcome is whether a candidate meets what a request demands.
type Outcome string

// The outcomes.
const (
	Ranked   Outcome = "ranked"
	Excluded Outcome = "excluded"
)

// Role is what a criterion is for.
type Role string

// The roles, in the order in which requests have them.
const (
	Requirement Role = "requirement"
	Preference  Role = "preference"
	TieBreaker  Role = "tieBreaker"
	Advisory    Role = "advisory"
)

// CriterionChange is a criterion that differs for a candidate, and why.
type CriterionChange struct {
	Role           Role          `json:"role" is:"requirement preference tieBreaker advisory"`
	Criterion      record.Text   `json:"criterion"` // its id in version 3, else null
	MeasurementKey record.Text   `json:"measurementKey"`
	Aggregation    record.Text   `json:"aggregation" is:"fact mean min max success-rate count"`
	Causes         []Cause       `json:"causes" is:"value status requirement came went aged-out scale"` // in the order of their constants
	Old            *Cell         `json:"old"`                                                           // nil if it was not evaluated
	New            *Cell         `json:"new"`
	Contribution   *Contribution `json:"contribution"` // of a preference that is scored in both
}

// Cause is why a criterion differs for a candidate.
type Cause string

// The causes.
const (
	CauseValue       Cause = "value"       // there is a value in both, and value or unit differ
	CauseStatus      Cause = "status"      // the status differs
	CauseRequirement Cause = "requirement" // it was met and is not, or the reverse
	CauseCame        Cause = "came"        // an observation is used that OLD's catalog lacks
	CauseWent        Cause = "went"        // one was used that NEW's catalog lacks
	CauseAgedOut     Cause = "aged-out"    // one was used that no longer holds
	CauseScale       Cause = "scale"       // the lowest or highest value of the preference differs
)

// Status is what came of a criterion for a candidate.
type Status string

// The statuses.
const (
	StatusOK           Status = "ok"
	StatusMissing      Status = "missing"
	StatusStale        Status = "stale"
	StatusConflict     Status = "conflict"
	StatusIncomparable Status = "incomparable"
	StatusAmbiguous    Status = "ambiguous"
)

// MostObservationIDs is how many ids a [Cell] names.
const MostObservationIDs = 16

// Cell is a criterion, evaluated for a candidate.
type Cell struct {
	Status           Status         `json:"status" is:"ok missing stale conflict incomparable ambiguous"`
	Code             record.Text    `json:"code"`  // of the reason; null of an advisory
	Value            *record.Scalar `json:"value"` // nil without one
	Unit             record.Text    `json:"unit"`
	Contribution     record.Float   `json:"contribution"`
	ObservationIDs   []string       `json:"observationIds" is:"hash" most:"16"` // sorted
	ObservationCount int            `json:"observationCount"`
}

// Contribution is what a preference adds to a score, and how much of the change is
// due to the candidate's own value and how much to the scale.
type Contribution struct {
	Old     float64 `json:"old"`
	New     float64 `json:"new"`
	OfValue float64 `json:"ofValue"`
	OfScale float64 `json:"ofScale"`
}
