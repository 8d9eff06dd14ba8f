package verify

import (
	"bytes"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/problem"
)

// Collision is an id under which merged bundles hold different records.
type Collision struct {
	Collection string // the bundle's member, claims for one
	ID         string
}

// MergeBundles makes one bundle of several, which must have one schemaVersion.
// Whatever their order, the result is the same, as are the collisions, which
// come by collection and then by id. What a collision means is for the caller
// to decide: of differing records the one stays whose canonical JSON sorts
// first.
//
// Left out are producerId, proof and metadata. Without a bundle, and with
// different versions, the error has the code INVALID_TRUST_BUNDLE.
func MergeBundles(bundles ...*RawBundle) (*RawBundle, []Collision, error) {
	if len(bundles) == 0 {
		return nil, nil, problem.New(problem.InvalidTrustBundle, "$", "no bundle to merge")
	}
	for _, b := range bundles {
		if b.SchemaVersion != bundles[0].SchemaVersion {
			return nil, nil, problem.New(problem.InvalidTrustBundle, "$.schemaVersion",
				"must be the same in all bundles that are merged, is %s and %s", bundles[0].SchemaVersion, b.SchemaVersion)
		}
	}
	merged := &RawBundle{SchemaVersion: bundles[0].SchemaVersion, Source: mergedSource(bundles)}
	var collisions []Collision
	for i, into := range merged.lists() {
		all, present := gather(bundles, i)
		switch {
		case into.name == inIdentityLinks:
			if len(all) > 0 {
				*into.list = inOrder(all)
			}
		case present || !into.optional:
			var ids []string
			*into.list, ids = unite(all)
			for _, id := range ids {
				collisions = append(collisions, Collision{into.name, id})
			}
		}
	}
	slices.SortFunc(collisions, func(a, b Collision) int {
		if order := strings.Compare(a.Collection, b.Collection); order != 0 {
			return order
		}
		return canonical.CompareText(a.ID, b.ID)
	})
	return merged, collisions, nil
}

// mergedSource names all sources.
func mergedSource(bundles []*RawBundle) string {
	var sources []string
	for _, b := range bundles {
		sources = append(sources, b.Source)
	}
	sources = distinctSorted(sources)
	if len(sources) == 1 {
		return sources[0]
	}
	return "merged:" + strings.Join(sources, "+")
}

// gather returns the records that all bundles hold in one of their lists, and
// whether any of them has it.
func gather(bundles []*RawBundle, list int) (all []Record, present bool) {
	for _, b := range bundles {
		if records := *b.lists()[list].list; records != nil {
			all = append(all, records...)
			present = true
		}
	}
	return all, present
}

// unite returns the records by id, each id once, and the ids of those that
// differ.
func unite(all []Record) (united []Record, differing []string) {
	slices.SortStableFunc(all, compareIDs)
	united = []Record{}
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].ID == all[0].ID {
			n++
		}
		kept, same := first(all[:n])
		if united = append(united, kept); !same {
			differing = append(differing, kept.ID)
		}
		all = all[n:]
	}
	return united, differing
}

// first returns the record whose canonical JSON sorts first, and whether all are
// the same.
func first(records []Record) (kept Record, same bool) {
	kept, same = records[0], true
	var text []byte // of kept
	for _, r := range records[1:] {
		if r.JSON == kept.JSON {
			continue
		}
		if text == nil {
			text = kept.canonical()
		}
		other := r.canonical()
		if bytes.Equal(text, other) {
			continue
		}
		same = false
		if canonical.CompareText(string(other), string(text)) < 0 {
			kept, text = r, other
		}
	}
	return kept, same
}

// canonical is Canonical for a record that was read from a bundle.
func (r Record) canonical() []byte {
	text, err := r.Canonical()
	if err != nil {
		return []byte(r.JSON) // it was not read from a bundle
	}
	return text
}

// inOrder returns the records by their canonical JSON.
func inOrder(all []Record) []Record {
	type told struct {
		record Record
		text   string
	}
	list := make([]told, len(all))
	for i, r := range all {
		list[i] = told{r, string(r.canonical())}
	}
	slices.SortStableFunc(list, func(a, b told) int { return canonical.CompareText(a.text, b.text) })
	for i := range list {
		all[i] = list[i].record
	}
	return all
}
