// Package identity proposes which models the labels of rows may be, and says why.
//
// A label is read by package resolver, as names of offers are. Settings at its end (effort,
// thinking) are a condition and no part of the name. It is held against crosswalks: lists of
// models by their names, read in the same way. What no crosswalk knows stays open: a sibling
// is never proposed. Without a crosswalk the rules alone say which model a label is.
//
//	claude-opus-4-5-20251101-thinking-64k-low-effort
//	  anthropic/claude-opus-4.5, effort=low,thinking=64k, where OpenRouter has that model
//
// Nothing becomes a mapping by itself: a person accepts, or a recipe that says so.
package identity

import (
	"fmt"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/resolver"
	"github.com/model-catalog-service/svc/service/record"
)

// The rules by which a crosswalk knows a model. Other rules are those of package resolver.
const (
	RuleName        = "name/2"         // a name is the model
	RuleDate        = "date/2"         // a name is the model, without the revision of the label
	RuleHuggingFace = "hugging-face/2" // the name of the weights is
)

// Why a row stays open.
const (
	NoName        = "no-name"
	Ambiguous     = "ambiguous"
	SeveralModels = "several-models"
	DoesNotReason = "does-not-reason"
)

// mostCandidates is how many models an ambiguous row names.
const mostCandidates = 64

// Proposals are what is proposed for the rows of a source.
type Proposals struct{ record.IdentityProposals }

// JSON is the proposals as canonical JSON.
func (p *Proposals) JSON() []byte { return ijson.MustWriteTagged(&p.IdentityProposals) }

// Propose reads the labels of rows.
func Propose(source string, labels []sources.Label, crosswalks []*Crosswalk, r *resolver.Resolver) *Proposals {
	p := &Proposals{record.IdentityProposals{SchemaVersion: record.IdentityProposalsSchema, Source: source,
		Rules: resolver.Version}}
	x := proposer{r, nil}
	for _, c := range crosswalks {
		p.Crosswalks = append(p.Crosswalks, c.CrosswalkReference)
		x.indexes = append(x.indexes, newIndex(c, r))
	}
	for _, label := range labels {
		if label.Skip != "" {
			continue
		}
		found, open := x.propose(label)
		if open != nil {
			p.Open = append(p.Open, *open)
			continue
		}
		found.Row, found.Label = label.Row, label.Label
		found.ID = canonical.Sum(ijson.MustWriteTagged(found))[:12]
		p.Proposals = append(p.Proposals, *found)
	}
	slices.SortFunc(p.Proposals, func(a, b record.IdentityProposal) int { return canonical.CompareText(a.Row, b.Row) })
	slices.SortFunc(p.Open, func(a, b record.OpenIdentity) int { return canonical.CompareText(a.Row, b.Row) })
	return p
}

// proposer proposes models for labels.
type proposer struct {
	*resolver.Resolver
	indexes []*index
}

func (x *proposer) propose(label sources.Label) (*record.IdentityProposal, *record.OpenIdentity) {
	open := func(reason string, candidates ...string) (*record.IdentityProposal, *record.OpenIdentity) {
		return nil, &record.OpenIdentity{Row: label.Row, Label: label.Label, Reason: reason,
			Candidates: candidates[:min(len(candidates), mostCandidates)]}
	}
	if label.Runtime != "" { // the row is an offer
		id := x.Resolve(resolver.Name{Seller: label.Runtime, ID: label.Label, Base: label.Base})
		if id.Model.ID == "" {
			return open(NoName)
		}
		return ruled(&id, label.Label), nil
	}
	if strings.Contains(label.Label, " + ") || strings.Contains(label.Label, ",") {
		return open(SeveralModels)
	}
	all := readings(label.Label)
	if len(x.indexes) == 0 {
		id := x.Resolve(resolver.Name{ID: all[len(all)-1].name})
		if id.Model.ID == "" {
			return open(NoName)
		}
		p := ruled(&id, label.Label)
		p.Condition = all[len(all)-1].condition(&label, &id)
		return p, nil
	}
	r, id, c, found := x.find(all)
	switch {
	case found == nil:
		return open(NoName)
	case len(found.models) > 1:
		return open(Ambiguous, found.models...)
	}
	condition := r.condition(&label, id)
	if r.isReasoning() && !found.reasons {
		return open(DoesNotReason, found.models...)
	}
	return &record.IdentityProposal{
		Model: found.models[0], Revision: record.Text(found.revision), Condition: condition,
		Rule: found.rule, Crosswalk: c.SourceID, Entry: found.entry,
	}, nil
}

// find asks the crosswalks in their order for each reading, from the label as it is to the most
// stripped: first for names that are kept in order, before weights, then for those of any
// seller, which may call a setting a model.
func (x *proposer) find(all []reading) (*reading, *resolver.Identity, *Crosswalk, *match) {
	ids := make([]resolver.Identity, len(all))
	for i := range all {
		ids[i] = x.Resolve(resolver.Name{ID: all[i].name})
	}
	for _, trust := range []int{orderly, anySeller} {
		for i := range all {
			for _, rule := range []string{RuleName, RuleHuggingFace} {
				for _, c := range x.indexes {
					found := c.ask(rule, trust, &ids[i])
					if len(found.models) == 0 {
						continue
					}
					last := i // of the readings of the model, it tells most settings
					for last+1 < len(all) && ids[last+1].Model == ids[i].Model && ids[last+1].Name == ids[i].Name &&
						ids[last+1].Kind == ids[i].Kind {
						last++
					}
					return &all[last], &ids[last], c.Crosswalk, found
				}
			}
		}
	}
	return nil, nil, nil, nil
}

// ruled is a proposal of what the rules alone say.
func ruled(id *resolver.Identity, label string) *record.IdentityProposal {
	entry := id.Entry
	if entry == "" {
		entry = label
	}
	return &record.IdentityProposal{Model: id.Model.ID, Revision: id.Model.Revision, Rule: id.Rule,
		Crosswalk: resolver.Version, Entry: entry}
}

// condition returns the settings that a reading tells, with those services that the rest of
// the name tells, and without those that the row states more exactly.
func (r *reading) condition(label *sources.Label, id *resolver.Identity) record.Text {
	for _, service := range id.Services {
		if service == "thinking" && r.settings["thinking"] == "" {
			r.settings["thinking"] = "on"
		} else if service != "thinking" {
			r.settings["service"] = service
		}
	}
	settings := sources.Condition{}
	for name, value := range r.settings {
		if !slices.Contains(label.Stated, name) {
			settings[name] = value
		}
	}
	return record.Text(settings.String())
}

// Accepted returns the entries of a mapping that accepting proposals makes, by row:
// all proposals, or those with the ids. An id that is not proposed is an error.
func (p *Proposals) Accepted(ids []string) (map[string]ijson.Value, error) {
	all := slices.Contains(ids, "all")
	entries := map[string]ijson.Value{}
	seen := map[string]bool{}
	for i := range p.Proposals {
		x := &p.Proposals[i]
		seen[x.ID] = true
		if all || slices.Contains(ids, x.ID) {
			entries[x.Row] = mappingEntry(x)
		}
	}
	for _, id := range ids {
		if id != "all" && !seen[id] {
			return nil, fmt.Errorf("%s is not proposed", canonical.Quote(id))
		}
	}
	return entries, nil
}

// mappingEntry is the entry of a mapping that accepts a proposal.
func mappingEntry(x *record.IdentityProposal) ijson.Value {
	text := func(s string) ijson.Value { return ijson.Value{Kind: '"', Text: s} }
	model := text(x.Model)
	if x.Revision != "" {
		model = ijson.Value{Kind: '{', Members: []ijson.Member{
			{Name: "id", Value: model}, {Name: "revision", Value: text(string(x.Revision))},
			{Name: "quantization", Value: ijson.Value{Kind: 'n'}},
		}}
	}
	v := ijson.Value{Kind: '{', Members: []ijson.Member{{Name: "model", Value: model}}}
	if x.Condition != "" {
		v.Members = append(v.Members, ijson.Member{Name: "workflowCondition", Value: text(string(x.Condition))})
	}
	v.Members = append(v.Members, ijson.Member{Name: "decidedBy", Value: ijson.Value{Kind: '{', Members: []ijson.Member{
		{Name: "rule", Value: text(x.Rule)}, {Name: "entry", Value: text(x.Entry)},
		{Name: "crosswalk", Value: text(x.Crosswalk)},
	}}})
	return v
}
