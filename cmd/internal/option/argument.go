package option

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/model-catalog-service/svc/internal/problem"
)

// Stdin is the argument that stands for standard input.
const Stdin = "-"

// NoArguments is for commands that take options alone.
func NoArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unexpected(c.Flags(), args[0], func(f *pflag.Flag) bool { return f.Changed })
	}
	return nil
}

// unexpected returns the usage error of an argument too many. If it looks like a file, and
// the command takes a file by an option that is not given, that was meant: first of all the
// file that only this command takes.
func unexpected(flags *pflag.FlagSet, word string, given func(*pflag.Flag) bool) error {
	err := Errorf("Unexpected argument: %s", word)
	for _, name := range []string{"lock", "bundle", "catalog"} {
		if f := flags.Lookup(name); f != nil && !given(f) && strings.ContainsAny(word, `./\`) {
			return WithTip(err, MeantOption(name, word))
		}
	}
	return err
}

// MeantOption asks whether an argument was meant as the value of an option.
func MeantOption(name, word string) string {
	return "Did you mean --" + name + " " + problem.Clip(word) + "?"
}

// OneArgument demands one argument, which usages call what, and takes it.
func OneArgument(p *string, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return Errorf("Missing argument: %s", what)
		case len(args) > 1:
			return Errorf("Unexpected argument: %s", args[1])
		case args[0] == "":
			return Errorf("Empty argument: %s", what)
		}
		*p = args[0]
		return nil
	}
}

// Files demands one input file or more, which usages call what, and takes them.
func Files(p *[]string, what string) cobra.PositionalArgs {
	take := FilesOrNone(p, what)
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return Errorf("Missing argument: %s", what)
		}
		return take(c, args)
	}
}

// FilesOrNone takes input files, which usages call what, if there are any.
func FilesOrNone(p *[]string, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if slices.Contains(args, "") {
			return Errorf("Empty argument: %s", what)
		}
		*p = args
		return nil
	}
}

// Run is what a command does whose options are complete: it judges them together, by
// checks, and runs.
func Run[O any](run func(context.Context, O) error, opts *O, checks ...func() error) func(*cobra.Command,
	[]string) error {
	return func(c *cobra.Command, _ []string) error {
		for _, check := range checks {
			if err := check(); err != nil {
				return err
			}
		}
		return run(c.Context(), *opts)
	}
}
