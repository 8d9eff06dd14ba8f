package admin

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/httpapi"
)

func ask(t *testing.T, a *Admin, method, path string) (status int, body string) {
	t.Helper()
	w := httptest.NewRecorder()
	a.ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w.Code, w.Body.String()
}

// It lives from the beginning, and is ready between start and stop.
func TestReadiness(t *testing.T) {
	a := New()
	wants := func(when string, ready int) {
		t.Helper()
		if status, body := ask(t, a, http.MethodGet, "/healthz"); status != http.StatusOK || body != "ok\n" {
			t.Errorf("%s: /healthz is %d %q", when, status, body)
		}
		if status, _ := ask(t, a, http.MethodGet, "/readyz"); status != ready {
			t.Errorf("%s: /readyz is %d, want %d", when, status, ready)
		}
	}
	wants("while the catalog is read", http.StatusServiceUnavailable)
	serve(t, a)
	wants("while it is served", http.StatusOK)
	a.Stopping()
	wants("while the server stops", http.StatusServiceUnavailable)
	if status, _ := ask(t, a, http.MethodPost, "/healthz"); status != http.StatusMethodNotAllowed {
		t.Errorf("POST /healthz is %d", status)
	}
	if status, _ := ask(t, a, http.MethodGet, "/v1/models"); status != http.StatusNotFound {
		t.Errorf("the catalog is on the second port: %d", status)
	}
}

// An endpoint whose store cannot answer is not ready until it can.
func TestReadinessOfStores(t *testing.T) {
	a := New()
	var away error
	a.ReadyToVerify(func(context.Context) error { return away })
	for _, tt := range []struct {
		away error
		want int
	}{{nil, http.StatusOK}, {errors.New("no file"), http.StatusServiceUnavailable}, {nil, http.StatusOK}} {
		away = tt.away
		if status, body := ask(t, a, http.MethodGet, "/readyz"); status != tt.want || strings.Contains(body, "no file") {
			t.Errorf("with %v: %d %q", away, status, body)
		}
	}
}

func serve(t *testing.T, a *Admin) http.Handler {
	t.Helper()
	c, _, err := catalog.Compile(context.Background(), nil, catalog.Options{AsOf: "2026-07-01T00:00:00.000Z"})
	if err != nil {
		t.Fatal(err)
	}
	h, err := httpapi.NewHandler(c, httpapi.Options{Observe: a.Observe})
	if err != nil {
		t.Fatal(err)
	}
	a.Ready(h, c)
	return h
}

// Requests are counted by pattern and status: no path makes a label of its own.
func TestMetrics(t *testing.T) {
	a := New()
	h := serve(t, a)
	for _, path := range []string{"/v1/models", "/v1/models/a", "/v1/models/b", "/v1/catalog/snapshot", "/v1/rank", "/any", "/other/path", "/v2"} {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil))
	}
	a.Observe(httpapi.Exchange{Route: "/v1/rank", Status: http.StatusServiceUnavailable})
	a.Observe(httpapi.Exchange{Route: "/v1/rank"})
	status, text := ask(t, a, http.MethodGet, "/metrics")
	if status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	for _, want := range []string{
		`svc_http_requests_total{route="/v1/models",status="200"} 1`,
		`svc_http_requests_total{route="/v1/models/{key}",status="404"} 2`,
		`svc_http_requests_total{route="/v1/catalog/snapshot",status="200"} 1`,
		`svc_http_requests_total{route="/v1/rank",status="405"} 1`,
		`svc_http_requests_total{route="/v1/rank",status="503"} 1`,
		`svc_http_requests_total{route="/v1/rank",status="none"} 1`,
		`svc_http_requests_total{route="other",status="404"} 3`,
		`svc_http_request_duration_seconds_count{route="/v1/models/{key}"} 2`,
		`svc_rank_requests_refused_total 1`,
		`svc_rank_requests_in_flight 0`,
		`svc_rank_answer_bytes_held 0`,
		`svc_catalog_info{as_of="2026-07-01T00:00:00.000Z",digest="`,
		`go_goroutines `,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	if strings.Contains(text, "other/path") {
		t.Error("a path became a label")
	}
}

// Two of them have nothing in common.
func TestNothingIsGlobal(t *testing.T) {
	first, second := New(), New()
	serve(t, first)
	serve(t, second)
	first.Observe(httpapi.Exchange{Route: "/v1/models", Status: http.StatusOK})
	if _, text := ask(t, second, http.MethodGet, "/metrics"); strings.Contains(text, `svc_http_requests_total{`) {
		t.Error("what one has counted is in the metrics of the other")
	}
}
