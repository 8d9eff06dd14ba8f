// Package status derives what is known of each claim of a trust bundle at an
// instant. It is the status function of the format Hachure, in its versions 2, 3 and
// 4: the same records have the same status everywhere, whoever derives it.
//
// The function reads no clock, and believes no status that a claim carries, but for
// proposed and assumed as the least that may be said where no event decides. It
// looks at records whose shape was checked, and at nothing but the members that it
// names.
//
// # The function
//
// Pieces of a claim are its evidence, without what is merely cited. A piece blocks if
// it is of a check that failed, unless it says that it does not block. A claim's
// events count from the newest to the oldest by createdAt, those of one instant as
// they stand in the list. The first step that applies decides:
//
//  1. The newest event that resolves a dispute and whose actor had a trace in force
//     when it was made: disputed if a blocking piece was observed after it, else the
//     status of the event. Events that came later change nothing.
//  2. The newest event is revoked: stale. It is an invalidation: its status. It is
//     rejected, disputed, superseded or stale: that.
//  3. The newest event is assumed: assumed.
//  4. The newest event is verified. Stale if the claim's own lifetime is over
//     (expiresAt, else ttlSeconds) or, if it has none, by the policy's validity rule.
//     Proposed if types or methods that the policy requires are missing, or a second
//     piece that it requires. Disputed if a piece blocks. Else verified.
//  5. The claim carries proposed or assumed: that.
//  6. There is no policy: proposed if there is a piece, else unknown.
//  7. Proposed if all types that the policy requires are there, else unknown.
//
// A trace is in force for an event if it is of the event's actor, has the event's
// authorityRef if that has one, and the event is not before validFrom, not after
// validUntil and before revokedAt. Lifetimes count from verifiedAt, else createdAt.
//
// # The versions
//
// [Version2] is lenient: what cannot be told counts for the claim. [Version3] asks
// for proof: a policy that requires something, checks that passed, lifetimes that can
// be told; and a claim is worth no more than the claims that it is derived from.
// [Version4] is version 3 on exact times, and what cannot be read as one counts
// against the claim:
//
//	                                          2            3         4
//	named policy that is not there            by type      none      none
//	policy that requires nothing              a policy     none      none
//	verified without a policy                 verified     proposed  proposed
//	check without passing: true               qualifies    does not  does not
//	a piece blocks, a requirement is unmet    proposed     disputed  disputed
//	lifetime that cannot be told              fresh        stale     stale
//	invalidation that is not terminal         its status   stale     stale
//	weaker inputs                             nothing      lower it  lower it
//	times, their precision                    ms           ms        exact
//	unreadable time of an event, in order     1970         1970      oldest
//	unreadable bound of a trace               holds        holds     not in force
//	unreadable time of a resolution           it stands    it stands it does not
//	unreadable time of a blocking piece       not later    not later later
//
// rules.go has the first eight lines, once as version 2 and once as versions 3 and 4;
// times.go has the others.
//
// # An example
//
// The policy of a claim requires test_output and lets a verification hold for 30
// days. There is evidence of that type that passed, and on 1 July somebody verified
// the claim. On 10 July its producer revoked it:
//
//	what the bundle holds        on 18 July  on 18 August
//	the claim and its evidence   proposed    proposed      step 7
//	and the event of 1 July      verified    stale         step 4
//	and the event of 10 July     stale       stale         step 2
package status

import (
	"fmt"

	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/service/record"
)

// Version is a version of the status function.
type Version string

// The versions, and the one that is taken unless something else is said.
const (
	Version2       Version = "2"
	Version3       Version = "3"
	Version4       Version = "4"
	DefaultVersion         = Version4
)

// Versions returns all versions, the oldest first.
func Versions() []Version { return []Version{Version2, Version3, Version4} }

// ClaimStatus is the status of a claim at some instant.
type ClaimStatus struct {
	ID     string
	Status record.VerificationStatus
}

// Function is a version of the status function at an instant.
type Function struct {
	version Version
	now     timestamp.Instant
	derive  func(in *bundle.Content, now timestamp.Instant, known Known) []record.VerificationStatus
}

// New returns a version of the function at an instant: RFC 3339, of which version 4
// takes every digit, versions 2 and 3 those of milliseconds. These take a date alone
// besides, and no leap second. The error says which of both is wrong.
func New(version Version, now string) (*Function, error) {
	f := &Function{version: version}
	var times calendar
	switch version {
	case Version2:
		f.derive, times = version2, milliseconds{}
	case Version3:
		f.derive, times = version3, milliseconds{}
	case Version4:
		f.derive, times = version4, exact{}
	default:
		return nil, &UnknownVersionError{string(version)}
	}
	var readable bool
	if f.now, readable = times.read(now); !readable {
		return nil, fmt.Errorf("%q is not a time that version %s of the status function reads", now, version)
	}
	return f, nil
}

// UnknownVersionError reports a version of the status function that nobody knows here.
type UnknownVersionError struct{ Version string }

func (e *UnknownVersionError) Error() string {
	return fmt.Sprintf("there is no version %q of the status function, only 2, 3 and 4", e.Version)
}

// Version returns the version.
func (f *Function) Version() Version { return f.version }

// Now returns the instant, as precise as the version takes it.
func (f *Function) Now() timestamp.Instant { return f.now }

// Derive derives the status of every claim, in the order of the claims. It takes time
// in proportion to the records, but for the sorting of traces.
func (f *Function) Derive(in *bundle.Content) []ClaimStatus { return f.DeriveBeside(in, nil) }

// Known are the statuses of claims that are not to be derived, by id.
type Known map[string]record.VerificationStatus

// DeriveBeside is Derive for claims of which the own statuses of some are known. Those
// are lowered by their inputs as all others are.
func (f *Function) DeriveBeside(in *bundle.Content, known Known) []ClaimStatus {
	statuses := f.derive(in, f.now, known)
	list := make([]ClaimStatus, len(statuses))
	for i, claim := range in.Claims {
		list[i] = ClaimStatus{claim.ID, statuses[i]}
	}
	return list
}

// version2 is version 2: lenient rules on milliseconds.
func version2(in *bundle.Content, now timestamp.Instant, known Known) []record.VerificationStatus {
	times := milliseconds{}
	return ownStatuses(gather(in, times, always), known, func(c *claim) record.VerificationStatus {
		return c.lenient(times,
			now)
	})
}

// version3 is version 3: strict rules on milliseconds, and the ceiling.
func version3(in *bundle.Content, now timestamp.Instant, known Known) []record.VerificationStatus {
	times := milliseconds{}
	g := gather(in, times, proves)
	return lower(g, ownStatuses(g, known, func(c *claim) record.VerificationStatus { return c.strict(times, now) }))
}

// version4 is version 4: strict rules on exact times, and the ceiling.
func version4(in *bundle.Content, now timestamp.Instant, known Known) []record.VerificationStatus {
	times := exact{}
	g := gather(in, times, proves)
	return lower(g, ownStatuses(g, known, func(c *claim) record.VerificationStatus { return c.strict(times, now) }))
}

// ownStatuses returns the status of each claim without its inputs: the known one, or what the
// rules make of it.
func ownStatuses(g *bundleFacts, known Known,
	rules func(*claim) record.VerificationStatus) []record.VerificationStatus {
	statuses := make([]record.VerificationStatus, len(g.claims))
	for i, c := range g.claims {
		if s, isKnown := known[c.ID]; isKnown {
			statuses[i] = s
		} else {
			statuses[i] = rules(&claim{c, g.facts[c.ID], g})
		}
	}
	return statuses
}

// weakestFirst orders the statuses by what they say for a claim.
var weakestFirst = [...]record.VerificationStatus{
	record.StatusRevoked, record.StatusRejected, record.StatusDisputed, record.StatusSuperseded, record.StatusStale,
	record.StatusUnknown, record.StatusAssumed, record.StatusProposed, record.StatusVerified,
}

// lower lowers each claim's status to the weakest among its own and those of all
// claims that it is derived from, at any distance. An input that is not there counts
// as unknown. From the weakest status to the strongest, each spreads to the claims
// that are derived from those that have it, unless a weaker one has reached them: so
// every claim is visited once, in circles too.
func lower(g *bundleFacts, own []record.VerificationStatus) []record.VerificationStatus {
	var incomplete []int // the claims with an input that is not there
	for i, c := range g.claims {
		addInput := func(id string) {
			if input := g.facts[id]; input == nil {
				incomplete = append(incomplete, i)
			} else {
				input.derived = append(input.derived, i)
			}
		}
		for _, id := range c.DerivedFrom.All() {
			addInput(id)
		}
		for _, id := range c.EdgeInputs {
			addInput(id)
		}
	}
	lowered := make([]record.VerificationStatus, len(own)) // empty for those that nothing has reached yet
	var spread []*facts
	for _, s := range weakestFirst {
		reach := func(i int) {
			if lowered[i] == "" {
				lowered[i] = s
				spread = append(spread, g.facts[g.claims[i].ID])
			}
		}
		for i := range own {
			if own[i] == s {
				reach(i)
			}
		}
		if s == record.StatusUnknown {
			for _, i := range incomplete {
				reach(i)
			}
		}
		for len(spread) > 0 {
			input := spread[len(spread)-1]
			spread = spread[:len(spread)-1]
			for _, i := range input.derived {
				reach(i)
			}
			input.derived = nil // for claims that share the id
		}
	}
	return lowered
}
