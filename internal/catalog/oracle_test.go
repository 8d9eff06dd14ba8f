package catalog_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"unicode/utf16"

	"github.com/gowebpki/jcs"
)

// This file holds the rules of normalizing and compiling once more, as plainly
// as they can be put: with encoding/json, another implementation of RFC 8785 and
// a comparison of every pair. It shares nothing with the code under test and
// takes valid observations only.

type object = map[string]any

// canonicalJSON is RFC 8785.
func canonicalJSON(v any) string {
	text, err := json.Marshal([]any{v})
	if err == nil {
		text, err = jcs.Transform(text)
	}
	if err != nil {
		panic(err)
	}
	return string(text[1 : len(text)-1])
}

func hashOf(v any) string {
	sum := sha256.Sum256([]byte(canonicalJSON(v)))
	return hex.EncodeToString(sum[:])
}

func byUTF16(a, b string) int {
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}

// sortBy sorts a list, which may be null or absent, by the text of each item.
func sortBy(list any, text func(any) string) {
	if items, ok := list.([]any); ok {
		slices.SortStableFunc(items, func(a, b any) int { return byUTF16(text(a), text(b)) })
	}
}

func decodeAny(text string) any {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		panic(err)
	}
	return v
}

// normalizeAny returns an observation normalized, with its id.
func normalizeAny(doc string) object {
	o := decodeAny(doc).(object)
	itself := func(v any) string { return v.(string) }
	if execution, ok := o["execution"].(object); ok {
		sortBy(execution["toolSurface"], itself)
	}
	sortBy(o["measurements"], canonicalJSON)
	sortBy(o["evidence"], func(v any) string { return v.(object)["id"].(string) })
	sortBy(o["uncertainty"].(object)["basis"], itself)
	sortBy(o["uncertainty"].(object)["gaps"], itself)
	o["id"] = hashOf(o)
	return o
}

func oracleNormalize(doc string) string { return canonicalJSON(normalizeAny(doc)) }

// oracleCompile returns the serialized snapshot of observations that are all
// different.
func oracleCompile(docs []string, asOf string) string {
	models := map[string]object{}
	var all []object
	for _, doc := range docs {
		o := normalizeAny(doc)
		all = append(all, o)
		key := hashOf(o["model"])
		if models[key] == nil {
			models[key] = object{"key": key, "identity": o["model"], "observations": []any{}}
		}
		models[key]["observations"] = append(models[key]["observations"].([]any), o)
	}
	list := []any{}
	for _, key := range slices.Sorted(maps.Keys(models)) {
		sortBy(models[key]["observations"], func(v any) string { return v.(object)["id"].(string) })
		list = append(list, models[key])
	}
	snapshot := object{"schemaVersion": "service.catalog/v2", "asOf": asOf, "models": list, "conflicts": oracleConflicts(all)}
	snapshot["digest"] = hashOf(snapshot)
	return canonicalJSON(snapshot)
}

// oracleFact is a fact and how long it is in force.
type oracleFact struct {
	id, start, end string
	value          any
}

func oracleConflicts(observations []object) []any {
	groups := map[string][]oracleFact{}
	scopes := map[string]object{}
	for _, o := range observations {
		freshness := o["freshness"].(object)
		end, ok := freshness["validUntil"].(string)
		if !ok {
			end = "9999-12-31T23:59:59.999Z"
		}
		for _, m := range o["measurements"].([]any) {
			m := m.(object)
			if m["kind"] != "fact" {
				continue
			}
			scope := object{"model": o["model"], "execution": o["execution"], "task": o["task"], "measurementKey": m["key"]}
			key := hashOf(scope)
			scopes[key] = scope
			groups[key] = append(groups[key], oracleFact{o["id"].(string), freshness["observedAt"].(string), end, m["value"]})
		}
	}
	conflicts := []any{}
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		ids, values := conflictingPairs(groups[key])
		if len(ids) == 0 {
			continue
		}
		scope := scopes[key]
		conflicts = append(conflicts, object{
			"key": key, "modelKey": hashOf(scope["model"]), "measurementKey": scope["measurementKey"],
			"execution": scope["execution"], "task": scope["task"], "observationIds": ids, "values": values,
		})
	}
	return conflicts
}

// conflictingPairs compares every fact of a scope with every other.
func conflictingPairs(facts []oracleFact) (ids []string, values []any) {
	distinct := map[string]any{}
	for _, a := range facts {
		for _, b := range facts {
			if canonicalJSON(a.value) != canonicalJSON(b.value) && a.start < b.end && b.start < a.end {
				ids = append(ids, a.id)
				distinct[canonicalJSON(a.value)] = a.value
				break
			}
		}
	}
	slices.Sort(ids)
	for v := range maps.Values(distinct) {
		values = append(values, v)
	}
	slices.SortFunc(values, compareValues)
	return ids, values
}

// compareValues orders booleans, then numbers, then strings, each ascending.
func compareValues(a, b any) int {
	kind := func(v any) int {
		switch v.(type) {
		case bool:
			return 0
		case float64:
			return 1
		}
		return 2
	}
	if kind(a) != kind(b) {
		return kind(a) - kind(b)
	}
	switch a := a.(type) {
	case bool:
		return map[bool]int{false: 0, true: 1}[a] - map[bool]int{false: 0, true: 1}[b.(bool)]
	case float64:
		if a < b.(float64) {
			return -1
		}
		return 1
	}
	return byUTF16(a.(string), b.(string))
}
