package main

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"strings"
	"testing"
)

// testKey is the key of the releases that tests make.
var testKey = ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))

func testKeyPEM() string {
	der, err := x509.MarshalPKCS8PrivateKey(testKey)
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

// statement is what an envelope has.
type statement struct {
	PredicateType string
	Predicate     json.RawMessage
	Subject       []subject
}

// opened verifies an envelope by the words of DSSE, and returns what it has.
func opened(t *testing.T, envelope []byte) (s statement) {
	t.Helper()
	var e struct {
		Payload     []byte
		PayloadType string
		Signatures  []struct{ Sig []byte }
	}
	if err := json.Unmarshal(envelope, &e); err != nil {
		t.Fatal(err)
	}
	signed := fmt.Sprintf("DSSEv1 %d %s %d %s", len(e.PayloadType), e.PayloadType, len(e.Payload), e.Payload)
	if len(e.Signatures) != 1 || !ed25519.Verify(testKey.Public().(ed25519.PublicKey), []byte(signed), e.Signatures[0].Sig) {
		t.Fatal("the key has not signed it")
	}
	if err := json.Unmarshal(e.Payload, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// What the key signs is every file with its hash, what they were built of, and the list of what is
// in a binary about its archive.
func TestAttested(t *testing.T) {
	_, files := readPublished(t)
	s := opened(t, files[provenanceName])
	unnamed := map[string]string{}
	for name, text := range files {
		if !strings.HasSuffix(name, ".dsse.json") {
			unnamed[name] = hexSum(text)
		}
	}
	for _, one := range s.Subject {
		if unnamed[one.Name] != one.Digest["sha256"] {
			t.Errorf("%s is signed with the hash %s", one.Name, one.Digest)
		}
		delete(unnamed, one.Name)
	}
	if len(unnamed) > 0 || s.PredicateType != "https://slsa.dev/provenance/v1" {
		t.Errorf("%s says nothing of %v", s.PredicateType, unnamed)
	}
	for _, part := range []string{testVersion, testCommit, testMaintainer[:4], "go1."} {
		if !strings.Contains(string(s.Predicate), part) {
			t.Errorf("the provenance lacks %s: %s", part, s.Predicate)
		}
	}
	archive, _ := only(t, files, ".tar.gz")
	_, bill := only(t, files, ".cdx.json")
	_, envelope := only(t, files, ".cdx.dsse.json")
	s = opened(t, envelope)
	var want, got any
	for text, to := range map[string]*any{string(bill): &want, string(s.Predicate): &got} {
		if err := json.Unmarshal([]byte(text), to); err != nil {
			t.Fatal(err)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || len(s.Subject) != 1 || s.Subject[0].Name != archive || s.PredicateType != "https://cyclonedx.org/bom" {
		t.Errorf("the list is attested as %s about %v", s.PredicateType, s.Subject)
	}
}

// A release that nobody signed says so, and a key that is none ends it.
func TestUnsigned(t *testing.T) {
	files, err := (&release{}).attest(t.Context(), nil, nil, nil)
	if err != nil || len(files) != 1 || files[0].name != unsignedName || !strings.HasPrefix(string(files[0].text), "Nobody has signed") {
		t.Errorf("%v %v", files, err)
	}
	t.Setenv(keyVariable, "no key")
	if _, err := releaseSigner(); err == nil || !strings.HasPrefix(err.Error(), keyVariable+": must hold one private key") || strings.Contains(err.Error(), "no key") {
		t.Errorf("a key that is none: %v", err)
	}
}
