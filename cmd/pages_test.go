package cmd

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/sources/build/hosttest"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

var update = flag.Bool("update", false, "write into the pages what their commands print")

// notRun are the blocks of commands that TestPages cannot run, by page and the
// beginning of their first line, and why.
var notRun = []struct{ page, begins, why string }{
	{"README.md", "go test ./...", "is what runs this"},
	{"README.md", "svc explore", "waits for a browser"},
	{"README.md", "CGO_ENABLED=0 go install .", "installs"},
	{"README.md", "svc init", "downloads from the sources; TestTodaysNumbers runs it on files"},
	{"docs/recipes.md", "svc init", "downloads from the sources; TestTodaysNumbers runs it on files"},
	{"docs/exploring.md", "svc explore", "waits for a browser"},
	{"CONTRIBUTING.md", "go build .", "builds and tests the whole tree"},
	{"CONTRIBUTING.md", "go test ./...", "tests the whole tree"},
	{"bench/README.md", "bench/run", "takes minutes and the whole machine"},
	{"bench/README.md", "go tool -modfile=tools/go.mod benchstat", "compares two such runs"},
	{"bench/README.md", "go run ./bench/generate", "needs the sources, and writes files of 150 MB"},
	{"bench/README.md", "go build -o svc . && go run ./bench/serve", "takes minutes and the whole machine"},
	{"docs/distributing.md", "svc build", "needs a registry; TestRegistry has one"},
	{"docs/distributing.md", "export SVC_TRUST_KEY", "needs a registry; TestReplicas has one"},
	{"docs/editors.md", "npx ", "downloads a program"},
	{"docs/agents.md", "claude mcp add", "needs other programs"},
	{"docs/exporting.md", "curl -sSfo api.json", "downloads from a site, and needs other programs"},
	{"docs/gateways.md", "export OPENROUTER_API_KEY=... OPENAI_API_KEY=...", "asks sellers, with keys"},
	{"docs/gateways.md", "mkdir ~/models", "downloads, and asks sellers; TestPortkeyGateway asks stand-ins"},
	{"docs/installing.md", "sha256sum --check", "needs the files of a release"},
	{"docs/installing.md", "svc verify --release", "needs the files of a release; TestVerifyRelease makes such ones"},
	{"docs/installing.md", "npm install ./", "needs the files of a release; .ci/wrappers has them"},
	{"docs/installing.md", "npm install ", "downloads a package"},
	{"docs/installing.md", "CGO_ENABLED=0 go install ", "downloads the module"},
	{"docs/installing.md", "tar -xzf ", "needs the files of a release, and installs"},
	{"docs/installing.md", "sudo apt install", "needs the files of a release, and installs"},
	{"docs/installing.md", "sudo install -m 644 catalog.json", "needs systemd"},
	{"docs/installing.md", "sudo openssl genpkey", "needs systemd"},
	{"docs/installing.md", "sudo systemd-run", "needs systemd"},
	{"docs/installing.md", "docker build", "needs Docker"},
	{"docs/installing.md", "cp catalog.json packaging/kubernetes", "needs a cluster"},
	{"docs/verification-producers.md", "#!/bin/sh", "is a program; TestSignerCommand runs such ones"},
	{"docs/verification-producers.md", "cosign ", "takes six minutes to build; TestSigstoreAccepts runs the library that it rests on"},
	{"docs/releasing.md", "SVC_RELEASE_KEY=", "makes a release"},
	{"docs/releasing.md", "git tag", "makes a release"},
	{"docs/releasing.md", "git checkout", "makes a release"},
	{"docs/releasing.md", "for program in model-catalog", "needs accounts"},
	{"packaging/registry/README.md", "npm install ", "downloads a package"},
	{"packaging/registry/README.md", "svc rank --at-least", "is the question that the page README.md asks"},
	{"packaging/registry/README.md", "svc init", "downloads from the sources"},
	{"docs/openapi/README.md", "npx ", "downloads programs"},
	{"docs/openapi/README.md", "go run ", "downloads programs"},
	{"docs/sources/every-eval-ever.md", "svc init", "downloads from the source; TestCollections has a stand-in"},
	{"docs/sources/lmarena.md", "svc init", "downloads from the source"},
	{"docs/sources/swe-bench.md", "svc init", "downloads from the source"},
	{"docs/sources/prices.md", "svc init", "downloads from the sources"},
	{"examples/models/README.md", "raw=", "needs the files of the sources"},
	{"examples/models/README.md", "import() {", "needs the files of the sources"},
	{"docs/sources/aider-polyglot.md", "svc init", "downloads from the source"},
	{"docs/sources/fetching.md", "svc import livebench $(svc sources fetch", "downloads from the source"},
	{"docs/sources/livebench.md", "svc init", "downloads from the source"},
	{"docs/sources/openrouter-models.md", "svc init", "downloads from the source"},
}

// withoutCommands are the pages that show no command which TestPages runs, and
// why.
var withoutCommands = map[string]string{
	"CHANGELOG.md":                   "tells what there is",
	"CONTRIBUTING.md":                "is about the inside",
	"SECURITY.md":                    "tells what to expect",
	"bench/README.md":                "is about measuring",
	"docs/distributing.md":           "needs a registry; TestRegistry and TestReplicas have one",
	"docs/architecture.md":           "is about the inside",
	"docs/releasing.md":              "is about making binaries of what runs here",
	"docs/sources/benchmarks.md":     "is a table of what each source is worth",
	"docs/sources/prices.md":         "needs the files of the lists; the page of each list shows its own",
	"docs/faq.md":                    "answers in words, and links to the commands",
	"docs/glossary.md":               "explains words",
	"docs/openapi/README.md":         "is about documents for other programs",
	"packaging/npm/verify/README.md": "is about a package for pages",
	"packaging/registry/README.md":   "is about a package, for those who have no clone",
	"docs/why.md":                    "says what svc is for",
}

// TestPages runs the commands that each page of documentation shows, in their
// order, in one shell and one folder that holds the examples, and holds what they
// print against what the page says. Commands are in console blocks, after a dollar
// sign, with their output below them. Or one is in an sh block that begins with
// "go run .", as a fresh clone needs it, and its output is in the text block after it.
// A block whose kind is followed by a name, like "json mine.json", is that file. With
// -update the pages are given the output that there is.
func TestPages(t *testing.T) {
	vectortest.SkipRace(t)
	for _, tool := range []string{"curl", "openssl", "python3"} {
		vectortest.Tool(t, tool, tool)
	}
	pages := readPages(t)
	scripts := t.TempDir()
	for name, p := range pages {
		if len(p.commands) == 0 {
			continue
		}
		script := fmt.Sprintf("exec sh commands.sh\nshown %s\n-- commands.sh --\n%s%s", name, p.shellScript(t), p.files)
		file := strings.ReplaceAll(strings.TrimSuffix(name, ".md"), "/", "_") + ".txt"
		if err := os.WriteFile(filepath.Join(scripts, file), []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	hosts := exampleHosts(t)
	if *update {
		t.Cleanup(func() {
			for _, p := range pages {
				if err := p.write(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	testscript.Run(t, testscript.Params{
		Dir: scripts,
		Setup: func(env *testscript.Env) error {
			passVariables(env)
			env.Vars = append(env.Vars, "SSL_CERT_FILE="+hosts.CA, hostsPort+"="+hosts.Port, hostsClock+"=2026-11-01T06:00:00Z")
			return os.CopyFS(filepath.Join(env.WorkDir, "examples"), os.DirFS("../examples"))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"shown": func(ts *testscript.TestScript, _ bool, args []string) {
				p := pages[args[0]]
				outputs := strings.Split(ts.ReadFile("stdout"), marker)[1:]
				for i := range p.commands {
					if i >= len(outputs) {
						ts.Fatalf("$ %s\nwas not reached", p.commands[i].line)
					}
					p.hold(ts, &p.commands[i], outputs[i])
				}
			},
		},
	})
}

// exampleHosts serves the small files of the examples, of which a page builds a catalog.
func exampleHosts(t *testing.T) *hosttest.Hosts {
	t.Helper()
	hosts := hosttest.New(t)
	hosts.ServeSite()
	for address, file := range map[string]string{
		hosttest.OpenRouter: "openrouter/models.json", hosttest.Table: "livebench/table_2026_01_08.csv",
		hosttest.Categories: "livebench/categories_2026_01_08.json", hosttest.Aider: "aider/polyglot_leaderboard.yml",
	} {
		hosts.Serve(address, readSource(t, "../examples/sources/"+file))
	}
	return hosts
}

// Every page shows commands that are run, or is known to have none; and what is
// known of pages is so.
func TestPagesAreRun(t *testing.T) {
	pages := readPages(t)
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		for _, fault := range pages[name].faults {
			t.Error(fault)
		}
		why, listed := withoutCommands[name]
		switch none := len(pages[name].commands) == 0; {
		case none && !listed:
			t.Errorf("%s shows no command that is run", name)
		case !none && listed:
			t.Errorf("%s shows commands that are run, and is listed: %s", name, why)
		}
	}
	for name := range withoutCommands {
		if pages[name] == nil {
			t.Errorf("%s is listed and not there", name)
		}
	}
	for _, b := range notRun {
		if p := pages[b.page]; p == nil || !p.leftOut[b.begins] {
			t.Errorf("%s has no block that begins with %q: %s", b.page, b.begins, b.why)
		}
	}
}

// Commands that pages name in their text exist, with the options that they name, and take
// the arguments.
func TestCommandsInText(t *testing.T) {
	inText := regexp.MustCompile("`(svc [^`]+)`")
	for name, p := range readPages(t) {
		if strings.HasPrefix(name, "CHANGELOG") {
			continue // which also tells of what once was
		}
		for n, line := range p.lines {
			for _, span := range inText.FindAllStringSubmatch(line, -1) {
				for command := range strings.SplitSeq(span[1], " && ") {
					if fault := wrongUse(strings.Fields(command)[1:]); fault != "" {
						t.Errorf("%s:%d: `%s`: %s", name, n+1, span[1], fault)
					}
				}
			}
		}
	}
	for _, wrong := range []string{"lock csv", "export --fromat csv", "exprot", "import nobody"} {
		if wrongUse(strings.Fields(wrong)) == "" {
			t.Errorf("svc %s is not seen to be wrong", wrong)
		}
	}
}

// wrongUse says what is wrong with the words of a command, of which some may be missing.
func wrongUse(words []string) string {
	c := Root()
	for len(words) > 0 && option.Subcommand(c, words[0]) != nil {
		c, words = option.Subcommand(c, words[0]), words[1:]
	}
	var arguments []string
	for i := 0; i < len(words); i++ {
		name, isOption := strings.CutPrefix(words[i], "-")
		if !isOption {
			arguments = append(arguments, words[i])
			continue
		}
		f := c.Flags().Lookup(strings.TrimPrefix(name, "-"))
		if len(name) == 1 {
			f = c.Flags().ShorthandLookup(name)
		}
		if f == nil {
			return "unknown option " + words[i]
		}
		if f.NoOptDefVal == "" {
			i++
		}
	}
	if c.HasSubCommands() && len(arguments) > 0 {
		return "unknown command " + arguments[0]
	}
	err := c.ValidateArgs(arguments)
	if err == nil || strings.HasPrefix(err.Error(), "Missing") || strings.Contains(err.Error(), "NAME: NAME ") { // any name
		return ""
	}
	return err.Error()
}
