package cmd

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/rank"
)

type rankOptions struct {
	catalog  string
	requests []string
	output   string // auto, json or table
}

func newRank(run func(context.Context, rankOptions) error) *cobra.Command {
	var opts rankOptions
	c := &cobra.Command{
		Use:   "rank --catalog FILE REQUEST... [--output auto, json, table]",
		Short: "Rank the candidates of requests against a catalog",
		Long: `Ranks the candidates of each REQUEST on the evidence of a catalog: who meets the
requirements, by a score that the preferences add up to, and who does not, each
with the reasons. The answer depends on the catalog and the request alone.

A REQUEST is a file that holds one rank request, a directory (its *.json, *.jsonl
and *.ndjson, those of directories below it too) or - for standard input. All
must be right: else the problems of the first bad one are named and nothing is
ranked. A request that nobody meets is answered, too.`,
		Example: `  svc rank --catalog catalog.json request.json
  svc rank --catalog catalog.json requests/ --output json > results.jsonl
  SVC_CATALOG=catalog.json svc rank - < request.json`,
		Annotations: map[string]string{annotationNotes: `--output json prints the result as canonical JSON, a line for each request;
auto is table on a terminal, else json. SVC_CATALOG may stand for --catalog.

` + exitNotes},
		ValidArgsFunction: offerFiles("json", "jsonl", "ndjson"),
		Args:              func(_ *cobra.Command, args []string) error { return needFiles("REQUEST", args) },
		RunE: func(c *cobra.Command, args []string) error {
			opts.requests = args
			switch {
			case opts.catalog == "":
				return usagef("Missing option: --catalog")
			case opts.catalog == stdinName && slices.Contains(args, stdinName):
				return usagef("Repeated argument: %s", stdinName)
			}
			return run(c.Context(), opts)
		},
	}
	c.Flags().StringVar(&opts.catalog, "catalog", "", "`FILE` with the catalog snapshot; - is standard input")
	completeOption(c, "catalog", offerFiles("json"))
	addOutput(c, &opts.output, outputAuto, outputJSON, outputTable)
	return c
}

// rank reads all requests before it ranks any, so that nothing is printed if
// one is bad.
func (p *program) rank(ctx context.Context, opts rankOptions) error {
	snapshot, err := p.findFile(opts.catalog)
	if err != nil {
		return err
	}
	in, err := p.findInputs(opts.requests...)
	if err != nil {
		return err
	}
	requests := make([]*rank.Request, len(in.files))
	for i, f := range in.files {
		source, err := p.read(f, nil)
		if err != nil {
			return err
		}
		if requests[i], err = rank.ReadRequest(source); err != nil {
			return otherKind(source, requestFamily, err)
		}
	}
	ranker, err := p.ranker(ctx, snapshot)
	if err != nil {
		return err
	}
	bar := p.startProgress("ranking", int64(len(requests)), inRequests)
	defer bar.end()
	for i, request := range requests {
		result, err := ranker.Rank(ctx, request)
		if err != nil {
			return err
		}
		bar.add(1)
		bar.aside(func() { err = p.printResult(i, in.files[i].name, result, opts.output) })
		if err != nil {
			return err
		}
	}
	return nil
}

// printResult prints the result of the nth request. It is seen at once where
// requests take their time.
func (p *program) printResult(n int, request string, result *rank.Result, output string) error {
	if output == outputTable || output == outputAuto && p.screen.stdoutTerminal {
		if n > 0 {
			p.stdout.WriteString("\n")
		}
		p.printTable(request, result)
		return p.stdout.Flush()
	}
	line, err := result.AppendJSON(nil, 0)
	if err != nil {
		return err
	}
	p.stdout.Write(append(line, '\n'))
	return p.stdout.Flush()
}

// ranker reads a catalog and indexes it. The text of the catalog lives on in the
// ranker alone.
func (p *program) ranker(ctx context.Context, snapshot input) (*rank.Ranker, error) {
	bar := p.startProgress("loading the catalog", snapshot.size(), inBytes)
	defer bar.end()
	source, err := p.read(snapshot, bar)
	if err != nil {
		return nil, err
	}
	c, err := catalog.Parse(ctx, source)
	if err != nil {
		return nil, err
	}
	return rank.New(c), nil
}
