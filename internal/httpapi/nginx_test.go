package httpapi

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/httpserver"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// The configuration of the examples, behind the real nginx: passwords and rate
// limits are nginx's, everything else comes through as it is.
func TestNginx(t *testing.T) {
	nginx := vectortest.Tool(t, "nginx", "nginx-light")
	h := newTestHandler(t, smallCatalog(t), Options{})
	svc := start(t, h)
	socket := startNginx(t, nginx, svc)
	client := newClient(t, false)
	client.Transport.(*http.Transport).DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}
	ask := func(method, path, user, body string, header ...string) response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, "http://svc.example"+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if user != "" {
			r.SetBasicAuth(user, "secret")
		}
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		return exchangeWith(t, client, r)
	}
	for _, path := range []string{"/v1/models", "/v1/rank"} {
		if got := ask(http.MethodGet, path, "", ""); got.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s without a password: status %d", path, got.StatusCode)
		}
		if got := ask(http.MethodGet, path, "stranger", ""); got.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s of a stranger: status %d", path, got.StatusCode)
		}
	}
	got := ask(http.MethodGet, "/v1/models", "reader", "")
	got.wants(t, h, http.StatusOK, "")
	if got.text != string(h.docs.list.Body[0]) {
		t.Errorf("the list is %s", got.text)
	}
	ask(http.MethodGet, "/v1/models", "reader", "", "If-None-Match", h.etag).wants(t, h, http.StatusNotModified, "")
	ask(http.MethodHead, "/v1/catalog/snapshot", "reader", "").wants(t, h, http.StatusOK, "")
	ask(http.MethodOptions, "/v1/rank", "", "").wants(t, h, http.StatusNoContent, "")
	ask(http.MethodPost, "/v1/rank", "reader", rankRequest).wants(t, h, http.StatusOK, "")
	ask(http.MethodPost, "/v1/rank", "reader", strings.Repeat(" ", 2<<20)).
		wants(t, h, http.StatusRequestEntityTooLarge, httpserver.CodePayloadTooLarge)
	// Paths come through as they were written.
	ask(http.MethodGet, "//v1//models/", "reader", "").wants(t, h, http.StatusOK, "")
	ask(http.MethodGet, "/v1/%6dodels", "reader", "").wants(t, h, http.StatusNotFound, httpserver.CodeNotFound)
	ask(http.MethodGet, "/v1%2Fmodels", "reader", "").wants(t, h, http.StatusNotFound, codeUnsupportedVersion)

	// However a path of ranks is written, their limit holds: no slash leads around it.
	const rate, burst, tries = 10, 20, 50
	for _, path := range []string{
		"/v1/rank", "/v1/rank/", "/v1/rank//", "//v1/rank", "/v1//rank", "///v1///rank///", "/v1/rank?x=y", "/v1/rank/?x=/y",
		"/v1/rank/?",
	} {
		begin, passed := time.Now(), 0
		for range tries {
			switch got := ask(http.MethodPost, path, "reader", rankRequest); got.StatusCode {
			case http.StatusOK:
				passed++
			case http.StatusTooManyRequests:
			default:
				t.Fatalf("%s: status %d", path, got.StatusCode)
			}
		}
		if most := 1 + burst + int(rate*time.Since(begin).Seconds()) + 1; passed > most {
			t.Errorf("%s: %d of %d ranks pass, want %d at most", path, passed, tries, most)
		}
		if got := ask(http.MethodOptions, path, "", ""); got.StatusCode != http.StatusNoContent && got.StatusCode != http.StatusTooManyRequests {
			t.Errorf("OPTIONS %s without a password: status %d", path, got.StatusCode)
		}
	}
	// What svc does not take for a rank may be limited as one, too.
	for _, path := range []string{"/v1/%72ank", "/v1/x/../rank", "/v1/rank/.", "/V1/rank", "/v1/rank/x", "/v1/rank;x"} {
		got := ask(http.MethodPost, path, "reader", rankRequest)
		if got.StatusCode != http.StatusNotFound && got.StatusCode != http.StatusTooManyRequests {
			t.Errorf("%s: status %d", path, got.StatusCode)
		}
	}
}

// startNginx runs nginx before a server and returns the socket at which it listens: nobody
// else can take that, as one could a port.
func startNginx(t *testing.T, nginx, svc string) string {
	t.Helper()
	config, err := os.ReadFile(filepath.Join("..", "..", "examples", "nginx.conf"))
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "nginx") // names of sockets must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "nginx.sock")
	for _, change := range [][2]string{{"127.0.0.1:4244", svc}, {"127.0.0.1:8080", "unix:" + socket}} {
		if bytes.Count(config, []byte(change[0])) != 1 {
			t.Fatalf("%s must be in the configuration once", change[0])
		}
		config = bytes.Replace(config, []byte(change[0]), []byte(change[1]), 1)
	}
	for name, text := range map[string]string{"nginx.conf": string(config), "passwords": "reader:{PLAIN}secret\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "tmp"), 0o700); err != nil {
		t.Fatal(err)
	}
	directives := "daemon off;"
	if os.Getuid() == 0 {
		directives += " user root;" // else the workers could not read the folder
	}
	var log recordedLog
	c := exec.Command(nginx, "-p", dir, "-c", "nginx.conf", "-g", directives)
	c.Stdout, c.Stderr = &log, &log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM)
		_ = c.Wait()
		if t.Failed() {
			t.Logf("nginx: %s", log.String())
		}
	})
	eventually(t, "nginx listens", func() bool {
		conn, err := net.Dial("unix", socket)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	return socket
}
