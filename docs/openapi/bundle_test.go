package openapi

import (
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/model-catalog-service/svc/internal/vectortest"
)

// bundled are the files that have a description whole, and the description.
func bundled() map[string]string {
	files := map[string]string{}
	for _, name := range []string{"catalog", "verification"} {
		for _, version := range []string{"3.0", "3.1"} {
			files[name+"-"+version+".json"] = name + ".yaml"
		}
	}
	return files
}

// The descriptions in one file are valid, whole, and have the same operations. They have nothing
// that generators of clients stumble over.
func TestBundles(t *testing.T) {
	for name, of := range bundled() {
		text, err := os.ReadFile(name)
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
		whole, err := loader.LoadFromFile(of)
		if err != nil {
			t.Fatal(err)
		}
		for path, item := range whole.Paths.Map() {
			in := bundle.Paths.Find(path)
			for method := range item.Operations() {
				if in == nil || in.GetOperation(method) == nil {
					t.Errorf("%s lacks %s %s", name, method, path)
				}
			}
		}
		for _, fault := range unreadable(decode(t, string(text)), "$", true) {
			t.Errorf("%s: %s", name, fault)
		}
	}
}

// The long description has no schema that is true or false for a member, either.
func TestNoBooleanMembers(t *testing.T) {
	text, err := os.ReadFile("schemas.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range unreadable(decode(t, string(text)), "$", false) {
		t.Error(fault)
	}
}

// unreadable finds what generators do not read: true and false for members and, if all is looked
// for, choices and several types.
func unreadable(v any, path string, all bool) (faults []string) {
	switch v := v.(type) {
	case []any:
		for i, part := range v {
			faults = append(faults, unreadable(part, fmt.Sprintf("%s[%d]", path, i), all)...)
		}
	case map[string]any:
		members, _ := v["properties"].(map[string]any)
		for name, schema := range members {
			if _, isBool := schema.(bool); isBool {
				faults = append(faults, path+".properties."+name+" is true or false")
			}
		}
		types, _ := v["type"].([]any)
		if several := len(types) - len(slices.DeleteFunc(slices.Clone(types), func(t any) bool { return t != "null" })); all && several > 1 {
			faults = append(faults, path+" has several types")
		}
		for name, part := range v {
			if _, isList := part.([]any); isList && all && (name == "oneOf" || name == "anyOf") {
				faults = append(faults, path+" has "+name)
			}
			faults = append(faults, unreadable(part, path+"."+name, all)...)
		}
	}
	return faults
}

// Two generators of Go clients make one with all operations of each description in one file.
func TestGoGenerators(t *testing.T) {
	oapi := vectortest.Tool(t, "oapi-codegen", "oapi-codegen of tools/go.mod")
	ogen := vectortest.Tool(t, "ogen", "ogen of tools/go.mod")
	for name := range bundled() {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var description struct {
			Paths map[string]map[string]json.RawMessage
		}
		if err := json.Unmarshal(text, &description); err != nil {
			t.Fatal(err)
		}
		for _, generator := range []struct{ program, file, declares string }{
			{oapi, "client.go", "func (c *Client) %s"}, // or WithBody
			{ogen, "oas_client_gen.go", "func (c *Client) %s("},
		} {
			dir := t.TempDir()
			made := filepath.Join(dir, generator.file)
			args := []string{"--target", dir, "--package", "client", name}
			if generator.program == oapi {
				args = []string{"-generate", "types,skip-prune,client", "-package", "client", "-o", made, name}
			}
			if out, err := exec.Command(generator.program, args...).CombinedOutput(); err != nil {
				t.Errorf("%s of %s: %v, %.2000s", generator.program, name, err, out)
				continue
			}
			code, err := os.ReadFile(made)
			if err == nil {
				_, err = parser.ParseFile(token.NewFileSet(), made, code, 0)
			}
			if err != nil {
				t.Errorf("%s of %s: %v", generator.program, name, err)
			}
			for path, item := range description.Paths {
				for method, of := range item {
					var operation struct{ OperationID string }
					if json.Unmarshal(of, &operation) != nil || operation.OperationID == "" {
						continue // not an operation
					}
					id := strings.ToUpper(operation.OperationID[:1]) + operation.OperationID[1:]
					if !strings.Contains(string(code), fmt.Sprintf(generator.declares, id)) {
						t.Errorf("%s of %s has no %s for %s %s", generator.program, name, id, method, path)
					}
				}
			}
		}
	}
}
