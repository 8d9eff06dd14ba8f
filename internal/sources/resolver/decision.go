package resolver

import (
	"maps"
	"slices"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

// Decisions are what a person decided of names, for all sources at once: ids of models by
// names, "" for what is no model.
//
//	{ "zai-org/GLM-5": "zhipuai/glm-5", "nano-gpt/owl": null }
//
// A name is a local id, or a seller, a slash and a local id, to the letter. Where no decision
// is of the name itself, that counts which is of another name of the model that the rules read.
// The revision and the quantization stay what the name tells.
type Decisions map[string]string

// ReadDecisions reads a file of decisions. Faults have code INVALID_SOURCE_SNAPSHOT and paths
// from $.
func ReadDecisions(src problem.Source) (Decisions, error) {
	r := ijson.NewReader(src.Text, problem.InvalidSourceSnapshot)
	d := Decisions{}
	for n := r.Names(); n.Next(); {
		if !ijson.IsText(n.Name()) {
			r.Fail(n.At(), "", "must be a name")
		}
		d[n.Name()] = r.TextOrNull()
	}
	if faults := r.End(); faults != nil {
		return nil, faults.Locate(src.Text, problem.Start(src.Name)).Err()
	}
	return d, nil
}

// With returns a resolver whose decisions are those of a person.
func (r *Resolver) With(d Decisions) *Resolver {
	decided := *r
	decided.decisions, decided.byModel = d, map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(d)) {
		if id := r.byRules(Name{ID: name}, nil).Model.ID; id != "" && decided.byModel[id] == "" {
			decided.byModel[id] = name
		}
	}
	return &decided
}

// decide gives a name the model that a person decided on, if one did.
func (r *Resolver) decide(n Name, id *Identity, steps *[]string) {
	own := []string{n.Seller + "/" + n.ID, n.ID}
	for _, name := range append(own, r.byModel[id.Model.ID]) {
		model, ok := r.decisions[name]
		if !ok {
			continue
		}
		if slices.Contains(own, name) || model == "" {
			id.Kind = Offer
		}
		id.Rule, id.Entry, id.Disputed = RuleDecision, name, ""
		if id.Model.ID = model; model == "" {
			id.Model = record.Model{}
		}
		if steps != nil {
			*steps = append(*steps, "a person decided on "+name+": "+model)
		}
		return
	}
}
