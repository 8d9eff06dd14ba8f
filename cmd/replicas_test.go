package cmd

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/model-catalog-service/svc/cmd/internal/trust"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// replicas are servers that follow a tag, behind nginx.
type replicas struct {
	*shelf
	url     string // of nginx
	servers []*served
	digests map[string]string // of catalogs, by file
}

const balancer = `worker_processes 1; pid nginx.pid; error_log stderr warn;
events { worker_connections 1024; }
http { access_log off;
  client_body_temp_path tmp/body; proxy_temp_path tmp/proxy; fastcgi_temp_path tmp/fastcgi; uwsgi_temp_path tmp/uwsgi; scgi_temp_path tmp/scgi;
  upstream svc { %s keepalive 16; }
  server { listen %s; location / { proxy_pass http://svc; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_next_upstream off; } } }
`

// newReplicas starts three servers that follow a tag every second, by a policy with an endpoint, and nginx in front of them. The catalogs
// a to d are published and signed; a is there.
func newReplicas(t *testing.T) *replicas {
	t.Helper()
	nginx := vectortest.Tool(t, "nginx", "nginx-light")
	observations, err := filepath.Glob("../examples/observations/*")
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range observations {
		if observations[i], err = filepath.Abs(name); err != nil {
			t.Fatal(err)
		}
	}
	models := readFileOf(t, "../examples/models/catalog.json")
	r := &replicas{shelf: newShelf(t), digests: map[string]string{}}
	for i, name := range []string{"a.json", "b.json", "c.json", "d.json"} {
		text := models
		if name != "b.json" {
			text = []byte(runOK(t, slices.Concat([]string{"compile", "--as-of", fmt.Sprintf("2026-11-0%d", i+2)}, observations)...))
		}
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		r.digests[name] = regexp.MustCompile(`"digest":"([0-9a-f]{64})"`).FindStringSubmatch(string(text))[1]
		runOK(t, "attest", name, "--key", r.key, "--source", "bench.example.org", "--channel", "channel.json",
			"-o", strings.TrimSuffix(name, ".json")+".attestation.json")
	}
	runOK(t, "attest", "--withdraw", r.digests["d.json"], "--reason", "prices were wrong", "--channel", "channel.json")
	runOK(t, "verify-load", "--store", "sqlite:claims.db", "channel.json")
	source := verifyServe(t, nil, "--store", "sqlite:claims.db", "--signing-key", r.key)
	runOK(t, "push", "a.json", r.tag)
	upstream := ""
	for range 3 {
		s := startServing(t, []string{"SVC_SERVE_FOLLOW=1s", "SVC_TRUST_KEY=" + r.public, "SVC_TRUST_ENDPOINT=" + source.url},
			"serve", "--catalog", r.tag, "--port", "0")
		r.servers = append(r.servers, s)
		upstream += "server " + strings.TrimPrefix(s.url, "http://") + "; "
	}
	address := "127.0.0.1:" + freePort(t)
	if err := os.WriteFile("nginx.conf", fmt.Appendf(nil, balancer, upstream, address), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("tmp", 0o700); err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	directives := "daemon off;"
	if os.Getuid() == 0 {
		directives += " user root;"
	}
	front := exec.Command(nginx, "-p", here, "-c", "nginx.conf", "-g", directives)
	front.Stderr = os.Stderr
	if err := front.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = front.Process.Signal(os.Interrupt)
		_ = front.Wait()
	})
	for begin := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			break
		} else if time.Since(begin) > 30*time.Second {
			t.Fatal(err)
		}
	}
	r.url = "http://" + address
	return r
}

// digestAt asks one server, or nginx, which catalog it serves: the header and the body of an answer must agree.
func digestAt(ctx context.Context, url string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/v1/models", nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	said := regexp.MustCompile(`"digest":"([0-9a-f]{64})"`).FindSubmatch(text)
	if err != nil || response.StatusCode != http.StatusOK || said == nil {
		return "", fmt.Errorf("status %d, error %w", response.StatusCode, err)
	}
	if header := response.Header.Get("X-Service-Catalog-Digest"); header != string(said[1]) {
		return "", fmt.Errorf("torn: the header says %s, the body %s", header, said[1])
	}
	return string(said[1]), nil
}

// wait waits until all servers serve a catalog, and returns how long that took.
func (r *replicas) wait(t *testing.T, name string) time.Duration {
	t.Helper()
	begin := time.Now()
	for _, s := range r.servers {
		for {
			got, err := digestAt(t.Context(), s.url)
			if err != nil {
				t.Fatal(err)
			}
			if got == r.digests[name] {
				break
			}
			if time.Since(begin) > 30*time.Second { // on a busy machine
				t.Fatalf("%s is not served after %s:\n%s", name, time.Since(begin), s.stderr)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	return time.Since(begin)
}

// keep waits until all servers say why they keep the catalog that they have.
func (r *replicas) keep(t *testing.T, name, why string) {
	t.Helper()
	for _, s := range r.servers {
		for begin := time.Now(); !strings.Contains(s.stderr.String(), why); time.Sleep(10 * time.Millisecond) {
			if time.Since(begin) > 30*time.Second {
				t.Fatalf("the log lacks %q:\n%s", why, s.stderr)
			}
		}
	}
	if took := r.wait(t, name); took > 10*time.Second {
		t.Errorf("%s: %s is back after %s only", why, name, took)
	}
}

// Three replicas behind nginx follow a tag that is moved under load: no request fails, no answer is torn, and all serve the newest soon.
// Of what is damaged, withdrawn or unsigned, and without a registry, they keep what they have.
func TestReplicas(t *testing.T) {
	vectortest.SkipRace(t)
	moves := 50
	if vectortest.IsShort() {
		moves = 2
	}
	r := newReplicas(t)
	r.wait(t, "a.json")
	ctx, cancel := context.WithCancel(t.Context())
	var group errgroup.Group
	var requests atomic.Int64
	for range 4 {
		group.Go(func() error {
			for ctx.Err() == nil {
				if _, err := digestAt(t.Context(), r.url); err != nil {
					return err
				}
				requests.Add(1)
				time.Sleep(2 * time.Millisecond)
			}
			return nil
		})
	}
	var took []time.Duration
	for i := range moves {
		name := []string{"b.json", "a.json"}[i%2]
		runOK(t, "push", name, r.tag)
		took = append(took, r.wait(t, name))
	}
	slices.Sort(took)
	t.Logf("%d moves: all on the newest after %s, at most %s", moves, took[len(took)/2], took[len(took)-1])
	r.damage(t, "c.json")
	runOK(t, "push", "c.json", r.tag)
	r.keep(t, "a.json", "the registry sent other bytes than")
	runOK(t, "push", "d.json", r.tag)
	r.keep(t, "a.json", "prices were wrong")
	r.forget(t) // the attestations that there are
	if err := os.Remove("b.attestation.json"); err != nil {
		t.Fatal(err)
	}
	runOK(t, "push", "b.json", r.tag)
	r.keep(t, "a.json", trust.ErrUnsigned.Error())
	r.Stop()
	r.keep(t, "a.json", "connection refused")
	cancel()
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
	t.Logf("%d requests, none failed", requests.Load())
	if requests.Load() < 100 {
		t.Errorf("%d requests are no load", requests.Load())
	}
}

// damage puts a catalog under another tag, and changes a byte of it in the registry.
func (r *replicas) damage(t *testing.T, name string) {
	t.Helper()
	blobs := func() []string {
		names, err := filepath.Glob(filepath.Join(r.Folder, "docker/registry/v2/blobs/sha256/*/*/data"))
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	before := blobs()
	runOK(t, "push", name, "oci://"+r.Host+"/acme/catalog:next")
	damaged := 0
	for _, blob := range blobs() {
		text := readFileOf(t, blob)
		if slices.Contains(before, blob) || !strings.HasPrefix(string(text), "\x28\xb5\x2f\xfd") { // Zstandard
			continue
		}
		text[len(text)/2] ^= 1
		if err := os.WriteFile(blob, text, 0o600); err != nil {
			t.Fatal(err)
		}
		damaged++
	}
	if damaged != 1 {
		t.Fatalf("%d catalogs are damaged", damaged)
	}
}
