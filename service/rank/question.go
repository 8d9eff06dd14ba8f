package rank

import (
	"errors"
	"fmt"

	inside "github.com/model-catalog-service/svc/internal/catalog"

	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/catalog"
	"github.com/model-catalog-service/svc/service/internal/outward"
	"github.com/model-catalog-service/svc/service/record"
)

// ParseQuestion validates the JSON of a question. Its errors have code
// [service.InvalidRankRequest].
func ParseQuestion[T service.Text](question T) (*record.RankQuestion, error) {
	q, err := v3.ReadQuestion(problem.Source{Text: string(question)})
	if err != nil {
		return nil, outward.Error(err)
	}
	return q, nil
}

// Draft makes a request of version 3 from a question. [catalog.ListKeys] lists the keys that it
// can name, [Request.Record] returns its members, to look at or to change. Candidates run where
// they meet most requirements, then where they cost least. A model that was measured under several
// workflow conditions, such as efforts, is a candidate for each. Samples count from any other
// execution, facts only from the runtime of the candidate.
//
// The error joins a [*catalog.AbsentNameError] for each name that the catalog does not have.
// Otherwise it has code [service.InvalidRankRequest].
func Draft(c *catalog.Catalog, question record.RankQuestion) (*Request, error) {
	inner, err := v3.NewQuestion(&question)
	if err != nil {
		return nil, invalid(err.Error(), err)
	}
	draft, err := v3.Draft((*inside.Catalog)(c), inner)
	if err != nil {
		return nil, questionError(err)
	}
	return (*Request)(draft.Request), nil
}

// questionError returns the error of a question as this package has it.
func questionError(err error) error {
	if absent := absentNames(err); absent != nil {
		return absent
	}
	if problem.All(err) == nil {
		return invalid(err.Error(), err)
	}
	return outward.Error(err)
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
	absent := &catalog.AbsentNameError{What: fmt.Sprintf("%s %q", name.What, name.Name)}
	if len(name.Similar) > 0 {
		absent.Closest = name.Similar[0]
	}
	return absent
}
