package dsse_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	other "github.com/secure-systems-lab/go-securesystemslib/dsse"

	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
	"github.com/model-catalog-service/svc/service/record"
)

// The vectors of the DSSE protocol and of its implementations.
func TestPAE(t *testing.T) {
	for _, tt := range []struct{ payloadType, payload, want string }{
		{"", "", "DSSEv1 0  0 "},
		{"http://example.com/HelloWorld", "hello world", "DSSEv1 29 http://example.com/HelloWorld 11 hello world"},
		{"http://example.com/HelloWorld", "ಠ", "DSSEv1 29 http://example.com/HelloWorld 3 ಠ"},
		{"é", "\x00\xff", "DSSEv1 2 é 2 \x00\xff"},
	} {
		if got := string(dsse.AppendPAE(nil, tt.payloadType, []byte(tt.payload))); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
		if theirs := string(other.PAE(tt.payloadType, []byte(tt.payload))); theirs != tt.want {
			t.Errorf("the other implementation: %q, want %q", theirs, tt.want)
		}
	}
}

// independent verifies and signs with the standard library alone.
type independent struct {
	key crypto.Signer
	id  string
}

func (i independent) KeyID() (string, error)   { return i.id, nil }
func (i independent) Public() crypto.PublicKey { return i.key.Public() }

func (i independent) Sign(_ context.Context, data []byte) ([]byte, error) {
	if key, ok := i.key.(ed25519.PrivateKey); ok {
		return ed25519.Sign(key, data), nil
	}
	digest := sha256.Sum256(data)
	return ecdsa.SignASN1(rand.Reader, i.key.(*ecdsa.PrivateKey), digest[:])
}

func (i independent) Verify(_ context.Context, data, sig []byte) error {
	digest := sha256.Sum256(data)
	switch key := i.key.Public().(type) {
	case ed25519.PublicKey:
		if ed25519.Verify(key, data, sig) {
			return nil
		}
	case *ecdsa.PublicKey:
		if ecdsa.VerifyASN1(key, digest[:], sig) {
			return nil
		}
	}
	return errors.New("not signed by this key")
}

func TestEnvelopesVerifyElsewhere(t *testing.T) {
	for _, pair := range []verifytest.KeyPair{verifytest.NewEd25519(t), verifytest.NewP256(t)} {
		statement := []byte(`{"é":"\n"}`)
		e, err := dsse.Sign(t.Context(), statement, pair.Signer)
		if err != nil {
			t.Fatal(err)
		}
		var theirs other.Envelope
		if err := json.Unmarshal(e.AppendJSON(nil), &theirs); err != nil {
			t.Fatal(err)
		}
		id, err := other.SHA256KeyID(pair.Private.Public())
		if err != nil {
			t.Fatal(err)
		}
		verifier, err := other.NewEnvelopeVerifier(independent{pair.Private, id})
		if err != nil {
			t.Fatal(err)
		}
		accepted, err := verifier.Verify(t.Context(), &theirs)
		if err != nil || len(accepted) != 1 || accepted[0].KeyID != pair.Signer.KeyID() {
			t.Errorf("%s: %v %v", pair.Name, accepted, err)
		}
		if theirs.PayloadType != "application/vnd.in-toto+json" {
			t.Errorf("payload type %s", theirs.PayloadType)
		}
		if payload, err := theirs.DecodeB64Payload(); err != nil || string(payload) != string(statement) {
			t.Errorf("payload %s, %v", payload, err)
		}
	}
}

func TestForeignEnvelopesVerifyHere(t *testing.T) {
	for _, pair := range []verifytest.KeyPair{verifytest.NewEd25519(t), verifytest.NewP256(t)} {
		signer, err := other.NewEnvelopeSigner(independent{pair.Private, "some other name"})
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := signer.SignPayload(t.Context(), dsse.PayloadType, []byte("payload"))
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(theirs)
		if err != nil {
			t.Fatal(err)
		}
		e, err := dsse.ReadEnvelope(string(text))
		if err != nil {
			t.Fatal(err)
		}
		pae := dsse.AppendPAE(nil, e.PayloadType, e.Payload)
		if len(e.Signatures) != 1 || !pair.Public.Verify(pae, e.Signatures[0].Sig) || string(e.Payload) != "payload" {
			t.Errorf("%s: %+v", pair.Name, e)
		}
		if verifytest.NewEd25519(t).Public.Verify(pae, e.Signatures[0].Sig) || verifytest.NewP256(t).Public.Verify(pae, e.Signatures[0].Sig) {
			t.Errorf("%s: another key verifies", pair.Name)
		}
	}
}

// OpenSSL makes keys and signatures that are read here, and verifies those made
// here.
func TestOpenSSL(t *testing.T) {
	openssl := vectortest.Tool(t, "openssl", "openssl")
	for _, kind := range []struct {
		name        string
		generate    []string
		sign, check []string
	}{
		{"Ed25519", []string{"genpkey", "-algorithm", "ed25519"},
			[]string{"pkeyutl", "-sign", "-inkey", "key.pem", "-rawin", "-in", "pae", "-out", "theirs"},
			[]string{"pkeyutl", "-verify", "-pubin", "-inkey", "public.pem", "-rawin", "-in", "pae", "-sigfile", "ours"}},
		{"P-256", []string{"genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"},
			[]string{"dgst", "-sha256", "-sign", "key.pem", "-out", "theirs", "pae"},
			[]string{"dgst", "-sha256", "-verify", "public.pem", "-signature", "ours", "pae"}},
	} {
		folder := t.TempDir()
		run := func(args ...string) {
			t.Helper()
			c := exec.CommandContext(t.Context(), openssl, args...)
			c.Dir = folder
			if out, err := c.CombinedOutput(); err != nil {
				t.Fatalf("openssl %v: %v\n%s", args, err, out)
			}
		}
		read := func(name string) []byte { return []byte(verifytest.File(t, filepath.Join(folder, name))) }
		run(append(kind.generate, "-out", "key.pem")...)
		run("pkey", "-in", "key.pem", "-pubout", "-out", "public.pem")
		run("pkey", "-in", "key.pem", "-pubout", "-outform", "DER", "-out", "public.der")
		signer, err := dsse.ReadSigner(read("key.pem"))
		if err != nil {
			t.Fatal(err)
		}
		public, err := dsse.ReadPublicKey(read("public.pem"))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(read("public.der"))
		for name, want := range map[string]bool{hex.EncodeToString(sum[:]): true, signer.KeyID(): true, "": false, "other": false} {
			e := dsse.Envelope{Signatures: []record.DSSESignature{{KeyID: name}}}
			if e.Names([]*dsse.PublicKey{public}) != want {
				t.Errorf("%s: named by %q: %v", kind.name, name, !want)
			}
		}
		pae := dsse.AppendPAE(nil, dsse.PayloadType, []byte(`{"a":1}`))
		ours, err := signer.Sign(t.Context(), pae)
		if err != nil {
			t.Fatal(err)
		}
		for name, content := range map[string][]byte{"pae": pae, "ours": ours} {
			if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		run(kind.check...)
		run(kind.sign...)
		if !public.Verify(pae, read("theirs")) || public.Verify(append(pae, ' '), read("theirs")) {
			t.Errorf("%s: a signature of openssl is not judged rightly", kind.name)
		}
	}
}

func TestReadEnvelopeIsStrict(t *testing.T) {
	envelope := func(payload string) string {
		return `{"payload":` + payload + `,"payloadType":"t","signatures":[{"sig":"AA=="}]}`
	}
	for payload, ok := range map[string]bool{
		`"AQI="`: true, `""`: true, `"+/8="`: true, `"AQID"`: true, `"\u0041QID"`: true,
		`"AQI"`: false, `"AQJ="`: false, `"AQI=="`: false, `"AQ="`: false, `"A"`: false, `"AQ ID"`: false, `"AQ\nID"`: false,
		`"AQID\r\n"`: false, `"-_8="`: false, `"AQI=AQI="`: false, `"AQI=\u0000"`: false, `"é"`: false, `1`: false, `null`: false,
	} {
		e, err := dsse.ReadEnvelope(envelope(payload))
		if (err == nil) != ok || (e != nil) != ok {
			t.Errorf("payload %s: %+v, %v", payload, e, err)
		}
	}
	for text, ok := range map[string]bool{
		`{"payload":"","payloadType":"","signatures":[]}`:                                                                      true,
		`{"payload":"","payloadType":"","signatures":[{"keyid":"a","sig":"","cert":1}],"x":{}}`:                                true,
		`{"payload":"","payloadType":"","signatures":[` + strings.Repeat(`{"sig":""},`, dsse.MaxSignatures-1) + `{"sig":""}]}`: true,
		`{"payload":"","payloadType":"","signatures":[` + strings.Repeat(`{"sig":""},`, dsse.MaxSignatures) + `{"sig":""}]}`:   false,
		`{"payload":"","payloadType":"","signatures":[{"keyid":"a"}]}`:                                                         false,
		`{"payload":"","payloadType":"","signatures":[{"keyid":1,"sig":""}]}`:                                                  false,
		`{"payload":"","payloadType":"","signatures":[{"keyid":"a","sig":"A"}]}`:                                               false,
		`{"payload":"","payloadType":"","signatures":{}}`:                                                                      false,
		`{"payload":"","signatures":[]}`:                                                                                       false,
		`{"payload":"","payload":"","payloadType":"","signatures":[]}`:                                                         false,
		`{"payload":"","payloadType":"","signatures":[]}x`:                                                                     false,
		``: false,
	} {
		if _, err := dsse.ReadEnvelope(text); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestRefusedKeys(t *testing.T) {
	ed, curve := verifytest.NewEd25519(t), verifytest.NewP256(t)
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	private, public := string(verifytest.PrivatePEM(t, ed.Private)), string(verifytest.PublicPEM(t, ed.Private.Public()))
	sec1, err := x509.MarshalECPrivateKey(curve.Private.(*ecdsa.PrivateKey))
	if err != nil {
		t.Fatal(err)
	}
	const cannotRead, anotherKind, wrongKind = "must hold one ", "holds a", "must be a key for Ed25519 or ECDSA P-256"
	for name, tt := range map[string]struct{ private, public, want string }{
		"nothing":        {"", "", cannotRead},
		"white space":    {" \n", " \n", cannotRead},
		"no PEM":         {base64.StdEncoding.EncodeToString([]byte("x")), "x", cannotRead},
		"the other half": {public, private, anotherKind},
		"two":            {private + private, public + public, cannotRead},
		"text before":    {"secret: " + private, "x\n" + public, cannotRead},
		"text behind":    {private + "x", public + "x", cannotRead},
		"cut":            {private[:len(private)-30], public[:len(public)-30], cannotRead},
		"headers": {strings.Replace(private, "KEY-----\n", "KEY-----\nA: b\n\n", 1),
			strings.Replace(public, "KEY-----\n", "KEY-----\nA: b\n\n", 1), cannotRead},
		"SEC 1":     {string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: sec1})), private, anotherKind},
		"encrypted": {strings.ReplaceAll(private, "PRIVATE", "ENCRYPTED PRIVATE"), private, anotherKind},
		"not PKCS 8": {string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: sec1})),
			string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: sec1})), cannotRead},
		"RSA":   {string(verifytest.PrivatePEM(t, rsaKey)), string(verifytest.PublicPEM(t, rsaKey.Public())), wrongKind},
		"P-384": {string(verifytest.PrivatePEM(t, p384)), string(verifytest.PublicPEM(t, p384.Public())), wrongKind},
	} {
		_, err := dsse.ReadSigner([]byte(tt.private))
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: private: %v", name, err)
		}
		if _, err = dsse.ReadPublicKey([]byte(tt.public)); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: public: %v", name, err)
		}
	}
	if _, err := dsse.ReadSigner([]byte("\n" + private + "\n")); err != nil {
		t.Errorf("white space around a key: %v", err)
	}
}

func TestStatement(t *testing.T) {
	const hash = "00000000000000000000000000000000000000000000000000000000000000ab"
	got, err := dsse.NewStatement([]byte(`{"b": 1.0, "a": "\u00e9"}`), []string{"c", "sha256:" + hash, "c", "sha256:" + strings.ToUpper(hash), "sha256:1"})
	want := `{"_type":"https://in-toto.io/Statement/v1","predicate":{"a":"é","b":1},"predicateType":"https://hachure.org/v1/bundle","subject":[` +
		`{"digest":{"integrity-ref":"c"},"name":"c"},` +
		`{"digest":{"integrity-ref":"sha256:` + hash + `","sha256":"` + hash + `"},"name":"sha256:` + hash + `"},` +
		`{"digest":{"integrity-ref":"c"},"name":"c"},` +
		`{"digest":{"integrity-ref":"sha256:` + strings.ToUpper(hash) + `"},"name":"sha256:` + strings.ToUpper(hash) + `"},` +
		`{"digest":{"integrity-ref":"sha256:1"},"name":"sha256:1"}]}`
	if err != nil || string(got) != want {
		t.Errorf("%v\n got %s\nwant %s", err, got, want)
	}
	if _, err := dsse.NewStatement([]byte(`{"b":`), nil); err == nil {
		t.Error("a bundle that is no JSON is accepted")
	}
}
