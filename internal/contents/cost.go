package contents

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/quantity"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// This file says what a task costs at everybody who sells some models. Prices are found by the
// rules of rankings: those for long prompts count where the prompt is longer, and cached tokens
// without a price of their own cost what others do. Where price lists contradict each other, the
// cost reaches from the lowest to the highest.
//
//	table := contents.Costs(c, models, contents.CostOptions{Task: &record.TaskTokens{Input: 3000, Output: 500}})
//	table.Offers[0].USDPerTask // { 0.00042, 0.00042 } at the cheapest

// CostOptions say what a task takes, and whose offers count.
type CostOptions struct {
	AsOf     string             // a timestamp; that of the catalog if it is empty
	Task     *record.TaskTokens // nil: the usual one, and the table says so
	Runtimes []string           // providers; nil: all
}

// tokenPrice is the unit of prices.
const tokenPrice = "USD/token"

// Costs returns what a task costs at everybody who sells one of the models.
func Costs(ctx context.Context, c *catalog.Catalog, models []*catalog.ModelEntry, opts CostOptions) (
	*record.CostTable, error) {
	t := &coster{opts: opts, asOf: cmp.Or(opts.AsOf, c.AsOf()), isUsual: opts.Task == nil}
	if opts.Task == nil {
		t.opts.Task = v3.UsualTokens()
	}
	t.table = &record.CostTable{
		SchemaVersion: record.CostTableSchema, Task: *t.opts.Task,
		Catalog: record.CatalogReference{Digest: c.Digest(), AsOf: record.Timestamp(c.AsOf())},
	}
	reader := compare.NewReader()
	for _, entry := range models {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t.addModel(entry, reader.Glance(entry.Observations).At(t.asOf))
	}
	byName := func(a, b *record.Model, x, y record.Text) int {
		return cmp.Or(canonical.CompareText(a.Name(), b.Name()), canonical.CompareText(string(x), string(y)))
	}
	slices.SortStableFunc(t.table.Offers, func(a, b record.OfferCost) int {
		return cmp.Or(cmp.Compare(a.USDPerTask.Low, b.USDPerTask.Low), cmp.Compare(a.USDPerTask.High, b.USDPerTask.High),
			byName(&a.Model, &b.Model, a.Runtime, b.Runtime))
	})
	slices.SortStableFunc(t.table.Unpriced, func(a, b record.UnpricedOffer) int {
		return byName(&a.Model, &b.Model,
			a.Runtime, b.Runtime)
	})
	t.note()
	return t.table, nil
}

// CheckCosts checks the JSON of a table of costs. Faults have no code.
func CheckCosts(source problem.Source) error {
	r := ijson.NewReader(source.Text, "")
	ijson.ReadTagged(r, &record.CostTable{})
	if faults := r.End(); faults != nil {
		return faults.Locate(source.Text, problem.Start(source.Name)).Err()
	}
	return nil
}

// coster makes a table of costs.
type coster struct {
	opts    CostOptions
	asOf    string
	isUsual bool // nobody said what a task takes
	table   *record.CostTable

	// offers: with prices in contradiction, for long prompts, without one for cached tokens
	contradicted, long, uncached int
}

// addModel adds the offers of a model.
func (t *coster) addModel(entry *catalog.ModelEntry, view *compare.View) {
	facts := map[string]map[string][]*compare.Slot{} // by provider and key
	sells := map[string]bool{}
	var bands []uint64
	for i := range view.Slots {
		slot := &view.Slots[i]
		runtime, isAlone := view.Executions[slot.Execution].RuntimeAlone()
		if !isAlone {
			continue
		}
		if facts[runtime] == nil {
			facts[runtime] = map[string][]*compare.Slot{}
		}
		facts[runtime][slot.MeasurementKey] = append(facts[runtime][slot.MeasurementKey], slot)
		sells[runtime] = sells[runtime] || strings.HasPrefix(slot.MeasurementKey, "price.")
		if _, above, isBand := v3.ReadBand(slot.MeasurementKey); isBand && !slices.Contains(bands, above) {
			bands = append(bands, above)
		}
	}
	slices.Sort(bands)
	slices.Reverse(bands)
	parts := v3.CostParts(t.opts.Task, bands)
	everywhere := facts[""]
	for runtime, own := range facts {
		if sells[runtime] && t.isWanted(runtime) && (runtime != "" || len(sells) == 1) {
			t.addOffer(entry, view, runtime, parts, func(key string) []*compare.Slot {
				if runtime == "" {
					return own[key]
				}
				return slices.Concat(own[key], everywhere[key])
			})
		}
	}
}

// isWanted reports whether a provider, or the seller that it is of, was asked for.
func (t *coster) isWanted(runtime string) bool {
	seller, _ := record.Seller(runtime)
	return len(t.opts.Runtimes) == 0 || slices.Contains(t.opts.Runtimes, runtime) ||
		slices.Contains(t.opts.Runtimes, seller)
}

// addOffer adds what the parts of the task cost at a provider.
func (t *coster) addOffer(entry *catalog.ModelEntry, view *compare.View, runtime string, parts []v3.CostPart,
	find func(key string) []*compare.Slot) {
	offer := record.OfferCost{Model: entry.Identity, Runtime: record.Text(runtime)}
	isLong, isUncached := false, false
	for i := range parts {
		part := &parts[i]
		price, reason := priceOf(view, part, find)
		if reason != "" {
			t.table.Unpriced = append(t.table.Unpriced, record.UnpricedOffer{Model: offer.Model, Runtime: offer.Runtime,
				Reason: reason, Part: part.Name})
			return
		}
		offer.Prices = append(offer.Prices, price.TokenPrice)
		offer.USDPerTask.Low += float64(price.USDPerToken.Low * float64(part.Tokens))
		offer.USDPerTask.High += float64(price.USDPerToken.High * float64(part.Tokens))
		if offer.ObservedAt == "" || price.observedAt < offer.ObservedAt {
			offer.ObservedAt = price.observedAt
		}
		if offer.ValidUntil == "" || price.validUntil != "" && price.validUntil < offer.ValidUntil {
			offer.ValidUntil = price.validUntil
		}
		base, _, _ := strings.Cut(price.MeasurementKey, "@")
		isLong = isLong || base != price.MeasurementKey
		isUncached = isUncached || part.Name != "input" && base == "price.input"
	}
	offer.Speed = record.NewOfferSpeed(func(key string) record.Float { return newestOf(view, find(key)) })
	if n := t.opts.Task.Requests; n > 0 {
		offer.USDTotal = &record.Interval{Low: offer.USDPerTask.Low * float64(n), High: offer.USDPerTask.High * float64(n)}
	}
	if math.IsInf(offer.USDPerTask.High, 0) {
		return
	}
	t.table.Offers = append(t.table.Offers, offer)
	for _, m := range []struct {
		is bool
		n  *int
	}{{offer.USDPerTask.Low < offer.USDPerTask.High, &t.contradicted}, {isLong, &t.long}, {isUncached, &t.uncached}} {
		if m.is {
			*m.n++
		}
	}
}

// foundPrice is a price, and how long it is known.
type foundPrice struct {
	record.TokenPrice
	observedAt, validUntil record.Timestamp
}

// priceOf returns the price of a part: under the first of its keys that the provider has. The
// reason says why there is none.
func priceOf(view *compare.View, part *v3.CostPart, find func(key string) []*compare.Slot) (p foundPrice,
	reason string) {
	for _, key := range part.Keys {
		p = foundPrice{TokenPrice: record.TokenPrice{Part: part.Name, Tokens: part.Tokens, MeasurementKey: key,
			USDPerToken: record.Interval{Low: math.Inf(1), High: math.Inf(-1)}}}
		isStated := false
		for _, slot := range find(key) {
			for _, f := range slot.Facts {
				if f.Value.Kind != '0' || f.Unit != tokenPrice {
					continue
				}
				isStated = true
				if view.Holds[f.Observation] {
					p.add(f.Value.Float(), &view.Observations[f.Observation])
				}
			}
		}
		switch {
		case len(p.ObservationIDs) > 0:
			slices.Sort(p.ObservationIDs)
			return p, ""
		case isStated:
			return p, "expired"
		}
	}
	return p, "missing"
}

// newestOf returns the number of the newest fact that holds.
func newestOf(view *compare.View, slots []*compare.Slot) (number record.Float) {
	newest := record.Timestamp("")
	for _, slot := range slots {
		for _, f := range slot.Facts {
			at := view.Observations[f.Observation].Freshness.ObservedAt
			if f.Value.Kind == '0' && view.Holds[f.Observation] && at > newest {
				newest, number = at, record.NewFloat(f.Value.Float())
			}
		}
	}
	return number
}

func (p *foundPrice) add(usd float64, o *compare.Observation) {
	p.USDPerToken.Low, p.USDPerToken.High = min(p.USDPerToken.Low, usd), max(p.USDPerToken.High, usd)
	if p.ObservationIDs == nil || o.Freshness.ObservedAt < p.observedAt {
		p.observedAt = o.Freshness.ObservedAt
	}
	if p.validUntil == "" || o.Freshness.ValidUntil != "" && o.Freshness.ValidUntil < p.validUntil {
		p.validUntil = o.Freshness.ValidUntil
	}
	p.ObservationIDs = append(p.ObservationIDs, o.ID)
}

// note says what the costs take as given.
func (t *coster) note() {
	text := "A task is " + v3.TaskText(t.opts.Task) + "."
	if t.isUsual {
		text = "You did not say what a task takes, so it is " + v3.TaskText(t.opts.Task) + "."
	}
	t.table.Notes = append(t.table.Notes, text)
	say := func(n int, one, many string) {
		if n > 0 {
			t.table.Notes = append(t.table.Notes, map[bool]string{true: one, false: quantity.Number(float64(n)) + many}[n == 1])
		}
	}
	say(t.long, "1 offer has other prices for prompts of this length.",
		" offers have other prices for prompts of this length.")
	say(t.uncached, "1 offer has no price for cached tokens, so they cost what others do.",
		" offers have no price for cached tokens, so they cost what others do.")
	say(t.contradicted, "The price lists contradict each other about 1 offer, whose cost is a range.",
		" offers have contradictory prices in the price lists, so their cost is a range.")
	if t.table.Offers != nil {
		t.table.Notes = append(t.table.Notes, "More effort takes more output tokens, which these costs do not count.")
	}
}
