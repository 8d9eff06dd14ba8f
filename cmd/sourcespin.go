package cmd

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	disk "github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/sources"
)

type pinOptions struct {
	source                                 string
	bodies                                 []string // one
	url, fetchedAt, publishedAt, mediaType string
	folder                                 string // empty for that of the body
	replace                                bool
}

func newSourcesPin(run func(context.Context, pinOptions) error) *cobra.Command {
	var opts pinOptions
	return option.Declare(&cobra.Command{
		Use: "pin SOURCE --url URL --fetched-at TIME [--published-at TIME] [--media-type TYPE] [-o DIRECTORY | " +
			"--replace] BODY",
		Short: "Keep a downloaded file, and record where it came from",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 2 {
				return option.Errorf("Unexpected argument: %s", args[2])
			}
			if opts.replace && opts.folder != "" {
				return option.Errorf("Options that exclude each other: --replace and --out")
			}
			return needSnapshots(&opts.source, &opts.bodies)(c, args)
		},
		ValidArgsFunction: func(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 1 {
				return option.Nothing(c, args, word)
			}
			return offerSnapshots(c, args, word)
		},
		RunE: option.Run(run, &opts),
	},
		option.Option{Name: "url", Value: option.Text(&opts.url), Required: true, Offer: offerURL,
			Usage: "`URL` that the bytes came from"},
		option.Option{Name: "fetched-at", Value: option.Instant(&opts.fetchedAt, time.Now), Required: true,
			Offer: option.Words("now"),
			Usage: "`TIME` at which they came: an RFC 3339 instant with at most milliseconds, a date (its midnight UTC) or now"},
		option.Option{Name: "published-at", Value: option.Instant(&opts.publishedAt, time.Now), Offer: option.Nothing,
			Usage: "`TIME` at which the source published the bytes, if its revisions are commits (default for a tar that of " +
				"its entries)"},
		option.Option{Name: "media-type", Value: option.Text(&opts.mediaType), Offer: offerMediaTypes,
			Usage: "media `TYPE` of the answer (default the one that is approved)"},
		option.Option{Name: "out", Short: "o", Value: option.Text(&opts.folder), Offer: option.Folders,
			Usage: "`DIRECTORY` to keep the file in, which svc creates if needed (default that of BODY)"},
		option.Option{Name: "replace", Value: option.Bool(&opts.replace),
			Usage: "write BODY.snapshot.json, and replace one that exists"},
	)
}

func (p *program) pinSource(ctx context.Context, opts pinOptions) error {
	name := opts.bodies[0]
	body, err := p.newInputs().ReadFile(ctx, name, sources.MaxBodyBytes)
	if err != nil {
		return err
	}
	adapter, err := adapterOf(opts.source)
	if err != nil {
		return err
	}
	e, err := sources.Pin(opts.source, sources.Download{
		URL: opts.url, FetchedAt: opts.fetchedAt, PublishedAt: cmp.Or(opts.publishedAt, adapter.PublishedAt(body.Text)),
		MediaType: opts.mediaType,
	}, body, packagedManifest())
	if err != nil {
		return err
	}
	text := string(e.JSON()) + "\n"
	pinned := name
	switch {
	case opts.replace:
		// A pipe would have to be read by somebody, and takes the place of nothing.
		if info, err := os.Stat(name + sources.EnvelopeSuffix); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
			return files.Named(name+sources.EnvelopeSuffix, disk.ErrIrregular)
		}
		out, err := files.NewOutput(name+sources.EnvelopeSuffix, p.Document(), p.newInputs())
		if err != nil {
			return err
		}
		err = out.WriteText(ctx, text)
		if err != nil {
			return err
		}
	case sources.IsTeam(opts.source) && opts.folder == "": // a file of one's own, which no download overwrites
		if err := createSame(ctx, name+sources.EnvelopeSuffix, text); err != nil {
			return err
		}
	default:
		if pinned, err = keep(ctx, cmp.Or(opts.folder, filepath.Dir(name)), filepath.Base(name), body.Text, e); err != nil {
			return err
		}
	}
	p.Print(pinned + "\n")
	return nil
}

// keep writes bytes that were downloaded under a name, and their envelope, into a folder,
// under a name of their own, which it returns.
func keep(ctx context.Context, folder, name, body string, e *sources.Envelope) (pinned string, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", files.Named(folder, err)
	}
	pinned = filepath.Join(folder, sources.PinnedName(name, e))
	if err := createSame(ctx, pinned, body); err != nil {
		return "", err
	}
	return pinned, createSame(ctx, pinned+sources.EnvelopeSuffix, string(e.JSON())+"\n")
}

// createSame writes a file that is not there, or has the text already.
func createSame(ctx context.Context, name, text string) error {
	err := disk.Create(ctx, name, func(w *disk.Writer) error {
		_, err := w.WriteString(text)
		return err
	})
	if errors.Is(err, fs.ErrExist) {
		var old string
		if old, err = disk.Read(name, sources.MaxBodyBytes); err == nil && old != text {
			err = errors.New("exists and says something else: --replace writes it anew")
		}
	}
	if err != nil {
		return files.Named(name, err)
	}
	return nil
}

// offerURL offers where the files of the source come from that is named already, as
// far as a URL is the same for all revisions.
func offerURL(_ *cobra.Command, args []string, _ string) (urls []string, _ cobra.ShellCompDirective) {
	const directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	if len(args) == 0 {
		return nil, directive
	}
	s := packagedManifest().Source(args[0])
	if s == nil {
		return []string{"urn:"}, directive
	}
	urls = []string{s.Resolver.Entrypoint.URL}
	for _, a := range s.Artifacts.Items {
		url, _, _ := strings.Cut(a.URLTemplate, "{")
		urls = append(urls, url)
	}
	return urls, directive
}

// offerMediaTypes offers those of the approved files.
func offerMediaTypes(*cobra.Command, []string, string) (types []string, _ cobra.ShellCompDirective) {
	for _, s := range packagedManifest().Sources() {
		types = append(types, s.Resolver.Entrypoint.MediaType)
		for _, a := range s.Artifacts.Items {
			types = append(types, a.MediaType)
		}
	}
	slices.Sort(types)
	return slices.Compact(types), cobra.ShellCompDirectiveNoFileComp
}
