package openapi

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/model-catalog-service/svc/internal/httpapi"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/internal/verify/producer"
)

// described is what stands in the code of a service that must be described.
type described struct {
	paths    string // the file whose constants they are
	statuses map[problem.Code]int
}

func TestDescriptions(t *testing.T) {
	vectortest.SkipLong(t)
	for name, code := range map[string]described{
		"catalog.yaml":      {"../../internal/httpapi/route.go", httpapi.HTTPStatuses()},
		"verification.yaml": {"../../internal/verify/producer/handler.go", producer.HTTPStatuses()},
	} {
		t.Run(name, func(t *testing.T) {
			d := load(t, name)
			t.Run("valid", d.testValid)
			t.Run("components", d.testComponents)
			t.Run("paths", func(t *testing.T) { d.testPaths(t, code.paths) })
			t.Run("codes", func(t *testing.T) { d.testCodes(t, code.statuses) })
		})
	}
}

// The document is OpenAPI 3.1. Its examples are held against answers that were given,
// which are validated elsewhere: kin compiles a schema without the file that it is in.
func (d *description) testValid(t *testing.T) {
	if !d.IsOpenAPI31OrLater() {
		t.Errorf("version %s", d.OpenAPI)
	}
	if err := d.Validate(t.Context(), openapi3.IsOpenAPI31OrLater(), openapi3.EnableSchemaPatternValidation(), openapi3.DisableExamplesValidation()); err != nil {
		t.Error(err)
	}
}

// Every component is of use.
func (d *description) testComponents(t *testing.T) {
	used := map[string]bool{}
	collectRefs(d.tree, used)
	for kind, members := range d.tree.(map[string]any)["components"].(map[string]any) {
		for member := range members.(map[string]any) {
			if ref := "#/components/" + kind + "/" + member; !used[ref] {
				t.Errorf("nothing refers to %s", ref)
			}
		}
	}
}

func collectRefs(v any, into map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			into[ref] = true
		}
		for _, member := range v {
			collectRefs(member, into)
		}
	case []any:
		for _, element := range v {
			collectRefs(element, into)
		}
	}
}

// The paths are those that are constants of the code.
func (d *description) testPaths(t *testing.T, file string) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	inCode, described := map[string]bool{}, map[string]bool{}
	for _, declaration := range parsed.Decls {
		constants, ok := declaration.(*ast.GenDecl)
		if !ok || constants.Tok != token.CONST {
			continue
		}
		ast.Inspect(constants, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				if path, err := strconv.Unquote(literal.Value); err == nil && strings.HasPrefix(path, "/") {
					inCode[path] = true
				}
			}
			return true
		})
	}
	delete(inCode, "/v*") // which stands for paths that there are not
	for path := range d.Paths.Map() {
		described[path] = true
	}
	compare(t, described, inCode, "is not in the code", "is not described")
}

// Each status has the codes that it has in the code, all of them and no other,
// and so has the schema of error bodies.
func (d *description) testCodes(t *testing.T, statuses map[problem.Code]int) {
	inCode, codes := map[string]bool{}, map[string]bool{}
	for code, status := range statuses {
		inCode[strconv.Itoa(status)+" "+string(code)] = true
		codes[string(code)] = true
	}
	described := map[string]bool{}
	d.operations(t, func(_ string, _ *openapi3.Operation, responses map[string]*openapi3.ResponseRef) {
		for status, response := range responses {
			codes := d.codes(t, response.Ref)
			if status >= "400" && len(codes) == 0 {
				t.Errorf("%s has no codes", response.Ref)
			}
			for _, code := range codes {
				described[status+" "+code] = true
			}
		}
	})
	compare(t, described, inCode, "is not in the code", "is not described")
	inSchema := map[string]bool{}
	for _, code := range d.Components.Schemas["Error"].Value.Properties["error"].Value.Properties["code"].Value.Enum {
		inSchema[code.(string)] = true
	}
	compare(t, inSchema, codes, "is not in the code", "is not in the schema of errors")
}
