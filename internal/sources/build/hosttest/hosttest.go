// Package hosttest is a stand-in for the hosts of all sources: a server with HTTPS on loopback,
// with the files of the test data and faults on demand.
//
//	hosts := hosttest.New(t)
//	hosts.Serve(hosttest.OpenRouter, body)                 // from now on
//	hosts.Fail(hosttest.LiteLLM, func(w http.ResponseWriter, r *http.Request) { ... })
//
// A program is led to it by a resolver and a rule of addresses of its own; all else is as in the
// world.
package hosttest

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/sources/fetch"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// The addresses of the sources, as a server sees them: host and path.
const (
	ModelsDev  = "codeload.github.com/anomalyco/models.dev/tar.gz/refs/heads/dev"
	OpenRouter = "openrouter.ai/api/v1/models"
	LiteLLM    = "raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json"
	Genai      = "raw.githubusercontent.com/pydantic/genai-prices/main/prices/new_data/v2/data.json"
	Index      = "livebench.ai/"
	Bundle     = "livebench.ai/static/js/main.b0448181.js"
	Table      = "livebench.ai/table_2026_01_08.csv"
	Categories = "livebench.ai/categories_2026_01_08.json"
	LMArena    = "raw.githubusercontent.com/lmarena/arena-catalog/main/data/leaderboard-text-style-control.json"
	SWEBench   = "raw.githubusercontent.com/SWE-bench/swe-bench.github.io/master/data/leaderboards.json"
	Endpoints  = "raw.githubusercontent.com/sui414/openrouter-pricing-data/main/data/csv/endpoints/"
	EveryEval  = "codeload.github.com/evaleval/every_eval_ever/tar.gz/7ea9d9f32d35f23304792c292fa1fea1b36f3e71"
	Aider      = "raw.githubusercontent.com/Aider-AI/aider/cb6a152e5ee27fbc77ac499d5e628ccd74a5fa2a/" +
		"aider/website/_data/polyglot_leaderboard.yml"
)

// index and bundle list the releases of LiveBench, in the shape of its site.
const (
	index = `<!doctype html><html><head><script defer="defer" ` +
		`src="./static/js/main.b0448181.js"></script></head><body></body></html>`
	bundle = `const D=["2024-06-24","2024-07-26","2024-08-31","2026-01-08"];export default D;`
)

// Hosts is the server.
type Hosts struct {
	Port string
	CA   string // file with the certificate of the authority

	mu     sync.Mutex
	bodies map[string]served
	faults map[string]http.HandlerFunc
	asked  []string
}

// served is a body with its media type.
type served struct{ body, mediaType string }

// New starts the hosts, which serve nothing yet.
func New(t testing.TB) *Hosts {
	t.Helper()
	h := &Hosts{bodies: map[string]served{}, faults: map[string]http.HandlerFunc{},
		CA: filepath.Join(t.TempDir(), "ca.pem")}
	server := httptest.NewUnstartedServer(h)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // broken connections are what tests want
	certificate := h.certificate(t)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	_, h.Port, _ = net.SplitHostPort(server.Listener.Addr().String())
	return h
}

// certificate makes one for all hosts, and writes the authority's to a file.
func (h *Hosts) certificate(t testing.TB) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "hosts of tests"},
		DNSNames:  []string{"codeload.github.com", "openrouter.ai", "raw.githubusercontent.com", "livebench.ai"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.CA, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// ServeHTTP answers as the hosts do.
func (h *Hosts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := r.Host + r.URL.Path
	h.mu.Lock()
	h.asked = append(h.asked, name)
	if h.bodies[Endpoints].body != "" && strings.HasPrefix(name, Endpoints) {
		h.serveDay(name)
	}
	fault, one := h.faults[name], h.bodies[name]
	h.mu.Unlock()
	if fault != nil {
		fault(w, r)
		return
	}
	if one.body == "" {
		http.NotFound(w, r)
		return
	}
	h.answer(w, r, one)
}

// serveDay serves the table of endpoints at the address of a day, as if it had been made that day.
func (h *Hosts) serveDay(name string) {
	day := strings.TrimSuffix(strings.TrimPrefix(name, Endpoints+"date="), ".csv")
	one := h.bodies[Endpoints]
	one.body = strings.ReplaceAll(one.body, endpointsMade, day+"T00:00:00")
	h.bodies[name] = one
}

// endpointsMade is when the table of endpoints among the test data was made.
const endpointsMade = "2026-07-31T16:46:46"

func (h *Hosts) answer(w http.ResponseWriter, r *http.Request, one served) {
	w.Header().Set("Content-Type", one.mediaType)
	w.Header().Set("ETag", `"`+canonical.SumText(one.body)[:16]+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader([]byte(one.body)))
}

// Serve serves a body from now on, without a fault.
func (h *Hosts) Serve(address, body string) {
	mediaType := map[string]string{
		ModelsDev: "application/x-gzip", EveryEval: "application/x-gzip",
		OpenRouter: "application/json; charset=utf-8", Index: "text/html; charset=utf-8",
		Bundle: "application/javascript; charset=utf-8", Table: "text/csv; charset=utf-8",
		Categories: "application/json; charset=utf-8",
	}[address]
	if mediaType == "" {
		mediaType = "text/plain; charset=utf-8"
	}
	if address == ModelsDev || address == EveryEval {
		body = pack(body)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.bodies[address] = served{body, mediaType}
	delete(h.faults, address)
}

// pack compresses a tar as its host does.
func pack(tar string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, tar) // to memory
	_ = w.Close()
	return b.String()
}

// Fail lets a function answer in the place of the body; nil lets the body be served again.
func (h *Hosts) Fail(address string, fault http.HandlerFunc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if fault == nil {
		delete(h.faults, address)
	} else {
		h.faults[address] = fault
	}
}

// Asked returns what was asked for since it was called last.
func (h *Hosts) Asked() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	asked := h.asked
	h.asked = nil
	return asked
}

// ServeSite serves the pages of LiveBench that say which release is the newest.
func (h *Hosts) ServeSite() {
	h.Serve(Index, index)
	h.Serve(Bundle, bundle)
}

// ServeAll serves the files of the test data: five lists and four leaderboards, as of July 2026.
// The table of endpoints is that of whatever day is asked for.
func (h *Hosts) ServeAll(t testing.TB) {
	t.Helper()
	h.Serve(ModelsDev, vectortest.DataText(t, "data", "models-dev", "tree.2026-07-01.f3fc6922.tar"))
	h.Serve(OpenRouter, Capture(t, "2026-07-17"))
	h.Serve(LiteLLM, vectortest.DataText(t, "data", "litellm", "model_prices.2026-07-05.c8d84d09.json"))
	h.Serve(Genai, vectortest.DataText(t, "data", "genai-prices", "data.2026-07-30.e15b2669.json"))
	h.ServeSite()
	h.Serve(Table, vectortest.DataText(t, "data", "livebench", "table_2026_01_08.csv"))
	h.Serve(Categories, vectortest.DataText(t, "data", "livebench", "categories_2026_01_08.json"))
	h.Serve(Aider, vectortest.DataText(t, "data", "aider", "polyglot_leaderboard.2025-10-04.cb6a152e.yml"))
	h.Serve(Endpoints, vectortest.DataText(t, "data", "openrouter-endpoints", "endpoints.2026-07-31.csv"))
	h.Serve(EveryEval, vectortest.DataText(t, "data", "every-eval-ever", "data.7ea9d9f32.tar"))
	h.Serve(LMArena, vectortest.DataText(t, "data", "lmarena", "leaderboard-text.2025-11-06.json"))
	h.Serve(SWEBench, vectortest.DataText(t, "data", "swe-bench", "data.2025-01-22.json"))
}

// Capture returns what OpenRouter answered on a day, which a collector kept that may be named
// after it.
func Capture(t testing.TB, day string) string {
	t.Helper()
	if !strings.Contains(day, ".") {
		day += ".sui414"
	}
	text := vectortest.DataText(t, "data", "openrouter", "models."+day+".json")
	if strings.HasPrefix(strings.TrimSpace(text), "[") {
		return `{"data":` + text + `}`
	}
	return text
}

// World leads a program to the hosts at a port, at an instant.
func World(port string, now time.Time) *fetch.World {
	loopback := netip.MustParseAddr("127.0.0.1")
	return &fetch.World{
		Resolver: resolver{}, Permit: func(a netip.Addr) bool { return a == loopback }, Port: port,
		Now: func() time.Time { return now }, Wait: func(context.Context, time.Duration) {}, Idle: 2 * time.Second,
	}
}

// resolver finds all hosts on loopback.
type resolver struct{}

func (resolver) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
}
