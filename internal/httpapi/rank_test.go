package httpapi

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank"

	"github.com/model-catalog-service/svc/internal/httpserver"
)

// rankHead is the head of a rank request with more header lines.
func rankHead(lines ...string) string {
	return "POST /v1/rank HTTP/1.1\r\nHost: svc.example\r\n" + strings.Join(append(lines, ""), "\r\n") + "\r\n"
}

func contentLength(n int) string { return fmt.Sprintf("Content-Length: %d", n) }

// A body of just the size that is allowed is read and judged, one that is a
// byte longer refused, whether or not its length is declared.
func TestRankBodySize(t *testing.T) {
	h := newTestHandler(t, smallCatalog(t), Options{})
	address := start(t, h)
	fill := func(size int) string { return rankRequest + strings.Repeat(" ", size-len(rankRequest)) }
	protocols(t, func(t *testing.T, client *http.Client) {
		for _, declared := range []bool{true, false} {
			body := func(size int) io.Reader {
				if declared {
					return strings.NewReader(fill(size))
				}
				return io.MultiReader(strings.NewReader(fill(size))) // of unknown length
			}
			postRank(t, client, address, body(rank.MaxRequestBytes)).wants(t, h, http.StatusOK, "")
			postRank(t, client, address, body(rank.MaxRequestBytes+1)).
				wants(t, h, http.StatusRequestEntityTooLarge, httpserver.CodePayloadTooLarge)
		}
	})
}

// A declared length is judged before anything else: no slot is needed to refuse
// it, and the client need not send the body to see that.
func TestRankDeclaredSizeIsJudgedFirst(t *testing.T) {
	h := newTestHandler(t, smallCatalog(t), Options{})
	takeSlots(t, h)
	address := start(t, h)
	w := dial(t, address)
	w.send(t, rankHead(contentLength(rank.MaxRequestBytes+1)))
	w.receive(t, http.MethodPost).wants(t, h, http.StatusRequestEntityTooLarge, httpserver.CodePayloadTooLarge)

	w = dial(t, address)
	w.send(t, rankHead(contentLength(rank.MaxRequestBytes)))
	w.receive(t, http.MethodPost).wants(t, h, http.StatusServiceUnavailable, codeRankCapacityExceeded)
}

// A client that waits to be asked for its body is asked only if it is wanted.
func TestRankExpectContinue(t *testing.T) {
	h := newTestHandler(t, smallCatalog(t), Options{MaxConcurrentRankRequests: 1})
	address := start(t, h)
	w := dial(t, address)
	w.send(t, rankHead("Expect: 100-continue", contentLength(len(rankRequest))))
	w.receiveContinue(t)
	w.send(t, rankRequest)
	w.receive(t, http.MethodPost).wants(t, h, http.StatusOK, "")

	busy := newTestHandler(t, smallCatalog(t), Options{MaxConcurrentRankRequests: 1})
	takeSlots(t, busy)
	w = dial(t, start(t, busy))
	w.send(t, rankHead("Expect: 100-continue", contentLength(len(rankRequest))))
	w.receive(t, http.MethodPost).wants(t, h, http.StatusServiceUnavailable, codeRankCapacityExceeded)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// As many requests as there are slots are evaluated at once. Others are refused at
// once, and reads are answered on.
func TestRankSlots(t *testing.T) {
	const slots = 3
	for _, http2 := range []bool{false, true} {
		h := newTestHandler(t, smallCatalog(t), Options{MaxConcurrentRankRequests: slots})
		stuck := newStuckRanker()
		h.rank = stuck.rank
		address, client := start(t, h), newClient(t, http2)
		var ranked sync.WaitGroup
		// A request whose body is still on its way has none.
		w := dial(t, address)
		w.send(t, rankHead("Expect: 100-continue", contentLength(2)))
		w.receiveContinue(t)
		w.send(t, "{")
		for range slots {
			ranked.Go(func() {
				postRank(t, client, address, strings.NewReader("{}")).wants(t, h, http.StatusOK, "")
			})
			<-stuck.entered
		}
		for range 10 {
			got := postRank(t, client, address, strings.NewReader("{}"))
			got.wants(t, h, http.StatusServiceUnavailable, codeRankCapacityExceeded)
			if got.Header.Get("Retry-After") != "1" {
				t.Errorf("Retry-After is %q", got.Header.Get("Retry-After"))
			}
			get(t, client, "http://"+address+"/v1/models").wants(t, h, http.StatusOK, "")
		}
		w.send(t, "}")
		w.receive(t, http.MethodPost).wants(t, h, http.StatusServiceUnavailable, codeRankCapacityExceeded)
		close(stuck.leave)
		ranked.Wait()
		eventually(t, "all slots are free", func() bool { return h.RanksInFlight() == 0 })
		postRank(t, client, address, strings.NewReader("{}")).wants(t, h, http.StatusOK, "")
	}
}

// A client that goes away while its request is evaluated frees the slot.
func TestRankAborted(t *testing.T) {
	h := newTestHandler(t, smallCatalog(t), Options{MaxConcurrentRankRequests: 1})
	stuck := newStuckRanker()
	h.rank = stuck.rank
	address := start(t, h)
	w := dial(t, address)
	w.send(t, rankHead(contentLength(2))+"{}")
	<-stuck.entered
	w.Close()
	eventually(t, "the slot of a client that left is free", func() bool { return h.RanksInFlight() == 0 })

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/v1/rank", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	client, done := newClient(t, true), make(chan error, 1)
	go func() { _, err := client.Do(r); done <- err }() //nolint:bodyclose // there is no answer
	<-stuck.entered
	cancel()
	if err := <-done; err == nil {
		t.Error("there is an answer to an aborted request")
	}
	eventually(t, "the slot of a stream that was reset is free", func() bool { return h.RanksInFlight() == 0 })
}

// A body that contradicts its own framing ends the request without an answer.
func TestRankBrokenFraming(t *testing.T) {
	h := newTestHandler(t, smallCatalog(t), Options{})
	address := start(t, h)
	for _, broken := range []string{
		rankHead("Transfer-Encoding: chunked") + "zz\r\n{}\r\n0\r\n\r\n",
		rankHead("Transfer-Encoding: chunked") + "2\r\n{}0\r\n\r\n",
	} {
		w := dial(t, address)
		w.send(t, broken)
		w.wantsClose(t)
	}
	eventually(t, "the slots are free", func() bool { return h.RanksInFlight() == 0 })
}

// After an early answer the body is read and dropped, so that a client that
// sends all of it first gets to see the answer.
func TestRankEarlyAnswerIsSeen(t *testing.T) {
	h := newTestHandler(t, smallCatalog(t), Options{})
	address := start(t, h)
	const size = 8 << 20
	w := dial(t, address)
	w.send(t, rankHead(contentLength(size)))
	w.send(t, strings.Repeat(" ", size))
	w.receive(t, http.MethodPost).wants(t, h, http.StatusRequestEntityTooLarge, httpserver.CodePayloadTooLarge)
	// All of it came, so that the connection goes on.
	w.send(t, rankHead(contentLength(len(rankRequest)))+rankRequest)
	w.receive(t, http.MethodPost).wants(t, h, http.StatusOK, "")

	// Of a body without a declared length a part is read in the slot.
	w.send(t, rankHead("Transfer-Encoding: chunked")+fmt.Sprintf("%x\r\n", size)+strings.Repeat(" ", size)+"\r\n0\r\n\r\n")
	w.receive(t, http.MethodPost).wants(t, h, http.StatusRequestEntityTooLarge, httpserver.CodePayloadTooLarge)
	w.send(t, rankHead(contentLength(len(rankRequest)))+rankRequest)
	w.receive(t, http.MethodPost).wants(t, h, http.StatusOK, "")
}

// Whatever clients do, slots are neither lost nor exceeded.
func TestRankSlotsUnderAbuse(t *testing.T) {
	const slots, clients, rounds = 3, 12, 40
	h := newTestHandler(t, smallCatalog(t), Options{MaxConcurrentRankRequests: slots})
	var now, most atomic.Int64
	real := h.rank
	h.rank = func(ctx context.Context, dst []byte, body string) ([]byte, error) {
		most.Store(max(most.Load(), now.Add(1)))
		defer now.Add(-1)
		if strings.Contains(body, "panic") {
			panic("injected")
		}
		return real(ctx, dst, body)
	}
	address := start(t, h)
	var all sync.WaitGroup
	for n := range clients {
		all.Go(func() {
			rnd := rand.New(rand.NewPCG(2, uint64(n)))
			for range rounds {
				w := dial(t, address)
				whole := rankHead(contentLength(len(rankRequest))) + rankRequest
				switch rnd.IntN(6) {
				case 0:
					w.send(t, whole[:rnd.IntN(len(whole))])
				case 1:
					w.send(t, whole) // and does not wait for the answer
				case 2:
					w.send(t, rankHead(contentLength(7))+`"panic"`)
					_, _ = io.CopyN(io.Discard, w, 20)
				case 3:
					w.send(t, rankHead("Transfer-Encoding: chunked")+"?\r\n")
					_, _ = io.Copy(io.Discard, w)
				case 4:
					w.send(t, rankHead(contentLength(500))+"{")
					time.Sleep(time.Duration(rnd.IntN(40)) * time.Millisecond)
				default:
					w.send(t, whole)
					if got := w.receive(t, http.MethodPost); got.StatusCode != http.StatusServiceUnavailable {
						got.wants(t, h, http.StatusOK, "")
					}
				}
				w.Close()
			}
		})
	}
	all.Wait()
	eventually(t, "all slots are free and no answer waits", func() bool { return h.RanksInFlight() == 0 && h.HeldBytes() == 0 })
	if most.Load() > slots {
		t.Errorf("%d requests were evaluated at once", most.Load())
	}
}

// The message begins with the path, and other faults of the same body do not
// matter.
func TestRankRefusalNamesThePath(t *testing.T) {
	h := newTestHandler(t, smallCatalog(t), Options{})
	address := start(t, h)
	client := newClient(t, false)
	for body, path := range map[string]string{
		`{"schemaVersion":"service.rank.request/v1","colour":1}`:            "$.colour: ",
		strings.Replace(rankRequest, `"weight":1`, `"weight":0`, 1):         "$.preferences[0].weight: ",
		strings.Replace(rankRequest, `"inventory":[`, `"inventory":[7,`, 1): "$.inventory[0]: ",
		`[`:     "$: ",
		"\xff":  "$: ",
		`{} {}`: "$: ",
	} {
		got := postRank(t, client, address, strings.NewReader(body))
		got.wants(t, h, http.StatusBadRequest, problem.InvalidRankRequest)
		if !strings.Contains(got.text, `"message":"`+path) {
			t.Errorf("%s: %s does not begin with %s", body, got.text, path)
		}
	}
}
