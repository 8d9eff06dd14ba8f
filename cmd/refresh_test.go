package cmd

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
)

// The recipe of the page about refreshing works the first time, the second time with
// the same bytes, which it records as seen again, and the third time with others.
// curl is led to a server of this test.
func TestRefreshing(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("install curl to run the recipe")
	}
	_, script, _ := strings.Cut(readSource(t, "../docs/sources/refreshing.md"), "```sh refresh.sh\n")
	script, _, _ = strings.Cut(script, "```")
	listed := `{"acme/atlas":{"litellm_provider":"acme","mode":"chat","input_cost_per_token":8e-07,"output_cost_per_token":4e-06}}`
	sold := `{"data":[` + routedRow("acme/atlas", "0.0000008", "0.000004") + `]}`
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Host + r.URL.Path {
		case "openrouter.ai/api/v1/models":
			_, _ = io.WriteString(w, sold)
		case "raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json":
			_, _ = io.WriteString(w, listed)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "refresh.sh"), []byte(script))
	address := server.Listener.Addr().String()
	writeFile(t, filepath.Join(dir, ".curlrc"), []byte("insecure\nconnect-to = \"openrouter.ai:443:"+address+"\"\nconnect-to = \"raw.githubusercontent.com:443:"+address+"\"\n"))
	refresh := func() (outcome error, output string) {
		c := exec.Command("sh", "refresh.sh")
		c.Dir = dir
		c.Env = append(os.Environ(), "CURL_HOME="+dir, "XDG_CONFIG_HOME="+dir, "HOME="+dir)
		out, err := c.CombinedOutput()
		return err, string(out)
	}
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
					ends[source+" "+fact.Key+" "+fact.Value.Text] = rec.Freshness.ValidUntil
				}
			}
		}
		return ends
	}

	if err, out := refresh(); err != nil {
		t.Fatalf("the first time: %v\n%s", err, out)
	}
	first := facts()
	if len(first) == 0 || first["litellm-prices price.output 0.000004"] == "" || first["openrouter-models price.output 0.000004"] == "" {
		t.Fatalf("the first catalog has %v", first)
	}
	time.Sleep(2 * time.Millisecond) // names have milliseconds
	if err, out := refresh(); err != nil {
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

	sold = strings.ReplaceAll(sold, "0.000004", "0.000005")
	if err, out := refresh(); err != nil {
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
	server.Close()
	if err, _ := refresh(); err == nil {
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
