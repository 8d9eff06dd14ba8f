package cmd

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/model-catalog-service/svc/internal/ijson"
)

var (
	errRepeated = errors.New("may be given once")
	errEmpty    = errors.New(ruleNotEmpty)
)

// guarded is the value of an option that may be given once and never be empty.
// The rules hold for every option, so that they stand here and not in each.
type guarded struct {
	pflag.Value
	flag *pflag.Flag
	many bool
}

func (g guarded) Set(value string) error {
	if g.flag.Changed && !g.many {
		return errRepeated
	}
	if value == "" {
		return errEmpty
	}
	err := g.Value.Set(value)
	if err != nil && g.Type() == "bool" {
		return errors.New("must be true or false")
	}
	return err
}

// guardOptions puts the rules of options on all of a set. An option that holds
// a list may repeat.
func guardOptions(options *pflag.FlagSet) {
	options.VisitAll(func(f *pflag.Flag) {
		_, many := f.Value.(pflag.SliceValue)
		f.Value = guarded{f.Value, f, many}
	})
}

// refuseEmptyShort refuses -o= among words: the library would take the equals sign
// for the value. The root stands for a shell that asks what could stand there.
func refuseEmptyShort(c *cobra.Command, words []string) error {
	if c.DisableFlagParsing || !c.HasParent() {
		return nil
	}
	if end := slices.Index(words, "--"); end >= 0 {
		words = words[:end]
	}
	var err error
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Shorthand != "" && slices.Contains(words, "-"+f.Shorthand+"=") {
			err = invalidValue("--"+f.Name, "", ruleNotEmpty)
		}
	})
	return err
}

// choice is an option that takes one of some words.
type choice struct {
	value   *string
	allowed []string
}

// newChoice returns a choice whose default is the first word.
func newChoice(value *string, allowed ...string) *choice {
	*value = allowed[0]
	return &choice{value, allowed}
}

func (c *choice) Set(value string) error {
	if !slices.Contains(c.allowed, value) {
		return errors.New("must be " + ijson.Alternatives(c.allowed))
	}
	*c.value = value
	return nil
}

func (c *choice) String() string { return *c.value }
func (c *choice) Type() string   { return "choice" }

// optionError says in the words of this program what the library found wrong
// with an option among words.
func optionError(words []string, err error) error {
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if group := e.GetSpecifiedShortnames(); group != "" {
			return usagef("Unknown option: -%s", group)
		}
		return usagef("Unknown option: --%s", e.GetSpecifiedName())
	}
	if e, ok := errors.AsType[*pflag.InvalidSyntaxError](err); ok {
		return usagef("Unknown option: %s", e.GetSpecifiedFlag())
	}
	if e, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		if group := e.GetSpecifiedShortnames(); group != "" {
			return usagef("Option needs a value: -%s", group)
		}
		return usagef("Option needs a value: --%s", e.GetFlag().Name)
	}
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		name := "--" + e.GetFlag().Name
		if errors.Is(err, errRepeated) {
			return usagef("Repeated option: %s", spelledAgain(e.GetFlag(), words))
		}
		return invalidValue(name, e.GetValue(), errors.Unwrap(e).Error())
	}
	return &usageError{err.Error()}
}

// spelledAgain returns how an option is spelled where words give it for the second
// time.
func spelledAgain(option *pflag.Flag, words []string) string {
	long, short := "--"+option.Name, "-"+option.Shorthand
	var spellings []string
	for _, word := range words {
		switch name, _, _ := strings.Cut(word, "="); {
		case name == long:
			spellings = append(spellings, long)
		case option.Shorthand != "" && strings.HasPrefix(word, short):
			spellings = append(spellings, short)
		}
	}
	if len(spellings) < 2 {
		return long
	}
	return spellings[1]
}

// needOptions demands options that have no default.
func needOptions(c *cobra.Command, names ...string) error {
	for _, name := range names {
		if !c.Flags().Changed(name) {
			return usagef("Missing option: --%s", name)
		}
	}
	return nil
}

// noArguments is for commands that take options alone.
func noArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("Unexpected argument: %s", args[0])
	}
	return nil
}

// needFiles demands input files. Standard input can be read once.
func needFiles(what string, args []string) error {
	if len(args) == 0 {
		return usagef("Missing argument: %s", what)
	}
	if slices.Contains(args, "") {
		return usagef("Empty argument: %s", what)
	}
	if i := slices.Index(args, stdinName); i >= 0 && slices.Contains(args[i+1:], stdinName) {
		return usagef("Repeated argument: %s", stdinName)
	}
	return nil
}
