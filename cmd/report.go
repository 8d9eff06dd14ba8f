package cmd

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/explore"
)

type reportOptions struct {
	catalog  string
	against  string // empty for none
	requests []string
	title    string
	maxBytes uint64
	out      string // empty for stdout
}

func newReport(run func(context.Context, reportOptions) error) *cobra.Command {
	opts := reportOptions{maxBytes: explore.DefaultMaxReportBytes}
	return option.Declare(&cobra.Command{
		Use:   "report --catalog FILE [--against OLD] [--request REQ]... [--title TEXT] [--max-bytes N] [-o FILE]",
		Short: "Write a page about a catalog as one HTML file",
		RunE:  option.Run(run, &opts),
	},
		option.Option{Name: "catalog", Value: option.Text(&opts.catalog), Needed: true, Offer: option.Endings("json"),
			Usage: "`FILE` with the catalog snapshot"},
		againstOption(&opts.against),
		requestOption(&opts.requests),
		option.Option{Name: "title", Value: option.Text(&opts.title), Offer: option.Nothing,
			Usage: "`TEXT` at the head of the page (default Model catalog)"},
		option.Option{Name: "max-bytes", Value: option.Integer(&opts.maxBytes, 1, option.MaxInteger), Offer: option.Nothing,
			Usage: "refuse a report of more than `N` bytes"},
		option.Out(&opts.out, "html"),
	)
}

// report writes the page with its data.
func (p *program) writeReport(ctx context.Context, opts reportOptions) error {
	setHeapGrowth(heapOfFiles)
	in, out, err := p.open(opts.out, append([]string{opts.catalog, opts.against}, opts.requests...)...)
	if err != nil {
		return err
	}
	c, err := p.readCatalog(ctx, in.Files[0])
	if err != nil {
		return err
	}
	extras, err := p.readExtras(ctx, c, opts.catalog, opts.against, opts.requests)
	if err != nil {
		return err
	}
	return out.Write(ctx, func(w io.Writer) error {
		return explore.WriteReport(ctx, w, c, extras, explore.ReportOptions{Title: opts.title, Version: thisBuild().Version, MaxBytes: toInt(opts.maxBytes)})
	})
}
