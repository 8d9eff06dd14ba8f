// Package admin serves what operators ask a running server: whether it lives and
// is ready, its metrics for Prometheus, and profiles.
//
// It is meant for a listener of its own, which only operators reach: the paths
// of the catalog's interface stay what they are, and profiles are nobody else's
// business. Nothing here is global: every [Admin] has its own metrics.
package admin

import (
	"context"
	"io"
	"net/http"
	"net/http/pprof"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/httpapi"
)

// Admin is the handler of the listener. It is safe for concurrent use; [New]
// makes one, which is not ready yet.
type Admin struct {
	mux      *http.ServeMux
	registry *prometheus.Registry
	ready    atomic.Bool
	check    func(context.Context) error // of what is served, nil if nothing is to be checked

	requests  *prometheus.CounterVec
	durations *prometheus.HistogramVec
	refused   prometheus.Counter
}

// New returns an Admin that says that it lives but is not ready.
func New() *Admin {
	a := &Admin{
		mux:      http.NewServeMux(),
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "svc_http_requests_total",
			Help: "Requests by route and status. Status none: the connection broke without an answer.",
		}, []string{"route", "status"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "svc_http_request_duration_seconds",
			Help:    "Time from the head of a request until its answer was handed over.",
			Buckets: []float64{.0001, .0003, .001, .003, .01, .03, .1, .3, 1, 3, 10, 30, 60},
		}, []string{"route"}),
		refused: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "svc_rank_requests_refused_total",
			Help: "Rank requests refused with 503: no slot was free, or too many answers waited to be taken.",
		}),
	}
	a.registry.MustRegister(a.requests, a.durations,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	a.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "ok") })
	a.mux.HandleFunc("GET /readyz", a.readyz)
	a.mux.Handle("GET /metrics", promhttp.HandlerFor(a.registry, promhttp.HandlerOpts{}))
	a.mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	a.mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	a.mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	a.mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	a.mux.HandleFunc("POST /debug/pprof/symbol", pprof.Symbol)
	a.mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return a
}

// ServeHTTP answers a request of an operator.
func (a *Admin) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.mux.ServeHTTP(w, r) }

// Ready says from now on that the catalog is served, and adds the metrics of
// its handler. It must be called once at most.
func (a *Admin) Ready(h *httpapi.Handler, c *catalog.Catalog) {
	a.registry.MustRegister(a.refused,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "svc_rank_requests_in_flight",
			Help: "Rank requests that hold a slot: their bodies are being read or they are being evaluated.",
		}, func() float64 { return float64(h.RanksInFlight()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "svc_rank_answer_bytes_held",
			Help: "Bytes of answers to rank requests that their clients have not taken yet.",
		}, func() float64 { return float64(h.HeldBytes()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name:        "svc_catalog_info",
			Help:        "Always 1; the labels name the catalog that is served.",
			ConstLabels: prometheus.Labels{"digest": c.Digest(), "as_of": c.AsOf()},
		}, func() float64 { return 1 }),
	)
	a.ready.Store(true)
}

// ReadyToVerify says from now on that the verification endpoint is served, as long as
// its store can answer: check, which may be nil, reports why it cannot. It takes the
// place of [Admin.Ready] where there is no catalog.
func (a *Admin) ReadyToVerify(check func(context.Context) error) {
	a.check = check
	a.ready.Store(true)
}

// Stopping says from now on that the server is not ready, so that nobody sends
// new requests to it.
func (a *Admin) Stopping() { a.ready.Store(false) }

// Observe counts an exchange.
func (a *Admin) Observe(x httpapi.Exchange) {
	route, status := x.Route, strconv.Itoa(x.Status)
	if route == "" {
		route = "other"
	}
	if x.Status == 0 {
		status = "none"
	}
	a.requests.WithLabelValues(route, status).Inc()
	a.durations.WithLabelValues(route).Observe(x.Duration.Seconds())
	if x.Status == http.StatusServiceUnavailable {
		a.refused.Inc()
	}
}

func (a *Admin) readyz(w http.ResponseWriter, r *http.Request) {
	const checkTime = 5 * time.Second
	ctx, stop := context.WithTimeout(r.Context(), checkTime)
	defer stop()
	if !a.ready.Load() || a.check != nil && a.check(ctx) != nil {
		say(w, http.StatusServiceUnavailable, "not ready")
		return
	}
	say(w, http.StatusOK, "ok")
}

func say(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n") // a client that is gone needs no answer
}
