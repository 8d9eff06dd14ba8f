package verify

import (
	"context"
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// PayloadType is the media type of the statements in envelopes.
const PayloadType = "application/vnd.in-toto+json"

// Signer signs answers. It is safe for concurrent use.
type Signer interface {
	// KeyID names the key, for those who have several to choose from.
	KeyID() string
	// Sign returns a signature of the bytes, which are the pre-authentication
	// encoding of an envelope.
	Sign(ctx context.Context, pae []byte) ([]byte, error)
}

// Envelope is a DSSE envelope: a payload and signatures of it.
type Envelope struct {
	PayloadType string
	Payload     []byte
	Signatures  []Signature
}

// Signature is one signature of an envelope's pre-authentication encoding.
type Signature struct {
	KeyID string // a hint, not signed; may be empty
	Sig   []byte
}

// AppendPAE appends the pre-authentication encoding of a payload and its type,
// which is what is signed (DSSE v1.0).
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

// ToDSSEEnvelope signs a statement.
func ToDSSEEnvelope(ctx context.Context, statement []byte, signer Signer) (*Envelope, error) {
	pae := AppendPAE(make([]byte, 0, len(statement)+64), PayloadType, statement)
	sig, err := signer.Sign(ctx, pae)
	if err != nil {
		return nil, err
	}
	return &Envelope{PayloadType, statement, []Signature{{signer.KeyID(), sig}}}, nil
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

// Envelopes and signatures may have members of later versions (DSSE v1.0).
var (
	envelopeFields  = ijson.NewOpenFields("payload", "payloadType", "signatures")
	signatureFields = ijson.NewOpenFields("keyid?", "sig")
)

// ReadEnvelope reads an envelope. Payload and signatures must be in the one
// base64 that RFC 4648 section 4 calls canonical: the standard alphabet, padded,
// without line feeds and with zeros behind the last bit. Nothing is verified.
func ReadEnvelope(text string) (*Envelope, error) {
	r := ijson.NewReader(text, problem.InvalidJSON)
	e := &Envelope{}
	for o := r.Object(envelopeFields); o.Next(); {
		switch o.Field() {
		case 0:
			e.Payload = readBase64(r)
		case 1:
			e.PayloadType = r.String()
		case 2:
			for l := r.List(); l.Next(); {
				e.Signatures = append(e.Signatures, readSignature(r))
			}
		}
	}
	if faults := r.End(); faults != nil {
		return nil, faults.Err()
	}
	return e, nil
}

func readSignature(r *ijson.Reader) (s Signature) {
	for o := r.Object(signatureFields); o.Next(); {
		if o.Field() == 0 {
			s.KeyID = r.String()
		} else {
			s.Sig = readBase64(r)
		}
	}
	return s
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
