package httpapi

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/httpserver"
)

// A panic and an error that nobody foresaw are answered with 500 and all
// headers. The cause is in the log, not in the answer.
func TestFailure(t *testing.T) {
	for name, fail := range map[string]func() error{
		"panic":            func() error { panic("the cause") },
		"panic with error": func() error { panic(errors.New("the cause")) },
		"nil dereference":  func() error { var h *Handler; return errors.New(h.etag + "the cause") },
		"error":            func() error { return errors.New("the cause") },
	} {
		t.Run(name, func(t *testing.T) {
			var log recordedLog
			h := newTestHandler(t, smallCatalog(t), Options{MaxConcurrentRankRequests: 1, Logger: log.logger(slog.LevelInfo)})
			h.rank = func(_ context.Context, dst []byte, _ string) ([]byte, error) { return dst, fail() }
			address := start(t, h)
			protocols(t, func(t *testing.T, client *http.Client) {
				for range 3 { // the slot is free again each time
					got := postRank(t, client, address, strings.NewReader(rankRequest))
					if got.StatusCode == http.StatusServiceUnavailable {
						continue // the other protocol has the slot
					}
					got.wants(t, h, http.StatusInternalServerError, httpserver.CodeInternalError)
					if got.text != string(h.refusals.failed.Body[0]) || !strings.Contains(got.text, `"message":"Request handling failed."`) {
						t.Errorf("the answer is %s", got.text)
					}
				}
			})
			t.Cleanup(func() {
				cause := "the cause"
				if name == "nil dereference" {
					cause = "nil pointer"
				}
				if !strings.Contains(log.String(), cause) || !strings.Contains(log.String(), "level=ERROR") {
					t.Errorf("the log is %q", log.String())
				}
				if strings.Contains(log.String(), "context.window") {
					t.Error("the log holds the body")
				}
			})
		})
	}
}

// failingWriter fails after some bytes of a body.
type failingWriter struct {
	http.ResponseWriter
	left int
	fail func() error
}

func (w *failingWriter) Write(b []byte) (int, error) {
	if len(b) > w.left {
		n, _ := w.ResponseWriter.Write(b[:w.left])
		w.left = 0
		return n, w.fail()
	}
	w.left -= len(b)
	return w.ResponseWriter.Write(b)
}

func (w *failingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// What fails once the head was sent breaks the connection: no client takes what
// it has for the whole.
func TestFailureBehindHead(t *testing.T) {
	for name, fail := range map[string]func() error{
		"panic": func() error { panic("the cause") },
		"error": func() error { return errors.New("the cause") },
	} {
		for _, left := range []int{0, 1, 100, 4000, 100000} {
			h := newTestHandler(t, generatedCatalog(t, 200), Options{})
			address := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				h.ServeHTTP(&failingWriter{w, left, fail}, r)
			}))
			t.Run(name, func(t *testing.T) {
				protocols(t, func(t *testing.T, client *http.Client) {
					r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/v1/catalog/snapshot", nil)
					if err != nil {
						t.Fatal(err)
					}
					got, err := client.Do(r)
					if err != nil {
						return // not even the head came
					}
					defer got.Body.Close()
					if body, err := io.ReadAll(got.Body); err == nil {
						t.Errorf("the answer is complete with %d bytes", len(body))
					}
				})
			})
		}
	}
}

// A panic with http.ErrAbortHandler is the library's way to break a connection,
// and stays one.
func TestAbortStaysOne(t *testing.T) {
	var log recordedLog
	h := newTestHandler(t, smallCatalog(t), Options{Logger: log.logger(slog.LevelInfo)})
	h.rank = func(context.Context, []byte, string) ([]byte, error) { panic(http.ErrAbortHandler) }
	w := dial(t, start(t, h))
	w.send(t, rankHead(contentLength(2))+"{}")
	w.wantsClose(t)
	if log.String() != "" {
		t.Errorf("it is logged: %s", log.String())
	}
}

// A debug log has a line for each request and never a body. The observer hears
// the pattern of the path.
func TestReport(t *testing.T) {
	var log recordedLog
	seen := make(chan httpserver.Exchange, 10)
	h := newTestHandler(t, smallCatalog(t), Options{
		Logger:  log.logger(slog.LevelDebug),
		Observe: func(x httpserver.Exchange) { seen <- x },
	})
	address := start(t, h)
	client := newClient(t, false)
	for path, want := range map[string]httpserver.Exchange{
		"/v1/models":           {Route: "/v1/models", Status: 200},
		"/v1/models/unknown":   {Route: "/v1/models/{key}", Status: 404},
		"/v1/catalog/snapshot": {Route: "/v1/catalog/snapshot", Status: 200},
		"/v1/rank":             {Route: "/v1/rank", Status: 405},
		"/v2":                  {Status: 404},
		"/some%0Awhere":        {Status: 404},
	} {
		get(t, client, "http://"+address+path)
		got := <-seen
		if got.Route != want.Route || got.Status != want.Status || got.Method != http.MethodGet || !got.Complete || got.Duration <= 0 {
			t.Errorf("%s is reported as %+v", path, got)
		}
		if !strings.Contains(log.String(), "path="+path+" ") && path != "/some%0Awhere" {
			t.Errorf("%s is not in the log: %s", path, log.String())
		}
	}
	postRank(t, client, address, strings.NewReader(rankRequest))
	<-seen
	if strings.Contains(log.String(), "context.window") {
		t.Error("the log holds a body")
	}
	if n := strings.Count(log.String(), "\n"); n != 7 {
		t.Errorf("the log has %d lines for 7 requests", n)
	}
}

// Options that are not positive integers are refused, zero stands for the default.
func TestOptions(t *testing.T) {
	for _, options := range []Options{{MaxConcurrentRankRequests: -1}, {MaxRankResponseBytes: -1}} {
		if _, err := NewHandler(smallCatalog(t), options); err == nil || !strings.Contains(err.Error(), "must be a positive integer, is -1") {
			t.Errorf("%+v: %v", options, err)
		}
	}
	h := newTestHandler(t, smallCatalog(t), Options{})
	if h.options.MaxConcurrentRankRequests != 4 || h.options.MaxRankResponseBytes != 8388608 {
		t.Errorf("%+v", h.options)
	}
}
