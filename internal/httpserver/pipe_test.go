package httpserver_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/model-catalog-service/svc/bench/workload"
	"github.com/model-catalog-service/svc/internal/agent"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/explore"
	"github.com/model-catalog-service/svc/internal/httpapi"
	"github.com/model-catalog-service/svc/internal/httpserver"
	"github.com/model-catalog-service/svc/internal/httpserver/operators"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/producer"
	"github.com/model-catalog-service/svc/internal/verify/status"
)

// pipes is a listener whose connections are in memory: with them, and the clock of
// testing/synctest, the time that a server waits is exactly what it says, and
// passes in no time. A connection holds no byte that was not read.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4244} }

// run serves a handler until the test ends.
func run(t *testing.T, h http.Handler) *pipes {
	t.Helper()
	p := newPipes()
	s := httpserver.Start(p, h, httpserver.Options{})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := s.Close(ctx); err != nil {
			t.Errorf("closing the server: %v", err)
		}
	})
	return p
}

// client is the client's end of a connection.
type client struct {
	net.Conn
	in    *bufio.Reader
	begin time.Time
	all   sync.WaitGroup // of who writes
}

func (p *pipes) dial(t *testing.T) *client {
	t.Helper()
	ours, theirs := net.Pipe()
	p.conns <- theirs
	c := &client{Conn: ours, in: bufio.NewReader(ours), begin: time.Now()}
	t.Cleanup(func() {
		c.Close()
		c.all.Wait()
	})
	return c
}

// send sends bytes as the server takes them. That it does not take all is no
// fault: it may close the connection.
func (c *client) send(text string) {
	c.all.Go(func() { _, _ = io.WriteString(c, text) })
}

// trickle sends a text, and then a byte a second.
func (c *client) trickle(text, bytes string) {
	c.all.Go(func() {
		_, err := io.WriteString(c, text)
		for i := 0; i < len(bytes) && err == nil; i++ {
			time.Sleep(time.Second)
			_, err = io.WriteString(c, bytes[i:i+1])
		}
	})
}

// receive reads an answer.
func (c *client) receive(t *testing.T, method string) (status int, body string) {
	t.Helper()
	r, err := http.ReadResponse(c.in, &http.Request{Method: method})
	if err != nil {
		t.Fatalf("no answer after %v: %v", time.Since(c.begin), err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(text)
}

// wantsClose waits until the server closes the connection, which must be after so
// long, and without another byte.
func (c *client) wantsClose(t *testing.T, after time.Duration) {
	t.Helper()
	rest, err := io.ReadAll(c.in)
	if took := time.Since(c.begin); took != after || len(rest) > 0 {
		t.Errorf("closed after %v with %d bytes, %v; want %v", took, len(rest), err, after)
	}
}

// client2 is a client that speaks HTTP/2 by frames. What it reads it notes.
type client2 struct {
	*client
	*http2.Framer
	encoder *hpack.Encoder
	block   bytes.Buffer

	mu      sync.Mutex
	status  map[uint32]string          // of the answer on a stream
	ended   map[uint32]time.Duration   // when a stream ended, since the begin
	reset   map[uint32]http2.ErrCode   // with which code, if it was reset
	closed  time.Duration              // when the connection was closed, 0 before
	maximum map[http2.SettingID]uint32 // settings of the server
	widened uint32                     // bytes that the server has added to the window of the connection
}

// dial2 opens a connection of HTTP/2. The client opens a window of so many bytes
// for each answer, and reads.
func (p *pipes) dial2(t *testing.T, window uint32) *client2 {
	t.Helper()
	c := &client2{
		client: p.dial(t), status: map[uint32]string{}, ended: map[uint32]time.Duration{},
		reset: map[uint32]http2.ErrCode{}, maximum: map[http2.SettingID]uint32{},
	}
	c.Framer = http2.NewFramer(c.Conn, c.in)
	c.AllowIllegalWrites = true
	c.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	c.encoder = hpack.NewEncoder(&c.block)
	c.all.Go(c.listen)
	_, err := io.WriteString(c.Conn, http2.ClientPreface)
	if err = errors.Join(err, c.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: window}), c.WriteWindowUpdate(0, 1<<30)); err != nil {
		t.Fatal(err)
	}
	return c
}

// frames returns what a client of HTTP/2 says that begins so.
func frames(write func(c *client2)) string {
	var text bytes.Buffer
	text.WriteString(http2.ClientPreface)
	c := &client2{Framer: http2.NewFramer(&text, nil)}
	c.AllowIllegalWrites = true
	c.encoder = hpack.NewEncoder(&c.block)
	_ = c.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 30})
	write(c)
	return text.String()
}

// request sends the head of a request.
func (c *client2) request(stream uint32, head []byte, isEnd bool) {
	_ = c.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: head, EndHeaders: true, EndStream: isEnd})
}

// listen notes what comes until the connection is closed.
func (c *client2) listen() {
	for {
		f, err := c.ReadFrame()
		c.mu.Lock()
		now := time.Since(c.begin)
		if err != nil {
			c.closed = max(now, 1)
			c.mu.Unlock()
			return
		}
		id := f.Header().StreamID
		switch f := f.(type) {
		case *http2.MetaHeadersFrame:
			c.status[id] = f.PseudoValue("status")
			if f.StreamEnded() {
				c.ended[id] = now
			}
		case *http2.DataFrame:
			if f.StreamEnded() {
				c.ended[id] = now
			}
		case *http2.RSTStreamFrame:
			c.reset[id] = f.ErrCode
			if _, ok := c.ended[id]; !ok {
				c.ended[id] = now
			}
		case *http2.SettingsFrame:
			_ = f.ForeachSetting(func(s http2.Setting) error { c.maximum[s.ID] = s.Val; return nil })
		case *http2.WindowUpdateFrame:
			if f.StreamID == 0 {
				c.widened += f.Increment
			}
		}
		c.mu.Unlock()
	}
}

// settle waits until all that was sent has been answered as far as it will be now.
func (c *client2) settle() {
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
}

// fields returns the block of a head.
func (c *client2) fields(list ...string) []byte {
	c.block.Reset()
	for i := 0; i < len(list); i += 2 {
		_ = c.encoder.WriteField(hpack.HeaderField{Name: list[i], Value: list[i+1]})
	}
	return bytes.Clone(c.block.Bytes())
}

// head returns the block of the head of a request.
func (c *client2) head(method, path string, more ...string) []byte {
	return c.fields(append([]string{":method", method, ":scheme", "http", ":authority", "127.0.0.1", ":path", path}, more...)...)
}

// target is what a suite is run against.
type target struct {
	handler http.Handler
	calls   []call
	// load is how many slots are taken and how many bytes of answers are held.
	load func() (slots int, bytes int64)
}

// call is a request whose answer does not depend on a body, unless it wants one.
type call struct {
	method, path string
	header       string // a line, or nothing
	status       int
	wantsBody    bool
	isLarge      bool // the answer has several hundred KiB
}

// targets are the handlers of all servers, and that of the operators' port.
func targets(t *testing.T) map[string]*target {
	t.Helper()
	return map[string]*target{"catalog": catalogTarget(t), "verification": verificationTarget(t), "operators": operatorsTarget(),
		"page": pageTarget(t), "agents": agentsTarget(t)}
}

var largeCatalog = sync.OnceValues(func() (*catalog.Catalog, error) {
	var text bytes.Buffer
	if err := workload.Observations(&text, workload.Config{Seed: 1, N: 300}); err != nil {
		return nil, err
	}
	var docs []string
	for line := range strings.Lines(text.String()) {
		docs = append(docs, line)
	}
	c, _, err := catalog.Compile(context.Background(), docs, catalog.Options{AsOf: workload.AsOf})
	return c, err
})

func catalogTarget(t *testing.T) *target {
	t.Helper()
	c, err := largeCatalog()
	if err != nil {
		t.Fatal(err)
	}
	h, err := httpapi.NewHandler(c, httpapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &target{
		handler: h,
		load:    func() (int, int64) { return h.RanksInFlight(), h.HeldBytes() },
		calls: []call{
			{method: "GET", path: "/v1/models", status: 200},
			{method: "HEAD", path: "/v1/models", status: 200},
			{method: "GET", path: "/v1/catalog/snapshot", status: 200, isLarge: true},
			{method: "GET", path: "/v1/catalog/snapshot", header: "If-None-Match: *\r\n", status: 304},
			{method: "GET", path: "/v1/models/unknown", status: 404},
			{method: "GET", path: "/v2", status: 404},
			{method: "POST", path: "/nowhere", status: 404},
			{method: "POST", path: "/v1/models", status: 405},
			{method: "DELETE", path: "/v1/rank", status: 405},
			{method: "GET", path: "/v1/rank", status: 405},
			{method: "OPTIONS", path: "/v1/rank", status: 204},
			{method: "POST", path: "/v1/rank", status: 400, wantsBody: true},
		},
	}
}

func pageTarget(t *testing.T) *target {
	t.Helper()
	tt := catalogTarget(t)
	h, err := explore.NewHandler(tt.handler, tt.handler.(*httpapi.Handler).Ranker(), explore.Extras{})
	if err != nil {
		t.Fatal(err)
	}
	tt.handler = h
	tt.calls = []call{
		{method: "GET", path: "/", status: 200},
		{method: "HEAD", path: "/explore/app.js", status: 200},
		{method: "GET", path: "/explore/extras.json", status: 200},
		{method: "POST", path: "/", status: 405},
		{method: "GET", path: "/explore/answer", status: 405},
		{method: "POST", path: "/explore/answer", status: 400, wantsBody: true},
		{method: "GET", path: "/explore/unknown", status: 404},
		{method: "POST", path: "/v1/rank", status: 400, wantsBody: true},
	}
	return tt
}

func agentsTarget(t *testing.T) *target {
	t.Helper()
	c, err := largeCatalog()
	if err != nil {
		t.Fatal(err)
	}
	a, err := agent.New(c, agent.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := a.Handler(nil)
	return &target{
		handler: h,
		load:    func() (int, int64) { return h.CallsInFlight(), h.HeldBytes() },
		calls: []call{
			{method: "GET", path: agent.Path, status: 405},
			{method: "DELETE", path: agent.Path, status: 405},
			{method: "POST", path: "/nowhere", status: 404},
			{method: "POST", path: agent.Path, header: "Origin: https://example.org\r\n", status: 403},
			{method: "POST", path: agent.Path, status: 400, wantsBody: true},
		},
	}
}

func verificationTarget(t *testing.T) *target {
	t.Helper()
	text, err := os.ReadFile("../../examples/claims.json")
	if err != nil {
		t.Fatal(err)
	}
	large := strings.Replace(string(text), `"value": 0.75`, `"value": "`+strings.Repeat("x", 300<<10)+`"`, 1)
	records, err := bundle.Read(problem.Source{Text: large})
	if err != nil {
		t.Fatal(err)
	}
	store, err := producer.NewMemoryStore(records)
	if err != nil {
		t.Fatal(err)
	}
	responder, err := producer.NewResponder(store, producer.ResponderOptions{Source: "bench.example.org", StatusFunctionVersion: string(status.DefaultVersion)})
	if err != nil {
		t.Fatal(err)
	}
	h := producer.NewHandler(responder, producer.HandlerOptions{})
	const path, json = producer.HachurePath, "Content-Type: application/json\r\n"
	return &target{
		handler: h,
		load:    func() (int, int64) { return h.AnswersInFlight(), h.HeldBytes() },
		calls: []call{
			{method: "GET", path: path + "?ref=claim.borealis-1.repairs", status: 200},
			{method: "HEAD", path: path + "?ref=claim.borealis-1.repairs", status: 200},
			{method: "GET", path: producer.ProfilePath + "?ref=claim.atlas-70b.repairs", status: 200, isLarge: true},
			{method: "GET", path: path, status: 400},
			{method: "GET", path: "/v1/models", status: 404},
			{method: "POST", path: "/nowhere", header: json, status: 404},
			{method: "PUT", path: path, header: json, status: 405},
			{method: "DELETE", path: path, status: 405},
			{method: "POST", path: path, status: 415},
			{method: "POST", path: path, header: "Content-Type: text/plain\r\n", status: 415},
			{method: "POST", path: path, header: json, status: 400, wantsBody: true},
		},
	}
}

func operatorsTarget() *target {
	return &target{
		handler: operators.New(""),
		load:    func() (int, int64) { return 0, 0 },
		calls: []call{
			{method: "GET", path: "/healthz", status: 200},
			{method: "GET", path: "/readyz", status: 503},
			{method: "GET", path: "/metrics", status: 200},
			{method: "GET", path: "/debug/pprof/", status: 200},
			{method: "GET", path: "/debug/pprof/cmdline", status: 200},
			{method: "GET", path: "/nowhere", status: 404},
			{method: "POST", path: "/healthz", status: 405},
			{method: "POST", path: "/debug/pprof/symbol", status: 200, wantsBody: true},
		},
	}
}

// request is the head of the call over HTTP/1.
func (c *call) request(lines ...string) string {
	return c.method + " " + c.path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + c.header + strings.Join(append(lines, ""), "\r\n") + "\r\n"
}

// fields are the header fields of the call over HTTP/2.
func (c *call) fields(more ...string) []string {
	if name, value, ok := strings.Cut(strings.TrimSpace(c.header), ": "); ok {
		more = append(more, strings.ToLower(name), value)
	}
	return more
}

func (c *call) String() string { return c.method + " " + c.path }

// wantsNothingHeld checks that no slot is taken and no answer held.
func (tt *target) wantsNothingHeld(t *testing.T) {
	t.Helper()
	if slots, bytes := tt.load(); slots != 0 || bytes != 0 {
		t.Errorf("%d slots are taken and %d bytes held in the end", slots, bytes)
	}
}
