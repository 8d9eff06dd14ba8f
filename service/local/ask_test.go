package local_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/service/local"
	"github.com/model-catalog-service/svc/service/record"
	"github.com/model-catalog-service/svc/service/serve"
	"github.com/model-catalog-service/svc/service/verify"
)

func readBundle(t testing.TB, file string) *verify.Bundle {
	t.Helper()
	text, err := os.ReadFile("../../examples/" + file)
	if err != nil {
		t.Fatal(err)
	}
	bundle, err := verify.ParseBundle(text)
	if err != nil {
		t.Fatal(err)
	}
	return bundle
}

// newProducer serves a bundle to those who know a word, at the well-known path.
func newProducer(t *testing.T, file, word string) *httptest.Server {
	t.Helper()
	store, err := serve.NewMemoryStore(readBundle(t, file))
	if err != nil {
		t.Fatal(err)
	}
	responder, err := serve.NewResponder(store, serve.ResponderOptions{
		Source: "bench.example.org", StatusFunctionVersion: verify.StatusFunctionVersion,
	})
	if err != nil {
		t.Fatal(err)
	}
	handler := serve.NewVerificationHandler(responder, serve.VerificationOptions{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != word {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server
}

// authorized sends requests with a word.
type authorized string

func (a authorized) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", string(a))
	return http.DefaultTransport.RoundTrip(r)
}

// What an endpoint says of claims is received, with the nonce that was sent.
func TestAskEndpoint(t *testing.T) {
	held := readBundle(t, "claims-held.json")
	for word, options := range map[string]local.EndpointOptions{
		"":       {},
		"secret": {Transport: authorized("secret"), Ask: verify.AskOptions{MaxBytes: 1 << 20}},
	} {
		server := newProducer(t, "claims.json", word)
		answers, err := local.AskEndpoint(t.Context(), server.URL, held, options)
		if err != nil || len(answers) != 1 || answers[0].Nonce == "" || len(answers[0].Refs) != 2 {
			t.Fatalf("%+v, error %v", answers, err)
		}
		receipt, err := verify.Receive(held, answers, verify.ReceiveOptions{Now: time.Now().UTC().Format(time.RFC3339)})
		if err != nil || len(receipt.Claims) != 2 || receipt.Claims[0].After != record.StatusStale || receipt.Outcomes[0].Code != record.OutcomeStatusFell {
			t.Errorf("%+v, error %v", receipt, err)
		}
		at, err := local.VerifyAtEndpoint(t.Context(), server.URL, held, options, verify.ReceiveOptions{Now: receipt.Now})
		if err != nil || !slices.Equal(at.Claims, receipt.Claims) || len(at.Outcomes) != len(receipt.Outcomes) {
			t.Errorf("%+v, error %v; not %+v", at, err, receipt)
		}
	}
}

func TestAskEndpointErrors(t *testing.T) {
	held := readBundle(t, "claims-held.json")
	server := newProducer(t, "claims.json", "secret")
	if r, err := local.VerifyAtEndpoint(t.Context(), server.URL, held, local.EndpointOptions{}, verify.ReceiveOptions{Now: "2026-11-20T00:00:00Z"}); !errors.As(err, new(*local.EndpointError)) ||
		len(r.Claims) != 2 || r.Claims[0].Before == "" {
		t.Errorf("%+v, error %v", r, err)
	}
	for endpoint, want := range map[string]string{
		"producer.example":                     "the URL of the endpoint: must be a URL like https://producer.example",
		"https://user:secret@producer.example": "the URL of the endpoint: it holds a user or password, which others can see",
		server.URL:                             server.URL + "/.well-known/hachure/verify answered 401 Unauthorized",
		server.URL + "/nowhere":                server.URL + "/nowhere answered 401 Unauthorized",
		"http://127.0.0.1:0":                   "http://127.0.0.1:0/.well-known/hachure/verify does not answer: ",
	} {
		answers, err := local.AskEndpoint(t.Context(), endpoint, held, local.EndpointOptions{})
		if answers != nil || err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %+v, error %v", endpoint, answers, err)
		}
	}
	down := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }))
	defer down.Close()
	for endpoint, status := range map[string]int{server.URL: http.StatusUnauthorized, down.URL: http.StatusServiceUnavailable, "http://127.0.0.1:1": 0} {
		_, err := local.AskEndpoint(t.Context(), endpoint, held, local.EndpointOptions{})
		failed, ok := errors.AsType[*local.EndpointError](err)
		if !ok || failed.Status != status || !strings.HasPrefix(failed.Endpoint, endpoint) || errors.Is(err, syscall.ECONNREFUSED) != (status == 0) {
			t.Errorf("%s: %#v", endpoint, err)
		}
	}
	_, err := local.AskEndpoint(t.Context(), server.URL, held, local.EndpointOptions{Transport: authorized("secret"), Ask: verify.AskOptions{MaxBytes: 10}})
	if tooLarge, ok := errors.AsType[*verify.TooLargeError](err); !ok || tooLarge.Limit != 10 {
		t.Errorf("ten bytes: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := local.AskEndpoint(ctx, server.URL, held, local.EndpointOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}
