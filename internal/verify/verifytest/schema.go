package verifytest

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Schema is the JSON Schema of trust bundles, by an independent validator. The folder
// has the schemas of the format.
func Schema(tb testing.TB, folder string) *jsonschema.Schema {
	tb.Helper()
	compiler := jsonschema.NewCompiler()
	files, err := filepath.Glob(filepath.Join(folder, "*.schema.json"))
	if err != nil || len(files) == 0 {
		tb.Fatalf("no schemas: %v", err)
	}
	for _, file := range files {
		if err := compiler.AddResource("https://hachure.org/schemas/"+filepath.Base(file),
			Instance(tb, File(tb, file))); err != nil {
			tb.Fatal(err)
		}
	}
	schema, err := compiler.Compile("https://hachure.org/schemas/trust-bundle.schema.json")
	if err != nil {
		tb.Fatal(err)
	}
	return schema
}

// Instance reads JSON for that validator.
func Instance(tb testing.TB, text string) any {
	tb.Helper()
	instance, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		tb.Fatal(err)
	}
	return instance
}

// Validate demands that a bundle is as its JSON Schema says.
func Validate(tb testing.TB, schema *jsonschema.Schema, bundle any) {
	tb.Helper()
	text, err := json.Marshal(bundle)
	if err != nil {
		tb.Fatal(err)
	}
	if err := schema.Validate(Instance(tb, string(text))); err != nil {
		tb.Errorf("%v\nin %s", err, text)
	}
}
