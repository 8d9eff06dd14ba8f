package httpserver_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/model-catalog-service/svc/internal/httpserver"
)

// workshop is an endpoint for tests: GET is answered with what others get too, POST
// with an answer that is made for it, by a work that the test gives.
type workshop struct {
	httpserver.Endpoint
	shared httpserver.Answer
	work   func(ctx context.Context, body string) []byte
}

const maxBody = 1 << 20

func newWorkshop(slots int, wait time.Duration, work func(ctx context.Context, body string) []byte) *workshop {
	return &workshop{
		Endpoint: httpserver.Endpoint{
			TooLarge: httpserver.NewAnswer(http.StatusRequestEntityTooLarge),
			Busy:     httpserver.NewAnswer(http.StatusServiceUnavailable).With("Retry-After", "1"),
			Failed:   httpserver.NewAnswer(http.StatusInternalServerError),
			Capacity: httpserver.NewCapacity(slots, wait),
			Logger:   slog.New(slog.DiscardHandler),
		},
		shared: httpserver.NewAnswer(http.StatusOK, []byte("shared")),
		work:   work,
	}
}

func (s *workshop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.Serve(w, r, func(c *httpserver.Call) {
		if r.Method != http.MethodPost {
			c.Send(&s.shared)
			return
		}
		c.Work(maxBody, func(ctx context.Context, body string) (*httpserver.Answer, bool) {
			a := httpserver.NewAnswer(http.StatusOK, s.work(ctx, body))
			return &a, true
		})
	})
}

func echo(_ context.Context, body string) []byte { return []byte(body) }

func post(body string) string {
	return fmt.Sprintf("POST / HTTP/1.1\r\nHost: svc.example\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

const read = "GET / HTTP/1.1\r\nHost: svc.example\r\n\r\n"

// ask sends a request on a connection of its own.
func (p *pipes) ask(t *testing.T, text string) (status int, body string) {
	t.Helper()
	w := p.dial(t)
	defer w.Close()
	w.send(text)
	method, _, _ := strings.Cut(text, " ")
	return w.receive(t, method)
}

// wants asks and checks the status.
func (p *pipes) wants(t *testing.T, status int, text string) {
	t.Helper()
	if got, _ := p.ask(t, text); got != status {
		t.Errorf("%.50q: status %d, want %d", text, got, status)
	}
}

// Bodies are read as far as they may go, whatever their length is declared as.
func TestBodyIsReadWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := run(t, newWorkshop(1, 0, echo))
		for _, size := range []int{0, 1, 514, 4 << 10, 4<<10 + 1, 16 << 10, 100_000, maxBody, maxBody + 1, 2 * maxBody} {
			text := strings.Repeat("x\n", size)[:size]
			chunked := "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
			if size > 0 {
				chunked += fmt.Sprintf("%x\r\n%s\r\n", size, text)
			}
			for _, request := range []string{post(text), chunked + "0\r\n\r\n"} {
				status, body := p.ask(t, request)
				if size > maxBody {
					if status != http.StatusRequestEntityTooLarge {
						t.Errorf("%d bytes: status %d", size, status)
					}
				} else if status != http.StatusOK || body != text {
					t.Errorf("%d bytes: status %d, %d bytes", size, status, len(body))
				}
			}
		}
	})
}

// All bodies that are being read have 32 MiB together, beyond the first 4 KiB of
// each. Small ones are read whatever others do, and so is everything once they are
// given up.
func TestBodiesTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newWorkshop(4, 0, echo)
		p := run(t, s)
		const lazy = 64
		var refused atomic.Int64
		var all sync.WaitGroup
		for range lazy {
			w := p.dial(t)
			w.send(post(strings.Repeat("x", maxBody))[:maxBody]) // some bytes short
			all.Go(func() {
				if answer, _ := io.ReadAll(w.in); len(answer) > 0 {
					refused.Add(1)
				}
			})
		}
		time.Sleep(time.Second)
		synctest.Wait()
		p.wants(t, http.StatusOK, post(strings.Repeat("x", 4000)))
		p.wants(t, http.StatusOK, read)
		if s.Capacity.InFlight() != 0 {
			t.Error("a body that is not there takes a slot")
		}
		p.wants(t, http.StatusServiceUnavailable, post(strings.Repeat("x", maxBody)))
		all.Wait()
		if kept := lazy - refused.Load(); kept < 30 || kept > 32 {
			t.Errorf("%d bodies of 1 MiB were read at once, want some 32", kept)
		}
		p.wants(t, http.StatusOK, post(strings.Repeat("x", maxBody)))
	})
}

// Answers that are not taken hold no slot. Together they have 64 MiB, beyond which
// work is refused, but reads are answered. Whoever takes nothing loses the answer
// after 30 seconds, whoever takes too little after 60.
func TestAnswersTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const size = 8 << 20
		s := newWorkshop(1, 0, func(context.Context, string) []byte { return make([]byte, size) })
		p := run(t, s)
		for n := range 8 {
			w := p.dial(t)
			w.send(post("x"))
			synctest.Wait()
			if held := s.Capacity.HeldBytes(); held != int64(n+1)*size || s.Capacity.InFlight() != 0 {
				t.Fatalf("%d bytes are held, %d slots taken", held, s.Capacity.InFlight())
			}
		}
		p.wants(t, http.StatusServiceUnavailable, post("x"))
		p.wants(t, http.StatusOK, read)
		time.Sleep(30 * time.Second)
		synctest.Wait()
		if held := s.Capacity.HeldBytes(); held != 0 {
			t.Errorf("%d bytes are held after 30 seconds", held)
		}
		slow := p.dial(t)
		slow.send(post("x"))
		n := 0
		for err := error(nil); err == nil; time.Sleep(time.Second) {
			var m int64
			m, err = io.CopyN(io.Discard, slow.in, 100<<10)
			n += int(m)
		}
		if n < 59*100<<10 || n > 61*100<<10 {
			t.Errorf("a client got %d bytes at 100 KiB a second, want those of 60 seconds", n)
		}
		if held := s.Capacity.HeldBytes(); held != 0 {
			t.Errorf("%d bytes are held after 60 seconds", held)
		}
	})
}

// An answer that alone is larger than what all may have is sent, if it is the only
// one.
func TestLargeAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const size = 65 << 20
		p := run(t, newWorkshop(1, 0, func(context.Context, string) []byte { return make([]byte, size) }))
		if status, body := p.ask(t, post("x")); status != http.StatusOK || len(body) != size {
			t.Errorf("status %d, %d bytes", status, len(body))
		}
	})
}

// A call waits for a slot as long as it may, and no longer than its client.
func TestWaitForSlot(t *testing.T) {
	for _, wait := range []time.Duration{0, time.Second} {
		synctest.Test(t, func(t *testing.T) {
			s := newWorkshop(2, wait, func(_ context.Context, body string) []byte {
				took, _ := time.ParseDuration(body)
				time.Sleep(took)
				return nil
			})
			p := run(t, s)
			var all sync.WaitGroup
			for _, took := range []string{"500ms", "10s"} {
				all.Go(func() { p.wants(t, http.StatusOK, post(took)) })
			}
			synctest.Wait()
			gone := p.dial(t)
			gone.send(post("1h"))
			synctest.Wait()
			gone.Close()
			begin, want := time.Now(), http.StatusServiceUnavailable
			if wait > 0 {
				want = http.StatusOK
			}
			p.wants(t, want, post("10s")) // the first slot is soon free
			if took := time.Since(begin); wait > 0 && took != 10500*time.Millisecond || wait == 0 && took != 0 {
				t.Errorf("it took %v", took)
			}
			all.Wait()
			for range 2 {
				all.Go(func() { p.wants(t, http.StatusOK, post("10s")) })
			}
			synctest.Wait()
			begin = time.Now()
			p.wants(t, http.StatusServiceUnavailable, post("0s"))
			if took := time.Since(begin); took != wait {
				t.Errorf("it took %v", took)
			}
			all.Wait()
		})
	}
}

// What clients bring about is logged once a second, with how often it was not.
func TestFaultsDoNotFillTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		s := newWorkshop(1, 0, func(context.Context, string) []byte { panic("the cause") })
		s.Logger = slog.New(slog.NewTextHandler(&log, nil))
		p := run(t, s)
		for range 100 {
			p.wants(t, http.StatusInternalServerError, post("x"))
			time.Sleep(100 * time.Millisecond)
		}
		if n := strings.Count(log.String(), "\n"); n != 10 {
			t.Errorf("%d lines for 100 faults in 10 seconds", n)
		}
		if n := strings.Count(log.String(), "omitted=9"); n != 9 || !strings.Contains(log.String(), "the cause") {
			t.Errorf("the log is %.2000s", log.String())
		}
	})
}

// A server of ours forgets the head of a request before it waits for the body, and
// before it waits until the answer is taken. The request of another server is that
// server's.
func TestHeadIsForgotten(t *testing.T) {
	var seen *http.Request
	s := newWorkshop(1, 0, func(context.Context, string) []byte {
		if seen.Header != nil {
			t.Error("the head is kept while the body is read")
		}
		return nil
	})
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = r
		s.ServeHTTP(w, r)
	})
	long := "/" + strings.Repeat("x", 60000) + "?" + strings.Repeat("y", 1000)
	synctest.Test(t, func(t *testing.T) {
		p := run(t, h)
		p.wants(t, http.StatusOK, strings.Replace(read, "/", long, 1))
		if seen.Header != nil || len(seen.RequestURI)+len(seen.URL.Path)+len(seen.URL.RawQuery) > 1000 {
			t.Error("the head is kept while the answer is sent")
		}
		p.wants(t, http.StatusOK, post("x"))
	})
	other := httptest.NewRequest(http.MethodGet, long, nil)
	other.Header.Set("X", "y")
	h.ServeHTTP(httptest.NewRecorder(), other)
	if seen.Header.Get("X") != "y" || seen.RequestURI != long {
		t.Error("the request of another server was changed")
	}
}

// A request that declares a length and a chunked body is answered, and then the
// connection closes: what follows may be meant as a body. One that declares either
// is followed by others.
func TestLengthAndChunked(t *testing.T) {
	const chunked, chunks = "Transfer-Encoding: chunked\r\n", "\r\n1\r\nx\r\n0\r\n\r\n"
	head := "POST / HTTP/1.1\r\nHost: a\r\n"
	for _, tt := range []struct {
		before, request string
		closes          bool
	}{
		{"", head + chunked + "Content-Length: 1\r\n" + chunks, true},
		{"", head + "content-length:1\r\n" + chunked + chunks, true},
		{"", head + "X-A: b\r\nCONTENT-LENGTH:   1\r\nX-B: c\r\n" + chunked + chunks, true},
		{read, head + chunked + "Content-Length: 1\r\n" + chunks, true},
		{head + chunked + chunks, head + chunked + "Content-Length: 1\r\n" + chunks, true},
		{"", head + chunked + chunks, false},
		{"", head + "X-Content-Length: 1\r\n" + chunked + chunks, false},
		{"", head + "Content-Length-X: 1\r\n" + chunked + chunks, false},
		{post("x"), head + chunked + chunks, false},
		{post("\nContent-Length: 1\r\n\r\n"), head + chunked + chunks, false},
		{head + chunked + chunks, head + chunked + chunks, false},
		{head + chunked + chunks + post("x"), head + chunked + chunks, false},
		{head + chunked + "\r\n13\r\n\nContent-Length: 1\n\r\n0\r\n\r\n", head + chunked + chunks, false},
		{head + chunked + "\r\n12\r\nContent-Length: 1\n\r\n0\r\n\r\n", head + chunked + chunks, false},
		{head + chunked + chunks + post("x"), head + chunked + "Content-Length: 1\r\n" + chunks, true},
		{read, post("x"), false},
	} {
		for _, together := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				w := run(t, newWorkshop(1, 0, echo)).dial(t)
				if together {
					w.send(tt.before + tt.request + read)
				}
				for i, request := range []string{tt.before, tt.request, read} {
					if request == "" || i == 2 && tt.closes {
						continue
					}
					if !together {
						w.send(request)
					}
					for range strings.Count(request, " HTTP/1.1\r\n") {
						if status, _ := w.receive(t, "POST"); status != http.StatusOK {
							t.Fatalf("%q: status %d", request, status)
						}
					}
				}
				synctest.Wait()
				if tt.closes {
					w.wantsClose(t, 0)
				}
			})
		}
	}
}

// A head may have 256 lines, over HTTP/1, also in the midst of others.
func TestHeadLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := run(t, newWorkshop(1, 0, echo))
		head := func(lines int) string {
			return "GET / HTTP/1.1\r\nHost: a\r\n" + strings.Repeat("A: b\r\n", lines-2) + "\r\n"
		}
		p.wants(t, http.StatusOK, head(256))
		p.wants(t, http.StatusBadRequest, head(257))
		p.wants(t, http.StatusBadRequest, head(6000))
		w := p.dial(t)
		w.send(strings.Repeat(head(2), 1000) + post(strings.Repeat("\n", 1000)) + head(256) + head(257))
		for i := range 1000 + 2 {
			if status, _ := w.receive(t, "GET"); status != http.StatusOK {
				t.Fatalf("status %d at %d", status, i)
			}
		}
		if status, _ := w.receive(t, "GET"); status != http.StatusBadRequest {
			t.Errorf("status %d", status)
		}
	})
}

// A burst of connections that ask nothing closes idle ones, not a request under way.
func TestBurstOfConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := run(t, newWorkshop(1, 0, echo))
		busy := p.dial(t)
		begun, rest := post("under way")[:len(post("under way"))-1], "y"
		busy.send(begun)
		synctest.Wait()
		for range 3 * 2048 {
			time.Sleep(time.Millisecond)
			p.dial(t)
		}
		synctest.Wait()
		busy.send(rest)
		if status, body := busy.receive(t, "POST"); status != http.StatusOK || body != "under way" {
			t.Errorf("status %d, body %q", status, body)
		}
	})
}

// A server has 2,048 connections. For one more, the idle one is closed on which
// nothing went either way for longest.
func TestConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const most = 2048
		p := run(t, newWorkshop(1, 0, echo))
		var open []*client
		for range most {
			w := p.dial(t)
			w.send(read)
			if status, _ := w.receive(t, "GET"); status != http.StatusOK {
				t.Fatal(status)
			}
			open = append(open, w)
			time.Sleep(time.Millisecond)
		}
		open[0].send(read) // the second is the oldest from now on
		open[0].receive(t, "GET")
		for n := range 3 {
			p.wants(t, http.StatusOK, read)
			synctest.Wait()
			// What is asked on a connection of its own is closed by the client.
			if n == 0 {
				open[1].begin = time.Now()
				open[1].wantsClose(t, 0)
			}
		}
		for i, w := range open {
			if i == 1 {
				continue
			}
			if err := w.SetReadDeadline(time.Now().Add(time.Nanosecond)); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Read(make([]byte, 1)); errors.Is(err, io.EOF) {
				t.Errorf("connection %d is closed", i)
			}
		}
	})
}
