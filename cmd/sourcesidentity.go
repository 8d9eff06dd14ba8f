package cmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/quantity"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/identity"
	"github.com/model-catalog-service/svc/internal/sources/resolver"
	"github.com/model-catalog-service/svc/service/record"
)

type identityOptions struct {
	files     []string
	decisions string // empty for none
	model     string // empty for all
	explain   string // a local id, empty for none
	open      bool
	output    string // text or json
}

func newSourcesIdentity(run func(context.Context, identityOptions) error) *cobra.Command {
	var opts identityOptions
	return option.Declare(&cobra.Command{
		Use:   "identity FILE... [--decisions FILE] [--model ID | --explain ID | --open] [--output text, json]",
		Short: "Show which model each offer of price lists is, and why",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 && opts.explain != "" { // a name by itself
				return nil
			}
			return option.Files(&opts.files, "FILE")(c, args)
		},
		ValidArgsFunction: option.Endings("json", "tar"),
		RunE:              option.Run(run, &opts),
	},
		option.Option{Name: "decisions", Value: option.Input(&opts.decisions), Offer: option.Endings("json"),
			Usage: "`FILE` with what a person decided of names; - is standard input"},
		option.Option{Name: "model", Value: option.Text(&opts.model), Offer: option.Nothing,
			Usage: "`ID` of the model to show alone"},
		option.Option{Name: "explain", Value: option.Text(&opts.explain), Offer: option.Nothing,
			Usage: "`ID` of an offer, as its seller writes it: how svc read it, step by step"},
		option.Option{Name: "open", Value: option.Bool(&opts.open),
			Usage: "show the names whose model is not known, those of most sellers first"},
		option.Format(&opts.output, option.FormatText, option.FormatJSON),
	)
}

func (p *program) showIdentities(ctx context.Context, opts identityOptions) error {
	in := p.newInputs()
	rules, err := readRules(ctx, in, opts.decisions)
	if err != nil {
		return err
	}
	offers := identity.NewOffers(rules)
	if err := addOffers(ctx, in, offers, opts.files); err != nil {
		return err
	}
	switch {
	case opts.explain != "":
		offers.KeepNamed(opts.explain)
	case opts.model != "":
		offers.Keep(func(x *record.OfferIdentity) bool { return x.Model != nil && x.Model.ID == opts.model })
	case opts.open:
		offers.Keep(func(x *record.OfferIdentity) bool {
			return x.Rule == resolver.RuleOpen && x.Kind == string(resolver.Offer)
		})
	}
	switch {
	case opts.output == option.FormatJSON:
		p.PrintJSON(ijson.MustWriteTagged(offers.Identities()))
	case opts.explain != "":
		p.explainNames(rules, offers, opts)
	case opts.open:
		p.printOpen(offers)
	default:
		p.printIdentities(offers)
	}
	return nil
}

// readRules returns the rules of names, with the decisions of a file unless its name is "".
func readRules(ctx context.Context, in *files.Inputs, decisions string) (*resolver.Resolver, error) {
	rules, err := resolver.New()
	if err != nil {
		return nil, err
	}
	decided, err := readNames(ctx, in, decisions)
	if err != nil || decided == nil {
		return rules, err
	}
	return rules.With(decided), nil
}

// readNames reads what a person decided of names, nil if the name of the file is "".
func readNames(ctx context.Context, in *files.Inputs, decisions string) (resolver.Decisions, error) {
	if decisions == "" {
		return nil, nil
	}
	text, err := in.ReadFile(ctx, decisions, sources.MaxMappingBytes)
	if err != nil {
		return nil, err
	}
	return resolver.ReadDecisions(text)
}

// addOffers reads the rows of pinned files of price lists.
func addOffers(ctx context.Context, in *files.Inputs, offers *identity.Offers, names []string) error {
	snapshots, err := readSnapshots(ctx, in, nil, names)
	if err != nil {
		return err
	}
	lists := slices.DeleteFunc(adapters(), func(a sources.Adapter) bool { return !a.IsPriceSource() })
	bySource := map[string][]sources.File{}
	for _, f := range snapshots {
		envelope, err := ijson.ReadValue(f.Envelope.Text, problem.InvalidSourceSnapshot)
		if err != nil {
			return err
		}
		id, _ := envelope.Get("sourceId") // of the source, or of a file of it
		i := slices.IndexFunc(lists, func(a sources.Adapter) bool { return strings.HasPrefix(id.Text+"-", a.Source()+"-") })
		if i < 0 {
			return files.Named(f.Body.Name, fmt.Errorf("is of %s, which is no price list", id.Text))
		}
		bySource[lists[i].Source()] = append(bySource[lists[i].Source()], f)
	}
	for _, a := range lists {
		if len(bySource[a.Source()]) == 0 {
			continue
		}
		labels, err := a.Labels(packagedManifest(), bySource[a.Source()])
		if err != nil {
			return err
		}
		offers.Add(a.Source(), labels)
	}
	return nil
}

// printIdentities prints models with their offers.
func (p *program) printIdentities(offers *identity.Offers) {
	list := offers.Explain()
	id := func(x *identity.Explanation) string {
		if x.Model == nil {
			return ""
		}
		return x.Model.ID
	}
	slices.SortStableFunc(list, func(a, b identity.Explanation) int { return strings.Compare(id(&a), id(&b)) })
	var t console.Table
	t.Head(p.Out, "MODEL", "ROW", "PROVIDER", "REVISION", "RULE", "BECAUSE")
	models := map[string]int{}
	for i := range list {
		x := &list[i]
		model, revision := id(x), ""
		if x.Model != nil {
			revision = strings.TrimSpace(string(x.Model.Revision + " " + x.Model.Quantization))
		}
		if x.Kind != string(resolver.Offer) {
			model = strings.TrimSpace(x.Kind + " " + model)
		}
		if models[model]++; models[model] > 1 {
			model = ""
		}
		because := x.Why
		switch {
		case x.Rule == resolver.RuleBase || x.Rule == resolver.RuleDecision:
			because = string(x.Entry)
		case x.Disputed != "":
			because = "the list says " + string(x.Disputed)
		}
		t.Add(console.Text(console.Clip(model)), console.Text(console.Printable(x.Row)), console.Text(x.Runtime),
			console.Text(revision), console.Text(x.Rule),
			console.Cell{Lines: []string{console.Printable(because)}, Spare: true})
	}
	p.Print(t.Fit(p.Width()))
	delete(models, "")
	p.Print(fmt.Sprintf("%s, %s\n", quantity.Count(len(list), "offer"), quantity.Count(len(models), "model")))
}

// printOpen prints the names whose model is not known.
func (p *program) printOpen(offers *identity.Offers) {
	var t console.Table
	t.Head(p.Out, "LOCAL ID", "SELLERS")
	for _, name := range offers.Open() {
		t.Add(console.Text(console.Printable(name.LocalID)), console.Text(strings.Join(name.Sellers, ", ")))
	}
	p.Print(t.Fit(p.Width()))
}

// explainNames prints how a name was read: where the files have it, or by itself.
func (p *program) explainNames(rules *resolver.Resolver, offers *identity.Offers, opts identityOptions) {
	all := offers.Explain()
	if len(all) == 0 {
		all = identity.ExplainName(rules, opts.explain)
	}
	for i, x := range all {
		if i > 0 {
			p.Print("\n")
		}
		p.Print(p.Out.Heading.Sprint(console.Printable(strings.TrimSpace(x.Source+" "+x.Row))) + "\n")
		for _, step := range x.Steps {
			p.Print("  " + console.Printable(step) + "\n")
		}
		line := func(name, value string) {
			if value != "" {
				p.Print(fmt.Sprintf("%-12s %s\n", name, console.Printable(value)))
			}
		}
		if line("kind", x.Kind); x.Model != nil {
			line("model", x.Model.ID)
			line("revision", string(x.Model.Revision))
			line("quantization", string(x.Model.Quantization))
		}
		line("services", strings.Join(x.Services, ", "))
		line("region", string(x.Region))
		if x.Source != "" {
			line("provider", x.Runtime)
		}
		line("rule", x.Rule)
		line("entry", string(x.Entry))
		line("disputed", string(x.Disputed))
	}
}
