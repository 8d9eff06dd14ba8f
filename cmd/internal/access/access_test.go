package access_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/cmd/internal/access"
)

// write writes a file that its owner alone may read.
func write(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// What the files say is what an endpoint is shown.
func TestRead(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	public := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}))
	both := public + string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))
	shown, err := access.Files{
		Token: write(t, "secret\n"), Header: write(t, "X-A: 1\r\nx-a: 2\n\n"), Certificate: write(t, both), Roots: write(t, public),
	}.Read()
	if err != nil {
		t.Fatal(err)
	}
	if shown.Header.Get("Authorization") != "Bearer secret" || strings.Join(shown.Header.Values("X-A"), " ") != "1 2" {
		t.Errorf("headers %v", shown.Header)
	}
	if len(shown.Certificate) != 1 || shown.Roots == nil {
		t.Errorf("%d certificates, roots %v", len(shown.Certificate), shown.Roots)
	}
	if shown, err := (access.Files{}).Read(); err != nil || len(shown.Header) > 0 || shown.Certificate != nil || shown.Roots != nil {
		t.Errorf("without files: %+v, error %v", shown, err)
	}
}

// No error repeats what a file holds.
func TestReadErrors(t *testing.T) {
	const secret = "a secret"
	for want, files := range map[string]access.Files{
		": must hold one token, without white space in it":                 {Token: write(t, secret)},
		": line 1 must be a header like Authorization: Basic WORD":         {Header: write(t, secret)},
		": line 2 must be a header like Authorization: Basic WORD":         {Header: write(t, "A: b\n"+secret+": c")},
		": must hold a certificate and its private key, in PEM":            {Certificate: write(t, secret)},
		": holds no certificate in PEM":                                    {Roots: write(t, secret)},
		"nowhere: no such file or directory":                               {Token: "nowhere"},
		": must hold one token, without white space in it, as it is empty": {Token: write(t, "")},
	} {
		want, _, _ := strings.Cut(want, ", as it is empty")
		if _, err := files.Read(); err == nil || !strings.HasSuffix(err.Error(), want) || strings.Contains(err.Error(), secret) {
			t.Errorf("%+v: %v, want %q", files, err, want)
		}
	}
}
