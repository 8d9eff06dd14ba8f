package contents

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/spelling"
)

// This file knows what people mean by a name: a model, an observation, a key, a source.

// AbsentError reports a name that a catalog does not have.
type AbsentError struct {
	What    string   // what the catalog lacks, with the name
	Similar []string // names that it has and that may be meant
}

func (e *AbsentError) Error() string {
	if question := spelling.Question(e.Similar); question != "" {
		return e.What + "; " + question
	}
	return e.What
}

// AmbiguousError reports the beginning of several names.
type AmbiguousError struct {
	Name  string
	Names []string // a few of them
	Count int
}

func (e *AmbiguousError) Error() string {
	more := ""
	if n := e.Count - len(e.Names); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("%q is the beginning of %d names: %s%s", e.Name, e.Count, strings.Join(e.Names, ", "), more)
}

// Found is what a name means: models or one observation.
type Found struct {
	Models      []*catalog.ModelEntry // by key
	Observation *catalog.Observation  // nil if models are meant
}

// Find returns what a name means, the first of these that is found:
//
//	acme/atlas            every model with this id
//	acme/atlas@2026 int8  the model with this revision and quantization
//	955f7cf9              the one observation or model whose id or key begins so
//	atlas                 every model with the one id that ends in /atlas
//	acme/at               every model with the one id that begins so
//
// The error is an *[AbsentError] or, of a beginning, an *[AmbiguousError].
func Find(c *catalog.Catalog, name string) (Found, error) {
	entries := c.Models()
	choose := func(fits func(*catalog.ModelEntry) bool) (list []*catalog.ModelEntry) {
		for i := range entries {
			if fits(&entries[i]) {
				list = append(list, &entries[i])
			}
		}
		return list
	}
	if models := choose(func(m *catalog.ModelEntry) bool { return m.Identity.ID == name }); models != nil {
		return Found{Models: models}, nil
	}
	if models := choose(func(m *catalog.ModelEntry) bool { return m.Identity.Name() == name }); models != nil {
		return Found{Models: models}, nil
	}
	if found, err := findHash(entries, name); err != nil || found.Models != nil || found.Observation != nil {
		return found, err
	}
	byEnd := choose(func(m *catalog.ModelEntry) bool { return name != "" && strings.HasSuffix(m.Identity.ID, "/"+name) })
	if len(modelIDs(byEnd)) == 1 {
		return Found{Models: byEnd}, nil
	}
	models := choose(func(m *catalog.ModelEntry) bool { return name != "" && strings.HasPrefix(m.Identity.ID, name) })
	ids := modelIDs(models)
	if len(ids) > 1 {
		return Found{}, ambiguous(name, ids)
	}
	if len(ids) == 1 {
		return Found{Models: models}, nil
	}
	all := choose(func(*catalog.ModelEntry) bool { return true })
	return Found{}, &AbsentError{fmt.Sprintf("the catalog has no model %q", name), spelling.Similar(name, knownIDs(all))}
}

// findHash finds an observation by its id or a model by its key, of which a unique
// beginning will do.
func findHash(entries []catalog.ModelEntry, name string) (found Found, err error) {
	const whole = 64
	if name == "" || len(name) > whole || strings.Trim(name, "0123456789abcdef") != "" {
		return found, nil
	}
	var names []string
	for i := range entries {
		m := &entries[i]
		if strings.HasPrefix(m.Key, name) {
			names = append(names, m.Key)
			found = Found{Models: []*catalog.ModelEntry{m}}
		}
		// Observations are by id, so those that begin alike follow each other.
		first, _ := slices.BinarySearchFunc(m.Observations, name, func(o catalog.Observation,
			id string) int {
			return strings.Compare(o.ID(), id)
		})
		for n := first; n < len(m.Observations) && strings.HasPrefix(m.Observations[n].ID(), name); n++ {
			names = append(names, m.Observations[n].ID())
			found = Found{Observation: &m.Observations[n]}
		}
	}
	if len(names) > 1 {
		return Found{}, ambiguous(name, names)
	}
	return found, nil
}

// ambiguous lists names that begin alike, cut where a few letters tell them apart.
func ambiguous(name string, names []string) error {
	const few, more = 8, 12
	slices.SortFunc(names, canonical.CompareText)
	e := &AmbiguousError{Name: name, Count: len(names)}
	for _, n := range names[:min(len(names), few)] {
		if strings.Trim(n, "0123456789abcdef") == "" {
			n = n[:min(len(n), len(name)+more)]
		}
		e.Names = append(e.Names, n)
	}
	return e
}

// closest is the name that is closest to a word, in a list; nothing if none is close.
func closest(word string, names []string) []string {
	if name := spelling.Closest(word, names); name != "" {
		return []string{name}
	}
	return nil
}

// knownIDs are the ids of models, those of which most is known first, so that of ids that
// are equally like a name the more likely ones are offered.
func knownIDs(models []*catalog.ModelEntry) (ids []string) {
	slices.SortFunc(models, func(a, b *catalog.ModelEntry) int {
		return cmp.Or(len(b.Observations)-len(a.Observations), canonical.CompareText(a.Identity.ID, b.Identity.ID))
	})
	seen := map[string]bool{}
	for _, m := range models {
		if !seen[m.Identity.ID] {
			seen[m.Identity.ID] = true
			ids = append(ids, m.Identity.ID)
		}
	}
	return ids
}

func modelIDs(models []*catalog.ModelEntry) (ids []string) {
	for _, m := range models {
		ids = append(ids, m.Identity.ID)
	}
	slices.SortFunc(ids, canonical.CompareText)
	return slices.Compact(ids)
}

// findAbsent finds a name of the options that nothing in the catalog has, now that
// nothing was found.
func (l *listing) findAbsent() error {
	opts := l.opts
	if opts.Model != "" && len(l.entries) == 0 {
		var ids []string
		for i := range l.catalog.Models() {
			ids = append(ids, l.catalog.Models()[i].Identity.ID)
		}
		slices.SortFunc(ids, canonical.CompareText)
		return &AbsentError{fmt.Sprintf("no model has an id with %q in it", opts.Model), closest(opts.Model, withParts(ids))}
	}
	if opts.Key == "" && opts.Source == "" {
		return nil
	}
	keys, sources := l.names()
	if opts.Key != "" && !slices.ContainsFunc(keys, func(key string) bool { return containsFold(key, opts.Key) }) {
		return &AbsentError{fmt.Sprintf("no measurement has a key with %q in it", opts.Key),
			closest(opts.Key, withParts(keys))}
	}
	if opts.Source != "" && !slices.Contains(sources, opts.Source) {
		return &AbsentError{fmt.Sprintf("nothing comes from a source %q", opts.Source), closest(opts.Source, sources)}
	}
	return nil
}

// withParts adds the parts that names are made of to them.
func withParts(names []string) []string {
	list := slices.Clone(names)
	for _, name := range names {
		list = append(list, strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("/.-_:@ ", r) })...)
	}
	return list
}

// names returns the keys and sources of the whole catalog, sorted.
func (l *listing) names() (keys, sources []string) {
	knownKeys, knownSources := map[string]bool{}, map[string]bool{}
	whole := newListing(l.catalog, Options{AsOf: l.opts.AsOf})
	for s := range whole.each(whole.entries, func(*selection) {}) {
		for n := range s.chosen {
			knownKeys[s.chosen[n].key()] = true
		}
		if l.opts.Source == "" {
			continue
		}
		for n := range s.view.Observations {
			knownSources[s.view.Observations[n].SourceClass] = true
			for _, name := range s.sourcesOf(n) {
				knownSources[name] = true
			}
		}
	}
	for _, known := range []struct {
		set  map[string]bool
		list *[]string
	}{{knownKeys, &keys}, {knownSources, &sources}} {
		for name := range known.set {
			*known.list = append(*known.list, name)
		}
		slices.SortFunc(*known.list, canonical.CompareText)
	}
	return keys, sources
}

// FindModels is [Find] where an observation is not meant.
func FindModels(c *catalog.Catalog, name string) ([]*catalog.ModelEntry, error) {
	found, err := Find(c, name)
	if err == nil && found.Observation != nil {
		err = &AbsentError{What: fmt.Sprintf("%q is an observation, not a model", name)}
	}
	return found.Models, err
}
