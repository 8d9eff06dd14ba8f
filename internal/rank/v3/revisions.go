package v3

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/quantity"
	"github.com/model-catalog-service/svc/service/record"
)

// This file finds offers for scores that are of another revision of their model. A benchmark scored
// acme/atlas, and one provider sells it as acme/atlas of 2026-03-01, cheaper than all others:
//
//	model                  score  offers
//	acme/atlas             71%    usual, dear
//	acme/atlas 2026-03-01         cheap
//
// The candidate is the dated model at cheap, with the score of the undated one, and the answer says
// so. It goes the other way round, too, but never from one date to another: those are two models.

// others are revisions of a model that have offers, but no score of their own.
type others map[*catalog.ModelEntry][]*catalog.ModelEntry

// findOthers finds, for each model that has a score, its other revisions. One whose score may be
// that of several is none.
func (d *drafter) findOthers() {
	d.others = others{}
	scored := map[*catalog.ModelEntry]bool{}
	for i := range d.criteria {
		if k := d.criteria[i].key; !k.Fact {
			for _, entry := range k.models {
				scored[entry] = true
			}
		}
	}
	type family struct{ id, quantization string }
	families := map[family][]*catalog.ModelEntry{}
	for entry := range scored {
		m := &entry.Identity
		of := family{m.ID, string(m.Quantization)}
		families[of] = append(families[of], entry)
	}
	for i := range d.catalog.Models() {
		entry := &d.catalog.Models()[i]
		m := &entry.Identity
		if scored[entry] {
			continue
		}
		lenders := slices.DeleteFunc(slices.Clone(families[family{m.ID, string(m.Quantization)}]),
			func(lender *catalog.ModelEntry) bool {
				return (lender.Identity.Revision == "") == (m.Revision == "")
			})
		if len(lenders) == 1 {
			d.others[lenders[0]] = append(d.others[lenders[0]], entry)
		}
	}
}

// observations returns those of a model and of its other revisions, each with the model that it is
// of.
func (d *drafter) observations(entry *catalog.ModelEntry) iter.Seq2[*catalog.ModelEntry, catalog.Observation] {
	return func(yield func(*catalog.ModelEntry, catalog.Observation) bool) {
		for _, of := range append([]*catalog.ModelEntry{entry}, d.others[entry]...) {
			for _, o := range of.Observations {
				if !yield(of, o) {
					return
				}
			}
		}
	}
}

// modelsOf returns the models that have a key, be it by an offer of another revision.
func (d *drafter) modelsOf(k *surveyedKey) []*catalog.ModelEntry {
	if !k.isPerRuntime() || len(d.others) == 0 {
		return k.models
	}
	has := map[*catalog.ModelEntry]bool{}
	for _, entry := range k.models {
		has[entry] = true
	}
	list := slices.Clone(k.models)
	for entry, others := range d.others {
		if !has[entry] && slices.ContainsFunc(others, func(other *catalog.ModelEntry) bool { return has[other] }) {
			list = append(list, entry)
		}
	}
	return list
}

// lendsRevisions reports whether a candidate has the score of another revision.
func (d *drafter) lendsRevisions() bool {
	return slices.ContainsFunc(d.candidates, func(c draftCandidate) bool { return c.scored != c.entry })
}

// revisionNote says of which ranked models another revision was measured, "" if of none.
func (s *speaker) revisionNote() string {
	var names []string
	for _, i := range s.ranked {
		for _, k := range s.counted() {
			cell := &s.cellsOf(i, preference)[k]
			name := shortName(s.request.candidates[i].Model.ID)
			if cell.scored && cell.scope.transferred&dimModelRevision != 0 && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if names == nil {
		return ""
	}
	was := " was"
	if len(names) > 1 {
		was = " were"
	}
	if more := len(names) - namedOmissions; more > 0 {
		names = append(names[:namedOmissions], quantity.Number(float64(more))+" more")
	}
	return listed(names) + was + " measured as another revision of the model, which may be other weights."
}

// place is where a revision of a model runs.
type place struct {
	entry   *catalog.ModelEntry
	runtime string // "" for facts that are true everywhere
}

// places are what facts say of a model and of its other revisions where they run.
type places map[place]offer

// add adds a fact.
func (p places) add(at place, m *record.Measurement) {
	if p[at] == nil {
		p[at] = offer{}
	}
	p[at][m.Key] = append(p[at][m.Key], m.Value)
}

// sorted returns the places in the order of their runtimes and revisions.
func (p places) sorted() []place {
	return slices.SortedFunc(maps.Keys(p), func(a, b place) int {
		return cmp.Or(strings.Compare(a.runtime, b.runtime), strings.Compare(string(a.entry.Identity.Revision),
			string(b.entry.Identity.Revision)))
	})
}
