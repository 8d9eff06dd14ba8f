package identity

import (
	"cmp"
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/internal/sources/resolver"
	"github.com/model-catalog-service/svc/service/record"
)

// Offers are the rows of price lists, with the model that each is.
type Offers struct {
	resolver *resolver.Resolver
	list     []offerRow
}

// offerRow is a row of a price list.
type offerRow struct {
	source string
	sources.Label
	resolver.Identity
}

// NewOffers returns a list without rows.
func NewOffers(r *resolver.Resolver) *Offers { return &Offers{resolver: r} }

// unnamed are why a row of a price list has no local id that could be read.
var unnamed = []sources.Reason{offer.RowNoID, offer.RowNoModel, offer.RowDangling, offer.RowUnreadable,
	offer.RowWithoutBase}

// Add reads the rows of a source.
func (o *Offers) Add(source string, labels []sources.Label) {
	for _, l := range labels {
		if l.Label == "" || slices.Contains(unnamed, l.Skip) {
			continue
		}
		o.list = append(o.list, offerRow{source, l, o.resolver.Resolve(resolver.Name{Seller: l.Runtime, ID: l.Label,
			Base: l.Base})})
	}
}

// Keep takes away all rows but those of which a function says to keep them.
func (o *Offers) Keep(keep func(*record.OfferIdentity) bool) {
	o.list = slices.DeleteFunc(o.list, func(r offerRow) bool { x := r.identity(); return !keep(&x) })
}

// KeepNamed takes away all rows but those whose local id or row has a name.
func (o *Offers) KeepNamed(name string) {
	o.list = slices.DeleteFunc(o.list, func(r offerRow) bool { return r.Label.Label != name && r.Row != name })
}

// Identities is the rows by source, then row.
func (o *Offers) Identities() *record.OfferIdentities {
	out := &record.OfferIdentities{SchemaVersion: record.OfferIdentitiesSchema, Rules: o.resolver.Versions}
	for i := range o.list {
		out.Offers = append(out.Offers, o.list[i].identity())
	}
	slices.SortFunc(out.Offers, func(a, b record.OfferIdentity) int {
		return cmp.Or(canonical.CompareText(a.Source, b.Source), canonical.CompareText(a.Row, b.Row))
	})
	return out
}

func (r *offerRow) identity() record.OfferIdentity {
	x := record.OfferIdentity{
		Source: r.source, Row: r.Row, Kind: string(r.Kind), Services: r.Services, Region: record.Text(r.Region),
		Runtime: record.OfferRuntime(r.Runtime, r.Region, r.Services), Rule: r.Rule, Entry: record.Text(r.Entry),
		Disputed: record.Text(r.Disputed),
	}
	if r.Model.ID != "" {
		x.Model = &r.Model
	}
	return x
}

// Explanation is how the name of an offer was read.
type Explanation struct {
	record.OfferIdentity
	Why   string // the reason of the entry
	Steps []string
}

// Explain says how names were read, step by step, in the order of [Offers.Identities].
func (o *Offers) Explain() (all []Explanation) {
	for i := range o.list {
		r := &o.list[i]
		_, steps := o.resolver.Explain(resolver.Name{Seller: r.Runtime, ID: r.Label.Label, Base: r.Base})
		all = append(all, Explanation{r.identity(), r.Why, steps})
	}
	slices.SortFunc(all, func(a, b Explanation) int {
		return cmp.Or(canonical.CompareText(a.Source, b.Source), canonical.CompareText(a.Row, b.Row))
	})
	return all
}

// OpenName is a name of offers whose model nobody knows.
type OpenName struct {
	LocalID string
	Sellers []string // sorted, each once
}

// Open returns the names that stayed open, those of most sellers first.
func (o *Offers) Open() (names []OpenName) {
	sellers := map[string][]string{}
	for i := range o.list {
		if r := &o.list[i]; r.Kind == resolver.Offer && r.Rule == resolver.RuleOpen {
			sellers[r.Label.Label] = append(sellers[r.Label.Label], r.Runtime)
		}
	}
	for id, list := range sellers {
		slices.Sort(list)
		names = append(names, OpenName{id, slices.Compact(list)})
	}
	slices.SortFunc(names, func(a, b OpenName) int {
		return cmp.Or(cmp.Compare(len(b.Sellers), len(a.Sellers)), canonical.CompareText(a.LocalID, b.LocalID))
	})
	return names
}

// ExplainName says how a name by itself is read, whoever sells it.
func ExplainName(r *resolver.Resolver, name string) []Explanation {
	o := NewOffers(r)
	o.Add("", []sources.Label{{Row: name, Label: name}})
	return o.Explain()
}
