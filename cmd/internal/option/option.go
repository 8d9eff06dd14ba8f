// Package option declares the options of commands and judges what a command line
// gives for them.
//
// Each option is declared once, by [Declare]: its name, its kind of value, what it is
// for, and what a shell offers for it. There are two ways to write options:
//
//   - Most commands take options as GNU programs do: --output json, --output=json,
//     -o FILE. The pflag library parses them. [Guard] adds that an option is given
//     once and is not empty, and that no required option is missing; [Complete], once the
//     configuration is read, that standard input is one input.
//   - A [Strict] command takes options of the one form --name <value>, each at most
//     once, and nothing else. [Judge] judges its whole command line.
//
// [Choose] finds the command that a command line names. Whatever is wrong with a
// command line is a [UsageError], found before any file is opened; the first fault
// alone is reported.
package option

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/spelling"
)

// Value is the value of an option. The error of Set is the rule that a text breaks.
type Value = pflag.Value

// Option is an option of a command. Help, completion, the strict layer and the
// configuration all go by this one declaration: a key of the configuration (see package
// config) stands for the option that has its name.
type Option struct {
	Name  string
	Short string // one letter, or empty
	Value pflag.Value
	// Usage says what it is for. The word between backquotes stands for the value.
	Usage    string
	Required bool  // on the command line
	Found    bool  // a catalog, which svc finds where nobody names one
	Many     bool  // it may be given more than once
	Offer    Offer // for its value; those of a choice need none
}

// Declare adds options to a command, in the order in which its usage lists them, and
// returns it.
func Declare(c *cobra.Command, options ...Option) *cobra.Command {
	c.Flags().SortFlags = false
	for _, o := range options {
		f := c.Flags().VarPF(o.Value, o.Name, o.Short, o.Usage)
		if f.Value.Type() == typeBool {
			f.NoOptDefVal = "true"
			continue
		}
		f.Annotations = map[string][]string{}
		if o.Required {
			f.Annotations[required] = nil
		}
		if o.Found {
			f.Annotations[found] = nil
		}
		if o.Many {
			f.Annotations[many] = nil
		}
		if v, ok := o.Value.(*value); ok && v.words != nil {
			o.Offer = Words(v.words...)
		}
		_ = c.RegisterFlagCompletionFunc(o.Name, o.Offer) // the option exists and is new
	}
	return c
}

// The annotations of a flag that was declared.
const (
	required = "required"
	found    = "found"
	many     = "many"
)

func has(f *pflag.Flag, annotation string) bool {
	_, ok := f.Annotations[annotation]
	return ok
}

// The formats that --output may choose.
const (
	FormatAuto  = "auto" // a table on a terminal, else JSON
	FormatJSON  = "json"
	FormatTable = "table"
	FormatText  = "text"
)

// Format is the option --output, whose default is the first of the formats.
func Format(p *string, formats ...string) Option {
	return Option{Name: "output", Value: Choice(p, formats...), Usage: "`FORMAT` of the result: " +
		strings.Join(formats, ", ")}
}

// Out is the option -o of a command that writes to a file, as a rule one with such an
// ending, or to standard output.
func Out(p *string, endings ...string) Option {
	return Option{Name: "out", Short: "o", Value: output(p), Offer: Endings(endings...),
		Usage: "`FILE` to write, whole or not at all (default -, standard output)"}
}

// output is a text that names a file to write. The name of a format is refused, as other
// programs take one there.
func output(p *string) Value {
	v := Text(p).(*value)
	set := v.set
	v.set = func(text string) error {
		if slices.Contains([]string{FormatAuto, FormatJSON, FormatTable, FormatText}, text) {
			return fmt.Errorf("is a format, which is chosen by --output %s; a file of that name is ./%[1]s", text)
		}
		return set(text)
	}
	return v
}

// guardedValue is the value of an option that pflag sets.
type guardedValue struct {
	pflag.Value
	flag *pflag.Flag
}

var errRepeated = errors.New("may be given once")

func (g guardedValue) Set(text string) error {
	switch {
	case g.flag.Changed && !has(g.flag, many):
		return errRepeated
	case text == "":
		return errEmpty
	}
	return g.Value.Set(text)
}

// Guard puts the rules of options on all options of a command that pflag parses.
func Guard(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) { f.Value = guardedValue{f.Value, f} })
	arguments := c.Args
	c.Args = func(c *cobra.Command, args []string) error {
		if arguments != nil {
			if err := arguments(c, args); err != nil {
				return err
			}
		}
		return missing(c.Flags(), required, func(f *pflag.Flag) bool { return f.Changed })
	}
}

// IsFound reports whether svc finds the value of an option where nobody names one.
func IsFound(f *pflag.Flag) bool { return has(f, found) }

// SetFound gives a value to the options that svc finds where neither the command line nor the
// configuration gave them one.
func SetFound(flags *pflag.FlagSet, value string) {
	flags.VisitAll(func(f *pflag.Flag) {
		if IsFound(f) && f.Value.String() == "" {
			_ = f.Value.Set(value) // a text may be any
		}
	})
}

// Complete judges what the command line and the configuration give a command together:
// standard input is at most one of its inputs. Of a strict command there is nothing more to
// judge.
func Complete(c *cobra.Command, args []string) error {
	if c.DisableFlagParsing {
		return nil
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if v, ok := declared(f); ok && v.inputs != nil {
			args = append(args[:len(args):len(args)], v.inputs()...)
		}
	})
	if first := slices.Index(args, Stdin); first >= 0 && slices.Contains(args[first+1:], Stdin) {
		return Errorf("Repeated argument: %s", Stdin)
	}
	return nil
}

// missing finds the first option with an annotation that was not given.
func missing(flags *pflag.FlagSet, annotation string, given func(*pflag.Flag) bool) (err error) {
	flags.VisitAll(func(f *pflag.Flag) {
		if err == nil && has(f, annotation) && !given(f) {
			err = Errorf("Missing option: --%s", f.Name)
		}
	})
	return err
}

// declared returns the value of an option as it was declared.
func declared(f *pflag.Flag) (*value, bool) {
	v := f.Value
	if g, ok := v.(guardedValue); ok {
		v = g.Value
	}
	d, ok := v.(*value)
	return d, ok
}

// RefuseEmptyShort refuses -o= among words: pflag would take the equals sign for
// the value.
func RefuseEmptyShort(c *cobra.Command, words []string) (err error) {
	if c.DisableFlagParsing || !c.HasParent() { // the root stands for a question of a shell
		return nil
	}
	if end := slices.Index(words, "--"); end >= 0 {
		words = words[:end]
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Shorthand != "" && slices.Contains(words, "-"+f.Shorthand+"=") {
			err = invalid("--"+f.Name, "", errEmpty)
		}
	})
	return err
}

// RefuseOptionAsValue refuses --against --accept among words: pflag would take the second
// option for the value of the first. --against=--accept says that it is meant.
func RefuseOptionAsValue(c *cobra.Command, words []string) error {
	if c.DisableFlagParsing || !c.HasParent() { // the root stands for a question of a shell
		return nil
	}
	for i := 1; i < len(words) && words[i] != "--"; i++ {
		option, next := named(c.Flags(), words[i-1]), words[i]
		if option == nil || option.NoOptDefVal != "" {
			continue
		}
		if strings.HasPrefix(next, "--") || named(c.Flags(), next) != nil {
			return Errorf("Option needs a value: %s (%s looks like an option; if it is the value, write %[1]s=%[2]s)",
				words[i-1], next)
		}
	}
	return nil
}

// named returns the option that a word names, as --name or -n; nil if it names none.
func named(flags *pflag.FlagSet, word string) *pflag.Flag {
	if name, isLong := strings.CutPrefix(word, "--"); isLong {
		return flags.Lookup(name)
	}
	if letter, isShort := strings.CutPrefix(word, "-"); isShort && len(letter) == 1 {
		return flags.ShorthandLookup(letter)
	}
	return nil
}

// UsageError is a fault of the command line.
type UsageError struct {
	Message string
	Tip     string // what may have been meant, or empty
}

func (e *UsageError) Error() string { return e.Message }

// Errorf returns a usage error. Texts among the arguments are words of the command line,
// which may have any length.
func Errorf(format string, args ...any) error {
	for i, arg := range args {
		if word, ok := arg.(string); ok {
			args[i] = problem.Clip(word)
		}
	}
	return &UsageError{Message: fmt.Sprintf(format, args...)}
}

// WithTip returns a usage error together with what may have been meant. An empty tip is
// none.
func WithTip(err error, tip string) error {
	e, isUsage := errors.AsType[*UsageError](err)
	if !isUsage || tip == "" {
		return err
	}
	return &UsageError{e.Message, tip}
}

// Misspelt returns a usage error about a word together with the question whether the
// closest of the names was meant.
func Misspelt(err error, word string, names []string) error {
	tip := spelling.DidYouMean(word, names)
	if tip != "" {
		tip = strings.ToUpper(tip[:1]) + tip[1:]
	}
	return WithTip(err, tip)
}

// Invalid returns the usage error of a wrong value. The rule says what it must be.
func Invalid(name, text, rule string) error { return invalid(name, text, errors.New(rule)) }

// Unknown returns the usage error of a name that is none of those that there are.
func Unknown(what, name string, names []string) error {
	return Misspelt(Errorf("Unknown %s: %s (%v)", what, name, errors.New("must be "+ijson.Alternatives(names))), name,
		names)
}

// NoneOf returns the usage error of a value that is none of those that there are.
func NoneOf(name, text string, words []string) error {
	return Misspelt(Invalid(name, text, "must be "+ijson.Alternatives(words)), text, words)
}

// Hidden is what is wrong with a value that no message repeats, as it may hold a
// secret.
type Hidden string

func (h Hidden) Error() string { return string(h) }

var errEmpty = Hidden("it must not be empty")

func invalid(name, text string, err error) error {
	hidden := Hidden("")
	switch {
	case errors.As(err, &hidden):
		return Errorf("Invalid value for %s: %s", name, hidden)
	case text == "":
		return Errorf("Invalid value for %s: it is empty, %v", name, err)
	}
	return Errorf("Invalid value for %s: %s (%v)", name, text, err)
}

// Explain says in the words of this program what pflag found wrong with an option
// among words.
func Explain(c *cobra.Command, words []string, err error) error {
	dashed := func(letters, name string) string {
		if letters != "" {
			return "-" + letters
		}
		return "--" + name
	}
	switch e := err.(type) {
	case *pflag.NotExistError:
		word := dashed(e.GetSpecifiedShortnames(), e.GetSpecifiedName())
		return Misspelt(Errorf("Unknown option: %s", word), word, names(c.Flags()))
	case *pflag.InvalidSyntaxError:
		return Errorf("Unknown option: %s", e.GetSpecifiedFlag())
	case *pflag.ValueRequiredError:
		return Errorf("Option needs a value: %s", dashed(e.GetSpecifiedShortnames(), e.GetFlag().Name))
	case *pflag.InvalidValueError:
		if errors.Is(err, errRepeated) {
			return Errorf("Repeated option: %s", secondSpelling(e.GetFlag(), words))
		}
		err := invalid("--"+e.GetFlag().Name, e.GetValue(), errors.Unwrap(e))
		if v, ok := declared(e.GetFlag()); ok && v.tips[e.GetValue()] != "" {
			return WithTip(err, v.tips[e.GetValue()])
		}
		return Misspelt(err, e.GetValue(), choices(e.GetFlag()))
	}
	return &UsageError{Message: err.Error()}
}

// names are all options as they are written.
func names(flags *pflag.FlagSet) (list []string) {
	flags.VisitAll(func(f *pflag.Flag) { list = append(list, "--"+f.Name) })
	return list
}

// choices are the words that an option chooses from, if it is a choice.
func choices(f *pflag.Flag) []string {
	if v, ok := declared(f); ok {
		return v.words
	}
	return nil
}

// secondSpelling returns how an option is written where words give it for the
// second time.
func secondSpelling(option *pflag.Flag, words []string) string {
	long, short := "--"+option.Name, "-"+option.Shorthand
	spelling := ""
	for _, word := range words {
		isFirst := spelling == ""
		switch name, _, _ := strings.Cut(word, "="); {
		case name == long:
			spelling = long
		case option.Shorthand != "" && strings.HasPrefix(word, short):
			spelling = short
		default:
			continue
		}
		if !isFirst {
			return spelling
		}
	}
	return long
}
