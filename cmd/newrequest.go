package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

type newRequestOptions struct {
	catalog  string
	question v3.Question
	out      string // empty for stdout
}

func newNewRequest(run func(context.Context, newRequestOptions) error) *cobra.Command {
	var opts newRequestOptions
	q := &opts.question
	return option.Declare(&cobra.Command{
		Use: "request --catalog FILE [--model ID]... [--all] [--runtime ID]... [--at-least KEY=NUMBER]... [--at-most KEY=NUMBER]..." +
			" [--maximize KEY]... [--minimize KEY]... [--trials KEY=COUNT]... [--key KEY]... [--cheapest] [-o FILE]",
		Short: "Write a rank request with the models and keys of a catalog",
		RunE: func(c *cobra.Command, _ []string) error {
			if q.All && q.Models != nil {
				return option.Errorf("Options that exclude each other: --all and --model")
			}
			return run(c.Context(), opts)
		},
	},
		neededCatalog(&opts.catalog),
		option.Option{Name: "model", Value: option.Texts(&q.Models), Many: true, Offer: offerCatalogNames(modelMark),
			Usage: "`ID` of a model, which becomes a candidate; may be repeated"},
		option.Option{Name: "all", Value: option.Bool(&q.All),
			Usage: "take each model that has any of the preferred keys, not only those that have all"},
		option.Option{Name: "runtime", Value: option.Texts(&q.Runtimes), Many: true, Offer: offerCatalogNames(runtimeMark),
			Usage: "`ID` of a runtime that you can use, such as a provider; candidates run there alone; may be repeated"},
		option.Option{Name: "at-least", Value: bounds(&q.AtLeast), Many: true, Offer: offerBounds,
			Usage: "`KEY=NUMBER` that a candidate must reach, in the unit of the catalog; may be repeated"},
		option.Option{Name: "at-most", Value: bounds(&q.AtMost), Many: true, Offer: offerBounds,
			Usage: "`KEY=NUMBER` that a candidate must not exceed; 5/M is 5 dollars per million tokens; may be repeated"},
		option.Option{Name: "maximize", Value: option.Texts(&q.Maximize), Many: true, Offer: offerCatalogNames(keyMark),
			Usage: "`KEY` of which more is better; may be repeated"},
		option.Option{Name: "minimize", Value: option.Texts(&q.Minimize), Many: true, Offer: offerCatalogNames(keyMark),
			Usage: "`KEY` of which less is better; may be repeated"},
		option.Option{Name: "trials", Value: option.Each(func(text string) error {
			s, err := v3.ParseShares(text)
			q.Trials = append(q.Trials, s)
			return err
		}), Many: true, Offer: offerBounds,
			Usage: "`KEY=COUNT`: a key whose values are shares of trials, and the key of how many trials there were; may be repeated"},
		option.Option{Name: "key", Value: option.Texts(&q.Keys), Many: true, Offer: offerCatalogNames(keyMark),
			Usage: "`KEY` of a measurement, which becomes a criterion as its values suggest; may be repeated"},
		option.Option{Name: "cheapest", Value: option.Bool(&q.Cheapest),
			Usage: "put the cheapest of tied candidates first, by price.input and price.output for 20,000 tokens in and 3,000 out"},
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
	in, out, err := p.open(opts.out, opts.catalog)
	if err != nil {
		return err
	}
	c, err := p.readCatalog(ctx, in.Files[0])
	if err != nil {
		return err
	}
	text, err := v3.Draft(c, opts.question)
	if absent, ok := errors.AsType[*v3.AbsentError](err); ok {
		if absent.Closest == "" {
			list := map[string]string{"model": " lists those that there are", "key": " --keys lists those that there are", "runtime": " MODEL lists those of a model"}
			err = fmt.Errorf("%w; svc show %s%s", err, opts.catalog, list[absent.What])
		}
		return files.Named(opts.catalog, err)
	}
	if errors.As(err, new(*v3.UnfitError)) {
		return files.Named(opts.catalog, err)
	}
	if err != nil {
		return err
	}
	return out.WriteText(ctx, text)
}
