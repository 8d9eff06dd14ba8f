package cmd

import (
	"context"

	"github.com/spf13/cobra"
)

const helpName = "help"

type helpOptions struct {
	about *cobra.Command
	topic *Topic // nil for help about a command
}

func newHelp(run func(context.Context, helpOptions) error) *cobra.Command {
	opts := helpOptions{}
	return &cobra.Command{
		Use:   helpName + " [COMMAND | TOPIC]",
		Short: "Print the usage of a command, or about a topic",
		Long: `Prints the usage of a command, or what there is to know about a topic. Without
one it prints the usage of the program.`,
		Example:     "  svc help\n  svc help compile\n  svc help sources fetch\n  svc help formats",
		Annotations: map[string]string{annotationNotes: exitNotes, annotationNoSettings: "true"},
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return helpNames(c.Root(), args), cobra.ShellCompDirectiveNoFileComp
		},
		Args: func(c *cobra.Command, args []string) (err error) {
			if len(args) > 0 {
				if opts.topic = topicNamed(args[0]); opts.topic != nil {
					return noArguments(c, args[1:])
				}
			}
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

// helpNames returns what may stand behind the words in the place of a command or
// a topic, with its summary.
func helpNames(root *cobra.Command, words []string) (names []string) {
	c, err := named(root, words)
	if err != nil {
		return nil
	}
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
		}
	}
	if c == root {
		for _, t := range Topics() {
			names = append(names, cobra.CompletionWithDesc(t.Name, t.Short))
		}
	}
	return names
}

func (p *program) help(_ context.Context, opts helpOptions) error {
	text := ""
	if opts.topic != nil {
		text = opts.topic.Text
	} else {
		text = Usage(opts.about)
	}
	_, err := p.stdout.WriteString(text)
	return err
}
