package receiver

import (
	"errors"
	"maps"
	"slices"

	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/service/record"
)

// Memory keeps the answers of each source from one run of a receiver to the next, as they came.
// With it, a source cannot take back what it said: an older answer is not taken, a revocation that
// a later answer leaves out stays, and who has signed must sign again.
//
// One set of answers is kept of each source: an answer replaces those that were about its refs
// alone.
type Memory interface {
	// Recall returns the answers that are kept of a source, in any order.
	Recall(source string) ([]string, error)
	// Keep replaces the answers that are kept of a source.
	Keep(source string, answers []string) error
}

// opened is an answer that was read and is to its question.
type opened struct {
	*parts
	content *bundle.Content
	text    string
	refs    []string // the ids of claims that were asked for; nil if nobody knows
}

// past is what is kept of a source, by the time of the answers.
type past struct{ answers []*opened }

// recall reads what is kept of a source.
func recall(m Memory, source string) (*past, error) {
	p := &past{}
	if m == nil {
		return p, nil
	}
	texts, err := m.Recall(source)
	if err != nil {
		return nil, err
	}
	for _, text := range texts {
		parts, content, err := readAnswer(text)
		if err != nil {
			return nil, err
		}
		if content.Source != source {
			return nil, errors.New("an answer is of " + clip(content.Source))
		}
		p.answers = append(p.answers, &opened{parts: parts, content: content, text: text})
	}
	slices.SortStableFunc(p.answers, func(a, b *opened) int { return a.time().Compare(b.time()) })
	return p, nil
}

// time returns when the answer was given, the first of all instants where it does not say so.
func (o *opened) time() timestamp.Instant {
	at, _ := timestamp.Parse(o.content.Metadata.RespondedAt)
	return at
}

// isOlder reports whether a later answer is kept.
func (p *past) isOlder(o *opened) bool {
	n := len(p.answers)
	return n > 0 && o.time().Compare(p.answers[n-1].time()) < 0
}

// isSigned reports whether a kept answer was signed.
func (p *past) isSigned() bool {
	return slices.ContainsFunc(p.answers, func(o *opened) bool { return o.envelope != "" })
}

// keep keeps new answers of a source in the place of those that were about their refs alone.
func (p *past) keep(m Memory, source string, taken []*opened) error {
	asked := map[string]bool{}
	var texts []string
	for _, o := range taken {
		texts = append(texts, o.text)
		for _, ref := range o.content.Metadata.RequestedRefs.All() {
			asked[ref] = true
		}
	}
	for _, o := range p.answers {
		for _, ref := range o.content.Metadata.RequestedRefs.All() {
			if !asked[ref] {
				texts = append(texts, o.text)
				break
			}
		}
	}
	return m.Keep(source, texts)
}

// isAdverse reports whether an event speaks against its claim.
func isAdverse(e *bundle.Event) bool {
	switch e.Status {
	case record.StatusRevoked, record.StatusRejected, record.StatusDisputed, record.StatusSuperseded, record.StatusStale:
		return true
	}
	return e.Invalidates
}

// said is what an earlier answer said against claims.
type said struct {
	record.RecordID
	claims []string
}

// adverse returns what is known beyond what is held that speaks against claims: events, and traces
// that are revoked.
func adverse(known, held *bundle.Content) (list []said) {
	ids := map[record.RecordID]bool{}
	for _, e := range held.Events {
		ids[bundle.KindEvent.RecordID(e.ID)] = true
	}
	for _, t := range held.Traces {
		ids[bundle.KindTrace.RecordID(t.ID)] = true
	}
	for _, e := range known.Events {
		if id := bundle.KindEvent.RecordID(e.ID); isAdverse(e) && !ids[id] {
			list = append(list, said{id, []string{e.ClaimID}})
		}
	}
	for _, t := range known.Traces {
		if id := bundle.KindTrace.RecordID(t.ID); t.RevokedAt != nil && !ids[id] {
			list = append(list, said{id, slices.Collect(maps.Values(maps.Collect(t.ClaimIDs.All())))})
		}
	}
	return list
}

// noteSilence notes what earlier answers said against claims that an answer has, and that the
// answer leaves out.
func (m *merger) noteSilence() {
	if len(m.remembered) == 0 {
		return
	}
	answered := map[record.RecordID]bool{}
	for _, e := range m.answered.Events {
		answered[bundle.KindEvent.RecordID(e.ID)] = true
	}
	for _, t := range m.answered.Traces {
		answered[bundle.KindTrace.RecordID(t.ID)] = true
	}
	for _, s := range m.remembered {
		isAnswered := func(id string) bool { return m.claims[id] != nil && m.claims[id].Answered }
		if !answered[s.RecordID] && slices.ContainsFunc(s.claims, isAnswered) {
			m.lost = append(m.lost, s.RecordID)
		}
	}
}

// isEarlierClaim reports whether a claim is an earlier state of one that is known.
func isEarlierClaim(known, answered *bundle.Claim) bool {
	was, isInstant := timestamp.Parse(known.UpdatedAt)
	is, isToo := timestamp.Parse(answered.UpdatedAt)
	return isInstant && isToo && is.Compare(was) < 0
}

// isUnrevoked reports whether a trace lacks the revocation of one that is known, or has a later
// one.
func isUnrevoked(known, answered *bundle.Trace) bool {
	if known.RevokedAt == nil {
		return false
	}
	if answered.RevokedAt == nil {
		return true
	}
	was, _ := timestamp.Parse(*known.RevokedAt)
	is, _ := timestamp.Parse(*answered.RevokedAt)
	return is.Compare(was) > 0
}
