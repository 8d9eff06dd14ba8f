package verify

import (
	"slices"
	"strconv"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// checker holds the records of a bundle against each other.
type checker struct {
	text   string
	list   string // path of the current list
	index  int    // of the current record in it
	record *placed
	faults problem.List
}

// check returns what is wrong with records that are right each for itself: ids
// that are repeated in a list, and ids that name nothing.
func (c *content) check(text string) problem.List {
	k := &checker{text: text}
	claims := unique(k, c.claims, "$."+inClaims, func(c *claim) *placed { return &c.placed })
	pieces := unique(k, c.evidence, "$."+inEvidence, func(e *evidence) *placed { return &e.placed })
	policies := unique(k, c.policies, "$."+inPolicies, func(p *policy) *placed { return &p.placed })
	unique(k, c.events, "$."+inEvents, func(e *event) *placed { return &e.placed })
	unique(k, c.links, "$."+inIdentityLinks, itself)
	unique(k, c.groups, "$."+inClaimGroups, func(g *claimGroup) *placed { return &g.placed })
	for i := range c.groups {
		unique(k, c.groups[i].requirements, "$."+inClaimGroups+"["+strconv.Itoa(i)+"].requirements", itself)
	}
	unique(k, c.traces, "$."+inAuthorityTrace, func(t *trace) *placed { return &t.placed })
	unique(k, c.anchors, "$.proof.anchors", itself)

	for i := range c.claims {
		at := &c.claims[i]
		k.inside(inClaims, i, &at.placed)
		if at.policyID != nil {
			k.resolve(policies, *at.policyID, "policy", "verificationPolicyId")
		}
		k.resolveAll(claims, at.derivedFrom, "claim", "derivedFrom")
	}
	for i := range c.evidence {
		k.inside(inEvidence, i, &c.evidence[i].placed)
		k.resolve(claims, c.evidence[i].claimID, "claim", "claimId")
	}
	for i := range c.events {
		k.inside(inEvents, i, &c.events[i].placed)
		k.resolve(claims, c.events[i].claimID, "claim", "claimId")
		k.resolveAll(pieces, c.events[i].evidenceIDs, "piece of evidence", "evidenceIds")
	}
	for i := range c.traces {
		k.inside(inAuthorityTrace, i, &c.traces[i].placed)
		k.resolveAll(pieces, c.traces[i].evidenceIDs, "piece of evidence", "evidenceIds")
	}
	return k.faults
}

func itself(p *placed) *placed { return p }

// unique demands that no id occurs twice in the list at the path and returns
// all ids. Identity links alone may go without one.
func unique[T any](k *checker, list []T, path string, record func(*T) *placed) map[string]bool {
	ids := make(map[string]bool, len(list))
	for i := range list {
		r := record(&list[i])
		if ids[r.ID] && !(r.ID == "" && path == "$."+inIdentityLinks) {
			k.list, k.index, k.record = path, i, r
			k.fail([]any{"id"}, "must be unique in the list, %q is repeated", r.ID)
		}
		ids[r.ID] = true
	}
	return ids
}

// inside goes to a record.
func (k *checker) inside(collection string, i int, r *placed) {
	k.list, k.index, k.record = "$."+collection, i, r
}

// resolve demands that a member of the current record is one of the ids.
func (k *checker) resolve(ids map[string]bool, id, what, member string) {
	if !ids[id] {
		k.fail([]any{member}, unresolved, what, id)
	}
}

func (k *checker) resolveAll(ids map[string]bool, list []string, what, member string) {
	for i, id := range list {
		if !ids[id] {
			k.fail([]any{member, i}, unresolved, what, id)
		}
	}
}

const unresolved = "must be the id of a %s of this bundle, %q is none"

// fail notes a fault of what a path leads to within the current record.
func (k *checker) fail(steps []any, format string, args ...any) {
	path := k.list + "[" + strconv.Itoa(k.index) + "]"
	for _, step := range steps {
		if i, ok := step.(int); ok {
			path += "[" + strconv.Itoa(i) + "]"
		} else {
			path += "." + step.(string)
		}
	}
	e := problem.New(problem.InvalidTrustBundle, path, format, args...)
	if e.Offset = k.record.at; len(k.faults) < maxLocated {
		e.Offset += max(0, locate(k.text[k.record.at:], steps))
	}
	k.faults = append(k.faults, e)
}

// maxLocated is how many problems of a kind are told with the place of the very
// value. To look for it takes time in proportion to the record, so that others
// are told with the place of that.
const maxLocated = 1000

// locate returns the offset in a JSON text of the value that a path of member
// names and positions leads to, or problem.NoOffset. Offsets are looked for
// only where a message needs them, so that records need not keep theirs.
func locate(text string, path []any) int {
	r := ijson.NewPartReader(problem.InvalidTrustBundle)
	r.Reset(text[:ijson.SpanEnd(text, 0)])
	for _, step := range path {
		found := false
		switch step := step.(type) {
		case string:
			for o := r.Object(ijson.NewOpenFields(step + "?")); !found && o.Next(); {
				found = true
			}
		case int:
			for l := r.List(); !found && l.Next(); {
				if found = l.Index() == step; !found {
					r.Skip()
				}
			}
		}
		if !found {
			return problem.NoOffset
		}
	}
	return r.Offset()
}

// distinct returns the refs that are not empty, each once.
func distinct(refs ...string) []string {
	list := refs[:0]
	for _, ref := range refs {
		if ref != "" && !slices.Contains(list, ref) {
			list = append(list, ref)
		}
	}
	return list
}

// distinctSorted returns the ids in order, each once.
func distinctSorted(ids []string) []string {
	list := slices.Clone(ids)
	slices.SortFunc(list, canonical.CompareText)
	return slices.Compact(list)
}
