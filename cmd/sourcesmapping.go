package cmd

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/quantity"
	"github.com/model-catalog-service/svc/internal/sources"
)

type mappingOptions struct {
	source    string
	snapshots []string
	existing  string // empty for none
	out       string // empty for stdout
}

func newSourcesMapping(run func(context.Context, mappingOptions) error) *cobra.Command {
	var opts mappingOptions
	return option.Declare(&cobra.Command{
		Use:               "mapping SOURCE SNAPSHOT... [--existing FILE] [-o FILE]",
		Short:             "Write a mapping to fill in: which row is which model",
		Args:              needSnapshots(&opts.source, &opts.snapshots),
		ValidArgsFunction: offerSnapshots,
		RunE:              option.Run(run, &opts),
	},
		option.Option{Name: "existing", Value: option.Input(&opts.existing), Offer: option.Endings("json"),
			Usage: "`FILE` with a mapping to continue; - is standard input"},
		option.Out(&opts.out, "json"),
	)
}

func (p *program) mapSource(ctx context.Context, opts mappingOptions) error {
	adapter, err := adapterOf(opts.source)
	if err != nil {
		return err
	}
	in := p.newInputs()
	snapshots, err := readSnapshots(ctx, in, adapter, opts.snapshots)
	if err != nil {
		return err
	}
	var existing problem.Source
	if opts.existing != "" {
		if existing, err = readMapping(ctx, in, opts.existing); err != nil {
			return err
		}
	}
	out, err := p.mappingOutput(ctx, adapter, opts.out, opts.existing, in)
	if err != nil {
		return err
	}
	m := packagedManifest()
	rows, err := adapter.Labels(m, snapshots)
	if err != nil {
		return err
	}
	draft, err := sources.DraftMapping(adapter, rows, existing)
	if err != nil {
		return err
	}
	if err := out.WriteText(ctx, draft.JSON); err != nil {
		return err
	}
	if opts.existing != "" {
		for _, id := range draft.New {
			p.Note("new %s", canonical.Quote(id))
		}
		for _, id := range draft.Missing {
			p.Note("missing %s", canonical.Quote(id))
		}
	}
	for _, label := range rows { // what a person needs to decide
		isNew := opts.existing == "" || slices.Contains(draft.New, label.Row)
		if isNew && (label.Label != label.Row || len(label.Notes) > 0) && label.Skip == "" && !adapter.IsPriceSource() {
			p.Note("%-50s  %s  %s", label.Row, label.Label, strings.Join(label.Notes, "  "))
		}
	}
	p.Note("%s, %d new; entries without a row: %d", quantity.Count(len(rows), "row"), len(draft.New), len(draft.Missing))
	return nil
}
