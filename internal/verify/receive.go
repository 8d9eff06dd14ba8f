package verify

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// ReceiveOptions are the options of a receiver.
type ReceiveOptions struct {
	Keys    []*PublicKey // if there are any, one of them must have signed each answer
	Now     time.Time    // the instant of all statuses
	Require Status       // that every held claim must have in the end; empty for any
}

// Questions returns the refs to ask for: the ids of the held claims, in as many
// parts as it takes. Ids that cannot be asked for are left out.
func Questions(held *Bundle) [][]string {
	var ids []string
	for i := range held.content.claims {
		if id := held.content.claims[i].ID; isRef(id) {
			ids = append(ids, id)
		}
	}
	return slices.Collect(slices.Chunk(ids, MaxRefs))
}

// Before returns the receipt of a receiver that has no answer yet: the statuses
// that follow from what is held.
func Before(held *Bundle, now time.Time) *Receipt {
	r := NewReceipt(now)
	for _, s := range DeriveStatuses(held.StatusInput(), now) {
		r.Claims = append(r.Claims, ClaimReceipt{ID: s.ID, Before: s.Status})
	}
	if len(r.Claims) == 0 {
		r.Add(NothingHeld, "the held bundle has no claims")
	}
	return r
}

// Receive holds answers against a bundle: whether they are signed, are answers
// to these questions and fit to what is held, and which statuses follow. No
// status that an answer tells is believed.
func Receive(held *Bundle, answers []Answer, options ReceiveOptions) *Receipt {
	r := Before(held, options.Now)
	if r.Gravity() != Notice {
		return r
	}
	var parts []*received
	for _, answer := range answers {
		part, code, err := receive(answer, options.Keys, r)
		if err != nil {
			r.Add(code, err.Error())
			return r
		}
		parts = append(parts, part)
	}
	merged := r.merge(held, parts)
	if merged == nil {
		return r
	}
	in, err := merged.StatusInput()
	if err != nil {
		r.Add(Unreadable, "what is held and what was answered do not make a bundle: "+err.Error())
		return r
	}
	r.derive(held, in, options)
	return r
}

// receive reads an answer and checks where it comes from.
func receive(answer Answer, keys []*PublicKey, r *Receipt) (*received, OutcomeCode, error) {
	part, err := readAnswer(answer.Text)
	if err != nil {
		return nil, Unreadable, fmt.Errorf("the answer is malformed: %w", err)
	}
	if len(keys) > 0 {
		keyID, code, err := part.signedBy(keys)
		if err != nil {
			return nil, code, err
		}
		r.KeyIDs = append(r.KeyIDs, keyID)
	}
	if answer.Nonce != "" && part.nonce != answer.Nonce {
		return nil, NonceMismatch, errors.New("the answer does not have the nonce that was sent")
	}
	return part, "", nil
}

// merge puts the answers and what is held together. It returns nil if that
// cannot be, having said why.
func (r *Receipt) merge(held *Bundle, parts []*received) *RawBundle {
	ours := held.content.raw()
	version := held.content.schemaVersion
	for _, part := range parts {
		version = max(version, part.version)
	}
	ours.SchemaVersion = strconv.Itoa(version)
	answered := &RawBundle{SchemaVersion: ours.SchemaVersion}
	if len(parts) > 0 {
		var theirs []*RawBundle
		for _, part := range parts {
			part.raw.SchemaVersion = ours.SchemaVersion
			part.raw.Policies = nil // the receiver's own decide
			theirs = append(theirs, part.raw)
		}
		all, collisions, err := MergeBundles(theirs...)
		if err != nil || len(collisions) > 0 {
			r.Add(MergeCollision, "the answers hold different records under one id", collisions...)
			return nil
		}
		answered = all
	}
	if !r.note(held, answered) {
		r.Add(UnknownRef, "the answer has none of the held claims")
		return nil
	}
	changed := append(replaced(inClaims, &ours.Claims, answered.Claims),
		replaced(inAuthorityTrace, &ours.AuthorityTrace, answered.AuthorityTrace)...)
	if len(changed) > 0 {
		r.changed(changed)
	}
	merged, collisions, err := MergeBundles(ours, answered)
	if err != nil || len(collisions) > 0 {
		r.Add(MergeCollision, "the answer holds other evidence or events under ids that are held", collisions...)
		return nil
	}
	return merged
}

// note notes which claims were answered and reports whether any was.
func (r *Receipt) note(held *Bundle, answered *RawBundle) (any bool) {
	known := make(map[string]bool, len(answered.Claims))
	for _, c := range answered.Claims {
		known[c.ID] = true
	}
	for i := range r.Claims {
		r.Claims[i].Answered = known[r.Claims[i].ID]
		any = any || r.Claims[i].Answered
	}
	return any
}

// replaced takes those records out of the held ones that were answered with
// another content, and returns which.
func replaced(collection string, held *[]Record, answered []Record) (changed []Collision) {
	theirs := make(map[string]Record, len(answered))
	for _, r := range answered {
		theirs[r.ID] = r
	}
	*held = slices.DeleteFunc(*held, func(r Record) bool {
		other, known := theirs[r.ID]
		if !known || sameContent(r, other) {
			return false
		}
		changed = append(changed, Collision{collection, r.ID})
		return true
	})
	return changed
}

func (r *Receipt) changed(records []Collision) {
	r.Add(Changed, "the answer holds claims or traces with another content than is held", records...)
	ids := map[string]bool{}
	for _, c := range records {
		if c.Collection == inClaims {
			ids[c.ID] = true
		}
	}
	for i := range r.Claims {
		r.Claims[i].Changed = ids[r.Claims[i].ID]
	}
}

// derive computes the statuses after the answers. The status that a claim
// carries is the held one: an answer's is not believed, even where the status
// function would look at it.
func (r *Receipt) derive(held *Bundle, in *StatusInput, options ReceiveOptions) {
	carried := make(map[string]Status, len(r.Claims))
	for i := range held.content.claims {
		carried[held.content.claims[i].ID] = held.content.claims[i].status
	}
	for i := range in.content.claims {
		c := &in.content.claims[i]
		c.status = carried[c.ID]
	}
	after := make(map[string]Status, len(r.Claims))
	for _, s := range DeriveStatuses(in, options.Now) {
		after[s.ID] = s.Status
	}
	var unmet []Collision
	for i := range r.Claims {
		c := &r.Claims[i]
		c.After = after[c.ID]
		if options.Require != "" && (c.After != options.Require || !c.Answered) {
			unmet = append(unmet, Collision{inClaims, c.ID})
		}
	}
	if len(unmet) > 0 {
		r.Add(StatusNotMet, fmt.Sprintf("%d of %d held claims are not answered as %s", len(unmet), len(r.Claims), options.Require), unmet...)
	}
}
