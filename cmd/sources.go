package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/sources"
)

func newSources(p *program) *cobra.Command {
	c := &cobra.Command{
		Use:   "sources",
		Short: "List approved sources; download, pin and map their files",
	}
	c.AddCommand(
		newSourcesList(p.listSources),
		newSourcesShow(p.showSource),
		newSourcesFetch(p.fetchSource),
		newSourcesPin(p.pinSource),
		newSourcesDiscover(p.discover),
		newSourcesMapping(p.mapSource),
		newSourcesPropose(p.propose),
		newSourcesIdentity(p.showIdentities),
		newSourcesPrune(p.pruneStore),
		newSourcesRuntimes(p.printRuntimes),
	)
	return c
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
	return nil, option.Unknown("source", id, ids)
}

func hours(n uint64) string { return fmt.Sprintf("%d h", n) }

// offerSources offers those of the approved sources that a function takes.
func offerSources(take func(*sources.Source) bool) option.Offer {
	return func(*cobra.Command, []string, string) (ids []string, _ cobra.ShellCompDirective) {
		for _, s := range packagedManifest().Sources() {
			if take(&s) {
				ids = append(ids, cobra.CompletionWithDesc(s.ID, s.Attribution.Name))
			}
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
}

// packagedManifest returns the manifest of approved sources that is in the program.
func packagedManifest() *sources.Manifest {
	m, err := sources.PackagedManifest()
	if err != nil {
		panic(err) // a fault of the program
	}
	return m
}

// offerApproved offers the sources that the manifest approves.
func offerApproved() option.Offer {
	return option.First(offerSources(func(*sources.Source) bool { return true }))
}

// ownRuns are the sources of your own runs.
var ownRuns = map[string]string{
	sources.TeamSource:  "results of your own runs of lm-evaluation-harness",
	sources.TeamInspect: "logs of your own runs of Inspect",
}

// offerSnapshots offers all sources that can be imported, the approved ones and your
// own runs, and then files.
func offerSnapshots(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	ids, directive := offerApproved()(c, args, word)
	for _, name := range sourceNames() {
		if !slices.ContainsFunc(ids, func(id string) bool { return strings.HasPrefix(id, name+"\t") }) {
			ids = append(ids, cobra.CompletionWithDesc(name, ownRuns[name]))
		}
	}
	return ids, directive
}
