// Package openapi holds the descriptions of the two HTTP services, and them
// against the servers that they describe: what a server answers is described,
// and what is described is answered.
package openapi

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// description is a description of a service.
//
// Its tree is kin's. Instances are validated by jsonschema instead, by the text
// of the document and of the schema files as they stand: kin would validate by
// what it has made of them, and name places in them that are not there. Nor does
// its filter of responses look for headers that are not described.
type description struct {
	*openapi3.T
	tree    any // the document as it would be in JSON
	url     string
	schemas *jsonschema.Compiler
}

func load(t testing.TB, name string) *description {
	t.Helper()
	loader := openapi3.NewLoader()
	loader.IsExternalRefsAllowed = true
	doc, err := loader.LoadFromFile(name)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := yaml.Unmarshal(text, &tree); err != nil {
		t.Fatal(err)
	}
	full, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	d := &description{T: doc, tree: plain(t, tree), url: "file:///" + strings.TrimPrefix(filepath.ToSlash(full), "/"), schemas: jsonschema.NewCompiler()}
	d.schemas.AssertFormat()
	if err := d.schemas.AddResource(d.url, d.tree); err != nil {
		t.Fatal(err)
	}
	return d
}

// plain returns a value as it is once it went through JSON.
func plain(t testing.TB, v any) any {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, string(text))
}

func decode(t testing.TB, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %.200s", err, text)
	}
	return v
}

// schema returns the schema at a place, like "#/components/headers/ETag/schema".
func (d *description) schema(t testing.TB, place string) *jsonschema.Schema {
	t.Helper()
	s, err := d.schemas.Compile(d.url + place)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// bodySchema returns the schema of the JSON of a response or request body.
func (d *description) bodySchema(t testing.TB, of string) *jsonschema.Schema {
	t.Helper()
	return d.schema(t, of+"/content/application~1json/schema")
}

// responses returns the described responses to a method on a path, by status,
// and under which name. No path stands for all that are not described, and all
// methods that are not described are one.
func (d *description) responses(t testing.TB, path, method string) (operation string, responses map[string]*openapi3.ResponseRef) {
	t.Helper()
	if path == "" {
		return "other paths", d.extension(t, d.Extensions, "x-other-paths")
	}
	item := d.Paths.Value(path)
	if item == nil {
		t.Fatalf("%s is not described", path)
	}
	if described := item.Operations()[method]; described != nil {
		return method + " " + path, described.Responses.Map()
	}
	return "other methods on " + path, d.extension(t, item.Extensions, "x-other-methods")
}

// extension returns the responses that an extension refers to, by status.
func (d *description) extension(t testing.TB, extensions map[string]any, name string) map[string]*openapi3.ResponseRef {
	t.Helper()
	responses := map[string]*openapi3.ResponseRef{}
	byStatus, ok := extensions[name].(map[string]any)
	if !ok || len(byStatus) == 0 {
		t.Fatalf("%s is %v", name, extensions[name])
	}
	for status, v := range byStatus {
		ref, _ := v.(map[string]any)["$ref"].(string)
		target := d.Components.Responses[strings.TrimPrefix(ref, "#/components/responses/")]
		if target == nil {
			t.Fatalf("%s: %s: %v leads nowhere", name, status, v)
		}
		responses[status] = &openapi3.ResponseRef{Ref: ref, Value: target.Value}
	}
	return responses
}

// codes are the error codes that a response may have.
func (d *description) codes(t testing.TB, ref string) (codes []string) {
	t.Helper()
	const inside = "content application/json schema allOf 1 properties error properties code enum"
	v := d.tree
	for _, step := range append(strings.Split(ref, "/")[1:], strings.Fields(inside)...) {
		switch at := v.(type) {
		case map[string]any:
			v = at[step]
		case []any:
			n, err := strconv.Atoi(step)
			if err != nil || n >= len(at) {
				return nil
			}
			v = at[n]
		default:
			return nil
		}
	}
	list, _ := v.([]any)
	for _, code := range list {
		codes = append(codes, code.(string))
	}
	return codes
}

// operations calls f for each method that is described, and once for all methods
// that are not, on each path, and once for all other paths.
func (d *description) operations(t testing.TB, f func(operation string, o *openapi3.Operation, responses map[string]*openapi3.ResponseRef)) {
	t.Helper()
	const other = "BREW"
	for path, item := range d.Paths.Map() {
		for method, o := range item.Operations() {
			_, responses := d.responses(t, path, method)
			f(method+" "+path, o, responses)
		}
		operation, responses := d.responses(t, path, other)
		f(operation, nil, responses)
	}
	operation, responses := d.responses(t, "", other)
	f(operation, nil, responses)
}

// parameters are those of an operation and of its path.
func (d *description) parameters(path string, o *openapi3.Operation) openapi3.Parameters {
	return slices.Concat(d.Paths.Value(path).Parameters, o.Parameters)
}

// facts are all that a description says, one line each, in the words in which
// an exchange is told.
func (d *description) facts(t testing.TB) map[string]bool {
	t.Helper()
	facts := map[string]bool{}
	d.operations(t, func(operation string, o *openapi3.Operation, responses map[string]*openapi3.ResponseRef) {
		for status, response := range responses {
			if response.Ref == "" {
				t.Fatalf("%s: %s does not stand in the components", operation, status)
			}
			answer := operation + ": " + status
			facts[answer] = true
			for name := range response.Value.Headers {
				facts[answer+" with header "+name] = true
			}
			for media, content := range response.Value.Content {
				facts[answer+" with "+media] = true
				for name := range content.Examples {
					facts["example "+name+" of "+response.Ref] = true
				}
			}
			for _, code := range d.codes(t, response.Ref) {
				facts[answer+" with code "+code] = true
			}
		}
		if o == nil {
			return
		}
		_, path, _ := strings.Cut(operation, " ")
		for _, p := range d.parameters(path, o) {
			facts[operation+": given "+p.Value.In+" "+p.Value.Name] = true
		}
		if o.RequestBody != nil {
			for name := range o.RequestBody.Value.Content["application/json"].Examples {
				facts["example "+name+" of "+o.RequestBody.Ref] = true
			}
		}
	})
	for name, p := range d.Components.Parameters {
		if p.Value.Example == nil {
			t.Errorf("parameter %s has no example", name)
		}
		facts["example of parameter "+p.Value.Name] = true
	}
	return facts
}

// compare reports what stands in one set alone.
func compare(t testing.TB, a, b map[string]bool, onlyA, onlyB string) {
	t.Helper()
	for _, s := range slices.Sorted(maps.Keys(a)) {
		if !b[s] {
			t.Errorf("%q %s", s, onlyA)
		}
	}
	for _, s := range slices.Sorted(maps.Keys(b)) {
		if !a[s] {
			t.Errorf("%q %s", s, onlyB)
		}
	}
}

// equal reports whether two values are the same JSON.
func equal(t testing.TB, a, b any) bool {
	t.Helper()
	return reflect.DeepEqual(plain(t, a), plain(t, b))
}
