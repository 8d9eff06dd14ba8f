package cmd

import (
	"context"

	"github.com/spf13/cobra"
)

type helpOptions struct {
	about *cobra.Command
}

func newHelp(run func(context.Context, helpOptions) error) *cobra.Command {
	opts := helpOptions{}
	return &cobra.Command{
		Use:         "help [COMMAND]",
		Short:       "Print the usage of a command",
		Long:        `Prints the usage of a command, or without one that of the program.`,
		Example:     "  svc help\n  svc help compile",
		Annotations: map[string]string{annotationNotes: exitNotes, annotationNoSettings: "true"},
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return commandNames(c.Root(), args), cobra.ShellCompDirectiveNoFileComp
		},
		Args: func(c *cobra.Command, args []string) (err error) {
			opts.about, err = named(c.Root(), args)
			return err
		},
		RunE: func(c *cobra.Command, _ []string) error { return run(c.Context(), opts) },
	}
}

// named returns the command that the words name.
func named(c *cobra.Command, words []string) (*cobra.Command, error) {
	for i, word := range words {
		if !c.HasSubCommands() {
			return nil, noArguments(c, words[i:])
		}
		sub := subcommand(c, word)
		if sub == nil {
			return nil, usagef("Unknown command: %s", word)
		}
		c = sub
	}
	return c, nil
}

// commandNames returns what may stand behind the words in the place of a
// command, with its summary.
func commandNames(root *cobra.Command, words []string) (names []string) {
	c, err := named(root, words)
	if err != nil {
		return nil
	}
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
		}
	}
	return names
}

func (p *program) help(_ context.Context, opts helpOptions) error {
	_, err := p.stdout.WriteString(Usage(opts.about))
	return err
}
