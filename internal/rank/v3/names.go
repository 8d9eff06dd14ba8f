package v3

import (
	"maps"
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/keys"
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

// modelNames returns the names that a model has.
func modelNames(m record.Model) []Name {
	return []Name{{ModelName, m.ID, m.ID}, {RevisionName, string(m.Revision), m.ID},
		{QuantizationName, string(m.Quantization), m.ID}}
}

// Absent returns those of the names that no observation of the catalog has, each once. Families and
// suites of tasks are left out where no observation is about a task. The closest name is found for
// the first absences.
func (k *Ranker) Absent(names []Name) (list []Absence) {
	const most = 20
	seen, known := map[Name]bool{}, k.known()
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

// knownNames returns the names that the catalog has.
func (k *Ranker) knownNames() *knownNames {
	known := &knownNames{names: map[Name]bool{}}
	ofKeys, families, suites := map[string]bool{}, map[string]bool{}, map[string]bool{}
	models := k.catalog.Models()
	for i := range models {
		known.models = append(known.models, models[i].Identity)
		for _, n := range modelNames(models[i].Identity) {
			known.names[Name{Kind: n.Kind, Text: n.Text}] = true
		}
	}
	for _, m := range k.models {
		for key := range m.Series {
			ofKeys[key.Key] = true
		}
		for i := range m.tasks {
			families[string(m.tasks[i].Family)], suites[string(m.tasks[i].Suite)] = true, true
		}
	}
	for kind, set := range map[NameKind]map[string]bool{KeyName: ofKeys, FamilyName: families, SuiteName: suites} {
		for text := range set {
			known.names[Name{Kind: kind, Text: text}] = true
		}
	}
	known.keys, known.families, known.suites = sorted(ofKeys), sorted(families), sorted(suites)
	return known
}

// sorted returns the names of a set but for that of nothing.
func sorted(set map[string]bool) []string {
	delete(set, "")
	return slices.SortedFunc(maps.Keys(set), canonical.CompareText)
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

// Names returns what the request looks for in a catalog, in its order: see
// [Ranker.Absent].
func (q *Request) Names() []Name {
	list := taskNames(&q.task)
	for i := range q.candidates {
		list = append(list, modelNames(q.candidates[i].Model)...)
	}
	for _, criteria := range q.criteria {
		for i := range criteria {
			list = append(list, criteria[i].names()...)
			for _, term := range criteria[i].sum {
				list = append(list, term.names()...)
			}
		}
	}
	for i := range q.keys {
		s := q.keys[i].Size
		if s == nil || isOfDictionary(&q.keys[i]) {
			continue
		}
		for _, key := range []record.Text{s.Trials, s.StandardError} {
			list = append(list, Name{Kind: KeyName, Text: string(key)})
		}
	}
	return list
}

// isOfDictionary reports whether the entry of a key names the companions that the dictionary
// names that comes with svc. That speaks of all catalogs: what one lacks is not misspelt.
func isOfDictionary(k *record.Key) bool {
	ours := keys.Find(keys.Default(), k.Key)
	return ours != nil && ours.Size != nil && ours.Size.Trials == k.Size.Trials &&
		ours.Size.StandardError == k.Size.StandardError
}

// names are the keys and the task that a measure looks for.
func (m *measure) names() []Name {
	return append(taskNames(&m.task), Name{Kind: KeyName, Text: m.key})
}

func taskNames(t *Task) []Name {
	return []Name{{Kind: FamilyName, Text: string(t.Family)}, {Kind: SuiteName, Text: string(t.Suite)}}
}
