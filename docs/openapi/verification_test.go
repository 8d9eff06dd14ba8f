package openapi

import (
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/internal/verify/producer"
	"github.com/model-catalog-service/svc/internal/verify/status"
	"github.com/model-catalog-service/svc/internal/verify/store"
)

// The servers of the verification endpoint.
const (
	unsigned = "unsigned"
	signed   = "signed"  // has a key
	away     = "away"    // has lost its store
	broken   = "broken"  // has a store that panics
	crowded  = "crowded" // answers as much at once as it does
	large    = "large"   // knows more of every ref than an answer may have
)

func TestVerificationService(t *testing.T) {
	drive(t, load(t, "verification.yaml"), startVerification(t), verificationCalls())
}

func verificationCalls() (calls []call) {
	for _, path := range []string{producer.ProfilePath, producer.HachurePath} {
		for _, method := range []string{"GET", "HEAD"} {
			calls = append(calls, queryCalls(method, path)...)
		}
		calls = append(calls, bodyCalls(path)...)
		for _, method := range []string{"PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"} {
			calls = append(calls, call{why: "not asked so", server: unsigned, method: method, path: path, target: path + "?ref=a",
				status: 405, code: "METHOD_NOT_ALLOWED"})
		}
	}
	// Paths that OpenAPI cannot describe, since they are all that it does not
	// describe. x-other-paths does, once for all.
	for target, why := range map[string]string{
		"/":                               "nothing stands at the root",
		"/v1/models":                      "the catalog is another service",
		"/healthz":                        "the operators' port is another",
		producer.ProfilePath + "/?ref=a":  "paths are exact",
		"/" + producer.ProfilePath[1:5]:   "half a path",
		"/.well-known/Profile/verify":     "case matters",
		"/.well-known/profile/verif%79":   "nothing is unescaped",
		"//.well-known/profile/verify":    "empty segments count",
		"/.well-known/hachure/./verify":   "dots are segments",
		"/.well-known/profile/verify/x/y": "more than a path",
	} {
		for _, method := range []string{"GET", "HEAD", "POST", "DELETE", "OPTIONS"} {
			calls = append(calls, call{why: why, server: unsigned, method: method, target: target, status: 404, code: "NOT_FOUND"})
		}
	}
	return append(calls, call{why: "the server as a whole", server: unsigned, method: "OPTIONS", target: "*", status: 404, code: "NOT_FOUND"})
}

func queryCalls(method, path string) (calls []call) {
	ask := func(why, server, query string, status int, code string) *call {
		calls = append(calls, call{why: why, server: server, method: method, path: path, target: path + query, status: status, code: code})
		return &calls[len(calls)-1]
	}
	ask("two refs, a nonce", unsigned, "?ref=claim.borealis-1.repairs&ref=claim.unknown&nonce=5d1f0c9a", 200, "")
	ask("without a nonce", unsigned, "?ref=claim.unknown&"+ignored, 200, "")
	ask("signed", signed, "?ref=claim.unknown", 200, "")
	ask("asks for another representation", unsigned, "?ref=claim.unknown", 200, "").plus =
		map[string]string{"Accept": "text/html", "Accept-Encoding": "gzip", "If-None-Match": "*", "Range": "bytes=0-1"}
	ask("no ref", unsigned, "", 400, "INVALID_VERIFY_REQUEST")
	ask("empty ref", unsigned, "?ref=", 400, "INVALID_VERIFY_REQUEST")
	ask("too long a ref", unsigned, "?ref="+strings.Repeat("x", 2049), 400, "INVALID_VERIFY_REQUEST")
	ask("too many refs", unsigned, "?"+strings.Repeat("ref=x&", 257), 400, "INVALID_VERIFY_REQUEST")
	ask("empty nonce", unsigned, "?ref=x&nonce=", 400, "INVALID_VERIFY_REQUEST")
	ask("two nonces", unsigned, "?ref=x&nonce=1&nonce=1", 400, "INVALID_VERIFY_REQUEST")
	ask("malformed escape", unsigned, "?ref=%zz", 400, "INVALID_VERIFY_REQUEST")
	ask("no UTF-8", unsigned, "?ref=%FF", 400, "INVALID_VERIFY_REQUEST")
	ask("much is known", large, "?ref=x", 422, "ANSWER_TOO_LARGE")
	ask("the store is away", away, "?ref=x", 503, "STORE_UNAVAILABLE")
	ask("the store panics", broken, "?ref=x", 500, "INTERNAL_ERROR")
	ask("much is asked", crowded, "?ref=x", 503, "VERIFY_CAPACITY_EXCEEDED")
	return calls
}

func bodyCalls(path string) (calls []call) {
	const media = "application/json"
	ask := func(why, server, media, body string, status int, code string) *call {
		calls = append(calls, call{why: why, server: server, method: "POST", path: path, header: map[string]string{"Content-Type": media},
			body: body, status: status, code: code})
		return &calls[len(calls)-1]
	}
	const question = `{"refs":["claim.borealis-1.repairs","claim.unknown"],"nonce":"5d1f0c9a"}`
	tooLong := question + strings.Repeat(" ", 1<<20+1-len(question))
	ask("two refs, a nonce", unsigned, media, question, 200, "")
	ask("another spelling of the type", unsigned, "Application/JSON; charset=utf-8", `{"refs":["x","x"],"later":{}}`, 200, "")
	ask("signed", signed, media, `{"refs":["claim.unknown"]}`, 200, "")
	ask("as long as may be", unsigned, media, tooLong[:1<<20], 200, "")
	ask("the query is not looked at", unsigned, media, question, 200, "").target = path + "?" + ignored
	ask("no JSON", unsigned, media, "who?", 400, "INVALID_VERIFY_REQUEST")
	ask("no body", unsigned, media, "", 400, "INVALID_VERIFY_REQUEST")
	ask("no refs", unsigned, media, `{"refs":[]}`, 400, "INVALID_VERIFY_REQUEST")
	ask("no text", unsigned, media, `{"refs":[1]}`, 400, "INVALID_VERIFY_REQUEST")
	ask("empty nonce", unsigned, media, `{"refs":["x"],"nonce":""}`, 400, "INVALID_VERIFY_REQUEST")
	ask("compressed", unsigned, media, "\x1f\x8b\x08", 400, "INVALID_VERIFY_REQUEST").plus = map[string]string{"Content-Encoding": "gzip"}
	ask("too long, as declared", unsigned, media, tooLong, 413, "PAYLOAD_TOO_LARGE")
	ask("too long, as it turns out", unsigned, media, tooLong, 413, "PAYLOAD_TOO_LARGE").stream = true
	ask("another type", unsigned, "text/plain", question, 415, "UNSUPPORTED_MEDIA_TYPE")
	ask("another type, too long", unsigned, "text/plain", tooLong, 415, "UNSUPPORTED_MEDIA_TYPE")
	ask("no type", unsigned, "", question, 415, "UNSUPPORTED_MEDIA_TYPE")
	ask("much is known", large, media, question, 422, "ANSWER_TOO_LARGE")
	ask("the store is away", away, media, question, 503, "STORE_UNAVAILABLE")
	ask("the store panics", broken, media, question, 500, "INTERNAL_ERROR")
	ask("much is asked", crowded, media, question, 503, "VERIFY_CAPACITY_EXCEEDED")
	return calls
}

// startVerification starts all servers of the endpoint.
func startVerification(t *testing.T) map[string]string {
	t.Helper()
	address, err := store.ParseAddress("file:../../examples/claims.json")
	if err != nil {
		t.Fatal(err)
	}
	records, closeStore, err := store.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := closeStore(); err != nil {
			t.Error(err)
		}
	})
	handler := func(records producer.Store, signer dsse.Signer, now func() time.Time) *producer.Handler {
		responder, err := producer.NewResponder(records, producer.ResponderOptions{
			Source: "bench.example.org", StatusFunctionVersion: string(status.DefaultVersion), Signer: signer,
		})
		if err != nil {
			t.Fatal(err)
		}
		return producer.NewHandler(responder, producer.HandlerOptions{Now: now})
	}
	serve := func(records producer.Store, signer dsse.Signer) string {
		return start(t, handler(records, signer, func() time.Time { return time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC) }))
	}
	end := make(chan struct{})
	full := handler(records, nil, func() time.Time { <-end; return time.Now() })
	crowd(t, full, end)
	return map[string]string{
		unsigned: serve(records, nil),
		signed:   serve(records, exampleSigner(t)),
		large: serve(lookup(func() (*bundle.Records, error) {
			claim := bundle.Record{ID: "x", JSON: `{"id":"x","value":"` + strings.Repeat("x", producer.MaxAnswerBytes) + `"}`}
			return &bundle.Records{Claims: []bundle.Record{claim}}, nil
		}), nil),
		away:    serve(lookup(func() (*bundle.Records, error) { return nil, errors.New("away") }), nil),
		broken:  serve(lookup(func() (*bundle.Records, error) { panic(http.ErrNotSupported) }), nil),
		crowded: start(t, full),
	}
}

// crowd asks a handler, whose clock stands until the end, until it answers no more
// at once.
func crowd(t *testing.T, h *producer.Handler, end chan struct{}) {
	t.Helper()
	var all sync.WaitGroup
	t.Cleanup(func() {
		close(end)
		all.Wait()
	})
	var isFull atomic.Bool
	for !isFull.Load() {
		before := h.AnswersInFlight()
		all.Go(func() {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, producer.HachurePath+"?ref=x", nil))
			if w.Code == http.StatusServiceUnavailable {
				isFull.Store(true)
			}
		})
		for h.AnswersInFlight() == before && !isFull.Load() {
			time.Sleep(time.Millisecond)
		}
	}
}

// lookup is a store that answers all refs alike.
type lookup func() (*bundle.Records, error)

func (l lookup) LookupByIntegrityRef(context.Context, string) (*bundle.Records, error) { return l() }

// exampleSigner signs with a key that is the same each time, so that the example
// in the description is a real answer.
func exampleSigner(t *testing.T) dsse.Signer {
	t.Helper()
	seed := make([]byte, ed25519.SeedSize)
	der, err := x509.MarshalPKCS8PrivateKey(ed25519.NewKeyFromSeed(seed))
	if err != nil {
		t.Fatal(err)
	}
	signer, err := dsse.ReadSigner(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	if err != nil {
		t.Fatal(err)
	}
	return signer
}
