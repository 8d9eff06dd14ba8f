package cmd

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/contents"
	"github.com/model-catalog-service/svc/internal/timestamp"
)

type newObservationOptions struct {
	catalog string // empty for none
	draft   contents.DraftOptions
	out     string // empty for stdout
}

func newNewObservation(run func(context.Context, newObservationOptions) error) *cobra.Command {
	var opts newObservationOptions
	return option.Declare(&cobra.Command{
		Use:   "observation [--catalog FILE] [--model ID]... [--key KEY]... [--observed-at TIME] [--valid-until TIME] [-o FILE]",
		Short: "Write an observation to fill in",
		RunE:  option.Run(run, &opts),
	},
		catalogOption(&opts.catalog),
		option.Option{Name: "model", Value: option.Texts(&opts.draft.Models), Many: true, Offer: offerCatalogModels,
			Usage: "`ID` of the model that you measured; may be repeated, for a list of observations"},
		option.Option{Name: "key", Value: option.Texts(&opts.draft.Keys), Many: true, Offer: option.Nothing,
			Usage: "`KEY` of a measurement; may be repeated"},
		option.Option{Name: "observed-at", Value: option.Instant(&opts.draft.At, time.Now), Offer: option.Words("now"),
			Usage: "`TIME` of the observation (default today)"},
		option.Option{Name: "valid-until", Value: option.Instant(&opts.draft.Until, time.Now), Offer: option.Nothing,
			Usage: "`TIME` at which it expires; without this option it does not"},
		option.Out(&opts.out, "json"),
	)
}

func (p *program) newObservation(ctx context.Context, opts newObservationOptions) error {
	in, out, err := p.open(opts.out, opts.catalog)
	if err != nil {
		return err
	}
	var c *catalog.Catalog
	if opts.catalog != "" {
		if c, err = p.readCatalog(ctx, in.Files[0]); err != nil {
			return err
		}
	}
	if opts.draft.At == "" {
		today := time.Now().UTC().Truncate(24 * time.Hour) // so that what is compiled at once is not dated after it
		opts.draft.At, _ = timestamp.Format(today)         // the clock is in years that there are
	}
	if until := opts.draft.Until; until != "" && until <= opts.draft.At {
		return option.Invalid("--valid-until", until, "must be after the observation, "+opts.draft.At)
	}
	text, err := contents.Draft(c, opts.draft)
	if err != nil {
		return files.Named(opts.catalog, err)
	}
	return out.WriteText(ctx, text)
}
