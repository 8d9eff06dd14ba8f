package cmd

import (
	"context"

	"github.com/spf13/cobra"

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
	c := &cobra.Command{
		Use:   "discover SOURCE --index FILE [--bundle FILE] [--asset-manifest FILE] [-o FILE]",
		Short: "Find out which releases a site tells of",
		Long: `Finds out which releases LiveBench has published, from pinned files: its index
page and the main bundle that the page names. Without --bundle it prints the URL
of that bundle, for you to download and pin. With it, it prints a proposal: the
releases, the bytes that they were found in, and the files of the newest. That is
for you to review, and approves nothing. It opens no connection.

Each FILE but the asset manifest is the file itself; its envelope, which "svc
sources pin" writes, lies beside it. Where the bundle that the page names is gone,
the asset-manifest.json of the site names another.`,
		Example: `  svc sources discover livebench --index index.html
  svc sources discover livebench --index index.html --bundle main.b0448181.js -o proposal.json`,
		Annotations: map[string]string{annotationNotes: exitNotes},
		Args: func(c *cobra.Command, args []string) error {
			if err := needSource(args); err != nil {
				return err
			}
			return needOptions(c, "index")
		},
		ValidArgsFunction: offerFirst(offerDiscoverable),
		RunE: func(c *cobra.Command, args []string) error {
			opts.source = args[0]
			return run(c.Context(), opts)
		},
	}
	f := c.Flags()
	f.StringVar(&opts.index, "index", "", "`FILE` with the index page")
	f.StringVar(&opts.bundle, "bundle", "", "`FILE` with the main bundle")
	f.StringVar(&opts.assets, "asset-manifest", "", "`FILE` with the asset-manifest.json of the site; - is standard input")
	addOut(c, &opts.out, "json")
	completeOption(c, "index", offerFiles("html", "htm"))
	completeOption(c, "bundle", offerFiles("js"))
	completeOption(c, "asset-manifest", offerFiles("json"))
	return c
}

func (p *program) discover(ctx context.Context, opts discoverOptions) error {
	m, err := sources.PackagedManifest()
	if err != nil {
		return err
	}
	names := []string{opts.index}
	if opts.bundle != "" {
		names = append(names, opts.bundle)
	}
	files, in, err := p.readSnapshots(names)
	if err != nil {
		return err
	}
	var assets problem.Source
	if opts.assets != "" {
		if assets, err = p.readSmall(opts.assets, sources.MaxBodyBytes, in); err != nil {
			return err
		}
	}
	out, err := targetOf(opts.out, in)
	if err != nil {
		return err
	}
	found, err := discovered(opts, m, files, assets)
	if err != nil {
		return err
	}
	return p.deliver(ctx, out, writing(found+"\n"))
}

// discovered is the proposal, or without a bundle the URL of the one to get.
func discovered(opts discoverOptions, m *sources.Manifest, files []sources.File, assets problem.Source) (string, error) {
	if opts.bundle != "" {
		proposal, err := discovery.Propose(discovery.Request{
			Manifest: m, Source: opts.source, Index: files[0], Bundle: files[1], AssetManifest: assets,
		})
		if err != nil {
			return "", err
		}
		return string(proposal.JSON()), nil
	}
	named, err := discovery.Bundle(files[0], opts.source, m)
	if err == nil && opts.assets != "" {
		named, err = discovery.BundleOfAssets(assets, opts.source, m)
	}
	return named, err
}
