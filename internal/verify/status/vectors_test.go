package status_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/status"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
)

func statusesOf(in *bundle.Content, now time.Time) map[string]string {
	statuses := map[string]string{}
	for _, s := range status.Derive(in, now) {
		statuses[s.ID] = string(s.Status)
	}
	return statuses
}

type vector struct {
	Now    string
	Input  json.RawMessage
	Expect struct{ StatusByClaimID map[string]string }
}

// check derives the statuses of a bundle that is checked, and of the same bundle
// that is not.
func (v *vector) check(t *testing.T, name string) {
	t.Helper()
	now := verifytest.Time(t, v.Now)
	checked := statusesOf(verifytest.Bundle(t, string(v.Input)).StatusInput(), now)
	if !maps.Equal(checked, v.Expect.StatusByClaimID) {
		t.Errorf("%s: %v, want %v", name, checked, v.Expect.StatusByClaimID)
	}
	raw, err := verifytest.Raw(t, string(v.Input)).StatusInput()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if got := statusesOf(raw, now); !maps.Equal(got, checked) {
		t.Errorf("%s: unchecked %v, checked %v", name, got, checked)
	}
}

func vectors(t *testing.T) []vector {
	return vectortest.Parts[vector](t, "testdata/status.jsonl.gz")
}

func TestVectors(t *testing.T) {
	seen := map[string]int{}
	for n, v := range vectors(t) {
		v.check(t, fmt.Sprint("vector ", n))
		for _, s := range v.Expect.StatusByClaimID {
			seen[s]++
		}
	}
	if len(seen) != 9 {
		t.Errorf("the vectors reach not all statuses: %v", seen)
	}
}

func TestConformance(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(vectortest.Data(t, "vectors", "hachure"), "sf-*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no vectors: %v", err)
	}
	for _, file := range files {
		var v vector
		verifytest.Decode(t, verifytest.File(t, file), &v)
		if len(v.Expect.StatusByClaimID) == 0 {
			t.Errorf("%s expects nothing", file)
		}
		v.check(t, file)
	}
}
