package cmd

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

// newNew is the parent of the commands that write a document to start from.
func newNew(p *program) *cobra.Command {
	c := &cobra.Command{
		Use:   "new",
		Short: "Write a document to start from",
		Args:  cobra.ArbitraryArgs, // the strict layer has judged them
	}
	c.AddCommand(newNewRequest(p.newRequest))
	return c
}

type newRequestOptions struct {
	catalog      string
	models, keys []string
	out          string // empty for stdout
}

func newNewRequest(run func(context.Context, newRequestOptions) error) *cobra.Command {
	var opts newRequestOptions
	return option.Declare(&cobra.Command{
		Use:   "request --catalog FILE [--model ID]... [--key KEY]... [-o FILE]",
		Short: "Write a rank request with the models and keys of a catalog",
		Args:  option.NoArguments,

		ValidArgsFunction: option.Nothing,
		RunE: func(c *cobra.Command, _ []string) error {
			if opts.catalog == "" { // neither the command line nor the configuration names one
				return option.Errorf("Missing option: --catalog")
			}
			return run(c.Context(), opts)
		},
	},
		option.Option{Name: "catalog", Value: option.Text(&opts.catalog), Offer: option.Endings("json"),
			Usage: "`FILE` with the catalog snapshot; - is standard input"},
		option.Option{Name: "model", Value: option.Texts(&opts.models), Many: true, Offer: option.Nothing,
			Usage: "`ID` of a model, which becomes a candidate; may be repeated"},
		option.Option{Name: "key", Value: option.Texts(&opts.keys), Many: true, Offer: option.Nothing,
			Usage: "`KEY` of a measurement, which becomes a criterion; may be repeated"},
		option.Out(&opts.out, "json"),
	)
}

func (p *program) newRequest(ctx context.Context, opts newRequestOptions) error {
	in := files.New(p.stdin)
	snapshot, err := in.AddFile(opts.catalog)
	if err != nil {
		return err
	}
	out, err := files.NewOutput(opts.out, p.Document(), in)
	if err != nil {
		return err
	}
	c, err := p.readCatalog(ctx, snapshot)
	if err != nil {
		return err
	}
	text, err := v3.Draft(c, opts.models, opts.keys)
	if errors.As(err, new(*v3.AbsentError)) {
		return files.Named(snapshot.Name, err)
	}
	if err != nil {
		return err
	}
	return out.WriteText(ctx, text)
}
