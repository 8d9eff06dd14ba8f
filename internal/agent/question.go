package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/quantity"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// This file reads what rank and explain are asked: a question, whose members are arguments of
// their own, or a whole rank request in the argument request. Candidates and criteria of a question
// are found in the catalog, as by the options of svc rank that its members are called like:
//
//	{"maximize":"tickets.solved","atMost":{"price.output":"5/M"},"runtimes":["acme"]}

// asking are the arguments about what is asked that are no members of a question document.
type asking struct {
	Request  json.RawMessage
	Tokens   string // of the task
	Cached   string
	Requests *whole
}

// questionMembers are the members of a question document that are arguments. Its cost is written
// as in [asking], and no argument leaves to svc what a key is good for.
var questionMembers = func() (names []string) {
	for field := range reflect.TypeFor[record.RankQuestion]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !slices.Contains([]string{"schemaVersion", "keys", "cost"}, name) {
			names = append(names, name)
		}
	}
	return names
}()

// asked is a request, and what answers to it have to say.
type asked struct {
	*v3.Request
	missing []string // what leaderboards have that the catalog has not, and what the question leaves out
}

// readAsked reads what is asked. Paths of faults begin at the arguments.
func (a *Agent) readAsked(in *asking, members map[string]json.RawMessage) (*asked, error) {
	for name, value := range members {
		if isAbsent(value) {
			delete(members, name)
		}
	}
	if isAbsent(in.Request) {
		return a.readQuestion(in, members)
	}
	if len(members) > 0 || in.Tokens+in.Cached != "" || in.Requests != nil {
		return nil, &refusal{invalidArgument, "$.request", "is a whole rank request: leave out what a question has"}
	}
	q, err := v3.ReadRequest(problem.Source{Text: string(in.Request)})
	if err != nil {
		return nil, problem.All(err).Under("$.request").Err()
	}
	return &asked{Request: q}, nil
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
func (a *Agent) readQuestion(in *asking, members map[string]json.RawMessage) (*asked, error) {
	for _, name := range []string{"models", "runtimes", "services", "maximize", "minimize"} {
		var one string
		if json.Unmarshal(members[name], &one) == nil && one != "" {
			members[name] = json.RawMessage("[" + string(members[name]) + "]")
		}
	}
	text, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}
	document, faults := v3.ReadAsked(string(text))
	if faults != nil {
		return nil, faults.Under("$").Err()
	}
	refuse := func(reason string) error { return &refusal{string(problem.InvalidRankRequest), "$", reason} }
	question, err := v3.NewQuestion(document)
	if err != nil {
		return nil, refuse(err.Error())
	}
	if question.Tokens, err = readTask(in.Tokens, in.Cached, in.Requests); err != nil {
		return nil, err
	}
	if question.IsEmpty() {
		return nil, refuse(`asks nothing: say what is better, such as {"minimize":"price.output"}, or what is required`)
	}
	if err := question.Check(); err != nil { // before many names are looked for
		return nil, refuse(err.Error())
	}
	for i, name := range question.Models {
		models, err := a.findModels(name, "$.models["+strconv.Itoa(i)+"]")
		if err != nil {
			return nil, err
		}
		question.Models[i] = models[0].Identity.ID
	}
	ranker, err := a.ranker()
	if err != nil {
		return nil, err
	}
	draft, err := ranker.Draft(question)
	if absent, ok := errors.AsType[*v3.AbsentError](err); ok {
		return nil, a.refuse(absent, question.FaultOf(absent, "$")[0].Path)
	} else if err != nil {
		text := err.Error()
		if unfit, ok := errors.AsType[*v3.UnfitError](err); ok && unfit.AsksAll {
			text += `; "all":true takes those that have any of them`
		}
		return nil, refuse(text)
	}
	q := &asked{Request: draft.Request, missing: v3.MissingRows(a.build, &question)}
	for _, o := range draft.Omissions() {
		q.missing = append(q.missing, o.Text)
	}
	return q, nil
}

// readTask reads what a task takes; nil if nothing says so.
func readTask(tokens, cached string, requests *whole) (*v3.TaskTokens, error) {
	task, isGiven := v3.UsualTokens(), false
	for _, part := range []struct {
		text, path string
		read       func() error
	}{
		{tokens, "$.tokens", func() (err error) { task.Input, task.Output, err = v3.ParseTokens(tokens); return err }},
		{cached, "$.cached", func() (err error) { task.CachedInput, err = v3.ParseCount(cached); return err }},
	} {
		if part.text == "" {
			continue
		}
		isGiven = true
		if err := part.read(); err != nil {
			return nil, &refusal{invalidArgument, part.path, err.Error()}
		}
	}
	if requests != nil {
		if *requests < 1 {
			return nil, &refusal{invalidArgument, "$.requests", "must be at least 1"}
		}
		task.Requests, isGiven = uint64(*requests), true
	}
	if !isGiven {
		return nil, nil
	}
	return task, nil
}

// assume returns what is odd about a request, though the ranking stays what it is: names that the
// catalog does not have, prices for a token that are meant for a million, and what is left out.
func (a *Agent) assume(q *asked) (list []string) {
	ranker, err := a.ranker()
	if err != nil { // of which whoever ranked was told
		return nil
	}
	for _, absence := range ranker.Absent(q.Names()) {
		text := absence.String()
		if absence.Kind == v3.KeyName && absence.Closest == "" {
			text += offer(v3.SimilarKeys, absence.Text, a.index.keyNames)
		}
		list = append(list, text)
	}
	list = slices.Concat(list, v3.Shortcomings(a.build), q.missing)
	var request struct {
		Requirements []struct {
			MeasurementKey string
			Value          any
		}
	}
	if json.Unmarshal([]byte(q.JSON()), &request) == nil {
		for _, r := range request.Requirements {
			if bound, isNumber := r.Value.(float64); isNumber && bound > quantity.DearestToken &&
				a.index.isPerToken(r.MeasurementKey) {
				list = append(list, r.MeasurementKey+" is in USD per token: for "+quantity.Number(bound)+
					` dollars per million tokens, write "`+quantity.Number(bound)+`/M"`)
			}
		}
	}
	const most = 8
	if len(list) > most {
		list = append(list[:most:most], "and "+strconv.Itoa(len(list)-most)+" more")
	}
	return list
}
