package service

import (
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/internal/verify/receiver"
	"github.com/model-catalog-service/svc/internal/verify/status"
	"github.com/model-catalog-service/svc/service/record"
)

// PublicKey verifies signatures of answers.
type PublicKey struct{ inner *dsse.PublicKey }

// ParsePublicKey reads the public key of a PEM text: SubjectPublicKeyInfo, Ed25519
// or ECDSA P-256.
func ParsePublicKey[T Text](pem T) (*PublicKey, error) {
	k, err := dsse.ReadPublicKey([]byte(pem))
	if err != nil {
		return nil, err
	}
	return &PublicKey{k}, nil
}

// ID returns the lower-case hexadecimal SHA-256 of the key's DER
// SubjectPublicKeyInfo.
func (k *PublicKey) ID() string { return k.inner.ID() }

// MaxAnswerBytes is how many bytes the answers to all questions may have together,
// unless AskOptions say otherwise.
const MaxAnswerBytes = 64 << 20

// AskOptions are the options of [AskForClaims].
type AskOptions struct {
	NoNonce  bool  // the nonces that are sent need not come back
	MaxBytes int64 // of all answers together, zero for MaxAnswerBytes
}

// ReceivedAnswer is what came back when a question was asked.
type ReceivedAnswer struct {
	JSON  string
	Refs  []string // that were asked for; nil if nobody knows, as of an answer from a file
	Nonce string   // that must come back; empty if none must
}

// AskForClaims asks an endpoint for the claims of a bundle, at most 256 at a time and
// each time with a fresh nonce. send sends a question, which is the JSON that the
// endpoint takes by POST, and returns the body of the answer; AskEndpoint of package
// [github.com/model-catalog-service/svc/service/local] has one over HTTP. The error is that
// of send or of reading, or an [AnswersTooLargeError].
func AskForClaims(ctx context.Context, held *TrustBundle, options AskOptions, send func(ctx context.Context, question []byte) (io.ReadCloser, error)) ([]ReceivedAnswer, error) {
	found, err := receiver.Ask(ctx, held.inner, receiver.AskOptions(options), send)
	if tooLarge, ok := errors.AsType[*receiver.TooLargeError](err); ok {
		return nil, &AnswersTooLargeError{tooLarge.Most}
	}
	var answers []ReceivedAnswer
	for _, a := range found {
		answers = append(answers, ReceivedAnswer{a.Text, a.Refs, a.Nonce})
	}
	return answers, err
}

// AnswersTooLargeError refuses answers that have more bytes than they may.
type AnswersTooLargeError struct{ Limit int64 } // bytes

// Error names the limit.
func (e *AnswersTooLargeError) Error() string {
	return (&receiver.TooLargeError{Most: e.Limit}).Error()
}

// ReceiveOptions are the options of [ReceiveAnswers].
type ReceiveOptions struct {
	Now                   string             // the instant of all statuses, RFC 3339; required
	StatusFunctionVersion string             // by which all statuses are derived; empty for [StatusFunctionVersion]
	Keys                  []*PublicKey       // if there are any, one of them must have signed each answer
	Require               VerificationStatus // that every claim must have in the end; empty for any
	AllowFall             bool               // a claim that is no longer verified is no refusal
}

// ReceiveAnswers holds answers against the bundle that they are about: whether they
// are signed, answer these questions and fit what is held, and which statuses
// follow. It believes no status in an answer. The only errors are that there is no
// such version of the status function, and that it cannot read Now.
func ReceiveAnswers(held *TrustBundle, answers []ReceivedAnswer, options ReceiveOptions) (*VerificationReceipt, error) {
	function, err := status.New(status.Version(cmp.Or(options.StatusFunctionVersion, StatusFunctionVersion)), options.Now)
	if err != nil {
		return nil, err
	}
	inner := receiver.Options{Function: function, Require: bundle.Status(options.Require), AllowFall: options.AllowFall}
	for _, k := range options.Keys {
		inner.Keys = append(inner.Keys, k.inner)
	}
	texts := make([]receiver.Answer, len(answers))
	for i, a := range answers {
		texts[i] = receiver.Answer{Text: a.JSON, Refs: a.Refs, Nonce: a.Nonce}
	}
	return decode[*VerificationReceipt](receiver.Receive(held.inner, texts, inner).JSON()), nil
}

// VerificationReceipt is what a receiver knows after asking.
type VerificationReceipt struct {
	Claims   record.List[ClaimReceipt]   `json:"claims"`   // all that are held, in the order of the bundle
	KeyIDs   record.List[string]         `json:"keyIds"`   // of the given keys that signed, one for each answer
	Now      string                      `json:"now"`      // the instant of all statuses, in UTC, with all digits that count
	OK       bool                        `json:"ok"`       // all outcomes are notices
	Outcomes record.List[ReceiptOutcome] `json:"outcomes"` // what else came out of asking

	StatusFunctionVersion string `json:"statusFunctionVersion"` // by which all statuses were derived
}

// ClaimReceipt is what a receiver knows of a claim.
type ClaimReceipt struct {
	After    *VerificationStatus `json:"after"`    // from what is held and the answers; nil if there is no such status
	Answered bool                `json:"answered"` // the answers have the claim
	Before   VerificationStatus  `json:"before"`   // from what is held alone
	Changed  bool                `json:"changed"`  // with other content than is held
	ID       string              `json:"id"`
}

// ReceiptOutcome is one thing that came out of asking.
type ReceiptOutcome struct {
	Code    OutcomeCode           `json:"code"`
	Message string                `json:"message"`
	Records record.List[RecordID] `json:"records"` // which ones, if it is about some
}

// OutcomeCode says in one word what came out of asking.
type OutcomeCode string

// The outcomes that are failures: nothing could be checked.
const (
	OutcomeUnreachable OutcomeCode = "UNREACHABLE"  // nobody answered; for callers of AskForClaims to use
	OutcomeUnreadable  OutcomeCode = "UNREADABLE"   // the answer, or the bundle it is held against, is malformed
	OutcomeNothingHeld OutcomeCode = "NOTHING_HELD" // the held bundle has no claims
	OutcomeUnknownRef  OutcomeCode = "UNKNOWN_REF"  // the answer has none of the held claims
	OutcomeNoKey       OutcomeCode = "NO_KEY"       // the envelope is signed with other keys than those given
)

// The outcomes that are refusals: the answer is not what it must be.
const (
	OutcomeUnsigned        OutcomeCode = "UNSIGNED"         // keys were given, but the answer has no envelope
	OutcomeBadSignature    OutcomeCode = "BAD_SIGNATURE"    // a given key is named and did not sign
	OutcomePayloadMismatch OutcomeCode = "PAYLOAD_MISMATCH" // what is signed is not the bundle beside it
	OutcomeNonceMismatch   OutcomeCode = "NONCE_MISMATCH"   // the answer is not to this question
	OutcomeRefsMismatch    OutcomeCode = "REFS_MISMATCH"    // the answer is about other refs, or contradicts itself about one
	OutcomeMergeCollision  OutcomeCode = "MERGE_COLLISION"  // a record that never changes has changed
	OutcomeStatusFell      OutcomeCode = "STATUS_FELL"      // a claim was verified and no longer is
	OutcomeStatusNotMet    OutcomeCode = "STATUS_NOT_MET"   // a claim does not have the status that is required
)

// The outcomes that are notices.
const (
	OutcomeChanged      OutcomeCode = "CHANGED"       // a claim or trace differs from the one that is held
	OutcomeLeftAside    OutcomeCode = "LEFT_ASIDE"    // the answer has records about claims that it does not speak for
	OutcomeOtherVersion OutcomeCode = "OTHER_VERSION" // the producer uses another version of the status function
	OutcomeFutureEvent  OutcomeCode = "FUTURE_EVENT"  // an event is dated after Now
)
