package resolver

import (
	"regexp"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/service/record"
)

// Version is that of the rules. Other rules are another version.
const Version = "identity/v2"

// Kind says what a name is of.
type Kind string

// The kinds. Aliases and routers are no models.
const (
	Offer  Kind = "offer"
	Alias  Kind = "alias"  // a name whose target moves
	Router Kind = "router" // something that chooses models
)

// The rules by which a model is known.
const (
	RuleMaker  = "maker/2"  // the name tells the maker
	RuleFamily = "family/2" // the name begins as those of one maker do
	RuleSeller = "seller/2" // nobody but the seller is named
	RuleBase   = "base/2"   // the source says so, and the name tells nothing
	RuleOpen   = "open/2"   // nothing is known
)

// Name is a name to read.
type Name struct {
	Seller string // the id of the runtime
	ID     string // what the seller calls it
	Base   string // the model that the source says it is; "" if it does not say
}

// Identity is what a name says.
type Identity struct {
	Kind     Kind
	Model    record.Model // without id for none
	Services []string     // sorted; empty for standard
	Region   string
	Rule     string
	Entry    string // the line of aliases, or what the source states
	Disputed string // the model that the source states where the name says another
	Steps    []string
}

// Resolver reads names.
type Resolver struct {
	*tables
}

// New returns a resolver.
func New() (*Resolver, error) {
	t, err := readTables()
	if err != nil {
		return nil, err
	}
	return &Resolver{t}, nil
}

// Resolve reads a name.
func (r *Resolver) Resolve(n Name) Identity {
	var steps []string
	x := r.read(n, &steps)
	if id := r.makers[n.Seller]; x.maker == "" && x.kind == Offer && n.Base == "" && id != "" {
		x.maker, x.rule = id, RuleSeller
	}
	id := Identity{Kind: x.kind, Region: x.region, Services: x.services, Rule: x.rule, Entry: x.entry, Steps: steps}
	slices.Sort(id.Services)
	if n.Base != "" {
		base := r.read(Name{ID: n.Base}, nil)
		switch {
		case x.maker == "" && base.maker != "":
			x.maker, x.name, x.revision, id.Rule, id.Entry = base.maker, base.name, base.revision, RuleBase, n.Base
		case base.maker != x.maker || base.name != x.name:
			id.Disputed = base.maker + "/" + joinedName(base.name, r.joined)
		}
	}
	if id.Kind == Router || x.maker == "" || x.name == "" {
		if id.Rule == "" {
			id.Rule = RuleOpen
		}
		return id
	}
	id.Model = record.Model{ID: x.maker + "/" + joinedName(x.name, r.joined), Revision: record.Text(x.revision), Quantization: record.Text(x.quantization)}
	return id
}

// reading is a name in the course of being read.
type reading struct {
	parts
	kind                   Kind
	revision, quantization string
	rule, entry            string
}

// read takes a name apart and finds its maker, if the name tells it.
func (r *Resolver) read(n Name, steps *[]string) *reading {
	x := &reading{parts: *takeApart(n.ID), kind: Offer}
	step := func(what string) {
		if line := what + ": " + x.name; steps != nil && (len(*steps) == 0 || (*steps)[len(*steps)-1] != line) {
			*steps = append(*steps, line)
		}
	}
	step("without wrappers and tags")
	if before, after, ok := strings.Cut(x.name, "--"); ok && r.makers[before] != "" {
		x.maker, x.name = r.makers[before], after
	}
	x.cutDots(r.makers)
	if x.maker == "anthropic" {
		x.name = strings.TrimSuffix(x.name, "-v1")
	}
	step("without region and maker before dots")
	if zeroAlias.MatchString(x.name) {
		x.alias = true
	}
	x.name = normalForm(x.name, r.joined)
	step("in normal form")
	if r.routers.MatchString(strings.Join(append(slices.Clone(x.owners[max(0, len(x.owners)-1):]), x.name), "/")) || r.routers.MatchString(x.name) {
		x.kind = Router
		return x
	}
	r.ownMaker(x)
	r.cutPrefix(x)
	step("without the maker's name")
	r.peel(x, n.Seller, step)
	if x.budget && !slices.Contains(x.services, "thinking") {
		x.serve("thinking")
	}
	if rest, ok := strings.CutSuffix(x.name, "-latest"); ok {
		x.alias = true
		if strings.ContainsAny(rest, "0123456789") {
			x.name = rest
			r.peel(x, n.Seller, step)
		}
	}
	if x.alias {
		x.kind = Alias
	}
	if owner := r.familyOf(x.name); owner != "" && (x.maker == "" || slices.Contains(r.requantizers, x.maker)) {
		x.maker, x.rule = owner, RuleFamily
	}
	return x
}

// zeroAlias is how Anthropic calls what moves among snapshots of version 4.
var zeroAlias = regexp.MustCompile(`^claude-(?:sonnet|opus)-4-0$`)

// ownMaker finds the maker among the segments of the path: the nearest that the table
// has, else the nearest that is no host.
func (r *Resolver) ownMaker(x *reading) {
	if x.maker != "" {
		x.rule = RuleMaker
		return
	}
	other := ""
	for _, owner := range slices.Backward(x.owners) {
		if id := r.makers[owner]; id != "" {
			x.maker, x.rule = id, RuleMaker
			return
		}
		if other == "" && !r.hosts[owner] {
			other = owner
		}
	}
	if other != "" {
		x.maker, x.rule = other, RuleMaker
	}
}

// cutPrefix takes a maker or a host off the beginning of a name where the rest begins as
// that maker's models do, or any model for a host.
func (r *Resolver) cutPrefix(x *reading) {
	for _, prefix := range r.prefixes {
		rest, ok := strings.CutPrefix(x.name, prefix+"-")
		if !ok {
			continue
		}
		owner := r.familyOf(rest)
		switch maker := r.makers[prefix]; {
		case owner == "":
		case r.hosts[prefix], maker == owner:
			x.name = rest
			if x.maker == "" {
				x.maker, x.rule = owner, RuleFamily
			}
			return
		}
	}
}

// familyOf returns the maker whose models' names begin so, "" for none.
func (r *Resolver) familyOf(name string) string {
	for _, f := range r.families {
		if rest, ok := strings.CutPrefix(name, f.name); ok && (rest == "" || rest[0] == '-' || rest[0] >= '0' && rest[0] <= '9' && len(f.name) > 1) {
			return f.maker
		}
	}
	return ""
}

// peel takes off the end of a name what is no part of the model, and follows aliases.
func (r *Resolver) peel(x *reading, seller string, step func(string)) {
	used := map[int]bool{}
	for again := true; again; {
		again = false
		if m := formatSuffix.FindStringSubmatch(x.name); m != nil && x.quantization == "" {
			x.name, x.quantization, again = m[1], m[2], true
			step("without the quantization")
		}
		for i := range r.aliases {
			a := &r.aliases[i]
			if used[i] || a.Seller != "" && a.Seller != seller || a.Not != "" && a.Not == seller || a.Maker != "" && x.maker != "" && a.Maker != x.maker {
				continue
			}
			if m := a.pattern.FindStringSubmatchIndex(x.name); m != nil {
				used[i] = true
				name := strings.Trim(string(a.pattern.ExpandString(nil, braced.ReplaceAllString(a.Is, "$${$1}"), x.name, m)), "-")
				if name == x.name && a.Service == "" {
					continue
				}
				x.name, x.entry, again = name, a.Name, true
				if x.maker == "" && a.Maker != "" {
					x.maker = a.Maker
				}
				x.serve(a.Service)
				step("by a line of aliases, since " + a.Why)
			}
		}
		for i := range r.endings {
			e := &r.endings[i]
			if e.Seller != "" && e.Seller != seller {
				continue
			}
			if m := e.pattern.FindStringSubmatch(x.name); m != nil {
				x.name, again = m[1], true
				x.serve(e.Service)
				step("without the service, since " + e.Why)
			}
		}
		if rest, revision := cutRevision(x.name); revision != "" && x.revision == "" {
			x.name, x.revision, again = rest, revision, true
			step("without the revision")
		}
		if rest, ok := strings.CutSuffix(x.name, "-preview"); ok && x.revision == "" {
			if rest, revision := cutRevision(rest); revision != "" && !strings.HasPrefix(rest, "gpt-4") {
				x.name, x.revision, again = rest, revision, true
				step("without the revision")
			}
		}
	}
}

// braced are the groups in what an alias is.
var braced = regexp.MustCompile(`\$(\d)`)
