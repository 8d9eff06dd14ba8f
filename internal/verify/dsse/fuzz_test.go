package dsse_test

import (
	"bytes"
	"testing"

	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
)

// FuzzEnvelope writes what it reads so that it reads the same again.
func FuzzEnvelope(f *testing.F) {
	pair := verifytest.NewEd25519(f)
	e, err := dsse.Sign(f.Context(), []byte("{}"), pair.Signer)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(e.AppendJSON(nil)))
	f.Add(`{"payload":"","payloadType":"\u0000","signatures":[{"sig":"AAA="},{"keyid":"","sig":""}],"x":[]}`)
	f.Fuzz(func(t *testing.T, text string) {
		e, err := dsse.ReadEnvelope(text)
		if err != nil {
			return
		}
		written := e.AppendJSON(nil)
		again, err := dsse.ReadEnvelope(string(written))
		if err != nil || !bytes.Equal(again.AppendJSON(nil), written) {
			t.Fatalf("%q is written as %s, which is read as %+v, %v", text, written, again, err)
		}
		pae := dsse.AppendPAE(nil, e.PayloadType, e.Payload)
		for _, s := range e.Signatures {
			if pair.Public.Verify(pae, s.Sig) && !bytes.Equal(e.Payload, []byte("{}")) {
				t.Fatalf("a forged signature: %s", written)
			}
		}
	})
}
