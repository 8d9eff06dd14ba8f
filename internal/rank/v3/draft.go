package v3

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
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

// UnfitError reports a part of a question that a request cannot ask.
type UnfitError struct{ Reason string }

func (e *UnfitError) Error() string { return e.Reason }

func unfit(format string, args ...any) error { return &UnfitError{fmt.Sprintf(format, args...)} }

// Question is what a draft is about. What it names the catalog must have.
type Question struct {
	Models             []string // ids of candidates; nil for those that have what is preferred
	All                bool     // also those that have only some of what is preferred
	Keys               []string // criteria as the values of each key suggest
	AtLeast, AtMost    []Bound  // requirements
	Maximize, Minimize []string // keys of preferences
	Cheapest           bool     // the price of a task decides between candidates that are tied
}

// isOpen reports whether nothing is asked but what the keys suggest.
func (q *Question) isOpen() bool {
	return !q.All && !q.Cheapest && len(q.AtLeast)+len(q.AtMost)+len(q.Maximize)+len(q.Minimize) == 0
}

// Bound is a number that a value must reach or must not exceed.
type Bound struct {
	Key        string
	Number     float64
	PerMillion bool // it was written per million tokens; the number is for one
}

// ParseBound reads a bound as people write it, KEY=NUMBER. A number with /M at its end is
// dollars per million tokens:
//
//	limits.context=200000   // tokens
//	price.output=5/M        // 0.000005 USD/token
func ParseBound(text string) (b Bound, err error) {
	cut := strings.LastIndexByte(text, '=') // a key may have one, too
	if cut <= 0 {
		return b, errors.New("must be KEY=NUMBER, like limits.context=200000 or price.output=5/M")
	}
	b.Key = text[:cut]
	number, isPerMillion := strings.CutSuffix(text[cut+1:], "/M")
	if b.PerMillion = isPerMillion; isPerMillion {
		if strings.ContainsAny(number, "eE") {
			return b, errors.New("must have a number without exponent before /M")
		}
		number += "e-6" // exact, as dividing a double would not be
	}
	value, err := ijson.ReadValue(number, problem.InvalidRankRequest)
	if err != nil || value.Kind != '0' {
		return b, errors.New("must end in a number, like limits.context=200000 or price.output=5/M")
	}
	b.Number, _ = strconv.ParseFloat(number, 64) // which is a JSON number
	return b, nil
}

// The task whose price decides between candidates that are tied.
const (
	taskInput, taskOutput = 20_000, 3_000 // tokens
	inputPrice            = "price.input"
	outputPrice           = "price.output"
)

// dearest is the most dollars that a token may cost. What is above it is meant for a
// million tokens.
const dearest = 0.001

// Draft writes a request that asks a question, or one to start from if nothing is asked:
// with some of the models and keys that the catalog has most of. It reads like this, a
// candidate and a criterion a line:
//
//	{ "schemaVersion": "service.rank.request/v3",
//	  "inventory": [
//	    { "id": "atlas-70b", "model": { "id": "acme/atlas-70b" }, "execution": { "runtime": { "id": "acme" } } } ],
//	  "requirements": [
//	    { "measurementKey": "limits.context", "aggregation": "fact", "unit": "tokens",
//	      "operator": "gte", "value": 200000 } ],
//	  "preferences": [
//	    { "measurementKey": "repair.fixed", "aggregation": "success-rate", "transfer": ["execution"],
//	      "resolve": ["most-specific", "newest"], "direction": "maximize", "weight": 1, "scale": { "low": 0, "high": 1 } } ] }
//
// Where facts are told for each runtime, as prices are, a candidate has one: the runtime
// that meets most requirements, then the one of which most is known without
// contradiction, then the cheapest. Such facts are never taken from another runtime.
// Samples are taken from any execution, save where models were measured under several
// workflow conditions: then such a model is a candidate for each, and the condition must
// be the candidate's. The error is an *AbsentError, an
// *UnfitError, or what is wrong with the request.
func Draft(c *catalog.Catalog, question Question) (string, error) {
	d := drafter{catalog: c, question: &question, all: surveyKeys(c)}
	if err := d.chooseCriteria(); err != nil {
		return "", err
	}
	if err := d.chooseCandidates(); err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(`{ "schemaVersion": "` + RequestSchema + `",` + "\n")
	b.WriteString(`  "inventory": [` + draftList(d.candidateLines()))
	for _, role := range []role{requirement, preference} {
		if len(d.lines[role]) > 0 {
			b.WriteString(",\n  \"" + roleMembers[role] + `": [` + draftList(d.lines[role]))
		}
	}
	if question.Cheapest {
		b.WriteString(",\n" + `  "tieBreakers": [
    { "id": "usd-per-task", "direction": "minimize", "sum": [
      ` + d.term(inputPrice, taskInput) + `,
      ` + d.term(outputPrice, taskOutput) + ` ] } ]`)
	}
	b.WriteString(" }\n")
	// What was named may be more than a request can hold.
	if _, err := ReadRequest(problem.Source{Text: b.String()}); err != nil {
		return "", err
	}
	return b.String(), nil
}

// drafter makes a draft: its criteria first, then the candidates that they need.
type drafter struct {
	catalog    *catalog.Catalog
	question   *Question
	all        []*surveyedKey // of the catalog, in order
	keys       []*surveyedKey // of all criteria
	preferred  []*surveyedKey // of preferences
	bounds     []draftBound
	lines      [roles][]string // the criteria
	inventory  []*catalog.ModelEntry
	candidates []draftCandidate
}

// draftBound is a requirement by a number.
type draftBound struct {
	key   *surveyedKey
	most  bool // or else least
	limit float64
}

func (b *draftBound) isMet(f float64) bool {
	if b.most {
		return f <= b.limit
	}
	return f >= b.limit
}

// draftCandidate is a model as it is run.
type draftCandidate struct {
	entry   *catalog.ModelEntry
	runtime string // "" for none
	variant
	isOneOfMany bool // conditions
}

// variant is the workflow that samples were made with: none, one without a condition, or
// one with.
type variant struct {
	hasWorkflow bool
	condition   string
}

// key finds the key of a name, samples before facts.
func (d *drafter) key(name string) (*surveyedKey, error) {
	for _, isFact := range []bool{false, true} {
		if i, ok := slices.BinarySearchFunc(d.all, seriesKey{name, isFact}, (*surveyedKey).compare); ok {
			return d.all[i], nil
		}
	}
	var known []string
	for _, k := range d.all {
		known = append(known, k.key)
	}
	return nil, &AbsentError{"key", name, spelling.Closest(name, known)}
}

// number is key for one whose values can be compared as numbers.
func (d *drafter) number(name string) (*surveyedKey, error) {
	k, err := d.key(name)
	if err == nil && k.kinds != "0" && (k.fact || k.kinds != "t") {
		return nil, unfit("the values of %s are not numbers", name)
	}
	return k, err
}

func (d *drafter) take(role role, k *surveyedKey, line string) {
	d.lines[role] = append(d.lines[role], line)
	if d.keys = append(d.keys, k); role == preference {
		d.preferred = append(d.preferred, k)
	}
}

func (d *drafter) chooseCriteria() error {
	q := d.question
	for i, b := range slices.Concat(q.AtLeast, q.AtMost) {
		k, err := d.number(b.Key)
		if err != nil {
			return err
		}
		isPerToken := slices.Equal(k.units, []string{"USD/token"})
		switch {
		case b.PerMillion && !isPerToken:
			return unfit("%s is not in USD/token, which /M is for", b.Key)
		case isPerToken && !b.PerMillion && b.Number > dearest:
			text := canonical.AppendNumber(nil, b.Number)
			return unfit("%s is in USD/token: write %s/M for %[2]s dollars per million tokens", b.Key, text)
		}
		bound := draftBound{k, i >= len(q.AtLeast), b.Number}
		operator := "gte"
		if bound.most {
			operator = "lte"
		}
		line := k.criterion(k.aggregation()) + `"operator": "` + operator + `", "value": ` + string(canonical.AppendNumber(nil, b.Number)) + ` }`
		if n := d.requirementsBy(k); n > 0 {
			line = `{ "id": ` + canonical.Quote(fmt.Sprintf("requirement:%s:%d", k.key, n+1)) + `, ` + strings.TrimPrefix(line, "{ ")
		}
		d.bounds = append(d.bounds, bound)
		d.take(requirement, k, line)
	}
	directions := map[*surveyedKey]string{}
	for i, name := range slices.Concat(q.Maximize, q.Minimize) {
		k, err := d.number(name)
		if err != nil {
			return err
		}
		direction := "maximize"
		if i >= len(q.Maximize) {
			direction = "minimize"
		}
		switch directions[k] {
		case "":
			directions[k] = direction
			d.take(preference, k, k.preference(direction))
		case direction:
		default:
			return unfit("%s cannot be both high and low", name)
		}
	}
	if q.Cheapest {
		for _, name := range []string{inputPrice, outputPrice} {
			k, err := d.key(name)
			if err != nil {
				return err
			}
			if !k.fact || k.kinds != "0" {
				return unfit("the values of %s are not prices", name)
			}
			d.keys = append(d.keys, k)
		}
	}
	return d.chooseKeys()
}

// chooseKeys takes the keys that are named, as what they are, or some if nothing is
// asked.
func (d *drafter) chooseKeys() error {
	var list []*surveyedKey
	for _, name := range d.question.Keys {
		k, err := d.key(name)
		if err != nil {
			return err
		}
		if !slices.Contains(list, k) {
			list = append(list, k)
		}
	}
	if d.question.Keys == nil && len(d.keys) == 0 {
		inventory, err := draftInventory(d.catalog, d.question.Models)
		if err != nil {
			return err
		}
		list = commonKeys(d.all, inventory)
	}
	for _, k := range list {
		role, line := k.draft()
		if !slices.Contains(d.preferred, k) && (role == preference || d.requirementsBy(k) == 0) {
			d.take(role, k, line)
		}
	}
	return nil
}

func (d *drafter) requirementsBy(k *surveyedKey) (n int) {
	for _, b := range d.bounds {
		if b.key == k {
			n++
		}
	}
	return n
}

func (d *drafter) chooseCandidates() (err error) {
	if d.question.Models == nil && !d.question.isOpen() {
		d.inventory = d.knownModels()
	} else if d.inventory, err = draftInventory(d.catalog, d.question.Models); err != nil {
		return err
	}
	for _, entry := range d.inventory {
		runtime, variants := d.execution(entry)
		for _, v := range variants {
			d.candidates = append(d.candidates, draftCandidate{entry, runtime, v, len(variants) > 1})
		}
	}
	if n := len(d.candidates); n > MaxCandidates && d.question.Models == nil {
		return unfit("the question has %d candidates, more than the %d that a request can hold: name models", n, MaxCandidates)
	}
	return nil
}

// knownModels returns the models that have each key that is preferred, or any of them if
// all are wanted. Where nothing is preferred, what is required counts.
func (d *drafter) knownModels() (list []*catalog.ModelEntry) {
	keys := d.preferred
	if len(keys) == 0 {
		keys = d.keys
	}
	having := map[*catalog.ModelEntry]int{}
	for _, k := range keys {
		for _, entry := range k.models {
			having[entry]++
		}
	}
	for i := range d.catalog.Models() {
		entry := &d.catalog.Models()[i]
		m := &entry.Identity
		if n := having[entry]; n > 0 && (d.question.All || n == len(keys)) && fits(m.ID, m.Revision, m.Quantization) {
			list = append(list, entry)
		}
	}
	slices.SortStableFunc(list, func(a, b *catalog.ModelEntry) int { return canonical.CompareText(a.Identity.ID, b.Identity.ID) })
	return list
}

// execution returns the runtime at which a model is asked about, and the variants under
// which it was measured.
func (d *drafter) execution(entry *catalog.ModelEntry) (runtime string, variants []variant) {
	offers := map[string]offer{}
	seen := map[variant]bool{}
	reader := catalog.NewRecordReader()
	for _, o := range entry.Observations {
		rec := reader.Read(o)
		if rec.Outcome.Status == catalog.OutcomeInvalid || rec.Freshness.ValidUntil != "" && rec.Freshness.ValidUntil <= d.catalog.AsOf() {
			continue
		}
		for i := range rec.Measurements {
			m := &rec.Measurements[i]
			key := seriesKey{m.Key, m.Kind == catalog.Fact}
			if j := slices.IndexFunc(d.keys, func(k *surveyedKey) bool { return k.seriesKey == key }); j >= 0 && !key.fact && d.keys[j].hasConditions {
				seen[variant{rec.Execution.Workflow.ID != "", rec.Execution.Workflow.Condition}] = true
			}
			if id, ok := runtimeAlone(&rec.Execution); ok && key.fact {
				if offers[id] == nil {
					offers[id] = offer{}
				}
				offers[id][m.Key] = append(offers[id][m.Key], m.Value)
			}
		}
	}
	everywhere := offers[""]
	delete(offers, "")
	if slices.ContainsFunc(d.keys, func(k *surveyedKey) bool { return k.fact && k.isByRuntime }) {
		var best appeal
		for _, id := range slices.Sorted(maps.Keys(offers)) {
			if a := d.appeal(offers[id], everywhere, strings.HasPrefix(entry.Identity.ID, id+"/")); fits(id) && (runtime == "" || a.compare(&best) > 0) {
				runtime, best = id, a
			}
		}
	}
	variants = slices.SortedFunc(maps.Keys(seen), func(a, b variant) int {
		return cmp.Or(strings.Compare(a.condition, b.condition), compareBool(a.hasWorkflow, b.hasWorkflow))
	})
	variants = slices.DeleteFunc(variants, func(v variant) bool { return !fits(v.condition) })
	if len(variants) == 0 {
		variants = []variant{{}}
	}
	return runtime, variants
}

// runtimeAlone returns the runtime of a scope that speaks of nothing else, "" for a scope
// that is null.
func runtimeAlone(s *catalog.Scope) (id string, ok bool) {
	if s.Kind == "" {
		return "", true
	}
	ok = s.Kind == catalog.ScopePartial && s.Runtime.ID != "" && s.Runtime.Version == "" && s.Adapter.ID == "" &&
		!s.EffectiveContextTokens.Known && s.ToolSurface == nil && s.Hardware.Class == "" && s.Workflow.ID == ""
	return s.Runtime.ID, ok
}

// offer is what facts say of a model at a runtime, by key.
type offer map[string][]catalog.Scalar

// appeal is how well an offer serves a question.
type appeal struct {
	met   int // requirements
	known int // keys, without contradiction
	price float64
	own   bool // the runtime is the maker's
}

func (a *appeal) compare(b *appeal) int {
	return cmp.Or(cmp.Compare(a.met, b.met), cmp.Compare(a.known, b.known), cmp.Compare(b.price, a.price), compareBool(a.own, b.own))
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func (d *drafter) appeal(o, everywhere offer, isOwn bool) appeal {
	one := func(key string) (v catalog.Scalar, ok bool) {
		values := slices.Concat(o[key], everywhere[key])
		if len(values) == 0 || slices.ContainsFunc(values, func(v catalog.Scalar) bool { return v != values[0] }) {
			return v, false
		}
		return values[0], true
	}
	a := appeal{price: math.Inf(1), own: isOwn}
	for _, k := range d.keys {
		if _, ok := one(k.key); ok && k.fact {
			a.known++
		}
	}
	for i := range d.bounds {
		if v, ok := one(d.bounds[i].key.key); ok && d.bounds[i].key.fact && v.Kind == '0' && d.bounds[i].isMet(v.Float()) {
			a.met++
		}
	}
	in, ok := one(inputPrice)
	if out, ok2 := one(outputPrice); ok && ok2 && in.Kind == '0' && out.Kind == '0' {
		a.price = taskInput*in.Float() + taskOutput*out.Float()
	}
	return a
}

// term writes a term of a sum.
func (d *drafter) term(name string, factor int) string {
	k, _ := d.key(name) // which was found before
	return fmt.Sprintf(`{ "measurementKey": %s, "aggregation": "fact", %s"factor": %d }`, canonical.Quote(name), k.options(), factor)
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

// candidateLines writes the candidates, called by the last part of the ids of their models
// and the condition, if there are several.
func (d *drafter) candidateLines() (lines []string) {
	taken := map[string]bool{}
	for i := range d.candidates {
		c := &d.candidates[i]
		m := &c.entry.Identity
		base := ijson.Trim(m.ID[strings.LastIndexByte(m.ID, '/')+1:])
		if base == "" {
			base = m.ID
		}
		if long := ijson.Trim(base + "@" + c.condition); c.isOneOfMany && c.condition != "" && fits(long) {
			base = long
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
		lines = append(lines, line+" }"+c.execution()+" }")
	}
	return lines
}

func (c *draftCandidate) execution() string {
	var members []string
	if c.runtime != "" {
		members = append(members, `"runtime": { "id": `+canonical.Quote(c.runtime)+` }`)
	}
	if c.hasWorkflow {
		workflow := `"workflow": { "id": "your-agent"`
		if c.condition != "" {
			workflow += `, "condition": ` + canonical.Quote(c.condition)
		}
		members = append(members, workflow+" }")
	}
	if len(members) == 0 {
		return ""
	}
	return `, "execution": { ` + strings.Join(members, ", ") + " }"
}

// surveyedKey is what a catalog has under a key and kind.
type surveyedKey struct {
	seriesKey
	units     []string              // distinct
	models    []*catalog.ModelEntry // that have a measurement
	kinds     string                // of values, each once, as they come
	low, high float64               // of numbers, over all models
	common    catalog.Scalar
	counts    map[catalog.Scalar]int

	isByRuntime   bool    // each scope gives a runtime alone, or nothing
	hasConditions bool    // some model was measured under several
	variant       variant // that of the first sample of the last model
}

// surveyKeys returns all keys of a catalog, facts and samples apart, in order.
func surveyKeys(c *catalog.Catalog) []*surveyedKey {
	all := map[seriesKey]*surveyedKey{}
	reader := catalog.NewRecordReader()
	for i := range c.Models() {
		entry := &c.Models()[i]
		for _, o := range entry.Observations {
			rec := reader.Read(o)
			if rec.Outcome.Status == catalog.OutcomeInvalid {
				continue
			}
			_, isByRuntime := runtimeAlone(&rec.Execution)
			for j := range rec.Measurements {
				m := &rec.Measurements[j]
				key := seriesKey{m.Key, m.Kind == catalog.Fact}
				k := all[key]
				if k == nil {
					k = &surveyedKey{seriesKey: key, low: math.Inf(1), high: math.Inf(-1), counts: map[catalog.Scalar]int{}, isByRuntime: true}
					all[key] = k
				}
				k.add(m)
				k.isByRuntime = k.isByRuntime && isByRuntime
				v := variant{rec.Execution.Workflow.ID != "", rec.Execution.Workflow.Condition}
				if n := len(k.models); n == 0 || k.models[n-1] != entry {
					k.models = append(k.models, entry)
					k.variant = v
				}
				k.hasConditions = k.hasConditions || !key.fact && v.condition != k.variant.condition
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
	slices.SortStableFunc(most, func(a, b *surveyedKey) int { return cmp.Compare(counts[b], counts[a]) })
	take := func(n int, isWanted func(*surveyedKey) bool) {
		for _, k := range most {
			if n > 0 && counts[k] > 0 && k.fits() && isWanted(k) {
				list = append(list, k)
				n--
			}
		}
	}
	take(draftFacts, func(k *surveyedKey) bool { return k.fact && k.kinds == "0" && !k.isPrice() })
	take(draftSamples, func(k *surveyedKey) bool { return !k.fact && (k.kinds == "0" || k.kinds == "t") })
	take(draftPrices, func(k *surveyedKey) bool { return k.fact && k.isPrice() })
	return list
}

// draft writes a criterion: a requirement by a fact that is no price, which the least
// value meets, else a preference.
func (k *surveyedKey) draft() (role, string) {
	if k.fact && !k.isPrice() {
		operator, value := "eq", string(k.valueJSON())
		if k.kinds == "0" {
			operator, value = "gte", string(canonical.AppendNumber(nil, k.low))
		}
		return requirement, k.criterion("fact") + `"operator": "` + operator + `", "value": ` + value + ` }`
	}
	direction := "maximize"
	if k.isPrice() {
		direction = "minimize"
	}
	return preference, k.preference(direction)
}

// preference writes a preference, on the scale of the values that the catalog has.
func (k *surveyedKey) preference(direction string) string {
	low, high := k.low, k.high
	switch {
	case k.kinds == "t":
		low, high = 0, 1
	case slices.Equal(k.units, []string{"percent"}):
		low, high = 0, 100
	}
	ends := ""
	if (k.kinds == "0" || k.kinds == "t") && low < high {
		ends = `, "scale": { "low": ` + string(canonical.AppendNumber(nil, low)) + `, "high": ` + string(canonical.AppendNumber(nil, high)) + ` }`
	}
	return k.criterion(k.aggregation()) + `"direction": "` + direction + `", "weight": 1` + ends + ` }`
}

// aggregation is what makes one value of those that a candidate has.
func (k *surveyedKey) aggregation() string {
	switch {
	case k.fact:
		return "fact"
	case k.kinds == "0":
		return "mean"
	case k.kinds == "t":
		return "success-rate"
	}
	return "count"
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
	if line += k.options(); k.fact && k.isByRuntime {
		return line
	}
	return strings.TrimSuffix(line, " ") + "\n      "
}

// options writes the evidence options, with a comma after each.
func (k *surveyedKey) options() (text string) {
	if len(k.units) == 1 && k.units[0] != "" {
		text = `"unit": ` + canonical.Quote(k.units[0]) + `, `
	}
	switch {
	case k.fact && k.isByRuntime:
		return text
	case k.hasConditions: // all but the condition
		text += `"transfer": ["runtime", "adapter", "effectiveContextTokens", "toolSurface", "hardware", "workflow.id", "workflow.version"], `
	default:
		text += `"transfer": ["execution"], `
	}
	return text + `"resolve": ["most-specific", "newest"], `
}
