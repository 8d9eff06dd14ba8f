package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/model-catalog-service/svc/internal/agent"
	"github.com/model-catalog-service/svc/internal/catalog"
)

// offers is a catalog of so many offers, each with two prices and a limit.
func offers(t testing.TB, n int) *catalog.Catalog {
	t.Helper()
	b := catalog.NewBuilder()
	var docs []string
	for i := range n {
		for _, f := range []struct {
			key, unit string
			value     float64
		}{{"price.input", "USD/token", float64(i+1) * 1e-8}, {"price.output", "USD/token", float64(i+1) * 4e-8}, {"limits.context", "tokens", float64(1000 * (1 + i%200))}} {
			rec := catalog.Record{
				Kind: catalog.KindDeclaration, Model: catalog.Model{ID: fmt.Sprintf("lab%d/model-%d", i%50, i)},
				Execution: catalog.Scope{Kind: catalog.ScopePartial}, SourceClass: catalog.External,
				Measurements: []catalog.Measurement{{Key: f.key, Kind: catalog.Fact, Value: catalog.Scalar{Kind: '0', Text: string(must(json.Marshal(f.value)))}, Unit: f.unit}},
				Evidence:     []catalog.Evidence{{ID: fmt.Sprintf("list:%d#%s", i, f.key), Kind: "row", URI: "https://list.example", ObservedAt: "2026-07-01T00:00:00.000Z"}},
				Freshness:    catalog.Freshness{ObservedAt: "2026-07-01T00:00:00.000Z"}, Uncertainty: catalog.Uncertainty{Level: catalog.LevelLow, Basis: []string{"a list"}},
			}
			rec.Execution.Runtime.ID = "router"
			o, err := b.Build(&rec)
			if err != nil {
				t.Fatal(err)
			}
			docs = append(docs, o.Input())
		}
	}
	c, _, err := catalog.Compile(t.Context(), docs, catalog.Options{AsOf: "2026-07-18T00:00:00.000Z"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func must(text []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return text
}

// connect returns a client of a catalog.
func connect(t testing.TB, c *catalog.Catalog) *mcp.ClientSession {
	t.Helper()
	a, err := agent.New(c, agent.Options{Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	server, client := mcp.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = a.Run(ctx, server)
	}()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, client, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()
		cancel()
		<-ended
	})
	return session
}

// call calls a tool and returns its answer.
func call(t testing.TB, s *mcp.ClientSession, name string, arguments any) (answer map[string]any, size int, isError bool) {
	t.Helper()
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	text := r.Content[0].(*mcp.TextContent).Text
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatal(err)
	}
	if (r.StructuredContent == nil) != r.IsError || len(text) > agent.MaxAnswer {
		t.Errorf("%s: %d bytes, structured: %v", name, len(text), r.StructuredContent != nil)
	}
	return answer, len(text), r.IsError
}

// An agent that knows no key in advance finds the keys, the candidates, ranks those under
// a price, and explains the first: in six calls at most, and less than 40 KiB.
func TestAgentPath(t *testing.T) {
	s := connect(t, offers(t, 5000))
	calls, bytes := 0, 0
	ask := func(name string, arguments any) map[string]any {
		answer, size, isError := call(t, s, name, arguments)
		if isError {
			t.Fatalf("%s: %v", name, answer)
		}
		calls++
		bytes += size
		return answer
	}
	keys := ask("list_keys", map[string]any{"query": "price"})["keys"].([]any)
	key := ""
	for _, k := range keys {
		if k := k.(map[string]any); strings.Contains(k["key"].(string), "output") {
			key = k["key"].(string)
		}
	}
	limit := ask("list_keys", map[string]any{"query": "context"})["keys"].([]any)[0].(map[string]any)["key"].(string)
	models := ask("list_models", map[string]any{"key": key, "state": "holds", "limit": 40})["models"].([]any)
	inventory := []any{}
	for i, m := range models {
		m := m.(map[string]any)
		inventory = append(inventory, map[string]any{"id": fmt.Sprint("c", i), "model": map[string]any{"id": m["id"], "revision": m["revision"], "quantization": m["quantization"]},
			"execution": map[string]any{"runtime": map[string]any{"id": m["runtimes"].([]any)[0], "version": nil}, "adapter": nil, "effectiveContextTokens": nil, "toolSurface": []any{}, "hardware": nil, "workflow": nil}})
	}
	request := map[string]any{"schemaVersion": "service.rank.request/v1", "task": map[string]any{"family": "any", "suite": nil}, "inventory": inventory,
		"requirements": []any{map[string]any{"measurementKey": key, "aggregation": "fact", "operator": "lte", "value": 1e-4}},
		"preferences":  []any{map[string]any{"measurementKey": limit, "aggregation": "fact", "direction": "maximize", "weight": 1}}}
	ranked := ask("rank", map[string]any{"request": request})["ranked"].([]any)
	if len(ranked) == 0 {
		t.Fatal("nothing is ranked")
	}
	first := ranked[0].(map[string]any)["candidateId"]
	explained := ask("explain", map[string]any{"request": request, "candidate": first})
	if explained["placement"] != "ranked" || len(explained["evidence"].([]any)) != 2 {
		t.Errorf("%v", explained)
	}
	if calls > 6 || bytes > 40<<10 {
		t.Errorf("%d calls, %d bytes", calls, bytes)
	}
	t.Logf("%d calls, %d bytes", calls, bytes)
}

// Each answer is what the output schema of its tool says, and each tool says what it does.
func TestSchemas(t *testing.T) {
	s := connect(t, offers(t, 3))
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	arguments := map[string]any{
		"list_keys": map[string]any{}, "list_models": map[string]any{}, "get_model": map[string]any{"model": "lab0/model-0"},
		"rank": map[string]any{"request": noRequest()}, "explain": map[string]any{"request": noRequest(), "candidate": "a"},
	}
	for _, tool := range list.Tools {
		if tool.Title == "" || !strings.Contains(tool.Description, "Example: {") || !tool.Annotations.ReadOnlyHint || !tool.Annotations.IdempotentHint || *tool.Annotations.OpenWorldHint {
			t.Errorf("%+v", tool)
		}
		if strings.Contains(string(must(json.Marshal(tool))), `["null"`) {
			t.Errorf("%s has a list of types", tool.Name)
		}
		answer, _, isError := call(t, s, tool.Name, arguments[tool.Name])
		if isError {
			t.Errorf("%s: %v", tool.Name, answer)
			continue
		}
		for name, schema := range map[string]any{"in": tool.InputSchema, "out": tool.OutputSchema} {
			c := jsonschema.NewCompiler()
			if err := c.AddResource("urn:x", schema); err != nil {
				t.Fatal(err)
			}
			compiled, err := c.Compile("urn:x")
			if err != nil {
				t.Fatal(err)
			}
			document := any(answer)
			if name == "in" {
				document = arguments[tool.Name]
				var plain any
				_ = json.Unmarshal(must(json.Marshal(document)), &plain)
				document = plain
			}
			if err := compiled.Validate(document); err != nil {
				t.Errorf("%s, %s: %v", tool.Name, name, err)
			}
		}
		delete(arguments, tool.Name)
	}
	if len(arguments) > 0 {
		t.Errorf("there are no tools %v", arguments)
	}
	if got := s.InitializeResult().Instructions; len(got) == 0 || len(got) > 1024 {
		t.Errorf("the instructions have %d bytes", len(got))
	}
}

func noRequest() map[string]any {
	return map[string]any{"schemaVersion": "service.rank.request/v1", "task": map[string]any{"family": "any", "suite": nil},
		"inventory": []any{map[string]any{"id": "a", "model": map[string]any{"id": "lab0/model-0", "revision": nil, "quantization": nil},
			"execution": map[string]any{"runtime": map[string]any{"id": "router", "version": nil}, "adapter": nil, "effectiveContextTokens": nil, "toolSurface": []any{}, "hardware": nil, "workflow": nil}}},
		"requirements": []any{}, "preferences": []any{map[string]any{"measurementKey": "price.output", "aggregation": "fact", "direction": "minimize", "weight": 1}}}
}

// A bad argument is an answer that says what to correct.
func TestRefusals(t *testing.T) {
	s := connect(t, offers(t, 60))
	bad := noRequest()
	bad["preferences"] = 1
	_, _, _ = call(t, s, "list_models", map[string]any{"limit": 1})
	for _, test := range []struct {
		tool      string
		arguments map[string]any
		code      string
		path      string
		message   string
	}{
		{"list_models", map[string]any{"limit": 0}, "INVALID_ARGUMENT", "$.limit", "1 to 100"},
		{"list_models", map[string]any{"limit": "x"}, "INVALID_ARGUMENT", "$.Limit", ""},
		{"list_models", map[string]any{"state": "gone"}, "INVALID_ARGUMENT", "$.state", "holds, expired or conflicts"},
		{"list_models", map[string]any{"key": "price.outptu"}, "UNKNOWN_KEY", "$.key", "price.output"},
		{"list_models", map[string]any{"nothing": 1}, "INVALID_ARGUMENT", "$", "nothing"},
		{"list_models", map[string]any{"cursor": "5-0123456789abcdef"}, "STALE_CURSOR", "$.cursor", "another catalog"},
		{"get_model", map[string]any{"model": "lab0/model-zero"}, "UNKNOWN_MODEL", "$.model", "lab0/model-0"},
		{"get_model", map[string]any{"model": "lab"}, "UNKNOWN_MODEL", "$.model", "60 models begin so"},
		{"get_model", map[string]any{"model": "lab0/model-0", "detail": "all"}, "INVALID_ARGUMENT", "$.detail", "facts"},
		{"rank", map[string]any{}, "INVALID_ARGUMENT", "$.request", "missing"},
		{"rank", map[string]any{"request": bad}, "INVALID_RANK_REQUEST", "$.request.preferences", "must be a list"},
		{"explain", map[string]any{"request": noRequest(), "candidate": "b"}, "UNKNOWN_CANDIDATE", "$.candidate", "closest are a"},
	} {
		answer, _, isError := call(t, s, test.tool, test.arguments)
		if message, _ := answer["message"].(string); !isError || answer["code"] != test.code || !strings.EqualFold(fmt.Sprint(answer["path"]), test.path) || !strings.Contains(message, test.message) {
			t.Errorf("%s %v: %v", test.tool, test.arguments, answer)
		}
	}
	if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "none"}); err == nil {
		t.Error("there is a tool none")
	}
}

// Lists go on at their cursors, and end.
func TestCursors(t *testing.T) {
	s := connect(t, offers(t, 250))
	seen, cursor, calls := map[any]bool{}, "", 0
	for ; calls < 10; calls++ {
		arguments := map[string]any{"limit": 100}
		if cursor != "" {
			arguments["cursor"] = cursor
		}
		answer, _, _ := call(t, s, "list_models", arguments)
		for _, m := range answer["models"].([]any) {
			seen[m.(map[string]any)["key"]] = true
		}
		var more bool
		if cursor, more = answer["nextCursor"].(string); !more {
			break
		}
	}
	if len(seen) != 250 || calls > 4 {
		t.Errorf("%d models in %d calls", len(seen), calls)
	}
}

// Resources say what they should.
func TestResources(t *testing.T) {
	c := offers(t, 3)
	s := connect(t, c)
	for uri, want := range map[string]string{
		"svc://catalog": `"models":3`, "svc://catalog/snapshot": c.Digest(), "svc://models/" + c.Models()[0].Key: c.Models()[0].Identity.ID,
		"svc://schemas/rank-request": "urn:svc:schema:rank-request",
	} {
		r, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil || !strings.Contains(r.Contents[0].Text, want) || r.Contents[0].MIMEType != "application/json" {
			t.Errorf("%s: %v", uri, err)
		}
	}
	for _, uri := range []string{"svc://models/none", "svc://schemas/none", "file:///etc/passwd"} {
		if _, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("there is a resource %s", uri)
		}
	}
}

// Over HTTP the same is served, but not to pages of other origins.
func TestHTTP(t *testing.T) {
	a, err := agent.New(offers(t, 3), agent.Options{Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(a.Handler())
	defer server.Close()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: server.URL + agent.Path, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if answer, _, isError := call(t, session, "list_models", map[string]any{}); isError || answer["total"] != 3.0 {
		t.Errorf("%v", answer)
	}
	for name, change := range map[string]func(*http.Request){
		"another origin": func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") },
		"another host":   func(r *http.Request) { r.Host = "evil.example" },
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+agent.Path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		change(r)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %s", name, response.Status)
		}
	}
	response, err := http.Post(server.URL+agent.Path, "application/json", strings.NewReader(strings.Repeat(" ", 2<<20)))
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a large body: %s", response.Status)
	}
}
