package cmd

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/vectortest"
)

// The inspector of the Model Context Protocol reads the tools, strictly, calls every one,
// reads every resource, and sees every kind of error, over both transports.
func TestInspector(t *testing.T) {
	inspector := vectortest.Tool(t, "mcp-inspector", "@modelcontextprotocol/inspector from npm")
	catalog, line := agentCommand(t)
	served := startServing(t, nil, append(line[1:], "--port", "0")...)
	key := modelKey(t, catalog)
	const request = `request={"schemaVersion":"service.rank.request/v3","inventory":[{"id":"a","model":{"id":"acme/atlas-70b"}}],` +
		`"preferences":[{"measurementKey":"price.output","aggregation":"fact","transfer":["execution"],"direction":"minimize","weight":1}]}`
	call := func(name string, arguments ...string) []string {
		line := []string{"--method", "tools/call", "--tool-name", name}
		for _, a := range arguments {
			line = append(line, "--tool-arg", a)
		}
		return line
	}
	read := func(uri string) []string { return []string{"--method", "resources/read", "--uri", uri} }
	strict := []string{"--method", "tools/list", "--strict"}
	var questions []question
	for _, target := range [][]string{append([]string{"--"}, line...), {"--transport", "http", served.url + "/mcp"}} {
		ask := func(want string, isError bool, arguments ...string) {
			if target[0] == "--" {
				questions = append(questions, question{want, isError, append(arguments, target...)})
			} else {
				questions = append(questions, question{want, isError, append(slices.Clone(target), arguments...)})
			}
		}
		ask(`"what_changed"`, false, strict...)
		out, err := exec.Command(inspector, append([]string{"--cli"}, questions[len(questions)-1].arguments...)...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), `"what_changed"`) {
			t.Errorf("%v: %v: %.800s", target, err, out)
		}
		ask(`\"total\"`, false, call("find", "by=key")...)
		ask(`\"facets\"`, false, call("find", "query=atlas", "limit=2")...)
		ask(`\"valid until\"`, false, call("find", "model=atlas-70b")...)
		ask(`excluded because`, false, call("rank", request)...)
		ask(`\"runtime\"`, false, call("rank", `minimize=price.output`, `atMost={"price.output":"100/M"}`)...)
		ask(`\"a task\"`, false, call("price", "models=atlas-70b", "tokens=3k/500")...)
		ask(`\"columns\"`, false, call("expiring", "before=2027-12-31")...)
		ask(`Compared with the catalog`, false, call("what_changed", "limit=3")...)
		ask(`\"criterion\"`, false, call("explain", request, "candidate=a")...)
		ask(`service.rank.explanation/v1`, false, call("explain", request, "candidate=a", "full=true")...)
		ask("INVALID_ARGUMENT", true, call("compare", `models=["atlas-70b"]`)...)
		ask("UNKNOWN_MODEL", true, call("find", "model=none")...)
		ask("INVALID_RANK_REQUEST", true, call("rank", `request={"schemaVersion":"service.rank.request/v3"}`)...)
		ask("tool 'none' not found", true, call("none")...)
		ask(`"svc://catalog"`, false, "--method", "resources/list")
		ask(`"svc://models/{key}"`, false, "--method", "resources/templates/list")
		ask(`\"observations\"`, false, read("svc://catalog")...)
		ask(`\"schemaVersion\"`, false, read("svc://catalog/snapshot")...)
		ask(key, false, read("svc://models/"+key)...)
		ask(`urn:svc:schema:catalog-diff`, false, read("svc://schemas/catalog-diff")...)
		ask("not found", true, read("svc://schemas/none")...)
	}
	for i, answer := range askInspector(t, inspector, questions) {
		q := questions[i]
		output := strings.ToLower(answer.Output)
		if answer.Failed != q.isError || !strings.Contains(output, strings.ToLower(q.want)) {
			t.Errorf("%v: failed: %v, %.800s", q.arguments, answer.Failed, answer.Output)
		}
		if strings.Contains(output, "warning") {
			t.Errorf("%v warns: %.800s", q.arguments, answer.Output)
		}
	}
}

// question is what the inspector is asked, and what its answer says.
type question struct {
	want      string
	isError   bool
	arguments []string
}

// askInspector asks the inspector, which is started once.
func askInspector(t *testing.T, inspector string, questions []question) (answers []struct {
	Failed bool
	Output string
}) {
	t.Helper()
	launcher, err := filepath.EvalSymlinks(inspector)
	if err != nil {
		t.Fatal(err)
	}
	var lines [][]string
	for _, q := range questions {
		lines = append(lines, q.arguments)
	}
	text, err := json.Marshal(lines)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("node", "testdata/inspector.mjs", filepath.Join(filepath.Dir(launcher), "../../cli/build/index.js"))
	c.Stdin = bytes.NewReader(text)
	var stderr strings.Builder
	c.Stderr = &stderr
	out, err := c.Output()
	if err == nil {
		err = json.Unmarshal(out, &answers)
	}
	if err != nil || len(answers) != len(questions) {
		t.Fatalf("%d answers: %v: %s", len(answers), err, &stderr)
	}
	return answers
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

// pageCatalog is the catalog in the configurations of the page.
const pageCatalog = "/srv/catalog.json"

// clientConfigurations returns the configurations of clients that the page about agents has.
func clientConfigurations(t *testing.T) (list []string) {
	t.Helper()
	for _, block := range strings.Split(readSource(t, "../docs/agents.md"), "```json\n")[1:] {
		if text, _, _ := strings.Cut(block, "```"); strings.Contains(text, `"command"`) {
			list = append(list, text)
		}
	}
	if len(list) != 3 {
		t.Errorf("the page has %d configurations", len(list))
	}
	return list
}

// Each configuration of the page starts a server that answers, with another catalog.
func TestClientConfigurations(t *testing.T) {
	catalog, _ := agentCommand(t)
	for _, config := range clientConfigurations(t) {
		var byName map[string]map[string]struct {
			Command any
			Args    []string
		}
		if err := json.Unmarshal([]byte(config), &byName); err != nil {
			t.Fatalf("%v: %s", err, config)
		}
		for _, servers := range byName {
			server := servers["models"]
			line := server.Args
			if list, ok := server.Command.([]any); ok {
				server.Command = list[0]
				for _, argument := range list[1:] {
					line = append(line, argument.(string))
				}
			}
			if server.Command != "svc" || !slices.Contains(line, pageCatalog) {
				t.Errorf("it starts %v %q", server.Command, line)
				continue
			}
			line[slices.Index(line, pageCatalog)] = catalog
			c := process("", line...)
			c.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")
			if out, err := c.Output(); err != nil || string(out) != `{"jsonrpc":"2.0","id":1,"result":{}}`+"\n" {
				t.Errorf("%q: %v: %s", line, err, out)
			}
		}
	}
}
