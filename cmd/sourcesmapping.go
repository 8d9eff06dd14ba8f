package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
)

type mappingOptions struct {
	source    string
	snapshots []string
	existing  string // empty for none
	out       string // empty for stdout
}

func newSourcesMapping(run func(context.Context, mappingOptions) error) *cobra.Command {
	var opts mappingOptions
	c := &cobra.Command{
		Use:   "mapping SOURCE SNAPSHOT... [--existing FILE] [-o FILE]",
		Short: "Write a mapping to fill in",
		Long: `Writes a mapping for the rows of pinned files of a SOURCE: an entry for each row,
with null where you must decide which model the row is. Nothing is guessed from
a label. Delete the rows that you do not want; svc import skips them. It refuses
a mapping in which something is left undecided.

With --existing what that file says is kept, and the rows that it does not know
are named on stderr, and those that it knows but no file has any more.`,
		Example: `  svc sources mapping aider-polyglot polyglot_leaderboard.yml -o aider.mapping.json
  svc sources mapping livebench table_2026_01_08.csv categories_2026_01_08.json --existing old.json -o new.json`,
		Annotations:       map[string]string{annotationNotes: exitNotes},
		Args:              func(_ *cobra.Command, args []string) error { return needSnapshots(args) },
		ValidArgsFunction: offerSourceAndSnapshots,
		RunE: func(c *cobra.Command, args []string) error {
			opts.source, opts.snapshots = args[0], args[1:]
			return run(c.Context(), opts)
		},
	}
	f := c.Flags()
	f.StringVar(&opts.existing, "existing", "", "`FILE` with a mapping to go on with; - is standard input")
	addOut(c, &opts.out, "json")
	completeOption(c, "existing", offerFiles("json"))
	return c
}

func (p *program) mapSource(ctx context.Context, opts mappingOptions) error {
	a, err := adapterOf(opts.source)
	if err != nil {
		return err
	}
	files, in, err := p.readSnapshots(opts.snapshots)
	if err != nil {
		return err
	}
	var existing problem.Source
	if opts.existing != "" {
		if existing, err = p.readSmall(opts.existing, sources.MaxMappingBytes, in); err != nil {
			return err
		}
	}
	out, err := targetOf(opts.out, in)
	if err != nil {
		return err
	}
	m, err := sources.PackagedManifest()
	if err != nil {
		return err
	}
	rows, err := a.Rows(m, files)
	if err != nil {
		return err
	}
	draft, err := sources.DraftMapping(a, rows, existing)
	if err != nil {
		return err
	}
	if err := p.deliver(ctx, out, writing(draft.JSON)); err != nil {
		return err
	}
	p.tellDraft(draft, len(rows), opts.existing != "")
	return nil
}

// tellDraft says what is new in a mapping and what its rows have lost.
func (p *program) tellDraft(draft *sources.Draft, rows int, hasExisting bool) {
	name := func(what string, ids []string) {
		for _, id := range ids {
			fmt.Fprintf(p.stderr, "%s %s\n", what, printable(canonical.Quote(id)))
		}
	}
	if hasExisting {
		name("new", draft.New)
		name("missing", draft.Missing)
	}
	fmt.Fprintf(p.stderr, "%d rows, %d new, %d of the mapping missing\n", rows, len(draft.New), len(draft.Missing))
}
