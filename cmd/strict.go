package cmd

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// The strict layer. It chooses the command of every command line, and judges
// the whole command lines of those commands that take no argument but options
// of the one form --name <value>, each at most once. The first fault alone is
// reported.

// choose returns the command that the arguments name. help tells that its usage
// was asked for: by no arguments at all, or by --help or -h anywhere, also in
// the place of a value. Before a command nothing may stand. With an error, the
// command is the one whose usage goes with it.
func choose(root *cobra.Command, args []string) (c *cobra.Command, help bool, err error) {
	if len(args) == 0 {
		return root, true, nil
	}
	if args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd {
		return root, false, nil // a shell asks what could stand behind these words
	}
	help = slices.Contains(args, "--help") || slices.Contains(args, "-h")
	c = root
	for len(args) > 0 && c.HasSubCommands() {
		named := subcommand(c, args[0])
		if named == nil {
			break
		}
		c, args = named, args[1:]
	}
	switch {
	case help || !c.HasSubCommands():
		return c, help, nil
	case len(args) == 0:
		return c, false, usagef("Missing argument: COMMAND")
	case isOption(args[0]):
		return c, false, usagef("Unknown option: %s", args[0])
	}
	return c, false, usagef("Unknown command: %s", args[0])
}

func subcommand(c *cobra.Command, name string) *cobra.Command {
	for _, sub := range c.Commands() {
		if sub.Name() == name {
			return sub
		}
	}
	return nil
}

// isOption reports whether a word in the place of an option is meant as one. A
// lone dash is not: it is the name of standard input.
func isOption(word string) bool { return len(word) > 1 && word[0] == '-' }

// strictOption is an option of the form --name <value>.
type strictOption struct {
	name     string // with its dashes
	required bool
	secret   bool                    // a wrong value may hold a secret: messages do not repeat it
	rule     string                  // what a value must be
	set      func(value string) bool // takes a value, or refuses it
}

// judge holds the words behind a strict command against its options: from left
// to right, then what is missing, then the values. Values are set when all else
// is right. The error is a usage error.
func judge(options []strictOption, words []string) error {
	type pair struct {
		option *strictOption
		value  string
	}
	var given []pair
	for i := 0; i < len(words); i += 2 {
		word := words[i]
		at := slices.IndexFunc(options, func(o strictOption) bool { return o.name == word })
		switch {
		case at < 0 && isOption(word):
			return usagef("Unknown option: %s", word)
		case at < 0:
			return usagef("Unexpected argument: %s", word)
		case slices.ContainsFunc(given, func(p pair) bool { return p.option == &options[at] }):
			return usagef("Repeated option: %s", word)
		case i+1 == len(words) || strings.HasPrefix(words[i+1], "--"):
			return usagef("Option needs a value: %s", word)
		}
		given = append(given, pair{&options[at], words[i+1]})
	}
	for i := range options {
		o := &options[i]
		if o.required && !slices.ContainsFunc(given, func(p pair) bool { return p.option == o }) {
			return usagef("Missing option: %s", o.name)
		}
	}
	for _, p := range given {
		switch {
		case p.option.set(p.value):
		case p.option.secret:
			return usagef("Invalid value for %s: it %s", p.option.name, p.option.rule)
		default:
			return invalidValue(p.option.name, p.value, p.option.rule)
		}
	}
	return nil
}

func invalidValue(name, value, rule string) error {
	switch {
	case rule == ruleNotEmpty:
		return usagef("Invalid value for %s: it %s", name, rule)
	case value == "":
		return usagef("Invalid value for %s: it is empty, %s", name, rule)
	}
	return usagef("Invalid value for %s: %s (%s)", name, value, rule)
}

const ruleNotEmpty = "must not be empty"

// strictText is an option that takes any text but the empty one.
func strictText(name string, into *string) strictOption {
	return strictOption{name: name, rule: ruleNotEmpty, set: func(value string) bool {
		*into = value
		return value != ""
	}}
}

// strictInteger is an option that takes an integer from least to most.
func strictInteger(name string, into *uint64, least, most uint64) strictOption {
	rule := "must be an integer from " + strconv.FormatUint(least, 10) + " to " + strconv.FormatUint(most, 10)
	return strictOption{name: name, rule: rule, set: func(value string) bool {
		n, ok := plainInteger(value)
		if ok = ok && n >= least && n <= most; ok {
			*into = n
		}
		return ok
	}}
}

// required makes an option one that must be given.
func required(o strictOption) strictOption {
	o.required = true
	return o
}

// maxInteger is the largest integer that an option may be: 2^53-1.
const maxInteger = 1<<53 - 1

// plainInteger reads decimal digits, without sign, space or leading zero.
func plainInteger(s string) (n uint64, ok bool) {
	if s == "" || len(s) > 1 && s[0] == '0' {
		return 0, false
	}
	for i := range len(s) {
		digit := s[i] - '0'
		if digit > 9 || n > (math.MaxUint64-9)/10 {
			return 0, false
		}
		n = 10*n + uint64(digit)
	}
	return n, n <= maxInteger
}
