package v3

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/keys"
	"github.com/model-catalog-service/svc/internal/rank/index"
	"github.com/model-catalog-service/svc/internal/spelling"
	"github.com/model-catalog-service/svc/service/record"
)

// This file surveys a catalog for drafts: what it has under each key, and which models and
// keys it has most of.

// surveyedKey is what a catalog has under a key and kind.
type surveyedKey struct {
	index.SeriesKey
	units        []string              // distinct
	models       []*catalog.ModelEntry // that have a measurement
	kinds        string                // of values, each once, as they come
	numbers      scale                 // the least and the greatest
	hasFractions bool                  // numbers between 0 and 1
	common       record.Scalar         // the most common value that is not a number
	counts       map[record.Scalar]int
	about        *record.Key // what the dictionary says of it, or nil

	isByRuntime   bool    // each scope gives a runtime alone, or nothing
	hasConditions bool    // some model was measured under several
	variant       variant // that of the first sample of the last model
}

// survey is what a catalog has. It is immutable once it is made, and safe for concurrent use.
type survey struct {
	keys     []*surveyedKey  // facts and samples apart, in order
	runtimes map[string]bool // of which something is stated, and their sellers
	services map[string]bool // as which something is sold
}

// newSurvey reads a whole catalog.
func newSurvey(c *catalog.Catalog, dictionary []record.Key) *survey {
	s := &survey{runtimes: map[string]bool{}, services: map[string]bool{AnyService: true, record.ServiceStandard: true}}
	all := map[index.SeriesKey]*surveyedKey{}
	reader := catalog.NewRecordReader()
	for i := range c.Models() {
		entry := &c.Models()[i]
		for _, o := range entry.Observations {
			rec := reader.Read(o)
			runtime, isByRuntime := rec.Execution.RuntimeAlone()
			for j := range rec.Measurements {
				m := &rec.Measurements[j]
				if isByRuntime && runtime != "" && m.Kind == record.Fact {
					noteOffer(runtime, m, s.runtimes, s.services)
				}
				if rec.Outcome.Status == record.OutcomeInvalid {
					continue
				}
				key := index.SeriesKey{Key: m.Key, Fact: m.Kind == record.Fact}
				k := all[key]
				if k == nil {
					k = newSurveyedKey(key, dictionary)
					all[key] = k
				}
				k.add(m)
				k.isByRuntime = k.isByRuntime && isByRuntime
				k.addModel(entry, k.variantOf(rec))
			}
		}
	}
	s.keys = slices.SortedFunc(maps.Values(all), func(a, b *surveyedKey) int { return a.Compare(b.SeriesKey) })
	return s
}

func newSurveyedKey(key index.SeriesKey, dictionary []record.Key) *surveyedKey {
	numbers := scale{low: math.Inf(1), high: math.Inf(-1)}
	return &surveyedKey{SeriesKey: key, numbers: numbers, about: keys.Find(dictionary, key.Key),
		counts: map[record.Scalar]int{}, isByRuntime: true}
}

// addModel notes that a model was measured in a variant. Those of one model come together.
func (k *surveyedKey) addModel(entry *catalog.ModelEntry, v variant) {
	if n := len(k.models); n == 0 || k.models[n-1] != entry {
		k.models = append(k.models, entry)
		k.variant = v
	}
	k.hasConditions = k.hasConditions || !k.Fact && v.condition != k.variant.condition
}

// variantOf returns the variant of a model that a sample is of, under the key.
func (k *surveyedKey) variantOf(rec *record.Observation) variant {
	w := &rec.Execution.Workflow
	condition := w.Condition
	if k.about != nil {
		condition = joinedCondition(condition, k.about.Joins)
	}
	return variant{w.ID != "", string(condition)}
}

func (k *surveyedKey) add(m *record.Measurement) {
	if len(k.units) < 2 && !slices.Contains(k.units, m.Unit) { // more than one is all that matters
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
		k.numbers = scale{low: min(k.numbers.low, f), high: max(k.numbers.high, f)}
		k.hasFractions = k.hasFractions || f > 0 && f < 1
		return
	}
	k.counts[m.Value]++
	if n := k.counts[m.Value]; n > k.counts[k.common] || n == k.counts[k.common] && m.Value.Text < k.common.Text ||
		k.common.Kind == 0 {
		k.common = m.Value
	}
}

// isPerRuntime reports whether each runtime has facts of its own under the key.
func (k *surveyedKey) isPerRuntime() bool { return k.Fact && k.isByRuntime }

// isPerRuntimePrice reports whether each runtime has prices of its own under the key.
func (k *surveyedKey) isPerRuntimePrice() bool { return k.isPerRuntime() && isPriceKey(k.Key) }

// isPriceKey reports whether a key is that of a price.
func isPriceKey(key string) bool { return strings.HasPrefix(key, "price.") }

// isPrice reports whether less is better and it is money.
func (k *surveyedKey) isPrice() bool {
	return k.kinds == "0" && len(k.units) == 1 && strings.HasPrefix(k.units[0], "USD")
}

// commonKeys returns some keys that most models of an inventory have: what was measured,
// what it costs, and what is required.
func commonKeys(all []*surveyedKey, inventory []*catalog.ModelEntry) (list []*surveyedKey) {
	counts := map[*surveyedKey]int{}
	for _, k := range all {
		for _, entry := range k.models {
			if slices.Contains(inventory, entry) {
				counts[k]++
			}
		}
	}
	most := slices.Clone(all)
	slices.SortStableFunc(most, func(a, b *surveyedKey) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), compareBool(b.Key == outputPrice, a.Key == outputPrice))
	})
	take := func(n int, isWanted func(*surveyedKey) bool) {
		for _, k := range most {
			if n > 0 && counts[k] > 0 && k.fits() && isWanted(k) {
				list = append(list, k)
				n--
			}
		}
	}
	take(draftFacts, func(k *surveyedKey) bool { return k.Fact && k.kinds == "0" && !k.isPrice() })
	take(draftSamples, func(k *surveyedKey) bool { return !k.Fact && (k.kinds == "0" || k.kinds == "t") })
	take(draftPrices, func(k *surveyedKey) bool { return k.Fact && k.isPrice() })
	return list
}

// draftInventory returns the model of each id that is named, or those that have most
// observations. Of several revisions and quantizations it takes the one with most. Of those
// that have as many it takes what comes first by its name. The error joins an *AbsentError
// for each id that the catalog does not have.
func draftInventory(c *catalog.Catalog, names []string) (list []*catalog.ModelEntry, err error) {
	entries := make([]*catalog.ModelEntry, len(c.Models()))
	for i := range entries {
		entries[i] = &c.Models()[i]
	}
	slices.SortFunc(entries, func(a, b *catalog.ModelEntry) int {
		m, n := &a.Identity, &b.Identity
		return cmp.Or(len(b.Observations)-len(a.Observations), canonical.CompareText(m.ID, n.ID),
			canonical.CompareText(string(m.Revision), string(n.Revision)),
			canonical.CompareText(string(m.Quantization), string(n.Quantization)))
	})
	byID := map[string]*catalog.ModelEntry{}
	var ids []string
	for _, entry := range entries {
		if id := entry.Identity.ID; byID[id] == nil {
			ids = append(ids, id)
			byID[id] = entry
		}
	}
	if len(names) == 0 {
		ids = slices.DeleteFunc(ids, func(id string) bool {
			m := &byID[id].Identity
			return !fits(m.ID, string(m.Revision), string(m.Quantization))
		})
		names = ids[:min(len(ids), draftModels)]
		slices.SortFunc(names, canonical.CompareText)
	}
	var absent []error
	for _, name := range names {
		if byID[name] == nil {
			absent = append(absent, &AbsentError{"model", name, spelling.Similar(name, ids)})
			continue
		}
		if !slices.Contains(list, byID[name]) {
			list = append(list, byID[name])
		}
	}
	return list, errors.Join(absent...)
}
