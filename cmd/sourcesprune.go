package cmd

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/quantity"
	builder "github.com/model-catalog-service/svc/internal/sources/build"
	download "github.com/model-catalog-service/svc/internal/sources/fetch"
	"github.com/model-catalog-service/svc/internal/sources/store"
)

type pruneOptions struct {
	recipe string // empty for the one that is found
	dryRun bool
}

func newSourcesPrune(run func(context.Context, pruneOptions) error) *cobra.Command {
	var opts pruneOptions
	return option.Declare(&cobra.Command{
		Use:        "prune [--recipe FILE] [--dry-run]",
		Short:      "Drop from the store what no build needs any more",
		SuggestFor: []string{"clean", "gc"},
		RunE:       option.Run(run, &opts),
	},
		option.Option{Name: "recipe", Value: option.Text(&opts.recipe), Offer: option.Endings("yaml", "yml"),
			Usage: "`FILE` with the recipe (default catalog.yaml here or in a folder above)"},
		option.Option{Name: "dry-run", Value: option.Bool(&opts.dryRun),
			Usage: "say what would be dropped, and drop nothing"},
	)
}

func (p *program) pruneStore(ctx context.Context, opts pruneOptions) error {
	src, r, err := readRecipe(opts.recipe)
	if err != nil {
		return err
	}
	folder := filepath.Dir(src.Name)
	kept, err := p.openStore(ctx, folder)
	if err != nil {
		return err
	}
	defer kept.Close()
	pruned, err := builder.Prune(ctx, builder.Request{
		Recipe: r, Text: src, Folder: folder, Store: kept, Adapters: adapters(), Manifest: packagedManifest(),
		DryRun: opts.dryRun,
		Fetch:  download.Options{World: p.world},
	})
	if err != nil {
		return err
	}
	what := "frees"
	if opts.dryRun {
		what = "would free"
	}
	p.Printf("%s %s %s: %s and %s\n", filepath.Join(folder, store.Folder), what, quantity.Bytes(pruned.Bytes),
		quantity.Count(pruned.Looks, "look"), quantity.Count(pruned.Bodies, "file"))
	return nil
}
