package cmd

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// The workflow that the page about locks shows does what it says: its steps run as a
// shell runs them, against a catalog that svc serves, and fail when a price rises.
func TestWorkflow(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("install curl to run the steps of the workflow")
	}
	_, block, _ := strings.Cut(readSource(t, "../docs/locking.md"), "```yaml\n")
	block, _, _ = strings.Cut(block, "```")
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct{ Uses, Run string }
		}
	}
	if err := yaml.Unmarshal([]byte(block), &workflow); err != nil {
		t.Fatal(err)
	}
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
	// steps runs the steps against a catalog and returns what they print.
	steps := func(catalog string) (string, int) {
		p := serveProcess(t, nil, "--catalog", catalog)
		ran := 0
		for _, step := range workflow.Jobs["models"].Steps {
			if step.Run == "" || strings.HasPrefix(step.Run, "go install github.com/model-catalog-service/svc@") {
				continue // svc is installed here
			}
			ran++
			c := exec.Command("sh", "-e", "-c", strings.Replace(step.Run, "https://catalog.example.org", p.url, 1))
			c.Dir = dir
			c.Env = append(os.Environ(), summaryVariable+"="+filepath.Join(dir, "summary.md"))
			out, err := c.CombinedOutput()
			if failed, ok := errors.AsType[*exec.ExitError](err); ok {
				return string(out), failed.ExitCode()
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if ran != 2 {
			t.Errorf("%d steps ran", ran)
		}
		return "", 0
	}
	if out, code := steps(first); code != exitDone {
		t.Errorf("nothing has changed, but the exit code is %d: %s", code, out)
	}
	if out, code := steps(second); code != exitNo || !strings.Contains(out, "title=PRICE_UP::openrouter:acme/atlas price.output: rose from $1.00 to $2.00") {
		t.Errorf("a price rose, but the exit code is %d: %s", code, out)
	}
	summary := readSource(t, filepath.Join(dir, "summary.md"))
	if !strings.Contains(summary, "1 use are as") && !strings.Contains(summary, "PRICE") {
		t.Error(summary)
	}
}

func must(text []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return text
}
