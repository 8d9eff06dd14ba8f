package fetch

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
)

// host is the name of the site that tests ask. No one has it.
const host = "site.example"

// site is a server with HTTPS on loopback, and a manifest that approves its
// origin in the place of the real ones.
type site struct {
	origin   string
	manifest *sources.Manifest
	opts     Options
	world    World
	mux      *http.ServeMux
	resolver *fakeResolver

	mu    sync.Mutex
	asked []string // method, path and condition of each request
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{mux: http.NewServeMux(), resolver: &fakeResolver{addresses: [][]string{{"127.0.0.1"}}}}
	server := httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // broken connections are what the tests want
	certificate, roots := newCertificate(t)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	s.origin = "https://" + host + ":" + port
	s.manifest = manifestOf(t, s.origin)
	s.opts = Options{Timeout: 10 * time.Second, Roots: roots}
	s.world = World{
		Resolver: s.resolver,
		Permit:   func(a netip.Addr) bool { return a == netip.MustParseAddr("127.0.0.1") },
		Wait:     func(context.Context, time.Duration) {},
		Idle:     5 * time.Second,
		Now:      func() time.Time { return time.Date(2026, 11, 1, 6, 0, 0, 123456789, time.UTC) },
	}
	return s
}

func (s *site) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked = append(s.asked, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+r.Header.Get("If-None-Match")))
	s.mu.Unlock()
	s.mux.ServeHTTP(w, r)
}

func (s *site) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}

// answer serves a body under a path.
func (s *site) answer(path, mediaType, body string) {
	s.mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		_, _ = io.WriteString(w, body) // a client that left is not our matter
	})
}

// fakeResolver answers each look-up with the next addresses, and the last ones
// for ever.
type fakeResolver struct {
	mu        sync.Mutex
	addresses [][]string
}

func (f *fakeResolver) LookupNetIP(_ context.Context, _, name string) (out []netip.Addr, err error) {
	if name != host {
		return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, a := range f.addresses[0] {
		out = append(out, netip.MustParseAddr(a))
	}
	if len(f.addresses) > 1 {
		f.addresses = f.addresses[1:]
	}
	return out, nil
}

func newCertificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, roots
}

var digestOf = regexp.MustCompile(`approves as (\S+): its digest is ([0-9a-f]{64})`)

// manifestOf is the packaged manifest with all sources on the origin, and with
// 64 KiB for each resource.
func manifestOf(t *testing.T, origin string) *sources.Manifest {
	t.Helper()
	text := sourcetest.Manifest(t).JSON()
	for _, real := range []string{"https://livebench.ai", "https://raw.githubusercontent.com", "https://openrouter.ai", "https://codeload.github.com"} {
		text = strings.ReplaceAll(text, real, origin)
	}
	text = regexp.MustCompile(`"maxBytes":\d+`).ReplaceAllString(text, `"maxBytes":65536`)
	src := problem.Source{Name: "manifest", Text: text}
	registry := sources.DefaultRegistry()
	_, err := sources.ParseManifest(src, registry)
	for _, e := range problem.All(err) {
		if found := digestOf.FindStringSubmatch(e.Reason); found != nil {
			registry[found[1]] = found[2]
		}
	}
	m, err := sources.ParseManifest(src, registry)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// fetch downloads into the folder, which is one that need not exist.
func (s *site) fetch(source, revision, folder string) ([]SavedFile, error) {
	return fetch(context.Background(), Request{Manifest: s.manifest, Source: source, Revision: revision, Folder: folder}, s.opts, s.world)
}

// names returns what is in a folder, nothing if it is not there.
func names(t *testing.T, folder string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func fetch(ctx context.Context, req Request, opts Options, w World) ([]SavedFile, error) {
	opts.World = &w
	return Fetch(ctx, req, opts)
}
