package cmd

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/contents"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/timestamp"
)

// newNew is the parent of the commands that write a document to start from.
func newNew(p *program) *cobra.Command {
	c := &cobra.Command{
		Use:   "new",
		Short: "Write a document to start from",
		Args:  cobra.ArbitraryArgs, // the strict layer has judged them
	}
	c.AddCommand(newNewObservation(p.newObservation), newNewRequest(p.newRequest))
	return c
}

type newObservationOptions struct {
	catalog      string // empty for none
	models, keys []string
	at           string // a timestamp, or empty for the clock
	out          string // empty for stdout
}

func newNewObservation(run func(context.Context, newObservationOptions) error) *cobra.Command {
	var opts newObservationOptions
	return option.Declare(&cobra.Command{
		Use:               "observation [--catalog FILE] [--model ID]... [--key KEY]... [--observed-at TIME] [-o FILE]",
		Short:             "Write an observation to fill in",
		Args:              option.NoArguments,
		ValidArgsFunction: option.Nothing,
		RunE:              func(c *cobra.Command, _ []string) error { return run(c.Context(), opts) },
	},
		catalogOption(&opts.catalog),
		option.Option{Name: "model", Value: option.Texts(&opts.models), Many: true, Offer: option.Nothing,
			Usage: "`ID` of a model that was observed; of several there is a list of observations"},
		option.Option{Name: "key", Value: option.Texts(&opts.keys), Many: true, Offer: option.Nothing,
			Usage: "`KEY` of a measurement; may be repeated"},
		option.Option{Name: "observed-at", Value: option.Instant(&opts.at, time.Now), Offer: option.Words("now"),
			Usage: "`TIME` of the observation; today without it"},
		option.Out(&opts.out, "json"),
	)
}

func (p *program) newObservation(ctx context.Context, opts newObservationOptions) error {
	in := files.New(p.stdin)
	if opts.catalog != "" {
		if _, err := in.AddFile(opts.catalog); err != nil {
			return err
		}
	}
	out, err := files.NewOutput(opts.out, p.Document(), in)
	if err != nil {
		return err
	}
	var c *catalog.Catalog
	if opts.catalog != "" {
		if c, err = p.readCatalog(ctx, in.Files[0]); err != nil {
			return err
		}
	}
	if opts.at == "" {
		today := time.Now().UTC().Truncate(24 * time.Hour) // so that what is compiled at once is not dated after it
		opts.at, _ = timestamp.Format(today)               // the clock is in years that there are
	}
	text, err := contents.Draft(c, opts.models, opts.keys, opts.at)
	if err != nil {
		return files.Named(opts.catalog, err)
	}
	return out.WriteText(ctx, text)
}

type newRequestOptions struct {
	catalog  string
	question v3.Question
	out      string // empty for stdout
}

func newNewRequest(run func(context.Context, newRequestOptions) error) *cobra.Command {
	var opts newRequestOptions
	q := &opts.question
	return option.Declare(&cobra.Command{
		Use: "request --catalog FILE [--model ID]... [--all] [--at-least KEY=NUMBER]... [--at-most KEY=NUMBER]..." +
			" [--maximize KEY]... [--minimize KEY]... [--key KEY]... [--cheapest] [-o FILE]",
		Short: "Write a rank request with the models and keys of a catalog",
		Args:  option.NoArguments,

		ValidArgsFunction: option.Nothing,
		RunE: func(c *cobra.Command, _ []string) error {
			if opts.catalog == "" { // neither the command line nor the configuration names one
				return option.Errorf("Missing option: --catalog")
			}
			if q.All && q.Models != nil {
				return option.Errorf("Options that exclude each other: --all and --model")
			}
			return run(c.Context(), opts)
		},
	},
		option.Option{Name: "catalog", Value: option.Text(&opts.catalog), Offer: option.Endings("json"),
			Usage: "`FILE` with the catalog snapshot; - is standard input"},
		option.Option{Name: "model", Value: option.Texts(&q.Models), Many: true, Offer: option.Nothing,
			Usage: "`ID` of a model, which becomes a candidate; may be repeated"},
		option.Option{Name: "all", Value: option.Bool(&q.All),
			Usage: "take each model that has any of the preferred keys, not only those that have all"},
		option.Option{Name: "at-least", Value: bounds(&q.AtLeast), Many: true, Offer: option.Nothing,
			Usage: "`KEY=NUMBER` that a candidate must reach, in the unit of the catalog; may be repeated"},
		option.Option{Name: "at-most", Value: bounds(&q.AtMost), Many: true, Offer: option.Nothing,
			Usage: "`KEY=NUMBER` that a candidate must not exceed; 5/M is 5 dollars per million tokens; may be repeated"},
		option.Option{Name: "maximize", Value: option.Texts(&q.Maximize), Many: true, Offer: option.Nothing,
			Usage: "`KEY` of which more is better; may be repeated"},
		option.Option{Name: "minimize", Value: option.Texts(&q.Minimize), Many: true, Offer: option.Nothing,
			Usage: "`KEY` of which less is better; may be repeated"},
		option.Option{Name: "key", Value: option.Texts(&q.Keys), Many: true, Offer: option.Nothing,
			Usage: "`KEY` of a measurement, which becomes a criterion as its values suggest; may be repeated"},
		option.Option{Name: "cheapest", Value: option.Bool(&q.Cheapest),
			Usage: "of candidates that are tied put the cheapest first, by price.input and price.output of 20,000 tokens in and 3,000 out"},
		option.Out(&opts.out, "json"),
	)
}

// bounds is an option that may be given more than once, each time with a bound.
func bounds(list *[]v3.Bound) option.Value {
	return option.Each(func(text string) error {
		b, err := v3.ParseBound(text)
		*list = append(*list, b)
		return err
	})
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
	text, err := v3.Draft(c, opts.question)
	if errors.As(err, new(*v3.AbsentError)) || errors.As(err, new(*v3.UnfitError)) {
		return files.Named(snapshot.Name, err)
	}
	if err != nil {
		return err
	}
	return out.WriteText(ctx, text)
}
