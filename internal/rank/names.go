package rank

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/spelling"
	"github.com/model-catalog-service/svc/service/record"
)

// This file finds what a request asks a catalog for that the catalog does not know at
// all, which is a slip of the hand more often than not. It changes no result.

// NameKind says what a name is the name of.
type NameKind string

// The kinds of names that a request looks for.
const (
	KeyName          NameKind = "key" // of a measurement
	ModelName        NameKind = "model"
	RevisionName     NameKind = "revision"
	QuantizationName NameKind = "quantization"
	FamilyName       NameKind = "family" // of a task
	SuiteName        NameKind = "suite"  // of a task
)

// Name is a name that a request looks for in a catalog.
type Name struct {
	Kind  NameKind
	Text  string // "" for none
	Model string // whose revision or quantization it is
}

// Absence is a name that does not occur in a catalog.
type Absence struct {
	Name
	Closest string // the closest name of its kind that does occur, "" if none is close
}

// String says so in a sentence:
//
//	no observation has the key limits.contxt; did you mean limits.context?
func (a *Absence) String() string {
	who := map[NameKind]string{
		KeyName: "no observation has", ModelName: "no observation is about",
		RevisionName: "no model has", QuantizationName: "no model has",
		FamilyName: "no task has", SuiteName: "no task has",
	}
	text := who[a.Kind] + " the " + string(a.Kind) + " " + a.Text
	if a.Closest != "" {
		text += "; did you mean " + a.Closest + "?"
	}
	return text
}

// ModelNames returns the names that a model has.
func ModelNames(m record.Model) []Name {
	return []Name{{ModelName, m.ID, m.ID}, {RevisionName, string(m.Revision), m.ID},
		{QuantizationName, string(m.Quantization), m.ID}}
}

// Vocabulary is the names that occur in the observations of a catalog. It reads them once,
// when it is asked a second time, for many names, or for one that does not occur: the names
// of a single request are found in a third of the time as the texts that observations are.
// It is safe for concurrent use.
type Vocabulary struct {
	catalog *catalog.Catalog
	asked   atomic.Bool
	names   func() *knownNames
}

// NewVocabulary returns the vocabulary of a catalog.
func NewVocabulary(c *catalog.Catalog) *Vocabulary {
	return &Vocabulary{catalog: c, names: sync.OnceValue(func() *knownNames { return readNames(c) })}
}

// Absent returns those of the names that occur in no observation, each once. Families and
// suites of tasks are left out where no observation is about a task. The closest name is
// found for the first absences.
func (v *Vocabulary) Absent(names []Name) (list []Absence) {
	const few, most = 16, 20
	if !v.asked.Swap(true) && len(names) <= few && !slices.ContainsFunc(names,
		func(n Name) bool { return n.Text != "" && !v.occurs(n) }) {
		return nil
	}
	seen, known := map[Name]bool{}, v.names()
	for _, n := range names {
		once := Name{Kind: n.Kind, Text: n.Text}
		if n.Text == "" || seen[once] || known.names[once] {
			continue
		}
		seen[once] = true
		if isOfTask := n.Kind == FamilyName || n.Kind == SuiteName; isOfTask && len(known.families) == 0 {
			continue // observations without a task speak of every task
		}
		absence := Absence{Name: n}
		if len(list) < most {
			absence.Closest = known.closest(n)
		}
		list = append(list, absence)
	}
	return list
}

// occurs reports whether an observation of the catalog has a name. Canonical JSON has no white
// space between names and values, and in a text each quotation mark is escaped, so that
// "key":"price.input" is where a measurement has that key and nowhere else.
func (v *Vocabulary) occurs(n Name) bool {
	models := v.catalog.Models()
	member := `"` + string(n.Kind) + `":` + canonical.Quote(n.Text)
	for i := range models {
		switch n.Kind {
		case ModelName, RevisionName, QuantizationName:
			if nameOf(n.Kind, models[i].Identity) == n.Text {
				return true
			}
			continue
		}
		for _, o := range models[i].Observations {
			if strings.Contains(o.JSON(), member) {
				return true
			}
		}
	}
	return false
}

// nameOf returns a name that a model has.
func nameOf(kind NameKind, m record.Model) string {
	switch kind {
	case RevisionName:
		return string(m.Revision)
	case QuantizationName:
		return string(m.Quantization)
	}
	return m.ID
}

// knownNames are the names that occur in a catalog.
type knownNames struct {
	names                  map[Name]bool // without Model
	models                 []record.Model
	keys, families, suites []string // sorted
}

func readNames(c *catalog.Catalog) *knownNames {
	k := &knownNames{names: map[Name]bool{}}
	keys, families, suites := map[string]bool{}, map[string]bool{}, map[string]bool{}
	reader := catalog.NewRecordReader()
	models := c.Models()
	for i := range models {
		k.models = append(k.models, models[i].Identity)
		for _, n := range ModelNames(models[i].Identity) {
			k.names[Name{Kind: n.Kind, Text: n.Text}] = true
		}
		for _, o := range models[i].Observations {
			rec := reader.Read(o)
			families[rec.Task.Family], suites[string(rec.Task.Suite)] = true, true
			for _, m := range rec.Measurements {
				keys[m.Key] = true
			}
		}
	}
	for kind, set := range map[NameKind]map[string]bool{KeyName: keys, FamilyName: families, SuiteName: suites} {
		for text := range set {
			k.names[Name{Kind: kind, Text: text}] = true
		}
	}
	k.keys, k.families, k.suites = sorted(keys), sorted(families), sorted(suites)
	return k
}

func sorted(set map[string]bool) (list []string) {
	for name := range set {
		if name != "" {
			list = append(list, name)
		}
	}
	slices.SortFunc(list, canonical.CompareText)
	return list
}

// closest returns the name that is closest to one that does not occur. Revisions and
// quantizations of the same model come before those of others.
func (k *knownNames) closest(n Name) string {
	switch n.Kind {
	case KeyName:
		return spelling.Closest(n.Text, k.keys)
	case FamilyName:
		return spelling.Closest(n.Text, k.families)
	case SuiteName:
		return spelling.Closest(n.Text, k.suites)
	}
	var own, all []string
	for _, m := range k.models {
		name := nameOf(n.Kind, m)
		if name == "" {
			continue
		}
		all = append(all, name)
		if m.ID == n.Model {
			own = append(own, name)
		}
	}
	if closest := spelling.Closest(n.Text, own); closest != "" {
		return closest
	}
	return spelling.Closest(n.Text, all)
}
