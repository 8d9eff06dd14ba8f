// Package console is how svc talks to people and to the programs around it.
//
// These are the rules for what goes where:
//
//   - Standard output carries results and nothing else. They are for programs too, so
//     that a failed write is a failure of the command.
//   - Standard error carries everything else: a line for each problem, which begins
//     with "service: ", the usage after a usage error, warnings, summaries, logs, and
//     the progress of work that takes longer than a second.
//   - Colour and progress are for terminals, decided for each stream by itself.
//   - Text from outside, names of files and members for example, cannot break a line
//     or command a terminal: [Printable] escapes it. At the beginning of a line it cannot
//     command a CI runner.
//   - SIGINT and SIGTERM end the context that a command works with: see [Watch].
//
// Writes to standard output are buffered. An error stays with the buffer and is
// returned by [Console.Flush].
package console

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strings"

	"github.com/fatih/color"
	"golang.org/x/term"

	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/internal/printable"
	"github.com/model-catalog-service/svc/internal/problem"
)

// Console is the standard streams of a run of svc.
type Console struct {
	stdout *bufio.Writer
	file   *os.File // that stdout is; nil if it is not one
	lines  int      // that Print has ended
	begun  bool     // whether the last line of a result has more than blanks
	stderr io.Writer
	log    *slog.Logger // if standard error gets JSON
	// Whether the streams lead to terminals.
	outTerminal, errTerminal bool
	// Out and Err are the colours of the streams.
	Out, Err Style
}

// New returns a console that writes to two streams.
func New(stdout, stderr io.Writer) *Console {
	c := &Console{stderr: stderr, outTerminal: isTerminal(stdout), errTerminal: isTerminal(stderr)}
	c.file, _ = stdout.(*os.File)
	c.stdout = bufio.NewWriter(stdout)
	c.Paint(ColorAuto)
	return c
}

// To returns a console that writes results to w, which is no terminal, and all else to
// where c does.
func (c *Console) To(w io.Writer) *Console {
	other := *c
	other.stdout, other.file, other.outTerminal = bufio.NewWriter(w), nil, false
	return &other
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// IsTerminal reports whether results go to a terminal.
func (c *Console) IsTerminal() bool { return c.outTerminal }

// IsErrTerminal reports whether messages go to a terminal, for people to read.
func (c *Console) IsErrTerminal() bool { return c.errTerminal }

// Width is how many columns the terminal has that results go to, zero if that is not
// known or if they go elsewhere: then they may be as wide as they are.
func (c *Console) Width() int {
	width, _ := c.size()
	return width
}

// Height is how many lines the terminal has that results go to, zero where Width is.
func (c *Console) Height() int {
	_, height := c.size()
	return height
}

func (c *Console) size() (width, height int) {
	if !c.outTerminal || c.file == nil {
		return 0, 0
	}
	return sizeOf(c.file)
}

func sizeOf(terminal *os.File) (width, height int) {
	width, height, err := term.GetSize(int(terminal.Fd()))
	if err != nil {
		return 0, 0
	}
	return width, height
}

// say writes a printable line on standard error, whose beginning may have a colour. On a
// terminal it is broken between words, so that the terminal breaks none; a word that is
// longer than a line, such as the place of a fault, stays whole to be copied.
func (c *Console) say(colour *color.Color, beginning, text string) {
	lines := []string{beginning + text}
	if file, ok := c.stderr.(*os.File); ok && c.errTerminal {
		if width, _ := sizeOf(file); width > 0 {
			lines = wrapWhole(beginning+text, width-len("  "))
		}
	}
	for i := range lines {
		lines[i] = printable.Line(lines[i])
	}
	lines[0] = paint(colour, beginning) + strings.TrimPrefix(lines[0], beginning)
	fmt.Fprintln(c.stderr, strings.Join(lines, "\n  "))
}

// Stat returns what standard output is as a file.
func (c *Console) Stat() (fs.FileInfo, error) {
	if c.file == nil {
		return nil, fs.ErrInvalid
	}
	return c.file.Stat()
}

// Write writes a part of a result.
func (c *Console) Write(b []byte) (int, error) { return c.stdout.Write(b) }

// Print writes a part of a result, in which no line is a command to a CI runner.
func (c *Console) Print(text string) {
	c.lines += strings.Count(text, "\n")
	for line := range strings.Lines(text) {
		if !c.begun {
			line = printable.Line(line)
		}
		c.stdout.WriteString(line)
		c.begun = !strings.HasSuffix(line, "\n") && (c.begun || strings.TrimSpace(line) != "")
	}
}

// Lines is how many lines were ended by [Console.Print] and [Console.Printf].
func (c *Console) Lines() int { return c.lines }

// Printf is [Console.Print] of a formatted text.
func (c *Console) Printf(format string, args ...any) { c.Print(fmt.Sprintf(format, args...)) }

// PrintWrapped writes a printable text in lines that begin with a margin and fit a
// terminal.
func (c *Console) PrintWrapped(margin, text string) {
	c.Print(margin)
	c.PrintAfter(len(margin), text)
}

// PrintAfter writes a printable text after so many columns of a line, at which the lines
// that follow begin, too.
func (c *Console) PrintAfter(column int, text string) {
	lines := []string{text}
	if width := c.Width(); width > 0 {
		lines = Wrap(text, width-column)
	}
	c.Print(strings.Join(lines, "\n"+strings.Repeat(" ", column)) + "\n")
}

// Flush writes what is left in the buffer and returns the first error of a write.
func (c *Console) Flush() error {
	if err := c.stdout.Flush(); err != nil {
		return files.Named("standard output", err)
	}
	return nil
}

// Stderr is where logs go.
func (c *Console) Stderr() io.Writer { return c.stderr }

// LogJSON makes every line on standard error a JSON object from now on, as the log of a
// server then has them.
func (c *Console) LogJSON() {
	c.log = slog.New(slog.NewJSONHandler(c.stderr, nil))
	c.errTerminal = false // for no bar and no colour
}

// Warn prints a line on standard error about what may be wrong.
func (c *Console) Warn(format string, args ...any) {
	message := Printable(fmt.Sprintf(format, args...))
	if c.log != nil {
		c.log.Warn(message)
		return
	}
	c.say(nil, "warning:", " "+message)
}

// Note prints a line on standard error that is not a problem.
func (c *Console) Note(format string, args ...any) {
	message := Printable(fmt.Sprintf(format, args...))
	if c.log != nil {
		c.log.Info(message)
		return
	}
	c.say(nil, "", message)
}

// Summary prints one line of a summary of what was done.
func (c *Console) Summary(name string, value any) {
	if c.log != nil {
		c.log.Info("summary", name, value)
		return
	}
	fmt.Fprintf(c.stderr, "%s %v\n", c.Err.Heading.Sprintf("%-13s", name), value)
}

// Problem prints one line about a failure.
func (c *Console) Problem(message string) {
	if c.log != nil {
		c.log.Error(Printable(message))
		return
	}
	c.say(c.Err.Bad, "service:", " "+Printable(message))
}

// Problems prints a line for each fault.
func (c *Console) Problems(faults problem.List) {
	for _, e := range faults {
		c.Problem(Describe(e))
	}
}

// MaxNamed is how many faults of a file are named where nobody asked for all.
const MaxNamed = 20

// Fail prints why something failed: a line for each of the first faults, or for each
// of several errors.
func (c *Console) Fail(err error) {
	if faults := problem.All(err); faults != nil {
		c.Problems(faults[:min(len(faults), MaxNamed)])
		if len(faults) > MaxNamed {
			c.Problem(faults[0].Place.File + ": there are more problems, svc validate names them")
		}
		return
	}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range several.Unwrap() {
			c.Fail(one)
		}
		return
	}
	if e, ok := err.(*files.Error); ok {
		c.Problem(e.Error()) // with the whole name of the file
		return
	}
	c.Problem(problem.Brief(err.Error()))
}

// Crash prints a fault of the program, and where it is.
func (c *Console) Crash(fault any, stack []byte) {
	message := "internal error: " + problem.Brief(fmt.Sprint(fault))
	if c.log != nil {
		c.log.Error(Printable(message), "stack", string(stack))
		return
	}
	c.Problem(message)
	fmt.Fprintf(c.stderr, "\n%s", stack)
}

// Misuse prints what is wrong with a command line, what may have been meant unless that
// is empty, and the lines of hints.
func (c *Console) Misuse(message, tip, hints string) {
	if c.logsMisuse(message, tip, hints) {
		return
	}
	c.say(nil, "", Printable(message))
	if tip != "" {
		c.say(nil, "", Printable(tip))
	}
	fmt.Fprintf(c.stderr, "\n%s", hints)
}

// MisuseLast prints a usage, and below it what is wrong with a command line and what may
// have been meant unless that is empty.
func (c *Console) MisuseLast(usage, message, tip string) {
	if c.logsMisuse(message, tip, usage) {
		return
	}
	fmt.Fprintln(c.stderr, usage)
	c.say(nil, "", Printable(message))
	if tip != "" {
		c.say(nil, "", Printable(tip))
	}
}

func (c *Console) logsMisuse(message, tip, usage string) bool {
	if c.log != nil {
		c.log.Error(Printable(message), "tip", Printable(tip), "usage", usage)
	}
	return c.log != nil
}

// Describe puts the place of a fault before its message.
func Describe(e *problem.Error) string {
	place := e.Place
	switch {
	case place.File == "":
		return e.Error()
	case place.Line == 0:
		return place.File + ": " + e.Error()
	}
	return fmt.Sprintf("%s:%d:%d: %s", place.File, place.Line, place.Column, e.Error())
}

// First returns the first of the faults that err carries, if it carries any.
func First(err error) error {
	if faults := problem.All(err); faults != nil {
		return faults[0]
	}
	return err
}
