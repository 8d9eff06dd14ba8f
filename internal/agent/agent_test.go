package agent_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/model-catalog-service/svc/internal/agent"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/service/record"
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
			rec := record.Observation{
				Kind: record.KindDeclaration, Model: record.Model{ID: fmt.Sprintf("lab%d/model-%d", i%50, i)},
				Execution: record.Scope{Kind: record.ScopePartial}, SourceClass: record.External,
				Measurements: []record.Measurement{{Key: f.key, Kind: record.Fact, Value: record.Scalar{Kind: '0', Text: string(must(json.Marshal(f.value)))}, Unit: f.unit}},
				Evidence:     []record.Evidence{{ID: fmt.Sprintf("list:%d#%s", i, f.key), Kind: "row", URI: "https://list.example", ObservedAt: "2026-07-01T00:00:00.000Z"}},
				Freshness:    record.Freshness{ObservedAt: "2026-07-01T00:00:00.000Z"}, Uncertainty: record.Uncertainty{Level: record.LevelLow, Basis: []string{"a list"}},
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
	return connectWith(t, c, agent.Options{Version: "test"})
}

func connectWith(t testing.TB, c *catalog.Catalog, o agent.Options) *mcp.ClientSession {
	t.Helper()
	a, err := agent.New(c, o)
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

// An agent that knows no key in advance finds the keys, the candidates under a price,
// ranks them, and explains the first: in six calls at most, and less than 40 KiB, of which
// each answer counts twice, as structured content and as text.
func TestAgentPath(t *testing.T) {
	s := connect(t, offers(t, 5000))
	calls, size := 0, 0
	ask := func(name string, arguments any) map[string]any {
		r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
		if err != nil || r.IsError {
			t.Fatalf("%s: %v %v", name, err, r)
		}
		calls++
		size += len(must(json.Marshal(r)))
		return r.StructuredContent.(map[string]any)
	}
	// Of the facts that most models have, it takes the dearer price and the limit.
	price, limit, highest, most := "", "", 0.0, 0.0
	for _, k := range ask("list_keys", map[string]any{})["keys"].([]any) {
		k := k.(map[string]any)
		if k["kind"] != "fact" || k["models"].(float64) < most {
			continue
		}
		most = k["models"].(float64)
		switch fmt.Sprint(k["units"]) {
		case "[USD/token]":
			if high := k["high"].(float64); high > highest {
				price, highest = k["key"].(string), high
			}
		case "[tokens]":
			limit = k["key"].(string)
		}
	}
	bound := highest / 4
	inventory := []any{}
	for i, m := range ask("list_models", map[string]any{"key": price, "state": "holds", "limit": 30})["models"].([]any) {
		m := m.(map[string]any)
		inventory = append(inventory, map[string]any{"id": fmt.Sprint("c", i), "model": map[string]any{"id": m["id"], "revision": m["revision"], "quantization": m["quantization"]},
			"execution": map[string]any{"runtime": map[string]any{"id": m["runtimes"].([]any)[0]}}})
	}
	request := map[string]any{"schemaVersion": "service.rank.request/v3", "inventory": inventory,
		"requirements": []any{map[string]any{"measurementKey": price, "aggregation": "fact", "operator": "lte", "value": bound}},
		"preferences":  []any{map[string]any{"measurementKey": limit, "aggregation": "fact", "direction": "maximize", "weight": 1}}}
	result := ask("rank", map[string]any{"request": request})
	ranked, out := result["ranked"].([]any), result["excluded"].([]any)
	if len(ranked) < 2 || len(out) < 2 || len(ranked)+len(out) != len(inventory) || result["nextCursor"] != nil {
		t.Fatalf("%d ranked and %d excluded of %d", len(ranked), len(out), len(inventory))
	}
	first := ranked[0].(map[string]any)
	for _, c := range ranked {
		for _, b := range c.(map[string]any)["because"].([]any) {
			b := b.(map[string]any)
			if b["criterion"] == "requirement:"+price && b["value"].(float64) > bound {
				t.Errorf("%v costs more than %v", c, bound)
			}
			if b["criterion"] == "preference:"+limit && b["contribution"].(float64) > first["because"].([]any)[1].(map[string]any)["contribution"].(float64) {
				t.Errorf("%v is better than the first, %v", c, first)
			}
		}
	}
	explained := ask("explain", map[string]any{"request": request, "candidate": first["candidateId"]})
	if explained["schemaVersion"] != "service.rank.explanation/v1" || explained["placement"].(map[string]any)["rank"] != 1.0 {
		t.Errorf("%v", explained)
	}
	for _, c := range explained["criteria"].([]any) {
		entries := c.(map[string]any)["entries"].([]any)
		if len(entries) != 1 || entries[0].(map[string]any)["evidence"].([]any)[0].(map[string]any)["uri"] != "https://list.example" {
			t.Errorf("no evidence: %v", c)
		}
	}
	if calls > 6 || size > 40<<10 {
		t.Errorf("%d calls, %d bytes", calls, size)
	}
	t.Logf("%d calls, %d bytes", calls, size)
}

// Each answer is what the output schema of its tool says, and each tool says what it does.
func TestSchemas(t *testing.T) {
	s := connectWith(t, offers(t, 3), agent.Options{Version: "test", Against: offers(t, 2)})
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	arguments := map[string]any{
		"list_keys": map[string]any{}, "list_models": map[string]any{}, "get_model": map[string]any{"model": "lab0/model-0"},
		"rank": map[string]any{"request": noRequest()}, "explain": map[string]any{"request": noRequest(), "candidate": "a"},
		"diff": map[string]any{"only": []any{"models", "facts", "rankings"}, "request": noRequest(), "limit": 5},
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
			if properties := schema.(map[string]any)["properties"]; name == "in" && schema.(map[string]any)["additionalProperties"] != false || properties == nil {
				t.Errorf("%s, %s: %v", tool.Name, name, schema)
			}
		}
		// The example is one of the schema.
		_, example, _ := strings.Cut(tool.Description, "Example: ")
		if answer, _, _ := call(t, s, tool.Name, json.RawMessage(example)); answer["code"] == "INVALID_ARGUMENT" || answer["code"] == "INVALID_RANK_REQUEST" {
			t.Errorf("%s: the example is refused: %v", tool.Name, answer)
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

// noRequest is a request for one candidate.
func noRequest() map[string]any {
	return map[string]any{"schemaVersion": "service.rank.request/v3",
		"inventory":   []any{map[string]any{"id": "a", "model": map[string]any{"id": "lab0/model-0"}, "execution": map[string]any{"runtime": map[string]any{"id": "router"}}}},
		"preferences": []any{map[string]any{"measurementKey": "price.output", "aggregation": "fact", "direction": "minimize", "weight": 1}}}
}

// earlier is the same in version 1.
func earlier() map[string]any {
	return map[string]any{"schemaVersion": "service.rank.request/v1", "task": map[string]any{"family": "any", "suite": nil},
		"inventory": []any{map[string]any{"id": "a", "model": map[string]any{"id": "lab0/model-0", "revision": nil, "quantization": nil},
			"execution": map[string]any{"runtime": map[string]any{"id": "router", "version": nil}, "adapter": nil, "effectiveContextTokens": nil, "toolSurface": []any{}, "hardware": nil, "workflow": nil}}},
		"requirements": []any{}, "preferences": []any{map[string]any{"measurementKey": "price.output", "aggregation": "fact", "direction": "minimize", "weight": 1}}}
}

// dialogue sends lines after the handshake, and returns the answers that come until the end,
// each as its id, code and result's names; those of a batch are in brackets.
func dialogue(t *testing.T, version string, lines ...string) []string {
	t.Helper()
	a, err := agent.New(offers(t, 1), agent.Options{})
	if err != nil {
		t.Fatal(err)
	}
	in, send := io.Pipe()
	receive, out := io.Pipe()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // or else what is not answered is waited for
	defer cancel()
	done := make(chan error, 1)
	go func() {
		done <- a.RunStreams(ctx, in, out)
		out.Close()
	}()
	go func() {
		fmt.Fprintf(send, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`+"\n", version)
	}()
	answers := bufio.NewScanner(receive)
	answers.Buffer(nil, 1<<20)
	if !answers.Scan() || !strings.Contains(answers.Text(), version) {
		t.Fatalf("the handshake is answered by %s", answers.Text())
	}
	go func() {
		io.WriteString(send, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+strings.Join(lines, "\n"))
		send.Close()
	}()
	type message struct {
		ID     any
		Error  struct{ Code int }
		Result map[string]any
	}
	text := func(m message) string {
		return strings.TrimSpace(fmt.Sprint(m.ID, " ", m.Error.Code, " ", strings.Join(slices.Sorted(maps.Keys(m.Result)), ",")))
	}
	var got []string
	for answers.Scan() {
		var one message
		var batch []message
		if json.Unmarshal(answers.Bytes(), &batch) == nil {
			var texts []string
			for _, m := range batch {
				texts = append(texts, text(m))
			}
			got = append(got, "["+strings.Join(texts, "; ")+"]")
		} else if err := json.Unmarshal(answers.Bytes(), &one); err != nil {
			t.Fatal(err)
		} else {
			got = append(got, text(one))
		}
	}
	if err := <-done; err != nil {
		t.Errorf("the dialogue ends with %v", err)
	}
	slices.Sort(got)
	return got
}

// What is no message is refused under the codes of JSON-RPC, without an id, and what comes
// after it is answered; so is what has no answer, and batches where the protocol has them.
func TestDialogue(t *testing.T) {
	const ping, note, now, before = `{"jsonrpc":"2.0","id":9,"method":"ping"}`, `{"jsonrpc":"2.0","method":"notifications/other"}`, "2025-11-25", "2025-03-26"
	called := func(id, method string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{"name":"list_keys","arguments":{}}}`
	}
	for name, tt := range map[string]struct {
		version string
		lines   []string
		want    []string
	}{
		"no JSON":            {now, []string{"{bad", ping}, []string{"9 0", "<nil> -32700"}},
		"half a message":     {now, []string{ping[:20], ping}, []string{"9 0", "<nil> -32700"}},
		"no end of line":     {now, []string{ping}, []string{"9 0"}},
		"blank lines":        {now, []string{"", " \r", ping + "\r", ""}, []string{"9 0"}},
		"no version":         {now, []string{`{"id":1,"method":"ping"}`, ping}, []string{"9 0", "<nil> -32600"}},
		"another version":    {now, []string{`{"jsonrpc":"1.0","id":1,"method":"ping"}`, ping}, []string{"9 0", "<nil> -32600"}},
		"an object as id":    {now, []string{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, ping}, []string{"9 0", "<nil> -32600"}},
		"a fraction as id":   {now, []string{called("1.5", "ping"), called("9007199254740993", "ping"), ping}, []string{"9 0", "<nil> -32600", "<nil> -32600"}},
		"a text as id":       {now, []string{called(`"a\"b"`, "ping")}, []string{`a"b 0`}},
		"null, a number":     {now, []string{"null", "3", ping}, []string{"9 0", "<nil> -32600", "<nil> -32600"}},
		"notifications":      {now, []string{note, `{"jsonrpc":"2.0","method":"no/such"}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}`, ping}, []string{"9 0"}},
		"an answer":          {now, []string{`{"jsonrpc":"2.0","id":77,"result":{}}`, ping}, []string{"9 0"}},
		"unknown methods":    {now, []string{called("1", "no/such"), called("2", "prompts/list"), called("3", "logging/setLevel"), ping}, []string{"1 -32601", "2 -32601", "3 -32601", "9 0"}},
		"wrong params":       {now, []string{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}`, `{"jsonrpc":"2.0","id":2,"method":"tools/call"}`, ping}, []string{"1 -32602", "2 -32600", "9 0"}},
		"an unknown cursor":  {now, []string{`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}`, ping}, []string{"1 -32602", "9 0"}},
		"a batch, now":       {now, []string{"[" + ping + "]", ping}, []string{"9 0", "<nil> -32600"}},
		"a batch, before":    {before, []string{"[" + called("1", "tools/call") + "," + note + "," + note + "," + ping + "]"}, []string{"[1 0 content,structuredContent; 9 0]"}},
		"of notifications":   {before, []string{"[" + note + "," + note + "]", ping}, []string{"9 0"}},
		"an empty batch":     {before, []string{"[]", ping}, []string{"9 0", "<nil> -32600"}},
		"a bad batch":        {before, []string{"[1]", "[" + ping + "," + ping + "]", ping}, []string{"9 0", "<nil> -32600", "<nil> -32600"}},
		"another handshake":  {now, []string{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, ping}, []string{"1 -32600", "9 0"}},
		"a call, at the end": {before, []string{called("1", "tools/call")}, []string{"1 0 content,structuredContent"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := dialogue(t, tt.version, tt.lines...)
			slices.Sort(tt.want)
			if !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// Before the handshake a call is refused under the code of JSON-RPC.
func TestBeforeHandshake(t *testing.T) {
	a, err := agent.New(offers(t, 1), agent.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	lines := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n" + `{"jsonrpc":"2.0","id":"b","method":"ping"}` + "\n"
	if err := a.RunStreams(t.Context(), strings.NewReader(lines), &out); err != nil || strings.Count(out.String(), "\n") != 2 ||
		!strings.Contains(out.String(), `{"error":{"code":-32600,"message":"method \"tools/list\" is invalid during session initialization"},"id":1,"jsonrpc":"2.0"}`) ||
		!strings.Contains(out.String(), `"result":{}`) {
		t.Errorf("%v: %s", err, &out)
	}
}

// A line without end is read to 1 MiB.
func TestLongLine(t *testing.T) {
	a, err := agent.New(offers(t, 1), agent.Options{})
	if err != nil {
		t.Fatal(err)
	}
	in := &endless{}
	if err := a.RunStreams(t.Context(), in, io.Discard); err == nil || in.read > 2<<20 {
		t.Errorf("%d bytes were read, then %v", in.read, err)
	}
}

// endless is a text that does not end.
type endless struct{ read int }

func (e *endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'a'
		if e.read+i == 0 {
			b[i] = '"'
		}
	}
	e.read += len(b)
	return len(b), nil
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
		{"list_models", map[string]any{"limit": "x"}, "INVALID_ARGUMENT", "$.limit", "must be a whole number"},
		{"list_models", map[string]any{"limit": 1.5}, "INVALID_ARGUMENT", "$.limit", "must be a whole number"},
		{"list_models", map[string]any{"limit": 1e300}, "INVALID_ARGUMENT", "$.limit", "must be a whole number"},
		{"list_models", map[string]any{"query": 3}, "INVALID_ARGUMENT", "$.query", "must be a text"},
		{"rank", map[string]any{"request": noRequest(), "full": 1}, "INVALID_ARGUMENT", "$.full", "must be true or false"},
		{"rank", map[string]any{"request": map[string]any{"schemaVersion": "service.rank.request/v9"}}, "INVALID_RANK_REQUEST", "$.request.inventory", "; $.request.schemaVersion: must be "},
		{"list_models", map[string]any{"LIMIT": 1}, "INVALID_ARGUMENT", "$", "LIMIT"},
		{"list_models", map[string]any{"state": "gone"}, "INVALID_ARGUMENT", "$.state", "holds, expired or conflicts"},
		{"list_models", map[string]any{"key": "price.outptu"}, "UNKNOWN_KEY", "$.key", "price.output"},
		{"list_models", map[string]any{"runtime": "ruoter"}, "UNKNOWN_RUNTIME", "$.runtime", `"router"`},
		{"list_models", map[string]any{"query": strings.Repeat("a ", 600)}, "INVALID_ARGUMENT", "$.query", "at most 1024 bytes"},
		{"list_models", map[string]any{"nothing": 1}, "INVALID_ARGUMENT", "$", "nothing"},
		{"list_models", map[string]any{"cursor": "5-0123456789abcdef"}, "STALE_CURSOR", "$.cursor", "another catalog"},
		{"get_model", map[string]any{"model": "lab0/model-zero"}, "UNKNOWN_MODEL", "$.model", "lab0/model-0"},
		{"get_model", map[string]any{"model": "lab"}, "UNKNOWN_MODEL", "$.model", "60 models begin with that"},
		{"get_model", map[string]any{"model": "lab0/model-0", "detail": "all"}, "INVALID_ARGUMENT", "$.detail", "facts"},
		{"rank", map[string]any{}, "INVALID_ARGUMENT", "$.request", "missing"},
		{"rank", map[string]any{"request": bad}, "INVALID_RANK_REQUEST", "$.request.preferences", "must be a list"},
		{"explain", map[string]any{"request": noRequest(), "candidate": "b"}, "UNKNOWN_CANDIDATE", "$.candidate", `closest is "a"`},
	} {
		answer, _, isError := call(t, s, test.tool, test.arguments)
		if message, _ := answer["message"].(string); !isError || answer["code"] != test.code || answer["path"] != test.path || !strings.Contains(message, test.message) {
			t.Errorf("%s %v: %v", test.tool, test.arguments, answer)
		}
	}
	if answer, _, isError := call(t, s, "list_models", json.RawMessage(`{"limit":3.0}`)); isError || len(answer["models"].([]any)) != 3 {
		t.Errorf("3.0 is no limit: %v", answer)
	}
	if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "none"}); err == nil {
		t.Error("there is a tool none")
	}
}

// Lists are of what is asked for, and as long as the tool says.
func TestLists(t *testing.T) {
	long := offers(t, 60)
	if answer, _, _ := call(t, connect(t, long), "list_models", map[string]any{}); len(answer["models"].([]any)) != 20 || answer["total"] != 60.0 {
		t.Errorf("%v", answer)
	}
	at := func(id, key string, value any, until string) comparetest.Statement {
		return comparetest.Statement{ID: id, Execution: comparetest.At("shop"), Until: until, Measurements: []any{comparetest.Fact(key, value)}}
	}
	now := at("acme/atlas-mini", "score", 5, "")
	now.From = comparetest.May2
	list := []comparetest.Statement{now, at("acme/atlas-mini", "score", 9, comparetest.May2), at("acme/atlas", "score", 100, comparetest.May2), at("acme/torn", "price", 1, ""), at("acme/torn", "price", 2, "")}
	for i := range 60 {
		list = append(list, at("acme/keys", fmt.Sprintf("key%02d", i), i, ""))
	}
	s := connect(t, comparetest.Compile(t, comparetest.May31, list...))
	for _, test := range []struct {
		arguments map[string]any
		want      []string
	}{
		{map[string]any{"query": "MINI atlas"}, []string{"acme/atlas-mini"}},
		{map[string]any{"query": "mini  keys"}, nil},
		{map[string]any{"key": "score"}, []string{"acme/atlas", "acme/atlas-mini"}},
		{map[string]any{"state": "holds"}, []string{"acme/atlas-mini", "acme/keys", "acme/torn"}},
		{map[string]any{"state": "expired"}, []string{"acme/atlas"}},
		{map[string]any{"state": "conflicts"}, []string{"acme/torn"}},
	} {
		answer, _, _ := call(t, s, "list_models", test.arguments)
		var got []string
		for _, m := range answer["models"].([]any) {
			got = append(got, m.(map[string]any)["id"].(string))
		}
		if !slices.Equal(got, test.want) || answer["total"] != float64(len(test.want)) {
			t.Errorf("%v: %v, want %v", test.arguments, got, test.want)
		}
	}
	answer, _, _ := call(t, s, "list_keys", map[string]any{})
	if len(answer["keys"].([]any)) != 50 || answer["total"] != 62.0 {
		t.Errorf("%v keys of %v", len(answer["keys"].([]any)), answer["total"])
	}
	answer, _, _ = call(t, s, "get_model", map[string]any{"model": "acme/keys"})
	entries := answer["entries"].([]any)
	var facts []string
	for _, e := range entries {
		facts = append(facts, e.(map[string]any)["key"].(string))
	}
	if len(entries) != 20 || answer["total"] != 60.0 || !slices.IsSorted(facts) {
		t.Errorf("%v of %v facts: %q", len(entries), answer["total"], facts)
	}
	answer, _, _ = call(t, s, "list_keys", map[string]any{"model": "acme/atlas-mini"})
	keys := answer["keys"].([]any)
	if k := keys[0].(map[string]any); len(keys) != 1 || k["key"] != "score" || k["models"] != 2.0 || k["low"] != 5.0 || k["high"] != 5.0 {
		t.Errorf("%v", keys)
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

// A model is found by each of its runtimes, of which its row names some.
func TestManyRuntimes(t *testing.T) {
	var list []comparetest.Statement
	for i := range 20 {
		list = append(list, comparetest.Statement{ID: "acme/atlas", Execution: comparetest.At(fmt.Sprintf("shop%02d", i)), Measurements: []any{comparetest.Fact("price.input", 1e-6, "USD/token")}})
	}
	s := connect(t, comparetest.Compile(t, comparetest.May31, list...))
	for i := range 20 {
		answer, _, _ := call(t, s, "list_models", map[string]any{"runtime": fmt.Sprintf("shop%02d", i)})
		if answer["total"] != 1.0 {
			t.Errorf("at shop%02d are %v models", i, answer["total"])
		}
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
