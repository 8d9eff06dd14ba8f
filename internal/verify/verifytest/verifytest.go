// Package verifytest makes what the tests of internal/verify share: bundles and
// their records, keys, and scenes of one claim. It is for tests.
package verifytest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/internal/verify/status"
)

// Bundle reads a bundle that must be right.
func Bundle(tb testing.TB, text string) *bundle.Bundle {
	tb.Helper()
	b, err := bundle.Read(problem.Source{Name: "bundle.json", Text: text})
	if err != nil {
		for _, fault := range problem.All(err) {
			tb.Logf("%+v: %s", fault.Place, fault)
		}
		tb.Fatal(err)
	}
	return b
}

// Raw reads a bundle for merging.
func Raw(tb testing.TB, text string) *bundle.Raw {
	tb.Helper()
	b, err := bundle.ReadRaw(problem.Source{Name: "bundle.json", Text: text})
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// Time reads a time that must be right.
func Time(tb testing.TB, s string) time.Time {
	tb.Helper()
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// Function is the status function, in the version that is taken by default, at an
// instant.
func Function(tb testing.TB, now string) *status.Function {
	tb.Helper()
	f, err := status.New(status.DefaultVersion, now)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// KeyPair is a private key, what signs with it, and its public key.
type KeyPair struct {
	Name    string
	Private crypto.Signer
	Signer  *dsse.KeySigner
	Public  *dsse.PublicKey
}

// NewEd25519 makes keys for Ed25519.
func NewEd25519(tb testing.TB) KeyPair {
	tb.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	return newKeyPair(tb, "Ed25519", key, err)
}

// NewP256 makes keys for ECDSA on P-256.
func NewP256(tb testing.TB) KeyPair {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	return newKeyPair(tb, "P-256", key, err)
}

func newKeyPair(tb testing.TB, name string, private crypto.Signer, err error) KeyPair {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
	signer, err := dsse.ReadSigner(PrivatePEM(tb, private))
	if err != nil {
		tb.Fatal(err)
	}
	public, err := dsse.ReadPublicKey(PublicPEM(tb, private.Public()))
	if err != nil {
		tb.Fatal(err)
	}
	return KeyPair{name, private, signer, public}
}

// PrivatePEM is a private key as a file has it.
func PrivatePEM(tb testing.TB, key any) []byte {
	tb.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		tb.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

// PublicPEM is a public key as a file has it.
func PublicPEM(tb testing.TB, key any) []byte {
	tb.Helper()
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		tb.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

// Scene is a bundle of one claim, whose id is c, given by the members that matter, as
// JSON: those of the claim, those of a policy p for its type, and lists of evidence,
// events and traces.
type Scene struct{ Claim, Policy, Evidence, Events, Traces string }

// Text returns the bundle as JSON.
func (s Scene) Text() string {
	policies := ""
	if s.Policy != "" {
		policies = `{"id":"p","claimType":"t","acceptanceCriteria":[],"reviewAuthority":"r","stalenessTriggers":[],` +
			`"conflictRules":[],"impactLevel":"low",` + s.Policy + `}`
	}
	claim := ""
	if s.Claim != "" {
		claim = "," + s.Claim
	}
	return fmt.Sprintf(`{"schemaVersion":5,"source":"s","claims":[{"id":"c","subjectType":"s","subjectId":"i",
		"claimType":"t","fieldOrBehavior":"f","value":1,
		"createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z"%s}],
		"evidence":[%s],"policies":[%s],"events":[%s],"authorityTrace":[%s]}`,
		claim, s.Evidence, policies, s.Events, s.Traces)
}

// ScenePiece is evidence for the claim.
func ScenePiece(id, members string) string {
	return `{"id":"` + id +
		`","claimId":"c","evidenceType":"test_output","method":"validation","sourceRef":"s","excerptOrSummary":"x",` +
		`"collectedBy":"a",` + members + `}`
}

// SceneEvent is an event of the claim, by ann, that names the piece e.
func SceneEvent(id, status, createdAt, members string) string {
	return `{"id":"` + id + `","claimId":"c","status":"` + status +
		`","actor":"ann","method":"m","evidenceIds":["e"],"createdAt":"` + createdAt + `"` + members + `}`
}

// SceneTrace is an authority trace of ann.
func SceneTrace(members string) string {
	return `{"id":"t","subject":{"subjectType":"s","subjectId":"i"},"actorRef":"ann","authorityType":"role",` +
		`"authorityRef":"role:x","sourceRef":"s","observedAt":"2026-01-01T00:00:00Z"` + members + `}`
}

// File returns the content of a file.
func File(tb testing.TB, name string) string {
	tb.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

// Decode reads JSON as an independent reader does.
func Decode(tb testing.TB, text string, into any) {
	tb.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		tb.Fatalf("%v in %.200s", err, text)
	}
}

// Linked is a bundle in which refs lead to records in every way there is.
const Linked = `{"schemaVersion":5,"source":"s","policies":[],
"claims":[
 {"id":"c2","subjectType":"s","subjectId":"i","claimType":"t","fieldOrBehavior":"f","value":1.0,
   "createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z","currentIntegrityRef":"shared"},
 {"id":"c1","subjectType":"s","subjectId":"i","claimType":"t","fieldOrBehavior":"f","value":1e2,
   "createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z","currentIntegrityRef":"shared",
  "currentIntegrityAnchor":{"id":"a","kind":"hash","algorithm":"a","value":"anchor-c1","sourceRef":"s"}},
 {"id":"c3","subjectType":"s","subjectId":"i","claimType":"t","fieldOrBehavior":"f","value":null,
   "createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z"}],
"evidence":[
 {"id":"e3","claimId":"c1","evidenceType":"attestation","method":"attestation","sourceRef":"s",
   "excerptOrSummary":"x","observedAt":"2026-01-01T00:00:00Z","collectedBy":"a","integrityRef":"ref-e3"},
 {"id":"e1","claimId":"c1","evidenceType":"attestation","method":"attestation","sourceRef":"s",
   "excerptOrSummary":"x","observedAt":"2026-01-01T00:00:00Z","collectedBy":"a",
  "integrityAnchor":{"id":"a","kind":"hash","algorithm":"a","value":"anchor-e1","sourceRef":"s"}},
 {"id":"e2","claimId":"c2","evidenceType":"attestation","method":"attestation","sourceRef":"s",
   "excerptOrSummary":"x","observedAt":"2026-01-01T00:00:00Z","collectedBy":"a","integrityRef":"shared"}],
"events":[
 {"id":"v2","claimId":"c1","status":"proposed","actor":"ann","method":"m","evidenceIds":[],
   "createdAt":"2026-01-01T00:00:00Z"},
 {"id":"v1","claimId":"c1","status":"proposed","actor":"bob","method":"m","evidenceIds":[],
   "createdAt":"2026-01-01T00:00:00Z"}],
"authorityTrace":[
 {"id":"t2","subject":{"subjectType":"s","subjectId":"i"},"actorRef":"ann","authorityType":"role",
   "authorityRef":"r","sourceRef":"s","observedAt":"2026-01-01T00:00:00Z"},
 {"id":"t1","subject":{"subjectType":"s","subjectId":"i"},"actorRef":"cid","authorityType":"role",
   "authorityRef":"r","sourceRef":"s","observedAt":"2026-01-01T00:00:00Z","claimIds":["c3","c2","nobody's"],
   "integrityRef":"ref-t1"},
 {"id":"t3","subject":{"subjectType":"s","subjectId":"i"},"actorRef":"dan","authorityType":"role",
   "authorityRef":"r","sourceRef":"s","observedAt":"2026-01-01T00:00:00Z",
  "integrityAnchor":{"id":"a","kind":"hash","algorithm":"a","value":"anchor-t3","sourceRef":"s"}}]}`
