package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/aider"
	"github.com/model-catalog-service/svc/internal/sources/livebench"
	"github.com/model-catalog-service/svc/internal/sources/lmeval"
	"github.com/model-catalog-service/svc/internal/sources/openrouter"
)

// adapters are all sources that can be imported.
func adapters() []sources.Adapter {
	return []sources.Adapter{
		aider.New(),
		livebench.New(),
		openrouter.New(),
		lmeval.New(),
	}
}

func sourceNames() (names []string) {
	for _, a := range adapters() {
		names = append(names, a.Source())
	}
	return names
}

// adapterOf returns the adapter of the source that an argument names.
func adapterOf(source string) (sources.Adapter, error) {
	for _, a := range adapters() {
		if a.Source() == source {
			return a, nil
		}
	}
	return nil, option.Unknown("source", source, sourceNames())
}

type importOptions struct {
	source      string
	snapshots   []string
	mapping     string
	out         string // empty for stdout
	acquisition string // empty for none
	strict      bool
}

func newImport(run func(context.Context, importOptions) error) *cobra.Command {
	var opts importOptions
	return option.Declare(&cobra.Command{
		Use:               "import SOURCE SNAPSHOT... --mapping FILE [-o FILE] [--acquisition FILE] [--strict]",
		Short:             "Make observations from the pinned files of a source",
		Args:              needSnapshots,
		ValidArgsFunction: offerSnapshots,
		RunE: func(c *cobra.Command, args []string) error {
			opts.source, opts.snapshots = args[0], args[1:]
			return run(c.Context(), opts)
		},
	},
		option.Option{Name: "mapping", Value: option.Text(&opts.mapping), Required: true, Offer: option.Endings("json"),
			Usage: "`FILE` that says which row is which model; - is standard input"},
		option.Out(&opts.out, "jsonl", "ndjson"),
		option.Option{Name: "acquisition", Value: option.Text(&opts.acquisition), Offer: option.Endings("json"),
			Usage: "`FILE` to write the acquisition record to: what was imported, and what became of its rows; - is standard output"},
		option.Option{Name: "strict", Value: option.Bool(&opts.strict),
			Usage: "refuse rows that the mapping does not know, and entries that no row matches"},
	)
}

// needSnapshots demands a source and files, whose envelopes lie beside them.
func needSnapshots(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return option.Errorf("Missing argument: SOURCE")
	}
	if _, err := adapterOf(args[0]); err != nil {
		return err
	}
	if slices.Contains(args[1:], option.Stdin) {
		return option.Errorf("Unexpected argument: %s (the envelope of a snapshot lies beside it)", option.Stdin)
	}
	return option.Files("SNAPSHOT")(c, args[1:])
}

func (p *program) importSource(ctx context.Context, opts importOptions) error {
	start := time.Now()
	adapter, err := adapterOf(opts.source)
	if err != nil {
		return err
	}
	in := files.New(p.stdin)
	snapshots, err := readSnapshots(ctx, in, opts.snapshots)
	if err != nil {
		return err
	}
	mapping, err := in.ReadFile(ctx, opts.mapping, sources.MaxMappingBytes)
	if err != nil {
		return err
	}
	out, err := files.NewOutput(opts.out, p.Document(), in)
	if err != nil {
		return err
	}
	var record *files.Output
	if opts.acquisition != "" {
		if record, err = files.NewOutput(opts.acquisition, p.Document(), in, out); err != nil {
			return err
		}
	}
	manifest := packagedManifest()
	result, err := adapter.Import(sources.Request{Manifest: manifest, Snapshots: snapshots, Mapping: mapping, Strict: opts.strict})
	if err != nil {
		return err
	}
	for i := range result.Diagnostics {
		p.printDiagnostic(&result.Diagnostics[i])
	}
	if len(result.Observations) == 0 {
		return errors.New("no row was imported")
	}
	err = out.Write(ctx, func(w io.Writer) error {
		return result.Lines(func(line string) error {
			_, err := io.WriteString(w, line)
			return err
		})
	})
	if err != nil {
		return err
	}
	a := result.Acquisition
	if record != nil {
		if err := record.WriteText(ctx, string(a.JSON())+"\n"); err != nil {
			return err
		}
	}
	p.Summary("rows", a.Rows)
	p.Summary("imported", a.Imported)
	p.Summary("skipped", a.Skipped)
	p.Summary("observations", a.Observations)
	p.Summary("time", time.Since(start).Round(time.Millisecond))
	return nil
}

// printDiagnostic names what was reported.
func (p *program) printDiagnostic(d *sources.Diagnostic) {
	place := ""
	if d.Place.Line > 0 {
		place = fmt.Sprintf("%s:%d:%d: ", d.Place.File, d.Place.Line, d.Place.Column)
	}
	p.Note("%s", place+problem.Clip(d.Path)+": "+string(d.Reason)+": "+problem.Brief(d.Message))
}

// readSnapshots reads bodies and the envelopes beside them, and adds them to the
// inputs.
func readSnapshots(ctx context.Context, in *files.Inputs, names []string) (snapshots []sources.File, err error) {
	for _, name := range names {
		var f sources.File
		if f.Body, err = in.ReadFile(ctx, name, sources.MaxBodyBytes); err != nil {
			return nil, err
		}
		if f.Envelope, err = in.ReadFile(ctx, name+sources.EnvelopeSuffix, sources.MaxBodyBytes); err != nil {
			return nil, err
		}
		snapshots = append(snapshots, f)
	}
	return snapshots, nil
}
