package cmd

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/vectortest"
)

// The verifier of Sigstore accepts a bundle of ours by the public key, and for no other file and by no other key. It has a module of its
// own: what it rests on takes a minute to build.
func TestSigstoreAccepts(t *testing.T) {
	vectortest.SkipLong(t)
	verifier := filepath.Join(t.TempDir(), "sigstore")
	build := exec.Command("go", "build", "-o", verifier, ".")
	build.Dir = filepath.Join("testdata", "sigstore")
	if out, err := build.CombinedOutput(); err != nil {
		vectortest.Missing(t, "the verifier cannot be built: "+string(out))
	}
	const catalog, another = "../examples/catalog.json", "../examples/models/catalog.json"
	var keys, bundles, publics [2]string
	for i := range keys {
		private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		keys[i], publics[i] = writePair(t, private, private.Public())
		bundles[i] = filepath.Join(t.TempDir(), "bundle.json")
		runOK(t, "attest", catalog, "--key", keys[i], "--source", "acme", "--channel", filepath.Join(t.TempDir(), "channel.json"), "--sigstore",
			"-o", bundles[i])
	}
	for _, tt := range []struct{ bundle, key, file, fault string }{
		{bundles[0], publics[0], catalog, ""},
		{bundles[1], publics[1], catalog, ""},
		{bundles[0], publics[0], another, "provided artifact digests do not match digests in statement"},
		{bundles[0], publics[1], catalog, "could not verify envelope"},
	} {
		out, err := exec.Command(verifier, tt.bundle, tt.key, tt.file).CombinedOutput()
		said := string(out)
		if accepted := err == nil && strings.Contains(said, "/catalog-build/v1"); accepted != (tt.fault == "") || !strings.Contains(said, tt.fault) {
			t.Errorf("%v, %s; want %q", err, said, tt.fault)
		}
	}
}
