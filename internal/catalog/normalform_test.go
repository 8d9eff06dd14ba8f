package catalog_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/service/record"
)

// Measurements come out in the order of their canonical JSON, whether or not some
// text of the document has an escape: then they are compared in another way.
func TestMeasurementsInCanonicalOrder(t *testing.T) {
	// A quote ends a key: it sorts behind a space and an exclamation mark.
	keys := []string{"a", "a b", "a!", "a!b", "a#", "ab", "b", "é", "a\uE000", "a\U00010000", "\uE000", "\U00010000",
		`a"b`, `a\b`, "a\u0001b", "a\tb"} // which are written with escapes
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		var list []string
		for _, i := range random.Perm(len(keys))[:2+random.IntN(4)] {
			for _, kind := range []string{"sample", "fact"}[random.IntN(2):] {
				key := canonical.AppendString(nil, keys[i])
				list = append(list, fmt.Sprintf(`{"key":%s,"kind":%q,"value":1}`, key, kind))
			}
		}
		doc := withMeasurements(t, list)
		o, err := catalog.Normalize(doc)
		if err != nil {
			t.Fatalf("%s: %v", doc, err)
		}
		escaped, err := catalog.Normalize(strings.Replace(doc, `"schemaVersion":"s`, `"schemaVersion":"\u0073`, 1))
		if err != nil {
			t.Fatal(err)
		}
		var normal struct{ Measurements []json.RawMessage }
		if err := json.Unmarshal([]byte(o.JSON()), &normal); err != nil {
			t.Fatal(err)
		}
		inOrder := slices.IsSortedFunc(normal.Measurements, func(a, b json.RawMessage) int {
			return canonical.CompareText(string(a), string(b))
		})
		if !inOrder || len(normal.Measurements) != len(list) || escaped != o {
			t.Fatalf("%s\nbecame %s,\nwith an escape %s", list, normal.Measurements, escaped.JSON())
		}
	}
}

// withMeasurements returns an observation with these, its version first.
func withMeasurements(t *testing.T, list []string) string {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(declaration), &members); err != nil {
		t.Fatal(err)
	}
	delete(members, "schemaVersion")
	members["measurements"] = json.RawMessage("[" + strings.Join(list, ",") + "]")
	rest, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return `{"schemaVersion":"` + record.ObservationSchema + `",` + string(rest[1:])
}

// A document that becomes much longer than it was is normalized like others, in
// a file too, where normalized documents stand side by side.
func TestLongerNormalForm(t *testing.T) {
	var list []string
	for i := range 200 { // 5 bytes become 21 each
		list = append(list, fmt.Sprintf(`{"key":"k%d","kind":"fact","value":1e20}`, i))
	}
	long := withMeasurements(t, list)
	o, err := catalog.Normalize(long)
	if err != nil {
		t.Fatal(err)
	}
	if len(o.JSON()) < len(long)+len(long)/4 {
		t.Fatalf("%d bytes became only %d", len(long), len(o.JSON()))
	}
	var text strings.Builder
	for i := range 500 {
		fmt.Fprintln(&text, strings.Replace(long, `"k0"`, fmt.Sprintf(`"z%d"`, i), 1))
	}
	c, _, err := compileText(t, "long.jsonl", text.String())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range c.Models() {
		for _, o := range m.Observations {
			again, err := catalog.Normalize(o.Input())
			if err != nil || again != o {
				t.Fatalf("%s is not what it normalizes to: %v", o.ID(), err)
			}
		}
	}
	if c.Observations() != 500 {
		t.Errorf("%d observations, want 500", c.Observations())
	}
}
