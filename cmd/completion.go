package cmd

import (
	"context"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/internal/ijson"
)

// Shells returns the shells that svc writes completion scripts for.
func Shells() []string { return []string{"bash", "zsh", "fish", "powershell"} }

// WriteCompletion writes the script that lets a shell complete command lines of
// the tree.
func WriteCompletion(w io.Writer, root *cobra.Command, shell string) error {
	switch shell {
	case "bash":
		return root.GenBashCompletionV2(w, true)
	case "zsh":
		return root.GenZshCompletion(w)
	case "fish":
		return root.GenFishCompletion(w, true)
	case "powershell":
		return root.GenPowerShellCompletionWithDesc(w)
	}
	return invalidShell(shell)
}

func invalidShell(shell string) error {
	return invalidValue("SHELL", shell, "must be "+ijson.Alternatives(Shells()))
}

type completionOptions struct {
	root  *cobra.Command
	shell string
}

func newCompletion(run func(context.Context, completionOptions) error) *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print a script that completes svc command lines in a shell",
		Long: `Prints a script that makes a shell complete commands, options and values of
svc. SHELL is bash, zsh, fish or powershell. The bash script needs the package
bash-completion.`,
		Example: `  source <(svc completion bash)
  svc completion zsh > "${fpath[1]}/_svc"
  svc completion fish > ~/.config/fish/completions/svc.fish
  svc completion powershell | Out-String | Invoke-Expression`,
		Annotations:       map[string]string{annotationNotes: exitNotes, annotationNoSettings: "true"},
		ValidArgsFunction: offerFirst(offerWords(Shells()...)),
		Args:              oneShell,
		RunE: func(c *cobra.Command, args []string) error {
			return run(c.Context(), completionOptions{root: c.Root(), shell: args[0]})
		},
	}
}

func oneShell(c *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return usagef("Missing argument: SHELL")
	case !slices.Contains(Shells(), args[0]):
		return invalidShell(args[0])
	}
	return noArguments(c, args[1:])
}

func (p *program) completion(_ context.Context, opts completionOptions) error {
	return WriteCompletion(p.stdout, opts.root, opts.shell)
}
