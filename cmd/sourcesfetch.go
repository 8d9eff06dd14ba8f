package cmd

import (
	"context"
	"fmt"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/internal/sources"
	download "github.com/model-catalog-service/svc/internal/sources/fetch"
)

type fetchOptions struct {
	source, folder string
	revision       string // empty for the newest
}

func newSourcesFetch(run func(context.Context, fetchOptions) error) *cobra.Command {
	var opts fetchOptions
	c := &cobra.Command{
		Use:   "fetch SOURCE [--revision REVISION] -o DIRECTORY",
		Short: "Download the files of a source and pin them",
		Long: `Downloads the files of an approved SOURCE into a DIRECTORY, each with its
envelope beside it, under the rules of the manifest: HTTPS and the approved origin
alone, public addresses alone, bounded bytes and time, the approved media types.
No other command for sources opens connections. It uses no
proxy. A failure leaves no file, and what did not change is not written again.

A revision is a release of livebench (2026-01-08), a commit of aider-polyglot, or
the SHA-256 that the answer of openrouter-models must have. Without one the newest
release of livebench is discovered, see "svc sources discover", and what
openrouter-models answers now is taken; aider-polyglot needs one.

The files to import are named on stdout, a line each, what became of every file
on stderr.`,
		Example: `  svc sources fetch openrouter-models -o sources
  svc sources fetch livebench --revision 2026-01-08 -o sources
  svc sources fetch livebench -o sources`,
		Annotations: map[string]string{annotationNotes: exitNotes},
		Args: func(c *cobra.Command, args []string) error {
			if err := needSource(args); err != nil {
				return err
			}
			return needOptions(c, "out")
		},
		ValidArgsFunction: offerFirst(offerApproved),
		RunE: func(c *cobra.Command, args []string) error {
			opts.source = args[0]
			return run(c.Context(), opts)
		},
	}
	f := c.Flags()
	f.StringVar(&opts.revision, "revision", "", "`REVISION` to download (default the newest)")
	f.StringVarP(&opts.folder, "out", "o", "", "`DIRECTORY` to write to, made if it is not there")
	completeOption(c, "revision", offerNothing)
	completeOption(c, "out", offerFolders)
	return c
}

func (p *program) fetchSource(ctx context.Context, opts fetchOptions) error {
	m, err := sources.PackagedManifest()
	if err != nil {
		return err
	}
	if err := checkFetch(m, opts); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	bar := p.startProgress("fetching", 0, inBytes)
	saved, err := download.Fetch(ctx, download.Request{
		Manifest: m, Source: opts.source, Revision: opts.revision, Folder: opts.folder,
	}, download.Options{Progress: bar.add})
	bar.end()
	if err != nil {
		return err
	}
	for _, s := range saved {
		fmt.Fprintf(p.stderr, "%-9s %s\n", s.State, printable(s.Path))
		if s.Importable {
			p.stdout.WriteString(s.Path + "\n")
		}
	}
	return p.stdout.Flush()
}

// checkFetch finds what is wrong with the command line before anything is asked
// of anybody.
func checkFetch(m *sources.Manifest, opts fetchOptions) error {
	s, err := approved(m, opts.source)
	if err != nil {
		return err
	}
	if opts.revision != "" && !sources.IsRevision(s.Revision.Grammar, opts.revision) {
		return invalidValue("--revision", opts.revision, "must be a "+s.Revision.Grammar)
	}
	if opts.revision == "" && s.Revision.Kind == sources.KindCommit {
		return usagef("Missing option: --revision (the commits of %s cannot be discovered)", s.ID)
	}
	return nil
}
