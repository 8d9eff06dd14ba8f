package httpapi

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// What the handler itself takes, without a server or a connection. Serving is
// measured by bench/serve.
func BenchmarkHandler(b *testing.B) {
	h := newTestHandler(b, smallCatalog(b), Options{})
	for _, path := range []string{"/v1/models", "/v1/catalog/snapshot"} {
		b.Run("GET "+path, func(b *testing.B) {
			r, err := http.NewRequest(http.MethodGet, path, nil)
			if err != nil {
				b.Fatal(err)
			}
			w := &discardWriter{header: http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				h.ServeHTTP(w, r)
			}
		})
	}
	b.Run("POST /v1/rank", func(b *testing.B) {
		r, err := http.NewRequest(http.MethodPost, "/v1/rank", nil)
		if err != nil {
			b.Fatal(err)
		}
		r.ContentLength = int64(len(rankRequest))
		w := &discardWriter{header: http.Header{}}
		b.ReportAllocs()
		for b.Loop() {
			r.Body = io.NopCloser(strings.NewReader(rankRequest))
			h.ServeHTTP(w, r)
		}
	})
}
