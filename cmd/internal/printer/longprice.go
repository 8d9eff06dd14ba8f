package printer

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/quantity"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// This file is what a long request costs. Some providers charge more for all tokens of a
// request whose context is longer than a bound, and catalogs have that under a key of its own.
// A question about price.output looks at the price below the bound, so an answer says the
// other beside it:
//
//	above 200,000 tokens of context price.output is $18.00 per million tokens

// longPrices are the prices of long requests by the model and runtime that they are of.
type longPrices map[[2]string][]longPrice

// longPrice is that of requests with more than so many tokens of context.
type longPrice struct {
	key        string // price.output
	above      uint64
	value      float64
	unit       string
	observedAt string
}

// longPriceKey splits price.output@context>200000.
func longPriceKey(key string) (base string, above uint64, ok bool) {
	base, bound, ok := strings.Cut(key, "@context>")
	above, err := strconv.ParseUint(bound, 10, 64)
	return base, above, ok && err == nil
}

// longPricesOf reads those of the ranked candidates that hold at the time of the catalog.
func longPricesOf(c *catalog.Catalog, r *v3.Result) longPrices {
	prices := longPrices{}
	for i := range r.Ranked {
		if place, ok := placeOf(&r.Ranked[i]); ok {
			prices[place] = nil
		}
	}
	models := map[string]bool{}
	for place := range prices {
		models[place[0]] = true
	}
	reader := catalog.NewRecordReader()
	for i := range c.Models() {
		if !models[c.Models()[i].Identity.ID] {
			continue
		}
		for _, o := range c.Models()[i].Observations {
			rec := reader.Read(o)
			place := [2]string{rec.Model.ID, rec.Execution.Runtime.ID}
			if _, isRanked := prices[place]; !isRanked || !rec.Freshness.HoldsAt(record.Timestamp(r.Catalog.AsOf)) {
				continue
			}
			for k := range rec.Measurements {
				m := &rec.Measurements[k]
				base, above, ok := longPriceKey(m.Key)
				if !ok || m.Kind != record.Fact || m.Value.Kind != '0' {
					continue
				}
				prices.add([2]string{strings.Clone(place[0]), strings.Clone(place[1])},
					longPrice{strings.Clone(base), above, m.Value.Float(), strings.Clone(m.Unit), strings.Clone(string(rec.Freshness.ObservedAt))})
			}
		}
	}
	return prices
}

// add keeps the newest price of each key and bound and, of two of one time, the higher.
func (l longPrices) add(place [2]string, p longPrice) {
	for i, have := range l[place] {
		if have.key == p.key && have.above == p.above {
			if p.observedAt > have.observedAt || p.observedAt == have.observedAt && p.value > have.value {
				l[place][i] = p
			}
			return
		}
	}
	l[place] = append(l[place], p)
}

// placeOf returns the model and the runtime of a candidate.
func placeOf(c *v3.Candidate) (place [2]string, ok bool) {
	if c.Execution.Runtime.IsZero() {
		return place, false
	}
	return [2]string{c.Model.ID, c.Execution.Runtime.ID}, true
}

// longPriceText says what a candidate costs in long requests, by the keys that were asked
// for. Nothing if it costs the same or that is not known.
func (b *Background) longPriceText(c *v3.Candidate) string {
	place, ok := placeOf(c)
	if !ok {
		return ""
	}
	var parts []string
	above := uint64(0)
	prices := slices.SortedFunc(slices.Values(b.longPrices[place]), func(a, b longPrice) int {
		return cmp.Or(cmp.Compare(a.above, b.above), cmp.Compare(a.key, b.key))
	})
	for _, p := range prices {
		if !slices.ContainsFunc(c.Reasons, func(r v3.Reason) bool { return string(r.MeasurementKey) == p.key }) {
			continue // not asked for
		}
		part := console.Clip(p.key) + " is " + amount(p.value, p.unit)
		if p.above != above {
			part = "above " + quantity.Number(float64(p.above)) + " tokens of context " + part
			above = p.above
		}
		parts = append(parts, part)
	}
	return enumeration(parts)
}
