package v3

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/quantity"
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
	Runtimes           []string // where candidates run, as sellers or offers; nil for anywhere
	Services           []string // how they are sold: see [Question.serves]; nil for the usual way
	Sellers            string   // who sells them: first-party, major or any; "" for any
	Keys               []string // criteria as the values of each key suggest
	AtLeast, AtMost    []Bound  // requirements by a number
	Require            []Demand // requirements by a value
	Maximize, Minimize []string // keys of preferences
	Weights            []Weight // of preferences; one that is not named has the weight 1
	Trials             []Shares // keys whose values are shares of trials
	Cheapest           bool     // the cheapest is chosen of all whose score is close to the best

	Within record.Float // how far below the best, as a share of the scale; null: 3% if Cheapest
	Tokens *TaskTokens  // what a task takes; nil: 20,000 tokens of input and 3,000 of output
	// key of a measured cost that counts in place of the price of a task; [AnyMeasured] is that of
	// most models
	Measured   string
	Confidence float64      // of intervals and comparisons; 0: 0.95
	Target     string       // benchmark or tasks; "": benchmark where the number of questions is known
	Dictionary []record.Key // what keys mean; nil: [keys.Default]
}

// cheapestWithin is how far below the best score the cheapest is looked for, as a share of the
// scale.
const cheapestWithin = 0.03

// TaskTokens is what a task takes.
type TaskTokens = record.TaskTokens

// The task of a question that gives none, in tokens.
const usualInput, usualOutput = 20_000, 3_000

// UsualTokens is the task of a question that gives none.
func UsualTokens() *TaskTokens { return &TaskTokens{Input: usualInput, Output: usualOutput} }

// AnyMeasured stands for the measured cost that most models have.
const AnyMeasured = "*"

// ParseMeasured reads what people write as measured or measured:KEY.
func ParseMeasured(text string) (string, error) {
	kind, key, isKey := strings.Cut(text, ":")
	switch {
	case kind != "measured" || isKey && key == "":
		return "", errors.New("must be measured or measured:KEY, like measured:aider.polyglot.total_cost")
	case isKey:
		return key, nil
	}
	return AnyMeasured, nil
}

// asksCost reports whether the question is about what a task costs by price lists.
func (q *Question) asksCost() bool { return q.Measured == "" && (q.isCheapest() || q.Tokens != nil) }

// isCheapest reports whether the cheapest is chosen of those that are close to the best.
func (q *Question) isCheapest() bool { return q.Cheapest || q.Within.Known }

// task returns what a task takes.
func (q *Question) task() *taskCost {
	if q.Tokens == nil {
		return &taskCost{input: record.NewCount(usualInput), output: record.NewCount(usualOutput)}
	}
	t := q.Tokens
	c := &taskCost{input: record.NewCount(t.Input), output: record.NewCount(t.Output)}
	for _, m := range []struct {
		to   *record.Count
		from uint64
	}{{&c.cachedInput, t.CachedInput}, {&c.cacheWrite, t.CacheWrite}, {&c.requests, t.Requests}} {
		if m.from > 0 {
			*m.to = record.NewCount(m.from)
		}
	}
	return c
}

// targetOf returns a target by its name, 0 for "".
func targetOf(name string) target { return target(1 + slices.Index(targetNames, name)) }

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
	named := len(q.Keys) + len(q.AtLeast) + len(q.AtMost) + len(q.Require) + len(q.Maximize) + len(q.Minimize) +
		len(q.Weights) + len(q.Trials)
	switch {
	case len(q.Models) > MaxCriterionCells:
		return unfit("the question names %d models, more than the %d candidates that a request can hold", len(q.Models),
			MaxCriterionCells)
	case len(q.Runtimes) > MaxCriterionCells:
		return unfit("the question names %d runtimes, more than %d", len(q.Runtimes), MaxCriterionCells)
	case len(q.Services) > MaxCriteria:
		return unfit("the question names %d services, more than %d", len(q.Services), MaxCriteria)
	case q.Sellers != "" && !slices.Contains(SellerPolicies, q.Sellers):
		return unfit("the sellers must be %s", strings.Join(SellerPolicies, ", "))
	case q.Measured != "" && q.Tokens != nil:
		return unfit("a measured cost and the tokens of a task exclude each other")
	case q.Target != "" && targetOf(q.Target) == 0:
		return unfit("the target must be benchmark or tasks")
	case named > MaxCriteria:
		return unfit("the question names %d keys, more than the %d criteria that a request can hold", named, MaxCriteria)
	case slices.ContainsFunc(q.Weights, func(w Weight) bool {
		return !(w.Number >= leastWeight &&
			w.Number <= mostWeight)
	}):
		return unfit("a weight must be from %g to %g", leastWeight, mostWeight)
	case q.All && len(q.Models) > 0:
		return unfit("all models that have any of the keys, and models by name, exclude each other")
	}
	return nil
}

// IsEmpty reports whether nothing is asked.
func (q *Question) IsEmpty() bool {
	return q.isOpen() && len(q.Models)+len(q.Trials) == 0
}

// isOpen reports whether nothing is asked of the models.
func (q *Question) isOpen() bool {
	return !q.All && !q.isCheapest() && q.Tokens == nil && q.Measured == "" && !q.asksSellers() &&
		len(q.Keys)+len(q.Runtimes)+len(q.AtLeast)+len(q.AtMost)+len(q.Require)+len(q.Maximize)+len(q.Minimize)+
			len(q.Weights) == 0
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
		return Demand{}, errors.New("must not be a number: ask for at least or at most " + value +
			"; if it is a text, put it in quotes: " + key + "=\"" + value + "\"")
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
	What, Name string   // what is model, key, runtime or service
	Similar    []string // names that it has and that may be meant, a few
}

// otherWords are words that people use for what catalogs call otherwise.
var otherWords = map[string]string{
	"vision": "image", "cost": "price", "pricing": "price", "window": "context", "ctx": "context", "prompt": "input",
	"completion": "output",
	"function":   "tools", "functions": "tools", "tool": "tools", "thinking": "reasoning", "math": "mathematics",
	"maths": "mathematics", "code": "coding",
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
	case "service":
		text = fmt.Sprintf("no offer of the catalog is sold as %q", e.Name)
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

// ParseTokens reads the tokens of a task as people write them: those of the prompt and those of the
// answer.
//
//	3k/500
func ParseTokens(text string) (input, output uint64, err error) {
	first, second, ok := strings.Cut(text, "/")
	if ok {
		if input, err = ParseCount(first); err == nil {
			output, err = ParseCount(second)
		}
	}
	if !ok || err != nil {
		return 0, 0, errors.New("must be INPUT/OUTPUT in tokens, like 3k/500")
	}
	return input, output, nil
}

// ParseCount reads a whole number as people write it, like 20000, 3k or 1M.
func ParseCount(text string) (uint64, error) {
	amount, err := quantity.Read(text)
	if err != nil || amount.Unit != "" || amount.Number < 0 || amount.Number != math.Trunc(amount.Number) ||
		amount.Number > record.MaxCount {
		return 0, errors.New("must be a whole number, like 20000, 3k or 1M")
	}
	return uint64(amount.Number), nil
}

// ParseShare reads a share of the scale as people write it, like 5% or 0.05.
func ParseShare(text string) (record.Float, error) {
	amount, err := quantity.Read(text)
	if err != nil {
		return record.Float{}, errors.New("must be a share, like 5% or 0.05")
	}
	share := amount.Number
	if amount.Unit == "percent" {
		share /= 100
	} else if amount.Unit != "" {
		return record.Float{}, errors.New("must be a share, like 5% or 0.05")
	}
	if !(share >= 0 && share <= 1) {
		return record.Float{}, errors.New("must be from 0% to 100%")
	}
	return record.NewFloat(share), nil
}
