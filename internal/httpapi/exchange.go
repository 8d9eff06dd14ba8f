package httpapi

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"
)

// Exchange tells what became of a request.
type Exchange struct {
	Route    string // a pattern like /v1/models/{key}, "" for a path that is not served
	Method   string // as the client wrote it
	Status   int    // 0 if the connection broke without an answer
	Complete bool   // the answer was handed over whole
	Duration time.Duration
}

// tell tells of the exchange about a request: a logger at debug level, and an
// observer, if there is one.
func (e Exchange) tell(r *http.Request, logger *slog.Logger, observe func(Exchange)) {
	if logger.Enabled(r.Context(), slog.LevelDebug) {
		logger.LogAttrs(r.Context(), slog.LevelDebug, "request",
			slog.String("method", e.Method), slog.String("path", wirePath(r.URL)),
			slog.Int("status", e.Status), slog.Bool("complete", e.Complete),
			slog.Duration("took", e.Duration), slog.String("proto", r.Proto), slog.String("from", r.RemoteAddr))
	}
	if observe != nil {
		observe(e)
	}
}

// exchange is a request that is being answered.
type exchange struct {
	h       *Handler
	w       http.ResponseWriter
	r       *http.Request
	start   time.Time
	route   route
	hasBody bool // which was not read to its end
	status  int  // of the head that was sent, 0 before
	done    bool // the answer was handed over whole
}

func (x *exchange) controller() *http.ResponseController { return http.NewResponseController(x.w) }

// send sends an answer. If the answer cannot be sent whole it panics with
// http.ErrAbortHandler, so that a part of it never looks like the whole.
func (x *exchange) send(a *answer) {
	header := x.w.Header()
	for _, f := range x.h.header {
		header[f.name] = f.value
	}
	for _, f := range a.header {
		header[f.name] = f.value
	}
	if x.hasBody {
		// Else the server would wait for the body before it sends the head.
		_ = x.controller().EnableFullDuplex()
	}
	x.status = a.status
	x.w.WriteHeader(a.status)
	if x.r.Method != http.MethodHead {
		for _, piece := range a.body {
			if _, err := x.w.Write(piece); err != nil {
				panic(http.ErrAbortHandler)
			}
		}
	}
	x.done = true
	if x.hasBody {
		x.drain()
	}
}

// drain reads and drops what is left of the body, so that a client that is
// still sending it gets to see the answer: closing a connection on which bytes
// arrive takes back the answer. Over HTTP/2 nothing needs to be closed.
func (x *exchange) drain() {
	if x.r.ProtoMajor >= 2 {
		return
	}
	c := x.controller()
	if c.Flush() != nil || c.SetReadDeadline(time.Now().Add(x.h.limits.drainTime)) != nil {
		return // not the library's own server: what is left of the body is its matter
	}
	// With Expect: 100-continue, reading would ask the client for the body.
	if x.r.Header.Get("Expect") == "" || x.r.Method != http.MethodHead {
		n, err := io.Copy(io.Discard, io.LimitReader(x.r.Body, x.h.limits.drainBytes+1))
		if err == nil && n <= x.h.limits.drainBytes {
			x.clearReadDeadline()
			return
		}
	}
	// Whatever comes now is no request. In the past, the deadline keeps the
	// server from waiting for more of the body.
	_ = c.SetReadDeadline(x.start)
	panic(http.ErrAbortHandler)
}

// end is deferred by whoever makes an exchange. It answers a panic with 500 or,
// if a head was sent, breaks the connection.
func (x *exchange) end() {
	fault := recover()
	defer x.report()
	switch {
	case fault == nil:
		return
	case fault == http.ErrAbortHandler: //nolint:errorlint // package net/http compares it so too
		panic(fault)
	}
	x.logFailure(fmt.Sprint(fault), slog.String("stack", string(debug.Stack())))
	if x.status != 0 {
		panic(http.ErrAbortHandler)
	}
	x.send(&x.h.refusals.failed)
}

// report tells the logger and the observer how the exchange ended.
func (x *exchange) report() {
	e := Exchange{Route: x.route.pattern(), Method: x.r.Method, Status: x.status, Complete: x.done, Duration: time.Since(x.start)}
	e.tell(x.r, x.h.options.Logger, x.h.options.Observe)
}

// logFailure logs why a request could not be answered as it should.
func (x *exchange) logFailure(cause string, more ...slog.Attr) {
	x.h.options.Logger.LogAttrs(x.r.Context(), slog.LevelError, "request handling failed",
		append([]slog.Attr{slog.String("method", x.r.Method), slog.String("path", wirePath(x.r.URL)), slog.String("cause", cause)}, more...)...)
}
