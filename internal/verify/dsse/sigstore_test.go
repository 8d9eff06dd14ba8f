package dsse_test

import (
	"encoding/json"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
)

// A bundle of Sigstore has the envelope and names the key; it is read as an envelope is, also with
// what other tools put into it.
func TestSigstore(t *testing.T) {
	pair := verifytest.NewP256(t)
	e, err := dsse.Sign(t.Context(), []byte(`{"_type":"x"}`), pair.Signer)
	if err != nil {
		t.Fatal(err)
	}
	var ours struct {
		MediaType            string
		VerificationMaterial struct{ PublicKey struct{ Hint string } }
		DSSEEnvelope         json.RawMessage
	}
	text := e.AppendSigstore(nil)
	if err := json.Unmarshal(text, &ours); err != nil {
		t.Fatal(err)
	}
	if ours.MediaType != "application/vnd.dev.sigstore.bundle.v0.3+json" ||
		ours.VerificationMaterial.PublicKey.Hint != pair.Signer.KeyID() || string(ours.DSSEEnvelope) != string(e.AppendJSON(nil)) {
		t.Errorf("the bundle is %s", text)
	}
	theirs := `{"mediaType":"application/vnd.dev.sigstore.bundle+json;version=0.2","verificationMaterial":{"certificate":{"rawBytes":"AA=="},` +
		`"tlogEntries":[{"logIndex":"1"}]},"dsseEnvelope":` + string(ours.DSSEEnvelope) + `}`
	for _, text := range []string{string(text), theirs} {
		read, err := dsse.ReadEnvelope(text)
		if err != nil || read.SignedBy([]*dsse.PublicKey{pair.Public}) == nil || string(read.Payload) != `{"_type":"x"}` {
			t.Errorf("%+v, %v of %s", read, err, text)
		}
	}
	_, err = dsse.ReadEnvelope(`{"mediaType":"x","dsseEnvelope":{"payload":"?","payloadType":"x","signatures":[]}}`)
	if faults := problem.All(err); len(faults) != 1 || faults[0].Path != "$.dsseEnvelope.payload" {
		t.Errorf("a faulty payload: %v", err)
	}
}
