// Package standing says what became of a catalog, by a policy of whoever uses it: which keys may
// have signed, whether its source is asked, and how old an answer may be.
//
//	verified    it is the current build of its source; where nobody is asked, a key has signed it
//	superseded  its source has a newer one
//	withdrawn   its source has taken it back
//	unknown     nobody says so whom the policy believes
//
// A withdrawal is for ever, so it counts however old the answer is that has it. A source that does
// not answer, or not as it must, is believed what it said before.
package standing

import (
	"context"
	"io"
	"time"

	"github.com/model-catalog-service/svc/internal/verify/channel"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/internal/verify/receiver"
	"github.com/model-catalog-service/svc/internal/verify/status"
	"github.com/model-catalog-service/svc/service/record"
)

// State is what became of a catalog, in a word.
type State string

// The states. A catalog without a policy has none.
const (
	Verified   State = "verified"
	Superseded State = "superseded"
	Withdrawn  State = "withdrawn"
	Unknown    State = "unknown"
)

// States are all states.
func States() []State { return []State{Verified, Superseded, Withdrawn, Unknown} }

// Standing is what became of a catalog.
type Standing struct {
	State    State
	Sentence string // the same for people, whole; empty without a policy
}

// Policy is whom to believe.
type Policy struct {
	Keys   []*dsse.PublicKey
	MaxAge time.Duration // of an answer after which its source is asked again
	// Ask asks the source; nil asks nobody, and believes whoever has signed the catalog.
	Ask    func(ctx context.Context, question []byte) (io.ReadCloser, error)
	Memory receiver.Memory
	Known  []string // answers that are kept of any source
}

// SignedBy returns the id of a key of the policy that signed one of the envelopes about a catalog,
// or empty.
func (p *Policy) SignedBy(about channel.Catalog, envelopes []string) string {
	for _, text := range envelopes {
		e, err := dsse.ReadEnvelope(text)
		if err != nil || !channel.IsAbout(e, about) {
			continue
		}
		if key := e.SignedBy(p.Keys); key != nil {
			return key.ID()
		}
	}
	return ""
}

// Of says what became of a catalog, about which there are envelopes, at the instant of a function.
func (p *Policy) Of(ctx context.Context, about channel.Catalog, envelopes []string, f *status.Function) Standing {
	if p.Ask == nil {
		if id := p.SignedBy(about, envelopes); id != "" {
			return Standing{Verified, "This catalog is signed by " + id + "."}
		}
		return Standing{Unknown, "Whether to trust this catalog is unknown: no key of the policy has signed it."}
	}
	q := question{about, receiver.Options{Function: f, Keys: p.Keys, MaxAge: -1}}
	last := q.last(p.Known)
	if last != nil && p.counts(last) {
		return last.Standing
	}
	refs := receiver.AskOptions{Refs: []string{channel.Ref(about.Digest)}}
	why := ""
	answers, err := receiver.Ask(ctx, nil, refs, p.Ask)
	if err != nil {
		why = err.Error()
	} else {
		q.options.Memory = p.Memory
		var new *answered
		new, why = q.judge(answers[0])
		if new != nil && p.counts(new) {
			return new.Standing
		} else if new != nil {
			why = "the answer is of " + new.at
		}
	}
	if last == nil {
		return Standing{Unknown, "Whether this catalog is the current one is unknown: " + why + "."}
	}
	last.Sentence += " That was said at " + last.at + "; since then, " + why + "."
	return last.Standing
}

// counts reports whether an answer is of a time that the policy lets count. A withdrawal always
// does.
func (p *Policy) counts(a *answered) bool {
	return a.State == Withdrawn || -receiver.ClockTolerance <= a.age && a.age <= p.MaxAge
}

// question is a catalog that is asked about.
type question struct {
	about   channel.Catalog
	options receiver.Options
}

// answered is what an answer says.
type answered struct {
	Standing
	at  string // when it was given
	age time.Duration
}

// last returns what the newest of the answers says that are about the catalog, nil if none is.
func (q *question) last(known []string) (last *answered) {
	for _, text := range known {
		a, _ := q.judge(receiver.Answer{Text: text, Refs: []string{channel.Ref(q.about.Digest)}, ByRef: true})
		if a != nil && (last == nil || a.age < last.age) {
			last = a
		}
	}
	return last
}

// judge says what an answer says, or why it counts for nothing.
func (q *question) judge(a receiver.Answer) (said *answered, why string) {
	r := receiver.ReceiveCatalog(q.about, []receiver.Answer{a}, q.options)
	isKnown := true
	for _, o := range r.Outcomes {
		switch {
		case o.Code == record.OutcomeUnknownRef:
			isKnown = false
		case receiver.SeverityOf(o.Code) != receiver.Notice && o.Code != record.OutcomeStatusFell:
			return nil, o.Message
		}
	}
	given := r.Answers[0]
	said = &answered{at: given.RespondedAt, age: time.Duration(given.AgeSeconds.Value * float64(time.Second))}
	switch claim := &r.Claims[0]; {
	case !isKnown:
		said.Standing = Standing{Unknown, "Whether to trust this catalog is unknown: " + given.Source + " does not know it."}
	case claim.Replaced:
		said.Standing = Standing{Unknown, "Whether to trust this catalog is unknown: " + given.Source +
			" published another file."}
	case claim.After == record.StatusVerified:
		said.Standing = Standing{Verified, "This catalog is " + string(claim.Note) + "."}
	default:
		said.Standing = Standing{stateOf(claim.After), "This catalog was " + string(claim.Note) + "."}
	}
	return said, ""
}

// stateOf is the state that the status of a claim about a catalog means that is not verified.
func stateOf(s record.VerificationStatus) State {
	switch s {
	case record.StatusSuperseded:
		return Superseded
	case record.StatusStale, record.StatusRevoked, record.StatusRejected, record.StatusDisputed:
		return Withdrawn
	}
	return Unknown
}
