package cmd

import (
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/model-catalog-service/svc/internal/sources/build/hosttest"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// The workflow and the action of packaging/github: their form, and what their steps do as a shell
// runs them, with real commands of Git and a stand-in for the hosts.

const gitHubFolder = "../packaging/github/"

// documented are the keys that GitHub documents for the parts of workflows and actions, with * where the
// names are one's own. A number at the end of a path is that of an item.
var documented = map[string]string{
	"workflow":                           "name run-name on permissions env defaults concurrency jobs",
	"workflow.on":                        "schedule workflow_dispatch workflow_call push pull_request",
	"workflow.on.schedule":               "cron timezone",
	"workflow.on.workflow_call":          "inputs outputs secrets",
	"workflow.on.workflow_call.inputs":   "*",
	"workflow.on.workflow_call.inputs.*": "description type required default deprecationMessage",
	"workflow.permissions":               "",
	"workflow.concurrency":               "group cancel-in-progress",
	"workflow.jobs":                      "*",
	"workflow.jobs.*":                    "name permissions needs if runs-on environment concurrency outputs env defaults steps timeout-minutes strategy continue-on-error container services uses with secrets",
	"workflow.jobs.*.permissions":        "contents pull-requests pages id-token actions checks issues security-events",
	"workflow.jobs.*.environment":        "name url",
	"workflow.jobs.*.outputs":            "*",
	"workflow.jobs.*.steps":              "id if name uses run working-directory shell with env continue-on-error timeout-minutes",
	"workflow.jobs.*.steps.with":         "*",
	"workflow.jobs.*.steps.env":          "*",
	"action":                             "name author description inputs outputs runs branding",
	"action.inputs":                      "*",
	"action.inputs.*":                    "description required default deprecationMessage",
	"action.outputs":                     "*",
	"action.outputs.*":                   "description value",
	"action.runs":                        "using steps",
	"action.runs.steps":                  "id if name uses run working-directory shell with env continue-on-error",
	"action.runs.steps.with":             "*",
	"action.runs.steps.env":              "*",
}

// undocumented finds keys that GitHub does not know.
func undocumented(at string, value any) (faults []string) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			faults = append(faults, undocumented(at, item)...)
		}
	case map[string]any:
		keys, known := documented[at]
		if !known {
			return []string{at + " has keys"}
		}
		for _, name := range slices.Sorted(maps.Keys(value)) {
			next := name
			if keys == "*" {
				next = "*"
			} else if !slices.Contains(strings.Fields(keys), name) {
				faults = append(faults, at+" has no key "+name)
				continue
			}
			faults = append(faults, undocumented(at+"."+next, value[name])...)
		}
	}
	return faults
}

// step is a step of a job or an action.
type step struct {
	ID, If, Name, Uses, Run, Shell string
	WorkingDirectory               string `yaml:"working-directory"`
	With, Env                      map[string]string
}

func readYAML(t *testing.T, name string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(readSource(t, gitHubFolder+name)), into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// gitHubSteps returns the steps of the action, and those of a job of the workflow.
func gitHubSteps(t *testing.T, job string) (action, workflow []step) {
	t.Helper()
	var a struct{ Runs struct{ Steps []step } }
	var w struct {
		Jobs map[string]struct{ Steps []step }
	}
	readYAML(t, "action.yml", &a)
	readYAML(t, "catalog.yml", &w)
	if len(a.Runs.Steps) == 0 || len(w.Jobs[job].Steps) == 0 {
		t.Fatal("there are no steps")
	}
	return a.Runs.Steps, w.Jobs[job].Steps
}

// What GitHub documents of workflows and actions holds for these; each action is named by a commit, and
// this one by the version that it comes with; and no text from outside becomes part of a command.
func TestGitHubForm(t *testing.T) {
	for name, kind := range map[string]string{"action.yml": "action", "catalog.yml": "workflow"} {
		var tree map[string]any
		readYAML(t, name, &tree)
		for _, fault := range undocumented(kind, tree) {
			t.Errorf("%s: %s", name, fault)
		}
		text := readSource(t, gitHubFolder+name)
		pinned := regexp.MustCompile(`^(actions/[a-z-]+@[0-9a-f]{40} # v[0-9]+\.[0-9]+\.[0-9]+|model-catalog-service/svc/packaging/github@v[0-9]+\.[0-9]+\.[0-9]+)$`)
		uses := regexp.MustCompile(`(?m)^[^#\n]*\buses: (.*)$`).FindAllStringSubmatch(text, -1)
		for _, u := range uses {
			if !pinned.MatchString(u[1]) {
				t.Errorf("%s: %q does not name a commit and its version", name, u[1])
			}
		}
		if len(uses) < 2 {
			t.Errorf("%s uses %d actions", name, len(uses))
		}
	}
	var ofAction []step
	for _, job := range []string{"build", "publish", "gate"} {
		action, workflow := gitHubSteps(t, job)
		ofAction = action
		for _, s := range append(action, workflow...) {
			if strings.Contains(s.Run, "${{") {
				t.Errorf("%s: a command has an expression, whose value would be run", s.Name)
			}
			if (s.Run == "") == (s.Uses == "") {
				t.Errorf("%s: a step runs something, or uses something", s.Name)
			}
		}
	}
	for _, s := range ofAction {
		if s.Run != "" && s.Shell == "" {
			t.Errorf("%s: a step of an action names its shell", s.Name)
		}
	}
	for _, wrong := range []map[string]any{{"jobs": map[string]any{"a": map[string]any{"runs": 1}}}, {"one": 1}, {"on": map[string]any{"never": nil}}} {
		if undocumented("workflow", wrong) == nil {
			t.Errorf("%v is not seen to be wrong", wrong)
		}
	}
}

// runner runs steps as GitHub does.
type runner struct {
	dir     string // the repository
	env     []string
	values  map[string]string // of expressions
	outputs string            // the file of a step
}

// run runs steps, without those that use the actions of others, and returns what they print. It ends at the
// first that fails.
func (r *runner) run(t *testing.T, steps []step) (printed string, code int) {
	t.Helper()
	expression := regexp.MustCompile(`\$\{\{ (.*?) \}\}`)
	filled := func(text string) string {
		return expression.ReplaceAllStringFunc(text, func(e string) string {
			value, ok := r.values[expression.FindStringSubmatch(e)[1]]
			if !ok {
				t.Errorf("nobody knows the value of %s", e)
			}
			return value
		})
	}
	for _, s := range steps {
		if name, value, ok := strings.Cut(s.If, " == "); ok && "'"+r.values[name]+"'" != value {
			continue
		} else if s.Run == "" || strings.Contains(s.Run, "go install") {
			continue
		}
		if err := os.WriteFile(r.outputs, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		c := exec.Command("sh", "-e", "-c", s.Run)
		c.Dir = filepath.Join(r.dir, filled(s.WorkingDirectory))
		c.Env = append(slices.Clone(r.env), "GITHUB_OUTPUT="+r.outputs)
		for name, value := range s.Env {
			c.Env = append(c.Env, name+"="+filled(value))
		}
		out, err := c.CombinedOutput()
		printed += string(out)
		if c.ProcessState == nil {
			t.Fatal(err)
		}
		if code := c.ProcessState.ExitCode(); code != 0 {
			return printed, code
		}
		for line := range strings.Lines(readSource(t, r.outputs)) {
			name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
			r.values["steps."+s.ID+".outputs."+name] = value
		}
	}
	return printed, 0
}

// newRunner makes a repository with a recipe and a lock, and a remote one to push to. The program gh
// writes down how it is called.
func newRunner(t *testing.T, hosts *hosttest.Hosts) *runner {
	t.Helper()
	vectortest.Tool(t, "git", "git")
	top := t.TempDir()
	r := &runner{dir: filepath.Join(top, "here"), outputs: filepath.Join(top, "outputs"), values: map[string]string{
		"inputs.folder": ".", "inputs.lock": "models.lock.json", "inputs.lock || 'models.lock.json'": "models.lock.json", "github.token": "secret",
		"github.repository_owner": "acme", "github.event.repository.name": "models",
	}}
	for _, folder := range []string{"bin", "here"} {
		if err := os.Mkdir(filepath.Join(top, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, filepath.Join(top, "bin", "gh"), []byte("#!/bin/sh\nprintf '%s\\n' \"$*\" >> "+top+"/calls\n"))
	if err := os.Chmod(filepath.Join(top, "bin", "gh"), 0o700); err != nil {
		t.Fatal(err)
	}
	r.env = append(os.Environ(), "PATH="+filepath.Join(top, "bin")+":"+os.Getenv("PATH"), "HOME="+top, "XDG_CONFIG_HOME="+top, "GIT_CONFIG_NOSYSTEM=1",
		"SSL_CERT_FILE="+hosts.CA, hostsPort+"="+hosts.Port, summaryVariable+"="+filepath.Join(top, "summary.md"))
	writeFile(t, filepath.Join(r.dir, "catalog.yaml"), []byte("version: 1\nsources:\n  openrouter-models:\n"))
	r.must(t, "git init --quiet --bare --initial-branch=main ../there && git init --quiet --initial-branch=main . && git remote add origin ../there"+
		" && git config user.name a && git config user.email a@example.org && git add . && git commit --quiet -m first && git push --quiet -u origin main")
	return r
}

// must runs a command of the shell in the repository.
func (r *runner) must(t *testing.T, command string) string {
	t.Helper()
	out, code := r.run(t, []step{{Run: command}})
	if code != 0 {
		t.Fatalf("%s: exit code %d: %s", command, code, out)
	}
	return out
}

// day runs the workflow, with the action in it, at a time.
func (r *runner) day(t *testing.T, at time.Time) {
	t.Helper()
	r.env = append(r.env, hostsClock+"="+at.Format(time.RFC3339))
	r.must(t, "rm -rf site before.json findings.txt pull-request.md ../calls && git checkout --quiet main") // a run begins with a clone
	action, workflow := gitHubSteps(t, "build")
	for _, steps := range [][]step{action, workflow} {
		if out, code := r.run(t, steps); code != 0 {
			t.Fatalf("exit code %d: %s", code, out)
		}
		r.values["steps.svc.outputs.ok"] = r.values["steps.check.outputs.ok"]
	}
}

// The first day makes a catalog, the second one finds that a price rose.
func TestGitHubSteps(t *testing.T) {
	hosts := hosttest.New(t)
	r := newRunner(t, hosts)
	list := func(price string) string {
		return `{"data":[` + routedRow("acme/atlas", "0.000001", price) + "," + routedRow("acme/borealis", "0.000001", "0.000003") + `]}`
	}
	now := time.Now().UTC().Truncate(time.Second) // svc check asks the clock
	hosts.Serve(hosttest.OpenRouter, list("0.000002"))
	r.day(t, now.Add(-16*time.Hour))
	if ok := r.values["steps.svc.outputs.ok"]; ok != "true" || !strings.Contains(readSource(t, filepath.Join(r.dir, "site", "changes.txt")), "first catalog") {
		t.Errorf("the first day: ok is %q", ok)
	}
	r.must(t, "svc lock --use openrouter:acme/atlas -o models.lock.json && git add models.lock.json && git commit --quiet -m lock && git push --quiet")
	hosts.Serve(hosttest.OpenRouter, list("0.000004"))
	r.day(t, now.Add(-8*time.Hour))
	if ok := r.values["steps.svc.outputs.ok"]; ok != "false" {
		t.Errorf("a price rose, and ok is %q", ok)
	}
	for name, want := range map[string]string{
		"here/site/index.html": "<!doctype html>", "here/site/feed.xml": "https://acme.github.io/models/feed.xml", "here/site/catalog.json": "service.catalog/v2",
		"here/site/litellm.json": "acme/atlas", "here/site/facts.csv": "price.output", "here/site/changes.txt": "price.output", "here/models.sarif": "PRICE_UP",
		"here/pull-request.md": "PRICE_UP", "summary.md": "PRICE\\_UP", "calls": "pr create --title Models that you rely on have changed --body-file pull-request.md",
	} {
		if text := readSource(t, filepath.Join(r.dir, "..", name)); !strings.Contains(text, want) {
			t.Errorf("%s lacks %q: %.300s", name, want, text)
		}
	}
	log := r.must(t, "git -C ../there log --format=%s main; echo; git -C ../there show svc/models-lock -- models.lock.json")
	if !strings.HasPrefix(log, "Build the catalog\nlock\nBuild the catalog\nfirst\n") || !regexp.MustCompile(`\n-.*"price.output".*0\.000002.*\n\+.*"price.output".*0\.000004`).MatchString(log) {
		t.Errorf("the remote repository has\n%s", log)
	}
	_, gate := gitHubSteps(t, "gate")
	if out, code := r.run(t, gate); code != 1 || !strings.HasPrefix(out, "::error::") {
		t.Errorf("the gate: exit code %d: %s", code, out)
	}
	// A day on which nothing answers fails no run: the catalog of the day before stays.
	hosts.Fail(hosttest.OpenRouter, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "", http.StatusBadGateway) })
	r.day(t, now)
	if n := strings.Count(r.must(t, "git -C ../there log --format=%s main"), "Build the catalog"); n != 3 {
		t.Errorf("%d builds are committed", n)
	}
}

// routedRow is a row of OpenRouter's answer.
func routedRow(id, prompt, completion string) string {
	return `{"id":"` + id + `","canonical_slug":"` + id + `","name":"Atlas","created":1750000000,"description":"","context_length":200000,
		"architecture":{"modality":"text->text","input_modalities":["text"],"output_modalities":["text"],"tokenizer":"Other","instruct_type":null},
		"pricing":{"prompt":"` + prompt + `","completion":"` + completion + `"},
		"top_provider":{"context_length":200000,"max_completion_tokens":32000,"is_moderated":false},
		"per_request_limits":null,"supported_parameters":["tools"],"default_parameters":{}}`
}
