package cmd

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/quantity"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/settle"
	"github.com/model-catalog-service/svc/internal/spelling"
	"github.com/model-catalog-service/svc/internal/timestamp"
)

type settleOptions struct {
	files   []string
	prefer  string
	rulings string // empty for none
	out     string // empty for stdout
	report  string // empty for none
}

func newSettle(run func(context.Context, settleOptions) error) *cobra.Command {
	var opts settleOptions
	return option.Declare(&cobra.Command{
		Use:               "settle OBSERVATIONS... [--prefer SOURCE,...] [--rulings FILE] [-o FILE] [--report FILE]",
		Short:             "Show where sources contradict each other, and settle it",
		Args:              option.Files(&opts.files, "OBSERVATIONS"),
		ValidArgsFunction: option.Endings("jsonl", "ndjson"),
		RunE:              option.Run(run, &opts),
	},
		option.Option{Name: "prefer", Value: option.Text(&opts.prefer), Offer: offerApproved(),
			Usage: "`SOURCES`, separated by commas, the most preferred first: what contradicts them is left out"},
		option.Option{Name: "rulings", Value: option.Input(&opts.rulings), Offer: option.Endings("json"),
			Usage: "`FILE` that decides single facts, before any preference"},
		option.Out(&opts.out, "jsonl", "ndjson"),
		option.Option{Name: "report", Value: option.Text(&opts.report), Offer: option.Endings("json"),
			Usage: "`FILE` for all contradictions, with their values, sources, times and evidence"},
	)
}

func (p *program) settle(ctx context.Context, opts settleOptions) error {
	in := p.newInputs()
	decisions, err := readDecisions(ctx, in, opts)
	if err != nil {
		return err
	}
	lines, ids, docs, err := readLines(ctx, in, opts.files)
	if err != nil {
		return err
	}
	out, err := p.moreOutput(opts.out, in)
	if err != nil {
		return err
	}
	reportOut, err := p.moreOutput(opts.report, in, out)
	if err != nil {
		return err
	}
	isDecided := opts.prefer != "" || opts.rulings != ""
	if out == nil && isDecided {
		if out, err = files.NewOutput("", p.Document(), in); err != nil {
			return err
		}
	}
	c, _, err := catalog.Compile(ctx, docs, catalog.Options{AsOf: timestamp.End, Dedupe: true})
	if err != nil {
		return err
	}
	report, leftOut := settle.Settle(c, decisions)
	if out != nil {
		if err := writeKept(ctx, out, lines, func(i int) bool { return !leftOut[ids[i]] }); err != nil {
			return err
		}
	}
	if reportOut != nil {
		if err := reportOut.WriteText(ctx, string(report.JSON())+"\n"); err != nil {
			return err
		}
	}
	p.remark(report, decisions)
	table := strings.TrimSuffix(report.Table(), "\n")
	if out == nil {
		p.Print(table + "\n")
	} else {
		for line := range strings.SplitSeq(table, "\n") {
			p.Note("%s", line)
		}
	}
	lists := ""
	if !isDecided && reportOut == nil && len(report.Contradictions) > 0 {
		lists = "; --report FILE lists each contradiction"
	}
	p.Note("%s, %d of %s left out%s", quantity.Count(len(report.Contradictions), "contradiction"), len(leftOut),
		quantity.Count(len(lines), "observation"), lists)
	return nil
}

// remark says which decisions had no effect.
func (p *program) remark(report *settle.Report, decisions settle.Decisions) {
	for _, name := range decisions.Prefer {
		if !slices.Contains(report.Sources, name) {
			p.Warn("no fact comes from a source %s%s", problem.Clip(name),
				spelling.Offer(spelling.Nearest(name, report.Sources)))
		}
	}
	for _, r := range report.WithoutEffect {
		p.Note("without effect: the ruling on %s of %s at %s", r.Key, r.Model, r.Runtime)
	}
}

// readDecisions reads what was decided beforehand.
func readDecisions(ctx context.Context, in *files.Inputs, opts settleOptions) (d settle.Decisions, err error) {
	if opts.prefer != "" {
		d.Prefer = strings.Split(opts.prefer, ",")
	}
	if opts.rulings == "" {
		return d, nil
	}
	src, err := in.ReadFile(ctx, opts.rulings, sources.MaxMappingBytes)
	if err != nil {
		return d, err
	}
	if d.Rulings, err = settle.ReadRulings(src); err != nil {
		return d, files.OtherKind(src, files.Kind{Name: "list of rulings"}, err)
	}
	return d, nil
}

// writeKept writes those lines that are kept.
func writeKept(ctx context.Context, out *files.Output, lines []string, isKept func(i int) bool) error {
	return out.Write(ctx, func(w io.Writer) error {
		for i, line := range lines {
			if isKept(i) {
				if _, err := io.WriteString(w, line+"\n"); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// readLines reads observations, one a line, with their ids.
func readLines(ctx context.Context, in *files.Inputs, names []string) (lines, ids, docs []string, err error) {
	seen := map[string]bool{}
	for _, name := range names {
		src, err := in.ReadFile(ctx, name, files.MaxStream)
		if err != nil {
			return nil, nil, nil, err
		}
		if err := files.Expect(src, files.Observations); err != nil {
			return nil, nil, nil, err
		}
		number := 0
		for line := range strings.Lines(src.Text) {
			number++
			line = strings.TrimRight(line, "\r\n")
			if strings.TrimSpace(line) == "" {
				continue
			}
			o, err := catalog.Normalize(line)
			if err != nil {
				faults := problem.All(err).Locate(line, problem.Place{File: name, Line: number, Column: 1})
				return nil, nil, nil, cmp.Or(faults.Err(), err)
			}
			lines, ids = append(lines, line), append(ids, o.ID())
			if !seen[o.ID()] {
				seen[o.ID()] = true
				docs = append(docs, line)
			}
		}
	}
	return lines, ids, docs, nil
}
