// Package receiver asks what became of the claims of a trust bundle that somebody
// holds, and derives their statuses anew.
//
// A receiver asks an endpoint for its claims by their ids, at most 256 at a time: see
// [Ask]. It believes no status in an answer. [Receive] takes records from the answers,
// unites them with those that are held, and derives the status of each held claim
// from that, before and after, by one version of the status function at one instant:
//
//   - An answer speaks only for claims that were asked for and that it has. Records
//     about others are left aside: the status of a claim that no answer speaks for
//     stays what it was, unless the claim is derived from others that became worse.
//   - Evidence and events never change: if an answer has others under ids that are
//     held, there is no status. Claims and traces may move on, and only on: then those of
//     the answer count, unless they take back what was known later.
//   - An event of an answer that is dated after the instant decides nothing yet.
//   - The policies are the held ones, and so is the status that a claim carries.
//   - A required status is met by answers of today and of the same source alone, about
//     claims that still say the same.
//
// A [Memory] keeps answers, so that a source cannot take back what it said in an earlier run.
//
// What came out is a [Receipt]: the statuses, and outcomes, each with a code. It is a
// failure if nothing could be checked, a refusal if the answer is not what it must be,
// and else a notice:
//
// [Verify] does both, part by part of a large bundle, so that it needs no more memory for many
// claims than for some thousands, besides the bundle itself.
//
//	held, err := bundle.Read(problem.Source{Name: "held.json", Text: text})
//	answers, err := receiver.Ask(ctx, held, receiver.AskOptions{}, post)
//	function, err := status.New(status.DefaultVersion, "2026-07-18T06:00:00Z")
//	receipt := receiver.Receive(held, answers, receiver.Options{Function: function, Keys: keys})
//	for _, c := range receipt.Claims {
//		fmt.Println(c.ID, c.Before, c.After) // c1 verified stale
//	}
package receiver

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/internal/verify/merge"
	"github.com/model-catalog-service/svc/internal/verify/status"
	"github.com/model-catalog-service/svc/service/record"
)

// Options are the options of a receiver.
type Options struct {
	Function *status.Function          // which derives all statuses
	Keys     []*dsse.PublicKey         // if there are any, one of them must have signed each answer
	Require  record.VerificationStatus // that every held claim must have in the end; empty for any
	// MaxAge is how old an answer may be that confirms a required status; 0 for
	// DefaultMaxAge, below 0 for any age.
	MaxAge      time.Duration
	AllowFall   bool   // a claim that is no longer verified is no refusal
	AllowChange bool   // a claim that says something else may meet the required status
	Memory      Memory // nil keeps nothing

	perPart int  // claims; 0 for partClaims
	isPart  bool // the bundle is a part of what is held: its answers may have none of its claims
}

// NewHeldReceipt returns the receipt of a receiver that has no answer yet: the statuses that
// follow from what is held.
func NewHeldReceipt(held *bundle.Bundle, function *status.Function) *Receipt {
	r := NewReceipt(function)
	for _, s := range function.Derive(held.StatusInput()) {
		r.Claims = append(r.Claims, record.ClaimReceipt{ID: s.ID, Before: s.Status})
	}
	if len(r.Claims) == 0 {
		r.Add(record.OutcomeNothingHeld, "the held bundle has no claims")
	}
	return r
}

// Receive holds answers against a bundle: whether they are signed, answer these
// questions and fit what is held, and which statuses follow.
func Receive(held *bundle.Bundle, answers []Answer, options Options) *Receipt {
	r := NewHeldReceipt(held, options.Function)
	if r.Severity() != Notice {
		return r
	}
	read := r.open(answers, options)
	if r.Severity() != Notice {
		return r
	}
	pasts := map[string]*past{}
	for _, source := range append([]string{held.Source()}, sourcesOf(read)...) {
		p, err := recall(options.Memory, source)
		if err != nil {
			r.Add(record.OutcomeUnreadable, fmt.Sprintf("what is kept of %s cannot be used: %v", clip(source), err))
			return r
		}
		pasts[source] = p
	}
	now := options.Function.Now()
	known := remember(held.StatusInput(), pasts, now)
	m := newMerger(known, r, now)
	m.isPart = options.isPart
	if known != held.StatusInput() {
		m.remembered = adverse(known, held.StatusInput())
		m.rederive(options.Function)
	}
	taken := map[string][]*opened{}
	for _, o := range read {
		switch p := pasts[o.content.Source]; {
		case o.envelope == "" && p.isSigned():
			r.Add(record.OutcomeSignatureLost, "the answer is not signed, and earlier ones of "+clip(o.content.Source)+" were")
			return r
		case p.isOlder(o):
			r.Add(record.OutcomeOlderAnswer, fmt.Sprintf("the answer was given at %s, and a later one of %s is known",
				clip(o.content.Metadata.RespondedAt), clip(o.content.Source)))
			continue
		}
		isDoubtful := o.doubts(r, held, options)
		m.take(o.content, o.refs, isDoubtful)
		if age, _ := o.age(now); age >= -ClockTolerance { // else it would outdate all to come
			taken[o.content.Source] = append(taken[o.content.Source], o)
		}
	}
	merged := m.merge(r)
	if merged == nil {
		return r
	}
	m.derive(r, merged, options)
	if options.Memory == nil || len(m.lost) > 0 {
		return r
	}
	for _, source := range sourcesOf(read) {
		if len(taken[source]) > 0 {
			if err := pasts[source].keep(options.Memory, source, taken[source]); err != nil {
				r.Add(record.OutcomeUnreadable, fmt.Sprintf("the answer of %s cannot be kept: %v", clip(source), err))
			}
		}
	}
	return r
}

// open reads the answers, up to the first that is refused.
func (r *Receipt) open(answers []Answer, options Options) (read []*opened) {
	var versions []string // that the answers name, each once
	for _, a := range answers {
		o, keyID, refused := a.open(options.Keys)
		if refused != nil {
			r.Add(refused.Code, refused.Message)
			return nil
		}
		said := &o.content.Metadata
		about := record.AnswerReceipt{
			Digest: fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(a.Text))), KeyID: record.Text(keyID),
			RespondedAt: said.RespondedAt, Source: o.content.Source, StatusFunctionVersion: said.StatusFunctionVersion,
		}
		if age, isKnown := o.age(options.Function.Now()); isKnown {
			about.AgeSeconds = record.NewFloat(math.Trunc(age.Seconds()))
		}
		r.Answers, read = append(r.Answers, about), append(read, o)
		if version := said.StatusFunctionVersion; version != r.StatusFunctionVersion && !slices.Contains(versions, version) {
			versions = append(versions, version)
			r.Add(record.OutcomeOtherVersion, fmt.Sprintf("the producer derives statuses by version %s of the status "+
				"function; those here are by version %s", clip(version), r.StatusFunctionVersion))
		}
	}
	return read
}

// sourcesOf returns the sources of answers, each once.
func sourcesOf(read []*opened) (sources []string) {
	for _, o := range read {
		if !slices.Contains(sources, o.content.Source) {
			sources = append(sources, o.content.Source)
		}
	}
	return sources
}

// remember returns what is held with what kept answers say of the held claims.
func remember(held *bundle.Content, pasts map[string]*past, now timestamp.Instant) *bundle.Content {
	known, ids := held, map[string]bool{}
	for _, c := range held.Claims {
		ids[c.ID] = true
	}
	for _, source := range slices.Sorted(maps.Keys(pasts)) {
		for _, o := range pasts[source].answers {
			if !slices.ContainsFunc(o.content.Claims, func(c *bundle.Claim) bool { return ids[c.ID] }) {
				continue
			}
			about := &Receipt{}
			for _, c := range held.Claims {
				about.Claims = append(about.Claims, record.ClaimReceipt{ID: c.ID})
			}
			m := newMerger(known, about, now)
			m.take(o.content, nil, false)
			known = m.unite()
		}
	}
	return known
}

// merger puts answers and what is held together.
type merger struct {
	held     *bundle.Content
	claims   map[string]*record.ClaimReceipt // of the held claims, by id
	known    status.Known                    // their statuses, where earlier answers had more than is held
	actors   map[string][]string             // of the held events, by claim
	events   map[string]bool                 // the held ones, by id
	now      timestamp.Instant
	answered bundle.Content // what the answers speak for
	others   bundle.Content // what they do not speak for

	isPart   bool            // of what is held
	doubtful map[string]bool // the claims of answers that confirm nothing, by id

	contradictions []record.RecordID // among the answers
	future         []record.RecordID // events that are dated after now
	lost           []record.RecordID // what was known and the answers take back
	remembered     []said            // what earlier answers said against claims
	collisions     []record.RecordID // of evidence and events
	changed        []record.RecordID // claims and traces
	leftAside      []record.RecordID // the first of those of others that say anything new
	countAside     int               // of all of them
}

func newMerger(held *bundle.Content, r *Receipt, now timestamp.Instant) *merger {
	m := &merger{
		held:     held,
		claims:   make(map[string]*record.ClaimReceipt, len(r.Claims)),
		actors:   map[string][]string{},
		events:   map[string]bool{},
		now:      now,
		known:    status.Known{},
		doubtful: map[string]bool{},
	}
	for i := range r.Claims {
		m.claims[r.Claims[i].ID] = &r.Claims[i]
	}
	for _, e := range held.Events {
		m.actors[e.ClaimID] = append(m.actors[e.ClaimID], e.Actor)
		m.events[e.ID] = true
		m.isFuture(e)
	}
	return m
}

// take takes those records of an answer that it speaks for: the held claims that were
// asked for and that it has, their evidence and events, and the traces that name these
// claims or an actor of their events, be these held or answered.
func (m *merger) take(answer *bundle.Content, refs []string, isDoubtful bool) {
	asked, claims, actors := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, ref := range refs {
		asked[ref] = true
	}
	take(answer.Claims, &m.answered.Claims, &m.others.Claims, func(c *bundle.Claim) bool {
		if m.claims[c.ID] == nil || refs != nil && !asked[c.ID] {
			return false
		}
		claims[c.ID] = true
		m.doubtful[c.ID] = m.doubtful[c.ID] || isDoubtful
		for _, actor := range m.actors[c.ID] {
			actors[actor] = true
		}
		return true
	})
	take(answer.Evidence, &m.answered.Evidence, &m.others.Evidence, func(e *bundle.Evidence) bool {
		return claims[e.ClaimID]
	})
	answer.Events = slices.DeleteFunc(answer.Events, func(e *bundle.Event) bool {
		return claims[e.ClaimID] && m.isFuture(e) && !m.events[e.ID]
	})
	take(answer.Events, &m.answered.Events, &m.others.Events, func(e *bundle.Event) bool {
		actors[e.Actor] = actors[e.Actor] || claims[e.ClaimID]
		return claims[e.ClaimID]
	})
	take(answer.Traces, &m.answered.Traces, &m.others.Traces, func(t *bundle.Trace) bool {
		for _, id := range t.ClaimIDs.All() {
			if claims[id] {
				return true
			}
		}
		return actors[t.Actor]
	})
}

// isFuture reports whether an event is dated after now, and notes that.
func (m *merger) isFuture(e *bundle.Event) bool {
	at, ok := timestamp.Parse(e.CreatedAt)
	isFuture := ok && at.Compare(m.now) > 0
	if isFuture {
		m.future = append(m.future, bundle.KindEvent.RecordID(e.ID))
	}
	return isFuture
}

// take divides records of an answer into those that it speaks for and others.
func take[R any](answered []R, taken, others *[]R, speaksFor func(R) bool) {
	kept := answered[:0]
	for _, r := range answered {
		if speaksFor(r) {
			kept = append(kept, r)
		} else {
			*others = append(*others, r)
		}
	}
	if *taken == nil {
		*taken = kept // without a copy, if there is one answer
		return
	}
	*taken = append(*taken, kept...)
}

// unite returns the known records and those that the answers speak for.
func (m *merger) unite() *bundle.Content {
	return &bundle.Content{
		Policies: m.held.Policies,
		Claims:   combine(m, bundle.KindClaim, m.held.Claims, m.answered.Claims, m.others.Claims, isEarlierClaim),
		Evidence: combine(m, bundle.KindEvidence, m.held.Evidence, m.answered.Evidence, m.others.Evidence, nil),
		Events:   combine(m, bundle.KindEvent, m.held.Events, m.answered.Events, m.others.Events, nil),
		Traces:   combine(m, bundle.KindTrace, m.held.Traces, m.answered.Traces, m.others.Traces, isUnrevoked),
	}
}

// merge returns the known records and those that the answers speak for. It returns nil
// if they cannot be put together, having said why.
func (m *merger) merge(r *Receipt) *bundle.Content {
	merged := m.unite()
	if n := len(m.contradictions); n > 0 {
		merge.SortIDs(m.contradictions)
		r.Add(record.OutcomeMergeCollision, fmt.Sprintf("the answers have different records under %d ids", n),
			m.contradictions[:min(n, mostNamed)]...)
		return nil
	}
	if len(m.answered.Claims) == 0 && r.Severity() == Notice && !m.isPart {
		r.Add(record.OutcomeUnknownRef, noneAnswered)
		return nil
	}
	if r.aside = m.countAside; r.aside > 0 {
		merge.SortIDs(m.leftAside)
		r.Add(record.OutcomeLeftAside, r.leftAside(), m.leftAside[:min(m.countAside, mostNamed)]...)
	}
	m.noteChanges(r)
	if len(m.collisions) > 0 {
		merge.SortIDs(m.collisions)
		r.Add(record.OutcomeMergeCollision, "evidence or events in the answer differ from those that you hold under the "+
			"same ids", m.collisions...)
		return nil
	}
	m.noteSilence()
	if len(m.lost) > 0 {
		merge.SortIDs(m.lost)
		r.Add(record.OutcomeRevocationLost, "the answer takes back what is known; it stays", m.lost...)
	}
	return merged
}

// noteChanges notes which claims were answered, which of them have changed, and which of those say
// something else.
func (m *merger) noteChanges(r *Receipt) {
	held := make(map[string]*bundle.Claim, len(m.held.Claims))
	for _, c := range m.held.Claims {
		held[c.ID] = c
	}
	var replaced []record.RecordID
	for _, c := range m.answered.Claims {
		about := m.claims[c.ID]
		about.Answered = true
		if about.Replaced = !held[c.ID].Says(c); about.Replaced {
			replaced = append(replaced, bundle.KindClaim.RecordID(c.ID))
		}
	}
	if len(m.changed) > 0 {
		merge.SortIDs(m.changed)
		r.Add(record.OutcomeChanged, "claims or traces in the answer differ from those that you hold", m.changed...)
	}
	for _, record := range m.changed {
		if record.Collection == bundle.KindClaim.Collection() {
			m.claims[record.ID].Changed = true
		}
	}
	if len(replaced) > 0 {
		merge.SortIDs(replaced)
		r.Add(record.OutcomeReplaced, "claims in the answer have another subject, field, value or integrity reference: "+
			"they are not the claims that you hold", replaced...)
	}
}

// clip returns as much of another's text as a message has room for.
func clip(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return strconv.Quote(s)
}

// mostNamed is how many of the records of an answer are named in an outcome.
const mostNamed = 1000

// combine returns the held and the answered records of a kind, each id once, sorted by
// id. Of records that differ the answered one stays, unless it takes back what the held one says.
func combine[R merge.Record](m *merger, kind bundle.Kind, held, answered, others []R,
	takesBack func(held, answered R) bool) []R {
	theirs, differing := merge.Unite(answered)
	for _, id := range differing {
		m.contradictions = append(m.contradictions, kind.RecordID(id))
	}
	all := slices.Concat(held, theirs)
	combined := all[:0]
	for group := range merge.ByID(all) { // one of each at most, the held one first
		ours, last := group[0].Plain(), group[len(group)-1]
		switch {
		case ours.Equal(last.Plain()): // either one will do
		case kind.Movable() && takesBack(group[0], last):
			m.lost, last = append(m.lost, kind.RecordID(ours.ID)), group[0]
		case kind.Movable():
			m.changed = append(m.changed, kind.RecordID(ours.ID))
		default:
			m.collisions = append(m.collisions, kind.RecordID(ours.ID))
		}
		combined = append(combined, last)
	}
	rest := combined
	for group := range merge.ByID(others) {
		id := group[0].Plain()
		for len(rest) > 0 && bundle.CompareIDs(rest[0].Plain(), id) < 0 {
			rest = rest[1:]
		}
		isNew := func(r R) bool { return len(rest) == 0 || !r.Plain().Equal(rest[0].Plain()) }
		if slices.ContainsFunc(group, isNew) {
			if m.countAside++; len(m.leftAside) < int(kind+1)*mostNamed {
				m.leftAside = append(m.leftAside, kind.RecordID(id.ID))
			}
		}
	}
	return combined
}

// rederive derives the statuses before the answers from all that is known: earlier answers may have
// said more than is held.
func (m *merger) rederive(function *status.Function) {
	for _, s := range function.Derive(m.held) {
		m.known[s.ID] = s.Status
	}
}

// derive derives the statuses after the answers.
func (m *merger) derive(r *Receipt, merged *bundle.Content, options Options) {
	m.keepStatuses(merged.Claims)
	known := status.Known{} // no answer speaks for these claims, but what they are derived from may lower them
	for i := range r.Claims {
		if c := &r.Claims[i]; !c.Answered {
			known[c.ID] = cmp.Or(m.known[c.ID], c.Before)
		}
	}
	for _, s := range options.Function.DeriveBeside(merged, known) {
		m.claims[s.ID].After = s.Status
	}
	var unmet, fallen []record.RecordID
	for i := range r.Claims {
		c := &r.Claims[i]
		isConfirmed := c.Answered && !m.doubtful[c.ID] && (!c.Replaced || options.AllowChange)
		if options.Require != "" && (c.After != options.Require || !isConfirmed) {
			unmet = append(unmet, bundle.KindClaim.RecordID(c.ID))
		}
		if c.Before == record.StatusVerified && c.After != record.StatusVerified {
			c.Note = record.Text(m.fall(c))
			fallen = append(fallen, bundle.KindClaim.RecordID(c.ID))
		}
	}
	if len(m.future) > 0 {
		merge.SortIDs(m.future)
		r.Add(record.OutcomeFutureEvent, "events are dated after "+r.Now+"; those that you do not hold decide nothing "+
			"before their time", slices.Compact(m.future)...)
	}
	if len(fallen) > 0 && !options.AllowFall {
		r.Add(record.OutcomeStatusFell, r.fell(len(fallen)), fallen...)
	}
	if len(unmet) > 0 {
		r.Add(record.OutcomeStatusNotMet, r.notMet(len(unmet), options.Require), unmet...)
	}
}

// fall says why a claim is no longer verified: the latest of the events that the answers
// brought says so, or else what it rests on.
func (m *merger) fall(c *record.ClaimReceipt) string {
	held := map[string]bool{}
	for _, e := range m.held.Events {
		held[e.ID] = true
	}
	var latest *bundle.Event
	var since timestamp.Instant
	for _, e := range m.answered.Events {
		at, _ := timestamp.Parse(e.CreatedAt) // of an answer, it need not be one: the message loses nothing then
		if e.ClaimID == c.ID && !held[e.ID] && (latest == nil || at.Compare(since) > 0) {
			latest, since = e, at
		}
	}
	switch {
	case latest != nil && latest.Invalidates:
		return "revoked by event " + clip(latest.ID)
	case latest != nil:
		return "event " + clip(latest.ID) + " says " + string(latest.Status)
	case c.Changed:
		return "the claim has changed"
	}
	return "what it rests on has changed or expired"
}

// keepStatuses gives claims the statuses that the held ones carry: an answer's are
// not believed, even where the status function looks at them.
func (m *merger) keepStatuses(claims []*bundle.Claim) {
	carried := make(map[string]record.VerificationStatus, len(m.held.Claims))
	for _, claim := range m.held.Claims {
		carried[claim.ID] = claim.Status
	}
	for i, claim := range claims {
		kept := *claim
		kept.Status = carried[claim.ID]
		claims[i] = &kept
	}
}
