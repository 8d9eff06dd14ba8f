package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The inspector of the Model Context Protocol reads the tools, strictly, calls every one,
// reads every resource, and sees every kind of error, over both transports.
func TestInspector(t *testing.T) {
	inspector, err := exec.LookPath("mcp-inspector")
	if err != nil {
		t.Skip("install @modelcontextprotocol/inspector from npm to inspect svc mcp")
	}
	catalog, line := agentCommand(t)
	served := startServing(t, nil, append(line[1:], "--port", "0")...)
	key := modelKey(t, catalog)
	const request = `request={"schemaVersion":"service.rank.request/v3","inventory":[{"id":"a","model":{"id":"acme/atlas-70b"}}],` +
		`"advisories":[{"measurementKey":"price.output","aggregation":"fact","transfer":["execution"]}]}`
	call := func(name string, arguments ...string) []string {
		line := []string{"--method", "tools/call", "--tool-name", name}
		for _, a := range arguments {
			line = append(line, "--tool-arg", a)
		}
		return line
	}
	read := func(uri string) []string { return []string{"--method", "resources/read", "--uri", uri} }
	for transport, target := range map[string][]string{
		"stdio": append([]string{"--"}, line...),
		"http":  {"--transport", "http", served.url + "/mcp"},
	} {
		for _, test := range []struct {
			want      string
			arguments []string
		}{
			{`"list_models"`, []string{"--method", "tools/list", "--strict"}},
			{`"total"`, call("list_keys")},
			{`"total"`, call("list_models", "query=atlas", "limit=2")},
			{`"entries"`, call("get_model", "model="+key)},
			{`"ranked"`, call("rank", request)},
			{`service.rank.explanation/v1`, call("explain", request, "candidate=a")},
			{`service.catalog.diff/v1`, call("diff", "limit=3")},
			{"UNKNOWN_MODEL", call("get_model", "model=none")},
			{"INVALID_RANK_REQUEST", call("rank", `request={"schemaVersion":"service.rank.request/v3"}`)},
			{"none", call("none")},
			{`"svc://catalog"`, []string{"--method", "resources/list"}},
			{`"svc://models/{key}"`, []string{"--method", "resources/templates/list"}},
			{`\"observations\"`, read("svc://catalog")},
			{`\"schemaVersion\"`, read("svc://catalog/snapshot")},
			{key, read("svc://models/" + key)},
			{`urn:svc:schema:catalog-diff`, read("svc://schemas/catalog-diff")},
			{"not found", read("svc://schemas/none")},
		} {
			line := append([]string{"--cli"}, test.arguments...)
			if transport == "http" {
				line = append(append([]string{"--cli"}, target...), test.arguments...)
			} else {
				line = append(line, target...)
			}
			c := exec.Command(inspector, line...)
			out, err := c.CombinedOutput()
			isError := strings.HasSuffix(test.want, "_MODEL") || strings.HasSuffix(test.want, "_REQUEST") || test.want == "none" || test.want == "not found"
			if (err != nil) != isError || !strings.Contains(strings.ToLower(string(out)), strings.ToLower(test.want)) {
				t.Errorf("%s, %v: %v: %.800s", transport, test.arguments, err, out)
			}
			if strings.Contains(strings.ToLower(string(out)), "warning") {
				t.Errorf("%s, %v warns: %.800s", transport, test.arguments, out)
			}
		}
	}
}

// agentCommand compiles a catalog and returns it, and the command that serves it to agents
// with itself as the older one.
func agentCommand(t *testing.T) (catalog string, line []string) {
	t.Helper()
	program, err := exec.LookPath("svc")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	examples, err := filepath.Abs("../examples/observations")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := process(dir, "compile", examples, "--as-of", "2026-12-01", "-o", "catalog.json").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	catalog = filepath.Join(dir, "catalog.json")
	return catalog, []string{program, "mcp", "--catalog", catalog, "--against", catalog}
}

// modelKey is the key of the first model of a catalog.
func modelKey(t *testing.T, catalog string) string {
	t.Helper()
	_, rest, _ := strings.Cut(readSource(t, catalog), `"models":[{"`)
	_, rest, ok := strings.Cut(rest, `"key":"`)
	const digits = 64
	if !ok || len(rest) < digits {
		t.Fatal("the catalog has no model")
	}
	return rest[:digits]
}

// opencode connects to svc mcp.
func TestOpencodeConnects(t *testing.T) {
	program, err := exec.LookPath("opencode")
	if err != nil {
		t.Skip("install opencode-ai from npm to connect to svc mcp")
	}
	_, line := agentCommand(t)
	home := t.TempDir()
	config := `{"mcp":{"models":{"type":"local","command":["` + strings.Join(line, `","`) + `"]}}}`
	writeFile(t, filepath.Join(home, "opencode.json"), []byte(config))
	c := exec.Command(program, "mcp", "list")
	c.Dir = home
	c.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1", raceOptions + "=" + os.Getenv(raceOptions)}
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "models") || !strings.Contains(string(out), "connected") {
		t.Errorf("%v: %s", err, out)
	}
}
