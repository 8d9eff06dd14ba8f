package receiver

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/merge"
	"github.com/model-catalog-service/svc/service/record"
)

// partClaims is about how many claims are asked for and judged at once. What is held of a part, and
// its answers, are in memory together.
const partClaims = 16 * bundle.MaxRefs

// Verify asks for the claims of a bundle, as [Ask] does, and holds the answers against it, as
// [Receive] does. It takes the bundle part by part, and what hangs together stays together; so
// there is one thing that it does not see: a claim that comes back with other inputs than it was
// held with, in another part, is judged as if nobody held these. MaxBytes are those of the answers
// to a part. Where asking fails, the receipt has the statuses before, with the error of [Ask].
func Verify(ctx context.Context, held *bundle.Bundle, ask AskOptions, options Options,
	send func(ctx context.Context, question []byte) (io.ReadCloser, error)) (*Receipt, error) {
	most := cmp.Or(options.perPart, partClaims)
	if ask.Refs != nil {
		most = held.Len(bundle.KindClaim) // nobody knows which ref is about which part
	}
	if options.isPart = held.Len(bundle.KindClaim) > most; !options.isPart {
		answers, err := Ask(ctx, held, ask, send)
		if err != nil {
			return NewHeldReceipt(held, options.Function), err
		}
		return Receive(held, answers, options), nil
	}
	kept := &runMemory{Memory: options.Memory, known: map[string][]string{}, left: map[string][]string{},
		taken: map[string][]string{}}
	if options.Memory != nil {
		options.Memory = kept
	}
	whole, failed, isRefused := NewReceipt(options.Function), error(nil), false
	for part := range held.Parts(most) {
		var answers []Answer
		if !isRefused && failed == nil {
			answers, failed = Ask(ctx, part, ask, send)
		}
		if isRefused || failed != nil {
			whole.add(NewHeldReceipt(part, options.Function).Claims)
			continue
		}
		r := Receive(part, answers, options)
		isRefused = r.Severity() != Notice && r.Claims[0].After == ""
		whole.join(r)
	}
	isAnswered := func(c record.ClaimReceipt) bool { return c.Answered }
	isUnknown := !isRefused && failed == nil && !slices.ContainsFunc(whole.Claims, isAnswered)
	if isRefused || isUnknown || failed != nil { // no claim has a status then, as in a bundle of one part
		for i, c := range whole.Claims {
			whole.Claims[i] = record.ClaimReceipt{ID: c.ID, Before: c.Before}
		}
		whole.Outcomes = slices.DeleteFunc(whole.Outcomes, func(o record.ReceiptOutcome) bool {
			return o.Code == record.OutcomeStatusFell || o.Code == record.OutcomeStatusNotMet
		})
	}
	if isUnknown {
		whole.Add(record.OutcomeUnknownRef, noneAnswered)
	}
	whole.finish(held, options)
	if err := kept.flush(); err != nil {
		whole.Add(record.OutcomeUnreadable, "the answers cannot be kept: "+err.Error())
	}
	return whole, failed
}

// add adds claims of a part, without what their ids are parts of: its text.
func (r *Receipt) add(claims []record.ClaimReceipt) {
	for _, c := range claims {
		c.ID = strings.Clone(c.ID)
		r.Claims = append(r.Claims, c)
	}
}

// join adds the receipt of a part, without the texts of its answers.
func (r *Receipt) join(part *Receipt) {
	r.add(part.Claims)
	for _, a := range part.Answers {
		a.Source, a.RespondedAt = strings.Clone(a.Source), strings.Clone(a.RespondedAt)
		a.StatusFunctionVersion = strings.Clone(a.StatusFunctionVersion)
		r.Answers = append(r.Answers, a)
	}
	r.aside += part.aside
	for _, o := range part.Outcomes {
		for i := range o.Records {
			o.Records[i].ID = strings.Clone(o.Records[i].ID)
		}
		i := slices.IndexFunc(r.Outcomes, func(known record.ReceiptOutcome) bool {
			return known.Code == o.Code && (known.Message == o.Message || o.Code != record.OutcomeOtherVersion)
		})
		if i < 0 {
			r.Outcomes, r.OK = append(r.Outcomes, o), r.OK && part.OK
			continue
		}
		r.Outcomes[i].Records = append(r.Outcomes[i].Records, o.Records...)
	}
}

// finish says in the outcomes of all parts what is true of the whole, and brings the claims into
// the order of the bundle.
func (r *Receipt) finish(held *bundle.Bundle, options Options) {
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		merge.SortIDs(o.Records)
		o.Records = slices.Compact(o.Records) // traces are in several parts
		switch o.Code {
		case record.OutcomeStatusFell:
			o.Message = r.fell(len(o.Records))
		case record.OutcomeStatusNotMet:
			o.Message = r.notMet(len(o.Records), options.Require)
		case record.OutcomeLeftAside:
			o.Message, o.Records = r.leftAside(), o.Records[:min(len(o.Records), mostNamed)]
		}
	}
	place := make(map[string]int, len(r.Claims))
	for i := range r.Claims {
		place[held.ID(bundle.KindClaim, i)] = i
	}
	slices.SortFunc(r.Claims, func(a, b record.ClaimReceipt) int { return place[a.ID] - place[b.ID] })
}

// runMemory is a memory during a run: each part compares with what was kept before the run, and
// what parts keep is kept once all have ended.
type runMemory struct {
	Memory
	known map[string][]string // by source, what was kept before
	left  map[string][]string // of that, what no part has replaced
	taken map[string][]string // of this run
}

// Recall returns what was kept before the run.
func (m *runMemory) Recall(source string) (answers []string, err error) {
	known, isKnown := m.known[source]
	if !isKnown {
		if known, err = m.Memory.Recall(source); err == nil {
			m.known[source], m.left[source] = known, slices.Clone(known)
		}
	}
	return known, err
}

// Keep notes what a part keeps.
func (m *runMemory) Keep(source string, answers []string) error {
	stays := map[string]bool{}
	for _, text := range answers {
		stays[text] = true
		if !slices.Contains(m.known[source], text) {
			m.taken[source] = append(m.taken[source], text)
		}
	}
	m.left[source] = slices.DeleteFunc(m.left[source], func(text string) bool { return !stays[text] })
	return nil
}

// flush keeps what the parts keep.
func (m *runMemory) flush() error {
	for source, taken := range m.taken {
		if err := m.Memory.Keep(source, append(taken, m.left[source]...)); err != nil {
			return fmt.Errorf("those of %s: %w", clip(source), err)
		}
	}
	return nil
}
