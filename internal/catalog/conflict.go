package catalog

import (
	"cmp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// Conflict is a set of observations that state different values of one fact
// for the same scope and an overlapping time.
type Conflict struct {
	Key      string // the hash of the scope
	ModelKey string
	JSON     string // canonical JSON of the whole conflict
}

// scoped is a fact with what mostly tells its scope from others.
type scoped struct {
	hash uint64
	*fact
}

// findConflicts groups the facts of one model by scope and returns the
// conflicts.
func findConflicts(facts []scoped) []Conflict {
	slices.SortFunc(facts, compareScopes)
	var conflicts []Conflict
	for len(facts) > 0 {
		n := 1
		for n < len(facts) && compareScopes(facts[0], facts[n]) == 0 {
			n++
		}
		if in := conflicting(facts[:n]); len(in) > 0 {
			conflicts = append(conflicts, newConflict(in))
		}
		facts = facts[n:]
	}
	return conflicts
}

// compareScopes brings facts of one scope together, in an order of no meaning.
// The hash decides nearly always; it changes from run to run, what is equal
// does not.
func compareScopes(a, b scoped) int {
	if a.hash != b.hash {
		return cmp.Compare(a.hash, b.hash)
	}
	return cmp.Or(strings.Compare(a.scope.key, b.scope.key),
		strings.Compare(a.scope.task, b.scope.task),
		strings.Compare(a.scope.execution, b.scope.execution))
}

// interval is the time in which a fact is in force: from its start up to before
// its end.
type interval struct{ start, end string }

// conflicting returns the facts of one scope that are in some conflicting pair:
// two whose values differ, of which each starts before the other ends.
//
// A fact overlaps all others but those that start at its end or later and those
// that end at its start or earlier. It is in a conflict if it overlaps more
// facts than overlap it among those with its own value. Both numbers come from
// sorted starts and ends, so that the whole takes O(n log n). A fact that begins
// at the end of time is never in force: it overlaps nothing and nothing overlaps
// it.
func conflicting(facts []scoped) []scoped {
	if allEqual(facts) {
		return nil
	}
	var all timeline
	byValue := map[string]*timeline{}
	for i := range facts {
		at := facts[i].entry.inForce
		all.add(at)
		same := byValue[facts[i].value]
		if same == nil {
			same = &timeline{}
			byValue[facts[i].value] = same
		}
		same.add(at)
	}
	all.sort()
	for _, t := range byValue {
		t.sort()
	}
	var in []scoped
	for i := range facts {
		at := facts[i].entry.inForce
		if all.overlapping(at) > byValue[facts[i].value].overlapping(at) {
			in = append(in, facts[i])
		}
	}
	return in
}

func allEqual(facts []scoped) bool {
	for i := range facts {
		if facts[i].value != facts[0].value {
			return false
		}
	}
	return true
}

// timeline counts intervals.
type timeline struct{ starts, ends []string }

func (t *timeline) add(at interval) {
	t.starts = append(t.starts, at.start)
	t.ends = append(t.ends, at.end)
}

func (t *timeline) sort() {
	sort.Strings(t.starts)
	sort.Strings(t.ends)
}

// overlapping counts the intervals that share an instant with at.
func (t *timeline) overlapping(at interval) int {
	startBeforeEnd := sort.SearchStrings(t.starts, at.end)
	endByStart := sort.Search(len(t.ends), func(i int) bool { return t.ends[i] > at.start })
	return startBeforeEnd - endByStart
}

// newConflict describes a conflict among the facts, which are of one scope.
func newConflict(facts []scoped) Conflict {
	scope, model := facts[0].scope, facts[0].entry.model
	hashed := `{"execution":` + scope.execution + `,"measurementKey":` + scope.key +
		`,"model":` + model.identity + `,"task":` + scope.task + `}`
	c := Conflict{Key: canonical.Sum([]byte(hashed)), ModelKey: model.key}
	ids := make([]string, len(facts))
	for i := range facts {
		ids[i] = facts[i].entry.id
	}
	sort.Strings(ids)

	e := canonical.Encoder{Verbatim: true} // ids are hexadecimal
	e.Raw(`{"execution":` + scope.execution + `,"key":"` + c.Key + `","measurementKey":` + scope.key +
		`,"modelKey":"` + c.ModelKey + `","observationIds":`)
	e.Texts(ids)
	e.Raw(`,"task":` + scope.task + `,"values":[`)
	for i, v := range distinctValues(facts) {
		if i > 0 {
			e.Raw(`,`)
		}
		e.Raw(v)
	}
	e.Raw(`]}`)
	c.JSON = string(e.Buf)
	return c
}

// distinctValues returns the different values of the facts as canonical JSON:
// booleans, then numbers, then strings, each ascending.
func distinctValues(facts []scoped) []string {
	type value struct {
		json   string
		kind   int
		number float64
		text   string
	}
	values := make([]value, 0, len(facts))
	seen := map[string]bool{}
	for i := range facts {
		json := facts[i].value
		if seen[json] {
			continue
		}
		seen[json] = true
		v := value{json: json}
		switch scalar := ReadScalar(ijson.NewReader(json, problem.InvalidCatalog)); scalar.Kind {
		case 'f':
		case 't':
			v.kind = 1
		case '0':
			v.kind = 2
			v.number = scalar.Float()
		default:
			v.kind = 3
			v.text = scalar.Text
		}
		values = append(values, v)
	}
	slices.SortFunc(values, func(a, b value) int {
		switch {
		case a.kind != b.kind:
			return a.kind - b.kind
		case a.number < b.number:
			return -1
		case a.number > b.number:
			return 1
		}
		return canonical.CompareText(a.text, b.text)
	})
	out := make([]string, len(values))
	for i := range values {
		out[i] = values[i].json
	}
	return out
}

// Float returns the number that the scalar is; zero if it is none.
func (v Scalar) Float() float64 {
	if v.Kind != '0' {
		return 0
	}
	f, _ := strconv.ParseFloat(v.Text, 64) // canonical text always parses
	return f
}
