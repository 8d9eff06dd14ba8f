package service

import (
	"context"
	"fmt"
	"slices"

	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/compare/ranking"
	"github.com/model-catalog-service/svc/internal/rank/dispatch"
	"github.com/model-catalog-service/svc/service/record"
)

// CatalogDiffSchema is the schema version of a diff.
const CatalogDiffSchema = "service.catalog.diff/v1"

// DefaultDiffLimit is how many models, facts, samples and conflicts together a diff lists
// unless its options say otherwise.
const DefaultDiffLimit = 10_000

// DiffKind is a kind of changes.
type DiffKind string

// The kinds of changes.
const (
	DiffModel    DiffKind = "models"    // models that came, went, and whose evidence expired or came back
	DiffFact     DiffKind = "facts"     // values of facts
	DiffSample   DiffKind = "samples"   // aggregates of samples
	DiffConflict DiffKind = "conflicts" // contradictions
	DiffRanking  DiffKind = "rankings"  // answers to rank requests
)

// DiffOptions say what a diff lists. What it counts is always the whole.
type DiffOptions struct {
	Requests []*RankRequest // which both catalogs answer
	Only     []DiffKind     // what is listed; nil for all
	Limit    int            // entries; zero is DefaultDiffLimit, and below zero rankings alone are listed
}

// DiffCatalogs says what changed from one catalog, OLD, to the next, NEW, and why requests
// are answered differently. It fails if NEW is of an earlier AsOf than OLD, or when the
// context ends.
//
// Facts are compared slot by slot: a slot is a model, an execution scope, a task and a
// measurement key. Samples are compared by groups: a model, an execution scope, the family
// and suite of a task, and a measurement key.
func DiffCatalogs(ctx context.Context, old, new *Catalog, options DiffOptions) (*CatalogDiff, error) {
	inner := compare.Options{Limit: options.Limit}
	if inner.Limit == 0 {
		inner.Limit = DefaultDiffLimit
	}
	inner.Limit = max(0, inner.Limit)
	for _, kind := range options.Only {
		if !slices.Contains(compare.Kinds(), compare.Kind(kind)) {
			return nil, fmt.Errorf("there is no kind of changes %q", kind)
		}
		inner.Only = append(inner.Only, compare.Kind(kind))
	}
	d, err := innerDiff(ctx, old, new, options.Requests, inner)
	if err != nil {
		return nil, err
	}
	return decode[*CatalogDiff](d.JSON()), nil
}

// DiffRankings says why requests are answered differently by two catalogs, in the order of
// the requests. It fails as [DiffCatalogs] does.
func DiffRankings(ctx context.Context, old, new *Catalog, requests ...*RankRequest) ([]RankingChange, error) {
	d, err := DiffCatalogs(ctx, old, new, DiffOptions{Requests: requests, Only: []DiffKind{DiffRanking}})
	if err != nil {
		return nil, err
	}
	return d.Rankings, nil
}

func innerDiff(ctx context.Context, old, new *Catalog, requests []*RankRequest, options compare.Options) (*compare.Diff, error) {
	inner := innerRequests(requests)
	before, err := ranking.NewSide(ctx, old.inner, inner...)
	if err != nil {
		return nil, err
	}
	after, err := ranking.NewSide(ctx, new.inner, inner...)
	if err != nil {
		return nil, err
	}
	return ranking.Diff(ctx, before, after, options)
}

func innerRequests(requests []*RankRequest) []*dispatch.Request {
	inner := make([]*dispatch.Request, len(requests))
	for i, q := range requests {
		inner[i] = q.inner
	}
	return slices.Clip(inner)
}

// CatalogDiff is what changed from one catalog, OLD, to the next, NEW.
type CatalogDiff struct {
	SchemaVersion string                     `json:"schemaVersion"` // CatalogDiffSchema
	Old           CatalogContent             `json:"old"`
	New           CatalogContent             `json:"new"`
	Only          record.List[DiffKind]      `json:"only"`     // the kinds that were asked for, sorted
	Limit         int                        `json:"limit"`    // how many entries may be listed
	Summary       DiffSummary                `json:"summary"`  // always of the whole
	Models        record.List[ModelChange]   `json:"models"`   // by id of the identity, then key
	Rankings      record.List[RankingChange] `json:"rankings"` // in the order of the requests
	LeftOut       DiffLeftOut                `json:"leftOut"`  // what is beyond the limit
}

// CatalogContent is what a catalog holds, in numbers.
type CatalogContent struct {
	Digest       string           `json:"digest"` // see [Catalog.Digest]
	AsOf         record.Timestamp `json:"asOf"`
	Models       int              `json:"models"`
	Observations int              `json:"observations"`
	Holding      int              `json:"holding"` // observations that hold at AsOf
	Conflicts    int              `json:"conflicts"`
}

// DiffSummary counts what changed. Facts and samples are those of models that are in both
// catalogs.
type DiffSummary struct {
	Models       ModelChangeCounts       `json:"models"`
	Observations ObservationChangeCounts `json:"observations"`
	Facts        FactChangeCounts        `json:"facts"`
	Samples      SampleChangeCounts      `json:"samples"`
	Conflicts    ConflictChangeCounts    `json:"conflicts"`
	Rankings     int                     `json:"rankings"` // that changed
}

// ModelChangeCounts are models by their change.
type ModelChangeCounts struct {
	Added    int `json:"added"`    // in NEW alone
	Removed  int `json:"removed"`  // in OLD alone
	Silenced int `json:"silenced"` // something held in OLD, nothing holds in NEW
	Revived  int `json:"revived"`  // the reverse
	Changed  int `json:"changed"`  // anything else of them changed
}

// ObservationChangeCounts are observations of all models.
type ObservationChangeCounts struct {
	Added   int `json:"added"`   // in NEW alone
	Removed int `json:"removed"` // in OLD alone
	AgedOut int `json:"agedOut"` // in both, and hold in OLD alone
}

// FactChangeCounts are slots by their change.
type FactChangeCounts struct {
	Added        int `json:"added"`        // there was no such fact; one holds
	Backfilled   int `json:"backfilled"`   // there was none; there is one that has expired
	Changed      int `json:"changed"`      // value or unit differ
	Contradicted int `json:"contradicted"` // what holds has several values, which it had not
	Expired      int `json:"expired"`      // something held; nothing does
	Reaffirmed   int `json:"reaffirmed"`   // other observations say the same; never listed
	Removed      int `json:"removed"`      // there is no such fact any more
	Renewed      int `json:"renewed"`      // nothing held; a value does
	Settled      int `json:"settled"`      // it was in conflict; one value holds
}

// SampleChangeCounts are sample groups by their change.
type SampleChangeCounts struct {
	Changed    int `json:"changed"`    // number, unit or an aggregate differ
	Reaffirmed int `json:"reaffirmed"` // other samples come to the same; never listed
}

// ConflictChangeCounts are conflicts by their change.
type ConflictChangeCounts struct {
	Arisen  int `json:"arisen"`  // in NEW alone
	Ended   int `json:"ended"`   // in OLD alone
	Changed int `json:"changed"` // their values differ
}

// DiffLeftOut counts the entries that a diff does not list, being beyond its limit.
type DiffLeftOut struct {
	Models    int `json:"models"`
	Facts     int `json:"facts"`
	Samples   int `json:"samples"`
	Conflicts int `json:"conflicts"`
}

// ModelChange is a model and what changed of it.
type ModelChange struct {
	Key          string                      `json:"key"` // see [record.CatalogModel]
	Identity     record.Model                `json:"identity"`
	Change       string                      `json:"change"` // added, removed, silenced, revived or changed, as in ModelChangeCounts
	Alike        record.List[string]         `json:"alike"`  // of what was added or removed: keys of models of the same id in the other catalog, the first 16
	Observations ModelObservationCounts      `json:"observations"`
	Facts        record.List[FactChange]     `json:"facts"`     // by measurement key, then slot
	Samples      record.List[SampleChange]   `json:"samples"`   // by measurement key, then the rest
	Conflicts    record.List[ConflictChange] `json:"conflicts"` // by key
}

// ModelObservationCounts are the observations of a model.
type ModelObservationCounts struct {
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
	Slot           string        `json:"slot"` // SHA-256 that names it, the Key of its Conflict
	MeasurementKey string        `json:"measurementKey"`
	Execution      *record.Scope `json:"execution"` // nil: every execution
	Task           *record.Task  `json:"task"`      // nil: whatever the task
	// Change is added, backfilled, changed, contradicted, expired, removed, renewed or settled,
	// as in FactChangeCounts.
	Change string     `json:"change"`
	Ratio  *float64   `json:"ratio"` // new by old, of numbers of one unit that changed
	Old    *SlotState `json:"old"`   // nil: there is no such fact
	New    *SlotState `json:"new"`
}

// SlotState is what a catalog knows of a slot.
type SlotState struct {
	State            string                   `json:"state"`  // expired: nothing holds; value: what holds has one value and unit; conflict: several
	Values           record.List[StatedValue] `json:"values"` // the first 16
	ValueCount       int                      `json:"valueCount"`
	Observations     record.List[Witness]     `json:"observations"` // those that hold or, if expired, were observed last; newest first, at most 4
	ObservationCount int                      `json:"observationCount"`
}

// StatedValue is a value with its unit.
type StatedValue struct {
	Value any     `json:"value"` // a string, float64 or bool
	Unit  *string `json:"unit"`  // nil if it has none
}

// Witness is an observation that states a value.
type Witness struct {
	ID          string                    `json:"id"` // see [Observation.ID]
	ObservedAt  record.Timestamp          `json:"observedAt"`
	ValidUntil  *record.Timestamp         `json:"validUntil"`  // nil: without end
	SourceClass string                    `json:"sourceClass"` // first-party or external
	Evidence    record.List[EvidenceLink] `json:"evidence"`    // by id, the first 4
}

// EvidenceLink is where a value can be seen.
type EvidenceLink struct {
	ID  string  `json:"id"`
	URI *string `json:"uri"` // nil if there is none
}

// SampleChange is a sample group that changed: a model, an execution scope, the family
// and suite of a task, and a measurement key.
type SampleChange struct {
	MeasurementKey string         `json:"measurementKey"`
	Execution      *record.Scope  `json:"execution"`
	Family         *string        `json:"family"` // nil: of samples without a task
	Suite          *string        `json:"suite"`
	Came           int            `json:"came"`    // samples used in NEW that OLD lacks
	Went           int            `json:"went"`    // samples used in OLD that NEW lacks
	AgedOut        int            `json:"agedOut"` // samples used in OLD that no longer hold
	Old            *SampleSummary `json:"old"`     // nil: there is no sample
	New            *SampleSummary `json:"new"`
}

// SampleSummary is what ranking makes of the samples that hold. Nil is what it would make
// nothing of.
type SampleSummary struct {
	N           int      `json:"n"`    // how many are used
	Unit        *string  `json:"unit"` // the one that all have
	Mean        *float64 `json:"mean"`
	Min         *float64 `json:"min"`
	Max         *float64 `json:"max"`
	SuccessRate *float64 `json:"successRate"` // from 0 to 1
}

// ConflictChange is a conflict that changed.
type ConflictChange struct {
	Key            string `json:"key"` // see [Conflict]
	MeasurementKey string `json:"measurementKey"`
	Change         string `json:"change"` // arisen, ended or changed, as in ConflictChangeCounts
	Old            []any  `json:"old"`    // its values, nil if there is none
	New            []any  `json:"new"`
}

// RankingChange is a rank request, answered by both catalogs.
type RankingChange struct {
	Request    VersionedRequest             `json:"request"`
	Changed    bool                         `json:"changed"` // more than which observations are used
	Old        record.List[string]          `json:"old"`     // ids of the ranked candidates, the best first
	New        record.List[string]          `json:"new"`
	Scales     record.List[ScaleChange]     `json:"scales"`     // those that differ
	Candidates record.List[CandidateChange] `json:"candidates"` // those of which anything differs, by id
}

// VersionedRequest names a rank request and its version.
type VersionedRequest struct {
	SHA256        string `json:"sha256"`        // of its normal form, see [RankRequest.JSON]
	SchemaVersion string `json:"schemaVersion"` // see [RankRequest.SchemaVersion]
}

// ScaleChange is a preference whose lowest or highest value differs.
type ScaleChange struct {
	Criterion      *string      `json:"criterion"`      // its id; nil before version 3
	MeasurementKey *string      `json:"measurementKey"` // nil for a sum
	Aggregation    *Aggregation `json:"aggregation"`    // nil for a sum
	Direction      string       `json:"direction"`      // maximize or minimize
	Old            ScaleEnds    `json:"old"`
	New            ScaleEnds    `json:"new"`
}

// ScaleEnds are the ends of the scale of a preference, nil if no candidate has a value, and
// the ids of the candidates that have these values.
type ScaleEnds struct {
	Lowest    *float64            `json:"lowest"`
	Highest   *float64            `json:"highest"`
	LowestAt  record.List[string] `json:"lowestAt"`
	HighestAt record.List[string] `json:"highestAt"`
}

// CandidateChange is a candidate of which anything differs.
type CandidateChange struct {
	CandidateID string                       `json:"candidateId"`
	Old         CandidateOutcome             `json:"old"`
	New         CandidateOutcome             `json:"new"`
	Move        *float64                     `json:"move"`     // places gained; nil if it is not ranked in both
	Criteria    record.List[CriterionChange] `json:"criteria"` // those that differ, in the order of the request
}

// CandidateOutcome is how a candidate came out. What an excluded one has not is nil.
type CandidateOutcome struct {
	Outcome  string   `json:"outcome"` // ranked or excluded
	Rank     *uint64  `json:"rank"`    // from 1
	Score    *float64 `json:"score"`
	TieGroup *uint64  `json:"tieGroup"` // from 1; nil before version 3
}

// CriterionChange is a criterion that differs for a candidate, and why.
type CriterionChange struct {
	Role           string       `json:"role"`           // requirement, preference, tieBreaker or advisory
	Criterion      *string      `json:"criterion"`      // its id; nil before version 3
	MeasurementKey *string      `json:"measurementKey"` // nil for a sum
	Aggregation    *Aggregation `json:"aggregation"`    // nil for a sum
	// Causes are value, if value or unit differ; status; requirement, if it was met and is
	// not, or the reverse; came, went and aged-out, if observations are new, gone or expired;
	// scale, if the lowest or highest value of the preference differs.
	Causes       record.List[string] `json:"causes"`
	Old          *CriterionValue     `json:"old"` // nil: it was not evaluated
	New          *CriterionValue     `json:"new"`
	Contribution *ContributionChange `json:"contribution"` // of a preference that is scored in both
}

// CriterionValue is what a criterion came to for a candidate.
type CriterionValue struct {
	Status           string              `json:"status"` // ok, missing, stale, conflict, incomparable or ambiguous
	Code             *string             `json:"code"`   // that of its reason; nil of an advisory
	Value            any                 `json:"value"`  // a string, float64 or bool; nil if there is none
	Unit             *string             `json:"unit"`
	Contribution     *float64            `json:"contribution"`   // to the score
	ObservationIDs   record.List[string] `json:"observationIds"` // that it rests on, sorted, the first 16
	ObservationCount int                 `json:"observationCount"`
}

// ContributionChange is what a preference adds to a score, and to what its change is due.
type ContributionChange struct {
	Old     float64 `json:"old"`
	New     float64 `json:"new"`
	OfValue float64 `json:"ofValue"` // what the new value adds on the old scale
	OfScale float64 `json:"ofScale"` // the rest, which is due to the scale
}
