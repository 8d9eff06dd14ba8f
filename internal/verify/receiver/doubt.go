package receiver

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/service/record"
)

// An answer may be genuine and still not confirm that a claim has a status now: it is old, of a
// later time than the receiver's, or another producer's. Such an answer counts, since a revocation
// in it is worth knowing, but its claims do not meet a required status:
//
//	answer of 2025-11-20, now 2026-11-20    STALE_ANSWER
//	answer of 12:06, now 12:00              CLOCK_SKEW
//	answer of evil.example, held of acme    OTHER_SOURCE

// The bounds of an answer's age.
const (
	DefaultMaxAge  = 24 * time.Hour  // unless options say otherwise
	ClockTolerance = 5 * time.Minute // by which the producer's clock may be ahead
)

// doubts adds an outcome for each reason for which an answer confirms nothing, once for all
// answers, and reports whether there is one.
func (o *opened) doubts(r *Receipt, held *bundle.Bundle, options Options) (isDoubtful bool) {
	doubt := func(code record.OutcomeCode, format string, args ...any) {
		isDoubtful = true
		if !slices.ContainsFunc(r.Outcomes, func(o record.ReceiptOutcome) bool { return o.Code == code }) {
			r.Add(code, fmt.Sprintf(format, args...))
		}
	}
	maxAge, given := cmp.Or(options.MaxAge, DefaultMaxAge), clip(o.content.Metadata.RespondedAt)
	switch age, isKnown := o.age(options.Function.Now()); {
	case !isKnown && maxAge > 0:
		doubt(record.OutcomeStaleAnswer, "the answer says %s where it must say when it was given", given)
	case age > maxAge && maxAge > 0:
		doubt(record.OutcomeStaleAnswer, "the answer was given at %s, %s ago; it may be %s old", given, inWords(age),
			inWords(maxAge))
	case age < -ClockTolerance:
		doubt(record.OutcomeClockSkew, "the answer was given at %s, which is %s ahead of %s", given, inWords(-age), r.Now)
	}
	if !isOfSource(o.content.Source, held.Source()) {
		doubt(record.OutcomeOtherSource, "the answer is from %s, and the held bundle from %s", clip(o.content.Source),
			clip(held.Source()))
	}
	return isDoubtful
}

// inWords returns a duration as people say it: 140 days, 30 hours, 6 minutes, 10 seconds.
func inWords(d time.Duration) string {
	for _, unit := range []struct {
		name string
		of   time.Duration
		most time.Duration // of the next smaller unit
	}{{"days", 24 * time.Hour, 48 * time.Hour}, {"hours", time.Hour, 2 * time.Hour},
		{"minutes", time.Minute, 2 * time.Minute}} {
		if d >= unit.most {
			return fmt.Sprintf("%d %s", d/unit.of, unit.name)
		}
	}
	return fmt.Sprintf("%d seconds", d/time.Second)
}

// age returns how long before now the answer was given, below 0 if it is of a later time.
func (o *opened) age(now timestamp.Instant) (age time.Duration, isKnown bool) {
	at, ok := timestamp.Parse(o.content.Metadata.RespondedAt)
	return time.Duration(now.Milliseconds()-at.Milliseconds()) * time.Millisecond, ok
}

// isOfSource reports whether a source is the one of a bundle, which may be merged of several:
// merged:a+b.
func isOfSource(source, held string) bool {
	parts, isMerged := strings.CutPrefix(held, "merged:")
	return source == held || isMerged && slices.Contains(strings.Split(parts, "+"), source)
}
