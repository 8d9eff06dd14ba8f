package cmd

import (
	"cmp"
	"context"
	"fmt"
	"github.com/model-catalog-service/svc/internal/ijson"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/cmd/internal/printer"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/contents"
	"github.com/model-catalog-service/svc/service/record"
)

type showOptions struct {
	catalog string // of the command line, else of the configuration, else the sample
	name    string // of a model or an observation, or empty
	build   string // the record of its build, empty for the one beside it
	keys    bool
	only    contents.Options
	output  string // auto, table or json
}

func newShow(run func(context.Context, showOptions) error) *cobra.Command {
	var opts showOptions
	return option.Declare(&cobra.Command{
		Use: "show [CATALOG] [MODEL | ID | --keys] [--catalog FILE] [--build FILE] [--model TEXT] [--key TEXT] [--source " +
			"NAME] [--stale] [--conflicts]" +
			" [--as-of TIME] [--output auto, table, json]",
		Short:      "Show the models of a catalog, their measurements, or its keys",
		SuggestFor: []string{"list", "ls", "info", "describe", "inspect"},
		ValidArgsFunction: func(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			switch len(args) {
			case 0:
				return option.Endings("json")(c, args, word)
			case 1:
				return offerNames(args[0], modelMark, word)
			}
			return option.Nothing(c, args, word)
		},
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) > 2:
				return option.Errorf("Unexpected argument: %s", args[2])
			case len(args) > 0 && args[0] == "":
				return option.Errorf("Empty argument: CATALOG")
			case len(args) == 2 && args[1] == "":
				return option.Errorf("Empty argument: MODEL")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := opts.take(args, c.Flags().Changed("catalog")); err != nil {
				return err
			}
			switch {
			case opts.name != "" && opts.keys:
				return option.Errorf("Unexpected option: --keys (it is for the whole catalog; --model narrows it)")
			case opts.name != "" && opts.only.Model != "":
				return option.Errorf("Unexpected option: --model (%s is given)", opts.name)
			}
			return run(c.Context(), opts)
		},
	},
		foundCatalog(&opts.catalog),
		buildOption(&opts.build),
		option.Option{Name: "keys", Value: option.Bool(&opts.keys), Usage: "list the measurement keys instead of the models"},
		option.Option{Name: "model", Value: option.Text(&opts.only.Model), Offer: option.Nothing,
			Usage: "only models with `TEXT` in their id, in any case"},
		option.Option{Name: "key", Value: option.Text(&opts.only.Key), Offer: option.Nothing,
			Usage: "only measurements with `TEXT` in their key, in any case"},
		option.Option{Name: "source", Value: option.Text(&opts.only.Source),
			Offer: option.Words(record.External, record.FirstParty),
			Usage: "only measurements from `NAME`: a source class, or a source that evidence ids begin with"},
		option.Option{Name: "stale", Value: option.Bool(&opts.only.Stale), Usage: "only measurements that have expired"},
		option.Option{Name: "conflicts", Value: option.Bool(&opts.only.Conflicts),
			Usage: "only facts that contradict each other"},
		option.Option{Name: "as-of", Value: option.Instant(&opts.only.AsOf, time.Now), Offer: option.Words("now"),
			Usage: "`TIME` at which to judge what has expired, not before that of the catalog (default that of the catalog)"},
		option.Format(&opts.output, option.FormatAuto, option.FormatTable, option.FormatJSON),
	)
}

// take reads the arguments. The first is a catalog if it names a file, or if another follows;
// otherwise it is what to show of the catalog that the options or the configuration name.
func (o *showOptions) take(args []string, named bool) error {
	switch {
	case len(args) == 2 && named:
		return option.Errorf("Unexpected argument: %s (--catalog is given)", args[1])
	case len(args) == 2:
		o.catalog, o.name = args[0], args[1]
	case len(args) == 1 && !named && isFile(args[0]):
		o.catalog = args[0]
	case len(args) == 1:
		o.name = args[0]
	}
	return nil
}

// isFile reports whether an argument names a file, even one that is not there.
func isFile(arg string) bool {
	if arg == option.Stdin || arg == files.Sample || strings.HasSuffix(arg, ".json") {
		return true
	}
	_, err := os.Stat(arg)
	return err == nil
}

func (p *program) show(ctx context.Context, opts showOptions) error {
	snapshot, err := p.newInputs().AddFile(opts.catalog)
	if err != nil {
		return err
	}
	c, err := p.readCatalog(ctx, snapshot)
	if err != nil {
		return err
	}
	opts.only.AsOf = cmp.Or(opts.only.AsOf, c.AsOf())
	if opts.only.AsOf < c.AsOf() {
		return files.Named(snapshot.Name, fmt.Errorf("--as-of %s is before the catalog, which is as of %s", opts.only.AsOf,
			c.AsOf()))
	}
	built, err := p.buildOf(opts.build, opts.catalog, c.Digest())
	if err != nil {
		return err
	}
	if err := p.showContents(ctx, c, built, opts); err != nil {
		return files.Named(snapshot.Name, err)
	}
	return nil
}

// showContents prints what a name means, or the lists of models or keys.
func (p *program) showContents(ctx context.Context, c *catalog.Catalog, built *record.CatalogBuild,
	opts showOptions) error {
	var (
		found contents.Found
		list  *record.CatalogContents
		err   error
	)
	switch {
	case opts.keys:
		list, err = contents.Keys(c, opts.only)
	case opts.name == "":
		list, err = contents.Models(c, opts.only)
	default:
		if found, err = contents.Find(c, opts.name); err == nil && found.Observation == nil {
			list, err = contents.Measurements(ctx, c, found.Models, opts.only)
		}
	}
	isTable := p.wantsTable(opts.output)
	switch {
	case err != nil:
		return err
	case found.Observation != nil && isTable:
		printer.New(p.Console).Observation(found.Observation, opts.only.AsOf)
	case found.Observation != nil:
		p.PrintJSON([]byte(found.Observation.Input()))
	case isTable:
		printer.New(p.Console).Contents(list, built, c)
	default:
		p.PrintJSON(ijson.MustWriteTagged(list))
	}
	return nil
}
