package httpserver

import (
	"net/http"
	"sync/atomic"
)

// Switch answers by the handler that was set last. A request is answered by one alone. It is safe
// for concurrent use, once a handler is set.
type Switch struct{ current atomic.Pointer[http.Handler] }

// Set has a handler answer from now on.
func (s *Switch) Set(h http.Handler) { s.current.Store(&h) }

// ServeHTTP answers a request.
func (s *Switch) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	(*s.current.Load()).ServeHTTP(w, r)
}
