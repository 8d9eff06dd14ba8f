// Package registrytest runs a registry for tests: that of Debian's package docker-registry, which
// speaks TLS.
package registrytest

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/vectortest"
)

// Registry is a registry that runs until its test ends.
type Registry struct {
	Host   string // and port
	CA     string // a file
	Roots  *x509.CertPool
	Folder string // that holds what was pushed

	config  string // a file
	running *exec.Cmd
}

// Start starts a registry.
func Start(tb testing.TB) *Registry {
	tb.Helper()
	vectortest.Tool(tb, "docker-registry", "docker-registry for registries")
	s := httptest.NewTLSServer(http.NotFoundHandler()) // whose certificate is for loopback
	certificate, key := s.Certificate().Raw, s.TLS.Certificates[0].PrivateKey
	s.Close()
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		tb.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	folder := tb.TempDir()
	r := &Registry{Host: l.Addr().String(), CA: filepath.Join(folder, "ca.pem"), Roots: x509.NewCertPool(),
		Folder: filepath.Join(folder, "data"), config: filepath.Join(folder, "config.yml")}
	l.Close()
	r.Roots.AppendCertsFromPEM(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}))
	for name, text := range map[string][]byte{
		r.CA:                             pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}),
		filepath.Join(folder, "key.pem"): pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
		r.config: fmt.Appendf(nil, "version: 0.1\nlog: {level: error, accesslog: {disabled: true}}\n"+
			"storage: {filesystem: {rootdirectory: %s}}\nhttp: {addr: %s, tls: {certificate: %s, key: %s/key.pem}}\n",
			r.Folder, r.Host, r.CA, folder),
	} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	r.Again(tb)
	tb.Cleanup(func() { r.Stop() })
	return r
}

// Again starts the registry, after it was stopped.
func (r *Registry) Again(tb testing.TB) {
	tb.Helper()
	r.running = exec.Command("docker-registry", "serve", r.config)
	if err := r.running.Start(); err != nil {
		tb.Fatal(err)
	}
	for range 500 {
		if c, err := net.Dial("tcp", r.Host); err == nil {
			c.Close()
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	tb.Fatal("the registry does not start")
}

// Stop ends the registry.
func (r *Registry) Stop() {
	_ = r.running.Process.Kill() // it may have ended
	_ = r.running.Wait()
}
