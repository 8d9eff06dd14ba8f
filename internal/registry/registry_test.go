package registry_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/model-catalog-service/svc/internal/registry"
	"github.com/model-catalog-service/svc/internal/registry/registrytest"
)

func client(t *testing.T, roots *x509.CertPool) *registry.Client {
	t.Helper()
	c, err := registry.New(roots)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func pushed(n int) *registry.Catalog {
	var text strings.Builder // that is not compressed to nothing
	for i := range 1000 {
		fmt.Fprintf(&text, "%x", sha256.Sum256(fmt.Append(nil, n, i)))
	}
	return &registry.Catalog{Text: text.String(),
		Digest: strings.Repeat("a", 64), AsOf: "2026-11-01T00:00:00.000Z", Build: `{"build":1}`, Lock: `{"lock":1}`,
		Attestations: []string{`{"payload":""}`}}
}

// What is pushed is what is pulled, by its tag and by its digest, and equal files are one manifest.
func TestPushAndPull(t *testing.T) {
	t.Setenv("DOCKER_CONFIG", t.TempDir())
	r := registrytest.Start(t)
	c := client(t, r.Roots)
	tag := registry.Scheme + r.Host + "/models/catalog:latest"
	want := pushed(1)
	name, err := c.Push(t.Context(), tag, want)
	if err != nil {
		t.Fatal(err)
	}
	again, err := c.Push(t.Context(), tag, want)
	if err != nil || again != name || !strings.HasPrefix(name, registry.Scheme+r.Host+"/models/catalog@sha256:") {
		t.Errorf("pushed again it is %s, before %s, error %v", again, name, err)
	}
	want.Digest, want.AsOf, want.Name = "", "", name
	for _, from := range []string{tag, name, tag + strings.TrimPrefix(name, registry.Scheme+r.Host+"/models/catalog")} {
		got, err := c.Pull(t.Context(), from)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, error %v", from, got, err)
		}
		if resolved, err := c.Resolve(t.Context(), from); err != nil || resolved != name {
			t.Errorf("%s is %s, error %v", from, resolved, err)
		}
	}
	// Another catalog moves the tag, and has no attestation of the one before.
	other := pushed(2)
	other.Attestations, other.Build, other.Lock = nil, "", ""
	if _, err := c.Push(t.Context(), tag, other); err != nil {
		t.Fatal(err)
	}
	if got, err := c.Pull(t.Context(), tag); err != nil || got.Text != other.Text || got.Attestations != nil || got.Build != "" {
		t.Errorf("%+v, error %v", got, err)
	}
	if got, err := c.Pull(t.Context(), name); err != nil || got.Text != want.Text {
		t.Errorf("the one before: error %v", err)
	}
	if got, err := c.Attestations(t.Context(), name); err != nil || !reflect.DeepEqual(got, want.Attestations) {
		t.Errorf("attestations %q, error %v", got, err)
	}
	for name, what := range map[string]string{
		"oci://" + r.Host + "/models/nothing:latest": "404", "oci://" + r.Host + "/models/catalog:never": "not found",
	} {
		if _, err := c.Pull(t.Context(), name); err == nil {
			t.Errorf("%s: no error, want %s", name, what)
		}
	}
	if _, err := client(t, nil).Pull(t.Context(), tag); !errors.As(err, new(*tls.CertificateVerificationError)) {
		t.Errorf("by another authority: %v", err)
	}
	// What the disk of the registry has changed is no catalog.
	blobs, err := filepath.Glob(filepath.Join(r.Folder, "docker/registry/v2/blobs/sha256/*/*/data"))
	if err != nil || len(blobs) < 5 {
		t.Fatal(blobs, err)
	}
	for _, blob := range blobs {
		text, err := os.ReadFile(blob)
		if err != nil {
			t.Fatal(err)
		}
		if len(text) < 10_000 { // no file of a catalog
			continue
		}
		text[len(text)-1] ^= 1
		if err := os.WriteFile(blob, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := c.Pull(t.Context(), name); err == nil {
		t.Errorf("changed: %+v", got)
	}
}

// A name is of a registry, a repository and a tag or digest.
func TestNames(t *testing.T) {
	c := client(t, nil)
	for _, name := range []string{"oci://", "oci://host", "oci://host/repo", "oci://host/Repo:tag", "oci://host/repo:a b", "host/repo:tag",
		"oci://user:secret@host/repo:tag", "oci://host/repo@sha256:12"} {
		if _, err := c.Pull(t.Context(), name); !errors.Is(err, registry.ErrName) || registry.IsTag(name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	hash := "@sha256:" + strings.Repeat("0", 64)
	for name, isTag := range map[string]bool{"oci://host/repo:tag": true, "oci://host/repo" + hash: false, "oci://host/repo:tag" + hash: false} {
		if registry.IsTag(name) != isTag {
			t.Errorf("%s: %t", name, !isTag)
		}
	}
}

// A password is in Docker's configuration, and in no error. What breaks off is continued, and a bomb is refused.
func TestThroughAnother(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("DOCKER_CONFIG", folder)
	r := registrytest.Start(t)
	behind := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "https", Host: r.Host})
	behind.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: r.Roots}}
	const secret = "Tr0ub4dor"
	var breaks, ranges atomic.Int64
	behind.ErrorLog = log.New(io.Discard, "", 0)
	behind.ModifyResponse = func(response *http.Response) error {
		if response.Request.Header.Get("Range") != "" {
			ranges.Add(1)
		}
		if response.Request.Method == http.MethodGet && strings.Contains(response.Request.URL.Path, "/blobs/") && breaks.Add(-1) >= 0 {
			response.Body = struct {
				io.Reader
				io.Closer
			}{io.MultiReader(io.LimitReader(response.Body, 100), broken{}), response.Body}
		}
		return nil
	}
	front := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if user, password, ok := request.BasicAuth(); !ok || user != "me" || password != secret {
			w.Header().Set("Www-Authenticate", `Basic realm="r"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		defer func() { _ = recover() }() // the proxy gives up what is broken
		behind.ServeHTTP(w, request)
	}))
	defer front.Close()
	host := strings.TrimPrefix(front.URL, "https://")
	tag := registry.Scheme + host + "/models/catalog:latest"
	if _, err := client(t, r.Roots).Push(t.Context(), tag, pushed(1)); err == nil || !strings.Contains(err.Error(), "credential") {
		t.Errorf("without a password: %v", err)
	}
	config := fmt.Sprintf(`{"auths":{%q:{"auth":%q}}}`, host, base64.StdEncoding.EncodeToString([]byte("me:"+secret)))
	if err := os.WriteFile(filepath.Join(folder, "config.json"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	c := client(t, r.Roots)
	want := pushed(1)
	if _, err := c.Push(t.Context(), tag, want); err != nil {
		t.Fatal(err)
	}
	helped(t, folder, host, secret)
	if got, err := client(t, r.Roots).Pull(t.Context(), tag); err != nil || got.Text != want.Text {
		t.Errorf("by a helper: %v", err)
	}
	breaks.Store(2)
	if got, err := c.Pull(t.Context(), tag); err != nil || got.Text != want.Text || breaks.Load() >= 0 || ranges.Load() == 0 {
		t.Errorf("error %v, %d ranges", err, ranges.Load())
	}
	breaks.Store(1 << 30)
	if _, err := c.Pull(t.Context(), tag); err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("broken: %v", err)
	}
	breaks.Store(0)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Pull(ctx, tag); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	bomb := pushed(1)
	bomb.Build = strings.Repeat(" ", registry.MaxRecord+1)
	if _, err := c.Push(t.Context(), tag, bomb); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Pull(t.Context(), tag); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("a record beyond its bound: %v", err)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("broken") }

// helped has a helper for credentials tell the password of a host: a program, as Docker's configuration names it.
func helped(t *testing.T, folder, host, secret string) {
	t.Helper()
	for name, text := range map[string]string{
		"config.json": fmt.Sprintf(`{"credHelpers":{%q:"svctest"}}`, host),
		"docker-credential-svctest": fmt.Sprintf("#!/bin/sh\nread host\n[ \"$1 $host\" = \"get %s\" ] || exit 1\n"+
			`echo '{"ServerURL":"%s","Username":"me","Secret":"%s"}'`+"\n", host, host, secret),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", folder+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// A registry that lists referrers gets no tag for them.
func TestReferrers(t *testing.T) {
	t.Setenv("DOCKER_CONFIG", t.TempDir())
	r := registrytest.Start(t)
	behind := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "https", Host: r.Host})
	behind.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: r.Roots}}
	var mu sync.Mutex
	referrers, asked := map[string][]any{}, 0
	front := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if _, digest, ok := strings.Cut(request.URL.Path, "/referrers/"); ok {
			asked++
			w.Header().Set("Content-Type", "application/vnd.oci.image.index.v1+json")
			list := map[string]any{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json",
				"manifests": append([]any{}, referrers[digest]...)}
			if err := json.NewEncoder(w).Encode(list); err != nil {
				t.Error(err)
			}
			return
		}
		if request.Method == http.MethodPut && strings.Contains(request.URL.Path, "/manifests/") {
			text, err := io.ReadAll(request.Body)
			var manifest struct {
				MediaType, ArtifactType string
				Subject                 struct{ Digest string }
			}
			if err := errors.Join(err, json.Unmarshal(text, &manifest)); err != nil {
				t.Error(err)
			}
			request.Body = io.NopCloser(bytes.NewReader(text))
			if of := manifest.Subject.Digest; of != "" {
				w.Header().Set("OCI-Subject", of)
				referrers[of] = append(referrers[of], map[string]any{"mediaType": manifest.MediaType, "artifactType": manifest.ArtifactType,
					"digest": fmt.Sprintf("sha256:%x", sha256.Sum256(text)), "size": len(text)})
			}
		}
		behind.ServeHTTP(w, request)
	}))
	defer front.Close()
	host := strings.TrimPrefix(front.URL, "https://")
	tag, want := registry.Scheme+host+"/models/catalog:latest", pushed(1)
	if _, err := client(t, r.Roots).Push(t.Context(), tag, want); err != nil {
		t.Fatal(err)
	}
	got, err := client(t, r.Roots).Pull(t.Context(), tag)
	if err != nil || !reflect.DeepEqual(got.Attestations, want.Attestations) || asked == 0 || len(referrers) != 1 {
		t.Errorf("%+v, %d questions, referrers %v, error %v", got, asked, referrers, err)
	}
	tags, err := os.ReadDir(filepath.Join(r.Folder, "docker/registry/v2/repositories/models/catalog/_manifests/tags"))
	if err != nil || len(tags) != 1 || tags[0].Name() != "latest" {
		t.Errorf("tags %v, error %v", tags, err)
	}
}
