package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/cmd/internal/printer"
	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank"
	"github.com/model-catalog-service/svc/internal/rank/dispatch"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

type rankOptions struct {
	catalog  string
	requests []string
	output   string // auto, json or table
	explain  string // the id of a candidate, or empty
	version  string // 3 to translate the requests instead, or empty
	strict   bool   // names that the catalog does not have are a failure
	out      string // empty for stdout
}

func newRank(run func(context.Context, rankOptions) error) *cobra.Command {
	var opts rankOptions
	return option.Declare(&cobra.Command{
		Use:               "rank --catalog FILE REQUEST... [--explain ID] [--strict] [--version 3] [-o FILE] [--output auto, json, table]",
		Short:             "Rank candidates by the evidence in a catalog",
		ValidArgsFunction: option.Endings("json", "jsonl", "ndjson"),
		Args:              option.Files(&opts.requests, "REQUEST"),
		RunE:              option.Run(run, &opts, opts.check),
	},
		catalogOption(&opts.catalog),
		option.Option{Name: "explain", Value: option.Text(&opts.explain), Offer: option.Nothing,
			Usage: "explain the candidate with this `ID`, down to the observations"},
		option.Option{Name: "strict", Value: option.Bool(&opts.strict),
			Usage: "exit with 1, after printing the results, if the catalog lacks a name that a request uses"},
		option.Option{Name: "version", Value: option.ChoiceOrNone(&opts.version, "3"),
			Usage: "translate the requests to `VERSION` 3 and print them, without ranking"},
		option.Out(&opts.out, "json", "jsonl"),
		option.Format(&opts.output, option.FormatAuto, option.FormatJSON, option.FormatTable),
	)
}

// check finds what is wrong with options that are right one by one.
func (o *rankOptions) check() error {
	switch {
	case o.version != "" && o.explain != "":
		return option.Errorf("Options that exclude each other: --version and --explain")
	case o.version != "" && o.strict:
		return option.Errorf("Options that exclude each other: --version and --strict")
	case o.version == "" && o.catalog == "" && len(o.requests) > 1: // the first may be it
		return option.WithTip(option.Errorf("Missing option: --catalog"), option.MeantOption("catalog", o.requests[0]))
	case o.version == "" && o.catalog == "":
		return option.Errorf("Missing option: --catalog")
	}
	return nil
}

// rank reads all requests before it ranks any, so that nothing is printed if one is
// bad.
func (p *program) rank(ctx context.Context, opts rankOptions) error {
	in := files.New(p.stdin)
	if opts.version == "" {
		if _, err := in.AddFile(opts.catalog); err != nil {
			return err
		}
	}
	others := len(in.Files)
	if err := in.Add(opts.requests...); err != nil {
		return err
	}
	out, err := files.NewOutput(opts.out, p.Console, in)
	if err != nil {
		return err
	}
	requests, err := readRequests(ctx, in.Files[others:])
	if err != nil {
		return err
	}
	work := rankWork{opts: opts, files: in.Files[others:], requests: requests}
	absent := false
	if opts.version == "" {
		c, err := p.readCatalog(ctx, in.Files[0])
		if err != nil {
			return err
		}
		absent = p.reportAbsences(c, &work)
		work.ranker = dispatch.New(c)
	}
	if opts.out == "" || opts.out == option.Stdin {
		err = p.writeRanking(ctx, &work)
	} else {
		err = out.Write(ctx, func(w io.Writer) error {
			q := *p
			q.Console = p.To(w)
			q.Paint(p.color)
			return cmp.Or(q.writeRanking(ctx, &work), q.Flush())
		})
	}
	if err == nil && absent && opts.strict {
		return exitError(exitFailure)
	}
	return err
}

// rankWork is what is to be ranked.
type rankWork struct {
	opts     rankOptions
	files    []files.Input // of the requests
	requests []*dispatch.Request
	ranker   *dispatch.Ranker // nil for translations
}

// reportAbsences names what the requests look for and the catalog does not have at all,
// and reports whether there is any.
func (p *program) reportAbsences(c *catalog.Catalog, work *rankWork) (found bool) {
	for i, request := range work.requests {
		absences := rank.Absent(c, request.Names())
		for n := range absences {
			line := work.files[i].Name + ": " + absences[n].String()
			switch {
			case n == console.MaxNamed:
				line = fmt.Sprintf("%s: %d more names that the catalog does not have", work.files[i].Name, len(absences)-n)
			case n > console.MaxNamed:
				continue
			}
			if work.opts.strict {
				p.Problem(line)
			} else {
				p.Warn("%s", line)
			}
		}
		found = found || len(absences) > 0
	}
	return found
}

// writeRanking prints what was asked for: results, explanations or translations.
func (p *program) writeRanking(ctx context.Context, work *rankWork) error {
	switch {
	case work.ranker == nil:
		return p.printTranslations(work)
	case work.opts.explain != "":
		return p.explain(ctx, work)
	}
	bar := p.Progress("ranking", int64(len(work.requests)), console.Count("requests"))
	defer bar.End()
	for i, request := range work.requests {
		result, err := work.ranker.Rank(ctx, request, 0)
		if err != nil {
			return err
		}
		bar.Add(1)
		bar.HideWhile(func() { err = p.printResult(i, work.files[i].Name, result, work.opts.output) })
		if err != nil {
			return err
		}
	}
	return nil
}

func readRankRequest(ctx context.Context, f files.Input) (*dispatch.Request, error) {
	source, err := f.ReadKind(ctx, files.RankRequest, rank.MaxRequestBytes)
	if err != nil {
		return nil, err
	}
	request, err := dispatch.ReadRequest(source)
	if err != nil {
		return nil, files.OtherKind(source, files.RankRequest, err)
	}
	return request, nil
}

// printTranslations prints requests as ones of version 3, a line each.
func (p *program) printTranslations(work *rankWork) error {
	lines := make([]string, len(work.requests))
	for i, request := range work.requests {
		var err error
		if lines[i], err = request.Translate(); err != nil {
			return files.Named(work.files[i].Name, err)
		}
	}
	for _, line := range lines {
		p.PrintJSON([]byte(line))
	}
	return nil
}

// wantsTable reports whether a result is to be printed for people.
func (p *program) wantsTable(output string) bool {
	return output == option.FormatTable || output == option.FormatAuto && p.IsTerminal()
}

// printResult prints the result of the nth request, at once, as requests may take
// their time.
func (p *program) printResult(n int, request string, result *dispatch.Result, output string) error {
	isTable := p.wantsTable(output)
	if isTable && n > 0 {
		p.Print("\n")
	}
	if isTable && result.Earlier != nil {
		printer.New(p.Console).Ranking(request, result.Earlier)
		return p.Flush()
	}
	line, err := result.AppendJSON(nil, 0)
	if err != nil {
		return err
	}
	if !isTable {
		p.PrintJSON(line)
		return p.Flush()
	}
	r, err := v3.ReadResult(problem.Source{Text: string(line)})
	if err != nil {
		return err
	}
	printer.New(p.Console).TieGroups(request, r)
	return p.Flush()
}

// explain prints how one candidate comes out in each request. All are explained before
// anything is printed.
func (p *program) explain(ctx context.Context, work *rankWork) error {
	all := make([]*v3.Explanation, len(work.requests))
	for i, request := range work.requests {
		x, err := work.ranker.Explain(ctx, request, work.opts.explain)
		if errors.As(err, new(*v3.UnknownCandidateError)) {
			return files.Named(work.files[i].Name, err)
		}
		if err != nil {
			return err
		}
		all[i] = x
	}
	for i, x := range all {
		if !p.wantsTable(work.opts.output) {
			p.PrintJSON(canonical.MustMarshal(x))
			continue
		}
		if i > 0 {
			p.Print("\n")
		}
		printer.New(p.Console).Explanation(work.files[i].Name, x)
	}
	return nil
}
