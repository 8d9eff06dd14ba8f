package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// addBundles adds the descriptions as OpenAPI 3.0.3, each in one file, for generators of clients
// that do not read 3.1. What 3.0 cannot say is left out: conditions, members that must not be
// there and, as generators stumble over it, that items differ. So whatever the service takes and
// gives is right by these, too, and some more. A choice of several documents is any object: each
// has a type of its own beside it.
func addBundles(files map[string][]byte, read func(name string) ([]byte, error)) error {
	for _, name := range []string{"catalog", "verification"} {
		var schemas struct {
			Defs map[string]any `json:"$defs"`
		}
		if err := json.Unmarshal(files["docs/openapi/schemas.json"], &schemas); err != nil {
			return err
		}
		text, err := read("docs/openapi/" + name + ".yaml")
		if err != nil {
			return err
		}
		var document map[string]any
		if err := yaml.Unmarshal(text, &document); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		document["openapi"] = "3.0.3"
		info := document["info"].(map[string]any)
		delete(info, "summary")
		delete(info["license"].(map[string]any), "identifier")
		components := document["components"].(map[string]any)
		own, _ := components["schemas"].(map[string]any)
		delete(components, "schemas")
		b := bundle{schemas.Defs, map[string]any{}}
		for schema, part := range own {
			b.into[schema] = b.convert(part)
		}
		converted := b.convert(document).(map[string]any)
		components["schemas"] = b.into
		var out bytes.Buffer
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false)
		e.SetIndent("", " ")
		if err := e.Encode(converted); err != nil {
			return err
		}
		files["docs/openapi/"+name+"-3.0.json"] = out.Bytes()
	}
	return nil
}

// bundle is a description that takes the schemas that it refers to into itself.
type bundle struct{ from, into map[string]any }

// unsaid are the members that 3.0 does not have.
var unsaid = []string{"if", "then", "else", "not", "$comment", "$schema", "examples", "dependentRequired", "contains",
	"patternProperties", "propertyNames", "unevaluatedProperties", "pathItems", "jsonSchemaDialect", "prefixItems",
	"minContains", "maxContains", "uniqueItems", "contentMediaType", "contentSchema", "x-other-paths", "x-other-methods"}

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
			case slices.Contains(unsaid, name):
				delete(v, name)
			case name == "properties":
				b.properties(part.(map[string]any))
			default:
				v[name] = b.convert(part)
			}
		}
		return narrow(v)
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

// properties converts members, and leaves out those that must not be there.
func (b *bundle) properties(members map[string]any) {
	for name, schema := range members {
		if is, isBool := schema.(bool); isBool {
			delete(members, name)
			if is {
				members[name] = map[string]any{}
			}
			continue
		}
		members[name] = b.convert(schema)
	}
}

// narrow says in the words of 3.0 what a schema says.
func narrow(v map[string]any) any {
	if value, isConst := v["const"]; isConst {
		delete(v, "const")
		v["enum"] = []any{value}
	}
	if types, isList := v["type"].([]any); isList {
		rest := slices.DeleteFunc(slices.Clone(types), func(t any) bool { return t == "null" })
		if len(rest) < len(types) {
			v["nullable"] = true
		}
		if delete(v, "type"); len(rest) == 1 {
			v["type"] = rest[0]
		}
	}
	if values, isEnum := v["enum"].([]any); isEnum && v["type"] != nil {
		v["enum"] = slices.DeleteFunc(values, func(value any) bool { return value == nil })
	}
	if v["type"] == "array" && v["items"] == nil {
		v["items"] = map[string]any{}
	}
	for _, bound := range []string{"Minimum", "Maximum"} {
		if f, isNumber := v["exclusive"+bound].(float64); isNumber {
			v[strings.ToLower(bound)], v["exclusive"+bound] = f, true
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
		if len(rest) < len(list) {
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
