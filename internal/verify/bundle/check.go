package bundle

import (
	"iter"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/lexicon"
)

// The versions of the schema that demand something of bundles that declare them.
const (
	calibratedVersion = 8 // a value of confidence needs a calibration
	collectorVersion  = 9 // evidence may have collectedByKind and inconclusive
)

// decodeContent reads a bundle by a shape, and checks that its evidence has no members
// that are newer than the version that it declares.
func decodeContent(text string, outerDepth int, strict bool, shape *ijson.Shape[*decoder, Content]) (*Content,
	problem.List) {
	c, d, faults := decode(text, outerDepth, strict, shape)
	if faults == nil {
		faults = d.checkLatest(text, c.SchemaVersion)
	}
	return c, faults
}

// checkLatest demands that a bundle which has members of the latest version declares it.
func (d *decoder) checkLatest(text string, declared int) problem.List {
	if declared >= collectorVersion {
		return nil
	}
	k := &checker{text: text, list: []any{KindEvidence.Collection()}}
	for _, m := range d.latest {
		k.index, k.record = m.index, m.evidence
		k.fail([]any{m.name}, "needs schemaVersion %d, the bundle declares %d", collectorVersion, declared)
	}
	return k.faults.List("")
}

// check returns what is wrong with records that are right each for itself: ids that
// are repeated in a list, ids that name nothing, and confidences that the declared
// version does not allow.
func (b *Bundle) check() problem.List {
	k := &checker{text: b.text}
	claims := k.unique(&b.lists[KindClaim], KindClaim.Collection())
	pieces := k.unique(&b.lists[KindEvidence], KindEvidence.Collection())
	policies := k.unique(&b.lists[KindPolicy], KindPolicy.Collection())
	k.unique(&b.lists[KindEvent], KindEvent.Collection())
	k.unique(&b.lists[KindLink], KindLink.Collection())
	k.unique(&b.lists[KindGroup], KindGroup.Collection())
	for i := range b.requirements {
		k.unique(&b.requirements[i], KindGroup.Collection(), i, "requirements")
	}
	k.unique(&b.lists[KindTrace], KindTrace.Collection())
	k.unique(&b.anchors, "proof", "anchors")

	const claim, piece, policy = "claim", "piece of evidence", "policy"
	for record := range k.each(b, KindClaim) {
		if record.parent != 0 {
			k.resolve(policies, policy, textAt(b.text, record.parent), "verificationPolicyId")
		}
		k.resolveAll(claims, claim, record.named, "derivedFrom")
		if b.version >= calibratedVersion && record.confidence != 0 {
			k.confidence(readConfidence(b.text, record.confidence))
		}
	}
	for record := range k.each(b, KindEvidence) {
		k.resolve(claims, claim, textAt(b.text, record.parent), "claimId")
	}
	for record := range k.each(b, KindEvent) {
		k.resolve(claims, claim, textAt(b.text, record.parent), "claimId")
		k.resolveAll(pieces, piece, record.named, "evidenceIds")
	}
	for record := range k.each(b, KindTrace) {
		k.resolveAll(pieces, piece, record.named, "evidenceIds")
	}
	return k.faults.List("")
}

// checker holds the records of a bundle against each other.
type checker struct {
	text   string
	faults problem.Collector

	searched int // bytes, for the places of faults

	list   []any // the path to the current list
	index  int   // of the current record in it
	record spots // the current record
}

// each goes through the records of a kind, of which each is the current one in turn.
func (k *checker) each(b *Bundle, kind Kind) iter.Seq[*spots] {
	return func(yield func(*spots) bool) {
		k.list = []any{kind.Collection()}
		for i := range b.lists[kind].len() {
			k.index, k.record = i, *b.lists[kind].at(i)
			if !yield(&k.record) {
				return
			}
		}
	}
}

// unique demands that no id occurs twice in the list to which a path leads, and
// returns all ids. Identity links alone may go without one.
func (k *checker) unique(list *spotList, path ...any) *lexicon.Lexicon {
	ids := lexicon.New(list.len(), func(number int) string { return textAt(k.text, list.at(number).id) })
	for i := range list.len() {
		_, isNew := ids.Add(i)
		if id := textAt(k.text, list.at(i).id); !isNew && !(id == "" && path[0] == KindLink.Collection()) {
			k.list, k.index, k.record = path, i, *list.at(i)
			k.fail([]any{"id"}, "must be unique in the list, %q is repeated", id)
		}
	}
	return ids
}

// resolve demands that a member of the record is one of the ids.
func (k *checker) resolve(ids *lexicon.Lexicon, what, id string, member ...any) {
	if _, ok := ids.Find(id); !ok {
		k.fail(member, "must be the id of a %s of this bundle; none has the id %q", what, id)
	}
}

// resolveAll demands that each item of a list of the record is one of the ids.
func (k *checker) resolveAll(ids *lexicon.Lexicon, what string, list spot, member string) {
	for i, id := range listAt(k.text, list).All() {
		k.resolve(ids, what, id, member, i)
	}
}

// confidence demands what bundles promise from version 8 on: a value comes of a
// calibration and lies in the interval, whose bounds are from 0 to 1.
func (k *checker) confidence(c *confidence) {
	const member = "conclusionConfidence"
	if c.value != nil && !c.calibrated {
		k.fail([]any{member, "calibration"}, "missing field: a value needs it from schemaVersion %d on", calibratedVersion)
	}
	if c.interval == nil {
		return
	}
	low, high := c.interval.low, c.interval.high
	for _, bound := range [...]struct {
		name  string
		value float64
	}{{"low", low}, {"high", high}} {
		if !isShare(bound.value) {
			k.fail([]any{member, "interval", bound.name}, "must be a number from 0 to 1 from schemaVersion %d on",
				calibratedVersion)
		}
	}
	switch {
	case low > high:
		k.fail([]any{member, "interval", "high"}, "must not be less than low")
	case c.value != nil && (*c.value < low || *c.value > high):
		k.fail([]any{member, "value"}, "must be in the interval, from low to high")
	}
}

// mostSearched is how many bytes of records are searched for the places of faults.
// Faults that are found later have the place of their record.
const mostSearched = 256 << 20

// fail notes a fault of a value within the record.
func (k *checker) fail(member []any, format string, args ...any) {
	path := "$" + ijson.PathOf(k.list...) + ijson.PathOf(k.index) + ijson.PathOf(member...)
	fault := problem.New(problem.InvalidTrustBundle, path, format, args...)
	fault.Offset = int(k.record.start)
	if k.faults.Len() < problem.DefaultMost && k.searched < mostSearched {
		k.searched += int(k.record.end - k.record.start)
		fault.Offset += max(0, ijson.Locate(k.text[k.record.start:], member...))
	}
	k.faults.Add(fault)
}
