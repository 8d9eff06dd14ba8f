package sources

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/internal/sources/resolver"
	"github.com/model-catalog-service/svc/internal/spelling"
	"github.com/model-catalog-service/svc/service/record"
)

// This file says which model each row of a price list is, and what its offer is, by offer/v2:
//
//	moonshotai/kimi-k2.6:free of openrouter
//	  model moonshotai/kimi-k2.6, runtime openrouter:free,
//	  facts offer.id moonshotai/kimi-k2.6:free, offer.service free
//
// No two rows of one listing are one model at one runtime: the one whose local id is nearest to
// the name of the model keeps it, others keep an id of their own. So a list never contradicts
// itself. An alias or a router is no model: it has an id of its own and says what it is, and
// nothing else.

// naming names the models of rows by offer/v2.
type naming struct {
	resolver *resolver.Resolver
	read     map[resolver.Name]resolver.Identity
	counts   map[string]int // rows, by what said which model they are
}

// newNaming returns the naming of an identity, which is empty for offer/v1.
func newNaming(identity string, decided resolver.Decisions) (*naming, error) {
	if identity == offer.RuleV1 {
		return &naming{}, nil
	}
	r, err := resolver.New()
	if err != nil {
		return nil, err
	}
	if decided != nil {
		r = r.With(decided)
	}
	return &naming{r, map[resolver.Name]resolver.Identity{}, map[string]int{}}, nil
}

// What says which model a row is, besides the rules of package resolver.
const (
	byMapping = "mapping"
	byAlias   = string(resolver.Alias)
	byRouter  = string(resolver.Router)
)

// namedRow is a row whose model is known.
type namedRow struct {
	subject offer.Subject
	resolver.Identity
	own string // the id that the row has of its own
}

// name says which models the rows of a listing are. Those of which nobody says it are skipped.
func (p *priceImport) name(s *Snapshot, l *offer.Listing) []namedRow {
	named := make([]namedRow, len(l.Rows))
	for i := range l.Rows {
		row := &l.Rows[i]
		isAlias := row.Skip == RowAlias && p.resolver != nil
		if isAlias {
			row.Skip, row.Why = "", ""
		}
		p.identify(row)
		entry := p.mapping.entries[row.ID]
		switch {
		case row.Skip != "":
		case p.resolver == nil:
			row.Declarations = slices.DeleteFunc(row.Declarations, isDescription)
			named[i].subject = offer.Subject{Offer: row.Offer, Model: record.Model{ID: row.Offer.ModelID()}}
			if entry != nil {
				named[i].subject.Model = entry.said.Model
			}
		default:
			named[i] = p.resolve(row)
			if isAlias && named[i].Kind == resolver.Offer {
				named[i].Kind = resolver.Alias
			}
			p.decide(&named[i], row, entry)
		}
	}
	if p.resolver != nil {
		p.separate(s, l, named)
		for i := range l.Rows {
			if row := &l.Rows[i]; row.Skip == "" {
				p.counts[named[i].Rule]++
				p.noteName(s, row, &named[i])
				describe(row, &named[i])
				doubt(row, named[i].Model.ID, s.envelope.Time()[:len("2006-01-02")])
			}
		}
	}
	return named
}

func isDescription(d offer.Declaration) bool { return d.Name == offer.Described }

// resolve reads the name of a row, once for all snapshots.
func (n *naming) resolve(row *offer.Row) namedRow {
	seller, _, _ := strings.Cut(row.Offer.Runtime, "/") // of openrouter/deepinfra the router
	name := resolver.Name{Seller: seller, ID: row.Offer.LocalID, Base: row.Base}
	id, known := n.read[name]
	if !known {
		id = n.resolver.Resolve(name)
		n.read[name] = id
	}
	return namedRow{Identity: id, own: row.Offer.ModelID()}
}

// decide says what the subject of a row is, by its entry in the mapping if it has one.
func (p *priceImport) decide(x *namedRow, row *offer.Row, entry *entry[priceEntry]) {
	seller, parts := record.Seller(row.Offer.Runtime)
	x.subject.Offer = offer.Offer{
		Runtime: record.OfferRuntime(seller, x.Region, append(parts, x.Services...)),
		LocalID: row.Offer.LocalID,
	}
	switch {
	case entry != nil:
		x.Kind, x.Rule, x.subject.Model = resolver.Offer, byMapping, entry.said.Model
	case x.Kind != resolver.Offer:
		x.Rule = string(x.Kind)
	case x.Model.ID == "":
		x.Rule, x.subject.Model = resolver.RuleOpen, record.Model{ID: x.own}
	default:
		x.Rule, x.subject.Model = cmp.Or(x.Rule, resolver.RuleTable), x.Model
	}
}

// place is where facts of an offer stand: no two offers of a listing have the same.
type place struct {
	runtime string
	model   record.Model
}

func (x *namedRow) place() place { return place{x.subject.Runtime, x.subject.Model} }

// separate gives ids of their own to aliases, routers and rows that another row of the seller
// is nearer to the model than. What the mapping decides stands.
func (p *priceImport) separate(s *Snapshot, l *offer.Listing, named []namedRow) {
	keeps := map[place]int{}
	var others []int
	for i := range named {
		x := &named[i]
		if l.Rows[i].Skip != "" {
			continue
		}
		if x.Kind != resolver.Offer {
			others = append(others, i)
			continue
		}
		j, isTaken := keeps[x.place()]
		switch {
		case !isTaken:
			keeps[x.place()] = i
		case x.nearer(&named[j]):
			keeps[x.place()] = i
			others = append(others, j)
		default:
			others = append(others, i)
		}
	}
	slices.Sort(others)
	for _, i := range others {
		x, row := &named[i], &l.Rows[i]
		if x.Rule == byMapping {
			continue
		}
		shared := x.subject.Model.ID
		keeper := keeps[x.place()]
		x.takeOwn(row, keeps)
		keeps[x.place()] = i
		if x.Kind == resolver.Offer {
			x.Rule = string(SeveralOffers)
			p.note(s, SeveralOffers, row.ID, row.Path, "", fmt.Sprintf("is %s at %s, as %s is, whose name is nearer: it is "+
				"the model %s",
				shared, x.subject.Runtime, canonical.Quote(l.Rows[keeper].ID), canonical.Quote(x.subject.Model.ID)), row.Place)
		}
	}
}

// takeOwn makes the row a model of its own: that of offer/v1, if that is free.
func (x *namedRow) takeOwn(row *offer.Row, keeps map[place]int) {
	for _, id := range []string{x.own, row.Offer.Runtime + "/" + row.Offer.LocalID, row.Offer.Runtime + ":" +
		row.Offer.LocalID} {
		x.subject.Model = record.Model{ID: id}
		if _, isTaken := keeps[x.place()]; !isTaken {
			return
		}
	}
}

// nearer reports whether a row keeps the model that another one has, too: what a person
// decided does, then the local id that needs the fewest changes to be the model's name.
func (x *namedRow) nearer(other *namedRow) bool {
	if a, b := x.Rule == byMapping, other.Rule == byMapping; a != b {
		return a
	}
	return cmp.Or(
		cmp.Compare(x.distance(), other.distance()),
		cmp.Compare(len(x.subject.LocalID), len(other.subject.LocalID)),
		strings.Compare(x.subject.LocalID, other.subject.LocalID),
	) < 0
}

// distance is how far the local id is from the id of the model, with its maker or without.
func (x *namedRow) distance() int {
	m := &x.subject.Model
	id := m.ID
	for _, part := range []record.Text{m.Revision, m.Quantization} {
		if part != "" {
			id += "-" + string(part)
		}
	}
	_, name, _ := strings.Cut(id, "/")
	return min(spelling.Edits(x.subject.LocalID, id), spelling.Edits(x.subject.LocalID, name))
}

// noteName reports what is to be known of how the model of a row was found.
func (p *priceImport) noteName(s *Snapshot, row *offer.Row, x *namedRow) {
	if x.Rule == resolver.RuleOpen {
		p.note(s, OpenModel, row.ID, row.Path, "",
			"names no maker that is known: it is the model "+canonical.Quote(x.subject.Model.ID), row.Place)
	}
	if x.Kind == resolver.Offer && x.Rule != byMapping && x.Disputed != "" && x.Disputed[0] != '/' {
		p.note(s, Disputed, row.ID, row.Path, "",
			fmt.Sprintf("is %s by its name, which wins, and %s by what the list says", canonical.Quote(x.Model.ID),
				canonical.Quote(x.Disputed)), row.Place)
	}
}

// describe completes what a row says of its offer. What is no offer of a model says nothing else.
func describe(row *offer.Row, x *namedRow) {
	d := offer.Declaration{Name: offer.Described, Read: "{}", Gaps: []string{"which model it is was read of its name"}}
	if i := slices.IndexFunc(row.Declarations, isDescription); i >= 0 {
		d.Facts, d.Read = slices.Clone(row.Declarations[i].Facts), row.Declarations[i].Read
		row.Declarations = slices.Delete(row.Declarations, i, i+1)
	}
	state := func(key, value string) {
		if value != "" {
			d.Facts = append(d.Facts, offer.Fact{Key: key, Value: offer.Text(value)})
		}
	}
	state(record.OfferID, row.Offer.LocalID)
	state(record.OfferService, cmp.Or(strings.Join(x.Services, ","), record.ServiceStandard))
	state(record.OfferRegion, x.Region)
	if x.Kind != resolver.Offer {
		state(record.OfferKind, string(x.Kind))
		row.Declarations, row.Notes = nil, nil
		d.Gaps = nil
	}
	slices.SortFunc(d.Facts, func(a, b offer.Fact) int { return strings.Compare(a.Key, b.Key) })
	row.Declarations = append(row.Declarations, d)
	slices.SortFunc(row.Declarations, func(a, b offer.Declaration) int { return strings.Compare(a.Name, b.Name) })
}
