// Package cmd is the command line of svc: it parses, calls and prints.
//
// What every command promises:
//
//   - the exit code is 0 when the work is done, 1 after a failure, 2 after a
//     usage error and 3 when something was checked and the answer is no;
//   - stdout carries results alone. Problems go to stderr, a line each, which
//     begins with "service: ". A usage error goes there too: its message, an
//     empty line, the usage of the command;
//   - a failed write to stdout is a failure;
//   - a typo never falls back to a default: what is unknown, repeated, empty or
//     too much on the command line is refused before anything is read.
//
// Every command is a constructor that returns it, an options struct that it
// fills and a function that takes the options and does the work. [Main] alone
// turns errors into exit codes.
package cmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// The exit codes.
const (
	exitDone    = 0
	exitFailure = 1 // the work could not be done
	exitUsage   = 2 // the command line is wrong
	exitNo      = 3 // checked, and the answer is no
)

// exitError ends the program with a code, the reasons having been printed.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// usageError is a fault of the command line.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// exitCode is the only place that turns an error into an exit code.
func exitCode(err error) int {
	if err == nil {
		return exitDone
	}
	if _, ok := errors.AsType[*usageError](err); ok {
		return exitUsage
	}
	if code, ok := errors.AsType[exitError](err); ok {
		return int(code)
	}
	return exitFailure
}

// program is one run of svc: its streams, and what was decided about them.
type program struct {
	stdin  io.Reader
	stdout *bufio.Writer // its error is looked at when the command has ended
	stderr io.Writer

	words    []string // the command line
	screen   screen
	color    string // auto, always or never
	settings settings
}

// Main runs svc with the arguments behind its name and returns the exit code.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	signal.Ignore(syscall.SIGPIPE) // a closed pipe is a failed write like others
	p := &program{stdin: stdin, stdout: bufio.NewWriter(stdout), stderr: stderr, color: colorAuto}
	p.screen = newScreen(stdout, stderr)
	p.screen.paint(p.color)
	c, err := p.run(context.Background(), args)
	err = p.flush(err)
	p.explain(c, err)
	return exitCode(err)
}

// flush writes what is left of the result. It returns err, how the command
// ended, or that the result could not be written.
func (p *program) flush(err error) error {
	failure := p.stdout.Flush()
	if failure == nil {
		return err
	}
	unwritten := fileError("standard output", failure)
	if err == nil || errors.Is(err, failure) {
		return unwritten
	}
	p.complain(unwritten.Error())
	return err
}

// run chooses a command by the strict layer and executes it. It returns the
// command whose usage goes with a usage error.
func (p *program) run(ctx context.Context, args []string) (*cobra.Command, error) {
	root := newRoot(p)
	c, help, err := choose(root, args)
	switch {
	case err != nil:
		return c, err
	case help:
		p.stdout.WriteString(Usage(c))
		return c, nil
	}
	if err := refuseEmptyShort(c, args); err != nil {
		return c, err
	}
	p.words = args
	root.SetArgs(args)
	return root.ExecuteContextC(ctx)
}
