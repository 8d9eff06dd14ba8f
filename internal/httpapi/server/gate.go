package server

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// gate stands before a handler and knows which connections have a request
// inside. Package net/http has a notion of idle connections too, but it takes
// one whose request it has read ahead for idle, and closes it while its request
// is answered.
type gate struct {
	handler http.Handler
	linger  time.Duration

	mu       sync.Mutex
	closed   bool
	conns    map[net.Conn]*connection
	inFlight int           // requests
	empty    chan struct{} // closed when closed and no request is in flight
}

// connection is an open connection.
type connection struct {
	busy        bool // a request of HTTP/1 is inside, or its answer is being flushed
	multiplexed bool // speaks HTTP/2
}

// connectionKey is the key of a request's *connection in its context.
type connectionKey struct{}

func newGate(h http.Handler, linger time.Duration) *gate {
	return &gate{
		handler: h,
		linger:  linger,
		conns:   make(map[net.Conn]*connection),
		empty:   make(chan struct{}),
	}
}

// ServeHTTP lets a request in, unless the gate is closed: then the connection
// breaks.
func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	multiplexed := r.ProtoMajor >= 2
	if multiplexed && r.Method == "PRI" {
		panic(http.ErrAbortHandler) // half of what HTTP/2 begins with is no request
	}
	c := r.Context().Value(connectionKey{}).(*connection)
	if !g.enter(c, multiplexed) {
		panic(http.ErrAbortHandler)
	}
	if multiplexed {
		// What is left to be written when the handler returns, package net/http
		// sends before it ends an HTTP/2 connection.
		defer g.leave()
	}
	g.handler.ServeHTTP(w, r)
}

func (g *gate) enter(c *connection, multiplexed bool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.inFlight++
	c.multiplexed = multiplexed
	c.busy = !multiplexed
	return true
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.leaveLocked()
}

func (g *gate) leaveLocked() {
	g.inFlight--
	g.signal()
}

func (g *gate) signal() {
	if g.closed && g.inFlight == 0 {
		close(g.empty)
	}
}

// connContext is told of each new connection.
func (g *gate) connContext(ctx context.Context, conn net.Conn) context.Context {
	c := &connection{}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.conns[conn] = c
	if g.closed {
		conn.Close()
	}
	return context.WithValue(ctx, connectionKey{}, c)
}

// connState is told by the goroutine of a connection that its request has ended,
// all bytes of the answer having been handed to the system, or that the
// connection has.
func (g *gate) connState(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateIdle:
		if g.requestEnded(conn) {
			g.hangUp(conn)
			g.leave()
		}
	case http.StateClosed:
		if g.requestEnded(conn) {
			g.leave()
		}
		g.mu.Lock()
		delete(g.conns, conn)
		g.mu.Unlock()
	}
}

// requestEnded notes that a request of HTTP/1 has ended. It reports whether the
// gate was closed meanwhile; then the caller is to end the connection, and to
// say that the request has left.
func (g *gate) requestEnded(conn net.Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := g.conns[conn]
	if c == nil || !c.busy {
		return false
	}
	c.busy = false
	if g.closed {
		return true
	}
	g.leaveLocked()
	return false
}

// hangUp closes a connection behind an answer. Closing one on which unread bytes
// have arrived would take back what the client has not received yet.
func (g *gate) hangUp(conn net.Conn) {
	if tcp, ok := conn.(interface{ CloseWrite() error }); ok && tcp.CloseWrite() == nil {
		_ = conn.SetReadDeadline(time.Now().Add(g.linger))
		_, _ = io.Copy(io.Discard, conn) // until the client closes, or the deadline
	}
	conn.Close()
}

// close lets no request in any more and closes the connections that have none
// inside. Those that have one are closed behind its answer.
func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return
	}
	g.closed = true
	for conn, c := range g.conns {
		if !c.busy && !c.multiplexed {
			conn.Close()
		}
	}
	g.signal()
}

func (g *gate) isClosed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed
}

// wait waits until no request is in flight, the gate being closed.
func (g *gate) wait(ctx context.Context) error {
	select {
	case <-g.empty:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
