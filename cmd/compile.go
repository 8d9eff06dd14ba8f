package cmd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/quantity"
	"github.com/model-catalog-service/svc/internal/sources"
)

type compileOptions struct {
	files  []string
	asOf   string // a timestamp
	out    string // empty for stdout
	dedupe bool
	strict bool
}

func newCompile(run func(context.Context, compileOptions) error) *cobra.Command {
	var opts compileOptions
	var format string // there is one alone
	return option.Declare(&cobra.Command{
		Use:               "compile FILE... --as-of TIME [-o FILE] [--dedupe] [--strict] [--output json]",
		Short:             "Compile observations into a catalog",
		SuggestFor:        []string{"build", "make"},
		ValidArgsFunction: option.Endings("json", "jsonl", "ndjson"),
		Args:              option.Files(&opts.files, "FILE"),
		RunE:              option.Run(run, &opts),
	},
		option.Option{Name: "as-of", Value: option.Instant(&opts.asOf, time.Now), Required: true, Offer: option.Words("now"),
			Usage: "`TIME` that the catalog speaks for: an RFC 3339 instant with at most milliseconds, a date (its midnight " +
				"UTC) or now; nothing may be dated after it"},
		option.Out(&opts.out, "json"),
		option.Option{Name: "dedupe", Value: option.Bool(&opts.dedupe),
			Usage: "drop exact replays of an observation instead of refusing them"},
		option.Option{Name: "strict", Value: option.Bool(&opts.strict),
			Usage: "refuse two observations that read one piece of evidence differently, like a value and its correction"},
		option.Format(&format, option.FormatJSON),
	)
}

func (p *program) compile(ctx context.Context, opts compileOptions) error {
	start := time.Now()
	setHeapGrowth(heapOfFiles)
	in, err := p.inputs(opts.files...)
	if err != nil {
		return err
	}
	out, err := files.NewOutput(opts.out, p.Document(), in)
	if err != nil {
		return err
	}
	c, dropped, err := p.compileInputs(ctx, in, opts)
	if err != nil {
		return err
	}
	if err := p.reportCorrections(ctx, in, c, opts.strict); err != nil {
		return err
	}
	size, err := p.writeSnapshot(ctx, c, out)
	if err != nil {
		return err
	}
	p.Summary("observations", c.Observations())
	if opts.dedupe {
		p.Summary("replays", fmt.Sprintf("%d dropped", dropped))
	}
	p.Summary("models", len(c.Models()))
	p.Summary("conflicts", len(c.Conflicts()))
	p.Summary("digest", c.Digest())
	p.Summary("bytes", size)
	p.Summary("time", time.Since(start).Round(time.Millisecond))
	if !c.MostExpired() {
		return nil
	}
	if e := c.Expiry(); 2*e.Expired > e.Observations { // not what is history
		p.Warn("%s of %s observations had expired at %s: they count for nothing (%s)",
			quantity.Number(float64(e.Expired)), quantity.Number(float64(e.Observations)), c.AsOf(), e.Remedy())
	}
	return nil
}

func (p *program) compileInputs(ctx context.Context, in *files.Inputs, opts compileOptions) (c *catalog.Catalog,
	dropped int, err error) {
	bar := p.Progress("compiling", in.Size(), console.Bytes)
	defer bar.End()
	inputs := make([]catalog.Source, len(in.Files))
	for i, f := range in.Files {
		inputs[i] = catalog.Source{Name: f.Name, Open: func() (io.ReadCloser, error) { return f.Open(ctx, bar.Add) }}
	}
	c, dropped, err = catalog.CompileSources(ctx, inputs, catalog.Options{AsOf: opts.asOf, Dedupe: opts.dedupe})
	if err != nil {
		return nil, 0, explainObservations(ctx, in, err)
	}
	return c, dropped, nil
}

// reportCorrections names values that are compiled together with their corrections, and
// refuses them if that is wanted.
func (p *program) reportCorrections(ctx context.Context, in *files.Inputs, c *catalog.Catalog, isStrict bool) error {
	corrections := sources.Corrections(c)
	if len(corrections) == 0 {
		return nil
	}
	wanted := map[string]string{} // ids of observations
	for _, x := range corrections {
		wanted[x.Before.ID()], wanted[x.After.ID()] = x.Before.ID(), x.After.ID()
	}
	for _, f := range in.Files {
		if !f.IsRereadable() || !ijson.IsLinesName(f.Name) {
			continue
		}
		src, err := f.Read(ctx, files.MaxWhole, func(int64) {})
		if err != nil {
			return err
		}
		number := 0
		for line := range strings.Lines(src.Text) {
			number++
			if !slices.ContainsFunc(corrections, func(x sources.Correction) bool { return strings.Contains(line, x.Evidence) }) {
				continue
			}
			if o, err := catalog.Normalize(strings.TrimSpace(line)); err == nil && wanted[o.ID()] == o.ID() {
				wanted[o.ID()] = fmt.Sprintf("%s:%d", f.Name, number)
			}
		}
	}
	var lines []string
	for _, x := range corrections {
		lines = append(lines, fmt.Sprintf("corrected: %s states one thing at %s and another at %s", x.Evidence,
			wanted[x.Before.ID()], wanted[x.After.ID()]))
	}
	slices.Sort(lines)
	for _, line := range lines {
		if isStrict {
			p.Problem(line)
		} else {
			p.Note("%s", line)
		}
	}
	if isStrict {
		return exitError(exitFailure)
	}
	return nil
}

// explainObservations narrows what is wrong with observations to the first bad file.
// If something is wrong with that file as a whole, it says that instead.
func explainObservations(ctx context.Context, in *files.Inputs, err error) error {
	bad, err := in.FirstBad(err)
	faults := problem.All(err)
	if len(faults) == 0 {
		return err
	}
	if faults[0].Code == problem.DuplicateObservation {
		return cmp.Or(in.CheckTwice(bad.Name), err)
	}
	if !bad.IsRereadable() || !files.IsAboutSchema(err) {
		return err
	}
	source, unread := bad.Read(ctx, files.MaxWhole, func(int64) {})
	if unread != nil {
		return err
	}
	return files.OtherKind(source, files.Observations, err)
}

// writeSnapshot writes a catalog and returns its size.
func (p *program) writeSnapshot(ctx context.Context, c *catalog.Catalog, out *files.Output) (size int64, err error) {
	err = out.Write(ctx, func(w io.Writer) (err error) {
		if f, ok := w.(catalog.File); ok {
			bar := p.Progress("writing", 0, console.Bytes)
			defer bar.End()
			size, err = c.WriteFile(progressFile{f, bar})
		} else {
			size, err = c.WriteTo(w)
		}
		return err
	})
	return size, err
}

// progressFile shows a bar how much is written.
type progressFile struct {
	catalog.File
	bar *console.Progress
}

func (c progressFile) Write(b []byte) (int, error) {
	n, err := c.File.Write(b)
	c.bar.Add(int64(n))
	return n, err
}

// How far the heap may grow before garbage is collected, in percent of what is in use.
// Compiling and validating keep most of what they allocate, so that collecting finds
// little. What strangers send, and the records of a store, are held in little more memory
// than they take; lists that are imported become lines many times their size.
const (
	heapOfFiles   = 400
	heapOfLists   = 25
	heapOfAnswers = 25
	heapOfRecords = 5
)

// serveHeap lets the heap of a server grow by what it is now, or if it holds many records
// by [heapOfRecords]: what requests leave behind is then collected more often.
func serveHeap() {
	const spare = 16 << 20 // bytes that the heap may grow by in any case
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	setHeapGrowth(max(heapOfRecords, min(100, 100*spare/int(m.HeapAlloc))))
}

// setHeapGrowth says how far the heap may grow, unless the environment does.
func setHeapGrowth(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}
