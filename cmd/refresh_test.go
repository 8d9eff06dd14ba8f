package cmd

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// refreshScript is the script of the page about refreshing, in a folder of its own. Its curl is
// led to a server of the test, which answers what listed and sold hold.
type refreshScript struct {
	dir    string
	server *httptest.Server

	sync.Mutex          // of the answers, which the server reads
	listed, sold string // the answers of LiteLLM and of OpenRouter
}

func newRefreshScript(t *testing.T) *refreshScript {
	t.Helper()
	vectortest.Tool(t, "curl", "curl")
	_, script, _ := strings.Cut(readSource(t, "../docs/sources/refreshing.md"), "```sh refresh.sh\n")
	script, _, _ = strings.Cut(script, "```")
	r := &refreshScript{
		dir:    t.TempDir(),
		listed: `{"acme/atlas":{"litellm_provider":"acme","mode":"chat","input_cost_per_token":8e-07,"output_cost_per_token":4e-06}}`,
		sold:   `{"data":[` + routedRow("acme/atlas", "0.0000008", "0.000004") + `]}`,
	}
	r.server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		r.Lock()
		defer r.Unlock()
		switch request.Host + request.URL.Path {
		case "openrouter.ai/api/v1/models":
			_, _ = io.WriteString(w, r.sold)
		case "raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json":
			_, _ = io.WriteString(w, r.listed)
		default:
			http.NotFound(w, request)
		}
	}))
	t.Cleanup(r.server.Close)
	writeFile(t, filepath.Join(r.dir, "refresh.sh"), []byte(script))
	address := r.server.Listener.Addr().String()
	writeFile(t, filepath.Join(r.dir, ".curlrc"), []byte("insecure\nconnect-to = \"openrouter.ai:443:"+address+"\"\nconnect-to = \"raw.githubusercontent.com:443:"+address+"\"\n"))
	return r
}

// raise makes OpenRouter dearer.
func (r *refreshScript) raise() {
	r.Lock()
	defer r.Unlock()
	r.sold = strings.ReplaceAll(r.sold, "0.000004", "0.000005")
}

// run runs a command of the shell in the folder.
func (r *refreshScript) run(command string) (output string, err error) {
	c := exec.Command("sh", "-e", "-c", command)
	c.Dir = r.dir
	c.Env = append(os.Environ(), "CURL_HOME="+r.dir, "XDG_CONFIG_HOME="+r.dir, "HOME="+r.dir, summaryVariable+"="+filepath.Join(r.dir, "summary.md"))
	out, err := c.CombinedOutput()
	return string(out), err
}

// The workflow of the page about refreshing publishes a folder with a catalog and a page
// for people. On the second day it has what changed, too.
func TestRefreshingWorkflow(t *testing.T) {
	r := newRefreshScript(t)
	day := func() {
		t.Helper()
		steps := workflowSteps(t, "../docs/sources/refreshing.md", "catalog")
		if len(steps) != 2 {
			t.Errorf("the workflow has %d steps: %q", len(steps), steps)
		}
		_ = os.RemoveAll(filepath.Join(r.dir, "site")) // each run has a folder of its own
		_ = os.RemoveAll(filepath.Join(r.dir, "summary.md"))
		for _, step := range steps {
			if out, err := r.run(step); err != nil {
				t.Fatalf("%s: %v\n%s", step, err, out)
			}
		}
		published := readSource(t, filepath.Join(r.dir, "site", "catalog.json"))
		if _, err := catalog.Parse(t.Context(), problem.Source{Text: published}); err != nil {
			t.Errorf("what is published is not a catalog: %v", err)
		}
		if page := readSource(t, filepath.Join(r.dir, "site", "index.html")); !strings.HasPrefix(page, "<!doctype html>") {
			t.Errorf("the page begins with %.40q", page)
		}
	}

	day()
	if _, err := os.Stat(filepath.Join(r.dir, "site", "changes.txt")); err == nil {
		t.Error("the first day says what changed")
	}
	time.Sleep(2 * time.Millisecond) // names have milliseconds
	r.raise()
	day()
	if published := readSource(t, filepath.Join(r.dir, "site", "catalog.json")); !strings.Contains(published, "0.000005") {
		t.Error("the catalog of the second day lacks the new price")
	}
	for _, name := range []string{"site/changes.txt", "summary.md"} {
		if changes := readSource(t, filepath.Join(r.dir, name)); !strings.Contains(changes, "price.output") {
			t.Errorf("a price rose, and %s says %s", name, changes)
		}
	}
	if out, err := r.run("svc report --catalog catalog.json -o without.html"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if readSource(t, filepath.Join(r.dir, "site", "index.html")) == readSource(t, filepath.Join(r.dir, "without.html")) {
		t.Error("the page of the second day does not compare the catalog with that of the first")
	}
}

// The workflow of the page about refreshing names each action by a commit and keeps in its
// cache what the recipe continues.
func TestRefreshingWorkflowIsPinned(t *testing.T) {
	_, block, _ := strings.Cut(readSource(t, "../docs/sources/refreshing.md"), "```yaml\n")
	block, _, _ = strings.Cut(block, "```")
	uses := regexp.MustCompile(`(?m)uses: .*$`).FindAllString(block, -1)
	pinned := regexp.MustCompile(`^uses: actions/[a-z-]+@[0-9a-f]{40} # v[0-9]+\.[0-9]+\.[0-9]+$`)
	for _, line := range uses {
		if !pinned.MatchString(line) {
			t.Errorf("%q does not name a commit and its version", line)
		}
	}
	if len(uses) < 5 {
		t.Errorf("the workflow uses %d actions", len(uses))
	}
	for _, kept := range []string{"lists", "catalog.json"} {
		if !regexp.MustCompile(`(?m)^ +` + regexp.QuoteMeta(kept) + `$`).MatchString(block) {
			t.Errorf("the cache does not keep %s", kept)
		}
	}
}

// The recipe of the page about refreshing works the first time, the second time with
// the same bytes, which it records as seen again, and the third time with others.
func TestRefreshing(t *testing.T) {
	r := newRefreshScript(t)
	dir := r.dir
	refresh := func() (output string, err error) { return r.run("sh refresh.sh") }
	facts := func() map[string]string { // the end of each price, by source and value
		c, err := catalog.Parse(t.Context(), problem.Source{Text: readSource(t, filepath.Join(dir, "catalog.json"))})
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Conflicts()) > 0 {
			t.Errorf("a refreshed catalog has conflicts: %v", c.Conflicts())
		}
		ends := map[string]string{}
		reader := catalog.NewRecordReader()
		for _, m := range c.Models() {
			for _, o := range m.Observations {
				rec := reader.Read(o)
				source, _, _ := strings.Cut(rec.Evidence[0].ID, ":")
				for _, fact := range rec.Measurements {
					ends[source+" "+fact.Key+" "+fact.Value.Text] = string(rec.Freshness.ValidUntil)
				}
			}
		}
		return ends
	}

	if out, err := refresh(); err != nil {
		t.Fatalf("the first time: %v\n%s", err, out)
	}
	first := facts()
	if len(first) == 0 || first["litellm-prices price.output 0.000004"] == "" || first["openrouter-models price.output 0.000004"] == "" {
		t.Fatalf("the first catalog has %v", first)
	}
	time.Sleep(2 * time.Millisecond) // names have milliseconds
	if out, err := refresh(); err != nil {
		t.Fatalf("the second time: %v\n%s", err, out)
	}
	second := facts()
	for fact, end := range first {
		if second[fact] <= end {
			t.Errorf("%s was looked at again and ends at %s, as before (%s)", fact, second[fact], end)
		}
	}
	if changes := readSource(t, filepath.Join(dir, "changes.txt")); strings.Contains(changes, "price.") {
		t.Errorf("nothing changed, but the recipe says %s", changes)
	}
	if pinned, err := filepath.Glob(filepath.Join(dir, "lists", "*Z.*[0-9a-f].json")); err != nil || len(pinned) != 4 {
		t.Errorf("%d files were kept of two looks at two files: %q, %v", len(pinned), pinned, err)
	}

	r.raise()
	if out, err := refresh(); err != nil {
		t.Fatalf("the third time: %v\n%s", err, out)
	}
	third := facts()
	if was, is := third["openrouter-models price.output 0.000004"], third["openrouter-models price.output 0.000005"]; was >= is || was > time.Now().UTC().Format(time.RFC3339) {
		t.Errorf("the old price ends at %q, the new one at %q", was, is)
	}
	if changes := readSource(t, filepath.Join(dir, "changes.txt")); !strings.Contains(changes, "price.output") {
		t.Errorf("a price rose, and the recipe says %s", changes)
	}

	before := readSource(t, filepath.Join(dir, "catalog.json"))
	r.server.Close()
	if _, err := refresh(); err == nil {
		t.Error("the recipe succeeds though nothing answers")
	}
	if readSource(t, filepath.Join(dir, "catalog.json")) != before {
		t.Error("a failure changes the catalog")
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
