package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/internal/verify/receiver"
	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/record"
)

// PublicKey verifies signatures of answers.
type PublicKey struct{ inner *dsse.PublicKey }

// KeyError refuses a PEM text that holds no key which can be used.
type KeyError struct{ Reason string } // what is wanted, and nothing of what was given

// Error returns the reason.
func (e *KeyError) Error() string { return e.Reason }

func keyError(err error) error {
	if refused, ok := errors.AsType[*dsse.KeyError](err); ok {
		return (*KeyError)(refused)
	}
	return err
}

// ParsePublicKey reads the public key of a PEM text: SubjectPublicKeyInfo, Ed25519
// or ECDSA P-256. Its error is a [*KeyError].
func ParsePublicKey[T service.Text](pem T) (*PublicKey, error) {
	k, err := dsse.ReadPublicKey([]byte(pem))
	if err != nil {
		return nil, keyError(err)
	}
	return &PublicKey{k}, nil
}

// ID returns the lower-case hexadecimal SHA-256 of the key's DER
// SubjectPublicKeyInfo.
func (k *PublicKey) ID() string { return k.inner.ID() }

// MaxAnswerBytes is how many bytes the answers to all questions may have together,
// unless AskOptions say otherwise.
const MaxAnswerBytes = 64 << 20

// AskOptions are the options of [Ask].
type AskOptions struct {
	Refs     []string // to ask for; nil for the ids of the held claims
	NoNonce  bool     // the nonces that are sent need not come back
	MaxBytes int64    // of all answers together, zero for MaxAnswerBytes
}

// Answer is what came back when a question was asked.
type Answer struct {
	JSON  string
	Refs  []string // that were asked for; nil if nobody knows, as of an answer from a file
	Nonce string   // that must come back; empty if none must
	ByRef bool     // the refs may name claims otherwise than by their ids
}

// Ask asks an endpoint for the claims of a bundle, at most 256 at a time and
// each time with a fresh nonce. send sends a question, which is the JSON that the
// endpoint takes by POST, and returns the body of the answer; AskEndpoint of package
// [github.com/model-catalog-service/svc/service/local] has one over HTTP. The error is that
// of send or of reading, or an [TooLargeError].
func Ask(ctx context.Context, held *Bundle, options AskOptions,
	send func(ctx context.Context, question []byte) (io.ReadCloser, error)) ([]Answer, error) {
	found, err := receiver.Ask(ctx, held.inside(), receiver.AskOptions(options), send)
	if err = outwardTooLarge(err); err != nil {
		return nil, err
	}
	var answers []Answer
	for _, a := range found {
		answers = append(answers, Answer{a.Text, a.Refs, a.Nonce, a.ByRef})
	}
	return answers, nil
}

// TooLargeError refuses answers that have more bytes than they may.
type TooLargeError struct{ Limit int64 } // bytes

// Error names the limit.
func (e *TooLargeError) Error() string {
	return (&receiver.TooLargeError{Most: e.Limit}).Error()
}

// ReceiveOptions are the options of [Receive].
type ReceiveOptions struct {
	Now                   string                    // the instant of all statuses, RFC 3339; required
	StatusFunctionVersion string                    // by which all statuses are derived; empty for [StatusFunctionVersion]
	Keys                  []*PublicKey              // if there are any, one of them must have signed each answer
	Require               record.VerificationStatus // that every claim must have in the end; empty for any
	AllowFall             bool                      // a claim that is no longer verified is no refusal
	AllowChange           bool                      // a claim that says something else may meet Require

	// MaxAge is how old an answer may be that meets Require: 24 hours if it is 0, any age if it is
	// below.
	MaxAge time.Duration
	Memory Memory // keeps answers, so that a source cannot take them back; nil for none
}

// Memory keeps the answers of each source from one run of a receiver to the next, as they
// came. With it, an older answer is not taken, a revocation that a later answer leaves out stays,
// and who has signed must sign again. OpenAnswerMemory of package
// [github.com/model-catalog-service/svc/service/local] keeps them in a folder.
type Memory interface {
	// Recall returns the answers that are kept of a source, in any order.
	Recall(source string) ([]string, error)
	// Keep replaces the answers that are kept of a source.
	Keep(source string, answers []string) error
}

// Receive holds answers against the bundle that they are about: whether they
// are signed, answer these questions and fit what is held, and which statuses
// follow. It believes no status in an answer. It fails with an
// [*UnknownVersionError], if there is no such status as Require, and if it cannot read Now.
func Receive(held *Bundle, answers []Answer, options ReceiveOptions) (*record.VerificationReceipt,
	error) {
	inner, err := options.inside()
	if err != nil {
		return nil, err
	}
	texts := make([]receiver.Answer, len(answers))
	for i, a := range answers {
		texts[i] = receiver.Answer{Text: a.JSON, Refs: a.Refs, Nonce: a.Nonce, ByRef: a.ByRef}
	}
	return &receiver.Receive(held.inside(), texts, inner).VerificationReceipt, nil
}

// Verify does what [Ask] and [Receive] do, part by part of a large bundle: 100,000 claims need no
// more memory than some thousands, besides the bundle itself. The limit of ask is that of the
// answers to a part, of some 4,000 claims. Where asking fails, the receipt has the statuses that
// follow from what is held, with the error of [Ask].
func Verify(ctx context.Context, held *Bundle, ask AskOptions, options ReceiveOptions,
	send func(ctx context.Context, question []byte) (io.ReadCloser, error)) (*record.VerificationReceipt, error) {
	inner, err := options.inside()
	if err != nil {
		return nil, err
	}
	r, err := receiver.Verify(ctx, held.inside(), receiver.AskOptions(ask), inner, send)
	return &r.VerificationReceipt, outwardTooLarge(err)
}

// outwardTooLarge returns an error of asking as this package declares it.
func outwardTooLarge(err error) error {
	if tooLarge, ok := errors.AsType[*receiver.TooLargeError](err); ok {
		return &TooLargeError{tooLarge.Most}
	}
	return err
}

// inside returns the options as the receiver takes them.
func (options ReceiveOptions) inside() (receiver.Options, error) {
	inner := receiver.Options{Require: options.Require, AllowFall: options.AllowFall,
		AllowChange: options.AllowChange, MaxAge: options.MaxAge}
	var err error
	inner.Function, err = newFunction(cmp.Or(options.StatusFunctionVersion, StatusFunctionVersion), options.Now)
	if err != nil {
		return inner, err
	}
	if options.Require != "" && !slices.Contains(bundle.Statuses(), string(options.Require)) {
		return inner, fmt.Errorf("there is no status %q", options.Require)
	}
	if options.Memory != nil {
		inner.Memory = options.Memory
	}
	for _, k := range options.Keys {
		inner.Keys = append(inner.Keys, k.inner)
	}
	return inner, nil
}
