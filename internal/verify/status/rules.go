package status

import (
	"slices"

	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/service/record"
)

// claim is a claim and what counts for it.
type claim struct {
	*bundle.Claim
	*facts
	*bundleFacts
}

// lenient are the rules of version 2.
func (c *claim) lenient(times calendar, now timestamp.Instant) record.VerificationStatus {
	policy := c.namedPolicy()
	if policy == nil {
		policy = c.policyByType[c.Type]
	}
	if c.resolution.Event != nil { // step 1
		if c.blocksAfter(c.resolution) {
			return record.StatusDisputed
		}
		return c.resolution.Status
	}
	if newest := c.newest; newest.Event != nil { // steps 2 to 4
		switch {
		case newest.Status == record.StatusRevoked:
			return record.StatusStale
		case newest.Invalidates, isTerminal(newest.Status), newest.Status == record.StatusAssumed:
			return newest.Status
		case newest.Status == record.StatusVerified:
			switch {
			case c.isLenientlyStale(policy, times, now):
				return record.StatusStale
			case policy != nil && c.lacks(policy):
				return record.StatusProposed
			case c.blocks:
				return record.StatusDisputed
			}
			return record.StatusVerified
		}
	}
	return c.withoutVerdict(policy)
}

// strict are the rules of versions 3 and 4.
func (c *claim) strict(times calendar, now timestamp.Instant) record.VerificationStatus {
	policy := c.namedPolicy()
	if policy == nil && !c.namesPolicy() {
		policy = c.policyByType[c.Type]
	}
	if policy != nil && len(policy.types) == 0 && len(policy.methods) == 0 {
		policy = nil // it asks for nothing
	}
	if c.resolution.Event != nil { // step 1
		switch {
		case c.blocksAfter(c.resolution):
			return record.StatusDisputed
		case c.resolution.Status == record.StatusVerified && policy == nil:
			return record.StatusProposed
		}
		return c.resolution.Status
	}
	if newest := c.newest; newest.Event != nil { // steps 2 to 4
		switch {
		case isTerminal(newest.Status):
			return newest.Status
		case newest.Status == record.StatusRevoked, newest.Invalidates:
			return record.StatusStale
		case newest.Status == record.StatusAssumed:
			return record.StatusAssumed
		case newest.Status == record.StatusVerified:
			switch {
			case c.isStrictlyStale(policy, times, now):
				return record.StatusStale
			case c.blocks:
				return record.StatusDisputed
			case policy == nil || c.lacks(policy):
				return record.StatusProposed
			}
			return record.StatusVerified
		}
	}
	return c.withoutVerdict(policy)
}

// isLenientlyStale reports, by version 2, whether a verification has expired: by what
// the claim says of its own life, else by the rule of the policy. What cannot be told
// is fresh.
func (c *claim) isLenientlyStale(policy *policy, times calendar, now timestamp.Instant) bool {
	switch {
	case c.ExpiresAt != nil:
		end, readable := times.read(*c.ExpiresAt)
		return readable && now.Compare(end) > 0
	case c.TTLSeconds != nil:
		since, readable := c.since(times)
		return readable && times.isOver(now, since, *c.TTLSeconds, second)
	case policy == nil:
		return false
	case policy.ValidityRule == bundle.CommitRule:
		return c.IntegrityRef != nil && !c.committed()[*c.IntegrityRef]
	case policy.ValidityRule == bundle.DurationRule:
		days := 0.0
		if policy.DurationDays != nil {
			days = *policy.DurationDays
		}
		since, readable := c.since(times)
		return readable && times.isOver(now, since, days, day)
	}
	return false
}

// isStrictlyStale is the same by versions 3 and 4. What cannot be told is stale.
func (c *claim) isStrictlyStale(policy *policy, times calendar, now timestamp.Instant) bool {
	switch {
	case c.ExpiresAt != nil:
		end, readable := times.read(*c.ExpiresAt)
		return !readable || now.Compare(end) > 0
	case c.TTLSeconds != nil:
		since, readable := c.since(times)
		return !readable || times.isOver(now, since, *c.TTLSeconds, second)
	case policy == nil:
		return false
	case policy.ValidityRule == bundle.CommitRule:
		return c.IntegrityRef == nil || !c.committed()[*c.IntegrityRef]
	case policy.ValidityRule == bundle.DurationRule:
		if policy.DurationDays == nil || *policy.DurationDays < 0 {
			return true
		}
		since, readable := c.since(times)
		return !readable || times.isOver(now, since, *policy.DurationDays, day)
	}
	return false
}

// What the rules of all versions share.

// isTerminal reports whether a status of the newest event holds whatever else is
// there. Revoked has a rule of its own.
func isTerminal(s record.VerificationStatus) bool {
	switch s {
	case record.StatusRejected, record.StatusDisputed, record.StatusSuperseded, record.StatusStale:
		return true
	}
	return false
}

func (c *claim) namesPolicy() bool { return c.PolicyID != nil && *c.PolicyID != "" }

// namedPolicy returns the policy that the claim names, nil if there is none.
func (c *claim) namedPolicy() *policy {
	if !c.namesPolicy() {
		return nil
	}
	return c.policyByID[*c.PolicyID]
}

// blocksAfter reports whether a blocking piece was observed after an event.
func (c *claim) blocksAfter(e event) bool {
	return e.readable && c.lastBlocking != nil && c.lastBlocking.Compare(e.at) > 0
}

// since returns when the newest event verified the claim.
func (c *claim) since(times calendar) (at timestamp.Instant, readable bool) {
	if c.newest.VerifiedAt != nil {
		return times.read(*c.newest.VerifiedAt)
	}
	return c.newest.at, c.newest.readable
}

// lacks reports whether the pieces that qualify do not meet a policy.
func (c *claim) lacks(p *policy) bool {
	return !includes(c.qualified.types, p.types) || !includes(c.qualified.methods, p.methods) ||
		p.RequiresCorroboration && c.qualified.pieces < 2
}

// withoutVerdict is the status of a claim on which no event decides: steps 5 to 7.
func (c *claim) withoutVerdict(policy *policy) record.VerificationStatus {
	switch {
	case c.Status == record.StatusProposed, c.Status == record.StatusAssumed:
		return c.Status
	case policy == nil && c.all.pieces > 0, policy != nil && includes(c.all.types, policy.types):
		return record.StatusProposed
	}
	return record.StatusUnknown
}

func includes(present, required []string) bool {
	return !slices.ContainsFunc(required, func(word string) bool { return !slices.Contains(present, word) })
}
