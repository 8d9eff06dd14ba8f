package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/internal/ijson"
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
	return nil, usagef("Unknown source: %s (must be %s)", source, ijson.Alternatives(sourceNames()))
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
	c := &cobra.Command{
		Use:   "import SOURCE SNAPSHOT... --mapping FILE [-o FILE] [--acquisition FILE] [--strict]",
		Short: "Make observations of the pinned files of a source",
		Long: `Makes observations of pinned files of a SOURCE, one a line, for svc compile to
take. Each SNAPSHOT is the file itself; its envelope, which "svc sources pin"
writes, lies beside it under the same name and .snapshot.json. The mapping says
which row is which model, as a person decided: see "svc sources mapping".

Rows that the mapping does not know are skipped. They, and values that could not
be taken, are named on stderr with the place where they stand. The same files
and the same mapping give the same lines.`,
		Example: `  svc import aider-polyglot polyglot_leaderboard.yml --mapping aider.mapping.json -o aider.jsonl
  svc import livebench table_2026_01_08.csv categories_2026_01_08.json --mapping livebench.mapping.json --strict
  svc import lm-eval results_*[0-9].json --mapping runs.mapping.json | svc compile - --as-of now -o catalog.json`,
		Annotations: map[string]string{annotationNotes: exitNotes},
		Args: func(c *cobra.Command, args []string) error {
			if err := needSnapshots(args); err != nil {
				return err
			}
			return needOptions(c, "mapping")
		},
		ValidArgsFunction: offerSourceAndSnapshots,
		RunE: func(c *cobra.Command, args []string) error {
			opts.source, opts.snapshots = args[0], args[1:]
			return run(c.Context(), opts)
		},
	}
	f := c.Flags()
	f.StringVar(&opts.mapping, "mapping", "", "`FILE` that says which row is which model; - is standard input")
	addOut(c, &opts.out, "jsonl", "ndjson")
	f.StringVar(&opts.acquisition, "acquisition", "", "`FILE` to write the acquisition record to: what was imported, and what became of its rows")
	f.BoolVar(&opts.strict, "strict", false, "refuse rows that the mapping does not know, and entries that no row answers to")
	completeOption(c, "mapping", offerFiles("json"))
	completeOption(c, "acquisition", offerFiles("json"))
	return c
}

// needSnapshots demands a source and files, whose envelopes lie beside them.
func needSnapshots(args []string) error {
	if len(args) == 0 {
		return usagef("Missing argument: SOURCE")
	}
	if _, err := adapterOf(args[0]); err != nil {
		return err
	}
	if slices.Contains(args[1:], stdinName) {
		return usagef("Unexpected argument: %s (the envelope of a snapshot lies beside it)", stdinName)
	}
	return needFiles("SNAPSHOT", args[1:])
}

func (p *program) importSource(ctx context.Context, opts importOptions) error {
	start := time.Now()
	a, err := adapterOf(opts.source)
	if err != nil {
		return err
	}
	files, in, err := p.readSnapshots(opts.snapshots)
	if err != nil {
		return err
	}
	mapping, err := p.readSmall(opts.mapping, sources.MaxMappingBytes, in)
	if err != nil {
		return err
	}
	out, record, err := importTargets(opts, in)
	if err != nil {
		return err
	}
	manifest, err := sources.PackagedManifest()
	if err != nil {
		return err
	}
	result, err := a.Import(sources.Request{Manifest: manifest, Snapshots: files, Mapping: mapping, Strict: opts.strict})
	if err != nil {
		return err
	}
	p.printDiagnostics(result.Diagnostics)
	if len(result.Observations) == 0 {
		return errors.New("no row was imported")
	}
	if err := p.writeLines(ctx, result, out); err != nil {
		return err
	}
	if record != nil {
		if err := record.write(ctx, writing(string(result.Acquisition.JSON())+"\n")); err != nil {
			return err
		}
	}
	p.summarizeImport(result.Acquisition, time.Since(start))
	return nil
}

// importTargets are the files for the observations and for the acquisition
// record, nil where none was asked for.
func importTargets(opts importOptions, in *inputs) (out, record *target, err error) {
	if out, err = targetOf(opts.out, in); err != nil {
		return nil, nil, err
	}
	if record, err = targetOf(opts.acquisition, in); err != nil {
		return nil, nil, err
	}
	if out != nil && record != nil && out.path == record.path && out.isRegular() {
		return nil, nil, fileError(record.name, errors.New("is also the file for the observations"))
	}
	return out, record, nil
}

// writeLines writes the observations to a file, or without one to stdout.
func (p *program) writeLines(ctx context.Context, result *sources.Result, out *target) error {
	return p.deliver(ctx, out, func(w io.Writer) error {
		return result.Lines(func(line string) error {
			_, err := io.WriteString(w, line)
			return err
		})
	})
}

// printDiagnostics names what was reported, a line each.
func (p *program) printDiagnostics(list []sources.Diagnostic) {
	for i := range list {
		d := &list[i]
		at := ""
		if d.Place.Line > 0 {
			at = fmt.Sprintf("%s:%d:%d: ", d.Place.File, d.Place.Line, d.Place.Column)
		}
		fmt.Fprintln(p.stderr, printable(at+d.String()))
	}
}

// summarizeImport tells on stderr what became of the rows.
func (p *program) summarizeImport(a *sources.Acquisition, took time.Duration) {
	p.tell("rows", a.Rows)
	p.tell("imported", a.Imported)
	p.tell("skipped", a.Skipped)
	p.tell("observations", a.Observations)
	p.tell("time", took.Round(time.Millisecond))
}

// readSnapshots reads bodies and the envelopes beside them. All files that it
// read are returned as inputs, too.
func (p *program) readSnapshots(names []string) ([]sources.File, *inputs, error) {
	in := &inputs{}
	var files []sources.File
	for _, name := range names {
		body, err := p.readSmall(name, sources.MaxBodyBytes, in)
		if err != nil {
			return nil, nil, err
		}
		envelope, err := p.readSmall(name+sources.EnvelopeSuffix, sources.MaxBodyBytes, in)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, sources.File{Body: body, Envelope: envelope})
	}
	return files, in, nil
}
