package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/export"
	"github.com/model-catalog-service/svc/internal/export/sqlite"
)

type exportOptions struct {
	catalog     string
	format      string
	base        string
	runtimes    []string
	readsAsZero []string
	report      string
	out         string
}

func newExport(run func(context.Context, exportOptions) error) *cobra.Command {
	var opts exportOptions
	return option.Declare(&cobra.Command{
		Use:   "export --catalog FILE --format FORMAT [--base FILE] [--runtime ID]... [--reads-as-zero KEYS] [--report FILE] [-o FILE]",
		Short: "Write a catalog in formats that other tools read",
		RunE:  option.Run(run, &opts, opts.check),
	},
		neededCatalog(&opts.catalog),
		option.Option{Name: "format", Value: option.ChoiceOrNone(&opts.format, export.Formats()...), Required: true,
			Usage: "`FORMAT` to write: " + strings.Join(export.Formats(), ", ")},
		option.Option{Name: "base", Value: option.Input(&opts.base), Offer: option.Endings("json"),
			Usage: "`FILE` of the format that is continued; models.dev and catwalk need one"},
		option.Option{Name: "runtime", Value: option.Texts(&opts.runtimes), Many: true, Offer: option.Nothing,
			Usage: "`ID` of a runtime to export (default all)"},
		option.Option{Name: "reads-as-zero", Value: keysOption(&opts.readsAsZero, export.MayReadAsZero()), Offer: option.Words(export.MayReadAsZero()...),
			Usage: "`KEYS`, separated by commas, that new rows for catwalk may lack, although crush then counts them as free"},
		option.Option{Name: "report", Value: option.Text(&opts.report), Offer: option.Endings("json"),
			Usage: "`FILE` for a record of what was changed and left out"},
		option.Out(&opts.out, "json", "csv", "ndjson", "db"),
	)
}

// check judges what the options are together.
func (o *exportOptions) check() error {
	format := export.Format(o.format)
	may, must := format.TakesBase()
	switch {
	case must && o.base == "":
		return option.Errorf("Missing option: --base (%s needs a file to continue)", o.format)
	case !may && o.base != "":
		return option.Errorf("Unexpected option: --base (%s has none)", o.format)
	case o.readsAsZero != nil && format != export.Catwalk:
		return option.Errorf("Unexpected option: --reads-as-zero (it is for %s)", string(export.Catwalk))
	case format == export.SQLite && o.runtimes != nil:
		return option.Errorf("Unexpected option: --runtime (%s is the whole catalog)", o.format)
	case format == export.SQLite && (o.out == "" || o.out == option.Stdin):
		return option.Errorf("Missing option: -o (%s is a file)", o.format)
	case o.report == option.Stdin && (o.out == "" || o.out == option.Stdin):
		return option.Errorf("Repeated argument: %s", option.Stdin)
	}
	return nil
}

// export writes the report even if there is nothing to write: it says why.
func (p *program) export(ctx context.Context, opts exportOptions) error {
	setHeapGrowth(heapOfFiles)
	in, out, err := p.open(opts.out, opts.catalog, opts.base)
	if err != nil {
		return err
	}
	o := export.Options{Format: export.Format(opts.format), Runtimes: opts.runtimes, ReadsAsZero: opts.readsAsZero}
	if opts.base != "" {
		base, err := in.Files[1].Read(ctx, files.MaxWhole, func(int64) {})
		if err != nil {
			return err
		}
		if err := files.Expect(base, files.Kind{Name: "base"}); err != nil {
			return err
		}
		o.Base = &base
	}
	reportOut, err := p.moreOutput(opts.report, in, out)
	if err != nil {
		return err
	}
	c, err := p.readCatalog(ctx, in.Files[0])
	if err != nil {
		return err
	}
	if hasBase, _ := o.Format.TakesBase(); !hasBase {
		setHeapGrowth(heapOfAnswers) // little stays of what is allocated from here on
	}
	file, err := writeExport(ctx, c, o, out)
	if err != nil && !errors.Is(err, export.ErrNothing) {
		return err
	}
	if reportOut != nil {
		if failure := reportOut.WriteText(ctx, string(file.Report.JSON())+"\n"); failure != nil {
			return failure
		}
	}
	p.printExport(file)
	return err
}

// writeExport writes an export: what is as long as the catalog line by line, or page by
// page.
func writeExport(ctx context.Context, c *catalog.Catalog, o export.Options, out *files.Output) (file *export.File, err error) {
	switch o.Format {
	case export.NDJSON, export.CSV, export.SQLite:
	default:
		if file, err = export.Text(ctx, c, o); err == nil {
			err = out.WriteText(ctx, file.Text)
		}
		return file, err
	}
	err = out.Write(ctx, func(w io.Writer) (err error) {
		if o.Format != export.SQLite {
			file, err = export.WriteLines(ctx, c, o, w)
			return err
		}
		file = &export.File{}
		file.Report, err = sqlite.Write(ctx, c, w)
		return err
	})
	if errors.Is(err, export.ErrNothing) {
		err = export.ErrNothing // which is no fault of the file
	}
	return file, err
}

// printExport sums up an export.
func (p *program) printExport(f *export.File) {
	r := f.Report
	p.Summary("rows", r.Exported.Rows)
	if may, _ := r.Format.TakesBase(); may {
		p.Summary("new rows", r.Exported.NewRows)
		p.Summary("changed rows", r.Exported.ChangedRows)
		p.Summary("facts", r.Exported.Facts)
	}
	if f.Guarded > 0 {
		p.Summary("guarded", fmt.Sprintf("%d cells begin with ' so that no spreadsheet reads a formula", f.Guarded))
	}
	counts := r.Reasons()
	var parts []string
	for _, reason := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[reason], reason))
	}
	if parts != nil {
		p.Summary("left out", strings.Join(parts, ", "))
	}
}

// readCatalog reads a catalog.
func (p *program) readCatalog(ctx context.Context, snapshot files.Input) (*catalog.Catalog, error) {
	bar := p.Progress("loading the catalog", snapshot.Size(), console.Bytes)
	defer bar.End()
	source, err := snapshot.Read(ctx, files.MaxWhole, bar.Add)
	if err != nil {
		return nil, err
	}
	c, err := catalog.Parse(ctx, source)
	if err != nil {
		return nil, files.OtherKind(source, files.Catalog, err)
	}
	return c, nil
}

// catalogOption is the option --catalog, which the configuration may give.
func catalogOption(p *string) option.Option {
	return option.Option{Name: "catalog", Value: option.Input(p), Offer: option.Endings("json"),
		Usage: "`FILE` with the catalog snapshot; - is standard input"}
}

// neededCatalog is the option --catalog of a command that needs a catalog.
func neededCatalog(p *string) option.Option {
	o := catalogOption(p)
	o.Needed = true
	return o
}

// keysOption is a list of keys, joined by commas, of some that there are.
func keysOption(p *[]string, known []string) option.Value {
	return option.Func(func(text string) error {
		for key := range strings.SplitSeq(text, ",") {
			if !slices.Contains(known, key) {
				return fmt.Errorf("must be %s, joined by commas", strings.Join(known, " or "))
			}
			*p = append(*p, key)
		}
		return nil
	})
}
