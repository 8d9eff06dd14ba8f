package cmd

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

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

// forget empties the registry.
func (s *shelf) forget(t *testing.T) {
	t.Helper()
	s.Stop()
	if err := os.RemoveAll(s.Folder); err != nil {
		t.Fatal(err)
	}
	s.Again(t)
}
