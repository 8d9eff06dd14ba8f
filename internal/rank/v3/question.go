package v3

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/spelling"
	"github.com/model-catalog-service/svc/service/record"
)

// This file is the question that a draft asks, with its parts as people write them, here as
// options of commands:
//
//	--at-least limits.context=200000 --at-most price.output=5/M --require capability.tools
//	--maximize coding.score --weight coding.score=3 --cheapest

// Question is what a draft is about. What it names the catalog must have.
type Question struct {
	Models             []string // ids of candidates; nil for those that have what is preferred
	All                bool     // also those that have only some of what is preferred
	Runtimes           []string // where candidates run; nil for anywhere
	Keys               []string // criteria as the values of each key suggest
	AtLeast, AtMost    []Bound  // requirements by a number
	Require            []Demand // requirements by a value
	Maximize, Minimize []string // keys of preferences
	Weights            []Weight // of preferences; one that is not named has the weight 1
	Trials             []Shares // keys whose values are shares of trials
	Cheapest           bool     // the price of a task decides between candidates that are tied
}

// Shares says that the values of a key are shares of trials, and which key counts those.
type Shares struct{ Key, Count string }

// ParseShares reads what people write as KEY=COUNT:
//
//	tickets.solved=tickets.total
func ParseShares(text string) (Shares, error) {
	cut := strings.LastIndexByte(text, '=')
	if cut <= 0 || cut == len(text)-1 {
		return Shares{}, errors.New("must be KEY=COUNT, two keys, like tickets.solved=tickets.total")
	}
	return Shares{text[:cut], text[cut+1:]}, nil
}

// Check refuses what no request could hold, before anything is looked up.
func (q *Question) Check() error {
	named := len(q.Keys) + len(q.AtLeast) + len(q.AtMost) + len(q.Require) + len(q.Maximize) + len(q.Minimize) + len(q.Weights) + len(q.Trials)
	switch {
	case len(q.Models) > MaxCandidates:
		return unfit("the question names %d models, more than the %d candidates that a request can hold", len(q.Models), MaxCandidates)
	case len(q.Runtimes) > MaxCandidates:
		return unfit("the question names %d runtimes, more than %d", len(q.Runtimes), MaxCandidates)
	case named > MaxCriteria:
		return unfit("the question names %d keys, more than the %d criteria that a request can hold", named, MaxCriteria)
	case slices.ContainsFunc(q.Weights, func(w Weight) bool { return !(w.Number >= leastWeight && w.Number <= mostWeight) }):
		return unfit("a weight must be from %g to %g", leastWeight, mostWeight)
	case q.All && len(q.Models) > 0:
		return unfit("all models that have any of the keys, and models by name, exclude each other")
	}
	return nil
}

// IsEmpty reports whether nothing is asked.
func (q *Question) IsEmpty() bool {
	return q.isOpen() && len(q.Models)+len(q.Keys)+len(q.Trials) == 0
}

// isOpen reports whether nothing is asked but what the keys suggest.
func (q *Question) isOpen() bool {
	return !q.All && !q.Cheapest && len(q.Runtimes)+len(q.AtLeast)+len(q.AtMost)+len(q.Require)+len(q.Maximize)+len(q.Minimize)+len(q.Weights) == 0
}

// Demand is a value that a fact must have.
type Demand struct {
	Key   string
	Value record.Scalar
}

// ParseDemand reads what people write as KEY, which must be true, or as KEY=VALUE:
//
//	capability.tools
//	lifecycle.status=beta
//	api.version="4"           a text that is like a number, true or false
func ParseDemand(text string) (Demand, error) {
	name, _, _ := strings.Cut(text, `"`)
	cut := strings.LastIndexByte(name, '=') // a key may have one, too
	if cut < 0 {
		return Demand{text, record.Scalar{Kind: 't'}}, nil
	}
	if cut == 0 || cut == len(text)-1 {
		return Demand{}, errors.New("must be KEY or KEY=VALUE, like capability.tools or lifecycle.status=beta")
	}
	key, value := text[:cut], text[cut+1:]
	switch v, err := ijson.ReadValue(value, problem.InvalidRankRequest); {
	case value == "true":
		return Demand{key, record.Scalar{Kind: 't'}}, nil
	case value == "false":
		return Demand{key, record.Scalar{Kind: 'f'}}, nil
	case err == nil && v.Kind == '0':
		return Demand{}, errors.New("must not be a number: ask for at least or at most " + value + "; if it is a text, put it in quotes: " + key + "=\"" + value + "\"")
	case err == nil && v.Kind == '"':
		return Demand{key, record.Scalar{Kind: '"', Text: v.Text}}, nil
	}
	return Demand{key, record.Scalar{Kind: '"', Text: value}}, nil
}

// The weights of a question. Squares of smaller ones are 0 and of larger ones infinite where
// candidates are compared, so that nothing or everything would be tied.
const leastWeight, mostWeight = 1e-100, 1e100

// Weight says how much a preference counts.
type Weight struct {
	Key    string
	Number float64
}

// ParseWeight reads what people write as KEY=NUMBER.
func ParseWeight(text string) (Weight, error) {
	b, err := ParseBound(text)
	if err != nil || b.Unit != "" || b.Number <= 0 {
		return Weight{}, errors.New("must be KEY=NUMBER with a number above 0, like livebench.coding.score=2")
	}
	return Weight{b.Key, b.Number}, nil
}

// AbsentError reports a name that a catalog does not have.
type AbsentError struct {
	What, Name string   // what is model, key or runtime
	Similar    []string // names that it has and that may be meant, a few
}

// otherWords are words that people use for what catalogs call otherwise.
var otherWords = map[string]string{
	"vision": "image", "cost": "price", "pricing": "price", "window": "context", "ctx": "context", "prompt": "input", "completion": "output",
	"function": "tools", "functions": "tools", "tool": "tools", "thinking": "reasoning", "math": "mathematics", "maths": "mathematics", "code": "coding",
}

// absentKey reports a key that the catalog does not have.
func absentKey(name string, known []string) error {
	return &AbsentError{"key", name, SimilarKeys(name, known)}
}

// SimilarKeys is [spelling.Similar] of measurement keys, which many call by other words:
//
//	v3.SimilarKeys("capability.vision", keys) // "modality.input.image"
func SimilarKeys(name string, known []string) []string {
	similar := spelling.Similar(name, known)
	if isMisspelt := spelling.Closest(name, known) != ""; isMisspelt || len(name) > spelling.Longest {
		return similar
	}
	sought := map[string]bool{}
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) })
	for _, word := range slices.Backward(words) {
		other := otherWords[word]
		if other == "" || sought[other] {
			continue
		}
		if list := spelling.Similar(other, known); len(list) > 0 {
			return list
		}
		sought[other] = true
	}
	return similar
}

func (e *AbsentError) Error() string {
	text := fmt.Sprintf("the catalog has no model %q", e.Name)
	switch e.What {
	case "key":
		text = fmt.Sprintf("no observation has the key %q", e.Name)
	case "runtime":
		text = fmt.Sprintf("no fact of the catalog is about the runtime %q", e.Name)
	}
	if question := spelling.Question(e.Similar); question != "" {
		text += "; " + question
	}
	return text
}

// UnfitError reports a part of a question that a request cannot ask.
type UnfitError struct {
	Reason  string
	AsksAll bool // a question by [Question.All] could be asked
}

func (e *UnfitError) Error() string { return e.Reason }

func unfit(format string, args ...any) error {
	return &UnfitError{Reason: fmt.Sprintf(format, args...)}
}
