package option

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/model-catalog-service/svc/internal/ijson"
)

// Choose returns the command that the words name. help reports that its usage was
// asked for: by no words at all, by --help or -h anywhere, also in the place of a
// value, or by the one word help after the command, unless that is strict. A file of
// that name is ./help. Nothing may come before the command. With an error, the command
// is the one whose usage goes with it: a word that names no command is one, whether help
// is asked for or not.
func Choose(root *cobra.Command, words []string) (c *cobra.Command, help bool, err error) {
	if len(words) == 0 {
		return root, true, nil
	}
	if words[0] == cobra.ShellCompRequestCmd || words[0] == cobra.ShellCompNoDescRequestCmd {
		return root, false, nil // a shell asks what may come after these words
	}
	help = slices.Contains(words, "--help") || slices.Contains(words, "-h")
	c = root
	for len(words) > 0 && c.HasSubCommands() {
		named := Subcommand(c, words[0])
		if named == nil {
			break
		}
		c, words = named, words[1:]
	}
	if c.HasParent() && !c.DisableFlagParsing && len(words) > 0 && words[0] == helpWord {
		switch named := Subcommand(c, words[len(words)-1]); {
		case len(words) == 1:
			help = true
		case len(words) == 2 && named != nil:
			c, help = named, true
		}
	}
	isWord := c.HasSubCommands() && len(words) > 0 && !isOption(words[0])
	switch {
	case !c.HasSubCommands() || help && !isWord:
		return c, help, nil
	case len(words) == 0:
		return c, false, Errorf("Missing argument: COMMAND (must be %s)", ijson.Alternatives(subcommands(c)))
	case isOption(words[0]):
		return c, false, Misspelt(Errorf("Unknown option: %s", words[0]), words[0], names(c.Flags()))
	}
	return c, false, UnknownCommand(c, words[0])
}

const helpWord = "help"

// UnknownCommand returns the usage error of a word that is none of the commands below c,
// nor one of the other names that could have been meant. Other programs may have the word
// for what one of the commands does, as its SuggestFor lists.
func UnknownCommand(c *cobra.Command, word string, others ...string) error {
	err := Errorf("Unknown command: %s", word)
	if meant := synonym(c, word); meant != nil {
		return WithTip(err, "Did you mean "+strings.TrimPrefix(meant.CommandPath(), c.CommandPath()+" ")+"?")
	}
	return Misspelt(err, word, append(subcommands(c), others...))
}

// synonym returns the command below c that other programs call by a word, or nil.
func synonym(c *cobra.Command, word string) *cobra.Command {
	for _, sub := range c.Commands() {
		if slices.Contains(sub.SuggestFor, strings.ToLower(word)) {
			return sub
		}
		if meant := synonym(sub, word); meant != nil {
			return meant
		}
	}
	return nil
}

// subcommands returns the names of the commands below c.
func subcommands(c *cobra.Command) (names []string) {
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			names = append(names, sub.Name())
		}
	}
	return names
}

// Subcommand returns the command of that name below c, or nil.
func Subcommand(c *cobra.Command, name string) *cobra.Command {
	for _, sub := range c.Commands() {
		if sub.Name() == name {
			return sub
		}
	}
	return nil
}

// isOption reports whether a word in the place of an option is meant as one. A lone
// dash is not: it is the name of standard input.
func isOption(word string) bool { return len(word) > 1 && word[0] == '-' }

// Strict makes a command strict: it takes options of the form --name <value> alone, which
// [Judge] judges. It returns the command.
func Strict(c *cobra.Command) *cobra.Command {
	c.DisableFlagParsing = true
	c.ValidArgsFunction = offerStrict
	return c
}

// Judge judges the words that follow a strict command: from left to right, then what
// is missing, then the values in the order of the words. It sets the values when all
// else is right. An option that elsewhere reports as given is not missing; if that is
// unknown, a tip says why.
func Judge(flags *pflag.FlagSet, words []string, elsewhere func(name string) (bool, error)) error {
	given := map[*pflag.Flag]bool{}
	for i := 0; i < len(words); i += 2 {
		word := words[i]
		name, isLong := strings.CutPrefix(word, "--")
		f := flags.Lookup(name)
		switch {
		case isLong && f != nil && given[f]:
			return Errorf("Repeated option: %s", word)
		case isLong && f != nil && (i+1 == len(words) || strings.HasPrefix(words[i+1], "--")):
			return Errorf("Option needs a value: %s", word)
		case isLong && f != nil:
			given[f] = true
		case isOption(word):
			return Misspelt(Errorf("Unknown option: %s", word), word, names(flags))
		default:
			return unexpected(flags, word, func(f *pflag.Flag) bool { return given[f] })
		}
	}
	tip := ""
	if err := missing(flags, required, func(f *pflag.Flag) bool {
		if given[f] {
			return true
		}
		isGiven, err := elsewhere(f.Name)
		if err != nil {
			tip = "The configuration cannot be read: " + err.Error()
		}
		return isGiven
	}); err != nil {
		return WithTip(err, tip)
	}
	for pair := range slices.Chunk(words, 2) {
		f := flags.Lookup(strings.TrimPrefix(pair[0], "--"))
		if err := f.Value.Set(pair[1]); err != nil {
			return Misspelt(invalid(pair[0], pair[1], err), pair[1], choices(f))
		}
		f.Changed = true
	}
	return nil
}
