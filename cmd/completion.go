package cmd

import (
	"context"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/option"
)

// Shells returns the shells that svc writes completion scripts for.
func Shells() []string { return []string{"bash", "zsh", "fish", "powershell"} }

// WriteCompletion writes the script that lets a shell complete command lines of the
// tree.
func WriteCompletion(w io.Writer, root *cobra.Command, shell string) error {
	switch shell {
	case "bash":
		return root.GenBashCompletionV2(w, true)
	case "zsh":
		return root.GenZshCompletion(w)
	case "fish":
		return root.GenFishCompletion(w, true)
	}
	return root.GenPowerShellCompletionWithDesc(w)
}

type completionOptions struct {
	root  *cobra.Command
	shell string
}

func newCompletion(run func(context.Context, completionOptions) error) *cobra.Command {
	return &cobra.Command{
		Use:               "completion SHELL",
		Short:             "Print a script that completes svc command lines in a shell",
		ValidArgsFunction: option.First(option.Words(Shells()...)),
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return option.Errorf("Missing argument: SHELL")
			}
			if !slices.Contains(Shells(), args[0]) {
				return option.NoneOf("SHELL", args[0], Shells())
			}
			return option.NoArguments(c, args[1:])
		},
		RunE: func(c *cobra.Command, args []string) error {
			return run(c.Context(), completionOptions{root: c.Root(), shell: args[0]})
		},
	}
}

func (p *program) completion(_ context.Context, opts completionOptions) error {
	return WriteCompletion(p.Console, opts.root, opts.shell)
}
