package status

import (
	"slices"

	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
)

// bundleFacts is what counts of the records of a bundle, found in one pass over each
// list, so that no claim has to go through a list again.
type bundleFacts struct {
	claims       []*bundle.Claim
	facts        map[string]*facts // by the id of the claim
	policyByID   map[string]*policy
	policyByType map[string]*policy
}

// facts is what the records say of the claim with some id.
type facts struct {
	newest     event // none if it has no Event
	resolution event // the newest that a trace is in force for

	all          tally              // of the pieces
	qualified    tally              // of those that may meet a requirement
	blocks       bool               // some piece does
	lastBlocking *timestamp.Instant // when the last of these was observed, nil if nobody knows

	derived []int // the claims that are derived from this one, see lower

	evidence []*bundle.Evidence // the pieces
	refs     map[string]bool    // see committed
}

// tally counts pieces.
type tally struct {
	pieces         int
	types, methods []string // each once
}

// event is a verification event with its time.
type event struct {
	*bundle.Event
	at       timestamp.Instant // for the order
	readable bool              // it is when the event was made
}

// policy is a policy whose requirements are there once each.
type policy struct {
	*bundle.Policy
	types, methods []string
}

// gather gathers what counts, with times as a calendar reads them. Those pieces for
// which qualifies holds may meet a requirement.
func gather(in *bundle.Content, times calendar, qualifies func(*bundle.Evidence) bool) *bundleFacts {
	g := &bundleFacts{
		claims:       in.Claims,
		facts:        make(map[string]*facts, len(in.Claims)),
		policyByID:   map[string]*policy{},
		policyByType: map[string]*policy{},
	}
	for _, claim := range in.Claims {
		g.facts[claim.ID] = &facts{}
	}
	traces := newAuthorities(in.Traces, times)
	for _, e := range in.Events {
		if f := g.facts[e.ClaimID]; f != nil {
			f.addEvent(e, times, traces)
		}
	}
	for _, e := range in.Evidence {
		if f := g.facts[e.ClaimID]; f != nil && !e.Cited {
			f.addPiece(e, times, qualifies(e))
		}
	}
	for _, p := range in.Policies {
		g.addPolicy(p)
	}
	return g
}

// always lets every piece qualify, as in version 2.
func always(*bundle.Evidence) bool { return true }

// proves lets every piece qualify but checks that do not say that they passed, as in
// versions 3 and 4.
func proves(e *bundle.Evidence) bool {
	switch e.Type {
	case bundle.TestOutput, bundle.CalculationTrace, bundle.RuntimeObservation:
		return e.Passing != nil && *e.Passing
	}
	return true
}

// addPolicy adds a policy, which counts if it is the first of its id or type.
func (g *bundleFacts) addPolicy(p *bundle.Policy) {
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

func (f *facts) addEvent(e *bundle.Event, times calendar, traces authorities) {
	dated := event{Event: e}
	if dated.at, dated.readable = times.read(e.CreatedAt); !dated.readable {
		dated.at = times.unreadableEvent()
	}
	if dated.isAfter(f.newest) {
		f.newest = dated
	}
	if e.ResolvesDispute && dated.isAfter(f.resolution) && traces.inForce(dated, times) {
		f.resolution = dated
	}
}

// isAfter reports whether the event was made after another, or there is no other.
func (e event) isAfter(other event) bool { return other.Event == nil || e.at.Compare(other.at) > 0 }

func (f *facts) addPiece(e *bundle.Evidence, times calendar, qualifies bool) {
	f.evidence = append(f.evidence, e)
	f.all.add(e)
	if qualifies {
		f.qualified.add(e)
	}
	if !e.Blocks() {
		return
	}
	f.blocks = true
	if at, known := times.observed(e.ObservedAt); known && (f.lastBlocking == nil || at.Compare(*f.lastBlocking) > 0) {
		f.lastBlocking = &at
	}
}

func (t *tally) add(e *bundle.Evidence) {
	t.pieces++
	t.types = appendOnce(t.types, e.Type)
	t.methods = appendOnce(t.methods, e.Method)
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
			if named[e.ID] && e.IntegrityRef != nil {
				f.refs[*e.IntegrityRef] = true
			}
		}
	}
	return f.refs
}
