package httpserver

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func run(t testing.TB, h http.Handler, options Options) *Server {
	t.Helper()
	l, err := Listen(t.Context(), "127.0.0.1", 0)
	if err != nil {
		t.Fatal(err)
	}
	s := Start(l, h, options)
	t.Cleanup(func() { _ = s.Close(canceled()) })
	return s
}

func canceled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func (s *Server) address() string { return s.connections.Addr().String() }

func within(t testing.TB, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

// hello answers every request.
var hello = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") })

const request = "GET / HTTP/1.1\r\nHost: svc.example\r\n\r\n"

// wire is a connection on which a test writes and reads bytes.
type wire struct {
	net.Conn
	in *bufio.Reader
}

func (s *Server) dial(t testing.TB) *wire {
	t.Helper()
	conn, err := net.Dial("tcp", s.address())
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

// receive returns status and body of the next answer.
func (w *wire) receive() (status int, body string, err error) {
	response, err := http.ReadResponse(w.in, nil)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, string(text), err
}

func (w *wire) wants(t testing.TB, status int, body string) {
	t.Helper()
	gotStatus, gotBody, err := w.receive()
	if err != nil || gotStatus != status || gotBody != body {
		t.Fatalf("%d %.100q, %v; want %d %.100q", gotStatus, gotBody, err, status, body)
	}
}

// wantsClose checks that the connection is closed without another byte.
func (w *wire) wantsClose(t testing.TB) {
	t.Helper()
	rest, err := io.ReadAll(w.in)
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		t.Error("the connection is still open")
	}
	if len(rest) > 0 {
		t.Errorf("%.100q came before the connection closed", rest)
	}
}

func newClient(t testing.TB, http2 bool) *http.Client {
	t.Helper()
	transport := &http.Transport{Protocols: new(http.Protocols), DisableCompression: true}
	transport.Protocols.SetHTTP1(!http2)
	transport.Protocols.SetUnencryptedHTTP2(http2)
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: time.Minute}
}

// One port speaks both protocols.
func TestProtocols(t *testing.T) {
	s := run(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Proto) }), Options{})
	for http2, want := range map[bool]string{false: "HTTP/1.1", true: "HTTP/2.0"} {
		response, err := newClient(t, http2).Get(s.URL())
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if got, err := io.ReadAll(response.Body); err != nil || string(got) != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
	w := s.dial(t)
	w.send(t, "GET / HTTP/1.0\r\n\r\n")
	w.wants(t, http.StatusOK, "HTTP/1.0")
	w.wantsClose(t)
}

// OPTIONS * is for the handler, as everything is that has a head.
func TestEveryHeadReachesTheHandler(t *testing.T) {
	s := run(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.RequestURI) }), Options{})
	for _, line := range []string{"OPTIONS *", "GET //a/../b", "CONNECT host:80", "GET http://elsewhere.example/x"} {
		w := s.dial(t)
		w.send(t, line+" HTTP/1.1\r\nHost: svc.example\r\n\r\n")
		w.wants(t, http.StatusOK, line[strings.Index(line, " ")+1:])
	}
}

func TestURL(t *testing.T) {
	for host, want := range map[string]string{"127.0.0.1": "http://127.0.0.1:", "::1": "http://[::1]:", "0.0.0.0": "http://0.0.0.0:"} {
		l, err := Listen(t.Context(), host, 0)
		if err != nil {
			t.Logf("%s: %v", host, err)
			continue // no such interface here
		}
		s := Start(l, hello, Options{})
		if !strings.HasPrefix(s.URL(), want) || strings.HasSuffix(s.URL(), "/") || strings.HasSuffix(s.URL(), ":0") {
			t.Errorf("%s: %s", host, s.URL())
		}
		if err := s.Close(within(t, time.Minute)); err != nil {
			t.Error(err)
		}
	}
}

// 0.0.0.0 stands for all addresses of IPv4 alone. Both families have ::, or no name.
func TestAddressFamilies(t *testing.T) {
	probe, err := Listen(t.Context(), "::1", 0)
	if err != nil {
		t.Skip("there is no IPv6 here: ", err)
	}
	probe.Close()
	for host, want := range map[string]bool{"0.0.0.0": false, "127.0.0.1": false, "::": true, "": true, "::1": true} {
		var got bool
		for range 5 { // another program may have the port of the other family
			l, err := Listen(t.Context(), host, 0)
			if err != nil {
				t.Fatal(err)
			}
			_, port, _ := net.SplitHostPort(l.Addr().String())
			conn, err := net.Dial("tcp6", net.JoinHostPort("::1", port))
			if got = err == nil; got {
				conn.Close()
			}
			l.Close()
			if got == want {
				break
			}
		}
		if got != want {
			t.Errorf("%q over IPv6: answers %v", host, got)
		}
	}
}

// A head may have 64 KiB, and not a byte more.
func TestHeadSize(t *testing.T) {
	s := run(t, hello, Options{})
	head := func(size int) string {
		const start, end = "GET / HTTP/1.1\r\nHost: svc.example\r\nX-Filler: ", "\r\n\r\n"
		return start + strings.Repeat("x", size-len(start)-len(end)) + end
	}
	w := s.dial(t)
	w.send(t, request)
	w.wants(t, http.StatusOK, "hello")
	w.send(t, head(60<<10))
	w.wants(t, http.StatusOK, "hello")
	const preface = 14 // bytes that are looked at before the count begins
	for size, want := range map[int]int{
		64 << 10:               http.StatusOK,
		64<<10 + preface + 1:   http.StatusRequestHeaderFieldsTooLarge,
		1 << 20:                http.StatusRequestHeaderFieldsTooLarge,
		64<<10 - 1:             http.StatusOK,
		64<<10 + preface + 500: http.StatusRequestHeaderFieldsTooLarge,
	} {
		w := s.dial(t)
		go func() { _, _ = io.WriteString(w, head(size)) }()
		if status, _, err := w.receive(); status != want {
			t.Errorf("a head of %d bytes: %d, %v, want %d", size, status, err, want)
		}
	}
	r, err := http.NewRequest(http.MethodGet, s.URL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Filler", strings.Repeat("x", 70<<10))
	if response, err := newClient(t, true).Do(r); err == nil {
		response.Body.Close()
		if response.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("HTTP/2: status %d", response.StatusCode)
		}
	}
}

// What is not HTTP is refused before the handler.
func TestGarbage(t *testing.T) {
	s := run(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the handler was called") }), Options{})
	for text, status := range map[string]int{
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 is TLS\r\n\r\n":                                        400,
		"GET /\r\n\r\n" + strings.Repeat(" ", 20):                                                            400,
		"GET / HTTP/1.1\r\n\r\n":                                                                             400, // no Host
		"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n":                                                       400,
		"GET / HTTP/1.1\r\nHost: a\r\nbad header: b\r\n\r\n":                                                 400,
		"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n":                        400,
		"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n":                                            400,
		"GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n":                                                               400,
		"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n":                                       501,
		"GET / HTTP/3.0\r\nHost: a\r\n\r\n":                                                                  505,
		"POST / HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\nContent-Length: 0\r\n\r\n":                        417,
		"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n": 501,
	} {
		w := s.dial(t)
		w.send(t, text)
		if got, _, err := w.receive(); got != status {
			t.Errorf("%.60q: %d, %v, want %d", text, got, err, status)
		}
	}
}

// Clients cannot fill the log. That no connection can be accepted is logged.
func TestErrorLog(t *testing.T) {
	l, err := Listen(t.Context(), "127.0.0.1", 0)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	s := Start(l, hello, Options{Logger: slog.New(slog.NewTextHandler(&text, nil))})
	s.http.ErrorLog.Print("http2: server connection error from 192.0.2.1: PROTOCOL_ERROR")
	if err := s.Close(within(t, time.Minute)); err != nil || text.String() != "" {
		t.Errorf("what clients do wrong is logged, or the end is: %s, %v", text.String(), err)
	}
	s = Start(failingListener{l}, hello, Options{Logger: slog.New(slog.NewTextHandler(&text, nil))})
	<-s.Ended()
	if !strings.Contains(text.String(), "level=ERROR") || !strings.Contains(text.String(), "broken") {
		t.Errorf("the log is %q", text.String())
	}
}

// failingListener accepts nothing.
type failingListener struct{ net.Listener }

func (failingListener) Accept() (net.Conn, error) { return nil, errors.New("broken") }

// A server that cannot go on says so.
func TestServerEndsByItself(t *testing.T) {
	l, err := Listen(t.Context(), "127.0.0.1", 0)
	if err != nil {
		t.Fatal(err)
	}
	s := Start(failingListener{l}, hello, Options{})
	<-s.Ended()
	if s.Err() == nil || s.Err().Error() != "broken" {
		t.Errorf("the error is %v", s.Err())
	}
	if err := s.Close(within(t, time.Minute)); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// Nothing is left of a server whose clients behave in all ways there are.
func TestNoGoroutineIsLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	l, err := Listen(t.Context(), "127.0.0.1", 0)
	if err != nil {
		t.Fatal(err)
	}
	s := Start(l, hello, Options{})
	client := newClient(t, true)
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			conn, err := net.Dial("tcp", s.address())
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			switch i % 5 {
			case 0:
				fmt.Fprint(conn, request)
			case 1:
				fmt.Fprint(conn, request[:10])
			case 2:
				fmt.Fprint(conn, request+request+request)
				_, _ = io.CopyN(io.Discard, conn, 100)
			case 3:
				fmt.Fprint(conn, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nnonsense")
			case 4:
				if response, err := client.Get(s.URL()); err == nil {
					response.Body.Close()
				}
			}
		})
	}
	all.Wait()
	if err := s.Close(within(t, time.Minute)); err != nil {
		t.Errorf("Close: %v", err)
	}
	client.CloseIdleConnections()
	for end := time.Now().Add(time.Minute); runtime.NumGoroutine() > before; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines before, %d after\n%s", before, runtime.NumGoroutine(), stacks[:runtime.Stack(stacks, true)])
		}
	}
	if open := len(s.connections.open); open != 0 {
		t.Errorf("%d connections are counted that are closed", open)
	}
}
