// Package merge makes one trust bundle of several, the same one whatever their
// order.
//
// Records of one kind are united by id and sorted by it. Records under one id that
// are equal as canonical JSON are the same record; the first spelling stays. Of
// records that differ the one stays whose canonical JSON sorts first, and the id is
// a collision. What a collision means is for the caller to decide. So of
//
//	{"schemaVersion": 5, "source": "a", "claims": [{"id": "x", "value": 2}, {"id": "y", "value": 1.0}], ...}
//	{"schemaVersion": 5, "source": "b", "claims": [{"value": 1, "id": "y"}, {"id": "x", "value": 10}], ...}
//
// comes, with the one collision claims x,
//
//	{"schemaVersion": 5, "source": "merged:a+b", "claims": [{"id": "x", "value": 10}, {"id": "y", "value": 1.0}], ...}
//
// Merging takes bundles as they come: records are looked at no further than for
// their ids.
package merge

import (
	"bytes"
	"iter"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/service/record"
)

// Bundles makes one bundle of several, which must have one schemaVersion. Its
// source is theirs, or if they have several "merged:" and all of them, sorted and
// joined by "+". Identity links, which need no ids, are all there, sorted by their
// canonical JSON. Left out are producerId, proof and metadata.
//
// The ids under which the bundles hold different records come by collection and
// then by id. Without a bundle, and with different versions, the error has the code
// INVALID_TRUST_BUNDLE.
func Bundles(bundles ...*bundle.Raw) (*bundle.Raw, []record.RecordID, error) {
	if len(bundles) == 0 {
		return nil, nil, problem.New(problem.InvalidTrustBundle, "$", "no bundle to merge")
	}
	merged := &bundle.Raw{SchemaVersion: bundles[0].SchemaVersion}
	var sources []string
	for _, b := range bundles {
		if b.SchemaVersion != merged.SchemaVersion {
			return nil, nil, problem.New(problem.InvalidTrustBundle, "$.schemaVersion",
				"must be the same in all bundles that are merged, is %s and %s", merged.SchemaVersion, b.SchemaVersion)
		}
		sources = append(sources, b.Source)
	}
	merged.Source = joinSources(sources)
	var collisions []record.RecordID
	for _, kind := range bundle.RawKinds {
		lists := make([][]bundle.Record, len(bundles))
		present := !kind.Optional()
		for i, b := range bundles {
			lists[i] = *b.List(kind)
			present = present || lists[i] != nil
		}
		all, into := slices.Concat(lists...), merged.List(kind)
		switch {
		case kind == bundle.KindLink && len(all) > 0:
			*into = sortLinks(all)
		case kind != bundle.KindLink && present:
			united, differing := Unite(all)
			if *into = united; united == nil {
				*into = []bundle.Record{} // the member is there
			}
			for _, id := range differing {
				collisions = append(collisions, kind.RecordID(id))
			}
		}
	}
	SortIDs(collisions)
	return merged, collisions, nil
}

// SortIDs sorts by collection and then by id.
func SortIDs(list []record.RecordID) {
	slices.SortFunc(list, func(a, b record.RecordID) int {
		if order := strings.Compare(a.Collection, b.Collection); order != 0 {
			return order
		}
		return canonical.CompareText(a.ID, b.ID)
	})
}

func joinSources(sources []string) string {
	slices.SortFunc(sources, canonical.CompareText)
	sources = slices.Compact(sources)
	if len(sources) == 1 {
		return sources[0]
	}
	return "merged:" + strings.Join(sources, "+")
}

// Record is a record, or what was decoded of one.
type Record interface{ Plain() bundle.Record }

// ByID sorts records of one kind by id, in place, and goes through those that share an
// id. What was visited may be overwritten.
func ByID[R Record](all []R) iter.Seq[[]R] {
	slices.SortStableFunc(all, func(a, b R) int { return bundle.CompareIDs(a.Plain(), b.Plain()) })
	return func(yield func([]R) bool) {
		for len(all) > 0 {
			n := 1
			for n < len(all) && all[n].Plain().ID == all[0].Plain().ID {
				n++
			}
			if !yield(all[:n:n]) {
				return
			}
			all = all[n:]
		}
	}
}

// Unite returns records of one kind sorted by id, in place and each id once, and the
// ids under which there are different ones.
func Unite[R Record](all []R) (united []R, differing []string) {
	united = all[:0]
	for group := range ByID(all) {
		kept, same := first(group)
		if united = append(united, kept); !same {
			differing = append(differing, kept.Plain().ID)
		}
	}
	return united, differing
}

// first returns the record whose canonical JSON sorts first, and whether all are the
// same.
func first[R Record](records []R) (kept R, same bool) {
	kept, same = records[0], true
	var text []byte // of kept
	for _, r := range records[1:] {
		if r.Plain().JSON == kept.Plain().JSON {
			continue
		}
		if text == nil {
			text = canonicalText(kept.Plain())
		}
		other := canonicalText(r.Plain())
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

// canonicalText is Canonical for a record that was read from a bundle.
func canonicalText(r bundle.Record) []byte {
	text, err := r.Canonical()
	if err != nil {
		return []byte(r.JSON) // it was not read from a bundle
	}
	return text
}

// sortLinks returns the records by their canonical JSON.
func sortLinks(all []bundle.Record) []bundle.Record {
	type link struct {
		bundle.Record
		canonical string
	}
	links := make([]link, len(all))
	for i, r := range all {
		links[i] = link{r, string(canonicalText(r))}
	}
	slices.SortStableFunc(links, func(a, b link) int { return canonical.CompareText(a.canonical, b.canonical) })
	for i := range links {
		all[i] = links[i].Record
	}
	return all
}
