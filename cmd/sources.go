package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
)

func newSources(p *program) *cobra.Command {
	c := &cobra.Command{
		Use:   "sources",
		Short: "Show approved sources, fetch and pin their files, map their rows",
		Long: `A source is a place whose numbers may enter a catalog. The manifest of approved
sources, which comes with the program, says what may be taken from where.`,
		Annotations: map[string]string{annotationNotes: exitNotes},
	}
	c.AddCommand(
		newSourcesList(p.listSources),
		newSourcesShow(p.showSource),
		newSourcesFetch(p.fetchSource),
		newSourcesPin(p.pinSource),
		newSourcesDiscover(p.discover),
		newSourcesMapping(p.mapSource),
	)
	return c
}

func newSourcesList(run func(output string) error) *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "list [--output text, json]",
		Short: "List the approved sources",
		Long: `Lists the approved sources and the digest of the manifest that approves them. The
result files of your own lm-evaluation-harness runs, the source lm-eval, need no
approval: nothing of them is fetched.`,
		Example:           "  svc sources list\n  svc sources list --output json",
		Annotations:       map[string]string{annotationNotes: "--output json prints {\"digest\":text,\"manifest\":object}.\n\n" + exitNotes},
		ValidArgsFunction: offerNothing,
		Args:              noArguments,
		RunE:              func(*cobra.Command, []string) error { return run(output) },
	}
	addOutput(c, &output, outputText, outputJSON)
	return c
}

func (p *program) listSources(output string) error {
	m, err := sources.PackagedManifest()
	if err != nil {
		return err
	}
	if output == outputJSON {
		fmt.Fprintf(p.stdout, "{\"digest\":%q,\"manifest\":%s}\n", m.Digest(), m.JSON())
		return p.stdout.Flush()
	}
	const form = "%-18s  %-8s  %7s  %7s  %s\n"
	p.stdout.WriteString(p.screen.onStdout.heading.Sprintf(form, "source", "revision", "refresh", "max age", "origin"))
	for _, s := range m.Sources() {
		fmt.Fprintf(p.stdout, form, s.ID, s.Revision.Kind, hours(s.Freshness.RefreshHours), hours(s.Freshness.MaxAgeHours), s.CanonicalOrigin)
	}
	fmt.Fprintf(p.stdout, "\nmanifest %s\n", m.Digest())
	return p.stdout.Flush()
}

func hours(n uint64) string { return fmt.Sprintf("%d h", n) }

func newSourcesShow(run func(id, output string) error) *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "show SOURCE [--output text, json]",
		Short: "Show what may be taken from a source",
		Long: `Shows an approved source: whom to name, under what licence, what may be taken
from where and within what limits, why it is trusted and what it does not tell.`,
		Example:           "  svc sources show livebench",
		Annotations:       map[string]string{annotationNotes: "--output json prints {\"declaration\":object,\"digest\":text}.\n\n" + exitNotes},
		ValidArgsFunction: offerFirst(offerApproved),
		Args: func(_ *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return usagef("Missing argument: SOURCE")
			case 1:
				return nil
			}
			return usagef("Unexpected argument: %s", args[1])
		},
		RunE: func(_ *cobra.Command, args []string) error { return run(args[0], output) },
	}
	addOutput(c, &output, outputText, outputJSON)
	return c
}

func (p *program) showSource(id, output string) error {
	m, err := sources.PackagedManifest()
	if err != nil {
		return err
	}
	s := m.Source(id)
	if s == nil {
		var ids []string
		for _, s := range m.Sources() {
			ids = append(ids, s.ID)
		}
		return usagef("Unknown source: %s (must be %s)", id, ijson.Alternatives(ids))
	}
	if output == outputJSON {
		fmt.Fprintf(p.stdout, "{\"declaration\":%s,\"digest\":%q}\n", s.JSON(), s.Digest())
		return p.stdout.Flush()
	}
	p.stdout.WriteString(sourceText(s, p.screen.onStdout))
	return p.stdout.Flush()
}

// sourceText is a declaration as people read it.
func sourceText(s *sources.Source, paint palette) string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		b.WriteString(paint.heading.Sprintf("%-12s", name) + " " + fmt.Sprintf(format, args...) + "\n")
	}
	line("source", "%s", s.ID)
	line("owner", "%s", s.Owner)
	line("attribution", "%s, %s", s.Attribution.Name, s.Attribution.URL)
	if s.License.EvidenceURL != "" {
		line("licence", "%s, %s", s.License.Identifier, s.License.EvidenceURL)
	} else {
		line("licence", "%s", s.License.Identifier)
	}
	line("trust", "%s", s.TrustRationale)
	for _, limit := range s.KnownLimitations {
		line("limitation", "%s", limit)
	}
	line("refresh", "every %s, holds for %s", hours(s.Freshness.RefreshHours), hours(s.Freshness.MaxAgeHours))
	line("revision", "%s, %s", s.Revision.Kind, s.Revision.Grammar)
	entry := &s.Resolver.Entrypoint
	line("entrypoint", "%s (%s, at most %d bytes)", entry.URL, entry.MediaType, entry.MaxBytes)
	if s.Resolver.DerivedResourcePolicy != sources.PolicyNone {
		line("derived", "%s (at most %d bytes)", s.Resolver.DerivedResourcePolicy, s.Resolver.MaxBytes)
	}
	for i := range s.Artifacts.Items {
		a := &s.Artifacts.Items[i]
		line("artifact", "%s: %s (%s, at most %d bytes)", a.ID, a.URLTemplate, a.MediaType, a.MaxBytes)
	}
	line("digest", "%s", s.Digest())
	return b.String()
}

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
