// Package genaiprices reads genai-prices, a JSON list of providers with the prices
// of their models, in USD per million tokens.
//
// A row stands for whatever names its match lets through. One that does not let
// its own id through names nothing that could be asked for, and gives nothing.
//
// Prices may be dated. Of these those are taken that held on the day on which the
// list was published, and they end where the list says that others follow. Prices
// that were over, or to come, nobody observed then. Prices that vary by the time of
// day are no one price, and are not taken at all.
package genaiprices

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/service/record"
)

// Source is the id of the source.
const Source = "genai-prices"

// New returns the adapter.
func New() sources.Adapter {
	return sources.NewPriceAdapter(sources.PriceList{
		Source:  Source,
		Version: "1",
		Kind:    "price-list-row",
		Read:    Read,
		Level:   record.LevelModerate,
		Basis:   "genai-prices, a list that its contributors keep",
		Gaps: []string{"who looked the value up, and when, is not told",
			"the row stands for all names that its match lets through"},
	})
}

// Read reads the list as it was at a time, a timestamp. Faults have code
// INVALID_SOURCE_SNAPSHOT and paths from $, the beginning of the body.
func Read(body, at string) (*offer.Listing, error) {
	l := list{
		body:     body,
		r:        ijson.NewReader(body, problem.InvalidSourceSnapshot),
		day:      at[:len("YYYY-MM-DD")],
		runtimes: offer.ReadRuntimes(Source),
		drafts:   offer.Drafts{Conventions: offer.Conventions{PriceExponent: -6, PriceKind: offer.Number}},
		states:   maxStates,
	}
	for providers := l.r.List(); providers.Next(); {
		l.provider("[" + strconv.Itoa(providers.Index()) + "]")
	}
	if faults := l.r.End(); faults != nil {
		return nil, faults.Locate(body, problem.Start("")).Err()
	}
	listing := offer.NewListing(l.rows)
	listing.Locate(body)
	return listing, nil
}

type list struct {
	body     string
	r        *ijson.Reader
	day      string
	runtimes *offer.Runtimes
	drafts   offer.Drafts
	states   int // left to regular expressions
	rows     []offer.Row
}

// provider reads a provider, whose id may stand after its models.
func (l *list) provider(path string) {
	r := l.r
	var id string
	var models []*offer.Value
	o := r.Names()
	for o.Next() {
		switch o.Name() {
		case "id":
			id = r.Text()
		case "models":
			for m := r.List(); m.Next(); {
				if len(l.rows)+len(models) == offer.MaxRows {
					r.Broken(r.Offset(), offer.TooManyRows)
					return
				}
				models = append(models, offer.ReadRow(r))
			}
		default:
			r.Value()
		}
	}
	if o.Demand("id", "models"); r.Faulty() {
		return
	}
	provider := l.runtimes.Provider(id)
	for i, v := range models {
		l.rows = append(l.rows, l.row(id, provider, path+".models["+strconv.Itoa(i)+"]", v))
	}
}

func (l *list) row(providerID string, p offer.Provider, path string, v *offer.Value) offer.Row {
	id := v.Get("id").Text
	d := l.drafts.Begin(providerID+"/"+id, path, v.Offset)
	d.Offer(p, id, true)
	accepted, why := accepts(v.Get("match"), id, &l.states)
	if l.states < 0 {
		l.r.Broken(v.Offset, "the regular expressions up to here are too large together")
	}
	if !accepted {
		return d.Skip(offer.RowNoID, "%s", why)
	}
	r := row{d, l.day}
	for _, m := range v.Members {
		switch m.Name {
		case "prices":
			r.prices(m.Value)
		case "context_window":
			r.Limit(offer.LimitContext, m.Name, m.Value)
		case "deprecated":
			r.deprecated(m.Value)
		case "id", "match", "name", "description", "price_comments", "removed", "prices_checked", "price_discrepancies":
		default:
			r.Unknown(m.Name)
		}
	}
	return d.Row()
}

// row is a row that is read, of a list of a day.
type row struct {
	*offer.Draft
	day string
}

func (r row) deprecated(v *offer.Value) {
	if v.Lacks() {
		return
	}
	const name = "deprecated"
	switch is, ok := v.Bool(); {
	case !ok:
		r.Invalid(name, v, "true or false")
	case is:
		r.State(offer.Status, offer.Text(name), name, v)
	}
}

// names are the prices per million tokens that the vocabulary has.
var names = map[string]struct {
	price string
	ttl   string
}{
	"input_mtok":            {price: offer.Input},
	"output_mtok":           {price: offer.Output},
	"cache_read_mtok":       {price: offer.CacheRead},
	"cache_write_mtok":      {price: offer.CacheWrite},
	"cache_write_1h_mtok":   {offer.CacheWrite, offer.Hour},
	"output_reasoning_mtok": {price: offer.Reasoning},
}

// pricesOf returns the names of the prices of a table that the vocabulary has.
func pricesOf(table *offer.Value) (of []string) {
	for _, m := range table.Members {
		if _, ok := names[m.Name]; ok {
			of = append(of, m.Name)
		}
	}
	return of
}

// isOther reports whether a price is of other things than tokens of text.
func isOther(name string) bool {
	return slices.ContainsFunc([]string{"audio", "image", "video", "tool", "citation"},
		func(medium string) bool { return strings.Contains(name, medium) })
}

// prices takes the prices of a row: an object of them, or a list of such, each
// with what must hold for it.
func (r row) prices(v *offer.Value) {
	const member = "prices"
	switch {
	case v.Lacks():
	case v.Kind == offer.Table:
		r.table(member, v, nil)
	case v.Kind == offer.List:
		r.dated(member, v)
	default:
		r.Invalid(member, v, "prices")
	}
}

// table takes a table of prices, but for those that vary.
func (r row) table(member string, v *offer.Value, varying []string) {
	for _, m := range v.Members {
		if _, ok := names[m.Name]; ok && !slices.Contains(varying, m.Name) {
			r.price(m.Name, member+"."+m.Name, m.Value)
		} else if strings.HasSuffix(m.Name, "_kcount") {
			r.PerRequest()
		} else if !ok && !isOther(m.Name) {
			r.Unknown("prices." + m.Name)
		}
	}
}

// price takes a price: a number, or { base, tiers: [{ start, price }] }, where a
// tier holds for all tokens of a prompt that is longer than its start.
func (r row) price(name, member string, v *offer.Value) {
	n := names[name]
	if v.Kind != offer.Table {
		r.Price(n.price, offer.Band{TTL: n.ttl}, member, v)
		return
	}
	for _, m := range v.Members {
		switch m.Name {
		case "base":
			r.Price(n.price, offer.Band{TTL: n.ttl}, member+".base", m.Value)
		case "tiers":
			if !m.Lacks() && m.Kind != offer.List {
				r.Invalid(member+".tiers", m.Value, "a list of tiers")
			}
			for i, tier := range m.Items {
				r.tier(n.price, n.ttl, fmt.Sprintf("%s.tiers[%d]", member, i), tier)
			}
		default:
			r.Unknown("prices." + name + "." + m.Name)
		}
	}
}

func (r row) tier(price, ttl, member string, tier *offer.Value) {
	start := tier.Get("start")
	if start.Lacks() {
		r.Invalid(member, tier, "a tier with a start")
		return
	}
	n, ok := start.Count()
	if !ok || n == 0 {
		r.Invalid(member+".start", start, "a number of tokens")
		return
	}
	r.Price(price, offer.Band{Context: n, TTL: ttl}, member+".price", tier.Get("price"))
}

// period is prices that hold from a day on.
type period struct {
	start  string // "" for always
	member string
	prices *offer.Value
}

// dated takes the prices that held on the day of the list: the last ones whose
// start is not after it, else the first. They end when others start.
func (r row) dated(member string, v *offer.Value) {
	periods, varying := r.periods(member, v)
	if len(periods) == 0 {
		return
	}
	chosen := 0
	for i, p := range periods {
		if p.start <= r.day {
			chosen = i
		}
	}
	until := ""
	for i, p := range periods {
		if i != chosen && p.start > r.day && (until == "" || p.start < until) {
			until = p.start
		}
	}
	if until != "" {
		r.PricesUntil(until + "T00:00:00.000Z")
	}
	r.table(periods[chosen].member, periods[chosen].prices, varying)
}

// periods reads a list of prices, each with what must hold for it: nothing, a day
// that has come, or a time of every day. The prices that such a time changes vary.
func (r row) periods(member string, v *offer.Value) (periods []period, varying []string) {
	for i, item := range v.Items {
		at := fmt.Sprintf("%s[%d]", member, i)
		prices, constraint := item.Get("prices"), item.Get("constraint")
		if prices == nil || prices.Kind != offer.Table {
			r.Invalid(at, item, "prices with what must hold for them")
			continue
		}
		p := period{member: at + ".prices", prices: prices}
		if constraint.Lacks() {
			periods = append(periods, p)
			continue
		}
		start := constraint.Get("start_date")
		switch {
		case constraint.Get("start_time") != nil:
			of := pricesOf(prices)
			varying = append(varying, of...)
			r.Varies(at, item, of)
		case start == nil || start.Kind != offer.String || !sources.IsDate(start.Text):
			r.Invalid(at+".constraint", constraint, "a start_date, or a start_time with an end_time")
		default:
			p.start = start.Text
			periods = append(periods, p)
		}
	}
	return periods, varying
}
