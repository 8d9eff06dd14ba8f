package cmd

import (
	"context"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/explore"
)

type reportOptions struct {
	catalog  string
	page     pageOptions
	title    string
	maxBytes uint64
	out      string // empty for stdout
}

func newReport(run func(context.Context, reportOptions) error) *cobra.Command {
	opts := reportOptions{maxBytes: explore.DefaultMaxReportBytes}
	return option.Declare(&cobra.Command{
		Use: "report [--catalog FILE] [--against OLD] [--build FILE] [--request REQ]..." + questionSynopsis +
			" [--title TEXT] [--max-bytes N] [-o FILE]",
		Short: "Write a page about a catalog as one HTML file",
		RunE:  option.Run(run, &opts, opts.page.check),
	}, slices.Concat([]option.Option{snapshotOption(&opts.catalog)}, opts.page.options(), []option.Option{
		{Name: "title", Value: option.Text(&opts.title), Offer: option.Nothing,
			Usage: "`TEXT` at the head of the page (default Model catalog)"},
		{Name: "max-bytes", Value: option.Integer(&opts.maxBytes, 1, option.MaxInteger), Offer: option.Nothing,
			Usage: "refuse a report of more than `N` bytes"},
		option.Out(&opts.out, "html"),
	})...)
}

// report writes the page with its data.
func (p *program) writeReport(ctx context.Context, opts reportOptions) error {
	in, out, err := p.open(opts.out, append([]string{opts.catalog, opts.page.against}, opts.page.requests...)...)
	if err != nil {
		return err
	}
	c, err := p.readCatalog(ctx, in.Files[0])
	if err != nil {
		return err
	}
	extras, err := p.readExtras(ctx, c, opts.catalog, &opts.page)
	if err != nil {
		return err
	}
	return out.Write(ctx, func(w io.Writer) error {
		return explore.WriteReport(ctx, w, c, extras, explore.ReportOptions{Title: opts.title, Version: thisBuild().Version,
			MaxBytes: toInt(opts.maxBytes)})
	})
}
