package identity

import (
	"fmt"
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
)

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
			entries[x.Row] = x.entry()
		}
	}
	for _, id := range ids {
		if id != "all" && !seen[id] {
			return nil, fmt.Errorf("%s is not proposed", canonical.Quote(id))
		}
	}
	return entries, nil
}

func (x *Proposal) entry() ijson.Value {
	text := func(s string) ijson.Value { return ijson.Value{Kind: '"', Text: s} }
	v := ijson.Value{Kind: '{', Members: []ijson.Member{{Name: "model", Value: text(x.Model)}}}
	if x.Condition != "" {
		v.Members = append(v.Members, ijson.Member{Name: "workflowCondition", Value: text(string(x.Condition))})
	}
	v.Members = append(v.Members, ijson.Member{Name: "decidedBy", Value: ijson.Value{Kind: '{', Members: []ijson.Member{
		{Name: "rule", Value: text(x.Rule)}, {Name: "entry", Value: text(x.Entry)}, {Name: "crosswalk", Value: text(x.Crosswalk)},
	}}})
	return v
}
