// Package rank ranks the models that a caller can run by what a catalog knows, and says how sure
// that is. The same request and catalog give the same answer. It opens nothing, is built of the
// standard library alone, and works in a browser as WebAssembly.
//
// A question names keys of the catalog, and becomes a request. The answer has the candidates in
// order, with a reason, an interval and the evidence for each number:
//
//	request, err := rank.Draft(c, record.RankQuestion{Maximize: []string{"livebench.coding.score"}, Cheapest: true})
//	result, err := rank.Rank(ctx, c, request)
//	answer, err := result.Record()
//	for _, candidate := range answer.Ranked {
//		fmt.Println(candidate.Rank, candidate.RankInterval, candidate.CandidateID, candidate.Score)
//	}
//
// To name the candidates and criteria yourself, build a request. A ranker answers many of them:
//
//	ranker, err := rank.New(c)
//	answer, err := ranker.RankRecord(ctx, rank.RequestRecord{...})
//
// Requests and results have three versions; use the third. Structs of the first two end in V2.
package rank

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	inside "github.com/model-catalog-service/svc/internal/catalog"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/catalog"
	"github.com/model-catalog-service/svc/service/internal/outward"
	"github.com/model-catalog-service/svc/service/record"
)

// Schema versions of rank requests, results and explanations. The version of a request
// selects that of its result. Version 3 is the one to use; those of 1 and 2 are in package
// record.
const (
	RequestSchemaV3   = "service.rank.request/v3"
	ResultSchemaV3    = "service.rank.result/v3"
	ExplanationSchema = "service.rank.explanation/v1"
)

// The bounds of a rank request. All are checked before anything is evaluated. In
// version 3 a criterion that is a sum counts as many times as it has terms.
const (
	MaxRequestBytes   = 1 << 20 // bytes of the document
	MaxCriteria       = 192     // requirements, and separately preferences and tie breakers
	MaxCriterionCells = 1 << 16 // candidates times criteria; in versions 1 and 2 2048
	MaxTextBytes      = 256     // bytes of UTF-8 in each text
	MaxKeys           = 128     // entries of the dictionary of keys
	MaxTerms          = 32      // terms of a sum
)

// Request is a validated and normalized request of any version. It is immutable and
// safe for concurrent use.
type Request v3.Request

// NewRequest validates and normalizes a request of version 3. Its errors have code
// [service.InvalidRankRequest].
func NewRequest(request RequestRecord) (*Request, error) {
	text, err := json.Marshal(request)
	if err != nil { // a number that JSON cannot say
		return nil, invalid("cannot be written as JSON", err)
	}
	return ParseRequest(text)
}

// invalid returns the error of a document as a whole.
func invalid(reason string, cause error) error {
	return service.ErrorList{{Code: service.InvalidRankRequest, Path: "$", Reason: reason, Err: cause}}
}

// ParseRequest validates and normalizes the JSON of a request of any version.
// Its errors have code [service.InvalidRankRequest].
func ParseRequest[T service.Text](request T) (*Request, error) {
	q, err := v3.ReadRequest(problem.Source{Text: string(request)})
	if err != nil {
		return nil, outward.Error(err)
	}
	return (*Request)(q), nil
}

func (q *Request) inside() *v3.Request { return (*v3.Request)(q) }

// SchemaVersion returns [record.RankRequestSchemaV1], [record.RankRequestSchemaV2] or
// [RequestSchemaV3].
func (q *Request) SchemaVersion() string { return q.inside().Identity().SchemaVersion }

// JSON returns the normal form of the request as canonical JSON: every member written,
// lists sorted.
func (q *Request) JSON() string { return q.inside().JSON() }

// MarshalJSON returns what JSON does.
func (q *Request) MarshalJSON() ([]byte, error) { return []byte(q.JSON()), nil }

// Record returns the members of the normal form of a request of version 3. It fails if
// the request has another version: [Request.RecordV2] returns those.
func (q *Request) Record() (*RequestRecord, error) {
	if q.inside().IsEarlier() {
		return nil, errors.New("a request of version 1 or 2 has another record: see RecordV2")
	}
	return outward.Decode[*RequestRecord]([]byte(q.JSON())), nil
}

// Translate returns a request of version 1 or 2 as one of version 3, and one of version
// 3 as it is. Requirements and preferences get the ids requirement-001, requirement-002,
// ..., preference-001, ...; it fails, with code [service.InvalidRankRequest], if an advisory has
// one of these.
func (q *Request) Translate() (*Request, error) {
	translated, err := q.inside().Translate()
	if err != nil {
		return nil, outward.Error(err)
	}
	return (*Request)(translated), nil
}

// Ranker ranks requests of every version against one catalog. It is immutable and safe
// for concurrent use.
type Ranker struct{ inner *v3.Ranker }

// New indexes a catalog once, to rank against it repeatedly. It fails
// if a model has more measurements than can be numbered, 2,147,483,647.
func New(c *catalog.Catalog) (*Ranker, error) {
	ranker, err := v3.New((*inside.Catalog)(c))
	if err != nil {
		return nil, err
	}
	return &Ranker{ranker}, nil
}

// Rank answers a request. Its only error is that of the context.
func (k *Ranker) Rank(ctx context.Context, request *Request) (*Result, error) {
	result, err := k.inner.Rank(ctx, request.inside(), 0)
	if err != nil {
		return nil, err
	}
	return &Result{result}, nil
}

// RankRecord answers a request of version 3, from struct to struct. It takes some three
// times as long as Rank of a request that was validated before and [Result.AppendJSON],
// which are for programs that hand documents on. Its errors have code [service.InvalidRankRequest],
// or are that of the context.
func (k *Ranker) RankRecord(ctx context.Context, request RequestRecord) (*record.RankResult, error) {
	validated, err := NewRequest(request)
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
func (k *Ranker) Explain(ctx context.Context, request *Request, candidate string) (*record.RankExplanation, error) {
	x, err := k.inner.Explain(ctx, request.inside(), candidate)
	if unknown, ok := errors.AsType[*v3.UnknownCandidateError](err); ok {
		return nil, &UnknownCandidateError{unknown.ID, unknown.Closest}
	}
	if err != nil {
		return nil, err
	}
	return x, nil
}

// Rank ranks one request. Its errors are that of the context and those of
// [New].
func Rank(ctx context.Context, c *catalog.Catalog, request *Request) (*Result, error) {
	ranker, err := New(c)
	if err != nil {
		return nil, err
	}
	return ranker.Rank(ctx, request)
}

// Result is the answer to a request, of the version of that. It is immutable and safe
// for concurrent use.
type Result struct{ inner *v3.Ranking }

// AppendJSON appends the result as canonical JSON. If limit is above zero and the
// JSON has more bytes, it returns dst as it was and a [*TooLargeError].
func (r *Result) AppendJSON(dst []byte, limit int) ([]byte, error) {
	dst, err := r.inner.AppendJSON(dst, limit)
	if _, ok := errors.AsType[*rank.TooLargeError](err); ok {
		err = &TooLargeError{limit}
	}
	return dst, err
}

// MarshalJSON returns the result. json.Marshal escapes <, > and & in it; what
// AppendJSON appends is canonical.
func (r *Result) MarshalJSON() ([]byte, error) { return r.inner.AppendJSON(nil, 0) }

// Record returns the members of a result of version 3. It fails if the request had
// another version: [Result.RecordV2] returns those.
func (r *Result) Record() (*record.RankResult, error) {
	if r.inner.IsEarlier() {
		return nil, errors.New("a result of version 1 or 2 has another record: see RecordV2")
	}
	text, err := r.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return v3.ReadResult(problem.Source{Text: string(text)})
}

// TooLargeError reports a result that is longer than its caller allows.
type TooLargeError struct{ Limit int } // bytes

// Error names the limit.
func (e *TooLargeError) Error() string {
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
