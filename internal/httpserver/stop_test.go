package httpserver

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// body is the answer to the request with a number: too long for one write, and
// not that of another.
func body(id int) string {
	return strings.Repeat(fmt.Sprintf("answer %07d\n", id), 6000+id%100)
}

// A thousand requests are under way when the server is told to stop. Those that
// the handler has got are answered whole, the clients of all others do not see a
// byte of an answer.
func TestStopUnderLoad(t *testing.T) {
	const clients, enough = 100, 1000
	var entered sync.Map
	var count atomic.Int64
	loaded := make(chan struct{})
	s := run(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, err := strconv.Atoi(r.URL.Path[1:])
		if err != nil {
			t.Error(err)
		}
		entered.Store(id, true)
		if count.Add(1) == enough {
			close(loaded)
		}
		time.Sleep(time.Duration(rand.IntN(5)) * time.Millisecond)
		text := body(id)
		w.Header().Set("Content-Length", strconv.Itoa(len(text)))
		half := len(text) / 2
		_, _ = io.WriteString(w, text[:half])
		time.Sleep(time.Duration(rand.IntN(3)) * time.Millisecond)
		_, _ = io.WriteString(w, text[half:])
	}), Options{})
	var all sync.WaitGroup
	multiplexed := newClient(t, true)
	for client := range clients {
		all.Go(func() {
			for id := client; ; id += clients {
				var whole bool
				if client%3 == 0 {
					whole = getOver(t, multiplexed, s, id)
				} else {
					whole = getPipelined(t, s, id, 1_000_000+id)
				}
				if _, inside := entered.Load(id); inside != whole {
					t.Errorf("request %d reached the handler: %v, was answered whole: %v", id, inside, whole)
				}
				if !whole {
					return
				}
			}
		})
	}
	<-loaded
	begin := time.Now()
	if err := s.Close(within(t, time.Minute)); err != nil {
		t.Errorf("Close: %v", err)
	}
	t.Logf("stopped in %v after %d requests", time.Since(begin), count.Load())
	all.Wait()
}

// getOver asks over HTTP/2 and reports whether the answer was whole. Anything
// between whole and nothing is an error.
func getOver(t *testing.T, client *http.Client, s *Server, id int) bool {
	response, err := client.Get(s.URL() + "/" + strconv.Itoa(id))
	if err != nil {
		return false
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || string(text) != body(id) {
		t.Errorf("request %d over HTTP/2: %d bytes, %v", id, len(text), err)
	}
	return true
}

// getPipelined sends two requests at once and reports whether the answer to the
// first was whole. One whose head the server gave up is sent again.
func getPipelined(t *testing.T, s *Server, first, second int) bool {
	conn, err := net.Dial("tcp", s.address())
	if err != nil {
		return false
	}
	defer conn.Close()
	w := &wire{conn, bufio.NewReader(conn)}
	_, err = fmt.Fprintf(w, "GET /%d HTTP/1.1\r\nHost: svc.example\r\n\r\nGET /%d HTTP/1.1\r\nHost: svc.example\r\n\r\n", first, second)
	if err != nil {
		return false
	}
	for n, id := range []int{first, second} {
		if _, err := w.in.Peek(1); err != nil {
			return n > 0 // the connection closed before any byte
		}
		status, text, err := w.receive()
		switch {
		case status == http.StatusBadRequest: // a busy machine: its head took more than five seconds
			return n > 0 || getPipelined(t, s, first, second)
		case err != nil || text != body(id):
			t.Errorf("request %d: %d, %d bytes, %v", id, status, len(text), err)
		}
	}
	return true
}

// A request that was read ahead, while the one before it was answered, is in
// flight as any other once it is inside.
func TestStopPipelined(t *testing.T) {
	inside, goOn := make(chan string, 3), make(chan struct{})
	s := run(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inside <- r.URL.Path
		if r.URL.Path == "/3" {
			<-goOn
		}
		_, _ = io.WriteString(w, r.URL.Path)
	}), Options{})
	w := s.dial(t)
	for n := range 4 {
		w.send(t, fmt.Sprintf("GET /%d HTTP/1.1\r\nHost: svc.example\r\n\r\n", n+1))
	}
	for range 3 {
		<-inside
	}
	closed := make(chan error, 1)
	go func() { closed <- s.Close(within(t, time.Minute)) }()
	time.Sleep(50 * time.Millisecond) // for whatever might close the connection
	close(goOn)
	for n := range 3 {
		w.wants(t, http.StatusOK, fmt.Sprintf("/%d", n+1))
	}
	w.wantsClose(t)
	if err := <-closed; err != nil {
		t.Errorf("Close: %v", err)
	}
}

// Connections without a request are closed at once, whatever they are about.
func TestStopClosesIdleConnections(t *testing.T) {
	s := run(t, hello, Options{})
	fresh, half, used := s.dial(t), s.dial(t), s.dial(t)
	half.send(t, request[:20])
	used.send(t, request)
	used.wants(t, http.StatusOK, "hello")
	if err := s.Close(within(t, time.Minute)); err != nil {
		t.Errorf("Close: %v", err)
	}
	for _, w := range []*wire{fresh, half, used} {
		w.wantsClose(t)
	}
	if _, err := http.Get(s.URL()); err == nil {
		t.Error("the port is still open")
	}
	if err := s.Close(within(t, time.Minute)); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

// A request that waits for its body is cut at once, one whose body came is answered.
func TestStopWithoutBodies(t *testing.T) {
	inside, goOn := make(chan struct{}), make(chan struct{})
	e := Endpoint{Capacity: NewCapacity(2, 0), Logger: slog.New(slog.DiscardHandler)}
	s := run(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.Serve(w, r, func(c *Call) {
			c.Work(10, func(ctx context.Context, body string) (*Answer, bool) {
				close(inside)
				<-goOn
				a := NewAnswer(http.StatusOK, []byte(body))
				return &a, true
			})
		})
	}), Options{})
	const head = "POST / HTTP/1.1\r\nHost: svc.example\r\nContent-Length: 5\r\n\r\n"
	whole, half := s.dial(t), s.dial(t)
	whole.send(t, head+"whole")
	<-inside
	half.send(t, head+"hal")
	multiplexed := make(chan error, 1)
	go func() {
		body, _ := io.Pipe()
		response, err := newClient(t, true).Post(s.URL(), "text/plain", body)
		if err == nil {
			response.Body.Close()
		}
		multiplexed <- err
	}()
	time.Sleep(100 * time.Millisecond) // until both wait
	closed := make(chan error, 1)
	go func() { closed <- s.Close(within(t, time.Minute)) }()
	half.wantsClose(t)
	if err := <-multiplexed; err == nil {
		t.Error("over HTTP/2 a request without its body was answered")
	}
	close(goOn)
	whole.wants(t, http.StatusOK, "whole")
	if err := <-closed; err != nil {
		t.Errorf("Close: %v", err)
	}
}

// What does not end in time is broken off.
func TestStopCuts(t *testing.T) {
	inside := make(chan struct{}, 2)
	s := run(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "half")
		_ = http.NewResponseController(w).Flush()
		inside <- struct{}{}
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	}), Options{})
	w := s.dial(t)
	w.send(t, request)
	failed := make(chan error, 1)
	go func() {
		response, err := newClient(t, true).Get(s.URL())
		if err == nil {
			_, err = io.ReadAll(response.Body)
			response.Body.Close()
		}
		failed <- err
	}()
	<-inside
	<-inside
	if err := s.Close(within(t, 50*time.Millisecond)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Close: %v", err)
	}
	if _, text, err := w.receive(); err == nil {
		t.Errorf("the answer looks complete: %q", text)
	}
	if err := <-failed; err == nil {
		t.Error("over HTTP/2 the answer looks complete")
	}
}
