package cmd

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestReadme runs every command of the README, in its order, in one shell and
// one folder that holds the examples, and holds what it prints against what the
// README shows. Commands stand in console blocks, behind a dollar sign and with
// their output, or in an sh block that begins with "go run .", which also sets up
// a fresh clone.
func TestReadme(t *testing.T) {
	for _, tool := range []string{"curl", "openssl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("install %s to run the README's commands", tool)
		}
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(readme)
	for _, port := range []string{"4244", "4245"} { // any other will do
		free := freePort(t)
		text = strings.NewReplacer(":"+port, ":"+free, "--port "+port, "--port "+free).Replace(text)
	}
	commands := readmeCommands(text)
	if len(commands) < 8 {
		t.Fatalf("found %d commands in the README, there are more", len(commands))
	}
	dir := t.TempDir()
	script := "exec sh commands.sh\nshown\n-- commands.sh --\n" + shellScript(commands)
	if err := os.WriteFile(filepath.Join(dir, "readme.txt"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: dir,
		Setup: func(env *testscript.Env) error {
			return os.CopyFS(filepath.Join(env.WorkDir, "examples"), os.DirFS("../examples"))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"shown": func(ts *testscript.TestScript, _ bool, _ []string) {
				outputs := strings.Split(ts.ReadFile("stdout"), marker)[1:]
				for i, c := range commands {
					if i >= len(outputs) {
						ts.Fatalf("$ %s\nwas not reached", c.line)
					}
					if got := constant(outputs[i]); c.shown && got != constant(c.output) {
						ts.Fatalf("$ %s\nprints\n%s\nthe README says\n%s", c.line, got, c.output)
					}
				}
			},
		},
	})
}

// readmeCommand is a command of the README.
type readmeCommand struct {
	line   string
	output string
	shown  bool // the README shows the output
}

func readmeCommands(readme string) (commands []readmeCommand) {
	for _, block := range regexp.MustCompile("(?s)```(console|sh)\n(.*?)```").FindAllStringSubmatch(readme, -1) {
		if block[1] == "sh" {
			if strings.HasPrefix(block[2], "go run . ") {
				line := strings.ReplaceAll(strings.TrimSpace(block[2]), "go run . ", "svc ")
				commands = append(commands, readmeCommand{line: line})
			}
			continue
		}
		for _, part := range strings.Split("\n"+block[2], "\n$ ")[1:] {
			line, output, _ := strings.Cut(part, "\n")
			if output != "" && !strings.HasSuffix(output, "\n") {
				output += "\n"
			}
			commands = append(commands, readmeCommand{line, output, true})
		}
	}
	return commands
}

const marker = "=== next command ===\n"

// shellScript runs the commands one after the other, each behind a marker, with
// standard error where standard output goes. Of one in the background it awaits
// the first line.
func shellScript(commands []readmeCommand) string {
	var b strings.Builder
	b.WriteString("exec 2>&1\ntrap 'kill $! 2>/dev/null' EXIT\n")
	for i, c := range commands {
		fmt.Fprintf(&b, "printf '%s'\n", strings.ReplaceAll(marker, "\n", `\n`))
		if line, background := strings.CutSuffix(c.line, "&"); background {
			fmt.Fprintf(&b, ">out%d 2>&1 %s &\n", i, line)
			fmt.Fprintf(&b, "n=0; until [ -s out%d ] || [ $n = 200 ]; do sleep 0.1; n=$((n+1)); done; cat out%d\n", i, i)
		} else {
			b.WriteString(c.line + "\n")
		}
	}
	return b.String()
}

// constant takes out what is not the same every time: how long something took,
// and which key signed.
func constant(output string) string {
	output = regexp.MustCompile(`(?m)^(time +).*$`).ReplaceAllString(output, "$1")
	return regexp.MustCompile(`(signed by )[0-9a-f]{64}`).ReplaceAllString(output, "$1")
}

// freePort returns a port that nothing listens on.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}
