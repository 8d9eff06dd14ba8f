package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// Schema versions of rank requests, results and explanations. The version of a request
// selects that of its result. Version 3 is the one to use; those of 1 and 2 are in package
// record.
const (
	RankRequestSchemaV3   = "service.rank.request/v3"
	RankResultSchemaV3    = "service.rank.result/v3"
	RankExplanationSchema = "service.rank.explanation/v1"
)

// The bounds of a rank request. All are checked before anything is evaluated. In
// version 3 a criterion that is a sum counts as many times as it has terms.
const (
	MaxRankRequestBytes   = 1 << 20 // bytes of the document
	MaxRankCriteria       = 192     // requirements, and separately preferences and tie breakers
	MaxRankCriterionCells = 1 << 16 // candidates times criteria; in versions 1 and 2 2048
	MaxRankTextBytes      = 256     // bytes of UTF-8 in each text
	MaxRankKeys           = 128     // entries of the dictionary of keys
	MaxRankTerms          = 32      // terms of a sum
)

// RankRequest is a validated and normalized request of any version. It is immutable and
// safe for concurrent use.
type RankRequest struct{ inner *v3.Request }

// NewRankRequest validates and normalizes a request of version 3. Its errors have code
// [InvalidRankRequest].
func NewRankRequest(request RankRequestRecord) (*RankRequest, error) {
	text, err := json.Marshal(request)
	if err != nil { // a number that JSON cannot say
		return nil, ErrorList{{Code: InvalidRankRequest, Path: "$", Reason: "cannot be written as JSON", Err: err}}
	}
	return ValidateRankRequest(text)
}

// ValidateRankRequest validates and normalizes the JSON of a request of any version.
// Its errors have code [InvalidRankRequest].
func ValidateRankRequest[T Text](request T) (*RankRequest, error) {
	q, err := v3.ReadRequest(problem.Source{Text: string(request)})
	if err != nil {
		return nil, publish(err)
	}
	return &RankRequest{q}, nil
}

// SchemaVersion returns [record.RankRequestSchemaV1], [record.RankRequestSchemaV2] or
// [RankRequestSchemaV3].
func (q *RankRequest) SchemaVersion() string { return q.inner.Identity().SchemaVersion }

// JSON returns the normal form of the request as canonical JSON: every member written,
// lists sorted.
func (q *RankRequest) JSON() string { return q.inner.JSON() }

// MarshalJSON returns what JSON does.
func (q *RankRequest) MarshalJSON() ([]byte, error) { return []byte(q.JSON()), nil }

// Record returns the members of the normal form of a request of version 3. It fails if
// the request has another version: [RankRequest.RecordV2] returns those.
func (q *RankRequest) Record() (*RankRequestRecord, error) {
	if q.inner.IsEarlier() {
		return nil, errors.New("a request of version 1 or 2 has another record: see RecordV2")
	}
	return decode[*RankRequestRecord]([]byte(q.JSON())), nil
}

// Translate returns a request of version 1 or 2 as one of version 3, and one of version
// 3 as it is. Requirements and preferences get the ids requirement-001, requirement-002,
// ..., preference-001, ...; it fails, with code [InvalidRankRequest], if an advisory has
// one of these.
func (q *RankRequest) Translate() (*RankRequest, error) {
	translated, err := q.inner.Translate()
	if err != nil {
		return nil, publish(err)
	}
	return &RankRequest{translated}, nil
}

// Ranker ranks requests of every version against one catalog. It is immutable and safe
// for concurrent use.
type Ranker struct{ inner *v3.Ranker }

// NewCatalogRanker indexes a catalog once, to rank against it repeatedly. It fails
// if a model has more measurements than can be numbered, 2,147,483,647.
func NewCatalogRanker(c *Catalog) (*Ranker, error) {
	ranker, err := v3.New(c.inner)
	if err != nil {
		return nil, err
	}
	return &Ranker{ranker}, nil
}

// Rank answers a request. Its only error is that of the context.
func (k *Ranker) Rank(ctx context.Context, request *RankRequest) (*RankResult, error) {
	result, err := k.inner.Rank(ctx, request.inner, 0)
	if err != nil {
		return nil, err
	}
	return &RankResult{result}, nil
}

// RankRecord answers a request of version 3, from struct to struct. It takes some three
// times as long as Rank of a request that was validated before and [RankResult.AppendJSON],
// which are for programs that hand documents on. Its errors have code [InvalidRankRequest],
// or are that of the context.
func (k *Ranker) RankRecord(ctx context.Context, request RankRequestRecord) (*record.RankResult, error) {
	validated, err := NewRankRequest(request)
	if err != nil {
		return nil, err
	}
	result, err := k.Rank(ctx, validated)
	if err != nil {
		return nil, err
	}
	return result.Record()
}

// Explain says how one candidate of a request comes out, criterion by criterion down to
// the observations, by the rules of the request's version. Its errors are an
// [*UnknownCandidateError] and that of the context.
func (k *Ranker) Explain(ctx context.Context, request *RankRequest, candidate string) (*record.RankExplanation, error) {
	x, err := k.inner.Explain(ctx, request.inner, candidate)
	if unknown, ok := errors.AsType[*v3.UnknownCandidateError](err); ok {
		return nil, &UnknownCandidateError{unknown.ID, unknown.Closest}
	}
	if err != nil {
		return nil, err
	}
	return x, nil
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

// RankResult is the answer to a request, of the version of that. It is immutable and safe
// for concurrent use.
type RankResult struct{ inner *v3.Ranking }

// AppendJSON appends the result as canonical JSON. If limit is above zero and the
// JSON has more bytes, it returns dst as it was and a [*ResultTooLargeError].
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

// Record returns the members of a result of version 3. It fails if the request had
// another version: [RankResult.RecordV2] returns those.
func (r *RankResult) Record() (*record.RankResult, error) {
	if r.inner.IsEarlier() {
		return nil, errors.New("a result of version 1 or 2 has another record: see RecordV2")
	}
	text, err := r.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return v3.ReadResult(problem.Source{Text: string(text)})
}

// ResultTooLargeError reports a result that is longer than its caller allows.
type ResultTooLargeError struct{ Limit int } // bytes

// Error names the limit.
func (e *ResultTooLargeError) Error() string {
	return fmt.Sprintf("the result has more than %d bytes", e.Limit)
}

// UnknownCandidateError reports a candidate that a request does not have.
type UnknownCandidateError struct {
	ID      string
	Closest []string // ids of at most five candidates, the most similar first
}

// Error names the candidate and the closest ones.
func (e *UnknownCandidateError) Error() string {
	return (&v3.UnknownCandidateError{ID: e.ID, Closest: e.Closest}).Error()
}
