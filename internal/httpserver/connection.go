package httpserver

import (
	"bytes"
	"encoding/binary"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// connection is an open connection. It looks at what is read and written, and
// holds clients to bounds that package net/http leaves open:
//
//   - The head of a request over HTTP/1 may have 256 lines. Of 64 KiB in short
//     lines the library would make half a MiB.
//   - Over HTTP/2 a head that has begun must be complete in time, with all its
//     CONTINUATION frames. A client that takes nothing may send 1,024 frames: each
//     may ask for an answer, which the library would keep.
//   - A client must take each 256 KiB of what is written in time.
//
// It knows what handlers cannot see, too: whether a head that declares a chunked
// body declared a length as well.
type connection struct {
	net.Conn
	server *Server

	// Of who reads.
	rest     []byte // what was read after the end of a head, to be read again
	preface  int    // bytes of the preface of HTTP/2 that have come; or isHTTP1, isHTTP2
	lastTurn int64
	head     headReader
	frames   frameReader
	isTimed  bool // a head has begun, and its time runs

	// goes up when a request of HTTP/1 reaches the handler, and when it has been answered
	turn       atomic.Int64
	body       atomic.Int64              // bytes of its body that are still to come, -1 for an unknown number
	unanswered atomic.Int64              // frames that came since something was written
	limit      atomic.Pointer[time.Time] // when writing must end, set from outside
	progress   atomic.Int64              // when bytes went either way last, in nanoseconds since the start of the server
}

// connectionKey is the key of a request's *connection in its context.
type connectionKey struct{}

// closedTurn is the turn of a connection that was closed before its first request.
const closedTurn = -1

// enter notes that a request reaches the handler. It reports false if it must not,
// because the connection was closed as one without a request.
func (c *connection) enter(r *http.Request) bool {
	if r.ProtoMajor >= 2 {
		return c.turn.CompareAndSwap(0, 1) || c.turn.Load() != closedTurn
	}
	c.body.Store(r.ContentLength)
	turn := c.turn.Load()
	return turn != closedTurn && c.turn.CompareAndSwap(turn, turn+1)
}

// leave notes that a request of HTTP/1 has been answered.
func (c *connection) leave() {
	if turn := c.turn.Load(); c.preface == isHTTP1 && turn%2 == 1 {
		c.turn.CompareAndSwap(turn, turn+1)
	}
}

// isIdle reports whether no request of HTTP/1 has reached the handler and is unanswered. What
// was asked over HTTP/2 is not followed: such a connection counts as busy once it was asked.
func (c *connection) isIdle() bool { return c.turn.Load()%2 == 0 }

const (
	maxHeadLines  = 256
	maxUnanswered = 1024
	clientPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" // RFC 9113 section 3.4
	isHTTP1       = -1
	isHTTP2       = -2
)

var (
	errHeadLines  = errors.New("the head has too many lines")
	errUnanswered = errors.New("too many frames from a client that takes nothing")
)

func (c *connection) Read(p []byte) (n int, err error) {
	if c.head.lines > maxHeadLines {
		return 0, errHeadLines
	}
	if n = copy(p, c.rest); n == 0 {
		if n, err = c.Conn.Read(p); n == 0 {
			return n, err
		}
		c.note()
	}
	if c.preface >= 0 {
		c.matchPreface(p[:n])
	} else if c.preface == isHTTP2 {
		if fault := c.inspectFrames(p[:n]); fault != nil {
			return 0, fault
		}
	}
	end := n
	if c.preface == isHTTP1 {
		end = c.inspectHead(p[:n])
	}
	if len(c.rest) > 0 { // p holds a copy of its beginning
		c.rest = c.rest[end:]
	} else if end < n {
		c.rest, err = bytes.Clone(p[end:n]), nil // what is wrong is found again after the rest
	}
	return end, err
}

// matchPreface decides which protocol the client speaks. The library never reads
// beyond the preface of HTTP/2 at once.
func (c *connection) matchPreface(p []byte) {
	rest, ok := strings.CutPrefix(clientPreface[c.preface:], string(p))
	switch {
	case !ok:
		c.preface = isHTTP1
	case rest == "":
		c.preface = isHTTP2
	default:
		c.preface += len(p)
	}
}

// inspectHead looks at bytes of HTTP/1. It returns how many of them may be read
// together: none after the end of a head, nor after that of a body whose length
// is known, so that what comes next is looked at as a head from its beginning. The end
// of a chunked body is not seen, so every empty line in it counts as the end of a head.
func (c *connection) inspectHead(p []byte) (end int) {
	turn, body := c.turn.Load(), c.body.Load()
	isNext := turn != c.lastTurn
	c.lastTurn = turn
	switch isInside := turn%2 == 1; {
	case isInside && body > 0:
		end = int(min(body, int64(len(p))))
		c.body.Add(-int64(end))
		return end
	case isInside && body == 0:
		return len(p) // the library looks whether the client goes away
	case isInside:
		if c.head.isWhole {
			c.head = headReader{}
		}
		for end < len(p) && !c.head.isWhole {
			end += c.head.next(p[end:])
			c.head.lines = min(c.head.lines, 1) // a body may have any number
		}
		return end
	case isNext && (body >= 0 || c.head.isWhole):
		c.head = headReader{}
	}
	return c.head.next(p)
}

// headReader follows the lines of a head (RFC 9112 section 2.2).
type headReader struct {
	start     [len(lengthField)]byte // of the current line
	size      int                    // of it, as far as it has come
	lines     int
	isWhole   bool
	hasLength bool
}

const lengthField = "content-length:"

// next takes bytes of the head and returns how many there were. It takes all where
// the head is whole already.
func (h *headReader) next(p []byte) (n int) {
	if h.isWhole {
		return len(p)
	}
	for n < len(p) && !h.isWhole && h.lines <= maxHeadLines {
		line, _, isEnded := bytes.Cut(p[n:], []byte("\n"))
		if h.size < len(h.start) {
			copy(h.start[h.size:], line)
		}
		h.size += len(line)
		n += len(line)
		if !isEnded {
			break
		}
		n++
		if isEmpty := h.size == 0 || h.size == 1 && h.start[0] == '\r'; !isEmpty {
			h.lines++
			h.hasLength = h.hasLength || h.size >= len(h.start) && strings.EqualFold(string(h.start[:]), lengthField)
		} else {
			h.isWhole = h.lines > 0
		}
		h.size = 0
	}
	return n
}

// inspectFrames looks at bytes of HTTP/2.
func (c *connection) inspectFrames(p []byte) error {
	for len(p) > 0 {
		var begins bool
		if p, begins = c.frames.next(p); begins && c.unanswered.Add(1) > maxUnanswered {
			return errUnanswered
		}
	}
	isOpen := c.frames.isHeadOpen()
	if isOpen == c.isTimed {
		return nil
	}
	c.isTimed = isOpen
	if !isOpen {
		return c.Conn.SetReadDeadline(time.Time{})
	}
	return c.Conn.SetReadDeadline(time.Now().Add(headTime))
}

// frameReader follows frames (RFC 9113 section 4.1).
type frameReader struct {
	header      [9]byte
	have        int  // bytes of the header
	payload     int  // bytes that are still to come
	isContinued bool // the head is, by the next frame
}

// next takes some bytes of a frame and returns those after them. It reports
// whether a frame began with them.
func (f *frameReader) next(p []byte) (rest []byte, begins bool) {
	if f.have == len(f.header) && f.payload == 0 {
		f.have = 0
	}
	if f.have == len(f.header) {
		n := min(f.payload, len(p))
		f.payload -= n
		return p[n:], false
	}
	begins = f.have == 0
	n := copy(f.header[f.have:], p)
	if f.have += n; f.have == len(f.header) {
		const endHeaders = 0x4
		f.payload = int(binary.BigEndian.Uint32(f.header[:]) >> 8)
		if f.isHead() {
			f.isContinued = f.header[4]&endHeaders == 0
		}
	}
	return p[n:], begins
}

// isHead reports whether the frame is a part of a head: HEADERS or CONTINUATION.
func (f *frameReader) isHead() bool { return f.header[3] == 0x1 || f.header[3] == 0x9 }

// isHeadOpen reports whether a head has begun and is not complete. Half the
// header of a frame may be that of a head.
func (f *frameReader) isHeadOpen() bool {
	isKnown := f.have == len(f.header)
	return f.isContinued || f.have > 0 && !isKnown || isKnown && f.payload > 0 && f.isHead()
}

func (c *connection) Write(p []byte) (n int, err error) {
	for {
		deadline := time.Now().Add(pieceTime)
		if limit := c.limit.Load(); limit != nil && limit.Before(deadline) {
			deadline = *limit
		}
		if err := c.Conn.SetWriteDeadline(deadline); err != nil {
			return n, err
		}
		m, err := c.Conn.Write(p[n:min(n+pieceBytes, len(p))])
		n += m
		if err != nil {
			return n, err
		}
		c.note()
		c.unanswered.Store(0)
		if n == len(p) {
			return n, nil
		}
	}
}

// SetWriteDeadline sets when writing must end at the latest.
func (c *connection) SetWriteDeadline(t time.Time) error {
	if t.IsZero() {
		c.limit.Store(nil)
		return nil
	}
	c.limit.Store(&t)
	return c.Conn.SetWriteDeadline(t)
}

// CloseWrite says that nothing more will be written.
func (c *connection) CloseWrite() error {
	if conn, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return conn.CloseWrite()
	}
	return errors.ErrUnsupported
}

func (c *connection) Close() error {
	c.server.connections.remove(c)
	return c.Conn.Close()
}

func (c *connection) note() { c.progress.Store(int64(time.Since(c.server.start))) }

// connections are the open connections of a server, which have a number at most.
// It is the listener of package net/http.
type connections struct {
	net.Listener
	server *Server
	logger *slog.Logger
	most   int

	mu   sync.Mutex
	open map[*connection]struct{}
}

// Accept returns the next connection. If there are too many then, one is closed: of those
// without a request under way, if there are any, the one on which nothing went either way
// for longest.
func (l *connections) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		if !errors.Is(err, net.ErrClosed) {
			l.logger.Error("no connection can be accepted", "cause", err) // the library tries again, ever more seldom
		}
		return nil, err
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		limitUnsent(tcp, maxUnsent)
	}
	c := &connection{Conn: conn, server: l.server}
	c.note()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.open) >= l.most {
		oldest := l.oldest()
		delete(l.open, oldest)
		oldest.Conn.Close()
	}
	l.open[c] = struct{}{}
	return c, nil
}

// oldest returns the connection to close where there are too many.
func (l *connections) oldest() (oldest *connection) {
	for c := range l.open {
		if oldest == nil || c.isIdle() && !oldest.isIdle() ||
			c.isIdle() == oldest.isIdle() && c.progress.Load() < oldest.progress.Load() {
			oldest = c
		}
	}
	return oldest
}

func (l *connections) remove(c *connection) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, c)
}

// closeNew closes the connections on which no request has reached the handler.
func (l *connections) closeNew() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.open {
		if c.turn.CompareAndSwap(0, closedTurn) {
			c.Conn.Close()
		}
	}
}
