package cmd

import (
	"context"
	"errors"
	"io/fs"
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
	source, url, fetchedAt, mediaType, body string
}

func newSourcesPin(run func(context.Context, pinOptions) error) *cobra.Command {
	var opts pinOptions
	return option.Declare(&cobra.Command{
		Use:   "pin SOURCE --url URL --fetched-at TIME [--media-type TYPE] BODY",
		Short: "Write down where downloaded bytes came from",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 2 {
				return option.Errorf("Unexpected argument: %s", args[2])
			}
			return needSnapshots(c, args)
		},
		ValidArgsFunction: func(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 1 {
				return option.Nothing(c, args, word)
			}
			return offerSnapshots(c, args, word)
		},
		RunE: func(c *cobra.Command, args []string) error {
			opts.source, opts.body = args[0], args[1]
			return run(c.Context(), opts)
		},
	},
		option.Option{Name: "url", Value: option.Text(&opts.url), Required: true, Offer: offerURL, Usage: "`URL` that the bytes came from"},
		option.Option{Name: "fetched-at", Value: option.Instant(&opts.fetchedAt, time.Now), Required: true, Offer: option.Words("now"),
			Usage: "`TIME` at which they came: an RFC 3339 instant with at most milliseconds, a date (its midnight UTC) or now"},
		option.Option{Name: "media-type", Value: option.Text(&opts.mediaType), Offer: offerMediaTypes,
			Usage: "media `TYPE` of the answer (default the one that is approved)"},
	)
}

func (p *program) pinSource(ctx context.Context, opts pinOptions) error {
	body, err := files.New(p.stdin).ReadFile(ctx, opts.body, sources.MaxBodyBytes)
	if err != nil {
		return err
	}
	m := packagedManifest()
	e, err := sources.Pin(opts.source, sources.Fetched{URL: opts.url, FetchedAt: opts.fetchedAt, MediaType: opts.mediaType}, body, m)
	if err != nil {
		return err
	}
	name, text := opts.body+sources.EnvelopeSuffix, string(e.JSON())+"\n"
	err = disk.Create(ctx, name, func(w *disk.Writer) error {
		_, err := w.WriteString(text)
		return err
	})
	if errors.Is(err, fs.ErrExist) {
		var old string
		if old, err = disk.Read(name, sources.MaxBodyBytes); err == nil && old != text {
			err = errors.New("exists and says something else: remove it if it is wrong")
		}
	}
	if err != nil {
		return files.Named(name, err)
	}
	p.Print(e.Reference + "\n")
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
