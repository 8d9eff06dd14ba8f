package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/export/exporttest"
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

// The schema that models.dev holds its own file against accepts every row that was written.
// It is TypeScript, from the real tree; the families of models, which the tree here lacks,
// are any text.
func TestModelsDevSchema(t *testing.T) {
	vectortest.SkipRace(t)
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
