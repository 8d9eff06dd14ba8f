// Package operators serves what operators ask a running server: whether it lives
// and is ready, its metrics for Prometheus, and profiles.
//
// It is meant for a listener of its own, which only operators reach: the paths of the
// servers stay what they are, and profiles are nobody else's business. Nobody is asked for
// a password, so a web page must not reach it through a browser of this machine: a request
// is answered only if its Host is an address, localhost, the name of this machine or the
// one that the port was given by. A page that lets its own name point here sends that name.
//
// Nothing here is global: every [Operators] has its own metrics.
package operators

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/model-catalog-service/svc/internal/httpserver"
)

// Operators is the handler of the listener. It is safe for concurrent use; [New]
// makes one, which is not ready yet.
type Operators struct {
	endpoint httpserver.Endpoint
	names    []string // of this machine, as a Host may give them
	foreign  httpserver.Answer
	mux      *http.ServeMux
	registry *prometheus.Registry
	ready    atomic.Bool
	check    func(context.Context) error // set before ready is

	requests  *prometheus.CounterVec
	durations *prometheus.HistogramVec
	refused   atomic.Int64
}

// New returns a handler that says that the server lives but is not ready. The
// host is the one by which its listener was asked for, or empty.
func New(host string) *Operators {
	o := &Operators{
		endpoint: httpserver.Endpoint{
			Failed: httpserver.NewAnswer(http.StatusInternalServerError, []byte("failed\n")),
			Logger: slog.New(slog.DiscardHandler),
		},
		names: []string{"localhost", host},
		foreign: httpserver.NewAnswer(http.StatusForbidden, []byte("this port answers to addresses, to localhost and to "+
			"the names of its machine; "+
			"for another name, give that in admin.addr\n")).With("Content-Type", "text/plain; charset=utf-8"),
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
	}
	if name, err := os.Hostname(); err == nil {
		o.names = append(o.names, name)
	}
	o.registry.MustRegister(o.requests, o.durations,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	o.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, "ok") })
	o.mux.HandleFunc("GET /readyz", o.readyz)
	o.mux.Handle("GET /metrics", promhttp.HandlerFor(o.registry, promhttp.HandlerOpts{}))
	o.mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	o.mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	o.mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	o.mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	o.mux.HandleFunc("POST /debug/pprof/symbol", pprof.Symbol)
	o.mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return o
}

// ServeHTTP answers a request of an operator.
func (o *Operators) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.endpoint.Serve(w, r, func(c *httpserver.Call) {
		if !(httpserver.Admission{Names: o.names}).Admits(r) {
			c.Send(&o.foreign)
			return
		}
		c.Handle(o.mux)
	})
}

// Service is what is served while a server is ready.
type Service struct {
	// Check, if not nil, reports why what is served cannot answer now. It is called
	// for each question about readiness.
	Check func(context.Context) error

	Work      string       // what takes slots, as a part of the names of metrics
	InFlight  func() int   // slots that are taken
	HeldBytes func() int64 // of answers that are not taken yet

	// Catalog returns the digest and the instant of the catalog; nil where there is none.
	Catalog func() (digest, asOf string)
	// Trust returns what became of that catalog, in a word, which is empty where nobody asks; nil as
	// Catalog.
	Trust func() string
	// Failures counts how often a newer catalog was not taken; nil where none is looked for.
	Failures func() int64
}

// Ready says from now on that something is served, and adds its metrics. It must
// be called once at most.
func (o *Operators) Ready(s Service) {
	o.registry.MustRegister(
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "svc_" + s.Work + "_requests_refused_total",
			Help: "Requests answered with 503.",
		}, func() float64 { return float64(o.refused.Load()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "svc_" + s.Work + "_requests_in_flight",
			Help: "Requests that hold a slot: their answers are being made.",
		}, func() float64 { return float64(s.InFlight()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "svc_" + s.Work + "_answer_bytes_held",
			Help: "Bytes of answers that their clients have not taken yet.",
		}, func() float64 { return float64(s.HeldBytes()) }),
	)
	if s.Catalog != nil {
		o.registry.MustRegister(info{prometheus.NewDesc("svc_catalog_info",
			"Always 1; the labels name the catalog that is served.", []string{"digest", "as_of"}, nil), func() []string {
			digest, asOf := s.Catalog()
			return []string{digest, asOf}
		}})
	}
	if s.Trust != nil {
		o.registry.MustRegister(info{prometheus.NewDesc("svc_catalog_trust",
			"Always 1; the label says what became of the catalog that is served.", []string{"state"}, nil), func() []string {
			if state := s.Trust(); state != "" {
				return []string{state}
			}
			return nil
		}})
	}
	if s.Failures != nil {
		o.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "svc_follow_failures_total",
			Help: "How often the catalog that a tag names could not be taken, so that the one before is served.",
		}, func() float64 { return float64(s.Failures()) }))
	}
	o.check = s.Check
	o.ready.Store(true)
}

// info is a metric that is always 1, and whose labels tell of what may change; it is left out where
// there are none.
type info struct {
	desc   *prometheus.Desc
	labels func() []string
}

func (i info) Describe(to chan<- *prometheus.Desc) { to <- i.desc }

func (i info) Collect(to chan<- prometheus.Metric) {
	if labels := i.labels(); labels != nil {
		to <- prometheus.MustNewConstMetric(i.desc, prometheus.GaugeValue, 1, labels...)
	}
}

// Stopping says from now on that the server is not ready, so that nobody sends
// new requests to it.
func (o *Operators) Stopping() { o.ready.Store(false) }

// Observe counts an exchange.
func (o *Operators) Observe(x httpserver.Exchange) {
	route, status := x.Route, strconv.Itoa(x.Status)
	if route == "" {
		route = "other"
	}
	if x.Status == 0 {
		status = "none"
	}
	o.requests.WithLabelValues(route, status).Inc()
	o.durations.WithLabelValues(route).Observe(x.Duration.Seconds())
	if x.Status == http.StatusServiceUnavailable {
		o.refused.Add(1)
	}
}

func (o *Operators) readyz(w http.ResponseWriter, r *http.Request) {
	const checkTime = 5 * time.Second
	ctx, stop := context.WithTimeout(r.Context(), checkTime)
	defer stop()
	if !o.ready.Load() || o.check != nil && o.check(ctx) != nil {
		answer(w, http.StatusServiceUnavailable, "not ready")
		return
	}
	answer(w, http.StatusOK, "ok")
}

func answer(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n") // a client that is gone needs no answer
}
