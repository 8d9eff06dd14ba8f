package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/option"
)

func newSourcesList(run func(ctx context.Context, output string) error) *cobra.Command {
	var output string
	return option.Declare(&cobra.Command{
		Use:               "list [--output text, json]",
		Short:             "List the approved sources",
		ValidArgsFunction: option.Nothing,
		Args:              option.NoArguments,
		RunE:              func(c *cobra.Command, _ []string) error { return run(c.Context(), output) },
	}, option.Format(&output, option.FormatText, option.FormatJSON))
}

func (p *program) listSources(_ context.Context, output string) error {
	m := packagedManifest()
	if output == option.FormatJSON {
		p.PrintJSON(fmt.Appendf(nil, `{"digest":%q,"manifest":%s}`, m.Digest(), m.JSON()))
		return nil
	}
	const form = "%-18s  %-8s  %7s  %7s  %s\n"
	p.Print(p.Out.Heading.Sprintf(form, "SOURCE", "REVISION", "REFRESH", "MAX AGE", "ORIGIN"))
	for _, s := range m.Sources() {
		p.Printf(form, s.ID, s.Revision.Kind, hours(s.Freshness.RefreshHours), hours(s.Freshness.MaxAgeHours), s.CanonicalOrigin)
	}
	p.Printf("\nmanifest %s\n", m.Digest())
	return nil
}
