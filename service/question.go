package service

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank/dispatch"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// RankQuestion asks for a ranking by the keys of a catalog, as the options of svc rank do.
// [ListKeys] lists the keys. This asks for the best at coding among those that cost at most
// 5 dollars per million tokens of output; of those that are tied, the cheapest comes first:
//
//	service.RankQuestion{
//		AtMost:   map[string]string{"price.output": "5/M"},
//		Maximize: []string{"livebench.coding.score"},
//		Cheapest: true,
//	}
type RankQuestion struct {
	Models   []string // ids of the candidates; nil: every model that has all preferred keys
	All      bool     // without Models: every model that has any of the preferred keys
	Runtimes []string // where candidates can run, such as openrouter; nil: anywhere

	// Requirements, by key. A number is in the unit of the catalog and may be written like
	// 200000, 200k, 90% or, for dollars per million tokens, 5/M. A value is a bool or a word.
	AtLeast, AtMost map[string]string
	Require         map[string]any

	// Preferences: keys of which more, or less, is better, and how much each counts, which is
	// 1 unless Weights say otherwise. Trials names, for a key whose values are shares of trials,
	// the key that counts them: its intervals follow from their number.
	Maximize, Minimize []string
	Weights            map[string]float64
	Trials             map[string]string

	Keys     []string // criteria as the values of each key suggest
	Cheapest bool     // the cheapest is chosen of all whose score is within 3% of the best

	Within     record.Float       // how far below the best, as a share of the scale; null: 3% if Cheapest
	Tokens     *record.TaskTokens // what a task takes; nil: 20,000 tokens of input and 3,000 of output
	Confidence float64            // of intervals and comparisons; 0: 0.95
	Target     string             // benchmark or tasks; empty: benchmark where the number of questions is known
}

// DraftRankRequest makes a request of version 3 from a question. [RankRequest.Record] returns
// its members, to look at or to change. Candidates run where they meet most requirements, then
// where they cost least. A model that was measured under several workflow conditions, such as
// efforts, is a candidate for each. Samples count from any other execution, facts only from the
// runtime of the candidate.
//
// The error joins an [*AbsentNameError] for each name that the catalog does not have. Otherwise it
// has code [InvalidRankRequest].
func DraftRankRequest(c *Catalog, question RankQuestion) (*RankRequest, error) {
	inner, err := question.inner()
	if err != nil {
		return nil, ErrorList{{Code: InvalidRankRequest, Path: "$", Reason: err.Error(), Err: err}}
	}
	draft, err := v3.Draft(c.inner, inner)
	if err != nil {
		return nil, questionError(err)
	}
	return &RankRequest{&dispatch.Request{Current: draft.Request}}, nil
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

// inner returns the question with its maps as lists, in one order.
func (q *RankQuestion) inner() (inner v3.Question, err error) {
	inner = v3.Question{Models: q.Models, All: q.All, Runtimes: q.Runtimes, Keys: q.Keys, Maximize: q.Maximize, Minimize: q.Minimize, Cheapest: q.Cheapest,
		Within: q.Within, Tokens: q.Tokens, Confidence: q.Confidence, Target: q.Target}
	if inner.AtLeast, err = bounds(q.AtLeast); err != nil {
		return inner, err
	}
	if inner.AtMost, err = bounds(q.AtMost); err != nil {
		return inner, err
	}
	for _, key := range slices.Sorted(maps.Keys(q.Require)) {
		value := record.Scalar{Kind: 't'}
		switch v := q.Require[key].(type) {
		case bool:
			if !v {
				value.Kind = 'f'
			}
		case string:
			value = record.Scalar{Kind: '"', Text: v}
		default:
			return inner, fmt.Errorf("the value that is required of %s must be a bool or a string, not %T", key, v)
		}
		inner.Require = append(inner.Require, v3.Demand{Key: key, Value: value})
	}
	for _, key := range slices.Sorted(maps.Keys(q.Weights)) {
		weight := q.Weights[key]
		if !(weight > 0) || math.IsInf(weight, 1) {
			return inner, fmt.Errorf("the weight of %s must be a finite number above 0, not %v", key, weight)
		}
		inner.Weights = append(inner.Weights, v3.Weight{Key: key, Number: weight})
	}
	for _, key := range slices.Sorted(maps.Keys(q.Trials)) {
		inner.Trials = append(inner.Trials, v3.Shares{Key: key, Count: q.Trials[key]})
	}
	return inner, nil
}

func bounds(numbers map[string]string) (list []v3.Bound, err error) {
	for _, key := range slices.Sorted(maps.Keys(numbers)) {
		if strings.Contains(numbers[key], "=") {
			return nil, fmt.Errorf("%s: %q is not a number", key, numbers[key])
		}
		bound, err := v3.ParseBound(key + "=" + numbers[key])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		list = append(list, bound)
	}
	return list, nil
}
