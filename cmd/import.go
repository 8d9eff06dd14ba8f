package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/aider"
	"github.com/model-catalog-service/svc/internal/sources/endpoints"
	"github.com/model-catalog-service/svc/internal/sources/everyeval"
	"github.com/model-catalog-service/svc/internal/sources/genaiprices"
	"github.com/model-catalog-service/svc/internal/sources/identity"
	"github.com/model-catalog-service/svc/internal/sources/inspectlog"
	"github.com/model-catalog-service/svc/internal/sources/litellm"
	"github.com/model-catalog-service/svc/internal/sources/livebench"
	"github.com/model-catalog-service/svc/internal/sources/lmarena"
	"github.com/model-catalog-service/svc/internal/sources/lmeval"
	"github.com/model-catalog-service/svc/internal/sources/modelsdev"
	"github.com/model-catalog-service/svc/internal/sources/openrouter"
	"github.com/model-catalog-service/svc/internal/sources/swebench"
	"github.com/model-catalog-service/svc/internal/sources/table"
)

// adapters are all sources that can be imported.
func adapters() []sources.Adapter {
	return []sources.Adapter{
		aider.New(),
		everyeval.New(),
		genaiprices.New(),
		litellm.New(),
		livebench.New(),
		lmarena.New(),
		modelsdev.New(),
		endpoints.New(),
		openrouter.New(),
		swebench.New(),
		lmeval.New(),
		inspectlog.New(),
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
	decisions   string // empty for none
	table       string // what the columns of a table are, empty for other sources
	out         string // empty for stdout
	acquisition string // empty for none
	report      string // empty for none
	strict      bool
	verbose     bool
}

func newImport(run func(context.Context, importOptions) error) *cobra.Command {
	var opts importOptions
	return option.Declare(&cobra.Command{
		Use: "import SOURCE SNAPSHOT... [--mapping FILE] [--decisions FILE] [--map FILE] [-o FILE] " +
			"[--acquisition FILE] [--report FILE] [--strict] [--verbose]",
		Short:             "Make observations from the pinned files of a source",
		SuggestFor:        []string{"add", "load"},
		Args:              needSnapshots(&opts.source, &opts.snapshots),
		ValidArgsFunction: offerSnapshots,
		RunE:              option.Run(run, &opts),
	},
		option.Option{Name: "mapping", Value: option.Input(&opts.mapping), Offer: option.Endings("json"),
			Usage: "`FILE` that says which row is which model; - is standard input (default for price sources: by the ids of " +
				"the rows)"},
		option.Option{Name: "decisions", Value: option.Input(&opts.decisions), Offer: option.Endings("json"),
			Usage: "`FILE` with what a person decided of names, where no mapping does; - is standard input"},
		option.Option{Name: "map", Value: option.Input(&opts.table), Offer: option.Endings("json"),
			Usage: "`FILE` that says what the columns of a table are, for the source table; - is standard input"},
		option.Out(&opts.out, "jsonl", "ndjson"),
		option.Option{Name: "acquisition", Value: option.Text(&opts.acquisition), Offer: option.Endings("json"),
			Usage: "`FILE` to write the acquisition record to: which rows were taken or skipped, and why; - is standard output"},
		option.Option{Name: "report", Value: option.Text(&opts.report), Offer: option.Endings("jsonl", "ndjson"),
			Usage: "`FILE` for a line of JSON about each row or value that was left out; - is standard output"},
		option.Option{Name: "strict", Value: option.Bool(&opts.strict),
			Usage: "fail if a row has no mapping entry or shares its scope with another, or an entry has no row"},
		option.Option{Name: "verbose", Value: option.Bool(&opts.verbose),
			Usage: "name what was skipped and left out"},
	)
}

// needSnapshots demands a source and files, whose envelopes are beside them, and takes both.
func needSnapshots(source *string, snapshots *[]string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return option.Errorf("Missing argument: SOURCE")
		}
		*source = args[0]
		if _, err := adapterOf(*source); err != nil && *source != table.Source {
			return err
		}
		if slices.Contains(args[1:], option.Stdin) {
			return option.Errorf("Unexpected argument: %s (a snapshot is a file, with its envelope beside it)", option.Stdin)
		}
		return option.Files(snapshots, "SNAPSHOT")(c, args[1:])
	}
}

// readImport reads what says which row is which model.
func readImport(ctx context.Context, in *files.Inputs, adapter sources.Adapter, snapshots []sources.File,
	opts *importOptions) (sources.Request, error) {
	request := sources.Request{Manifest: packagedManifest(), Snapshots: snapshots,
		Mapping: sources.EmptyMapping(opts.source), Strict: opts.strict, LinesOnly: true}
	var err error
	if request.Decisions, err = readNames(ctx, in, opts.decisions); err != nil {
		return request, err
	}
	switch {
	case opts.mapping != "":
		request.Mapping, err = readMapping(ctx, in, opts.mapping)
	case adapter.Reducer() != nil:
		request.Mapping, err = identity.MapRuns(adapter, request.Manifest, snapshots, request.Decisions)
	}
	return request, err
}

// importerOf returns the adapter of an import: of a table with the map that says what its columns
// are.
func importerOf(ctx context.Context, in *files.Inputs, opts importOptions) (sources.Adapter, error) {
	isTable := opts.source == table.Source
	switch {
	case isTable && opts.table == "":
		return nil, option.Errorf("Missing option: --map")
	case !isTable && opts.table != "":
		return nil, option.Errorf("Unexpected option: --map (only a table has one)")
	case !isTable:
		return adapterOf(opts.source)
	}
	src, err := in.ReadFile(ctx, opts.table, sources.MaxMappingBytes)
	if err != nil {
		return nil, err
	}
	m, err := table.ReadMap(src)
	return table.New(m), err
}

func (p *program) importSource(ctx context.Context, opts importOptions) error {
	setHeapGrowth(heapOfLists)
	in := p.newInputs()
	adapter, err := importerOf(ctx, in, opts)
	if err != nil {
		return err
	}
	if opts.mapping == "" && !adapter.IsPriceSource() && adapter.Reducer() == nil {
		return option.Errorf("Missing option: --mapping")
	}
	if opts.decisions != "" && !adapter.IsPriceSource() && (adapter.Reducer() == nil || opts.mapping != "") {
		return option.Errorf("Unexpected option: --decisions (the mapping decides)")
	}
	snapshots, err := readSnapshots(ctx, in, adapter, opts.snapshots)
	if err != nil {
		return err
	}
	request, err := readImport(ctx, in, adapter, snapshots, &opts)
	if err != nil {
		return err
	}
	out, err := files.NewOutput(opts.out, p.Document(), in)
	if err != nil {
		return err
	}
	record, err := p.moreOutput(opts.acquisition, in, out)
	if err != nil {
		return err
	}
	report, err := p.moreOutput(opts.report, in, out, record)
	if err != nil {
		return err
	}
	result, err := adapter.Import(request)
	if err != nil {
		return p.failWhole(err)
	}
	if opts.verbose {
		for i := range result.Diagnostics {
			p.printDiagnostic(&result.Diagnostics[i])
		}
	}
	if result.Acquisition.Observations == 0 {
		p.Note("%s", result.Summary())
		return errors.New("no row was imported")
	}
	if err := writeImport(ctx, result, out, record, report); err != nil {
		return err
	}
	summary := result.Summary()
	if !opts.verbose && strings.Contains(summary, ";") {
		summary += "; --verbose names them"
	}
	p.Note("%s", summary)
	return nil
}

// writeImport writes the observations, and the record and the report of the import if there is to
// be one.
func writeImport(ctx context.Context, result *sources.Result, out, record, report *files.Output) error {
	err := out.Write(ctx, func(w io.Writer) error {
		return result.Lines(func(line []byte) error {
			_, err := w.Write(line)
			return err
		})
	})
	if err != nil {
		return err
	}
	if record != nil {
		if err := record.WriteText(ctx, string(result.Acquisition.JSON())+"\n"); err != nil {
			return err
		}
	}
	if report != nil {
		var text strings.Builder
		for i := range result.Diagnostics {
			text.Write(result.Diagnostics[i].JSON(result.Acquisition))
			text.WriteByte('\n')
		}
		if err := report.WriteText(ctx, text.String()); err != nil {
			return err
		}
	}
	return nil
}

// readMapping reads a mapping.
func readMapping(ctx context.Context, in *files.Inputs, name string) (problem.Source, error) {
	mapping, err := in.ReadFile(ctx, name, sources.MaxMappingBytes)
	if err != nil {
		return mapping, err
	}
	return mapping, files.Expect(mapping, files.Mapping)
}

// moreOutput returns an output beside others, nil if it has no name.
func (p *program) moreOutput(name string, in *files.Inputs, others ...*files.Output) (*files.Output, error) {
	if name == "" {
		return nil, nil
	}
	return files.NewOutput(name, p.Document(), in, slices.DeleteFunc(others,
		func(o *files.Output) bool { return o == nil })...)
}

// failWhole prints all that is wrong, however much that is: who corrects a mapping
// wants to see it once.
func (p *program) failWhole(err error) error {
	faults := problem.All(err)
	if len(faults) <= console.MaxNamed {
		return err
	}
	p.Problems(faults)
	return exitError(exitFailure)
}

// printDiagnostic names what was reported.
func (p *program) printDiagnostic(d *sources.Diagnostic) {
	place := ""
	if d.Place.Line > 0 {
		place = fmt.Sprintf("%s:%d:%d: ", d.Place.File, d.Place.Line, d.Place.Column)
	}
	short := *d
	short.Path, short.Message = problem.Clip(d.Path), problem.Brief(d.Message)
	p.Note("%s", place+short.String())
}

var errNotPinned = errors.New("is not pinned: svc sources pin records where a file came from, svc sources fetch " +
	"downloads and pins")

// readSnapshots reads bodies and their envelopes, and adds them to the inputs. An
// envelope lies beside its body; if a body has none, the newest of those counts that
// the same bytes have under the names that pinning gives. Bodies of price sources, of
// which there can be many, are read one after another when they are wanted.
func readSnapshots(ctx context.Context, in *files.Inputs, a sources.Adapter, names []string) (snapshots []sources.File,
	err error) {
	if names, err = withLogs(a, names); err != nil {
		return nil, err
	}
	for _, name := range withoutEnvelopes(names) {
		info, err := os.Stat(name)
		isFolder := err == nil && info.IsDir() && a != nil && a.Source() == everyeval.Source
		if isFolder || a != nil && a.Reducer() != nil {
			read := readRun
			if isFolder {
				read = readFolder
			}
			f, err := read(a, in, name)
			if err != nil {
				return nil, files.Named(name, err)
			}
			snapshots = append(snapshots, f)
			continue
		}
		f := sources.File{}
		input, err := in.AddFile(name)
		if err != nil {
			return nil, err
		}
		load := func() (problem.Source, error) { return input.Read(ctx, sources.MaxBodyBytes, func(int64) {}) }
		envelope := name + sources.EnvelopeSuffix
		_, unpinned := os.Stat(envelope)
		if unpinned == nil && a != nil && a.IsPriceSource() && input.IsRereadable() {
			f.Load = load
		} else if f.Body, err = load(); err != nil {
			return nil, err
		}
		if unpinned != nil {
			pinned := pinnedEnvelope(name, f.Body.Text)
			if pinned == "" && errors.Is(unpinned, fs.ErrNotExist) {
				return nil, files.Named(name, errNotPinned)
			}
			envelope = cmp.Or(pinned, envelope)
		}
		if f.Envelope, err = in.ReadFile(ctx, envelope, sources.MaxBodyBytes); err != nil {
			return nil, err
		}
		snapshots = append(snapshots, f)
	}
	return snapshots, nil
}

// readRun reads a log of one's own, of which what an import uses is pinned as of when the run
// ended.
func readRun(a sources.Adapter, in *files.Inputs, name string) (f sources.File, err error) {
	if _, err := in.AddFile(name); err != nil {
		return f, err
	}
	file, err := os.Open(name)
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return f, err
	}
	if f.Body, err = sources.ReduceFile(a, name, file, info.Size()); err != nil {
		return f, files.Named(name, err)
	}
	return pinOwn(a, f.Body, a.PublishedAt(f.Body.Text), "")
}

// withLogs returns the names with the logs that are in folders in place of these.
func withLogs(a sources.Adapter, names []string) (list []string, err error) {
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil || !info.IsDir() || a == nil || a.Source() != inspectlog.Source {
			list = append(list, name)
			continue
		}
		var logs []string
		err = filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && inspectlog.IsLog(filepath.ToSlash(path)) {
				logs = append(logs, path)
			}
			return err
		})
		if err == nil && logs == nil {
			err = errors.New("has no log: none of its files ends in .eval or .json")
		}
		if err != nil {
			return nil, files.Named(name, err)
		}
		list = append(list, logs...)
	}
	return list, nil
}

// readFolder reads a folder of records of one's own, pinned as of when the last was retrieved.
func readFolder(a sources.Adapter, _ *files.Inputs, name string) (sources.File, error) {
	text, at, err := everyeval.Folder(os.DirFS(name))
	if err != nil {
		return sources.File{}, err
	}
	return pinOwn(a, problem.Source{Name: name, Text: text}, at, ".tar")
}

// pinOwn pins what nobody published. What has no time is skipped by the adapter.
func pinOwn(a sources.Adapter, body problem.Source, at, ending string) (f sources.File, err error) {
	u := sources.TeamURN(a.Source()) + "sha256/" + canonical.SumText(body.Text) + ending
	download := sources.Download{URL: u, FetchedAt: cmp.Or(at, "1970-01-01T00:00:00.000Z")}
	e, err := sources.Pin(a.Source(), download, body, packagedManifest())
	if err != nil {
		return f, err
	}
	return sources.File{Body: body, Envelope: problem.Source{Name: body.Name, Text: string(e.JSON())}}, nil
}

// withoutEnvelopes returns the names of files without those of the envelopes beside them,
// which a pattern of a shell adds.
func withoutEnvelopes(names []string) (bodies []string) {
	for _, name := range names {
		if body, isEnvelope := strings.CutSuffix(name, sources.EnvelopeSuffix); !isEnvelope || !slices.Contains(names, body) {
			bodies = append(bodies, name)
		}
	}
	return bodies
}

// pinnedEnvelope returns the name of the newest envelope of a file that was pinned
// under another name, "" if there is none.
func pinnedEnvelope(name, body string) (envelope string) {
	entries, err := os.ReadDir(filepath.Dir(name))
	if err != nil {
		return ""
	}
	for _, e := range entries { // sorted, and so by time
		if sources.IsPinnedName(filepath.Base(name), body, strings.TrimSuffix(e.Name(), sources.EnvelopeSuffix)) &&
			strings.HasSuffix(e.Name(), sources.EnvelopeSuffix) {
			envelope = filepath.Join(filepath.Dir(name), e.Name())
		}
	}
	return envelope
}
