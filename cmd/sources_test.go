package cmd

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// The scripts of svc import and svc sources find the files of the examples'
// sources in their folder: small ones of our own making in the real formats.
func TestSourceScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/sourcescript",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			passRaceOptions(env)
			return os.CopyFS(env.WorkDir, os.DirFS("../examples/sources"))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "misuse": misuse},
	})
}
