// Package dispatch ranks by requests of every version. The schemaVersion of a request
// decides by whose rules it is read and ranked: those of package rank for versions 1
// and 2, those of package v3 for version 3. The result has the version of its request.
//
//	ranker := dispatch.New(catalog)
//	request, err := dispatch.ReadRequest(problem.Source{Text: text})
//	...
//	result, err := ranker.Rank(ctx, request, 0)
//	...
//	text, err := result.AppendJSON(nil, 0) // canonical JSON
package dispatch

import (
	"context"
	"sync"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// Request is a validated and normalized request of any version. Of its two members
// one is nil. It is immutable and safe for concurrent use; only [ReadRequest] makes one.
type Request struct {
	Earlier *rank.Request // version 1 or 2
	Current *v3.Request   // version 3
}

// ReadRequest reads, validates and normalizes a request. One whose schemaVersion is that
// of version 1 or 2 is read by their rules, any other by those of version 3. Faults have
// code INVALID_RANK_REQUEST: all of the document, in order, each with its place.
func ReadRequest(source problem.Source) (*Request, error) {
	switch schemaVersion(source.Text) {
	case record.RankRequestSchemaV1, record.RankRequestSchemaV2:
		q, err := rank.ReadRequest(source)
		if err != nil {
			return nil, err
		}
		return &Request{Earlier: q}, nil
	}
	q, err := v3.ReadRequest(source)
	if err != nil {
		return nil, err
	}
	return &Request{Current: q}, nil
}

// schemaVersion returns that of a document, or "". It reads as far as that member.
func schemaVersion(text string) string {
	r := ijson.NewReader(text, "")
	for n := r.Names(); n.Next(); r.Skip() {
		if n.Name() == "schemaVersion" && r.Kind() == '"' {
			return r.String()
		}
	}
	return ""
}

// JSON is the normal form of the request, canonical JSON.
func (q *Request) JSON() string {
	if q.Earlier != nil {
		return q.Earlier.JSON()
	}
	return q.Current.JSON()
}

// Translate returns the request as one of version 3, canonical JSON: see [v3.Translate].
// One of version 3 is returned in its normal form.
func (q *Request) Translate() (string, error) {
	if q.Earlier != nil {
		return v3.Translate(q.Earlier.JSON())
	}
	return q.Current.JSON(), nil
}

// Names returns what the request looks for in a catalog, in its order: see [rank.Absent].
func (q *Request) Names() []rank.Name {
	if q.Earlier != nil {
		return q.Earlier.Names()
	}
	return q.Current.Names()
}

// Ranker ranks requests against one catalog. It is safe for concurrent use; [New] makes
// one.
type Ranker struct {
	catalog *catalog.Catalog
	earlier func() (*rank.Ranker, error)
	current func() (*v3.Ranker, error)
}

// New returns a ranker. It indexes the catalog for a version when the first request of
// that version comes, or when [Ranker.Prepare] is called.
func New(c *catalog.Catalog) *Ranker {
	return &Ranker{
		catalog: c,
		earlier: sync.OnceValues(func() (*rank.Ranker, error) { return rank.New(c) }),
		current: sync.OnceValues(func() (*v3.Ranker, error) { return v3.New(c) }),
	}
}

// Prepare indexes the catalog for all versions, so that no request waits for it. It
// fails if a model has more measurements than can be numbered, as [Ranker.Rank] then
// does.
func (k *Ranker) Prepare() error {
	if _, err := k.earlier(); err != nil {
		return err
	}
	_, err := k.current()
	return err
}

// Result is what a request was answered, by the rules of its version. Of its two members
// one is nil. It is immutable and safe for concurrent use.
type Result struct {
	Earlier *rank.Result
	Current *v3.Ranking
}

// Rank evaluates a request. If limit is above zero, it may end early with a
// *[rank.TooLargeError] when the result would surely be longer. Other errors are that of
// the context and that of indexing the catalog.
func (k *Ranker) Rank(ctx context.Context, q *Request, limit int) (*Result, error) {
	if q.Earlier == nil {
		return k.rankCurrent(ctx, q.Current, limit)
	}
	ranker, err := k.earlier()
	if err != nil {
		return nil, err
	}
	r, err := ranker.Rank(ctx, q.Earlier)
	if err != nil {
		return nil, err
	}
	return &Result{Earlier: r}, nil
}

func (k *Ranker) rankCurrent(ctx context.Context, q *v3.Request, limit int) (*Result, error) {
	ranker, err := k.current()
	if err != nil {
		return nil, err
	}
	r, err := ranker.Rank(ctx, q, limit)
	if err != nil {
		return nil, err
	}
	return &Result{Current: r}, nil
}

// AppendJSON appends the result as canonical JSON. If limit is above zero and the JSON
// longer, it stops soon after that many bytes and returns dst as it was and a
// *[rank.TooLargeError].
func (r *Result) AppendJSON(dst []byte, limit int) ([]byte, error) {
	if r.Earlier != nil {
		return r.Earlier.AppendJSON(dst, limit)
	}
	return r.Current.AppendJSON(dst, limit)
}

// Explain explains how a candidate comes out by the rules of the request's version. An
// error is a *[v3.UnknownCandidateError], that of the context, or that of indexing the
// catalog.
func (k *Ranker) Explain(ctx context.Context, q *Request, candidate string) (*v3.Explanation, error) {
	current := q.Current
	if q.Earlier != nil {
		current = v3.Earlier(q.Earlier.JSON())
	}
	r, err := k.rankCurrent(ctx, current, 0)
	if err != nil {
		return nil, err
	}
	return r.Current.Explain(ctx, candidate)
}

// Read reads a request of any version, or a question, of which it makes a request by what the catalog
// has. Faults are as of [ReadRequest]; a name that the catalog does not have has the path of the member
// that names it.
func (k *Ranker) Read(source problem.Source) (*Request, error) {
	if !IsQuestion(source.Text) {
		return ReadRequest(source)
	}
	document, err := v3.ReadQuestion(source)
	if err != nil {
		return nil, err
	}
	question, err := v3.NewQuestion(document)
	if err != nil {
		return nil, question.FaultOf(err, "$").Err()
	}
	draft, err := v3.Draft(k.catalog, question)
	if err != nil {
		return nil, question.FaultOf(err, "$").Err()
	}
	return &Request{Current: draft.Request}, nil
}

// IsQuestion reports whether a document is a question, by its schemaVersion.
func IsQuestion(text string) bool { return schemaVersion(text) == record.RankQuestionSchema }

// RankText answers the text of a request or a question with the text of its result, canonical JSON,
// which is appended to dst. The limit is as for [Result.AppendJSON].
func (k *Ranker) RankText(ctx context.Context, dst []byte, request string, limit int) ([]byte, error) {
	q, err := k.Read(problem.Source{Text: request})
	if err != nil {
		return dst, err
	}
	r, err := k.Rank(ctx, q, limit)
	if err != nil {
		return dst, err
	}
	return r.AppendJSON(dst, limit)
}

// CheckResults validates the shape of a rank result of any version, or of several, one a
// line as they are written. Faults have no code. They are all of the source, in order,
// each with its place. Whether a result is what a catalog answers, only ranking again
// can show.
func CheckResults(source problem.Source) error {
	earlier := rank.NewResultChecker()
	return rank.EachResult(source, func(text string) problem.List {
		switch schemaVersion(text) {
		case record.RankResultSchemaV1, record.RankResultSchemaV2:
			return earlier(text)
		}
		return v3.CheckResult(text)
	})
}
