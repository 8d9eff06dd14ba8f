package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/export"
	"github.com/model-catalog-service/svc/internal/export/sqlite"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/quantity"
	"github.com/model-catalog-service/svc/internal/rank/gateway"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/spelling"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/service/record"
)

type exportOptions struct {
	catalog     string
	questions   []string // the file of one, for gateways
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
		Use: "export [--catalog FILE] [QUESTION] --format FORMAT [--base FILE] [--runtime ID]... [--reads-as-zero KEYS] " +
			"[--report FILE] [-o FILE]",
		Short:             "Write a catalog in formats that other tools read",
		ValidArgsFunction: option.First(option.Endings("json")),
		Args:              option.FilesOrNone(&opts.questions, "QUESTION"),
		RunE:              option.Run(run, &opts, opts.check),
	},
		foundCatalog(&opts.catalog),
		option.Option{Name: "format", Value: option.WithTips(option.ChoiceOrNone(&opts.format, exportFormats()...),
			formatTips()), Required: true,
			Usage: "`FORMAT` to write: " + strings.Join(exportFormats(), ", ")},
		option.Option{Name: "base", Value: option.Input(&opts.base), Offer: option.Endings("json"),
			Usage: "`FILE` of the format that is continued; models.dev and catwalk need one"},
		option.Option{Name: "runtime", Value: option.Texts(&opts.runtimes), Many: true, Offer: option.Nothing,
			Usage: "`ID` of a runtime to export (default all)"},
		option.Option{Name: "reads-as-zero", Value: keysOption(&opts.readsAsZero, export.MayReadAsZero()),
			Offer: option.Words(export.MayReadAsZero()...),
			Usage: "`KEYS`, separated by commas, that new rows for catwalk may lack, although crush then counts them as free"},
		option.Option{Name: "report", Value: option.Text(&opts.report), Offer: option.Endings("json"),
			Usage: "`FILE` for a record of what was changed and left out"},
		option.Out(&opts.out, "json", "csv", "ndjson", "db", "yaml"),
	)
}

// exportFormats returns the names of what svc export writes: a catalog, or whom it chooses.
func exportFormats() []string { return append(export.Formats(), string(record.FormatGateway)) }

// check judges what the options are together.
func (o *exportOptions) check() error {
	format := record.ExportFormat(o.format)
	may, must := export.TakesBase(format)
	isGateway := format == record.FormatGateway
	switch {
	case isGateway && len(o.questions) == 0:
		return option.Errorf("Missing argument: QUESTION (whom a gateway calls is what a question chooses)")
	case !isGateway && len(o.questions) > 0:
		err := option.Errorf("Unexpected argument: %s", o.questions[0])
		if o.catalog == files.Sample { // nobody named a catalog, so the argument may be one
			return option.WithTip(err, option.MeantOption("catalog", o.questions[0]))
		}
		return err
	case len(o.questions) > 1:
		return option.Errorf("Unexpected argument: %s", o.questions[1])
	case isGateway && gateway.KindOf(o.out) == 0:
		return option.Errorf("Missing option: -o (FILE.yaml for LiteLLM, FILE.json for Portkey)")
	case isGateway && o.runtimes != nil:
		return option.Errorf("Unexpected option: --runtime (the question says who sells)")
	case must && o.base == "":
		return option.Errorf("Missing option: --base (%s needs a file to continue)", o.format)
	case !may && o.base != "":
		return option.Errorf("Unexpected option: --base (%s has none)", o.format)
	case o.readsAsZero != nil && format != record.FormatCatwalk:
		return option.Errorf("Unexpected option: --reads-as-zero (it is for %s)", string(record.FormatCatwalk))
	case format == record.FormatSQLite && o.runtimes != nil:
		return option.Errorf("Unexpected option: --runtime (%s is the whole catalog)", o.format)
	case format == record.FormatSQLite && (o.out == "" || o.out == option.Stdin):
		return option.Errorf("Missing option: -o (%s is a file)", o.format)
	case o.report == option.Stdin && (o.out == "" || o.out == option.Stdin):
		return option.Errorf("Repeated argument: %s", option.Stdin)
	}
	return nil
}

// export writes the report even if there is nothing to write: it says why.
func (p *program) export(ctx context.Context, opts exportOptions) error {
	if record.ExportFormat(opts.format) == record.FormatGateway {
		return p.exportGateway(ctx, opts)
	}
	in, out, err := p.open(opts.out, opts.catalog, opts.base)
	if err != nil {
		return err
	}
	o := export.Options{Format: record.ExportFormat(opts.format), Runtimes: opts.runtimes, ReadsAsZero: opts.readsAsZero}
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
	p.warnOfRuntimes(c, o.Runtimes)
	p.warnOfAge(c)
	file, err := writeExport(ctx, c, o, out)
	if err != nil && !errors.Is(err, export.ErrNothing) {
		return err
	}
	if reportOut != nil {
		if failure := reportOut.WriteText(ctx, string(ijson.MustWriteTagged(file.Report))+"\n"); failure != nil {
			return failure
		}
	}
	p.printExport(file)
	if err != nil {
		return nothingToWrite(file.Report, &opts)
	}
	return nil
}

// formatTips says which format is meant by the name of a program that reads it, or by
// another name of the format.
func formatTips() map[string]string {
	tips := map[string]string{}
	for program, format := range map[string]record.ExportFormat{"aider": record.FormatLiteLLM,
		"opencode": record.FormatModelsDev, "crush": record.FormatCatwalk,
		"excel": record.FormatPrices, "datasette": record.FormatSQLite, "portkey": record.FormatGateway} {
		tips[program] = fmt.Sprintf("Did you mean %s, which %s reads?", format, program)
	}
	for name, format := range map[string]record.ExportFormat{"json": record.FormatNDJSON, "jsonl": record.FormatNDJSON,
		"xlsx": record.FormatPrices, "db": record.FormatSQLite, "sql": record.FormatSQLite} {
		tips[name] = fmt.Sprintf("Did you mean %s?", format)
	}
	return tips
}

// nothingToWrite says why there was no row to write, and what to do about the reason that
// most rows have.
func nothingToWrite(r *record.ExportReport, opts *exportOptions) error {
	lacking, expired, providers := map[string]int{}, 0, map[string]int{}
	reasons := map[record.ExportReason]int{}
	for i := range r.LeftOut {
		switch l := &r.LeftOut[i]; {
		case l.Reason == record.ExportUnknown:
			lacking[string(l.Key)]++
		case l.Reason == record.ExportNoProvider:
			providers[string(l.Runtime)]++
		case l.Reason == record.ExportExpired && l.Key == "price.input": // which all formats need
			expired++
		case l.Key == "":
			reasons[l.Reason]++
		}
	}
	because := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s", export.ErrNothing, fmt.Sprintf(format, args...))
	}
	switch may, _ := export.TakesBase(r.Format); {
	case !may && opts.runtimes != nil:
		return because("the catalog says nothing about the runtime %s", ijson.Alternatives(opts.runtimes))
	case !may:
		return because("the catalog is empty")
	case expired > 0 && expired >= most(lacking):
		return because("the prices have expired; import the lists again, or compile with the --as-of of a day on which " +
			"they held")
	case most(lacking) > 0 && most(lacking) >= most(providers):
		text := "new rows lack " + ijson.Alternatives(mostFrequent(lacking))
		if slices.ContainsFunc(slices.Collect(maps.Keys(lacking)), func(key string) bool {
			return strings.HasPrefix(key,
				"modality.")
		}) {
			text += ", which the sources models-dev and openrouter-models state"
		}
		if slices.ContainsFunc(export.MayReadAsZero(), func(key string) bool { return lacking[key] > 0 }) {
			text += "; with --reads-as-zero " + strings.Join(export.MayReadAsZero(), ",") +
				" you accept that crush counts these as free"
		}
		if r.Format == record.FormatLiteLLM && opts.base == "" {
			text += "; with --base FILE, LiteLLM's own map, svc corrects the rows of the map, which need no more"
		}
		return because("%s", text)
	case most(providers) > 0:
		return because("%s has no provider for %s, and svc adds none, since a catalog does not say how to reach one",
			opts.base, ijson.Alternatives(mostFrequent(providers)))
	case reasons[record.ExportNoRuntime] > 0:
		return because("no fact of the catalog names a runtime; price lists do")
	}
	return because("--report FILE lists what was left out, and why")
}

// most is the greatest of the counts.
func most(counts map[string]int) (n int) {
	for _, count := range counts {
		n = max(n, count)
	}
	return n
}

// mostFrequent returns the few names that are counted most often.
func mostFrequent(counts map[string]int) []string {
	const few = 3
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a],
			cmp.Compare(a, b))
	})
	return names[:min(few, len(names))]
}

// writeExport writes an export: what is as long as the catalog line by line, or page by
// page.
func writeExport(ctx context.Context, c *catalog.Catalog, o export.Options, out *files.Output) (file *export.File,
	err error) {
	switch o.Format {
	case record.FormatNDJSON, record.FormatCSV, record.FormatSQLite:
	default:
		if file, err = export.Text(ctx, c, o); err == nil {
			err = out.WriteText(ctx, file.Text)
		}
		return file, err
	}
	err = out.Write(ctx, func(w io.Writer) (err error) {
		if o.Format != record.FormatSQLite {
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
	if may, _ := export.TakesBase(r.Format); may {
		p.Summary("new rows", r.Exported.NewRows)
		p.Summary("changed rows", r.Exported.ChangedRows)
		p.Summary("facts", r.Exported.Facts)
	}
	p.printLeftOut(r)
}

// reasonWords say why something was left out, after how often.
var reasonWords = map[record.ExportReason]string{
	record.ExportConflict:         "contradicted",
	record.ExportExpired:          "expired",
	record.ExportIncomparable:     "not comparable",
	record.ExportWrongUnit:        "in another unit",
	record.ExportUnknown:          "unknown",
	record.ExportSameName:         "with the name of another model",
	record.ExportNoRuntime:        "without a runtime",
	record.ExportNoProvider:       "without a provider in the base",
	record.ExportNotRepresentable: "not in the format",
	record.ExportEnded:            "no longer sold",
	record.ExportWidened:          "limits of the context written as limits of the input",
}

// printLeftOut counts what was left out, the most frequent reason first, and says what new
// rows would have needed.
func (p *program) printLeftOut(r *record.ExportReport) {
	const mostNeeded = 3 // keys that are named
	printCounts(p, "left out", export.Reasons(r), len(reasonWords),
		func(reason record.ExportReason) string { return reasonWords[reason] })
	needed := map[string]int{}
	for i := range r.LeftOut {
		if l := &r.LeftOut[i]; l.Reason == record.ExportUnknown {
			needed[string(l.Key)]++
		}
	}
	printCounts(p, "new rows lack", needed, mostNeeded, func(key string) string { return key })
}

// printCounts prints counts in a line, the greatest first.
func printCounts[K cmp.Ordered](p *program, name string, counts map[K]int, most int, word func(K) string) {
	keys := slices.SortedFunc(maps.Keys(counts), func(a, b K) int {
		return cmp.Or(counts[b]-counts[a],
			cmp.Compare(a, b))
	})
	var parts []string
	for _, key := range keys[:min(most, len(keys))] {
		parts = append(parts, fmt.Sprintf("%d %s", counts[key], word(key)))
	}
	if more := len(keys) - most; more > 0 {
		parts = append(parts, "and "+quantity.Count(more, "more key"))
	}
	if parts != nil {
		p.Summary(name, strings.Join(parts, ", "))
	}
}

// warnOfAge warns of a catalog that is older than most lists of prices are valid.
func (p *program) warnOfAge(c *catalog.Catalog) {
	const week = 7 * 24 * time.Hour
	asOf, _ := timestamp.Parse(c.AsOf()) // it is valid
	if time.Since(asOf.Time()) > week {
		p.Warn("the catalog is as of %s, more than a week ago: prices may have changed; svc build makes one of today",
			asOf.Time().Format(time.DateOnly))
	}
}

// warnOfRuntimes warns of runtimes that nothing in the catalog is about.
func (p *program) warnOfRuntimes(c *catalog.Catalog, runtimes []string) {
	if runtimes == nil {
		return
	}
	known := map[string]bool{}
	reader := catalog.NewRecordReader()
	for i := range c.Models() {
		for _, o := range c.Models()[i].Observations {
			if id := reader.Read(o).Execution.Runtime.ID; id != "" && !known[id] {
				known[strings.Clone(id)] = true
			}
		}
	}
	for _, id := range runtimes {
		if known[id] {
			continue
		}
		text := "no observation is about the runtime " + id
		if question := spelling.DidYouMean(id, slices.Sorted(maps.Keys(known))); question != "" {
			text += "; " + question
		}
		p.Warn("%s", text)
	}
}

// readCatalog reads a catalog.
func (p *program) readCatalog(ctx context.Context, snapshot files.Input) (*catalog.Catalog, error) {
	_, c, err := p.readSnapshot(ctx, snapshot)
	return c, err
}

// readSnapshot reads a catalog, and returns its text, too.
func (p *program) readSnapshot(ctx context.Context, snapshot files.Input) (problem.Source, *catalog.Catalog, error) {
	bar := p.Progress("loading the catalog", snapshot.Size(), console.Bytes)
	defer bar.End()
	source, err := snapshot.Read(ctx, files.MaxWhole, bar.Add)
	if err != nil {
		return source, nil, err
	}
	c, err := catalog.Parse(ctx, source)
	if err != nil {
		return source, nil, files.OtherKind(source, files.Catalog, err)
	}
	if snapshot.Name == files.Sample {
		p.Note("asking the sample of %s that comes with svc; svc build makes today's", c.AsOf()[:len(time.DateOnly)])
	}
	return source, c, nil
}

// catalogOption is the option --catalog, which the configuration may give.
func catalogOption(p *string) option.Option {
	return option.Option{Name: "catalog", Value: option.Input(p), Offer: option.Endings("json"),
		Usage: "`FILE` with the catalog snapshot; - is standard input"}
}

// foundCatalog is the option --catalog of a command that asks the sample where no catalog is
// named.
func foundCatalog(p *string) option.Option {
	o := catalogOption(p)
	o.Found = true
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

// exportGateway answers a question and writes how a gateway calls whom it chooses. It writes the
// report even if there is nobody to call: it says why.
func (p *program) exportGateway(ctx context.Context, opts exportOptions) error {
	in, out, err := p.open(opts.out, opts.catalog, opts.questions[0])
	if err != nil {
		return err
	}
	reportOut, err := p.moreOutput(opts.report, in, out)
	if err != nil {
		return err
	}
	result, c, err := p.answer(ctx, opts, in)
	if err != nil {
		return err
	}
	p.warnOfAge(c)
	calls := result.Calls()
	file := gateway.Write(gateway.KindOf(opts.out), gateway.NameOf(opts.questions[0]), calls)
	if reportOut != nil {
		report := export.NewReport(c, record.FormatGateway)
		report.Exported.Rows, report.LeftOut = len(file.Calls), file.LeftOut
		if err := reportOut.WriteText(ctx, string(ijson.MustWriteTagged(report))+"\n"); err != nil {
			return err
		}
	}
	if file.Text == "" {
		return nobodyToCall(&file, calls)
	}
	if err := out.WriteText(ctx, file.Text); err != nil {
		return err
	}
	if warning := file.Warning(calls); warning != "" {
		p.Warn("%s", warning)
	}
	p.printCalls(&file)
	return nil
}

// answer answers the question whose file follows that of the catalog.
func (p *program) answer(ctx context.Context, opts exportOptions, in *files.Inputs) (*v3.Ranking, *catalog.Catalog,
	error) {
	work := rankWork{opts: rankOptions{catalog: opts.catalog}, files: in.Files[1:]}
	questions, err := work.read(ctx)
	if err != nil {
		return nil, nil, err
	}
	c, err := p.readCatalog(ctx, in.Files[0])
	if err != nil {
		return nil, nil, err
	}
	if err := p.draftQuestions(c, &work, questions); err != nil {
		return nil, nil, err
	}
	if work.ranker, err = v3.New(c); err != nil {
		return nil, nil, err
	}
	p.reportAbsences(&work)
	result, err := work.ranker.Rank(ctx, work.requests[0], 0)
	return result, c, err
}

// printCalls says whom a gateway calls, and why not others.
func (p *program) printCalls(file *gateway.File) {
	for i := range file.Calls {
		c := &file.Calls[i]
		name := map[bool]string{true: "calls", false: "falls back to"}[i == 0]
		p.Summary(name, console.Printable(fmt.Sprintf("%s: %s at %s with %s", c.Candidate, c.Offer.ID, c.Runtime,
			c.Offer.KeyVariable)))
	}
	const mostNamed = 3
	for i := range file.LeftOut[:min(mostNamed, len(file.LeftOut))] {
		o := &file.LeftOut[i]
		p.Summary("left out", console.Printable(o.Model+" at "+string(o.Runtime)+": "+gateway.Why(o)))
	}
	if more := len(file.LeftOut) - mostNamed; more > 0 {
		p.Summary("left out", fmt.Sprintf("%d more, which --report FILE lists", more))
	}
}

// nobodyToCall says why a gateway has nobody to call.
func nobodyToCall(f *gateway.File, calls []v3.Call) error {
	if len(calls) == 0 {
		return fmt.Errorf("%w: the question chooses nobody; svc rank says why", export.ErrNothing)
	}
	return fmt.Errorf("%w: %s", export.ErrNothing, f.Warning(calls))
}
