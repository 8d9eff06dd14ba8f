package verify_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/internal/verify"
)

func mustTime(t testing.TB, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func mustRaw(t testing.TB, text string) *verify.RawBundle {
	t.Helper()
	b, err := verify.ReadRawBundle(problem.Source{Name: "bundle.json", Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func statusesOf(in *verify.StatusInput, now time.Time) map[string]string {
	statuses := map[string]string{}
	for _, s := range verify.DeriveStatuses(in, now) {
		statuses[s.ID] = string(s.Status)
	}
	return statuses
}

type statusVector struct {
	Now    string
	Input  json.RawMessage
	Expect struct{ StatusByClaimID map[string]string }
}

// check derives the statuses of a bundle that is checked, and of the same
// bundle that is not.
func (v *statusVector) check(t *testing.T, name string) {
	t.Helper()
	now := mustTime(t, v.Now)
	checked := statusesOf(mustBundle(t, string(v.Input)).StatusInput(), now)
	if !maps.Equal(checked, v.Expect.StatusByClaimID) {
		t.Errorf("%s: %v, want %v", name, checked, v.Expect.StatusByClaimID)
	}
	raw, err := mustRaw(t, string(v.Input)).StatusInput()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if got := statusesOf(raw, now); !maps.Equal(got, checked) {
		t.Errorf("%s: unchecked %v, checked %v", name, got, checked)
	}
}

func TestStatusVectors(t *testing.T) {
	seen := map[string]int{}
	lines(t, string(vectortest.Text(t, "testdata/status.jsonl.gz")), func(n int, line string) {
		var v statusVector
		decodeJSON(t, line, &v)
		v.check(t, line[:min(len(line), 60)])
		for _, s := range v.Expect.StatusByClaimID {
			seen[s]++
		}
	})
	if len(seen) != 9 {
		t.Errorf("the vectors reach not all statuses: %v", seen)
	}
}

func TestConformanceOfStatus(t *testing.T) {
	for _, file := range sharedFiles(t, "sf-*.json", "vectors", "hachure") {
		var v statusVector
		decodeJSON(t, readFile(t, file), &v)
		if len(v.Expect.StatusByClaimID) == 0 {
			t.Errorf("%s expects nothing", file)
		}
		v.check(t, file)
	}
}

type collision struct{ Collection, ID string }

func collisionsOf(list []verify.Collision) []collision {
	var got []collision
	for _, c := range list {
		got = append(got, collision(c))
	}
	return got
}

func TestMergeVectors(t *testing.T) {
	lines(t, string(vectortest.Text(t, "testdata/merge.jsonl.gz")), func(n int, line string) {
		var v struct {
			Inputs []json.RawMessage
			Expect struct {
				Canonical  string
				Collisions []collision
			}
		}
		decodeJSON(t, line, &v)
		everyOrder(t, v.Inputs, func(merged *verify.RawBundle, collisions []verify.Collision) {
			text, err := merged.Canonical()
			if err != nil || string(text) != v.Expect.Canonical {
				t.Errorf("line %d: %v\n got %s\nwant %s", n, err, text, v.Expect.Canonical)
			}
			if got := collisionsOf(collisions); !slices.Equal(got, v.Expect.Collisions) {
				t.Errorf("line %d: collisions %v, want %v", n, got, v.Expect.Collisions)
			}
		})
	})
}

// everyOrder merges the inputs in each order, and once more with the result.
func everyOrder(t *testing.T, inputs []json.RawMessage, check func(*verify.RawBundle, []verify.Collision)) {
	t.Helper()
	permute(inputs, func(inputs []json.RawMessage) {
		var bundles []*verify.RawBundle
		for _, text := range inputs {
			bundles = append(bundles, mustRaw(t, string(text)))
		}
		merged, collisions, err := verify.MergeBundles(bundles...)
		if err != nil {
			t.Fatal(err)
		}
		check(merged, collisions)
	})
}

func permute[T any](list []T, visit func([]T)) {
	if len(list) < 2 {
		visit(list)
		return
	}
	for i := range list {
		rest := slices.Concat(list[:i], list[i+1:])
		permute(rest, func(order []T) { visit(append([]T{list[i]}, order...)) })
	}
}

func TestConformanceOfMerge(t *testing.T) {
	for _, file := range sharedFiles(t, "merge-*.json", "vectors", "hachure", "merge") {
		var v struct {
			Now    string
			Inputs []json.RawMessage
			Expect struct {
				MergedClaimIDs  []string
				Collisions      []collision
				StatusByClaimID map[string]string
			}
		}
		decodeJSON(t, readFile(t, file), &v)
		orders := 0
		everyOrder(t, v.Inputs, func(merged *verify.RawBundle, collisions []verify.Collision) {
			orders++
			var ids []string
			for _, c := range merged.Claims {
				ids = append(ids, c.ID)
			}
			slices.Sort(v.Expect.MergedClaimIDs)
			if !slices.Equal(ids, v.Expect.MergedClaimIDs) {
				t.Errorf("%s: claims %v, want %v", file, ids, v.Expect.MergedClaimIDs)
			}
			if got := collisionsOf(collisions); !slices.Equal(got, v.Expect.Collisions) {
				t.Errorf("%s: collisions %v, want %v", file, got, v.Expect.Collisions)
			}
			in, err := merged.StatusInput()
			if err != nil {
				t.Fatal(err)
			}
			if got := statusesOf(in, mustTime(t, v.Now)); !maps.Equal(got, v.Expect.StatusByClaimID) {
				t.Errorf("%s: %v, want %v", file, got, v.Expect.StatusByClaimID)
			}
		})
		if orders < 2 {
			t.Errorf("%s: %d orders of inputs", file, orders)
		}
	}
}
