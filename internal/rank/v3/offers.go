package v3

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/rank/statistics"
	"github.com/model-catalog-service/svc/internal/sellers"
	"github.com/model-catalog-service/svc/internal/spelling"
	"github.com/model-catalog-service/svc/service/record"
)

// This file chooses for drafts where a model runs. What facts say of a model at a runtime is
// an offer. For a question about at most 5 dollars per million tokens of output:
//
//	runtime   price.output
//	torn      3 and 4.50       lists contradict each other: the highest counts
//	dear      6                fails
//	usual     4                is chosen, and torn is the second candidate: it may be cheaper

// offer is what facts say of a model at a runtime, by key.
type offer map[string][]record.Scalar

// value returns the value of a key that all facts have, and of prices the highest.
func (o offer) value(key string) (v record.Scalar, ok bool) { return o.valueBy(key, 1) }

// lowest is value, with the lowest of prices.
func (o offer) lowest(key string) (v record.Scalar, ok bool) { return o.valueBy(key, -1) }

// valueBy is value, with the price that is the highest by a sign.
func (o offer) valueBy(key string, sign float64) (v record.Scalar, ok bool) {
	values := o[key]
	switch {
	case len(values) == 0:
		return v, false
	case !o.isContested(key):
		return values[0], true
	case !isPriceKey(key) || slices.ContainsFunc(values, func(v record.Scalar) bool { return v.Kind != '0' }):
		return v, false
	}
	return slices.MaxFunc(values, func(a, b record.Scalar) int { return cmp.Compare(sign*a.Float(), sign*b.Float()) }),
		true
}

// isContested reports whether facts contradict each other about a key.
func (o offer) isContested(key string) bool {
	values := o[key]
	return slices.ContainsFunc(values, func(v record.Scalar) bool { return v != values[0] })
}

// appeal is how well an offer serves a question.
type appeal struct {
	failed []*draftCriterion // requirements
	silent int               // of these, without a value
	asked  []float64         // the prices that the question asks for, in dollars
	least  []float64         // the same by the lists that ask least
	known  int               // keys, without contradiction
	price  float64           // of the task
	own    bool              // the runtime is the maker's
}

// compare orders offers: who meets more requirements, then of whom values say why not, which is a
// reason that can be told, then who asks less where the question is about prices, then who is known
// better, then the cheapest.
func (a *appeal) compare(b *appeal) int {
	return cmp.Or(a.compareMet(b), slices.Compare(b.asked, a.asked), cmp.Compare(a.known, b.known),
		cmp.Compare(b.price, a.price), compareBool(a.own, b.own))
}

func (a *appeal) compareMet(b *appeal) int {
	return cmp.Or(cmp.Compare(len(b.failed), len(a.failed)), cmp.Compare(b.silent, a.silent))
}

// choosesByPrice reports whether the question prefers who asks less.
func (d *drafter) choosesByPrice() bool {
	return d.question.isCheapest() && d.question.Measured == "" ||
		slices.ContainsFunc(d.criteria, func(c draftCriterion) bool { return c.isLowPrice() })
}

// isLowPrice reports whether it prefers a low price of each runtime.
func (c *draftCriterion) isLowPrice() bool {
	return c.role == preference && c.direction == minimize && c.key.isPerRuntimePrice()
}

// compareLeast is compare by the lists that ask least.
func (a *appeal) compareLeast(b *appeal) int {
	return cmp.Or(a.compareMet(b), slices.Compare(b.least, a.least), a.compare(b))
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

func (d *drafter) appeal(o offer, isOwn bool) appeal {
	a := appeal{price: math.Inf(1), own: isOwn}
	for i := range d.criteria {
		c := &d.criteria[i]
		if !c.key.Fact {
			continue
		}
		v, ok := o.value(c.key.Key)
		if ok && !o.isContested(c.key.Key) {
			a.known++
		}
		if c.role == requirement && c.key.isPerRuntime() && !(ok && c.isMet(v)) {
			a.failed = append(a.failed, c)
			if !ok {
				a.silent++
			}
		}
	}
	a.price = d.taskPrice(o, offer.value)
	a.asked, a.least = d.askedPrices(o, offer.value), d.askedPrices(o, offer.lowest)
	return a
}

// reader reads the value of a key of an offer.
type reader func(o offer, key string) (v record.Scalar, ok bool)

// taskPrice returns what the task costs by an offer, infinitely much if that is not known.
func (d *drafter) taskPrice(o offer, read reader) float64 {
	var parts []float64
	cost := d.question.task().criterion(o.bands())
	for i := range cost.sum {
		price := math.Inf(1)
		for _, key := range cost.sum[i].prices {
			if v, ok := read(o, key); ok && v.Kind == '0' {
				price = v.Float()
				break
			}
		}
		parts = append(parts, cost.sum[i].factor*price)
	}
	return statistics.Sum(parts)
}

// askedPrices returns the prices by which the question chooses: that of the task if it asks for the
// cost, and those that it prefers to be low.
func (d *drafter) askedPrices(o offer, read reader) (list []float64) {
	if d.question.asksCost() {
		list = append(list, d.taskPrice(o, read))
	}
	for i := range d.criteria {
		c := &d.criteria[i]
		if !c.isLowPrice() {
			continue
		}
		price := math.Inf(1)
		if v, ok := read(o, c.key.Key); ok && v.Kind == '0' {
			price = v.Float()
		}
		list = append(list, price)
	}
	return list
}

// bands returns the lengths of prompts above which an offer has other prices, the largest first.
func (o offer) bands() (list []uint64) {
	for key := range o {
		if base, above, ok := ReadBand(key); ok && (base == inputPrice || base == outputPrice) &&
			!slices.Contains(list, above) {
			list = append(list, above)
		}
	}
	slices.Sort(list)
	slices.Reverse(list)
	return list
}

// chooseRuntimes returns where a model runs, one candidate without a variant for each: the runtime
// whose facts, with those that are true everywhere, serve the question best, and another one if
// lists contradict each other about its prices and it serves best by those that ask least; each one
// that a question about models names; or nowhere if it does not ask for runtimes. Facts that are
// true everywhere are of those that hold.
func (d *drafter) chooseRuntimes(entry *catalog.ModelEntry, offers, holding places) (list []draftCandidate) {
	q := d.question
	best := d.appeal(holding[place{entry: entry}], false)
	nowhere := []draftCandidate{{entry: entry, scored: entry, failed: best.failed,
		refused: d.refusalOfAll(entry, offers, holding)}}
	if !d.asksRuntimes() {
		return nowhere
	}
	var rival draftCandidate
	var least appeal
	for _, at := range offers.sorted() {
		everywhere := holding[place{entry: at.entry}]
		if at.runtime == "" || !fits(at.runtime) || d.refusal(entry, at.runtime, offers[at], everywhere) != notRefused {
			continue
		}
		for key, values := range everywhere {
			offers[at][key] = append(offers[at][key], values...)
		}
		seller, _ := record.Seller(at.runtime)
		a := d.appeal(offers[at], sellers.IsOwn(seller, entry.Identity.ID))
		run := draftCandidate{entry: at.entry, scored: entry, runtime: at.runtime, failed: a.failed}
		if rival.entry == nil || a.compareLeast(&least) > 0 {
			rival, least = run, a
		}
		switch {
		case list == nil:
			list, best = []draftCandidate{run}, a
		case len(q.Models) > 0 && len(q.Runtimes) > 1:
			list = append(list, run)
		case a.compare(&best) > 0:
			list[0], best = run, a
		}
	}
	switch {
	case list == nil:
		return nowhere
	case d.choosesByPrice() && len(list) == 1 && (rival.runtime != list[0].runtime || rival.entry != list[0].entry) &&
		slices.Compare(least.least, best.asked) < 0 && len(least.failed) <= len(best.failed):
		rival.isRival, rival.price = true, least.least[0]
		list = append(list, rival)
	}
	if len(best.asked) > 0 {
		list[0].price = best.asked[0]
	}
	return list
}

// dropRivals drops the rivals that no list can make the choice: where the question chooses by one
// score, those that are too far below the best, and where it chooses by a price alone, those that
// are not the cheapest by any list.
func (d *drafter) dropRivals() {
	k, better := d.scoredKey()
	keys := d.preferredKeys()
	isByPrice := len(keys) == 0 || len(keys) == 1 && keys[0].isPerRuntimePrice()
	if !isByPrice && (len(keys) != 1 || k != keys[0]) || len(d.candidates) == 0 {
		return
	}
	sign := map[direction]float64{maximize: 1, minimize: -1}[better]
	best, least := math.Inf(-1), math.Inf(1)
	scores := map[*catalog.ModelEntry]float64{}
	for i := range d.candidates {
		c := &d.candidates[i]
		if !c.isRival {
			least = min(least, c.price)
		}
		if _, known := scores[c.scored]; !known && !isByPrice {
			if score, ok := d.mean(c.scored, k, better); ok {
				scores[c.scored] = sign * score
				best = max(best, sign*score)
			}
		}
	}
	within := 0.0
	if !isByPrice {
		if ends := d.ends(k); ends != nil {
			within = d.withinShare().Value * (ends.high - ends.low)
		}
	}
	d.candidates = slices.DeleteFunc(d.candidates, func(c draftCandidate) bool {
		score, isScored := scores[c.scored]
		return c.isRival && (isByPrice && c.price >= least || !isByPrice && (!isScored || score < best-within))
	})
	d.findRanges()
}

// checkRuntimes refuses runtimes about which the catalog has no fact, and services that no offer
// has.
func (d *drafter) checkRuntimes() error {
	q := d.question
	for _, name := range q.Runtimes {
		if !d.survey.runtimes[name] {
			return &AbsentError{"runtime", name, spelling.Similar(name, slices.Sorted(maps.Keys(d.survey.runtimes)))}
		}
	}
	for _, name := range q.Services {
		if !d.survey.services[name] {
			return &AbsentError{"service", name, spelling.Similar(name, slices.Sorted(maps.Keys(d.survey.services)))}
		}
	}
	return nil
}

// noteOffer notes the runtime of a fact, its seller and its services.
func noteOffer(runtime string, m *record.Measurement, known, services map[string]bool) {
	if !known[runtime] {
		runtime = strings.Clone(runtime)
		seller, parts := record.Seller(runtime)
		known[seller], known[runtime] = true, true
		for _, service := range servicesOf(parts, nil) {
			services[service] = true
		}
	}
	if m.Key == record.OfferService {
		for _, service := range servicesOf(nil, []record.Scalar{m.Value}) {
			services[strings.Clone(service)] = true
		}
	}
}
