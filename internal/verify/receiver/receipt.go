package receiver

import (
	"fmt"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/internal/verify/status"
	"github.com/model-catalog-service/svc/service/record"
)

// Severity is what an outcome means for the whole.
type Severity int

// The severities, the worse the greater.
const (
	Notice  Severity = iota // worth knowing, no failure
	Refusal                 // it was checked, and the answer is no
	Failure                 // it could not be checked
)

// SeverityOf returns what a code means for the whole.
func SeverityOf(code record.OutcomeCode) Severity {
	switch code {
	case record.OutcomeChanged, record.OutcomeLeftAside, record.OutcomeOtherVersion, record.OutcomeFutureEvent,
		record.OutcomeReplaced,
		record.OutcomeStaleAnswer, record.OutcomeClockSkew, record.OutcomeOtherSource:
		return Notice
	case record.OutcomeUnreachable, record.OutcomeUnreadable, record.OutcomeNothingHeld, record.OutcomeUnknownRef,
		record.OutcomeNoKey:
		return Failure
	}
	return Refusal
}

// Receipt is a receipt to which outcomes are added.
type Receipt struct {
	record.VerificationReceipt
	aside int // records that are left aside
}

// NewReceipt returns a receipt of nothing so far.
func NewReceipt(function *status.Function) *Receipt {
	return &Receipt{VerificationReceipt: record.VerificationReceipt{
		Now: function.Now().String(), OK: true, StatusFunctionVersion: string(function.Version()),
	}}
}

// What outcomes say that count.
const noneAnswered = "the answer has none of the claims that you hold"

func (r *Receipt) leftAside() string {
	return fmt.Sprintf("%d records are left aside: they are about claims that were not asked for or that the answer does "+
		"not have", r.aside)
}

func (r *Receipt) fell(n int) string {
	return fmt.Sprintf("%d of %d held claims were verified and no longer are", n, len(r.Claims))
}

func (r *Receipt) notMet(n int, required record.VerificationStatus) string {
	return fmt.Sprintf("%d of %d held claims are not confirmed as %s", n, len(r.Claims), required)
}

// Severity returns that of the worst outcome.
func (r *Receipt) Severity() Severity {
	worst := Notice
	for _, o := range r.Outcomes {
		worst = max(worst, SeverityOf(o.Code))
	}
	return worst
}

// Add adds an outcome. Of values in the message, which may be of whoever answered, the
// first characters stay.
func (r *Receipt) Add(code record.OutcomeCode, message string, records ...record.RecordID) {
	message = strings.ToValidUTF8(problem.Brief(message), "\uFFFD")
	r.Outcomes = append(r.Outcomes, record.ReceiptOutcome{Code: code, Message: message, Records: records})
	r.OK = r.OK && SeverityOf(code) == Notice
}

// ReceiptType is the type of a statement whose predicate is a receipt.
const ReceiptType = "https://github.com/model-catalog-service/svc/verification-receipt/v1"

// Statement returns an in-toto statement about the answers, by their digests, with the receipt as
// its predicate: what a receiver signs to say what it saw.
func (r *Receipt) Statement() []byte {
	subjects := []any{}
	for _, a := range r.Answers {
		subjects = append(subjects, map[string]any{
			"name": a.Source, "digest": map[string]any{"sha256": strings.TrimPrefix(a.Digest, "sha256:")},
		})
	}
	return canonical.MustMarshal(map[string]any{
		"_type": dsse.StatementType, "predicateType": ReceiptType, "subject": subjects, "predicate": &r.VerificationReceipt,
	})
}

// JSON returns the receipt as canonical JSON: what svc verify prints.
func (r *Receipt) JSON() []byte { return ijson.MustWriteTagged(&r.VerificationReceipt) }
