package cmd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
)

type compileOptions struct {
	files  []string
	asOf   string // a timestamp
	out    string // empty for stdout
	dedupe bool
}

func newCompile(run func(context.Context, compileOptions) error) *cobra.Command {
	var opts compileOptions
	c := &cobra.Command{
		Use:   "compile FILE... --as-of TIME [-o FILE] [--dedupe]",
		Short: "Compile observations to a catalog snapshot",
		Long: `Compiles observations to a catalog snapshot: canonical JSON that depends on the
set of observations and the time alone, and carries its own SHA-256 digest.

A FILE holds one observation, a list of them, or one a line. A directory stands
for its *.json, *.jsonl and *.ndjson, those of directories below it too; - for
standard input. All must be right: else the problems of the first bad file are
named and nothing is written. What was compiled is told on stderr.`,
		Example: `  svc compile observations/ --as-of 2026-07-18 -o catalog.json
  svc compile aider.jsonl team.json --as-of 2026-07-18T06:00:00+02:00 > catalog.json
  generate | svc compile - --as-of now --dedupe -o catalog.json`,
		Annotations:       map[string]string{annotationNotes: exitNotes},
		ValidArgsFunction: offerFiles("json", "jsonl", "ndjson"),
		Args: func(c *cobra.Command, args []string) error {
			if err := needFiles("FILE", args); err != nil {
				return err
			}
			return needOptions(c, "as-of")
		},
		RunE: func(c *cobra.Command, args []string) error {
			opts.files = args
			return run(c.Context(), opts)
		},
	}
	f := c.Flags()
	f.Var(&instant{value: &opts.asOf, now: time.Now}, "as-of",
		"`TIME` that the catalog speaks for: an RFC 3339 instant with at most milliseconds, a date (its midnight UTC) or now; nothing may be dated after it")
	addOut(c, &opts.out, "json")
	f.BoolVar(&opts.dedupe, "dedupe", false,
		"drop exact replays of an observation instead of refusing them")
	completeOption(c, "as-of", offerWords("now"))
	return c
}

func (p *program) compile(ctx context.Context, opts compileOptions) error {
	start := time.Now()
	collectSeldom()
	in, err := p.findInputs(opts.files...)
	if err != nil {
		return err
	}
	out, err := targetOf(opts.out, in)
	if err != nil {
		return err
	}
	c, dropped, err := p.compileInputs(ctx, in, opts)
	if err != nil {
		return err
	}
	size, err := p.writeSnapshot(ctx, c, out)
	if err != nil {
		return err
	}
	p.summarize(c, size, dropped, opts.dedupe, time.Since(start))
	return nil
}

func (p *program) compileInputs(ctx context.Context, in *inputs, opts compileOptions) (c *catalog.Catalog, dropped int, err error) {
	bar := p.startProgress("compiling", in.size(), inBytes)
	defer bar.end()
	sources := make([]catalog.Source, len(in.files))
	for i, f := range in.files {
		sources[i] = p.source(f, bar)
	}
	c, dropped, err = catalog.CompileSources(ctx, sources, catalog.Options{AsOf: opts.asOf, Dedupe: opts.dedupe})
	if err != nil {
		return nil, 0, p.blameObservations(in, err)
	}
	return c, dropped, nil
}

// blameObservations narrows what is wrong with observations to the first bad
// file, and says what can be said of it as a whole in the place of what that
// leads to.
func (p *program) blameObservations(in *inputs, err error) error {
	err = blame(in.files, err)
	faults := problem.All(err)
	if len(faults) == 0 {
		return err
	}
	if faults[0].Code == problem.DuplicateObservation {
		return cmp.Or(in.twice(faults[0].Place.File), err)
	}
	bad := slices.IndexFunc(in.files, func(f input) bool { return f.name == faults[0].Place.File })
	if bad < 0 || !in.files[bad].isRereadable() || !slices.ContainsFunc(faults, blamesSchema) {
		return err
	}
	source, unread := p.read(in.files[bad], nil)
	if unread != nil {
		return err
	}
	return otherKind(source, observationFamily, err)
}

// writeSnapshot writes a catalog to a file, or without one to stdout, and
// returns its size.
func (p *program) writeSnapshot(ctx context.Context, c *catalog.Catalog, out *target) (size int64, err error) {
	if out == nil {
		if size, err = c.WriteTo(p.stdout); err == nil {
			err = p.stdout.Flush()
		}
		return size, err
	}
	bar := p.startProgress("writing", 0, inBytes)
	defer bar.end()
	err = out.write(ctx, func(w io.Writer) error {
		if f, ok := w.(catalog.File); ok {
			size, err = c.WriteFile(countingFile{counting{w, bar}, f})
		} else {
			size, err = c.WriteTo(counting{w, bar})
		}
		return err
	})
	return size, err
}

// summarize tells on stderr what was compiled.
func (p *program) summarize(c *catalog.Catalog, size int64, dropped int, dedupe bool, took time.Duration) {
	p.tell("observations", c.Observations())
	if dedupe {
		p.tell("replays", fmt.Sprintf("%d dropped", dropped))
	}
	p.tell("models", len(c.Models()))
	p.tell("conflicts", len(c.Conflicts()))
	p.tell("digest", c.Digest())
	p.tell("bytes", size)
	p.tell("time", took.Round(time.Millisecond))
}
