package verify_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify"
)

// bundleSchema is the JSON Schema of trust bundles, by an independent validator.
func bundleSchema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	for _, file := range sharedFiles(t, "*.schema.json", "vectors", "hachure", "schemas") {
		schema, err := jsonschema.UnmarshalJSON(strings.NewReader(readFile(t, file)))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiler.AddResource("https://hachure.org/schemas/"+filepath.Base(file), schema); err != nil {
			t.Fatal(err)
		}
	}
	schema, err := compiler.Compile("https://hachure.org/schemas/trust-bundle.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// validates demands that a bundle is as its JSON Schema says.
func validates(t testing.TB, schema *jsonschema.Schema, bundle any) {
	t.Helper()
	text, err := json.Marshal(bundle)
	if err != nil {
		t.Fatal(err)
	}
	instance, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(instance); err != nil {
		t.Errorf("%v\nin %s", err, text)
	}
}

// ReadBundle refuses what the JSON Schema refuses, and nothing else but for
// those rules that a schema cannot tell.
func TestReadBundleAgreesWithSchema(t *testing.T) {
	schema := bundleSchema(t)
	full := readFile(t, "testdata/full.json")
	const bundles = 2000
	rnd := rand.New(rand.NewPCG(5, 7))
	refused := 0
	for range bundles {
		var bundle map[string]any
		decodeJSON(t, full, &bundle)
		mutate(rnd, bundle)
		text, err := json.Marshal(bundle)
		if err != nil {
			t.Fatal(err)
		}
		instance, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		theirs := schema.Validate(instance)
		_, ours := verify.ReadBundle(problem.Source{Name: "b.json", Text: string(text)})
		if theirs != nil {
			refused++
		}
		switch {
		case theirs != nil && ours == nil:
			t.Fatalf("accepted, although %v\n%s", theirs, text)
		case theirs == nil && ours != nil && !beyondSchema(ours):
			t.Fatalf("refused, %v, although the schema allows it\n%s", ours, text)
		}
	}
	if refused < bundles/4 || refused > bundles*19/20 {
		t.Errorf("%d of %d bundles break the schema", refused, bundles)
	}
}

// beyondSchema reports whether no problem is one that a schema could tell.
func beyondSchema(err error) bool {
	for _, fault := range problem.All(err) {
		if !strings.Contains(fault.Reason, "of this bundle") && !strings.Contains(fault.Reason, "must be unique") && !strings.Contains(fault.Reason, "RFC 3339") {
			return false
		}
	}
	return true
}

// mutate changes one thing, somewhere.
func mutate(rnd *rand.Rand, node any) {
	for {
		switch v := node.(type) {
		case map[string]any:
			names := slices.Sorted(maps.Keys(v))
			if len(names) == 0 || rnd.IntN(12) == 0 {
				v["odd"] = randomValue(rnd)
				return
			}
			name := names[rnd.IntN(len(names))]
			if isNode(v[name]) && rnd.IntN(4) > 0 {
				node = v[name]
				continue
			}
			if rnd.IntN(3) == 0 {
				delete(v, name)
			} else {
				v[name] = randomValue(rnd)
			}
			return
		case []any:
			if len(v) == 0 {
				return
			}
			i := rnd.IntN(len(v))
			if isNode(v[i]) && rnd.IntN(4) > 0 {
				node = v[i]
				continue
			}
			v[i] = randomValue(rnd)
			return
		}
	}
}

func isNode(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

func randomValue(rnd *rand.Rand) any {
	values := []any{
		nil, true, false, "", "c1", "e1", "verified", "test", "weak", "hash", "2026-06-01T00:00:00Z", "model",
		json.Number("0"), json.Number("-1"), json.Number("1"), json.Number("2.0"), json.Number("0.5"), json.Number("1e300"), json.Number("7"),
		[]any{}, []any{"c1"}, []any{json.Number("1"), json.Number("2")}, []any{"verified", "stale"}, map[string]any{}, map[string]any{"kind": "manual"},
		map[string]any{"subjectType": "a", "subjectId": "b"}, []any{map[string]any{}},
	}
	return values[rnd.IntN(len(values))]
}
