package vectortest

import (
	"os"
	"os/exec"
	"testing"
)

// Tool returns the path of a program that a test runs:
//
//	openssl := vectortest.Tool(t, "openssl", "Debian's package openssl")
//
// Without the program the test ends as [Missing] says.
func Tool(t testing.TB, name, install string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, name+" is missing: install "+install)
	}
	return path
}

// Missing ends a test that lacks something which can be installed, and says what: the test
// skips on the machine of a developer, and fails in CI.
func Missing(t testing.TB, what string) {
	t.Helper()
	if InCI() {
		t.Fatal(what)
	}
	t.Skip(what)
}

// InCI reports whether the tests run in CI, which has every tool.
func InCI() bool { return os.Getenv("CI") == "true" }

// Python returns what a script of Python prints.
func Python(t testing.TB, script string, args ...string) string {
	t.Helper()
	out, err := exec.Command(Tool(t, "python3", "Debian's package python3"),
		append([]string{script}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return string(out)
}
