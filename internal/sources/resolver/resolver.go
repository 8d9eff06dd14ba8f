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

	RuleTable    = "aliases/2"  // a line of aliases tells the maker
	RuleDecision = "decision/2" // a person decided
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
	Model    record.Model // without id if the maker is not known
	Name     string       // that of the model, without its maker, who may be unknown
	Services []string     // sorted; empty for standard
	Region   string
	Rule     string
	Entry    string // the line of aliases, the decision, or what the source states
	Why      string // that of the line
	Disputed string // the model that the source states where the name says another
}

// Resolver reads names.
type Resolver struct {
	*tables
	decisions Decisions
	byModel   map[string]string // names of decisions, by the models that the rules read of them
}

// New returns a resolver.
func New() (*Resolver, error) {
	t, err := readTables()
	if err != nil {
		return nil, err
	}
	return &Resolver{tables: t}, nil
}

// Resolve reads a name.
func (r *Resolver) Resolve(n Name) Identity { return r.resolve(n, nil) }

// Explain reads a name and says how, step by step.
func (r *Resolver) Explain(n Name) (Identity, []string) {
	steps := []string{}
	return r.resolve(n, &steps), steps
}

func (r *Resolver) resolve(n Name, steps *[]string) Identity {
	id := r.byRules(n, steps)
	r.decide(n, &id, steps)
	return id
}

// byRules reads a name as if nobody had decided anything.
func (r *Resolver) byRules(n Name, steps *[]string) Identity {
	x := r.read(n, steps)
	if id := r.makers[n.Seller]; x.maker == "" && x.kind == Offer && n.Base == "" && id != "" {
		x.maker, x.rule = id, RuleSeller
	}
	id := Identity{Kind: x.kind, Region: x.region, Services: x.services, Rule: x.rule, Entry: x.entry, Why: x.why}
	slices.Sort(id.Services)
	if n.Base != "" {
		base := r.read(Name{ID: n.Base}, nil)
		switch {
		case x.maker == "" && base.maker != "":
			if x.revision == "" {
				x.revision = base.revision
			}
			x.maker, x.name, id.Rule, id.Entry = base.maker, base.name, RuleBase, n.Base
		case base.maker != x.maker || base.name != x.name:
			id.Disputed = base.maker + "/" + r.spelled(base.name)
		}
	}
	id.Name = r.spelled(x.name)
	id.Model = record.Model{Revision: record.Text(x.revision), Quantization: record.Text(x.quantization)}
	if id.Kind == Router || x.maker == "" || x.name == "" {
		if id.Rule == "" {
			id.Rule = RuleOpen
		}
		return id
	}
	id.Model.ID = x.maker + "/" + id.Name
	return id
}

// reading is a name in the course of being read.
type reading struct {
	parts
	kind                   Kind
	revision, quantization string
	rule, entry, why       string
}

// read takes a name apart and finds its maker, if the name tells it.
func (r *Resolver) read(n Name, steps *[]string) *reading {
	x := &reading{parts: *takeApart(n.ID), kind: Offer}
	last := ""
	step := func(what string) {
		if steps != nil && x.name != last {
			last = x.name
			*steps = append(*steps, what+": "+x.name)
		}
	}
	step("without wrappers and tags")
	if before, after, ok := strings.Cut(x.name, "--"); ok && r.makers[before] != "" {
		x.maker, x.name = r.makers[before], after
	}
	x.cutDots(r.makers)
	if x.maker != "" && x.name != "claude-v1" && x.name != "claude-instant-v1" {
		x.name = strings.TrimSuffix(x.name, "-v1")
	}
	step("without region and maker before dots")
	if zeroAlias.MatchString(x.name) {
		x.alias = true
	}
	x.name = normalForm(x.name)
	step("in normal form")
	if r.routers.MatchString(strings.Join(append(slices.Clone(x.owners[max(0, len(x.owners)-1):]), x.name), "/")) {
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
	if owner := r.familyOf(x.name); owner != "" && (x.maker == "" || r.requantizes(x)) {
		x.maker, x.rule = owner, RuleFamily
	}
	return x
}

// requantizes reports whether who is named as the maker publishes weights of others: those of
// the table do, and so does who is no maker that the table knows and names a quantization.
func (r *Resolver) requantizes(x *reading) bool {
	return slices.Contains(r.requantizers, x.maker) || x.quantization != "" && !r.known[x.maker]
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

// cutPrefix takes makers and hosts off the beginning of a name where the rest begins as
// that maker's models do, or any model for a host: databricks-meta-llama.
func (r *Resolver) cutPrefix(x *reading) {
	name, owner := r.withoutPrefix(x.name)
	if owner == "" {
		return
	}
	x.name = name
	if x.maker == "" || x.maker != owner && r.hosts[x.maker] {
		x.maker, x.rule = owner, RuleFamily
	}
}

// withoutPrefix returns a name without makers and hosts before it, and the maker whose
// models begin so, "" if there is nothing to take off.
func (r *Resolver) withoutPrefix(name string) (rest, owner string) {
	for _, prefix := range r.prefixes {
		rest, ok := strings.CutPrefix(name, prefix+"-")
		if !ok {
			continue
		}
		owner := r.familyOf(rest)
		if owner == "" && r.hosts[prefix] {
			if rest, owner = r.withoutPrefix(rest); owner != "" {
				return rest, owner
			}
		}
		if owner != "" && (r.hosts[prefix] || r.makers[prefix] == owner) {
			return rest, owner
		}
	}
	return name, ""
}

// familyOf returns the maker whose models' names begin so, "" for none.
func (r *Resolver) familyOf(name string) string {
	for _, f := range r.families {
		if rest, ok := strings.CutPrefix(name, f.name); ok && (rest == "" || rest[0] == '-' || rest[0] >= '0' &&
			rest[0] <= '9' && len(f.name) > 1) {
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
		if m := formatSuffix.FindStringSubmatch(x.name); m != nil && (x.quantization == "" || x.quantization == "gguf") {
			x.name, x.quantization, again = m[1], m[2], true
			step("without the quantization")
		}
		for i := range r.aliases {
			a := &r.aliases[i]
			if used[i] || !strings.HasPrefix(x.name, a.start) || a.Seller != "" && a.Seller != seller || a.Not != "" &&
				a.Not == seller || a.Maker != "" && x.maker != "" && a.Maker != x.maker {
				continue
			}
			if m := a.pattern.FindStringSubmatchIndex(x.name); m != nil {
				used[i] = true
				name := strings.Trim(string(a.pattern.ExpandString(nil, braced.ReplaceAllString(a.Is, "$${$1}"), x.name, m)), "-")
				if name == x.name && a.Service == "" {
					continue
				}
				x.name, x.entry, x.why, again = name, a.Name, a.Why, true
				if x.maker == "" && a.Maker != "" {
					x.maker, x.rule = a.Maker, RuleTable
				}
				x.serve(a.Service)
				step(a.Why)
			}
		}
		for i := range r.endings {
			e := &r.endings[i]
			if e.Seller != "" && e.Seller != seller {
				continue
			}
			if rest, ok := e.without(x.name); ok {
				x.name, again = rest, true
				x.serve(e.Service)
				step(e.Why)
			}
		}
		if again {
			continue
		}
		if rest, revision := cutRevision(x.name); revision != "" &&
			(x.revision == "" || strings.HasPrefix(x.revision, "00")) {
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
