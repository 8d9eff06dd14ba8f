package cmd

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/cmd/internal/printer"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/contents"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/rank/v3"
)

type compareOptions struct {
	catalog string
	models  []string
	ask     v3.HeadToHead
	output  string // auto, json or table
}

// mostModels is how many models a comparison takes: more are no longer head to head.
const mostModels = 6

func newCompare(run func(context.Context, compareOptions) error) *cobra.Command {
	var opts compareOptions
	question := v3.Question{}
	return option.Declare(&cobra.Command{
		Use: "compare [--catalog FILE] MODEL MODEL... [--runtime ID]... [--tokens INPUT/OUTPUT] [--cached TOKENS] " +
			"[--requests NUMBER]" +
			" [--confidence LEVEL] [--target benchmark, tasks] [--output auto, json, table]",
		Short:             "Hold a few models against each other, key by key",
		SuggestFor:        []string{"versus", "vs", "head-to-head"},
		ValidArgsFunction: offerCatalogNames(modelMark),
		Args: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) == 1:
				return option.WithTip(option.Errorf("Missing argument: MODEL"),
					"Two models are compared; svc show "+args[0]+" shows one")
			case len(args) > mostModels:
				return option.Errorf("Too many arguments: MODEL (at most %d; svc rank orders more)", mostModels)
			}
			return option.Files(&opts.models, "MODEL")(c, args)
		},
		RunE: option.Run(run, &opts, func() error {
			opts.ask = v3.HeadToHead{Runtimes: question.Runtimes, Tokens: question.Tokens, Confidence: question.Confidence,
				Target: question.Target}
			return nil
		}),
	}, slices.Concat([]option.Option{foundCatalog(&opts.catalog)},
		questionOptionsOf(&question, "runtime", "tokens", "cached", "requests", "confidence", "target"),
		[]option.Option{option.Format(&opts.output, option.FormatAuto, option.FormatJSON, option.FormatTable)})...)
}

func (p *program) compare(ctx context.Context, opts compareOptions) error {
	snapshot, err := p.newInputs().AddFile(opts.catalog)
	if err != nil {
		return err
	}
	c, err := p.readCatalog(ctx, snapshot)
	if err != nil {
		return err
	}
	for _, name := range opts.models {
		id, err := modelID(c, name)
		if err != nil {
			return files.Named(snapshot.Name, err)
		}
		opts.ask.Models = append(opts.ask.Models, id)
	}
	ranker, err := v3.New(c)
	if err != nil {
		return err
	}
	comparison, err := v3.Compare(ctx, c, ranker, opts.ask)
	if err != nil {
		return explainAbsence(err, opts.catalog)
	}
	if !p.wantsTable(opts.output) {
		p.PrintJSON(ijson.MustWriteTagged(comparison))
		return nil
	}
	printer.New(p.Console).Comparison(comparison)
	return nil
}

// modelID returns the id of the model that a name means, with the condition that it may end in.
func modelID(c *catalog.Catalog, name string) (string, error) {
	models, err := contents.FindModels(c, name)
	if err == nil {
		return models[0].Identity.ID, nil
	}
	if at := strings.LastIndexByte(name, '@'); at > 0 {
		if models, errOfModel := contents.FindModels(c, name[:at]); errOfModel == nil {
			return models[0].Identity.ID + name[at:], nil
		}
	}
	return "", err
}
