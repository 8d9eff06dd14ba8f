package verify

import (
	"slices"
	"time"

	"github.com/model-catalog-service/svc/internal/timestamp"
)

// StatusFunctionVersion is the version of the status function that
// [DeriveStatuses] computes.
const StatusFunctionVersion = "2"

// StatusInput is what the status function looks at: the records of a bundle.
type StatusInput struct{ content *content }

// StatusInput returns the records of the bundle for the status function.
func (b *Bundle) StatusInput() *StatusInput { return &StatusInput{&b.content} }

// ClaimStatus is the status of a claim at some instant.
type ClaimStatus struct {
	ID     string
	Status Status
}

// DeriveStatuses computes the status of every claim at an instant, in the order
// of the claims. It believes no status that a claim carries, but for proposed
// and assumed as the least that may be said where no event decides.
//
// Records that nobody checked may hold date-times that are none. They are
// taken for the worst: such an event is older than all others, such evidence
// newer, what is valid until then is over and what is valid from then has not
// begun.
func DeriveStatuses(in *StatusInput, now time.Time) []ClaimStatus {
	b := newBench(in.content, now)
	list := make([]ClaimStatus, len(b.claims))
	for i := range b.claims {
		list[i] = ClaimStatus{b.claims[i].ID, b.judge(&b.claims[i])}
	}
	return list
}

// bench is a bundle laid out for judging claims.
type bench struct {
	*content
	now            time.Time
	eventsOf       map[string][]datedEvent // by claim, newest first
	evidenceOf     map[string][]*evidence  // by claim, without what is merely cited
	tracesOf       map[string][]*trace     // by actor
	policyByID     map[string]*policy      // the first of each id
	policyForClaim map[string]*policy      // the first for each claimType
}

type datedEvent struct {
	*event
	at time.Time
}

func newBench(c *content, now time.Time) *bench {
	b := &bench{
		content:        c,
		now:            now,
		eventsOf:       make(map[string][]datedEvent, len(c.claims)),
		evidenceOf:     make(map[string][]*evidence, len(c.claims)),
		tracesOf:       map[string][]*trace{},
		policyByID:     map[string]*policy{},
		policyForClaim: map[string]*policy{},
	}
	for i := range c.events {
		e := &c.events[i]
		b.eventsOf[e.claimID] = append(b.eventsOf[e.claimID], datedEvent{e, instantOr(e.createdAt, longAgo)})
	}
	for _, events := range b.eventsOf {
		slices.SortStableFunc(events, func(x, y datedEvent) int { return y.at.Compare(x.at) })
	}
	for i := range c.evidence {
		if e := &c.evidence[i]; !e.cited {
			b.evidenceOf[e.claimID] = append(b.evidenceOf[e.claimID], e)
		}
	}
	for i := range c.traces {
		t := &c.traces[i]
		b.tracesOf[t.actor] = append(b.tracesOf[t.actor], t)
	}
	for i := range c.policies {
		p := &c.policies[i]
		if b.policyByID[p.ID] == nil {
			b.policyByID[p.ID] = p
		}
		if b.policyForClaim[p.claimType] == nil {
			b.policyForClaim[p.claimType] = p
		}
	}
	return b
}

var (
	longAgo = time.Time{}
	never   = time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC).AddDate(1, 0, 0)
)

func instantOr(s string, otherwise time.Time) time.Time {
	if t, ok := timestamp.Parse(s); ok {
		return t.Time()
	}
	return otherwise
}

// judge is the status function.
func (b *bench) judge(c *claim) Status {
	events, pieces, p := b.eventsOf[c.ID], b.evidenceOf[c.ID], b.policyOf(c)
	for _, e := range events {
		if e.resolvesDispute && b.mayResolve(e) {
			return resolved(e, pieces)
		}
	}
	if len(events) > 0 {
		newest := events[0]
		switch {
		case newest.status == Revoked:
			return Stale
		case newest.invalidates:
			return newest.status
		}
		switch newest.status {
		case Rejected, Disputed, Superseded, Stale, Assumed:
			return newest.status
		case Verified:
			return b.verified(c, newest, pieces, p)
		}
	}
	switch {
	case c.status == Proposed, c.status == Assumed:
		return c.status
	case p == nil && len(pieces) > 0, p != nil && !lacksTypes(p, pieces):
		return Proposed
	}
	return Unknown
}

// policyOf returns the policy that the claim names, else the first for claims
// of its type, else nil.
func (b *bench) policyOf(c *claim) *policy {
	if c.policyID != nil {
		if p := b.policyByID[*c.policyID]; p != nil {
			return p
		}
	}
	return b.policyForClaim[c.claimType]
}

// mayResolve reports whether a trace of the event's actor was in force when the
// event was made.
func (b *bench) mayResolve(e datedEvent) bool {
	for _, t := range b.tracesOf[e.actor] {
		switch {
		case t.revokedAt != nil && !instantOr(*t.revokedAt, longAgo).After(e.at):
		case t.validFrom != nil && instantOr(*t.validFrom, never).After(e.at):
		case t.validUntil != nil && instantOr(*t.validUntil, longAgo).Before(e.at):
		case e.authorityRef != nil && *e.authorityRef != t.authorityRef:
		default:
			return true
		}
	}
	return false
}

// resolved is the status of a claim whose dispute an authority resolved.
func resolved(e datedEvent, pieces []*evidence) Status {
	for _, piece := range pieces {
		if piece.blocks() && instantOr(piece.observedAt, never).After(e.at) {
			return Disputed
		}
	}
	return e.status
}

// blocks reports whether the evidence is of a check that failed and matters.
func (e *evidence) blocks() bool { return e.failing && !e.harmless }

// verified is the status of a claim whose newest event verifies it.
func (b *bench) verified(c *claim, e datedEvent, pieces []*evidence, p *policy) Status {
	if b.isStale(c, e, pieces, p) {
		return Stale
	}
	if p != nil && (lacksTypes(p, pieces) || lacksMethods(p, pieces) || p.corroboration && len(pieces) < 2) {
		return Proposed
	}
	if slices.ContainsFunc(pieces, (*evidence).blocks) {
		return Disputed
	}
	return Verified
}

// isStale reports whether a verification has run out: by what the claim says of
// its own life, else by the rule of the policy.
func (b *bench) isStale(c *claim, e datedEvent, pieces []*evidence, p *policy) bool {
	switch {
	case c.expiresAt != nil:
		return b.now.After(instantOr(*c.expiresAt, longAgo))
	case c.hasTTL:
		const second = 1000
		return b.outlived(e, c.ttlSeconds*second)
	case p == nil:
		return false
	}
	switch p.validity {
	case validForDuration:
		const day = 86_400_000
		return b.outlived(e, p.durationDays*day)
	case validAtCommit:
		return c.integrityRef != nil && !slices.ContainsFunc(pieces, func(piece *evidence) bool {
			return piece.integrityRef == *c.integrityRef && slices.Contains(e.evidenceIDs, piece.ID)
		})
	}
	return false
}

// outlived reports whether more than so many milliseconds have gone by since an
// event verified.
func (b *bench) outlived(e datedEvent, life float64) bool {
	since := e.at
	if e.verifiedAt != nil {
		since = instantOr(*e.verifiedAt, longAgo)
	}
	return milliseconds(b.now) > milliseconds(since)+life
}

func lacksTypes(p *policy, pieces []*evidence) bool {
	return lacks(p.requiredEvidence, pieces, func(e *evidence) string { return e.evidenceType })
}

func lacksMethods(p *policy, pieces []*evidence) bool {
	return lacks(p.requiredMethods, pieces, func(e *evidence) string { return e.method })
}

func lacks(required []string, pieces []*evidence, of func(*evidence) string) bool {
	for _, word := range required {
		if !slices.ContainsFunc(pieces, func(e *evidence) bool { return of(e) == word }) {
			return true
		}
	}
	return false
}
