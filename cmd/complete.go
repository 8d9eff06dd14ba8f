package cmd

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/model-catalog-service/svc/internal/sources"
)

// What shells are offered where a word is still to be typed. None of it reads
// the configuration or asks the network, and none of it can fail: where there is
// nothing to offer, nothing is.

// offer is what there is for the word that is being typed, behind the arguments
// before it.
type offer = cobra.CompletionFunc

// completeOption says what is offered as the value of an option.
func completeOption(c *cobra.Command, option string, values offer) {
	// It fails for an option that does not exist alone.
	_ = c.RegisterFlagCompletionFunc(option, values)
}

func offerNothing(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveNoFileComp
}

func offerWords(list ...string) offer {
	return cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp)
}

// offerFiles offers folders, and the files whose name ends so.
func offerFiles(extensions ...string) offer {
	return cobra.FixedCompletions(extensions, cobra.ShellCompDirectiveFilterFileExt)
}

func offerFolders(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// offerFirst offers something for the first argument, and nothing for others.
func offerFirst(first offer) offer {
	return func(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return offerNothing(c, args, word)
		}
		return first(c, args, word)
	}
}

func offerHosts(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{
		cobra.CompletionWithDesc("127.0.0.1", "this machine alone"),
		cobra.CompletionWithDesc("::1", "this machine alone, IPv6"),
		cobra.CompletionWithDesc("0.0.0.0", "whoever can reach this machine"),
	}, cobra.ShellCompDirectiveNoFileComp
}

// offerStores offers how addresses of stores begin, and behind file: and sqlite:
// what there is.
func offerStores(schemes ...string) offer {
	return func(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
		const directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		scheme, path, isPath := strings.Cut(word, ":")
		scheme += ":"
		switch {
		case !isPath || !slices.Contains(schemes, scheme):
			return schemes, directive
		case scheme == "file:":
			return pathsLike(scheme, path, ".json"), directive
		}
		return pathsLike(scheme, path, ".db", ".sqlite", ".sqlite3"), directive
	}
}

// pathsLike returns the folders that a path may go on with, and the files with
// one of the extensions.
func pathsLike(scheme, path string, extensions ...string) (paths []string) {
	folder, start := filepath.Split(path)
	entries, _ := os.ReadDir(cmp.Or(folder, "."))
	for _, e := range entries {
		switch {
		case !strings.HasPrefix(e.Name(), start) || start == "" && strings.HasPrefix(e.Name(), "."):
		case e.IsDir():
			paths = append(paths, scheme+folder+e.Name()+"/")
		case slices.Contains(extensions, filepath.Ext(e.Name())):
			paths = append(paths, scheme+folder+e.Name())
		}
	}
	return paths
}

// offerSources offers those of the sources that a function takes, with a word
// about each.
func offerSources(take func(*sources.Source) bool) offer {
	return func(*cobra.Command, []string, string) (ids []string, _ cobra.ShellCompDirective) {
		m, err := sources.PackagedManifest()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		for _, s := range m.Sources() {
			if take(&s) {
				ids = append(ids, cobra.CompletionWithDesc(s.ID, s.Attribution.Name))
			}
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
}

// offerApproved offers the sources that the manifest approves.
func offerApproved(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	return offerSources(func(*sources.Source) bool { return true })(c, args, word)
}

// offerDiscoverable offers those whose pages tell their releases.
func offerDiscoverable(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	return offerSources(func(s *sources.Source) bool {
		return s.Resolver.DerivedResourcePolicy == sources.PolicyMainBundle
	})(c, args, word)
}

// offerSource offers all sources that can be imported: the approved ones and
// your own runs, of which nothing is fetched.
func offerSource(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	approved, directive := offerApproved(c, args, word)
	for _, id := range sourceNames() {
		isOf := func(line string) bool { return strings.HasPrefix(line, id+"\t") }
		if !slices.ContainsFunc(approved, isOf) {
			approved = append(approved, cobra.CompletionWithDesc(id, "results of your own runs of lm-evaluation-harness"))
		}
	}
	return approved, directive
}

// offerSourceAndSnapshots is for a source and its files.
func offerSourceAndSnapshots(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return offerSource(c, args, word)
	}
	return nil, cobra.ShellCompDirectiveDefault
}

// offerSourceAndBody is for a source and one file of it.
func offerSourceAndBody(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 1 {
		return offerNothing(c, args, word)
	}
	return offerSourceAndSnapshots(c, args, word)
}

// offerURL offers where the files of the source come from that is named already,
// as far as a URL goes for all revisions.
func offerURL(_ *cobra.Command, args []string, _ string) (urls []string, _ cobra.ShellCompDirective) {
	const directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	m, err := sources.PackagedManifest()
	if err != nil || len(args) == 0 {
		return nil, directive
	}
	s := m.Source(args[0])
	if s == nil {
		return []string{"urn:"}, directive
	}
	urls = []string{s.Resolver.Entrypoint.URL}
	for i := range s.Artifacts.Items {
		url, _, _ := strings.Cut(s.Artifacts.Items[i].URLTemplate, "{")
		urls = append(urls, url)
	}
	return urls, directive
}

// offerMediaTypes offers those of the approved files.
func offerMediaTypes(*cobra.Command, []string, string) (types []string, _ cobra.ShellCompDirective) {
	m, err := sources.PackagedManifest()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	for _, s := range m.Sources() {
		types = append(types, s.Resolver.Entrypoint.MediaType)
		for i := range s.Artifacts.Items {
			types = append(types, s.Artifacts.Items[i].MediaType)
		}
	}
	slices.Sort(types)
	return slices.Compact(types), cobra.ShellCompDirectiveNoFileComp
}

// offerStrict offers the options of a strict command that are not given yet, or
// for one of them its values.
func offerStrict(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if isOption(word) || word == "-" {
		return nil, cobra.ShellCompDirectiveNoFileComp // the library offers options
	}
	if len(args)%2 == 1 {
		name, _ := strings.CutPrefix(args[len(args)-1], "--")
		if values, ok := c.GetFlagCompletionFunc(name); ok {
			return values(c, nil, word)
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Changed && f.Name != "help" {
			names = append(names, cobra.CompletionWithDesc("--"+f.Name, f.Usage))
		}
	})
	return names, cobra.ShellCompDirectiveNoFileComp
}

// prepareCompletion makes a command ready to be asked what could stand behind
// some words of it, which are the arguments but the last. They may be wrong in
// any way, and shall not keep a shell from offering what is right.
func prepareCompletion(root *cobra.Command, args []string) {
	c := root
	for _, word := range args {
		if named := subcommand(c, word); named != nil {
			c = named
		}
	}
	c.FParseErrWhitelist.UnknownFlags = true
	c.Flags().VisitAll(func(f *pflag.Flag) {
		_, f.Usage = pflag.UnquoteUsage(f)
		if c.DisableFlagParsing {
			f.Changed = slices.Contains(args[:len(args)-1], "--"+f.Name)
			return
		}
		f.Value = anything{f.Value}
	})
}

// anything is an option whose value does not count.
type anything struct{ pflag.Value }

func (anything) Set(string) error { return nil }
