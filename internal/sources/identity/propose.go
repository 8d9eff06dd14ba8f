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
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/sources"
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
	ID        string         `json:"id,omitempty"` // the first 12 hex of the SHA-256 of the rest
	Row       string         `json:"row"`
	Label     string         `json:"label"`
	Model     string         `json:"model"`
	Condition canonical.Text `json:"workflowCondition"`
	Rule      string         `json:"rule"`
	Crosswalk string         `json:"crosswalk"` // the source of it
	Entry     string         `json:"entry"`     // what that calls the model
}

// Open is a row for which nothing is proposed.
type Open struct {
	Row        string   `json:"row"`
	Label      string   `json:"label"`
	Reason     string   `json:"reason"`
	Candidates []string `json:"candidates"`
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
	for _, label := range labels {
		if label.Skip != "" {
			continue
		}
		found, open := propose(label, crosswalks)
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

func propose(label sources.Label, crosswalks []*Crosswalk) (*Proposal, *Open) {
	open := func(reason string, candidates ...string) (*Proposal, *Open) {
		return nil, &Open{label.Row, label.Label, reason, append([]string{}, candidates...)}
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
				found := matching(c, rule.matches, r.name)
				if len(found) == 0 {
					continue
				}
				models := modelsOf(found)
				if len(models) > 1 {
					return open(Ambiguous, models...)
				}
				if r.isReasoning() && !slices.ContainsFunc(found, func(e entry) bool { return e.reasons }) {
					return open(DoesNotReason, models...)
				}
				for _, stated := range label.Stated { // the row says it more exactly
					delete(r.settings, stated)
				}
				return &Proposal{
					Row: label.Row, Label: label.Label, Model: models[0], Condition: canonical.Text(r.settings.String()),
					Rule: rule.name, Crosswalk: c.SourceID, Entry: found[0].id,
				}, nil
			}
		}
	}
	return open(NoName)
}

func modelsOf(entries []entry) (models []string) {
	for _, e := range entries {
		models = append(models, e.model)
	}
	slices.Sort(models)
	return slices.Compact(models)
}

func matching(c *Crosswalk, matches func(*entry, string) bool, name string) (found []entry) {
	for i := range c.entries {
		if matches(&c.entries[i], name) {
			found = append(found, c.entries[i])
		}
	}
	slices.SortFunc(found, func(a, b entry) int { return cmp.Compare(a.id, b.id) })
	return found
}

var rules = []struct {
	name    string
	matches func(*entry, string) bool
}{
	{RuleName, func(e *entry, name string) bool { return slices.Contains(e.names, name) }},
	{RuleHuggingFace, func(e *entry, name string) bool { return e.weights != "" && e.weights == name }},
	{RuleOrder, func(e *entry, name string) bool {
		return slices.ContainsFunc(e.names, func(n string) bool { return sameWords(n, name) })
	}},
	{RuleDate, matchesDated},
}

func sameWords(a, b string) bool {
	texts, numbers := words(a)
	otherTexts, otherNumbers := words(b)
	return texts == otherTexts && numbers == otherNumbers
}

// matchesDated reports whether an entry has a name that is equal without the date of
// the name, or has the same words, and a name that ends in a date which agrees.
func matchesDated(e *entry, name string) bool {
	rest, d, ok := cutDate(name)
	if !ok {
		return false
	}
	isNamed := slices.ContainsFunc(e.names, func(n string) bool { return n == rest || sameWords(n, rest) })
	return isNamed && slices.ContainsFunc(e.names, func(n string) bool {
		_, other, dated := cutDate(n)
		return dated && d.agrees(other)
	})
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
