package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"net"
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
			passVariables(env)
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
		var outputs [2]bytes.Buffer
		for i := range 2 {
			c := process(dir, "sources", "pin", "lm-eval", "--url", fmt.Sprintf("urn:lm-eval:team/run-%d", i+1), "--fetched-at", "2026-11-01", body)
			c.Stdout = &outputs[i]
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			pins = append(pins, c)
		}
		var written []int
		for i, c := range pins {
			if err := c.Wait(); err == nil {
				written = append(written, i+1)
			} else if exitCodeOf(err) != exitFailure || outputs[i].Len() > 0 {
				t.Errorf("%v, %s", err, &outputs[i])
			}
		}
		if len(written) != 1 || !bytes.Contains(readFileOf(t, filepath.Join(dir, body+".snapshot.json")), fmt.Appendf(nil, `"urn:lm-eval:team/run-%d"`, written[0])) {
			t.Errorf("%v were written", written)
		}
	}
}

// Without a network, a fetch says how a file that was fetched elsewhere is taken.
func TestFetchWithoutNetwork(t *testing.T) {
	for cause, want := range map[error]bool{
		&net.DNSError{Err: "no such host", Name: "lists.example"}:    true,
		&net.OpError{Op: "dial", Err: errors.New("network is down")}: true,
		&net.OpError{Op: "read", Err: errors.New("reset")}:           false,
		errors.New("the file is too large"):                          false,
	} {
		got := explainFetch("models-dev", fmt.Errorf("https://lists.example: %w", cause))
		if !errors.Is(got, cause) || strings.Contains(got.Error(), "svc sources pin models-dev --url URL") != want {
			t.Errorf("%v", got)
		}
	}
}
