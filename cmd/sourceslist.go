package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/option"
)

func newSourcesList(run func(ctx context.Context, output string) error) *cobra.Command {
	var output string
	return option.Declare(&cobra.Command{
		Use:   "list [--output text, json]",
		Short: "List the approved sources",
		RunE:  option.Run(run, &output),
	}, option.Format(&output, option.FormatText, option.FormatJSON))
}

func (p *program) listSources(_ context.Context, output string) error {
	m := packagedManifest()
	if output == option.FormatJSON {
		p.PrintJSON(fmt.Appendf(nil, `{"digest":%q,"manifest":%s}`, m.Digest(), m.JSON()))
		return nil
	}
	var t console.Table
	t.Head(p.Out, "SOURCE", "REVISION", "REFRESH", "MAX AGE", "ORIGIN")
	for _, s := range m.Sources() {
		t.Add(console.Text(s.ID), console.Text(string(s.Revision.Kind)), console.Text(hours(s.Freshness.RefreshHours)),
			console.Text(hours(s.Freshness.MaxAgeHours)), console.Text(s.CanonicalOrigin))
	}
	p.Print(t.Fit(p.Width()) + "\n")
	p.PrintWrapped("", "manifest "+m.Digest())
	return nil
}
