package serve_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/service/catalog"
	"github.com/model-catalog-service/svc/service/internal/servicetest"
	"github.com/model-catalog-service/svc/service/serve"
)

// routers mount a handler at /api, each in a way that programs use.
var routers = map[string]func(http.Handler) http.Handler{
	"a mux with a prefix": func(h http.Handler) http.Handler {
		mux := http.NewServeMux()
		mux.Handle("/api/", http.StripPrefix("/api", h))
		return mux
	},
	"a mux in a mux": func(h http.Handler) http.Handler {
		inner, outer := http.NewServeMux(), http.NewServeMux()
		inner.Handle("/", h)
		outer.Handle("/api/", http.StripPrefix("/api", inner))
		return outer
	},
	"a router that sets both paths itself": func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			path, raw := strings.TrimPrefix(r.URL.Path, "/api"), strings.TrimPrefix(r.URL.RawPath, "/api")
			shortened := r.Clone(r.Context())
			shortened.URL = &url.URL{Path: path, RawPath: raw, RawQuery: r.URL.RawQuery}
			h.ServeHTTP(w, shortened)
		})
	},
	"http.TimeoutHandler": func(h http.Handler) http.Handler {
		return http.StripPrefix("/api", http.TimeoutHandler(h, time.Hour, "too late"))
	},
	"http.MaxBytesHandler": func(h http.Handler) http.Handler {
		return http.StripPrefix("/api", http.MaxBytesHandler(h, 1<<20))
	},
	"a writer that only looks": func(h http.Handler) http.Handler {
		return http.StripPrefix("/api", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h.ServeHTTP(unwrapped{w}, r)
		}))
	},
	"a writer that hides the rest": func(h http.Handler) http.Handler {
		return http.StripPrefix("/api", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h.ServeHTTP(struct{ http.ResponseWriter }{w}, r)
		}))
	},
}

type unwrapped struct{ http.ResponseWriter }

func (u unwrapped) Unwrap() http.ResponseWriter { return u.ResponseWriter }

// The handlers answer behind any router and middleware as they do alone, to the byte.
func TestHandlersInRouters(t *testing.T) {
	c, err := catalog.Compile(context.Background(), servicetest.Runs(), catalog.CompileOptions{AsOf: servicetest.November})
	if err != nil {
		t.Fatal(err)
	}
	catalog, err := serve.NewCatalogHandler(c, serve.CatalogOptions{})
	if err != nil {
		t.Fatal(err)
	}
	agent, err := serve.NewAgent(c, serve.AgentOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name               string
		handler            http.Handler
		method, path, body string
		status             int
	}{
		{"list", catalog, "GET", "/v1/models", "", 200},
		{"list with a query", catalog, "GET", "/v1/models?x=%2F", "", 200},
		{"unknown model", catalog, "GET", "/v1/models/a%2Fb", "", 404},
		{"other version", catalog, "GET", "/v2/models", "", 404},
		{"other method", catalog, "DELETE", "/v1/models", "", 405},
		{"preflight", catalog, "OPTIONS", "/v1/rank", "", 204},
		{"snapshot", catalog, "HEAD", "/v1/catalog/snapshot", "", 200},
		{"bad request", catalog, "POST", "/v1/rank", "{", 400},
		{"agent", agent.Handler(), "POST", serve.AgentPath, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, 200},
	} {
		status, alone, header := exchange(t, http.StripPrefix("/api", test.handler), test.method, test.path, test.body)
		if status != test.status {
			t.Errorf("%s, alone: %d, want %d", test.name, status, test.status)
		}
		for name, mount := range routers {
			status, body, mounted := exchange(t, mount(test.handler), test.method, test.path, test.body)
			if status != test.status || !bytes.Equal(body, alone) || mounted.Get("ETag") != header.Get("ETag") || mounted.Get("Content-Type") != header.Get("Content-Type") {
				t.Errorf("%s, behind %s: %d %s, want %d %s", test.name, name, status, body, test.status, alone)
			}
		}
	}
}

func exchange(t *testing.T, h http.Handler, method, path, body string) (int, []byte, http.Header) {
	t.Helper()
	server := httptest.NewServer(h)
	defer server.Close()
	request, err := http.NewRequest(method, server.URL+"/api"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, answer, response.Header
}
