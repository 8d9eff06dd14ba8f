package agent_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	. "github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/internal/export/exporttest"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/sources/modelsdev"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// A question is answered as the request that svc new request writes of it.
func TestQuestions(t *testing.T) {
	c := offers(t, 300)
	s := connect(t, c)
	for question, want := range map[string]v3.Question{
		`{"maximize":["limits.context"],"minimize":["price.input"],"atMost":{"price.output":"2/M"},"atLeast":{"limits.context":20000}}`: {
			Maximize: []string{"limits.context"}, Minimize: []string{"price.input"},
			AtMost: []v3.Bound{{Key: "price.output", Number: 2e-6, Unit: "USD/token"}}, AtLeast: []v3.Bound{{Key: "limits.context", Number: 20000}}},
		`{"models":["lab1/model-1","lab2/model-2"],"runtimes":["router"],"keys":["price.input"],"cheapest":true}`: {
			Models: []string{"lab1/model-1", "lab2/model-2"}, Runtimes: []string{"router"}, Keys: []string{"price.input"}, Cheapest: true},
		`{"maximize":["limits.context"],"minimize":["price.input"],"weights":{"price.input":2.5}}`: {
			Maximize: []string{"limits.context"}, Minimize: []string{"price.input"}, Weights: []v3.Weight{{Key: "price.input", Number: 2.5}}},
		`{"all":true,"minimize":["price.output"],"atMost":{"price.input":"0.000001"}}`: {
			All: true, Minimize: []string{"price.output"}, AtMost: []v3.Bound{{Key: "price.input", Number: 1e-6}}},
	} {
		draft, err := v3.Draft(c, want)
		if err != nil {
			t.Fatal(err)
		}
		answer, _, isError := call(t, s, "rank", map[string]any{"request": json.RawMessage(question), "limit": 2})
		if whole := evaluated(t, c, json.RawMessage(draft.Text)); isError || answer["sha256"] != canonical.Sum([]byte(whole)) {
			t.Errorf("%s: %v", question, answer)
			continue
		}
		ranked := answer["ranked"].([]any)
		for _, r := range ranked {
			r := r.(map[string]any)
			if id, _ := r["model"].(string); r["runtime"] != "router" || !strings.HasSuffix(id, "/"+r["candidateId"].(string)) {
				t.Errorf("%s: nobody knows who %v is", question, r)
			}
		}
		if _, goesOn := answer["nextCursor"].(string); len(ranked) != 2 || goesOn != !strings.Contains(question, "models") {
			t.Errorf("%s: %v", question, answer)
		}
		explained, _, isError := call(t, s, "explain", map[string]any{"request": json.RawMessage(question), "candidate": ranked[0].(map[string]any)["candidateId"]})
		if isError || explained["placement"].(map[string]any)["rank"] != 1.0 {
			t.Errorf("%s: %v", question, explained)
		}
	}
	answer, _, _ := call(t, s, "rank", map[string]any{"request": json.RawMessage(`{"minimize":["price.output"],"atMost":{"price.output":"4/M"}}`)})
	if n := len(answer["ranked"].([]any)); n != 10 || answer["nextCursor"] == nil {
		t.Errorf("%d candidates are told unasked", n)
	}
	// A request tells all of its candidates, who they are it says itself.
	answer, _, _ = call(t, s, "rank", map[string]any{"request": many(30)})
	if ranked := answer["ranked"].([]any); len(ranked) != 30 || ranked[0].(map[string]any)["model"] != nil {
		t.Errorf("%v", answer)
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
		answer, _, isError := call(t, s, "rank", map[string]any{"request": json.RawMessage(question)})
		var got []string
		for _, r := range answer["ranked"].([]any) {
			got = append(got, r.(map[string]any)["candidateId"].(string))
		}
		if isError || strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %s", question, got, want)
		}
	}
}

// A trial count makes a value as certain as it is: TestQuestions has no samples.
func TestQuestionOfTrials(t *testing.T) {
	s := connect(t, Compile(t, May31, Statement{ID: "m", Execution: Ran("r"), Task: Job("coding", "s", "1"), Outcome: "accepted",
		Measurements: []any{Sample("solved", 0.5), Sample("tasks", 100)}}))
	width := func(question string) float64 {
		answer, _, isError := call(t, s, "rank", map[string]any{"request": json.RawMessage(question)})
		if isError {
			t.Fatal(answer)
		}
		b := answer["ranked"].([]any)[0].(map[string]any)["because"].([]any)[0].(map[string]any)
		if b["low"] == nil {
			return 0
		}
		return b["high"].(float64) - b["low"].(float64)
	}
	if without, with := width(`{"maximize":["solved"]}`), width(`{"maximize":["solved"],"trials":{"solved":"tasks"}}`); without != 0 || with <= 0 {
		t.Errorf("the interval has %v, and with trials %v", without, with)
	}
}

// What is wrong with a question says how to correct it, whatever a model guessed.
func TestBadQuestions(t *testing.T) {
	s := connect(t, offers(t, 300))
	for question, want := range map[string]struct{ code, path, message string }{
		`{"maximize":["limits.contxt"]}`:                                  {"UNKNOWN_KEY", "$.request.maximize[0]", `"limits.context"`},
		`{"minimize":["price.output"],"runtimes":["Router"]}`:             {"UNKNOWN_RUNTIME", "$.request.runtimes[0]", `"router"`},
		`{"minimize":["price.output"],"models":["model-7"]}`:              {"UNKNOWN_MODEL", "$.request.models[0]", `"lab7/model-7"`},
		`{"minimize":["price.output"],"models":["lab1/model-1","lab7/"]}`: {"UNKNOWN_MODEL", "$.request.models[1]", "models begin with that"},
		`{"minimize":["price.output"],"atMost":{"context":1}}`:            {"UNKNOWN_KEY", "$.request.atMost", `closest is "limits.context"`},
		`{"minimize":["price.output"],"atLeast":{"window":1}}`:            {"UNKNOWN_KEY", "$.request.atLeast", `closest is "limits.context"`},
		`{"minimize":["price.output"],"require":{"limits.window":true}}`:  {"UNKNOWN_KEY", "$.request.require", `"limits.context"`},
		`{"minimize":["price.output"],"keys":["cost"]}`:                   {"UNKNOWN_KEY", "$.request.keys[0]", `"price.output"`},
		`{"minimize":["price.output"],"atMost":{"price.output":5}}`:       {"INVALID_RANK_REQUEST", "$.request", "write 5/M"},
		`{"minimize":["price.output"],"atMost":{"price.output":"$5/Q"}}`:  {"INVALID_RANK_REQUEST", "$.request.atMost.price.output", `"5/M"`},
		`{"minimize":["price.output"],"atMost":{"price.output":true}}`:    {"INVALID_RANK_REQUEST", "$.request.atMost.price.output", "must be a number"},
		`{"minimize":["price.output"],"atMost":["price.output<=5"]}`:      {"INVALID_RANK_REQUEST", "$.request.atMost", "must be an object"},
		`{"minimize":"price.output"}`:                                     {"INVALID_RANK_REQUEST", "$.request.minimize", "must be a list"},
		`{"minimize":["price.output"],"weights":{"price.output":0}}`:      {"INVALID_RANK_REQUEST", "$.request.weights.price.output", "above 0"},
		`{"minimize":["price.output"],"require":{"price.output":5}}`:      {"INVALID_RANK_REQUEST", "$.request.require.price.output", "true or false"},
		`{"sortBy":"price.output"}`:                                       {"INVALID_RANK_REQUEST", "$.request.sortBy", "allowed are schemaVersion, maximize"},
		`{"maximize":["limits.context"],"minimize":["limits.context"]}`:   {"INVALID_RANK_REQUEST", "$.request", "both high and low"},
		`{}`:                                   {"INVALID_RANK_REQUEST", "$.request", "asks nothing"},
		`{"maximize":[],"runtimes":null}`:      {"INVALID_RANK_REQUEST", "$.request", "asks nothing"},
		`null`:                                 {"INVALID_ARGUMENT", "$.request", "is missing"},
		`{"schemaVersion":"x","inventory":[]}`: {"INVALID_RANK_REQUEST", "$.request.schemaVersion", "must be service.rank.request"},
		`"the cheapest"`:                       {"INVALID_RANK_REQUEST", "$.request", "must be an object"},
		`{"maximize":["price.output"],"preferences":[1]}`: {"INVALID_RANK_REQUEST", "$.request.maximize", "unknown field"},
	} {
		for _, tool := range []string{"rank", "explain"} {
			arguments := map[string]any{"request": json.RawMessage(question)}
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
	answered := func(tool, question string) string {
		arguments := map[string]any{"request": json.RawMessage(question)}
		if tool == "explain" {
			arguments["candidate"] = "model-12"
		}
		answer, _, isError := call(t, s, tool, arguments)
		if isError {
			t.Errorf("%s %s: %v", tool, question, answer)
		}
		return fmt.Sprint(answer)
	}
	for _, tool := range []string{"rank", "explain"} {
		plain := answered(tool, `{"minimize":["price.output"],"atLeast":{"limits.context":1}}`)
		for _, empty := range []string{`"maximize":[]`, `"atMost":{}`, `"require":{ }`, `"weights":{}`, `"cheapest":null`, `"keys":[ ]`, `"trials":{}`, `"models":[]`, `"runtimes":[]`,
			`"all":null`, `"models":null`, `"inventory":[]`, `"preferences":null`, `"schemaVersion":"","tieBreakers":[]`} {
			if got := answered(tool, `{"minimize":["price.output"],"atLeast":{"limits.context":1},`+empty+`}`); got != plain {
				t.Errorf("%s with %s is %s, want %s", tool, empty, got, plain)
			}
		}
		whole := answered(tool, `{"minimize":["price.output"],"models":["lab12/model-12"]}`)
		if got := answered(tool, `{"minimize":["price.output"],"models":["lab12/"]}`); got != whole {
			t.Errorf("%s of a beginning is %s, want %s", tool, got, whole)
		}
	}
}

// A query that finds nothing says what it may have meant.
func TestEmptyLists(t *testing.T) {
	s := connect(t, offers(t, 40))
	for _, test := range []struct{ tool, query, want string }{
		{"list_keys", "window", "limits.context"},
		{"list_keys", "prize", "price.input"},
		{"list_models", "modle-12", "model-12"},
	} {
		answer, _, isError := call(t, s, test.tool, map[string]any{"query": test.query})
		if isError || answer["total"] != 0.0 || !strings.Contains(fmt.Sprint(answer["notes"]), test.want) {
			t.Errorf("%s %s: %v", test.tool, test.query, answer)
		}
	}
	if answer, _, _ := call(t, s, "list_keys", map[string]any{"query": "price"}); answer["notes"] != nil {
		t.Error(answer)
	}
}

// A question of many candidates is ranked whole, and answered in sentences.
func TestQuestionOfMany(t *testing.T) {
	s := connect(t, offers(t, 300))
	answer, text, isError := call(t, s, "rank", map[string]any{"request": map[string]any{"minimize": []string{"price.output"}}})
	said, _ := answer["answer"].(map[string]any)
	if isError || answer["notes"] != nil || !strings.Contains(fmt.Sprint(said["choice"]), "of 300 candidates") && !strings.Contains(fmt.Sprint(said["choice"]), "it has the best score, as ha") {
		t.Errorf("%v", text)
	}
}

// A ranking notes names that the catalog does not have, and dollars per million where
// a price is per token.
func TestNotes(t *testing.T) {
	s := connect(t, offers(t, 30))
	request := many(2)
	answer, _, _ := call(t, s, "rank", map[string]any{"request": request})
	if answer["notes"] != nil {
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
	text := fmt.Sprint(answer["notes"])
	for _, want := range []string{"lab0/model-O", "did you mean price.output?", "the key cost; the closest are", "5e-6"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	if n := len(answer["notes"].([]any)); n != 4 {
		t.Errorf("%d notes: %s", n, text)
	}
	for i := range 20 {
		request["preferences"] = append(request["preferences"].([]any), shown(fmt.Sprint("none", i)))
	}
	answer, _, _ = call(t, s, "rank", map[string]any{"request": request})
	if notes := answer["notes"].([]any); len(notes) != 9 || notes[8] != "and 16 more" {
		t.Errorf("%v", notes)
	}
}

// Whoever knows no name asks three times and gets little: on many offers, on the models
// of the example, of which much is known, and on a real price list. What counts is the
// text, which a client gives to its model, or the structured content in its place.
func TestShortPath(t *testing.T) {
	file, err := os.ReadFile("../../examples/models/catalog.json")
	if err != nil {
		t.Fatal(err)
	}
	example, err := catalog.Parse(t.Context(), problem.Source{Text: string(file)})
	if err != nil {
		t.Fatal(err)
	}
	type path struct {
		catalog  *catalog.Catalog
		query    string // words of who asks
		want     string // the key that they find
		question string
	}
	paths := map[string]path{
		"offers":  {offers(t, 5000), "context", "limits.context", `{"maximize":["limits.context"],"atMost":{"price.output":"4/M"}}`},
		"example": {example, "coding", "livebench.agentic-coding.score", `{"maximize":["livebench.agentic-coding.score"],"atMost":{"price.output":"5/M"},"cheapest":true}`},
	}
	if vectortest.DataFolder(t) != "" && !vectortest.IsShort() {
		trees := exporttest.Files(t, modelsdev.Source)
		paths["price list"] = path{exporttest.Catalog(t, trees[len(trees)-1]), "context", "limits.context",
			`{"minimize":["price.output"],"atLeast":{"limits.context":200000},"require":{"capability.tools":true},"cheapest":true}`}
	}
	for name, test := range paths {
		s := connect(t, test.catalog)
		size := 0
		ask := func(tool string, arguments any) map[string]any {
			r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
			if err != nil || r.IsError {
				t.Fatalf("%s: %s: %v %v", name, tool, err, r)
			}
			size += len(r.Content[0].(*mcp.TextContent).Text)
			return r.StructuredContent.(map[string]any)
		}
		found := slices.ContainsFunc(ask("list_keys", map[string]any{"query": test.query})["keys"].([]any), func(k any) bool { return k.(map[string]any)["key"] == test.want })
		ranked := ask("rank", map[string]any{"request": json.RawMessage(test.question)})["ranked"].([]any)
		explained := ask("explain", map[string]any{"request": json.RawMessage(test.question), "candidate": ranked[0].(map[string]any)["candidateId"]})
		if !found || len(ranked) != 10 || explained["placement"].(map[string]any)["rank"] != 1.0 {
			t.Errorf("%s: %v %v %v", name, found, ranked, explained)
		}
		if size > 40<<10 {
			t.Errorf("%s: %d bytes", name, size)
		}
		t.Logf("%s: %d bytes", name, size)
	}
}

// The question and the request of the instructions are answered, with names of the catalog
// in the place of theirs. The request is answered as it is, too. Both are whole arguments: who
// sends the members of a question beside each other is told where they belong.
func TestInstructions(t *testing.T) {
	s := connect(t, offers(t, 30))
	text := s.InitializeResult().Instructions
	_, text, _ = strings.Cut(text, "\n{")
	question, rest, _ := strings.Cut("{"+text, "\n")
	_, request, _ := strings.Cut(rest, "\n")
	request = request[:strings.LastIndex(request, "]}}")+3]
	if lines := strings.Count(request, "\n") + 1; lines != 4 {
		t.Errorf("the request has %d lines", lines)
	}
	if answer, _, isError := call(t, s, "rank", json.RawMessage(request)); isError {
		t.Errorf("as it is: %v", answer)
	}
	names := strings.NewReplacer(`"ID"`, `"lab1/model-1"`, `"RUNTIME"`, `"router"`, `"KEY"`, `"price.output"`, `"mean"`, `"fact"`)
	for _, asked := range []string{question, request} {
		answer, _, isError := call(t, s, "rank", json.RawMessage(names.Replace(asked)))
		if isError || len(answer["ranked"].([]any)) == 0 || answer["notes"] != nil {
			t.Errorf("%s: %v", asked, answer)
		}
	}
	answer, _, _ := call(t, s, "rank", json.RawMessage(`{"maximize":["price.output"]}`))
	if message, _ := answer["message"].(string); answer["code"] != "INVALID_ARGUMENT" || !strings.Contains(message, "member of request") {
		t.Errorf("%v", answer)
	}
}
