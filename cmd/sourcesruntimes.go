package cmd

import (
	"cmp"
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/sources/offer"
)

func newSourcesRuntimes(run func(ctx context.Context, output string) error) *cobra.Command {
	var output string
	return option.Declare(&cobra.Command{
		Use:   "runtimes [--output auto, table, json]",
		Short: "Print which providers of price sources are one runtime",
		RunE:  option.Run(run, &output),
	}, option.Format(&output, option.FormatAuto, option.FormatTable, option.FormatJSON))
}

func (p *program) printRuntimes(_ context.Context, output string) error {
	if !p.wantsTable(output) {
		p.Print(offer.RuntimesJSON())
		return nil
	}
	type row struct{ runtime, source, provider string }
	var rows []row
	for _, s := range packagedManifest().Sources() {
		for _, e := range offer.ReadRuntimes(s.ID).Entries() {
			rows = append(rows, row{e.Runtime, s.ID, e.Name})
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.runtime, b.runtime) })
	var t console.Table
	t.Head(p.Out, "RUNTIME", "SOURCE", "PROVIDER")
	for _, r := range rows {
		t.Add(console.Text(r.runtime), console.Text(r.source), console.Text(r.provider))
	}
	p.Print(t.Fit(p.Width()))
	return nil
}
