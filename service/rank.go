package service

import (
	"context"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank"
)

// Schema versions of rank requests and results. The version of the request
// selects that of the result.
const (
	RankRequestSchemaV1 = rank.RequestSchemaV1
	RankRequestSchemaV2 = rank.RequestSchemaV2
	RankResultSchemaV1  = rank.ResultSchemaV1
	RankResultSchemaV2  = rank.ResultSchemaV2
)

// The bounds of a rank request. All are checked before anything is evaluated.
const (
	MaxRankRequestBytes    = rank.MaxRequestBytes
	MaxRankCandidates      = rank.MaxCandidates
	MaxRankCriteria        = rank.MaxCriteria
	MaxRankCriterionCells  = rank.MaxCriterionCells
	MaxRankTextBytes       = rank.MaxTextBytes
	MaxRankV2Advisories    = rank.MaxV2Advisories
	MaxRankV2AdvisoryCells = rank.MaxV2AdvisoryCells
)

// What a ranking takes and gives.
type (
	// RankRequest is a validated and normalized request.
	RankRequest = rank.Request
	// RankResult is the answer to a request.
	RankResult = rank.Result
	// Placement is how a candidate came out.
	Placement = rank.Placement
	// Reason is one reason for that.
	Reason = rank.Reason
	// ReasonCode tells what a reason says.
	ReasonCode = rank.ReasonCode
	// ResultTooLargeError reports a result above the limit of its caller.
	ResultTooLargeError = rank.TooLargeError
	// Ranker ranks requests against one catalog.
	Ranker = rank.Ranker
)

// NewCatalogRanker indexes a catalog once, to rank against it repeatedly. It fails
// if a model has more measurements than can be numbered, 2,147,483,647.
func NewCatalogRanker(c *Catalog) (*Ranker, error) { return rank.New(c) }

// RankCatalog ranks one request. Its errors are that of the context and those of
// [NewCatalogRanker].
func RankCatalog(ctx context.Context, c *Catalog, request *RankRequest) (*RankResult, error) {
	ranker, err := rank.New(c)
	if err != nil {
		return nil, err
	}
	return ranker.Rank(ctx, request)
}

// ValidateRankRequest validates and normalizes the JSON of a request of either
// version. Its errors have code INVALID_RANK_REQUEST.
func ValidateRankRequest[T text](request T) (*RankRequest, error) {
	return rank.ReadRequest(problem.Source{Text: string(request)})
}
