package catalog

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

// Conflict is a set of observations that state different values of one fact
// for the same scope and an overlapping time. Of these four the first three make
// one, as the third overlaps both others; the fourth starts when all are over:
//
//	8192  |------------|
//	8192               |------|
//	4096        |----------|
//	4096                       |------|
type Conflict struct {
	Key      string // the hash of the scope
	ModelKey string
	JSON     string // canonical JSON of the whole conflict
}

// Record returns the fields of the conflict.
func (c *Conflict) Record() (rec record.Conflict) {
	ijson.ReadTagged(ijson.NewReader(c.JSON, problem.InvalidCatalog), &rec)
	return rec
}

// hashedFact is a fact with a hash by which its scope mostly differs from others.
type hashedFact struct {
	hash uint64
	*fact
}

// findConflicts groups the facts of one model by scope and returns the
// conflicts.
func findConflicts(facts []hashedFact) []Conflict {
	slices.SortFunc(facts, compareScopes)
	var conflicts []Conflict
	for len(facts) > 0 {
		n := 1
		for n < len(facts) && compareScopes(facts[0], facts[n]) == 0 {
			n++
		}
		if group := selectConflicting(facts[:n]); len(group) > 0 {
			conflicts = append(conflicts, newConflict(group))
		}
		facts = facts[n:]
	}
	return conflicts
}

// compareScopes brings facts of one scope together, in an order of no meaning.
// The hash decides nearly always; it changes from run to run, what is equal
// does not.
func compareScopes(a, b hashedFact) int {
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

// selectConflicting returns those of the facts of one scope that are in some
// conflicting pair: two whose values differ, of which each starts before the other
// ends.
//
// A fact overlaps all others but those that start at its end or later and those
// that end at its start or earlier. It is in a conflict if it overlaps more
// facts than overlap it among those with its own value. Both numbers come from
// sorted starts and ends, so that the whole takes O(n log n). A fact that begins
// at the end of time is never in force: it overlaps nothing and nothing overlaps
// it.
func selectConflicting(facts []hashedFact) []hashedFact {
	if !slices.ContainsFunc(facts, func(f hashedFact) bool { return f.value != facts[0].value }) {
		return nil
	}
	var all timeline
	byValue := map[string]*timeline{}
	for i := range facts {
		time := facts[i].entry.inForce
		all.add(time)
		same := byValue[facts[i].value]
		if same == nil {
			same = &timeline{}
			byValue[facts[i].value] = same
		}
		same.add(time)
	}
	all.sort()
	for _, same := range byValue {
		same.sort()
	}
	var conflicting []hashedFact
	for i := range facts {
		time := facts[i].entry.inForce
		if all.countOverlapping(time) > byValue[facts[i].value].countOverlapping(time) {
			conflicting = append(conflicting, facts[i])
		}
	}
	return conflicting
}

// timeline counts intervals.
type timeline struct{ starts, ends []string }

func (t *timeline) add(time interval) {
	t.starts = append(t.starts, time.start)
	t.ends = append(t.ends, time.end)
}

func (t *timeline) sort() {
	sort.Strings(t.starts)
	sort.Strings(t.ends)
}

// countOverlapping counts the intervals that share an instant with another.
func (t *timeline) countOverlapping(time interval) int {
	startBeforeEnd := sort.SearchStrings(t.starts, time.end)
	endByStart := sort.Search(len(t.ends), func(i int) bool { return t.ends[i] > time.start })
	return startBeforeEnd - endByStart
}

// newConflict describes a conflict among the facts, which are of one scope.
func newConflict(facts []hashedFact) Conflict {
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
	e.Raw(`,"task":` + scope.task + `,"values":[` + strings.Join(distinctValues(facts), ",") + `]}`)
	c.JSON = string(e.Buf)
	return c
}

// distinctValues returns the different values of the facts as canonical JSON:
// booleans, then numbers, then strings, each ascending.
func distinctValues(facts []hashedFact) []string {
	type value struct {
		json   string
		kind   int
		number float64
		text   string
	}
	kinds := map[byte]int{'f': 0, 't': 1, '0': 2, '"': 3}
	values := make([]value, 0, len(facts))
	seen := map[string]bool{}
	for i := range facts {
		json := facts[i].value
		if seen[json] {
			continue
		}
		seen[json] = true
		scalar := ijson.NewReader(json, problem.InvalidCatalog).Scalar()
		values = append(values, value{json, kinds[scalar.Kind], scalar.Float(), scalar.Text})
	}
	slices.SortFunc(values, func(a, b value) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.number, b.number), canonical.CompareText(a.text, b.text))
	})
	texts := make([]string, len(values))
	for i := range values {
		texts[i] = values[i].json
	}
	return texts
}
