package v3

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/keys"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/quantity"
	"github.com/model-catalog-service/svc/service/record"
)

// This file holds a few models against each other, key by key: what was measured of them and who is
// shown to be better, and what their providers state.
//
//	livebench.coding.score   79.65% (71.3% to 86.1%)   76.2% (67.6% to 83%)   cannot be told apart
//	price.output             $4.40 per million tokens  $2.20 per million tokens
//
// Each key is compared as if a question had it as its only preference, so that the statistics and
// their words are those of rankings.

// HeadToHead asks for a comparison.
type HeadToHead struct {
	Models     []string // ids, each perhaps followed by @ and a condition, such as openai/gpt-5@effort=high
	Runtimes   []string // providers at which the models may run; nil: any
	Tokens     *TaskTokens
	Confidence float64
	Target     string
}

// mostCompared is how many measurement keys a comparison holds, so that a request can hold them.
const mostCompared = 100

// Compare holds models against each other. Errors are those of [Draft].
func Compare(ctx context.Context, c *catalog.Catalog, k *Ranker, ask HeadToHead) (*record.Comparison, error) {
	h := &headToHead{catalog: c, ask: &ask, surveyed: k.surveyed().keys}
	if err := h.nameModels(); err != nil {
		return nil, err
	}
	question := Question{Models: h.models, Runtimes: ask.Runtimes, Confidence: ask.Confidence, Target: ask.Target,
		Tokens: h.tokens()}
	for _, key := range h.chooseKeys() {
		if key.direction() == maximize {
			question.Maximize = append(question.Maximize, key.Key)
		} else {
			question.Minimize = append(question.Minimize, key.Key)
		}
	}
	draft, err := k.Draft(question)
	if err != nil {
		return nil, err
	}
	q := *draft.Request
	q.minimumCoverage, q.choice = 0, nil
	if err := h.takeConditions(&q); err != nil {
		return nil, err
	}
	if h.ranking, err = k.Rank(ctx, &q, 0); err != nil {
		return nil, err
	}
	return h.compare(), nil
}

// CheckComparison checks the JSON of a comparison. Faults have no code.
func CheckComparison(source problem.Source) error {
	r := ijson.NewReader(source.Text, "")
	ijson.ReadTagged(r, &record.Comparison{})
	if faults := r.End(); faults != nil {
		return faults.Locate(source.Text, problem.Start(source.Name)).Err()
	}
	return nil
}

// headToHead makes a comparison.
type headToHead struct {
	catalog    *catalog.Catalog
	ask        *HeadToHead
	surveyed   []*surveyedKey
	models     []string   // ids
	conditions [][]string // of each model those that are asked for, "" for none; nil: all
	leftOut    int        // keys
	ranking    *Ranking
	reader     *catalog.RecordReader
}

// nameModels takes the conditions off the names of models.
func (h *headToHead) nameModels() error {
	known := map[string]bool{}
	for i := range h.catalog.Models() {
		known[h.catalog.Models()[i].Identity.ID] = true
	}
	for _, name := range h.ask.Models {
		id, condition := name, []string(nil)
		if at := strings.LastIndexByte(name, '@'); at > 0 && !known[name] && known[name[:at]] {
			id, condition = name[:at], []string{name[at+1:]}
		}
		n := slices.Index(h.models, id)
		switch {
		case n < 0:
			h.models, h.conditions = append(h.models, id), append(h.conditions, condition)
		case condition == nil:
			h.conditions[n] = nil
		case h.conditions[n] != nil:
			h.conditions[n] = append(h.conditions[n], condition...)
		}
	}
	return nil
}

// takeConditions leaves out the candidates of other conditions than are asked for.
func (h *headToHead) takeConditions(q *Request) error {
	found := map[string][]string{}
	seen := map[string]bool{}
	q.candidates = slices.DeleteFunc(slices.Clone(q.candidates), func(c record.CandidateV2) bool {
		id, condition := c.Model.ID, string(c.Execution.Workflow.Condition)
		found[id] = append(found[id], condition)
		wanted := h.conditions[slices.Index(h.models, id)]
		isWanted := wanted == nil || slices.Contains(wanted, condition)
		seen[id+"@"+condition] = isWanted
		return !isWanted
	})
	for i, id := range h.models {
		for _, condition := range h.conditions[i] {
			if !seen[id+"@"+condition] {
				return unfit("%s was not measured with %q; there is %s", id, condition,
					listed(slices.DeleteFunc(found[id], func(s string) bool { return s == "" })))
			}
		}
	}
	return nil
}

// isPriced reports whether the catalog has the prices that the cost of a task needs.
func (h *headToHead) isPriced() bool {
	has := func(name string) bool {
		return slices.ContainsFunc(h.surveyed, func(k *surveyedKey) bool { return k.Key == name && k.Fact && k.kinds == "0" })
	}
	return has(inputPrice) && has(outputPrice)
}

// tokens returns what a task takes, nil if no task can be priced.
func (h *headToHead) tokens() *TaskTokens {
	switch {
	case !h.isPriced():
		return nil
	case h.ask.Tokens == nil:
		return UsualTokens()
	}
	return h.ask.Tokens
}

// direction is which way is better.
func (k *surveyedKey) direction() direction {
	switch {
	case k.about != nil && k.about.Direction == "minimize":
		return minimize
	case k.about != nil && k.about.Direction != "":
		return maximize
	case k.isPrice() || !k.Fact && quantity.LessIsBetter(k.Key, strings.Join(k.units, "")):
		return minimize
	}
	return maximize
}

// chooseKeys returns the measured keys that at least one of the models has: those of quality first,
// then those that most of the models have.
func (h *headToHead) chooseKeys() (list []*surveyedKey) {
	companions := map[string]bool{} // keys that only say how large others are
	for _, k := range h.surveyed {
		if k.about != nil && k.about.Size != nil {
			companions[string(k.about.Size.Trials)], companions[string(k.about.Size.StandardError)] = true, true
		}
		companions[k.Key+".stderr"] = true
	}
	counts := map[*surveyedKey]int{}
	for _, k := range h.surveyed {
		isUseful := k.about == nil || k.about.Direction != ""
		if k.Fact || k.kinds != "0" && k.kinds != "t" || len(k.units) > 1 || !isUseful || companions[k.Key] || !k.fits() {
			continue
		}
		for _, entry := range k.models {
			if slices.Contains(h.models, entry.Identity.ID) {
				counts[k]++
			}
		}
		if counts[k] > 0 {
			list = append(list, k)
		}
	}
	slices.SortStableFunc(list, func(a, b *surveyedKey) int {
		return cmp.Or(compareBool(b.isQuality(), a.isQuality()), cmp.Compare(counts[b], counts[a]))
	})
	h.leftOut = max(0, len(list)-mostCompared)
	return list[:len(list)-h.leftOut]
}

// isQuality reports whether the key says how good the model is. What nobody described is taken to.
func (k *surveyedKey) isQuality() bool {
	return k.about == nil || k.about.Family == "quality" || k.about.Family == ""
}

// compare makes the comparison from the ranking.
func (h *headToHead) compare() *record.Comparison {
	r := h.ranking
	h.reader = catalog.NewRecordReader()
	out := &record.Comparison{
		SchemaVersion: record.ComparisonSchema, Confidence: r.request.confidence, Task: h.tokens(),
		Catalog: record.CatalogReference{Digest: r.ranker.digest, AsOf: record.Timestamp(r.ranker.asOf)},
	}
	order := h.order()
	for _, i := range order {
		c := &r.request.candidates[i]
		one := record.ComparedCandidate{CandidateID: c.ID, Model: c.Model, Runtime: record.Text(c.Execution.Runtime.ID),
			Condition: c.Execution.Workflow.Condition}
		if usd, ok := r.costOf(i); ok {
			one.USDPerTask = record.NewFloat(usd)
			one.USDTotal = r.request.cost.totalOf(usd)
		}
		out.Candidates = append(out.Candidates, one)
	}
	h.addMeasured(out, order)
	h.addStated(out, order)
	h.say(out, order)
	return out
}

// order returns the candidates as their models were asked for.
func (h *headToHead) order() (list []int) {
	for i := range h.ranking.request.candidates {
		list = append(list, i)
	}
	at := func(i int) int { return slices.Index(h.models, h.ranking.request.candidates[i].Model.ID) }
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(at(a), at(b)) })
	return list
}

// addMeasured adds the preferences of the request, the keys of quality first.
func (h *headToHead) addMeasured(out *record.Comparison, order []int) {
	r := h.ranking
	x := r.newComparer()
	isQuality := map[string]bool{}
	for _, k := range h.surveyed {
		if !k.Fact {
			isQuality[k.Key] = k.isQuality()
		}
	}
	for k := range r.request.criteria[preference] {
		p := &r.request.criteria[preference][k]
		if p.aggregation == aggregateFact {
			continue
		}
		key := record.ComparedKey{MeasurementKey: p.key, Direction: record.KeyDirection(p.direction.String())}
		if about := keys.Find(keys.Default(), p.key); about != nil {
			key.Name = about.Name
		}
		known := 0
		for _, i := range order {
			cell := &r.cellsOf(i, preference)[k]
			value := h.value(i, cell)
			if cell.status == ok {
				known++
				value.Values = record.List[record.StatedValue]{{Value: cell.Scalar(), Unit: record.Text(cell.unit)}}
			}
			key.Values = append(key.Values, value)
		}
		if known > 1 {
			h.addShown(&key, x.only(k), order)
		}
		out.Measured = append(out.Measured, key)
	}
	slices.SortStableFunc(out.Measured, func(a, b record.ComparedKey) int {
		return compareBool(isQuality[b.MeasurementKey], isQuality[a.MeasurementKey])
	})
}

// only returns a comparer by one of the preferences alone, nil if its scale has no length.
func (x *comparer) only(k int) *comparer {
	n := slices.Index(x.counted, k)
	if n < 0 {
		return nil
	}
	y := *x
	y.counted, y.slopes, y.parts = x.counted[n:n+1], x.slopes[n:n+1], make([][]part, len(x.parts))
	for i, parts := range x.parts {
		if parts != nil {
			y.parts[i] = parts[n : n+1]
		}
	}
	return &y
}

// addShown adds who is shown to be better than whom, and says so.
func (h *headToHead) addShown(key *record.ComparedKey, x *comparer, order []int) {
	id := func(i int) string { return h.ranking.request.candidates[i].ID }
	isKnown := false
	for n, a := range order {
		for _, b := range order[n+1:] {
			if x == nil {
				continue
			}
			c := x.compare(a, b)
			isKnown = isKnown || c.known
			if !c.isShown() {
				continue
			}
			better, worse := a, b
			if c.difference < 0 {
				better, worse = b, a
			}
			shown := record.ShownBetter{Better: id(better), Worse: id(worse)}
			if c.shared > 0 {
				shown.Shared = record.NewCount(uint64(c.shared))
			}
			key.Shown = append(key.Shown, shown)
		}
	}
	switch {
	case key.Shown != nil:
		key.Verdict = record.Text(verdict(key.Shown))
	case !isKnown:
		key.Verdict = "how sure the values are is not known"
	default:
		key.Verdict = "cannot be told apart"
	}
}

// verdict says who is better than whom: those that are better than the same ones together.
func verdict(list []record.ShownBetter) string {
	var parts []string
	said := map[string]bool{}
	worseThan := func(better string) (names []string) {
		for _, s := range list {
			if s.Better == better {
				names = append(names, s.Worse)
			}
		}
		return names
	}
	for _, s := range list {
		worse := worseThan(s.Better)
		if said[s.Better] {
			continue
		}
		var better []string
		for _, other := range list {
			if !said[other.Better] && slices.Equal(worseThan(other.Better), worse) {
				better, said[other.Better] = append(better, other.Better), true
			}
		}
		are := " is"
		if len(better) > 1 {
			are = " are"
		}
		parts = append(parts, listed(better)+are+" better than "+listed(worse))
	}
	return strings.Join(parts, "; ")
}

// value returns what a cell knows of a candidate, without the value.
func (h *headToHead) value(candidate int, c *cell) record.ComparedValue {
	v := record.ComparedValue{Status: statusNames[c.status], Estimate: c.exportEstimate()}
	for _, n := range c.observations {
		f := h.reader.Read(h.ranking.models[candidate].observations[n].source).Freshness
		v.ObservedAt = max(v.ObservedAt, f.ObservedAt)
		if v.ValidUntil == "" || f.ValidUntil != "" && f.ValidUntil < v.ValidUntil {
			v.ValidUntil = f.ValidUntil
		}
	}
	return v
}

// statedOrder is the order of what providers state.
var statedOrder = []record.KeyFamily{"price", "limit", "speed", "capability", "date"}

// addStated adds the facts that are stated of any of the candidates.
func (h *headToHead) addStated(out *record.Comparison, order []int) {
	r := h.ranking
	v := newEvaluation(r.ranker, r.request)
	var list []record.ComparedKey
	rank := map[string]int{}
	for _, k := range h.surveyed {
		if !k.Fact || strings.HasPrefix(k.Key, "offer.") {
			continue
		}
		key := record.ComparedKey{MeasurementKey: k.Key}
		family := len(statedOrder)
		if k.about != nil {
			key.Name, key.Direction = k.about.Name, k.about.Direction
			if at := slices.Index(statedOrder, k.about.Family); at >= 0 {
				family = at
			}
		}
		isKnown := false
		for _, i := range order {
			v.begin(&r.request.candidates[i])
			m := measure{key: k.Key, aggregation: aggregateFact, sources: anySource}
			var c cell
			v.read(&m, &c)
			value := h.value(i, &c)
			value.Estimate = nil
			if c.status == incomparable { // stated of another provider
				value = record.ComparedValue{Status: statusNames[missing]}
			}
			if c.status == ok || c.status == conflict {
				value.Values, isKnown = v.statedValues(), true
			}
			key.Values = append(key.Values, value)
		}
		if isKnown {
			rank[k.Key] = family
			list = append(list, key)
		}
	}
	slices.SortStableFunc(list, func(a, b record.ComparedKey) int {
		return cmp.Compare(rank[a.MeasurementKey],
			rank[b.MeasurementKey])
	})
	out.Stated = list
}

// statedValues returns the distinct values of the measurements in use, numbers from the least.
func (v *evaluation) statedValues() (list record.List[record.StatedValue]) {
	for _, i := range v.used {
		m := &v.series[i]
		if value := (record.StatedValue{Value: m.Scalar(), Unit: record.Text(m.Unit)}); !slices.Contains(list, value) {
			list = append(list, value)
		}
	}
	slices.SortStableFunc(list, func(a, b record.StatedValue) int {
		return cmp.Or(cmp.Compare(a.Value.Float(), b.Value.Float()), strings.Compare(a.Value.Text, b.Value.Text))
	})
	return list
}

// say says what the comparison comes to.
func (h *headToHead) say(out *record.Comparison, order []int) {
	r := h.ranking
	id := func(i int) string { return r.request.candidates[i].ID }
	comparable, paired := 0, false
	wins := map[string]map[string]bool{}
	for i := range out.Measured {
		key := &out.Measured[i]
		if key.Verdict != "" {
			comparable++
		}
		for _, s := range key.Shown {
			if wins[s.Better] == nil {
				wins[s.Better] = map[string]bool{}
			}
			wins[s.Better][key.MeasurementKey] = true
			paired = paired || s.Shared.Known
		}
	}
	switch {
	case comparable == 0:
		out.Answer = append(out.Answer, "No key was measured of two of them, so nobody is shown to be better at anything.")
	case len(wins) == 0:
		out.Answer = append(out.Answer, fmt.Sprintf("The evidence tells none of them apart by any of %s.",
			quantity.Count(comparable, "measured key")))
	default:
		var parts []string
		for _, i := range order {
			if n := len(wins[id(i)]); n > 0 {
				show := map[bool]string{true: "shows", false: "show"}[n == 1]
				parts = append(parts, fmt.Sprintf("%s %s %s to be better than another", number(n), show, id(i)))
			}
		}
		out.Answer = append(out.Answer, fmt.Sprintf("Of %s, %s.", quantity.Count(comparable, "measured key"), listed(parts)))
	}
	if text := h.sayCost(order); text != "" {
		out.Answer = append(out.Answer, text)
	}
	if out.Task != nil {
		text := "A task is " + TaskText(out.Task) + "."
		if h.ask.Tokens == nil {
			text = "You did not say what a task takes, so it is " + TaskText(out.Task) + "."
		}
		out.Notes = append(out.Notes, text)
	}
	if h.leftOut > 0 {
		out.Notes = append(out.Notes, quantity.Count(h.leftOut, "more measured key")+" are left out.")
	}
	if paired {
		out.Notes = append(out.Notes, "Tasks that two of them share are compared one by one, so one can be shown to "+
			"be better although the intervals overlap.")
	}
	s := speaker{r}
	out.Notes = append(out.Notes, s.evidenceNotes()...)
}

func number(n int) string { return quantity.Number(float64(n)) }

// sayCost says who costs least.
func (h *headToHead) sayCost(order []int) string {
	cheapest, dearest, n := -1, -1, 0
	cost := func(i int) float64 { usd, _ := h.ranking.costOf(i); return usd }
	for _, i := range order {
		if _, isKnown := h.ranking.costOf(i); !isKnown {
			continue
		}
		n++
		if cheapest < 0 || cost(i) < cost(cheapest) {
			cheapest = i
		}
		if dearest < 0 || cost(i) > cost(dearest) {
			dearest = i
		}
	}
	if n < 2 || cost(cheapest) == cost(dearest) {
		return ""
	}
	s := speaker{h.ranking}
	text := fmt.Sprintf("A task costs %s with %s and %s with %s", s.dollars(cost(cheapest)), s.id(cheapest),
		s.dollars(cost(dearest)), s.id(dearest))
	if least := cost(cheapest); least > 0 {
		text += ", " + quantity.Rounded(cost(dearest)/least, 2) + " times as much"
	}
	return text + "."
}
