package cmd

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

func TestMain(m *testing.M) {
	os.Setenv(raceOptions, strings.TrimSpace(os.Getenv(raceOptions)+" atexit_sleep_ms=0"))
	testscript.Main(m, map[string]func(){
		"svc": func() { os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
		// These meet a fault of the program: where a result is written, and in another
		// goroutine, where standard input is read.
		"svc-panics":       func() { os.Exit(Main(os.Args[1:], os.Stdin, faulty{}, os.Stderr)) },
		"svc-panics-aside": func() { os.Exit(Main(os.Args[1:], faulty{}, os.Stdout, os.Stderr)) },
	})
}

// faulty is a stream that no program is ready for.
type faulty struct{}

func (faulty) Write([]byte) (int, error) { panic("a fault\x1b[2J\nof the program") }
func (faulty) Read([]byte) (int, error)  { panic("a fault of the program") }

// raceOptions is what the race detector reads. Unless told otherwise each program
// that it is in waits for a second at its end, and the tests run hundreds.
const raceOptions = "GORACE"

// passRaceOptions gives them to a script, which has few variables of its own.
func passRaceOptions(env *testscript.Env) { env.Setenv(raceOptions, os.Getenv(raceOptions)) }

// Every script finds the files of testdata/in in its folder in, and those of the
// example of the leaderboards in leaderboards, and that of the models in models. Besides the usual commands scripts have these:
//
//	exits CODE COMMAND...    runs a command and demands the exit code
//	misuse MESSAGE svc ...   demands exit code 2, an empty stdout, and on stderr
//	                         the message, perhaps a tip, an empty line, the usage
//	                         in one line and how to get more; of a server the whole
//	                         usage, an empty line, the message and perhaps a tip
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			passRaceOptions(env)
			for _, example := range []string{"leaderboards", "models"} {
				if err := os.CopyFS(filepath.Join(env.WorkDir, example), os.DirFS("../examples/"+example)); err != nil {
					return err
				}
			}
			return os.CopyFS(filepath.Join(env.WorkDir, "in"), os.DirFS("testdata/in"))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":  exits,
			"misuse": misuse,
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root":
				return os.Getuid() == 0, nil
			case "race":
				return vectortest.UnderRace, nil
			case "bash-completion":
				_, err := os.Stat("/usr/share/bash-completion/bash_completion")
				return err == nil, nil
			}
			return false, errors.New("unknown condition")
		},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARGUMENT...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if code := run(ts, args[1:]); code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

func misuse(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: misuse MESSAGE svc [ARGUMENT...]")
	}
	root := Root()
	c := root
	if len(args) > 2 {
		if named := option.Subcommand(root, args[2]); named != nil {
			c = named
		}
	}
	if code := run(ts, args[1:]); code != exitUsage {
		ts.Fatalf("exit code %d, want %d", code, exitUsage)
	}
	if stdout := ts.ReadFile("stdout"); stdout != "" {
		ts.Fatalf("stdout is not empty")
	}
	stderr := ts.ReadFile("stderr")
	begin, end := args[0]+"\n", "\n\nUsage: "+shortSynopsis(c)+"\nRun '"+c.CommandPath()+" --help' for more\n"
	if c.DisableFlagParsing {
		begin, end = Usage(c)+"\n"+args[0]+"\n", "\n"
	}
	tip, isBegun := strings.CutPrefix(stderr, begin)
	if tip, isEnded := strings.CutSuffix("\n"+tip, end); !isBegun || !isEnded || tip != "" && !strings.HasPrefix(tip, "\nDid you mean ") {
		ts.Fatalf("stderr is\n%s\nwant the message\n\t%s\nand the usage of %s", stderr, args[0], c.CommandPath())
	}
}

// run returns the exit code of a command. Its streams are left to be looked at.
func run(ts *testscript.TestScript, args []string) int {
	err := ts.Exec(args[0], args[1:]...)
	if err == nil {
		return 0
	}
	failed, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		ts.Fatalf("%v", err)
	}
	return failed.ExitCode()
}
