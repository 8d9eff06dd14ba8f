package v3

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/keys"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/quantity"
	"github.com/model-catalog-service/svc/internal/rank/index"
	"github.com/model-catalog-service/svc/internal/spelling"
	"github.com/model-catalog-service/svc/service/record"
)

// What a draft has if nobody says what it is about.
const (
	draftModels  = 5 // candidates
	draftSamples = 2 // preferences by what was measured
	draftPrices  = 1 // preferences by price
	draftFacts   = 1 // requirements
)

// Draft writes a request that asks a question, or one to start from if nothing is asked:
// with some of the models and keys that the catalog has most of. It reads like this, in
// lines of at most 100 columns where names allow it:
//
//	{ "schemaVersion": "service.rank.request/v3",
//	  "inventory": [
//	    { "id": "atlas-70b", "model": { "id": "acme/atlas-70b" }, "execution": { "runtime": { "id": "acme" } } } ],
//	  "requirements": [
//	    { "measurementKey": "limits.context", "aggregation": "fact", "unit": "tokens",
//	      "operator": "gte", "value": 200000 } ],
//	  "preferences": [
//	    { "measurementKey": "repair.fixed", "aggregation": "success-rate", "transfer": ["execution"],
//	      "resolve": ["most-specific", "newest"], "direction": "maximize", "weight": 1,
//	      "scale": { "low": 0, "high": 1 } } ] }
//
// Where facts are told for each runtime, as prices are, a candidate has one: the runtime that meets
// most requirements, then one whose values say which it misses, then the one of which most is known
// without contradiction, then the cheapest; where nothing holds any more, expired facts decide. If
// runtimes are named, it is one of those, and models that none of them offers are left out. Such
// facts are never taken from another runtime. Samples are taken from any execution, save where
// models were measured under several workflow conditions: then such a model is a candidate for
// each, and the condition must be the
// candidate's. Scales reach from the least to the greatest value of the candidates, those of
// percentages and of shares of trials from nothing to all.
//
// The error is an *AbsentError, an *UnfitError, or what is wrong with the request.
func Draft(c *catalog.Catalog, question Question) (*Drafted, error) {
	return newDraft(c, question, nil)
}

// Draft is [Draft] for the catalog of the ranker, which is surveyed once for all questions.
func (k *Ranker) Draft(question Question) (*Drafted, error) {
	return newDraft(k.catalog, question, k.surveyed)
}

// Drafted is a request that asks a question.
type Drafted struct {
	Request *Request
	Text    string // as a person writes it
	by      *drafter
}

// Omissions says what somebody may miss in the request.
func (d *Drafted) Omissions() []Omission { return d.by.omissions() }

// newDraft makes a draft. Surveyed, unless it is nil, surveys the catalog with the usual
// dictionary.
func newDraft(c *catalog.Catalog, question Question, surveyed func() *survey) (*Drafted, error) {
	if err := question.Check(); err != nil {
		return nil, err
	}
	d := &drafter{catalog: c, question: &question, dictionary: question.Dictionary, ranges: map[*surveyedKey]scale{},
		left: map[refusal][]*catalog.ModelEntry{}}
	if d.dictionary == nil {
		d.dictionary = keys.Default()
	}
	if surveyed != nil && question.Dictionary == nil && question.Trials == nil { // these change what keys mean
		d.survey = surveyed()
	} else {
		d.survey = newSurvey(c, d.dictionary)
	}
	if err := d.chooseCriteria(); err != nil {
		return nil, err
	}
	d.findOthers()
	if err := d.chooseCandidates(); err != nil {
		return nil, err
	}
	q := Request{candidates: d.inventory(), criteria: [roles][]criterion{d.criteriaOf(requirement),
		d.criteriaOf(preference), d.criteriaOf(tieBreaker)}}
	q.cost, q.keys, q.confidence, q.target = d.cost(), d.usedKeys(), question.Confidence, targetOf(question.Target)
	if q.choice = d.choice(&q); question.All {
		q.minimumCoverage, q.hasCoverage = 0, true
	}
	text := q.Text()
	// What was named may be more than a request can hold.
	request, err := ReadRequest(problem.Source{Text: text})
	if err != nil {
		return nil, err
	}
	return &Drafted{request, text, d}, nil
}

// drafter makes a draft: its criteria first, then the candidates that they need.
type drafter struct {
	catalog    *catalog.Catalog
	question   *Question
	dictionary []record.Key
	survey     *survey
	criteria   []draftCriterion
	candidates []draftCandidate
	ranges     map[*surveyedKey]scale // of the numbers that the candidates have
	ids        map[string]bool        // that criteria were given

	others others                            // revisions without a score of their own
	left   map[refusal][]*catalog.ModelEntry // that have what is preferred, but no offer that the question takes
	// that have what is preferred, but run nowhere that the question asks for
	withoutOffer []*catalog.ModelEntry
	namesakes    map[string][]*catalog.ModelEntry // by name, once somebody asks
}

// draftCriterion is a requirement, a preference, a measured cost, or a price that the cost of a
// task needs.
type draftCriterion struct {
	role      role
	key       *surveyedKey
	operator  operator      // of a requirement by a number or a value, or else 0
	limit     float64       // the number
	value     record.Scalar // the value
	direction direction     // of a preference and a measured cost
	weight    float64       // of a preference that somebody gave one, or else 0
}

// isMet reports whether a value meets a requirement, see [drafter.expected].
func (c *draftCriterion) isMet(v record.Scalar) bool {
	switch {
	case c.operator == equal:
		return v == c.value
	case c.operator != 0:
		required := criterion{operator: c.operator, number: c.limit}
		return required.meets(&index.Value{Kind: v.Kind, Number: v.Float()})
	}
	return v.Kind == '0'
}

// draftCandidate is a model as it is run.
type draftCandidate struct {
	entry   *catalog.ModelEntry
	scored  *catalog.ModelEntry // entry, or the revision of it that has the score
	runtime string              // "" for none
	variant
	isOneOfMany bool              // conditions
	failed      []*draftCriterion // requirements by facts of the runtime
	refused     refusal           // why it runs nowhere
	isRival     bool              // the model has another candidate, and this one may be cheaper
	price       float64           // that the question chooses by; of a rival by the lists that ask least
	ranges      map[*surveyedKey]scale
}

// variant is the workflow that samples were made with: none, one without a condition, or
// one with.
type variant struct {
	hasWorkflow bool
	condition   string
}

// key finds the key of a name. Where samples and facts have it, more models decide which is
// meant.
func (d *drafter) key(name string) (*surveyedKey, error) {
	var found *surveyedKey
	for _, isFact := range []bool{false, true} {
		i, ok := slices.BinarySearchFunc(d.survey.keys, index.SeriesKey{Key: name, Fact: isFact},
			func(k *surveyedKey, key index.SeriesKey) int { return k.Compare(key) })
		if ok && (found == nil || len(d.survey.keys[i].models) > len(found.models)) {
			found = d.survey.keys[i]
		}
	}
	if found != nil {
		return found, nil
	}
	var known []string
	for _, k := range d.survey.keys {
		known = append(known, k.Key)
	}
	return nil, absentKey(name, known)
}

// number is key for one whose values can be compared as numbers.
func (d *drafter) number(name string) (*surveyedKey, error) {
	k, err := d.key(name)
	if err == nil && k.kinds != "0" && (k.Fact || k.kinds != "t") {
		return nil, unfit("the values of %s are not numbers: %s", name, k.demandText())
	}
	return k, err
}

// bounded is key for one whose values a bound can exclude. A fact that is not a number does not
// reach it.
func (d *drafter) bounded(name string) (*surveyedKey, error) {
	k, err := d.key(name)
	if err == nil && k.Fact && strings.Contains(k.kinds, "0") {
		return k, nil
	}
	return d.number(name)
}

// demandText says what can be required of a key whose values are not of the kind that was asked
// for.
func (k *surveyedKey) demandText() string {
	switch {
	case !k.Fact:
		return "it was measured, and can be asked for as a key alone"
	case strings.Contains(k.kinds, "t"):
		return "require " + k.Key + ", or " + k.Key + "=false"
	case k.kinds == "0":
		return "require at least or at most a number"
	}
	return "require a value, such as " + k.Key + "=" + k.common.Text
}

// has reports whether there is a criterion of a role by a key.
func (d *drafter) has(role role, k *surveyedKey) bool {
	return slices.ContainsFunc(d.criteria, func(c draftCriterion) bool { return c.role == role && c.key == k })
}

func (d *drafter) chooseCriteria() error {
	q := d.question
	if err := d.chooseBounds(); err != nil {
		return err
	}
	for _, demand := range q.Require {
		if err := d.demand(demand); err != nil {
			return err
		}
	}
	for i, name := range slices.Concat(q.Maximize, q.Minimize) {
		k, err := d.number(name)
		if err != nil {
			return err
		}
		direction := maximize
		if i >= len(q.Maximize) {
			direction = minimize
		}
		before := slices.IndexFunc(d.criteria, func(c draftCriterion) bool { return c.role == preference && c.key == k })
		switch {
		case before < 0:
			d.criteria = append(d.criteria, draftCriterion{role: preference, key: k, direction: direction})
		case d.criteria[before].direction != direction:
			return unfit("%s cannot be both high and low", name)
		}
	}
	if err := cmp.Or(d.choosePrices(), d.chooseMeasured(), d.chooseKeys()); err != nil {
		return err
	}
	for _, w := range q.Weights {
		i := slices.IndexFunc(d.criteria, func(c draftCriterion) bool { return c.role == preference && c.key.Key == w.Key })
		if i < 0 {
			return unfit("%s has a weight, but is neither maximized nor minimized", w.Key)
		}
		d.criteria[i].weight = w.Number
	}
	return cmp.Or(d.checkBounds(), d.countTrials(), d.checkRuntimes())
}

// chooseBounds adds the numbers that candidates must reach, and must not exceed.
func (d *drafter) chooseBounds() error {
	q := d.question
	for i, b := range slices.Concat(q.AtLeast, q.AtMost) {
		k, err := d.bounded(b.Key)
		if err != nil {
			return err
		}
		limit, err := b.limit(k)
		if err != nil {
			return err
		}
		operator := atLeast
		if i >= len(q.AtLeast) {
			operator = atMost
		}
		d.criteria = append(d.criteria, draftCriterion{role: requirement, key: k, operator: operator, limit: limit})
	}
	return nil
}

// choosePrices adds the prices of tokens, where the question asks for the cost of a task.
func (d *drafter) choosePrices() error {
	if !d.question.asksCost() {
		return nil
	}
	for _, name := range []string{inputPrice, outputPrice} {
		k, err := d.key(name)
		if err != nil {
			return err
		}
		if !k.Fact || k.kinds != "0" {
			return unfit("the values of %s are not prices", name)
		}
		d.criteria = append(d.criteria, draftCriterion{role: tieBreaker, key: k})
	}
	return nil
}

// chooseMeasured adds the measured cost that the question names.
func (d *drafter) chooseMeasured() error {
	name := d.question.Measured
	isCost := func(k *surveyedKey) bool { return !k.Fact && k.isPrice() }
	if name == "" {
		return nil
	}
	var found *surveyedKey
	for _, k := range d.survey.keys {
		if isCost(k) && (name == AnyMeasured || name == k.Key) && (found == nil || len(k.models) > len(found.models)) {
			found = k
		}
	}
	if found == nil {
		if _, err := d.key(name); err != nil && name != AnyMeasured {
			return err
		}
		return unfit("nobody measured what models cost, in dollars%s",
			map[bool]string{true: "", false: ", under " + name}[name == AnyMeasured])
	}
	d.criteria = append(d.criteria, draftCriterion{role: tieBreaker, key: found, direction: minimize})
	return nil
}

// demand adds a requirement that a fact has a value.
func (d *drafter) demand(demand Demand) error {
	k, err := d.key(demand.Key)
	if err != nil {
		return err
	}
	isSwitch := demand.Value.Kind != '"'
	switch {
	case !k.Fact:
		return unfit("%s was measured, so require a number: at least or at most", demand.Key)
	case isSwitch && !strings.Contains(k.kinds, "t"):
		return unfit("the values of %s are not true or false: %s", demand.Key, k.demandText())
	case !isSwitch && k.counts[demand.Value] == 0:
		known := slices.Sorted(func(yield func(string) bool) {
			for v := range k.counts {
				if v.Kind == '"' && !yield(v.Text) {
					return
				}
			}
		})
		if question := spelling.Question(spelling.Similar(demand.Value.Text, known)); question != "" {
			return unfit("no model has %q as %s; %s", demand.Value.Text, demand.Key, question)
		}
		return unfit("no model has %q as %s", demand.Value.Text, demand.Key)
	}
	d.criteria = append(d.criteria, draftCriterion{role: requirement, key: k, operator: equal, value: demand.Value})
	return nil
}

// countTrials notes of which criteria the values are shares of trials.
func (d *drafter) countTrials() error {
	for _, s := range d.question.Trials {
		k, err := d.key(s.Key)
		if err != nil {
			return err
		}
		count, err := d.key(s.Count)
		if err != nil {
			return err
		}
		switch {
		case k.Fact || k.kinds != "0" || k.numbers.low < 0 || k.numbers.high > 100:
			return unfit("the values of %s are not shares or percentages of trials", s.Key)
		case count.Fact || count.kinds != "0":
			return unfit("the values of %s do not count trials", s.Count)
		case !slices.ContainsFunc(d.criteria, func(c draftCriterion) bool { return c.key == k }):
			return unfit("%s has trials, but nothing is asked about it: maximize or minimize it, too", s.Key)
		case !slices.ContainsFunc(k.models, func(entry *catalog.ModelEntry) bool {
			return slices.Contains(count.models,
				entry)
		}):
			return unfit("no model has both %s and %s, so the one cannot count the trials of the other", s.Key, s.Count)
		}
		about := record.Key{Key: s.Key, Bounds: &record.KeyBounds{High: 1}}
		if k.about != nil {
			about = *k.about
			about.Key = s.Key
		}
		if about.Bounds == nil || k.numbers.high > 1 || slices.Equal(k.units, []string{"percent"}) {
			about.Bounds = &record.KeyBounds{High: 1}
			if k.numbers.high > 1 || slices.Equal(k.units, []string{"percent"}) {
				about.Bounds.High = 100
			}
		}
		about.Size = &record.KeySize{Trials: record.Text(s.Count)}
		k.about = &about
	}
	return nil
}

// chooseKeys takes the keys that are named, as what they are: what is true or false must be true,
// and of what else has a better way, more or less is preferred. What a fact without one must be,
// only who asks can say. If nothing is asked, it takes some.
func (d *drafter) chooseKeys() error {
	for _, name := range d.question.Keys {
		k, err := d.key(name)
		if err != nil {
			return err
		}
		if k.Fact && k.kinds != "t" && (k.kinds != "0" || !k.isPrice() && (k.about == nil || k.about.Direction == "")) {
			return unfit("nothing says what %s should be: %s", name, k.demandText())
		}
		d.addKey(k, k.Fact && k.kinds == "t")
	}
	if len(d.question.Keys) == 0 && len(d.criteria) == 0 && len(d.question.Weights) == 0 {
		inventory, err := draftInventory(d.catalog, d.question.Models)
		if err != nil {
			return err
		}
		for _, k := range commonKeys(d.survey.keys, inventory) {
			d.addKey(k, k.Fact && !k.isPrice())
		}
	}
	return nil
}

// addKey adds a criterion by a key alone, unless there is one.
func (d *drafter) addKey(k *surveyedKey, isRequired bool) {
	c := draftCriterion{role: preference, key: k, direction: maximize}
	switch {
	case isRequired:
		c = draftCriterion{role: requirement, key: k}
		if k.kinds == "t" {
			c.operator, c.value = equal, record.Scalar{Kind: 't'}
		}
	case k.isPrice() || k.direction() == minimize:
		c.direction = minimize
	}
	if !d.has(preference, k) && !d.has(c.role, k) {
		d.criteria = append(d.criteria, c)
	}
}

// chooseCandidates takes the models that are named or known.
func (d *drafter) chooseCandidates() error {
	inventory := d.knownModels()
	isNamed := len(d.question.Models) > 0
	if isNamed || d.question.isOpen() {
		var err error
		if inventory, err = draftInventory(d.catalog, d.question.Models); err != nil {
			return err
		}
	}
	if n, _, each := d.shared(); n == 0 && len(inventory) == 0 && len(d.preferredKeys()) > 1 {
		return &UnfitError{Reason: "no model has all of " + each, AsksAll: true}
	}
	for _, entry := range inventory {
		if err := d.addCandidates(entry, isNamed); err != nil {
			return err
		}
	}
	if d.mustBeOffered() && len(d.candidates) == 0 {
		text := ""
		if left := d.unoffered(); left != "" {
			text = "; " + left
		}
		return unfit("no model that the question is about is offered %s%s", d.question.wantedOffers(), text)
	}
	canServe := func(c draftCandidate) bool { return len(d.obstacles(&c)) == 0 }
	if n := len(d.candidates); !isNamed && n > manyCandidates && !slices.ContainsFunc(d.candidates, canServe) {
		return unfit("none of %d candidates meets the requirements: %s", n, d.worstObstacle(d.candidates))
	}
	d.findRanges()
	d.dropRivals()
	return nil
}

// addCandidates adds a model as it is run, unless no offer of it is one that the question takes.
func (d *drafter) addCandidates(entry *catalog.ModelEntry, isNamed bool) error {
	runs := d.runs(entry)
	isOffered, refused := runs[0].runtime != "", runs[0].refused
	switch {
	case isNamed && refused == byKind:
		return unfit("%s is an alias or a router, not a model", entry.Identity.ID)
	case isNamed && !isOffered && d.mustBeOffered():
		return unfit("%s is not offered %s", entry.Identity.ID, d.question.wantedOffers())
	case !isOffered && d.asksRuntimes() && refused <= byRuntime:
		d.withoutOffer = append(d.withoutOffer, entry)
	}
	if !isOffered && (refused > byRuntime || d.mustBeOffered()) {
		d.left[refused] = append(d.left[refused], entry)
		return nil
	}
	d.candidates = append(d.candidates, runs...)
	return nil
}

// asksRuntimes reports whether candidates have a runtime.
func (d *drafter) asksRuntimes() bool {
	return d.mustBeOffered() ||
		slices.ContainsFunc(d.criteria, func(c draftCriterion) bool { return c.key.isPerRuntime() })
}

// mustBeOffered reports whether a model without an offer that the question takes is no candidate.
func (d *drafter) mustBeOffered() bool {
	return len(d.question.Runtimes) > 0 || d.question.asksSellers()
}

// manyCandidates is how many a result is too long to say of each why it is excluded.
const manyCandidates = 128

// obstacles are the requirements that a candidate cannot meet: by the facts of its runtime, or
// as nothing in force is known of a key, or no number that reaches a bound.
func (d *drafter) obstacles(candidate *draftCandidate) []*draftCriterion {
	list := slices.Clone(candidate.failed)
	for i := range d.criteria {
		c := &d.criteria[i]
		if c.role != requirement || c.key.isPerRuntime() || c.key.kinds != "0" {
			continue
		}
		r, isKnown := candidate.ranges[c.key]
		if !isKnown || c.operator == atLeast && r.high < c.limit || c.operator == atMost && r.low > c.limit {
			list = append(list, c)
		}
	}
	return list
}

// worstObstacle says which requirement excludes most of the candidates:
//
//	limits.context of at least 2,000,000 tokens excludes 120, 31 of them by this alone
func (d *drafter) worstObstacle(candidates []draftCandidate) string {
	counts, alone := map[*draftCriterion]int{}, map[*draftCriterion]int{}
	for i := range candidates {
		list := d.obstacles(&candidates[i])
		for _, c := range list {
			counts[c]++
			if len(list) == 1 {
				alone[c]++
			}
		}
	}
	var worst *draftCriterion
	for i := range d.criteria {
		if c := &d.criteria[i]; worst == nil || counts[c] > counts[worst] {
			worst = c
		}
	}
	what := " that is " + scalarText(worst.value)
	switch worst.operator {
	case atLeast:
		what = " of at least " + worst.key.phrase(worst.limit)
	case atMost:
		what = " of at most " + worst.key.phrase(worst.limit)
	case 0:
		what = ""
	}
	return fmt.Sprintf("%s%s excludes %s, %s of them by this alone", worst.key.Key, what,
		quantity.Number(float64(counts[worst])), quantity.Number(float64(alone[worst])))
}

func (d *drafter) findRanges() {
	clear(d.ranges)
	for i := range d.candidates {
		for k, r := range d.candidates[i].ranges {
			widen(d.ranges, k, r)
		}
	}
}

// widen makes a range reach to another one.
func widen(ranges map[*surveyedKey]scale, k *surveyedKey, r scale) {
	if known, ok := ranges[k]; ok {
		r = scale{low: min(r.low, known.low), high: max(r.high, known.high)}
	}
	ranges[k] = r
}

// knownModels returns the models that have each key that is preferred, or any of them if
// all are wanted. Where nothing is preferred, what is required counts.
func (d *drafter) knownModels() (list []*catalog.ModelEntry) {
	isPreferred := func(c draftCriterion) bool { return c.role == preference }
	counted := d.criteria
	if slices.ContainsFunc(counted, isPreferred) {
		counted = slices.DeleteFunc(slices.Clone(counted), func(c draftCriterion) bool { return !isPreferred(c) })
	}
	having := map[*catalog.ModelEntry]int{}
	for _, c := range counted {
		for _, entry := range d.modelsOf(c.key) {
			having[entry]++
		}
	}
	for i := range d.catalog.Models() {
		entry := &d.catalog.Models()[i]
		m := &entry.Identity
		if n := having[entry]; n > 0 && (d.question.All || n == len(counted)) &&
			fits(m.ID, string(m.Revision), string(m.Quantization)) {
			list = append(list, entry)
		}
	}
	slices.SortStableFunc(list, func(a, b *catalog.ModelEntry) int {
		return canonical.CompareText(a.Identity.ID,
			b.Identity.ID)
	})
	return list
}

// runs returns how a model is asked about: at one runtime, and under each workflow that it
// was measured with.
func (d *drafter) runs(entry *catalog.ModelEntry) (list []draftCandidate) {
	m := d.surveyModel(entry)
	runs := d.chooseRuntimes(entry, m.offers, m.offers)
	if !m.isStated { // what has expired decides where nothing holds any more
		if list := d.chooseRuntimes(entry, m.expired, m.offers); list[0].runtime != "" {
			for i := range list {
				list[i].failed = runs[0].failed
			}
			runs = list
		}
	}
	variants := slices.SortedFunc(maps.Keys(m.seen), func(a, b variant) int {
		return cmp.Or(strings.Compare(a.condition, b.condition), compareBool(a.hasWorkflow, b.hasWorkflow))
	})
	_, isPlain := m.seen[variant{}]
	variants = slices.DeleteFunc(variants, func(v variant) bool {
		// What was measured without a workflow counts together with what was measured with one.
		return !fits(v.condition) || isPlain && v == variant{hasWorkflow: true}
	})
	if len(variants) == 0 {
		variants = []variant{{}}
	}
	for _, run := range runs {
		run.ranges = maps.Clone(m.ranges)
		for i := range d.criteria {
			if k := d.criteria[i].key; k.isPerRuntime() {
				for _, v := range m.offers[place{run.entry, run.runtime}][k.Key] {
					if v.Kind == '0' {
						widen(run.ranges, k, scale{low: v.Float(), high: v.Float()})
					}
				}
			}
		}
		for _, v := range variants {
			run.variant, run.isOneOfMany = v, len(variants) > 1
			list = append(list, run)
		}
	}
	return list
}

// surveyedModel is what the observations of a model say of the criteria.
type surveyedModel struct {
	offers, expired places // facts of providers, those that hold and others
	isStated        bool   // something in force decides where it runs
	seen            map[variant]bool
	ranges          map[*surveyedKey]scale // of values that are the same everywhere
}

func (d *drafter) surveyModel(entry *catalog.ModelEntry) surveyedModel {
	s := surveyedModel{offers: places{}, expired: places{}, seen: map[variant]bool{}, ranges: map[*surveyedKey]scale{}}
	reader := catalog.NewRecordReader()
	for of, o := range d.observations(entry) {
		rec := reader.Read(o)
		if rec.Outcome.Status == record.OutcomeInvalid {
			continue
		}
		isInForce, facts := rec.Freshness.HoldsAt(record.Timestamp(d.catalog.AsOf())), s.offers
		if !isInForce {
			facts = s.expired
		}
		runtime, isAlone := rec.Execution.RuntimeAlone()
		for i := range rec.Measurements {
			m := &rec.Measurements[i]
			key := index.SeriesKey{Key: m.Key, Fact: m.Kind == record.Fact}
			if isAlone && key.Fact {
				facts.add(place{of, runtime}, m)
			}
			if !isInForce {
				continue
			}
			j := slices.IndexFunc(d.criteria, func(c draftCriterion) bool { return c.key.SeriesKey == key })
			if j < 0 {
				continue
			}
			k := d.criteria[j].key
			s.isStated = s.isStated || k.isPerRuntime()
			if !key.Fact && k.hasConditions {
				s.seen[k.variantOf(rec)] = true
			}
			if m.Value.Kind == '0' && !k.isPerRuntime() {
				widen(s.ranges, k, scale{low: m.Value.Float(), high: m.Value.Float()})
			}
		}
	}
	return s
}

// fits reports whether a request can hold texts.
func fits(texts ...string) bool {
	return !slices.ContainsFunc(texts, func(s string) bool { return len(s) > MaxTextBytes })
}
