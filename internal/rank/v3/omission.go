package v3

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/quantity"
	"github.com/model-catalog-service/svc/internal/spelling"
	"github.com/model-catalog-service/svc/service/record"
)

// This file says of a draft what somebody may miss in it. A catalog may have one model under
// several ids, as each provider has its own, and scores under one of them:
//
//	2 models with livebench.coding.score are left out, since openrouter does not list their ids:
//	acme/atlas (71%; acme-ai/atlas looks like the same model), acme/borealis (64%)
//
// It only says so: nothing is taken for the same model that has another id.

// namedOmissions is how many models an omission names at most.
const namedOmissions = 3

// Omission says what a draft leaves out.
type Omission struct {
	Text    string // a sentence without a period
	AsksAll bool   // a question by [Question.All] would not leave it out
}

// omissions returns what is left out.
func (d *drafter) omissions() (list []Omission) {
	if text := d.unshared(); text != "" {
		list = append(list, Omission{text, true})
	}
	if text := d.unoffered(); text != "" {
		list = append(list, Omission{Text: text})
	}
	for _, text := range d.refused() {
		list = append(list, Omission{Text: text})
	}
	if text := d.unpriced(); text != "" {
		list = append(list, Omission{Text: text})
	}
	for _, text := range d.unscored() {
		list = append(list, Omission{Text: text})
	}
	return list
}

// preferredKeys are those of the preferences, each once.
func (d *drafter) preferredKeys() (list []*surveyedKey) {
	for i := range d.criteria {
		if c := &d.criteria[i]; c.role == preference && !slices.Contains(list, c.key) {
			list = append(list, c.key)
		}
	}
	return list
}

// shared counts the models that have all preferred keys, and says how many have each:
//
//	livebench.coding.score (57) and aider.polyglot.pass_rate_2 (40)
func (d *drafter) shared() (n, least int, each string) {
	keys := d.preferredKeys()
	having := map[*catalog.ModelEntry]int{}
	var words []string
	for i, k := range keys {
		models := d.modelsOf(k)
		for _, entry := range models {
			if having[entry]++; having[entry] == len(keys) {
				n++
			}
		}
		if i == 0 || len(models) < least {
			least = len(models)
		}
		words = append(words, k.Key+" ("+quantity.Number(float64(len(k.models)))+")")
	}
	if last := len(words) - 1; last > 0 {
		words = []string{strings.Join(words[:last], ", ") + " and " + words[last]}
	}
	return n, least, strings.Join(words, "")
}

// unshared says that fewer models have all preferred keys than have each.
func (d *drafter) unshared() string {
	n, least, each := d.shared()
	if d.question.All || d.question.isOpen() || len(d.question.Models) > 0 || n == least || n == 0 {
		return ""
	}
	verb, all := " have ", "all of "
	if n == 1 {
		verb = " has "
	}
	if len(d.preferredKeys()) == 2 {
		all = "both "
	}
	return "only " + quantity.Count(n, "model") + verb + all + each
}

// score is a model with what it scored by the first preference that was measured.
type score struct {
	entry *catalog.ModelEntry
	value float64
}

// scoredKey is the first preferred key that was measured in numbers, and which end is better.
func (d *drafter) scoredKey() (*surveyedKey, direction) {
	for i := range d.criteria {
		if c := &d.criteria[i]; c.role == preference && !c.key.Fact && c.key.kinds == "0" {
			return c.key, c.direction
		}
	}
	return nil, 0
}

// mean returns the best mean of a model's numbers in force under a key, over the conditions
// that it was measured under.
func (d *drafter) mean(entry *catalog.ModelEntry, k *surveyedKey, better direction) (best float64, ok bool) {
	sums, counts := map[string]float64{}, map[string]float64{}
	reader := catalog.NewRecordReader()
	for _, o := range entry.Observations {
		rec := reader.Read(o)
		if rec.Outcome.Status == record.OutcomeInvalid || !rec.Freshness.HoldsAt(record.Timestamp(d.catalog.AsOf())) {
			continue
		}
		for i := range rec.Measurements {
			if m := &rec.Measurements[i]; m.Key == k.Key && m.Kind != record.Fact && m.Value.Kind == '0' {
				condition := strings.Clone(string(rec.Execution.Workflow.Condition))
				sums[condition] += m.Value.Float()
				counts[condition]++
			}
		}
	}
	for condition, sum := range sums {
		mean := sum / counts[condition]
		if !ok || (mean > best) == (better == maximize) {
			best, ok = mean, true
		}
	}
	return best, ok
}

// unoffered names the best models that have a score and that no runtime offers which the
// question asks for.
func (d *drafter) unoffered() string {
	k, better := d.scoredKey()
	if k == nil || len(d.question.Models) > 0 {
		return ""
	}
	list := d.scoredOf(d.withoutOffer, k, better)
	if len(list) == 0 {
		return ""
	}
	var names []string
	for _, s := range list[:min(len(list), namedOmissions)] {
		name := s.entry.Identity.ID + " (" + k.phrase(s.value)
		if twin := d.twin(s.entry, d.isOffered); twin != nil {
			name += "; " + twin.Identity.ID + " looks like the same model"
		}
		names = append(names, name+")")
	}
	who := quantity.Count(len(list), "model") + " with " + k.Key
	verb, its, ids := " are", "their", "ids"
	if len(list) == 1 {
		verb, its, ids = " is", "its", "id"
	}
	if len(d.question.Runtimes) == 0 {
		return "no provider lists the " + ids + " of " + who + ": " + nameList(names, len(list))
	}
	return who + verb + " left out, since " + refusalText(d.question.Runtimes) + " " + its + " " + ids + ": " +
		nameList(names, len(list))
}

// andMore says how many names there are beside some.
func andMore(n int) string {
	if n <= 0 {
		return ""
	}
	return " and " + quantity.Number(float64(n)) + " more"
}

// scoredOf returns those of some models that have a score, the best first.
func (d *drafter) scoredOf(entries []*catalog.ModelEntry, k *surveyedKey, better direction) (list []score) {
	for _, entry := range entries {
		if value, ok := d.mean(entry, k, better); ok {
			list = append(list, score{entry, value})
		}
	}
	slices.SortStableFunc(list, func(a, b score) int {
		if better == maximize {
			a, b = b, a
		}
		return cmp.Compare(a.value, b.value)
	})
	return list
}

// refused says which models have no offer that the question takes, by the reason:
//
//	2 models are left out, since they are deprecated or withdrawn: acme/atlas (71%), acme/borealis (64%)
func (d *drafter) refused() (sentences []string) {
	k, better := d.scoredKey()
	for reason := byService; reason <= byRetirement; reason++ {
		entries := d.left[reason]
		if len(entries) == 0 || reason == byKind {
			continue
		}
		var names []string
		if k != nil {
			for _, s := range d.scoredOf(entries, k, better) {
				names = append(names, s.entry.Identity.ID+" ("+k.phrase(s.value)+")")
			}
		}
		if len(names) < len(entries) {
			names = nil
			for _, entry := range entries {
				names = append(names, entry.Identity.ID)
			}
		}
		verb, they := " are left out, since ", "they are"
		if len(entries) == 1 {
			verb, they = " is left out, since ", "it is"
		}
		why := map[refusal]string{byRetirement: they + " deprecated or withdrawn", byService: they +
			" not offered in the usual way"}[reason]
		if reason != byRetirement && d.question.asksSellers() {
			why = they + " not offered " + d.question.wantedOffers()
		}
		sentences = append(sentences, quantity.Count(len(entries), "model")+verb+why+": "+strings.Join(names[:min(len(names),
			namedOmissions)], ", ")+andMore(len(entries)-namedOmissions))
	}
	return sentences
}

// refusalText says that no runtime of a list lists something.
func refusalText(runtimes []string) string {
	switch len(runtimes) {
	case 1:
		return runtimes[0] + " does not list"
	case 2:
		return "neither " + runtimes[0] + " nor " + runtimes[1] + " lists"
	}
	return "none of " + quantity.Count(len(runtimes), "runtime") + " lists"
}

// nameList lists names, the best first, of which there are so many.
func nameList(names []string, n int) string {
	text := strings.Join(names, ", ")
	if n > len(names) {
		return "the best are " + text
	}
	return text
}

// unpriced counts the models that the question would have if what it prefers were known of
// them, such as a price that no list has:
//
//	47 more models meet the requirements, but the catalog has no valid price.output of them
func (d *drafter) unpriced() string {
	keys := d.preferredKeys()
	if len(keys) != 1 || !keys[0].isPerRuntime() || len(d.question.Models) > 0 {
		return ""
	}
	known := map[*catalog.ModelEntry]bool{}
	for _, entry := range keys[0].models {
		known[entry] = true
	}
	n := 0
	for i := range d.catalog.Models() {
		entry := &d.catalog.Models()[i]
		if known[entry] {
			continue
		}
		if run := d.runs(entry)[0]; d.hasFacts(entry, run.runtime) && len(d.obstacles(&run)) == 0 {
			n++
		}
	}
	doesMeet, isOffered, them := " meet the requirements", " are offered", "them"
	switch {
	case n == 0:
		return ""
	case n == 1:
		doesMeet, isOffered, them = " meets the requirements", " is offered", "it"
	}
	if !slices.ContainsFunc(d.criteria, func(c draftCriterion) bool { return c.role == requirement }) {
		doesMeet = isOffered
	}
	return quantity.Count(n, "more model") + doesMeet + ", but the catalog has no valid " + keys[0].Key + " of " + them
}

// hasFacts reports whether facts about a model at a runtime hold.
func (d *drafter) hasFacts(entry *catalog.ModelEntry, runtime string) bool {
	reader := catalog.NewRecordReader()
	return runtime != "" && slices.ContainsFunc(entry.Observations, func(o catalog.Observation) bool {
		rec := reader.Read(o)
		id, isAlone := rec.Execution.RuntimeAlone()
		return isAlone && id == runtime && rec.Freshness.HoldsAt(record.Timestamp(d.catalog.AsOf())) &&
			slices.ContainsFunc(rec.Measurements, func(m record.Measurement) bool { return m.Kind == record.Fact })
	})
}

// unscored names models that the question names and that have no score, though another id has:
//
//	acme/atlas has no livebench.coding.score; lab/atlas has one and looks like the same model
//
// The last sentence counts those that are not named.
func (d *drafter) unscored() (sentences []string) {
	k, _ := d.scoredKey()
	if k == nil || len(d.question.Models) == 0 {
		return nil
	}
	scored := map[*catalog.ModelEntry]bool{}
	for _, entry := range k.models {
		scored[entry] = true
	}
	n := 0
	for i := range d.candidates {
		entry := d.candidates[i].scored
		if scored[entry] || i > 0 && d.candidates[i-1].scored == entry {
			continue
		}
		if twin := d.twin(entry, func(other *catalog.ModelEntry) bool { return scored[other] }); twin != nil {
			if n++; n <= namedOmissions {
				sentences = append(sentences, fmt.Sprintf("%s has no %s; %s has one and looks like the same model",
					entry.Identity.ID, k.Key, twin.Identity.ID))
			}
		}
	}
	if rest := n - namedOmissions; rest > 0 {
		verb := " have no "
		if rest == 1 {
			verb = " has no "
		}
		sentences = append(sentences, quantity.Count(rest, "more model")+verb+k.Key+", which another id has that looks "+
			"like the same model")
	}
	return sentences
}

// isOffered reports whether a model has facts at a runtime that the question allows.
func (d *drafter) isOffered(entry *catalog.ModelEntry) bool { return d.runs(entry)[0].runtime != "" }

// twin returns the first model of another id with the same name, but for its punctuation and
// letter case, which is fit; nil if there is none, or the name has neither letter nor digit.
func (d *drafter) twin(entry *catalog.ModelEntry, isFit func(*catalog.ModelEntry) bool) *catalog.ModelEntry {
	if d.namesakes == nil {
		d.namesakes = map[string][]*catalog.ModelEntry{}
		for i := range d.catalog.Models() {
			other := &d.catalog.Models()[i]
			if name := spelling.Squash(shortName(other.Identity.ID)); name != "" {
				d.namesakes[name] = append(d.namesakes[name], other)
			}
		}
	}
	for _, other := range d.namesakes[spelling.Squash(shortName(entry.Identity.ID))] {
		if other.Identity.ID != entry.Identity.ID && isFit(other) {
			return other
		}
	}
	return nil
}
