package service_test

import (
	"encoding/json"
	"go/ast"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/docs/schemas"
	"github.com/model-catalog-service/svc/service/rank"
	"github.com/model-catalog-service/svc/service/record"
	"github.com/model-catalog-service/svc/service/sources"
)

// node is a part of a JSON Schema, as far as members and their types go.
type node struct {
	Ref                  string           `json:"$ref"`
	Defs                 map[string]*node `json:"$defs"`
	Type                 oneOrMany        `json:"type"`
	Const                any              `json:"const"`
	Enum                 []any            `json:"enum"`
	Pattern              string           `json:"pattern"`
	Properties           map[string]*node `json:"properties"`
	Required             []string         `json:"required"`
	Items                *node            `json:"items"`
	AdditionalProperties json.RawMessage  `json:"additionalProperties"`
}

// UnmarshalJSON reads a schema. One that is true or false says nothing of types.
func (n *node) UnmarshalJSON(text []byte) error {
	type members node
	if text[0] != '{' {
		return nil
	}
	return json.Unmarshal(text, (*members)(n))
}

// oneOrMany is a list that is written without brackets if it has one text.
type oneOrMany []string

func (l *oneOrMany) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		*l = []string{""}
		return json.Unmarshal(text, &(*l)[0])
	}
	return json.Unmarshal(text, (*[]string)(l))
}

// comparison holds the structs of the library against one schema.
type comparison struct {
	t        *testing.T
	defs     map[string]*node
	comments map[string]string // of members, by type and name
}

// comments returns what go doc shows of types, with the values of their constants, and of
// the members of structs.
func comments(s surface) map[string]string {
	comments := map[string]string{}
	for _, file := range s.files {
		ast.Inspect(file, func(n ast.Node) bool {
			if decl, ok := n.(*ast.GenDecl); ok && len(decl.Specs) == 1 {
				if spec, ok := decl.Specs[0].(*ast.TypeSpec); ok {
					comments[spec.Name.Name] = decl.Doc.Text()
				}
			}
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if !spec.Name.IsExported() {
				return false
			}
			members, ok := spec.Type.(*ast.StructType)
			if !ok {
				comments[spec.Name.Name] += strings.Join(values(s.Scope(), spec.Name.Name), " ")
				return false
			}
			for _, m := range members.Fields.List {
				for _, name := range m.Names {
					comments[spec.Name.Name+"."+name.Name] = m.Doc.Text() + m.Comment.Text()
				}
			}
			return false
		})
	}
	return comments
}

// checkWords demands that the comment of a member names the words that it may be, or that
// of its type, or the constants of that.
func (c *comparison) checkWords(path string, n *node, owner reflect.Type, f reflect.StructField) {
	typ := f.Type
	for n = c.resolve(n); typ.Kind() == reflect.Slice || typ.Kind() == reflect.Pointer; typ = typ.Elem() {
		if typ.Kind() == reflect.Slice && n.Items != nil {
			n = c.resolve(n.Items)
		}
	}
	for owner.Kind() == reflect.Pointer {
		owner = owner.Elem()
	}
	if len(f.Index) > 1 {
		owner = owner.FieldByIndex(f.Index[:len(f.Index)-1]).Type
	}
	name, _, _ := strings.Cut(owner.Name(), "[") // without type parameters
	comment := c.comments[name+"."+f.Name] + c.comments[typ.Name()]
	for _, word := range n.Enum {
		text, ok := word.(string)
		if isVersion := strings.HasPrefix(text, "service."); ok && !isVersion && !strings.Contains(comment, text) {
			c.t.Errorf("%s: the comment of %v.%s does not name %s", path, owner, f.Name, text)
		}
	}
}

func (c *comparison) resolve(n *node) *node {
	if n.Ref == "" {
		return n
	}
	found := c.defs[strings.TrimPrefix(n.Ref, "#/$defs/")]
	if found == nil {
		c.t.Fatalf("no definition %s", n.Ref)
	}
	return c.resolve(found)
}

// types returns the types that a schema allows, sorted.
func (n *node) types() []string {
	types := slices.Clone([]string(n.Type))
	values := n.Enum
	if n.Const != nil {
		values = []any{n.Const}
	}
	for _, v := range values {
		switch v := v.(type) {
		case string:
			types = append(types, "string")
		case float64:
			types = append(types, numberType(v))
		case nil:
			types = append(types, "null")
		}
	}
	slices.Sort(types)
	types = slices.Compact(types)
	if slices.Contains(types, "number") { // which an integer is, too
		types = slices.DeleteFunc(types, func(s string) bool { return s == "integer" })
	}
	return types
}

func numberType(f float64) string {
	if f == math.Trunc(f) {
		return "integer"
	}
	return "number"
}

var (
	timestampType = reflect.TypeFor[record.Timestamp]()
	bytesType     = reflect.TypeFor[[]byte]()
	floatType     = reflect.TypeFor[record.Float]()
	scalarType    = reflect.TypeFor[record.Scalar]()
	maxAgeType    = reflect.TypeFor[record.MaxAge]()
)

const timestampPattern = `\.[0-9]{3}Z$`

// jsonTypes returns the types that a Go type is written as, sorted.
func jsonTypes(t reflect.Type) []string {
	switch {
	case t == timestampType || t == bytesType:
		return []string{"string"}
	case t == reflect.TypeFor[record.Text]():
		return []string{"string", "null"}
	case t == reflect.TypeFor[record.Count]():
		return []string{"integer", "null"}
	case t == floatType:
		return []string{"number", "null"}
	case t == scalarType:
		return []string{"boolean", "number", "string"}
	case t == maxAgeType:
		return []string{"integer", "null"}
	case t.Kind() == reflect.Pointer:
		return append(jsonTypes(t.Elem()), "null")
	case t.Kind() == reflect.Slice && t.PkgPath() == "": // no List, which is never null
		return []string{"array", "null"}
	}
	switch t.Kind() {
	case reflect.Slice:
		return []string{"array"}
	case reflect.Struct, reflect.Map:
		return []string{"object"}
	case reflect.Interface:
		return []string{"boolean", "number", "string"}
	case reflect.String:
		return []string{"string"}
	case reflect.Bool:
		return []string{"boolean"}
	case reflect.Float64:
		return []string{"number"}
	case reflect.Int, reflect.Uint64:
		return []string{"integer"}
	}
	return []string{t.String()}
}

// fieldTypes returns the types that a field of a struct is written as. Of the structs of
// package record the tags say which are null.
func fieldTypes(owner reflect.Type, f reflect.StructField) []string {
	types := jsonTypes(f.Type)
	outer := reflect.StructField{}
	if len(f.Index) > 1 {
		outer = owner.FieldByIndex(f.Index[:len(f.Index)-1])
		owner = outer.Type
	}
	if owner.PkgPath() != scalarType.PkgPath() {
		return types
	}
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if f.Type.Kind() == reflect.Slice && f.Type != bytesType {
		types = []string{"array"}
	}
	if f.Tag.Get("or") == "null" || slices.Contains(strings.Fields(outer.Tag.Get("null")), name) {
		types = append(types, "null")
	}
	return types
}

// compare demands that a Go type, which is written as the types of got, is what a schema says. A member that may be left out
// is never written as null.
func (c *comparison) compare(path string, n *node, t reflect.Type, got []string, optional bool) {
	if n == nil || reflect.DeepEqual(*n, node{}) {
		if t.Kind() != reflect.Interface && t != reflect.TypeFor[record.JSON]() {
			c.t.Errorf("%s: %v, but the schema takes any value", path, t)
		}
		return
	}
	n = c.resolve(n)
	want := n.types()
	slices.Sort(got)
	if optional || t.Kind() == reflect.Interface { // whose nil is null
		isNull := func(s string) bool { return s == "null" }
		got, want = slices.DeleteFunc(got, isNull), slices.DeleteFunc(want, isNull)
	}
	if !slices.Equal(got, want) {
		c.t.Errorf("%s: %v is written as %v, the schema has %v", path, t, got, want)
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if isTimestamp := strings.HasSuffix(n.Pattern, timestampPattern); isTimestamp != (t == timestampType) {
		c.t.Errorf("%s: %v, but timestamp is %v in the schema", path, t, isTimestamp)
	}
	switch {
	case t == timestampType || t == bytesType || t == maxAgeType || t == scalarType || t == floatType || t == reflect.TypeFor[record.Count]():
	case t.Kind() == reflect.Slice:
		c.compare(path+"[]", n.Items, t.Elem(), jsonTypes(t.Elem()), false)
	case t.Kind() == reflect.Map:
		for name, property := range n.Properties {
			c.compare(path+"."+name, property, t.Elem(), jsonTypes(t.Elem()), false)
		}
		var values node
		if string(n.AdditionalProperties) == "false" {
			return
		}
		if json.Unmarshal(n.AdditionalProperties, &values) == nil {
			c.compare(path+"{}", &values, t.Elem(), jsonTypes(t.Elem()), false)
		}
	case t.Kind() == reflect.Struct:
		c.compareMembers(path, n, t)
	}
}

func (c *comparison) compareMembers(path string, n *node, t reflect.Type) {
	if t == reflect.TypeFor[record.Key]() { // which a request may leave parts of out
		return
	}
	members := map[string]bool{}
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous {
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		members[name] = true
		property := n.Properties[name]
		if property == nil {
			c.t.Errorf("%s: the schema has no property for %s.%s, %q", path, t, f.Name, name)
			continue
		}
		required := slices.Contains(n.Required, name)
		// What may be left out is left out if it is zero, unless null, or [] for a List, says
		// the same. A Term must have what a criterion with a sum must not have; both share
		// Measure, and are refused if it lacks what they need.
		isSame := property != nil && slices.Contains(c.resolve(property).types(), "null") && (f.Type.Kind() == reflect.Pointer || f.Type.PkgPath() != "")
		isShared := len(f.Index) > 1 && t.FieldByIndex(f.Index[:len(f.Index)-1]).Type == reflect.TypeFor[rank.Measure]()
		if required && options != "" && !isShared || !required && options != "omitzero" && !isSame {
			c.t.Errorf("%s.%s: options %q, required is %v in the schema", path, name, options, required)
		}
		c.compare(path+"."+name, property, f.Type, fieldTypes(t, f), !required)
		c.checkWords(path+"."+name, property, t, f)
	}
	for name := range n.Properties {
		if !members[name] {
			c.t.Errorf("%s: %s has no member for the property %q", path, t, name)
		}
	}
}

// Structs and schemas say the same.
func TestRecordsAndSchemas(t *testing.T) {
	type pair struct {
		schema, def string // def is empty for the schema as a whole
		record      reflect.Type
	}
	// What has no struct: trust bundles and answers, whose records pass through as
	// their producers wrote them, with the errors of that endpoint, configurations,
	// and what commands alone read and write.
	// Those that are read by the tags of their structs are held against the schema where the readers are.
	without := []string{
		"rank-result-v3", "rank-explanation", "keys", "rank-question",
		"trust-bundle", "error-verification", "config", "recipe",
		"mapping", "identity-proposals", "offer-identities", "source-rulings", "contradictions",
		"catalog-lock", "catalog-build", "source-look",
	}
	pairs := []pair{
		{"observation", "observation", reflect.TypeFor[record.Observation]()},
		{"catalog", "", reflect.TypeFor[record.Catalog]()},
		{"rank-request", "", reflect.TypeFor[record.RankRequestV2]()},
		{"rank-result", "", reflect.TypeFor[record.RankResultV2]()},
		{"rank-request-v3", "", reflect.TypeFor[rank.RequestRecord]()},
		{"catalog-diff", "", reflect.TypeFor[record.CatalogDiff]()},
		{"catalog-contents", "", reflect.TypeFor[record.CatalogContents]()},
		{"cost-table", "", reflect.TypeFor[record.CostTable]()},
		{"comparison", "", reflect.TypeFor[record.Comparison]()},
		{"models-lock", "", reflect.TypeFor[record.Lock]()},
		{"models-check", "", reflect.TypeFor[record.ModelsCheck]()},
		{"export-report", "", reflect.TypeFor[record.ExportReport]()},
		{"model-list", "", reflect.TypeFor[record.APIModels]()},
		{"model-detail", "", reflect.TypeFor[record.APIModel]()},
		{"error-service", "", reflect.TypeFor[record.APIError]()},
		{"approved-source-manifest", "", reflect.TypeFor[sources.ManifestRecord]()},
		{"snapshot-envelope", "", reflect.TypeFor[sources.Envelope]()},
		{"revision-proposal", "", reflect.TypeFor[sources.Proposal]()},
		{"acquisition-record", "", reflect.TypeFor[sources.Acquisition]()},
		{"verification-response", "envelope", reflect.TypeFor[*record.DSSEEnvelope]()},
	}
	for _, s := range schemas.All() {
		if has := slices.ContainsFunc(pairs, func(p pair) bool { return p.schema == s.Name }); has == slices.Contains(without, s.Name) {
			t.Errorf("%s: a struct is held against it: %v", s.Name, has)
		}
	}
	shown := map[string]string{}
	for _, s := range readSurfaces(t) {
		maps.Copy(shown, comments(s))
	}
	for _, p := range pairs {
		text, ok := schemas.Text(p.schema)
		if !ok {
			t.Errorf("no schema %s", p.schema)
			continue
		}
		var whole node
		if err := json.Unmarshal(text, &whole); err != nil {
			t.Fatalf("%s: %v", p.schema, err)
		}
		c := comparison{t, whole.Defs, shown}
		n := &whole
		if p.def != "" {
			n = whole.Defs[p.def]
		}
		c.compare(p.schema+p.def, n, p.record, jsonTypes(p.record), false)
	}
}
