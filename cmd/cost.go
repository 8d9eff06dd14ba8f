package cmd

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/cmd/internal/printer"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/contents"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/rank/v3"
)

type costOptions struct {
	catalog string
	models  []string
	only    contents.CostOptions
	top     uint64 // how many offers a table shows; 0 if nobody said
	output  string // auto, json or table
}

func newCost(run func(context.Context, costOptions) error) *cobra.Command {
	var opts costOptions
	question := v3.Question{}
	return option.Declare(&cobra.Command{
		Use: "cost [--catalog FILE] MODEL... [--runtime ID]... [--tokens INPUT/OUTPUT] [--cached TOKENS]" +
			" [--requests NUMBER]" +
			" [--top N] [--output auto, json, table]",
		Short:             "Say what a task costs at everybody who sells some models",
		SuggestFor:        []string{"price", "prices", "pricing", "sellers", "offers"},
		ValidArgsFunction: offerCatalogNames(modelMark),
		Args:              option.Files(&opts.models, "MODEL"),
		RunE: option.Run(run, &opts, func() error {
			opts.only.Task, opts.only.Runtimes = question.Tokens, question.Runtimes
			return nil
		}),
	}, slices.Concat([]option.Option{foundCatalog(&opts.catalog)},
		questionOptionsOf(&question, "runtime", "tokens", "cached", "requests"), []option.Option{
			{Name: "top", Value: option.Integer(&opts.top, 1, v3.MaxCriterionCells),
				Usage: "show the cheapest `N` offers in a table (default: all of them, on a terminal ten)"},
			option.Format(&opts.output, option.FormatAuto, option.FormatJSON, option.FormatTable),
		})...)
}

func (p *program) cost(ctx context.Context, opts costOptions) error {
	snapshot, err := p.newInputs().AddFile(opts.catalog)
	if err != nil {
		return err
	}
	c, err := p.readCatalog(ctx, snapshot)
	if err != nil {
		return err
	}
	models, err := findModels(c, opts.models)
	if err != nil {
		return files.Named(snapshot.Name, err)
	}
	table, err := contents.Costs(ctx, c, models, opts.only)
	if err != nil {
		return err
	}
	if !p.wantsTable(opts.output) {
		p.PrintJSON(ijson.MustWriteTagged(table))
		return nil
	}
	printer.New(p.Console).Costs(table, p.shownCandidates(opts.top))
	return nil
}

// findModels returns the models that names mean, each once.
func findModels(c *catalog.Catalog, names []string) (list []*catalog.ModelEntry, err error) {
	for _, name := range names {
		models, err := contents.FindModels(c, name)
		if err != nil {
			return nil, err
		}
		for _, m := range models {
			if !slices.Contains(list, m) {
				list = append(list, m)
			}
		}
	}
	return list, nil
}
