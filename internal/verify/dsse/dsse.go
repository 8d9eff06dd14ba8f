// Package dsse signs answers and verifies their signatures: DSSE v1.0 envelopes
// around in-toto statements about trust bundles.
//
// # The format
//
// A statement is an in-toto Statement v1 in canonical JSON (RFC 8785). Its predicate
// is the bundle, and it has a subject for each ref that was asked for. A ref that is
// "sha256:" and 64 lower-case hexadecimal digits has a digest of that name too:
//
//	{
//	  "_type": "https://in-toto.io/Statement/v1",
//	  "predicate": {"claims": [...], "schemaVersion": 5, ...},
//	  "predicateType": "https://hachure.org/v1/bundle",
//	  "subject": [{"digest": {"integrity-ref": "c1"}, "name": "c1"}]
//	}
//
// An envelope holds the bytes of a statement, in standard base64 with padding, and
// signatures:
//
//	{
//	  "payload": "eyJfdHlwZSI6Imh0dHBzOi8vaW4tdG90by5pby9TdGF0ZW1lbnQvdjEiLC4uLn0=",
//	  "payloadType": "application/vnd.in-toto+json",
//	  "signatures": [{"keyid": "SHA256:h8Xb...", "sig": "MEUCIQ..."}]
//	}
//
// What is signed is the pre-authentication encoding of type and payload, in which
// each is preceded by its length in bytes:
//
//	DSSEv1 28 application/vnd.in-toto+json 2 {}
//
// # Keys
//
// Keys are PEM: PKCS #8 for signing, SubjectPublicKeyInfo for verifying. They are for
// Ed25519, or for ECDSA on P-256, which signs the SHA-256 of the encoding in ASN.1
// DER. The id of a key is its fingerprint in SSH, by which other verifiers of DSSE choose the
// key; a sender may also name it by the lower-case hexadecimal SHA-256 of the public key's DER
// SubjectPublicKeyInfo. Ids in envelopes are hints that nobody has signed: any of the
// keys that a receiver trusts may have made any of the signatures.
//
// # An example
//
//	signer, err := dsse.ReadSigner(privatePEM)
//	statement, err := dsse.NewStatement(bundle, []string{"c1"})
//	envelope, err := dsse.Sign(ctx, statement, signer)
//	text := envelope.AppendJSON(nil)
//
//	key, err := dsse.ReadPublicKey(publicPEM)
//	envelope, err := dsse.ReadEnvelope(string(text))
//	if envelope.SignedBy([]*dsse.PublicKey{key}) == nil {
//		// not signed by that key
//	}
//	statement, ok := dsse.ReadStatement(envelope)
package dsse

import (
	"context"
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

// MaxSignatures is how many signatures an envelope may have: each takes as long to
// verify as all of the payload takes to hash, for every key.
const MaxSignatures = 16

// PayloadType is the media type of the statements in envelopes.
const PayloadType = "application/vnd.in-toto+json"

// Envelope is a DSSE envelope: a payload and signatures of it.
type Envelope record.DSSEEnvelope

// AppendPAE appends the pre-authentication encoding of a payload and its type, which
// is what is signed.
func AppendPAE(dst []byte, payloadType string, payload []byte) []byte {
	dst = append(dst, "DSSEv1 "...)
	dst = strconv.AppendInt(dst, int64(len(payloadType)), 10)
	dst = append(dst, ' ')
	dst = append(dst, payloadType...)
	dst = append(dst, ' ')
	dst = strconv.AppendInt(dst, int64(len(payload)), 10)
	dst = append(dst, ' ')
	return append(dst, payload...)
}

func (e *Envelope) pae() []byte {
	const overhead = 64 // bytes, about
	return AppendPAE(make([]byte, 0, len(e.Payload)+len(e.PayloadType)+overhead), e.PayloadType, e.Payload)
}

// Sign puts a statement into an envelope and signs it.
func Sign(ctx context.Context, statement []byte, signer Signer) (*Envelope, error) {
	e := &Envelope{PayloadType: PayloadType, Payload: statement}
	sig, err := signer.Sign(ctx, e.pae())
	if err != nil {
		return nil, err
	}
	e.Signatures = record.List[record.DSSESignature]{{KeyID: signer.KeyID(), Sig: sig}}
	return e, nil
}

// SignedBy returns a key that made one of the signatures, nil if none did.
func (e *Envelope) SignedBy(keys []*PublicKey) *PublicKey {
	pae := e.pae()
	for _, s := range e.Signatures {
		for _, k := range keys {
			if k.Verify(pae, s.Sig) {
				return k
			}
		}
	}
	return nil
}

// Names reports whether a signature says that it was made by one of the keys.
func (e *Envelope) Names(keys []*PublicKey) bool {
	for _, s := range e.Signatures {
		for _, k := range keys {
			if s.KeyID == k.id || s.KeyID == k.hex {
				return true
			}
		}
	}
	return false
}

// AppendJSON appends the envelope as canonical JSON.
func (e *Envelope) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"payload":"`...)
	dst = base64.StdEncoding.AppendEncode(dst, e.Payload)
	dst = append(dst, `","payloadType":`...)
	dst = canonical.AppendString(dst, e.PayloadType)
	dst = append(dst, `,"signatures":[`...)
	for i, s := range e.Signatures {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"keyid":`...)
		dst = canonical.AppendString(dst, s.KeyID)
		dst = append(dst, `,"sig":"`...)
		dst = base64.StdEncoding.AppendEncode(dst, s.Sig)
		dst = append(dst, `"}`...)
	}
	return append(dst, `]}`...)
}

// Envelopes and signatures may have members of later versions.
var (
	envelopeShape = ijson.NewOpenShape(
		ijson.Required("payload", func(r *ijson.Reader, e *Envelope) { e.Payload = readBase64(r) }),
		ijson.Required("payloadType", func(r *ijson.Reader, e *Envelope) { e.PayloadType = r.String() }),
		ijson.Required("signatures", func(r *ijson.Reader, e *Envelope) {
			for l := r.List(); l.Next(); {
				if l.Index() >= MaxSignatures {
					at := r.Offset()
					if r.Skip(); l.Index() == MaxSignatures {
						r.Fail(at, "", "must be one of at most %d signatures", MaxSignatures)
					}
					continue
				}
				var s record.DSSESignature
				signatureShape.Read(r, &s)
				e.Signatures = append(e.Signatures, s)
			}
		}),
	)
	signatureShape = ijson.NewOpenShape(
		ijson.Optional("keyid", func(r *ijson.Reader, s *record.DSSESignature) { s.KeyID = r.String() }),
		ijson.Required("sig", func(r *ijson.Reader, s *record.DSSESignature) { s.Sig = readBase64(r) }),
	)
)

// ReadEnvelope reads an envelope, as it is or in a bundle of Sigstore. Payload and signatures must
// be in the one base64 that RFC 4648 section 4 calls canonical: the standard alphabet, padded,
// without line feeds and with zeros after the last bit. Nothing is verified.
func ReadEnvelope(text string) (*Envelope, error) {
	r := ijson.NewReader(text, problem.InvalidJSON)
	e := &Envelope{}
	if isSigstore(text) {
		sigstoreShape.Read(r, e)
	} else {
		envelopeShape.Read(r, e)
	}
	if faults := r.End(); faults != nil {
		return nil, faults.Err()
	}
	return e, nil
}

func readBase64(r *ijson.Reader) []byte {
	const rule = "must be standard base64, padded and without white space"
	s, at, ok := r.StringOr(rule)
	if !ok {
		return nil
	}
	b, err := base64.StdEncoding.Strict().DecodeString(s)
	if err != nil || strings.ContainsAny(s, "\r\n") { // which the library would skip
		r.Fail(at, "", rule)
		return nil
	}
	return b
}
