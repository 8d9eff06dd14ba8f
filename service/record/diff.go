package record

// CatalogDiffSchema is the schema version of a [CatalogDiff].
const CatalogDiffSchema = "service.catalog.diff/v1"

// CatalogDiff is what changed from one catalog, OLD, to the next, NEW.
type CatalogDiff struct {
	SchemaVersion string         `json:"schemaVersion" is:"service.catalog.diff/v1"`
	Old           CatalogContent `json:"old"`
	New           CatalogContent `json:"new"`
	// Only is the kinds of changes that were asked for, sorted, each once.
	Only     List[DiffKind]      `json:"only" is:"conflicts facts models rankings samples"`
	Limit    int                 `json:"limit"`    // how many models, facts, samples and conflicts together may be listed
	Summary  DiffSummary         `json:"summary"`  // always of the whole
	Models   List[ModelChange]   `json:"models"`   // by id of the identity, then key
	Rankings List[RankingChange] `json:"rankings"` // in the order of the requests
	// LeftOut counts the entries that are not listed, being beyond the limit.
	LeftOut map[DiffKind]int `json:"leftOut" is:"models facts samples conflicts"`
}

// DiffKind is a kind of changes that can be asked for.
type DiffKind string

// The kinds of changes.
const (
	DiffConflicts DiffKind = "conflicts" // contradictions
	DiffFacts     DiffKind = "facts"     // values of facts
	DiffModels    DiffKind = "models"    // models that came, went, and whose evidence expired or came back
	DiffRankings  DiffKind = "rankings"  // answers to rank requests
	DiffSamples   DiffKind = "samples"   // aggregates of samples
)

// CatalogContent is what a catalog holds, in numbers.
type CatalogContent struct {
	Digest       string    `json:"digest" is:"hash"` // of the catalog
	AsOf         Timestamp `json:"asOf"`
	Models       int       `json:"models"`
	Observations int       `json:"observations"`
	Holding      int       `json:"holding"` // observations that are valid at AsOf
	Conflicts    int       `json:"conflicts"`
}

// DiffSummary counts what changed, by how it changed, whatever of it was asked for or is listed.
// Facts and samples are those of models that are in both catalogs.
type DiffSummary struct {
	// Models are added (in NEW alone), removed (in OLD alone), silenced (something held in OLD,
	// nothing holds in NEW), revived (the reverse) or changed (anything else of them changed).
	Models map[string]int `json:"models" is:"added removed silenced revived changed"`
	// Observations are added, removed, or agedOut: in both, and hold in OLD alone.
	Observations map[string]int `json:"observations" is:"added removed agedOut"`
	// Facts are slots: added (there was none, one holds), backfilled (there was none, one has
	// expired), changed (value or unit differ), contradicted (what holds has several values, which it
	// had not), expired (something held, nothing does), reaffirmed (other observations state the same;
	// never listed), removed (there is none any more), renewed (nothing held, a value does) or settled
	// (it was in conflict, one value holds).
	Facts map[string]int `json:"facts" is:"added backfilled changed contradicted expired reaffirmed removed renewed settled"`
	// Samples are groups: added (none was used, some are), removed (there is none any more), expired
	// (some were used, none is), changed (number, unit or an aggregate differ), or reaffirmed (other
	// samples come to the same; never listed).
	Samples map[string]int `json:"samples" is:"added changed expired reaffirmed removed"`
	// Conflicts have arisen (in NEW alone), ended (in OLD alone) or changed (their values differ).
	Conflicts map[string]int `json:"conflicts" is:"arisen ended changed"`
	Rankings  int            `json:"rankings"` // that changed
}

// ModelChange is a model and what changed of it.
type ModelChange struct {
	Key      string `json:"key" is:"hash"` // SHA-256 of the identity
	Identity Model  `json:"identity"`
	// Change is added, removed, silenced, revived or changed, as in [DiffSummary].
	Change string `json:"change" is:"added removed silenced revived changed"`
	// Alike is of what was added or removed: keys of models of the same id in the other catalog, the
	// first 16.
	Alike        List[string]         `json:"alike" is:"hash" most:"16"`
	Observations ObservationCounts    `json:"observations"`
	Facts        List[FactChange]     `json:"facts"`     // by measurement key, then slot
	Samples      List[SampleChange]   `json:"samples"`   // by measurement key, then execution, family and suite
	Conflicts    List[ConflictChange] `json:"conflicts"` // by key
}

// ObservationCounts are the observations of a model.
type ObservationCounts struct {
	Old        int `json:"old"`        // in OLD
	New        int `json:"new"`        // in NEW
	HoldingOld int `json:"holdingOld"` // in OLD, and hold there
	HoldingNew int `json:"holdingNew"` // in NEW, and hold there
	Added      int `json:"added"`      // in NEW alone
	Removed    int `json:"removed"`    // in OLD alone
	AgedOut    int `json:"agedOut"`    // in both, and hold in OLD alone
}

// FactChange is a slot that changed.
type FactChange struct {
	Slot           string `json:"slot" is:"hash"` // SHA-256 that names it, the key of its conflict
	MeasurementKey string `json:"measurementKey"`
	Execution      Scope  `json:"execution" or:"null"` // null: every execution
	Task           Task   `json:"task" or:"null"`      // null: whatever the task
	// Change is added, backfilled, changed, contradicted, expired, removed, renewed or settled, as in
	// [DiffSummary].
	Change string     `json:"change" is:"added backfilled changed contradicted expired removed renewed settled"`
	Ratio  Float      `json:"ratio"` // new by old, of numbers of one unit that changed
	Old    *SlotState `json:"old"`   // nil: there is no such fact
	New    *SlotState `json:"new"`
}

// SlotState is what a catalog has of a slot: the facts that make its state.
type SlotState struct {
	// State is expired (nothing holds), value (what holds has one value and unit) or conflict (it has
	// several).
	State            string            `json:"state" is:"expired value conflict"`
	Values           List[StatedValue] `json:"values" most:"16"` // the first 16, in the order of conflicts
	ValueCount       int               `json:"valueCount"`
	Observations     List[Witness]     `json:"observations" most:"4"` // newest first, then by id
	ObservationCount int               `json:"observationCount"`
}

// StatedValue is a value with its unit.
type StatedValue struct {
	Value Scalar `json:"value"`
	Unit  Text   `json:"unit"` // null if it has none
}

// Witness is an observation that states a value.
type Witness struct {
	ID          string             `json:"id" is:"hash"` // of the observation
	ObservedAt  Timestamp          `json:"observedAt"`
	ValidUntil  Timestamp          `json:"validUntil" or:"null"`                  // null: without end
	SourceClass string             `json:"sourceClass" is:"first-party external"` // first-party or external
	Evidence    List[EvidenceLink] `json:"evidence" most:"4"`                     // by id, the first 4
}

// EvidenceLink is where a value can be seen.
type EvidenceLink struct {
	ID  string `json:"id"`
	URI Text   `json:"uri"` // null if there is none
}

// SampleChange is a sample group that changed: a model, an execution scope, the family and suite
// of a task, and a measurement key.
type SampleChange struct {
	MeasurementKey string         `json:"measurementKey"`
	Execution      Scope          `json:"execution" or:"null"`
	Family         Text           `json:"family"` // null: of samples without a task
	Suite          Text           `json:"suite"`
	Came           int            `json:"came"`    // samples used in NEW that OLD lacks
	Went           int            `json:"went"`    // samples used in OLD that NEW lacks
	AgedOut        int            `json:"agedOut"` // samples used in OLD that have expired in NEW
	Old            *SampleSummary `json:"old"`     // nil: there is no sample
	New            *SampleSummary `json:"new"`
}

// SampleSummary is what ranking makes of the used samples of a group, by each of its aggregations.
// What it would make nothing of, as units or values do not go together, is null.
type SampleSummary struct {
	N           int   `json:"n"`    // how many are used
	Unit        Text  `json:"unit"` // the one that all have; null too if they differ
	Mean        Float `json:"mean"`
	Min         Float `json:"min"`
	Max         Float `json:"max"`
	SuccessRate Float `json:"successRate"` // from 0 to 1
}

// ConflictChange is a conflict that arose, ended, or has other values.
type ConflictChange struct {
	Key            string   `json:"key" is:"hash"` // of the conflict
	MeasurementKey string   `json:"measurementKey"`
	Change         string   `json:"change" is:"arisen ended changed"` // arisen, ended or changed, as in [DiffSummary]
	Old            []Scalar `json:"old" or:"null"`                    // its values, null if there is none
	New            []Scalar `json:"new" or:"null"`
}

// RankingChange is a rank request, answered by both catalogs.
type RankingChange struct {
	Request    VersionedRequest      `json:"request"`
	Changed    bool                  `json:"changed"` // more than which observations are used
	Old        List[string]          `json:"old"`     // ids of the ranked candidates, the best first
	New        List[string]          `json:"new"`
	OldChoice  Text                  `json:"oldChoice"`  // whom to take; null before version 3 and if nobody is ranked
	NewChoice  Text                  `json:"newChoice"`  //
	Scales     List[ScaleChange]     `json:"scales"`     // those that differ, in the order of the request
	Candidates List[CandidateChange] `json:"candidates"` // those of which anything differs, by id
}

// VersionedRequest names a rank request and its version.
type VersionedRequest struct {
	SHA256        string `json:"sha256" is:"hash"` // of its normal form
	SchemaVersion string `json:"schemaVersion" is:"service.rank.request/v1 service.rank.request/v2 service.rank.request/v3"`
}

// ScaleChange is a preference whose lowest or highest value differs.
type ScaleChange struct {
	Criterion      Text `json:"criterion"`      // its id; null before version 3
	MeasurementKey Text `json:"measurementKey"` // null for a sum
	// Aggregation is fact, mean, min, max, success-rate or count; null for a sum.
	Aggregation Text      `json:"aggregation" is:"fact mean min max success-rate count"`
	Direction   string    `json:"direction" is:"maximize minimize"` // maximize or minimize
	Old         ScaleEnds `json:"old"`
	New         ScaleEnds `json:"new"`
}

// ScaleEnds are the ends of the scale of a preference, null if no candidate has a value, and the
// ids of the candidates that have these values.
type ScaleEnds struct {
	Lowest    Float        `json:"lowest"`
	Highest   Float        `json:"highest"`
	LowestAt  List[string] `json:"lowestAt"`
	HighestAt List[string] `json:"highestAt"`
}

// CandidateChange is a candidate of which anything differs.
type CandidateChange struct {
	CandidateID string                `json:"candidateId"`
	Old         CandidateOutcome      `json:"old"`
	New         CandidateOutcome      `json:"new"`
	Move        Float                 `json:"move"`     // ranks gained; null if it is not ranked in both
	Criteria    List[CriterionChange] `json:"criteria"` // those that differ, in the order of the request
}

// CandidateOutcome is how a candidate came out. What an excluded one has not is null.
type CandidateOutcome struct {
	Outcome string `json:"outcome" is:"ranked excluded"` // ranked or excluded
	Rank    *int   `json:"rank"`                         // from 1
	Score   Float  `json:"score"`
	// RankInterval is where the evidence allows the candidate to be; null before version 3.
	RankInterval *RankInterval `json:"rankInterval"`
	// ScoreInterval is where the score lies; null before version 3, and if nobody knows.
	ScoreInterval *Interval `json:"scoreInterval"`
}

// CriterionChange is a criterion that differs for a candidate, and why.
type CriterionChange struct {
	// Role is requirement, preference, tieBreaker or advisory.
	Role           string `json:"role" is:"requirement preference tieBreaker advisory"`
	Criterion      Text   `json:"criterion"`      // its id; null before version 3
	MeasurementKey Text   `json:"measurementKey"` // null for a sum
	// Aggregation is fact, mean, min, max, success-rate or count; null for a sum.
	Aggregation Text `json:"aggregation" is:"fact mean min max success-rate count"`
	// Causes are value, if value or unit differ; status; requirement, if it was met and is not, or the
	// reverse; came, went and aged-out, if observations are new, gone or expired; scale, if the lowest
	// or highest value of the preference differs. They come in this order.
	Causes       List[string]        `json:"causes" is:"value status requirement came went aged-out scale"`
	Old          *CriterionValue     `json:"old"` // nil: it was not evaluated
	New          *CriterionValue     `json:"new"`
	Contribution *ContributionChange `json:"contribution"` // of a preference that is scored in both
}

// CriterionValue is what a criterion came to for a candidate.
type CriterionValue struct {
	// Status is ok, missing, stale, conflict, incomparable or ambiguous.
	Status           string       `json:"status" is:"ok missing stale conflict incomparable ambiguous"`
	Code             Text         `json:"code"`  // that of its reason; null of an advisory
	Value            *Scalar      `json:"value"` // nil if there is none
	Unit             Text         `json:"unit"`
	Contribution     Float        `json:"contribution"`                       // to the score
	ObservationIDs   List[string] `json:"observationIds" is:"hash" most:"16"` // that it rests on, sorted, the first 16
	ObservationCount int          `json:"observationCount"`
}

// ContributionChange is what a preference adds to a score, and to what its change is due.
type ContributionChange struct {
	Old     float64 `json:"old"`
	New     float64 `json:"new"`
	OfValue float64 `json:"ofValue"` // what the new value adds on the old scale
	OfScale float64 `json:"ofScale"` // the rest, which is due to the scale
}
