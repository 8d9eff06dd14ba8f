package openapi

import (
	"os"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// The descriptions in OpenAPI 3.0 are valid, whole in one file, and have the same operations.
func TestBundles(t *testing.T) {
	for _, name := range []string{"catalog", "verification"} {
		text, err := os.ReadFile(name + "-3.0.json")
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "schemas.json#") {
			t.Errorf("%s refers to another file", name)
		}
		loader := openapi3.NewLoader()
		bundle, err := loader.LoadFromData(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := bundle.Validate(t.Context(), openapi3.DisableExamplesValidation()); err != nil {
			t.Errorf("%s: %.600v", name, err)
		}
		loader.IsExternalRefsAllowed = true
		whole, err := loader.LoadFromFile(name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		for path, item := range whole.Paths.Map() {
			of := bundle.Paths.Find(path)
			for method := range item.Operations() {
				if of == nil || of.GetOperation(method) == nil {
					t.Errorf("%s lacks %s %s", name, method, path)
				}
			}
		}
	}
}
