package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/internal/ijson"
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
	p.stdout.WriteString(p.screen.onStdout.heading.Sprintf(form, "SOURCE", "REVISION", "REFRESH", "MAX AGE", "ORIGIN"))
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
		Args:              func(_ *cobra.Command, args []string) error { return needSource(args) },
		RunE:              func(_ *cobra.Command, args []string) error { return run(args[0], output) },
	}
	addOutput(c, &output, outputText, outputJSON)
	return c
}

func (p *program) showSource(id, output string) error {
	m, err := sources.PackagedManifest()
	if err != nil {
		return err
	}
	s, err := approved(m, id)
	if err != nil {
		return err
	}
	if output == outputJSON {
		fmt.Fprintf(p.stdout, "{\"declaration\":%s,\"digest\":%q}\n", s.JSON(), s.Digest())
		return p.stdout.Flush()
	}
	p.stdout.WriteString(sourceText(s, p.screen.onStdout))
	return p.stdout.Flush()
}

// needSource demands one argument, a source.
func needSource(args []string) error {
	switch {
	case len(args) == 0:
		return usagef("Missing argument: SOURCE")
	case len(args) > 1:
		return usagef("Unexpected argument: %s", args[1])
	case args[0] == "":
		return usagef("Empty argument: SOURCE")
	}
	return nil
}

// approved returns the source with an id.
func approved(m *sources.Manifest, id string) (*sources.Source, error) {
	if s := m.Source(id); s != nil {
		return s, nil
	}
	var ids []string
	for _, s := range m.Sources() {
		ids = append(ids, s.ID)
	}
	return nil, usagef("Unknown source: %s (must be %s)", id, ijson.Alternatives(ids))
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
