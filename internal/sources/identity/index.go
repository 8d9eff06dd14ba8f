package identity

import (
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/sources/resolver"
	"github.com/model-catalog-service/svc/service/record"
)

// index finds the entries of a crosswalk by what the rules read of their names. Each question
// is answered once: a list of ten thousand rows may have one name for all, and so may a crosswalk.
type index struct {
	*Crosswalk
	names, weights map[string][]known // by the name of the model, without its maker
	found          map[question]*match
}

// question is what is asked of an index.
type question struct {
	rule, name string
	trust      int
	model      record.Model
	kind       resolver.Kind
}

// known is a name of an entry, as the rules read it.
type known struct {
	*entry
	resolver.Identity
	undated bool // the entry has a name without a revision, too
}

func newIndex(c *Crosswalk, r *resolver.Resolver) *index {
	x := &index{c, map[string][]known{}, map[string][]known{}, map[question]*match{}}
	for i := range c.entries {
		e := &c.entries[i]
		read := func(name string) known { return known{e, r.Resolve(resolver.Name{Seller: e.seller, ID: name}), false} }
		first := len(e.names) > 0 && read(e.names[0]).Model.Revision == ""
		for _, name := range e.names {
			k := read(name)
			k.undated = first
			x.names[k.Name] = append(x.names[k.Name], k)
		}
		if e.weights != "" {
			k := read(e.weights)
			k.undated = first
			x.weights[k.Name] = append(x.weights[k.Name], k)
		}
	}
	return x
}

// model returns the id of the model that a name stands for.
func (k *known) model() string {
	switch {
	case k.entry.model != "":
		return k.entry.model
	case k.Model.ID != "":
		return k.Model.ID
	}
	return k.entry.id
}

// match is what an index finds for a name.
type match struct {
	models   []string // sorted, each once
	revision string   // "" where the name without one stands for it
	entry    string   // the first of their ids
	rule     string
	reasons  bool // some of them reason
}

// ask returns which names of an index, of the entries or of their weights, are the model that
// the rules read, if the crosswalk is sure enough of them.
func (x *index) ask(rule string, trust int, read *resolver.Identity) *match {
	q := question{rule, read.Name, trust, read.Model, read.Kind}
	if x.found[q] == nil {
		list := x.names[read.Name]
		if rule == RuleHuggingFace {
			list = x.weights[read.Name]
		}
		x.found[q] = find(list, rule, trust, read)
	}
	return x.found[q]
}

// find returns which names are the model that the rules read: with the revision that the name
// tells, or without any.
func find(list []known, rule string, trust int, read *resolver.Identity) *match {
	revision := string(read.Model.Revision)
	found := &match{rule: rule, revision: revision}
	var exact, undated []*known
	isUndated, isOnly := false, true // the model has a name without revision; it has no other revision
	for i := range list {
		k := &list[i]
		if k.Kind != read.Kind || !sameMaker(&k.Identity, read) {
			continue
		}
		found.reasons = found.reasons || k.reasons
		own := string(k.Model.Revision)
		same := own == revision || own != "" && revision != "" && sameRevision(own, revision)
		isUndated, isOnly = isUndated || own == "", isOnly && (same || own == "")
		if k.trust > trust {
			continue
		}
		if same {
			exact = append(exact, k)
			if k.undated {
				found.revision = "" // the entry says of its name without revision that it is this one
			}
		} else if own == "" {
			undated = append(undated, k)
		}
	}
	if isUndated && isOnly && hasYear(revision) {
		found.revision = ""
	}
	if len(exact) == 0 && revision != "" {
		exact, found.rule = undated, RuleDate
	}
	for _, k := range mostTrusted(exact) {
		found.models = append(found.models, k.model())
		if found.entry == "" || k.id < found.entry {
			found.entry = k.id
		}
	}
	slices.Sort(found.models)
	found.models = slices.Compact(found.models)
	return found
}

// mostTrusted returns those names of which the crosswalk is surest.
func mostTrusted(list []*known) (best []*known) {
	for _, k := range list {
		switch {
		case len(best) == 0 || k.trust < best[0].trust:
			best = []*known{k}
		case k.trust == best[0].trust:
			best = append(best, k)
		}
	}
	return best
}

// sameMaker reports whether two names tell one maker, or one of them tells none.
func sameMaker(a, b *resolver.Identity) bool {
	first, _, _ := strings.Cut(a.Model.ID, "/")
	second, _, _ := strings.Cut(b.Model.ID, "/")
	return first == "" || second == "" || first == second
}

// sameRevision reports whether two revisions are one, with the year or without: 2025-07-11,
// 20250711 and 0711.
func sameRevision(a, b string) bool {
	a, b = strings.ReplaceAll(a, "-", ""), strings.ReplaceAll(b, "-", "")
	const day = 4 // digits
	return len(a) >= day && len(b) >= day && (strings.HasSuffix(a, b) || strings.HasSuffix(b, a))
}

// hasYear reports whether a revision is a date with its year. So makers mark the one state that a
// model has, where 0324 is another one than that before it.
func hasYear(revision string) bool {
	const month = 6 // digits
	return len(strings.ReplaceAll(revision, "-", "")) >= month
}
