package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/problem"
)

func TestExitCode(t *testing.T) {
	tests := []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("disk on fire"), 1},
		{problem.New(problem.InvalidCatalog, "$", "is wrong"), 1},
		{files.Named("a.json", fs.ErrNotExist), 1},
		{option.Errorf("Unknown option: --x"), 2},
		{fmt.Errorf("wrapped: %w", option.Errorf("Unknown option: --x")), 2},
		{exitError(exitFailure), 1},
		{exitError(exitNo), 3},
		{fmt.Errorf("wrapped: %w", exitError(exitNo)), 3},
	}
	for _, test := range tests {
		if got := exitCode(test.err); got != test.want {
			t.Errorf("%v: %d, want %d", test.err, got, test.want)
		}
	}
}

// Names and values from outside must not break a line or command a terminal.
func TestMessagesAreOneLine(t *testing.T) {
	const evil = "a\n\x1b[2J\u202e\u2028b\xff\x7f"
	const tame = `a\n\x1b[2J\u202e\u2028b\xff\x7f`
	tests := []struct {
		args []string
		want string // the first line
	}{
		{[]string{evil}, "Unknown command: " + tame},
		{[]string{"--" + evil}, "Unknown option: --" + tame},
		{[]string{"validate", "--output", evil}, "Invalid value for --output: " + tame + " (must be text or json)"},
		{[]string{"validate", "--" + evil}, "Unknown option: --" + tame},
		{[]string{"version", evil}, "Unexpected argument: " + tame},
		{[]string{"validate", evil}, "service: " + tame + ": no such file or directory"},
	}
	for _, test := range tests {
		_, stdout, stderr := svc(nil, test.args...)
		if first, _, _ := strings.Cut(stderr, "\n"); first != test.want || stdout != "" {
			t.Errorf("%q: %q, want %q", test.args, first, test.want)
		}
	}
	code, _, stderr := svc([]byte(`{"schemaVersion":"service.observation/v2","a\n\u001b[2J":1}`), "compile", "-", "--as-of", "now")
	if first, _, _ := strings.Cut(stderr, "\n"); code != exitFailure || !strings.HasPrefix(first, `service: -:1:43: $.a\n\x1b[2J: unknown field`) {
		t.Errorf("a member's name: %d, %q", code, first)
	}
}

// A result that cannot be written is a failure, with any exit code before it.
func TestFailedStdout(t *testing.T) {
	for _, args := range [][]string{{}, {"--help"}, {"version"}, {"completion", "bash"}, {"compile", "-", "--as-of", "now"}, {"validate", "-"}} {
		var errs bytes.Buffer
		code := Main(args, strings.NewReader("[]"), failingWriter{}, &errs)
		if code != exitFailure || errs.String() != "service: standard output: broken pipe\n" {
			t.Errorf("%q: %d, %q", args, code, errs.String())
		}
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) {
	return 0, &fs.PathError{Op: "write", Path: "/dev/stdout", Err: errors.New("broken pipe")}
}

// What is on the command line is what the commands are called with.
func TestOptions(t *testing.T) {
	var got any
	commands := map[string]func() *cobra.Command{
		"compile": func() *cobra.Command {
			return newCompile(func(_ context.Context, o compileOptions) error { got = o; return nil })
		},
		"validate": func() *cobra.Command {
			return newValidate(func(_ context.Context, o validateOptions) error { got = o; return nil })
		},
		"rank": func() *cobra.Command {
			return newRank(func(_ context.Context, o rankOptions) error { got = o; return nil })
		},
		"version": func() *cobra.Command {
			return newVersion(func(_ context.Context, o string) error { got = o; return nil })
		},
	}
	tests := []struct {
		line string
		want any
	}{
		{"compile a --as-of 2026-07-18 b", compileOptions{files: []string{"a", "b"}, asOf: "2026-07-18T00:00:00.000Z"}},
		{"compile a --as-of=2026-07-18T01:00:00+01:00 -o out --dedupe",
			compileOptions{files: []string{"a"}, asOf: "2026-07-18T00:00:00.000Z", out: "out", dedupe: true}},
		{"validate a -", validateOptions{files: []string{"a", "-"}, output: "text"}},
		{"validate --output json a", validateOptions{files: []string{"a"}, output: "json"}},
		{"rank --catalog c r", rankOptions{catalog: "c", requests: []string{"r"}, output: "auto"}},
		{"rank r --output=table --catalog=c s", rankOptions{catalog: "c", requests: []string{"r", "s"}, output: "table"}},
		{"version", "text"},
		{"version --output json", "json"},
	}
	for _, test := range tests {
		words := strings.Fields(test.line)
		c := commands[words[0]]()
		c.SetArgs(words[1:])
		c.SetOut(io.Discard)
		c.SetErr(io.Discard)
		got = nil
		if err := c.Execute(); err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v, %v, want %+v", test.line, got, err, test.want)
		}
	}
}

func TestVersionControl(t *testing.T) {
	const date = "2026-11-01T00:00:00Z"
	for want, settings := range map[build][]debug.BuildSetting{
		{}:                                {{Key: "vcs.modified", Value: "true"}},
		{Commit: "abc"}:                   {{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "false"}},
		{Commit: "abc-dirty", Date: date}: {{Key: "vcs.modified", Value: "true"}, {Key: "vcs.time", Value: date}, {Key: "vcs.revision", Value: "abc"}},
	} {
		if got := fromVersionControl(settings); got != want {
			t.Errorf("%v: %q, want %q", settings, got, want)
		}
	}
}

// A file of the folder is the root or one command: its words, put together, name the file.
func TestEachCommandHasAFile(t *testing.T) {
	want := map[string]bool{"root.go": true}
	var visit func(c *cobra.Command, path string)
	visit = func(c *cobra.Command, path string) {
		for _, sub := range c.Commands() {
			name := path + strings.ReplaceAll(sub.Name(), "-", "")
			want[name+".go"] = true
			visit(sub, name)
		}
	}
	visit(Root(), "")
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if !strings.HasSuffix(name, "_test.go") && !want[name] {
			t.Errorf("%s is the file of no command", name)
		}
		delete(want, name)
	}
	for name := range want {
		t.Errorf("there is no %s", name)
	}
}
