package httpserver

import (
	"context"
	"log/slog"
	"net/url"
	"sync"
	"time"
)

// Exchange says what became of a request.
type Exchange struct {
	Route    string // a pattern like /v1/models/{key}, "" for a path that is not served
	Method   string // as the client wrote it
	Status   int    // 0 if the connection broke without an answer
	Complete bool   // the answer was handed over whole
	Duration time.Duration
}

// report tells the logger, at debug level, and the observer, if there is one, how
// the call ended.
func (c *Call) report() {
	logger, observe := c.endpoint.Logger, c.endpoint.Observe
	isLogged := logger.Enabled(context.Background(), slog.LevelDebug)
	if !isLogged && observe == nil {
		return
	}
	r := c.Request
	e := Exchange{Route: c.Route, Method: r.Method, Status: c.status, Complete: c.done, Duration: time.Since(c.start)}
	if isLogged {
		logger.LogAttrs(r.Context(), slog.LevelDebug, "request",
			slog.String("method", e.Method), slog.String("path", c.path()),
			slog.Int("status", e.Status), slog.Bool("complete", e.Complete),
			slog.Duration("took", e.Duration), slog.String("proto", r.Proto), slog.String("from", r.RemoteAddr))
	}
	if observe != nil {
		observe(e)
	}
}

// Log logs why a call could not be answered as it should. Of equal messages one
// a second is logged, with the number of those that were left out since the last:
// what clients can bring about must not fill the log.
func (c *Call) Log(message, cause string, more ...slog.Attr) {
	omitted, ok := c.endpoint.faults.admit(message, time.Now())
	if !ok {
		return
	}
	attrs := append([]slog.Attr{
		slog.String("method", c.Request.Method), slog.String("path", c.path()), slog.String("cause", cause),
	}, more...)
	if omitted > 0 {
		attrs = append(attrs, slog.Int("omitted", omitted))
	}
	c.endpoint.Logger.LogAttrs(c.Request.Context(), slog.LevelError, message, attrs...)
}

// faultLog decides which faults are logged.
type faultLog struct {
	mu    sync.Mutex
	lines map[string]faultLine // by message
}

type faultLine struct {
	last    time.Time // that it was logged
	omitted int       // since then
}

const faultInterval = time.Second

// admit reports whether a message is to be logged now, and how many equal ones
// were not since the last that was.
func (l *faultLog) admit(message string, now time.Time) (omitted int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lines == nil {
		l.lines = make(map[string]faultLine)
	}
	line := l.lines[message]
	if now.Sub(line.last) < faultInterval {
		line.omitted++
		l.lines[message] = line
		return 0, false
	}
	l.lines[message] = faultLine{last: now}
	return line.omitted, true
}

// WirePath returns the path as it came over the wire, less what was stripped from its
// front. Package net/url keeps the original in RawPath where the path has another spelling
// than the one that it would give it, else that one is the original.
func WirePath(u *url.URL) string {
	if u.RawPath != "" {
		if path, err := url.PathUnescape(u.RawPath); err == nil && path == u.Path {
			return u.RawPath
		}
	}
	return u.EscapedPath()
}
