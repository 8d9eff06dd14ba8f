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
		defer func() {
			e := Exchange{Method: r.Method, Status: x.status, Complete: x.returned && x.complete, Duration: time.Since(start)}
			if path := wirePath(r.URL); slices.Contains(paths, path) {
				e.Route = path
			}
			e.tell(r, logger, observe)
		}()
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
