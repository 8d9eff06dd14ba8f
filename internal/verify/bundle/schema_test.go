package bundle_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
)

// Read refuses what the JSON Schema refuses, and nothing else but for
// those rules that a schema cannot tell.
func TestReadAgreesWithSchema(t *testing.T) {
	schema := verifytest.Schema(t, vectortest.Data(t, "vectors", "hachure", "0.18", "schemas"))
	fulls := [...]string{verifytest.File(t, "testdata/full.json"), verifytest.File(t, "testdata/latest.json")}
	const bundles = 2000
	rnd := rand.New(rand.NewPCG(5, 7))
	refused := 0
	for i := range bundles {
		var changed map[string]any
		verifytest.Decode(t, fulls[i%2], &changed)
		if rnd.IntN(2) == 0 {
			changed["schemaVersion"] = json.Number(strconv.Itoa(5 + rnd.IntN(5)))
		}
		mutate(rnd, changed)
		text, err := json.Marshal(changed)
		if err != nil {
			t.Fatal(err)
		}
		theirs := schema.Validate(verifytest.Instance(t, string(text)))
		_, ours := bundle.Read(problem.Source{Name: "b.json", Text: string(text)})
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
		if !strings.Contains(fault.Reason, "of this bundle") && !strings.Contains(fault.Reason, "must be unique") && !strings.Contains(fault.Reason, "RFC 3339") &&
			!strings.Contains(fault.Reason, "must not be less than low") && !strings.Contains(fault.Reason, "must be in the interval") {
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
		nil, true, false, "", "c1", "e1", "verified", "test", "weak", "cited", "other", " ", "human", "hash", "2026-06-01T00:00:00Z", "model",
		json.Number("0"), json.Number("-1"), json.Number("1"), json.Number("2.0"), json.Number("0.5"), json.Number("1e300"), json.Number("7"), json.Number("9"),
		map[string]any{"reason": "timeout"}, map[string]any{"reason": "other"}, map[string]any{"tableRef": "a", "tableVersion": "b"},
		[]any{}, []any{"c1"}, []any{json.Number("1"), json.Number("2")}, []any{"verified", "stale"}, map[string]any{}, map[string]any{"kind": "manual"},
		map[string]any{"subjectType": "a", "subjectId": "b"}, []any{map[string]any{}},
	}
	return values[rnd.IntN(len(values))]
}
