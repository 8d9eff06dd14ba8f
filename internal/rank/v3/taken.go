package v3

import (
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/sellers"
	"github.com/model-catalog-service/svc/service/record"
)

// This file says which offers a drafted question takes. Of
//
//	openrouter           the usual offer
//	openrouter:eu        the same in a region
//	openrouter:free      another service
//	azure                retired last month
//
// a question takes the first two. With the service free it takes the third alone, and the last one
// where it names the model. What is an alias or a router is no model, and never taken.

// AnyService is the name of every service.
const AnyService = "any"

// SellerPolicies are who may sell the candidates of a question: the makers of the models, clouds
// and large hosts, or anybody.
var SellerPolicies = []string{"first-party", "major", "any"}

// asksSellers reports whether the question says who sells, or how.
func (q *Question) asksSellers() bool {
	return len(q.Services) > 0 || q.Sellers != "" && q.Sellers != "any"
}

// refusal is why a question does not take an offer.
type refusal uint8

const (
	notRefused   refusal = iota
	byRuntime            // the question names others
	byService            // it is sold otherwise than the question asks
	bySeller             // who sells it is not who the question asks for
	byKind               // it is an alias or a router
	byRetirement         // it is deprecated or withdrawn, and the question does not name the model
)

// refusal returns why the question does not take an offer of a model.
func (d *drafter) refusal(entry *catalog.ModelEntry, runtime string, o, everywhere offer) refusal {
	q := d.question
	seller, parts := record.Seller(runtime)
	isNamed := slices.Contains(q.Runtimes, runtime) && len(parts) > 0
	switch {
	case len(o[record.OfferKind]) > 0:
		return byKind
	case len(q.Runtimes) > 0 && !isNamed && !slices.Contains(q.Runtimes, seller):
		return byRuntime
	case !isNamed && !q.serves(servicesOf(parts, o[record.OfferService])):
		return byService
	case !q.trusts(seller, entry.Identity.ID):
		return bySeller
	case len(q.Models) == 0 && (d.isEnded(o) || d.isEnded(everywhere)):
		return byRetirement
	}
	return notRefused
}

// refusalOfAll returns why the question takes no offer of a model, the reason that comes closest. A
// question that is not about offers refuses a model if each of them has ended.
func (d *drafter) refusalOfAll(entry *catalog.ModelEntry, offers, holding places) refusal {
	least, most, isSold := byRetirement, notRefused, false
	for at, o := range offers {
		if at.runtime != "" {
			r := d.refusal(entry, at.runtime, o, holding[place{entry: at.entry}])
			least, most, isSold = min(least, r), max(most, r), true
		}
	}
	switch {
	case !isSold && len(d.question.Models) == 0 && d.isEnded(holding[place{entry: entry}]):
		return byRetirement
	case !isSold, !d.asksRuntimes() && least < byKind:
		return notRefused
	}
	return most
}

// wantedOffers says which offers a question takes.
func (q *Question) wantedOffers() string {
	var parts []string
	if len(q.Runtimes) > 0 {
		parts = append(parts, "at "+strings.Join(q.Runtimes, " or "))
	}
	if len(q.Services) > 0 {
		parts = append(parts, "as "+strings.Join(q.Services, " or "))
	}
	switch q.Sellers {
	case SellerPolicies[0]:
		parts = append(parts, "by the maker itself")
	case SellerPolicies[1]:
		parts = append(parts, "by a cloud or a large host")
	}
	return strings.Join(parts, " ")
}

// serves reports whether an offer with certain services is sold as the question asks: in the usual
// way unless it names services, else by those alone.
func (q *Question) serves(services []string) bool {
	switch {
	case slices.Contains(q.Services, AnyService):
		return true
	case len(services) == 0:
		return len(q.Services) == 0 || slices.Contains(q.Services, record.ServiceStandard)
	}
	return !slices.ContainsFunc(services, func(s string) bool { return !slices.Contains(q.Services, s) })
}

// servicesOf returns the services of an offer: those that facts state, or else those among the
// parts of its runtime.
func servicesOf(parts []string, stated []record.Scalar) (list []string) {
	for _, v := range stated {
		for service := range strings.SplitSeq(v.Text, ",") {
			if service != record.ServiceStandard {
				list = append(list, service)
			}
		}
	}
	if stated == nil {
		list = slices.DeleteFunc(slices.Clone(parts), func(part string) bool { return !record.IsService(part) })
	}
	return list
}

// trusts reports whether the question takes a seller of a model.
func (q *Question) trusts(seller, model string) bool {
	switch q.Sellers {
	case SellerPolicies[0]:
		return sellers.IsOwn(seller, model)
	case SellerPolicies[1]:
		return sellers.IsMajor(seller)
	}
	return true
}

// isEnded reports whether an offer has ended by the time of the catalog.
func (d *drafter) isEnded(o offer) bool {
	return sellers.IsEnded(d.catalog.AsOf(), func(key string) (texts []string) {
		for _, v := range o[key] {
			texts = append(texts, v.Text)
		}
		return texts
	})
}
