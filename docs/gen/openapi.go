package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/docs/schemas"
)

// addSchemas adds the schemas of the bodies for the documents in docs/openapi: one flat
// list. The published schemas have definitions of their own in $defs, which generators of
// clients take for a member of the body.
func addSchemas(files map[string][]byte) error {
	all := map[string]any{}
	for whole, name := range map[string]string{ // no name may be one of a component of the documents
		"RankRequestV1OrV2": "rank-request", "RankRequestV3": "rank-request-v3", "RankQuestion": "rank-question",
		"RankResultV1OrV2": "rank-result", "RankResultV3": "rank-result-v3",
		"CatalogSnapshot": "catalog", "ModelList": "model-list", "ModelDetail": "model-detail",
		"CatalogError":         "error-service",
		"VerificationResponse": "verification-response", "VerificationError": "error-verification",
	} {
		text, ok := schemas.Text(name)
		if !ok {
			return fmt.Errorf("there is no schema %s", name)
		}
		var schema map[string]any
		if err := json.Unmarshal(text, &schema); err != nil {
			return fmt.Errorf("schema %s: %w", name, err)
		}
		definitions, _ := schema["$defs"].(map[string]any)
		for _, member := range []string{"$defs", "$id", "$schema"} {
			delete(schema, member)
		}
		all[whole] = withReferences(schema, whole)
		for definition, part := range definitions {
			all[whole+typeName(definition)] = withReferences(part, whole)
		}
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(map[string]any{
		"$schema":  "https://json-schema.org/draft/2020-12/schema",
		"$comment": "Made of docs/schemas by go generate.",
		"$defs":    all,
	}); err != nil {
		return err
	}
	files["docs/openapi/schemas.json"] = out.Bytes()
	return nil
}

// typeName makes the name of a type of that of a definition: textOrNull becomes
// TextOrNull.
func typeName(definition string) string { return strings.ToUpper(definition[:1]) + definition[1:] }

// forbid says of members that are true or false the same without.
func forbid(schema map[string]any) {
	members, _ := schema["properties"].(map[string]any)
	var absent []any
	for _, name := range slices.Sorted(maps.Keys(members)) {
		isAllowed, isBool := members[name].(bool)
		if !isBool {
			continue
		}
		members[name] = map[string]any{}
		if !isAllowed {
			delete(members, name)
			absent = append(absent, map[string]any{"required": []any{name}})
		}
	}
	if absent != nil {
		schema["not"] = map[string]any{"anyOf": absent}
	}
	if len(members) == 0 && absent != nil {
		delete(schema, "properties")
	}
}

// withReferences returns a part of a schema with its references to definitions leading to
// the flat list. What must not be there is said by "not", since generators of clients do not take
// true and false for schemas of members.
func withReferences(v any, whole string) any {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			if ref, ok := value.(string); ok && name == "$ref" {
				v[name] = "#/$defs/" + whole + typeName(strings.TrimPrefix(ref, "#/$defs/"))
			} else {
				v[name] = withReferences(value, whole)
			}
		}
		forbid(v)
	case []any:
		for i := range v {
			v[i] = withReferences(v[i], whole)
		}
	}
	return v
}
