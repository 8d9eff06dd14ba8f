package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	disk "github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/sources/recipe"
)

type initOptions struct{ sources []string }

func newInit(run func(context.Context, initOptions) error) *cobra.Command {
	var opts initOptions
	return option.Declare(&cobra.Command{
		Use:        "init [--sources NAMES]",
		Short:      "Write a recipe: which sources a catalog is made of",
		SuggestFor: []string{"setup", "start"},
		RunE:       option.Run(run, &opts),
	},
		option.Option{Name: "sources", Value: option.Func(opts.setSources), Offer: option.Words(recipe.Known()...),
			Usage: "`NAMES` of sources, separated by commas (default all that need nothing but their name)"},
	)
}

func (o *initOptions) setSources(text string) error {
	for name := range strings.SplitSeq(text, ",") {
		if !slices.Contains(recipe.Known(), name) {
			return fmt.Errorf("must be names of sources, separated by commas: %s", strings.Join(recipe.Known(), ", "))
		}
		if !slices.Contains(o.sources, name) {
			o.sources = append(o.sources, name)
		}
	}
	return nil
}

func (p *program) initRecipe(ctx context.Context, opts initOptions) error {
	if opts.sources == nil {
		opts.sources = recipe.Usual()
	}
	err := disk.Create(ctx, recipe.FileName, func(w *disk.Writer) error {
		_, err := w.WriteString(recipe.New(opts.sources))
		return err
	})
	if errors.Is(err, fs.ErrExist) {
		return files.Named(recipe.FileName, errors.New("already exists; svc build makes its catalog"))
	}
	if err != nil {
		return files.Named(recipe.FileName, err)
	}
	p.Note("wrote %s with %d sources; svc build makes %s of it", recipe.FileName, len(opts.sources), recipe.Catalog)
	return nil
}
