package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank/dispatch"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// This file reads what stands in the argument request: a rank request of any version, or a
// question, which is a request in short. Its candidates and criteria are found in the
// catalog, as by the options of svc new request that its members are called like:
//
//	{"maximize":["tickets.solved"],"atMost":{"price.output":"5/M"},"runtimes":["acme"]}

// asked is what the argument request says.
type asked struct {
	*dispatch.Request
	runs map[string]run // of the candidates of a question, by id; nil for a request, which says so itself
}

// run is which model a candidate of a question is, and where it runs.
type run struct {
	Model   string `json:"model,omitempty"`
	Runtime string `json:"runtime,omitempty"`
}

// readRequest reads the argument request. Paths of faults begin at the arguments.
func (a *Agent) readRequest(text json.RawMessage) (*asked, error) {
	if len(text) == 0 || string(text) == "null" {
		return nil, &refusal{invalidArgument, "$.request", "is missing"}
	}
	if isQuestion(text) {
		return a.readQuestion(string(text))
	}
	q, err := readWhole(string(text))
	if err != nil {
		return nil, err
	}
	return &asked{Request: q}, nil
}

func readWhole(text string) (*dispatch.Request, error) {
	q, err := dispatch.ReadRequest(problem.Source{Text: text})
	if err != nil {
		return nil, problem.All(err).Under("$.request").Err()
	}
	return q, nil
}

// questionShape is what a question looks like. A key is bounded by a number, or by a text
// such as "5/M". What is null is left out.
var questionShape = ijson.NewSparseShape(questionMembers...)

// wideShape is questionShape for questions that also have members of a request, all of them
// empty: many clients send every member that a schema has.
var wideShape = ijson.NewSparseShape(slices.Concat(questionMembers, emptyMembers())...)

var questionMembers = []ijson.ShapeMember[*ijson.Reader, v3.Question]{
	ijson.Optional("maximize", func(r *ijson.Reader, q *v3.Question) { q.Maximize = r.Texts() }),
	ijson.Optional("minimize", func(r *ijson.Reader, q *v3.Question) { q.Minimize = r.Texts() }),
	ijson.Optional("atLeast", func(r *ijson.Reader, q *v3.Question) { q.AtLeast = readBounds(r) }),
	ijson.Optional("atMost", func(r *ijson.Reader, q *v3.Question) { q.AtMost = readBounds(r) }),
	ijson.Optional("require", func(r *ijson.Reader, q *v3.Question) { q.Require = readDemands(r) }),
	ijson.Optional("weights", func(r *ijson.Reader, q *v3.Question) {
		for n := r.Names(); n.Next(); {
			at, number := r.Offset(), r.Number()
			if number == "" {
				continue
			}
			w, err := v3.ParseWeight(n.Name() + "=" + number)
			if err != nil {
				r.Fail(at, "", "must be a number above 0")
			}
			q.Weights = append(q.Weights, w)
		}
	}),
	ijson.Optional("cheapest", func(r *ijson.Reader, q *v3.Question) { q.Cheapest = r.Bool() }),
	ijson.Optional("keys", func(r *ijson.Reader, q *v3.Question) { q.Keys = r.Texts() }),
	ijson.Optional("trials", func(r *ijson.Reader, q *v3.Question) {
		for n := r.Names(); n.Next(); {
			q.Trials = append(q.Trials, v3.Shares{Key: n.Name(), Count: r.Text()})
		}
	}),
	ijson.Optional("models", func(r *ijson.Reader, q *v3.Question) { q.Models = r.Texts() }),
	ijson.Optional("runtimes", func(r *ijson.Reader, q *v3.Question) { q.Runtimes = r.Texts() }),
	ijson.Optional("services", func(r *ijson.Reader, q *v3.Question) { q.Services = r.Texts() }),
	ijson.Optional("sellerPolicy", func(r *ijson.Reader, q *v3.Question) { q.Sellers = r.Enum(v3.SellerPolicies...) }),
	ijson.Optional("all", func(r *ijson.Reader, q *v3.Question) { q.All = r.Bool() }),
}

// requestMembers are those by which a request is told from a question.
var requestMembers = []string{"schemaVersion", "inventory", "requirements", "preferences", "tieBreakers"}

func emptyMembers() (list []ijson.ShapeMember[*ijson.Reader, v3.Question]) {
	for _, name := range requestMembers {
		list = append(list, ijson.Optional(name, func(r *ijson.Reader, _ *v3.Question) { r.Skip() }))
	}
	return list
}

// readDemands reads what facts must be, by key: true, false or a text.
func readDemands(r *ijson.Reader) (list []v3.Demand) {
	for n := r.Names(); n.Next(); {
		value := record.Scalar{Kind: 'f'}
		if r.Kind() == '"' {
			value = record.Scalar{Kind: '"', Text: r.Text()}
		} else if r.Bool() {
			value.Kind = 't'
		}
		list = append(list, v3.Demand{Key: n.Name(), Value: value})
	}
	return list
}

func readBounds(r *ijson.Reader) (list []v3.Bound) {
	for n := r.Names(); n.Next(); {
		at, number := r.Offset(), ""
		if r.Kind() == '"' {
			number = r.Text()
		} else {
			number = r.Number()
		}
		if number == "" {
			continue
		}
		b, err := v3.ParseBound(n.Name() + "=" + number)
		if err != nil {
			r.Fail(at, "", `must be a number, such as 200000, or a text such as "5/M" for 5 dollars per million tokens`)
		}
		list = append(list, b)
	}
	return list
}

// isQuestion reports whether a text is an object that has no member of a request, or only
// empty ones.
func isQuestion(text []byte) bool {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return false
	}
	return !slices.ContainsFunc(requestMembers, func(name string) bool { return !isAbsent(members[name]) })
}

// isAbsent reports whether a value says nothing: an empty list, object or text, or null.
func isAbsent(value json.RawMessage) bool {
	switch text := bytes.TrimSpace(value); {
	case len(text) == 0, string(text) == "null", string(text) == `""`:
		return true
	case text[0] == '[' || text[0] == '{':
		return len(bytes.TrimSpace(text[1:len(text)-1])) == 0
	}
	return false
}

// readQuestion makes a request from a question.
func (a *Agent) readQuestion(text string) (*asked, error) {
	r := ijson.NewReader(text, problem.InvalidRankRequest)
	var question v3.Question
	shape := questionShape
	if slices.ContainsFunc(requestMembers, func(name string) bool { return strings.Contains(text, `"`+name+`"`) }) {
		shape = wideShape
	}
	shape.Read(r, &question)
	if faults := r.End(); faults != nil {
		return nil, faults.Under("$.request").Err()
	}
	if question.IsEmpty() {
		return nil, &refusal{string(problem.InvalidRankRequest), "$.request", `asks nothing: say what is better, such as {"minimize":["price.output"]}, or what is required`}
	}
	if err := question.Check(); err != nil { // before many names are looked for
		return nil, &refusal{string(problem.InvalidRankRequest), "$.request", err.Error()}
	}
	for i, name := range question.Models {
		id, err := a.index.modelID(name, "$.request.models["+strconv.Itoa(i)+"]")
		if err != nil {
			return nil, err
		}
		question.Models[i] = id
	}
	draft, err := v3.Draft(a.catalog, question)
	if absent, ok := errors.AsType[*v3.AbsentError](err); ok {
		return nil, a.index.refuse(absent, placeOf(absent, &question))
	} else if err != nil {
		text := err.Error()
		if unfit, ok := errors.AsType[*v3.UnfitError](err); ok && unfit.AsksAll {
			text += `; "all":true takes those that have any of them`
		}
		return nil, &refusal{string(problem.InvalidRankRequest), "$.request", text}
	}
	q := &dispatch.Request{Current: draft.Request}
	runs, err := readRuns(q)
	return &asked{Request: q, runs: runs}, err
}

// placeOf returns the path of the first member of a question that has a name.
func placeOf(absent *v3.AbsentError, q *v3.Question) string {
	const whole = "$.request"
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
	}
	for _, l := range lists {
		if i := slices.Index(l.names, absent.Name); i >= 0 {
			return whole + "." + l.member + "[" + strconv.Itoa(i) + "]"
		}
	}
	isBound := func(b v3.Bound) bool { return b.Key == absent.Name }
	switch {
	case slices.ContainsFunc(q.AtLeast, isBound):
		return whole + ".atLeast"
	case slices.ContainsFunc(q.AtMost, isBound):
		return whole + ".atMost"
	case slices.ContainsFunc(q.Require, func(d v3.Demand) bool { return d.Key == absent.Name }):
		return whole + ".require"
	case slices.ContainsFunc(q.Trials, func(s v3.Shares) bool { return s.Key == absent.Name || s.Count == absent.Name }):
		return whole + ".trials"
	}
	return whole
}

// readRuns returns how the candidates of a request run, by id.
func readRuns(q *dispatch.Request) (map[string]run, error) {
	var request struct {
		Inventory []struct {
			ID        string
			Model     struct{ ID string }
			Execution struct{ Runtime struct{ ID string } }
		}
	}
	if err := json.Unmarshal([]byte(q.JSON()), &request); err != nil {
		return nil, err
	}
	runs := map[string]run{}
	for _, c := range request.Inventory {
		runs[c.ID] = run{c.Model.ID, c.Execution.Runtime.ID}
	}
	return runs, nil
}
