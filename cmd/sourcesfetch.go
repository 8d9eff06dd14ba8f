package cmd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/sources"
	download "github.com/model-catalog-service/svc/internal/sources/fetch"
)

type fetchOptions struct {
	source, folder string
	revision       string // empty for the newest
	folders        string // separated by commas; empty for all
}

// taken returns the folders to keep, nil for all.
func (o *fetchOptions) taken() []string {
	if o.folders == "" {
		return nil
	}
	return strings.Split(o.folders, ",")
}

func newSourcesFetch(run func(context.Context, fetchOptions) error) *cobra.Command {
	var opts fetchOptions
	return option.Declare(&cobra.Command{
		Use:               "fetch SOURCE [--revision REVISION] [--folders FOLDERS] -o DIRECTORY",
		Short:             "Download the files of a source and pin them",
		SuggestFor:        []string{"update", "download", "pull", "refresh"},
		Args:              option.OneArgument(&opts.source, "SOURCE"),
		ValidArgsFunction: offerApproved(),
		RunE:              option.Run(run, &opts),
	},
		option.Option{Name: "revision", Value: option.Text(&opts.revision), Offer: option.Nothing,
			Usage: "`REVISION` to download (default the newest)"},
		option.Option{Name: "folders", Value: option.Text(&opts.folders), Offer: option.Nothing,
			Usage: "`FOLDERS` of an archive to keep, separated by commas (default all of it)"},
		option.Option{Name: "out", Short: "o", Value: option.Text(&opts.folder), Required: true, Offer: option.Folders,
			Usage: "`DIRECTORY` to write to, which svc creates if needed"},
	)
}

func (p *program) fetchSource(ctx context.Context, opts fetchOptions) error {
	m := packagedManifest()
	if err := checkFetch(m, opts); err != nil {
		return err
	}
	adapter, err := adapterOf(opts.source)
	if err != nil {
		return err
	}
	bar := p.Progress("downloading", 0, console.Bytes)
	saved, err := download.Fetch(ctx, download.Request{
		Manifest: m, Source: opts.source, Revision: opts.revision, Folder: opts.folder,
		PublishedAt: adapter.PublishedAt, Head: adapter.ReadsHead(),
		Folders: opts.taken(),
	}, download.Options{Progress: bar.Add, World: p.world})
	bar.End()
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", opts.source, files.ErrInterrupt)
	}
	if err != nil {
		return explainFetch(opts.source, err)
	}
	for _, s := range saved {
		p.Note("%-9s %s", s.State, s.Path)
		if s.Importable {
			p.Print(s.Path + "\n")
		}
	}
	return nil
}

// explainFetch says what to do where there is no network: a file that was fetched elsewhere
// will do.
func explainFetch(source string, err error) error {
	_, isUnknown := errors.AsType[*net.DNSError](err)
	if dial, ok := errors.AsType[*net.OpError](err); isUnknown || ok && dial.Op == "dial" {
		return fmt.Errorf("%w (without a network, take a file that was fetched elsewhere: svc sources pin %s --url URL "+
			"--fetched-at TIME FILE)", err, source)
	}
	return err
}

// checkFetch finds what is wrong with the command line before anybody is asked for
// anything.
func checkFetch(m *sources.Manifest, opts fetchOptions) error {
	s, err := approved(m, opts.source)
	if err != nil {
		return err
	}
	if opts.revision != "" && !sources.IsRevision(s.Revision.Grammar, opts.revision) {
		return option.Invalid("--revision", opts.revision, "must be a "+s.Revision.Grammar)
	}
	entry := s.Resolver.Entrypoint.URL + sources.Fragment(opts.taken())
	if _, reason := m.Resource(s.ID, entry); reason != "" {
		return option.Invalid("--folders", opts.folders, "must be folders of a source that is an archive")
	}
	adapter, err := adapterOf(opts.source)
	if err != nil {
		return err
	}
	if opts.revision == "" && s.Revision.Kind == sources.KindCommit && !adapter.ReadsHead() {
		return option.Errorf("Missing option: --revision (the commits of %s cannot be discovered)", s.ID)
	}
	return nil
}
