package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/quantity"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/identity"
	"github.com/model-catalog-service/svc/internal/sources/modelsdev"
	"github.com/model-catalog-service/svc/internal/sources/openrouter"
	"github.com/model-catalog-service/svc/internal/sources/resolver"
)

type proposeOptions struct {
	source     string
	snapshots  []string
	against    []string
	existing   string // empty for none
	accept     string // ids, all, or empty for none
	runtime    string // a default of the mapping
	validUntil string // a default of the mapping
	out        string // empty for stdout
}

func newSourcesPropose(run func(context.Context, proposeOptions) error) *cobra.Command {
	var opts proposeOptions
	// The files after --against are words of their own, as a pattern of the shell writes them.
	// So each file comes with the number of words before it that belong to no option.
	type named struct {
		file   string
		before int
	}
	var against []named
	var c *cobra.Command
	c = option.Declare(&cobra.Command{
		Use: "propose SOURCE SNAPSHOT... [--against FILE...] [--existing MAPPING] [--accept all|ID,...] [--runtime ID] " +
			"[--valid-until TIME] [-o FILE]",
		Short: "Propose a model for each row of a source",
		Args: func(c *cobra.Command, args []string) error {
			const least = 2 // words that come before files: the source and a snapshot
			end := len(args)
			for _, n := range slices.Backward(against) {
				opts.against = slices.Insert(opts.against, 0, n.file)
				if n.before >= least {
					opts.against = slices.Insert(opts.against, 1, args[n.before:end]...)
					end = n.before
				}
			}
			return needSnapshots(&opts.source, &opts.snapshots)(c, args[:end])
		},
		ValidArgsFunction: offerSnapshots,
		RunE:              option.Run(run, &opts),
	},
		option.Option{Name: "against", Value: option.Each(func(text string) error {
			against = append(against, named{text, c.Flags().NArg()})
			return nil
		}), Many: true, Offer: option.Endings("json", "tar"),
			Usage: "`FILE` that names models: a pinned file of openrouter-models or models-dev, or a mapping; of several the " +
				"first counts most"},
		option.Option{Name: "existing", Value: option.Input(&opts.existing), Offer: option.Endings("json"),
			Usage: "`MAPPING` to continue; svc keeps its decisions"},
		option.Option{Name: "accept", Value: option.Text(&opts.accept), Offer: option.Words("all"),
			Usage: "`IDS` of proposals, separated by commas, or all: write a mapping with them"},
		option.Option{Name: "runtime", Value: option.Text(&opts.runtime), Offer: option.Nothing,
			Usage: "`ID` of the runtime for the defaults of the mapping"},
		option.Option{Name: "valid-until", Value: option.Instant(&opts.validUntil, time.Now), Offer: option.Nothing,
			Usage: "`TIME` until which the mapping holds, for its defaults"},
		option.Out(&opts.out, "json"),
	)
	return c
}

func (p *program) propose(ctx context.Context, opts proposeOptions) error {
	adapter, err := adapterOf(opts.source)
	if err != nil {
		return err
	}
	in := p.newInputs()
	snapshots, err := readSnapshots(ctx, in, adapter, opts.snapshots)
	if err != nil {
		return err
	}
	crosswalks, err := readCrosswalks(ctx, in, opts.against)
	if err != nil {
		return err
	}
	var existing problem.Source
	if opts.existing != "" {
		if existing, err = readMapping(ctx, in, opts.existing); err != nil {
			return err
		}
	}
	labels, err := adapter.Labels(packagedManifest(), snapshots)
	if err != nil {
		return err
	}
	undecided, err := sources.Undecided(adapter, labels, existing)
	if err != nil {
		return err
	}
	rules, err := resolver.New()
	if err != nil {
		return err
	}
	proposals := identity.Propose(opts.source, undecided, crosswalks, rules)
	if opts.accept == "" && opts.out == "" && p.IsTerminal() {
		p.printProposals(proposals)
		return nil
	}
	text := string(proposals.JSON()) + "\n"
	if opts.accept != "" {
		entries, err := proposals.Accepted(strings.Split(opts.accept, ","))
		if err != nil {
			return option.Invalid("--accept", opts.accept, err.Error())
		}
		if text, err = sources.AddEntries(adapter, existing, entries, opts.runtime, opts.validUntil); err != nil {
			return err
		}
	}
	out, err := p.mappingOutput(ctx, adapter, opts.out, opts.existing, in)
	if err != nil {
		return err
	}
	if err := out.WriteText(ctx, text); err != nil {
		return err
	}
	p.tellOpen(proposals)
	return nil
}

// tellOpen says how many rows have a proposal, and how many have none.
func (p *program) tellOpen(proposals *identity.Proposals) {
	switch open := len(proposals.Open); open {
	case 1:
		p.Note("%s, 1 row stays open", quantity.Count(len(proposals.Proposals), "proposal"))
	default:
		p.Note("%s, %d rows stay open", quantity.Count(len(proposals.Proposals), "proposal"), open)
	}
}

// readCrosswalks reads the lists that labels are held against.
func readCrosswalks(ctx context.Context, in *files.Inputs, names []string) (list []*identity.Crosswalk, err error) {
	for _, name := range withoutEnvelopes(names) {
		c, err := readCrosswalk(ctx, in, name)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// mappingOutput returns an output that may be the mapping which is gone on with. It may be
// no other mapping in which somebody has decided anything.
func (p *program) mappingOutput(ctx context.Context, adapter sources.Adapter, name, existing string,
	in *files.Inputs) (*files.Output, error) {
	if name == "" || name == option.Stdin {
		return files.NewOutput(name, p.Document(), in)
	}
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return files.NewOutput(name, p.Document(), in)
	}
	if before, err := os.Stat(existing); err == nil && os.SameFile(info, before) {
		return files.NewOutput(name, p.Document(), p.newInputs())
	}
	out, err := files.NewOutput(name, p.Document(), in)
	if err != nil {
		return nil, err
	}
	mapping, err := p.newInputs().ReadFile(ctx, name, sources.MaxMappingBytes)
	if err == nil && sources.HasDecision(adapter, mapping) {
		return nil, files.Named(name, errors.New("has decisions, which would be lost: continue it with --existing "+name))
	}
	return out, nil
}

func (p *program) printProposals(x *identity.Proposals) {
	var proposed, open console.Table
	proposed.Head(p.Out, "ID", "LABEL", "MODEL", "CONDITION", "RULE")
	for _, one := range x.Proposals {
		rule := console.Cell{Lines: []string{console.Printable(one.Rule)}, Spare: true}
		proposed.Add(console.Text(one.ID), console.Text(console.Clip(one.Label)),
			console.Text(console.Clip(strings.TrimSpace(one.Model+" "+string(one.Revision)))),
			console.Text(console.Clip(string(one.Condition))), rule)
	}
	open.Head(p.Out, "OPEN", "BECAUSE")
	for _, one := range x.Open {
		open.Add(console.Text(console.Clip(one.Label)), console.Text(console.Printable(one.Reason)))
	}
	if len(x.Proposals) > 0 {
		p.Print(proposed.Fit(p.Width()))
	}
	if len(x.Open) > 0 {
		p.Print("\n" + open.Fit(p.Width()))
	}
}

// readCrosswalk reads a list of names. What kind it is, its envelope says; a file
// without one is a mapping.
func readCrosswalk(ctx context.Context, in *files.Inputs, name string) (*identity.Crosswalk, error) {
	input, err := in.AddFile(name)
	if err != nil {
		return nil, err
	}
	body, err := input.Read(ctx, sources.MaxBodyBytes, func(int64) {})
	if err != nil {
		return nil, err
	}
	if strings.Contains(body.Text[:min(len(body.Text), 1<<10)], `"service.source-mapping/`) {
		return identity.FromMapping(body.Text)
	}
	for source, read := range map[string]func(string) (*identity.Crosswalk, error){
		openrouter.Source: identity.FromOpenRouter, modelsdev.Source: identity.FromModelsDev,
	} {
		adapter, err := adapterOf(source)
		if err != nil {
			return nil, err
		}
		pinned, err := readSnapshots(ctx, files.New(strings.NewReader("")), adapter, []string{name})
		if err != nil {
			return nil, err
		}
		if _, err := sources.Open(sources.File{Body: body, Envelope: pinned[0].Envelope}, source,
			packagedManifest()); err == nil {
			return read(body.Text)
		}
	}
	return nil, files.Named(name, fmt.Errorf("is neither a mapping nor a pinned file of %s or %s", openrouter.Source,
		modelsdev.Source))
}
