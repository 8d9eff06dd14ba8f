package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/model-catalog-service/svc/internal/problem"
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
	*v3.Request
	missing []string       // what leaderboards have that the catalog has not
	runs    map[string]run // of the candidates of a question, by id; nil for a request, which says so itself
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

func readWhole(text string) (*v3.Request, error) {
	q, err := v3.ReadRequest(problem.Source{Text: text})
	if err != nil {
		return nil, problem.All(err).Under("$.request").Err()
	}
	return q, nil
}

// requestMembers are those by which a request is told from a question.
var requestMembers = []string{"schemaVersion", "inventory", "requirements", "preferences", "tieBreakers"}

// isQuestion reports whether a text is an object that has no member of a request, or only
// empty ones.
func isQuestion(text []byte) bool {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return false
	}
	if string(members["schemaVersion"]) == strconv.Quote(record.RankQuestionSchema) {
		return true
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
	document, faults := v3.ReadAsked(text)
	if faults != nil {
		return nil, faults.Under("$.request").Err()
	}
	refuse := func(reason string) error {
		return &refusal{string(problem.InvalidRankRequest), "$.request", reason}
	}
	question, err := v3.NewQuestion(document)
	if err != nil {
		return nil, refuse(err.Error())
	}
	if question.IsEmpty() {
		return nil, refuse(`asks nothing: say what is better, such as {"minimize":["price.output"]}, or what is required`)
	}
	if err := question.Check(); err != nil { // before many names are looked for
		return nil, refuse(err.Error())
	}
	for i, name := range question.Models {
		id, err := a.index.modelID(name, "$.request.models["+strconv.Itoa(i)+"]")
		if err != nil {
			return nil, err
		}
		question.Models[i] = id
	}
	ranker, err := a.ranker()
	if err != nil {
		return nil, err
	}
	draft, err := ranker.Draft(question)
	if absent, ok := errors.AsType[*v3.AbsentError](err); ok {
		return nil, a.index.refuse(absent, question.FaultOf(absent, "$.request")[0].Path)
	} else if err != nil {
		text := err.Error()
		if unfit, ok := errors.AsType[*v3.UnfitError](err); ok && unfit.AsksAll {
			text += `; "all":true takes those that have any of them`
		}
		return nil, refuse(text)
	}
	return &asked{Request: draft.Request, missing: v3.MissingRows(a.build, &question), runs: runsOf(draft.Request)}, nil
}

// runsOf returns how the candidates of a request run, by id.
func runsOf(q *v3.Request) map[string]run {
	runs := map[string]run{}
	for _, c := range q.Candidates() {
		runs[c.ID] = run{c.Model.ID, c.Execution.Runtime.ID}
	}
	return runs
}
