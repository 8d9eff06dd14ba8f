package verify

import (
	"time"

	"github.com/model-catalog-service/svc/internal/timestamp"
)

// OutcomeCode says in one word what came out of asking. The values are part of
// the public interface.
type OutcomeCode string

// The outcomes, each with what it means.
const (
	Unreachable     OutcomeCode = "UNREACHABLE"      // nobody answered
	Unreadable      OutcomeCode = "UNREADABLE"       // the answer, or what it is to be held against, is malformed
	NothingHeld     OutcomeCode = "NOTHING_HELD"     // the held bundle has no claims
	UnknownRef      OutcomeCode = "UNKNOWN_REF"      // the answer has none of the held claims
	NoKey           OutcomeCode = "NO_KEY"           // the envelope is signed with other keys than those given
	Unsigned        OutcomeCode = "UNSIGNED"         // keys were given, but the answer has no envelope
	BadSignature    OutcomeCode = "BAD_SIGNATURE"    // a given key is named and did not sign
	PayloadMismatch OutcomeCode = "PAYLOAD_MISMATCH" // what is signed is not the bundle beside it
	NonceMismatch   OutcomeCode = "NONCE_MISMATCH"   // the answer is not to this question
	MergeCollision  OutcomeCode = "MERGE_COLLISION"  // a record that never changes has changed
	StatusNotMet    OutcomeCode = "STATUS_NOT_MET"   // a claim has not the status that is required
	Changed         OutcomeCode = "CHANGED"          // a claim or trace has moved on; no failure
)

// Gravity is what an outcome means for the whole.
type Gravity int

// The gravities, the worse the greater.
const (
	Notice  Gravity = iota // to be told, no failure
	Refusal                // it was checked, and the answer is no
	Failure                // it could not be checked
)

// Gravity returns what the code means for the whole.
func (c OutcomeCode) Gravity() Gravity {
	switch c {
	case Changed:
		return Notice
	case Unreachable, Unreadable, NothingHeld, UnknownRef, NoKey:
		return Failure
	}
	return Refusal
}

// Outcome is one thing that came out of asking.
type Outcome struct {
	Code    OutcomeCode
	Message string
	Records []Collision // which ones, if it is about some
}

// Receipt is what a receiver knows after asking.
type Receipt struct {
	Now      string // the instant of all statuses
	Outcomes []Outcome
	Claims   []ClaimReceipt // all that are held, in the order of the bundle
	KeyIDs   []string       // of the given keys that signed, one for each answer
}

// ClaimReceipt is what a receiver knows of a claim.
type ClaimReceipt struct {
	ID       string
	Before   Status // from what is held alone
	After    Status // from that and the answers; empty if there is no such status
	Answered bool   // the answers have the claim
	Changed  bool   // with other content than is held
}

// NewReceipt returns a receipt of nothing so far.
func NewReceipt(now time.Time) *Receipt {
	return &Receipt{Now: now.UTC().Format(timestamp.Layout)}
}

// Gravity returns that of the worst outcome.
func (r *Receipt) Gravity() Gravity {
	worst := Notice
	for _, o := range r.Outcomes {
		worst = max(worst, o.Code.Gravity())
	}
	return worst
}

// Add adds an outcome.
func (r *Receipt) Add(code OutcomeCode, message string, records ...Collision) {
	r.Outcomes = append(r.Outcomes, Outcome{code, message, records})
}
