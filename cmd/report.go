package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/internal/problem"
)

// fileError says what is wrong with a file, in one clause behind its name.
func fileError(name string, err error) error {
	if e, ok := errors.AsType[*namedError](err); ok {
		err = e.err
	}
	return &namedError{name, cause(err)}
}

// namedError is what is wrong with a file.
type namedError struct {
	name string
	err  error
}

func (e *namedError) Error() string { return e.name + ": " + e.err.Error() }
func (e *namedError) Unwrap() error { return e.err }

// cause takes the operation and the path off an error of the system: messages
// name the file by the name that the user gave.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.SyscallError](err); ok {
		return e.Err
	}
	return err
}

// maxNamed is how many problems of a file are named, but by validate.
const maxNamed = 20

// blame narrows the faults that err holds, if it holds any, to those of the first
// bad one of the files.
func blame(files []input, err error) error {
	of := map[string]problem.List{}
	for _, fault := range problem.All(err) {
		of[fault.Place.File] = append(of[fault.Place.File], fault)
	}
	for _, f := range files {
		if faults := of[f.name]; faults != nil {
			return faults.Err()
		}
	}
	return err
}

// firstFault returns the first of the faults that err holds, if it holds any.
func firstFault(err error) error {
	if faults := problem.All(err); faults != nil {
		return faults[0]
	}
	return err
}

// oneLine is an error whose message has several lines, put into one.
type oneLine struct{ error }

func (e oneLine) Error() string { return strings.Join(strings.Fields(e.error.Error()), " ") }
func (e oneLine) Unwrap() error { return e.error }

// explain prints what went wrong: the usage of the command with a usage error,
// else a line for each problem.
func (p *program) explain(c *cobra.Command, err error) {
	if err == nil {
		return
	}
	if _, printed := errors.AsType[exitError](err); printed {
		return
	}
	if e, ok := errors.AsType[*usageError](err); ok {
		fmt.Fprintf(p.stderr, "%s\n\n%s", printable(e.message), Usage(c))
		return
	}
	if faults := problem.All(err); faults != nil {
		p.explainFirst(faults)
		return
	}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range several.Unwrap() {
			p.explain(c, one)
		}
		return
	}
	p.complain(err.Error())
}

// explainFirst prints a line for each of the first faults, and whether there are
// more.
func (p *program) explainFirst(faults problem.List) {
	p.explainAll(faults[:min(len(faults), maxNamed)])
	if len(faults) > maxNamed {
		p.complain(faults[0].Place.File + ": there are more problems, svc validate names them")
	}
}

// explainAll prints a line for each fault.
func (p *program) explainAll(faults problem.List) {
	for _, e := range faults {
		p.complain(describe(e))
	}
}

// describe puts the place of a fault before its message.
func describe(e *problem.Error) string {
	at := e.Place
	switch {
	case at.File == "":
		return e.Error()
	case at.Line == 0:
		return at.File + ": " + e.Error()
	}
	return fmt.Sprintf("%s:%d:%d: %s", at.File, at.Line, at.Column, e.Error())
}

// complain prints one line about a failure.
func (p *program) complain(message string) {
	fmt.Fprintf(p.stderr, "%s %s\n", p.screen.onStderr.bad.Sprint("service:"), printable(message))
}

// tell prints one line of a summary of what was done.
func (p *program) tell(name string, value any) {
	fmt.Fprintf(p.stderr, "%s %v\n", p.screen.onStderr.heading.Sprintf("%-13s", name), value)
}

// printable escapes what could break a line or command a terminal: control
// and format characters, odd white space and bytes that are not UTF-8. Names of
// files and members come from outside.
func printable(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case unicode.IsPrint(r):
			b.WriteString(s[i : i+size])
		default:
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		i += size
	}
	return b.String()
}

// valid makes a text fit for JSON: bytes that are not UTF-8 are replaced.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
