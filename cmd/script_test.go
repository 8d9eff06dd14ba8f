package cmd

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// Every script finds the files of testdata/in in its folder in, and those of the
// example of the leaderboards in leaderboards, and that of the models in models. Besides the usual commands scripts have these:
//
//	exits CODE COMMAND...    runs a command and demands the exit code
//	misuse MESSAGE svc ...   demands exit code 2, an empty stdout, and on stderr
//	                         the message, perhaps a tip, an empty line, the usage
//	                         in one line and how to get more; of a server the whole
//	                         usage, an empty line, the message and perhaps a tip
func TestScripts(t *testing.T) { runScripts(t, "testdata/script") }

// The scripts that ask the sample, which compiles it each time.
func TestSampleScripts(t *testing.T) {
	vectortest.SkipRace(t)
	runScripts(t, "testdata/samplescript")
}

func runScripts(t *testing.T, folder string) {
	t.Helper()
	demandTools(t, folder)
	testscript.Run(t, testscript.Params{
		Dir:                 folder,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			passVariables(env)
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
				if vectortest.InCI() {
					return true, err
				}
				return err == nil, nil
			}
			return false, errors.New("unknown condition")
		},
	})
}

// demandTools demands, in CI, every program without which a script of a folder leaves out a
// line.
func demandTools(t *testing.T, folder string) {
	t.Helper()
	scripts, err := filepath.Glob(filepath.Join(folder, "*.txtar"))
	if err != nil || len(scripts) == 0 {
		t.Fatalf("there are no scripts in %s (%v)", folder, err)
	}
	for _, script := range scripts {
		for _, condition := range regexp.MustCompile(`\[!?exec:(\w+)\]`).FindAllSubmatch(readFileOf(t, script), -1) {
			if vectortest.InCI() {
				vectortest.Tool(t, string(condition[1]), "it for "+script)
			}
		}
	}
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
	if tip, isEnded := strings.CutSuffix("\n"+tip, end); !isBegun || !isEnded || tip != "" && !strings.HasPrefix(tip, "\nDid you mean ") && !strings.HasPrefix(tip, "\nThe configuration cannot be read: ") {
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
