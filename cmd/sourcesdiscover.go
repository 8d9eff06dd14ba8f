package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/discovery"
)

type discoverOptions struct {
	source, index string
	bundle        string // empty for none
	assets        string // empty for none
	out           string // empty for stdout
}

func newSourcesDiscover(run func(context.Context, discoverOptions) error) *cobra.Command {
	var opts discoverOptions
	return option.Declare(&cobra.Command{
		Use:   "discover SOURCE --index FILE [--bundle FILE] [--asset-manifest FILE] [-o FILE]",
		Short: "Find out which releases a site has published",
		Args:  option.OneArgument(&opts.source, "SOURCE"),
		ValidArgsFunction: option.First(
			offerSources(func(s *sources.Source) bool { return s.Resolver.DerivedResourcePolicy == sources.PolicyMainBundle })),
		RunE: option.Run(run, &opts),
	},
		option.Option{Name: "index", Value: option.Text(&opts.index), Required: true, Offer: option.Endings("html", "htm"),
			Usage: "`FILE` with the index page"},
		option.Option{Name: "bundle", Value: option.Text(&opts.bundle), Offer: option.Endings("js"),
			Usage: "`FILE` with the main bundle"},
		option.Option{Name: "asset-manifest", Value: option.Input(&opts.assets), Offer: option.Endings("json"),
			Usage: "`FILE` with the asset-manifest.json of the site; - is standard input"},
		option.Out(&opts.out, "json"),
	)
}

func (p *program) discover(ctx context.Context, opts discoverOptions) error {
	m := packagedManifest()
	names := []string{opts.index}
	if opts.bundle != "" {
		names = append(names, opts.bundle)
	}
	in := p.newInputs()
	pinned, err := readSnapshots(ctx, in, nil, names)
	if err != nil {
		return err
	}
	var assets problem.Source
	if opts.assets != "" {
		if assets, err = in.ReadFile(ctx, opts.assets, sources.MaxBodyBytes); err != nil {
			return err
		}
	}
	out, err := files.NewOutput(opts.out, p.Document(), in)
	if err != nil {
		return err
	}
	found, err := discovered(opts, m, pinned, assets)
	if err != nil {
		return err
	}
	return out.WriteText(ctx, found+"\n")
}

// discovered is the proposal, or without a bundle the URL of the one to download.
func discovered(opts discoverOptions, m *sources.Manifest, pinned []sources.File, assets problem.Source) (string,
	error) {
	if opts.bundle != "" {
		proposal, err := discovery.Propose(discovery.Request{
			Manifest: m, Source: opts.source, Index: pinned[0], Bundle: pinned[1], AssetManifest: assets,
		})
		if err != nil {
			return "", err
		}
		return string(proposal.JSON()), nil
	}
	named, err := discovery.Bundle(pinned[0], opts.source, m)
	if err == nil && opts.assets != "" {
		named, err = discovery.BundleOfAssets(assets, opts.source, m)
	}
	return named, err
}
