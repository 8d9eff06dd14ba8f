package cmd

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/model-catalog-service/svc/cmd/internal/trust"
	"github.com/model-catalog-service/svc/internal/registry/registrytest"
)

// shelf is a registry, and a folder in which there are keys for it. It is the folder of the test.
type shelf struct {
	*registrytest.Registry
	tag                 string
	key, public, others string // files with keys; others is a public one of somebody else
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	s := &shelf{Registry: registrytest.Start(t)}
	for _, public := range []*string{&s.others, &s.public} {
		pub, private, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		s.key, *public = writePair(t, private, pub)
	}
	s.tag = "oci://" + s.Host + "/acme/catalog:latest"
	folder := t.TempDir()
	t.Setenv("DOCKER_CONFIG", folder)
	t.Setenv("SVC_REGISTRY_CA", s.CA)
	t.Chdir(folder)
	return s
}

// mainOf runs the program.
func mainOf(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = Main(args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// A catalog goes into a registry with what stands beside it, and comes back the same; its name there is as good as its file.
func TestRegistry(t *testing.T) {
	request, err := filepath.Abs("../examples/fix-issues.json")
	if err != nil {
		t.Fatal(err)
	}
	example := readFileOf(t, "../examples/catalog.json")
	s := newShelf(t)
	if err := os.WriteFile("catalog.json", example, 0o600); err != nil {
		t.Fatal(err)
	}
	runOK(t, "attest", "catalog.json", "--key", s.key, "--source", "acme", "--channel", "channel.json", "-o", "catalog.attestation.json")
	digest := "d7bb49a702875f029914a6b2acebd2a53bb3affcd9e516bc9cefb11a8c5cba48"
	if err := os.WriteFile("catalog.build.json", []byte(`{"schemaVersion":"service.catalog.build/v1","asOf":"2026-11-01T00:00:00.000Z","catalog":"`+digest+
		`","models":1,"observations":1,"conflicts":0,"sources":[],"contradictions":[],"questions":[],"changes":null}`), 0o600); err != nil {
		t.Fatal(err)
	}
	name := strings.TrimSpace(runOK(t, "push", "catalog.json", s.tag))
	if err := os.Mkdir("there", 0o700); err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(runOK(t, "pull", s.tag, "-o", "there/catalog.json")); got != name {
		t.Errorf("pulled %s, pushed %s", got, name)
	}
	for _, file := range []string{"catalog.json", "catalog.build.json", "catalog.attestation.json"} {
		if got, want := readFileOf(t, filepath.Join("there", file)), readFileOf(t, file); strings.TrimSpace(string(got)) != strings.TrimSpace(string(want)) {
			t.Errorf("%s is not what was pushed", file)
		}
	}
	want := runOK(t, "rank", "--catalog", "catalog.json", request)
	for _, from := range []string{s.tag, name} {
		if got := runOK(t, "rank", "--catalog", from, request); got != want {
			t.Errorf("%s ranks otherwise", from)
		}
	}
	runOK(t, "validate", name)
	runOK(t, "diff", s.tag, name)
	// By a policy, an attestation of its key must be there.
	for key, want := range map[string]int{s.public: exitDone, s.others: exitNo} {
		t.Setenv("SVC_TRUST_KEY", key)
		if code, _, stderr := mainOf("rank", "--catalog", s.tag, request); code != want || want == exitNo && !strings.Contains(stderr, trust.ErrUnsigned.Error()) {
			t.Errorf("%s: exit code %d, want %d\n%s", key, code, want, stderr)
		}
	}
	for _, args := range [][]string{
		{"push", "catalog.json", name}, {"pull", s.tag + "x"}, {"rank", "--catalog", s.tag + "x", request}, {"push", request, s.tag},
		{"push", "catalog.json", s.tag, "--lock", "channel.json"},
	} {
		if code, stdout, stderr := mainOf(args...); code != exitFailure || stdout != "" || !strings.HasPrefix(stderr, "service: ") {
			t.Errorf("svc %s: exit code %d\n%s%s", strings.Join(args, " "), code, stdout, stderr)
		}
	}
}

// A replica serves what the tag names, each answer of one catalog alone, and keeps what it has where anything is wrong.
func TestFollow(t *testing.T) {
	files := map[string]string{"a.json": string(readFileOf(t, "../examples/catalog.json")), "b.json": string(readFileOf(t, "../examples/models/catalog.json"))}
	s := newShelf(t)
	digests := map[string]string{}
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		stem := strings.TrimSuffix(name, ".json")
		runOK(t, "attest", name, "--key", s.key, "--source", "acme", "--channel", stem+".channel.json", "-o", stem+".attestation.json")
		digests[name] = regexp.MustCompile(`"digest":"([0-9a-f]{64})"`).FindStringSubmatch(text)[1]
	}
	runOK(t, "push", "a.json", s.tag)
	p := startServing(t, []string{"SVC_SERVE_FOLLOW=1s", "SVC_TRUST_KEY=" + s.public, "SVC_ADMIN_ADDR=127.0.0.1:0"},
		"serve", "--catalog", s.tag, "--port", "0")
	ask := func() (header, body string, err error) {
		response, err := http.Get(p.url + "/v1/models")
		if err != nil {
			return "", "", err
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		said := regexp.MustCompile(`"digest":"([0-9a-f]{64})"`).FindSubmatch(text)
		if err != nil || response.StatusCode != http.StatusOK || said == nil {
			return "", "", fmt.Errorf("status %d, error %v", response.StatusCode, err)
		}
		return response.Header.Get("X-Service-Catalog-Digest"), string(said[1]), nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	var group errgroup.Group
	for range 3 {
		group.Go(func() error {
			for ctx.Err() == nil {
				if header, body, err := ask(); err != nil || header != body {
					return fmt.Errorf("the header says %s, the body %s, error %w", header, body, err)
				}
				time.Sleep(5 * time.Millisecond)
			}
			return nil
		})
	}
	wants := func(name string) {
		t.Helper()
		deadline := time.Now().Add(30 * time.Second) // on a busy machine
		for {
			got, _, err := ask()
			switch {
			case err != nil:
				t.Fatal(err)
			case got == digests[name]:
				return
			case time.Now().After(deadline):
				t.Fatalf("%s is not served; stderr:\n%s", name, p.stderr)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	waitFor := func(text string) {
		t.Helper()
		for range 3000 {
			if strings.Contains(p.stderr.String(), text) {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatalf("the log lacks %q:\n%s", text, p.stderr)
	}
	wants("a.json")
	runOK(t, "push", "b.json", s.tag)
	wants("b.json")
	// Of what nobody signed, and of no registry at all, the one before is served.
	if err := os.WriteFile("c.json", []byte(files["a.json"]), 0o600); err != nil {
		t.Fatal(err)
	}
	s.forget(t) // the attestations that there are
	runOK(t, "push", "c.json", s.tag)
	waitFor(trust.ErrUnsigned.Error())
	wants("b.json")
	s.Stop()
	waitFor("connection refused")
	wants("b.json")
	cancel()
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
	p.signal(t, os.Interrupt)
	p.wantsEnd(t, exitDone)
}

// forget empties the registry.
func (s *shelf) forget(t *testing.T) {
	t.Helper()
	s.Stop()
	if err := os.RemoveAll(s.Folder); err != nil {
		t.Fatal(err)
	}
	s.Again(t)
}
