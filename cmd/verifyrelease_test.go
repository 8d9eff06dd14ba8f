package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
)

// A file of a release is whole if a key that is given has signed its name and its hash.
func TestVerifyRelease(t *testing.T) {
	t.Parallel()
	folder, pair, other := t.TempDir(), verifytest.NewEd25519(t), verifytest.NewP256(t)
	write := func(name, text string) string {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	ours := write("ours.pem", string(verifytest.PublicPEM(t, pair.Private.Public())))
	theirs := write("theirs.pem", string(verifytest.PublicPEM(t, other.Private.Public())))
	whole, renamed, changed := write("svc.deb", "program"), write("other.deb", "program"), write("svc.rpm", "changed")
	statement := fmt.Sprintf(`{"_type":"https://in-toto.io/Statement/v1","predicateType":"x","predicate":{},"subject":[`+
		`{"name":"svc.deb","digest":{"sha256":%q}},{"name":"svc.rpm","digest":{"sha256":%[1]q}}]}`, canonical.SumText("program"))
	envelope, err := dsse.Sign(t.Context(), []byte(statement), pair.Signer)
	if err != nil {
		t.Fatal(err)
	}
	attestation := write("provenance.dsse.json", string(envelope.AppendJSON(nil)))
	for _, tt := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--release", whole, "--key", theirs, "--key", ours}, exitDone, "svc.deb is as " + pair.Signer.KeyID() + " has signed it\n"},
		{[]string{"--release", whole, "--key", theirs}, int(exitNo), "provenance.dsse.json: no key that you gave has signed it"},
		{[]string{"--release", renamed, "--key", ours}, int(exitNo), "other.deb: is not a file of that release"},
		{[]string{"--release", changed, "--key", ours}, int(exitNo), "svc.rpm: is not a file of that release: its SHA-256 is " + canonical.SumText("changed")},
		{[]string{"--release", filepath.Join(folder, "absent"), "--key", ours}, int(exitFailure), "absent: no such file or directory"},
		{[]string{"--release", whole, "--key", whole}, int(exitFailure), "svc.deb: must hold one public key"},
		{[]string{"--release", whole}, int(exitUsage), "Missing option: --key"},
		{[]string{"--release", whole, "--key", ours, "--bundle", "b.json"}, int(exitUsage), "Options that exclude each other: --release and those about claims"},
	} {
		c := process(folder, append([]string{"verify"}, tt.args...)...)
		out, _ := c.CombinedOutput()
		if c.ProcessState.ExitCode() != tt.code || !strings.Contains(string(out), tt.says) {
			t.Errorf("%q: %d, %s", tt.args, c.ProcessState.ExitCode(), out)
		}
	}
	if err := os.Remove(attestation); err != nil {
		t.Fatal(err)
	}
	c := process(folder, "verify", "--release", whole, "--key", ours)
	if out, _ := c.CombinedOutput(); c.ProcessState.ExitCode() != int(exitFailure) || !strings.Contains(string(out), "provenance.dsse.json: no such file") {
		t.Errorf("without an attestation: %s", out)
	}
}
