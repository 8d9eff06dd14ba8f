package agent_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/model-catalog-service/svc/internal/agent"
	"github.com/model-catalog-service/svc/internal/httpserver"
)

// serve serves an agent on loopback and returns where.
func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	l, err := httpserver.Listen(t.Context(), "127.0.0.1", 0)
	if err != nil {
		t.Fatal(err)
	}
	s := httpserver.Start(l, h, httpserver.Options{})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := s.Close(ctx); err != nil {
			t.Errorf("a request did not end: %v", err)
		}
	})
	return s.URL()
}

// post sends a request as a client does, changed a little, and returns the status and the
// body of the answer.
func post(t *testing.T, url, body string, change func(*http.Request)) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", "2025-06-18")
	change(r)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(text)
}

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// Over HTTP the same is served, but not to pages of other origins, nor to other hosts on
// loopback, at other paths or without bounds. There are no sessions, and answers are JSON.
// And requests are not worth a line of the log.
func TestHTTP(t *testing.T) {
	a, err := agent.New(offers(t, 3), agent.Options{Version: "test", Logger: slog.New(slog.NewTextHandler(noLog{t}, nil))})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	routes := map[string]int{}
	url := serve(t, a.Handler(func(e httpserver.Exchange) {
		mu.Lock()
		defer mu.Unlock()
		routes[e.Route]++
	}))
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url + agent.Path, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if answer, _, isError := call(t, session, "find", map[string]any{}); isError || answer["total"] != 3.0 {
		t.Errorf("%v", answer)
	}
	if r, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "svc://catalog"}); err != nil || !strings.Contains(r.Contents[0].Text, `"models":3`) {
		t.Errorf("%v", err)
	}
	host := strings.TrimPrefix(url, "http://")
	for _, test := range []struct {
		name   string
		path   string
		body   string
		change func(*http.Request)
		status int
	}{
		{"as clients ask", agent.Path, listTools, func(*http.Request) {}, http.StatusOK},
		{"its own origin", agent.Path, listTools, func(r *http.Request) { r.Header.Set("Origin", "http://"+host) }, http.StatusOK},
		{"localhost", agent.Path, listTools, func(r *http.Request) { r.Host = "localhost:1" }, http.StatusOK},
		{"another origin", agent.Path, listTools, func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, http.StatusForbidden},
		{"an origin that is none", agent.Path, listTools, func(r *http.Request) { r.Header.Set("Origin", "null") }, http.StatusForbidden},
		{"two origins", agent.Path, listTools, func(r *http.Request) { r.Header["Origin"] = []string{"http://" + host, "https://evil.example"} }, http.StatusForbidden},
		{"another host", agent.Path, listTools, func(r *http.Request) { r.Host = "evil.example" }, http.StatusForbidden},
		{"a host that looks like one", agent.Path, listTools, func(r *http.Request) { r.Host = "127.0.0.1.evil.example" }, http.StatusForbidden},
		{"another path", "/", listTools, func(*http.Request) {}, http.StatusNotFound},
		{"a path with a slash", agent.Path + "/", listTools, func(*http.Request) {}, http.StatusNotFound},
		{"a stream", agent.Path, "", func(r *http.Request) { r.Method = http.MethodGet }, http.StatusMethodNotAllowed},
		{"the end of a session", agent.Path, "", func(r *http.Request) { r.Method = http.MethodDelete }, http.StatusMethodNotAllowed},
		{"as much as there may be", agent.Path, listTools + strings.Repeat(" ", 1<<20-len(listTools)), func(*http.Request) {}, http.StatusOK},
		{"no message", agent.Path, "", func(*http.Request) {}, http.StatusBadRequest},
		{"no JSON", agent.Path, "{bad", func(*http.Request) {}, http.StatusBadRequest},
		{"an empty batch", agent.Path, "[]", func(*http.Request) {}, http.StatusBadRequest},
		{"an unknown method", agent.Path, strings.ReplaceAll(listTools, "tools/list", "no/such"), func(*http.Request) {}, http.StatusOK},
		{"another version", agent.Path, listTools, func(r *http.Request) { r.Header.Set("Mcp-Protocol-Version", "1999-01-01") }, http.StatusBadRequest},
		{"plain text", agent.Path, listTools, func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, http.StatusUnsupportedMediaType},
		{"no answer that it takes", agent.Path, listTools, func(r *http.Request) { r.Header.Set("Accept", "text/html") }, http.StatusBadRequest},
		{"a byte more", agent.Path, listTools + strings.Repeat(" ", 1<<20+1-len(listTools)), func(*http.Request) {}, http.StatusRequestEntityTooLarge},
		{"a byte more, of unknown length", agent.Path, listTools + strings.Repeat(" ", 1<<20+1-len(listTools)), func(r *http.Request) { r.ContentLength = -1 }, http.StatusRequestEntityTooLarge},
	} {
		response, body := post(t, url+test.path, test.body, test.change)
		if response.StatusCode != test.status || !strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") || !strings.HasPrefix(body, `{"`) {
			t.Errorf("%s: %s %v %.200s", test.name, response.Status, response.Header, body)
		}
		if response.Header.Get("Mcp-Session-Id") != "" {
			t.Errorf("%s: there is a session", test.name)
		}
	}
	for body, want := range map[string]string{
		"{bad": `"code":-32700,`, "[]": `"code":-32600,`,
		`{"jsonrpc":"2.0","id":"a\"b","method":"no/such"}`: `{"error":{"code":-32601,"message":"this server has no no/such"},"id":"a\"b","jsonrpc":"2.0"}`,
		`{"jsonrpc":"2.0","method":"no/such"}`:             `"code":-32600,`,
		`{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`: `"code":-32601,`,
	} {
		if _, got := post(t, url+agent.Path, body, func(*http.Request) {}); !strings.Contains(got, want) {
			t.Errorf("%s: %s", body, got)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if routes[agent.Path] < 8 || routes[""] != 2 {
		t.Errorf("routes that were observed: %v", routes)
	}
}

// noLog fails the test if something is logged.
type noLog struct{ testing.TB }

func (l noLog) Write(line []byte) (int, error) {
	l.Errorf("the log says %s", line)
	return len(line), nil
}

// At most four calls are answered at a time, and who listens takes none of the slots.
func TestCallsAtOnce(t *testing.T) {
	a, err := agent.New(offers(t, 3), agent.Options{Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	h := a.Handler(nil)
	url := serve(t, h)
	const listen = `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
	for range 8 {
		_, body := post(t, url+agent.Path, listen, func(r *http.Request) {
			r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
			r.Header.Set("Mcp-Method", "subscriptions/listen")
		})
		if !strings.Contains(body, `"error"`) || !strings.Contains(body, "-32601") {
			t.Fatalf("somebody can listen: %s", body)
		}
	}
	most := 0
	var running sync.WaitGroup
	var mu sync.Mutex
	for range 16 {
		running.Go(func() {
			for range 4 {
				response, _ := post(t, url+agent.Path, listTools, func(*http.Request) {})
				mu.Lock()
				most = max(most, h.CallsInFlight())
				mu.Unlock()
				if response.StatusCode != http.StatusOK {
					t.Errorf("%s", response.Status)
				}
			}
		})
	}
	running.Wait()
	if most > 4 {
		t.Errorf("%d at once", most)
	}
	// A client has its answer a moment before the server is done with the exchange.
	for end := time.Now().Add(10 * time.Second); h.CallsInFlight() != 0 || h.HeldBytes() != 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d calls in flight, %d bytes", h.CallsInFlight(), h.HeldBytes())
		}
	}
}

// What a request holds that is slow to come is bounded by its own bytes, and it takes no
// slot: others are answered.
func TestSlowBody(t *testing.T) {
	a, err := agent.New(offers(t, 3), agent.Options{Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	h := a.Handler(nil)
	url := serve(t, h)
	var bodies []*io.PipeWriter
	var running sync.WaitGroup
	for range 8 {
		body, w := io.Pipe()
		bodies = append(bodies, w)
		running.Go(func() {
			r, err := http.NewRequest(http.MethodPost, url+agent.Path, body)
			if err != nil {
				t.Error(err)
				return
			}
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Error(err)
				return
			}
			defer response.Body.Close()
			if text, _ := io.ReadAll(response.Body); response.StatusCode != http.StatusOK || !bytes.Contains(text, []byte("what_changed")) {
				t.Errorf("%s: %.200s", response.Status, text)
			}
		})
		if _, err := io.WriteString(w, listTools[:20]); err != nil {
			t.Fatal(err)
		}
	}
	if response, _ := post(t, url+agent.Path, listTools, func(*http.Request) {}); response.StatusCode != http.StatusOK {
		t.Error(response.Status)
	}
	for _, w := range bodies {
		_, _ = io.WriteString(w, listTools[20:])
		_ = w.Close()
	}
	running.Wait()
}
