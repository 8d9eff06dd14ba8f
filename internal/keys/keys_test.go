package keys_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/keys"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

// The dictionary that svc brings along reads without fault, names each key once and in order, and
// says in every entry what people are shown.
func TestDefault(t *testing.T) {
	list := keys.Default()
	if len(list) < 30 {
		t.Fatalf("%d entries", len(list))
	}
	if !slices.IsSortedFunc(list, func(a, b record.Key) int { return canonical.CompareText(a.Key, b.Key) }) {
		t.Error("not sorted")
	}
	for i, k := range list {
		if i > 0 && list[i-1].Key == k.Key {
			t.Errorf("%s twice", k.Key)
		}
		if k.Name == "" || !strings.HasSuffix(string(k.Line), ".") {
			t.Errorf("%s: name %q, line %q", k.Key, k.Name, k.Line)
		}
		if k.Bounds != nil && k.Bounds.Low >= k.Bounds.High {
			t.Errorf("%s: bounds %v", k.Key, *k.Bounds)
		}
		if k.Family == "quality" && k.Unit == "percent" && (k.Bounds == nil || k.Bounds.High != 100) {
			t.Errorf("%s: a percentage has the bounds 0 and 100", k.Key)
		}
	}
}

func TestFind(t *testing.T) {
	for key, want := range map[string]string{
		"price.input":                 "price.input",
		"price.input@context>200000":  "price.*",
		"modality.input.image":        "modality.input.*",
		"livebench.coding.score":      "livebench.coding.score",
		"livebench.coding.score.more": "",
		"own.score":                   "",
		"swe-bench.verified.checked":  "swe-bench.*",
		"swe-bench.lite.resolved":     "swe-bench.lite.resolved",
	} {
		got := ""
		if k := keys.Find(keys.Default(), key); k != nil {
			got = k.Key
		}
		if got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
}

// Faults of a dictionary name their places.
func TestRead(t *testing.T) {
	_, err := keys.Read(problem.Source{Name: "k", Text: `{"schemaVersion":"service.keys/v1","keys":[{"key":"a"}]}`})
	if err == nil || !strings.Contains(err.Error(), "keys[0]") {
		t.Error(err)
	}
}

// A size of a pattern names keys by the key that is asked for, and those are not of the pattern.
func TestCompanionsOfPattern(t *testing.T) {
	pattern := record.Key{Key: "board.*", Size: &record.KeySize{StandardError: "*.stderr"}}
	list := []record.Key{pattern, {Key: "board.cost"}}
	if k := keys.Find(list, "board.a.b"); k == nil || k.Key != "board.a.b" || k.Size.StandardError != "board.a.b.stderr" {
		t.Errorf("%+v", k)
	}
	if k := keys.Find(list, "board.a.b.stderr"); k != nil {
		t.Errorf("a standard error is %+v", k)
	}
	if k := keys.Find(list, "board.cost"); k == nil || k.Key != "board.cost" || pattern.Size.StandardError != "*.stderr" {
		t.Errorf("%+v", k)
	}
}
