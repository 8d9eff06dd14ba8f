package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"unicode"
	"unsafe"

	"github.com/model-catalog-service/svc/cmd/internal/console"
)

// openTerminal returns both ends of a terminal.
func openTerminal(t *testing.T) (control, terminal *os.File) {
	t.Helper()
	control, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	t.Cleanup(func() { control.Close() })
	ioctl := func(request uintptr, arg *int32) {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, control.Fd(), request, uintptr(unsafe.Pointer(arg))); errno != 0 {
			t.Skipf("no terminals here: %v", errno)
		}
	}
	var number, unlock int32
	ioctl(syscall.TIOCGPTN, &number)
	ioctl(syscall.TIOCSPTLCK, &unlock)
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	t.Cleanup(func() { terminal.Close() })
	return control, terminal
}

// onTerminal runs svc with stdout, stderr or both on a terminal and returns what
// reached the terminal and what did not.
func onTerminal(t *testing.T, env []string, stdout, stderr bool, args ...string) (seen, rest string) {
	t.Helper()
	return onTerminalOf(t, 0, env, stdout, stderr, args...)
}

// onTerminalOf is onTerminal for a terminal of so many columns; zero is one that does not
// tell.
func onTerminalOf(t *testing.T, columns uint16, env []string, stdout, stderr bool, args ...string) (seen, rest string) {
	t.Helper()
	control, terminal := openTerminal(t)
	size := struct{ rows, columns, width, height uint16 }{50, columns, 0, 0}
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, terminal.Fd(), syscall.TIOCSWINSZ, uintptr(unsafe.Pointer(&size))); errno != 0 {
		t.Fatal(errno)
	}
	var other bytes.Buffer
	c := process("", args...)
	c.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=/nowhere", "TERM=xterm", raceOptions + "=" + os.Getenv(raceOptions)}, env...)
	c.Stdout, c.Stderr = io.Writer(&other), io.Writer(&other)
	if stdout {
		c.Stdout = terminal
	}
	if stderr {
		c.Stderr = terminal
	}
	read := make(chan string)
	go func() {
		text, _ := io.ReadAll(control) // ends with an error when the last writer is gone
		read <- string(text)
	}()
	err := c.Run()
	terminal.Close()
	if err != nil && exitCodeOf(err) != exitFailure && exitCodeOf(err) != exitUsage && exitCodeOf(err) != exitNo {
		t.Error(err)
	}
	return <-read, other.String()
}

// Colour is decided for each stream by itself.
func TestColorOnTerminals(t *testing.T) {
	const escape = "\x1b["
	args := []string{"validate", "testdata/in/bad.json"}
	if seen, rest := onTerminal(t, nil, true, false, args...); !strings.Contains(seen, escape) || strings.Contains(rest, escape) ||
		!strings.Contains(seen, "invalid") || !strings.Contains(rest, "service: ") {
		t.Errorf("stdout on a terminal: %q, %q", seen, rest)
	}
	if seen, rest := onTerminal(t, nil, false, true, args...); !strings.Contains(seen, escape) || strings.Contains(rest, escape) ||
		!strings.Contains(seen, "service:") || rest != "testdata/in/bad.json: invalid: observations\n" {
		t.Errorf("stderr on a terminal: %q, %q", seen, rest)
	}
	for _, env := range []string{"NO_COLOR=1", "TERM=dumb", "SVC_COLOR=never"} {
		if seen, _ := onTerminal(t, []string{env}, true, true, args...); strings.Contains(seen, escape) {
			t.Errorf("%s: %q", env, seen)
		}
	}
	if seen, _ := onTerminal(t, []string{"NO_COLOR="}, true, true, args...); !strings.Contains(seen, escape) {
		t.Errorf("an empty NO_COLOR is none: %q", seen)
	}
	if seen, _ := onTerminal(t, nil, true, true, append(args, "--color", "never")...); strings.Contains(seen, escape) {
		t.Errorf("--color never: %q", seen)
	}
}

// On a terminal messages are broken between words, and words stay whole, to be copied;
// elsewhere a message is one line.
func TestMessagesOnTerminal(t *testing.T) {
	const width = 60
	long := filepath.Join(t.TempDir(), strings.Repeat("long", 20)+".json")
	writeFile(t, long, readFileOf(t, "testdata/in/bad.json"))
	for _, args := range [][]string{
		{"validate", long},
		{"validate", long, "--output", "xml"},
		{"rank", "--catalog", long},
		{"serve", "--catalog", long, "--port", "65536"},
		{"compile", long, "--as-of", "2026-07-18", "-o", long},
	} {
		seen, _ := onTerminalOf(t, width, []string{"NO_COLOR=1"}, false, true, args...)
		piped := process("", args...)
		var want strings.Builder
		piped.Stderr = &want
		piped.Run()
		seen = strings.ReplaceAll(seen, "\r\n", "\n")
		words := strings.Fields(seen)
		if strings.Join(words, " ") != strings.Join(strings.Fields(want.String()), " ") {
			t.Errorf("%q: the terminal shows\n%s\nnot\n%s", args, seen, want.String())
		}
		message, _, _ := strings.Cut(seen, "\n\n")
		for line := range strings.Lines(message) {
			line = strings.TrimSuffix(line, "\n")
			if isUsage := args[0] == "serve"; console.Columns(line) > width && strings.Contains(strings.TrimSpace(line), " ") && !isUsage {
				t.Errorf("%q: this line is wider than the terminal: %s", args, line)
			}
		}
	}
}

// The log of a server is lines for people on a terminal, and records elsewhere.
func TestLogOnTerminal(t *testing.T) {
	env := []string{"SVC_SERVE_ADMIN_ADDR=127.0.0.1:0"}
	args := []string{"serve", "--catalog", "nowhere"}
	if seen, _ := onTerminal(t, env, false, true, args...); !strings.HasPrefix(seen, "admin listener: url http://127.0.0.1:") {
		t.Errorf("on a terminal: %q", seen)
	}
	if _, rest := onTerminal(t, env, true, false, args...); !strings.Contains(rest, ` level=INFO msg="admin listener" url=http://127.0.0.1:`) {
		t.Errorf("elsewhere: %q", rest)
	}
	if seen, _ := onTerminal(t, append(env, "SVC_LOG_FORMAT=json"), false, true, args...); !strings.HasPrefix(seen, `{"time":`) {
		t.Errorf("JSON on a terminal: %q", seen)
	}
}

// On a terminal rank prints a table, unless JSON is asked for.
func TestRankOnTerminal(t *testing.T) {
	catalog := filepath.Join(t.TempDir(), "catalog.json")
	if out, err := process("", "compile", "testdata/in/list.json", "--as-of", "2026-07-18", "-o", catalog).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	seen, _ := onTerminal(t, []string{"NO_COLOR=1"}, true, false, "rank", "--catalog", catalog, "testdata/in/request.json")
	if !strings.Contains(seen, "RANK  CANDIDATE") || strings.Contains(seen, "{") {
		t.Errorf("on a terminal: %q", seen)
	}
	_, rest := onTerminal(t, nil, false, true, "rank", "--catalog", catalog, "testdata/in/request.json")
	if !strings.HasPrefix(rest, `{"catalog":`) {
		t.Errorf("stderr alone on a terminal: %q", rest)
	}
	seen, _ = onTerminal(t, nil, true, false, "rank", "--catalog", catalog, "testdata/in/request.json", "--output", "json")
	if !strings.HasPrefix(seen, `{"catalog":`) {
		t.Errorf("JSON asked for: %q", seen)
	}
}

// JSON on a terminal says the same without a character that could command it; elsewhere
// its bytes are canonical.
func TestJSONOnTerminal(t *testing.T) {
	const evil = "a\u007f\u009b31m\u202e\u2066\U000e0001\u00a0é😀"
	observation := strings.Replace(string(readFileOf(t, "testdata/in/one.json")), `"small-7b"`, `"`+evil+`"`, 1)
	if !strings.Contains(observation, evil) {
		t.Fatal("the observation has no such model")
	}
	file := filepath.Join(t.TempDir(), "one"+evil)
	writeFile(t, file, []byte(observation))
	for _, args := range [][]string{
		{"compile", file, "--as-of", "2026-07-18"},
		{"validate", file, "--output", "json"},
		{"config", "--output", "json"},
	} {
		env := []string{"SVC_CATALOG=" + evil}
		seen, _ := onTerminal(t, env, true, false, args...)
		_, bytes := onTerminal(t, env, false, true, args...)
		if i := strings.IndexFunc(seen, func(r rune) bool { return !unicode.IsPrint(r) && r != '\r' && r != '\n' }); i >= 0 {
			t.Errorf("%q: %q on a terminal", args, seen[i:])
		}
		var onTerminal, elsewhere any
		if err := json.Unmarshal([]byte(seen), &onTerminal); err != nil {
			t.Errorf("%q: %v", args, err)
		}
		if err := json.Unmarshal([]byte(bytes), &elsewhere); err != nil || !reflect.DeepEqual(onTerminal, elsewhere) {
			t.Errorf("%q: %q on a terminal, %q elsewhere, %v", args, seen, bytes, err)
		}
		if !strings.Contains(bytes, evil) {
			t.Errorf("%q: %q", args, bytes)
		}
	}
}
