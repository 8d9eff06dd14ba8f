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

// call calls a tool and returns its answer, which is one text.
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
	if len(r.Content) != 1 || r.StructuredContent != nil || len(text) > agent.MaxAnswer {
		t.Errorf("%s: %d bytes, structured: %v", name, len(text), r.StructuredContent != nil)
	}
	return answer, len(text), r.IsError
}

// rowsOf returns the rows of an answer, each by its columns.
func rowsOf(answer map[string]any) (rows []map[string]any) {
	columns, _ := answer["columns"].([]any)
	list, _ := answer["rows"].([]any)
	for _, r := range list {
		row := map[string]any{}
		for i, cell := range r.([]any) {
			row[columns[i].(string)] = cell
		}
		rows = append(rows, row)
	}
	return rows
}

// column returns a column of the rows of an answer.
func column(answer map[string]any, name string) (cells []string) {
	for _, row := range rowsOf(answer) {
		cells = append(cells, fmt.Sprint(row[name]))
	}
	return cells
}

// Each tool says what it does, in schemas that strict clients take, and its example is one of its
// schema.
func TestSchemas(t *testing.T) {
	s := connect(t, offers(t, 3))
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		_, example, _ := strings.Cut(tool.Description, "Example: ")
		if tool.Title == "" || example == "" || !tool.Annotations.ReadOnlyHint || !tool.Annotations.IdempotentHint || *tool.Annotations.OpenWorldHint || tool.OutputSchema != nil {
			t.Errorf("%+v", tool)
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource("urn:x", tool.InputSchema); err != nil {
			t.Fatal(err)
		}
		compiled, err := c.Compile("urn:x")
		if err != nil {
			t.Fatal(err)
		}
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(example))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled.Validate(document); err != nil || tool.InputSchema.(map[string]any)["additionalProperties"] != false {
			t.Errorf("%s: %v", tool.Name, err)
		}
		if answer, _, _ := call(t, s, tool.Name, json.RawMessage(example)); answer["code"] == "INVALID_ARGUMENT" || answer["code"] == "INVALID_RANK_REQUEST" {
			t.Errorf("%s: the example is refused: %v", tool.Name, answer)
		}
	}
	if slices.Sort(names); strings.Join(names, " ") != "compare expiring explain find price rank what_changed" {
		t.Errorf("%q", names)
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
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{"name":"find","arguments":{}}}`
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
		"a batch, before":    {before, []string{"[" + called("1", "tools/call") + "," + note + "," + note + "," + ping + "]"}, []string{"[1 0 content; 9 0]"}},
		"of notifications":   {before, []string{"[" + note + "," + note + "]", ping}, []string{"9 0"}},
		"an empty batch":     {before, []string{"[]", ping}, []string{"9 0", "<nil> -32600"}},
		"a bad batch":        {before, []string{"[1]", "[" + ping + "," + ping + "]", ping}, []string{"9 0", "<nil> -32600", "<nil> -32600"}},
		"another handshake":  {now, []string{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, ping}, []string{"1 -32600", "9 0"}},
		"a call, at the end": {before, []string{called("1", "tools/call")}, []string{"1 0 content"}},
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

// A line that is longer than 1 MiB is refused once, and passed over: what follows is answered.
func TestLongLine(t *testing.T) {
	const ping = `{"jsonrpc":"2.0","id":9,"method":"ping"}`
	for _, length := range []int{1<<20 + 1, 3 << 20} {
		if got := dialogue(t, "2025-11-25", `"`+strings.Repeat("a", length), ping); !slices.Equal(got, []string{"9 0", "<nil> -32600"}) {
			t.Errorf("%d bytes: %q", length, got)
		}
	}
	if got := dialogue(t, "2025-11-25", ping[:len(ping)-1]+`,"x":"`+strings.Repeat("a", 1<<20-60)+`"}`); !slices.Equal(got, []string{"9 0"}) {
		t.Errorf("%q", got)
	}
}

// A bad argument is an answer that says what to correct.
func TestRefusals(t *testing.T) {
	s := connect(t, offers(t, 60))
	bad := noRequest()
	bad["preferences"] = 1
	for _, test := range []struct{ tool, arguments, code, path, message string }{
		{"find", `{"limit":0}`, "INVALID_ARGUMENT", "$.limit", "1 to 100"},
		{"find", `{"limit":"x"}`, "INVALID_ARGUMENT", "$.limit", "must be a whole number"},
		{"find", `{"limit":1.5}`, "INVALID_ARGUMENT", "$.limit", "must be a whole number"},
		{"find", `{"limit":1e300}`, "INVALID_ARGUMENT", "$.limit", "must be a whole number"},
		{"find", `{"query":3}`, "INVALID_ARGUMENT", "$.query", "must be a text"},
		{"find", `{"LIMIT":1}`, "INVALID_ARGUMENT", "$", "LIMIT"},
		{"find", `[]`, "INVALID_ARGUMENT", "$", "must be an object"},
		{"find", `{"state":"gone"}`, "INVALID_ARGUMENT", "$.state", "expired or conflict"},
		{"find", `{"by":"maker"}`, "INVALID_ARGUMENT", "$.by", "model or key"},
		{"find", `{"key":"price.outptu"}`, "UNKNOWN_KEY", "$.key", "price.output"},
		{"find", `{"runtime":"ruoter"}`, "UNKNOWN_RUNTIME", "$.runtime", `"router"`},
		{"find", `{"query":"` + strings.Repeat("a ", 600) + `"}`, "INVALID_ARGUMENT", "$.query", "at most 1024 bytes"},
		{"find", `{"cursor":"5-0123456789abcdef"}`, "STALE_CURSOR", "$.cursor", "another catalog"},
		{"find", `{"model":"lab0/model-zero"}`, "UNKNOWN_MODEL", "$.model", "lab0/model-0"},
		{"find", `{"model":"lab"}`, "UNKNOWN_MODEL", "$.model", "60 names"},
		{"find", `{"atMost":{"price.output":5}}`, "INVALID_RANK_REQUEST", "$", "write 5/M"},
		{"find", `{"require":{"capability.vision":true}}`, "UNKNOWN_KEY", "$.require", "closest"},
		{"rank", `{"excluded":1,"minimize":"price.output"}`, "INVALID_ARGUMENT", "$.excluded", "must be true or false"},
		{"rank", `{"request":{"schemaVersion":"service.rank.request/v9"}}`, "INVALID_RANK_REQUEST", "$.request.inventory", "; $.request.schemaVersion: must be "},
		{"rank", `{"request":` + string(must(json.Marshal(bad))) + `}`, "INVALID_RANK_REQUEST", "$.request.preferences", "must be a list"},
		{"rank", `{"request":` + string(must(json.Marshal(noRequest()))) + `,"maximize":"price.output"}`, "INVALID_ARGUMENT", "$.request", "leave out"},
		{"rank", `{"keys":["price.output"]}`, "INVALID_ARGUMENT", "$", "no argument \"keys\""},
		{"rank", `{"minimize":"price.output","tokens":"3k"}`, "INVALID_ARGUMENT", "$.tokens", "INPUT/OUTPUT"},
		{"explain", `{"request":` + string(must(json.Marshal(noRequest()))) + `,"candidate":"b"}`, "UNKNOWN_CANDIDATE", "$.candidate", `closest is "a"`},
		{"compare", `{"models":"model-1"}`, "INVALID_ARGUMENT", "$.models", "2 to 6"},
		{"compare", `{"models":["model-1","model-zero"]}`, "UNKNOWN_MODEL", "$.models[1]", "model-"},
		{"compare", `{"models":[1,2]}`, "INVALID_ARGUMENT", "$.models", "a text or a list of texts"},
		{"price", `{}`, "INVALID_ARGUMENT", "$.models", "missing"},
		{"price", `{"models":"model-1","requests":0}`, "INVALID_ARGUMENT", "$.requests", "at least 1"},
		{"price", `{"models":"model-1","runtimes":"ruoter"}`, "UNKNOWN_RUNTIME", "$.runtimes[0]", `"router"`},
		{"what_changed", `{}`, "INVALID_ARGUMENT", "$.since", "missing"},
		{"what_changed", `{"since":"yesterday"}`, "INVALID_ARGUMENT", "$.since", "a date"},
		{"what_changed", `{"since":"2020-01-01"}`, "INVALID_ARGUMENT", "$.since", "--against"},
		{"what_changed", `{"since":"2099-01-01"}`, "INVALID_ARGUMENT", "$.since", "after the catalog"},
		{"what_changed", `{"since":"2026-07-01","kind":"rankings"}`, "INVALID_ARGUMENT", "$.kind", "conflicts, facts"},
		{"expiring", `{}`, "INVALID_ARGUMENT", "$.before", "a date"},
	} {
		answer, _, isError := call(t, s, test.tool, json.RawMessage(test.arguments))
		if message, _ := answer["message"].(string); !isError || answer["code"] != test.code || answer["path"] != test.path || !strings.Contains(message, test.message) {
			t.Errorf("%s %s: %v", test.tool, test.arguments, answer)
		}
	}
	if answer, _, isError := call(t, s, "find", json.RawMessage(`{"limit":3.0}`)); isError || len(rowsOf(answer)) != 3 {
		t.Errorf("3.0 is no limit: %v", answer)
	}
	if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "none"}); err == nil {
		t.Error("there is a tool none")
	}
}

// Models, values and keys are those that are asked for, with counts of them all.
func TestFind(t *testing.T) {
	at := func(id, key string, value any, until string) comparetest.Statement {
		return comparetest.Statement{ID: id, Execution: comparetest.At("shop"), Until: until, Measurements: []any{comparetest.Fact(key, value)}}
	}
	now := at("acme/atlas-mini", "score", 5, "")
	now.From = comparetest.May2
	list := []comparetest.Statement{now, at("acme/atlas-mini", "score", 9, comparetest.May2), at("acme/atlas", "score", 100, comparetest.May2), at("acme/torn", "price", 1, ""), at("acme/torn", "price", 2, "")}
	for i := range 60 {
		list = append(list, at("other/keys", fmt.Sprintf("key%02d", i), i, ""))
	}
	for i := range 20 {
		list = append(list, comparetest.Statement{ID: "acme/everywhere", Execution: comparetest.At(fmt.Sprintf("shop%02d:eu", i)), Measurements: []any{comparetest.Fact("tools", true)}})
	}
	s := connect(t, comparetest.Compile(t, comparetest.May31, list...))
	for arguments, want := range map[string]string{
		`{"query":"MINI atlas"}`:                                "acme/atlas-mini",
		`{"query":"mini  keys"}`:                                "",
		`{"runtime":"shop07"}`:                                  "acme/everywhere",
		`{"runtime":"shop07:eu"}`:                               "acme/everywhere",
		`{"require":{"tools":true}}`:                            "acme/everywhere",
		`{"query":"acme","limit":2}`:                            "acme/atlas acme/atlas-mini",
		`{"key":"score"}`:                                       "acme/atlas acme/atlas-mini",
		`{"state":"conflict"}`:                                  "acme/torn",
		`{"state":"expired"}`:                                   "acme/atlas acme/atlas-mini",
		`{"model":"everywhere","limit":100,"runtime":"shop01"}`: "acme/everywhere",
	} {
		answer, _, isError := call(t, s, "find", json.RawMessage(arguments))
		if got := strings.Join(slices.Compact(column(answer, "model")), " "); isError || got != want {
			t.Errorf("%s: %s, want %s", arguments, got, want)
		}
	}
	answer, _, _ := call(t, s, "find", map[string]any{})
	facets, _ := answer["facets"].(map[string]any)
	if makers, _ := facets["maker"].(map[string]any); makers["acme"] != 4.0 || makers["other"] != 1.0 || len(facets["key"].(map[string]any)) != 8 {
		t.Errorf("%v", facets)
	}
	answer, _, _ = call(t, s, "find", map[string]any{"by": "key"})
	if answer["total"] != 63.0 || len(rowsOf(answer)) != 10 {
		t.Errorf("%v", answer)
	}
	answer, _, _ = call(t, s, "find", map[string]any{"model": "torn"})
	if got := fmt.Sprint(rowsOf(answer)); !strings.Contains(got, "value:1 or 2") || !strings.Contains(got, "state:conflict") {
		t.Errorf("%s", got)
	}
	answer, _, _ = call(t, connect(t, offers(t, 3)), "find", json.RawMessage(`{"model":"model-1","key":"context","evidence":true}`))
	if got := column(answer, "sources"); !slices.Equal(got, []string{"https://list.example"}) {
		t.Errorf("%v", answer)
	}
	for query, want := range map[string]string{`{"query":"modle-everywhere"}`: "acme/everywhere", `{"by":"key","query":"prise"}`: "price"} {
		if answer, _, _ := call(t, s, "find", json.RawMessage(query)); answer["total"] != 0.0 || !strings.Contains(fmt.Sprint(answer["answer"]), want) {
			t.Errorf("%s: %v", query, answer)
		}
	}
}

// Lists go on at their cursors, and end.
func TestCursors(t *testing.T) {
	s := connect(t, offers(t, 250))
	seen, calls := map[string]bool{}, 0
	arguments := map[string]any{"limit": 100}
	for ; calls < 10; calls++ {
		answer, _, _ := call(t, s, "find", arguments)
		for _, m := range column(answer, "model") {
			seen[m] = true
		}
		if arguments["cursor"] = answer["nextCursor"]; arguments["cursor"] == nil {
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
