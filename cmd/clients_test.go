package cmd

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/vectortest"
)

// clientAnswer is what the clients in examples/clients print.
const clientAnswer = "10 models as of 2025-12-02T12:00:00.000Z\n1 gpt-5: 1 of 1\n2 grok-4: 0 of 1\n"

// serveLeaderboards serves the catalog of the leaderboards, which the clients ask.
func serveLeaderboards(t *testing.T) *served {
	t.Helper()
	catalog := filepath.Join(t.TempDir(), "catalog.json")
	if out, err := process("", "compile", "../examples/leaderboards/observations", "--as-of", "2025-12-02T12:00:00Z", "-o", catalog).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return serveProcess(t, nil, "--catalog", catalog)
}

// The types that openapi-typescript makes of the description take a right request, refuse a
// wrong one, and make a client that works.
func TestTypeScriptClient(t *testing.T) {
	for _, tool := range []string{"openapi-typescript", "tsc", "node"} {
		vectortest.Tool(t, tool, "openapi-typescript and typescript from npm, and nodejs")
	}
	dir := t.TempDir()
	run := func(name string, args ...string) (string, error) {
		c := exec.Command(name, args...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		return string(out), err
	}
	description, err := filepath.Abs("../docs/openapi")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"catalog.yaml", "verification.yaml", "catalog-3.1.json", "verification-3.1.json"} {
		name := strings.TrimSuffix(file, filepath.Ext(file))
		if out, err := run("openapi-typescript", filepath.Join(description, file), "-o", name+".ts"); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		types := string(readFileOf(t, filepath.Join(dir, name+".ts")))
		if strings.Contains(types, " $defs:") || strings.Contains(types, `"$defs`) {
			t.Errorf("in the types of %s $defs is a member", name)
		}
	}
	writeFile(t, filepath.Join(dir, "package.json"), []byte(`{"type": "module"}`))
	client := string(readFileOf(t, "../examples/clients/client.ts"))
	writeFile(t, filepath.Join(dir, "client.ts"), []byte(client))
	strict := []string{"--strict", "--target", "es2022", "--lib", "es2022,dom", "--module", "es2022", "--moduleResolution", "bundler"}
	if out, err := run("tsc", append(strict, "client.ts", "verification.ts", "catalog-3.1.ts", "verification-3.1.ts")...); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	slips := [][2]string{
		{`measurementKey: "aider`, `measurmentKey: "aider`},
		{`aggregation: "mean"`, `aggregation: "average"`},
		{`weight: 1`, `weight: "1"`},
		{`service.rank.request/v3`, `service.rank.request/v4`},
		{`model: { id: "openai/gpt-5" }`, `model: { name: "openai/gpt-5" }`},
		{`result.ranked`, `result.rankings`},
	}
	wrong := append(strict, "--noEmit")
	for i, slip := range slips {
		text := strings.ReplaceAll(client, slip[0], slip[1])
		if text == client {
			t.Fatalf("the client has no %s", slip[0])
		}
		name := fmt.Sprintf("wrong%d.ts", i)
		writeFile(t, filepath.Join(dir, name), []byte(text))
		wrong = append(wrong, name)
	}
	out, _ := run("tsc", wrong...)
	for i, slip := range slips {
		if !strings.Contains(out, fmt.Sprintf("wrong%d.ts(", i)) {
			t.Errorf("%s is accepted", slip[1])
		}
	}
	p := serveLeaderboards(t)
	if out, err := run("node", "client.js", p.url); err != nil || out != clientAnswer {
		t.Errorf("%v: %s", err, out)
	}
}

// Python's standard library alone makes a client.
func TestPythonClient(t *testing.T) {
	python := vectortest.Tool(t, "python3", "python3")
	p := serveLeaderboards(t)
	if out, err := exec.Command(python, "../examples/clients/client.py", p.url).CombinedOutput(); err != nil || string(out) != clientAnswer {
		t.Errorf("%v: %s", err, out)
	}
}
