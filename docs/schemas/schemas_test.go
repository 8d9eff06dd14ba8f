package schemas_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/model-catalog-service/svc/docs/schemas"
)

// document parses JSON for the validator of schemas.
func document(t testing.TB, text string) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in %.200s", err, text)
	}
	return v
}

func schemaText(t testing.TB, name string) string {
	t.Helper()
	text, ok := schemas.Text(name)
	if !ok {
		t.Fatalf("no schema %s", name)
	}
	return string(text)
}

// compile compiles a schema by itself, having checked it against the
// metaschema. It resolves nothing that is not in its file.
func compile(t testing.TB, name string) *jsonschema.Schema {
	t.Helper()
	id := "urn:svc:schema:" + name
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(jsonschema.SchemeURLLoader{})
	if err := c.AddResource(id, document(t, schemaText(t, name))); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(id)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// Every file is embedded, listed, named as it names itself, of 2020-12, and
// says what it is.
func TestFiles(t *testing.T) {
	var listed, found []string
	for _, s := range schemas.All() {
		listed = append(listed, s.Name)
		if s.About == "" {
			t.Errorf("%s: nothing is said about it", s.Name)
		}
	}
	files, err := filepath.Glob("*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name, isSchema := strings.CutSuffix(file, schemas.Suffix)
		if !isSchema {
			t.Errorf("%s is no schema by its name", file)
			continue
		}
		found = append(found, name)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if schemaText(t, name) != string(text) {
			t.Errorf("%s: other bytes are embedded", file)
		}
		var head struct {
			Schema      string `json:"$schema"`
			ID          string `json:"$id"`
			Title       string
			Description string
		}
		if err := json.Unmarshal(text, &head); err != nil {
			t.Fatal(err)
		}
		if head.Schema != "https://json-schema.org/draft/2020-12/schema" || head.ID != "urn:svc:schema:"+name || head.Title == "" || head.Description == "" {
			t.Errorf("%s begins with %+v", file, head)
		}
		compile(t, name)
	}
	slices.Sort(listed)
	slices.Sort(found) // which come by the names of their files
	if !slices.Equal(listed, found) {
		t.Errorf("listed are %v, there are %v", listed, found)
	}
	if _, ok := schemas.Text("nothing"); ok {
		t.Error("there is a schema of nothing")
	}
}

// walkSchema calls do for each schema in a file with the JSON pointer to it.
func walkSchema(node any, at string, do func(at string, schema map[string]any)) {
	schema, ok := node.(map[string]any)
	if !ok {
		return // true or false
	}
	do(at, schema)
	for _, keyword := range []string{"properties", "$defs", "patternProperties", "dependentSchemas"} {
		named, _ := schema[keyword].(map[string]any)
		for name, sub := range named {
			walkSchema(sub, at+"/"+keyword+"/"+name, do)
		}
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf", "prefixItems"} {
		list, _ := schema[keyword].([]any)
		for i, sub := range list {
			walkSchema(sub, at+"/"+keyword+"/"+strconv.Itoa(i), do)
		}
	}
	for _, keyword := range []string{"items", "additionalProperties", "unevaluatedProperties", "propertyNames", "contains", "not", "if", "then", "else"} {
		if sub, ok := schema[keyword]; ok {
			walkSchema(sub, at+"/"+keyword, do)
		}
	}
}

// keywords are those that the schemas may use. Editors know them all, and
// validators agree on what they mean; on format they do not.
var keywords = []string{
	"$schema", "$id", "$ref", "$defs", "$comment", "title", "description", "examples",
	"type", "enum", "const", "properties", "required", "additionalProperties", "minProperties", "maxProperties",
	"items", "minItems", "maxItems", "uniqueItems", "minLength", "maxLength", "pattern",
	"minimum", "maximum", "exclusiveMinimum", "allOf", "not", "if", "then", "else",
}

// escapes are what a backslash may stand before in a pattern: what means the
// same in ECMAScript and elsewhere. \d and \w do not, \s and \S do as [\s\S].
var escapes = regexp.MustCompile(`\[\\s\\S\]|\\[trvfn.?{}\[\]]`)

func TestSchemasAreForEveryTool(t *testing.T) {
	for _, s := range schemas.All() {
		root := document(t, schemaText(t, s.Name))
		defs, _ := root.(map[string]any)["$defs"].(map[string]any)
		used := map[string]bool{}
		walkSchema(root, "#", func(at string, schema map[string]any) {
			for keyword := range schema {
				if !slices.Contains(keywords, keyword) {
					t.Errorf("%s: %s: keyword %s", s.Name, at, keyword)
				}
			}
			if ref, isRef := schema["$ref"].(string); isRef {
				name, inFile := strings.CutPrefix(ref, "#/$defs/")
				if !inFile || defs[name] == nil {
					t.Errorf("%s: %s: leads to %s", s.Name, at, ref)
				}
				used[name] = true
				// Some editors let what is referred to win over what stands beside.
				for keyword := range schema {
					if keyword != "$ref" && keyword != "description" && keyword != "examples" {
						t.Errorf("%s: %s: %s beside a reference", s.Name, at, keyword)
					}
				}
			}
			if pattern, ok := schema["pattern"].(string); ok {
				if rest := escapes.ReplaceAllString(pattern, ""); strings.Contains(rest, `\`) {
					t.Errorf("%s: %s: pattern %s has an escape that tools read differently", s.Name, at, pattern)
				}
				for _, group := range []string{"(?=", "(?!", "(?<", "(?i", "(?P"} {
					if strings.Contains(pattern, group) {
						t.Errorf("%s: %s: pattern %s has a group that not all tools know", s.Name, at, pattern)
					}
				}
			}
		})
		for name := range defs {
			if !used[name] {
				t.Errorf("%s: nothing refers to %s", s.Name, name)
			}
		}
	}
}

// Editors tell what a member is by its description. What chooses or only narrows
// needs none.
func TestMembersAreDescribed(t *testing.T) {
	narrowing := regexp.MustCompile(`/(if|then|else|not)/|/\$defs/asInV[12]/`)
	for _, s := range schemas.All() {
		root := document(t, schemaText(t, s.Name))
		defs, _ := root.(map[string]any)["$defs"].(map[string]any)
		walkSchema(root, "#", func(at string, schema map[string]any) {
			if narrowing.MatchString(at + "/") {
				return
			}
			members, _ := schema["properties"].(map[string]any)
			for name, member := range members {
				if name == "schemaVersion" {
					continue
				}
				m, _ := member.(map[string]any)
				of := m
				if ref, ok := m["$ref"].(string); ok {
					of, _ = defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
				}
				if m["description"] == nil && of["description"] == nil {
					t.Errorf("%s: %s: %s is not described", s.Name, at, name)
				}
			}
		})
	}
}

// A definition that stands in several files is the same in all of the same
// variant. Requests bound their texts, receivers take times as they come, and some
// words name different things in different formats.
func TestDefinitionsAgree(t *testing.T) {
	variants := map[string]map[string]string{ // by definition and file
		"text":        {"rank-request": "bounded", "rank-request-v3": "bounded"},
		"textOrNull":  {"rank-request": "bounded", "rank-request-v3": "bounded"},
		"time":        {"verification-response": "as it comes"},
		"observation": {"observation": "without id"},
		"task":        {"rank-request": "to be done", "rank-result": "to be done", "rank-result-v3": "selected"},
		"evidence":    {"rank-result": "behind a criterion", "rank-result-v3": "used and overruled", "trust-bundle": "for a claim", "verification-response": "for a claim"},
		"uncertainty": {"rank-result": "of several", "rank-result-v3": "of several"},
		"requirement": {"rank-request": "of candidates", "rank-request-v3": "sparse"},
		"advisory":    {"rank-request": "asked for", "rank-request-v3": "sparse", "rank-result-v3": "estimated"},
		"candidate":   {"rank-request-v3": "sparse"}, "model": {"rank-request-v3": "sparse"}, "execution": {"rank-request-v3": "sparse"},
		"component": {"rank-request-v3": "sparse"}, "hardware": {"rank-request-v3": "sparse"}, "workflow": {"rank-request-v3": "sparse"},
		"preference": {"rank-request-v3": "sparse"}, "ranked": {"rank-result-v3": "with standing"}, "excluded": {"rank-result-v3": "by criterion"},
		"reason": {"rank-result-v3": "of a criterion"}, "applicability": {"rank-result-v3": "with transfer"},
		"dimensions": {"rank-result-v3": "of models, too", "rank-explanation": "of models, too"},
		"artifact":   {"revision-proposal": "of a revision"},
	}
	type place struct {
		in  string
		def any
	}
	first := map[string]place{}
	shared := 0
	for _, s := range schemas.All() {
		defs, _ := document(t, schemaText(t, s.Name)).(map[string]any)["$defs"].(map[string]any)
		for name, def := range defs {
			variant := name + " " + variants[name][s.Name]
			at, seen := first[variant]
			if !seen {
				first[variant] = place{s.Name, def}
				continue
			}
			shared++
			if !reflect.DeepEqual(at.def, def) {
				t.Errorf("%s is another in %s than in %s", name, s.Name, at.in)
			}
		}
	}
	if shared < 50 {
		t.Errorf("%d definitions are shared, there are more", shared)
	}
}

var schemaVersion = regexp.MustCompile(`^service\.[a-z.-]+/v[0-9]+$`)

// Every schema version that the code has is one of some schema.
func TestEverySchemaVersionHasASchema(t *testing.T) {
	var have []string
	for _, s := range schemas.All() {
		walkSchema(document(t, schemaText(t, s.Name)), "#", func(_ string, schema map[string]any) {
			members, _ := schema["properties"].(map[string]any)
			version, _ := members["schemaVersion"].(map[string]any)
			words, _ := version["enum"].([]any)
			for _, word := range append(words, version["const"]) {
				if v, ok := word.(string); ok {
					have = append(have, v)
				}
			}
		})
	}
	var want []string
	eachConstant(t, "../..", func(value string) {
		if schemaVersion.MatchString(value) {
			want = append(want, value)
		}
	})
	for _, list := range []*[]string{&have, &want} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	if !slices.Equal(have, want) {
		t.Errorf("schemas have %v,\nthe code %v", have, want)
	}
}

// eachConstant calls do with the value of each string constant of the project.
func eachConstant(t *testing.T, root string, do func(value string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			constants, ok := decl.(*ast.GenDecl)
			if !ok || constants.Tok != token.CONST {
				continue
			}
			ast.Inspect(constants, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					value, _ := strconv.Unquote(lit.Value) // the parser has read it
					do(value)
				}
				return true
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The files are written as people write them: two spaces, a line feed at the end
// and nothing that an editor would change.
func TestLayout(t *testing.T) {
	for _, s := range schemas.All() {
		text := []byte(schemaText(t, s.Name))
		if !bytes.HasSuffix(text, []byte("}\n")) || bytes.ContainsAny(text, "\t\r") || bytes.Contains(text, []byte(" \n")) {
			t.Errorf("%s: white space", s.Name)
		}
		for n, line := range strings.Split(string(text), "\n") {
			if indent := len(line) - len(strings.TrimLeft(line, " ")); indent%2 != 0 {
				t.Errorf("%s:%d is indented by %d", s.Name, n+1, indent)
			}
		}
	}
}
