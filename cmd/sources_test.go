package cmd

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

// Of two pins of one file at the same time that say different things one is written, and
// the other fails.
func TestRacingPins(t *testing.T) {
	dir := t.TempDir()
	for n := range 20 {
		body := fmt.Sprintf("results-%d.json", n)
		writeFile(t, filepath.Join(dir, body), []byte(`{"results":{}}`))
		var pins []*exec.Cmd
		var references [2]bytes.Buffer
		for i := range 2 {
			c := process(dir, "sources", "pin", "lm-eval", "--url", fmt.Sprintf("urn:lm-eval:team/run-%d", i+1), "--fetched-at", "2026-11-01", body)
			c.Stdout = &references[i]
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			pins = append(pins, c)
		}
		var written []string
		for i, c := range pins {
			if err := c.Wait(); err == nil {
				written = append(written, strings.TrimSpace(references[i].String()))
			} else if exitCodeOf(err) != exitFailure || references[i].Len() > 0 {
				t.Errorf("%v, %s", err, &references[i])
			}
		}
		if len(written) != 1 || !bytes.Contains(readFileOf(t, filepath.Join(dir, body+".snapshot.json")), []byte(written[0])) {
			t.Errorf("%q were written", written)
		}
	}
}
