package record

import (
	"encoding/json"
	"fmt"
)

// VerificationReceipt is what a receiver knows after asking what became of the claims it holds.
type VerificationReceipt struct {
	Answers  List[AnswerReceipt]  `json:"answers"`  // in the order of the questions
	Claims   List[ClaimReceipt]   `json:"claims"`   // all that are held, in the order of the bundle
	Now      string               `json:"now"`      // the instant of all statuses, in UTC, with all digits that count
	OK       bool                 `json:"ok"`       // all outcomes are notices
	Outcomes List[ReceiptOutcome] `json:"outcomes"` // what else came out of asking

	StatusFunctionVersion string `json:"statusFunctionVersion"` // by which all statuses were derived
}

// AnswerReceipt is what a receiver knows of an answer that it could read.
type AnswerReceipt struct {
	AgeSeconds  Float  `json:"ageSeconds"`  // from RespondedAt to the instant of the statuses, below 0 if it is later
	Digest      string `json:"digest"`      // of the bytes of the answer, sha256: and 64 hexadecimal digits
	KeyID       Text   `json:"keyId"`       // of the given key that signed; null if none was given
	RespondedAt string `json:"respondedAt"` // when its producer put it together, as the producer writes it
	Source      string `json:"source"`      // that the answer names as its producer

	StatusFunctionVersion string `json:"statusFunctionVersion"` // of the producer
}

// ClaimReceipt is what a receiver knows of a claim.
type ClaimReceipt struct {
	After    VerificationStatus `json:"after"`    // from what is held and the answers; null if there is no such status
	Answered bool               `json:"answered"` // the answers have the claim
	Before   VerificationStatus `json:"before"`   // from what is held alone
	Changed  bool               `json:"changed"`  // with other content than is held
	ID       string             `json:"id"`       // of the claim
	// Note says why a claim is no longer verified, or what became of a catalog; null if there is
	// nothing to say.
	Note Text `json:"note"`
	// Replaced says that the answers have it with another subject, field, value or integrity
	// reference: it is another claim.
	Replaced bool `json:"replaced"`
}

// VerificationStatus is what is known of a claim. It is null if it is empty.
type VerificationStatus string

// All statuses.
const (
	StatusUnknown    VerificationStatus = "unknown"
	StatusProposed   VerificationStatus = "proposed"
	StatusAssumed    VerificationStatus = "assumed"
	StatusVerified   VerificationStatus = "verified"
	StatusStale      VerificationStatus = "stale"
	StatusDisputed   VerificationStatus = "disputed"
	StatusSuperseded VerificationStatus = "superseded"
	StatusRejected   VerificationStatus = "rejected"
	StatusRevoked    VerificationStatus = "revoked"
)

// MarshalJSON writes the status.
func (s VerificationStatus) MarshalJSON() ([]byte, error) {
	if s == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(s))
}

// ReceiptOutcome is one thing that came out of asking.
type ReceiptOutcome struct {
	Code    OutcomeCode    `json:"code"`
	Message string         `json:"message"` // for people, in UTF-8
	Records List[RecordID] `json:"records"` // which ones, if it is about some
}

// RecordID names a record of a trust bundle.
type RecordID struct {
	Collection string `json:"collection"` // the bundle's field, such as claims
	ID         string `json:"id"`         // of the record
}

// String returns the collection and the id.
func (id RecordID) String() string { return fmt.Sprintf("%s %q", id.Collection, id.ID) }

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
	// the answer is about other refs, or contradicts itself about one
	OutcomeRefsMismatch   OutcomeCode = "REFS_MISMATCH"
	OutcomeMergeCollision OutcomeCode = "MERGE_COLLISION" // a record that never changes has changed
	OutcomeStatusFell     OutcomeCode = "STATUS_FELL"     // a claim was verified and no longer is
	OutcomeStatusNotMet   OutcomeCode = "STATUS_NOT_MET"  // a claim does not have the status that is required
	OutcomeRevocationLost OutcomeCode = "REVOCATION_LOST" // the answer takes back what was known later
	// the answer is unsigned, and earlier ones of its source were signed
	OutcomeSignatureLost OutcomeCode = "SIGNATURE_LOST"
)

// The outcomes that are notices.
const (
	OutcomeChanged      OutcomeCode = "CHANGED"       // a claim or trace differs from the one that is held
	OutcomeLeftAside    OutcomeCode = "LEFT_ASIDE"    // the answer has records about claims that it does not speak for
	OutcomeOtherVersion OutcomeCode = "OTHER_VERSION" // the producer uses another version of the status function
	// an event is dated after Now; unless it is held, it decides nothing yet
	OutcomeFutureEvent OutcomeCode = "FUTURE_EVENT"
	OutcomeReplaced    OutcomeCode = "CLAIM_REPLACED" // a claim says something else; it meets no required status
	OutcomeStaleAnswer OutcomeCode = "STALE_ANSWER"   // the answer is too old to confirm a required status
	// the answer is of a later time than Now; it confirms no required status
	OutcomeClockSkew   OutcomeCode = "CLOCK_SKEW"
	OutcomeOtherSource OutcomeCode = "OTHER_SOURCE" // the answer is of another source; it confirms no required status
	OutcomeOlderAnswer OutcomeCode = "OLDER_ANSWER" // a later answer of its source was seen; it changes nothing
)
