package cmd

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The inspector of the Model Context Protocol reads every tool, strictly and over both
// transports, calls one and reads a resource.
func TestInspector(t *testing.T) {
	inspector, err := exec.LookPath("mcp-inspector")
	if err != nil {
		t.Skip("install @modelcontextprotocol/inspector from npm to inspect svc mcp")
	}
	program, err := exec.LookPath("svc")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "o.jsonl"), observations(t, 3))
	if out, err := process(dir, "compile", "o.jsonl", "--as-of", "2026-07-18", "-o", "catalog.json").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	catalog := filepath.Join(dir, "catalog.json")
	served := startServing(t, nil, "mcp", "--catalog", catalog, "--port", "0")
	for transport, target := range map[string][]string{
		"stdio": {"--", program, "mcp", "--catalog", catalog},
		"http":  {"--transport", "http", served.url + "/mcp"},
	} {
		for want, arguments := range map[string][]string{
			`"list_models"`:    {"--method", "tools/list", "--strict"},
			`"total"`:          {"--method", "tools/call", "--tool-name", "list_keys"},
			`"svc://catalog"`:  {"--method", "resources/list"},
			`\"observations\"`: {"--method", "resources/read", "--uri", "svc://catalog"},
			"UNKNOWN_MODEL":    {"--method", "tools/call", "--tool-name", "get_model", "--tool-arg", "model=none"},
		} {
			line := append([]string{"--cli"}, arguments...)
			if transport == "http" {
				line = append(append([]string{"--cli"}, target...), arguments...)
			} else {
				line = append(line, target...)
			}
			c := exec.Command(inspector, line...)
			out, err := c.CombinedOutput()
			if err != nil && want != "UNKNOWN_MODEL" || !strings.Contains(string(out), want) {
				t.Errorf("%s, %v: %v: %.800s", transport, arguments, err, out)
			}
			if strings.Contains(strings.ToLower(string(out)), "warning") {
				t.Errorf("%s, %v warns: %.800s", transport, arguments, out)
			}
		}
	}
}
