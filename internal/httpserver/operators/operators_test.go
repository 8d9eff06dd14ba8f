package operators

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/httpserver"
)

func ask(t *testing.T, o *Operators, method, path string) (status int, body string) {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(method, path, nil)
	r.Host = "127.0.0.1:9090"
	o.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// It lives from the beginning, and is ready between start and stop.
func TestReadiness(t *testing.T) {
	o := New("")
	wants := func(when string, ready int) {
		t.Helper()
		if status, body := ask(t, o, http.MethodGet, "/healthz"); status != http.StatusOK || body != "ok\n" {
			t.Errorf("%s: /healthz is %d %q", when, status, body)
		}
		if status, _ := ask(t, o, http.MethodGet, "/readyz"); status != ready {
			t.Errorf("%s: /readyz is %d, want %d", when, status, ready)
		}
	}
	wants("while the catalog is read", http.StatusServiceUnavailable)
	serve(o)
	wants("while it is served", http.StatusOK)
	o.Stopping()
	wants("while the server stops", http.StatusServiceUnavailable)
	if status, _ := ask(t, o, http.MethodPost, "/healthz"); status != http.StatusMethodNotAllowed {
		t.Errorf("POST /healthz is %d", status)
	}
	if status, _ := ask(t, o, http.MethodGet, "/v1/models"); status != http.StatusNotFound {
		t.Errorf("the catalog is on the second port: %d", status)
	}
}

// A service that cannot answer is not ready until it can.
func TestReadinessOfServices(t *testing.T) {
	o := New("")
	var away error
	o.Ready(Service{
		Work: "verify", InFlight: func() int { return 0 }, HeldBytes: func() int64 { return 0 },
		Check: func(context.Context) error { return away },
	})
	for _, tt := range []struct {
		away error
		want int
	}{{nil, http.StatusOK}, {errors.New("no file"), http.StatusServiceUnavailable}, {nil, http.StatusOK}} {
		away = tt.away
		if status, body := ask(t, o, http.MethodGet, "/readyz"); status != tt.want || strings.Contains(body, "no file") {
			t.Errorf("with %v: %d %q", away, status, body)
		}
	}
}

func serve(o *Operators) {
	o.Ready(Service{
		Work: "rank", InFlight: func() int { return 3 }, HeldBytes: func() int64 { return 70 },
		Catalog: func() (string, string) { return "0123", "2026-07-01T00:00:00.000Z" }, Failures: func() int64 { return 2 },
		Trust: func() string { return "superseded" },
	})
}

// A web page that lets its own name point to this port sends that name, and gets
// nothing.
func TestForeignHost(t *testing.T) {
	hostname, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	o := New("svc.internal")
	serve(o)
	for host, isOurs := range map[string]bool{
		"127.0.0.1:9090": true, "127.0.0.1": true, "[::1]:9090": true, "[::1]": true, "10.1.2.3:9090": true, "": true,
		"localhost:9090": true, "LocalHost": true, "svc.internal:9090": true, hostname: true, hostname + ":9090": true,
		"attacker.example": false, "attacker.example:9090": false, "localhost.attacker.example": false,
		"127.0.0.1.attacker.example:9090": false, "xlocalhost": false, ":9090": true, "[attacker.example]:9090": false,
	} {
		for _, path := range []string{"/healthz", "/readyz", "/metrics", "/debug/pprof/cmdline", "/nowhere"} {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.Host = host
			w := httptest.NewRecorder()
			o.ServeHTTP(w, r)
			if isForbidden := w.Code == http.StatusForbidden; isForbidden == isOurs {
				t.Errorf("%s with Host %q: status %d", path, host, w.Code)
			}
			if w.Code == http.StatusForbidden && strings.Contains(w.Body.String(), os.Args[0]) {
				t.Errorf("%s with Host %q: %s", path, host, w.Body)
			}
		}
	}
}

// Requests are counted by pattern and status, and the load is that of the service.
func TestMetrics(t *testing.T) {
	o := New("")
	serve(o)
	for _, x := range []httpserver.Exchange{
		{Route: "/v1/models", Status: 200}, {Route: "/v1/models/{key}", Status: 404}, {Route: "/v1/models/{key}", Status: 404},
		{Status: 404}, {Status: 404}, {Route: "/v1/rank", Status: 503}, {Route: "/v1/rank"},
	} {
		o.Observe(x)
	}
	status, text := ask(t, o, http.MethodGet, "/metrics")
	if status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	for _, want := range []string{
		`svc_http_requests_total{route="/v1/models",status="200"} 1`,
		`svc_http_requests_total{route="/v1/models/{key}",status="404"} 2`,
		`svc_http_requests_total{route="/v1/rank",status="503"} 1`,
		`svc_http_requests_total{route="/v1/rank",status="none"} 1`,
		`svc_http_requests_total{route="other",status="404"} 2`,
		`svc_http_request_duration_seconds_count{route="/v1/models/{key}"} 2`,
		`svc_rank_requests_refused_total 1`,
		`svc_rank_requests_in_flight 3`,
		`svc_rank_answer_bytes_held 70`,
		`svc_catalog_info{as_of="2026-07-01T00:00:00.000Z",digest="0123"} 1`,
		`svc_catalog_trust{state="superseded"} 1`,
		`svc_follow_failures_total 2`,
		`go_goroutines `,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
}

// Two of them have nothing in common.
func TestNothingIsGlobal(t *testing.T) {
	first, second := New(""), New("")
	serve(first)
	serve(second)
	first.Observe(httpserver.Exchange{Route: "/v1/models", Status: http.StatusOK})
	if _, text := ask(t, second, http.MethodGet, "/metrics"); strings.Contains(text, `svc_http_requests_total{`) {
		t.Error("what one has counted is in the metrics of the other")
	}
}
