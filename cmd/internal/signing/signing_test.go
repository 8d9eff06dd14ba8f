package signing

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
)

// A program signs in the place of a key file, raw or in base64. A signature that its public key does
// not verify goes nowhere, and what is wrong with a program is said with what it says itself.
func TestSignerCommand(t *testing.T) {
	t.Parallel()
	openssl := vectortest.Tool(t, "openssl", "openssl")
	folder := t.TempDir()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	pem := filepath.Join(folder, "key.pem")
	if err := os.WriteFile(pem, verifytest.PrivatePEM(t, key), 0o600); err != nil {
		t.Fatal(err)
	}
	public, sign := openssl+" pkey -pubout -in "+pem, openssl+" dgst -sha256 -sign "+pem
	for name, tt := range map[string]struct{ public, sign, fault string }{
		"raw":             {public, sign, ""},
		"base64":          {public, sign + " | base64 -w 20", ""},
		"other bytes":     {public, "printf y | " + sign, "sign: its public key does not verify what it printed"},
		"no key":          {"echo locked >&2; exit 4", sign, "public-key: exit status 4: locked"},
		"no public key":   {"cat " + pem, sign, "public-key: holds a private key, not a public key"},
		"refusal":         {public, "echo \"not you\x1b[31m\" >&2; exit 1", `sign: exit status 1: not you\x1b[31m`},
		"endless":         {"yes", sign, "public-key: it prints too much"},
		"never an answer": {public, "sleep 60", "sign: context canceled"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			file := filepath.Join(folder, strings.ReplaceAll(name, " ", "-")+".sh")
			text := "case $1 in\npublic-key) " + tt.public + " ;;\nsign) " + tt.sign + " ;;\nesac\n"
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			s, keyID, err := Key{Command: "sh " + file}.Signer(ctx)
			var signature []byte
			if err == nil {
				if name == "never an answer" {
					time.AfterFunc(100*time.Millisecond, cancel)
				}
				signature, err = s.Sign(ctx, []byte("x"))
			}
			switch {
			case tt.fault == "" && (err != nil || len(signature) == 0 || !strings.HasPrefix(keyID, "SHA256:")):
				t.Errorf("%x by %s, %v", signature, keyID, err)
			case tt.fault != "" && (err == nil || !strings.Contains(err.Error(), "signer command sh "+tt.fault)):
				t.Errorf("%v, not %s", err, tt.fault)
			}
		})
	}
	if _, _, err := (Key{Command: filepath.Join(folder, "absent")}).Signer(t.Context()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an absent program: %v", err)
	}
	if _, _, err := (Key{Command: " "}).Signer(t.Context()); err == nil || err.Error() != "the signer command is empty" {
		t.Errorf("no program: %v", err)
	}
}
