package cmd

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/export/exporttest"
	"github.com/model-catalog-service/svc/internal/quantity"
	"github.com/model-catalog-service/svc/internal/sources/modelsdev"
	"github.com/model-catalog-service/svc/internal/sources/openrouter"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// Programs that people have read what svc export writes from real files.

// exportModelsDev exports what the newest real tree of models.dev says, into the providers
// of the tree without their models, and returns the tree and the file.
func exportModelsDev(t *testing.T, arguments ...string) (tree exporttest.File, file string) {
	t.Helper()
	trees := exporttest.Files(t, modelsdev.Source)
	tree = trees[len(trees)-1]
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "catalog.json"), []byte(exporttest.Catalog(t, tree).Serialize()))
	writeFile(t, filepath.Join(dir, "base.json"), []byte(exporttest.Providers(t, tree)))
	line := append([]string{"export", "--catalog", "catalog.json", "--format", "models.dev", "--base", "base.json", "-o", "api.json"}, arguments...)
	if out, err := process(dir, line...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return tree, filepath.Join(dir, "api.json")
}

// statedRows is what the observations of a price list say, by row, then by key: prices as
// dollars per million tokens.
func statedRows(c *catalog.Catalog) map[string]map[string]float64 {
	rows := map[string]map[string]float64{}
	for _, entry := range c.Models() {
		for _, o := range entry.Observations {
			rec := o.Record()
			_, row, ok := compare.RowOf(rec.Evidence[0].ID)
			if !ok {
				continue
			}
			if rows[row] == nil {
				rows[row] = map[string]float64{}
			}
			for _, m := range rec.Measurements {
				number := m.Value.Text
				if m.Unit == "USD/token" {
					number = quantity.PerMillion(number)
				}
				if f, err := strconv.ParseFloat(number, 64); err == nil {
					rows[row][m.Key] = f
				}
			}
		}
	}
	return rows
}

// opencode lists the rows with the numbers that the observations say.
func TestOpencode(t *testing.T) {
	program := vectortest.Tool(t, "opencode", "opencode-ai from npm")
	tree, file := exportModelsDev(t, "--runtime", "openrouter", "--runtime", "deepseek")
	stated := statedRows(exporttest.Catalog(t, tree))
	var want map[string]struct{ Models map[string]json.RawMessage }
	if err := json.Unmarshal([]byte(readSource(t, file)), &want); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	list := func(arguments ...string) string {
		c := exec.Command(program, arguments...)
		c.Dir = home
		c.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "OPENCODE_MODELS_PATH=" + file, "OPENCODE_DISABLE_MODELS_FETCH=1",
			"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENROUTER_API_KEY=none", "DEEPSEEK_API_KEY=none"}
		// To a file: it ends before a pipe has taken all that it writes.
		name := filepath.Join(home, "list.txt")
		out, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		c.Stdout, c.Stderr = out, out
		err = c.Run()
		out.Close()
		text := string(readFileOf(t, name))
		if err != nil {
			t.Fatalf("%v: %.2000s", err, text)
		}
		return text
	}
	const hidden = "openai/gpt-5-chat" // by opencode, whatever its file says
	for _, provider := range []string{"openrouter", "deepseek"} {
		found := 0
		lines := list("models", provider, "--verbose")
		for id := range want[provider].Models {
			_, rest, ok := strings.Cut("\n"+lines, "\n"+provider+"/"+id+"\n")
			if !ok {
				if id != hidden {
					t.Errorf("%s/%s is not listed", provider, id)
				}
				continue
			}
			var got struct {
				Cost struct {
					Input, Output float64
					Cache         struct{ Read, Write float64 }
				}
				Limit map[string]float64
			}
			if err := json.NewDecoder(strings.NewReader(rest)).Decode(&got); err != nil {
				t.Fatalf("%s/%s: %v in %.300s", provider, id, err, rest)
			}
			found++
			says := stated[provider+"/"+id]
			if got.Cost.Input != says["price.input"] || got.Cost.Output != says["price.output"] || got.Cost.Cache.Read != says["price.cache_read"] ||
				got.Cost.Cache.Write != says["price.cache_write"] || got.Limit["context"] != says["limits.context"] || got.Limit["output"] != says["limits.output"] {
				t.Errorf("%s/%s: %+v, stated is %v", provider, id, got, says)
			}
		}
		if found == 0 {
			t.Errorf("%s has no models", provider)
		}
		t.Logf("%s: %d models", provider, found)
	}
}

// The schema that models.dev holds its own file against accepts every row that was written.
// It is TypeScript, from the real tree; the families of models, which the tree here lacks,
// are any text.
func TestModelsDevSchema(t *testing.T) {
	tsx := vectortest.Tool(t, "tsx", "tsx and zod from npm")
	modules, err := filepath.Abs(filepath.Join(filepath.Dir(tsx), ".."))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(modules, "zod")); err != nil {
		vectortest.Missing(t, "zod is missing: install it from npm beside tsx")
	}
	tree, file := exportModelsDev(t)
	dir := t.TempDir()
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"package.json": `{"type":"module"}`,
		"schema.ts":    exporttest.Entry(t, tree, "packages/core/src/schema.ts"),
		"family.ts":    "import { z } from \"zod\";\nexport const ModelFamily = z.string();\n",
		"check.ts": `import { readFileSync } from "node:fs";
import { Provider } from "./schema";
const file = JSON.parse(readFileSync(process.argv[2], "utf8"));
let models = 0;
for (const [id, provider] of Object.entries(file)) {
  const result = Provider.safeParse(provider);
  if (!result.success) console.log(id, JSON.stringify(result.error.issues.slice(0, 3)));
  models += Object.keys(provider.models).length;
}
console.log("models", models);
`,
	} {
		writeFile(t, filepath.Join(dir, name), []byte(text))
	}
	check := func(file string) string {
		c := exec.Command(tsx, "check.ts", file)
		c.Dir = dir
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %.2000s", err, out)
		}
		return string(out)
	}
	if out := check(file); !strings.HasPrefix(out, "models 3") || strings.Count(out, "\n") != 1 {
		t.Errorf("%.2000s", out)
	}
	// So do the rows that another list knows better, and those that it adds.
	lists := exporttest.Files(t, openrouter.Source)
	catalog, changed := filepath.Join(dir, "catalog.json"), filepath.Join(dir, "changed.json")
	writeFile(t, catalog, []byte(exporttest.Catalog(t, lists[len(lists)-1]).Serialize()))
	out, err := process(dir, "export", "--catalog", catalog, "--format", "models.dev", "--base", file, "-o", changed).CombinedOutput()
	if err != nil || readSource(t, changed) == readSource(t, file) {
		t.Fatalf("%v: %s", err, out)
	}
	if out := check(changed); !strings.HasPrefix(out, "models 3") || strings.Count(out, "\n") != 1 {
		t.Errorf("%.2000s", out)
	}
	// It does refuse what it should.
	broken := filepath.Join(dir, "broken.json")
	writeFile(t, broken, []byte(strings.Replace(readSource(t, file), `"context":`, `"contexts":`, 1)))
	if out := check(broken); !strings.Contains(out, "contexts") {
		t.Errorf("a broken file passes: %s", out)
	}
}
