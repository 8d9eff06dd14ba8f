package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// addBundles adds the descriptions whole in one file each, as OpenAPI 3.1 and as 3.0.3, for
// generators of clients. What they do not read is left out: conditions, members that must not be
// there, several types in one and, in 3.0, what it cannot say. So whatever the service takes and
// gives is right by these, too, and some more. A choice of several documents is any object: each
// has a type of its own beside it.
func addBundles(files map[string][]byte, read func(name string) ([]byte, error)) error {
	for _, name := range []string{"catalog", "verification"} {
		text, err := read("docs/openapi/" + name + ".yaml")
		if err != nil {
			return err
		}
		for _, version := range []string{"3.1.0", "3.0.3"} {
			bundled, err := newBundle(text, files["docs/openapi/schemas.json"], version)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			files["docs/openapi/"+name+"-"+version[:3]+".json"] = bundled
		}
	}
	return nil
}

// newBundle writes a description in one file.
func newBundle(description, list []byte, version string) ([]byte, error) {
	var schemas struct {
		Defs map[string]any `json:"$defs"`
	}
	if err := json.Unmarshal(list, &schemas); err != nil {
		return nil, err
	}
	var document map[string]any
	if err := yaml.Unmarshal(description, &document); err != nil {
		return nil, err
	}
	document["openapi"] = version
	b := bundle{from: schemas.Defs, into: map[string]any{}, unread: unread}
	if b.is30 = version < "3.1"; b.is30 {
		b.unread = slices.Concat(unread, unsaid)
		info := document["info"].(map[string]any)
		delete(info, "summary")
		delete(info["license"].(map[string]any), "identifier")
	}
	components := document["components"].(map[string]any)
	own, _ := components["schemas"].(map[string]any)
	delete(components, "schemas")
	for schema, part := range own {
		b.into[schema] = b.convert(part)
	}
	converted := b.convert(document).(map[string]any)
	components["schemas"] = b.into
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(converted)
	return out.Bytes(), err
}

// bundle is a description that takes the schemas that it refers to into itself.
type bundle struct {
	from, into map[string]any
	is30       bool
	unread     []string // members that are left out
}

// unread are the members that generators of clients do not read, or stumble over.
var unread = []string{"if", "then", "else", "not", "uniqueItems"}

// unsaid are the members that 3.0 does not have.
var unsaid = []string{"$comment", "$schema", "examples", "dependentRequired", "contains", "patternProperties",
	"propertyNames", "unevaluatedProperties", "pathItems", "jsonSchemaDialect", "prefixItems", "minContains",
	"maxContains", "contentMediaType", "contentSchema", "x-other-paths", "x-other-methods"}

func (b *bundle) convert(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = b.convert(v[i])
		}
		return v
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			return b.reference(ref, v)
		}
		for name, part := range v {
			switch {
			case slices.Contains(b.unread, name):
				delete(v, name)
			case name == "properties": // whose names are no words of schemas
				members := part.(map[string]any)
				for member, schema := range members {
					members[member] = b.convert(schema)
				}
			default:
				v[name] = b.convert(part)
			}
		}
		return b.narrow(v)
	}
	return v
}

// reference keeps a reference, and takes a schema in that it leads to.
func (b *bundle) reference(ref string, v map[string]any) any {
	const inner, outer = "#/components/schemas/", "#/$defs/"
	if _, name, isSchema := strings.Cut(ref, outer); isSchema {
		ref = inner + name
		if _, isKnown := b.into[name]; !isKnown {
			b.into[name] = map[string]any{} // it may refer to itself
			b.into[name] = b.convert(b.from[name])
		}
	}
	if _, isNullable := v["nullable"]; isNullable {
		return map[string]any{"allOf": []any{map[string]any{"$ref": ref}}, "nullable": true}
	}
	return map[string]any{"$ref": ref}
}

// narrow says what a schema says in words that generators read, and in 3.0 in its own.
func (b *bundle) narrow(v map[string]any) any {
	if value, isConst := v["const"]; isConst && b.is30 {
		delete(v, "const")
		v["enum"] = []any{value}
	}
	if types, isList := v["type"].([]any); isList {
		rest := slices.DeleteFunc(slices.Clone(types), func(t any) bool { return t == "null" })
		if b.is30 && len(rest) < len(types) {
			v["nullable"] = true
		}
		if len(rest) > 1 {
			delete(v, "type")
		} else if b.is30 {
			v["type"] = rest[0]
		}
	}
	if values, isEnum := v["enum"].([]any); isEnum && b.is30 && v["type"] != nil {
		v["enum"] = slices.DeleteFunc(values, func(value any) bool { return value == nil })
	}
	if v["type"] == "array" && v["items"] == nil {
		v["items"] = map[string]any{}
	}
	for _, bound := range []string{"Minimum", "Maximum"} {
		if f, isNumber := v["exclusive"+bound].(float64); isNumber {
			v[strings.ToLower(bound)], v["exclusive"+bound] = f, true
			if !b.is30 {
				delete(v, "exclusive"+bound) // a number there, which generators take for a fault
			}
		}
	}
	for _, choice := range []string{"anyOf", "oneOf", "allOf"} {
		list, isList := v[choice].([]any)
		if !isList {
			continue
		}
		isNull := func(s any) bool { m, ok := s.(map[string]any); return ok && m["type"] == "null" }
		isEmpty := func(s any) bool { m, ok := s.(map[string]any); return ok && len(m) == 0 }
		rest := slices.DeleteFunc(slices.Clone(list), isNull)
		if len(rest) < len(list) && !b.is30 {
			continue
		} else if len(rest) < len(list) {
			v["nullable"] = true
		}
		if choice == "allOf" {
			rest = slices.DeleteFunc(rest, isEmpty)
		}
		if v[choice] = rest; len(rest) == 0 {
			delete(v, choice)
		} else if len(rest) == 1 && choice != "allOf" {
			delete(v, choice)
			v["allOf"] = rest
		} else if choice != "allOf" { // which generators do not tell apart
			delete(v, choice)
			v["type"], v["additionalProperties"] = "object", true
		}
	}
	return v
}
