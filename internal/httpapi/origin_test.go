package httpapi

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Behind a page of its own, no answer lets a page of another origin read it, and there is no
// preflight that would.
func TestSameOrigin(t *testing.T) {
	for _, sameOrigin := range []bool{false, true} {
		h, err := NewHandler(smallCatalog(t), Options{SameOrigin: sameOrigin})
		if err != nil {
			t.Fatal(err)
		}
		for _, request := range []string{"GET /v1/models", "HEAD /v1/catalog/snapshot", "GET /nowhere", "POST /v1/rank", "OPTIONS /v1/rank"} {
			method, path, _ := strings.Cut(request, " ")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(method, path, http.NoBody))
			for _, name := range []string{"Access-Control-Allow-Origin", "Access-Control-Expose-Headers"} {
				if isSent := w.Header().Get(name) != ""; isSent == sameOrigin {
					t.Errorf("%s, same origin %v: %s is sent: %v", request, sameOrigin, name, isSent)
				}
			}
			if isAllowed := w.Header().Get("Access-Control-Allow-Methods") != ""; isAllowed != (method == http.MethodOptions && !sameOrigin) {
				t.Errorf("%s, same origin %v: preflight %v", request, sameOrigin, w.Header())
			}
		}
	}
}
