package option

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Offer is what a shell may offer for the word that is being typed, after the
// arguments before it. It neither reads the configuration nor asks the network, and it
// cannot fail: where there is nothing to offer, nothing is offered.
type Offer = cobra.CompletionFunc

// Nothing offers nothing.
func Nothing(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// Words offers words.
func Words(list ...string) Offer {
	return cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp)
}

// Endings offers folders, and the files whose names have one of the extensions.
func Endings(extensions ...string) Offer {
	return cobra.FixedCompletions(extensions, cobra.ShellCompDirectiveFilterFileExt)
}

// Folders offers folders.
func Folders(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// First offers something for the first argument, and nothing for others.
func First(first Offer) Offer {
	return func(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return Nothing(c, args, word)
		}
		return first(c, args, word)
	}
}

// offerStrict offers the options of a strict command that are not given yet, or the
// values of the one that was typed last.
func offerStrict(c *cobra.Command, args []string, word string) (names []string, _ cobra.ShellCompDirective) {
	switch {
	case isOption(word) || word == "-": // Cobra offers options
	case len(args)%2 == 1:
		if values, ok := c.GetFlagCompletionFunc(trimDashes(args[len(args)-1])); ok {
			return values(c, nil, word)
		}
	default:
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Changed && f.Name != "help" {
				names = append(names, cobra.CompletionWithDesc("--"+f.Name, f.Usage))
			}
		})
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func trimDashes(word string) string {
	if len(word) > 2 && word[:2] == "--" {
		return word[2:]
	}
	return word
}

// PrepareOffer makes the command that some words name ready for the question of a
// shell: what may come in the place of the last word? The others may be wrong in any
// way, which must not keep the shell from offering what is right.
func PrepareOffer(root *cobra.Command, words []string) {
	c := root
	for _, word := range words {
		if named := Subcommand(c, word); named != nil {
			c = named
		}
	}
	c.FParseErrWhitelist.UnknownFlags = true
	c.Flags().VisitAll(func(f *pflag.Flag) {
		_, f.Usage = pflag.UnquoteUsage(f)
		if c.DisableFlagParsing {
			f.Changed = slices.Contains(words[:len(words)-1], "--"+f.Name)
			return
		}
		f.Value = &anyValue{Value: f.Value}
	})
}

// anyValue is an option that takes every value, and has the last one as its text.
type anyValue struct {
	pflag.Value
	text string
}

func (a *anyValue) Set(text string) error {
	a.text = text
	return nil
}

func (a *anyValue) String() string { return a.text }
