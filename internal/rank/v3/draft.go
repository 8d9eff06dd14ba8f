package v3

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank/index"
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
	What, Name string // what is model, key or runtime
	Closest    string // the closest name that it has, "" if none is close
}

func (e *AbsentError) Error() string {
	text := fmt.Sprintf("the catalog has no model %q", e.Name)
	switch e.What {
	case "key":
		text = fmt.Sprintf("no observation has the key %q", e.Name)
	case "runtime":
		text = fmt.Sprintf("no fact of the catalog is about the runtime %q", e.Name)
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
	Runtimes           []string // where candidates run; nil for anywhere
	Keys               []string // criteria as the values of each key suggest
	AtLeast, AtMost    []Bound  // requirements
	Maximize, Minimize []string // keys of preferences
	Trials             []Shares // keys whose values are shares of trials
	Cheapest           bool     // the price of a task decides between candidates that are tied
}

// Shares says that the values of a key are shares of trials, and which key counts those.
type Shares struct{ Key, Count string }

// ParseShares reads what people write as KEY=COUNT:
//
//	tickets.solved=tickets.total
func ParseShares(text string) (Shares, error) {
	cut := strings.LastIndexByte(text, '=')
	if cut <= 0 || cut == len(text)-1 {
		return Shares{}, errors.New("must be KEY=COUNT, two keys, like tickets.solved=tickets.total")
	}
	return Shares{text[:cut], text[cut+1:]}, nil
}

// isOpen reports whether nothing is asked but what the keys suggest.
func (q *Question) isOpen() bool {
	return !q.All && !q.Cheapest && q.Runtimes == nil && len(q.AtLeast)+len(q.AtMost)+len(q.Maximize)+len(q.Minimize) == 0
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
// contradiction, then the cheapest; where nothing holds any more, expired facts decide.
// If runtimes are named, it is one of those, and models that none of them offers are left out.
// Such facts are never taken from another runtime. Samples are taken from any execution,
// save where models were measured under several workflow conditions: then such a model is
// a candidate for each, and the condition must be the candidate's. Scales reach from the least to the greatest value of the candidates,
// those of percentages and of shares of trials from nothing to all. The error is an *AbsentError, an
// *UnfitError, or what is wrong with the request.
func Draft(c *catalog.Catalog, question Question) (string, error) {
	d := drafter{catalog: c, question: &question, all: surveyKeys(c), ranges: map[*surveyedKey]scale{}}
	if err := d.chooseCriteria(); err != nil {
		return "", err
	}
	if err := d.chooseCandidates(); err != nil {
		return "", err
	}
	text := `{ "schemaVersion": "` + RequestSchema + `",` + "\n" +
		`  "inventory": [` + draftList(d.candidateLines())
	for _, role := range []role{requirement, preference} {
		if lines := d.lines(role); lines != nil {
			text += ",\n  \"" + roleMembers[role] + `": [` + draftList(lines)
		}
	}
	if terms := d.lines(tieBreaker); terms != nil {
		text += ",\n" + `  "tieBreakers": [
    { "id": "usd-per-task", "direction": "minimize", "sum": [
      ` + strings.Join(terms, ",\n      ") + ` ] } ]`
	}
	text += " }\n"
	// What was named may be more than a request can hold.
	if _, err := ReadRequest(problem.Source{Text: text}); err != nil {
		return "", err
	}
	return text, nil
}

// drafter makes a draft: its criteria first, then the candidates that they need.
type drafter struct {
	catalog    *catalog.Catalog
	question   *Question
	all        []*surveyedKey // of the catalog, in order
	criteria   []draftCriterion
	candidates []draftCandidate
	ranges     map[*surveyedKey]scale // of the numbers that the candidates have
}

// draftCriterion is a requirement, a preference, or a term of the tie breaker.
type draftCriterion struct {
	role      role
	key       *surveyedKey
	operator  operator  // of a requirement by a number, or else 0
	limit     float64   // the number
	direction direction // of a preference
	factor    int       // of a term
}

// isMet reports whether a value meets a requirement by a number.
func (c *draftCriterion) isMet(v catalog.Scalar) bool {
	required := criterion{operator: c.operator, number: c.limit}
	return required.meets(&index.Value{Kind: v.Kind, Number: v.Float()})
}

// draftCandidate is a model as it is run.
type draftCandidate struct {
	entry   *catalog.ModelEntry
	runtime string // "" for none
	variant
	isOneOfMany bool // conditions
	failed      int  // requirements by facts of the runtime
	ranges      map[*surveyedKey]scale
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
		if i, ok := slices.BinarySearchFunc(d.all, index.SeriesKey{Key: name, Fact: isFact}, func(k *surveyedKey, key index.SeriesKey) int { return k.Compare(key) }); ok {
			return d.all[i], nil
		}
	}
	var known []string
	for _, k := range d.all {
		known = append(known, k.Key)
	}
	return nil, &AbsentError{"key", name, spelling.Closest(name, known)}
}

// number is key for one whose values can be compared as numbers.
func (d *drafter) number(name string) (*surveyedKey, error) {
	k, err := d.key(name)
	if err == nil && k.kinds != "0" && (k.Fact || k.kinds != "t") {
		return nil, unfit("the values of %s are not numbers: it can be asked for as a key alone", name)
	}
	return k, err
}

// has reports whether there is a criterion of a role by a key.
func (d *drafter) has(role role, k *surveyedKey) bool {
	return slices.ContainsFunc(d.criteria, func(c draftCriterion) bool { return c.role == role && c.key == k })
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
		operator := atLeast
		if i >= len(q.AtLeast) {
			operator = atMost
		}
		d.criteria = append(d.criteria, draftCriterion{role: requirement, key: k, operator: operator, limit: b.Number})
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
	if q.Cheapest {
		for _, price := range []struct {
			key    string
			factor int
		}{{inputPrice, taskInput}, {outputPrice, taskOutput}} {
			k, err := d.key(price.key)
			if err != nil {
				return err
			}
			if !k.Fact || k.kinds != "0" {
				return unfit("the values of %s are not prices", price.key)
			}
			d.criteria = append(d.criteria, draftCriterion{role: tieBreaker, key: k, factor: price.factor})
		}
	}
	if err := d.chooseKeys(); err != nil {
		return err
	}
	if err := d.countTrials(); err != nil {
		return err
	}
	return d.checkRuntimes()
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
			return unfit("nothing is asked of %s: prefer it, too", s.Key)
		}
		k.trials, k.shares = s.Count, scale{0, 1}
		if k.numbers.high > 1 || slices.Equal(k.units, []string{"percent"}) {
			k.shares.high = 100
		}
	}
	return nil
}

// chooseKeys takes the keys that are named, as what they are, or some if nothing is
// asked: a fact that is no price is required, and anything else preferred.
func (d *drafter) chooseKeys() error {
	var list []*surveyedKey
	for _, name := range d.question.Keys {
		k, err := d.key(name)
		if err != nil {
			return err
		}
		list = append(list, k)
	}
	if d.question.Keys == nil && len(d.criteria) == 0 {
		inventory, err := draftInventory(d.catalog, d.question.Models)
		if err != nil {
			return err
		}
		list = commonKeys(d.all, inventory)
	}
	for _, k := range list {
		c := draftCriterion{role: preference, key: k, direction: maximize}
		if k.isPrice() {
			c.direction = minimize
		} else if k.Fact {
			c = draftCriterion{role: requirement, key: k}
		}
		if !d.has(preference, k) && !d.has(c.role, k) {
			d.criteria = append(d.criteria, c)
		}
	}
	return nil
}

// chooseCandidates takes the models that are named or known, and those alone that meet all
// requirements by facts if a request cannot hold more.
func (d *drafter) chooseCandidates() error {
	inventory := d.knownModels()
	if d.question.Models != nil || d.question.isOpen() {
		var err error
		if inventory, err = draftInventory(d.catalog, d.question.Models); err != nil {
			return err
		}
	}
	for _, entry := range inventory {
		runs := d.runs(entry)
		if isOffered := d.question.Runtimes == nil || runs[0].runtime != ""; isOffered {
			d.candidates = append(d.candidates, runs...)
		} else if d.question.Models != nil {
			return unfit("%s is not offered at %s", entry.Identity.ID, strings.Join(d.question.Runtimes, " or "))
		}
	}
	if d.question.Runtimes != nil && len(d.candidates) == 0 {
		return unfit("no model that the question is about is offered at %s", strings.Join(d.question.Runtimes, " or "))
	}
	if d.question.Models == nil && len(d.candidates) > MaxCandidates {
		d.candidates = slices.DeleteFunc(d.candidates, func(c draftCandidate) bool { return c.failed > 0 })
		if n := len(d.candidates); n > MaxCandidates {
			return unfit("the question has %d candidates, more than the %d that a request can hold: require more, or name models", n, MaxCandidates)
		}
	}
	for i := range d.candidates {
		for k, r := range d.candidates[i].ranges {
			widen(d.ranges, k, r)
		}
	}
	return nil
}

// widen makes a range reach to another one.
func widen(ranges map[*surveyedKey]scale, k *surveyedKey, r scale) {
	if known, ok := ranges[k]; ok {
		r = scale{min(r.low, known.low), max(r.high, known.high)}
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
		for _, entry := range c.key.models {
			having[entry]++
		}
	}
	for i := range d.catalog.Models() {
		entry := &d.catalog.Models()[i]
		m := &entry.Identity
		if n := having[entry]; n > 0 && (d.question.All || n == len(counted)) && fits(m.ID, m.Revision, m.Quantization) {
			list = append(list, entry)
		}
	}
	slices.SortStableFunc(list, func(a, b *catalog.ModelEntry) int { return canonical.CompareText(a.Identity.ID, b.Identity.ID) })
	return list
}

// runs returns how a model is asked about: at one runtime, and under each workflow that it
// was measured with.
func (d *drafter) runs(entry *catalog.ModelEntry) (list []draftCandidate) {
	offers, expired := map[string]offer{}, map[string]offer{} // by runtime
	isStated := false                                         // something in force decides where it runs
	seen, ranges := map[variant]bool{}, map[*surveyedKey]scale{}
	reader := catalog.NewRecordReader()
	for _, o := range entry.Observations {
		rec := reader.Read(o)
		if rec.Outcome.Status == catalog.OutcomeInvalid {
			continue
		}
		isInForce, facts := rec.Freshness.HoldsAt(d.catalog.AsOf()), offers
		if !isInForce {
			facts = expired
		}
		runtime, isAlone := runtimeAlone(&rec.Execution)
		for i := range rec.Measurements {
			m := &rec.Measurements[i]
			key := index.SeriesKey{Key: m.Key, Fact: m.Kind == catalog.Fact}
			if isAlone && key.Fact && (runtime == "" || d.question.Runtimes == nil || slices.Contains(d.question.Runtimes, runtime)) {
				if facts[runtime] == nil {
					facts[runtime] = offer{}
				}
				facts[runtime][m.Key] = append(facts[runtime][m.Key], m.Value)
			}
			if !isInForce {
				continue
			}
			j := slices.IndexFunc(d.criteria, func(c draftCriterion) bool { return c.key.SeriesKey == key })
			if j < 0 {
				continue
			}
			k := d.criteria[j].key
			isStated = isStated || k.isPerRuntime()
			if !key.Fact && k.hasConditions {
				seen[variant{rec.Execution.Workflow.ID != "", rec.Execution.Workflow.Condition}] = true
			}
			if m.Value.Kind == '0' && !k.isPerRuntime() {
				widen(ranges, k, scale{m.Value.Float(), m.Value.Float()})
			}
		}
	}
	everywhere := offers[""]
	chosen, best := d.chooseRuntime(entry, offers, everywhere)
	facts := everywhere
	if chosen != "" {
		facts = offers[chosen]
	}
	if !isStated {
		if id, _ := d.chooseRuntime(entry, expired, everywhere); id != "" {
			chosen = id
		}
	}
	for i := range d.criteria {
		if k := d.criteria[i].key; k.isPerRuntime() {
			for _, v := range facts[k.Key] {
				if v.Kind == '0' {
					widen(ranges, k, scale{v.Float(), v.Float()})
				}
			}
		}
	}
	variants := slices.SortedFunc(maps.Keys(seen), func(a, b variant) int {
		return cmp.Or(strings.Compare(a.condition, b.condition), compareBool(a.hasWorkflow, b.hasWorkflow))
	})
	variants = slices.DeleteFunc(variants, func(v variant) bool { return !fits(v.condition) })
	if len(variants) == 0 {
		variants = []variant{{}}
	}
	for _, v := range variants {
		list = append(list, draftCandidate{entry, chosen, v, len(variants) > 1, best.failed, ranges})
	}
	return list
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

// lines writes the criteria of a role.
func (d *drafter) lines(role role) (lines []string) {
	required := map[*surveyedKey]int{}
	for i := range d.criteria {
		c, id := &d.criteria[i], ""
		if c.role != role {
			continue
		}
		switch role {
		case requirement:
			if required[c.key]++; required[c.key] > 1 {
				id = fmt.Sprintf("requirement:%s:%d", c.key.Key, required[c.key])
			}
			operator, value := d.expected(c)
			lines = append(lines, c.key.criterion(id)+`"operator": "`+operator+`", "value": `+value+` }`)
		case preference:
			lines = append(lines, c.key.criterion(id)+`"direction": "`+c.direction.String()+`", "weight": 1`+d.ends(c.key)+` }`)
		case tieBreaker:
			lines = append(lines, fmt.Sprintf(`{ "measurementKey": %s, "aggregation": "fact", %s"factor": %d }`,
				canonical.Quote(c.key.Key), c.key.options(), c.factor))
		}
	}
	return lines
}

// rangeOf returns the least and the greatest number of the candidates or, if they have
// none, of all models.
func (d *drafter) rangeOf(k *surveyedKey) scale {
	if r, ok := d.ranges[k]; ok {
		return r
	}
	return k.numbers
}

// expected returns the operator and the value of a requirement. One by a key alone is met by
// every candidate that has a number, by what is true, or by the word that is most common.
func (d *drafter) expected(c *draftCriterion) (operator, value string) {
	number := func(f float64) string { return string(canonical.AppendNumber(nil, f)) }
	switch {
	case c.operator != 0:
		return c.operator.String(), number(c.limit)
	case c.key.kinds == "0":
		return atLeast.String(), number(d.rangeOf(c.key).low)
	case c.key.kinds == "t":
		return equal.String(), "true"
	}
	var e canonical.Encoder
	catalog.EncodeScalar(&e, c.key.common)
	return equal.String(), string(e.Buf)
}

// ends writes the scale of a preference.
func (d *drafter) ends(k *surveyedKey) string {
	ends := d.rangeOf(k)
	switch {
	case k.kinds == "t":
		ends = scale{0, 1}
	case k.kinds != "0":
		return ""
	case k.trials != "":
		ends = k.shares
	case slices.Equal(k.units, []string{"percent"}):
		ends = scale{0, 100}
	}
	if ends.low >= ends.high {
		return ""
	}
	return `, "scale": { "low": ` + string(canonical.AppendNumber(nil, ends.low)) + `, "high": ` + string(canonical.AppendNumber(nil, ends.high)) + ` }`
}

// aggregation is what makes one value of those that a candidate has.
func (k *surveyedKey) aggregation() string {
	switch {
	case k.Fact:
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
	return fits("requirement:"+k.Key, strings.Join(k.units, ""), k.common.Text)
}

// criterion writes the beginning of a criterion, with an id if it has one or needs one
// because the one that it would have is too long.
func (k *surveyedKey) criterion(id string) string {
	line := `{ `
	if id == "" && !fits(roleNames[requirement]+":"+k.Key) {
		id = k.Key
	}
	if id != "" {
		line += `"id": ` + canonical.Quote(id) + `, `
	}
	line += `"measurementKey": ` + canonical.Quote(k.Key) + `, "aggregation": "` + k.aggregation() + `", `
	if line += k.options(); k.isPerRuntime() {
		return line
	}
	return strings.TrimSuffix(line, " ") + "\n      "
}

// options writes the evidence options, with a comma after each.
func (k *surveyedKey) options() (text string) {
	if len(k.units) == 1 && k.units[0] != "" {
		text = `"unit": ` + canonical.Quote(k.units[0]) + `, `
	}
	if k.trials != "" {
		text += `"trials": { "measurementKey": ` + canonical.Quote(k.trials) + `, "scale": ` + string(canonical.AppendNumber(nil, k.shares.high)) + ` }, `
	}
	switch {
	case k.isPerRuntime():
		return text
	case k.hasConditions: // all but the condition
		text += `"transfer": ["runtime", "adapter", "effectiveContextTokens", "toolSurface", "hardware", "workflow.id", "workflow.version"], `
	default:
		text += `"transfer": ["execution"], `
	}
	return text + `"resolve": ["most-specific", "newest"], `
}
