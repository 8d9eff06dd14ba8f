package recipe_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/model-catalog-service/svc/docs/schemas"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources/recipe"
)

// The schema of recipes accepts what svc accepts, but for what no schema can say: that a date is one
// that exists, that whom to prefer is among the sources, and what is YAML alone.
func TestSchema(t *testing.T) {
	text, _ := schemas.Text("recipe")
	root, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("urn:svc:schema:recipe", root); err != nil {
		t.Fatal(err)
	}
	schema := c.MustCompile("urn:svc:schema:recipe")
	accepted, refused := 0, 0
	check := func(text string) {
		t.Helper()
		var document any
		if err := yaml.Unmarshal([]byte(text), &document); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		asJSON, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		instance, err := jsonschema.UnmarshalJSON(strings.NewReader(string(asJSON)))
		if err != nil {
			t.Fatal(err)
		}
		_, byCode := recipe.Read(problem.Source{Name: recipe.FileName, Text: text}, recipe.Known())
		if bySchema := schema.Validate(instance); (bySchema == nil) != (byCode == nil) {
			t.Errorf("%s\nthe schema says %v, the code %v", text, bySchema, byCode)
		}
		if byCode == nil {
			accepted++
		} else {
			refused++
		}
	}
	check(recipe.New(recipe.Known()))
	values := []string{"", `""`, "x", `" x"`, "5", "true", "[]", "{}", "[x]", "[x, x]", "[5]", "[seller]", "1d", "400d", "0d", "01d", "99999999d", "newest", "all", "mapped", "a/b.json", "/a", "../a", "a/../b",
		"a//b", "a/", ".", "..", ".hidden", "a.", "[a, ../b]", "own/**/*.jsonl", "cb6a152e5ee27fbc77ac499d5e628ccd74a5fa2a", "CB6A152E5EE27FBC77AC499D5E628CCD74A5FA2A", "[design-arena]", "[design-arena, x]"}
	check("version: 1\nsources: {livebench: }\ngateways: [litellm, portkey]\n")
	for _, value := range values {
		for _, key := range []string{"prefer", "models", "providers", "decisions", "rulings", "questions", "gateways", "keep", "other"} {
			if key != "prefer" || !strings.ContainsAny(value, "xag") || value == "[seller]" || value == "[x, x]" { // others are no sources
				check(fmt.Sprintf("version: 1\nsources: {livebench: }\n%s: %s\n", key, value))
			}
		}
		for _, id := range append(recipe.Known(), "nobody") {
			for _, key := range []string{"release", "revision", "indexes", "collections", "files", "mapping", "rows"} {
				check(fmt.Sprintf("version: 1\nsources:\n  %s:\n    %s: %s\n", id, key, value))
			}
			check(fmt.Sprintf("version: 1\nsources:\n  %s: %s\n", id, value))
		}
		check("version: " + value + "\nsources: {livebench: }\n")
		check("version: 1\nsources: " + value + "\n")
	}
	if accepted < 100 || refused < 100 {
		t.Errorf("%d accepted, %d refused", accepted, refused)
	}
}
