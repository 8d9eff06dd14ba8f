package agent_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	. "github.com/model-catalog-service/svc/internal/compare/comparetest"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

// A question is answered as the request that svc new request writes of it.
func TestQuestions(t *testing.T) {
	c := offers(t, 300)
	s := connect(t, c)
	for question, want := range map[string]v3.Question{
		`{"maximize":"limits.context","minimize":["price.input"],"atMost":{"price.output":"2/M"},"atLeast":{"limits.context":20000}}`: {
			Maximize: []string{"limits.context"}, Minimize: []string{"price.input"},
			AtMost: []v3.Bound{{Key: "price.output", Number: 2e-6, Unit: "USD/token"}}, AtLeast: []v3.Bound{{Key: "limits.context", Number: 20000}}},
		`{"models":["model-1","lab2/model-2"],"runtimes":"router","minimize":"price.input","cheapest":true,"tokens":"3k/500","cached":"1k","requests":7}`: {
			Models: []string{"lab1/model-1", "lab2/model-2"}, Runtimes: []string{"router"}, Minimize: []string{"price.input"}, Cheapest: true,
			Tokens: &v3.TaskTokens{Input: 3000, Output: 500, CachedInput: 1000, Requests: 7}},
		`{"maximize":["limits.context"],"minimize":["price.input"],"weights":{"price.input":2.5}}`: {
			Maximize: []string{"limits.context"}, Minimize: []string{"price.input"}, Weights: []v3.Weight{{Key: "price.input", Number: 2.5}}},
		`{"all":true,"minimize":["price.output"],"atMost":{"price.input":"0.000001"}}`: {
			All: true, Minimize: []string{"price.output"}, AtMost: []v3.Bound{{Key: "price.input", Number: 1e-6}}},
	} {
		draft, err := v3.Draft(c, want)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Index(t, c).Rank(t.Context(), draft.Request, 0)
		if err != nil {
			t.Fatal(err)
		}
		var arguments map[string]any
		_ = json.Unmarshal([]byte(question), &arguments)
		arguments["limit"] = 2
		answer, _, isError := call(t, s, "rank", arguments)
		said := r.Answer()
		if isError || fmt.Sprint(answer["answer"]) != fmt.Sprint(slices.Concat(said.Choice, said.Changes)) || !strings.Contains(fmt.Sprint(answer["assumptions"]), strings.Trim(fmt.Sprint(said.Notes), "[]")) {
			t.Errorf("%s: %v, want %v", question, answer, said)
			continue
		}
		var first []string
		for _, o := range r.Outcomes()[:2] {
			first = append(first, o.CandidateID)
		}
		if got := column(answer, "candidate"); !slices.Equal(got, first) || !slices.Equal(column(answer, "runtime"), []string{"router", "router"}) {
			t.Errorf("%s: %q, want %q", question, got, first)
		}
		delete(arguments, "limit")
		arguments["candidate"] = first[0]
		if explained, _, isError := call(t, s, "explain", arguments); isError || !strings.HasPrefix(fmt.Sprint(explained["answer"]), "[Rank 1") {
			t.Errorf("%s: %v", question, explained)
		}
	}
	answer, _, _ := call(t, s, "rank", map[string]any{"minimize": "price.output"})
	if n := len(rowsOf(answer)); n != 10 || answer["nextCursor"] == nil || answer["total"] != 300.0 {
		t.Errorf("%d candidates are told unasked", n)
	}
}

// What must be true, false or a word excludes whoever is something else.
func TestQuestionOfDemands(t *testing.T) {
	offer := func(model, status string, tools bool) Statement {
		return Statement{ID: model, Execution: At("router"), Measurements: []any{Fact("tools", tools), Fact("status", status), Fact("price.output", 0.000001, "USD/token")}}
	}
	s := connect(t, Compile(t, May31, offer("a", "beta", true), offer("b", "stable", true), offer("c", "beta", false)))
	for question, want := range map[string]string{
		`{"minimize":["price.output"],"require":{"tools":true}}`:                 "a b",
		`{"minimize":["price.output"],"require":{"tools":false}}`:                "c",
		`{"minimize":["price.output"],"require":{"tools":true,"status":"beta"}}`: "a",
	} {
		answer, _, isError := call(t, s, "rank", json.RawMessage(question))
		got := column(answer, "candidate")
		if isError || strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %s", question, got, want)
		}
	}
}

// A trial count makes a value as certain as it is: TestQuestions has no samples.
func TestQuestionOfTrials(t *testing.T) {
	s := connect(t, Compile(t, May31, Statement{ID: "m", Execution: Ran("r"), Task: Job("coding", "s", "1"), Outcome: "accepted",
		Measurements: []any{Sample("solved", 0.5), Sample("tasks", 100)}}))
	value := func(question string) string {
		answer, _, isError := call(t, s, "rank", json.RawMessage(question))
		if isError {
			t.Fatal(answer)
		}
		return column(answer, "solved")[0]
	}
	if without, with := value(`{"maximize":["solved"]}`), value(`{"maximize":["solved"],"trials":{"solved":"tasks"}}`); without != "0.5" || !strings.HasPrefix(with, "0.5 (0.4") {
		t.Errorf("%s, and with trials %s", without, with)
	}
}

// What is wrong with a question says how to correct it, whatever a model guessed.
func TestBadQuestions(t *testing.T) {
	s := connect(t, offers(t, 300))
	for question, want := range map[string]struct{ code, path, message string }{
		`{"maximize":["limits.contxt"]}`:                                  {"UNKNOWN_KEY", "$.maximize[0]", `"limits.context"`},
		`{"minimize":["price.output"],"runtimes":["Router"]}`:             {"UNKNOWN_RUNTIME", "$.runtimes[0]", `"router"`},
		`{"minimize":["price.output"],"models":["modle-7"]}`:              {"UNKNOWN_MODEL", "$.models[0]", `model-7`},
		`{"minimize":["price.output"],"models":["lab1/model-1","lab7/"]}`: {"UNKNOWN_MODEL", "$.models[1]", "names"},
		`{"minimize":["price.output"],"atMost":{"context":1}}`:            {"UNKNOWN_KEY", "$.atMost", `closest is "limits.context"`},
		`{"minimize":["price.output"],"atLeast":{"window":1}}`:            {"UNKNOWN_KEY", "$.atLeast", `closest is "limits.context"`},
		`{"minimize":["price.output"],"require":{"limits.window":true}}`:  {"UNKNOWN_KEY", "$.require", `"limits.context"`},
		`{"minimize":["price.output"],"atMost":{"price.output":5}}`:       {"INVALID_RANK_REQUEST", "$", "write 5/M"},
		`{"minimize":["price.output"],"atMost":{"price.output":"$5/Q"}}`:  {"INVALID_RANK_REQUEST", "$.atMost.price.output", `"5/M"`},
		`{"minimize":["price.output"],"atMost":{"price.output":true}}`:    {"INVALID_RANK_REQUEST", "$.atMost.price.output", "must be a number"},
		`{"minimize":["price.output"],"atMost":["price.output<=5"]}`:      {"INVALID_RANK_REQUEST", "$.atMost", "must be an object"},
		`{"minimize":7}`: {"INVALID_RANK_REQUEST", "$.minimize", "must be a list"},
		`{"minimize":["price.output"],"weights":{"price.output":0}}`:    {"INVALID_RANK_REQUEST", "$.weights.price.output", "above 0"},
		`{"minimize":["price.output"],"require":{"price.output":5}}`:    {"INVALID_RANK_REQUEST", "$.require.price.output", "true or false"},
		`{"sortBy":"price.output"}`:                                     {"INVALID_ARGUMENT", "$", "allowed are all, atLeast"},
		`{"maximize":["limits.context"],"minimize":["limits.context"]}`: {"INVALID_RANK_REQUEST", "$", "both high and low"},
		`{}`:                              {"INVALID_RANK_REQUEST", "$", "asks nothing"},
		`{"maximize":[],"runtimes":null}`: {"INVALID_RANK_REQUEST", "$", "asks nothing"},
	} {
		for _, tool := range []string{"rank", "explain"} {
			var arguments map[string]any
			_ = json.Unmarshal([]byte(question), &arguments)
			if tool == "explain" {
				arguments["candidate"] = "a"
			}
			answer, _, isError := call(t, s, tool, arguments)
			if message, _ := answer["message"].(string); !isError || answer["code"] != want.code || answer["path"] != want.path || !strings.Contains(message, want.message) {
				t.Errorf("%s %s: %v", tool, question, answer)
			}
		}
	}
}

// What is empty or null is as if it were left out, and a beginning that only one model has
// names it.
func TestLeftOutOfQuestions(t *testing.T) {
	s := connect(t, offers(t, 40))
	answered := func(question string) string {
		answer, _, isError := call(t, s, "rank", json.RawMessage(question))
		if isError {
			t.Errorf("%s: %v", question, answer)
		}
		return fmt.Sprint(answer)
	}
	plain := answered(`{"minimize":["price.output"],"atLeast":{"limits.context":1}}`)
	for _, empty := range []string{`"maximize":[]`, `"atMost":{}`, `"require":{ }`, `"weights":{}`, `"cheapest":null`, `"trials":{}`, `"models":[]`, `"runtimes":""`,
		`"all":null`, `"models":null`, `"request":null`, `"request":{}`, `"tokens":""`, `"limit":null`} {
		if got := answered(`{"minimize":["price.output"],"atLeast":{"limits.context":1},` + empty + `}`); got != plain {
			t.Errorf("with %s it is %s, want %s", empty, got, plain)
		}
	}
	if got, whole := answered(`{"minimize":"price.output","models":"lab12/"}`), answered(`{"minimize":["price.output"],"models":["lab12/model-12"]}`); got != whole {
		t.Errorf("of a beginning it is %s, want %s", got, whole)
	}
}

// A ranking notes names that the catalog does not have, and dollars per million where
// a price is per token.
func TestNotes(t *testing.T) {
	s := connect(t, offers(t, 30))
	request := many(2)
	answer, _, _ := call(t, s, "rank", map[string]any{"request": request})
	if answer["assumptions"] != nil {
		t.Errorf("%v", answer)
	}
	request["requirements"] = []any{map[string]any{"measurementKey": "price.output", "aggregation": "fact", "operator": "lte", "value": 5},
		map[string]any{"measurementKey": "limits.context", "aggregation": "fact", "operator": "gte", "value": 5}}
	shown := func(key string) any {
		return map[string]any{"measurementKey": key, "aggregation": "fact", "direction": "maximize", "weight": 0}
	}
	request["preferences"] = []any{shown("price.outptu"), shown("cost")}
	request["inventory"].([]any)[0].(map[string]any)["model"] = map[string]any{"id": "lab0/model-O"}
	answer, _, _ = call(t, s, "rank", map[string]any{"request": request})
	text := fmt.Sprint(answer["assumptions"])
	for _, want := range []string{"lab0/model-O", "did you mean price.output?", "the key cost; the closest are", `write "5/M"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	if n := len(answer["assumptions"].([]any)); n != 5 {
		t.Errorf("%d notes: %s", n, text)
	}
	for i := range 20 {
		request["preferences"] = append(request["preferences"].([]any), shown(fmt.Sprint("none", i)))
	}
	answer, _, _ = call(t, s, "rank", map[string]any{"request": request})
	if notes := answer["assumptions"].([]any); len(notes) != 10 || notes[9] != "and 16 more" {
		t.Errorf("%v", notes)
	}
}
