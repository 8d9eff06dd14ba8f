// Package status derives what is known of each claim of a trust bundle at an
// instant. It is version 2 of the status function of the format Hachure: the same
// records have the same status everywhere, whoever derives it.
//
// The function reads no clock, and believes no status that a claim carries, but for
// proposed and assumed as the least that may be said where no event decides.
//
// # The function
//
// The policy of a claim is the one that it names; if there is none with that id,
// the first for its claimType; else there is none. Pieces of a claim are its
// evidence, without what is merely cited. A piece blocks if it is of a check that
// failed, unless it says that it does not block. A claim's events count from the
// newest to the oldest by createdAt, equal ones as they stand in the list. The first
// step that applies decides:
//
//  1. The newest event that resolves a dispute and whose actor had a trace in force
//     when it was made: disputed if a blocking piece was observed after it, else the
//     status of the event. Events that came later change nothing.
//  2. The newest event is revoked: stale. It is an invalidation: its status. It is
//     rejected, disputed, superseded, stale or assumed: that.
//  3. The newest event is verified. Stale if the claim's own lifetime is over
//     (expiresAt, else ttlSeconds) or, if it has none, by the policy's validity rule.
//     Else proposed if types or methods that the policy requires are missing, or a
//     second piece that it requires. Else disputed if a piece blocks. Else verified.
//  4. The claim carries proposed or assumed: that.
//  5. There is no policy: proposed if there is a piece, else unknown.
//  6. Proposed if all types that the policy requires are there, else unknown.
//
// A trace is in force for an event if it is of the event's actor, has the event's
// authorityRef if that has one, and the event is not before validFrom, not after
// validUntil and before revokedAt. Lifetimes count from verifiedAt, else createdAt.
//
// # An example
//
// The policy of a claim requires test_output and lets a verification hold for 30
// days. There is evidence of that type, and on 1 July somebody verified the claim.
// On 10 July its producer revoked it:
//
//	what the bundle holds        on 18 July  on 18 August
//	the claim and its evidence   proposed    proposed      step 6
//	and the event of 1 July      verified    stale         step 3
//	and the event of 10 July     stale       stale         step 2
//
// # Records that nobody checked
//
// may hold date-times that are none. They are taken for the worst: such an event is
// older than all others, such evidence newer, what is valid until then is over and
// what is valid from then has not begun.
package status

import (
	"slices"
	"time"

	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
)

// FunctionVersion is the version of the status function that [Derive] is.
const FunctionVersion = "2"

// ClaimStatus is the status of a claim at some instant.
type ClaimStatus struct {
	ID     string
	Status bundle.Status
}

// Derive derives the status of every claim at an instant, in the order of the
// claims. It takes time in proportion to the records, but for the sorting of traces.
func Derive(in *bundle.Content, now time.Time) []ClaimStatus {
	f := gather(in)
	list := make([]ClaimStatus, len(in.Claims))
	for i, claim := range in.Claims {
		c := &claimFacts{claim, f.ofClaim(claim), f.policyOf(claim)}
		list[i] = ClaimStatus{claim.ID, c.status(timestamp.FromTime(now))}
	}
	return list
}

// claimFacts are a claim and what counts for it.
type claimFacts struct {
	*bundle.Claim
	*facts
	policy *policy // nil if there is none
}

// status is the status function.
func (c *claimFacts) status(now timestamp.Instant) bundle.Status {
	if c.resolution.Event != nil {
		if c.blocks && c.lastBlocking.Compare(c.resolution.at) > 0 {
			return bundle.Disputed
		}
		return c.resolution.Status
	}
	if newest := c.newest; newest.Event != nil {
		switch {
		case newest.Status == bundle.Revoked:
			return bundle.Stale
		case newest.Invalidates:
			return newest.Status
		}
		switch newest.Status {
		case bundle.Rejected, bundle.Disputed, bundle.Superseded, bundle.Stale, bundle.Assumed:
			return newest.Status
		case bundle.Verified:
			return c.verified(now)
		}
	}
	switch {
	case c.Status == bundle.Proposed, c.Status == bundle.Assumed:
		return c.Status
	case c.policy == nil && c.pieces > 0, c.policy != nil && !lacks(c.policy.types, c.types):
		return bundle.Proposed
	}
	return bundle.Unknown
}

// verified is the status of a claim whose newest event verifies it.
func (c *claimFacts) verified(now timestamp.Instant) bundle.Status {
	if c.isStale(now) {
		return bundle.Stale
	}
	if p := c.policy; p != nil && (lacks(p.types, c.types) || lacks(p.methods, c.methods) || p.RequiresCorroboration && c.pieces < 2) {
		return bundle.Proposed
	}
	if c.blocks {
		return bundle.Disputed
	}
	return bundle.Verified
}

func lacks(required, present []string) bool {
	return slices.ContainsFunc(required, func(word string) bool { return !slices.Contains(present, word) })
}

// isStale reports whether a verification has expired: by what the claim says of its
// own life, else by the rule of the policy.
func (c *claimFacts) isStale(now timestamp.Instant) bool {
	switch {
	case c.ExpiresAt != nil:
		return now.Compare(instantOr(*c.ExpiresAt, longAgo)) > 0
	case c.TTLSeconds != nil:
		const second = 1000
		return c.outlived(now, *c.TTLSeconds*second)
	case c.policy == nil:
		return false
	}
	switch c.policy.ValidityRule {
	case bundle.DurationRule:
		const day = 86_400_000
		days := 0.0
		if c.policy.DurationDays != nil {
			days = *c.policy.DurationDays
		}
		return c.outlived(now, days*day)
	case bundle.CommitRule:
		return c.IntegrityRef != nil && !c.committed()[*c.IntegrityRef]
	}
	return false
}

// outlived reports whether more than so many milliseconds have passed since the
// newest event verified.
func (c *claimFacts) outlived(now timestamp.Instant, life float64) bool {
	since := c.newest.at
	if c.newest.VerifiedAt != nil {
		since = instantOr(*c.newest.VerifiedAt, longAgo)
	}
	return milliseconds(now) > milliseconds(since)+life
}

// milliseconds returns how many milliseconds lie between the epoch and an instant.
// Sums are made of floating numbers, which cannot overflow: a lifetime may be as
// long as a number can say.
func milliseconds(i timestamp.Instant) float64 {
	const nanosPerMilli = 1e6
	t := i.Time()
	return float64(t.UnixMilli()) + float64(t.Nanosecond()%nanosPerMilli)/nanosPerMilli
}
