package v3

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/quantity"
	"github.com/model-catalog-service/svc/service/record"
)

// This file is the question as a document, which clients send in place of a request: its candidates
// and criteria are found in the catalog of who answers.
//
//	{"schemaVersion":"service.rank.question/v1","maximize":["tickets.solved"],
//	 "atMost":{"price.output":"5/M"},"runtimes":["acme"]}
//
// Numbers may be written as people write them, as texts: "5/M", "90%", "200k".

// ReadQuestion reads a question strictly. Faults have code INVALID_RANK_REQUEST: all of the
// document, in order, each with its place.
func ReadQuestion(source problem.Source) (*record.RankQuestion, error) {
	if len(source.Text) > MaxRequestBytes {
		_, faults := readDocument(source.Text) // which says so
		return nil, faults.Locate(source.Text, problem.Start(source.Name)).Err()
	}
	q, faults := readQuestion(source.Text, wholeQuestionShape)
	if faults != nil {
		return nil, faults.Locate(source.Text, problem.Start(source.Name)).Err()
	}
	return q, nil
}

// ReadAsked reads a question of which the schema version may be left out, as the arguments of tools
// have it. Members of a request may be there, and are not looked at.
func ReadAsked(text string) (*record.RankQuestion, problem.List) {
	if strings.Contains(text, `"inventory"`) || slices.ContainsFunc(roleMembers,
		func(name string) bool { return strings.Contains(text, `"`+name+`"`) }) {
		return readQuestion(text, wideQuestionShape)
	}
	return readQuestion(text, askedShape)
}

func readQuestion(text string, shape *ijson.Shape[*ijson.Reader, record.RankQuestion]) (*record.RankQuestion,
	problem.List) {
	r := ijson.NewReader(text, problem.InvalidRankRequest)
	q := &record.RankQuestion{}
	shape.Read(r, q)
	return q, r.End()
}

// The shapes of a question: as a document of its own, as an argument, and as an argument beside
// empty members of a request, since many clients send every member that a schema has.
var (
	wholeQuestionShape = ijson.NewSparseShape(slices.Concat(
		[]ijson.ShapeMember[*ijson.Reader, record.RankQuestion]{ijson.Required("schemaVersion", readQuestionSchema)},
		questionMembers)...)
	askedShape = ijson.NewSparseShape(slices.Concat(
		[]ijson.ShapeMember[*ijson.Reader, record.RankQuestion]{ijson.Optional("schemaVersion", readQuestionSchema)},
		questionMembers)...)
	wideQuestionShape = ijson.NewSparseShape(slices.Concat(
		[]ijson.ShapeMember[*ijson.Reader, record.RankQuestion]{ijson.Optional("schemaVersion", skipMember),
			ijson.Optional("inventory", skipMember)},
		questionMembers, skippedRoles())...)
)

func readQuestionSchema(r *ijson.Reader, q *record.RankQuestion) {
	q.SchemaVersion = r.Enum(record.RankQuestionSchema)
}

func skipMember(r *ijson.Reader, _ *record.RankQuestion) { r.Skip() }

func skippedRoles() (list []ijson.ShapeMember[*ijson.Reader, record.RankQuestion]) {
	for _, name := range roleMembers {
		list = append(list, ijson.Optional(name, skipMember))
	}
	return list
}

var questionMembers = []ijson.ShapeMember[*ijson.Reader, record.RankQuestion]{
	ijson.Optional("maximize", func(r *ijson.Reader, q *record.RankQuestion) { q.Maximize = r.Texts() }),
	ijson.Optional("minimize", func(r *ijson.Reader, q *record.RankQuestion) { q.Minimize = r.Texts() }),
	ijson.Optional("atLeast", func(r *ijson.Reader, q *record.RankQuestion) { q.AtLeast = readBounds(r) }),
	ijson.Optional("atMost", func(r *ijson.Reader, q *record.RankQuestion) { q.AtMost = readBounds(r) }),
	ijson.Optional("require", func(r *ijson.Reader, q *record.RankQuestion) { q.Require = readDemands(r) }),
	ijson.Optional("weights", func(r *ijson.Reader, q *record.RankQuestion) { q.Weights = readWeights(r) }),
	ijson.Optional("trials", func(r *ijson.Reader, q *record.RankQuestion) {
		q.Trials = map[string]string{}
		for n := r.Names(); n.Next(); {
			q.Trials[n.Name()] = r.Text()
		}
	}),
	ijson.Optional("cheapest", func(r *ijson.Reader, q *record.RankQuestion) { q.Cheapest = r.Bool() }),
	ijson.Optional("within", func(r *ijson.Reader, q *record.RankQuestion) {
		if share := readShare(r, 0, 1, "must be a share from 0 to 1, or a text such as 5%"); share.Known {
			q.Within = share
		}
	}),
	ijson.Optional("cost", func(r *ijson.Reader, q *record.RankQuestion) {
		c := &taskCost{}
		costShape.Read(requestReader{Reader: r}, c)
		q.Tokens = c.tokens()
	}),
	ijson.Optional("confidence", func(r *ijson.Reader, q *record.RankQuestion) {
		q.Confidence = readShare(r, 0.5, 0.9999, "must be a number from 0.5 to 0.9999, or a text such as 95%").Value
	}),
	ijson.Optional("target", func(r *ijson.Reader, q *record.RankQuestion) { q.Target = r.Enum(targetNames...) }),
	ijson.Optional("keys", func(r *ijson.Reader, q *record.RankQuestion) { q.Keys = r.Texts() }),
	ijson.Optional("models", func(r *ijson.Reader, q *record.RankQuestion) { q.Models = r.Texts() }),
	ijson.Optional("runtimes", func(r *ijson.Reader, q *record.RankQuestion) { q.Runtimes = r.Texts() }),
	ijson.Optional("services", func(r *ijson.Reader, q *record.RankQuestion) { q.Services = r.Texts() }),
	ijson.Optional("sellerPolicy",
		func(r *ijson.Reader, q *record.RankQuestion) { q.Sellers = r.Enum(SellerPolicies...) }),
	ijson.Optional("measuredCost",
		func(r *ijson.Reader, q *record.RankQuestion) { q.MeasuredCost = record.Text(r.Text()) }),
	ijson.Optional("all", func(r *ijson.Reader, q *record.RankQuestion) { q.All = r.Bool() }),
}

// readShare reads a number or a text of one, from low to high.
func readShare(r *ijson.Reader, low, high float64, rule string) record.Float {
	at := r.Offset()
	text := readNumberText(r)
	if text == "" {
		return record.Float{}
	}
	share, err := ParseShare(text)
	if err != nil || share.Value < low || share.Value > high {
		r.Fail(at, "", "%s", rule)
		return record.Float{}
	}
	return share
}

// readNumberText reads a number, or a text that is one.
func readNumberText(r *ijson.Reader) string {
	if r.Kind() == '"' {
		return r.Text()
	}
	return r.Number()
}

// readBounds reads numbers by key.
func readBounds(r *ijson.Reader) map[string]string {
	bounds := map[string]string{}
	for n := r.Names(); n.Next(); {
		at, number := r.Offset(), readNumberText(r)
		if number == "" {
			continue
		}
		if _, err := ParseBound(n.Name() + "=" + number); err != nil || strings.Contains(number, "=") {
			r.Fail(at, "", `must be a number, such as 200000, or a text such as "5/M" for 5 dollars per million tokens`)
			continue
		}
		bounds[n.Name()] = number
	}
	return bounds
}

// readDemands reads what facts must be, by key: true, false or a text.
func readDemands(r *ijson.Reader) map[string]any {
	demands := map[string]any{}
	for n := r.Names(); n.Next(); {
		if r.Kind() == '"' {
			demands[n.Name()] = r.Text()
		} else {
			demands[n.Name()] = r.Bool()
		}
	}
	return demands
}

func readWeights(r *ijson.Reader) map[string]float64 {
	weights := map[string]float64{}
	for n := r.Names(); n.Next(); {
		at, number := r.Offset(), r.Number()
		if number == "" {
			continue
		}
		w, err := ParseWeight("key=" + number)
		if err != nil {
			r.Fail(at, "", "must be a number above 0")
		}
		weights[n.Name()] = w.Number
	}
	return weights
}

// NewQuestion returns the question that a record asks.
func NewQuestion(q *record.RankQuestion) (out Question, err error) {
	out = Question{
		Models: q.Models, All: q.All, Runtimes: q.Runtimes, Services: q.Services, Sellers: q.Sellers, Keys: q.Keys,
		Maximize: q.Maximize, Minimize: q.Minimize, Cheapest: q.Cheapest,
		Within: q.Within, Tokens: q.Tokens, Measured: string(q.MeasuredCost), Confidence: q.Confidence, Target: q.Target,
	}
	if out.AtLeast, err = boundsOf(q.AtLeast); err != nil {
		return out, err
	}
	if out.AtMost, err = boundsOf(q.AtMost); err != nil {
		return out, err
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
			return out, fmt.Errorf("the value that is required of %s must be a bool or a string, not %T", key, v)
		}
		out.Require = append(out.Require, Demand{Key: key, Value: value})
	}
	for _, key := range slices.Sorted(maps.Keys(q.Weights)) {
		weight := q.Weights[key]
		if !(weight > 0) || math.IsInf(weight, 1) {
			return out, fmt.Errorf("the weight of %s must be a finite number above 0, not %v", key, weight)
		}
		out.Weights = append(out.Weights, Weight{Key: key, Number: weight})
	}
	for _, key := range slices.Sorted(maps.Keys(q.Trials)) {
		out.Trials = append(out.Trials, Shares{Key: key, Count: q.Trials[key]})
	}
	return out, nil
}

func boundsOf(numbers map[string]string) (list []Bound, err error) {
	for _, key := range slices.Sorted(maps.Keys(numbers)) {
		if strings.Contains(numbers[key], "=") {
			return nil, fmt.Errorf("%s: %q is not a number", key, numbers[key])
		}
		bound, err := ParseBound(key + "=" + numbers[key])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		list = append(list, bound)
	}
	return list, nil
}

// Record returns the question as a record. A key that is bounded twice has the last bound.
func (q *Question) Record() *record.RankQuestion {
	out := &record.RankQuestion{
		SchemaVersion: record.RankQuestionSchema, Models: q.Models, All: q.All, Runtimes: q.Runtimes, Services: q.Services,
		Sellers:  q.Sellers,
		Maximize: q.Maximize, Minimize: q.Minimize,
		Keys: q.Keys, Cheapest: q.Cheapest, Within: q.Within, Tokens: q.Tokens, MeasuredCost: record.Text(q.Measured),
		Confidence: q.Confidence, Target: q.Target,
	}
	bounds := func(list []Bound) map[string]string {
		if list == nil {
			return nil
		}
		texts := map[string]string{}
		for i := range list {
			texts[list[i].Key] = list[i].numberText()
		}
		return texts
	}
	out.AtLeast, out.AtMost = bounds(q.AtLeast), bounds(q.AtMost)
	for _, d := range q.Require {
		if out.Require == nil {
			out.Require = map[string]any{}
		}
		out.Require[d.Key] = d.Value.Kind == 't'
		if d.Value.Kind == '"' {
			out.Require[d.Key] = d.Value.Text
		}
	}
	for _, w := range q.Weights {
		if out.Weights == nil {
			out.Weights = map[string]float64{}
		}
		out.Weights[w.Key] = w.Number
	}
	for _, s := range q.Trials {
		if out.Trials == nil {
			out.Trials = map[string]string{}
		}
		out.Trials[s.Key] = s.Count
	}
	return out
}

// Text writes the question as a person does.
func (q *Question) Text() string {
	text, err := json.MarshalIndent(q.Record(), "", "  ")
	if err != nil {
		panic(err) // a question holds finite numbers
	}
	return string(text) + "\n"
}

// numberText writes the number of a bound as people do.
func (b *Bound) numberText() string {
	text := string(canonical.AppendNumber(nil, b.Number))
	switch b.Unit {
	case "":
		return text
	case "percent":
		return text + "%"
	case tokenPrice:
		return quantity.PerMillion(text) + "/M"
	}
	return text + " " + b.Unit
}

// FaultOf returns why a question has no request: faults with code INVALID_RANK_REQUEST and the path
// of what they are about, below that of the question.
func (q *Question) FaultOf(err error, path string) problem.List {
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		var all problem.List
		for _, one := range list.Unwrap() {
			all = append(all, q.FaultOf(one, path)...)
		}
		return all
	}
	at := path
	if absent, ok := errors.AsType[*AbsentError](err); ok {
		at = path + q.placeOf(absent)
	} else if faults := problem.All(err); faults != nil {
		return faults
	}
	return problem.List{{Code: problem.InvalidRankRequest, Path: at, Reason: err.Error(), Offset: problem.NoOffset,
		Err: err}}
}

// placeOf returns the path of the first member of a question that has a name.
func (q *Question) placeOf(absent *AbsentError) string {
	type list struct {
		member string
		names  []string
	}
	lists := []list{{"maximize", q.Maximize}, {"minimize", q.Minimize}, {"keys", q.Keys}}
	switch absent.What {
	case "runtime":
		lists = []list{{"runtimes", q.Runtimes}}
	case "service":
		lists = []list{{"services", q.Services}}
	case "model":
		lists = []list{{"models", q.Models}}
	}
	for _, l := range lists {
		if i := slices.Index(l.names, absent.Name); i >= 0 {
			return "." + l.member + "[" + strconv.Itoa(i) + "]"
		}
	}
	isBound := func(b Bound) bool { return b.Key == absent.Name }
	switch {
	case q.Measured == absent.Name:
		return ".measuredCost"
	case slices.ContainsFunc(q.AtLeast, isBound):
		return ".atLeast"
	case slices.ContainsFunc(q.AtMost, isBound):
		return ".atMost"
	case slices.ContainsFunc(q.Require, func(d Demand) bool { return d.Key == absent.Name }):
		return ".require"
	case slices.ContainsFunc(q.Trials, func(s Shares) bool { return s.Key == absent.Name || s.Count == absent.Name }):
		return ".trials"
	}
	return ""
}
