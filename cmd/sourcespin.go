package cmd

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/internal/sources"
)

type pinOptions struct {
	source, url, fetchedAt, mediaType, body string
}

func newSourcesPin(run func(context.Context, pinOptions) error) *cobra.Command {
	var opts pinOptions
	c := &cobra.Command{
		Use:   "pin SOURCE --url URL --fetched-at TIME [--media-type TYPE] BODY",
		Short: "Write down where downloaded bytes came from",
		Long: `Writes the envelope of a file that you downloaded, beside it: BODY.snapshot.json.
It names the URL, the time and the SHA-256 of the bytes, and carries a reference
that commits to all of it, which is printed. What the manifest does not approve
is refused. That the bytes came from that URL is your word; nothing checks it.

The result files of lm-evaluation-harness are named by a URN of your own, like
urn:lm-eval:team/2026-11-01/atlas-70b.`,
		Example: `  svc sources pin openrouter-models --url https://openrouter.ai/api/v1/models --fetched-at 2026-11-01T06:00:00Z models.json
  svc sources pin lm-eval --url urn:lm-eval:team/atlas-70b --fetched-at now results.json`,
		Annotations: map[string]string{annotationNotes: exitNotes},
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 2 {
				return usagef("Unexpected argument: %s", args[2])
			}
			if err := needSnapshots(args); err != nil {
				return err
			}
			return needOptions(c, "url", "fetched-at")
		},
		ValidArgsFunction: offerSourceAndBody,
		RunE: func(c *cobra.Command, args []string) error {
			opts.source, opts.body = args[0], args[1]
			return run(c.Context(), opts)
		},
	}
	f := c.Flags()
	f.StringVar(&opts.url, "url", "", "`URL` that the bytes came from")
	f.Var(&instant{value: &opts.fetchedAt, now: time.Now}, "fetched-at",
		"`TIME` at which they came: an RFC 3339 instant with at most milliseconds, a date (its midnight UTC) or now")
	f.StringVar(&opts.mediaType, "media-type", "", "media `TYPE` of the answer (default the one that is approved)")
	completeOption(c, "url", offerURL)
	completeOption(c, "fetched-at", offerWords("now"))
	completeOption(c, "media-type", offerMediaTypes)
	return c
}

func (p *program) pinSource(ctx context.Context, opts pinOptions) error {
	body, err := p.readSmall(opts.body, sources.MaxBodyBytes, &inputs{})
	if err != nil {
		return err
	}
	m, err := sources.PackagedManifest()
	if err != nil {
		return err
	}
	e, err := sources.Pin(opts.source, sources.Fetched{URL: opts.url, FetchedAt: opts.fetchedAt, MediaType: opts.mediaType}, body, m)
	if err != nil {
		return err
	}
	name, text := opts.body+sources.EnvelopeSuffix, string(e.JSON())+"\n"
	switch old, err := os.ReadFile(name); {
	case err == nil && string(old) != text:
		return fileError(name, errors.New("exists and says something else: remove it if it is wrong"))
	case err != nil:
		out, err := newTarget(name)
		if err != nil {
			return err
		}
		if err := out.write(ctx, writing(text)); err != nil {
			return err
		}
	}
	p.stdout.WriteString(e.Reference + "\n")
	return p.stdout.Flush()
}
