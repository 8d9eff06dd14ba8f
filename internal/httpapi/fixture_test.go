package httpapi

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/bench/workload"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/httpserver"
	"github.com/model-catalog-service/svc/internal/problem"
)

// smallCatalog is the catalog of the recorded exchanges: two models, of which
// one has two observations that contradict each other.
func smallCatalog(t testing.TB) *catalog.Catalog {
	t.Helper()
	text, err := os.ReadFile("testdata/catalog.json")
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Parse(context.Background(), problem.Source{Name: "catalog.json", Text: string(text)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// generatedCatalog is a catalog of n generated observations, of about 1,500
// bytes each.
func generatedCatalog(t testing.TB, n int) *catalog.Catalog {
	t.Helper()
	return compiledFrom(t, func(w io.Writer) error {
		return workload.Observations(w, workload.Config{Seed: 1, N: n})
	})
}

// largeModelCatalog is a catalog of one model, whose document is not put
// together in memory.
func largeModelCatalog(t testing.TB) *catalog.Catalog {
	t.Helper()
	return compiledFrom(t, func(w io.Writer) error {
		return workload.Conflict(w, workload.Config{Seed: 1, N: 3000})
	})
}

func compiledFrom(t testing.TB, write func(io.Writer) error) *catalog.Catalog {
	t.Helper()
	var text bytes.Buffer
	if err := write(&text); err != nil {
		t.Fatal(err)
	}
	docs := slices.Collect(strings.Lines(text.String()))
	c, _, err := catalog.Compile(context.Background(), docs, catalog.Options{AsOf: workload.AsOf})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// rankRequest is a request that the small catalog answers with one candidate.
const rankRequest = `{"schemaVersion":"service.rank.request/v1","task":{"family":"chat","suite":null},` +
	`"inventory":[{"id":"here","model":{"id":"example/large","revision":"r1","quantization":null},` +
	`"execution":{"runtime":{"id":"vllm","version":"1"},"adapter":null,"effectiveContextTokens":null,"toolSurface":[],"hardware":null,"workflow":null}}],` +
	`"requirements":[],"preferences":[{"measurementKey":"context.window","aggregation":"fact","direction":"maximize","weight":1}]}`

func newTestHandler(t testing.TB, c *catalog.Catalog, options Options) *Handler {
	t.Helper()
	h, err := NewHandler(c, options)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// start serves a handler on a port of its own until the test ends, and returns
// the address.
func start(t testing.TB, h http.Handler) string {
	t.Helper()
	l, err := httpserver.Listen(t.Context(), "127.0.0.1", 0)
	if err != nil {
		t.Fatal(err)
	}
	s := httpserver.Start(l, h, httpserver.Options{})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := s.Close(ctx); err != nil {
			t.Errorf("closing the server: %v", err)
		}
	})
	return strings.TrimPrefix(s.URL(), "http://")
}

// newClient returns a client that speaks HTTP/1.1 or, with prior knowledge,
// HTTP/2.
func newClient(t testing.TB, http2 bool) *http.Client {
	t.Helper()
	transport := &http.Transport{Protocols: new(http.Protocols), DisableCompression: true}
	transport.Protocols.SetHTTP1(!http2)
	transport.Protocols.SetUnencryptedHTTP2(http2)
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: time.Minute}
}

// protocols runs a test with a client of each protocol.
func protocols(t *testing.T, test func(t *testing.T, client *http.Client)) {
	for name, http2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newClient(t, http2))
		})
	}
}

// response is a response that was read to its end.
type response struct {
	*http.Response
	text string
}

func exchangeWith(t testing.TB, client *http.Client, r *http.Request) response {
	t.Helper()
	got, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response{got, string(body)}
}

func get(t testing.TB, client *http.Client, url string) response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return exchangeWith(t, client, r)
}

func postRank(t testing.TB, client *http.Client, address string, body io.Reader) response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/v1/rank", body)
	if err != nil {
		t.Fatal(err)
	}
	return exchangeWith(t, client, r)
}

// code is the code of an error body.
func (r response) code(t testing.TB) string {
	t.Helper()
	var body struct {
		Error struct{ Code, Message string }
	}
	if err := json.Unmarshal([]byte(r.text), &body); err != nil {
		t.Fatalf("status %d, body %q: %v", r.StatusCode, r.text, err)
	}
	return body.Error.Code
}

// wants checks status and error code, and that all common headers are there.
func (r response) wants(t testing.TB, h *Handler, status int, code problem.Code) {
	t.Helper()
	if r.StatusCode != status {
		t.Fatalf("status %d, want %d: %s", r.StatusCode, status, r.text)
	}
	for _, f := range h.endpoint.Header {
		if got := r.Header[f.Name]; len(got) != 1 || got[0] != f.Value[0] {
			t.Errorf("status %d: header %s is %q, want %q", status, f.Name, got, f.Value)
		}
	}
	if code != "" && r.code(t) != string(code) {
		t.Errorf("error code %s, want %s", r.code(t), code)
	}
}

// wire is a connection on which a test writes and reads bytes.
type wire struct {
	net.Conn
	in *bufio.Reader
}

func dial(t testing.TB, address string) *wire {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	return &wire{conn, bufio.NewReader(conn)}
}

func (w *wire) send(t testing.TB, text string) {
	t.Helper()
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
}

// receive reads the answer to a request with the given method.
func (w *wire) receive(t testing.TB, method string) response {
	t.Helper()
	got, err := http.ReadResponse(w.in, &http.Request{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response{got, string(body)}
}

// receiveContinue reads that the server asks for the body.
func (w *wire) receiveContinue(t testing.TB) {
	t.Helper()
	got := make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n"))
	if _, err := io.ReadFull(w.in, got); err != nil || string(got) != "HTTP/1.1 100 Continue\r\n\r\n" {
		t.Fatalf("%q, %v", got, err)
	}
}

// wantsClose checks that the connection is closed without another byte.
func (w *wire) wantsClose(t testing.TB) {
	t.Helper()
	rest, err := io.ReadAll(w.in)
	if isTimeout(err) {
		t.Error("the connection is still open")
	}
	if len(rest) > 0 {
		t.Errorf("%q came before the connection closed", rest)
	}
}

func isTimeout(err error) bool {
	e, ok := errors.AsType[net.Error](err)
	return ok && e.Timeout()
}

// eventually waits until a condition holds that other goroutines bring about.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("not after 30 seconds: %s", what)
}

// recordedLog is a log that a test reads.
type recordedLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *recordedLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *recordedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *recordedLog) logger(level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: level}))
}

// stuckRanker is a ranking that waits for the test, or for its client to go.
type stuckRanker struct {
	entered chan struct{} // gets a value for each that has begun
	leave   chan struct{} // lets one go on for each value, all when closed
}

func newStuckRanker() *stuckRanker {
	return &stuckRanker{make(chan struct{}, 1000), make(chan struct{})}
}

// takeSlots takes all slots of a handler until the test ends. It must not have been
// asked before.
func takeSlots(t *testing.T, h *Handler) {
	t.Helper()
	stuck := newStuckRanker()
	h.rank = stuck.rank
	var all sync.WaitGroup
	t.Cleanup(all.Wait)
	t.Cleanup(func() { close(stuck.leave) })
	for range h.options.MaxConcurrentRankRequests {
		all.Go(func() {
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/v1/rank", strings.NewReader("{}")))
		})
		<-stuck.entered
	}
}

func (s *stuckRanker) rank(ctx context.Context, dst []byte, _ string) ([]byte, error) {
	s.entered <- struct{}{}
	select {
	case <-s.leave:
		return append(dst, `{}`...), nil
	case <-ctx.Done():
		return dst, ctx.Err()
	}
}
