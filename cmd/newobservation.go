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
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/service/record"
)

type newObservationOptions struct {
	catalog string // empty for none
	draft   contents.DraftOptions
	out     string // empty for stdout
}

func newNewObservation(run func(context.Context, newObservationOptions) error) *cobra.Command {
	var opts newObservationOptions
	return option.Declare(&cobra.Command{
		Use: "observation [--catalog FILE] [--model ID]... [--key KEY]... [--sample KEY=VALUE]... [--fact KEY=VALUE]..." +
			" [--runtime ID] [--task FAMILY] [--evaluator ID] [--run ID] [--observed-at TIME] [--valid-until TIME] [-o FILE]",
		Short: "Write an observation with your values, or one to fill in",
		RunE: func(c *cobra.Command, _ []string) error {
			if d := &opts.draft; len(d.Statements) > 0 && len(d.Models) != 1 {
				return option.Errorf("--sample and --fact state the values of one model: name it with --model")
			}
			return run(c.Context(), opts)
		},
	},
		catalogOption(&opts.catalog),
		option.Option{Name: "model", Value: option.Texts(&opts.draft.Models), Many: true, Offer: offerCatalogNames(modelMark),
			Usage: "`ID` of the model that you measured; may be repeated, for a list of observations"},
		option.Option{Name: "key", Value: option.Texts(&opts.draft.Keys), Many: true, Offer: offerCatalogNames(keyMark),
			Usage: "`KEY` of a measurement to fill in; may be repeated"},
		option.Option{Name: "sample", Value: statements(record.Sample, &opts.draft.Statements), Many: true,
			Offer: offerBounds,
			Usage: "`KEY=VALUE` that you measured: true, false or a number, such as 200k, 90% or 320 ms; may be repeated"},
		option.Option{Name: "fact", Value: statements(record.Fact, &opts.draft.Statements), Many: true, Offer: offerBounds,
			Usage: "`KEY=VALUE` that you state: true, false, a text or a number, where 5/M is 5 dollars per million tokens; " +
				"may be repeated"},
		option.Option{Name: "runtime", Value: option.Text(&opts.draft.Runtime), Offer: offerCatalogNames(runtimeMark),
			Usage: "`ID` of what ran the model, or of who offers it"},
		option.Option{Name: "task", Value: option.Text(&opts.draft.Task), Offer: option.Nothing,
			Usage: "`FAMILY` of the task that you measured, FAMILY/SUITE or FAMILY/SUITE/TASK"},
		option.Option{Name: "evaluator", Value: option.Text(&opts.draft.Evaluator), Offer: option.Nothing,
			Usage: "`ID` of what judged the answers"},
		option.Option{Name: "run", Value: option.Text(&opts.draft.Run), Offer: option.Nothing,
			Usage: "`ID` of the run, which is the evidence: a name by which you find it again"},
		option.Option{Name: "observed-at", Value: option.Instant(&opts.draft.At, time.Now), Offer: option.Words("now"),
			Usage: "`TIME` of the observation (default today)"},
		option.Option{Name: "valid-until", Value: option.Instant(&opts.draft.Until, time.Now), Offer: option.Nothing,
			Usage: "`TIME` at which it expires; without this option it does not"},
		option.Out(&opts.out, "json"),
	)
}

// statements is an option that may be given more than once, each time with a value.
func statements(kind string, list *[]contents.Statement) option.Value {
	return option.Each(func(text string) error {
		s, err := contents.ParseStatement(kind, text)
		*list = append(*list, s)
		return err
	})
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
	if errors.As(err, new(*contents.AbsentError)) {
		return files.Named(opts.catalog, err)
	}
	if err != nil {
		return err
	}
	return out.WriteText(ctx, text)
}
