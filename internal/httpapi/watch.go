package httpapi

import (
	"log/slog"
	"net/http"
	"slices"
	"time"
)

// Watch returns a handler that tells of the exchanges of another, as a [Handler]
// does of its own: to the logger at debug level, and to observe, if that is not
// nil. The paths that the handler serves are their own patterns.
func Watch(h http.Handler, logger *slog.Logger, observe func(Exchange), paths ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := &watched{ResponseWriter: w, complete: true}
		start := time.Now()
		defer func() { x.report(r, time.Since(start), logger, observe, paths) }()
		h.ServeHTTP(x, r)
		x.returned = true
	})
}

// watched is an answer that is being written.
type watched struct {
	http.ResponseWriter
	status   int
	complete bool // all writes went well
	returned bool // the handler did not break off
}

// Unwrap is how http.ResponseController finds the server's own writer.
func (x *watched) Unwrap() http.ResponseWriter { return x.ResponseWriter }

func (x *watched) WriteHeader(status int) {
	if x.status == 0 {
		x.status = status
	}
	x.ResponseWriter.WriteHeader(status)
}

func (x *watched) Write(b []byte) (int, error) {
	if x.status == 0 {
		x.status = http.StatusOK
	}
	n, err := x.ResponseWriter.Write(b)
	x.complete = x.complete && err == nil
	return n, err
}

func (x *watched) report(r *http.Request, took time.Duration, logger *slog.Logger, observe func(Exchange), paths []string) {
	done := x.returned && x.complete
	if logger.Enabled(r.Context(), slog.LevelDebug) {
		logger.LogAttrs(r.Context(), slog.LevelDebug, "request",
			slog.String("method", r.Method), slog.String("path", wirePath(r.URL)),
			slog.Int("status", x.status), slog.Bool("complete", done),
			slog.Duration("took", took), slog.String("proto", r.Proto), slog.String("from", r.RemoteAddr))
	}
	if observe == nil {
		return
	}
	e := Exchange{Method: r.Method, Status: x.status, Complete: done, Duration: took}
	if path := wirePath(r.URL); slices.Contains(paths, path) {
		e.Route = path
	}
	observe(e)
}
