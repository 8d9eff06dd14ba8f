package bundle

import (
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// The versions of the schema that demand something of bundles that declare them.
const (
	calibratedVersion = 8 // a value of confidence needs a calibration
	collectorVersion  = 9 // evidence may have collectedByKind and inconclusive
)

// decodeContent reads a bundle by a shape, and checks that its evidence has no members
// that are newer than the version that it declares.
func decodeContent(text string, around int, strict bool, shape *ijson.Shape[*decoder, Content]) (*Content, problem.List) {
	c, faults := decode(text, around, strict, shape)
	if faults != nil || c.SchemaVersion >= collectorVersion {
		return c, faults
	}
	k := &checker{text: text, list: []any{KindEvidence.Collection()}}
	for i, e := range c.Evidence {
		if e.latest != "" {
			k.index, k.record = i, &e.Entry
			k.fail([]any{e.latest}, "needs schemaVersion %d, the bundle declares %d", collectorVersion, c.SchemaVersion)
		}
	}
	return c, k.faults.List("")
}

// check returns what is wrong with records that are right each for itself: ids that
// are repeated in a list, ids that name nothing, and confidences that the declared
// version does not allow.
func (c *Content) check(text string) problem.List {
	k := &checker{text: text}
	inClaims, inEvidence := []any{KindClaim.Collection()}, []any{KindEvidence.Collection()}
	inEvents, inTraces := []any{KindEvent.Collection()}, []any{KindTrace.Collection()}
	claims := unique(k, c.Claims, inClaims...)
	pieces := unique(k, c.Evidence, inEvidence...)
	policies := unique(k, c.Policies, KindPolicy.Collection())
	unique(k, c.Events, inEvents...)
	unique(k, c.links, KindLink.Collection())
	unique(k, c.groups, KindGroup.Collection())
	for i, g := range c.groups {
		unique(k, g.requirements, KindGroup.Collection(), i, "requirements")
	}
	unique(k, c.Traces, inTraces...)
	unique(k, c.anchors, "proof", "anchors")

	const claim, piece, policy = "claim", "piece of evidence", "policy"
	for i, record := range c.Claims {
		k.list, k.index, k.record = inClaims, i, &record.Entry
		if record.PolicyID != nil {
			k.resolve(policies, policy, *record.PolicyID, "verificationPolicyId")
		}
		k.resolveAll(claims, claim, record.DerivedFrom, "derivedFrom")
		if c.SchemaVersion >= calibratedVersion && record.confidence != nil {
			k.confidence(record.confidence)
		}
	}
	for i, record := range c.Evidence {
		k.list, k.index, k.record = inEvidence, i, &record.Entry
		k.resolve(claims, claim, record.ClaimID, "claimId")
	}
	for i, record := range c.Events {
		k.list, k.index, k.record = inEvents, i, &record.Entry
		k.resolve(claims, claim, record.ClaimID, "claimId")
		k.resolveAll(pieces, piece, record.EvidenceIDs, "evidenceIds")
	}
	for i, record := range c.Traces {
		k.list, k.index, k.record = inTraces, i, &record.Entry
		k.resolveAll(pieces, piece, record.EvidenceIDs, "evidenceIds")
	}
	return k.faults.List("")
}

// checker holds the records of a bundle against each other.
type checker struct {
	text   string
	faults problem.Collector

	searched int // bytes, for the places of faults

	list   []any  // the path to the current list
	index  int    // of the current record in it
	record *Entry // the current record
}

// unique demands that no id occurs twice in the list to which a path leads, and
// returns all ids. Identity links alone may go without one.
func unique[E entry](k *checker, list []E, path ...any) map[string]bool {
	ids := make(map[string]bool, len(list))
	for i, record := range list {
		id := record.base().ID
		if ids[id] && !(id == "" && path[0] == KindLink.Collection()) {
			k.list, k.index, k.record = path, i, record.base()
			k.fail([]any{"id"}, "must be unique in the list, %q is repeated", id)
		}
		ids[id] = true
	}
	return ids
}

// resolve demands that a member of the record is one of the ids.
func (k *checker) resolve(ids map[string]bool, what, id string, member ...any) {
	if !ids[id] {
		k.fail(member, "must be the id of a %s of this bundle, %q is none", what, id)
	}
}

// resolveAll demands that each item of a member is one of the ids.
func (k *checker) resolveAll(ids map[string]bool, what string, list ijson.TextList, member string) {
	for i, id := range list.All() {
		k.resolve(ids, what, id, member, i)
	}
}

// confidence demands what bundles promise from version 8 on: a value comes of a
// calibration and lies in the interval, whose bounds are from 0 to 1.
func (k *checker) confidence(c *confidence) {
	const member = "conclusionConfidence"
	if c.value != nil && !c.calibrated {
		k.fail([]any{member, "calibration"}, "missing member: a value needs it from schemaVersion %d on", calibratedVersion)
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
			k.fail([]any{member, "interval", bound.name}, "must be a number from 0 to 1 from schemaVersion %d on", calibratedVersion)
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
// Those that are found later are told with the place of their record.
const mostSearched = 256 << 20

// fail notes a fault of a value within the record.
func (k *checker) fail(member []any, format string, args ...any) {
	path := "$" + ijson.PathOf(k.list...) + ijson.PathOf(k.index) + ijson.PathOf(member...)
	fault := problem.New(problem.InvalidTrustBundle, path, format, args...)
	fault.Offset = k.record.Offset
	if k.faults.Len() < problem.DefaultMost && k.searched < mostSearched {
		k.searched += len(k.record.JSON)
		fault.Offset += max(0, ijson.Locate(k.text[k.record.Offset:], member...))
	}
	k.faults.Add(fault)
}
