package follow

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/cmd/internal/config"
	"github.com/model-catalog-service/svc/cmd/internal/trust"
	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/httpapi"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/internal/verify/channel"
	"github.com/model-catalog-service/svc/internal/verify/producer"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
)

// log is what a server logs.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// source is an endpoint that answers for a channel.
type source struct {
	*channel.Channel
	*producer.Handler
	key verifytest.KeyPair
}

// change changes the channel, and has the endpoint answer accordingly.
func (s *source) change(t *testing.T, change func(now string) error) {
	t.Helper()
	now, _ := timestamp.Format(time.Now())
	if err := change(now); err != nil {
		t.Fatal(err)
	}
	store, err := producer.NewMemoryStore(verifytest.Bundle(t, string(s.JSON())))
	if err != nil {
		t.Fatal(err)
	}
	r, err := producer.NewResponder(store, producer.ResponderOptions{Source: "acme", StatusFunctionVersion: "4", Signer: s.key.Signer})
	if err != nil {
		t.Fatal(err)
	}
	if s.Handler == nil {
		s.Handler = producer.NewHandler(r, producer.HandlerOptions{})
	}
	s.Replace(r)
}

// A server learns while it serves that its catalog was superseded or withdrawn: it answers on, every answer and the page say so, and
// it is not ready for more.
func TestJudgedWhileServing(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../examples/catalog.json")
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Parse(t.Context(), problem.Source{Text: string(text)})
	if err != nil {
		t.Fatal(err)
	}
	about := channel.Catalog{Digest: c.Digest(), File: canonical.SumText(string(text)), AsOf: c.AsOf()}
	next := channel.Catalog{Digest: strings.Repeat("b", 64), File: strings.Repeat("f", 64), AsOf: c.AsOf()}
	s := &source{Channel: channel.New("acme"), key: verifytest.NewEd25519(t)}
	s.change(t, func(now string) error { return s.Publish(about, nil, now) })
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.Handler.ServeHTTP(w, r) }))
	t.Cleanup(endpoint.Close)
	der, err := x509.MarshalPKIXPublicKey(s.key.Private.Public())
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	key := filepath.Join(folder, "key.pem")
	if err := os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	policies := trust.Policies{Own: config.Trust{Key: key, Endpoint: endpoint.URL, MaxAge: "1s"}}
	judged := trust.Catalog{Name: filepath.Join(folder, "catalog.json"), About: about, Envelopes: func() ([]string, error) { return nil, nil }}
	v, err := policies.Judge(t.Context(), judged)
	if err != nil {
		t.Fatal(err)
	}
	logged := &log{}
	f := &Server{Options: httpapi.Options{Logger: slog.New(slog.NewTextHandler(logged, nil))},
		Front: func(_ *catalog.Catalog, sentence string, api *httpapi.Handler) (http.Handler, error) {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("X-Page", sentence)
				api.ServeHTTP(w, r)
			}), nil
		}}
	if err := f.Take(c, v, ""); err != nil {
		t.Fatal(err)
	}
	operators := f.Service()
	wants := func(state, page string, ready error) {
		t.Helper()
		deadline := time.Now().Add(30 * time.Second) // on a busy machine
		for {
			w := httptest.NewRecorder()
			f.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/v1/models", nil))
			got := w.Result().Header
			if w.Code == http.StatusOK && got.Get("X-Service-Catalog-Trust") == state && strings.Contains(got.Get("X-Page"), page) &&
				errors.Is(operators.Check(t.Context()), ready) && operators.Trust() == state {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("status %d, %v, metric %s, ready: %v; log: %s", w.Code, got, operators.Trust(), operators.Check(t.Context()), logged)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	wants("verified", "is the current build", nil)
	defer f.Start(t.Context())()
	s.change(t, func(now string) error { return s.Publish(next, nil, now) })
	wants("superseded", "was superseded at ", nil)
	s.change(t, func(now string) error { return s.Withdraw(about.Digest, "wrong prices", now) })
	wants("withdrawn", ": wrong prices.", errWithdrawn)
	for _, want := range []string{"level=WARN msg=\"catalog judged\" digest=" + c.Digest() + " state=superseded before=verified",
		"level=ERROR msg=\"catalog judged\" digest=" + c.Digest() + " state=withdrawn before=superseded"} {
		if !strings.Contains(logged.String(), want) {
			t.Errorf("the log lacks %s:\n%s", want, logged)
		}
	}
	if _, err := policies.Judge(t.Context(), judged); !errors.As(err, new(*trust.RefusedError)) {
		t.Errorf("at a start, what was withdrawn gets %v", err)
	}
}

// Where nobody is asked there is nothing to look for.
func TestNothingToLookFor(t *testing.T) {
	f := &Server{}
	f.current.Store(&served{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f.Start(ctx)() // it would wait for a run
	if o := f.Service(); o.Failures != nil || o.Check(t.Context()) != nil {
		t.Errorf("%+v", o)
	}
}
