package dsse

import (
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
)

// This file is the bundle of Sigstore, version 0.3, as the tools around cosign hand an envelope on.
// Ours name the public key by a hint, and no log or certificate, so that a verifier needs the key:
//
//	{ "dsseEnvelope": { "payload", "payloadType", "signatures": [{ "keyid", "sig" }] },
//	  "mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json",
//	  "verificationMaterial": { "publicKey": { "hint": "SHA256:..." } } }

const sigstoreType = "application/vnd.dev.sigstore.bundle.v0.3+json"

// AppendSigstore appends the envelope in a bundle of Sigstore, as canonical JSON.
func (e *Envelope) AppendSigstore(dst []byte) []byte {
	hint := ""
	if len(e.Signatures) > 0 {
		hint = e.Signatures[0].KeyID
	}
	dst = e.AppendJSON(append(dst, `{"dsseEnvelope":`...))
	dst = append(dst, `,"mediaType":"`+sigstoreType+`","verificationMaterial":{"publicKey":{"hint":`...)
	return append(canonical.AppendString(dst, hint), `}}}`...)
}

// isSigstore reports whether a text is a bundle of Sigstore, of whatever version.
func isSigstore(text string) bool {
	return strings.Contains(text, `"mediaType"`) && strings.Contains(text, `"dsseEnvelope"`)
}

// sigstoreShape reads the envelope of a bundle. What else is in it vouches for keys that are not
// known, and nobody asks for that here: an envelope counts by the keys that one has.
var sigstoreShape = ijson.NewOpenShape(
	ijson.Required("dsseEnvelope", func(r *ijson.Reader, e *Envelope) { envelopeShape.Read(r, e) }),
)
