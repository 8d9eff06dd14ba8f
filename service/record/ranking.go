package record

// Schema versions of version 3, which is the one to use.
const (
	RankRequestSchema     = "service.rank.request/v3"
	RankResultSchema      = "service.rank.result/v3"
	RankExplanationSchema = "service.rank.explanation/v1"
)

// RankResult is a rank result of version 3: whom to take, whom a catalog ranks and excludes, and
// why.
//
// Nil and, of a [Text], the empty text stand for null.
type RankResult struct {
	SchemaVersion string           `json:"schemaVersion"` // service.rank.result/v3
	Catalog       CatalogReference `json:"catalog"`
	Task          RankTask         `json:"task"` // that of the request
	Answer        RankAnswer       `json:"answer"`
	// what the intervals of preferences are about
	Target     string         `json:"target" is:"benchmark tasks mixed none"`
	Statistics RankStatistics `json:"statistics"`
	ScoreScale RankScoreScale `json:"scoreScale"`
	Choice     *RankChoice    `json:"choice"` // whom to take; null if no candidate is ranked
	Frontier   []FrontierStep `json:"frontier"`
	// whom each list chooses, where lists disagree about prices and that matters
	Lists    []ListChoice     `json:"lists"`
	Flips    []RankFlip       `json:"flips" most:"5"` // what would change the choice, the nearest first
	Next     *NextMeasurement `json:"next"`
	Ranked   []RankCandidate  `json:"ranked"`   // the best first
	Excluded []RankCandidate  `json:"excluded"` // by id
}

// RankTask selects tasks: each member that is not null must be equal.
type RankTask struct {
	Family Text `json:"family"`
	Suite  Text `json:"suite"`
	TaskID Text `json:"taskId"`
}

// RankStatistics says at which confidence candidates were compared.
type RankStatistics struct {
	Confidence           float64 `json:"confidence"`           // of intervals
	ComparisonConfidence Float   `json:"comparisonConfidence"` // of each comparison; null for fewer than two candidates
}

// RankScoreScale says what scores can be held against.
type RankScoreScale struct {
	// fixed, or request-relative: scores of one result alone compare
	Kind    string            `json:"kind" is:"fixed request-relative"`
	Maximum float64           `json:"maximum"` // the sum of the weights
	Scales  []PreferenceScale `json:"scales"`
}

// PreferenceScale is the ends of a preference, null if it had none.
type PreferenceScale struct {
	Criterion string   `json:"criterion"`
	Low       *float64 `json:"low"`
	High      *float64 `json:"high"`
	Log       bool     `json:"log"` // places go by the logarithm
}

// RankChoice is whom to take.
type RankChoice struct {
	CandidateID string  `json:"candidateId"`
	Best        string  `json:"best"`   // who has the best score, often the same
	Within      float64 `json:"within"` // how far below the best score it may be, in points of the score
	By          Text    `json:"by"`     // the tie breaker that chose; null: all in turn, or the score alone
	Below       float64 `json:"below"`  // points of the score that it is below the best
	// the evidence shows the best to be better; null: nothing is known, or they are one
	IsToldApart *bool       `json:"isToldApart"`
	Shared      Count       `json:"shared"` // how many tasks of both decided that; null: none
	Saves       *RankSaving `json:"saves"`  // against the best; null if a cost is not known
}

// RankSaving is how much less a task costs.
type RankSaving struct {
	USDPerTask float64 `json:"usdPerTask"`
	Share      float64 `json:"share"` // of what it costs at the best, from 0 to 1
}

// FrontierStep is a candidate that no other beats in score and cost at once.
type FrontierStep struct {
	CandidateID string  `json:"candidateId"`
	Score       float64 `json:"score"`
	Cost        float64 `json:"cost"` // USD for a task
	// the evidence shows it to be better than the next; null: nothing is known, or it is the last
	IsStepShown *bool `json:"isStepShown"`
}

// ListChoice is whom a list chooses if it is right wherever lists contradict each other.
type ListChoice struct {
	List        string `json:"list"`        // as its evidence names it
	CandidateID Text   `json:"candidateId"` // null if it leaves nobody
}

// RankFlip is what would change the choice.
type RankFlip struct {
	Kind        string  `json:"kind" is:"weight price tolerance requirement"`
	Criterion   Text    `json:"criterion"`   // its id; null for a tolerance
	CandidateID string  `json:"candidateId"` // who would be chosen beyond
	From        float64 `json:"from"`
	To          float64 `json:"to"`
}

// NextMeasurement is what would tell the two best apart.
type NextMeasurement struct {
	Criterion  string   `json:"criterion"`
	Candidates []string `json:"candidates" least:"1" most:"2"`
	Count      uint64   `json:"count"`                   // about how many more for each
	Of         string   `json:"of" is:"questions tasks"` // of what
}

// RankCandidate is a candidate and what became of it.
type RankCandidate struct {
	CandidateID   string         `json:"candidateId"`
	Model         Model          `json:"model"`
	Execution     Profile        `json:"execution"` // of which the runtime may be null, too
	Offer         *RankOffer     `json:"offer"`     // how to call it; null if no list says so
	*RankStanding                // nil if the candidate is excluded
	Reasons       []RankReason   `json:"reasons"`
	Evidence      []RankEvidence `json:"evidence"`
	Uncertainty   Uncertainty    `json:"uncertainty"`
}

// RankStanding is the place of a candidate that is not excluded.
type RankStanding struct {
	Rank          uint64       `json:"rank"`          // from 1, by score
	RankInterval  RankInterval `json:"rankInterval"`  // where the evidence allows it to be
	AmongBest     *bool        `json:"amongBest"`     // nobody is shown to be better; null: nothing is known
	Score         float64      `json:"score"`         // from 0 to the maximum of the scale
	ScoreInterval *Interval    `json:"scoreInterval"` // null if that of a preference is not known
	Coverage      float64      `json:"coverage"`      // share of the weight for which there is a number
	Cost          *RankCost    `json:"cost"`          // null unless the request asks for it, and if a price is not known
}

// RankOffer says how to call a model at its provider, and how fast that answers. What no list says
// is null.
type RankOffer struct {
	ID          Text `json:"id"`          // the name to ask for
	API         Text `json:"api"`         // the base URL
	KeyVariable Text `json:"keyVariable"` // the environment variable that has the key
	Client      Text `json:"client"`      // the npm package that speaks to the API
	LiteLLM     Text `json:"litellm"`     // the key of the offer in LiteLLM's list
	// how fast it answers; null if no list says so
	Speed *OfferSpeed `json:"speed"`
}

// Interval is where a number lies at the confidence of the result.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// RankCost is what a task costs by the price list.
type RankCost struct {
	USDPerTask float64 `json:"usdPerTask"`
	USDTotal   Float   `json:"usdTotal"` // of all requests; null if their number is not given
	Lowest     Float   `json:"lowest"`   // for a task, by the lists that ask least; null where they agree
}

// RankReason is one reason for how a candidate came out. Which members it has depends on
// its code.
type RankReason struct {
	Code                   string            `json:"code"`
	Criterion              Text              `json:"criterion"`      // null for NO_EVIDENCE
	MeasurementKey         Text              `json:"measurementKey"` // null for that and for a sum
	Summary                string            `json:"summary"`
	ExecutionApplicability RankApplicability `json:"executionApplicability"`
	*RankFinding                             // the value that was found, if the reason names one
	Expected               *Scalar           `json:"expected,omitzero"`     // of requirements and coverage
	Contribution           *float64          `json:"contribution,omitzero"` // of a preference to the score
	Ambiguity              []RankAmbiguity   `json:"ambiguity,omitzero"`    // of AMBIGUOUS_EVIDENCE
}

// RankFinding is a value and how sure it is.
type RankFinding struct {
	Actual   Scalar        `json:"actual"`
	Estimate *RankEstimate `json:"estimate"` // null if the value is not a number
}

// RankEstimate says how sure a number is. It says nothing of what the source measured wrongly.
type RankEstimate struct {
	Value float64  `json:"value"`
	Unit  Text     `json:"unit"`
	Low   *float64 `json:"low"` // ends of the interval; null if nothing is known
	High  *float64 `json:"high"`
	// Basis is exact for facts and counts; benchmark, where the same benchmark would lie again, from
	// the number of questions; tasks, where other tasks of the kind would lie, from the spread between
	// tasks; published, from standard errors of the source; sum, from the terms; or unknown.
	Basis  string   `json:"basis" is:"exact benchmark tasks published sum unknown"`
	Tasks  uint64   `json:"tasks"`  // that it is the mean of
	Trials *float64 `json:"trials"` // questions of all tasks; null if unknown
	// how that is known: stated, inferred or measured; null: it is not
	Size   Text   `json:"size" is:"stated inferred measured"`
	Own    uint64 `json:"own"`    // first-party measurements in use
	Public uint64 `json:"public"` // others in use
}

// RankAmbiguity is a dimension in which groups of samples differ, and how.
type RankAmbiguity struct {
	Dimension string `json:"dimension"`
	Values    []JSON `json:"values"` // canonical JSON: texts, counts, lists of texts and null
}

// RankApplicability tells how far evidence and a candidate agree.
type RankApplicability struct {
	MatchedKinds          []string `json:"matchedKinds"`
	AssertedDimensions    []string `json:"assertedDimensions"`
	WildcardedDimensions  []string `json:"wildcardedDimensions"`
	MismatchedDimensions  []string `json:"mismatchedDimensions"`
	TransferredDimensions []string `json:"transferredDimensions"`
}

// RankEvidence is what a criterion rests on.
type RankEvidence struct {
	Criterion      string   `json:"criterion"`
	MeasurementKey Text     `json:"measurementKey"` // null for a sum
	ObservationIDs []string `json:"observationIds" is:"hash"`
	EvidenceIDs    []string `json:"evidenceIds" each:"once"`
	Overruled      []string `json:"overruled" is:"hash"` // observations that hold and were not used
}

// RankExplanation says how one candidate came out, criterion by criterion down to the
// observations that were looked at.
type RankExplanation struct {
	SchemaVersion string               `json:"schemaVersion" is:"service.rank.explanation/v1"`
	Catalog       CatalogReference     `json:"catalog"`
	Request       RankRequestID        `json:"request"`
	Candidate     CandidateV2          `json:"candidate"` // in normal form; its runtime may be null, too
	Placement     RankPlacement        `json:"placement"`
	Criteria      []ExplainedCriterion `json:"criteria"` // in the order of the request
}

// RankRequestID names a request.
type RankRequestID struct {
	SHA256 string `json:"sha256" is:"hash"` // of its normal form
}

// RankPlacement is where the candidate ended. What a request of its version does not
// tell is null, as is all that an excluded candidate has not.
type RankPlacement struct {
	Excluded      *string       `json:"excluded" is:"requirement no-evidence"` // by which; null if it is ranked
	Rank          *uint64       `json:"rank"`
	RankInterval  *RankInterval `json:"rankInterval"`
	AmongBest     *bool         `json:"amongBest"`
	Score         *float64      `json:"score"`
	ScoreInterval *Interval     `json:"scoreInterval"`
	Coverage      *float64      `json:"coverage"`
}

// ExplainedCriterion is a criterion for the candidate. A sum has no entries; one for
// each of its terms follows it, with the same role and criterion, which has them.
//
// Criteria that the ranking did not come to, since the candidate was excluded before,
// are evaluated all the same: they have a status and no code.
type ExplainedCriterion struct {
	Role           string `json:"role" is:"requirement preference tieBreaker"`
	Criterion      string `json:"criterion"`
	MeasurementKey Text   `json:"measurementKey"` // null for a sum
	// null for a sum
	Aggregation  Text             `json:"aggregation" is:"fact mean min max success-rate count"`
	Status       string           `json:"status" is:"missing stale incomparable ambiguous conflict ok"`
	Code         Text             `json:"code"` // of its reason
	Value        *Scalar          `json:"value"`
	Unit         Text             `json:"unit"`
	Estimate     *RankEstimate    `json:"estimate"`
	Weight       *float64         `json:"weight"`       // of a preference
	Lowest       *float64         `json:"lowest"`       // the ends of its scale
	Highest      *float64         `json:"highest"`      //
	Normalized   *float64         `json:"normalized"`   // from 0 to 1, if it is scored
	Contribution *float64         `json:"contribution"` // to the score
	Entries      []ExplainedEntry `json:"entries"`      // used ones first, then by id; at most 32
	EntryCount   uint64           `json:"entryCount"`   // how many there are
}

// ExplainedEntry is a measurement of the criterion's key and kind, of the candidate's model
// id, and of its unit if it names one.
type ExplainedEntry struct {
	ObservationID string          `json:"observationId" is:"hash"`
	Value         Scalar          `json:"value"`
	Unit          Text            `json:"unit"`
	Use           string          `json:"use" is:"used overruled expired other-scope other-source other-task invalid"`
	Differing     []string        `json:"differing"` // dimensions
	ObservedAt    string          `json:"observedAt" is:"timestamp"`
	ValidUntil    Text            `json:"validUntil" is:"timestamp"` // null: without end
	SourceClass   string          `json:"sourceClass" is:"external first-party"`
	Task          *MeasuredTask   `json:"task"`
	Evidence      []ShownEvidence `json:"evidence"`
}

// MeasuredTask is what an observation measured, and who judged.
type MeasuredTask struct {
	RankTask
	Evaluator Component `json:"evaluator"`
}

// ShownEvidence is where a value can be seen.
type ShownEvidence struct {
	ID     string `json:"id"`
	URI    Text   `json:"uri"`
	SHA256 Text   `json:"sha256"`
}

// RankAnswer is what a result comes to in sentences.
type RankAnswer struct {
	Choice  []string `json:"choice"`  // whom to take, and what that costs and is worth
	Notes   []string `json:"notes"`   // what the answer takes as given
	Changes []string `json:"changes"` // what would change the choice, the nearest first
	Next    Text     `json:"next"`    // what would tell the two best apart
}

// RankInterval reaches from one more than the number of candidates that are shown to be better, to
// as many as the candidate is not shown to be better than.
type RankInterval struct {
	Low  int `json:"low"`
	High int `json:"high"`
}

// The codes of reasons.
const (
	RequirementMet            = "REQUIREMENT_MET"
	RequirementNotMet         = "REQUIREMENT_NOT_MET"
	MissingEvidence           = "MISSING_EVIDENCE"             // for a requirement
	PreferenceEvidenceMissing = "PREFERENCE_EVIDENCE_MISSING"  // for a preference
	TieBreakerEvidenceMissing = "TIE_BREAKER_EVIDENCE_MISSING" // for a tie breaker
	StaleEvidence             = "STALE_EVIDENCE"               // no longer valid at the catalog's asOf
	ConflictingEvidence       = "CONFLICTING_EVIDENCE"         // facts that differ
	AmbiguousEvidence         = "AMBIGUOUS_EVIDENCE"           // samples of several groups, such as two efforts
	// of another execution, of mixed units or kinds, or not a number
	IncomparableEvidence = "INCOMPARABLE_EVIDENCE"
	NoEvidence           = "NO_EVIDENCE" // for less of the weight than minimumCoverage
	PreferenceScore      = "PREFERENCE_SCORE"
	TieBreakerValue      = "TIE_BREAKER_VALUE"
	ValueShown           = "VALUE_SHOWN" // of a preference of weight 0
)
