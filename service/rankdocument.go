package service

import (
	"context"
	"errors"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank/dispatch"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

// Schema versions of rank requests and results of version 3, and of explanations. The
// version of the request selects that of the result.
const (
	RankRequestSchemaV3   = "service.rank.request/v3"
	RankResultSchemaV3    = "service.rank.result/v3"
	RankExplanationSchema = "service.rank.explanation/v1"
)

// The bounds that version 3 adds. Those of version 2 hold, too: a criterion that is a sum
// counts as many times as it has terms, and tie breakers count as requirements and
// preferences do.
const MaxRankTerms = 32 // terms of a sum

// UnknownCandidateError reports a candidate that a request does not have.
type UnknownCandidateError struct{ ID string }

// Error names the candidate.
func (e *UnknownCandidateError) Error() string {
	return (&v3.UnknownCandidateError{ID: e.ID}).Error()
}

// DocumentRanker ranks against one catalog by requests of every version, from the text of
// a request to the text of its result. It is immutable and safe for concurrent use.
type DocumentRanker struct{ ranker *dispatch.Ranker }

// NewDocumentRanker indexes a catalog once, to rank against it repeatedly. It fails if a
// model has more measurements than can be numbered, 2,147,483,647.
func NewDocumentRanker(c *Catalog) (*DocumentRanker, error) {
	k := dispatch.New(c.inner)
	if err := k.Prepare(); err != nil {
		return nil, err
	}
	return &DocumentRanker{k}, nil
}

// Rank answers a request of any version with the text of its result: canonical JSON of
// the same version. Its errors have code INVALID_RANK_REQUEST, or are that of the context.
func (k *DocumentRanker) Rank(ctx context.Context, request []byte) ([]byte, error) {
	text, err := k.ranker.RankText(ctx, nil, string(request), 0)
	return text, publish(err)
}

// Explain says how one candidate of a request comes out, criterion by criterion down to
// the observations: canonical JSON of [RankExplanationSchema]. Its errors are those of
// Rank and *[UnknownCandidateError].
func (k *DocumentRanker) Explain(ctx context.Context, request []byte, candidate string) ([]byte, error) {
	q, err := dispatch.ReadRequest(problem.Source{Text: string(request)})
	if err != nil {
		return nil, publish(err)
	}
	x, err := k.ranker.Explain(ctx, q, candidate)
	if unknown, ok := errors.AsType[*v3.UnknownCandidateError](err); ok {
		return nil, &UnknownCandidateError{unknown.ID}
	}
	if err != nil {
		return nil, publish(err)
	}
	return canonical.MustMarshal(x), nil
}

// TranslateRankRequest returns a request of version 1 or 2 as one of version 3, canonical
// JSON, and one of version 3 in its normal form. Its errors have code
// INVALID_RANK_REQUEST.
func TranslateRankRequest(request []byte) ([]byte, error) {
	q, err := dispatch.ReadRequest(problem.Source{Text: string(request)})
	if err != nil {
		return nil, publish(err)
	}
	text, err := q.Translate()
	return []byte(text), publish(err)
}
