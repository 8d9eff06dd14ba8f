package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/sources"
)

type showSourceOptions struct {
	source string
	output string // text or json
}

func newSourcesShow(run func(context.Context, showSourceOptions) error) *cobra.Command {
	var opts showSourceOptions
	return option.Declare(&cobra.Command{
		Use:               "show SOURCE [--output text, json]",
		Short:             "Show what may be taken from a source",
		ValidArgsFunction: offerApproved(),
		Args:              option.OneArgument(&opts.source, "SOURCE"),
		RunE:              option.Run(run, &opts),
	}, option.Format(&opts.output, option.FormatText, option.FormatJSON))
}

func (p *program) showSource(_ context.Context, opts showSourceOptions) error {
	m := packagedManifest()
	s, err := approved(m, opts.source)
	if err != nil {
		return err
	}
	if opts.output == option.FormatJSON {
		p.PrintJSON(fmt.Appendf(nil, `{"declaration":%s,"digest":%q}`, s.JSON(), s.Digest()))
		return nil
	}
	line := func(name, format string, args ...any) {
		p.Print(p.Out.Heading.Sprintf("%-12s", name) + " ")
		p.PrintAfter(len("entrypoint   "), fmt.Sprintf(format, args...))
	}
	line("source", "%s", s.ID)
	line("owner", "%s", s.Owner)
	line("attribution", "%s, %s", s.Attribution.Name, s.Attribution.URL)
	if s.License.EvidenceURL != "" {
		line("licence", "%s, %s", s.License.Identifier, s.License.EvidenceURL)
	} else {
		line("licence", "%s", s.License.Identifier)
	}
	line("trust", "%s", s.TrustRationale)
	for _, limit := range s.KnownLimitations {
		line("limitation", "%s", limit)
	}
	line("refresh", "every %s, holds for %s", hours(s.Freshness.RefreshHours), hours(s.Freshness.MaxAgeHours))
	line("revision", "%s, %s", s.Revision.Kind, s.Revision.Grammar)
	entry := &s.Resolver.Entrypoint
	line("entrypoint", "%s (%s, at most %d bytes)", entry.URL, entry.MediaType, entry.MaxBytes)
	if s.Resolver.DerivedResourcePolicy != sources.PolicyNone {
		line("derived", "%s (at most %d bytes)", s.Resolver.DerivedResourcePolicy, s.Resolver.MaxBytes)
	}
	for i := range s.Artifacts.Items {
		a := &s.Artifacts.Items[i]
		line("artifact", "%s: %s (%s, at most %d bytes)", a.ID, a.URLTemplate, a.MediaType, a.MaxBytes)
	}
	line("digest", "%s", s.Digest())
	return nil
}
