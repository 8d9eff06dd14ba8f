package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/identity"
	"github.com/model-catalog-service/svc/internal/sources/modelsdev"
	"github.com/model-catalog-service/svc/internal/sources/openrouter"
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
	return option.Declare(&cobra.Command{
		Use:               "propose SOURCE SNAPSHOT... --against FILE... [--existing MAPPING] [--accept all|ID,...] [--runtime ID] [--valid-until TIME] [-o FILE]",
		Short:             "Propose which models the rows of a source are",
		Args:              needSnapshots,
		ValidArgsFunction: offerSnapshots,
		RunE: func(c *cobra.Command, args []string) error {
			opts.source, opts.snapshots = args[0], args[1:]
			return run(c.Context(), opts)
		},
	},
		option.Option{Name: "against", Value: option.Texts(&opts.against), Required: true, Offer: option.Endings("json", "tar"),
			Usage: "`FILE` that names models: a pinned file of openrouter-models or models-dev, or a mapping"},
		option.Option{Name: "existing", Value: option.Text(&opts.existing), Offer: option.Endings("json"),
			Usage: "`MAPPING` to go on with: its rows are decided"},
		option.Option{Name: "accept", Value: option.Text(&opts.accept), Offer: option.Words("all"),
			Usage: "`IDS` of proposals, separated by commas, or all: write a mapping with them"},
		option.Option{Name: "runtime", Value: option.Text(&opts.runtime), Offer: option.Nothing,
			Usage: "`ID` of the runtime for the defaults of the mapping"},
		option.Option{Name: "valid-until", Value: option.Instant(&opts.validUntil, time.Now), Offer: option.Nothing,
			Usage: "`TIME` until which the mapping holds, for its defaults"},
		option.Out(&opts.out, "json"),
	)
}

func (p *program) propose(ctx context.Context, opts proposeOptions) error {
	adapter, err := adapterOf(opts.source)
	if err != nil {
		return err
	}
	in := files.New(p.stdin)
	snapshots, err := readSnapshots(ctx, in, adapter, opts.snapshots)
	if err != nil {
		return err
	}
	var crosswalks []*identity.Crosswalk
	for _, name := range opts.against {
		c, err := readCrosswalk(ctx, in, name)
		if err != nil {
			return err
		}
		crosswalks = append(crosswalks, c)
	}
	var existing problem.Source
	if opts.existing != "" {
		if existing, err = in.ReadFile(ctx, opts.existing, sources.MaxMappingBytes); err != nil {
			return err
		}
		if err := files.Expect(existing, files.Mapping); err != nil {
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
	proposals := identity.Propose(opts.source, undecided, crosswalks)
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
	switch open := len(proposals.Open); open {
	case 1:
		p.Note("%s, 1 row stays open", counted(len(proposals.Proposals), "proposal"))
	default:
		p.Note("%s, %d rows stay open", counted(len(proposals.Proposals), "proposal"), open)
	}
	return nil
}

// mappingOutput returns an output that may be the mapping which is gone on with. It may be
// no other mapping in which somebody has decided anything.
func (p *program) mappingOutput(ctx context.Context, adapter sources.Adapter, name, existing string, in *files.Inputs) (*files.Output, error) {
	if name == "" || name == option.Stdin {
		return files.NewOutput(name, p.Document(), in)
	}
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return files.NewOutput(name, p.Document(), in)
	}
	if before, err := os.Stat(existing); err == nil && os.SameFile(info, before) {
		return files.NewOutput(name, p.Document(), files.New(p.stdin))
	}
	out, err := files.NewOutput(name, p.Document(), in)
	if err != nil {
		return nil, err
	}
	there, err := files.New(p.stdin).ReadFile(ctx, name, sources.MaxMappingBytes)
	if err == nil && sources.HasDecision(adapter, there) {
		return nil, files.Named(name, errors.New("has decisions, which would be lost: go on with it by --existing "+name))
	}
	return out, nil
}

func (p *program) printProposals(x *identity.Proposals) {
	const form = "%-12s  %-45s  %-40s  %-20s  %s\n"
	p.Print(p.Out.Heading.Sprintf(form, "ID", "LABEL", "MODEL", "CONDITION", "RULE"))
	for _, one := range x.Proposals {
		p.Printf(form, one.ID, one.Label, one.Model, one.Condition, one.Rule)
	}
	for _, one := range x.Open {
		p.Printf(form, "-", one.Label, "", "", one.Reason)
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
		if _, err := sources.Open(sources.File{Body: body, Envelope: pinned[0].Envelope}, source, packagedManifest()); err == nil {
			return read(body.Text)
		}
	}
	return nil, files.Named(name, fmt.Errorf("is neither a mapping nor a pinned file of %s or %s", openrouter.Source, modelsdev.Source))
}
