package dsse

import (
	"cmp"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/pem"
	"fmt"
	"strings"
)

// Signer signs answers. It is safe for concurrent use.
type Signer interface {
	// KeyID names the key, for those who have several to choose from.
	KeyID() string
	// Sign returns a signature of the bytes, which are the pre-authentication
	// encoding of an envelope.
	Sign(ctx context.Context, pae []byte) ([]byte, error)
}

// KeyError refuses a text that holds no key that can be used. It says what is wanted, and nothing
// of what was given.
type KeyError struct{ Reason string }

func (e *KeyError) Error() string { return e.Reason }

var (
	errPrivatePEM = &KeyError{"must hold one private key: PEM, PKCS #8 (PRIVATE KEY), not encrypted"}
	errPublicPEM  = &KeyError{"must hold one public key: PEM, SubjectPublicKeyInfo (PUBLIC KEY)"}
	errKeyKind    = &KeyError{"must be a key for Ed25519 or ECDSA P-256"}
)

// KeySigner is a Signer with a private key in memory: Ed25519, or ECDSA P-256
// over SHA-256 with ASN.1 DER signatures. Its key id is that of the public key.
type KeySigner struct {
	key crypto.Signer
	id  string
}

// ReadSigner reads a private key: one PEM block with PKCS #8.
func ReadSigner(text []byte) (*KeySigner, error) {
	der := onlyBlock(text, "PRIVATE KEY")
	if der == nil {
		return nil, cmp.Or(otherBlock(text, "a private key"), errPrivatePEM)
	}
	key, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, errPrivatePEM
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, errKeyKind
	}
	public, err := newPublicKey(signer.Public())
	if err != nil {
		return nil, err
	}
	return &KeySigner{signer, public.id}, nil
}

// KeyID implements Signer.
func (s *KeySigner) KeyID() string { return s.id }

// Sign implements Signer.
func (s *KeySigner) Sign(_ context.Context, pae []byte) ([]byte, error) {
	if _, ok := s.key.(ed25519.PrivateKey); ok {
		return s.key.Sign(nil, pae, crypto.Hash(0))
	}
	digest := sha256.Sum256(pae)
	return s.key.Sign(rand.Reader, digest[:], crypto.SHA256)
}

// PublicKey verifies signatures.
type PublicKey struct {
	key crypto.PublicKey
	id  string
	hex string // the other id by which senders may name it
}

// ReadPublicKey reads a public key: one PEM block with a SubjectPublicKeyInfo.
func ReadPublicKey(text []byte) (*PublicKey, error) {
	der := onlyBlock(text, "PUBLIC KEY")
	if der == nil {
		return nil, cmp.Or(otherBlock(text, "a public key"), errPublicPEM)
	}
	key, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return nil, errPublicPEM
	}
	return newPublicKey(key)
}

func newPublicKey(key crypto.PublicKey) (*PublicKey, error) {
	var fields []string // of the key in SSH, RFC 8709 and RFC 5656
	switch k := key.(type) {
	case ed25519.PublicKey:
		fields = []string{"ssh-ed25519", string(k)}
	case *ecdsa.PublicKey:
		if k.Curve != elliptic.P256() {
			return nil, errKeyKind
		}
		point, err := k.Bytes()
		if err != nil {
			return nil, errKeyKind
		}
		fields = []string{"ecdsa-sha2-nistp256", "nistp256", string(point)}
	default:
		return nil, errKeyKind
	}
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return nil, errKeyKind
	}
	var wire []byte
	for _, field := range fields {
		wire = append(binary.BigEndian.AppendUint32(wire, uint32(len(field))), field...)
	}
	inSSH := sha256.Sum256(wire)
	id := "SHA256:" + base64.RawStdEncoding.EncodeToString(inSSH[:])
	return &PublicKey{key, id, fmt.Sprintf("%x", sha256.Sum256(der))}, nil
}

// ID is the fingerprint that SSH gives the key, by which other verifiers of DSSE look keys up:
// "SHA256:" and a SHA-256 in base64.
func (k *PublicKey) ID() string { return k.id }

// Verify reports whether sig is the key's signature of the bytes.
func (k *PublicKey) Verify(pae, sig []byte) bool {
	switch key := k.key.(type) {
	case ed25519.PublicKey:
		return ed25519.Verify(key, pae, sig)
	case *ecdsa.PublicKey:
		digest := sha256.Sum256(pae)
		return ecdsa.VerifyASN1(key, digest[:], sig)
	}
	return false
}

// IsPrivate reports whether a text holds a private key in PEM, in whichever form.
func IsPrivate(text []byte) bool {
	block, _ := pem.Decode(text)
	return block != nil && strings.HasSuffix(block.Type, "PRIVATE KEY")
}

// otherBlock says what the first PEM block of a text holds if that is of another kind, and
// how the wanted key is made of it where it can be.
func otherBlock(text []byte, wanted string) *KeyError {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil
	}
	found := map[string]string{
		"PUBLIC KEY": "a public key", "CERTIFICATE": "a certificate", "CERTIFICATE REQUEST": "a certificate request",
		"PRIVATE KEY": "a private key", "ENCRYPTED PRIVATE KEY": "an encrypted private key",
		"EC PRIVATE KEY":  "a private key in SEC 1 form",
		"RSA PRIVATE KEY": "a private key for RSA", "OPENSSH PRIVATE KEY": "a private key in OpenSSH form",
	}[block.Type]
	if found == "" || found == wanted {
		return nil
	}
	tip := ""
	switch {
	case wanted == "a private key":
	case block.Type == "CERTIFICATE":
		tip = "; openssl x509 -pubkey -noout prints the public key in it"
	case strings.HasSuffix(block.Type, "PRIVATE KEY"):
		tip = "; openssl pkey -pubout prints its public key"
	}
	return &KeyError{"holds " + found + ", not " + wanted + tip}
}

// onlyBlock returns the content of the one PEM block of a text, nil if it is
// not of the type, has headers, or if there is more than white space around it.
func onlyBlock(text []byte, kind string) []byte {
	before, _, found := strings.Cut(string(text), "-----BEGIN ")
	if !found || strings.TrimSpace(before) != "" {
		return nil
	}
	block, rest := pem.Decode(text)
	if block == nil || block.Type != kind || len(block.Headers) > 0 || strings.TrimSpace(string(rest)) != "" {
		return nil
	}
	return block.Bytes
}
