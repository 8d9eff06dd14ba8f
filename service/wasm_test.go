package service_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/vectortest"
)

// In a browser, and wherever else there is JavaScript, what is verified and ranked is what comes
// out here: the tests and examples of both packages run there, with the same output.
func TestInJavaScript(t *testing.T) {
	vectortest.SkipRace(t)
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	runInWebAssembly(t, "js", filepath.Join(strings.TrimSpace(string(root)), "lib/wasm/wasm_exec_node.js"))
}

// So it is where programs are WebAssembly without JavaScript.
func TestInWASI(t *testing.T) {
	vectortest.SkipLong(t)
	runInWebAssembly(t, "wasip1", "testdata/wasi.mjs")
}

func runInWebAssembly(t *testing.T, system, script string) {
	t.Helper()
	node := vectortest.Tool(t, "node", "nodejs")
	script, err := filepath.Abs(script)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	build := exec.Command("go", "test", "-c", "-ldflags=-s -w", "-o", folder, "./verify", "./rank")
	build.Env = append(build.Environ(), "GOOS="+system, "GOARCH=wasm", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, tests := range map[string][]string{
		"verify": {"TestReceipt", "TestEnvelope", "ExampleReceive", "ExampleDeriveStatuses"},
		"rank":   {"ExampleDraft", "ExampleRanker_Explain", "ExampleDiff", "TestRankVersions"},
	} {
		const stack = "--stack-size=8192" // as Go's own wrapper has it
		run := exec.Command(node, "--no-warnings", stack, script, filepath.Join(folder, name+".test"), "-test.v",
			"-test.run=^("+strings.Join(tests, "|")+")$")
		run.Dir = name
		out, err := run.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		for _, test := range tests {
			if !bytes.Contains(out, []byte("--- PASS: "+test+" (")) {
				t.Errorf("%s: %s did not pass\n%s", name, test, out)
			}
		}
	}
}
