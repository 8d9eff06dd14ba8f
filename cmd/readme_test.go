package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestReadme runs every command of the README, in its order and in one folder
// that holds the examples, and holds what it prints against what the README
// shows. Commands stand in console blocks, behind a dollar sign and with their
// output, or in the first sh block, which also sets up a fresh clone.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	script, commands := readmeScript(t, string(readme))
	if commands < 8 {
		t.Fatalf("found %d commands in the README, there are more", commands)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "readme.txt"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: dir,
		Setup: func(env *testscript.Env) error {
			return os.CopyFS(filepath.Join(env.WorkDir, "examples"), os.DirFS("../examples"))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"shows": shows},
	})
}

// readmeScript turns the README into a script, and counts its commands.
func readmeScript(t *testing.T, readme string) (script string, commands int) {
	var b, files strings.Builder
	for _, block := range regexp.MustCompile("(?s)```(console|sh)\n(.*?)```").FindAllStringSubmatch(readme, -1) {
		if block[1] == "sh" {
			if strings.HasPrefix(block[2], "go run . ") {
				fmt.Fprintf(&b, "exec sh -c %s\n", quote(strings.ReplaceAll(strings.TrimSpace(block[2]), "go run . ", "svc ")))
				commands++
			}
			continue
		}
		for _, part := range strings.Split("\n"+block[2], "\n$ ")[1:] {
			command, output, _ := strings.Cut(part, "\n")
			if output != "" && !strings.HasSuffix(output, "\n") {
				output += "\n"
			}
			commands++
			name := fmt.Sprintf("output%d", commands)
			fmt.Fprintf(&b, "shows %s %s\n", name, quote(command))
			fmt.Fprintf(&files, "-- %s --\n%s", name, output)
		}
	}
	return b.String() + files.String(), commands
}

// quote makes one word of a script of s.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// shows runs a shell command and demands the output that a file holds, from
// standard output and standard error together. How long something took is not
// compared.
func shows(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: shows FILE COMMAND")
	}
	// A command of the README may be there to fail.
	ts.Check(ts.Exec("sh", "-c", "{ "+args[1]+"\n} 2>&1 || true"))
	duration := regexp.MustCompile(`(?m)^(time +).*$`)
	got := duration.ReplaceAllString(ts.ReadFile("stdout"), "$1")
	want := duration.ReplaceAllString(ts.ReadFile(args[0]), "$1")
	if got != want {
		ts.Fatalf("$ %s\nprints\n%s\nthe README says\n%s", args[1], got, want)
	}
}
