package cmd

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/model-catalog-service/svc/internal/export/exporttest"
	"github.com/model-catalog-service/svc/internal/sources/openrouter"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// workflowSteps returns the commands of the steps of a job, in the workflow of GitHub
// Actions that a page shows. It leaves out the one that installs svc.
func workflowSteps(t *testing.T, page, job string) (commands []string) {
	t.Helper()
	_, block, _ := strings.Cut(readSource(t, page), "```yaml\n")
	block, _, _ = strings.Cut(block, "```")
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct{ Uses, Run string }
		}
	}
	if err := yaml.Unmarshal([]byte(block), &workflow); err != nil {
		t.Fatal(err)
	}
	for _, step := range workflow.Jobs[job].Steps {
		if step.Run != "" && !strings.Contains(step.Run, "go install github.com/model-catalog-service/svc@") {
			commands = append(commands, step.Run)
		}
	}
	return commands
}

// runWorkflow runs the steps of the workflow that the page about locks shows, as a shell
// runs them, in a folder with a lock and against a catalog that svc serves. It returns what
// the step that failed prints.
func runWorkflow(t *testing.T, dir, catalog string) (out string, code int) {
	t.Helper()
	p := serveProcess(t, nil, "--catalog", catalog)
	steps := workflowSteps(t, "../docs/locking.md", "models")
	if len(steps) != 2 {
		t.Errorf("the workflow has %d steps: %q", len(steps), steps)
	}
	for _, step := range steps {
		c := exec.Command("sh", "-e", "-c", strings.Replace(step, "https://catalog.example.org", p.url, 1))
		c.Dir = dir
		c.Env = append(os.Environ(), summaryVariable+"="+filepath.Join(dir, "summary.md"))
		out, err := c.CombinedOutput()
		if failed, ok := errors.AsType[*exec.ExitError](err); ok {
			return string(out), failed.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
	}
	return "", 0
}

// The workflow that the page about locks shows does what it says: its steps run as a
// shell runs them, against a catalog that svc serves, and fail when a price rises.
func TestWorkflow(t *testing.T) {
	vectortest.Tool(t, "curl", "curl")
	dir := t.TempDir()
	compiledAt := func(name string, price float64) string {
		now := time.Now().UTC().Truncate(time.Second)
		var lines strings.Builder
		for _, o := range (&routed{ID: "acme/atlas"}).observations(now) {
			text, err := json.Marshal(o)
			if err != nil {
				t.Fatal(err)
			}
			lines.Write(append(text, '\n'))
		}
		r := routed{ID: "acme/atlas", Pricing: map[string]any{"completion": string(must(json.Marshal(price)))}}
		for _, o := range r.observations(now)[:1] {
			lines.Write(append(must(json.Marshal(o)), '\n'))
		}
		writeFile(t, filepath.Join(dir, name+".jsonl"), []byte(lines.String()))
		if out, err := process(dir, "compile", name+".jsonl", "--as-of", "now", "-o", name+".json").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return filepath.Join(dir, name+".json")
	}
	first, second := compiledAt("first", 1e-6), compiledAt("second", 2e-6)
	if out, err := process(dir, "lock", "--catalog", first, "--use", "openrouter:acme/atlas", "-o", "models.lock.json").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, code := runWorkflow(t, dir, first); code != exitDone {
		t.Errorf("nothing has changed, but the exit code is %d: %s", code, out)
	}
	if out, code := runWorkflow(t, dir, second); code != exitNo || !strings.Contains(out, "title=PRICE_UP::openrouter:acme/atlas price.output: rose from $1.00 to $2.00") {
		t.Errorf("a price rose, but the exit code is %d: %s", code, out)
	}
	summary := readSource(t, filepath.Join(dir, "summary.md"))
	if !strings.Contains(summary, "Nothing has changed: 1 use checked.\n") || !strings.Contains(summary, "| fail | PRICE\\_UP | openrouter:acme/atlas | price.output | rose from $1.00 to $2.00") {
		t.Error(summary)
	}
}

func must(text []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return text
}

// On two real days of OpenRouter, told as if they were a fortnight ago and today, the
// workflow passes with the catalog of the first, and fails with that of the second: for a
// price that rose, for a model that vanished, and for a contradiction, each with a line
// that says what to do.
func TestWorkflowOnRealDays(t *testing.T) {
	vectortest.SkipRace(t)
	vectortest.Tool(t, "curl", "curl")
	days := map[string][]string{}
	asOf := map[string]string{}
	now := time.Now().UTC().Truncate(time.Second)
	for _, f := range exporttest.Files(t, openrouter.Source) {
		day := f.At[:len("2026-07-17")]
		asOf["2026-07-17"], asOf["2026-07-31"] = now.Add(-14*24*time.Hour).Format(layoutOfRecords), now.Format(layoutOfRecords)
		if asOf[day] != "" {
			f.At = asOf[day]
			days[day] = exporttest.Observations(t, f)
		}
	}
	first, second := days["2026-07-17"], days["2026-07-31"]
	dir := t.TempDir()
	written := func(name, asOf string, docs []string) string {
		writeFile(t, filepath.Join(dir, name), []byte(exporttest.Compile(t, asOf, docs).Serialize()))
		return filepath.Join(dir, name)
	}
	before := written("before.json", asOf["2026-07-17"], first)
	var other string // who says another price
	for _, doc := range second {
		if strings.Contains(doc, `"id":"moonshotai/kimi-k3"`) && strings.Contains(doc, `"key":"price.input"`) {
			other = strings.Replace(strings.Replace(doc, `"value":0.000003`, `"value":0.000004`, 1), "openrouter-models:", "list:", 1)
		}
	}
	if other == "" {
		t.Fatal("nobody says the price of moonshotai/kimi-k3")
	}
	after := written("after.json", asOf["2026-07-31"], second)
	for _, test := range []struct {
		use, catalog string
		code         int
		want         string
	}{
		{"moonshotai/kimi-k3", after, exitDone, ""},
		{"zhipuai/glm-5.2", after, exitNo, `::error file=models.lock.json,line=LINE,title=PRICE_UP::openrouter:zhipuai/glm-5.2 price.input: rose from $0.9268 to $1.12 per million tokens (+21%25): accept it with svc check --update, or choose another model`},
		{"openai/gpt-5-codex", after, exitNo, `::error file=models.lock.json,line=LINE,title=MODEL_GONE::openrouter:openai/gpt-5-codex: the catalog has nothing on openai/gpt-5-codex any more: choose another model; the catalog has openai/gpt-5-image, openai/gpt-5-image-mini, openai/gpt-5-mini`},
		{"openai/gpt-5-codex", written("both.json", asOf["2026-07-31"], append(slices.Clone(first), second...)), exitNo, `::error file=models.lock.json,line=LINE,title=MODEL_GONE::openrouter:openai/gpt-5-codex: nothing that is known of openai/gpt-5-codex at openrouter holds any more, while other models there go on: choose another model; the catalog has openai/gpt-5-chat, openai/gpt-5-image, openai/gpt-5-image-mini`},
		{"moonshotai/kimi-k3", written("contradicted.json", asOf["2026-07-31"], append(slices.Clone(second), other)), exitNo, `::error file=models.lock.json,line=LINE,title=EVIDENCE_CONFLICT::openrouter:moonshotai/kimi-k3 price.input: the sources contradict each other ($3.00 or $4.00): settle which of them is right`},
	} {
		lock := filepath.Join(dir, "models.lock.json")
		_ = os.Remove(lock)
		if out, err := process(dir, "lock", "--catalog", before, "--use", "openrouter:"+test.use, "-o", lock).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		out, code := runWorkflow(t, dir, test.catalog)
		line := regexp.MustCompile("line=[0-9]+").ReplaceAllString(out, "line=LINE")
		if code != test.code || test.want != "" && !strings.Contains(line, test.want+"\n") {
			t.Errorf("%s: exit code %d: %s", test.use, code, out)
		}
	}
}

// layoutOfRecords is how records write an instant.
const layoutOfRecords = "2006-01-02T15:04:05.000Z"
