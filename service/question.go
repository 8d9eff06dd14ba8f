package service

import (
	"errors"
	"fmt"

	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// ValidateRankQuestion validates the JSON of a question. Its errors have code [InvalidRankRequest].
func ValidateRankQuestion[T Text](question T) (*record.RankQuestion, error) {
	q, err := v3.ReadQuestion(problem.Source{Text: string(question)})
	if err != nil {
		return nil, publish(err)
	}
	return q, nil
}

// DraftRankRequest makes a request of version 3 from a question. [ListKeys] lists the keys that it
// can name, [RankRequest.Record] returns its members, to look at or to change. Candidates run where
// they meet most requirements, then where they cost least. A model that was measured under several
// workflow conditions, such as efforts, is a candidate for each. Samples count from any other
// execution, facts only from the runtime of the candidate.
//
// The error joins an [*AbsentNameError] for each name that the catalog does not have. Otherwise it
// has code [InvalidRankRequest].
func DraftRankRequest(c *Catalog, question record.RankQuestion) (*RankRequest, error) {
	inner, err := v3.NewQuestion(&question)
	if err != nil {
		return nil, ErrorList{{Code: InvalidRankRequest, Path: "$", Reason: err.Error(), Err: err}}
	}
	draft, err := v3.Draft(c.inner, inner)
	if err != nil {
		return nil, questionError(err)
	}
	return &RankRequest{draft.Request}, nil
}

// questionError returns the error of a question as this package has it.
func questionError(err error) error {
	if absent := absentNames(err); absent != nil {
		return absent
	}
	if problem.All(err) == nil {
		return ErrorList{{Code: InvalidRankRequest, Path: "$", Reason: err.Error(), Err: err}}
	}
	return publish(err)
}

// absentNames returns what of an error is about names that a catalog does not have.
func absentNames(err error) error {
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		var absent []error
		for _, e := range list.Unwrap() {
			absent = append(absent, absentNames(e))
		}
		return errors.Join(absent...)
	}
	name, ok := errors.AsType[*v3.AbsentError](err)
	if !ok {
		return nil
	}
	absent := &AbsentNameError{What: fmt.Sprintf("%s %q", name.What, name.Name)}
	if len(name.Similar) > 0 {
		absent.Closest = name.Similar[0]
	}
	return absent
}
