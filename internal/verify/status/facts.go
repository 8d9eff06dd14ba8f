package status

import (
	"slices"
	"sort"
	"time"

	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
)

// gathered is what counts of the records of a bundle, found in one pass over each
// list, so that no claim has to go through a list again.
type gathered struct {
	byClaim      map[string]*facts // by the id of the claim
	policyByID   map[string]*policy
	policyByType map[string]*policy
}

// facts is what the records say of the claim with some id.
type facts struct {
	newest     event // none if it has no Event
	resolution event // the newest with authority

	pieces       int
	types        []string // of the pieces, each once
	methods      []string
	blocks       bool              // some piece does
	lastBlocking timestamp.Instant // when the last of these was observed

	evidence []*bundle.Evidence // the pieces
	refs     map[string]bool    // see committed
}

// event is a verification event with its time.
type event struct {
	*bundle.Event
	at timestamp.Instant
}

// policy is a policy whose requirements are there once each.
type policy struct {
	*bundle.Policy
	types, methods []string
}

func gather(in *bundle.Content) *gathered {
	g := &gathered{
		byClaim:      make(map[string]*facts, len(in.Claims)),
		policyByID:   map[string]*policy{},
		policyByType: map[string]*policy{},
	}
	for _, claim := range in.Claims {
		g.byClaim[claim.ID] = &facts{}
	}
	traces := newAuthorities(in.Traces)
	for _, e := range in.Events {
		if f := g.byClaim[e.ClaimID]; f != nil {
			f.addEvent(e, traces)
		}
	}
	for _, e := range in.Evidence {
		if f := g.byClaim[e.ClaimID]; f != nil && !e.Cited {
			f.addPiece(e)
		}
	}
	for _, p := range in.Policies {
		g.addPolicy(p)
	}
	return g
}

func (g *gathered) ofClaim(c *bundle.Claim) *facts { return g.byClaim[c.ID] }

// policyOf returns the policy that the claim names, else the first for claims of
// its type, else nil.
func (g *gathered) policyOf(c *bundle.Claim) *policy {
	if c.PolicyID != nil {
		if p := g.policyByID[*c.PolicyID]; p != nil {
			return p
		}
	}
	return g.policyByType[c.Type]
}

// addPolicy adds a policy, which counts if it is the first of its id or type.
func (g *gathered) addPolicy(p *bundle.Policy) {
	laid := &policy{Policy: p}
	for _, word := range p.RequiredEvidence.All() {
		laid.types = appendOnce(laid.types, word)
	}
	for _, word := range p.RequiredMethods.All() {
		laid.methods = appendOnce(laid.methods, word)
	}
	if g.policyByID[p.ID] == nil {
		g.policyByID[p.ID] = laid
	}
	if g.policyByType[p.ClaimType] == nil {
		g.policyByType[p.ClaimType] = laid
	}
}

// appendOnce adds a word of a vocabulary, of which there are few.
func appendOnce(list []string, word string) []string {
	if slices.Contains(list, word) {
		return list
	}
	return append(list, word)
}

func (f *facts) addEvent(e *bundle.Event, traces authorities) {
	dated := event{e, instantOr(e.CreatedAt, longAgo)}
	if dated.isAfter(f.newest) {
		f.newest = dated
	}
	if e.ResolvesDispute && dated.isAfter(f.resolution) && traces.inForce(dated) {
		f.resolution = dated
	}
}

// isAfter reports whether the event was made after another, or there is no other.
func (e event) isAfter(other event) bool { return other.Event == nil || e.at.Compare(other.at) > 0 }

func (f *facts) addPiece(e *bundle.Evidence) {
	f.pieces++
	f.evidence = append(f.evidence, e)
	f.types = appendOnce(f.types, e.Type)
	f.methods = appendOnce(f.methods, e.Method)
	if !e.Blocks() {
		return
	}
	if at := instantOr(e.ObservedAt, never); !f.blocks || at.Compare(f.lastBlocking) > 0 {
		f.blocks, f.lastBlocking = true, at
	}
}

// committed returns the integrity refs of the pieces that the newest event names.
func (f *facts) committed() map[string]bool {
	if f.refs == nil {
		named := map[string]bool{}
		for _, id := range f.newest.EvidenceIDs.All() {
			named[id] = true
		}
		f.refs = map[string]bool{}
		for _, e := range f.evidence {
			if named[e.ID] {
				f.refs[e.IntegrityRef] = true
			}
		}
	}
	return f.refs
}

var (
	longAgo = timestamp.FromTime(time.Date(-1, time.January, 1, 0, 0, 0, 0, time.UTC))
	never   = timestamp.FromTime(time.Date(10_001, time.January, 1, 0, 0, 0, 0, time.UTC))
)

func instantOr(s string, otherwise timestamp.Instant) timestamp.Instant {
	if i, ok := timestamp.Parse(s); ok {
		return i
	}
	return otherwise
}

// authorities are the authority traces, by actor and by actor and authorityRef.
type authorities map[authorityKey]*authority

type authorityKey struct {
	actor string
	ref   string
	any   bool // of all refs
}

// authority tells at which instants some of several traces is in force. The traces
// are sorted by their beginning; of the first ones up to each, the latest end is
// known. So an instant is looked up in the time that it takes to find the last trace
// that began before it.
type authority struct {
	traces []force
	latest []end
}

// force is when a trace is in force.
type force struct {
	from  timestamp.Instant
	until end
}

// end is when a trace ends: at the instant, or just before it.
type end struct {
	at       timestamp.Instant
	included bool
}

func (e end) compare(other end) int {
	switch order := e.at.Compare(other.at); {
	case order != 0 || e.included == other.included:
		return order
	case e.included:
		return +1
	}
	return -1
}

func newAuthorities(traces []*bundle.Trace) authorities {
	all := authorities{}
	for _, t := range traces {
		f := force{longAgo, end{never, true}}
		if t.ValidFrom != nil {
			f.from = instantOr(*t.ValidFrom, never)
		}
		if t.ValidUntil != nil {
			f.until.at = instantOr(*t.ValidUntil, longAgo)
		}
		if t.RevokedAt != nil {
			if revoked := (end{instantOr(*t.RevokedAt, longAgo), false}); revoked.compare(f.until) < 0 {
				f.until = revoked
			}
		}
		all.add(authorityKey{actor: t.Actor, any: true}, f)
		all.add(authorityKey{actor: t.Actor, ref: t.AuthorityRef}, f)
	}
	for _, a := range all {
		slices.SortFunc(a.traces, func(x, y force) int { return x.from.Compare(y.from) })
		a.latest = make([]end, len(a.traces))
		latest := end{at: longAgo}
		for i, f := range a.traces {
			if f.until.compare(latest) > 0 {
				latest = f.until
			}
			a.latest[i] = latest
		}
	}
	return all
}

func (all authorities) add(key authorityKey, f force) {
	if all[key] == nil {
		all[key] = &authority{}
	}
	all[key].traces = append(all[key].traces, f)
}

// inForce reports whether a trace of the event's actor was in force when the event
// was made.
func (all authorities) inForce(e event) bool {
	key := authorityKey{actor: e.Actor, any: true}
	if e.AuthorityRef != nil {
		key = authorityKey{actor: e.Actor, ref: *e.AuthorityRef}
	}
	a := all[key]
	if a == nil {
		return false
	}
	begun := sort.Search(len(a.traces), func(i int) bool { return a.traces[i].from.Compare(e.at) > 0 })
	return begun > 0 && a.latest[begun-1].compare(end{e.at, true}) >= 0
}
