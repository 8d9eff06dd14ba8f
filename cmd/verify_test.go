package cmd

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/internal/verify/producer"
	"github.com/model-catalog-service/svc/internal/verify/status"
)

// The scripts of svc verify find the files of testdata/verify, the public keys
// ed25519.pem, p256.pem and other.pem, and in ENDPOINT the URL of producers,
// each at a path of its own, that answer from one of those files and misbehave
// as their name says.
func TestVerifyScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/verifyscript",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			passVariables(env)
			p := &producers{folder: env.WorkDir}
			if err := os.CopyFS(env.WorkDir, os.DirFS("testdata/verify")); err != nil {
				return err
			}
			example, err := os.ReadFile("../examples/catalog.json")
			if err == nil {
				err = os.WriteFile(filepath.Join(env.WorkDir, "catalog.json"), example, 0o600)
			}
			if err != nil {
				return err
			}
			server := httptest.NewServer(p.handler(t))
			env.Defer(server.Close)
			env.Setenv("ENDPOINT", server.URL)
			env.Setenv("GONE", "http://127.0.0.1:0") // a port at which nobody can listen
			return p.writeAnswers(t)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "misuse": misuse},
	})
}

// producers are endpoints for the tests.
type producers struct {
	folder  string
	handles map[string]http.Handler
}

func (p *producers) handler(t *testing.T) http.Handler {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	check(t, err)
	ours := p.writeKey(t, "ed25519.pem", key, key.Public())
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(t, err)
	second := p.writeKey(t, "p256.pem", curve, curve.Public())
	_, key, err = ed25519.GenerateKey(rand.Reader)
	check(t, err)
	p.writeKey(t, "other.pem", key, key.Public())

	current := responder(t, "current.json", ours)
	as := func(answer func([]byte) []byte, r *producer.Responder) http.Handler { return changing(answer, r) }
	itself := func(body []byte) []byte { return body }
	p.handles = map[string]http.Handler{
		producer.HachurePath: as(itself, current),
		"/p256":              as(itself, responder(t, "current.json", second)),
		"/unsigned":          as(itself, responder(t, "current.json", nil)),
		"/same":              as(itself, responder(t, "held.json", nil)),
		"/changed":           as(itself, responder(t, "changed.json", nil)),
		"/collision":         as(itself, responder(t, "collision.json", nil)),
		"/older":             as(replacing(`"statusFunctionVersion":"4"`, `"statusFunctionVersion":"2"`), responder(t, "held.json", nil)),
		"/partial":           as(itself, responder(t, "partial.json", nil)),
		"/nothing":           as(itself, responder(t, "empty.json", nil)),
		"/swapped":           as(replacing(`"value":0.74`, `"value":0.99`), current),
		"/forged":            as(forge, current),
		"/replayed":          as(replacing(`"nonce":"`, `"nonce":"not `), responder(t, "current.json", nil)),
		"/silent":            as(replacing(`"nonce"`, `"noise"`), responder(t, "current.json", nil)),
		"/otherwise":         as(replacing(`"requestedRefs":["claim.fixed",`, `"requestedRefs":["claim.other",`), responder(t, "current.json", nil)),
		"/contradiction":     as(replacing(`"unknownRefs":[]`, `"unknownRefs":["claim.fixed"]`), responder(t, "current.json", nil)),
		"/besides":           as(replacing(`"events":[`, `"events":[`+besides+`,`), responder(t, "partial.json", nil)),
		"/broken":            as(func(body []byte) []byte { return body[:len(body)/2] }, current),
		"/foreign":           as(func([]byte) []byte { return []byte(`{"bundle":{"claims":[]}}`) }, current),
		"/down":              http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusServiceUnavailable) }),
		"/verbose":           http.HandlerFunc(verbose),
		"/guarded":           guarding("Bearer open-sesame", as(itself, responder(t, "held.json", nil))),
		"/moved":             http.RedirectHandler(producer.HachurePath, http.StatusTemporaryRedirect),
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := p.handles[r.URL.Path]
		if h == nil {
			h = http.NotFoundHandler()
		}
		h.ServeHTTP(w, r)
	})
}

// guarding lets those in who say a word.
func guarding(word string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != word {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// verbose answers with a reason of 100,000 characters.
func verbose(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, "HTTP/1.1 500 "+strings.Repeat("x ", 50_000)+"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
}

// besides is an event of a claim that is not in the answer.
const besides = `{"id":"event.speed.rejected","claimId":"claim.speed","status":"rejected","actor":"operator","method":"review","evidenceIds":[],"createdAt":"2026-06-03T00:00:00Z"}`

// changing answers as a responder does and changes the answer.
func changing(change func([]byte) []byte, r *producer.Responder) http.Handler {
	handler := producer.NewHandler(r, producer.HandlerOptions{})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.URL.Path = producer.HachurePath
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, r)
		w.WriteHeader(answer.Code)
		_, _ = w.Write(change(answer.Body.Bytes()))
	})
}

func replacing(old, new string) func([]byte) []byte {
	return func(body []byte) []byte { return bytes.ReplaceAll(body, []byte(old), []byte(new)) }
}

// forge signs with a signature of something else.
func forge(body []byte) []byte {
	var answer struct {
		Bundle   json.RawMessage `json:"bundle"`
		Envelope struct {
			Payload     string `json:"payload"`
			PayloadType string `json:"payloadType"`
			Signatures  []struct {
				KeyID string `json:"keyid"`
				Sig   string `json:"sig"`
			} `json:"signatures"`
		} `json:"envelope"`
	}
	if json.Unmarshal(body, &answer) != nil {
		return nil
	}
	answer.Envelope.Signatures[0].Sig = base64.StdEncoding.EncodeToString(make([]byte, ed25519.SignatureSize))
	body, _ = json.Marshal(answer)
	return body
}

// writeAnswers writes answers as files: one that is right, and one without what
// an answer tells of itself.
func (p *producers) writeAnswers(t *testing.T) error {
	for name, from := range map[string]string{"answer.json": producer.HachurePath, "unsigned.json": "/unsigned"} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, producer.HachurePath+"?ref=claim.fixed", nil)
		p.handles[from].ServeHTTP(w, r)
		if err := os.WriteFile(filepath.Join(p.folder, name), w.Body.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func responder(t *testing.T, file string, signer dsse.Signer) *producer.Responder {
	t.Helper()
	text, err := os.ReadFile("testdata/verify/" + file)
	check(t, err)
	bundle, err := bundle.Read(problem.Source{Name: file, Text: string(text)})
	check(t, err)
	store, err := producer.NewMemoryStore(bundle)
	check(t, err)
	r, err := producer.NewResponder(store, producer.ResponderOptions{
		Source: "acme-bench", StatusFunctionVersion: string(status.DefaultVersion), Signer: signer,
	})
	check(t, err)
	return r
}

// writeKey writes a public key and returns a signer with the private one.
func (p *producers) writeKey(t *testing.T, name string, private, public any) *dsse.KeySigner {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(public)
	check(t, err)
	text := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	check(t, os.WriteFile(filepath.Join(p.folder, name), text, 0o644))
	der, err = x509.MarshalPKCS8PrivateKey(private)
	check(t, err)
	text = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	check(t, os.WriteFile(filepath.Join(p.folder, strings.TrimSuffix(name, ".pem")+".key"), text, 0o600))
	signer, err := dsse.ReadSigner(text)
	check(t, err)
	return signer
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
