package v3

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/spelling"
)

// What a draft has if nobody says what it is about.
const (
	draftModels  = 5 // candidates
	draftSamples = 2 // preferences by what was measured
	draftPrices  = 1 // preferences by price
	draftFacts   = 1 // requirements
)

// AbsentError reports a name that a catalog does not have.
type AbsentError struct {
	What, Name string // what is model or key
	Closest    string // the closest name that it has, "" if none is close
}

func (e *AbsentError) Error() string {
	text := fmt.Sprintf("the catalog has no model %q", e.Name)
	if e.What == "key" {
		text = fmt.Sprintf("no observation has the key %q", e.Name)
	}
	if e.Closest != "" {
		text += "; did you mean " + e.Closest + "?"
	}
	return text
}

// Draft writes a request to start from, with the models and keys that are named, which
// the catalog must have, or some that it has most of. It reads like this, a candidate
// and a criterion a line:
//
//	{ "schemaVersion": "service.rank.request/v3",
//	  "inventory": [
//	    { "id": "atlas-70b", "model": { "id": "acme/atlas-70b" } } ],
//	  "preferences": [
//	    { "measurementKey": "repair.fixed", "aggregation": "success-rate", "transfer": ["execution"],
//	      "resolve": ["most-specific", "newest"], "direction": "maximize", "weight": 1, "scale": { "low": 0, "high": 1 } } ] }
//
// Every criterion takes evidence of any execution, the closest and newest first, as the
// candidates have no execution yet. The error is an *AbsentError.
func Draft(c *catalog.Catalog, models, keys []string) (string, error) {
	inventory, err := draftInventory(c, models)
	if err != nil {
		return "", err
	}
	all := surveyKeys(c, inventory)
	chosen, err := draftKeys(all, keys)
	if err != nil {
		return "", err
	}
	lists := [roles][]string{}
	for _, k := range chosen {
		role, line := k.draft()
		lists[role] = append(lists[role], line)
	}
	var b strings.Builder
	b.WriteString(`{ "schemaVersion": "` + RequestSchema + `",` + "\n")
	b.WriteString(`  "inventory": [` + draftList(draftCandidates(inventory)))
	for _, role := range []role{requirement, preference} {
		if len(lists[role]) > 0 {
			b.WriteString(",\n  \"" + roleMembers[role] + `": [` + draftList(lists[role]))
		}
	}
	b.WriteString(" }\n")
	// What was named may be more than a request can hold.
	if _, err := ReadRequest(problem.Source{Text: b.String()}); err != nil {
		return "", err
	}
	return b.String(), nil
}

// fits reports whether a request can hold texts.
func fits(texts ...string) bool {
	return !slices.ContainsFunc(texts, func(s string) bool { return len(s) > MaxTextBytes })
}

func draftList(lines []string) string {
	if len(lines) == 0 {
		return "]"
	}
	return "\n    " + strings.Join(lines, ",\n    ") + " ]"
}

// draftInventory returns the model of each id that is named, or those that have most
// observations. Of several revisions and quantizations it takes the one with most.
func draftInventory(c *catalog.Catalog, names []string) (list []*catalog.ModelEntry, err error) {
	byID := map[string]*catalog.ModelEntry{}
	var ids []string
	for i := range c.Models() {
		entry := &c.Models()[i]
		id := entry.Identity.ID
		if byID[id] == nil {
			ids = append(ids, id)
		}
		if byID[id] == nil || len(byID[id].Observations) < len(entry.Observations) {
			byID[id] = entry
		}
	}
	if names == nil {
		slices.SortStableFunc(ids, func(a, b string) int { return len(byID[b].Observations) - len(byID[a].Observations) })
		ids = slices.DeleteFunc(ids, func(id string) bool {
			m := &byID[id].Identity
			return !fits(m.ID, m.Revision, m.Quantization)
		})
		names = ids[:min(len(ids), draftModels)]
		slices.SortFunc(names, canonical.CompareText)
	}
	for _, name := range names {
		if byID[name] == nil {
			return nil, &AbsentError{"model", name, spelling.Closest(name, ids)}
		}
		if !slices.Contains(list, byID[name]) {
			list = append(list, byID[name])
		}
	}
	return list, nil
}

// draftCandidates writes the models as candidates, called by the last part of their ids.
func draftCandidates(models []*catalog.ModelEntry) (lines []string) {
	taken := map[string]bool{}
	for _, entry := range models {
		m := entry.Identity
		base := m.ID[strings.LastIndexByte(m.ID, '/')+1:]
		if base = ijson.Trim(base); base == "" {
			base = m.ID
		}
		id := base
		for n := 2; taken[id]; n++ {
			id = fmt.Sprintf("%s-%d", base, n)
		}
		taken[id] = true
		line := `{ "id": ` + canonical.Quote(id) + `, "model": { "id": ` + canonical.Quote(m.ID)
		if m.Revision != "" {
			line += `, "revision": ` + canonical.Quote(m.Revision)
		}
		if m.Quantization != "" {
			line += `, "quantization": ` + canonical.Quote(m.Quantization)
		}
		lines = append(lines, line+" } }")
	}
	return lines
}

// surveyedKey is what a catalog has under a key and kind.
type surveyedKey struct {
	seriesKey
	units     []string // distinct
	models    int      // of the inventory that have a measurement
	kinds     string   // of values, each once, as they come
	low, high float64  // of numbers, over all models
	common    catalog.Scalar
	counts    map[catalog.Scalar]int
}

// surveyKeys returns all keys of a catalog, facts and samples apart, in order.
func surveyKeys(c *catalog.Catalog, inventory []*catalog.ModelEntry) []*surveyedKey {
	all := map[seriesKey]*surveyedKey{}
	reader := catalog.NewRecordReader()
	for i := range c.Models() {
		entry := &c.Models()[i]
		seen := map[seriesKey]bool{}
		for _, o := range entry.Observations {
			rec := reader.Read(o)
			if rec.Outcome.Status == catalog.OutcomeInvalid {
				continue
			}
			for j := range rec.Measurements {
				m := &rec.Measurements[j]
				key := seriesKey{m.Key, m.Kind == catalog.Fact}
				k := all[key]
				if k == nil {
					k = &surveyedKey{seriesKey: key, low: math.Inf(1), high: math.Inf(-1), counts: map[catalog.Scalar]int{}}
					all[key] = k
				}
				k.add(m)
				seen[key] = true
			}
		}
		if slices.Contains(inventory, entry) {
			for key := range seen {
				all[key].models++
			}
		}
	}
	list := make([]*surveyedKey, 0, len(all))
	for _, k := range all {
		list = append(list, k)
	}
	slices.SortFunc(list, func(a, b *surveyedKey) int { return a.compare(b.seriesKey) })
	return list
}

func (k *surveyedKey) add(m *catalog.Measurement) {
	if !slices.Contains(k.units, m.Unit) {
		k.units = append(k.units, m.Unit)
	}
	kind := m.Value.Kind
	if kind == 'f' {
		kind = 't'
	}
	if strings.IndexByte(k.kinds, kind) < 0 {
		k.kinds += string(kind)
	}
	if kind == '0' {
		f := m.Value.Float()
		k.low, k.high = min(k.low, f), max(k.high, f)
		return
	}
	k.counts[m.Value]++
	if n := k.counts[m.Value]; n > k.counts[k.common] || n == k.counts[k.common] && m.Value.Text < k.common.Text || k.common.Kind == 0 {
		k.common = m.Value
	}
}

// isPrice reports whether less is better and it is money.
func (k *surveyedKey) isPrice() bool {
	return k.kinds == "0" && len(k.units) == 1 && strings.HasPrefix(k.units[0], "USD")
}

// draftKeys returns what is there under the keys that are named, or some that most
// models have: what was measured, what it costs, and what is required.
func draftKeys(all []*surveyedKey, names []string) (list []*surveyedKey, err error) {
	for _, name := range names {
		i := slices.IndexFunc(all, func(k *surveyedKey) bool { return k.key == name && !k.fact })
		if i < 0 {
			i = slices.IndexFunc(all, func(k *surveyedKey) bool { return k.key == name })
		}
		if i < 0 {
			var known []string
			for _, k := range all {
				known = append(known, k.key)
			}
			return nil, &AbsentError{"key", name, spelling.Closest(name, known)}
		}
		if !slices.Contains(list, all[i]) {
			list = append(list, all[i])
		}
	}
	if names != nil {
		return list, nil
	}
	most := slices.Clone(all)
	slices.SortStableFunc(most, func(a, b *surveyedKey) int { return cmp.Compare(b.models, a.models) })
	take := func(n int, isWanted func(*surveyedKey) bool) {
		for _, k := range most {
			if n > 0 && k.models > 0 && k.fits() && isWanted(k) {
				list = append(list, k)
				n--
			}
		}
	}
	take(draftFacts, func(k *surveyedKey) bool { return k.fact && k.kinds == "0" && !k.isPrice() })
	take(draftSamples, func(k *surveyedKey) bool { return !k.fact && (k.kinds == "0" || k.kinds == "t") })
	take(draftPrices, func(k *surveyedKey) bool { return k.fact && k.isPrice() })
	return list, nil
}

// draft writes a criterion: a requirement by a fact that is no price, which the least
// value meets, else a preference.
func (k *surveyedKey) draft() (role, string) {
	aggregation, direction, ends := "mean", "maximize", ""
	switch isNumber, isBool := k.kinds == "0", k.kinds == "t"; {
	case k.fact && !k.isPrice():
		operator, value := "eq", string(k.valueJSON())
		if isNumber {
			operator, value = "gte", string(canonical.AppendNumber(nil, k.low))
		}
		return requirement, k.criterion("fact") + `"operator": "` + operator + `", "value": ` + value + ` }`
	case k.fact:
		aggregation = "fact"
	case isBool:
		aggregation, ends = "success-rate", `, "scale": { "low": 0, "high": 1 }`
	case !isNumber:
		aggregation = "count"
	}
	low, high := k.low, k.high
	if slices.Equal(k.units, []string{"percent"}) {
		low, high = 0, 100
	}
	if k.isPrice() {
		direction = "minimize"
	}
	if k.kinds == "0" && low < high {
		ends = `, "scale": { "low": ` + string(canonical.AppendNumber(nil, low)) + `, "high": ` + string(canonical.AppendNumber(nil, high)) + ` }`
	}
	return preference, k.criterion(aggregation) + `"direction": "` + direction + `", "weight": 1` + ends + ` }`
}

// fits reports whether a request can hold what a criterion says of the key, whose id has
// the role before it.
func (k *surveyedKey) fits() bool {
	return fits("requirement:"+k.key, strings.Join(k.units, ""), k.common.Text)
}

func (k *surveyedKey) valueJSON() []byte {
	var e canonical.Encoder
	if catalog.EncodeScalar(&e, k.common); k.common.Kind == 0 {
		return canonical.AppendNumber(nil, k.low)
	}
	return e.Buf
}

// criterion writes the beginning of a criterion.
func (k *surveyedKey) criterion(aggregation string) string {
	line := `{ `
	if id := roleNames[requirement] + ":" + k.key; !fits(id) { // the id that it would have is too long
		line += `"id": ` + canonical.Quote(k.key) + `, `
	}
	line += `"measurementKey": ` + canonical.Quote(k.key) + `, "aggregation": "` + aggregation + `", `
	if len(k.units) == 1 && k.units[0] != "" {
		line += `"unit": ` + canonical.Quote(k.units[0]) + `, `
	}
	return line + `"transfer": ["execution"], "resolve": ["most-specific", "newest"],` + "\n      "
}
