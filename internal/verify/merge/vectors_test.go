package merge_test

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/merge"
	"github.com/model-catalog-service/svc/internal/verify/status"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
	"github.com/model-catalog-service/svc/service/record"
)

func TestVectors(t *testing.T) {
	type vector struct {
		Inputs []json.RawMessage
		Expect struct {
			Canonical  string
			Collisions []record.RecordID
		}
	}
	for n, v := range vectortest.Parts[vector](t, "testdata/merge.jsonl.gz") {
		everyOrder(t, v.Inputs, func(merged *bundle.Raw, collisions []record.RecordID) {
			text, err := merged.Canonical()
			if err != nil || string(text) != v.Expect.Canonical {
				t.Errorf("vector %d: %v\n got %s\nwant %s", n, err, text, v.Expect.Canonical)
			}
			if !slices.Equal(collisions, v.Expect.Collisions) {
				t.Errorf("vector %d: collisions %v, want %v", n, collisions, v.Expect.Collisions)
			}
		})
	}
}

// everyOrder merges the inputs in each order.
func everyOrder(t *testing.T, inputs []json.RawMessage, check func(*bundle.Raw, []record.RecordID)) {
	t.Helper()
	permute(inputs, func(inputs []json.RawMessage) {
		var bundles []*bundle.Raw
		for _, text := range inputs {
			bundles = append(bundles, verifytest.Raw(t, string(text)))
		}
		merged, collisions, err := merge.Bundles(bundles...)
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

// The statuses that follow from a merged bundle are those of the format.
func TestConformance(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(vectortest.Data(t, "vectors", "hachure", "merge"), "merge-*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no vectors: %v", err)
	}
	for _, file := range files {
		var v struct {
			Now    string
			Inputs []json.RawMessage
			Expect struct {
				MergedClaimIDs  []string
				Collisions      []record.RecordID
				StatusByClaimID map[string]string
			}
		}
		verifytest.Decode(t, verifytest.File(t, file), &v)
		orders := 0
		everyOrder(t, v.Inputs, func(merged *bundle.Raw, collisions []record.RecordID) {
			orders++
			var ids []string
			for _, c := range merged.Claims {
				ids = append(ids, c.ID)
			}
			slices.Sort(v.Expect.MergedClaimIDs)
			if !slices.Equal(ids, v.Expect.MergedClaimIDs) {
				t.Errorf("%s: claims %v, want %v", file, ids, v.Expect.MergedClaimIDs)
			}
			if !slices.Equal(collisions, v.Expect.Collisions) {
				t.Errorf("%s: collisions %v, want %v", file, collisions, v.Expect.Collisions)
			}
			in, err := merged.StatusInput()
			if err != nil {
				t.Fatal(err)
			}
			for _, version := range status.Versions() {
				function, err := status.New(version, v.Now)
				if err != nil {
					t.Fatal(err)
				}
				got := map[string]string{}
				for _, s := range function.Derive(in) {
					got[s.ID] = string(s.Status)
				}
				if !maps.Equal(got, v.Expect.StatusByClaimID) {
					t.Errorf("%s, version %s: %v, want %v", file, version, got, v.Expect.StatusByClaimID)
				}
			}
		})
		if orders < 2 {
			t.Errorf("%s: %d orders of inputs", file, orders)
		}
	}
}
