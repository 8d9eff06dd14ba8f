package httpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

// Endpoint is what the calls of one handler have in common. Its members are set
// before the first call.
type Endpoint struct {
	Header   []Field // of every answer
	TooLarge Answer  // to a body that is longer than it may be
	Busy     Answer  // where the capacity is used up
	Failed   Answer  // to what nobody foresaw

	Capacity *Capacity

	// Logger gets an error for what nobody foresaw, and at debug level a line for
	// each call. Bodies are never logged.
	Logger *slog.Logger

	// Observe, if not nil, is called at the end of each call, from many goroutines
	// at once. It must not block.
	Observe func(Exchange)

	faults faultLog

	joined sync.Pool // of *[]byte, see writeBody
}

// The bounds of a call.
const (
	bodyTime   = 30 * time.Second // for a body that is wanted to be complete
	drainTime  = 2 * time.Second  // for what is left of a body after an early answer
	drainBytes = 16 << 20         // of it
	takeTime   = 60 * time.Second // for an answer that was made for this call to be taken
	pieceTime  = 30 * time.Second // for each piece of any answer to be taken
	pieceBytes = 256 << 10

	// frameBytes is how much is written at once where the library may make a frame
	// of it, which it copies.
	frameBytes = 64 << 10
)

// Serve lets a function answer a request, by one of the methods [Call.Send],
// [Call.Work] and [Call.Handle].
//
// A panic of the function is answered with Failed. Where a call cannot be answered, or not
// to its end, Serve panics with [http.ErrAbortHandler], which tells the server to break the
// connection: a part of an answer never looks like the whole.
func (e *Endpoint) Serve(w http.ResponseWriter, r *http.Request, answer func(*Call)) {
	c := &Call{Request: r, endpoint: e, w: w, start: time.Now()}
	c.isOurs = r.Context().Value(connectionKey{}) != nil
	c.isDirect = c.isOurs && r.ProtoMajor == 1
	if r.Body != nil && r.Body != http.NoBody && r.ContentLength != 0 {
		c.hasBody = true
		c.expectsContinue = r.Header.Get("Expect") != ""
	}
	defer c.end()
	answer(c)
}

// Call is a request that is being answered.
type Call struct {
	Request *http.Request
	Route   string // a pattern like /v1/models/{key}, "" for a path that is not served

	endpoint        *Endpoint
	w               http.ResponseWriter
	start           time.Time
	isOurs          bool      // came through a [Server]
	isDirect        bool      // and its connection looks to it that clients take what is written
	hasBody         bool      // which was not read to its end
	expectsContinue bool      // the client waits to be asked for the body
	status          int       // of the head that was sent, 0 before
	done            bool      // the answer was handed over whole
	deadline        time.Time // of the whole answer, zero for none
	untimed         int       // bytes that may be written before the client gets more time
	shortPath       string    // what is kept of a path that was forgotten
}

func (c *Call) controller() *http.ResponseController { return http.NewResponseController(c.w) }

// end is deferred. It answers a panic with 500 or, if a head was sent, breaks the
// connection.
func (c *Call) end() {
	fault := recover()
	defer c.report()
	switch {
	case fault == nil:
		return
	case fault == http.ErrAbortHandler: //nolint:errorlint // package net/http compares it so too
		panic(fault)
	}
	failed := c.Fail(fmt.Sprint(fault), slog.String("stack", string(debug.Stack())))
	if c.status != 0 {
		panic(http.ErrAbortHandler)
	}
	c.Send(failed)
}

// Fail logs what nobody foresaw and returns the answer to it, which says nothing
// of the cause.
func (c *Call) Fail(cause string, more ...slog.Attr) *Answer {
	c.Log("request handling failed", cause, more...)
	return &c.endpoint.Failed
}

// Send sends an answer that others get too.
func (c *Call) Send(a *Answer) {
	header := c.w.Header()
	for _, f := range c.endpoint.Header {
		header[f.Name] = f.Value
	}
	for _, f := range a.Header {
		header[f.Name] = f.Value
	}
	c.writeHead(a.Status)
	if c.Request.Method != http.MethodHead {
		c.writeBody(a)
	}
	c.done = true
	if c.hasBody {
		c.drain()
	}
}

// smallBody is up to how many bytes the pieces of a body are written at once: each write may
// be a system call, which takes longer than copying them.
const smallBody = 32 << 10

func (c *Call) writeBody(a *Answer) {
	body := a.Body
	if len(body) > 1 && a.size() <= smallBody {
		joined, _ := c.endpoint.joined.Get().(*[]byte)
		if joined == nil {
			joined = new([]byte)
		}
		defer c.endpoint.joined.Put(joined)
		*joined = (*joined)[:0]
		for _, piece := range body {
			*joined = append(*joined, piece...)
		}
		body = [][]byte{*joined}
	}
	for _, piece := range body {
		if _, err := c.write(piece); err != nil {
			panic(http.ErrAbortHandler)
		}
	}
}

// NoBody says that nobody wants the body of a request.
const NoBody = -1

// Work reads the body of the request, which may have so many bytes, takes a slot,
// and sends the answer that is made of the body. The answer is this call's own if
// no other gets it: then its bytes are counted, and must be taken in time.
//
// The slot is taken when the body is there and is free when the answer is. A call
// that would get none now is refused before its body is read.
func (c *Call) Work(maxBody int, work func(ctx context.Context, body string) (a *Answer, isOwn bool)) {
	a, isOwn := c.workInSlot(maxBody, work)
	if isOwn {
		size := a.size()
		if !c.endpoint.Capacity.answers.take(size) {
			a, size = &c.endpoint.Busy, 0
		}
		defer c.endpoint.Capacity.answers.release(size)
		c.deadline = time.Now().Add(takeTime)
	}
	c.Send(a)
}

func (c *Call) workInSlot(maxBody int, work func(context.Context, string) (*Answer, bool)) (a *Answer, isOwn bool) {
	e := c.endpoint
	switch {
	case maxBody != NoBody && c.Request.ContentLength > int64(maxBody):
		return &e.TooLarge, false
	case e.Capacity.isFull():
		return &e.Busy, false
	}
	body, held, err := c.readBody(maxBody)
	defer func() { e.Capacity.bodies.release(held) }()
	switch {
	case errors.Is(err, errTooLong):
		return &e.TooLarge, false
	case errors.Is(err, errNoRoom):
		return &e.Busy, false
	case err != nil:
		panic(http.ErrAbortHandler) // the client is gone, is too slow or broke its own framing
	case !e.Capacity.takeSlot(c.Request.Context()):
		return &e.Busy, false
	}
	defer e.Capacity.freeSlot()
	return work(c.Request.Context(), string(body))
}

var (
	errTooLong = errors.New("body is too long")
	errNoRoom  = errors.New("no room for the body")
)

// freeBody is how much of a body every call may hold, whatever others do.
const freeBody = 4 << 10

// readBody reads the body as far as one byte more than it may have. It takes room
// for what has come, not for what was declared; held is how much.
func (c *Call) readBody(maxBytes int) (body []byte, held int, err error) {
	if !c.hasBody || maxBytes == NoBody {
		return nil, 0, nil
	}
	c.forgetHead()
	c.setReadDeadline(bodyTime)
	goOn := c.cutWhenStopping()
	defer goOn()
	whole := maxBytes + 1 // room to meet the end
	if n := c.Request.ContentLength; n > 0 {
		whole = int(n) + 1
	}
	body = make([]byte, 0, min(whole, freeBody))
	for {
		n, err := c.Request.Body.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case len(body) > maxBytes:
			return nil, held, errTooLong
		case err == io.EOF:
			c.hasBody = false
			goOn()
			c.clearReadDeadline() // else it would seem that the client went away
			return body, held, nil
		case err != nil:
			if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
				err = errTooLong // for the handlers around this one
			}
			return nil, held, err
		case len(body) == cap(body):
			const growth = 4
			size := min(growth*cap(body), whole)
			if !c.endpoint.Capacity.bodies.take(size - cap(body)) {
				return nil, held, errNoRoom
			}
			held += size - cap(body)
			body = append(make([]byte, 0, size), body...)
		}
	}
}

// Handle lets a handler answer that knows nothing of calls. What it writes is held
// until it is whole: an answer of unknown length would end only when the rest of the
// body has been dropped.
func (c *Call) Handle(h http.Handler) {
	if c.hasBody {
		c.setReadDeadline(bodyTime)
	}
	a := BufferAnswer(h, c.Request)
	c.Send(&a)
}

// BufferAnswer runs a plain handler, which need not know of calls, and returns what it
// wrote as a whole answer.
func BufferAnswer(h http.Handler, r *http.Request) Answer {
	w := &heldWriter{header: http.Header{}, status: http.StatusOK}
	h.ServeHTTP(w, r)
	a := NewAnswer(w.status, w.body)
	for name, values := range w.header {
		a.Header = append(a.Header, Field{name, values})
	}
	return a
}

// heldWriter holds what a handler writes.
type heldWriter struct {
	header http.Header
	status int
	body   []byte
}

func (w *heldWriter) Header() http.Header    { return w.header }
func (w *heldWriter) WriteHeader(status int) { w.status = status }
func (w *heldWriter) Write(b []byte) (int, error) {
	w.body = append(w.body, b...)
	return len(b), nil
}

// writeHead begins the answer.
func (c *Call) writeHead(status int) {
	if c.hasBody {
		// Else the server would wait for the body before it sends the head.
		_ = c.controller().EnableFullDuplex()
	}
	c.forgetHead()
	c.status = status
	if !c.isDirect || !c.deadline.IsZero() {
		c.extendWriteDeadline()
	}
	c.w.WriteHeader(status)
}

// write writes a part of the answer. A client gets time for each piece of it.
func (c *Call) write(b []byte) (n int, err error) {
	if c.isDirect {
		return c.w.Write(b)
	}
	for n < len(b) && err == nil {
		if c.untimed <= 0 {
			c.extendWriteDeadline()
		}
		var m int
		m, err = c.w.Write(b[n:min(n+frameBytes, len(b))])
		n += m
		c.untimed -= m
	}
	return n, err
}

// drain reads and drops what is left of the body, so that a client that is
// still sending it gets to see the answer: closing a connection on which bytes
// arrive takes back the answer. Over HTTP/2 nothing needs to be closed.
func (c *Call) drain() {
	if c.Request.ProtoMajor >= 2 {
		return
	}
	control := c.controller()
	if control.Flush() != nil || control.SetReadDeadline(time.Now().Add(drainTime)) != nil {
		return // not the library's own server: what is left of the body is its matter
	}
	// With Expect: 100-continue, reading would ask the client for the body.
	if !c.expectsContinue || c.Request.Method != http.MethodHead {
		n, err := io.Copy(io.Discard, io.LimitReader(c.Request.Body, drainBytes+1))
		if err == nil && n <= drainBytes {
			c.clearReadDeadline()
			return
		}
	}
	// What comes now is not a request. In the past, the deadline keeps the
	// server from waiting for more of the body.
	_ = control.SetReadDeadline(c.start)
	panic(http.ErrAbortHandler)
}

func (c *Call) setReadDeadline(after time.Duration) {
	_ = c.controller().SetReadDeadline(time.Now().Add(after)) // or the server's own holds
}

// cutWhenStopping ends reading the body as soon as the server is told to stop, as
// the rest may never come. When goOn has returned, that does not happen any
// more.
func (c *Call) cutWhenStopping() (goOn func()) {
	conn, ok := c.Request.Context().Value(connectionKey{}).(*connection)
	if !ok {
		return func() {}
	}
	cut := make(chan struct{})
	cancel := context.AfterFunc(conn.server.stopping, func() {
		defer close(cut)
		c.setReadDeadline(-bodyTime)
	})
	return sync.OnceFunc(func() {
		if !cancel() {
			<-cut
		}
	})
}

func (c *Call) clearReadDeadline() { _ = c.controller().SetReadDeadline(time.Time{}) }

// extendWriteDeadline gives the client time for the next piece.
func (c *Call) extendWriteDeadline() {
	c.untimed = pieceBytes
	deadline := time.Now().Add(pieceTime)
	if !c.deadline.IsZero() && (c.isDirect || c.deadline.Before(deadline)) {
		deadline = c.deadline
	}
	if c.controller().SetWriteDeadline(deadline) != nil {
		c.untimed = math.MaxInt // the server's own deadline holds
	}
}

// longPath is from how many bytes on a path is cut before it is logged.
const longPath = 1 << 10

// forgetHead drops the head of the request, of which nothing is needed any more. Of 64 KiB
// the library makes several hundred, which a client that is slow to send its body or to
// take the answer would hold. The request of another server is that server's.
func (c *Call) forgetHead() {
	if !c.isOurs {
		return
	}
	r := c.Request
	r.Header = nil
	if len(r.RequestURI) > longPath {
		path := c.path()
		c.shortPath = strings.Clone(path[:min(len(path), longPath)])
		r.RequestURI, r.URL = "", &url.URL{}
	}
}

// path is the path of the request, as it is logged.
func (c *Call) path() string {
	if c.shortPath != "" {
		return c.shortPath
	}
	path := WirePath(c.Request.URL)
	return path[:min(len(path), longPath)]
}
