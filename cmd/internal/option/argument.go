package option

import (
	"slices"

	"github.com/spf13/cobra"
)

// Stdin is the argument that stands for standard input.
const Stdin = "-"

// NoArguments is for commands that take options alone.
func NoArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return Errorf("Unexpected argument: %s", args[0])
	}
	return nil
}

// OneArgument demands one argument, which usages call what.
func OneArgument(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return Errorf("Missing argument: %s", what)
		case len(args) > 1:
			return Errorf("Unexpected argument: %s", args[1])
		case args[0] == "":
			return Errorf("Empty argument: %s", what)
		}
		return nil
	}
}

// Files demands one input file or more, which usages call what. Standard input can
// be read once.
func Files(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return Errorf("Missing argument: %s", what)
		}
		if slices.Contains(args, "") {
			return Errorf("Empty argument: %s", what)
		}
		return OneStdin(args...)
	}
}

// OneStdin refuses standard input as the name of more than one input.
func OneStdin(names ...string) error {
	if i := slices.Index(names, Stdin); i >= 0 && slices.Contains(names[i+1:], Stdin) {
		return Errorf("Repeated argument: %s", Stdin)
	}
	return nil
}
