package receiver

import (
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/status"
	"github.com/model-catalog-service/svc/service/record"
)

// Code says in one word what came out of asking. The values are part of the public
// interface.
type Code string

// The outcomes, each with what it means.
const (
	Unreachable     Code = "UNREACHABLE"      // nobody answered
	Unreadable      Code = "UNREADABLE"       // the answer, or what it is to be held against, is malformed
	NothingHeld     Code = "NOTHING_HELD"     // the held bundle has no claims
	UnknownRef      Code = "UNKNOWN_REF"      // the answer has none of the held claims
	NoKey           Code = "NO_KEY"           // the envelope is signed with other keys than those given
	Unsigned        Code = "UNSIGNED"         // keys were given, but the answer has no envelope
	BadSignature    Code = "BAD_SIGNATURE"    // a given key is named and did not sign
	PayloadMismatch Code = "PAYLOAD_MISMATCH" // what is signed is not the bundle beside it
	NonceMismatch   Code = "NONCE_MISMATCH"   // the answer is not to this question
	RefsMismatch    Code = "REFS_MISMATCH"    // the answer is about other refs than were asked, or contradicts itself about one
	MergeCollision  Code = "MERGE_COLLISION"  // a record that never changes has changed
	StatusFell      Code = "STATUS_FELL"      // a claim was verified and no longer is
	StatusNotMet    Code = "STATUS_NOT_MET"   // a claim does not have the status that is required
	Changed         Code = "CHANGED"          // a claim or trace has moved on; no failure
	LeftAside       Code = "LEFT_ASIDE"       // the answer has records about claims that it does not speak for; no failure
	OtherVersion    Code = "OTHER_VERSION"    // the producer derives by another version of the status function; no failure
	FutureEvent     Code = "FUTURE_EVENT"     // an event is dated after the instant of the statuses; no failure
)

// Severity is what an outcome means for the whole.
type Severity int

// The severities, the worse the greater.
const (
	Notice  Severity = iota // worth knowing, no failure
	Refusal                 // it was checked, and the answer is no
	Failure                 // it could not be checked
)

// Severity returns what the code means for the whole.
func (c Code) Severity() Severity {
	switch c {
	case Changed, LeftAside, OtherVersion, FutureEvent:
		return Notice
	case Unreachable, Unreadable, NothingHeld, UnknownRef, NoKey:
		return Failure
	}
	return Refusal
}

// Outcome is one thing that came out of asking.
type Outcome struct {
	Code    Code              `json:"code"`
	Message string            `json:"message"`
	Records []bundle.RecordID `json:"records"` // which ones, if it is about some
}

// Receipt is what a receiver knows after asking.
type Receipt struct {
	Version  string // of the status function that derives all statuses
	Now      string // their instant
	Outcomes []Outcome
	Claims   []ClaimReceipt // all that are held, in the order of the bundle
	KeyIDs   []string       // of the given keys that signed, one for each answer
}

// ClaimReceipt is what a receiver knows of a claim.
type ClaimReceipt struct {
	ID       string
	Before   bundle.Status // from what is held alone
	After    bundle.Status // from that and the answers; empty if there is no such status
	Answered bool          // the answers have the claim
	Changed  bool          // with other content than is held
	Fall     string        // why it is no longer verified, for people; empty if it was not or still is
}

// NewReceipt returns a receipt of nothing so far.
func NewReceipt(function *status.Function) *Receipt {
	return &Receipt{Version: string(function.Version()), Now: function.Now().String()}
}

// Severity returns that of the worst outcome.
func (r *Receipt) Severity() Severity {
	worst := Notice
	for _, o := range r.Outcomes {
		worst = max(worst, o.Code.Severity())
	}
	return worst
}

// Add adds an outcome. Of values in the message, which may be of whoever answered, the
// first characters stay.
func (r *Receipt) Add(code Code, message string, records ...bundle.RecordID) {
	r.Outcomes = append(r.Outcomes, Outcome{code, problem.Brief(message), records})
}

// document is a receipt as JSON.
type document struct {
	Claims   []claimDocument `json:"claims"`
	KeyIDs   []string        `json:"keyIds"`
	Now      string          `json:"now"`
	OK       bool            `json:"ok"`
	Outcomes []Outcome       `json:"outcomes"`
	Version  string          `json:"statusFunctionVersion"`
}

type claimDocument struct {
	After    record.Text   `json:"after"`
	Answered bool          `json:"answered"`
	Before   bundle.Status `json:"before"`
	Changed  bool          `json:"changed"`
	ID       string        `json:"id"`
}

// JSON returns the receipt as canonical JSON: what svc verify prints.
func (r *Receipt) JSON() []byte {
	d := document{[]claimDocument{}, append([]string{}, r.KeyIDs...), r.Now, r.Severity() == Notice, []Outcome{}, r.Version}
	for _, c := range r.Claims {
		d.Claims = append(d.Claims, claimDocument{record.Text(c.After), c.Answered, c.Before, c.Changed, c.ID})
	}
	for _, o := range r.Outcomes {
		o.Message = strings.ToValidUTF8(o.Message, "\uFFFD")
		o.Records = append([]bundle.RecordID{}, o.Records...)
		d.Outcomes = append(d.Outcomes, o)
	}
	return canonical.MustMarshal(d)
}
