package explore

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/httpserver"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// This file answers questions: the page sends what a person asks, and gets the request that
// was drafted of it together with its result. So a link names a question, of whatever
// candidates the catalog has when it is opened.

// The bounds of questions.
const (
	maxQuestions   = 4       // at once
	maxAnswerBytes = 8 << 20 // of one
)

// answerer answers questions of one catalog.
type answerer struct {
	ranker *v3.Ranker
	index  *index
	build  *record.CatalogBuild
}

// answer returns { "request", "result", "because" } for a question, as svc.rank.question/v1 has it.
// Because is why each excluded candidate of the result is, in its order.
func (a *answerer) answer(ctx context.Context, body string) ([]byte, error) {
	request, err := a.draft(body)
	if err != nil {
		return nil, err
	}
	return a.rank(ctx, request)
}

// answerRequest is answer for a request of any version.
func (a *answerer) answerRequest(ctx context.Context, body string) ([]byte, error) {
	request, err := v3.ReadRequest(problem.Source{Text: body})
	if err != nil {
		return nil, err
	}
	return a.rank(ctx, request)
}

func (a *answerer) rank(ctx context.Context, request *v3.Request) ([]byte, error) {
	ranking, err := a.ranker.Rank(ctx, request, maxAnswerBytes)
	if err != nil {
		return nil, err
	}
	return appendAnswer([]byte(`{"request":`+request.JSON()+`,`), ranking, maxAnswerBytes)
}

// appendAnswer appends the members that show a ranking.
func appendAnswer(text []byte, ranking *v3.Ranking, limit int) ([]byte, error) {
	because := []string{}
	for _, o := range ranking.Excluded() {
		because = append(because, o.Because())
	}
	text = append(append(text, `"because":`...), canonical.MustMarshal(because)...)
	text, err := ranking.AppendJSON(append(text, `,"result":`...), limit)
	return append(text, '}'), err
}

// draft returns the request of a question. It notes what the question leaves out, and which rows
// of leaderboards are missing.
func (a *answerer) draft(body string) (*v3.Request, error) {
	document, faults := v3.ReadAsked(body)
	if faults != nil {
		return nil, faults.Err()
	}
	question, err := v3.NewQuestion(document)
	if err == nil && question.IsEmpty() {
		err = errors.New("the question asks nothing")
	}
	if err != nil {
		return nil, question.FaultOf(err, "$").Err()
	}
	return draft(a.ranker, &question, a.build)
}

func draft(ranker *v3.Ranker, question *v3.Question, build *record.CatalogBuild) (*v3.Request, error) {
	draft, err := ranker.Draft(*question)
	if err != nil {
		return nil, question.FaultOf(err, "$").Err()
	}
	notes := []string{}
	for _, omission := range draft.Omissions() {
		notes = append(notes, omission.Text)
	}
	if build != nil {
		notes = slices.Concat(notes, v3.MissingRows(build, question))
	}
	return draft.Request.Noting(notes), nil
}

// post answers a call whose body asks something.
func post(c *httpserver.Call, answer func(ctx context.Context, body string) ([]byte, error)) {
	c.Work(rank.MaxRequestBytes, func(ctx context.Context, body string) (*httpserver.Answer, bool) {
		text, err := answer(ctx, body)
		status, message := http.StatusOK, ""
		if err != nil {
			if ctx.Err() != nil {
				panic(http.ErrAbortHandler) // the client is gone
			}
			status, message = http.StatusInternalServerError, "failed"
			if faults := problem.All(err); faults != nil {
				status, message = http.StatusBadRequest, faults[0].Error()
			} else if isBadQuestion(err) {
				status, message = http.StatusBadRequest, err.Error()
			} else if _, ok := errors.AsType[*rank.TooLargeError](err); ok {
				status, message = http.StatusUnprocessableEntity, "the answer is too large: ask about fewer models"
			}
			text = canonical.MustMarshal(map[string]any{"error": map[string]any{"code": string(problem.InvalidRankRequest),
				"message": message}})
		}
		answered := *newVersions("application/json", text, nil).of(c.Request)
		answered.Status = status
		return &answered, true
	})
}
