// Package identity proposes which models the labels of rows may be, and says why.
//
// A label is held against crosswalks: lists of models by their names. It is read as it
// is, and then with one setting after another taken off its end (effort, thinking).
// For each reading the rules are asked in their order, and the first that finds
// anything ends the search. A sibling is never proposed: what is not found stays open.
//
// Nothing becomes a mapping by itself: a person accepts.
package identity

import (
	"fmt"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/service/record"
)

// Rules is the version of the rules. Other rules are another version.
const Rules = "identity/v1"

// Schema is the schema version of proposals.
const Schema = "service.identity-proposals/v1"

// The rules, in the order in which they are asked.
const (
	RuleName        = "name/1"         // a name is equal
	RuleHuggingFace = "hugging-face/1" // the name of the weights is
	RuleOrder       = "order/1"        // the same words and the same numbers, mixed otherwise
	RuleDate        = "date/1"         // a name is equal but for a date that the entry tells, too
	RuleBase        = "base-model/1"   // the row of a price source is built on the model
)

// Why a row stays open.
const (
	NoName        = "no-name"
	Ambiguous     = "ambiguous"
	SeveralModels = "several-models"
	DoesNotReason = "does-not-reason"
)

// Proposal is which model a row may be.
type Proposal struct {
	ID        string      `json:"id,omitempty"` // the first 12 hex of the SHA-256 of the rest
	Row       string      `json:"row"`
	Label     string      `json:"label"`
	Model     string      `json:"model"`
	Condition record.Text `json:"workflowCondition"`
	Rule      string      `json:"rule"`
	Crosswalk string      `json:"crosswalk"` // the source of it
	Entry     string      `json:"entry"`     // what that calls the model
}

// mostCandidates is how many models an ambiguous row names.
const mostCandidates = 64

// Open is a row for which nothing is proposed.
type Open struct {
	Row        string   `json:"row"`
	Label      string   `json:"label"`
	Reason     string   `json:"reason"`
	Candidates []string `json:"candidates"` // at most 64
}

// Proposals are what is proposed for the rows of a source.
type Proposals struct {
	Source     string       `json:"source"`
	Rules      string       `json:"rules"`
	Crosswalks []*Crosswalk `json:"crosswalks"`
	Proposals  []Proposal   `json:"proposals"`
	Open       []Open       `json:"open"`
}

// JSON is the proposals as canonical JSON.
func (p *Proposals) JSON() []byte {
	return canonical.MustMarshal(struct {
		SchemaVersion string `json:"schemaVersion"`
		Proposals
	}{Schema, *p})
}

// Propose reads the labels of rows.
func Propose(source string, labels []sources.Label, crosswalks []*Crosswalk) *Proposals {
	p := &Proposals{Source: source, Rules: Rules, Crosswalks: crosswalks, Proposals: []Proposal{}, Open: []Open{}}
	indexes := make([]*index, len(crosswalks))
	for i, c := range crosswalks {
		indexes[i] = newIndex(c)
	}
	for _, label := range labels {
		if label.Skip != "" {
			continue
		}
		found, open := propose(label, indexes)
		if open != nil {
			p.Open = append(p.Open, *open)
			continue
		}
		found.ID = canonical.Sum(canonical.MustMarshal(*found))[:12]
		p.Proposals = append(p.Proposals, *found)
	}
	slices.SortFunc(p.Proposals, func(a, b Proposal) int { return canonical.CompareText(a.Row, b.Row) })
	slices.SortFunc(p.Open, func(a, b Open) int { return canonical.CompareText(a.Row, b.Row) })
	return p
}

func propose(label sources.Label, crosswalks []*index) (*Proposal, *Open) {
	open := func(reason string, candidates ...string) (*Proposal, *Open) {
		return nil, &Open{label.Row, label.Label, reason, append([]string{}, candidates[:min(len(candidates), mostCandidates)]...)}
	}
	if label.Runtime != "" {
		for _, c := range crosswalks {
			if model := c.bases[label.Runtime+"\t"+label.Label]; model != "" {
				return &Proposal{Row: label.Row, Label: label.Label, Model: model, Rule: RuleBase, Crosswalk: c.SourceID, Entry: label.Runtime + "/" + label.Label}, nil
			}
		}
		return open(NoName)
	}
	if strings.Contains(label.Label, " + ") || strings.Contains(label.Label, ",") {
		return open(SeveralModels)
	}
	for _, r := range readings(label.Label) {
		for _, rule := range rules {
			for _, c := range crosswalks {
				found := c.find(rule, r.name)
				switch {
				case len(found.models) == 0:
					continue
				case len(found.models) > 1:
					return open(Ambiguous, found.models...)
				case r.isReasoning() && !found.reasons:
					return open(DoesNotReason, found.models...)
				}
				for _, stated := range label.Stated { // the row says it more exactly
					delete(r.settings, stated)
				}
				return &Proposal{
					Row: label.Row, Label: label.Label, Model: found.models[0], Condition: record.Text(r.settings.String()),
					Rule: rule, Crosswalk: c.SourceID, Entry: found.entry,
				}, nil
			}
		}
	}
	return open(NoName)
}

// rules are those that read names, in the order in which they are asked.
var rules = []string{RuleName, RuleHuggingFace, RuleOrder, RuleDate}

// index finds the entries of a crosswalk by their names. Each question is answered once:
// a list of ten thousand rows may have one name for all, and so may a crosswalk.
type index struct {
	*Crosswalk
	names, weights, words map[string][]*entry
	found                 map[[2]string]*match // by rule and what it asks for
}

// match is the entries that a rule finds.
type match struct {
	models  []string // sorted, each once
	entry   string   // the first of their ids
	reasons bool     // some of them reason
}

func newIndex(c *Crosswalk) *index {
	x := &index{c, map[string][]*entry{}, map[string][]*entry{}, map[string][]*entry{}, map[[2]string]*match{}}
	for i := range c.entries {
		e := &c.entries[i]
		for _, name := range e.names {
			x.names[name] = append(x.names[name], e)
			x.words[mixed(name)] = append(x.words[mixed(name)], e)
		}
		if e.weights != "" {
			x.weights[e.weights] = append(x.weights[e.weights], e)
		}
	}
	return x
}

// find returns what a rule finds for a name.
func (x *index) find(rule, name string) *match {
	var (
		ask     string
		entries []*entry
		day     date
	)
	switch rule {
	case RuleName:
		ask, entries = name, x.names[name]
	case RuleHuggingFace:
		ask, entries = name, x.weights[name]
	case RuleOrder:
		ask = mixed(name)
		entries = x.words[ask]
	case RuleDate: // the words of a name without its date, and a name whose date agrees
		rest, d, isDated := cutDate(name)
		if !isDated {
			return &match{}
		}
		day, ask = d, mixed(rest)
		entries = x.words[ask]
		ask += strings.Join([]string{"", d.year, d.month, d.day}, "\n")
	}
	if found := x.found[[2]string{rule, ask}]; found != nil {
		return found
	}
	found := &match{}
	x.found[[2]string{rule, ask}] = found
	for _, e := range entries {
		agrees := func(name string) bool {
			_, other, dated := cutDate(name)
			return dated && day.agrees(other)
		}
		if rule == RuleDate && !slices.ContainsFunc(e.names, agrees) {
			continue
		}
		if found.models = append(found.models, e.model); len(found.models) == 1 || e.id < found.entry {
			found.entry = e.id
		}
		found.reasons = found.reasons || e.reasons
	}
	slices.Sort(found.models)
	found.models = slices.Compact(found.models)
	return found
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
